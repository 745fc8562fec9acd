#!/usr/bin/env bash
# Two versions of LLVM in one run, and what is reported where one of them lacks something.  versions.sh BUILD
. "$(dirname "$0")/lib.sh"
unset CYCLOPS_LLVM
for version in 19 22; do
    [ -e "$build/lib/cyclops/cyclops-llvm-$version.so" ] || skip "there is no module for LLVM $version"
done
both=(--llvm 22 --llvm 19)
sim=(--isa x86_64 --target sim:skylake,noise=none --form looped --mode throughput)

# One measurement, a row for each version, or one for both.
expect 0 'llvm-22/skylake +1\.000 +0 %' "$cyclops" run mfence "${sim[@]}" "${both[@]}"
expect 0 'llvm-19/skylake +3\.000 +\+200 %' "$cyclops" run mfence "${sim[@]}" "${both[@]}"
expect 0 'llvm-22,19/skylake +0\.292 +0 %' "$cyclops" run add-r64 "${sim[@]}" "${both[@]}" --brief
expect 0 'llvm-19/skylake +3\.000' "$cyclops" run mfence "${sim[@]}" "${both[@]}" --brief
expect 0 '^  n +measured, looped +llvm-22,19/skylake +difference$' "$cyclops" run add-r64 "${sim[@]}" "${both[@]}" --brief --sweep 1..3
expect 0 'llvm-19/skylake' "$cyclops" run mfence "${sim[@]}" --mcpu llvm-19/skylake
expect 0 'llvm-22,19/skylake: ' "$cyclops" run add-r64 --isa x86_64 --form looped --target sim:znver4,noise=none --mcpu skylake "${both[@]}" --brief --sweep 1..5
expect 0 'measured, and by llvm-19/skylake' "$cyclops" pairs add-r64 mfence --isa x86_64 --target sim:skylake,noise=none "${both[@]}"
expect 0 'on LLVM 19/znver4' "$cyclops" explain 'imul rax, rbx' --mcpu znver4 --mtriple x86_64-linux-gnu "${both[@]}"

expect 0 '^predicted by LLVM 19$' "$cyclops" reproduce fma-numbers --target none "${both[@]}"
expect 0 '"llvm":19' "$cyclops" reproduce fma-numbers --target none --json "${both[@]}"

# What only one of them knows.
expect 0 'llvm-19/diamondrapids +- +not in LLVM 19' "$cyclops" run add-r64 "${sim[@]}" "${both[@]}" --mcpu diamondrapids
expect 0 'diamondrapids +is not in LLVM 19' "$cyclops" explain 'imul rax, rbx' --mcpu diamondrapids --mtriple x86_64-linux-gnu "${both[@]}"
expect 2 "unknown CPU 'znver99'" "$cyclops" run add-r64 "${sim[@]}" "${both[@]}" --mcpu znver99
expect 77 'no module for LLVM 18 in .*\(there is: 19, 22\); install llvm-18-dev' "$cyclops" run add-r64 "${sim[@]}" --llvm 22 --llvm 18
expect 1 "Cannot find option named 'fully'" bash -c "echo nop | '$cyclops' mca --llvm=22 -instruction-tables=fully -"
expect 1 "'full' is invalid value for boolean argument" bash -c "echo nop | '$cyclops' mca --llvm=19 -instruction-tables=full -"

# The full tables of an overlay list what its rules leave; what no rule names is LLVM's.
overlay tables sapphirerapids >"$T/tables.yaml" <<'YAML'
  - {match: LEA64r, latency: 2, uses: []}
  - {match: IMUL64rr, uses: [{resource: SPRPort00, acquire: 1, release: 3}, {resource: SPRPort01_05, release: 2}]}
  - {match: POPCNT64rr, uops: 2}
YAML
full() {
    printf 'leaq 1(%%rax), %%rbx\nimulq %%rax, %%rbx\npopcntq %%rax, %%rbx\n' |
        "$cyclops" mca --llvm 22 -mtriple=x86_64-linux-gnu -mcpu="$1" -instruction-tables=full -resource-pressure=0 - | sed '1,/^\[1\] .*Instructions:/d'
}
expect 0 '^ 1 +1 +1\.00 +1 +SPRPort00_01,[^ ]*,SPRPortAny +LEA64r ' full sapphirerapids
expect 0 '^ 1 +2 +0\.17 +2 +LEA64r ' full "$T/tables.yaml"
expect 0 '^ 1 +3 +2\.00 +3 +SPRPort00\[1,3\],SPRPort01_05\[2\] +IMUL64rr ' full "$T/tables.yaml"
expect 0 '^ 2 +3 +1\.00 +3 +SPRPort00_01,[^ ]*,SPRPortAny +POPCNT64rr ' full "$T/tables.yaml"

