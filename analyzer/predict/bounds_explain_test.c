// Who makes the bounds of small blocks on Skylake; and that what is explained is what was found.
#include "analyzer/predict/bounds_explain.h"

#include "analyzer/model/model.h"
#include "base/bytes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct model model;
};

static int open_skylake(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct fail fail = {0};
    const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = "cpu:skylake"};
    *state = fixture;
    if (fixture && model_open(&fixture->model, &fixture->arena, NULL, &options, &fail))
        return 0;
    fail_print(&fail, stderr);
    return -1;
}

static int close_skylake(void **state) {
    struct fixture *fixture = *state;
    model_close(&fixture->model);
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static struct bounds_explained explain(struct fixture *fixture, const char *hex, enum bounds_start registers) {
    uint8_t bytes[64];
    struct block block;
    struct fail fail = {0};
    struct bounds_explained explained;
    struct bounds alone;
    assert_true(bytes_from_digits(hex, strlen(hex), bytes));
    assert_true(model_describe_bytes(&fixture->model, &fixture->arena, bytes, strlen(hex) / 2, &block, &fail));
    const struct bounds_request request = {.cpu = fixture->model.own, .block = &block, .registers = registers};
    assert_true(bounds_explain(&fixture->arena, &request, &explained, &fail));
    assert_true(bounds_find(&request, &alone, &fail));
    assert_memory_equal(alone.cycles, explained.bounds.cycles, sizeof alone.cycles);
    return explained;
}

static void chains(void **state) {
    static const struct {
        const char *hex;
        unsigned n, turns;
        struct {
            unsigned insn;
            enum bound_way way;
            double cycles;
        } links[3];
    } cases[] = {
        {"480fafc3480306",
         2,
         1,
         {{0, BOUND_BY_REGISTER, 3}, {1, BOUND_BY_REGISTER, 1}}}, // imul rax, rbx; add rax, [rsi]
        {"488b00", 1, 1, {{0, BOUND_BY_ADDRESS, 4}}},             // mov rax, [rax]
        // mov [rdi], rax; mov rax, [rdi]; inc rax
        {"488907488b0748ffc0", 3, 1, {{0, BOUND_BY_REGISTER, 0}, {1, BOUND_BY_STORE, 4}, {2, BOUND_BY_REGISTER, 1}}},
        {"8907488b07", 2, 1, {{0, BOUND_BY_REGISTER, 0}, {1, BOUND_BY_OLDER, 16}}}, // mov [rdi], eax; mov rax, [rdi]
        // xchg-like: imul rax, rbx; mov rcx, rax; mov rax, rdx; mov rdx, rcx: in two turns
        {"480fafc34889c14889d04889ca", 4, 2, {{0, BOUND_BY_REGISTER, 3}, {1, BOUND_BY_REGISTER, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bounds_explained explained = explain(*state, cases[i].hex, BOUNDS_APART);
        double sum = 0;
        for (unsigned c = 0; c < explained.n_chain; c++) {
            const struct bound_link *link = &explained.chain[c];
            print_message("%s: %u by %d, %.3f\n", cases[i].hex, link->insn, (int)link->way, link->cycles);
            sum += link->cycles;
        }
        assert_int_equal(explained.n_chain, cases[i].n);
        assert_int_equal(explained.chain_turns, cases[i].turns);
        assert_true(fabs(sum / cases[i].turns - explained.bounds.cycles[BOUND_LATENCY]) < 1e-9);
        for (unsigned c = 0; c < explained.n_chain && c < 2; c++) {
            assert_int_equal(explained.chain[c].insn, cases[i].links[c].insn);
            assert_int_equal(explained.chain[c].way, cases[i].links[c].way);
            assert_float_equal(explained.chain[c].cycles, cases[i].links[c].cycles, 1e-9);
        }
    }
}

// popcnt rax, rbx; add rcx, rdx; imul rsi, rdi: two of them on one pipe.
static void makers_of_ports(void **state) {
    struct bounds_explained explained = explain(*state, "f3480fb8c34801d1480faff7", BOUNDS_APART);
    const struct bound_part *ports = &explained.parts[BOUND_PORTS];
    assert_true(ports->is_maker[0] && !ports->is_maker[1] && ports->is_maker[2]);
    assert_float_equal(ports->cycles, 2, 1e-9);
    assert_float_equal(ports->without, 3, 1e-9); // the imul's own chain through rsi
    assert_float_equal(explained.parts[BOUND_LATENCY].without, 2, 1e-9);
}

static void forwarded_loads(void **state) {
    struct bounds_explained explained = explain(*state, "48891f488b0e", BOUNDS_APART); // mov [rdi], rbx; mov rcx, [rsi]
    assert_int_equal(explained.loads_from[1], -1);
    explained = explain(*state, "48891f488b0e", BOUNDS_SAME);
    assert_int_equal(explained.loads_from[1], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains), cmocka_unit_test(makers_of_ports),
                                       cmocka_unit_test(forwarded_loads)};
    return cmocka_run_group_tests(tests, open_skylake, close_skylake);
}
