# As aarch64.s, by the o32 convention under qemu-mips (with the symbol BIG defined) and qemu-mipsel.
    .module arch=mips32r2
    .module fp=32
    .set noreorder
    .text
    .globl _start
_start:
    la $t0, stack
    sw $sp, 0($t0)
next:
    la $t0, at
    lw $t1, 0($t0)
    lw $t2, 0($t1)
    .ifdef BIG
    move $a0, $zero
    lw $a1, 4($t1)
    .else
    lw $a0, 4($t1)
    move $a1, $zero
    .endif
    addiu $t1, $t1, 8
    beqz $t2, check
    sw $t1, 0($t0)
    la $a2, memory + 32768
    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 30
    li $\n, \n + 100
    .endr
    .irp n, 20, 22, 24, 26, 28, 30
    mtc1 $16, $f\n
    mthc1 $17, $f\n
    .endr
    jalr $t2
    nop
    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 30
    li $t0, \n + 100
    bne $t0, $\n, lost
    nop
    .endr
    .irp n, 20, 22, 24, 26, 28, 30
    mfc1 $t0, $f\n
    bne $t0, $16, lost
    mfhc1 $t0, $f\n
    bne $t0, $17, lost
    nop
    .endr
    la $t0, stack
    lw $t0, 0($t0)
    bne $t0, $sp, lost
    nop
    b next
    nop
check:
    la $t2, expected
    la $t1, memory + 32768
more:
    lw $t3, 0($t2)
    lw $t4, 4($t2)
    li $t0, 1
    beq $t3, $t0, done
    addiu $t2, $t2, 8
    addu $t3, $t3, $t1
    lw $t5, 0($t3)
    beq $t4, $t5, more
    nop
    b finish
    li $a0, 2
lost:
    b finish
    li $a0, 1
done:
    move $a0, $zero
finish:
    li $v0, 4001
    syscall
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
