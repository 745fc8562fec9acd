#!/usr/bin/env bash
# cyclops repair on a CPU whose pipes are known: some of LLVM's model are wrong, some are right and held for longer. What
# the repaired model predicts of blocks that mix the forms, which the repair does not see, is what the CPU takes.
# repair-pipes.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
[ -e "$build/lib/cyclops/cyclops-llvm-22.so" ] || skip "there is no module for LLVM 22, whose names of ports these are"
export CYCLOPS_LLVM=22

# Ports 0 and 5 instead of 0 for 512-bit multiplications; additions for twice as long; others are LLVM's.
overlay true sapphirerapids >true.yaml <<'YAML'
  - {match: "VMULP[SD]Zrr", uses: [{resource: SPRPort00_05, release: 1}]}
  - {match: "VMULP[SD]Zrm", uses: [{resource: SPRPort00_05, release: 1}, {resource: SPRPort02_03_10, release: 1}]}
  - {match: "VADDP[SD]Z(rr|rrk)", uses: [{resource: SPRPort00_05, release: 2}]}
  - {match: VPADDDYrr, uses: [{resource: SPRPort00_05, release: 1}]}
  - {match: POPCNT64rr, uses: [{resource: SPRPort01_05, release: 1}]}
  - {match: LEA64r, uses: []}
YAML
forms=(VMULPSZrr VMULPDZrr VMULPSZrm VADDPDZrr VADDPSZrr VADDPSZrrk VADDPDZrm VPERMDZrr VPADDDYrr VPADDDZrr IMUL64rr POPCNT64rr VMULPSYrr LEA64r)
"$cyclops" survey "${forms[@]}" --isa x86_64 --target "sim:$T/true.yaml,noise=none" --output measured >/dev/null 2>&1 ||
    { echo "FAILED: survey"; exit 1; }
expect 0 'before, 0 after\. Made worse: 0\.' one_line "$cyclops" repair measured --mcpu sapphirerapids --output fixed.yaml --review fixed.md

# rule OPCODE: the rule that names it.
rule() { sed -n "s/^  - {match: \"\([^\"]*|\)\?$1\(|[^\"]*\)\?\", //p" fixed.yaml; }
# Times change before pipes: twice as long on LLVM's.
expect 0 '^uses: \[\{resource: SPRPort00_05, acquire: 0, release: 2}\]}$' rule VADDPDZrr
expect 0 '^uses: \[\{resource: SPRPort00_05, acquire: 0, release: 2}\]}$' rule VADDPSZrrk
# More pipes: those that 512-bit forms are on, and not those of jumps; of the form with memory likewise.
expect 0 '^uses: \[\{resource: SPRPort00_05, acquire: 0, release: 1}\]}$' rule VMULPSZrr
expect 0 '^uses: \[\{resource: SPRPort00_05, acquire: 0, release: 1}, \{resource: SPRPort02_03_10, acquire: 0, release: 1}\]}$' rule VMULPSZrm
expect 0 '^$' bash -c "grep -E '_06|_11' fixed.yaml; echo"
# What takes less time than any pipes give is on none.
expect 0 '^uses: \[\]}$' rule LEA64r
# What the throughput does not tell is a guess, and said to be one wherever the repair is shown.
expect 0 '# The pipes are a guess: the values do not tell SPRPort00_05 from SPRPort00_01$' grep -B1 'match: "VMULPSZrr"' fixed.yaml
expect 0 '^0$' bash -c "grep -B1 'match: \"VADDPDZrr\"' fixed.yaml | grep -c guess || true"
expect 0 'The pipes of 5 scheduling classes \([0-9]+ opcodes\) are guesses' one_line "$cyclops" repair measured --mcpu sapphirerapids --output again.yaml
expect 0 '^The pipes of 5 scheduling classes \([0-9]+ opcodes\) are guesses' cat fixed.md

# Mixtures: cycles of a block, a hundred times.
cat >mixed.s <<'ASM'
# LLVM-MCA-BEGIN multiplications and shuffles
vmulps %zmm0, %zmm1, %zmm2
vmulps %zmm0, %zmm1, %zmm3
vmulps %zmm0, %zmm1, %zmm4
vmulps %zmm0, %zmm1, %zmm5
vpermd %zmm0, %zmm1, %zmm6
vpermd %zmm0, %zmm1, %zmm7
# LLVM-MCA-END
# LLVM-MCA-BEGIN with loads, and general registers
vmulps (%rdi), %zmm1, %zmm2
vmulps (%rdi), %zmm1, %zmm3
vmulps (%rdi), %zmm1, %zmm4
vmulps (%rdi), %zmm1, %zmm5
rorx $3, %rax, %rbx
rorx $3, %rax, %rcx
rorx $3, %rax, %rdx
rorx $3, %rax, %rbp
# LLVM-MCA-END
# LLVM-MCA-BEGIN additions
vaddpd %zmm0, %zmm1, %zmm2
vaddpd %zmm0, %zmm1, %zmm3
vmulpd %zmm0, %zmm1, %zmm4
vpermd %zmm0, %zmm1, %zmm6
vpaddd %ymm0, %ymm1, %ymm7
imulq %rax, %rbx
# LLVM-MCA-END
ASM
cycles() {
    "$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu="$1" -iterations=100 -resource-pressure=0 -instruction-info=0 mixed.s |
        sed -n 's/Total Cycles: *//p' | tr '\n' ' '
}
truth=$(cycles true.yaml)
[ "$truth" != "$(cycles sapphirerapids)" ] || { echo "FAILED: the mixtures do not show the pipes: $truth"; failures=$((failures + 1)); }
expect 0 "^$truth\$" cycles fixed.yaml
finish
