// A text's blocks: the places that the assembler gives them, symbols that nothing defines, functions; each mistake has
// its line and column.
#include "blocks/text_blocks.h"

#include "gen/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct read {
    struct arena arena;
    struct fail fail;
    struct text_blocks blocks;
    bool is_done;
};

static void read_text(struct read *read, const char *text, const struct text_choice *choice) {
    static const struct text_choice all = {0};
    const struct block_source source = {.isa = isa_find("x86_64"), .name = "b.s", .text = text};
    *read = (struct read){0};
    read->is_done = text_blocks_read(&read->arena, &source, choice ? choice : &all, &read->blocks, &read->fail);
}

// ---- where a block's loop stands

static void regions_stand_where_the_assembler_puts_them(void **state) {
    (void)state;
    struct read read;
    read_text(&read,
              ".text\nmov %rax, %rbx\n# LLVM-MCA-BEGIN one\nadd %rax, %rbx\n# LLVM-MCA-END\n"
              ".p2align 6\n.skip 5, 0x90\n# LLVM-MCA-BEGIN two\nadd %rax, %rcx\n# LLVM-MCA-END\n",
              NULL);
    assert_int_equal(read.blocks.n, 2);
    assert_int_equal(read.blocks.items[0].source.line_offset, 3);
    assert_int_equal(read.blocks.items[1].source.line_offset, 5);
    assert_non_null(read.blocks.items[0].source.text); // whole in itself
    assert_string_equal(read.blocks.items[1].name, "two");
    arena_free(&read.arena);
}

// In front of the first region, the text of an end marker alone, and regions in others, with comments of C.
static void every_kind_of_marker_is_a_place(void **state) {
    (void)state;
    struct read read;
    read_text(&read, "nop\nadd %rax, %rbx\n# LLVM-MCA-END\nnop\n", NULL);
    assert_int_equal(read.blocks.n, 1);
    assert_int_equal(read.blocks.items[0].source.line_offset, 0);
    arena_free(&read.arena);
    read_text(&read,
              "nop; /* LLVM-MCA-BEGIN o */ nop\n/* LLVM-MCA-BEGIN i\n */ nop /* LLVM-MCA-END i */\n"
              "# LLVM-MCA-END o\n",
              NULL);
    assert_int_equal(read.blocks.n, 2);
    assert_int_equal(read.blocks.items[0].source.line_offset, 1);
    assert_int_equal(read.blocks.items[1].source.line_offset, 2);
    arena_free(&read.arena);
}

// ---- symbols that nothing defines

static void operands_get_made_up_memory(void **state) {
    (void)state;
    struct read read;
    read_text(&read, "movsd .LC0(%rip), %xmm0\naddl counter(%rip), %eax\nmovl table(,%rdi,4), %eax\n", NULL);
    const struct block_source *source = &read.blocks.items->source;
    assert_int_equal(read.blocks.items->refused.status, FAIL_NONE);
    assert_null(source->text);
    assert_int_equal(source->n_made_up, 3);
    assert_string_equal(source->made_up[1], "counter");
    assert_int_equal(source->link->n_fixups, 3);
    assert_true(source->link->fixups[0].target != source->link->fixups[1].target);
    arena_free(&read.arena);
}

static void a_branch_to_what_nothing_defines_leaves(void **state) {
    (void)state;
    struct read read;
    read_text(&read, "movsd .LC0(%rip), %xmm0\nja .Lexit\nadd %rax, %rbx\n", NULL);
    const struct block_source *source = &read.blocks.items->source;
    assert_int_equal(read.blocks.items->refused.status, FAIL_NONE);
    assert_int_equal(source->n_made_up, 1);
    assert_int_equal(source->link->n_fixups, 1);
    int32_t distance; // of ja, behind movsd
    assert_int_equal(source->bytes[9], 0x87);
    memcpy(&distance, source->bytes + 10, sizeof distance);
    assert_true(distance > 1 << 20);
    arena_free(&read.arena);
}

