#!/usr/bin/env bash
# Branches: recorded from a run, followed in a simulation, and equal to what is unrolled by hand.  branches.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the block is x86-64's"

cat >"$T/loop.s" <<'END'
.intel_syntax noprefix
    mov ecx, 3
again:
    imul rax, rdx
    test cl, 1
    jz even
    add rax, rdx
even:
    dec ecx
    jnz again
END
body='imul rax, rdx; test cl, 1; jz even;' tail='dec ecx; jnz again;'
echo ".intel_syntax noprefix; mov ecx, 3; $body add rax, rdx; $tail $body $tail $body add rax, rdx; $tail" >"$T/by-hand.s"

"$cyclops" trace "$T/loop.s" >"$T/trace" 2>"$T/why"
[ $? = 77 ] && skip "$(tail -n 1 "$T/why")"
expect 0 '^\(ENTRY, again, FALLTHROUGH, even, again, even, again, FALLTHROUGH, even\)$' cat "$T/trace"
"$cyclops" mca -mcpu=znver4 -all-views --branch-trace="$T/trace" "$T/loop.s" >"$T/followed"
"$cyclops" mca -mcpu=znver4 -all-views "$T/by-hand.s" >"$T/unrolled"
expect 0 same bash -c "cmp '$T/followed' '$T/unrolled' && echo same"

# An instruction that repeats itself is no loop.
printf 'mov ecx, 5\nrep stosb\ndec edx\njnz over\nnop\nover: nop\n' >"$T/repeat.s"
expect 0 '^\(ENTRY, over\)$' "$cyclops" trace "$T/repeat.s"

# A region in AT&T's syntax, among data.
printf '.text\nnop\n# LLVM-MCA-BEGIN\n.L1: addl v(%%rip), %%eax\n.p2align 4\ntest $1, %%cl\njz .L2\nnop\n.L2: nop\n# LLVM-MCA-END\n.data\nv: .long 0\n' >"$T/region.s"
expect 0 '^\(.L1, .L2\)$' "$cyclops" trace "$T/region.s"

# How many cycles are measured does not matter below: no more time goes into that than must.
run() { "$cyclops" run --attempt 20 --budget 0 "$@"; }

# `run` predicts along the recorded way: three multiplications in a chain, and two additions.
run --mcpu znver4 --form looped --json "$T/loop.s" >"$T/run"
expect 0 true jq -e 'select(.record == "measurement").predicted[0].cycles | . > 10.9 and . < 11.1' "$T/run"

# Loops inside a block are followed however many turns they take, in both forms: multiplications in a chain, so the time is
# known. Each iteration executes 3 instructions a turn, 1 before, and its share of the 2 that end the line of copies.
for turns in 2 16 1000; do
    run --mcpu znver4 --form both --json --asm "mov ecx, $turns; 1: imul rax, rdx; dec ecx; jnz 1b" >"$T/run"
    expect 0 '^true true$' bash -c "jq -rs --argjson n $turns '
        [.[] | select(.record == \"measurement\") | .predicted[0].cycles > 3 * \$n - 0.5 and .predicted[0].cycles < 3 * \$n + 1] |
        join(\" \")' '$T/run'"
    expect 0 '^true true$' bash -c "jq -rs --argjson n $turns '
        [.[] | select(.record == \"measurement\") | .cycles_per_instruction == null or
            ((.cycles / .cycles_per_instruction - 3 * \$n - 1 - 2 / .block.copies) | fabs) < 0.01 * \$n] |
        join(\" \")' '$T/run'"
done
# Functions that a block calls are predicted as they ran: ten multiplications in a chain, in each call, for a function
# that calls and for a region. What they call in turn counts, too.
{
    printf '.intel_syntax noprefix\n.text\n.type f,@function\nf: sub rsp, 8\ncall g\nadd rsp, 8\nret\n.size f,.-f\n'
    printf '.type h,@function\nh:\n.rept 5\nimul rax, rdx\n.endr\nret\n.size h,.-h\n'
    printf '.type g,@function\ng:\n.rept 5\nimul rax, rdx\n.endr\ncall h\nret\n.size g,.-g\n.data\n.quad 1\n'
} >"$T/calls.s"
printf '.intel_syntax noprefix\n# LLVM-MCA-BEGIN\ncall h\nadd ecx, 1\n# LLVM-MCA-END\nret\n.globl h\n.type h,@function\nh:\n.rept 10\nimul rax, rdx\n.endr\nret\n.size h,.-h\n' >"$T/calling.s"
run --mcpu znver4 --form looped --json "$T/calls.s" --symbol f >"$T/run"
expect 0 true jq -e 'select(.record == "measurement").predicted[0].cycles | . > 29.5 and . < 45' "$T/run"
run --mcpu znver4 --form looped --json "$T/calling.s" >"$T/run"
expect 0 true jq -e 'select(.record == "measurement").predicted[0].cycles | . > 29.5 and . < 45' "$T/run"
# One that takes too many says so.
expect 0 'more than 200000 instructions, too many to step through' run --mcpu znver4 --form looped --asm 'mov ecx, 150000; 1: dec ecx; jnz 1b'
finish
