# As aarch64.s, by the LP64D convention under qemu-riscv64.
    .attribute arch, "rv64gc"
    .text
    .globl _start
_start:
    la t0, stack
    sd sp, 0(t0)
next:
    la t0, at
    ld t1, 0(t0)
    ld t2, 0(t1)
    ld a0, 8(t1)
    addi t1, t1, 16
    sd t1, 0(t0)
    beqz t2, check
    la a1, memory + 32768
    .irp n, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    li x\n, \n + 100
    fmv.d.x f\n, x\n
    .endr
    jalr t2
    .irp n, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    li t0, \n + 100
    bne t0, x\n, lost
    fmv.x.d t1, f\n
    bne t0, t1, lost
    .endr
    la t0, stack
    ld t0, 0(t0)
    bne t0, sp, lost
    j next
check:
    la t2, expected
    la t1, memory + 32768
    li t6, 1
more:
    lw t3, 0(t2)
    lw t4, 4(t2)
    addi t2, t2, 8
    beq t3, t6, done
    add t3, t3, t1
    lw t5, 0(t3)
    beq t4, t5, more
    li a0, 2
    j finish
lost:
    li a0, 1
    j finish
done:
    li a0, 0
finish:
    li a7, 93
    ecall
    .data
    .balign 8
at:
    .dword calls
stack:
    .dword 0
    .bss
    .balign 64
memory:
    .space 65536
    .section .note.GNU-stack, "", %progbits
