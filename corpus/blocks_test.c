// Reading blocks: lists, malformed lines, what is left out; basic blocks of code, and profiles.
#include "corpus/blocks.h"

#include "base/bytes.h"
#include "corpus/extract.h"
#include "corpus/inputs.h"
#include "corpus/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct decoder decoder;
    struct fail fail;
    char path[64];
    struct fail last; // the last malformed line
    size_t n_failed;
    struct lab_listener listener;
    struct corpus_blocks blocks;
};

static void keep_failure(void *context, const struct fail *fail) {
    struct fixture *f = context;
    f->last = *fail;
    f->n_failed++;
}

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    const struct isa *isa = isa_find("x86_64");
    strcpy(f->path, "/tmp/corpus-blocks-XXXXXX");
    int file = mkstemp(f->path);
    if (file < 0 || !isa || !decoder_open(&f->decoder, &f->arena, isa, NULL, &f->fail))
        return -1;
    close(file);
    f->listener = (struct lab_listener){.context = f, .failed = keep_failure};
    f->blocks =
        (struct corpus_blocks){.arena = &f->arena, .isa = isa, .decoder = &f->decoder, .listener = &f->listener};
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    decoder_close(&f->decoder);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void write_file(const struct fixture *f, const char *text) {
    FILE *out = fopen(f->path, "we");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static const char *hex_of(struct fixture *f, size_t number) {
    assert_true(number < f->blocks.n);
    return bytes_to_hex(&f->arena, f->blocks.items[number].bytes, f->blocks.items[number].n_bytes);
}

static void lists(void **state) {
    struct fixture *f = *state;
    write_file(f, "hex,cycles\n4801d8,100\n\n  4801D8 \n48ffc0,,x\n");
    assert_true(corpus_inputs_read(&f->blocks, f->path, &f->fail));
    assert_int_equal(f->blocks.n, 2);
    assert_int_equal(f->blocks.n_repeated, 1);
    assert_string_equal(hex_of(f, 0), "4801d8");
    assert_string_equal(hex_of(f, 1), "48ffc0");
    assert_int_equal(f->blocks.items[1].line, 5);
    assert_string_equal(corpus_blocks_summary(&f->blocks), "2 blocks; 1 more is repeated");
    assert_int_equal(corpus_blocks_find(&f->blocks, (const uint8_t *)"\x48\xff\xc0", 3), 1);
    assert_int_equal(corpus_blocks_find(&f->blocks, (const uint8_t *)"\x48", 1), 2);
}

static void malformed_lines(void **state) {
    struct fixture *f = *state;
    write_file(f, "4801d8\n48x1\n480\n,5\n48ffc0\n");
    assert_true(corpus_inputs_read(&f->blocks, f->path, &f->fail));
    assert_int_equal(f->blocks.n, 2);
    assert_int_equal(f->blocks.n_malformed, 3);
    assert_int_equal(f->n_failed, 3);
    assert_int_equal(f->last.line, 4);
    f->blocks.is_strict = true;
    assert_false(corpus_inputs_read(&f->blocks, f->path, &f->fail));
    assert_string_equal(f->fail.file, f->path);
    assert_int_equal(f->fail.line, 2);
    assert_int_equal(f->fail.column, 3);
}

static void limits(void **state) {
    struct fixture *f = *state;
    write_file(f, "90\n48ffc0\n4801d8\n");
    f->blocks.most = 2;
    assert_true(corpus_inputs_read(&f->blocks, f->path, &f->fail));
    assert_int_equal(f->blocks.n, 2);
    write_file(f, "\n\n");
    f->blocks.most = 0;
    assert_false(corpus_inputs_read(&f->blocks, f->path, &f->fail));
    assert_string_equal(f->fail.text, "there is no block in it");
}

static void what_is_left_out(void **state) {
    struct fixture *f = *state;
    // An addition; no instruction of 64-bit code; a jump behind the end, one to the end; a prefix alone.
    write_file(f, "4801d8\n06\neb05\neb00\n48\n");
    assert_true(corpus_inputs_read(&f->blocks, f->path, &f->fail));
    corpus_blocks_decode(&f->blocks);
    assert_null(f->blocks.items[0].left_out);
    assert_int_equal(f->blocks.items[0].instructions, 1);
    assert_memory_equal(f->blocks.items[1].left_out, "undecodable: ", 13);
    assert_memory_equal(f->blocks.items[2].left_out, "jumps away: ", 12);
    assert_null(f->blocks.items[3].left_out);
    assert_memory_equal(f->blocks.items[4].left_out, "undecodable: ", 13);
}

// Each block once, among so many that the index grows.
static void many(void **state) {
    struct fixture *f = *state;
    enum { MANY = 5000 };
    uint8_t *bytes = ARENA_ARRAY(&f->arena, uint8_t, (size_t)4 * MANY);
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        uint32_t number = i % MANY;
        memcpy(bytes + 4 * (size_t)number, &number, 4);
        corpus_blocks_add(&f->blocks, &(struct corpus_block){.bytes = bytes + 4 * (size_t)number, .n_bytes = 4});
    }
    assert_int_equal(f->blocks.n, MANY);
    assert_int_equal(f->blocks.n_repeated, MANY);
}

