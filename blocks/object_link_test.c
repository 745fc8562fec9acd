// What code of an object refers to gets a place, and the code its address; else there is a word about what is missing.
// Objects are made by GNU as.
#include "blocks/object_code.h"

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
    struct object_linker *linker;
};

static bool link_piece(struct loaded *loaded, const struct object_piece *piece) {
    loaded->source = (struct block_source){.isa = isa_find("x86_64"), .bytes = piece->bytes, .n_bytes = piece->n_bytes};
    loaded->linker = object_linker_open(&loaded->arena, &loaded->file, loaded->source.isa, &loaded->fail);
    return loaded->linker && object_linker_read(loaded->linker, piece, &loaded->source, &loaded->fail);
}

static bool load(struct loaded *loaded, const char *text) {
    *loaded = (struct loaded){0};
    const struct isa *isa = isa_find("x86_64");
    const struct object_piece *pieces;
    size_t n;
    struct object_file *file = &loaded->file;
    *file = (struct object_file){.path = "some.o", .triple = isa->triple};
    if (!gen_assemble_text(&loaded->arena, isa, "some.s", text, &file->data, &file->n_bytes, NULL, &loaded->fail)) {
        if (loaded->fail.status == FAIL_UNAVAILABLE)
            skip(); // there is no assembler
        fail_msg("%u: %s", loaded->fail.line, loaded->fail.text);
    }
    assert_true(
        object_code_read(&loaded->arena, file, &(struct object_range){.symbol = "f"}, &pieces, &n, &loaded->fail));
    assert_int_equal(n, 1);
    return link_piece(loaded, &pieces[0]);
}

static void unload(struct loaded *loaded) {
    object_linker_close(loaded->linker);
    arena_free(&loaded->arena);
}

// Another function in front, so that offsets in the section are not those in the function.
#define F(body)                                                                                                        \
    ".intel_syntax noprefix\n.text\n.type g,@function\ng: nop\nlea rax, [rip + other]\nret\n.size g, .-g\n"            \
    ".type f,@function\nf: " body "\n.size f, .-f\n"                                                                   \
    ".section .rodata.other\nother: .quad 99\n"

// The 8 bytes at an address of the memory that comes along.
static uint64_t value_at(const struct link *link, uint64_t address) {
    uint64_t value = UINT64_MAX;
    for (size_t i = 0; i < link->n_segments; i++) {
        const struct segment *segment = &link->segments[i];
        if (address < segment->address || address + sizeof value > segment->address + segment->size)
            continue;
        value = 0;
        if (address - segment->address < segment->n_bytes)
            memcpy(&value, segment->bytes + (address - segment->address), sizeof value);
    }
    return value;
}

// What the reference number `i` refers to. `behind`: bytes of the instruction behind its four.
static uint64_t target_of(const struct link *link, size_t i, unsigned behind) {
    assert_true(link && i < link->n_fixups);
    return link->fixups[i].target + 4 + behind;
}

static void references_meet_their_data(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded,
                     F("mov rax, [rip + two]\nadd rax, [rip + one]\ncmp qword ptr [rip + two], 7\n"
                       "mov rbx, [rip + pointer]\nmov [rip + zero], rax\nret") ".section .rodata\n.quad 5\none: .quad "
                                                                               "1\ntwo: .quad 2\n"
                                                                               ".data\npointer: .quad two\n.bss\n.skip "
                                                                               "40\nzero: .skip 8\n"));
    const struct link *link = loaded.source.link;
    assert_non_null(link);
    assert_int_equal(link->n_fixups, 5);
    assert_int_equal(value_at(link, target_of(link, 0, 0)), 2);
    assert_int_equal(value_at(link, target_of(link, 1, 0)), 1);
    assert_int_equal(value_at(link, target_of(link, 2, 1)), 2); // an immediate follows
    assert_int_equal(value_at(link, target_of(link, 3, 0)), target_of(link, 0, 0));
    assert_int_equal(value_at(link, target_of(link, 4, 0)), 0);
    for (size_t i = 0; i < link->n_segments; i++) {
        assert_int_equal(link->segments[i].address % LINK_PAGE_BYTES, 0);
        assert_true(link->segments[i].address + link->segments[i].size + (1 << 16) < link->code_address);
        uint64_t zero = target_of(link, 4, 0) - link->segments[i].address;
        if (zero < link->segments[i].size)
            assert_true(link->segments[i].is_writable && !link->segments[i].is_executable);
    }
    unload(&loaded);
}

