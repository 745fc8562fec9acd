#!/usr/bin/env bash
# Loops with their own branch: written in each way, measured by exactly their bytes, and refused or explained where nothing
# ends them.  loops.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the blocks are x86-64's"

# A compiler's text, with the markers around the label, behind it, and without them.
cat >"$T/before.s" <<'EOF'
        xorl %eax, %eax
        .p2align 4,,10
        .p2align 3
.L3:
# LLVM-MCA-BEGIN
        movsd (%rdi,%rax,8), %xmm1
        mulsd (%rsi,%rax,8), %xmm1
        addq $1, %rax
        addsd %xmm1, %xmm0
        cmpq %rax, %rdx
        jne .L3
# LLVM-MCA-END
        ret
EOF
sed '/^\.L3:/d; s/^# LLVM-MCA-BEGIN/&\n.L3:/' "$T/before.s" >"$T/behind.s"
sed '/LLVM-MCA/d; 1d' "$T/before.s" | sed '/ret/d' >"$T/plain.s"
as "$T/before.s" -o "$T/before.o" || exit 1
bytes=f20f100cc7f20f590cc64883c001f20f58c14839c275e9

sim() { "$cyclops" run --target sim:znver4 --mcpu znver4 --json "$@"; }
# The looped form is these bytes and no others; the unrolled form lacks the branch. Both take the additions' three cycles,
# as the same bytes do for `mca`.
for way in "$T/before.s" "$T/behind.s" "$T/plain.s" "$T/before.o --start 8 --end 1f" "--hex $bytes"; do
    sim $way >"$T/run"
    expect 0 "^looped $bytes 6 3 unrolled ${bytes%75e9} 5 3\$" jq -rs '[.[] | select(.record == "measurement")] |
        sort_by(.form) | map("\(.form) \(.bytes) \(.instructions) \(.cycles * 100 | round / 100)") | join(" ")' "$T/run"
    expect 0 '^true$' jq -rs '[.[] | select(.record == "measurement") | (.cycles - .predicted[0].cycles) | fabs < 0.02] | all' "$T/run"
done
expect 0 ', no branch' sim "$T/before.s" --form unrolled

# A way out leads to the block's end, forwards and backwards, also where its label is outside of the text or its target
# outside of the bytes: it is never taken here.
for asm in '.L3: imul rax, rdx; je .Lend; dec ecx; jne .L3' '.L3: imul rax, rdx; ja .Ltop; dec ecx; jne .L3'; do
    sim --form looped --asm "$asm" >"$T/run"
    expect 0 '^3 3$' jq -rs '.[] | select(.record == "measurement") | "\(.cycles | round) \(.predicted[0].cycles | round)"' "$T/run"
done
for hex in 480fafc27410ffc975f6 480fafc277f0ffc975f6 480fafc20f8410ff0000ffc975f2; do
    expect 0 '^3$' bash -c "'$cyclops' run --target sim:znver4 --mcpu znver4 --form looped --json --hex $hex |
        jq -rs '.[] | select(.record == \"measurement\") | .cycles | round'"
done
expect 2 'instruction 1 `jmp 1` goes into the middle of an instruction' sim --hex eb01ff75fd
expect 2 'instruction 1 `call 995` calls what is outside the block' sim --hex e8e3030000

# So does an entry of a jump table that leads out of the loop: where the data take it, the message names it.
cat >"$T/table.s" <<'EOF'
        .globl run
        .type run, @function
run:    xorl %eax, %eax
# LLVM-MCA-BEGIN
1:      movzbl (%rdi), %eax
        andl $1, %eax
        jmp *table(,%rax,8)
.Lin:   imulq %rdx, %rdx
        addq $1, %rdi
        cmpq %rdi, %rsi
        jne 1b
# LLVM-MCA-END
        ret
.Lout:  subq $1, %rdx
        jmp .Lin
        .size run, . - run
        .globl _start
