#!/usr/bin/env bash
# Branches: recorded from a run, followed in a simulation, and equal to what is unrolled by hand.  branches.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { echo "the block is x86-64's"; exit 77; }

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
[ $? = 77 ] && { cat "$T/why"; exit 77; }
expect 0 '^\(ENTRY, again, FALLTHROUGH, even, again, even, again, FALLTHROUGH, even\)$' cat "$T/trace"
"$cyclops" mca -mcpu=znver4 -all-views --branch-trace="$T/trace" "$T/loop.s" >"$T/followed"
"$cyclops" mca -mcpu=znver4 -all-views "$T/by-hand.s" >"$T/unrolled"
expect 0 same bash -c "cmp '$T/followed' '$T/unrolled' && echo same"

# An instruction that repeats itself is no loop.
printf 'mov ecx, 5\nrep stosb\ndec edx\njnz over\nnop\nover: nop\n' >"$T/repeat.s"
expect 0 '^\(ENTRY, over\)$' "$cyclops" trace "$T/repeat.s"

# `run` predicts along the recorded way: three multiplications in a chain, and two additions.
"$cyclops" run --mcpu znver4 --form looped --json "$T/loop.s" >"$T/run"
expect 0 true jq -e 'select(.record == "measurement").predicted[0].cycles | . > 10.9 and . < 11.1' "$T/run"
finish
