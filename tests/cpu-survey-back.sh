#!/usr/bin/env bash
# A survey of a simulated CPU file, of a sample of forms, gives the file's numbers back.  cpu-survey-back.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
expect 0 'cpu:zen5: [0-9]+ forms' "$here/../scripts/survey-model-back" --build "$build" --sample 16 cpu:skylake cpu:zen5 cpu:ivybridge
cat "$T/out"
# Of each file, most forms were measured, and nearly all numbers come back.
awk '/^cpu:.* forms$/ { n++; forms = $2; if (forms < 11) wrong = 1 } / numbers of forms: / { if ($5 < 0.8 * $1) wrong = 1 }
    END { exit n != 3 || wrong }' "$T/out" || { echo "FAILED: too little comes back"; failures=1; }
# A sum with a way back that the survey has not shows nothing of the form: that it takes no time from its own operand does.
sed "/^forms:/,\$d; /'cyclops cpu import /d" "$here/../cpus/zen4.cpu.yaml" >"$T/bare.cpu.yaml"
expect 0 '' "$cyclops" survey --isa x86_64 --target sim:cpu:zen4,noise=none --output "$T/alone" VMOVSHZrmk
expect 0 ': 0 rules of 0 opcodes' "$cyclops" cpu import survey "$T/alone" --base "$T/bare.cpu.yaml" --output "$T/new.cpu.yaml"
finish
