// Runs one generated program to its end under qemu-aarch64: kernel(1000, middle of a buffer), then exit(0).
    .text
    .global _start
_start:
    mov x0, #1000
    adrp x1, buffer + 32768
    add x1, x1, :lo12:buffer + 32768
    bl KERNEL
    mov x0, #0
    mov x8, #93
    svc #0
    .bss
    .balign 64
buffer:
    .skip 65536
