// Instructions of which a result waits for some of the sources only, and flags that are renamed apart: bounds and core
// of small blocks. Those without a comment on it are as measured on a Zen 4.
#include "analyzer/predict/bounds_explain.h"
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/testing_cpu_file.h"
#include "base/bytes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char file_text[] =
    "cpu: 1\n"
    "name: sources\n"
    "base: znver4\n"
    "parameters: {dispatch-width: 6, loads-per-cycle: 3, stores-per-cycle: 2, load-latency: 4,\n"
    "  forward-latency: 7, blocked-load: 14, blocked-load-vector: 15, macro-fusion: 1, moves-eliminated: 1,\n"
    "  conditional-flags-more: 1}\n"
    "forms:\n"
    "  - {match: 'ADC64rr|AD[CO]X64rr|XADD64rr', latency: 1, pipes: [Zn4ALU0123]}\n"
    "  - {match: '(LODS|STOS|MOVS|SCAS|CMPS)Q', slots: 3, pipes: [Zn4ALU0123]}\n"
    "  - {match: CMPXCHG64rm, latency: 2, pipes: [Zn4ALU0123]}\n"
    "  - {match: LEAVE64, latency: 0, latency-to: {RSP: 1}}\n";

static int open_sources(void **state) {
    return testing_cpu_file_open(state, file_text);
}

static const struct {
    const char *what, *hex;
    bool is_loop;
    double latency;
} cases[] = {
    {"xchg rax, rbx; imul rax, rax", "4893480fafc0", false, 1.5},
    {"xchg rax, rbx; imul rax, rbx", "4893480fafc3", false, 3},
    {"xchg rax, rcx; imul rax, rax, twice", "4891480fafc0480fafc0", false, 3},
    // the loop that leaves flags alone has an exchange of its own
    {"adc rax, rbx; imul rcx, rcx; lea r15, [r15-1]; xchg rcx, r15; jrcxz; xchg; jmp",
     "4811d8480fafc94d8d7fff4c87f9e3054c87f9ebeb", true, 3},
    {"adcx rax, rbx; adox rcx, rdx", "66480f38f6c3f3480f38f6ca", false, 1},
    {"adcx rax, rbx; adcx rcx, rdx", "66480f38f6c366480f38f6ca", false, 2},
    {"adox rax, rbx; adox rcx, rdx", "f3480f38f6c3f3480f38f6ca", false, 2},
    {"inc rax; adc rbx, rcx", "48ffc04811cb", false, 1},
    {"bt rcx, rdx; cmove rcx, rax", "480fa3d1480f44c8", false, 1}, // bt leaves the flag that cmove reads
    // xadd gives its second register what was in the first: 1 + 3 cycles in two turns, where that takes a cycle, too
    {"xadd rax, rbx; imul rbx, rbx", "480fc1d8480fafdb", false, 2.5},
    {"xadd rax, rbx; imul rax, rax", "480fc1d8480fafc0", false, 4},
    {"lodsq", "48ad", false, 1}, // no load is waited for
    {"lodsq; imul rax, rbx", "48ad480fafc3", false, 1},
    {"stosq; imul rax, rbx", "48ab480fafc3", false, 3},
    {"movsq", "48a5", false, 1},
    {"cmpsq", "48a7", false, 1},
    {"cmpxchg [rdi], rcx; imul rcx, rax", "480fb10f480fafc8", false, 8}, // 7 and 1 through memory: not by rax and rcx
    {"leave; lea rbp, [rsp-16]", "c9488d6c24f0", false, 2},              // what rbp is loaded with is not wanted
    {"leave", "c9", false, 4},                                           // rbp by rbp
    // a Zen 5: where a condition needs flags of two kinds
    {"cmp rax, rcx; cmove rax, rbx", "4839c8480f44c3", false, 2},
    {"cmp rax, rcx; cmovb rax, rbx", "4839c8480f42c3", false, 2},
    {"cmp rax, rcx; cmovbe rax, rbx", "4839c8480f46c3", false, 3},
    {"cmp rax, rcx; cmovl rax, rbx", "4839c8480f4cc3", false, 3},
    {"cmp rax, rcx; cmovg rax, rbx", "4839c8480f4fc3", false, 3},
    {"cmp rcx, rdx; cmovg rax, rbx", "4839d1480f4fc3", false, 1}, // the data does not wait
    {"cmp rax, rcx; setbe al", "4839c80f96c0", false, 2},
    // a load that waits for all before a store, and that nothing waits for: what is older is what the next one waits
    // for
    {"cmp [rdi], rax; mov [rdi], al", "4839078807", false, 15},
    {"mov [rdi], rax; movups xmm0, [rdi]", "4889070f1007", false, 15}, // of vectors
    {"cmp [rdi], rax; mov [rdi], al, in a loop", "48390788074983ef0175f5", true, 15},
};

static void bounds_by_sources(void **state) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bounds bounds =
            testing_bounds(*state, cases[i].hex, (struct bounds_request){.is_loop = cases[i].is_loop});
        print_message("%s: latency %.3f\n", cases[i].what, bounds.cycles[BOUND_LATENCY]);
        if (fabs(bounds.cycles[BOUND_LATENCY] - cases[i].latency) > 1e-6)
            fail_msg("%s: not %g", cases[i].what, cases[i].latency);
    }
}

// The core takes no less than the bound, and no more where only one limit counts. What is explained is what was found.
static void core_and_chain_by_sources(void **state) {
    struct testing_cpu_file *file = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *bytes = arena_alloc(&file->arena, strlen(cases[i].hex) / 2 + 1);
        struct block block;
        struct fail fail = {0};
        struct bounds_explained explained;
        double cycles, sum = 0;
        assert_true(bytes_from_digits(cases[i].hex, strlen(cases[i].hex), bytes));
        assert_true(model_describe_bytes(&file->model, &file->arena, bytes, strlen(cases[i].hex) / 2, &block, &fail));
        const struct bounds_request request = {.cpu = file->model.own, .block = &block, .is_loop = cases[i].is_loop};
        if (!core_cycles_find(&request, 0, &cycles, &fail))
            fail_msg("%s: %s", cases[i].what, fail.text);
        assert_true(bounds_explain(&file->arena, &request, &explained, &fail));
        print_message("%s: core %.3f, bound %.3f, chain of %u in %u turns\n", cases[i].what, cycles,
                      explained.bounds.most, explained.n_chain, explained.chain_turns);
        if (cycles < explained.bounds.most - 1e-6 || cycles > explained.bounds.most + 0.35)
            fail_msg("%s: the core takes %g, the bound is %g", cases[i].what, cycles, explained.bounds.most);
        for (unsigned c = 0; c < explained.n_chain; c++)
            sum += explained.chain[c].cycles;
        if (explained.n_chain && fabs(sum / explained.chain_turns - cases[i].latency) > 0.01 * cases[i].latency)
            fail_msg("%s: a chain of %g cycles in %u turns", cases[i].what, sum, explained.chain_turns);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_by_sources),
                                       cmocka_unit_test(core_and_chain_by_sources)};
    return cmocka_run_group_tests(tests, open_sources, testing_cpu_file_close);
}
