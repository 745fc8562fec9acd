#!/usr/bin/env bash
# Blocks that do what no block should: each ends with the name of what it did, none costs another one its value, and what
# is odd but allowed is measured. docs/how-it-works/sandbox.md has the names for readers.  sandbox.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "blocks for x86-64"

# outcome|block. "value": it has none, and is measured. Where CPUs differ, either of two.
blocks=(
    'system call|mov eax, 39; syscall'
    'system call|mov eax, 231; xor edi, edi; syscall'
    'system call|mov eax, 1; int 0x80'
    'jump outside the code or illegal instruction|sysenter'
    'trap|int3'
    'trap|pushfq; or dword ptr [rsp], 0x100; popfq; nop'
    'illegal instruction|ud2'
    'arithmetic exception|xor ecx, ecx; xor edx, edx; div ecx'
    'arithmetic exception|mov dword ptr [rsp-4], 0; ldmxcsr [rsp-4]; xorps xmm0, xmm0; divps xmm0, xmm0'
    'arithmetic exception|fninit; mov word ptr [rsp-2], 0; fldcw [rsp-2]; fld1; fldz; fdivp; fwait'
    'arithmetic exception|fninit; mov word ptr [rsp-2], 0; fldcw [rsp-2]; fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1; fwait'
    'segmentation fault|mov [0x10], rax'
    'segmentation fault|mov rax, 0xffffffff81000000; mov [rax], rax'
    'segmentation fault|lea rax, [rip]; mov byte ptr [rax], 0xc3'
    'segmentation fault|xor esp, esp; push rax'
    'segmentation fault or illegal instruction|wrfsbase rax'
    'general protection|mov rax, 0x123456789abcdef0; mov [rax], rax'
    'general protection|mov rsp, 0x123456789abcdef0; push rax'
    'general protection|movaps xmm0, [rdi+1]'
    'general protection|mov dword ptr [rsp-4], 0xffffffff; ldmxcsr [rsp-4]'
    'general protection|mov ax, 0x1234; mov fs, ax'
    'bus error|pushfq; or dword ptr [rsp], 0x40000; popfq; mov eax, [rdi+1]'
    'too many pages|1: mov [rax], rax; add rax, 0x1000; jmp 1b'
    'too many pages|mov rcx, 0x1234567000; 1: mov [rax], rax; add rax, rcx; cmp rax, rcx; jne 1b'
    'too many pages|1: push rax; jmp 1b'
    'too many pages|mov rcx, -1; rep stosb'
    'jump outside the code|mov eax, 4096; jmp rax'
    'jump outside the code|mov eax, 0x50001000; jmp rax'
    'jump outside the code|jmp rsp'
    'jump outside the code|call rdi'
    'time-out|1: jmp 1b'
    'privileged instruction|cli'
    'privileged instruction|hlt'
    'privileged instruction|wrmsr'
    'privileged instruction|mov rax, cr0'
    'value|mov [rsp], eax'
    'value|mov [rsp+0x28], rax'
    'value|mov rax, 0x7fffffffe000; mov [rax], rax'
    'value|std; movsb'
    'value|mov rsp, rdi; push rax'
    'value|fld1'
    'value|mov ebx, 0x1fc0; mov [rsp-4], ebx; ldmxcsr [rsp-4]; divps xmm0, xmm1'
)
# cycles|block, on any CPU of these years.
harmless=('1|add rax, rbx' '2|add rax, rbx; add rax, rcx' '3|imul rax, rbx' '1|add rdi, rsi' '6|imul rax, rax; imul rax, rax'
    '3|imul r15, r14' '4|imul rax, rbx; add rax, rcx' '2|xor rax, rbx; not rax' '1|rol r9, 1' '3|add rax, rbx; not rax; add rax, rcx')

arguments=()
for i in "${!blocks[@]}"; do
    arguments+=(--asm "${blocks[i]#*|}")
    [ $((i % 4)) != 0 ] || [ $((i / 4)) -ge ${#harmless[@]} ] || arguments+=(--asm "${harmless[i / 4]#*|}")
done
start=$EPOCHREALTIME
"$cyclops" run --form unrolled --alias disjoint --mcpu none --json "${arguments[@]}" >"$T/out" 2>"$T/err"
status=$?
echo "$(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) ms for $((${#blocks[@]} + ${#harmless[@]})) blocks"
[ $status = 1 ] || { echo "FAILED: exit $status"; cat "$T/err"; failures=$((failures + 1)); }

ending_of() { # of block $1; several lines where there are several records
    jq -r --arg block "$1" 'select(.record == "measurement" and .kernel == $block) | .outcome // "value"' "$T/out"
}
for pair in "${blocks[@]}"; do
    wanted=${pair%%|*} block=${pair#*|}
    ending=$(ending_of "$block")
    printf '%-24s %s\n' "$ending" "$block"
    case $wanted in
    "system call") grep -q Seccomp_filters /proc/self/status || continue ;;
    *" or "*) [ "$ending" != "${wanted#* or }" ] || continue; wanted=${wanted% or *} ;;
    esac
    [ "$ending" = "$wanted" ] || { echo "FAILED: $block: '$ending' (wanted '$wanted')"; failures=$((failures + 1)); }
done
for pair in "${harmless[@]}"; do
    jq -se --argjson cycles "${pair%%|*}" --arg block "${pair#*|}" '
        map(select(.record == "measurement" and .kernel == $block)) |
        length == 1 and (.[0] | (.outcome | not) and (.verdict == "unstable" or (.cycles / $cycles - 1 | fabs) < 0.05))' "$T/out" >/dev/null ||
        { echo "FAILED: ${pair#*|}: $(grep -F "\"kernel\":\"${pair#*|}\"" "$T/out")"; failures=$((failures + 1)); }
done

# What they are told apart by, in words.
explains() { expect 1 "$1" env COLUMNS=1000 "$cyclops" try --asm "$2"; }
explains "general protection: instruction 2 \`mov qword ptr \[rax\], rax\`.*computed 0x123456789abcdef0, which is not an address" 'mov rax, 0x123456789abcdef0; mov [rax], rax'
explains "instruction 2 \`push rax\`.*computed 0x123456789abcdef0" 'mov rsp, 0x123456789abcdef0; push rax'
explains 'needs another alignment than that of 0x[0-9a-f]+1; rdi has the value it started' 'movaps xmm0, [rdi+1]'
explains 'bus error: .*needs another alignment' 'pushfq; or dword ptr [rsp], 0x40000; popfq; mov eax, [rdi+1]'
explains 'does not accept what lies at' 'mov dword ptr [rsp-4], 0xffffffff; ldmxcsr [rsp-4]'
explains 'jump outside the code: instruction 2 `jmp rax` went to 0x1000; rax comes from instruction 1' 'mov eax, 4096; jmp rax'
explains "instruction 3 \`mov rbx, qword ptr \[rax\]\` of copy 1 read 0x0; rax comes from instruction 2" 'mov rax, [rdi]; xor eax, eax; mov rbx, [rax]'
explains 'touched one page more than may appear \(--pages\).*or comes from instruction 2' '1: mov [rax], rax; add rax, 4096; jmp 1b'
finish
