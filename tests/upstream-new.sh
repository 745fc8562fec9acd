#!/usr/bin/env bash
# cyclops upstream new on a toy of LLVM's sources: a class by most of its opcodes, one that differs, loads, results that
# come apart, microcode, idioms, the card's numbers; LLVM's tables hold the file's numbers; bad input.
#     upstream-new.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
command -v llvm-tblgen-22 >/dev/null || skip "there is no llvm-tblgen-22: install llvm-22"
cp -r "$here/td/X86" X86
cat >small.cpu.yaml <<'END'
cpu: 1
name: small
base: znver4
parameters:
  dispatch-width: {value: 5, trust: measured, source: "card: dispatch"}
  reorder-buffer: {value: 123, trust: published, source: a manual}
  load-latency: {value: 4, trust: measured, source: "card: load-latency-far"}
  load-queue: 40
  moves-eliminated: 1
  zero-idioms: 1
  stack-engine: 1
ports: [P8]
forms:
  - {match: "(ADD|SUB)64rr", latency: 1, slots: 1, pipes: [Zn4ALU0123]}
  - {match: XOR64rr, latency: 2, slots: 1, pipes: [Zn4ALU1+P8]}
  - {match: ADD64rm, latency: 1, slots: 1, pipes: [Zn4ALU0123, P8]}
  - {match: IMUL64rr, latency: 3, slots: 2, pipes: [{on: Zn4ALU1, cycles: 2}]}
  - {match: IMUL64rm, latency: 3, slots: 2, serial: 7}
  - {match: "V(ADD|SUB)P[SD]Yrr", latency: 3, slots: 1, pipes: [{on: Zn4FPFAdd01, cycles: 1.5}]}
END
new=("$cyclops" upstream new small.cpu.yaml --llvm 22 --td X86/X86ScheduleSmall.td --name SmallModel)
expect 0 "llvm-tblgen has the CPU file's numbers of ([0-9]+) of \1 opcodes\." one_line "${new[@]}" --csv small.csv
cp X86/X86ScheduleSmall.td small.td
# The header, with where each number is from.
expect 0 '// dispatch-width: measured, card: dispatch let IssueWidth = 5; // reorder-buffer: published, a manual let MicroOpBufferSize = 123;' one_line cat small.td
expect 0 'def SmallLoadQueue : LoadQueue<SmallLoadQueueEntries>;' cat small.td
# A class by most of its opcodes; the one that differs; sets of pipes, also of the file's own.
expect 0 'def : WriteRes<WriteALU, \[SmallALU[0-9]+\]> \{ let Latency = 1; \} // 2 of 3 opcodes' one_line cat small.td
expect 0 '^def SmallP8 : ProcResource<1>;$' cat small.td
expect 0 'def SmallWriteXOR64rr : SchedWriteRes<\[Small[A-Za-z0-9_]*P8\]> \{ let Latency = 2; \}' one_line cat small.td
expect 0 '^def : ReadAdvance<ReadAfterLd, 4>; ' cat small.td
expect 0 '^IMUL64rm,2,.*SmallSerial:7$' cat small.csv
expect 0 '^ADD64rm,1,5,4?;?.*SmallP8:1' cat small.csv
expect 0 'IsZeroIdiomFunction<.DepBreakingClass<. [A-Z0-9a-z, ]*XOR64rr' one_line cat small.td
# What cannot be stated.
expect 0 'no pipes held for fractions of a cycle, made whole: 3 opcodes' one_line "${new[@]}" --force
expect 0 'times between two of one kind, as a resource that all kinds share: 1 opcode' one_line "${new[@]}" --force
expect 0 'has no parameters: stack-engine' one_line "${new[@]}" --force
# The card's numbers, which a CPU file does not have.
expect 0 '' "${new[@]}" --force --card "$here/../results/zen4-2026-11-28/card.yaml"
expect 0 '// card: mispredict-penalty[^;]* let MispredictPenalty = [1-9][0-9]*;' one_line cat X86/X86ScheduleSmall.td
# LLVM's own tables, by another way; LLVM's files are as they were.
rm X86/X86ScheduleSmall.td
same() { diff -r "$1" "$2" && echo same; }
expect 0 same same X86 "$here/td/X86"
expect 0 "LLVM's tables: ([0-9]+) of \1 opcodes have the CPU file's numbers" \
    "$here/../scripts/upstream-new-back" small.cpu.yaml --target-folder X86 --name SmallModel --cyclops "$cyclops"

expect 2 'say what to make' "$cyclops" upstream
expect 2 'takes one CPU file' "$cyclops" upstream new
expect 2 'td names the file to write' "$cyclops" upstream new small.cpu.yaml
expect 2 'is no CPU file' "$cyclops" upstream new znver4 --td X86/x.td --name X
expect 2 'a CPU file of x86-64' "$cyclops" upstream new cpu:neoverse-v2 --td X86/x.td --name X
expect 2 "LLVM has a model 'Znver4Model' already" "$cyclops" upstream new small.cpu.yaml --llvm 22 --td X86/x.td --name Znver4Model
expect 2 "is no name of a scheduling model" "$cyclops" upstream new small.cpu.yaml --llvm 22 --td X86/x.td --name 'a b'
expect 2 "is not in a target's folder" "$cyclops" upstream new small.cpu.yaml --llvm 22 --td x.td --name X
expect 2 'is there already' "$cyclops" upstream new small.cpu.yaml --llvm 22 --td X86/X86.td --name X
expect 77 "no program 'no-tblgen'" "$cyclops" upstream new small.cpu.yaml --llvm 22 --td X86/x.td --name X --tblgen no-tblgen
[ ! -e X86/x.td ] || { echo "FAILED: a file in spite of an error"; failures=1; }
finish
