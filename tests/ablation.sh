#!/usr/bin/env bash
# What a mechanism is worth: blocks with the values that the whole CPU file predicts.  ablation.sh BUILD
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
ablation="$(dirname "$0")/../scripts/ablation"

cat >"$T/small.cpu.yaml" <<'END'
cpu: 1
name: small
base: skylake
parameters:
  dispatch-width: 4
  micro-fusion: 1
  moves-eliminated: {value: 1,
    trust: assumed}
forms:
  - match: "POPCNT64rr"
    latency: 7
END
# mov rax, rbx · add rax, rbx · mov rdi, rax · popcnt rax, rax: some in each half
printf 'hex,cycles\n4889d8,.25\n4801d8,1\n4889f8,.25\nf3480fb8c0,7\n' >"$T/blocks.csv"

run() {
    python3 "$ablation" "$@" --program "$cyclops"
}
run "$T/small.cpu.yaml" "$T/blocks.csv" >"$T/table" || cat "$T/table"
expect 0 '^all +0\.00 ' cat "$T/table"
# Without the rule, the base's 3 cycles.
expect 0 '^form POPCNT64rr .*\+[1-9][0-9]*\.' cat "$T/table"
expect 0 '^none ' cat "$T/table"
expect 0 '^\+ form POPCNT64rr +0\.00 ' cat "$T/table"
expect 1 'no looped blocks' run "$T/small.cpu.yaml" "$T/blocks.csv" --form looped
expect 1 'no.cpu.yaml: No such file or directory$' run "$T/no.cpu.yaml" "$T/blocks.csv"
expect 1 'no.csv: No such file or directory$' run "$T/small.cpu.yaml" "$T/no.csv"
expect 1 '^ablation: ' run "$T/no.cpu.yaml" "$T/blocks.csv"
finish
