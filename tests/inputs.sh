#!/usr/bin/env bash
# Forms in which people have code: regions of a text. Each broken variant has one message, with its place and what to
# do.  inputs.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
run() { "$cyclops" run --isa x86_64 --target sim:skylake,noise=none --form looped "$@"; }
# names COMMAND…: the rows' names and measured cycles, on one line.
names() { set -o pipefail; "$@" 2>&1 | sed -nE 's/^ +(\S+) .*looped +([0-9.]+).*/\1=\2/p' | tr '\n' ' '; }

# Regions: a row each, one by its name, each with its data.
printf '# LLVM-MCA-BEGIN one\nimul %%rax, %%rbx\n# LLVM-MCA-END one\nret\n# LLVM-MCA-BEGIN two\nadd %%rax, %%rbx\nadd %%rax, %%rbx\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN\nadd %%rax, %%rbx\n# LLVM-MCA-END\n' >"$T/three.s"
expect 0 '^.*three.s:one=3.00 .*three.s:two=2.00 .*three.s:9=1.00 $' names run "$T/three.s"
expect 0 '^.*three.s:two=2.00 $' names run --region two "$T/three.s"
expect 2 "three.s: there is no region 'tow' \(did you mean 'two'\?\); there are one, two" run --region tow "$T/three.s"
expect 2 'three.s:5: a second region begins here; a trace is of one: choose it with --region NAME' \
    "$cyclops" trace "$T/three.s"
{
    printf '.text\n# LLVM-MCA-BEGIN a\naddsd .LC0(%%rip), %%xmm0\n# LLVM-MCA-END\n'
    printf '# LLVM-MCA-BEGIN b\nimul (%%rdi), %%rax\n# LLVM-MCA-END\n.section .rodata\n.LC0: .double 1.5\n'
} >"$T/data.s"
expect 0 '^.*data.s:a=4.00 .*data.s:b=3.00 $' names run "$T/data.s"

# A wrong marker.
refused() { # MESSAGE TEXT
    printf "$2" >"$T/wrong.s"
    expect 2 "error: .*$1" run "$T/wrong.s"
    expect 0 '^1$' bash -c "'$cyclops' run --isa x86_64 --target sim:skylake '$T/wrong.s' 2>&1 | grep -c error"
}
refused 'wrong.s:2:1: this region has no end: put LLVM-MCA-END behind its code' 'nop\n# LLVM-MCA-BEGIN\nnop\n'
refused 'wrong.s:4:1: found an invalid region end directive: .* end it once' \
    '# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-END\n# LLVM-MCA-END\n'
refused 'wrong.s:3:1: overlapping regions cannot have the same name: .* in line 1' \
    '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-BEGIN a\n# LLVM-MCA-END a\n'
refused 'wrong.s:1:1: unknown annotation LLVM-EXEGESIS-DEFREGS .did you mean .DEFREG' \
    '# LLVM-EXEGESIS-DEFREGS RCX 7\nnop\n'
refused 'wrong.s:2:1: unknown marker LLVM-MCA-STRAT' 'nop\n# LLVM-MCA-STRAT\n'
finish
