#!/usr/bin/env bash
# scripts/compiled-loops: a handful of compiled functions, measured, and timed without Cyclops.  compiled-loops.sh BUILD
. "$(dirname "$0")/lib.sh"
script=$here/../scripts/compiled-loops

expect 2 "no function or block 'sum_flaot' in .*: .*sum_float" "$script" sum_flaot --build "$build"
expect 2 "'.*/bin/cyclops' is not there: --build names another folder" "$script" --build "$T"
# A file of outcomes, summed up. Of a row that was measured twice, the last time counts.
row() { # FUNCTION OUTCOME CYCLES NATIVE
    printf '{"function": "%s", "variant": "gcc-O2", "form": "text", "outcome": "%s", "cycles": %s, "verdict": "exact", "why": "", ' "$1" "$2" "$3"
    printf '"native": %s, "native_low": %s, "native_high": %s, "command": "cyclops run"}\n' "$4" "$4" "$4"
}
{ row sum_int wrong 2.0 1.0; row crc right 3.0 3.0; row sum_int right 1.0 1.0; row dot_double unstable 4.0 4.0; } >"$T/rows"
expect 0 '^gcc-O2 +3 +2 +0 +0 +0 +0 +0 +0 +1 +0 +0$' "$script" --sum "$T/rows"
expect 0 '^judged against a native time: 3; right: 66.7 %, unstable as the program: 0.0 %, unstable: 33.3 %, wrong: 0.0 %$' "$script" --sum "$T/rows"
expect 0 '^unstable +gcc-O2 +dot_double +text +4.00 cycles, natively 4.00 .4.00 to 4.00.$' "$script" --sum "$T/rows"
{ row crc right 3.0 3.0; row crc moved 2.0 2.0 | sed 's/text/object-loop/'; row crc right 3.0 3.0 | sed 's/text/linked-loop/'; } >"$T/rows"
expect 0 '^loops: 0 of 1 that have a value in all 3 forms have the same .0.0 %.; 1 of the others are each right where' \
    "$script" --sum "$T/rows"
# The linked program has the loop elsewhere; text and object have it at one place, and there one value or two.
sed -i '1s/}/, "place": 16}/; 2s/}/, "place": 48}/; 3s/}/, "place": 16}/' "$T/rows"
expect 0 '^loops: 0 of 1 that .*; 1 more have it where their loop is at the same place in a cache line .100.0 %.;' \
    "$script" --sum "$T/rows"
sed -i 's/: 48}/: 16}/' "$T/rows"
expect 0 '^loops: 0 of 1 that have a value in all 3 forms have the same .0.0 %.; 1 of the others' "$script" --sum "$T/rows"
expect 2 "there is no file '$T/nothing': --json writes one" "$script" --sum "$T/nothing"
# Within 3 % or 0.05 cycles. What is wrong is measured again: others on the core may have slowed either side. What stays
# wrong fails, but where values are unstable, too, and the wrong ones are near: then the host is busy.
measure() {
    [ ! -e "$T/measured" ] || sed -i 's/, "again": true//' "$T/measured"
    "$script" --json "$T/measured" --build "$build" "$@" >"$T/quick" 2>&1
}
measure --quick --form text --form linked-loop --form object --form block --least 90
status=$?
for _ in 1 2; do
    [ $status = 1 ] || break
    sleep 5
    measure --quick --again
    status=$?
done
if [ $status = 1 ] && "$script" --sum "$T/measured" | grep -q ^unstable.*gcc-O2 && measure --quick --again --within 25; then
    skip "the host is busy: $(tail -1 "$T/quick")"
fi
case $status in
0) ;;
77) skip "$(tail -1 "$T/quick")" ;;
*) cat "$T/quick"; failures=$((failures + 1)) ;;
esac
finish