_start: ret
        .section .rodata
        .balign 8
table:  .quad .Lin, .Lout
EOF
# The same where code before the loop has put the table's address into a register.
sed 's/xorl %eax, %eax/leaq table(%rip), %r8/
     s/jmp \*table.*/movslq (%r8,%rax,4), %rax; addq %r8, %rax; jmp *%rax/
     s/\.quad .*/.long .Lin - table, .Lout - table/' "$T/table.s" >"$T/held.s"
# ways_out NAME START END OUT REGISTERS: of the loop between offsets of the function `run`; OUT: where the entry leads
ways_out() {
    as "$T/$1.s" -o "$T/$1.o" && ld -no-pie "$T/$1.o" -o "$T/$1" || exit 1
    local start=0x$(nm "$T/$1" | awk '$3 == "run" { print $1 }') way fill
    for way in "$T/$1.s" "$T/$1.o --start $(printf %x "$2") --end $(printf %x "$3")" \
        "$T/$1 --start $(printf %x $((start + $2))) --end $(printf %x $((start + $3)))"; do
        for fill in 0 1; do
            "$cyclops" run --mcpu none --attempt 2 --budget 0 --form looped --alias disjoint --fill $fill --json $way \
                >"$T/run" 2>"$T/why"
            expect 0 "^true $([ $fill = 1 ] && echo 'left its loop early' || echo null) $5\$" jq -r \
                'select(.record == "measurement") |
                    "\(.block.own_branch) \(.outcome) \((.block.set // "=") | split("=")[0])"' "$T/run"
            [ $fill = 0 ] || expect 0 "its jump table leads out of it, as to run.$4: give the whole function" \
                one_line cat "$T/why"
        done
    done
}
ways_out table 2 28 0x1d ""
ways_out held 7 35 0x24 r8

# A way out keeps its length, so that the branches around it still go where they went: where it is longer than it would
# have to be, and where its short form does not reach the block's end.
cat >"$T/out.s" <<'EOF'
.Lout:  ret
short:  movl $5, %ecx
1:      leaq (%rax,%rdx), %rax
        js .Lout
        .rept 60
        nopl (%rax)
        .endr
        decl %ecx
        jne 1b
EOF
as "$T/out.s" -o "$T/out.o" || exit 1
for way in '--hex b905000000488d04100f8810ff0000ffc975f2' "$T/out.o --start 1"; do
    "$cyclops" try --alias disjoint --json $way >"$T/run"
    expect 0 '^0x2324000 0xd384800 0x0$' jq -r '"0x2324000 \(.registers.rax) \(.registers.rcx)"' "$T/run"
done

# On this CPU: any value will do, as it needs no quiet. A block that fails costs no other one its value.
run() { "$cyclops" run --mcpu none --attempt 2 --budget 0 "$@"; }
predict() { "$cyclops" run --mcpu znver4 --attempt 2 --budget 0 "$@"; }
run --form looped --json --asm '1: add rdi, 8; cmp rdi, rsi; jne 1b' --asm '1: jmp 1b' \
    --asm '1: mov [rax], rax; add rax, 4096; jmp 1b' --asm '1: test rax, rax; jne 2f; dec ecx; jne 1b; 2:' \
    --asm '1: mov edx, 5; 2: imul rax, rsi; dec edx; jne 2b; add rdi, 8; cmp rdi, rcx; jb 1b' >"$T/run" 2>"$T/why"
expect 0 '^null time-out too many pages left its loop early null$' jq -rs '[.[] | select(.record == "measurement") |
    "\(.outcome)"] | join(" ")' "$T/run"
expect 0 'jmp 1b: time-out; nothing ends it: `jmp -2` always goes back' one_line cat "$T/why"
expect 0 'too many pages: .*; nothing ends it' one_line cat "$T/why"
# After 53 turns it leaves by another way: so few are no value.
expect 1 'left its loop early; .* a way out comes first' \
    run --form looped --alias disjoint --asm '1: shl rdx; je 2f; add rdi, 8; cmp rdi, rsi; jne 1b; 2:'
