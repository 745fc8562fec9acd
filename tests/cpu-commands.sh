#!/usr/bin/env bash
# Each command that compares with a model takes a CPU file, bounds and core: its numbers stand under its name, they are
# those of `explain`, and what names a CPU file that is wrong, or of another ISA, is refused.  cpu-commands.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
sim=(--isa x86_64 --target sim:cpu:zen5,noise=none)
"$cyclops" survey ADD64rr IMUL64rr VADDPSrr MOV64rm ADD64mr 'SH[LR]64rCL' "${sim[@]}" --output survey >messages 2>&1 || { cat messages; failures=1; }
"$cyclops" run --asm 'imul rax, rbx; add rax, [rsi]' "${sim[@]}" --output run.jsonl >messages 2>&1 || { cat messages; failures=1; }
printf '48ffc0\n480fafc3\n' >blocks.csv
"$cyclops" corpus run blocks.csv "${sim[@]}" --output corpus >messages 2>&1 || { cat messages; failures=1; }

for model in cpu:zen5 core:zen5; do
    # What was measured on a CPU file's core is what the file predicts.
    expect 0 "does $model predict what was measured.* ([0-9]+) of ([0-9]+) values agree\. No findings" \
        one_line "$cyclops" check survey --mcpu $model
    expect 0 "is $model further from what was measured than llvm-[0-9]+/znver4.*No findings" \
        one_line "$cyclops" check survey --mcpu $model --against znver4
    expect 0 "$model predict.*2 of 2 values agree" one_line "$cyclops" check run.jsonl --mcpu $model
    # value, predicted by this one, by LLVM's, measured
    expect 1 "value +$model +llvm-[0-9]+/znver4 +measured" "$cyclops" diff survey --mcpu $model --mcpu znver4
    grep -qE 'VADDPSrr +latency 1 → 0 +2 +3 +2 ' out || { echo "FAILED: diff $model"; cat out; failures=1; }
    expect 0 '[0-9] forms, 0 findings, 1 corpus' "$cyclops" report survey corpus --mcpu $model --output report.html
    [ "$(grep -o "\"$model\"" report.html | wc -l)" = 2 ] || { echo "FAILED: the page does not name $model twice"; failures=1; }
    expect 0 "$model" "$cyclops" pairs imul-r64 add-r64 "${sim[@]}" --mcpu $model
    grep -qE 'imul-r64 +0\.38 0\.38' out || { echo "FAILED: pairs $model"; cat out; failures=1; }
    expect 0 "imul rax, rbx; add rax, \[rsi\] .* unrolled +4\.00 ±0\.01 +4\.00 +0 %" "$cyclops" run --from run.jsonl --mcpu $model
    grep -q "measured +$model\|measured  *$model" out || { echo "FAILED: run --from $model"; cat out; failures=1; }
    expect 2 "'$model': repair changes LLVM's models and overlays; a CPU file is changed by its 'forms'" \
        "$cyclops" repair survey --mcpu $model --output repaired.yaml
done
# Two CPU files; the slots that a file states are no uops, and not for 'repair'.
expect 1 'VADDPSrr +latency 1 → 0 +2 +4 +2 ' "$cyclops" diff survey --mcpu cpu:zen5 --mcpu cpu:skylake
expect 1 'cpu:skylake.* slots [0-9], measured [0-9]' one_line "$cyclops" check survey --mcpu cpu:skylake
grep -q "those of the CPU file: its 'forms' state them" out && ! grep -q "repair\|uops" out ||
    { echo "FAILED: check's words of slots"; cat out; failures=1; }

# A trace goes to the core of a file; a bundle's records are predicted by one.
printf '.intel_syntax noprefix\nmov ecx, 10\n.L1:\nadd rax, rbx\ndec ecx\njne .L1\n' >loop.s
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 '^\(ENTRY, \.L1 \* 10\)$' "$cyclops" trace loop.s
    expect 0 '^Cycles per iteration: 10\.00' "$cyclops" mca loop.s -mcpu=cpu:zen5 -branch-trace="$("$cyclops" trace loop.s)"
fi
if [ "$(uname -m)" = x86_64 ] && [ -e "$build/lib/cyclops/runner-x86_64" ]; then
    "$cyclops" bundle imul-r64 --output probe >messages 2>&1 || { cat messages; failures=1; }
    ./probe --attempt 2 --json >probe.jsonl 2>messages
    grep -q '"record":"measurement"' probe.jsonl &&
        expect 0 'cpu:zen5 +.*[0-9]+ of [0-9]+ instructions by LLVM' one_line "$cyclops" run --from probe.jsonl --mcpu cpu:zen5
fi

# What is wrong is the file's line, whoever reads it; and a CPU file is not of every CPU.
printf 'cpu: 1\nname: wrong\nbase: skylake\nparameters:\n  dispatch-wdith: 4\n' >wrong.cpu.yaml
"$cyclops" survey ADDXrs --isa aarch64 --target sim:neoverse-v2,noise=none --output arm >messages 2>&1 || { cat messages; failures=1; }
for command in "check survey" "diff survey --mcpu znver4" "report survey --output x.html" "pairs imul-r64 add-r64 ${sim[*]}" "run --from run.jsonl" \
    "table survey" "explain nop"; do
    # shellcheck disable=SC2086
    expect 2 "^cyclops: error: wrong\.cpu\.yaml:5:3: there is no parameter 'dispatch-wdith' \(did you mean 'dispatch-width'\?\)" \
        "$cyclops" $command --mcpu wrong.cpu.yaml
    # shellcheck disable=SC2086
    expect 2 "no CPU file 'cpu:zen9' is installed.*did you mean" "$cyclops" $command --mcpu cpu:zen9
done
for command in "check arm" "diff arm --mcpu neoverse-v2" "report arm --output x.html" "pairs add-x mul-x --isa aarch64 --target sim:neoverse-v2" \
    "run add-x --isa aarch64 --target sim:neoverse-v2"; do
    # shellcheck disable=SC2086
    expect 2 "'core:zen5' is a CPU file of x86-64, not of aarch64" "$cyclops" $command --mcpu core:zen5
done
finish
