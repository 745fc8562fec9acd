#!/usr/bin/env bash
# cyclops infer SURVEY MACHINE PAIRS: one file from all that was measured of a simulated CPU, what came from where, and
# what it does not explain; why a form's numbers; folders that are of other CPUs, or hold nothing.  infer-file.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
forms=('V(ADD|MUL)PSYrr' VPERMDYrr VPADDDYrr IMUL64rri32 ANDN64rr MOV64rm ADDPSrr)
sim=(--isa x86_64 --target sim:znver4,noise=none)
"$cyclops" survey "${forms[@]}" "${sim[@]}" --mixtures 0 --output survey >messages 2>&1 || { cat messages; failures=1; }
"$cyclops" machine widths "${sim[@]}" --output machine >messages 2>&1 || { cat messages; failures=1; }
"$cyclops" infer pairs survey "${sim[@]}" --output pairs --random 2 >messages 2>&1 || { cat messages; failures=1; }

# The simulated CPU is LLVM's znver4, which is the base by itself: nothing is left to explain but sums.
expect 0 'machine/card.yaml +parameters +[0-9]+ taken' one_line "$cyclops" infer survey machine pairs --output own.cpu.yaml
expect 0 '^evidence: \["survey", "machine/card.yaml", "pairs"\]$' cat own.cpu.yaml
expect 0 'made from pairs' "$cyclops" cpu show own.cpu.yaml
# Onto another base, the same measurements say what differs. A second time, it is the same file.
infer=("$cyclops" infer survey machine pairs --base skylake)
expect 0 'survey +numbers of forms +[1-9][0-9]* opcodes that differ from the base' one_line "${infer[@]}" --output made.cpu.yaml
expect 2 'is there already; --force' "${infer[@]}" --output made.cpu.yaml
cp made.cpu.yaml before
expect 0 'survey: [1-9][0-9]* values, mean error [01]\.[0-9]+ %' "${infer[@]}" --output made.cpu.yaml --force
cmp made.cpu.yaml before || failures=$((failures + 1))
expect 0 'pairs: [1-9][0-9]* experiments, mean error [01]\.' "${infer[@]}" --output made.cpu.yaml --force
expect 0 'judged: [1-9][0-9]* multisets' "${infer[@]}" --output made.cpu.yaml --force
# Its numbers are those of the simulated CPU, whatever the base: only names of ports differ.
expect 0 'VADDPSYrr +pipes +[A-Z][A-Za-z0-9]*[+][A-Z][A-Za-z0-9]* +Zn4FPFAdd01 *$' one_line "$cyclops" cpu diff made.cpu.yaml own.cpu.yaml VADDPSYrr
# What is left out is said.
expect 0 'without a machine card, .* without pairs, ports' one_line "$cyclops" infer survey --base skylake --output survey.cpu.yaml
# What a file does not explain has a cause: a survey beside a file whose rules people wrote, which count last.
printf 'cpu: 1\nname: wrong\nbase: znver4\nforms:\n  - {match: IMUL64rri32, latency: 9}\n' >wrong.cpu.yaml
expect 0 'latencies: shorter +3 +100 % +IMUL64rri32 latency 1 → [a-z0-9.]+ +3 +9' "$cyclops" infer survey --base wrong.cpu.yaml --output left.cpu.yaml

# Why: values beside the file's, and which experiment excludes another set.
why=("$cyclops" infer --why made.cpu.yaml)
expect 0 'latency 1 → 0 +3 += +3 +VADDPSYrr' "${why[@]}" VADDPSYrr
expect 0 'excluded +[0-9]+ .*VADDPSYrr' "${why[@]}" VADDPSYrr
expect 0 '^ports: p0 is ' "${why[@]}" VADDPSYrr
mkdir -p elsewhere && cp -r survey machine pairs elsewhere && cp made.cpu.yaml elsewhere
expect 0 '^ports: p0 is ' bash -c "cd / && '$cyclops' infer --why '$T/elsewhere/made.cpu.yaml' VMULPSYrr"
expect 2 "no form 'NOSUCH'" "${why[@]}" NOSUCH
expect 2 'takes one form' "${why[@]}"
expect 2 'does not state what it was made from' "$cyclops" infer --why cpu:skylake VADDPSYrr

# Bad input.
expect 2 'name what was measured' "$cyclops" infer
expect 2 'output names the file to write' "$cyclops" infer survey
expect 2 "'nothing' is no folder of" "$cyclops" infer survey nothing --output x.cpu.yaml
expect 2 'there is no survey among these' "$cyclops" infer machine pairs --output x.cpu.yaml
expect 2 "are both machine cards: name one" "$cyclops" infer survey machine machine --output x.cpu.yaml
"$cyclops" survey ADDPSrr --isa x86_64 --target sim:skylake,noise=none --mixtures 0 --output other >messages 2>&1 || { cat messages; failures=1; }
expect 2 'the survey was measured on sim:skylake.* and the card on sim:znver4' "$cyclops" infer other machine --output x.cpu.yaml
expect 0 'x.cpu.yaml is made' one_line "$cyclops" infer other machine --other-cpu --output x.cpu.yaml
finish
