#include "base/compressed.h"

#include "base/file.h"

#include <errno.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { LINES = 100000 }; // more than the buffers hold

struct fixture {
    struct arena arena;
    struct fail fail;
    char folder[32];
    const char *path, *zst, *gz, *xz;
    char *text;
    size_t length;
};

static void set_up(struct fixture *f) {
    *f = (struct fixture){.folder = "/tmp/cyclops-test-XXXXXX"};
    assert_non_null(mkdtemp(f->folder));
    f->path = arena_printf(&f->arena, "%s/file", f->folder);
    f->zst = arena_printf(&f->arena, "%s.zst", f->path);
    f->gz = arena_printf(&f->arena, "%s.gz", f->path);
    f->xz = arena_printf(&f->arena, "%s.xz", f->path);
    f->text = arena_alloc(&f->arena, LINES * 8 + 1);
    for (unsigned i = 0; i < LINES; i++)
        f->length += (size_t)sprintf(f->text + f->length, "%u\n", i * 7919 % LINES);
    assert_true(file_write(f->path, f->text, f->length, &f->fail));
}

static void tear_down(struct fixture *f) {
    unlink(f->path);
    unlink(f->zst);
    unlink(f->gz);
    unlink(f->xz);
    assert_int_equal(rmdir(f->folder), 0); // nothing else is left in it
    arena_free(&f->arena);
}

static void expect_text(struct fixture *f) {
    char *data;
    size_t length;
    assert_true(compressed_read(&f->arena, f->path, &data, &length, &f->fail));
    assert_int_equal(length, f->length);
    assert_memory_equal(data, f->text, length);
}

// Cuts the file in two, or damages its middle.
static void spoil(struct fixture *f, const char *path, bool is_cut) {
    char *data;
    size_t length;
    assert_true(file_read(&f->arena, path, &data, &length, &f->fail));
    for (size_t i = 0; i < 64; i++)
        data[length / 2 + i] = (char)~data[length / 2 + i];
    assert_true(file_write(path, data, is_cut ? length / 2 : length, &f->fail));
}

static void make_gz(struct fixture *f, const char *text, size_t length, const char *mode) {
    gzFile out = gzopen(f->gz, mode);
    assert_int_equal(gzwrite(out, text, (unsigned)length), (int)length);
    gzclose(out);
}

static void a_packed_file_reads_as_before(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f);
    expect_text(&f);
    assert_true(compressed_pack(&f.arena, f.path, &f.fail));
    assert_int_not_equal(access(f.path, F_OK), 0);
    assert_string_equal(compressed_find(&f.arena, f.path), f.zst);
    expect_text(&f);
    assert_true(compressed_unpack(&f.arena, f.path, &f.fail));
    assert_int_not_equal(access(f.zst, F_OK), 0);
    assert_string_equal(compressed_find(&f.arena, f.path), f.path);
    expect_text(&f);
    tear_down(&f);
}

static void others_may_have_used_gzip(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f);
    make_gz(&f, f.text, f.length / 2, "wb");
    make_gz(&f, f.text + f.length / 2, f.length - f.length / 2, "ab"); // two in one, as `cat` makes them
    unlink(f.path);
    expect_text(&f);
    assert_true(compressed_unpack(&f.arena, f.path, &f.fail));
    assert_int_not_equal(access(f.gz, F_OK), 0);
    expect_text(&f);
    tear_down(&f);
}

static size_t make_xz(struct fixture *f, const char *text, size_t length, uint8_t *out, size_t room) {
    size_t n = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, length, out, &n, room),
                     LZMA_OK);
    assert_true(file_write(f->xz, (const char *)out, n, &f->fail));
    return n;
}