static void tables_lead_into_the_block(void **state) {
    (void)state;
    struct loaded loaded;
    // in front of the table another word, so that it does not begin where its section does
    assert_true(load(
        &loaded, F("lea rdx, [rip + table]\nmovsxd rax, [rdx + 4*rdi]\nadd rax, rdx\njmp rax\n"
                   ".La: nop\n.Lb: nop\nret") ".section .rodata\n.long 77\ntable: .long .La - table, .Lb - table\n"));
    const struct link *link = loaded.source.link;
    assert_non_null(link);
    assert_int_equal(link->n_entries, 2);
    assert_int_equal(link->entries[1].offset - link->entries[0].offset, 4);
    assert_int_equal(link->entries[0].target, 16);
    assert_int_equal(link->entries[1].target, 17);
    assert_int_equal(link->entries[0].addend, 0);
    assert_int_equal(link->entries[1].addend, 4);
    unload(&loaded);
}

// Of a part of a function: a register that holds a table's address, which the function sets before. Not where the
// function sets it to something else as well.
static void registers_hold_tables(void **state) {
    (void)state;
    static const struct {
        const char *more; // behind the part
        size_t n_held;
    } cases[] = {{"pop r8\nret", 1}, {"mov r8, rdi\njmp .Lpart", 0}, {"mov r8b, 1\njmp .Lpart", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded loaded;
        struct arena arena = {0};
        assert_true(
            load(&loaded,
                 arena_printf(
                     &arena,
                     F("lea r8, [rip + table]\n.Lpart: movsxd rax, [r8 + 4*rdi]\n"
                       "add rax, r8\njmp rax\n.La: nop\n.Lb: %s") ".section .rodata\n"
                                                                  ".long 77\ntable: .long .La - table, .Lb - table\n",
                     cases[i].more)));
        const struct object_piece *pieces;
        size_t n;
        object_linker_close(loaded.linker);
        assert_true(object_code_read(&loaded.arena, &loaded.file,
                                     &(struct object_range){.start = "0x10", .end = "0x1a"}, &pieces, &n,
                                     &loaded.fail));
        assert_true(link_piece(&loaded, &pieces[0]));
        assert_int_equal(loaded.source.n_held, cases[i].n_held);
        if (loaded.source.n_held) {
            assert_string_equal(loaded.source.held[0].name, "R8");
            assert_int_equal(value_at(loaded.source.link, loaded.source.held[0].value - 4) & 0xffffffff, 77);
            assert_int_equal(loaded.source.link->n_entries, 2);
        }
        unload(&loaded);
        arena_free(&arena);
    }
}

// A jump out of a function goes on in the other one; the last jump gets room for its distance.
static void jumps_out_of_a_function_meet_the_other_one(void **state) {
    (void)state;
    enum { BYTES = 11, LONG_JUMP = 0xe9 }; // of je and jmp, with distances of four bytes
    struct loaded loaded;
    assert_true(load(&loaded, ".text\n.type g,@function\ng: nop\nret\n.size g,.-g\n.skip 200, 0x90\n"
                              ".type f,@function\nf: je g\njmp h\n.size f,.-f\n"
                              ".type h,@function\nh: ret\n.size h,.-h\n.skip 8\n"));
    const struct link *link = loaded.source.link;
    assert_non_null(link);
    assert_int_equal(link->n_fixups, 2);
    assert_int_equal(loaded.source.n_bytes, BYTES);
    assert_int_equal(loaded.source.bytes[6], LONG_JUMP);
    assert_int_equal(link->fixups[0].offset, 2);
    assert_int_equal(link->fixups[1].offset, 7);
    assert_int_equal(value_at(link, target_of(link, 0, 0)) & 0xffff, 0xc390);
    assert_int_equal(value_at(link, target_of(link, 1, 0)) & 0xff, 0xc3);
    unload(&loaded);
}

static void code_without_references_has_no_link(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded, F("imul rax, rdi\nret")));
    assert_null(loaded.source.link);
    unload(&loaded);
}