expect 1 'time-out; a pass takes too long: give its loops fewer turns' one_line \
    run --form looped --asm 'mov ecx, 4000000000; 1: dec ecx; jne 1b'
# A loop that walks is named, and the error is there once, though the block is tried with both kinds of registers.
run --asm '1: mov [rax], rcx; mov rdx, [rbx]; add rax, 4096; jmp 1b' 2>"$T/why" >/dev/null
expect 0 'too many pages: .*; the loop of instructions 1 to 4 walked there' one_line cat "$T/why"
expect 0 '^1$' grep -c 'too many pages' "$T/why"

# The record says that a loop ran by its own branch, and of what the prediction is.
predict --form looped --json --hex 4883c7084839f775f7 --alias disjoint >"$T/run"
expect 0 '^null true 1 turn$' jq -r 'select(.record == "measurement") |
    "\(.outcome) \(.block.own_branch) \(.block.turns) \(.predicted[0].of)"' "$T/run"
predict --form looped --json --asm '1: imul rax, rdx; dec ecx; jne 1b' --set rcx=100 --alias disjoint >"$T/run"
expect 0 '^null null 100 run$' jq -r 'select(.record == "measurement") |
    "\(.outcome) \(.block.own_branch) \(.block.turns) \(.predicted[0].of)"' "$T/run"

# A pointer that comes from a vector register is an address.
run --form looped --alias disjoint --json \
    --asm '1: movq rbx, xmm12; mov rax, [rbx]; add rbx, 64; movq xmm12, rbx; dec ecx; jne 1b' >"$T/run"
expect 0 '^null xmm12=0x' jq -r 'select(.record == "measurement") | "\(.outcome) \(.block.set)"' "$T/run"

# A pass through a loop that counts nothing is what is measured, and that is said.
expect 0 'an iteration is a pass through its loop, not a turn, as no register counts its turns' one_line \
    run --form looped --asm '1: movzx eax, byte ptr [rdi]; add rdi, 1; test al, al; jne 1b'

# Where the user gives the register that decides the turns, a pass of these turns is measured, in both forms: an
# instruction for each such register, then the turns, and looped a count and a branch.
without_value=
passes() { # INSTRUCTIONS OPTION…
    # A busy host may leave a form without a value: that says nothing about passes.
    for _ in 1 2 3; do
        predict --alias disjoint --json "${@:2}" >"$T/run" 2>"$T/why"
        [ "$(grep -c '"cycles_per_instruction":[0-9]' "$T/run")" = 2 ] && break
    done
    grep -qE '"cycles_per_instruction":[0-9]|"outcome":"' "$T/run" || { without_value="$without_value $1"; return; }
    expect 0 '^true( true)?$' jq -rs --argjson n "$1" '[.[] | select(.record == "measurement" and .cycles_per_instruction) |
        (.cycles / .cycles_per_instruction - ($n + (if .form == "looped" then 2 else 0 end)) | fabs) < 1] | join(" ")' "$T/run"
}
passes 301 --asm '1: imul rax, rdx; dec ecx; jne 1b' --set rcx=100
expect 0 'not a turn, as rcx is given, which decides its turns: 100 in each pass' one_line cat "$T/why"
expect 1 'time-out; rcx is given, which decides its turns: 1000000000 in each pass; give it fewer' one_line \
    run --form looped --asm '1: imul rax, rdx; dec ecx; jne 1b' --set rcx=1000000000
expect 1 'time-out; rcx is given, which decides its turns, and 8 begins no number of turns: 3 is for one, 6 for two' one_line \
    run --form looped --asm '1: imul rax, rdx; sub rcx, 3; jne 1b' --set rcx=8
