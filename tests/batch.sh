#!/usr/bin/env bash
# One that fails costs itself: of many kernels and blocks in one run, the others have their values, all mistakes are
# listed, and the exit status says that there was one.  batch.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "kernels for x86-64"
run=("$cyclops" run --mode block --form unrolled --kernels "$T/kernels" --mcpu none --attempt 2 --budget 0)
mkdir -p "$T/kernels/x86_64"

kernel() { # NAME BODY [CHAIN]
    printf '  - name: %s\n    body: |\n      %b\n%b' "$@"
}
head='isa: x86_64\nsyntax: intel\nkernels:\n'

# values_of FILE: how many records have a value; outcomes_of FILE: which have none, and why.
values_of() { jq -s '[.[] | select(.record == "measurement" and .outcome == null)] | length' "$1"; }
outcomes_of() { jq -r 'select(.outcome) | "\(.kernel) \(.outcome)"' "$1" | sort | tr '\n' ','; }

# Forty kernels share processes; four of them end theirs, each in another way.
{
    printf "$head"
    for i in $(seq 1 40); do
        case $i in
        7) kernel k7 'ud2' ;;
        15) kernel k15 'mov eax, 39\n      syscall' ;;
        16) kernel k16 'mov rax, [0x10]' ;;
        33) kernel k33 '1: jmp 1b' ;;
        *) kernel "k$i" 'add {d:r64}, {s:r64}' '    chain: d\n' ;;
        esac
    done
} >"$T/kernels/x86_64/forty.yaml"
mapfile -t names < <(seq -f k%g 1 40)
"${run[@]}" "${names[@]}" --output "$T/forty.jsonl" >"$T/table" 2>"$T/err"
status=$?
expect 0 '^1$' echo $status
expect 0 '^36$' values_of "$T/forty.jsonl"
expect 0 '^k15 system call,k16 segmentation fault,k33 time-out,k7 illegal instruction,$' outcomes_of "$T/forty.jsonl"
expect 0 '^36$' grep -cE '^  k[0-9]+ +cycles per iteration +unrolled ' "$T/table"
for i in '7 .*: illegal instruction' '15 .*: system call' '16 .*: segmentation fault' '33 .*: time-out'; do
    expect 0 "^cyclops: error: k$i\$" cat "$T/err"
done
expect 0 '^4$' grep -c . "$T/err"

# Files that are no kernel files cost the kernels in them.
printf "$head%s\n" "$(kernel lost nop '    chian: d\n')" >"$T/kernels/x86_64/a.yaml"
printf 'isa: [\n' >"$T/kernels/x86_64/b.yaml"
printf "$head%s\n" "$(kernel odd 'mov {d:r65}, 1')" >"$T/kernels/x86_64/z.yaml"
"${run[@]}" k1 lost k2 --json >"$T/some.jsonl" 2>"$T/err"
status=$?
expect 0 '^2$' echo $status
expect 0 '^2$' values_of "$T/some.jsonl"
expect 0 "a.yaml:[0-9]+:[0-9]+: unknown key 'chian'" cat "$T/err"
expect 0 'b.yaml:' cat "$T/err"
expect 0 'z.yaml:' cat "$T/err"
expect 0 "not in a kernel file without a mistake: 'lost'" cat "$T/err"
expect 0 '^4$' grep -c '^cyclops: error: ' "$T/err"
# A command that is for all kernels wants all of them right, and says all that is wrong, too.
expect 2 'a.yaml:' "$cyclops" list kernels --kernels "$T/kernels"
expect 2 'z.yaml:' "$cyclops" list kernels --kernels "$T/kernels"
rm "$T"/kernels/x86_64/[abz].yaml

# Neither does a kernel that as refuses, a block, a file, or half a byte cost the others.
printf "$head%s\n%s\n" "$(kernel good nop)" "$(kernel bad 'movv rax, rbx')" >"$T/kernels/x86_64/a.yaml"
printf 'nop\n.incbin "x"\n' >"$T/data.s"
printf '4801d8\n48zz\n06\n4801d8\n' >"$T/some.hex"
"${run[@]}" good bad "$T/data.s" "$T/no.s" k1 --asm 'add rax, rbx' --asm 'bogus rax, rbx' --hex "$T/some.hex" --hex 900 --json \
    >"$T/some.jsonl" 2>"$T/err"
