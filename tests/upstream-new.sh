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
  - {match: "VXORP[SD]Yrr", latency: 1, slots: 1, pipes: [Zn4FP1+Zn4FP2, Zn4FP2+Zn4FP3]}
  - {match: VSUBPSYrr, ignores: YMM1}
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
expect 0 'The CPU file has no rates of loads and stores: these hold what its forms do\.' one_line "${new[@]}" --force
expect 0 '^IMUL64rm,2,.*SmallSerial:7$' cat small.csv
expect 0 '^ADD64rm,1,5,4?;?.*SmallP8:1' cat small.csv
expect 0 'IsZeroIdiomFunction<.DepBreakingClass<. [A-Z0-9a-z, ]*XOR64rr' one_line cat small.td
# The same tables as an overlay, which the simulator reads; branches have numbers, too.
expect 0 '' "${new[@]}" --force --overlay small.yaml
expect 0 'ADD64rm, 1 uop, latency 5 .* read 0 +R[A-Z]+, .*4 cycles' one_line "$cyclops" explain 'addq (%rax), %rcx' --mcpu small.yaml
expect 0 'IMUL64rr, 2 uops, latency 3 .*\[0, 2\)' one_line "$cyclops" explain 'imulq %rax, %rcx' --mcpu small.yaml
loop() { printf 'imulq %%rax, %%rcx\njne .\n' | "$cyclops" mca -mcpu=small.yaml -iterations=100 -; }
expect 0 'Total Cycles: +304' loop
expect 0 'def : WriteRes<WriteJump, \[Small' one_line cat small.td
# Two sets of pipes that overlap would start one instruction a cycle; their sum on all is three in two.
expect 0 '^VXORPSYrr,1,1,,Small[A-Za-z]*123:2$' cat small.csv
expect 0 'no parts that start one after another, as one set of pipes for their sum: 2 opcodes' one_line "${new[@]}" --force
# What the file does not wait for delays nothing, however late it comes.
expect 0 '^VSUBPSYrr,1,3,100,' cat small.csv
expect 0 '^def SmallRead100 : SchedReadAdvance<100>; // it does not wait$' cat small.td
expect 0 'VSUBPSYrr, 1 uop, latency 3 .*read 0 +YMM1, .*100 cycles' one_line "$cyclops" explain 'vsubps %ymm2, %ymm1, %ymm1' --mcpu small.yaml
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

# A target with x86's registers: a register file needs a size, which only a card has. Loads and stores hold resources of
# as many units as the file has them in a cycle.
mkdir memory
cp -r "$here/td/X86" memory/X86
sed '/^include "X86Sch/,$d' "$here/td/X86/X86.td" >memory/X86/X86.td
cat >>memory/X86/X86.td <<'END'
def WriteLoad : SchedWrite;
def WriteVecLoadX : SchedWrite;
def WriteStore : SchedWrite;
def MOV64rm : Toy<[WriteLoad]>;
def MOVAPSrm : Toy<[WriteVecLoadX]>;
def MOV64mr : Toy<[WriteStore]>;
def PUSH64r : Toy<[WriteStore]>;
def POP64r : Toy<[WriteLoad]>;
def ADD64mr : Toy<[WriteALULd, WriteStore]>;
END
sed -n '/^include "X86Sch/,$p' "$here/td/X86/X86.td" >>memory/X86/X86.td
sed -i 's|^} // SchedModel|def : WriteRes<WriteLoad, []>; def : WriteRes<WriteVecLoadX, []>; def : WriteRes<WriteStore, []>;\n&|' \
    memory/X86/X86ScheduleZnver4.td
for class in GR64 CCR VR64 VR128 VR256 VR512; do
    echo "def $class : RegisterClass<\"X86\", [i32], 32, (add AX)>;" >>memory/X86/X86.td
done
rates() { # NAME LOADS VECTOR-LOADS STORES ACCESSES: the file with these rates a cycle
    sed "s/^parameters:/&\n  loads-per-cycle: $2\n  loads-per-cycle-vector: $3\n  stores-per-cycle: $4\n  accesses-per-cycle: $5/" \
        small.cpu.yaml >"$1.cpu.yaml"
}
back() {
    "$here/../scripts/upstream-new-back" "$1" --target-folder memory/X86 --name NewModel --cyclops "$cyclops" --keep kept
}
model=kept/X86ScheduleTried.td
rates whole 4 2 2 5
expect 0 "LLVM's tables: ([0-9]+) of \1 opcodes have the CPU file's numbers" back whole.cpu.yaml
cp "$T/out" said
expect 0 'Neither the CPU file nor a card \(--card\) has: MispredictPenalty, RegisterFile of integers, RegisterFile of vectors\. LLVM eliminates no moves' one_line cat said
expect 0 'Loads and stores hold, in a cycle: NewLoad 4, NewVectorLoad 2, NewStore 2, NewAccess 5\.' one_line cat said
expect 1 '^0$' grep -c ' : RegisterFile<' "$model"
one_line cat said >said-line
expect 1 '^0$' grep -cE 'no parameters:.*-per-cycle' said-line
expect 0 'def NewLoad : ProcResource<4> \{ let BufferSize = 40;[^}]*\}.* def NewLoadQueue : LoadQueue<NewLoad>;' one_line cat "$model"
expect 0 '^def NewAccess : ProcResource<5>;' cat "$model"
for row in 'MOV64rm .*NewAccess:1;NewLoad:1' 'POP64r .*NewAccess:1;NewLoad:1' 'MOV64mr .*NewAccess:1;NewStore:1' \
    'PUSH64r .*NewAccess:1;NewStore:1' 'MOVAPSrm .*NewAccess:1;NewVectorLoad:1;NewLoad:1' \
    'ADD64mr .*NewAccess:2;NewStore:1;NewLoad:1' 'ADD64rm .*NewAccess:1;NewLoad:1'; do
    expect 0 "^${row/ /,}\$" cat kept/numbers.csv
done
expect 1 '^0$' grep -cE '^(ADD|XOR)64rr,.*(Load|Store|Access)' kept/numbers.csv
# What limits nothing is no resource; of stores without a number, there are as many as the base has pipes for them.
rates few 3 3 2 5
sed -i /stores-per-cycle/d few.cpu.yaml
expect 0 'Loads and stores hold, in a cycle: NewLoad 3, NewStore 2\.' one_line back few.cpu.yaml
expect 0 '^// as many as the base, znver4, has pipes for it$' cat "$model"
# With a card, there are register files.
expect 0 'of ([0-9]+) of \1 opcodes' one_line "$cyclops" upstream new small.cpu.yaml --llvm 22 --td memory/X86/X86New.td \
    --name NewModel --card "$here/../results/zen4-2026-11-28/card.yaml" --overlay files.yaml
expect 0 '\{name: NewIntegerRegisters, registers: ' cat files.yaml
expect 0 '^def NewIntegerRegisters : RegisterFile<[1-9][0-9]*, \[GR64, CCR\], ' cat memory/X86/X86New.td

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