passes 32 --hex 4883c7084839f775f7 --set rdi=0x2324000,rsi=0x2324050
expect 0 'as rsi is given, which decides its turns: 10 in each pass' one_line cat "$T/why"
passes 22 --asm '1: add rax, 1; cmp rax, 9; jl 1b' --set rax=2
expect 2 'rsi is given, which decides its turns, and rdi is not, from which it counts: give both, or none' one_line \
    run --asm '1: add rdi, 8; cmp rdi, rsi; jne 1b' --set rsi=0x2324050
expect 0 '^0x7$' bash -c "'$cyclops' try --alias disjoint --json --asm '1: inc rax; dec ecx; jne 1b' --set rcx=7,rax=0 | jq -r .registers.rax"
# Where nothing counts, and the loop ends by what the user gave, also by a vector register: each pass begins with it.
run --form looped --alias disjoint --json --set xmm0=0x2324000,mem[rsp-8]=0x2324400 \
    --asm '1: movq rax, xmm0; add rax, 64; movq xmm0, rax; cmp [rsp-8], rax; jne 1b' >"$T/run" 2>"$T/why"
expect 0 'goes back depends on what it computes; each pass begins with what --set gives' one_line cat "$T/why"
expect 0 '^null null$' jq -r 'select(.record == "measurement") | "\(.outcome) \(.block.own_branch)"' "$T/run"
# A simulated CPU follows no branch, which is said.
expect 0 'as rcx is given, which decides its turns.*a simulated CPU follows no branch: this is one pass through the text' one_line \
    "$cyclops" run --target sim:znver4 --mcpu znver4 --asm '1: imul rax, rdx; dec ecx; jne 1b' --set rcx=100

# Functions are called, and return: twice, or by a jump out of them. They begin with the same arguments each time, in the
# order of the calling convention; and those that they call come along.
cat >"$T/functions.s" <<'EOF'
        .type sum, @function
sum:    xorl %eax, %eax
        cmpq %rsi, %rdi
        je .L4
.L3:    addq (%rdi), %rax
        addq $8, %rdi
        cmpq %rdi, %rsi
        jne .L3
        ret
.L4:    ret
        .size sum, .-sum
        .type sign, @function
sign:   testq %rdi, %rdi
        js .Lless
        imulq %rdi, %rdi
        movq %rdi, %rax
        ret
.Lless: movl $-1, %eax
        ret
        .size sign, .-sign
EOF
as "$T/functions.s" -o "$T/functions.o" || exit 1
turns=$((0x11400 / 8))
run --form looped --alias disjoint --json "$T/functions.o" --asm 'call 1f; call 1f; ret; 1: imul rdi, rdi; ret' \
    --asm 'test rdi, rdi; jns away; ret' >"$T/run"
expect 0 '^null null null null$' jq -rs '[.[] | select(.record == "measurement") | "\(.outcome)"] | join(" ")' "$T/run"
predict --form both --alias disjoint --json "$T/functions.o" --symbol sum >"$T/run"
# Three instructions before the loop, four a turn, the return, the call, the argument; looped, a count and a branch.
expect 0 "^true\$" jq -s --argjson n "$turns" '[.[] | select(.record == "measurement" and .cycles_per_instruction) |
    (.cycles / .cycles_per_instruction - (4 * $n + 6 + (if .form == "looped" then 2 else 0 end)) | fabs) < 1] | all' "$T/run"

# A function may end by a jump into another one, also a short jump, or go to a cold part of itself and come back. Each call
# begins with the same arguments, although the other one changes them: without, the second would turn for ever.
cat >"$T/tails.s" <<'EOF'
        .globl outer, work
        .type outer, @function
outer:  testq %rdi, %rdi
        je .Lcold
.Lback: addq $1, %rdi
        jmp work
        .size outer, .-outer
        .type work, @function
work:   movq %rdi, %rax
1:      imulq %rdi, %rax
        subq $1, %rsi
        jne 1b
        ret
        .size work, .-work
        .section .text.unlikely, "ax"
        .type outer.cold, @function
