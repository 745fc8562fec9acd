#!/usr/bin/env bash
# What --set and --init give a block to start with: registers, masks, memory; in try, run and corpus run; and mistakes.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code for x86-64"
cd "$T" || exit 1

# register NAME BLOCK OPTION…: prints what the block leaves in a register.
register() {
    local name=$1 block=$2
    shift 2
    "$cyclops" try --alias disjoint --json --asm "$block" "$@" | jq -r ".registers.$name // .outcome"
}
left() { expect 0 "^$1\$" register "${@:2}"; }

left 0x7 rcx 'nop' --set rcx=7
left 0xffffffffffffffff rcx 'nop' --set rcx=-1
left 0xffffffff rcx 'nop' --set ecx=-1
left 0x9 rax 'mov rax, rdx' --set rcx=1 --set rdx=8,rdx=9
left 0x5 rax 'mov rax, [rdi + 8]' --set 'mem[rdi+8]=5'
left 0x239d000 rax 'mov rax, [rdi]' --set 'mem[rdi]=0x239d000' # a word, not two halves alike
left 0x2020202 rax 'mov eax, [rdi + 4094]' --set 'mem[rdi:8192]=0x02'
left 0x6 rax 'mov rax, [rdi]' --set 'rdi=0x40000,mem[rdi]=5,mem[0x40000:1]=6'
left 0x4000000000000000 rax 'movhlps xmm1, xmm0; movq rax, xmm1' --set xmm0=0x40000000000000003ff0000000000000
left 0x1fa0 rax 'push rbx; stmxcsr [rsp]; pop rax; movzx eax, ax' --set mxcsr=0x1fa0
left 0x2a rax 'add rax, rbx' --init 'mov eax, 40; mov ebx, 2'
left 0x3 rax 'mov rax, [rdi]' --init 'mov dword ptr [rdi], 3; mov dword ptr [rdi+4], 0'
left 0x3 rax 'mov rax, rcx' --set rcx=2 --init 'inc rcx'
left 'arithmetic exception' rax 'xor edx, edx; div rcx' --set rcx=0
if grep -qw avx512bw /proc/cpuinfo; then
    left 0xffffffffffffffff rax 'kmovq rax, k1'
    left 0x5 rax 'kmovq rax, k1' --set k1=5
fi

# With one address in all registers, the stack is in the middle of the page.
expect 0 '^0x2324800 0x23247f0 0x2324000$' bash -c "'$cyclops' try --alias same --json --asm 'lea rax, [rsp]; lea rbx, [rbp]' |
    jq -r '\"\(.registers.rax) \(.registers.rbx) \(.registers.rdi)\"'"

# The record holds it, and so does a table made of the record.
"$cyclops" run --mcpu none --alias disjoint --form looped --attempt 2 --budget 0 --json --asm 'add rax, rcx' --set rcx=7,k1=-1 \
    --init 'mov edx, 1' --output "$T/set.jsonl" >"$T/out" 2>&1
expect 0 '^"rcx=0x07,k1=0xffffffffffffffff" "ba01000000"$' bash -c "jq -r 'select(.block) | \"\(.block.set | tojson) \(.block.init | tojson)\"' $T/set.jsonl"
expect 0 '"set":"rcx=0x07,k1=0xffffffffffffffff"' "$cyclops" run --from "$T/set.jsonl" --mcpu none --json
expect 0 'starts with rcx=0x07' one_line "$cyclops" run --from "$T/set.jsonl" --mcpu none

# Another value is another experiment.
for value in 7 8; do
    "$cyclops" run --mcpu none --alias disjoint --form looped --attempt 2 --budget 0 --json --asm 'mov rax, [rdi]' --set "mem[rdi]=$value"
done >"$T/two.jsonl" 2>"$T/err"
expect 0 '^2$' bash -c "jq -r 'select(.block) | .setup' $T/two.jsonl | sort -u | wc -l"

# In bulk.
printf '4801c8\n' >"$T/one.hex"
expect 0 '' "$cyclops" corpus run "$T/one.hex" --attempt 2 --budget 0 --output "$T/corpus" --set rcx=7 --init 'mov edx, 1'
expect 0 '"set":"rcx=0x07","init":"ba01000000"' cat "$T/corpus/settings.json"
expect 0 '^rcx=0x07$' bash -c "jq -r 'select(.block) | .block.set' $T/corpus/measurements.jsonl | sort -u"
expect 2 "have another --set \('rcx=0x07'; now 'rcx=0x08'\)" "$cyclops" corpus run "$T/one.hex" --resume --output "$T/corpus" --set rcx=8 --init 'mov edx, 1'

# A function finds in each call what was given: with another value, it would count down from 0, for ever.
called() { # OUTCOME BLOCK OPTION…
    expect 0 "^$1\$" bash -c "'$cyclops' run --mcpu none --alias disjoint --form looped --attempt 2 --budget 0 --json --asm '$2' ${*:3} |
        jq -r 'select(.record == \"measurement\") | .outcome'"
}
called null 'movq rax, xmm0; 1: dec rax; jnz 1b; pxor xmm0, xmm0; ret' --set xmm0=100
called null '1: dec rbx; jnz 1b; ret' --set rbx=100
called null '1: dec rdi; jnz 1b; ret' --init '"mov edi, 100"'
if grep -qw avx512bw /proc/cpuinfo; then
    called null 'kmovq rax, k1; 1: dec rax; jnz 1b; kxorq k1, k1, k1; ret' --set k1=100
    called null 'vextracti128 xmm1, ymm0, 1; movq rax, xmm1; 1: dec rax; jnz 1b; vzeroall; ret' \
        --set ymm0=0x0000000000000064000000000000006400000000000000640000000000000064
fi
expect 2 'it changes mxcsr, which would not start with the given value in each call' "$cyclops" run --mcpu none \
    --asm 'push rax; ldmxcsr [rsp]; pop rax; ret' --set mxcsr=0x1f80

# Mistakes: one message.
mistake() {
    expect 2 "$1" "$cyclops" try --asm 'mov rax, [rdi]' "${@:2}"
    [ "$(wc -l <"$T/out")" = 1 ] || { echo "FAILED: more than one line"; cat "$T/out"; failures=$((failures + 1)); }
}
mistake "'rcxx' is no register of x86_64" --set rcxx=7
mistake "the value is too wide for ecx, which has 4 bytes" --set ecx=0x100000000
mistake "'rcx' is no initial value: write rcx=7" --set rcx
expect 0 'a simulated CPU knows no values: what --set, --init or annotations give changes nothing' one_line \
    "$cyclops" run --target sim:znver4 --attempt 2 --budget 0 --form looped --asm 'div rcx' --set rcx=7
mistake "no memory can be at 0x8: an address is from 0x10000" --set 'mem[8]=1'
mistake "no memory can be at 0x800000000000" --set 'mem[0x800000000000]=1'
mistake "no memory can be at 0x10, by the value of rdi" --set 'rdi=8,mem[rdi+8]=1'
mistake "1 to 1048576 bytes" --set 'mem[rdi:2000000]=1'
mistake "--init:1" --init 'mov eax,'
expect 1 'segmentation fault.*--init' "$cyclops" try --asm 'mov rax, [rdi]' --alias disjoint --init 'mov rax, [8]'
finish