static void published_files_are_of_xz(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f);
    size_t room = 2 * f.length, half = f.length / 2;
    uint8_t *out = arena_alloc(&f.arena, room);
    size_t n = make_xz(&f, f.text, half, out, room);
    n += make_xz(&f, f.text + half, f.length - half, out + n, room - n);
    assert_true(file_write(f.xz, (const char *)out, n, &f.fail)); // two in one
    unlink(f.path);
    expect_text(&f);
    for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
        char *data;
        assert_true(file_write(f.xz, (const char *)out, n, &f.fail));
        spoil(&f, f.xz, is_cut);
        assert_false(compressed_read(&f.arena, f.path, &data, NULL, &f.fail));
        assert_non_null(strstr(f.fail.text, "damaged or cut short"));
        fail_clear(&f.fail);
    }
    tear_down(&f);
}

static void a_place_can_be_sought(void **state) {
    struct fixture f;
    static const size_t places[] = {700, 300000, 5, 200001};
    (void)state;
    set_up(&f);
    assert_true(compressed_pack(&f.arena, f.path, &f.fail));
    FILE *in = compressed_open(f.path);
    assert_non_null(in);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(fseeko(in, (off_t)places[i], SEEK_SET), 0);
        assert_int_equal(fgetc(in), f.text[places[i]]);
        assert_int_equal(ftello(in), places[i] + 1);
    }
    fclose(in);
    tear_down(&f);
}

// Where the one was renamed and the other not yet removed, both hold the same.
static void an_unpacking_that_was_killed_is_finished(void **state) {
    struct fixture f;
    (void)state;
    set_up(&f);
    assert_true(compressed_pack(&f.arena, f.path, &f.fail));
    assert_true(file_write(f.path, f.text, f.length, &f.fail));
    assert_string_equal(compressed_find(&f.arena, f.path), f.path);
    assert_true(compressed_unpack(&f.arena, f.path, &f.fail));
    assert_int_not_equal(access(f.zst, F_OK), 0);
    expect_text(&f);
    tear_down(&f);
}

static void what_is_not_there_needs_neither(void **state) {
    struct fixture f;
    char *data;
    (void)state;
    set_up(&f);
    unlink(f.path);
    assert_null(compressed_find(&f.arena, f.path));
    assert_null(compressed_open(f.path));
    assert_int_equal(errno, ENOENT);
    assert_true(compressed_pack(&f.arena, f.path, &f.fail));
    assert_true(compressed_unpack(&f.arena, f.path, &f.fail));
    assert_false(compressed_read(&f.arena, f.path, &data, NULL, &f.fail));
    tear_down(&f);
}

static void damage_is_a_failure(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct fixture f;
        char *data;
        bool is_zstd = i % 2, is_cut = i / 2;
        set_up(&f);
        if (is_zstd)
            assert_true(compressed_pack(&f.arena, f.path, &f.fail));
        else
            make_gz(&f, f.text, f.length, "wb");
        unlink(f.path);
        spoil(&f, is_zstd ? f.zst : f.gz, is_cut);
        assert_false(compressed_read(&f.arena, f.path, &data, NULL, &f.fail));
        assert_non_null(strstr(f.fail.text, "damaged or cut short"));
        fail_clear(&f.fail);
        assert_false(compressed_unpack(&f.arena, f.path, &f.fail)); // and nothing is removed
        assert_non_null(compressed_find(&f.arena, f.path));
        fail_clear(&f.fail);
        tear_down(&f);
    }
}

static void a_plain_name_has_no_ending(void **state) {
    struct arena arena = {0};
    (void)state;
    assert_string_equal(compressed_plain_name(&arena, "a.jsonl.zst"), "a.jsonl");
    assert_string_equal(compressed_plain_name(&arena, "a.jsonl.gz"), "a.jsonl");
    assert_string_equal(compressed_plain_name(&arena, "a.jsonl.xz"), "a.jsonl");
    assert_string_equal(compressed_plain_name(&arena, "a.jsonl"), "a.jsonl");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packed_file_reads_as_before),   cmocka_unit_test(others_may_have_used_gzip),
        cmocka_unit_test(a_place_can_be_sought),           cmocka_unit_test(an_unpacking_that_was_killed_is_finished),
        cmocka_unit_test(what_is_not_there_needs_neither), cmocka_unit_test(damage_is_a_failure),
        cmocka_unit_test(a_plain_name_has_no_ending),      cmocka_unit_test(published_files_are_of_xz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
