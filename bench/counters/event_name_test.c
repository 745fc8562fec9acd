// Names of events as the kernel gets them, on machines made of files; libpfm4 is told which CPU to believe in.
#include "bench/counters/event_name.h"
#include "bench/counters/events.h"
#include "bench/host/fake_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices/"

static const struct host_core_pmu alone = {.name = "cpu", .type = 4, .n_all = 1};
static const struct host_core_pmu p_core = {.name = "cpu_core", .type = 4, .n_all = 2};
static const struct host_core_pmu e_core = {.name = "cpu_atom", .type = 10, .n_all = 2};

static void hybrid(struct tree *tree) {
    static const struct tree_file files[] = {
        {DEVICES "cpu_core/type", "4"},
        {DEVICES "cpu_core/cpus", "0-3"},
        {DEVICES "cpu_core/format/event", "config:0-7"},
        {DEVICES "cpu_core/format/umask", "config:8-15"},
        {DEVICES "cpu_core/format/wide", "config1:0-3,8-11"},
        {DEVICES "cpu_core/events/slots", "event=0x00,umask=0x4"},
        {DEVICES "cpu_core/events/mem-loads", "event=0xcd,ldlat=?"},
        {DEVICES "cpu_atom/type", "10"},
        {DEVICES "cpu_atom/cpus", "4-7"},
        {DEVICES "cpu_atom/format/event", "config:0-7"},
        {DEVICES "cpu_atom/events/cpu-cycles", "event=0x3c"},
    };
    TREE_PUT_ALL(tree, files);
}

static struct perf_event_attr encoded(struct tree *tree, const char *name, const struct host_core_pmu *pmu) {
    struct perf_event_attr attributes;
    struct fail fail = {0};
    if (!event_encode(&tree->arena, name, pmu, &attributes, &fail))
        fail_msg("%s: %s", name, fail.text);
    assert_int_equal(attributes.exclude_kernel, 1);
    return attributes;
}

static void refused(struct tree *tree, const char *name, const struct host_core_pmu *pmu, const char *words) {
    struct perf_event_attr attributes;
    struct fail fail = {0};
    assert_false(event_encode(&tree->arena, name, pmu, &attributes, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    if (!strstr(fail.text, words))
        fail_msg("'%s' does not say '%s'", fail.text, words);
}

static void raw_numbers(void **state) {
    struct tree *tree = *state;
    struct perf_event_attr attributes = encoded(tree, "r1b1", &alone);
    assert_int_equal(attributes.type, PERF_TYPE_RAW);
    assert_int_equal(attributes.config, 0x1b1);
    attributes = encoded(tree, "r1b1", &e_core);
    assert_int_equal(attributes.type, 10); // else it would count on the other kind of core
}

static void generic_events_are_bound_to_the_kind_of_core(void **state) {
    (void)state;
    struct perf_event_attr attributes;
    event_encode_generic(PERF_COUNT_HW_INSTRUCTIONS, &alone, &attributes);
    assert_int_equal(attributes.config, PERF_COUNT_HW_INSTRUCTIONS);
    event_encode_generic(PERF_COUNT_HW_INSTRUCTIONS, &e_core, &attributes);
    assert_true(attributes.config == (10ULL << 32 | PERF_COUNT_HW_INSTRUCTIONS));
}

static void terms_go_where_the_format_says(void **state) {
    struct tree *tree = *state;
    hybrid(tree);
    struct perf_event_attr attributes = encoded(tree, "cpu_core/event=0xb2,umask=0x02/", &p_core);
    assert_int_equal(attributes.type, 4);
    assert_int_equal(attributes.config, 0x02b2);
    attributes = encoded(tree, "cpu_core/slots/", &p_core);
    assert_int_equal(attributes.config, 0x0400);
    attributes = encoded(tree, "cpu_core/wide=0xa5,config=0x77/", &p_core);
    assert_int_equal(attributes.config1, 0xa05);
    assert_int_equal(attributes.config, 0x77);
    attributes = encoded(tree, "cpu-cycles", &e_core); // listed by the CPU's own PMU
    assert_int_equal(attributes.type, 10);
    assert_int_equal(attributes.config, 0x3c);
}

static void mistakes_are_named(void **state) {
    struct tree *tree = *state;
    hybrid(tree);
    refused(tree, "cpu_core/umsk=1/", &p_core, "no term 'umsk' (did you mean 'umask'");
    refused(tree, "cpu_core/event=0x100/", &p_core, "does not fit");
    refused(tree, "cpu_core/event=x/", &p_core, "expected a number");
    refused(tree, "cpu_core/slot/", &p_core, "did you mean 'slots'");
    refused(tree, "cpu_core/mem-loads/", &p_core, "needs values");
    refused(tree, "cpu_cor/slots/", &p_core, "did you mean 'cpu_core'");
    refused(tree, "cpu_core/slots", &p_core, "must be written");
    refused(tree, "cpu_core//", &p_core, "which event");
    refused(tree, "../cpu_core/slots/", &p_core, "must be written");
    refused(tree, "cpu_core/slots/", &e_core, "is of cpu_core, but the CPU measured on is one of cpu_atom's");
    refused(tree, "cpu-cycle", &e_core, "did you mean 'cpu-cycles'");
}

// libpfm4 reads its environment once, so that all of this is about one CPU.
static void names_of_libpfm4(void **state) {
    struct tree *tree = *state;
    struct perf_event_attr attributes = encoded(tree, "uops_dispatched_port.port_5", &alone);
    assert_int_equal(attributes.type, PERF_TYPE_RAW);
    assert_int_equal(attributes.config & 0xffff, 0x20a1); // Intel SDM: event 0xA1, umask 0x20
    attributes = encoded(tree, "skl::UOPS_RETIRED:RETIRE_SLOTS", &alone);
    assert_int_equal(attributes.config & 0xffff, 0x02c2);
    attributes = encoded(tree, "UOPS_DISPATCHED_PORT:PORT_0", &p_core);
    assert_int_equal(attributes.type, 4);
    refused(tree, "UOPS_DISPATCHED_PORT", &alone, "it has: PORT_0");
    refused(tree, "UOPS_DISPATCHED_PORT:PRT_3", &alone, "did you mean 'PORT_3'");
    refused(tree, "UOPS_DISPATCHD_PORT:PORT_3", &alone, "did you mean 'UOPS_DISPATCHED_PORT'");
    const char **names;
    size_t n_found = 0;
    size_t n = events_list(&tree->arena, 0, &names, &tree->fail);
    for (size_t i = 0; i < n; i++)
        n_found += strcmp(names[i], "skl::UOPS_DISPATCHED_PORT") == 0;
    assert_int_equal(n_found, 1);
}

int main(void) {
    setenv("LIBPFM_FORCE_PMU", "skl", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(raw_numbers, tree_set_up, tree_tear_down),
        cmocka_unit_test(generic_events_are_bound_to_the_kind_of_core),
        cmocka_unit_test_setup_teardown(terms_go_where_the_format_says, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_named, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(names_of_libpfm4, tree_set_up, tree_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
