#!/usr/bin/env bash
# scripts/compiled-loops: a handful of compiled functions, measured, and timed without Cyclops.  compiled-loops.sh BUILD
. "$(dirname "$0")/lib.sh"
script=$here/../scripts/compiled-loops

expect 2 "no function or block 'sum_flaot' in .*: .*sum_float" "$script" sum_flaot --build "$build"
expect 2 "'.*/bin/cyclops' is not there: --build names another folder" "$script" --build "$T"
# Busy hosts and two speeds of one loop make some percent. The faults to be found are several times as large as a value.
"$script" --quick --least 90 --within 25 --build "$build" >"$T/quick" 2>&1
case $? in
0) ;;
77) skip "$(tail -1 "$T/quick")" ;;
*) cat "$T/quick"; failures=$((failures + 1)) ;;
esac
finish