// Operands may name what nothing defines: each symbol has one address, far from the memory that comes along.
static void unknown_variables_are_made_up(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded, F("mov rax, [rip + one]\nadd rax, two[rdi*4]\nmov rcx, [rip + one@GOTPCREL]\n"
                                "mov rdx, [rip + one + 8]\nret")));
    assert_int_equal(loaded.source.n_made_up, 2);
    assert_string_equal(loaded.source.made_up[0], "one");
    assert_string_equal(loaded.source.made_up[1], "two");
    const struct link *link = loaded.source.link;
    assert_int_equal(link->n_fixups, 4);
    uint64_t one = link->fixups[0].target + 4; // a distance counts from the end of its 4 bytes
    assert_true(link->fixups[1].target != one);
    assert_int_equal(value_at(link, link->fixups[2].target + 4), one);
    assert_int_equal(link->fixups[3].target + 4, one + 8);
    for (size_t i = 0; i < link->n_segments; i++)
        assert_true(one + 4096 < link->segments[i].address ||
                    one >= link->segments[i].address + link->segments[i].size);
    unload(&loaded);
}

static void what_is_elsewhere_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {F("call far_away\nret"), "f refers to 'far_away', which another file holds"},
        {F("jmp far_away"), "f refers to 'far_away', which another file holds"},
        {F("call [rip + far_away@GOTPCREL]\nret"), "f refers to 'far_away', which another file holds"},
        {F("je k\nret") ".text\nk: ret\n", "compile it with -ffunction-sections"},
        {F("mov eax, fs:local@TPOFF\nret"), "f refers to 'local', which is thread-local"},
        {F("mov rax, [rip + large]\nret") ".bss\n.globl large\nlarge: .zero 20000000\n",
         "its memory is more than 16 MiB"},
        {F("mov rax, [rip + common]\nret") ".comm common, 8\n", "compile it with -fno-common"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded loaded;
        assert_false(load(&loaded, cases[i].text));
        assert_int_equal(loaded.fail.status, FAIL_INPUT);
        assert_string_equal(loaded.fail.file, "some.o");
        if (!strstr(loaded.fail.text, cases[i].reason))
            fail_msg("%s\nwanted: %s", loaded.fail.text, cases[i].reason);
        unload(&loaded);
    }
}

// What a run need not come to refuses nothing: its address is one where no memory appears, and explains a run that goes
// there. Tables that hold another function's missing callee refuse nothing either.
static void what_may_not_run_has_an_address(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {F("je 1f\ncall far_away\n1: ret"), "f calls 'far_away', which another file holds"},
        {F("test edi, edi\nje far_away\nret"), "f calls 'far_away', which another file holds"},
        {F("call h\nret") ".text\n.type h,@function\nh: call far_away\nret\n.size h,.-h\n",
         "h calls 'far_away', which another file holds"},
        {F("call h\nret") ".section .text.h,\"ax\",@progbits\n.globl h\n.type h,@function\nh: jmp far_away\n.size "
                          "h,.-h\n",
         "h calls 'far_away', which another file holds"},
        {F("je 1f\ncall [rip + far_away@GOTPCREL]\n1: ret"), "f calls 'far_away', which another file holds"},
        {F("mov rax, [rip + t]\nret") ".section .data.rel.ro.t,\"aw\"\nt: .quad other, far_away\n",
         "f refers to 'far_away', which another file holds"},
        {F("je 1f\nmov eax, fs:local@TPOFF\n1: ret"), "f refers to 'local', which is thread-local"},
        {F("je 1f\nmov rax, local@GOTTPOFF[rip]\nmov eax, fs:[rax]\n1: ret"),
         "f refers to 'local', which is thread-local"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded loaded;
        if (!load(&loaded, cases[i].text))
            fail_msg("%s: %s", cases[i].text, loaded.fail.text);
        const char *found = NULL;
        for (size_t a = 0; a < loaded.source.n_absent; a++)
            if (loaded.source.absent[a].address >= UINT64_C(0xffffffff80000000) &&
                strstr(loaded.source.absent[a].what, cases[i].reason))
                found = loaded.source.absent[a].what;
        if (!found)
            fail_msg("%s\nwanted: %s", cases[i].text, cases[i].reason);
        unload(&loaded);
    }
}

