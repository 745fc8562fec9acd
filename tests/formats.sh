#!/usr/bin/env bash
# The files of real commands, held against docs/reference/schema/; damaged ones are refused; docs/reference/formats.md is up to date.
#   formats.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
"$here/../scripts/formats-page" --check || failures=$((failures + 1))
"$here/../scripts/cpu-parameters-page" --check || failures=$((failures + 1))
python=
for each in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$each" -c 'import jsonschema, yaml; jsonschema.Draft202012Validator' 2>/dev/null || python=$each
done
[ -n "$python" ] || skip "there is no python3-jsonschema, or no python3-yaml"

sim=(--isa x86_64 --target sim:znver4)
still=(--isa x86_64 --target sim:znver4,noise=none)
ran() { "$@" >"$T/ran" 2>&1 || { echo "FAILED: $*"; sed 's/^/    /' "$T/ran"; failures=$((failures + 1)); }; }
# fits SCHEMA FILE [KIND...]: the file fits, and has lines of these kinds.
fits() { expect 0 '^valid: ' "$python" "$here/formats.py" "$@"; }
# writes SCHEMA KINDS COMMAND...: what it prints fits.
writes() {
    local schema=$1 kinds=$2
    shift 2
    "$@" >"printed.$schema" 2>"$T/messages"
    [ $? -le 1 ] || { echo "FAILED: $*"; sed 's/^/    /' "$T/messages"; failures=$((failures + 1)); }
    # shellcheck disable=SC2086
    fits "$schema" "printed.$schema" $kinds
}

overlay worse znver4 >worse.yaml <<'YAML'
  - {match: SUB64rr, latency: 2}
  - {match: IMUL64rr, uops: 3}
YAML
printf 'allowances: 1\nallow:\n  - {finding: "gap:uops/*", reason: known}\n  - {finding: "gap:none", reason: old}\n' >allow.yaml

# Two versions of LLVM, where there are two.
llvms=(--llvm 19)
! "$cyclops" list forms --isa x86_64 --llvm 22 >/dev/null 2>&1 || llvms=(--llvm 22 --llvm 19)

# ---- surveys, tables, findings, differences
forms=(SUB64rr IMUL64rr ADD64rm MUL64r VPXORYrr)
ran "$cyclops" survey "${forms[@]}" CPUID "${sim[@]}" --output noisy
ran "$cyclops" survey "${forms[@]}" "${still[@]}" --output base
ran "$cyclops" survey "${forms[@]}" --isa x86_64 --target "sim:$T/worse.yaml,noise=none" --output moved
fits measurements noisy/measurements.jsonl host measurement
fits survey-forms noisy/forms.jsonl
writes table "table form" "$cyclops" table noisy --json --left-out "${llvms[@]}"
writes table-csv '' "$cyclops" table noisy --csv --left-out "${llvms[@]}"
writes machines-csv '' "$cyclops" table base moved --csv
writes check 'check finding allowance' "$cyclops" check base --mcpu worse.yaml --against znver4 --gap --allow allow.yaml --json
ran "$cyclops" survey VADDPSYrr VMULPSYrr VPERMDYrr "${still[@]}" --mixtures 8 --output mixed
writes check 'check mixture' "$cyclops" check mixed --mcpu znver4 --json
writes check 'check finding' "$cyclops" check moved --mcpu none --baseline base --json
writes diff 'diff difference' "$cyclops" diff base moved --json
writes diff 'diff difference' "$cyclops" diff base --mcpu znver4 --mcpu worse.yaml --json
writes check-csv '' "$cyclops" check base --mcpu worse.yaml --against znver4 --gap --allow allow.yaml --csv
writes check-csv '' "$cyclops" check moved --mcpu none --baseline base --csv
writes diff-csv '' "$cyclops" diff base moved --csv
writes diff-csv '' "$cyclops" diff noisy moved --csv
writes diff-models-csv '' "$cyclops" diff base --mcpu znver4 --mcpu worse.yaml --csv
# A class whose forms differ: two forms of one class, one of them measured on the other CPU.
mkdir both
sed 's/"form":"IMUL64rr",\(.*\)"class":"[^"]*"/"form":"IMUL64rr",\1"class":"X"/; s/"form":"SUB64rr",\(.*\)"class":"[^"]*"/"form":"SUB64rr",\1"class":"X"/' base/forms.jsonl >both/forms.jsonl
cp -r base/measurements.jsonl base/kernels both/
writes table class "$cyclops" table both --classes --json
writes classes-csv '' "$cyclops" table both --classes --csv
ran "$cyclops" survey VADD_VV VREDSUM_VS --vector e8mf2,e32m1,e32m2,e64m4-half --isa riscv64 --target sim:sifive-p670,noise=none --output vectors
writes table vector "$cyclops" table vectors --vector --json
writes vectors-csv '' "$cyclops" table vectors --vector --csv

