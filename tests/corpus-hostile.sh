#!/usr/bin/env bash
# Sixty blocks that do what no block of a corpus should: each has a named outcome, and the blocks measured between them
# and after them keep their values.  corpus-hostile.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "blocks for x86-64"

# outcome|block. "value": it is measured. Where CPUs or runs differ, one of several.
blocks=(
    # calls of the system, by all doors
    'system call|mov eax, 39; syscall'
    'system call|mov eax, 57; syscall'                                        # fork
    'system call|mov eax, 58; syscall'                                        # vfork
    'system call|mov eax, 56; mov edi, 17; xor esi, esi; syscall'             # clone
    'system call|mov eax, 59; syscall'                                        # execve
    'system call|mov eax, 231; xor edi, edi; syscall'                         # exit_group
    'system call|mov eax, 62; mov edi, -1; mov esi, 9; syscall'               # kill
    'system call|mov eax, 9; syscall'                                         # mmap
    'system call|mov eax, 11; xor edi, edi; mov rsi, 0x7fffffff000; syscall'  # munmap of everything
    'system call|mov eax, 10; syscall'                                        # mprotect
    'system call|mov eax, 35; syscall'                                        # nanosleep
    'system call|mov eax, 34; syscall'                                        # pause
    'system call|mov eax, 15; syscall'                                        # rt_sigreturn
    'system call|mov eax, 158; syscall'                                       # arch_prctl
    'system call|mov eax, 1; int 0x80'
    'jump outside the code/illegal instruction|sysenter'
    # traps and arithmetic
    'trap|int3'
    'trap|pushfq; or dword ptr [rsp], 0x100; popfq; nop'
    'illegal instruction|ud2'
    'arithmetic exception|xor ecx, ecx; xor edx, edx; div ecx'
    'arithmetic exception|mov rax, 0x8000000000000000; cqo; mov rcx, -1; idiv rcx'
    'arithmetic exception|mov dword ptr [rsp-4], 0; ldmxcsr [rsp-4]; xorps xmm0, xmm0; divps xmm0, xmm0'
    'arithmetic exception|fninit; mov word ptr [rsp-2], 0; fldcw [rsp-2]; fld1; fldz; fdivp; fwait'
    # writes where it should not
    'segmentation fault|mov [0x10], rax'
    'segmentation fault|mov rax, 0xffffffff81000000; mov [rax], rax'
    'segmentation fault|lea rax, [rip]; mov byte ptr [rax], 0xc3'
    'segmentation fault|xor esp, esp; push rax'
    'general protection|mov rax, 0x123456789abcdef0; mov [rax], rax'
    'general protection|mov rsp, 0x123456789abcdef0; push rax'
    'general protection|movaps xmm0, [rdi+1]'
    'bus error|pushfq; or dword ptr [rsp], 0x40000; popfq; mov eax, [rdi+1]'
    'value|mov rax, 0x7fffffffe000; mov [rax], rax'
    # uses up memory
    'too many pages|1: mov [rax], rax; add rax, 0x1000; jmp 1b'
    'too many pages|1: push rax; jmp 1b'
    'too many pages|mov rcx, -1; rep stosb'
    'too many pages|mov ecx, 0x9000; std; rep stosb'
    'too many pages|mov [rax], rax; mov [rax+0x1000], rax; mov [rax+0x2000], rax; mov [rax+0x3000], rax; mov [rax+0x4000], rax; mov [rax+0x5000], rax; mov [rax+0x6000], rax; mov [rax+0x7000], rax; mov [rax+0x8000], rax'
    # never ends, or goes away
    'time-out|1: jmp 1b'
    'time-out|1: add rax, rbx; cmp rax, rax; je 1b'
    'jump outside the code|mov eax, 4096; jmp rax'
    'jump outside the code|jmp rsp'
    'jump outside the code|call rdi'
    'jump outside the code|push rdi; ret'
    'jumps away|jmp .+0x1000'
    'jumps away|nop; nop; jmp .-0x1000'
    'jumps away|call .+0x12345'
    # changes the state of the thread
    'general protection|mov dword ptr [rsp-4], 0xffffffff; ldmxcsr [rsp-4]'
    'general protection|mov ax, 0x1234; mov fs, ax'
    'segmentation fault/illegal instruction/value|wrfsbase rax'
    'segmentation fault/illegal instruction/value|wrgsbase rax'
    'value|mov ebx, 0x1fc0; mov [rsp-4], ebx; ldmxcsr [rsp-4]; divps xmm0, xmm1'
    'value|mov dword ptr [rsp-4], 0x1f80; ldmxcsr [rsp-4]; addps xmm0, xmm1'
    'value|std; movsb'
    'value|fld1'
    'value|mov rsp, rdi; push rax'
    'value|vzeroall; pxor mm0, mm1'
    # goes on to other pages
    'value|mov rbx, [rax]; add rax, 0x200'
    # a kernel's own
    'privileged instruction|cli'
    'privileged instruction|hlt'
    'privileged instruction|wrmsr'
    'privileged instruction|mov rax, cr0'
    'privileged instruction|in al, dx'
    'privileged instruction|invd'
    'undecodable|.byte 0x0f, 0xff, 0xc0'
    'undecodable|.byte 0x06'
)
# cycles|block, on any CPU of these years. They come between the others.
harmless=('1|add rax, rbx' '2|add rax, rbx; add rax, rcx' '3|imul rax, rbx' '1|add rdi, rsi' '6|imul rax, rax; imul rax, rax'
    '3|imul r15, r14' '4|imul rax, rbx; add rax, rcx' '2|xor rax, rbx; not rax' '1|rol r9, 1' '3|add rax, rbx; not rax; add rax, rcx')

