#!/usr/bin/env bash
# Predictions by a CPU file take the addresses of what ran, where these do not follow from registers.  addresses.sh BUILD
. "$(dirname "$0")/lib.sh"

# Of BHive: its values on Skylake, 4.87 cycles; one that faults in its second turn; one whose addresses are all known.
product=480fafc3488b08 # imul rax, rbx; mov rcx, [rax]
mask=4b8b0cd4488301014b890cd041b2054939ea # mov rcx, [r12+r10*8]; add [rcx], rax; mov [r8+r10*8], rcx; mov r10b, 5; ...
known=488907488b06 # mov [rdi], rax; mov rax, [rsi]
printf 'hex,cycles_per_100_iterations\n%s,487\n%s,100\n%s,100\n' $mask $product $known >"$T/blocks.csv"
score() { "$cyclops" corpus score --measured "$T/blocks.csv" --isa x86_64 --mcpu "$1" --blocks "$T/values.csv" --json "${@:2}" 2>"$T/messages"; }
is() { [ "$2" = "$3" ] || { echo "FAILED: $1: '$2', not '$3'"; failures=$((failures + 1)); }; }
values() { awk -F, -v block="$1" '$1 == block { print $NF, $12 }' "$T/values.csv"; }

score cpu:skylake --addresses static >"$T/static"
is "static, $mask" "$(values $mask)" 'static 2.0000'
is "static, $known" "$(values $known)" 'static 4.0000'
grep -q '"addresses_run"' "$T/static" && { echo "FAILED: a static score counts runs"; failures=$((failures + 1)); }
expect 2 "addresses is run or static, not 'no'" "$cyclops" corpus score --measured "$T/blocks.csv" --addresses no
expect 2 "addresses is run or static, not 'no'" "$cyclops" run --asm nop --addresses no

score cpu:skylake >"$T/run"
reason=$(sed -n 's/.*"addresses_refusal":"\([^"]*\)".*/\1/p' "$T/run")
case $(uname -m):$reason in
x86_64:*"cannot step"* | x86_64:*"cannot make memory executable"*) echo "cannot run code here: $reason"; exit 77 ;;
x86_64:*) ;;
*)
    is "another ISA, $mask" "$(values $mask)" 'static 2.0000'
    is 'another ISA' "$reason" 'it is of another ISA than this machine'
    exit $failures
    ;;
esac
is "run, $mask" "$(values $mask)" 'run 5.0000'
is "a fault, $product" "$(values $product)" 'static 3.0000'
is 'the reason' "$reason" 'stepping through it: general protection'
is "followed, $known" "$(values $known)" 'static 4.0000'
is 'counts' "$(grep -o '"addresses_run":[0-9]*,"addresses_unknown":[0-9]*' "$T/run")" '"addresses_run":1,"addresses_unknown":1'
score core:skylake >"$T/core"
is "core, $mask" "$(values $mask | cut -c1-5)" 'run 5'

# The very block that is measured: its prediction states which addresses it took.
run() { "$cyclops" run --hex $mask --alias same --form unrolled --mcpu cpu:skylake --json "$@" 2>"$T/messages" >"$T/measured"; }
run
if grep -q '"predicted"' "$T/measured"; then
    is 'run' "$(grep -o '"addresses":"[a-z]*"' "$T/measured")" '"addresses":"run"'
    run --addresses static
    is 'run --addresses static' "$(grep -o '"addresses":"[a-z]*"' "$T/measured")" '"addresses":"static"'
    grep -q 'not all addresses are known (--addresses static)' "$T/measured" || { echo "FAILED: no note"; failures=$((failures + 1)); }
fi
exit $failures
