#!/usr/bin/env bash
# Micro-blocks of each mechanism: what CPU files predict, beside measured values.  cpu-answers.sh BUILD
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
root="$(dirname "$0")/.."

answers() {
    python3 "$root/scripts/known-answers" "$@" --program "$cyclops"
}

# A CPU whose numbers are known: a multiplication takes 7 cycles, a move none.
cat >"$T/small.cpu.yaml" <<'END'
cpu: 1
name: small
base: skylake
parameters:
  dispatch-width: 4
  moves-eliminated: {value: 1, trust: assumed}
forms:
  - match: "IMUL64rr"
    latency: 7
END
cat >"$T/blocks.txt" <<'END'
# comment
chain | unrolled | imul rax, rbx              | seven cycles
chain | unrolled | add rax, rbx               | one
moves | unrolled | mov rax, rbx; mov rbx, rax | half a cycle: two of four slots
END
values() {
    printf 'form,assembly,cycles\nunrolled,"imul rax, rbx",%s\nunrolled,"add rax, rbx",1\n' "$1" >"$T/values.csv"
}
small() {
    answers --mcpu "$T/small.cpu.yaml" --blocks "$T/blocks.txt" --measured "$T/values.csv" "$@"
}
values 7.2
expect 0 '^chain +unrolled +7\.200 +7\.000 +-2\.8 % +latency +imul rax, rbx$' small
expect 0 '^moves +unrolled +unstable +0\.500 ' small
expect 0 '^2 of 2 measured blocks .*; 1 are not measured$' small
values 8
expect 1 '^chain +unrolled +8\.000 +7\.000 +-12\.5 % +latency +imul rax, rbx !$' small
expect 1 '^1 of 2 measured blocks ' small
expect 0 '^1 of 2 measured blocks ' small --least 1
expect 0 '^unrolled,"imul rax, rbx",8$' eval 'small --least 1 --write "$T/kept.csv"; cat "$T/kept.csv"'

printf 'form,assembly,cycles\n' >"$T/values.csv"
expect 77 'no block could be measured here$' small
echo 'form,cycles' >"$T/values.csv"
echo 'unrolled,1' >>"$T/values.csv"
expect 2 'values.csv: not a file that --write made' small
expect 2 'no.csv: No such file or directory$' small --measured "$T/no.csv"
expect 2 'known-answers: .*no.cpu.yaml' small --mcpu "$T/no.cpu.yaml"
echo 'chain | sideways | nop | what' >>"$T/blocks.txt"
expect 2 'blocks.txt:5: a row is MECHANISM ' small
sed -i '5s/.*/chain | unrolled | add rax, rbx | again/' "$T/blocks.txt"
expect 2 'blocks.txt:5: this block is there twice$' small

# What a Zen 5 and a Zen 4 took: at least as many blocks stay within 3 % of what its CPU file predicts.
expect 0 '^[0-9]+ of [0-9]+ measured blocks ' answers --measured "$root/results/known-answers/zen5.csv" --least 57
expect 0 '^[0-9]+ of [0-9]+ measured blocks ' answers --mcpu cpu:zen4 --measured "$root/results/known-answers/zen4.csv" --least 59
expect 0 '^[0-9]+ of [0-9]+ measured blocks ' answers --mcpu cpu:zen4 --blocks "$root/results/known-answers/zen4-rules.txt" \
    --measured "$root/results/known-answers/zen4-rules.csv"
finish