# ---- kernels, pairs, blocks
ran "$cyclops" run add-r64 load-r64 --sweep 1..2 "${sim[@]}" --output run.jsonl
ran "$cyclops" run imul-r64 --corun add-r64 "${still[@]}" --output run.jsonl
ran "$cyclops" run add-r64 --replicate "${still[@]}" --mcpu none --output run.jsonl
ran "$cyclops" run add-r64 --isa x86_64 --target sim:znver4,noise=counters --mcpu none --output run.jsonl
fits measurements run.jsonl host measurement
writes measurements 'host measurement pair' "$cyclops" pairs add-r64 imul-r64 load-r64 "${still[@]}" --json
writes pairs-csv '' "$cyclops" pairs add-r64 imul-r64 load-r64 "${still[@]}" --csv
writes pairs-csv '' "$cyclops" pairs add-r64 imul-r64 "${still[@]}" --mcpu none --csv

writes mca-core '' "$cyclops" mca --hex --json --timeline --bottleneck-analysis --mcpu core:skylake "$here/blocks/bhive-sample.hex"

# ---- ports
printf 'cycles,forms,low,high,id,set\n1,a,0.99,1.01,x,s\n0.5,b,,,,\n0.3,c,,,,\n1,2*b;a,,,,\n' >evidence.csv
fits evidence-csv evidence.csv
ran "$cyclops" infer ports evidence.csv --output ports.csv
fits infer-ports-csv ports.csv

# ---- corpora
printf '4801d8\n480fafc1\n48f7f1\n06\n4803074883c708\n' >blocks.hex
printf '.globl f\n.type f, @function\nf: xor %%eax, %%eax\n1: add (%%rdi), %%rax\n dec %%rsi\n jne 1b\n ret\n.size f, . - f\n' >loop.s
printf '2 1000\n' >profile
ran "$cyclops" corpus run blocks.hex loop.s "${still[@]}" --output corpus
fits measurements corpus/measurements.jsonl host measurement
fits corpus-blocks corpus/blocks.jsonl
fits corpus-settings corpus/settings.json
writes corpus-score '' "$cyclops" corpus score corpus --isa x86_64 --mcpu znver1 --mcpu haswell --mcpu cpu:haswell --worst 3 --blocks values.csv --json
fits corpus-values-csv values.csv
fits corpus-values-csv "$here/../results/measured/corpus-znver4.csv"
writes corpus-score-csv '' "$cyclops" corpus score --measured values.csv --isa x86_64 --mcpu znver1 --csv
fits corpus-score-csv "$here/../results/measured/corpus-znver4.scores.csv"
writes corpus-extract-csv '' "$cyclops" corpus extract loop.s --isa x86_64
writes corpus-extract-csv '' "$cyclops" corpus extract loop.s --isa x86_64 --hot profile

