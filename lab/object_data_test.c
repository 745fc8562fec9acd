// What code of an object refers to comes along, where it is data; else there is a word about what is missing. Objects
// are made by GNU as.
#include "lab/object_code.h"

#include "base/file.h"
#include "gen/gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct loaded {
    struct arena arena;
    struct fail fail;
    struct object_file file;
    struct block_source source; // of the function f
};

static bool load(struct loaded *loaded, const char *text) {
    *loaded = (struct loaded){0};
    const struct isa *isa = isa_find("x86_64");
    const struct object_piece *pieces;
    size_t n;
    struct object_file *file = &loaded->file;
    *file = (struct object_file){.path = "some.o", .triple = isa->triple};
    if (!gen_assemble_text(&loaded->arena, isa, "some.s", text, &file->data, &file->n_bytes, &loaded->fail)) {
        if (loaded->fail.status == FAIL_UNAVAILABLE)
            skip(); // there is no assembler
        fail_msg("%u: %s", loaded->fail.line, loaded->fail.text);
    }
    assert_true(
        object_code_read(&loaded->arena, file, &(struct object_range){.symbol = "f"}, &pieces, &n, &loaded->fail));
    assert_int_equal(n, 1);
    loaded->source = (struct block_source){.isa = isa, .bytes = pieces[0].bytes, .n_bytes = pieces[0].n_bytes};
    return object_data_read(&loaded->arena, file, &pieces[0], &loaded->source, &loaded->fail);
}

// Another function in front, so that offsets in the section are not those in the function.
#define F(body)                                                                                                        \
    ".intel_syntax noprefix\n.text\n.type g,@function\ng: nop\nlea rax, [rip + other]\nret\n.size g, .-g\n"            \
    ".type f,@function\nf: " body "\n.size f, .-f\n"                                                                   \
    ".section .rodata.other\nother: .quad 99\n"

// Where in the data the instruction with that fixup reads; -1: there is no such fixup.
static int64_t place_of(const struct block_source *source, size_t fixup, unsigned behind) {
    bool is_there = source->fixups && fixup < source->n_fixups;
    return is_there ? source->fixups[fixup].addend + 4 + behind : -1; // distances count from the instruction's end
}

// The 8 bytes there.
static uint64_t value_at(const struct block_source *source, size_t fixup, unsigned behind) {
    uint64_t value = UINT64_MAX;
    int64_t place = place_of(source, fixup, behind);
    if (source->data && place >= 0 && (size_t)place + sizeof value <= source->n_data)
        memcpy(&value, source->data + place, sizeof value);
    return value;
}

static size_t offset_of(const struct block_source *source, size_t fixup) {
    return source->fixups && fixup < source->n_fixups ? source->fixups[fixup].offset : SIZE_MAX;
}

static void constants_come_along(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(
        load(&loaded, F("mov rax, [rip + two]\nadd rax, [rip + one]\nvmovsd xmm0, [rip + one]\ncmp qword ptr [rip + "
                        "two], 7\nret") ".section .rodata\n.quad 5\none: .quad 1\ntwo: .quad 2\n"));
    const struct block_source *source = &loaded.source;
    assert_int_equal(source->n_fixups, 4);
    assert_int_equal(offset_of(source, 0), 3);
    assert_int_equal(offset_of(source, 1), 7 + 3);
    assert_int_equal(offset_of(source, 2), 7 + 7 + 4);
    assert_true(value_at(source, 0, 0) == 2);
    assert_true(value_at(source, 1, 0) == 1);
    assert_true(value_at(source, 2, 0) == 1);
    assert_true(value_at(source, 3, 1) == 2); // a byte of the instruction follows
    assert_int_equal(source->n_data, 24);     // and nothing of what only g refers to
    arena_free(&loaded.arena);
}