# The newest is the default; the environment may say otherwise.
expect 0 '^LLVM version 22\.' "$cyclops" mca --version
expect 0 '^LLVM version 19\.' env CYCLOPS_LLVM=19 "$cyclops" mca --version
expect 0 '^LLVM version 22\.' env CYCLOPS_LLVM=19 "$cyclops" mca --llvm 22 --version
expect 0 '"model":"diamondrapids","isa":"x86_64","host":[a-z]*,"llvm":\[22\]' "$cyclops" list models --isa x86_64 --json
expect 0 ' same$' bash -c "'$cyclops' list models --isa x86_64 --json | jq -r -s '[.[] | select(.model == \"skx\" or .model == \"skylake-avx512\") | .schedules_as] | unique | if length == 1 then .[0] + \" same\" else . end'"
expect 0 '"model":"haswell","isa":"x86_64","host":[a-z]*,"llvm":\[22,19\]' "$cyclops" list models --isa x86_64 --json

# llvm-mca 22 crashes on these: its code for X86 expects every push and pop to write the stack pointer.
for insn in 'pushq %fs' 'popq %gs' 'pushw %fs' 'pushfq' 'popcntq %rax, %rbx'; do
    expect 0 '^Total Cycles:' bash -c "echo '$insn' | '$cyclops' mca --llvm=22 -mtriple=x86_64 -mcpu=znver4 -"
done

# What changed: MFENCE of Skylake, from 1 cycle to 3 and back.
changes=("$cyclops" list changes --isa x86_64 --json --mcpu skylake)
expect 0 '"form":"MFENCE","before":\{"latency":3,.*"after":\{"latency":1,' "${changes[@]}" --llvm 19 --llvm 22
expect 0 '"form":"MFENCE","before":\{"latency":1,.*"after":\{"latency":3,' "${changes[@]}" --llvm 22 --llvm 19
expect 0 '^0$' bash -c "'$cyclops' list changes --isa x86_64 --json --mcpu skylake --llvm 22 --llvm 22 | wc -l"
expect 2 'name the two versions' "${changes[@]}" --llvm 22

# A simulated CPU of one version beside the models of another.
expect 0 'fma-zmm-ps.* 0\.500' "$cyclops" run fma-zmm-ps --isa x86_64 --form looped --mode throughput --target sim:llvm-19/skylake-avx512,noise=none
expect 0 'simulated llvm-19/skylake' "$cyclops" run mfence --isa x86_64 --form looped --mode throughput --target sim:llvm-19/skylake,noise=none "${both[@]}"
# A mistake that only one version sees is a mistake; so is what cannot be compared.
expect 2 "LLVM 19: unknown CPU feature 'movrs'" "$cyclops" run add-r64 "${sim[@]}" "${both[@]}" --mattr +movrs
expect 2 "not 'overlay:blah'" "${changes[@]/skylake/overlay:blah}" --llvm 19 --llvm 22
expect 1 'given twice' "$cyclops" mca --llvm 19 --llvm 22 "$here/blocks/bhive-sample.hex"
expect 1 "'full' is invalid" bash -c "echo nop | '$cyclops' mca --mcpu=llvm-19/haswell -instruction-tables=full -"

# A measurement of a CPU that only one of the versions knows, held against both.
"$cyclops" run add-r64 --isa x86_64 --form looped --mode throughput --target sim:diamondrapids,noise=none --output "$T/file" >/dev/null
expect 0 'llvm-19/diamondrapids +- +not in LLVM 19' "$cyclops" run --from "$T/file" --llvm 19 --llvm 22

# A library of another minor version than the module was built for.
# (Not where a sanitizer must be loaded first.)
echo 'void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) { *a = 19; *b = 2; *c = 5; }' >"$T/other.c"
cc -shared -fPIC -o "$T/other.so" "$T/other.c" || failures=$((failures + 1))
! env LD_PRELOAD="$T/other.so" "$cyclops" --version >/dev/null 2>&1 || expect 77 'was built for LLVM 19\.1\.[0-9]+, but the library that it finds is LLVM 19\.2\.5; build' \
    env LD_PRELOAD="$T/other.so" "$cyclops" mca --llvm 19 --version

# Blocks simulated on several threads come out in the order of their lines, those with mistakes among them.
sed -e '7s/.*/xyz/' "$here/blocks/bhive-sample.hex" >"$T/once"
for ((i = 0; i < 40; i++)); do cat "$T/once"; done >"$T/many"
for jobs in 1 3; do
    "$cyclops" mca --hex --brief --mcpu=znver4 --mtriple=x86_64 --jobs=$jobs "$T/many" >"$T/jobs-$jobs"
done
expect 0 '^error .*many:7:1: ' head -n 7 "$T/jobs-3"
expect 0 same bash -c "[ \$(wc -l <'$T/many') -gt 2000 ] && cmp '$T/jobs-1' '$T/jobs-3' && echo same"
finish
