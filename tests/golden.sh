#!/usr/bin/env bash
# Golden tests: tests/golden/NAME.in holds a comment saying why, and commands after "$ "; NAME.out what they print (standard
# output and errors together, then the exit status where it is not 0).
#     tests/golden.sh run BUILD NAME      compares, shows the difference
#     tests/golden.sh rebase BUILD NAME…  rewrites NAME.out; read the change before you commit it
# Commands run in tests/golden; $T is a fresh folder that is removed afterwards, and is printed as T.
set -uo pipefail

verb=$1
build=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/golden" || exit 1
unset COLUMNS
export LC_ALL=C.UTF-8 NO_COLOR=1 XDG_CACHE_HOME=$build/cache XDG_CONFIG_HOME=$build/config CYCLOPS_PREFIX=$build CYCLOPS_LLVM=19 PATH="$build/bin:$PATH"
export SOURCE_DATE_EPOCH=1795738679 # 2026-11-27T00:17Z

output_of() {
    T=$(mktemp -d)
    export T
    grep '^\$ ' "$1.in" | while IFS= read -r line; do
        echo "$line"
        # A command that is not to be had here skips the test.
        bash -c "${line#\$ }" 2>&1 </dev/null
        status=$?
        [ $status = 0 ] || echo "[exit $status]"
    done | sed -e "s|$T|T|g" -e "s|$build|BUILD|g"
    rm -rf "$T"
}

for name; do
    case $verb in
    run) diff -u "$name.out" <(output_of "$name") || exit 1 ;;
    rebase) output_of "$name" >"$name.out" ;;
    esac
done
