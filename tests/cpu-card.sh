#!/usr/bin/env bash
# cyclops cpu import card: a card of a simulated CPU contradicts nothing of its file and gives its parameters back; what
# people wrote, and what a survey gave, is kept; a second import changes nothing; bad input.  cpu-card.sh BUILD
. "$(dirname "$0")/lib.sh"
export COLUMNS=200
cd "$T" || exit 1
experiments=(widths windows latencies forwarding idioms fusion costs banks renaming slots)
# stated FILE: its parameters, a line each: name and value.
stated() { "$cyclops" cpu show "$1" | awk '$1 ~ /^[a-z-]+$/ && $2 ~ /^-?[0-9.]+$/ { print $1, $2 }' | sort; }
declare -A least=([zen5]=21 [skylake]=12) # parameters that the file states and its card shows
for cpu in zen5 skylake; do
    "$cyclops" machine "${experiments[@]}" --isa x86_64 --target "sim:cpu:$cpu,noise=none" --budget 100 --output $cpu --compare "cpu:$cpu" >messages 2>&1 ||
        { cat messages; failures=1; }
    ! grep '≠' messages || { echo "FAILED: the card of $cpu contradicts its file"; failures=1; }
    awk '/^[a-z]/ { skipped = /^(forms|parameters|resources):/ } !skipped' "$here/../cpus/$cpu.cpu.yaml" >bare-$cpu.cpu.yaml
    expect 0 'taken from the card; 0 that the base states agree, 0 contradict' \
        "$cyclops" cpu import card $cpu/card.yaml --base bare-$cpu.cpu.yaml --output $cpu.cpu.yaml
    stated $cpu.cpu.yaml >got
    stated "cpu:$cpu" >wanted
    n=$(join got wanted | wc -l)
    [ "$n" -ge "${least[$cpu]}" ] || { echo "FAILED: $n parameters of $cpu come back"; join got wanted; failures=1; }
    join got wanted | awk '$2 != $3 { print "FAILED:", $0; wrong = 1 } END { exit wrong }' || failures=1
    # Onto the file itself all agrees, and a second import changes nothing.
    expect 0 " ([0-9]+) that the base states agree, 0 contradict" "$cyclops" cpu import card $cpu/card.yaml --base "cpu:$cpu" --output whole-$cpu.cpu.yaml
    expect 0 'contradict' "$cyclops" cpu import card $cpu/card.yaml --base whole-$cpu.cpu.yaml --output again.cpu.yaml --force
    cmp <(grep -v '^name:' whole-$cpu.cpu.yaml) <(grep -v '^name:' again.cpu.yaml) || failures=$((failures + 1))
done
expect 0 'dispatch-width +4 +slots/cycle +measured +card: dispatch *$' "$cyclops" cpu show skylake.cpu.yaml
# An entry's example may name a register, and stands beside the file's number: the fast one, where the displacement is short.
beside=$("$cyclops" machine latencies --isa x86_64 --target sim:cpu:skylake,noise=none --output beside --budget 100 --compare cpu:skylake)
for row in 'load-latency-displaced +4 .*= 4' 'load-latency-far +5 .*= 5' 'load-latency-scaled-index +5 .*= 5'; do
    grep -qE "$row" <<<"$beside" || { echo "FAILED: no $row"; failures=1; }
done

# What LLVM's model states is replaced, what people wrote is kept, and a contradiction is marked.
expect 0 'dispatch-width +4 +taken +[0-9]+ +llvm' "$cyclops" cpu import card skylake/card.yaml --base skylake --output llvm.cpu.yaml
[ "$(grep -c '^  dispatch-width:' llvm.cpu.yaml)" = 1 ] || { echo "FAILED: two widths"; failures=1; }
printf '%s\n' 'cpu: 1' 'name: mine' 'base: skylake' 'parameters:' '  # By hand.' \
    '  dispatch-width: {value: 5, trust: published, source: a manual}' 'forms:' '  - {match: CDQ, latency: 9}' >mine.cpu.yaml
expect 0 'dispatch-width +4 +≠ +5 +published +dispatch' "$cyclops" cpu import card skylake/card.yaml --base mine.cpu.yaml --output new.cpu.yaml
expect 0 '# By hand' grep -A1 'By hand' new.cpu.yaml
grep -q 'value: 5, trust: published, source: a manual' new.cpu.yaml && grep -q 'match: CDQ, latency: 9' new.cpu.yaml ||
    { echo "FAILED: what was written by hand is lost"; failures=1; }
# A survey's part and a card's part leave each other alone.
"$cyclops" survey IMUL64rr MOV64rm --isa x86_64 --target sim:cpu:zen5,noise=none --output survey >messages 2>&1 || { cat messages; failures=1; }
expect 0 '^file:' "$cyclops" cpu import survey survey --base new.cpu.yaml --output both.cpu.yaml
expect 0 'contradict' "$cyclops" cpu import card skylake/card.yaml --base both.cpu.yaml --output both2.cpu.yaml
for part in card survey; do
    [ "$(grep -c "import $part'" both2.cpu.yaml)" -ge 1 ] || { echo "FAILED: no part of the $part"; failures=1; }
done
cmp <(grep -v '^name:' both.cpu.yaml | sort) <(grep -v '^name:' both2.cpu.yaml | sort) || failures=$((failures + 1))

# Cards that were measured: of a Zen 5, whose file they made, and not of a Zen 4.
card=$here/../results/zen5-2026-11-27/card.yaml
expect 0 "zen5-card.cpu.yaml: [0-9]+ parameters taken from the card; (1[5-9]|2[0-9]) that the base states agree, [01] contradict" \
    "$cyclops" cpu import card "$card" --base cpu:zen5 --output zen5-card.cpu.yaml
expect 0 'The card is of AMD EPYC \(family 26, model 2' cat zen5-card.cpu.yaml
expect 2 "was measured on another CPU, AMD EPYC \(family 26.*than the base's 'identity' names" \
    "$cyclops" cpu import card "$card" --base cpu:zen4 --output x.cpu.yaml
expect 2 'is there already; --force' "$cyclops" cpu import card "$card" --base cpu:zen5 --output zen5-card.cpu.yaml
expect 2 '\-\-base names what the card' "$cyclops" cpu import card "$card" --output x.cpu.yaml
expect 2 "there is no 'card:' in it" "$cyclops" cpu import card "$here/../machines/cortex-a8.yaml" --base skylake --output x.cpu.yaml
for wrong in '{name: dispatch, verdict: sure}=a verdict is exact' '{name: dispatch, verdict: within, low: 3}=has .high' \
    '{name: dispatch, verdict: within, low: 3, high: 2}=above' '{name: dispatch, verdict: exact, value: x}=number' '{verdict: exact}=name' \
    '{name: dispatch, verdict: exact, value: 3, colour: red}=colour'; do
    printf 'overlay: 1\nname: c\ncard:\n  - %s\n' "${wrong%%=*}" >card.yaml
    expect 2 "^cyclops: error: card\.yaml:4:[0-9]+: .*${wrong##*=}" "$cyclops" cpu import card card.yaml --base skylake --output x.cpu.yaml
done
expect 2 'c.yaml.*[Nn]o such file' "$cyclops" cpu import card c.yaml --base skylake --output x.cpu.yaml
[ ! -e x.cpu.yaml ] || { echo "FAILED: a file in spite of an error"; failures=1; }
finish
