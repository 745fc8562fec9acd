#!/usr/bin/env bash
# One that fails costs itself: of many kernels and blocks in one run, the others have their values, all mistakes are
# listed, and the exit status says that there was one.  batch.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { echo "skipped: kernels for x86-64"; exit 77; }
quickly=(--mcpu none --attempt 2 --budget 0)
mkdir -p "$T/kernels/x86_64"

# Kernels that share processes; four of them end theirs, each in another way.
{
    printf 'isa: x86_64\nsyntax: intel\nkernels:\n'
    for i in $(seq 1 40); do
        case $i in
        7) body='ud2' ;;
        15) body='mov eax, 39\n      syscall' ;;
        16) body='mov rax, [0x10]' ;;
        33) body='1: jmp 1b' ;;
        *) body='add {d:r64}, {s:r64}\n    chain: d' ;;
        esac
        printf '  - name: k%s\n    body: |\n      %b\n' "$i" "$body" | sed 's/^    chain/    chain/'
    done
} >"$T/kernels/x86_64/forty.yaml"
names=$(seq -f k%g 1 40)
# shellcheck disable=SC2086
"$cyclops" run $names --mode block --form unrolled --kernels "$T/kernels" "${quickly[@]}" >"$T/table" 2>"$T/err"
status=$?
[ $status = 1 ] || { echo "FAILED: exit $status (wanted 1)"; failures=$((failures + 1)); }
expect 0 '^36$' grep -cE '^ +k[0-9]+ +block +unrolled +[0-9-]' "$T/table"
cp "$T"/* /tmp/trials-kk/ -r; finish
