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

# A chain with padding is limited by the padding's pipes, too: where that one's throughput is wrong, it is to blame.
survey sifive-p670 VRGATHER_VV VAND_VV --vector e64m2
expect 1 'gap:throughput/WriteVIALUV_M2[^ ]* in a chain with many VAND_VV-e64m2, whose throughput differs: latency' \
    one_line "$cyclops" check x --mcpu sifive-p470 --llvm 22

# Code with no configuration before it: what is taken for it is stated, but not under llvm-mca's name.
riscv=(--mtriple riscv64-linux-gnu --llvm 22)
printf 'vadd.vv v8, v16, v24\n' >open.s
{ echo 'vsetvli x0, x0, e32, m1, ta, ma' && cat open.s; } >set.s
{ echo '# LLVM-MCA-RISCV-LMUL M1' && cat open.s; } >told.s
expect 0 "no vsetvli before 'vadd.vv v8, v16, v24': it runs, and is predicted, as e8m1" \
    one_line "$cyclops" run open.s --isa riscv64 --llvm 22 --target sim:sifive-p670,noise=none
said() { "$@" 2>&1 | grep -c 'no vsetvli before'; }
expect 1 '^0$' said "$cyclops" run set.s --isa riscv64 --llvm 22 --target sim:sifive-p670,noise=none
expect 0 '^1$' said "$cyclops" mca -mtriple=riscv64 -mcpu=sifive-p670 --llvm=22 open.s
for quiet in "$cyclops mca -mtriple=riscv64 -mcpu=sifive-p670 --llvm=22 set.s" "$cyclops mca -mtriple=riscv64 -mcpu=sifive-p670 --llvm=22 told.s" \
    "env CYCLOPS_LLVM=22 $build/lib/cyclops/llvm-mca -mtriple=riscv64 -mcpu=sifive-p670 open.s"; do
    # shellcheck disable=SC2086 # words
    expect 1 '^0$' said $quiet
done
expect 0 'No vsetvli is before it.*: VADD_VV-e32m1' one_line "$cyclops" explain "$(cat open.s)" "${riscv[@]}" --mcpu sifive-p670
expect 0 '^opcode VADD_VV-e8m1, 1 uop, latency 3$' "$cyclops" explain VADD_VV-e8m1 "${riscv[@]}" --mcpu other.yaml
expect 0 '^opcode VADD_VV-e8m2, 1 uop, latency 2$' "$cyclops" explain VADD_VV-e8m2 "${riscv[@]}" --mcpu other.yaml
expect 2 'there is no form VWADD_VV-e64m1: it has no elements of 64 bits' "$cyclops" explain VWADD_VV-e64m1 "${riscv[@]}" --mcpu sifive-p670
expect 2 "'e64mf8' is no pair of element and group" "$cyclops" explain VADD_VV-e64mf8 "${riscv[@]}" --mcpu sifive-p670

# The hint goes on with what the folder has, patterns and pairs.
"$cyclops" survey VADD_VV VSUB_VV --vector e32m1 --isa riscv64 --llvm 22 --target sim:sifive-p670,noise=none --output short --budget 0.001 2>/dev/null |
    sed -n 's/^To do the rest: cyclops //p' | tr '\n' ' ' >hint
expect 0 'survey --resume --output short --isa riscv64 --llvm 22 --target [^ ]*sifive-p670,noise=none $' cat hint
# shellcheck disable=SC2046 # words
expect 0 'Done after .*: 2 forms, 2 measured' "$cyclops" $(cat hint)
finish
