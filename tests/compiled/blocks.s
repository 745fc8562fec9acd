# Blocks of assembly as people write them, each between llvm-mca's markers. Around each is a function that repeats it, so
# that it can be timed without Cyclops. The loop begins at a line, as in Cyclops: on a Zen 4, `copies` takes 1 or 2 cycles
# by its place. `feature` names what the CPU must have. sums.c explains the lines `call:`.

    .text

# Loads and a store 16 KiB apart, which go on together.
# call: A n; n = 256 512 768 1024
    .globl sums_far_apart
    .p2align 6
sums_far_apart:
# LLVM-MCA-BEGIN sums_far_apart
    movsd (%rdi), %xmm0
    addsd 8(%rdi), %xmm0
    addsd 16(%rdi), %xmm0
    movsd %xmm0, 16392(%rdi)
    add $8, %rdi
# LLVM-MCA-END sums_far_apart
    dec %rsi
    jnz sums_far_apart
    ret

# A store 8 KiB behind what is loaded, in another page and another line.
# call: A n; n = 64 128 192 256
# feature: avx
    .globl copy_far_away
    .p2align 6
copy_far_away:
# LLVM-MCA-BEGIN copy_far_away
    vmovaps 8192(%rdi), %ymm0
    vaddps 8224(%rdi), %ymm0, %ymm0
    vmovaps %ymm0, 16512(%rdi)
    add $32, %rdi
# LLVM-MCA-END copy_far_away
    dec %rsi
    jnz copy_far_away
    vzeroupper
    ret

# The mask selects nothing, so the load touches nothing.
# call: A n; n = 1000 2000 3000 4000
# feature: avx
    .globl masked_load_of_nothing
masked_load_of_nothing:
    vxorps %xmm0, %xmm0, %xmm0
    .p2align 6
0:
# LLVM-MCA-BEGIN masked_load_of_nothing
    vmaskmovps (%rdi), %ymm0, %ymm1
# LLVM-MCA-END masked_load_of_nothing
    dec %rsi
    jnz 0b
    vzeroupper
    ret

# call: A n; n = 1000 2000 3000 4000
# feature: avx
    .globl masked_store_of_nothing
masked_store_of_nothing:
    vxorps %xmm0, %xmm0, %xmm0
    .p2align 6
0:
# LLVM-MCA-BEGIN masked_store_of_nothing
    vmaskmovps %ymm1, %ymm0, (%rdi)
# LLVM-MCA-END masked_store_of_nothing
    dec %rsi
    jnz 0b
    vzeroupper
    ret

# call: A n; n = 1000 2000 3000 4000
# feature: avx512f
    .globl masked_store
masked_store:
    kxnorw %k1, %k1, %k1
    .p2align 6
0:
# LLVM-MCA-BEGIN masked_store
    vmovups %zmm0, (%rdi){%k1}
# LLVM-MCA-END masked_store
    dec %rsi
    jnz 0b
    vzeroupper
    ret

# call: A n; n = 1000 2000 3000 4000
    .globl prefetches
    .p2align 6
prefetches:
# LLVM-MCA-BEGIN prefetches
    prefetcht0 (%rdi)
    prefetcht0 4096(%rdi)
    addq 8192(%rdi), %rax
# LLVM-MCA-END prefetches
    dec %rsi
    jnz prefetches
    ret

# call: A n; n = 1000 2000 3000 4000
# feature: avx2
    .globl gathered
gathered:
    vpxor %xmm2, %xmm2, %xmm2
    .p2align 6
0:
# LLVM-MCA-BEGIN gathered
    vpcmpeqd %ymm1, %ymm1, %ymm1
    vpgatherdd %ymm1, (%rdi,%ymm2,4), %ymm0
# LLVM-MCA-END gathered
    dec %rsi
    jnz 0b
    vzeroupper
    ret

# A store by one pointer, a load by another, never of one address.
# call: A B n; n = 256 512 768 1024
    .globl copies
    .p2align 6
copies:
# LLVM-MCA-BEGIN copies
    movq (%rdi), %rax
    movq %rax, (%rsi)
    addq $8, %rdi
    addq $8, %rsi
# LLVM-MCA-END copies
    dec %rdx
    jnz copies
    ret

# Quotients of 32 bits.
# call: n; n = 256 512 768 1024
    .globl quotients
quotients:
    movl $7, %ecx
    .p2align 6
0:
# LLVM-MCA-BEGIN quotients
    movl $1000, %eax
    xorl %edx, %edx
    divl %ecx
# LLVM-MCA-END quotients
    dec %rdi
    jnz 0b
    ret

# Masks of zeros made in the block: nothing is loaded, and nothing is stored.
# call: A n; n = 1000 2000 3000 4000
# feature: avx512f
    .globl masked_by_zeros
    .p2align 6
masked_by_zeros:
# LLVM-MCA-BEGIN masked_by_zeros
    kxorw %k1, %k1, %k1
    vmovups (%rdi), %zmm0{%k1}
    vmovups %zmm1, 4096(%rdi){%k1}
# LLVM-MCA-END masked_by_zeros
    dec %rsi
    jnz masked_by_zeros
    vzeroupper
    ret

# All elements go to one place.
# call: A n; n = 250 500 750 1000
# feature: avx512f
    .globl scattered
scattered:
    vpxor %xmm2, %xmm2, %xmm2
    .p2align 6
0:
# LLVM-MCA-BEGIN scattered
    kxnorw %k1, %k1, %k1
    vpscatterdd %zmm0, (%rdi,%zmm2,4){%k1}
# LLVM-MCA-END scattered
    dec %rsi
    jnz 0b
    vzeroupper
    ret

# call: A n; n = 250 500 750 1000
# feature: avx512f
    .globl gathered_by_mask
gathered_by_mask:
    vpxor %xmm2, %xmm2, %xmm2
    .p2align 6
0:
# LLVM-MCA-BEGIN gathered_by_mask
    kxnorw %k1, %k1, %k1
    vpgatherdd (%rdi,%zmm2,4), %zmm0{%k1}
# LLVM-MCA-END gathered_by_mask
    dec %rsi
    jnz 0b
    vzeroupper
    ret

    .section .note.GNU-stack, "", @progbits
