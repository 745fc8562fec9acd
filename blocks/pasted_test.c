// Lines of objdump -d and of perf annotate become assembly; other text stays as it is.
#include "blocks/pasted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void disassemblies_become_assembly(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted; // wanted: null, the text itself
    } cases[] = {
        {"0000000000001135 <look>:\n    1135:\t83 e7 03             \tand    $0x3,%edi\n    1143:\tc3                  "
         " \tret\n",
         "\n.byte 0x83, 0xe7, 0x03\n.byte 0xc3\n"},
        // a long instruction has two lines
        {"  10:\t48 b8 01 00 00 00 00 \tmovabs $0x1,%rax\n  17:\t00 00 00 \n",
         ".byte 0x48, 0xb8, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00\n\n"},
        // what an instruction refers to by its distance: a symbol stands for it, also where two lines have the bytes
        {"  10:\t48 8d 0d ef 0d 00 00 \tlea    0xdef(%rip),%rcx        # 2040 <tab>\n",
         ".byte 0x48, 0x8d, 0x0d; .long tab - . - 4\n"},
        {"  10:\tf2 0f 10 05 4f 0f 00 \tmovsd  0xf4f(%rip),%xmm0        # 2140 <tab+0x100>\n  17:\t00 \n",
         ".byte 0xf2, 0x0f, 0x10, 0x05; .long tab+0x100 - . - 4\n\n"},
        {"  10:\t81 3d f0 ff ff ff 07 00 00 00 \tcmp    DWORD PTR [rip-0x10],0x7        # 4010 <a b>\n",
         ".byte 0x81, 0x3d; .long at_4010 - . - 8; .byte 0x07, 0x00, 0x00, 0x00\n"},
        // without bytes, and with blanks in the place of tabs
        {"  10:\tdec    %eax\n  12:\tjne    10 <f+0x10>\n", ".Lat10: dec    %eax\n.Lat12: jne    .Lat10\n"},
        {"  1135: 83 e7 03  and $0x3,%edi\n", ".byte 0x83, 0xe7, 0x03\n"},
        // words
        {"   0:\t8b020020 \tadd\tx0, x1, x2\n", ".byte 0x20, 0x00, 0x02, 0x8b\n"},
        // perf annotate
        {"    3.54 \u2502 10:   vaddps (%rax),%ymm0,%ymm0\n   12.00 \u2502     \u2191 jne    10\n",
         ".Lat10: vaddps (%rax),%ymm0,%ymm0\njne    .Lat10\n"},
        {"         \u2502      lea 0xf01(%rip),%rax        # 2040 <table>\n", "lea table(%rip),%rax\n"},
        {"    3.54 \u2502      mov eax,DWORD PTR [rip+0xf01]        # 2040\n", "mov eax,DWORD PTR [rip+at_2040]\n"},
        // with --stdio, and lines of the source
        {" Percent |\tSource code\n         :\n         : 5    return a + 1;\n    1.20 :   401136:       add    "
         "(%rdi),%eax\n"
         "   98.80 :   401138:\tjne    401136 <f+0x6>\n",
         "\n\n\n.Lat401136: add    (%rdi),%eax\n.Lat401138: jne    .Lat401136\n"},
        // no disassembly
        {"1: dec eax\njnz 1b\n", NULL},
        {"add: nop\n", NULL},
        {"add rax, rbx # 12: 48\n", NULL},
        {"a:\n\tdec %eax\n", NULL},
        // labels of assembly: beside other instructions, directives or markers, and where they do not rise
        {"\timul %rax,%rax\n1:\tadd %rdx,%rcx\n\tjmp 2f\n2:\timul %rax,%rax\n", NULL},
        {"f:\n\t.p2align 4\n1:\tnop\n", NULL},
        {"# LLVM-MCA-BEGIN x\n1:\tnop\n", NULL},
        {"2:\tdec %eax\n1:\tjne 2b\n", NULL},
        {"1:\tfadd\t%st(1)\n\tfsqrt\n\tjmp 1b\n.size f, .-f\n", NULL},
        // objdump -S prints sources between the code, and each section begins at 0
        {"int x = 1;\n   0:\t90\tnop\n.y = 2,\n   1:\tc3\tret\n", "\n.byte 0x90\n\n.byte 0xc3\n"},
        {"0000 <f>:\n   4:\t90\tnop\n\n0000 <g>:\n   0:\tc3\tret\n", "\n.byte 0x90\n\n\n.byte 0xc3\n"},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        assert_string_equal(pasted_as_assembly(&arena, cases[i].text),
                            cases[i].wanted ? cases[i].wanted : cases[i].text);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(disassemblies_become_assembly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
