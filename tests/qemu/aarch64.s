// Calls generated programs by AAPCS64 under qemu-aarch64, as the table `calls` says: pairs of a program and its number of
// iterations, up to a program of 0. Then holds the buffer's words against the table `expected`: pairs of an offset from
// the middle and a value of 32 bits, up to an offset of 1. Exit status: 0; 1 where a program did not keep what it must
// save; 2 where a word differs.
    .text
    .globl _start
_start:
    adrp x0, stack
    add x0, x0, :lo12:stack
    mov x1, sp
    str x1, [x0]
next:
    adrp x2, at
    add x2, x2, :lo12:at
    ldr x3, [x2]
    ldp x4, x0, [x3], #16
    str x3, [x2]
    cbz x4, check
    adrp x1, memory + 32768
    add x1, x1, :lo12:memory + 32768
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    mov x\n, #\n + 100
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    fmov d\n, #\n
    .endr
    blr x4
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    cmp x\n, #\n + 100
    b.ne lost
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    fmov d0, #\n
    fcmp d0, d\n
    b.ne lost
    .endr
    adrp x0, stack
    ldr x0, [x0, :lo12:stack]
    mov x1, sp
    cmp x0, x1
    b.ne lost
    b next
check:
    adrp x2, expected
    add x2, x2, :lo12:expected
    adrp x1, memory + 32768
    add x1, x1, :lo12:memory + 32768
more:
    ldp w3, w4, [x2], #8
    cmp w3, #1
    b.eq done
    ldr w5, [x1, w3, sxtw]
    cmp w5, w4
    b.eq more
    mov x0, #2
    b finish
lost:
    mov x0, #1
    b finish
done:
    mov x0, #0
finish:
    mov x8, #93
    svc #0
    .data
    .balign 8
at:
    .quad calls
stack:
    .quad 0
    .bss
    .balign 64
memory:
    .space 65536
    .section .note.GNU-stack, "", %progbits
