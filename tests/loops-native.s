# Functions of tests/loops-native.sh, as compilers write them. Each loop begins at a line of the cache.
        .text
        .globl native_sum, native_dot, native_find, native_rows, native_lines, native_calls, native_thunk, native_between
        .type native_sum, @function
native_sum:
        xorl %eax, %eax
        .p2align 6
# LLVM-MCA-BEGIN sum
.Lsum:
        addq (%rdi), %rax
        addq $8, %rdi
        cmpq %rdi, %rsi
        jne .Lsum
# LLVM-MCA-END sum
        ret
        .size native_sum, .-native_sum

        .type native_dot, @function
native_dot:
        xorl %eax, %eax
        pxor %xmm0, %xmm0
        .p2align 6
.Ldot:
# LLVM-MCA-BEGIN dot
        movsd (%rdi,%rax,8), %xmm1
        mulsd (%rsi,%rax,8), %xmm1
        addq $1, %rax
        addsd %xmm1, %xmm0
        cmpq %rax, %rdx
        jne .Ldot
# LLVM-MCA-END dot
        ret
        .size native_dot, .-native_dot

        .type native_find, @function
native_find:
        xorl %eax, %eax
        .p2align 6
# LLVM-MCA-BEGIN find
.Lfind:
        movq (%rdi,%rax,8), %rcx
        imulq %rcx, %r8                 # a chain: without one, a loop may have two speeds by how its pipes are chosen
        cmpq %rdx, %rcx
        je .Lfound
        addq $1, %rax
        cmpq %rsi, %rax
        jb .Lfind
# LLVM-MCA-END find
        movq $-1, %rax
.Lfound:
        ret
        .size native_find, .-native_find

        .type native_rows, @function
native_rows:
        xorl %eax, %eax
        .p2align 6
# LLVM-MCA-BEGIN rows
.Lrow:
        movl $4, %ecx
.Lcolumn:
        imulq $3, %rax, %rax
        addq (%rdi), %rax
        decl %ecx
        jne .Lcolumn
        addq $8, %rdi
        subq $1, %rsi
        jne .Lrow
# LLVM-MCA-END rows
        ret
        .size native_rows, .-native_rows

        .type native_lines, @function
native_lines:
        .p2align 6
        .skip 48, 0x90
# LLVM-MCA-BEGIN lines
.Llines:                                # a new line of the cache every fourth turn: more pages than the cache holds
        movdqu (%rdi), %xmm2
        addq $16, %rdi
        paddd %xmm2, %xmm0
        cmpq %rdi, %rsi
        jne .Llines
# LLVM-MCA-END lines
        ret
        .size native_lines, .-native_lines

        .type native_calls, @function   # a function inside, and its return; the loop around it is not the block's
native_calls:
        xorl %eax, %eax
        .p2align 6
# LLVM-MCA-BEGIN calls
.Lcalls:
        call .Linside
        jmp .Lreturned
.Linside:
        imulq $3, %rax, %rax
        imulq $3, %rax, %rax
        ret
.Lreturned:
# LLVM-MCA-END calls
        addq $8, %rdi
        cmpq %rdi, %rsi
        jne .Lcalls
        ret
        .size native_calls, .-native_calls

        .type native_thunk, @function   # a retpoline: the return goes where the caller does not foresee
native_thunk:
        .p2align 6
# LLVM-MCA-BEGIN thunk
.Lthunk:
        leaq .Lthere(%rip), %rcx
        call .Lset
.Lcatch:
        pause
        lfence
        jmp .Lcatch
.Lset:
        movq %rcx, (%rsp)
        ret
.Lthere:
        addq $8, %rdi
# LLVM-MCA-END thunk
        cmpq %rdi, %rsi
        jne .Lthunk
        ret
        .size native_thunk, .-native_thunk

        .type native_between, @function # data between instructions, which are jumps if they are read as such
native_between:
        xorl %eax, %eax
        .p2align 6
# LLVM-MCA-BEGIN between
.Lbetween:
        imulq .Ldata(%rip), %rax
        imulq $3, %rax, %rax
        jmp .Lover
        .byte 0x6
.Ldata:
        .quad 0x7feb7feb7feb7feb
        .byte 0x48
.Lover:
        addq $8, %rdi
        cmpq %rdi, %rsi
        jne .Lbetween
# LLVM-MCA-END between
        ret
        .size native_between, .-native_between

        .section .note.GNU-stack, "", @progbits
