#!/usr/bin/env bash
# Code whose cycles are known before it is measured: tests/known/answers.txt. Prints expected beside measured.
#   known-answers.sh BUILD here|simulated     on this CPU, or on simulated ones
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code for x86-64"
command -v gcc >/dev/null || skip "no gcc"

trim() { local text=$1; text=${text#"${text%%[! ]*}"}; printf '%s' "${text%"${text##*[! ]}"}"; }

# One line an answer and target: target, cycles, mode, arc or placement, code; separated by tabs.
while IFS='|' read -r on cycles how code _; do
    read -r mode detail <<<"$how"
    for target in $on; do
        printf '%s\t%s\t%s\t%s\t%s\n' "$target" "$(trim "$cycles")" "$mode" "$detail" "$(trim "$code")"
    done
done < <(grep -vE '^ *(#|$)' "$here/known/answers.txt") >"$T/answers"

turns=400
gcc -DTURNS=$turns -O2 -msse4.2 -mpopcnt -fno-tree-vectorize -fno-tree-loop-distribute-patterns -c "$here/known/loops.c" -o "$T/loops.o" || exit 1

# ask TARGET OPTION...: appends the measurements of all that the table asks of TARGET to $T/TARGET.
ask() {
    local target=$1 mode codes arguments code
    shift
    for mode in latency throughput block function; do
        mapfile -t codes < <(awk -F'\t' -v on="$target" -v mode="$mode" '$1 == on && $3 == mode && !seen[$5]++ { print $5 }' "$T/answers")
        [ ${#codes[@]} != 0 ] || continue
        case $mode in
        block) arguments=(--form unrolled --alias disjoint); for code in "${codes[@]}"; do arguments+=(--asm "$code"); done ;;
        function) arguments=(--form looped --alias disjoint "$T/loops.o") ;;
        *) arguments=(--mode $mode "${codes[@]}") ;;
        esac
        "$cyclops" run --mcpu none --json "$@" "${arguments[@]}" >"$T/lines" 2>"$T/err" </dev/null ||
            was_disturbed "$T/err" || { echo "FAILED: cyclops run $* ${arguments[*]}"; cat "$T/err"; failures=$((failures + 1)); }
        jq -c --arg mode $mode --argjson turns $turns 'select(.record == "measurement") | .mode = $mode |
            .value = (if .mode == "function" then .cycles / $turns else .cycles_per_copy // .cycles end)' "$T/lines" >>"$T/$target"
    done
}

# compare TARGET TOLERANCE NAME: prints a line an answer of TARGET: state, name, expected, measured, how, code. An answer is right
# within TOLERANCE, or where the value's own interval holds it.
compare() {
    jq -rn --rawfile answers "$T/answers" --slurpfile measured "$T/$1" --arg on "$1" --argjson tolerance "$2" --arg name "$3" '
        def ranges: if contains("..") then [split("..") | map(tonumber)] else split("/") | map(tonumber | [., .]) end;
        def state($cycles): if .verdict == "unstable" then "unstable"
            elif (.low / .cycles - .clock_error) as $low | (.high / .cycles + .clock_error) as $high | .value as $value |
                any($cycles | ranges[]; $value * ([$high, 1 + $tolerance] | max) >= .[0] and $value * ([$low, 1 - $tolerance] | min) <= .[1])
            then "ok" else "WRONG" end;
        $answers | split("\n")[] | select(. != "") | split("\t") | select(.[0] == $on) | . as [$_, $cycles, $mode, $detail, $code] |
        [$measured[] | select(.mode == $mode and .kernel == $code and (.arc // .placement // "") == $detail)] |
        (if length != 1 then ["WRONG", "\(length) values"] elif .[0].value | not then
             [if (.[0].outcome // "no time on its CPU") == "no time on its CPU" then "unstable" else "WRONG" end, .[0].outcome // "-"]
         else .[0] | [state($cycles), (if .samples == 0 then "-" else .value * 1000 | round / 1000 end)] end) as [$state, $value] |
        [$state, $name, $cycles, $value, ([$mode, $detail] | map(select(. != "")) | join(" ")), $code] | @tsv'
}

# show: prints what compare prints as a table.
show() { awk -F'\t' '{ printf "%-9s %-20s %16s  %-12s %-26s %s\n", $1, $2, $3, $4, $5, $6 }' "$1"; }

mostly_unstable() { [ $(($(grep -c '^unstable' "$1") * 2)) -gt "$(wc -l <"$1")" ]; }

[ "$2" = here ] || [ "$2" = simulated ] || { echo "here or simulated?"; exit 2; }

# Simulated CPUs are what their models say: without noise each answer is right; with noise none is wrong.
for target in $([ "$2" != simulated ] || awk -F'\t' '$1 != "any" && !seen[$1]++ { print $1 }' "$T/answers"); do
    for noise in none vm; do
        : >"$T/$target"
        ask "$target" --target "sim:$target,noise=$noise"
        compare "$target" 0.005 "$target,$noise" >"$T/compared"
        show "$T/compared"
        failures=$((failures + $(grep -c '^WRONG' "$T/compared")))
        if [ $noise = none ] && grep -q '^unstable' "$T/compared" || mostly_unstable "$T/compared"; then
            echo "FAILED: unstable values on $target,$noise"
            failures=$((failures + 1))
        fi
    done
done

[ "$2" = here ] || finish

# This CPU may have neighbours: a value is wrong when it is so twice, and where most are unstable nothing is known.
if ! grep -qw fma /proc/cpuinfo || ! grep -qw bmi2 /proc/cpuinfo; then
    echo "not asked of this CPU, which lacks fma or bmi2"
    finish
fi
for try in 1 2; do
    : >"$T/any"
    ask any --budget 1
    compare any 0.02 "this CPU" >"$T/compared"
    show "$T/compared"
    grep '^WRONG' "$T/compared" | cut -f 5,6 | sort >"$T/wrong$try"
    [ -s "$T/wrong$try" ] || break
done
if [ -s "$T/wrong$try" ]; then
    twice=$(comm -12 "$T/wrong1" "$T/wrong2")
    [ -z "$twice" ] || { echo "FAILED twice: $twice"; failures=$((failures + 1)); }
fi
! mostly_unstable "$T/compared" || skip "most values of this CPU are unstable"
finish
