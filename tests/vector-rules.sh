#!/usr/bin/env bash
# How cycles grow with the registers of a group: exact values make and confirm a rule, bounds only contradict it.
# vector-rules.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
command -v llvm-tblgen-22 >/dev/null || skip "there is no llvm-tblgen-22: install llvm-22"

# survey CPU ARGUMENTS...
survey() {
    rm -rf x
    "$cyclops" survey "${@:2}" --isa riscv64 --llvm 22 --target "sim:$1,noise=none" --output x >log 2>survey.err ||
        { echo "FAILED: survey of $1"; cat survey.err; exit 1; }
}
# of FILTER: that of jq, on all rows of the survey.
of() { "$cyclops" table x --vector --mcpu none --json | jq -rs "$1"; }
# rule FORM QUANTITY: the rule of all widths, or those of single ones, and how many cells say what.
rule() {
    of '.[] | select(.form == "'"$1"'" and .quantity == "'"$2"'") | [.rule, .widths[]] | map(select(.text != "") |
        "\(.element // "all"): \(.text), \(.holds) and \(.allowed) of \(.of)") | join("; ") |
        if . == "" then "none" else . end'
}

# Latencies of large groups are bounds there, so no rule says how they grow: 16, 64 and 256 cycles of a gather.
survey spacemit-x60 VADD_VV VRGATHER_VV --vector all
expect 0 '^none$' rule VADD_VV latency
expect 0 '^none$' rule VRGATHER_VV latency
expect 0 'VADD_VV +latency .*≤16$' "$cyclops" table x --vector --mcpu none
expect 0 '^0$' of '[.[] | select(.quantity == "latency").cells[] | select(has("rule_holds"))] | length'
# Throughputs are known: of additions but for parts of a register; of a gather as the square.
expect 0 '^all: 2 a register, 16 and 0 of 22$' rule VADD_VV throughput
expect 0 'VADD_VV,throughput,8,mf8,1,.*,2 a register,no$' "$cyclops" table x --vector --mcpu none --csv
expect 0 'VADD_VV,throughput,8,m8,16,.*,2 a register,yes$' "$cyclops" table x --vector --mcpu none --csv
expect 0 '^none$' rule VRGATHER_VV throughput

# A division by width. Two numbers of registers are too few.
survey sifive-p670 VDIV_VV --vector e8m1,e8m2,e8m4,e16m1,e16m2,e16m4,e32m1,e32m2
expect 0 '^8: 5[01][.0-9]* a register, 3 and 0 of 3; 16: 4[45][.0-9]* a register, 3 and 0 of 3$' rule VDIV_VV throughput
# A bound that the rule is above is an exception; one that it is within confirms nothing.
survey sifive-p670 VMUL_VV VREDSUM_VS --vector all
expect 0 '^[1-9]' of '[.[] | select(.rule.text != "" or .widths != [])] | length'
expect 0 '^true$' of 'all(.[].cells[]; .relation == "equal" or .rule_confirmed != true)'

# The table of an overlay that was measured has no model beside it.
overlay other sifive-p670 <<'YAML' | sed 's/x86_64/riscv64/' >other.yaml
  - {match: "VADD_VV-e8m1", latency: 3}
YAML
survey other.yaml VADD_VV --vector e8m1,e8m2
expect 0 'VADD_VV-e8m1' "$cyclops" table x
expect 0 'VADD_VV +latency' "$cyclops" table x --vector
finish