hex() { # of a block's text
    printf '.intel_syntax noprefix\n%s\n' "${1//;/$'\n'}" | as -o "$T/block.o" - 2>"$T/as" || { cat "$T/as"; exit 1; }
    objcopy -O binary -j .text "$T/block.o" "$T/block.bin" && od -An -v -tx1 "$T/block.bin" | tr -d ' \n'
}
wanted=()
for i in "${!blocks[@]}"; do
    wanted+=("${blocks[i]%%|*}")
    hex "${blocks[i]#*|}" >>"$T/blocks.hex" && echo >>"$T/blocks.hex"
    [ $((i % 6)) != 0 ] || { hex "${harmless[i / 6 % 10]#*|}" && echo; } >>"$T/blocks.hex"
done
for block in "${harmless[@]}"; do hex "${block#*|}"; echo; done >>"$T/blocks.hex"

expect 0 'have a value in both forms' timeout 250 "$cyclops" corpus run "$T/blocks.hex" --output "$T/hostile" --budget 0

outcome() { # of a block in hexadecimal: unrolled
    jq -rn --arg block "$1" '[inputs | select(.kernel == $block and .form == "unrolled")] | last | if . == null then "none" else .outcome // "value" end' \
        "$T/hostile/measurements.jsonl"
}
left_out() { jq -rn --arg block "$1" '[inputs | select(.block == $block)] | last | .left_out // "" | sub(":.*"; "")' "$T/hostile/blocks.jsonl"; }
for i in "${!blocks[@]}"; do
    block=$(hex "${blocks[i]#*|}")
    got=$(left_out "$block")
    [ -n "$got" ] || got=$(outcome "$block")
    [[ "/${wanted[i]}/" == *"/$got/"* ]] || { echo "FAILED: ${blocks[i]}: $got"; failures=$((failures + 1)); }
done

# The harmless ones have the values that they have alone. A value that the host disturbs is unstable, and shows nothing.
for entry in "${harmless[@]}"; do
    block=$(hex "${entry#*|}")
    line=$(jq -cn --arg block "$block" '[inputs | select(.kernel == $block and .form == "unrolled")] | last' "$T/hostile/measurements.jsonl")
    jq -e --argjson cycles "${entry%%|*}" '.verdict == "unstable" or (.cycles > 0.97 * $cycles and .cycles < 1.03 * $cycles)' <<<"$line" >/dev/null ||
        { echo "FAILED: ${entry#*|}: $line"; failures=$((failures + 1)); }
done
# A block that walks over pages is not stable when it was seen at one time only.
walking=$(hex 'mov rbx, [rax]; add rax, 0x200')
jq -cn --arg block "$walking" '[inputs | select(.kernel == $block)]' "$T/hostile/measurements.jsonl" >"$T/walking"
jq -e 'group_by(.form) | length == 2 and all(.[]; .[0] | .outcome != null or (.block.walks and .verdict == "unstable"))' \
    "$T/walking" >/dev/null || { echo "FAILED: a walking block is stable at once"; cat "$T/walking"; failures=$((failures + 1)); }
finish
