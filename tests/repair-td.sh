#!/usr/bin/env bash
# cyclops repair --td on a toy of LLVM's sources: a class that is edited, opcodes that leave a list, a pattern and their
# reads; what does not fit the file; bad input.  repair-td.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
command -v llvm-tblgen-22 >/dev/null || skip "there is no llvm-tblgen-22: install llvm-22"
cp -r "$here/td/X86" X86
forms=(ADD64rr SUB64rr XOR64rr ADD64rm IMUL64rr VADDPSYrr VADDPDYrr VSUBPSYrr VXORPSYrr VXORPDYrr)
overlay true znver4 >true.yaml <<'YAML'
  - {match: ADD64rr, latency: 2}
  - {match: VADDPSYrr, latency: 4, uses: [{resource: Zn4FPFAdd01, acquire: 0, release: 2}]}
  - {match: ADD64rm, latency: 6, advances: [{read: 0, cycles: 3}]}
  - {match: IMUL64rr, uops: 3, uses: [{resource: Zn4ALU1, acquire: 0, release: 2}]}
  - {match: VXORPSYrr, latency: 3}
YAML
"$cyclops" survey "${forms[@]}" --isa x86_64 --llvm 22 --target "sim:$T/true.yaml,noise=none" --output measured >/dev/null 2>&1 ||
    { echo "FAILED: survey"; exit 1; }
repair=("$cyclops" repair measured --slots --mcpu znver4 --llvm 22 --output fixed.yaml)
td=(--td X86/X86ScheduleZnver4.td)

expect 0 'fixed.diff: [0-9]+ statements? (is|are) edited, 4 InstRWs are new' one_line "${repair[@]}" "${td[@]}"
expect 0 "repair's numbers of 10 of 10 opcodes \(changed: 5\). Not expressed: 0" one_line "${repair[@]}" "${td[@]}"
# The class is edited, with an argument that was left out; its ports keep the file's name, its comment stays.
expect 0 '^\+defm : Zn4WriteResIntPair<WriteIMul64Reg, \[Zn4Multiplier\], 3, \[2\], 3>; // 64 bits\.$' cat fixed.diff
# Opcodes leave a list and a pattern; the read's cycles get a SchedRead of their own.
expect 0 '^\+def : InstRW<\[Zn4WriteListed\], \(instrs SUB64rr,$' cat fixed.diff
expect 0 '^\+def : InstRW<\[Zn4WriteFitted\], \(sub \(instregex "\^V\(ADD\|SUB\)P\(S\|D\)Yrr"\),$' cat fixed.diff
expect 0 '^\+ +\(instrs VADDPSYrr\)\)>;$' cat fixed.diff
expect 0 '^\+def Zn4Read3Early : SchedReadAdvance<3>;$' cat fixed.diff
expect 0 '^\+def Zn4WriteVADDPSYrr : SchedWriteRes<\[Zn4FPFAdd01\]> \{$' cat fixed.diff
# What operands choose is written again: the same predicate and choice, and another last one.
expect 0 '^\+def Zn4WriteVXORPSYrrByOperands : SchedWriteVariant<\[$' cat fixed.diff
expect 0 '^\+    SchedVar<MCSchedPredicate<CheckSameRegOperand<1, 2>>, \[Zn4WriteNothing\]>,$' cat fixed.diff
expect 0 '^\+    SchedVar<NoSchedPred, \[Zn4WriteVXORPSYrr\]>\]>;$' cat fixed.diff
expect 0 '^\+def : InstRW<\[Zn4WriteLogicOrNothing\], \(instrs VXORPDYrr\)>;$' cat fixed.diff
# The diff makes the whole file, and llvm-tblgen reads it. LLVM's file is not touched.
expect 0 '' "${repair[@]}" "${td[@]}" --td-output whole.td
same() { cmp "$1" "$2" && echo same; }
expect 0 same same X86/X86ScheduleZnver4.td "$here/td/X86/X86ScheduleZnver4.td"
cp -r X86 patched
(cd patched && patch -s -p1 <../fixed.diff) || { echo "FAILED: patch"; failures=$((failures + 1)); }
expect 0 same same patched/X86ScheduleZnver4.td whole.td
# A file that has the repair's numbers already; one with other numbers than LLVM's library, which stay.
cp whole.td X86/X86ScheduleZnver4.td
expect 0 'fixed.diff: 0 statements are edited, 0 InstRWs are new. .* 10 of 10' one_line "${repair[@]}" "${td[@]}"
sed 's/\[Zn4Multiplier\], 3,/[Zn4Multiplier], 5,/' "$here/td/X86/X86ScheduleZnver4.td" >X86/X86ScheduleZnver4.td
expect 0 'Not expressed: 1. not expressed: IMUL64rr: the file has other numbers than LLVM' one_line "${repair[@]}" "${td[@]}"
cp "$here/td/X86/X86ScheduleZnver4.td" X86/

# Nothing to change: no edit.
"$cyclops" survey "${forms[@]}" --isa x86_64 --llvm 22 --target "sim:znver4,noise=none" --output equal >/dev/null 2>&1
expect 0 'none.diff: 0 statements are edited, 0 InstRWs are new' one_line "$cyclops" repair equal --mcpu znver4 --llvm 22 --output none.yaml "${td[@]}"
expect 0 '^0$' bash -c 'wc -c <none.diff'

# A CPU that dispatches less: one number of the machine, and of the file.
cat >narrow.yaml <<'YAML'
overlay: 1
name: narrow
base: llvm
triple: x86_64-unknown-linux-gnu
cpu: znver4
machine:
  dispatch_width: 3
