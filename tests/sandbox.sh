#!/usr/bin/env bash
# Code that does what it must not: each ends with the name of what it did, in bounded time, and the blocks beside it are
# measured. docs/sandbox.md has this table for readers.  sandbox.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { echo "skipped: blocks for x86-64"; exit 77; }

names=(
    'system call|mov eax, 39; syscall'
    'system call|mov eax, 231; xor edi, edi; syscall'
    'trap|int3'
    'illegal instruction|ud2'
    'arithmetic exception|xor ecx, ecx; xor edx, edx; div ecx'
    'segmentation fault|mov rax, 0x123456789000; mov [rax], rax'
    'jump outside the code|mov eax, 4096; jmp rax'
    'time-out|1: jmp 1b'
    'stack overflow|1: push rax; jmp 1b'
    'privileged instruction|cli'
    'privileged instruction|hlt'
)
if grep -q 'Seccomp_filters' /proc/self/status; then first=0; else first=2; echo "no filters for system calls here"; fi

for pair in "${names[@]:first}"; do
    start=$EPOCHREALTIME
    expect 1 "error: .*block, n = 1, unrolled\): ${pair%%|*}\$" "$cyclops" run --form unrolled --mcpu none --asm "${pair#*|}"
    took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
    echo "$took ms: ${pair#*|} — ${pair%%|*}"
done

# All in one run, and one that behaves at the end.
arguments=()
for pair in "${names[@]:first}"; do arguments+=(--asm "${pair#*|}"); done
"$cyclops" run --form unrolled --mcpu none --json "${arguments[@]}" --asm nop >"$T/out" 2>"$T/err"
status=$?
n_errors=$(grep -c '^cyclops: error: ' "$T/err")
if [ $status != 1 ] || [ "$n_errors" != $((${#names[@]} - first)) ] ||
    ! grep -q '"record":"measurement","kernel":"nop".*"cycles":0' "$T/out"; then
    echo "FAILED: all in one run: exit $status, $n_errors errors"
    cat "$T/out" "$T/err"
    failures=$((failures + 1))
fi
finish
