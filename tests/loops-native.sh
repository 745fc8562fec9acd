#!/usr/bin/env bash
# Loops by their own branch, and blocks with calls, returns and data inside, take the time here that they take in a
# program that times itself: within 3 % or 0.05 cycles.  loops-native.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the functions are x86-64's"
command -v gcc >/dev/null || skip "no compiler"
gcc -O1 "$here/loops-native.c" "$here/loops-native.s" -o "$T/native" || exit 1

# native: prints "NAME CYCLES" of each, where two runs agree within a percent.
native() {
    "$T/native" >"$T/first" && "$T/native" >"$T/second" && join "$T/first" "$T/second" |
        awk '{ d = $2 - $3; if (d < 0) d = -d; if (d <= 0.01 * $2) print $1, ($2 < $3 ? $2 : $3) }'
}
# here: prints "NAME CYCLES" of each that is stable.
here() {
    "$cyclops" run --mcpu none --form looped --alias disjoint --json "$here/loops-native.s" >"$T/loops"
    jq -r 'select(.record == "measurement" and .cycles and .verdict != "unstable") |
        "\(.kernel | sub("^.*[:_]"; "")) \(.cycles)"' "$T/loops"
}
compare() {
    native | sort >"$T/native.txt"
    here | sort >"$T/here.txt"
    join "$T/native.txt" "$T/here.txt" |
        awk '{ d = $3 - $2; if (d < 0) d = -d; print $1, $2, $3, (d <= 0.03 * $2 || d <= 0.05) ? "ok" : "WRONG" }'
}
# A neighbour can slow either side for a while: a value is wrong where it is wrong three times.
for _ in 1 2 3; do
    compare >"$T/compared"
    grep -q WRONG "$T/compared" || break
done
cat "$T/compared"
! grep -q WRONG "$T/compared" || { echo "FAILED: other times than those of the program itself"; failures=1; }
[ "$(wc -l <"$T/compared")" -ge 2 ] || skip "too few values are stable here"
finish
