#!/usr/bin/env bash
# Every help fits 80 columns, is printed by 'cyclops help COMMAND' as well, and ends with exit 0.  help.sh BUILD
. "$(dirname "$0")/lib.sh"

fits() {
    "$@" >"$T/help" 2>"$T/errors" || { echo "FAILED: $*: exit $?"; failures=$((failures + 1)); }
    if [ -s "$T/errors" ] || ! grep -q '^Usage: ' "$T/help" || grep -nE '.{81,}|[[:space:]]$' "$T/help"; then
        echo "FAILED: $*: no help, or a line above that is wider than 80 columns or ends in a blank"
        failures=$((failures + 1))
    fi
}

fits "$cyclops" --help
commands=$(sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' "$T/help" | grep -v '^help$')
expect 0 '^2[0-9]$' bash -c "echo '$commands' | wc -l"
fits "$cyclops" help
fits "$cyclops" -h
for command in $commands; do
    fits "$cyclops" "$command" --help
    cp "$T/help" "$T/first"
    fits "$cyclops" help "$command"
    expect 0 same bash -c "cmp '$T/first' '$T/help' && echo same"
done
expect 2 "unknown command 'rum' \(did you mean 'run'" "$cyclops" help rum
expect 2 'help explains one command' "$cyclops" help run mca
# Plain ASCII in a locale that is not UTF-8.
for command in $commands; do
    expect 1 '^0$' bash -c "LC_ALL=C '$cyclops' help $command | LC_ALL=C grep -cP '[^\\x00-\\x7f]'"
done
for runner in "$build"/lib/cyclops/runner-"$(uname -m)"; do
    [ ! -e "$runner" ] || (cd "$(dirname "$runner")" && exec ./"$(basename "$runner")" --help) >"$T/runner" || failures=$((failures + 1))
    [ ! -e "$runner" ] || fits cat "$T/runner"
done
finish
