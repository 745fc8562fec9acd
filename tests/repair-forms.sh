#!/usr/bin/env bash
# cyclops repair where forms of one opcode differ: rules name them, as overlay: 2, and only where a file needs that.
# repair-forms.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
[ -e "$build/lib/cyclops/cyclops-llvm-22.so" ] || skip "there is no module for LLVM 22, whose latencies these are"
export CYCLOPS_LLVM=22

# LLVM has one cycle, and two for three parts.
overlay true znver4 >true.yaml <<'YAML'
  - {match: LEA64r, latency: 2}
  - {forms: [LEA64r-base-scaled-disp, LEA64r-base-index-disp], latency: 3}
YAML
expect 2 'true\.yaml:[0-9]*:[0-9]*: rules name forms from version 2 on' "$cyclops" explain IMUL64rr --mcpu true.yaml
sed -i 's/^overlay: 1/overlay: 2/' true.yaml
"$cyclops" survey LEA64r IMUL64rr --isa x86_64 --target "sim:$T/true.yaml,noise=none" --output measured >/dev/null 2>&1 ||
    { echo "FAILED: survey"; exit 1; }
expect 0 'before, 0 after\. Made worse: 0\.' one_line "$cyclops" repair measured --mcpu znver4 --output fixed.yaml
expect 0 '2 of single forms \(2 by the form.s own name\)' "$cyclops" repair measured --mcpu znver4 --output fixed.yaml
expect 0 '^overlay: 2$' cat fixed.yaml
expect 0 'forms: \[LEA64r-base-scaled-disp\], latency: 3}' cat fixed.yaml
expect 0 'No findings' "$cyclops" check measured --mcpu fixed.yaml

# The blocks' cycles are those of the CPU that was measured.
cycles() {
    printf 'leaq 8(%%rax,%%rdx), %%rax\nleaq (%%rax,%%rdx), %%rax\n' |
        "$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu="$1" -iterations=100 | sed -n 's/Total Cycles: *//p'
}
[ "$(cycles true.yaml)" = "$(cycles fixed.yaml)" ] && [ "$(cycles true.yaml)" != "$(cycles znver4)" ] ||
    { echo "FAILED: $(cycles true.yaml), $(cycles fixed.yaml), $(cycles znver4)"; failures=$((failures + 1)); }

# Where opcodes do, the file is of version 1.
overlay plain znver4 >plain.yaml <<'YAML'
  - {match: IMUL64rr, latency: 5}
YAML
"$cyclops" survey LEA64r IMUL64rr --isa x86_64 --target "sim:$T/plain.yaml,noise=none" --output plain >/dev/null 2>&1 ||
    { echo "FAILED: survey of the plain one"; exit 1; }
expect 0 ', 0 after' one_line "$cyclops" repair plain --mcpu znver4 --output plain-fixed.yaml
expect 0 '^overlay: 1$' cat plain-fixed.yaml
finish
