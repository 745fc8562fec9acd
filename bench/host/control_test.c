// What is changed for a steady frequency, with each driver's files.
#include "bench/host/control.h"
#include "bench/host/fake_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CPU "/sys/devices/system/cpu/"
#define POLICY CPU "cpu1/cpufreq/"

static void put_machine(struct tree *tree, const struct tree_file *files, size_t n_files) {
    tree_put(tree, "/proc/cpuinfo", "processor\t: 1\nmodel name\t: Test\nflags\t\t: fpu");
    tree_put_all(tree, files, n_files);
    tree_put_cpus(tree, 2);
    tree_put_cpu(tree, 0, 0, "1");
    tree_put_cpu(tree, 1, 1, "2");
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = 1}, &tree->host, &tree->fail));
}
#define PUT_MACHINE(tree, files) put_machine(tree, files, sizeof(files) / sizeof((files)[0]))

// What the plan writes into `path`; null: nothing.
static const char *planned(struct tree *tree, const char *path) {
    struct host_plan plan = host_control_plan(&tree->arena, &tree->host);
    for (size_t i = 0; i < plan.n_settings; i++)
        if (strcmp(plan.settings[i].path, tree_path(tree, path)) == 0)
            return plan.settings[i].wanted;
    return NULL;
}

static void intel_pstate(void **state) {
    struct tree *tree = *state;
    static const struct tree_file files[] = {
        {CPU "intel_pstate/no_turbo", "0"},
        {POLICY "scaling_driver", "intel_pstate"},
        {POLICY "scaling_governor", "powersave"},
        {POLICY "scaling_available_governors", "performance powersave"},
        {POLICY "energy_performance_preference", "balance_performance"},
        {POLICY "base_frequency", "3600000"},
        {POLICY "scaling_min_freq", "800000"},
        {POLICY "scaling_max_freq", "4900000"},
    };
    PUT_MACHINE(tree, files);
    assert_string_equal(planned(tree, CPU "intel_pstate/no_turbo"), "1");
    assert_string_equal(planned(tree, POLICY "scaling_governor"), "performance");
    assert_null(planned(tree, POLICY "scaling_max_freq"));

    struct host_control control;
    host_control_start(&control, &tree->arena, &tree->host);
    assert_int_equal(control.fail.status, FAIL_NONE);
    assert_int_equal(tree->host.turbo, TURBO_OFF);
    assert_string_equal(tree->host.governor, "performance");
    assert_string_equal(tree_first_line(tree, CPU "intel_pstate/no_turbo"), "1");
    tree_put(tree, POLICY "energy_performance_preference", "balance_performance"); // as it was: not touched
    host_control_end(&control);
    assert_string_equal(tree_first_line(tree, CPU "intel_pstate/no_turbo"), "0");
    assert_string_equal(tree_first_line(tree, POLICY "scaling_governor"), "powersave");
    host_control_end(&control); // nothing left to do
}

static void acpi_cpufreq(void **state) {
    struct tree *tree = *state;
    static const struct tree_file files[] = {
        {CPU "cpufreq/boost", "1"},
        {POLICY "scaling_driver", "acpi-cpufreq"},
        {POLICY "scaling_governor", "schedutil"},
        {POLICY "scaling_available_governors", "conservative ondemand userspace powersave performance schedutil"},
    };
    PUT_MACHINE(tree, files);
    assert_string_equal(planned(tree, CPU "cpufreq/boost"), "0");
    assert_string_equal(planned(tree, POLICY "scaling_governor"), "performance");

    // Newer drivers have a file per policy too, which touches less.
    tree_put(tree, POLICY "boost", "1");
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = 1}, &tree->host, &tree->fail));
    assert_string_equal(planned(tree, POLICY "boost"), "0");
    assert_null(planned(tree, CPU "cpufreq/boost"));
}

static void amd_pstate_without_a_switch_for_boost(void **state) {
    struct tree *tree = *state;
    static const struct tree_file files[] = {
        {POLICY "scaling_driver", "amd-pstate-epp"},
        {POLICY "scaling_governor", "performance"},
        {POLICY "scaling_available_governors", "performance powersave"},
        {POLICY "scaling_min_freq", "400000"},
        {POLICY "scaling_max_freq", "5700000"},
        {CPU "cpu1/acpi_cppc/nominal_freq", "4500"},
    };
    PUT_MACHINE(tree, files);
    assert_string_equal(planned(tree, POLICY "scaling_max_freq"), "4500000");
    assert_null(planned(tree, POLICY "scaling_governor"));
}

static void a_board_without_the_performance_governor(void **state) {
    struct tree *tree = *state;
    static const struct tree_file files[] = {
        {POLICY "scaling_driver", "cpufreq-dt"},
        {POLICY "scaling_governor", "schedutil"},
        {POLICY "scaling_available_governors", "high-performance schedutil"},
        {POLICY "scaling_min_freq", "408000"},
        {POLICY "scaling_max_freq", "2208000"},
    };
    PUT_MACHINE(tree, files);
    assert_null(planned(tree, POLICY "scaling_governor"));
    assert_string_equal(planned(tree, POLICY "scaling_min_freq"), "2208000");
}

static void nothing_to_change(void **state) {
    struct tree *tree = *state;
    static const struct tree_file files[] = {
        {CPU "cpufreq/boost", "0"}, {POLICY "scaling_governor", "performance"}, {POLICY "scaling_max_freq", "3000000"}};
    struct host_control control;
    PUT_MACHINE(tree, files);
    host_control_start(&control, &tree->arena, &tree->host);
    assert_null(control.guardian);
    assert_int_equal(control.fail.status, FAIL_NONE);
    assert_true(access(tree_path(tree, "/run"), F_OK) != 0);
    host_control_end(&control);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(intel_pstate, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(acpi_cpufreq, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(amd_pstate_without_a_switch_for_boost, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(a_board_without_the_performance_governor, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_change, tree_set_up, tree_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