.Lcold: movl $2, %edi
        jmp .Lback
        .size outer.cold, .-.Lcold
EOF
as "$T/tails.s" -o "$T/tails.o" && ld -Ttext=0x401000 --section-start=.text.unlikely=0x402000 -e outer "$T/tails.o" -o "$T/tails" &&
    ld -shared -Bsymbolic "$T/tails.o" -o "$T/tails.so" || exit 1
for file in tails.o tails tails.so; do
    expect 0 '^0x10$' bash -c "'$cyclops' try --json '$T/$file' --symbol outer --set rdi=1,rsi=3 | jq -r .registers.rax"
    expect 0 '^0x51$' bash -c "'$cyclops' try --json '$T/$file' --symbol outer --set rdi=0,rsi=3 | jq -r .registers.rax"
    run --form looped --json "$T/$file" --symbol outer --set rdi=1,rsi=64 >"$T/run"
    expect 0 '^null$' jq -r 'select(.record == "measurement") | .outcome' "$T/run"
    expect 0 '^true$' jq -s '[.[] | select(.record == "measurement" and .cycles) | .cycles > 15] | all' "$T/run"
done

# A region in the middle of a function, as gcc writes it: its early way out is no jump to another function.
cat >"$T/early.s" <<'EOF'
	.text
	.type find, @function
find:
	testq %rsi, %rsi
	jle .L4
# LLVM-MCA-BEGIN
.L3:
	movsbl (%rdi), %ecx
	cmpl %edx, %ecx
	je .L1
	addq $1, %rdi
	cmpq %rsi, %rdi
	jne .L3
# LLVM-MCA-END
.L4:
	xorl %edi, %edi
.L1:
	movq %rdi, %rax
	ret
	.size find, .-find
EOF
run --form looped --json "$T/early.s" >"$T/run"
expect 0 '^null true$' jq -r 'select(.record == "measurement") | "\(.outcome) \(.block.own_branch)"' "$T/run"

# A path that was short is said.
expect 0 '4 of 8 instructions ran; the loop at 0x8 did not' one_line predict --form looped \
    --asm 'xor eax, eax; cmp rax, 7; jne 2f; 1: imul rdx, rdi; add rax, 1; cmp rax, rsi; jne 1b; 2: ret'

# So it is without a model, and in the record.
short='xor eax, eax; cmp rax, 7; jne 2f; 1: imul rdx, rdi; add rax, 1; cmp rax, rsi; jne 1b; 2: ret'
run --form looped --json --asm "$short" >"$T/run"
expect 0 '^4 8 8$' jq -r 'select(.record == "measurement" and .outcome == null) | .block.path |
    "\(.ran) \(.instructions) \(.idle_loop)"' "$T/run"

# Code behind the return that jumps to the function's end is no loop.
one_line predict --form looped \
    --asm 'test rdi, rdi; je 2f; imul rdx, rdi; 1: mov rax, rdx; ret; 2: xor edx, edx; jmp 1b' >"$T/cold"
grep -q 'predicted along the branches' "$T/cold" && ! grep -q 'the loop at' "$T/cold" ||
    { echo "FAILED: cold code is no loop: $(cat "$T/cold")"; failures=$((failures + 1)); }

