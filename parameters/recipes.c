#include "parameters/recipes.h"

#include <string.h>

static const struct recipe recipes[] = {
    {
        .isa = "x86_64",
        .syntax = "intel",
        .vector_feature = "avx",
        .mask_feature = "avx512f",
        .lines =
            {
                [LINE_STEP] = "mov {$w:r64}, [{$w}]",
                [LINE_NOP] = "nop",
                [LINE_INTEGER] = "lea {d$i:r64}, [{s:r64} + 1]",
                [LINE_ADD] = "add {d$i:r64}, {s:r64}",
                [LINE_VECTOR] = "vpaddd {v$i:xmm}, {t:xmm}, {t}",
                [LINE_LOAD] = "mov {d$i:r64}, [{m:r64} + $o]",
                [LINE_LOAD_WIDE] = "vmovdqu {v$i:xmm}, [{m:r64} + $o]",
                [LINE_STORE] = "mov [{m:r64} + $o], {s:r64}",
                [LINE_STORE_WIDE] = "vmovdqa [{m:r64} + 64], {t:xmm}",
                [LINE_MULTIPLY] = "imul {d$i:r64}, {s:r64}, 5",
                [LINE_ZERO] = "xor {d$i:r32}, {d$i}",
                [LINE_MOVE] = "mov {d$i:r64}, {s:r64}",
                [LINE_VECTOR_MOVE] = "vmovaps {v$i:xmm}, {t:xmm}",
                [LINE_MASK] = "knotw {n$i:k}, {o:k}",
                [LINE_COMPARE] = "test {s:r64}, {s}",
                [LINE_BRANCH] = "jo 1f\n1:",
                [LINE_TAKEN] = "jmp 1f\n1:",
                [LINE_INTEGER_WAITS] = "lea {d$i:r64}, [{$w:r64} + 1]",
                [LINE_VECTOR_LEADS] = "vmovdqu {u:xmm}, [{$w:r64}]",
                [LINE_VECTOR_WAITS] = "vpaddd {v$i:xmm}, {u:xmm}, {u}",
                [LINE_LOAD_WIDE_WAITS] = "vmovdqu {v$i:xmm}, [{$w:r64}]",
                [LINE_LOAD_WAITS] = "mov {d$i:r64}, [{$w:r64} + $o]",
            },
    },
    {
        .isa = "aarch64",
        .syntax = "",
        .lines =
            {
                [LINE_STEP] = "ldr {$w:x}, [{$w}]",
                [LINE_NOP] = "nop",
                [LINE_INTEGER] = "add {d$i:x}, {s:x}, #1",
                [LINE_ADD] = "add {d$i:x}, {s:x}, #1",
                [LINE_VECTOR] = "add {v$i:v}.4s, {t:v}.4s, {t}.4s",
                [LINE_LOAD] = "ldr {d$i:x}, [{m:x}, #$o]",
                [LINE_LOAD_WIDE] = "ldr {v$i:q}, [{m:x}]",
                [LINE_STORE] = "str {s:x}, [{m:x}, #$o]",
                [LINE_STORE_WIDE] = "str {t:q}, [{m:x}, #64]",
                [LINE_MULTIPLY] = "mul {d$i:x}, {s:x}, {s}",
                [LINE_ZERO] = "mov {d$i:x}, #0",
                [LINE_MOVE] = "mov {d$i:x}, {s:x}",
                [LINE_VECTOR_MOVE] = "mov {v$i:v}.16b, {t:v}.16b",
                [LINE_COMPARE] = "cmp {s:x}, #1",
                [LINE_BRANCH] = "cbnz {s:x}, 1f\n1:",
                [LINE_TAKEN] = "b 1f\n1:",
                [LINE_INTEGER_WAITS] = "add {d$i:x}, {$w:x}, #1",
                [LINE_VECTOR_LEADS] = "ldr {u:q}, [{$w:x}]",
                [LINE_VECTOR_WAITS] = "add {v$i:v}.4s, {u:v}.4s, {u:v}.4s",
                [LINE_LOAD_WIDE_WAITS] = "ldr {v$i:q}, [{$w:x}]",
                [LINE_LOAD_WAITS] = "ldr {d$i:x}, [{$w:x}, #$o]",
            },
    },
    {
        .isa = "riscv64",
        .syntax = "",
        .lines =
            {
                [LINE_STEP] = "ld {$w:x}, 0({$w})",
                [LINE_NOP] = "nop",
                [LINE_INTEGER] = "addi {d$i:x}, {s:x}, 1",
                [LINE_ADD] = "addi {d$i:x}, {s:x}, 1",
                [LINE_VECTOR] = "fadd.d {v$i:d}, {t:d}, {t}",
                [LINE_LOAD] = "ld {d$i:x}, $o({m:x})",
                [LINE_LOAD_WIDE] = "fld {v$i:d}, $o({m:x})",
                [LINE_STORE] = "sd {s:x}, $o({m:x})",
                [LINE_STORE_WIDE] = "fsd {t:d}, $o({m:x})",
                [LINE_MULTIPLY] = "mul {d$i:x}, {s:x}, {s}",
                [LINE_ZERO] = "li {d$i:x}, 0",
                [LINE_MOVE] = "mv {d$i:x}, {s:x}",
                [LINE_VECTOR_MOVE] = "fmv.d {v$i:d}, {t:d}",
                [LINE_COMPARE] = "slti x0, {s:x}, 1",
                [LINE_BRANCH] = "bnez {s:x}, 1f\n1:",
                [LINE_TAKEN] = "j 1f\n1:",
                [LINE_INTEGER_WAITS] = "addi {d$i:x}, {$w:x}, 1",
                [LINE_VECTOR_LEADS] = "fld {u:d}, 0({$w:x})",
                [LINE_VECTOR_WAITS] = "fadd.d {v$i:d}, {u:d}, {u}",
                [LINE_LOAD_WIDE_WAITS] = "fld {v$i:d}, 0({$w:x})",
                [LINE_LOAD_WAITS] = "ld {d$i:x}, $o({$w:x})",
            },
    },
};

const struct recipe *recipe_find(const char *isa) {
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(recipes[i].isa, isa) == 0)
            return &recipes[i];
    return NULL;
}

void recipe_add(struct text *body, const char *line, unsigned number, const char *chase) {
    number %= RECIPE_REGISTERS;
    for (const char *c = line; *c; c++) {
        if (*c != '$')
            text_append(body, c, 1);
        else if (*++c == 'w')
            text_add(body, chase);
        else
            text_addf(body, "%u", *c == 'o' ? 8 + 8 * number : number);
    }
    text_add(body, "\n");
}
