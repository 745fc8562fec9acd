@ As aarch64.s, by AAPCS under qemu-arm.
    .syntax unified
    .arch armv7ve
    .fpu neon-vfpv4
    .arm
    .text
    .globl _start
_start:
    ldr r0, =stack
    str sp, [r0]
next:
    ldr r3, =at
    ldr r4, [r3]
    ldr r5, [r4], #4
    ldr r0, [r4], #4
    str r4, [r3]
    cmp r5, #0
    beq check
    mov r12, r5
    mov r1, #0
    ldr r2, =memory + 32768
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11
    mov r\n, #\n + 100
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    vmov.f64 d\n, #\n
    .endr
    blx r12
    .irp n, 4, 5, 6, 7, 8, 9, 10, 11
    cmp r\n, #\n + 100
    bne lost
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    vmov.f64 d0, #\n
    vcmp.f64 d0, d\n
    vmrs APSR_nzcv, fpscr
    bne lost
    .endr
    ldr r0, =stack
    ldr r0, [r0]
    cmp r0, sp
    bne lost
    b next
check:
    ldr r2, =expected
    ldr r1, =memory + 32768
more:
    ldr r3, [r2], #4
    ldr r4, [r2], #4
    cmp r3, #1
    beq done
    ldr r5, [r1, r3]
    cmp r5, r4
    beq more
    mov r0, #2
    b finish
lost:
    mov r0, #1
    b finish
done:
    mov r0, #0
finish:
    mov r7, #1
    svc #0
    .ltorg
    .data
    .balign 4
at:
    .word calls
stack:
    .word 0
    .bss
    .balign 64
memory:
    .space 65536
    .section .note.GNU-stack, "", %progbits
