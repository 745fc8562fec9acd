#!/usr/bin/env bash
# cyclops repair where only the sum of two latencies is measured, as of moves between general and vector registers: the
# sum is met, neither is made shorter than that, and the rules say that it is split.  repair-sums.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
[ -e "$build/lib/cyclops/cyclops-llvm-22.so" ] || skip "there is no module for LLVM 22, whose latencies these are"
export CYCLOPS_LLVM=22

# LLVM has three cycles for each move, and seven for the conversion.
overlay true sapphirerapids >true.yaml <<'YAML'
  - {match: "MOV64toPQIrr|MOVPQIto64rr", latency: 2}
  - {match: CVTTSD2SI64rr_Int, latency: 4}
YAML
"$cyclops" survey MOV64toPQIrr MOVPQIto64rr CVTTSD2SI64rr_Int --isa x86_64 --target "sim:$T/true.yaml,noise=none" --output measured >/dev/null 2>&1 ||
    { echo "FAILED: survey"; exit 1; }
one_line() { set -o pipefail; "$@" 2>&1 | tr '\n' ' ' | tr -s ' '; }
repair=("$cyclops" repair measured --mcpu sapphirerapids --output fixed.yaml --review fixed.md)
expect 0 'before, 0 after\. Made worse: 0\.' one_line "${repair[@]}"
expect 0 "Latencies of 3 opcodes are splits: only their sum with another's is measured" one_line "${repair[@]}"
expect 0 "^Latencies of 3 opcodes are splits" cat fixed.md
expect 0 'match: "MOV64toPQIrr", latency: 2}' cat fixed.yaml
expect 0 'match: "MOVPQIto64rr", latency: 2}' cat fixed.yaml
expect 0 '# The latency is a split: .* MOVPQIto64rr' grep -B1 'match: "MOV64toPQIrr"' fixed.yaml

cat >there-and-back.s <<'ASM'
# LLVM-MCA-BEGIN move
movq %rax, %xmm0
movq %xmm0, %rax
# LLVM-MCA-END
# LLVM-MCA-BEGIN convert
movq %rax, %xmm0
cvttsd2si %xmm0, %rax
# LLVM-MCA-END
ASM
cycles() {
    "$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu="$1" -iterations=100 -resource-pressure=0 -instruction-info=0 there-and-back.s |
        sed -n 's/Total Cycles: *//p' | tr '\n' ' '
}
truth=$(cycles true.yaml)
[ "$truth" != "$(cycles sapphirerapids)" ] || { echo "FAILED: the blocks do not show the latencies: $truth"; failures=$((failures + 1)); }
expect 0 "^$truth\$" cycles fixed.yaml
finish
