#!/usr/bin/env bash
# cyclops infer pairs: measures a simulated CPU, whose ports are inferred and come back as those of its model; a second
# run takes all from the folder; cyclops cpu import ports, also with ports that no base has; mistakes.
#     infer-pairs.sh BUILD
. "$(dirname "$0")/lib.sh"
forms=('V(ADD|MUL)PSYrr' VPERMDYrr VPADDDYrr IMUL64rri32 ANDN64rr MOV64rm VMULPSYrm)
sim=(--isa x86_64 --target sim:znver4,noise=none)
expect 0 '8 forms, 8 measured' "$cyclops" survey "${forms[@]}" "${sim[@]}" --mixtures 0 --output "$T/survey"
pairs=("$cyclops" infer pairs "$T/survey" "${sim[@]}" --output "$T/pairs")
expect 0 '^8 forms in 8 classes, [5-9] sentinels: ([0-9]+) loops, \1 with a value, of which 8 random' "${pairs[@]}" --random 4
head -1 "$T/pairs/experiments.csv" | grep -qx 'cycles,low,high,forms,id,set' || { echo "FAILED: columns" && failures=1; }
expect 0 '^0\.25[0-9]*,.*,ANDN64rr,ANDN64rr,survey$' cat "$T/pairs/experiments.csv"
expect 0 '^VADDPSYrr,VADDPSYrr$' cat "$T/pairs/classes.csv"
expect 0 ',(vector|memory)$' cat "$T/pairs/judged.csv"

# A folder is evidence. Random multisets are predicted.
expect 0 'VADDPSYrr +0\.5 +p[0-9a-f]{2} ' "$cyclops" infer ports "$T/pairs"
expect 0 '^error: mean [01]\.[0-9] %' "$cyclops" infer ports "$T/pairs" --judge "$T/pairs/judged.csv"

# Parts: each measures its classes, and together they show what the whole shows. Other classes are no part of it.
for i in 1 2; do
    expect 0 '^8 forms in 8 classes' "${pairs[@]::4}" "${sim[@]}" --output "$T/part$i" --random 4 --shard $i/2
done
beside() { awk -F, '$6 == "balanced" || $6 == "surplus" || $6 == "vector" || $6 == "memory" { print $4 }' "$@" | sort; }
for file in experiments judged; do
    cmp <(beside "$T/pairs/$file.csv") <(beside "$T"/part[12]/$file.csv) || { echo "FAILED: parts of $file" && failures=1; }
    beside "$T/part2/$file.csv" | grep -q . || { echo "FAILED: nothing in part 2 of $file" && failures=1; }
done
cmp <("$cyclops" infer ports "$T/pairs" | grep '^  V') <("$cyclops" infer ports "$T"/part[12] | grep '^  V') || failures=1
expect 0 'of 8 measured forms that the base describes, [78] are as there' "$cyclops" cpu import ports "$T"/part[12] --base znver4 --output "$T/parts.cpu.yaml"
expect 0 'is made' "$cyclops" infer "$T/survey" "$T/part1" "$T/part2" --base znver4 --output "$T/whole.cpu.yaml"
expect 0 '^evidence: .*"part1", "part2"' cat "$T/whole.cpu.yaml"
expect 0 'p[0-9]' "$cyclops" infer --why "$T/whole.cpu.yaml" VADDPSYrr
cp -r "$T/part2" "$T/strange" && echo 'X,X' >>"$T/strange/classes.csv"
expect 2 'are not parts of one campaign' "$cyclops" infer ports "$T/part1" "$T/strange"
expect 2 'takes one file of experiments, or folders' "$cyclops" infer ports "$T/part1" "$T/pairs/experiments.csv"
expect 2 'shard is I/N' "${pairs[@]}" --shard 3/2
expect 2 "shard is an option of 'cyclops infer pairs'" "$cyclops" infer ports "$T/pairs" --shard 1/2

# A loop is a kernel that can be repeated.
id=$(awk -F, '$6 == "balanced" { print $5; exit }' "$T/pairs/experiments.csv")
expect 0 "$id" "$cyclops" run --kernels "$T/pairs/kernels" "$id" --n 1 "${sim[@]}"

# What is there is not measured again; what is not asked for is not overwritten.
lines=$(wc -l <"$T/pairs/measurements.jsonl")
expect 2 "holds pairs: --resume goes on" "${pairs[@]}"
expect 0 '^8 forms in 8 classes' "${pairs[@]}" --random 4 --resume
[ "$(wc -l <"$T/pairs/measurements.jsonl")" = "$lines" ] || { echo "FAILED: --resume measured again" && failures=1; }

# The ports are those of the model that was simulated. On a model without such pipes, they are the file's own.
import=("$cyclops" cpu import ports "$T/pairs")
expect 0 'of 8 measured forms that the base describes, [78] are as there' "${import[@]}" --base znver4 --output "$T/own.cpu.yaml"
expect 0 'source: "ports: ' cat "$T/own.cpu.yaml"
expect 0 'ANDN64rr' "${import[@]}" --base btver2 --output "$T/btver2.cpu.yaml" --all
expect 0 '^ports: \[P[0-9]' cat "$T/btver2.cpu.yaml"
expect 0 'P[0-9]' "$cyclops" explain ANDN64rr --mcpu "$T/btver2.cpu.yaml"
# An import onto a file that an import wrote replaces its own part.
expect 0 'opcodes have pipes' "${import[@]}" --base "$T/btver2.cpu.yaml" --output "$T/again.cpu.yaml"
cmp <(sed 's/^name: .*//' "$T/btver2.cpu.yaml") <(sed 's/^name: .*//' "$T/again.cpu.yaml") || failures=$((failures + 1))

expect 2 'takes the folder of one survey' "$cyclops" infer pairs
expect 2 'sentinels is a number from 1 to 32' "${pairs[@]}" --sentinels 33
expect 2 'was measured on sim:znver4' "$cyclops" infer pairs "$T/survey" --output "$T/x"
expect 2 'was measured on sim:znver4,.*, and this is sim:skylake' "$cyclops" infer pairs "$T/survey" --isa x86_64 --target sim:skylake,noise=none --output "$T/x"
expect 2 'nowhere' "$cyclops" infer pairs "$T/nowhere" "${sim[@]}" --output "$T/x"
# A base of another CPU is refused, unless one insists.
sed '/"record":"host"/s/.*/{"record":"host","version":1,"cpu":"AMD EPYC","family":25,"model":17,"stepping":1,"microcode":"0x1","clock":{"tier":"ratio","target":"native"}}/' \
    "$T/pairs/measurements.jsonl" >"$T/native" && cp -r "$T/pairs" "$T/zen4" && mv "$T/native" "$T/zen4/measurements.jsonl"
zen4=("$cyclops" cpu import ports "$T/zen4" --output "$T/other.cpu.yaml")
expect 2 "the pairs were measured on another CPU, AMD EPYC .family 25, model 17.*insist with --other-cpu" "${zen4[@]}" --base cpu:skylake
expect 0 'opcodes have pipes' "${zen4[@]}" --base cpu:skylake --other-cpu
expect 0 'opcodes have pipes' "${zen4[@]}" --base cpu:zen4 --force
expect 2 'base names what' "${import[@]}" --output "$T/x.cpu.yaml"
finish