// The assembler fills in the distance to a function of the same section itself.
static void addresses_in_the_section_meet_the_function(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded, F("lea rax, [rip + h]\ncmp dword ptr [rip + h], 5\nlea rdx, [rip + 1f]\n1: call "
                                "rax\nret") ".text\n.type h,@function\nh: mov eax, 7\nret\n.size h,.-h\n.skip 8\n"));
    const struct link *link = loaded.source.link;
    assert_int_equal(link->n_fixups, 2);
    assert_int_equal(value_at(link, target_of(link, 0, 0)) & 0xffff, 0x07b8); // mov eax, 7
    assert_int_equal(target_of(link, 1, 1), target_of(link, 0, 0));           // an immediate follows
    unload(&loaded);
}

// A run must not read this program's own data of threads: the segment is another one, which begins at 0. The canary
// above them stays.
static void threads_data_are_out_of_reach(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded, F("je 1f\nmov rax, fs:0\n1: mov rdx, fs:0x28\nret") ".data\n"));
    const uint8_t *bytes = loaded.source.bytes + 2; // behind je
    int32_t displacement;
    memcpy(&displacement, bytes + 5, sizeof displacement);
    assert_int_equal(bytes[0], 0x65);
    assert_in_range((uint64_t)(-(int64_t)displacement), 8, 1 << 16);
    assert_int_equal(bytes[9], 0x64);
    unload(&loaded);
}

// Thread-local data of the file itself are variables of the memory that comes along: by an offset from fs, from the
// word at fs:0, or from a word of their own.
static void threads_data_of_the_file_are_met(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(
        &loaded, F("mov rax, fs:[rdi*8+two@TPOFF]\nmov rax, fs:0\nadd rax, two@GOTTPOFF[rip]\n"
                   "add rax, fs:one@TPOFF+8\nret") ".section .tdata,\"awT\",@progbits\none: .quad 1\ntwo: .quad 2\n"));
    const struct link *link = loaded.source.link;
    assert_non_null(link);
    assert_int_equal(link->n_fixups, 4);
    uint64_t two = link->fixups[0].target;
    assert_int_equal(value_at(link, two), 2);
    assert_int_equal(value_at(link, link->fixups[1].target), 0);
    assert_int_equal(value_at(link, target_of(link, 2, 0)), two);
    assert_int_equal(link->fixups[3].target, two);
    assert_true(two < INT32_MAX);
    assert_null(memchr(loaded.source.bytes, 0x64, loaded.source.n_bytes)); // fs
    unload(&loaded);
}

// A file may be damaged anywhere; an answer is wanted, and no crash.
static void no_damage_crashes(void **state) {
    (void)state;
    struct loaded loaded;
    assert_true(load(&loaded,
                     F("mov rax, [rip + two]\ncall h\nret") ".section .rodata\n.quad h\ntwo: .quad 2\n"
                                                            ".text\n.type h,@function\nh: ret\n.size h,.-h\n"));
    for (size_t i = 0; i < loaded.file.n_bytes; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        char *copy = arena_copy(&arena, loaded.file.data, loaded.file.n_bytes);
        copy[i] = (char)(copy[i] ^ 0xff);
        const struct object_file file = {
            .path = "x", .data = copy, .n_bytes = loaded.file.n_bytes, .triple = loaded.file.triple};
        const struct object_piece *pieces;
        size_t n;
        struct object_linker *linker = object_linker_open(&arena, &file, isa_find("x86_64"), &fail);
        if (linker && object_code_read(&arena, &file, &(struct object_range){0}, &pieces, &n, &fail))
            for (size_t p = 0; p < n; p++) {
                struct block_source source = loaded.source;
                struct fail why = {0};
                object_linker_read(linker, &pieces[p], &source, &why);
            }
        object_linker_close(linker);
        arena_free(&arena);
    }
    unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_meet_their_data),
        cmocka_unit_test(tables_lead_into_the_block),
        cmocka_unit_test(registers_hold_tables),
        cmocka_unit_test(jumps_out_of_a_function_meet_the_other_one),
        cmocka_unit_test(code_without_references_has_no_link),
        cmocka_unit_test(unknown_variables_are_made_up),
        cmocka_unit_test(what_is_elsewhere_is_named),
        cmocka_unit_test(what_may_not_run_has_an_address),
        cmocka_unit_test(addresses_in_the_section_meet_the_function),
        cmocka_unit_test(threads_data_are_out_of_reach),
        cmocka_unit_test(threads_data_of_the_file_are_met),
        cmocka_unit_test(no_damage_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
