#!/usr/bin/env bash
# What `cyclops run` measures of code with memory equals what a program takes that runs it as it stands: tests/native/.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code for x86-64"
command -v gcc >/dev/null || skip "no gcc"

trim() { local text=$1; text=${text#"${text%%[! ]*}"}; printf '%s' "${text%"${text##*[! ]}"}"; }

flags=" $(grep -m1 '^flags' /proc/cpuinfo | cut -d: -f2) "
arguments=()
while IFS='|' read -r name features code; do
    for feature in $features; do [[ $flags == *" $feature "* ]] || continue 2; done
    name=$(trim "$name") code=$(trim "$code")
    escaped=${code//\{/%\{} # braces choose a dialect in C
    printf 'CASE(%s, "%s")\n' "${name//-/_}" "${escaped//\}/%\}}" >>"$T/cases.h"
    printf '%s\t%s\n' "${name//-/_}" "$code" >>"$T/names"
    arguments+=(--asm "$code")
done < <(grep -vE '^ *(#|$)' "$here/native/cases.txt")

gcc -O1 -march=native -DCASES="\"$T/cases.h\"" -o "$T/timer" "$here/native/timer.c" || exit 1
# A neighbour can slow either side for a while: a value is wrong where it is wrong three times.
for _ in 1 2 3; do
    "$T/timer" >"$T/native" || exit 1
    "$cyclops" run --mcpu none --form looped --alias disjoint --json "${arguments[@]}" >"$T/lines" 2>"$T/err" </dev/null ||
        was_disturbed "$T/err" || { echo "FAILED: cyclops run"; cat "$T/err"; exit 1; }
    "$T/timer" >"$T/later" || exit 1

    # A value may differ by 3 % or 0.05 cycles. Where the program itself took another time later, nothing can be said.
    jq -rn --rawfile names "$T/names" --rawfile native "$T/native" --rawfile later "$T/later" --slurpfile lines "$T/lines" '
        def times($text): [$text | split("\n")[] | select(. != "") | split(" ") | {(.[0]): (.[1] | tonumber)}] | add;
        times($native) as $native | times($later) as $later |
        def near($a; $b): ($a - $b | fabs) <= ([0.05, 0.03 * $b] | max);
        $names | split("\n")[] | select(. != "") | split("\t") | . as [$name, $code] |
        ($lines[] | select(.kernel == $code)) as $m |
        [if $m.verdict == "unstable" or (near($native[$name]; $later[$name]) | not) then "unstable"
         elif near($m.cycles; $native[$name]) or near($m.cycles; $later[$name]) then "ok" else "WRONG" end,
         $name, $native[$name], $m.cycles, $m.block.memory // "-", $m.why // ""] | @tsv' >"$T/table" || exit 1
    grep -q '^WRONG' "$T/table" || break
done
awk -F'\t' '{ printf "%-9s %-16s %9s %9s  %-7s %s\n", $1, $2, $3, $4, $5, $6 }' "$T/table"
if grep -q '^WRONG' "$T/table"; then exit 1; fi
grep -q '^ok' "$T/table" || skip "no value is stable"
finish