# ---- machines, models, published results
ran "$cyclops" machine widths "${still[@]}" --output card
fits measurements card/measurements.jsonl host measurement
fits measurements "$here/../results/measured/zen4-epyc-vm.jsonl" host measurement
writes doctor '' "$cyclops" doctor --json
writes explain explanation "$cyclops" explain 'imul rax, rbx' --mcpu znver4 "${llvms[@]}" --json
writes explain block "$cyclops" explain 'mov [rdi], rax; mov rax, [rdi]; imul rax, rbx' --mcpu cpu:skylake --json
writes reproduce '' "$cyclops" reproduce dot-product mips-74k-adds --target none --json
writes list kernel "$cyclops" list kernels --json
writes list form "$cyclops" list forms 'VADDPS.*' 'JMP.*' --isa x86_64 --mcpu znver4 --json
writes list model "$cyclops" list models --isa x86_64 --json
if [ ${#llvms[@]} -gt 2 ]; then
    writes list changes "$cyclops" list changes --isa x86_64 --llvm 19 --llvm 22 --json
    writes list changed "$cyclops" list changes --isa x86_64 --mcpu skylake --llvm 19 --llvm 22 --json
fi
if [ "$(uname -m)" = x86_64 ]; then
    writes trial '' "$cyclops" try --hex 4801c3488b0f48890f --hex 488b0425efbeadde --hex 48f7f1 --hex 0f0b --fill 0 --json
fi

# ---- files in YAML: those of this repository, and those that commands write
root=$here/..
shopt -s nullglob
all_fit() { expect 0 '^valid: ' "$python" "$here/formats.py" --each "$@"; }
all_fit overlay "$root"/machines/*.yaml worse.yaml
all_fit cpu "$root"/cpus/*.yaml
all_fit card "$root"/results/measured/machine-*.yaml card/card.yaml
all_fit kernels "$root"/kernels/*/*.yaml base/kernels/*/*.yaml card/kernels/*/*.yaml "$root"/tests/fuzz/seeds/kernel/*.yaml
ran "$cyclops" repair moved --mcpu znver4 --output fixed.yaml
fits overlay fixed.yaml
"$cyclops" check base --mcpu worse.yaml --write-allow written.yaml >/dev/null 2>&1
all_fit allow-list allow.yaml written.yaml "$root"/examples/ci/allow*.yaml

# ---- a damaged file does not fit: each change is found
# refused SCHEMA FILE PATTERN SED
refused() {
    sed "$4" "$2" >damaged
    ! cmp -s "$2" damaged || { echo "FAILED: nothing to damage in $2: $4"; failures=$((failures + 1)); }
    expect 1 "$3" "$python" "$here/formats.py" "$1" damaged
}
refused measurements run.jsonl "line 2: .*'cycles' was unexpected|line 2: .*'n' is a required" '2s/"n":/"streams":/'
refused measurements run.jsonl 'line 2: verdict' '2s/"verdict":"[a-z]*"/"verdict":"good"/'
refused measurements run.jsonl 'line 2: cycles: .* is not of type' '2s/"cycles":[0-9.]*/"cycles":"1"/'
refused measurements run.jsonl 'line 2: confidence: .* maximum' '2s/"confidence":[0-9.]*/"confidence":99/'
refused measurements run.jsonl 'line 2: .*is there twice' '2s/"n":/"isa":"mips","n":/'
refused measurements run.jsonl 'line 3: ' '3s/.$//'
refused measurements run.jsonl 'no kind of line' '2s/"record":"measurement"/"record":"measured"/'
refused check printed.check 'line 1: .*Additional properties' '1s/"forms":/"form":1,"forms":/'
refused table-csv printed.table-csv 'the columns are' '1s/quantity/kind/'
refused table-csv printed.table-csv 'line 3: [0-9]+ cells' '3s/$/,/'
refused table-csv printed.table-csv "line 2: cycles: 'x' is not" '2s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*/\1,x/'
refused diff-csv printed.diff-csv "line 2: kind: 'same' is not" '2s/^[^,]*/same/'
refused check-csv printed.check-csv "line 2: question: 'gip' is not" '2s/^[^,]*/gip/'
refused corpus-values-csv values.csv "line 2: verdict" '2s/,stable,/,good,/'
refused corpus-score-csv printed.corpus-score-csv 'within_5_percent: .* maximum' '2s/0\.[0-9]*,/47.24,/3'
refused corpus-settings corpus/settings.json 'alias' 's/"alias":"[a-z]*"/"alias":"both"/'
refused overlay worse.yaml 'instructions.0: .*Additional properties' 's/latency: 2/latencies: 2/'
refused cpu "$root/cpus/skylake.cpu.yaml" "parameters: .*'dispatch-widths'" 's/dispatch-width:/dispatch-widths:/'
refused cpu "$root/cpus/skylake.cpu.yaml" 'forms.0: .*Additional properties' 's/ slots: / slot: /'
refused overlay worse.yaml 'instructions.1.uops: .* is not of type' 's/uops: 3/uops: many/'
refused overlay worse.yaml "base: 'lllm' is not one of" 's/base: llvm/base: lllm/'
refused overlay worse.yaml 'is there twice' 's/^name: worse/name: worse\nname: worse/'
refused card card/card.yaml "card.[0-9]+: 'value' is a required" '0,/verdict: exact, value: [0-9.]*,/s//verdict: exact,/'
refused card card/card.yaml 'card.[0-9]+.verdict' '0,/verdict: exact/s//verdict: good/'
refused allow-list allow.yaml "allow.0: 'reason' is a required" '0,/, reason: known/s///'
refused allow-list allow.yaml 'allowances: 1 was expected' 's/allowances: 1/allowances: 2/'
refused kernels "$root/kernels/x86_64/fma.yaml" "Additional properties" 's/chain:/chains:/'
finish
