#!/usr/bin/env bash
# cyclops machine on a simulated CPU, whose numbers are known; the card as an overlay; bad input; --resume.
#   machine.sh BUILD
. "$(dirname "$0")/lib.sh"
sim=(--isa x86_64 --target sim:znver3,noise=none)
M=$T/m
export COLUMNS=200 # so that each entry is one line

expect 0 'reorder-buffer +256 ' "$cyclops" machine widths windows "${sim[@]}" --output "$M" --compare znver3
cp "$T/out" "$T/first"
# LLVM's numbers come back.
while read -r name value; do
    grep -qE "^  $name +$value +[^≠]*= " "$T/first" ||
        { echo "FAILED: $name is not $value, or not the model's:"; grep "^  $name " "$T/first"; failures=$((failures + 1)); }
done <<'WANTED'
dispatch 6
registers-integer 192
registers-vector 160
store-queue 64
scheduler-integer 96
WANTED
grep -q '≠' "$T/first" && { echo "FAILED: the card contradicts the model"; grep '≠' "$T/first"; failures=$((failures + 1)); }

# What the card does not judge of the model is named, with the reason; and what to type next.
grep -qE "^  MispredictPenalty +13 +the card has no mispredict-penalty" "$T/first" &&
    grep -qE "^  HighLatency +[0-9]+ +no experiment shows it" "$T/first" &&
    grep -qE "^Simulated with it: cyclops mca -mtriple=x86_64[^ ]* -mcpu=$M/card.yaml FILE.s" "$T/first" ||
    { echo "FAILED: what is left of the model, or what is next:"; tail -12 "$T/first"; failures=$((failures + 1)); }

# The files: each curve, the experiments as kernels that can be repeated, the card as a machine.
for file in card.yaml measurements.jsonl kernels/x86_64/machine.yaml window-integer.svg; do
    [ -s "$M/$file" ] || { echo "FAILED: there is no $file"; failures=$((failures + 1)); }
done
expect 0 '(99[0-9]|100[0-9])\.' "$cyclops" run window.integer.64 --kernels "$M/kernels" --mcpu none "${sim[@]}"
echo 'add %rax, %rbx' >"$T/a.s"
expect 0 'Dispatch Width: +6' "$cyclops" mca -mcpu="$M/card.yaml" "$T/a.s"
expect 0 'reorder_buffer: \{value: 256' cat "$M/card.yaml"

# A second card in the folder is refused; with --resume, nothing is left to measure.
lines=$(wc -l <"$M/measurements.jsonl")
expect 2 'holds a card' "$cyclops" machine widths "${sim[@]}" --output "$M"
mkdir "$T/survey"; echo >"$T/survey/forms.jsonl"
expect 2 'holds a survey' "$cyclops" machine widths "${sim[@]}" --output "$T/survey" --resume
expect 0 'dispatch +6 ' "$cyclops" machine widths "${sim[@]}" --output "$M" --resume
[ "$lines" = "$(wc -l <"$M/measurements.jsonl")" ] || { echo "FAILED: --resume measured again"; failures=$((failures + 1)); }

# So is it with the command that a run ends with, which has no budget: the card stays as it was.
cp "$M/card.yaml" "$T/card.yaml"
"$cyclops" machine widths "${sim[@]}" --output "$M" --resume --clock ratio | tr '\n' ' ' |
    grep -oE 'cyclops machine widths .*' >"$T/next"
expect 0 " --output $M .*--clock ratio --compare znver3" cat "$T/next"
expect 0 " --llvm 19 --compare znver3" "$cyclops" machine branches "${sim[@]}" --output "$T/b19" --llvm 19
expect 0 'dispatch +6 ' bash -c "$(dirname "$cyclops")/$(cat "$T/next")"
cmp "$M/card.yaml" "$T/card.yaml" || { echo "FAILED: the printed command has changed the card"; failures=$((failures + 1)); }

# A value that is not in the folder hides no other: with a spent budget, all that is there is taken.
cp -r "$M" "$T/gap"
grep -v '"kernel":"window.integer.64"' "$M/measurements.jsonl" >"$T/gap/measurements.jsonl"
expect 0 'reorder-buffer +256 ' "$cyclops" machine widths windows "${sim[@]}" --output "$T/gap" --resume --budget 0
for entry in 'scheduler-integer +96 ' 'windows-rest +- .* 1 value is not measured yet'; do
    grep -qE "^  $entry" "$T/out" || { echo "FAILED: no entry '$entry' after a gap"; failures=$((failures + 1)); }
done

# A model that is not there is known before anything is measured.
expect 2 "unknown CPU 'foo'" "$cyclops" machine widths "${sim[@]}" --output "$T/none" --compare foo
[ ! -e "$T/none" ] || { echo "FAILED: a folder for a model that is not there"; failures=$((failures + 1)); }

# What is taken is counted.
expect 0 '[0-9]+ values are taken from .* Unstable, and measured again while the budget lasts: 0' "$cyclops" machine widths "${sim[@]}" --output "$M" --resume

