#!/usr/bin/env bash
# Mixtures of forms: what a survey draws and keeps, how they judge a model whose pipes are right for every form alone, and
# how they choose the pipes of a repair. The CPUs are simulated, so the truth is known.  mixtures.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
forms=('VPADDDY?rr' VMULPSYrr VADDPSYrr VPERMDYrr VPSLLDYri VANDPSYrr VMULPSYrm IMUL64rri32 RORX64ri MOV64rm)
one_line() { "$@" 2>/dev/null | tr '\n' ' ' | tr -s ' '; }
# survey TARGET FOLDER [OPTION...]
survey() {
    local target=$1 folder=$2
    shift 2
    expect 0 '0 unstable' "$cyclops" survey "${forms[@]}" --isa x86_64 --target "sim:$target,noise=none" --output "$folder" "$@"
}
file=kernels/x86_64/mixtures.yaml
same() { cmp -s "$1" "$2" || { echo "FAILED: $1 and $2 differ"; failures=$((failures + 1)); }; }

# A part of all forms has no mixtures, unless they are requested. What is drawn follows from names alone.
survey znver4 part
[ ! -e part/$file ] || { echo "FAILED: a part has mixtures"; failures=$((failures + 1)); }
survey znver4 base --mixtures 24
survey znver4 again --mixtures 24
same base/$file again/$file
expect 0 '^24$' grep -c 'name: mixture[.]' base/$file
expect 0 '^3$' grep -c 'name: VPADDDYrr[.]beside[.]' base/$file
# A folder of before gets them; one that has them keeps what was drawn.
expect 0 'forms' "$cyclops" survey --resume --output part --target sim:znver4,noise=none --isa x86_64 --mixtures 24
same base/$file part/$file
expect 0 'forms' "$cyclops" survey POPCNT64rr VPSLLDYrr --resume --output part --target sim:znver4,noise=none --isa x86_64 --mixtures 30
expect 0 '^(2[5-9]|30)$' grep -c 'name: mixture[.]' part/$file
grep 'name: mixture' base/$file >drawn
grep 'name: mixture' part/$file | head -24 >kept
same drawn kept
# Without the form that is nowhere in it, a mixture is the same.
expect 0 'unstable' "$cyclops" survey 'VPADDDY?rr' VMULPSYrr VADDPSYrr VPERMDYrr VPSLLDYri VMULPSYrm IMUL64rri32 RORX64ri MOV64rm --isa x86_64 --target sim:znver4,noise=none --output fewer --mixtures 24
grep 'name: mixture' base/$file | grep -v 'VANDPSYrr' | sort >without
[ "$(comm -12 without <(sort fewer/$file) | wc -l)" -ge $(($(wc -l <without) / 2)) ] ||
    { echo "FAILED: with a form less, most mixtures are others"; failures=$((failures + 1)); }
expect 0 'mixture.003 ' "$cyclops" run --kernels base/kernels mixture.003 --form looped --target sim:znver4,noise=none --isa x86_64

# The CPU's own model is right.
expect 0 'that only judge, 0.0 % of their cycles; [0-9]+ to choose by, 0.0 % of their cycles; [0-9]+ of a form and a probe, 0.0 %' \
    one_line "$cyclops" check base --mcpu znver4
# Other pipes with the same throughput: each form alone is predicted, and mixtures show that the model is wrong.
overlay other znver4 >other.yaml <<'YAML'
  - {match: VPERMDYrr, uses: [{resource: Zn4FP01, acquire: 0, release: 2}]}
YAML
expect 0 'No findings[.] Mixtures of forms, and the mean error of .*: [0-9]+ that only judge, ([1-9]|[1-9][0-9])[.][0-9] %' \
    one_line "$cyclops" check base --mcpu other.yaml
expect 0 '"mixtures":.*"judge":.*"error":0[.][0-9]*[1-9]' "$cyclops" check base --mcpu other.yaml --json

# A CPU with half the pipes for additions of integers. Their throughput does not say which, and a repair by forms alone
# guesses. Mixtures choose the right ones, whichever these are; those that only judge agree.
for pipes in Zn4FP01 Zn4FP12 Zn4FP23; do
    overlay half znver4 >half.yaml <<YAML
  - {match: "VPADDDYrr|VPADDDrr", uses: [$pipes]}
YAML
    rm -rf half && survey "$T/half.yaml" half --mixtures 24
    expect 0 'that only judge, [0-9.]+ % before, 0.0 % after; .* By mixtures, other pipes of VPADDD' \
        one_line "$cyclops" repair half --mcpu znver4 --output "repaired-$pipes.yaml"
    expect 0 "VPADDDYrr\", uses: .*resource: $pipes, acquire: 0, release: 1" grep '"VPADDDYrr"' "repaired-$pipes.yaml"
    expect 0 '0.0 %.*0.0 %.*0.0 %' one_line "$cyclops" check half --mcpu "repaired-$pipes.yaml"
done

expect 2 'mixtures is a number up to' "$cyclops" survey VADDPSYrr --mixtures 5000 --output none
finish