static void sections_stand_behind_each_other_aligned(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(
        &loaded,
        F("mov al, [rip + a]\nmov rax, [rip + b]\nmov rax, [rip + zeros]\nret") ".section "
                                                                                ".rodata.a,\"a\",@progbits\na: .byte "
                                                                                "1\n"
                                                                                ".section "
                                                                                ".rodata.b,\"a\",@progbits\n.balign "
                                                                                "64\nb: .quad 2\n.bss\n.balign "
                                                                                "32\nzeros: .zero 40\n"));
    const struct block_source *source = &loaded.source;
    assert_int_equal(source->n_fixups, 3);
    assert_int_equal(place_of(source, 1, 0) % 64, 0);
    assert_int_equal(place_of(source, 2, 0) % 32, 0);
    assert_true(value_at(source, 1, 0) == 2);
    assert_true(value_at(source, 2, 0) == 0);
    assert_true(source->n_data >= 64 + 8 + 40);
    arena_free(&loaded.arena);
}

static void code_without_data_has_none(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded, F("imul rax, rdi\nret")));
    assert_int_equal(loaded.source.n_fixups, 0);
    assert_int_equal(loaded.source.n_data, 0);
    arena_free(&loaded.arena);
}

static void what_only_a_linker_could_place_is_said(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {F("call far_away\nret"), "f refers to 'far_away', which only a linker could place"},
        {F("mov rax, [rip + far_away]\nret"), "f refers to 'far_away', which only a linker could place"},
        {F("lea rax, [rip + h]\nret") ".section .text.h,\"ax\",@progbits\n.globl h\nh: ret\n",
         "f refers to 'h', which is "
         "not data"},
        {F("mov rax, [table + rdi]\nret") ".section .rodata\n.globl table\ntable: .quad 1\n", "f refers to 'table'"},
        {F("mov rax, [rip + large]\nret") ".bss\n.globl large\nlarge: .zero 2000000\n", "a megabyte"},
        // a megabyte but for a byte: aligned, the next byte is behind it
        {F("mov al, [rip + large]\nmov al, [rip + more]\nret") ".section .bss.a,\"aw\",@nobits\nlarge: .zero 1048575\n"
                                                               ".section .bss.b,\"aw\",@nobits\n.balign 64\n"
                                                               "more: .zero 1\n",
         "f refers to '.bss.b', which is more data than a block may have: a megabyte"},
        {F("mov rax, [rip + pointer]\nret") ".section .data.rel.ro,\"aw\"\npointer: .quad other\n",
         "f refers to '.data.rel.ro', whose data holds addresses which only a linker could place"},
        {F("lea rdx, [rip + table]\nmovsxd rax, [rdx + 4*rdi]\nret") ".section .rodata\ntable: .long g - table\n",
         "f refers to '.rodata', whose data holds addresses which only a linker could place"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded loaded;
        assert_false(load(&loaded, cases[i].text));
        assert_int_equal(loaded.fail.status, FAIL_INPUT);
        assert_string_equal(loaded.fail.file, "some.o");
        if (!strstr(loaded.fail.text, cases[i].reason))
            fail_msg("%s\nwanted: %s", loaded.fail.text, cases[i].reason);
        arena_free(&loaded.arena);
    }
}

// A file may be damaged anywhere; an answer is wanted, and no crash.
static void no_damage_crashes(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded, F("mov rax, [rip + two]\nret") ".section .rodata\n.quad 5\ntwo: .quad 2\n"));
    for (size_t i = 0; i < loaded.file.n_bytes; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        char *copy = arena_copy(&arena, loaded.file.data, loaded.file.n_bytes);
        copy[i] = (char)(copy[i] ^ 0xff);
        const struct object_file file = {
            .path = "x", .data = copy, .n_bytes = loaded.file.n_bytes, .triple = loaded.file.triple};
        const struct object_piece *pieces;
        size_t n;
        if (object_code_read(&arena, &file, &(struct object_range){0}, &pieces, &n, &fail))
            for (size_t p = 0; p < n; p++) {
                struct block_source source = loaded.source;
                struct fail why = {0};
                object_data_read(&arena, &file, &pieces[p], &source, &why);
            }
        arena_free(&arena);
    }
    arena_free(&loaded.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_come_along),       cmocka_unit_test(sections_stand_behind_each_other_aligned),
        cmocka_unit_test(code_without_data_has_none), cmocka_unit_test(what_only_a_linker_could_place_is_said),
        cmocka_unit_test(no_damage_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