YAML
"$cyclops" survey MOV64rr MOV32rr VMOVAPSYrr VMOVAPSrr MOVAPSrr VMOVUPSYrr ADD64rr SUB64rr XOR64rr --isa x86_64 --llvm 22 \
    --target "sim:$T/narrow.yaml,noise=none" --output narrow >/dev/null 2>&1
expect 0 'Outside their intervals: [1-9][0-9]* before, 0 after' one_line "$cyclops" repair narrow --mcpu znver4 --llvm 22 --output narrow-fixed.yaml "${td[@]}"
expect 0 'narrow-fixed.yaml: 0 rules of classes, 0 of single forms, dispatch width 3' \
    one_line "$cyclops" repair narrow --mcpu znver4 --llvm 22 --output narrow-fixed.yaml "${td[@]}"
expect 0 '^  dispatch_width: 3$' cat narrow-fixed.yaml
expect 0 '^-  let IssueWidth = 6;$' cat narrow-fixed.diff
expect 0 '^\+  let IssueWidth = 3;$' cat narrow-fixed.diff
expect 0 '^2$' bash -c "grep -c '^[-+] ' narrow-fixed.diff"

# The width is that of the model's own statement, not of a comment or another model in front of it or in it.
narrow=("$cyclops" repair narrow --mcpu znver4 --llvm 22 --output narrow-fixed.yaml "${td[@]}")
file=$here/td/X86/X86ScheduleZnver4.td
{
    echo '// Zen 3 had let IssueWidth = 6;'
    echo 'def OtherModel : SchedMachineModel { let IssueWidth = 6; }'
    sed 's|^  let IssueWidth = 6;|  // } let IssueWidth = 6;\n  let IssueWidth = 6; // its own|' "$file"
} >X86/X86ScheduleZnver4.td
expect 0 'Not expressed: 6\. ' one_line "${narrow[@]}" # opcodes that are not in the toy
expect 0 '^-  let IssueWidth = 6; // its own$' cat narrow-fixed.diff
expect 0 '^\+  let IssueWidth = 3; // its own$' cat narrow-fixed.diff
expect 0 '^2$' bash -c "grep -c '^[-+] ' narrow-fixed.diff"
# A model without a width of its own: another's stays, and the repair says so.
{
    echo 'class Wide : SchedMachineModel { let IssueWidth = 6; }'
    sed '/^  let IssueWidth = 6;/d; s/^def Znver4Model : SchedMachineModel/def Znver4Model : Wide/' "$file"
    echo 'def OtherModel : SchedMachineModel { let IssueWidth = 6; }'
} >X86/X86ScheduleZnver4.td
expect 0 "Not expressed: 7\. .* not expressed: dispatch width: 'def Znver4Model' has no 'let IssueWidth' here" one_line "${narrow[@]}"
expect 0 '^0$' bash -c 'wc -c <narrow-fixed.diff'
cp "$file" X86/X86ScheduleZnver4.td

# The draft for reviewers; opcodes that the repair does not see.
expect 0 'fixed.yaml: [67] rules' "${repair[@]}" "${td[@]}" --review review.md
expect 0 '[|] IMUL64rr (slots|throughput) [|]' cat review.md
expect 0 'numbers are the repair.s for 10 of 10 opcodes' cat review.md
expect 0 'cyclops run --kernels measured/kernels --isa x86_64 --target sim:[^ ]*true.yaml,noise=none,seed=1 [A-Z]' cat review.md
# Its command gives this repair, of the options that were given.
others=(--llvm 22 --held-out 50 --td-output 'the edits.diff' --tblgen llvm-tblgen-22)
expect 0 '' "$cyclops" repair measured --mcpu znver4 --output held.yaml "${td[@]}" "${others[@]}" --review held.md
expect 0 "^    cyclops repair measured --mcpu znver4 --llvm 22 --held-out 50 --output held.yaml --td X86/X86ScheduleZnver4.td --td-output 'the edits.diff' --tblgen llvm-tblgen-22\$" cat held.md
expect 0 '^    cyclops check measured --mcpu held.yaml --llvm 22 --against znver4 --gap$' cat held.md
cp held.yaml before.yaml
again=$(sed -n 's/^    cyclops repair/"$cyclops" repair/p' held.md)
expect 0 '' eval "$again"
expect 0 same same held.yaml before.yaml
# A program that is named from here, by a path or by a relative folder of PATH: it is started in another folder.
mkdir tools
ln -s "$(command -v llvm-tblgen-22)" tools/my-tblgen
expect 0 'of 10 of 10 opcodes' one_line "${repair[@]}" "${td[@]}" --tblgen tools/my-tblgen
expect 0 'of 10 of 10 opcodes' one_line "${repair[@]}" "${td[@]}" --tblgen ./tools/my-tblgen
expect 0 'of 10 of 10 opcodes' one_line env PATH="tools:$PATH" "${repair[@]}" "${td[@]}" --tblgen my-tblgen
expect 77 "no program 'tools/'" "${repair[@]}" "${td[@]}" --tblgen tools/
expect 0 'Held out: [1-9][0-9]* values of opcodes that the repair did not see' one_line "${repair[@]}" --held-out 50

# Bad input.
expect 2 'at most 90' "${repair[@]}" --held-out 95
expect 2 'need --td' "${repair[@]}" --td-output x.diff
expect 2 'no-such.td: cannot be read' "${repair[@]}" --td no-such.td
cp X86/X86ScheduleZnver4.td alone.td
expect 2 "is not in a target's folder" "${repair[@]}" --td alone.td
expect 77 "no program 'no-tblgen'" "${repair[@]}" "${td[@]}" --tblgen no-tblgen
echo 'def Broken : SchedWriteRes<[NoSuchPort]>;' >>X86/X86ScheduleZnver4.td
expect 1 "llvm-tblgen does not accept 'X86ScheduleZnver4.td': .*error: " one_line "${repair[@]}" "${td[@]}"
finish