# A function that the loop calls and that leaves the count alone: the loop is measured by its own branch. One that changes
# it is named. The function's multiplications are a chain.
{
    printf '.intel_syntax noprefix\n.text\n.type f,@function\nf: test edi, 1\njz 1f\nimul rax, rax\nret\n'
    printf '1: imul rax, rax\nimul rax, rax\nimul rax, rax\nret\n.size f,.-f\n'
    printf '.type g,@function\ng: dec rcx\nret\n.size g,.-g\n'
    printf '.globl loops\n.type loops,@function\nloops: nop\n# LLVM-MCA-BEGIN plain\n2: mov edi, 4\ncall f\n'
    printf 'dec rcx\njnz 2b\n# LLVM-MCA-END plain\nret\n.size loops,.-loops\n'
    printf '# LLVM-MCA-BEGIN counting\n3: call g\ndec rcx\njnz 3b\n# LLVM-MCA-END counting\nret\n.data\n.quad 1\n'
} >"$T/calls.s"
run --form looped --region plain --json "$T/calls.s" >"$T/run"
expect 0 '^true$' jq -rs '[.[] | select(.record == "measurement") | .block.own_branch] | length > 0 and all' "$T/run"
expect 0 '^true$' jq -rs '[.[] | select(.record == "measurement") | .outcome == null and (.cycles == null or .cycles > 8)] | all' \
    "$T/run"
"$cyclops" run --mcpu none --attempt 2 --budget 0 --form looped --region counting "$T/calls.s" >"$T/run" 2>&1
expect 0 'no register counts its turns, as far as is known of what `call' cat "$T/run"

# A short pass with a loop inside is measured in other layouts, too: an object's in all, a program's with other callers.
if [ "$(uname -m)" = x86_64 ]; then
    printf 'int data[8]; int sum(void) { int s = 0; for (int i = 0; i < 8; i++) s += data[i]; return s; }\n' >"$T/short.c"
    printf 'int one(void) { return data[0]; } int main(void) { return sum() + one(); }\n' >>"$T/short.c"
    gcc -O1 -fno-tree-vectorize -fno-unroll-loops -c "$T/short.c" -o "$T/short.o" && gcc "$T/short.o" -o "$T/short" || exit 1
    # layouts FILE SYMBOL N: an unstable value has none
    layouts() {
        "$cyclops" run "$1" --symbol "$2" --mcpu none --form looped --json >"$T/run" 2>&1
        expect 0 '^true$' jq -rs --argjson n "$3" '[.[] | select(.record == "measurement") |
            ((.replicates // []) | length) as $found | $found == $n or ($found == 0 and .verdict != "exact" and
            .verdict != "within")] | length > 0 and all' "$T/run"
    }
    layouts "$T/short.o" sum 5
    layouts "$T/short" sum 2
    layouts "$T/short.o" one 0
fi

# emulated ISA QEMU ASM…: the runner proves the turns of each loop by the register that counts them.
emulated() {
    local isa=$1 qemu=$2
    shift 2
    [ -e "$build/lib/cyclops/runner-$isa" ] && command -v ${qemu%% *} >/dev/null || return
    "$cyclops" bundle --isa "$isa" --form looped "${@/#/--asm=}" --output "$T/$isa" || failures=$((failures + 1))
    emulate "$T/$isa.jsonl" $qemu "$T/$isa"
    expect 0 '^null null null left its loop early$' jq -rs '[.[] | select(.record == "measurement") | "\(.outcome)"] |
        join(" ")' "$T/$isa.jsonl"
}
emulated aarch64 "qemu-aarch64 -cpu max" '1: ldr x2, [x0], #8; add x3, x3, x2; cmp x0, x1; b.ne 1b' \
    '1: add x5, x5, x6; cbz x5, out; subs w3, w3, #1; b.ne 1b' '1: add x0, x0, #1; cmp x0, x1; b.lo 1b' \
    '1: cbnz x5, out; subs w3, w3, #1; b.ne 1b'
emulated riscv64 "qemu-riscv64 -cpu rv64" '1: ld a2, 0(a0); addi a0, a0, 8; bne a0, a1, 1b' \
    '1: add a6, a6, a7; bltz a6, out; addi a5, a5, -1; bnez a5, 1b' '1: addiw a4, a4, 1; blt a4, a5, 1b' \
    '1: bnez a6, out; addi a5, a5, -1; bnez a5, 1b'
[ -z "$without_value" ] || skip "others disturbed all rounds of passes of so many instructions:$without_value"
finish
