#!/usr/bin/env bash
# Inputs of `cyclops mca` beyond llvm-mca's: machine code as hexadecimal digits, objects, several files; --brief and
# --trace.  mca-input.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
mca() { "$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu=skylake "$@"; }
of_text() { printf '%b' "$1" | mca "${@:2}" -; }
same() { cmp "$1" "$2" && echo same; }

# As hexadecimal digits, as text and as an object: one prediction.
printf 'imul %%rax, %%rbx\nadd %%rbx, %%rcx\n' >"$T/block.s"
printf '480fafd8,0.5,anything\n4801d9\n' >"$T/two.hex"
printf '480fafd84801d9\n' >"$T/block.hex"
mca "$T/block.s" >"$T/text"
mca --hex "$T/block.hex" | sed 1,3d >"$T/hex"
expect 0 same same "$T/text" "$T/hex"
expect 0 '^3\.040 304 200 200$' mca --brief "$T/block.s"
expect 0 '^3\.040 304 200 200$' mca --hex --brief "$T/block.hex"
expect 0 '^3\.030 303 100 100 1\.030 103 100 100 $' bash -c "'$cyclops' mca -mtriple=x86_64 -mcpu=skylake --hex --brief '$T/two.hex' | tr '\n' ' '"
# By a CPU file, what comes first is the steady state, as in its report and in explain.
expect 0 '^3\.000 30[0-9] 100 100 1\.000 10[0-9] 100 100 $' bash -c "'$cyclops' mca --mcpu core:skylake --hex --brief '$T/two.hex' | tr '\n' ' '"
expect 0 'Code Region - .*two.hex:2' mca --hex "$T/two.hex"
expect 0 'Code Region - <stdin>:1' bash -c "printf 4801D9 | '$cyclops' mca -mtriple=x86_64 -mcpu=skylake --hex"
expect 0 '^2$' bash -c "'$cyclops' mca -mtriple=x86_64 -mcpu=skylake --json --hex '$T/two.hex' | jq '.CodeRegions | length'"

# Each wrong line is told in its place; the others are done.
printf '4801d9\nhex\n4801d\n0f0fff\n\n4801d9\n' >"$T/wrong.hex"
mca --hex --brief -iterations=1 "$T/wrong.hex" -o "$T/brief"
expect 0 '^1$' echo $?
expect 0 '^4.000 4 1 1,error .*wrong.hex:2:1: .*,error .*wrong.hex:3:5: .*,error .*wrong.hex:4: .*,4.000 4 1 1,$' \
    bash -c "tr '\n' , <'$T/brief'"
expect 1 'cyclops: error: .*wrong.hex:2:1: ' mca --hex "$T/wrong.hex"
expect 1 'nowhere' mca --hex --brief "$T/nowhere"

# Objects: functions, a symbol without size, sections, addresses.
printf '.text\n.globl f\n.type f,@function\nf: imul %%rax,%%rbx\n ret\n.size f,.-f\ng: add %%rbx,%%rcx\n .section .text.cold,"ax"\n nop\n' >"$T/object.s"
if [ "$(uname -m)" = x86_64 ] && as "$T/object.s" -o "$T/object.o"; then
    expect 0 '^[0-9.]+ [0-9]+ 200 [0-9]+ f$' mca --brief "$T/object.o"
    expect 0 '^1\.030 103 100 100 g$' mca --brief --symbol=g "$T/object.o"
    expect 0 ' 300 [0-9]+ .text$' mca --brief --section .text "$T/object.o"
    expect 0 ' .text.cold$' mca --brief --section .text.cold "$T/object.o"
    expect 0 '^1\.030 103 100 100 .text\+0x5$' mca --brief --start 5 --end 0x8 "$T/object.o"
    expect 0 'Code Region - f' mca "$T/object.o"
    # Addresses are hexadecimal, as objdump -d shows them.
    printf '.skip 16,0x90\n imul %%rax,%%rbx\n' | as - -o "$T/later.o"
    expect 0 ' 100 [0-9]+ .text\+0x10$' mca --brief --start 10 --end 14 "$T/later.o"
    expect 0 ' 100 [0-9]+ .text\+0xf$' mca --brief --start f --end 0x10 "$T/later.o"
    expect 2 '.text\+0x10: no instruction' "$cyclops" run --isa x86_64 --target sim:skylake --start 10 --end 12 "$T/later.o"
    expect 1 "no symbol 'ff' \(did you mean 'f'" mca --symbol=ff "$T/object.o"
    expect 1 "no section '.data'" mca --section=.data "$T/object.o"
    expect 1 'no code section holds the addresses from 0x5 to 0x99' mca --start=0x5 --end=0x99 "$T/object.o"
    expect 1 "takes a hexadecimal address such as 0x1130, not 'x'" mca --start=x "$T/object.o"
    expect 1 'not code for aarch64.*give -mtriple=x86_64' "$cyclops" mca -mtriple=aarch64 -mcpu=cortex-a55 "$T/object.o"
    head -c 100 "$T/object.o" >"$T/cut.o"
    expect 1 'cut.o: this ELF file is cut off behind 100 bytes: copy or build it once more' mca "$T/cut.o"
    head -c 10 "$T/object.o" >"$T/cut.o"
    expect 1 'cut.o: this ELF file cannot be read: it is cut off or damaged: copy or build it once more' mca "$T/cut.o"
    expect 0 'Code Region - f' bash -c "'$cyclops' mca -mtriple=x86_64 -mcpu=skylake <'$T/object.o'"
    # Several files are one report.
    expect 0 '^3$' bash -c "'$cyclops' mca -mtriple=x86_64 -mcpu=skylake '$T/block.s' '$T/object.o' '$T/block.s' | grep -c '^Iterations'"
fi
expect 1 'block.s: this is not an ELF object' mca --symbol=f "$T/block.s"

# Where llvm-mca 19.1 crashes: groups of pipes that overlap in part (LLVM's issue 108157), and an instruction that its
# parser makes without its last operand. The first is simulated, also without skipping what repeats; the other is refused.
printf 'vpconflictd %%zmm3, %%zmm0\nkxnorw %%k1, %%k1, %%k1\nvpxord %%zmm1, %%zmm1, %%zmm1\n' >"$T/overlap.s"
for cpu in znver4 znver5; do
    "$cyclops" mca -mtriple=x86_64 -mcpu=$cpu -all-views -iterations=500 "$T/overlap.s" >"$T/skipped"
    "$cyclops" mca -mtriple=x86_64 -mcpu=$cpu -all-views -iterations=500 -walk-all "$T/overlap.s" >"$T/walked"
    expect 0 same same "$T/skipped" "$T/walked"
    expect 0 '^Instructions: +1500$' cat "$T/skipped"
done
expect 1 'decode to too few operands' bash -c "echo 'buffer_load_dword v0, off, s[0:3], 0' | '$cyclops' mca -mtriple=amdgcn -mcpu=gfx900"

# Intel's syntax without its directive: a hint behind LLVM's errors, a warning where AT&T's syntax takes it for something
# else, and none where it makes no difference or AT&T's is meant.
expect 1 "^cyclops: note: this is Intel's syntax: begin it with '.intel_syntax noprefix'$" of_text 'imul rax, rbx\nadd rbx, [rdi]\n'
expect 1 "^cyclops: note: this is Intel's syntax" of_text 'imul rax, rbx\n' --brief
expect 0 "^cyclops: warning: <stdin>: a register without '%' is a place in memory here" of_text 'push rax\npop rbx\n'
for text in 'nop\n' 'jmp foo\n' 'push foo\n' 'push %rax\n' '.att_syntax\npush rax\n' '.intel_syntax noprefix\npush rax\n' 'frob rax\n'; do
    of_text "$text" >"$T/said" 2>&1
    expect 1 '^0$' grep -c "Intel" "$T/said"
done

# What does not parse has its line and a caret below, as llvm-mca prints them; with --brief, it stays one line.
printf 'nop\n  imulq %%xx, %%rax\n' >"$T/caret.s"
mca "$T/caret.s" >"$T/said" 2>&1
expect 0 '^cyclops: error: .*caret.s:2:9: invalid register name,  imulq %xx, %rax,        \^~~,cyclops: error: Assembly' \
    bash -c "tr '\n' , <'$T/said'"
expect 0 '^1$' bash -c "'$cyclops' mca -mtriple=x86_64 -mcpu=skylake --brief '$T/caret.s' | wc -l"

# Another ISA without -mcpu has LLVM's generic CPU, and a note; a CPU that is asked for has none.
foreign=aarch64
case $(uname -m) in aarch64) foreign=x86_64 ;; esac
printf 'nop\n' >"$T/nop.s"
expect 0 "note: no -mcpu: this is the model of LLVM's CPU 'generic' of $foreign" "$cyclops" mca -mtriple=$foreign-linux-gnu "$T/nop.s"
"$cyclops" mca -mtriple=$foreign-linux-gnu "$T/nop.s" >"$T/without" 2>/dev/null
"$cyclops" mca -mtriple=$foreign-linux-gnu -mcpu=generic "$T/nop.s" >"$T/with" 2>"$T/said"
expect 0 same same "$T/without" "$T/with"
expect 0 '^0$' bash -c "wc -c <'$T/said'"

# Traces.
expect 0 'Total Cycles: +304' mca "--trace=konata:$T/log" "$T/block.s"
expect 0 '^Kanata.0004$' head -1 "$T/log"
expect 0 '^200$' grep -c '^R' "$T/log"
expect 0 'Total Cycles: +304' mca --trace "perfetto:$T/json" "$T/block.s"
expect 0 '^[1-9][0-9]*$' jq '[.traceEvents[] | select(.ph == "X" and .pid == 1)] | length' "$T/json"
expect 1 "takes konata or perfetto" mca --trace=chrome "$T/block.s"

# As llvm-mca: a region that the model does not describe costs itself and those behind it, not those before.
printf '# LLVM-MCA-BEGIN a\nimulq %%rax, %%rbx\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nvfmadd231ps %%zmm0, %%zmm1, %%zmm2\n# LLVM-MCA-END\n' >"$T/regions.s"
expect 1 '^\[0\] Code Region - a$' mca -mcpu=btver2 "$T/regions.s"
expect 1 'found an unsupported instruction' mca -mcpu=btver2 "$T/regions.s"
expect 1 'leave out --trace' mca --brief --trace=konata "$T/block.s"
expect 1 'Is a directory' mca --hex --brief "$T"
finish