// inc rax; 3: add rbx, rcx; dec rdi; jne 3; nop; call 0; neg rax; ret; a byte that begins no instruction; not rax
static const uint8_t code[] = "\x48\xff\xc0\x48\x01\xcb\x48\xff\xcf\x75\xf8\x90\xe8\x00\x00\x00\x00\x48\xf7\xd8\xc3"
                              "\x06\x48\xf7\xd0";

static void basic_blocks(void **state) {
    struct fixture *f = *state;
    const struct object_piece piece = {.name = "f", .bytes = code, .n_bytes = sizeof code - 1, .address = 0x1000};
    extract_piece(&f->blocks, "a.o", &piece);
    static const char *const wanted[] = {"48ffc0", "4801cb48ffcf", "90", "48f7d8", "48f7d0"};
    assert_int_equal(f->blocks.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(hex_of(f, i), wanted[i]);
    assert_int_equal(f->blocks.items[1].address, 0x1003);
    assert_int_equal(f->blocks.items[1].instructions, 2);
    assert_int_equal(f->blocks.n_skipped, 1);
}

static const char *program = "/absent/a";

static void only_hot_ones(void **state) {
    struct fixture *f = *state;
    struct profile profile;
    write_file(f, "# counts\n1003 40\n0x1003 2\n1011 7\n2000 9\n");
    assert_true(profile_read(&f->arena, f->path, &program, 1, &profile, &f->fail));
    assert_int_equal(profile_count(&profile, 0x1003), 42);
    assert_int_equal(profile_count(&profile, 0x1004), 0);
    f->blocks.counts = &profile;
    const struct object_piece piece = {.name = "f", .bytes = code, .n_bytes = sizeof code - 1, .address = 0x1000};
    extract_piece(&f->blocks, "a.o", &piece);
    assert_int_equal(f->blocks.n, 2);
    assert_string_equal(hex_of(f, 0), "4801cb48ffcf");
    assert_int_equal(f->blocks.items[0].count, 42);
    assert_int_equal(f->blocks.items[1].count, 7);
}

static void callgrind_profiles(void **state) {
    struct fixture *f = *state;
    struct profile profile;
    // Calls' costs and jumps' places are no costs of their instructions; other files have addresses of their own.
    write_file(f, "# callgrind format\nversion: 1\npositions: instr line\nevents: Ir\n\nob=(1) /absent/a\nfl=(1) a.c\n"
                  "fn=(1) main\n0x1000 10 5\n+3 11 40\ncob=(2) /absent/libc.so.6\ncalls=3 0x2000 1\n* 11 900\n"
                  "jcnd=30/40 0x1000 10\n* 11\njump=3 0x1009 12\n+0 11\n+6 12 7\n-9 * 1\nob=(2)\nfn=(2) free\n"
                  "0x1003 1 1000\n");
    assert_true(profile_read(&f->arena, f->path, &program, 1, &profile, &f->fail));
    assert_int_equal(profile_count(&profile, 0x1000), 6);
    assert_int_equal(profile_count(&profile, 0x1003), 40);
    assert_int_equal(profile_count(&profile, 0x1009), 7);
    write_file(f, "# callgrind format\npositions: instr\nevents: Ir\nob=/absent/b\n0x10 5\nob=/absent/c\n0x10 5\n");
    assert_false(profile_read(&f->arena, f->path, &program, 1, &profile, &f->fail));
    assert_non_null(strstr(f->fail.text, "it counts nothing of /absent/a, but of /absent/b and others"));
    fail_clear(&f->fail);
    write_file(f, "version: 1\npositions: line\nevents: Ir\n10 5\n");
    assert_false(profile_read(&f->arena, f->path, &program, 1, &profile, &f->fail));
    assert_non_null(strstr(f->fail.text, "--dump-instr=yes"));
    fail_clear(&f->fail);
    write_file(f, "1000 5\nhello\n");
    assert_false(profile_read(&f->arena, f->path, &program, 1, &profile, &f->fail));
    assert_int_equal(f->fail.line, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(malformed_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(basic_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_hot_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(callgrind_profiles, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
