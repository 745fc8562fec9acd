// The dot product of llvm-mca's manual (LLVM 8): 610 cycles for 300 iterations. LLVM 19's model of
// btver2 gives vhaddps a latency of 4, with which it takes 611; with the manual's 3 the manual's figures come out.
#include "analyzer/model/backend.h"
#include "analyzer/sim/mca/mca.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char dot_product[] =
    "vmulps %xmm0, %xmm1, %xmm2\nvhaddps %xmm2, %xmm2, %xmm3\nvhaddps %xmm3, %xmm3, %xmm4\n";

// The block with every horizontal add taking `latency` cycles.
static struct block with_latency(struct arena *arena, const struct block *block, unsigned latency) {
    struct block changed = *block;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    memcpy(insns, block->insns, block->n_insns * sizeof *insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        if (strcmp(insns[i].opcode, "VHADDPSrr") != 0)
            continue;
        struct sched_insn *cost = ARENA_NEW(arena, struct sched_insn);
        struct sched_write *write = ARENA_NEW(arena, struct sched_write);
        assert_int_equal(insns[i].n_writes, 1);
        *cost = *insns[i].cost;
        *write = cost->writes[0];
        write->latency = cost->latency = latency;
        cost->writes = write;
        insns[i].cost = cost;
    }
    changed.insns = insns;
    return changed;
}

static void figures_of_the_manual(void **state) {
    (void)state;
    static const struct {
        unsigned latency;
        uint64_t cycles;
    } rows[] = {{3, 610}, {4, 611}};
    struct arena arena = {0};
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, NULL, &fail);
    assert_non_null(backend);
    struct backend_options options = {.triple = "x86_64-unknown-unknown", .cpu = "btver2", .output_syntax = -1};
    struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
    assert_non_null(cpu);
    const struct machine *machine = backend->machine(cpu);
    struct backend_source source;
    assert_true(backend->describe_text(cpu, &arena, "dot-product.s", dot_product, &source, &fail));
    assert_int_equal(source.n_blocks, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct block block = with_latency(&arena, &source.blocks[0], rows[i].latency);
        struct event_listener *none[] = {NULL};
        struct pipeline_options run = {.iterations = 300, .as_llvm_mca = true};
        struct pipeline_result result;
        assert_true(mca_core_run(machine, EXECUTION_OF(&block), &run, none, &result, &fail));
        assert_int_equal(result.cycles, rows[i].cycles);
        assert_int_equal(result.instructions, 900);
    }
    backend->close(cpu);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_of_the_manual)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