static const struct bad {
    const char *text;
    unsigned line, column;
    const char *message;
} bad[] = {
    {"add %rax, %rbx\ncall helper\n", 2, 6, "the block refers to 'helper', which nothing defines"},
    {"movsd .LC0(%rip), %xmm0\njmp helper\n", 2, 5, "the block refers to 'helper', which nothing defines"},
    {"nop\n  call *helper@GOTPCREL(%rip)\n", 2, 9, "the block refers to 'helper', which nothing defines"},
    {".intel_syntax noprefix\nadd rax, rbz\n", 2, 10,
     "'rbz' is neither a register nor defined here (did you mean 'rbx'?)"},
    {"# LLVM-MCA-BEGIN\nmov v@tpoff(%rax), %rbx\n# LLVM-MCA-END\n", 2, 5, "'v', which is thread-local"},
    {".data\nv: .long 1\n.text\nfrob %rax\n", 4, 0, "as: no such instruction: `frob %rax'"},
};

static void mistakes_have_a_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct read read;
        read_text(&read, bad[i].text, NULL);
        const struct fail *why = &read.blocks.items->refused;
        if (!strstr(why->text, bad[i].message))
            fail_msg("%zu: '%s'", i, why->text);
        assert_int_equal(why->line, bad[i].line);
        assert_int_equal(why->column, bad[i].column);
        arena_free(&read.arena);
    }
}

// A variable in AT&T's syntax may be called like half a register.
static void short_names_are_variables(void **state) {
    (void)state;
    struct read read;
    read_text(&read, "movl a(%rip), %eax\nmovl bx1(%rip), %eax\n", NULL);
    assert_int_equal(read.blocks.items->refused.status, FAIL_NONE);
    assert_int_equal(read.blocks.items->source.n_made_up, 2);
    arena_free(&read.arena);
}

// ---- functions, and what surrounds code

#define TWO_FUNCTIONS                                                                                                  \
    ".file \"k.c\"\n.text\n.file 0 \"/src\" \"k.c\"\n.type f,@function\nf:\n.loc 0 1 2 view .LVU1\n.cfi_startproc\n"   \
    "mov v(%rip), %eax\nret\n.cfi_endproc\n.size f, .-f\n.p2align 4\n.type g,@function\ng:\nret\n.size g, .-g\n"       \
    ".data\nv: .long 7\n.section .debug_str,\"MS\",@progbits,1\n.string \"k\"\n.addrsig\n"

static void each_function_is_a_block(void **state) {
    (void)state;
    struct read read;
    read_text(&read, TWO_FUNCTIONS, NULL);
    assert_int_equal(read.blocks.n, 2);
    assert_string_equal(read.blocks.items[0].name, "f");
    assert_int_equal(read.blocks.items[0].source.link->n_fixups, 1);
    assert_int_equal(read.blocks.items[0].source.n_made_up, 0);
    assert_int_equal(read.blocks.items[1].source.n_bytes, 1);
    assert_int_equal(read.blocks.items[1].source.line_offset, 16);
    arena_free(&read.arena);
    const struct text_choice g = {.symbol = "g"}, other = {.symbol = "h"};
    read_text(&read, TWO_FUNCTIONS, &g);
    assert_int_equal(read.blocks.n, 1);
    assert_string_equal(read.blocks.items->name, "g");
    arena_free(&read.arena);
    read_text(&read, TWO_FUNCTIONS, &other);
    assert_false(read.is_done);
    assert_non_null(strstr(read.fail.text, "there is no symbol 'h'"));
    arena_free(&read.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_stand_where_the_assembler_puts_them),
        cmocka_unit_test(every_kind_of_marker_is_a_place),
        cmocka_unit_test(operands_get_made_up_memory),
        cmocka_unit_test(a_branch_to_what_nothing_defines_leaves),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(short_names_are_variables),
        cmocka_unit_test(each_function_is_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