status=$?
expect 0 '^2$' echo $status
expect 0 '^5$' values_of "$T/some.jsonl"
for i in 'movv rax' 'data.s:2' "cannot open '.*no.s'" 'bogus rax' 'some.hex:2' 'some.hex:3' 'half a byte'; do
    expect 0 "^cyclops: error: .*$i" cat "$T/err"
done
expect 0 '^7$' grep -c '^cyclops: error: ' "$T/err"

# Of an object, the functions that only a linker could complete.
printf '.text\n.type f,@function\nf: imul %%rdi, %%rax\nret\n.size f, .-f\n.type g,@function\ng: call far_away\nret\n.size g, .-g\n' |
    as --64 -o "$T/some.o" - || skip "no assembler for x86-64"
expect 2 "g refers to 'far_away', which another file holds" "${run[@]}" "$T/some.o"
expect 2 '^  f +cycles per iteration' "${run[@]}" "$T/some.o"

# A block that fails one way has its value the other way, and says which one it is.
"${run[@]}" --asm 'mov qword ptr [rdi], 0; mov rax, [rsi]; mov rbx, [rax]' --json >"$T/some.jsonl" 2>"$T/err"
status=$?
expect 0 '^1$' echo $status
expect 0 '^disjoint value,same segmentation fault,$' bash -c \
    "jq -r 'select(.block) | \"\(.block.alias) \(.outcome // \"value\")\"' '$T/some.jsonl' | sort | tr '\n' ','"
expect 0 'rbx, \[rax\], with one address in all registers: segmentation fault: instruction 3 ' cat "$T/err"

# A function that cannot go on with one address in all registers is not called so: no error, unless that was asked for.
printf '.intel_syntax noprefix\n.globl f\nf: mov rax, [rdi]\ncmp rdi, rsi\njne 1f\nud2\n1: mov [rsi], rax\nret\n' >"$T/alike.s"
expect 0 'alike.s: with one address in all registers: illegal instruction; left out' one_line "${run[@]}" "$T/alike.s"
expect 1 'alike.s, with one address in all registers: illegal instruction' one_line "${run[@]}" "$T/alike.s" --alias both

# Memory may hold zeros.
expect 0 '^0x0 0x0$' bash -c "'$cyclops' try --hex 488b07488b1e --fill 0 --alias disjoint --json | jq -r '\"\(.registers.rax) \(.registers.rbx)\"'"
expect 0 '^0x7 0x7$' bash -c "'$cyclops' try --hex 488b07488b1e --fill 7 --alias disjoint --json | jq -r '\"\(.registers.rax) \(.registers.rbx)\"'"
expect 2 "fill takes a number, such as 0x2324000, and not '-1'" "$cyclops" try --hex 90 --fill=-1
expect 2 "registers takes a number above 0" "$cyclops" try --hex 90 --registers 0

# Nothing is left: all is listed all the same.
expect 2 'there are 3 hexadecimal digits' "${run[@]}" --hex 480 --hex 48018
expect 2 'there are 5 hexadecimal digits' "${run[@]}" --hex 480 --hex 48018

# A file without a block is named.
printf '\n ,1.0\n' >"$T/empty.hex"
expect 2 "empty.hex: there is no block in it" "${run[@]}" --hex "$T/empty.hex"
expect 2 "empty.hex: there is no block in it" "$cyclops" try --hex "$T/empty.hex"
expect 2 "empty.hex: there is no block in it" "$cyclops" bundle --hex "$T/empty.hex" --output "$T/bundle"
expect 2 "empty.hex: there is no block in it" "${run[@]}" k1 --hex "$T/empty.hex"

# A bundle has what is good; without any of that it is not written.
expect 2 'no such instruction.*no instruction.*has the others' one_line \
    "$cyclops" bundle add-r64 "$T/some.o" --hex 06 --asm 'bogus rax, rbx' --output "$T/bundle" --pack-only
expect 0 '^kernel add-r64 kernel f $' bash -c "grep -aA1 '^program\$' '$T/bundle' | grep -a ^kernel | sort -u | tr '\n' ' '"
expect 2 'no such instruction' "$cyclops" bundle --hex 06 --asm 'bogus rax, rbx' --output "$T/none"
[ ! -e "$T/none" ] || { echo "FAILED: it was written"; failures=$((failures + 1)); }
finish
