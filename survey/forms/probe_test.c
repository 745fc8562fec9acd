// Which forms this CPU has, of those whose answer is known.
#include "survey/forms/probe.h"

#include "analyzer/model/backend.h"
#include "blocks/decoder.h"
#include "gen/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static const struct backend *backend;
static struct backend_cpu *cpu;
static const struct form *forms;
static size_t n_forms;
static struct host host;

static int set_up(void **state) {
    (void)state;
    struct fail fail = {0};
    struct decoder_cpu widest = decoder_widest(isa_native());
    const struct backend_options options = {.triple = isa_native()->triple,
                                            .cpu = widest.cpu,
                                            .features = widest.features,
                                            .output_syntax = -1,
                                            .without_model = true};
    backend = backend_load(&arena, NULL, &fail);
    assert_non_null(backend);
    cpu = backend->open(&arena, &options, &fail);
    assert_non_null(cpu);
    assert_true(backend->forms(cpu, &arena, &forms, &n_forms, &fail));
    assert_true(host_read(&arena, &(struct host_request){.cpu = -1}, &host, &fail));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    backend->close(cpu);
    arena_free(&arena);
    return 0;
}

static struct form find(const char *opcode) {
    for (size_t i = 0; i < n_forms; i++)
        if (strcmp(forms[i].opcode, opcode) == 0)
            return forms[i];
    fail_msg("there is no %s", opcode);
    return (struct form){0};
}

static void run(const struct form *some, size_t n, struct probed_form *results, struct probe_counts *counts) {
    struct fail fail = {0};
    if (!probe_forms(&host, some, n, results, counts, &fail))
        fail_msg("%s", fail.text);
}

static void known_ones(void **state) {
    (void)state;
    static const struct {
        const char *opcode;
        enum bench_outcome outcome;
    } known[] = {
        {"ADD64rr", BENCH_OK},       {"ADD64rm", BENCH_OK},         {"ADD64mr", BENCH_OK},
        {"PUSH64r", BENCH_OK},       {"POP64r", BENCH_OK},          {"STD", BENCH_OK},
        {"POPF64", BENCH_OK},        {"LEAVE64", BENCH_OK},         {"MOVSB", BENCH_OK},
        {"FLDCW16m", BENCH_OK},      {"MMX_EMMS", BENCH_OK},        {"LFENCE", BENCH_OK},
        {"CPUID", BENCH_OK},         {"RDTSC", BENCH_OK},           {"MOVAPSrr", BENCH_OK},
        {"WRMSR", BENCH_PRIVILEGED}, {"CLI", BENCH_PRIVILEGED},     {"IN8rr", BENCH_PRIVILEGED},
        {"RDMSR", BENCH_PRIVILEGED}, {"MOV64cr", BENCH_PRIVILEGED}, {"UD1Lr", BENCH_SIGILL},
        {"DIV32r", BENCH_SIGFPE},    {"IDIV64r", BENCH_SIGFPE},     {"INT3", BENCH_SIGTRAP},
        {"SYSCALL", BENCH_SYSCALL},  {"LDMXCSR", BENCH_PROTECTION}, {"MOV64ao64", BENCH_SIGSEGV},
    };
    enum { N = sizeof known / sizeof *known };
    struct form some[N];
    struct probed_form results[N];
    if (strcmp(isa_native()->name, "x86_64") != 0)
        skip();
    for (size_t i = 0; i < N; i++)
        some[i] = find(known[i].opcode);
    run(some, N, results, NULL);
    for (size_t i = 0; i < N; i++) {
        if (!results[i].was_run || results[i].outcome != known[i].outcome || results[i].hint)
            fail_msg("%s (%s): %s", known[i].opcode, form_status_name(some[i].status),
                     probed_form_text(&arena, &results[i]));
    }
}

