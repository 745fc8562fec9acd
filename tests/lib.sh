# Helpers of the shell tests. Sourced with the build folder as $1.
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
cyclops=$build/bin/cyclops
unset COLUMNS
export LC_ALL=C.UTF-8 NO_COLOR=1 XDG_CACHE_HOME=$build/cache
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failures=0

# expect STATUS PATTERN COMMAND…: runs it; its exit status and (grep -E) its output must fit.
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$@" >"$T/out" 2>&1 </dev/null
    got=$?
    if [ $got != "$status" ] || ! grep -qE -- "$pattern" "$T/out"; then
        echo "FAILED: $* — exit $got (wanted $status), output (wanted /$pattern/):"
        sed 's/^/    /' "$T/out"
        failures=$((failures + 1))
    fi
}

finish() {
    [ $failures = 0 ] || { echo "$failures failed"; exit 1; }
    exit 0
}
