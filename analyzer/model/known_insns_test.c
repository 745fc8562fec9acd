// An instruction that was met before means what it meant to a CPU that has met nothing: blocks are described by a CPU
// that remembers all earlier ones, and by one opened for each block alone.
#include "analyzer/model/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_BLOCKS = 6000, FRESH_EVERY = 4, MOST_BYTES = 24 };

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static void same_writes(const struct insn *a, const struct insn *b) {
    assert_int_equal(a->n_writes, b->n_writes);
    for (unsigned i = 0; i < a->n_writes; i++) {
        assert_int_equal(a->writes[i].reg, b->writes[i].reg);
        assert_int_equal(a->cost->writes[i].latency, b->cost->writes[i].latency);
        assert_int_equal(a->writes[i].clears_supers, b->writes[i].clears_supers);
        assert_int_equal(a->cost->writes[i].is_zero, b->cost->writes[i].is_zero);
    }
}

static void same_reads(const struct insn *a, const struct insn *b) {
    assert_int_equal(a->n_reads, b->n_reads);
    for (unsigned i = 0; i < a->n_reads; i++) {
        assert_int_equal(a->reads[i].reg, b->reads[i].reg);
        assert_int_equal(a->cost->reads[i].independent, b->cost->reads[i].independent);
        assert_int_equal(a->cost->reads[i].n_advances, b->cost->reads[i].n_advances);
    }
}

static void same_insn(const struct insn *a, const struct insn *b) {
    assert_string_equal(a->text, b->text);
    assert_string_equal(a->opcode, b->opcode);
    assert_int_equal(a->n_bytes, b->n_bytes);
    assert_memory_equal(a->bytes, b->bytes, a->n_bytes);
    assert_int_equal(a->cost->uops, b->cost->uops);
    assert_int_equal(a->cost->latency, b->cost->latency);
    assert_int_equal(a->cost->info_latency, b->cost->info_latency);
    assert_int_equal(a->cost->sched_class, b->cost->sched_class);
    assert_int_equal(a->cost->buffers, b->cost->buffers);
    same_writes(a, b);
    same_reads(a, b);
    assert_int_equal(a->cost->n_uses, b->cost->n_uses);
    for (unsigned i = 0; i < a->cost->n_uses; i++)
        assert_memory_equal(&a->cost->uses[i], &b->cost->uses[i], sizeof a->cost->uses[i]);
}

static struct backend_cpu *open_cpu(const struct backend *backend, struct arena *arena, const char *triple,
                                    const char *cpu) {
    struct fail fail = {0};
    const struct backend_options options = {.triple = triple, .cpu = cpu, .output_syntax = -1};
    struct backend_cpu *opened = backend->open(arena, &options, &fail);
    assert_non_null(opened);
    return opened;
}

static void same_block(const struct backend *backend, struct backend_cpu *knowing, struct backend_cpu *fresh,
                       const uint8_t *bytes, size_t n_bytes) {
    struct arena arena = {0};
    struct block a = {0}, b = {0};
    struct fail fail_a = {0}, fail_b = {0};
    bool done_a = backend->describe_bytes(knowing, &arena, bytes, n_bytes, &a, &fail_a);
    bool done_b = backend->describe_bytes(fresh, &arena, bytes, n_bytes, &b, &fail_b);
    assert_string_equal(fail_a.text, fail_b.text);
    assert_int_equal(done_a, done_b);
    if (done_a) {
        assert_int_equal(a.n_insns, b.n_insns);
        for (unsigned i = 0; i < a.n_insns; i++)
            same_insn(&a.insns[i], &b.insns[i]);
    }
    arena_free(&arena);
}

// Bytes that decode often, and meet in ever new neighbourhood: prefixes, one-byte instructions, a few longer ones.
static size_t make_x86(uint8_t *bytes, uint32_t *random) {
    static const char *const pieces[] = {
        "\xf0",
        "\xf3",
        "\xf2",
        "\x66",
        "\x67",
        "\x2e",
        "\x48",
        "\x41",
        "\x90",
        "\x89\xc8",
        "\x88\x07",
        "\x87\x07",
        "\x0f\xb1\x0f",
        "\x01\x07",
        "\xff\x07",
        "\xa4",
        "\xab",
        "\x31\xc0",
        "\x50",
        "\x5b",
        "\xc5\xf8\x58\xc1",
        "\xc5\xfc\x58\xc1",
        "\x0f\x58\xc1",
        "\x0f\x10\x07",
        "\xc3",
        "\xeb\x10",
        "\x75\xfe",
        "\x8b\x47\x08",
        "\x8b\x87\x10\x01\x01\x01",
        "\x05\x01\x02\x03\x04",
        "\x62\xf1\x7c\x48\x58\xc1",
        "\x0f\x05",
    };
    size_t n = 0;
    while (n < MOST_BYTES - 8 && (n == 0 || next_random(random) % 6 != 0)) {
        const char *piece = pieces[next_random(random) % (sizeof pieces / sizeof *pieces)];
        while (*piece != '\0')
            bytes[n++] = (uint8_t)*piece++;
        if (next_random(random) % 16 == 0)
            bytes[n++] = (uint8_t)next_random(random);
    }
    return n;
}

// add, ldr, mov and the like, with the zero register in every fourth place; now and then two bytes too few.
static size_t make_aarch64(uint8_t *bytes, uint32_t *random) {
    static const uint32_t words[] = {0x8b000000, 0xcb000000, 0xaa000000, 0xf9400000, 0xf9000000,
                                     0x9b000000, 0x4e20d400, 0x14000001, 0xd503201f};
    size_t n = 0;
    do {
        uint32_t word = words[next_random(random) % (sizeof words / sizeof *words)];
        for (unsigned shift = 0; shift <= 16 && word != 0x14000001 && word != 0xd503201f; shift += shift ? 11 : 5)
            word |= (next_random(random) % 4 == 0 ? 31 : next_random(random) % 4) << shift;
        memcpy(bytes + n, &word, 4);
        n += 4;
    } while (n < MOST_BYTES && next_random(random) % 6 != 0);
    return next_random(random) % 64 == 0 ? n - 2 : n;
}

static void compare(const char *triple, const char *cpu, size_t (*make)(uint8_t *, uint32_t *)) {
    struct arena arena = {0};
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, NULL, &fail);
    assert_non_null(backend);
    struct backend_cpu *knowing = open_cpu(backend, &arena, triple, cpu);
    uint32_t random = 1;
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        uint8_t bytes[MOST_BYTES + 16];
        size_t n_bytes = make(bytes, &random);
        if (i % FRESH_EVERY != 0) { // most blocks only fill the memory
            struct arena scratch = {0};
            struct block block;
            struct fail nobody = {0};
            backend->describe_bytes(knowing, &scratch, bytes, n_bytes, &block, &nobody);
            arena_free(&scratch);
            continue;
        }
        struct arena alone = {0};
        struct backend_cpu *fresh = open_cpu(backend, &alone, triple, cpu);
        same_block(backend, knowing, fresh, bytes, n_bytes);
        backend->close(fresh);
        arena_free(&alone);
    }
    backend->close(knowing);
    arena_free(&arena);
}

static void x86(void **state) {
    (void)state;
    compare("x86_64-unknown-linux-gnu", "skylake-avx512", make_x86);
}

static void aarch64(void **state) {
    (void)state;
    compare("aarch64-unknown-linux-gnu", "neoverse-n1", make_aarch64);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(x86), cmocka_unit_test(aarch64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