// An instruction of a feature runs where the CPU has it, and is illegal or a hint elsewhere.
static void features_agree(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *feature;
        bool is_hint; // where the CPU lacks the feature
    } known[] = {
        {"VADDPSYrr", "avx", false},
        {"VPADDDYrr", "avx2", false},
        {"VADDPSZrr", "avx512f", false},
        {"VADDPSZ128rr", "avx512vl", false},
        {"VPOPCNTDZrr", "avx512vpopcntdq", false},
        {"VFMADD213PSr", "fma", false},
        {"ANDN32rr", "bmi", false},
        {"PDEP32rr", "bmi2", false},
        {"VADDPHZrr", "avx512fp16", false},
        {"VFMADDPS4rr", "fma4", false},
        {"CLZERO64r", "clzero", false},
        {"ADD32rr_ND", "ndd", false},
        {"VPMADD52HUQrr", "avxifma", false},
        {"CLDEMOTE", "cldemote", true},
        {"TZCNT32rr", "bmi", true},
        {"LZCNT32rr", "lzcnt", true},
        {"PREFETCHIT0", "prefetchi", true},
        {"PREFETCHW", "prfchw", true},
        {"RDSSPD", "shstk", true},
        {"ENDBR64", "ibt", true},
    };
    enum { N = sizeof known / sizeof *known };
    struct form some[N];
    struct probed_form results[N];
    if (strcmp(isa_native()->name, "x86_64") != 0)
        skip();
    for (size_t i = 0; i < N; i++)
        some[i] = find(known[i].opcode);
    run(some, N, results, NULL);
    for (size_t i = 0; i < N; i++) {
        enum host_feature has = host_feature(&host, known[i].feature);
        bool runs = has == FEATURE_PRESENT || known[i].is_hint;
        const char *hint = has == FEATURE_MISSING && known[i].is_hint ? known[i].feature : NULL;
        assert_int_not_equal(has, FEATURE_UNKNOWN);
        if ((results[i].outcome == BENCH_OK) != runs || (hint != NULL) != (results[i].hint != NULL) ||
            (hint && strcmp(hint, results[i].hint) != 0))
            fail_msg("%s: %s", known[i].opcode, probed_form_text(&arena, &results[i]));
    }
}

static void how_it_is_named(void **state) {
    (void)state;
    struct probed_form probed = {.was_run = false};
    assert_string_equal(probed_form_text(&arena, &probed), "");
    probed = (struct probed_form){.was_run = true, .outcome = BENCH_SIGILL};
    assert_string_equal(probed_form_text(&arena, &probed), "illegal instruction");
    probed = (struct probed_form){.was_run = true, .outcome = BENCH_OK, .hint = "cldemote"};
    assert_string_equal(probed_form_text(&arena, &probed), "hint: this CPU lacks cldemote");
}

// All forms, in order and once more from the end: the outcomes are the same.
static void in_any_order(void **state) {
    (void)state;
    struct form *backwards = ARENA_ARRAY(&arena, struct form, n_forms);
    struct probed_form *results = ARENA_ARRAY(&arena, struct probed_form, n_forms),
                       *others = ARENA_ARRAY(&arena, struct probed_form, n_forms);
    struct probe_counts counts;
    for (size_t i = 0; i < n_forms; i++)
        backwards[i] = forms[n_forms - 1 - i];
    run(forms, n_forms, results, &counts);
    print_message("%zu forms, %u children, %u repeated, %u differed\n", n_forms, counts.n_children, counts.n_repeated,
                  counts.n_differed);
    run(backwards, n_forms, others, &counts);
    for (size_t i = 0; i < n_forms; i++) {
        const struct probed_form *one = &results[i], *other = &others[n_forms - 1 - i];
        if (one->was_run != other->was_run || one->outcome != other->outcome)
            fail_msg("%s: %s, then %s", forms[i].opcode, probed_form_text(&arena, one),
                     probed_form_text(&arena, other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ones),
        cmocka_unit_test(features_agree),
        cmocka_unit_test(how_it_is_named),
        cmocka_unit_test(in_any_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