# A simulated CPU without the thing says so.
expect 0 'mispredict-penalty +- .*nothing predicts' "$cyclops" machine branches "${sim[@]}" --output "$T/b"
expect 0 "^Beside a model: cyclops machine branches --resume --budget 0 --output $T/b .*--target sim:znver3,noise=none --compare znver3" \
    "$cyclops" machine branches "${sim[@]}" --output "$T/b" --resume
expect 0 'page-walks +- .*no pages' "$cyclops" machine pages "${sim[@]}" --output "$T/p"
expect 0 'load-latency-width-8 +[0-9]+ ' "$cyclops" machine latencies --isa aarch64 --target sim:cortex-a57,noise=none --output "$T/la"
expect 0 'l1d-latency +- .*no caches' "$cyclops" machine latencies "${sim[@]}" --output "$T/l"
# Rows that lack a value for the same reason share it on the screen, and have a row each in the card.
cp "$T/out" "$T/likewise"
expect 0 "^ +likewise: l1d-size, l2-latency, l2-size, memory-latency\$" cat "$T/likewise"
expect 0 '^5$' grep -c 'why: "a simulated CPU has no caches"' "$T/l/card.yaml"
# The card says when it was measured, also when it comes back unchanged later.
for now in 1795738679 1795739279; do
    SOURCE_DATE_EPOCH=$now "$cyclops" machine costs "${sim[@]}" --output "$T/dated" --resume >"$T/said" 2>/dev/null
    expect 0 '^measured: "2026-11-27T00:17Z"$' cat "$T/dated/card.yaml"
done
expect 0 '^simulated .* clock .*; 2026-11-27T00:27Z$' cat "$T/said"
# And on what, by which clock.
expect 0 '^measured_on: "sim:znver3,noise=none,seed=1"$' cat "$T/dated/card.yaml"
expect 0 '^clock: "[a-z]+ clock, ±[0-9.]+ %"$' cat "$T/dated/card.yaml"
expect 0 '' "$cyclops" report "$T/dated" --output "$T/dated.html"
expect 0 '"machine":"sim:znver3,noise=none,seed=1","clock":"[a-z]+ clock' cat "$T/dated.html"

# A budget that ends before the experiment does: the card names what is missing.
expect 0 'windows-rest +- .* not measured yet; --resume' "$cyclops" machine windows "${sim[@]}" --output "$T/w" --budget 0
expect 0 'nops +- .*not measured yet' "$cyclops" machine widths "${sim[@]}" --output "$T/w0" --budget 0
[ -s "$T/w0/card.yaml" ] || { echo "FAILED: no card after an empty budget"; failures=$((failures + 1)); }
# One that ends within a round: all that was measured is in the card, and a second run does the rest.
expect 0 'windows-rest +- ' "$cyclops" machine windows "${sim[@]}" --output "$T/w1" --budget 0.7
expect 0 'reorder-buffer +256 ' "$cyclops" machine rob-size "${sim[@]}" --output "$T/w1" --resume

# On a narrow screen, no line is wider.
COLUMNS=80 expect 0 'not determined' "$cyclops" machine widths windows latencies "${sim[@]}" --output "$M" --resume
wide=$(LC_ALL=C.UTF-8 grep -E '^.{81}' "$T/out" | grep -v '^cyclops: ' || true)
[ -z "$wide" ] || { echo "FAILED: wider than 80 columns:"; echo "$wide"; failures=$((failures + 1)); }
# Each curve that the card names is there.
for curve in $(sed -n 's/.* curve: \(.*\)}$/\1/p' "$M/card.yaml"); do
    [ -s "$M/$curve" ] || { echo "FAILED: the card names $curve, which is not there"; failures=$((failures + 1)); }
done

# The tables of the committed card are those that the script prints.
if command -v python3 >/dev/null; then
    "$here/../scripts/machine-tables" "$here/../results/measured/machine-zen4-epyc-vm.yaml" >"$T/tables"
    cmp "$T/tables" "$here/../results/measured/machine-zen4-epyc-vm.md" ||
        { echo "FAILED: scripts/machine-tables prints other tables than results/measured holds"; failures=$((failures + 1)); }
    expect 1 'a card with none of' "$here/../scripts/machine-tables" "$M/card.yaml"
fi

# Measurements of another target do not mix.
for other in sim:znver4,noise=none sim:znver3,noise=vm sim:znver3,noise=none,slow=500; do
    expect 2 'holds measurements of target sim:znver3' \
        "$cyclops" machine widths --isa x86_64 --target "$other" --output "$M" --resume
done
expect 2 "." "$cyclops" machine widths --isa x86_64 --target sim:no-such-cpu --output "$T/n"
[ ! -e "$T/n" ] || { echo "FAILED: a wrong target made a folder"; failures=$((failures + 1)); }

expect 2 "no experiment 'windos' \(did you mean 'windows'" "$cyclops" machine windos "${sim[@]}" --output "$T/n"
[ ! -e "$T/n" ] || { echo "FAILED: a wrong name made a folder"; failures=$((failures + 1)); }
expect 2 'no experiments for mips' "$cyclops" machine --isa mips --target sim:mips32r2 --output "$T/n"
expect 2 'slow=CYCLES' "$cyclops" machine widths --isa x86_64 --target sim:znver3,slow=0 --output "$T/n"
finish
