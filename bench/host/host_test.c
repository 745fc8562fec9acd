// The host as trees of files show it.
#include "base/json.h"
#include "base/json_text.h"
#include "bench/host/fake_tree.h"
#include "bench/host/files.h"
#include "bench/host/host.h"
#include "bench/record/record.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char intel_cpuinfo[] = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 151\n"
                                    "model name\t: 12th Gen Intel(R) Core(TM) i7-12700K\nstepping\t: 2\n"
                                    "microcode\t: 0x2c\ncpu MHz\t\t: 4700.000\nflags\t\t: fpu sse2 avx2 fma\n\n"
                                    "processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 151\n"
                                    "model name\t: 12th Gen Intel(R) Core(TM) i7-12700K\nstepping\t: 2\n"
                                    "microcode\t: 0x2c\ncpu MHz\t\t: 800.000\nflags\t\t: fpu sse2 avx2 fma\n";

// Two fast cores of two threads each, and two slow ones.
static void intel_desktop(struct tree *tree) {
    static const struct tree_file files[] = {
        {"/proc/cpuinfo", intel_cpuinfo},
        {"/proc/sys/kernel/osrelease", "6.1.0-18-amd64"},
        {"/proc/sys/kernel/perf_event_paranoid", "2"},
        {"/proc/stat",
         "cpu  9 0 0 0 0 0 0 0\ncpu0 900 0 0 50 0 0 0 0\ncpu1 800 0 0 50 0 0 0 0\n"
         "cpu2 500 0 0 50 0 0 0 0\ncpu3 400 0 0 50 0 0 0 0\ncpu4 1 0 0 50 0 0 0 0\ncpu5 0 0 0 50 0 0 0 0"},
        {"/sys/devices/system/cpu/intel_pstate/no_turbo", "0"},
        {"/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave"},
        {"/sys/bus/event_source/devices/cpu_core/cpus", "0-3"},
        {"/sys/bus/event_source/devices/cpu_core/type", "4"},
        {"/sys/bus/event_source/devices/cpu_atom/cpus", "4-5"},
        {"/sys/bus/event_source/devices/cpu_atom/type", "10"},
        {"/sys/class/dmi/id/sys_vendor", "Gigabyte Technology Co., Ltd."},
        {"/sys/class/dmi/id/product_name", "Z690 AORUS"},
        {"/sys/devices/system/cpu/cpu2/cache/index0/level", "1"},
        {"/sys/devices/system/cpu/cpu2/cache/index0/type", "Data"},
        {"/sys/devices/system/cpu/cpu2/cache/index0/size", "48K"},
        {"/sys/devices/system/cpu/cpu2/cache/index0/coherency_line_size", "64"},
        {"/sys/devices/system/cpu/cpu2/cache/index0/ways_of_associativity", "12"},
        {"/sys/devices/system/cpu/cpu2/cache/index0/shared_cpu_list", "2-3"},
        {"/sys/devices/system/cpu/cpu2/cache/index3/level", "3"},
        {"/sys/devices/system/cpu/cpu2/cache/index3/type", "Unified"},
        {"/sys/devices/system/cpu/cpu2/cache/index3/size", "25M"},
        {"/sys/devices/system/cpu/cpu2/cache/uevent", ""},
        {"/sys/devices/system/cpu/vulnerabilities/gather_data_sampling", "Mitigation: Microcode"},
        {"/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected"},
    };
    TREE_PUT_ALL(tree, files);
    tree_put_cpus(tree, 6);
    static const char *const siblings[] = {"03", "03", "0c", "0c", "10", "20"};
    for (unsigned cpu = 0; cpu < 6; cpu++) {
        bool is_fast = cpu < 4;
        tree_put_cpu(tree, cpu, is_fast ? cpu / 2 * 4 : 4 + cpu, siblings[cpu]);
        tree_put(tree, arena_printf(&tree->arena, "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", cpu),
                 is_fast ? "4900000" : "3800000");
        tree_put(tree, arena_printf(&tree->arena, "/sys/devices/system/cpu/cpu%u/cpufreq/base_frequency", cpu),
                 is_fast ? "3600000" : "2700000");
    }
}

// 0: the only one there is, or none.
static unsigned pmu_type(struct tree *tree, int cpu) {
    struct host_core_pmu pmu;
    return host_core_pmu(&tree->arena, cpu, &pmu) && pmu.n_all > 1 ? pmu.type : 0;
}

static void reads_a_hybrid_intel_desktop(void **state) {
    struct tree *tree = *state;
    struct host *host = &tree->host;
    intel_desktop(tree);
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_string_equal(host->cpu_name, "12th Gen Intel(R) Core(TM) i7-12700K");
    assert_string_equal(host->vendor, "GenuineIntel");
    assert_int_equal(host->family, 6);
    assert_int_equal(host->model, 151);
    assert_int_equal(host->stepping, 2);
    assert_string_equal(host->microcode, "0x2c");
    assert_string_equal(host->kernel, "6.1.0-18-amd64");
    assert_null(host->hypervisor);
    assert_null(host->midr);
    assert_null(host->mvendorid);
    assert_int_equal(host->vector_bits, 0);
    assert_int_equal(host->n_caches, 2);
    assert_int_equal(host->caches[0].level, 1);
    assert_string_equal(host->caches[0].type, "data");
    assert_int_equal(host->caches[0].kib, 48);
    assert_int_equal(host->caches[0].line_bytes, 64);
    assert_int_equal(host->caches[0].ways, 12);
    assert_string_equal(host->caches[0].cpus, "2-3");
    assert_int_equal(host->caches[1].kib, 25 * 1024);
    assert_int_equal(host->n_mitigations, 2);
    assert_string_equal(host_mitigation(host, "gather_data_sampling"), "Mitigation: Microcode");
    assert_null(host_mitigation(host, "spectre_v1"));
    assert_string_equal(host->flags[3], "fma");
    assert_null(host->flags[4]);
    assert_int_equal(host->n_cpus, 6);
    assert_int_equal(host->n_cores, 4);
    assert_true(host->smt);
    assert_int_equal(host->cpu, 2); // a fast core, not CPU 0's, although the slow ones have less to do
    assert_string_equal(host->core_type, "performance");
    assert_int_equal(host->turbo, TURBO_ON);
    assert_string_equal(host->turbo_file, tree_path(tree, "/sys/devices/system/cpu/intel_pstate/no_turbo"));
    assert_string_equal(host->governor, "powersave");
    assert_true(fabs(host->ghz_stated - 3.6) < 1e-9);
    assert_string_equal(host->ghz_source, "cpufreq (base_frequency)");
    assert_int_equal(host->perf_paranoid, 2);
    assert_true(host->has_pmu);
    assert_null(host->pmu_note);
    assert_int_equal(pmu_type(tree, 2), 4);
    assert_int_equal(pmu_type(tree, 5), 10);
    assert_string_equal(host_summary(&tree->arena, host, "alderlake"),
                        "12th Gen Intel(R) Core(TM) i7-12700K (alderlake), performance core, hardware counters");
}

static void takes_the_cpu_it_is_told(void **state) {
    struct tree *tree = *state;
    intel_desktop(tree);
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = 5}, &tree->host, &tree->fail));
    assert_int_equal(tree->host.cpu, 5);
    assert_string_equal(tree->host.core_type, "efficiency");
    assert_false(host_read(&tree->arena, &(struct host_request){.cpu = 17}, &tree->host, &tree->fail));
    assert_int_equal(tree->fail.status, FAIL_INPUT);
    assert_non_null(strstr(tree->fail.text, "0-5"));
}

static void prefers_isolated_cpus(void **state) {
    struct tree *tree = *state;
    intel_desktop(tree);
    tree_put(tree, "/sys/devices/system/cpu/isolated", "4");
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, &tree->host, &tree->fail));
    assert_int_equal(tree->host.cpu, 4);
}

static void amd_desktop(struct tree *tree) {
    static const struct tree_file files[] = {
        {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\n"
                          "model name\t: AMD Ryzen 9 7950X 16-Core Processor\nstepping\t: 2\nmicrocode\t: 0xa601206\n"
                          "flags\t\t: fpu avx512f"},
        {"/proc/sys/kernel/perf_event_paranoid", "4"},
        {"/sys/devices/system/cpu/cpufreq/boost", "1"},
        {"/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil"},
        {"/sys/devices/system/cpu/cpu1/acpi_cppc/nominal_freq", "4501"},
        {"/sys/bus/event_source/devices/cpu/type", "4"},
        {"/sys/bus/event_source/devices/amd_l3/type", "11"},
    };
    TREE_PUT_ALL(tree, files);
    tree_put_cpus(tree, 2);
    tree_put_cpu(tree, 0, 0, "1");
    tree_put_cpu(tree, 1, 1, "2");
}

static void reads_an_amd_desktop(void **state) {
    struct tree *tree = *state;
    struct host *host = &tree->host;
    amd_desktop(tree);
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_int_equal(host->cpu, 1);
    assert_false(host->smt);
    assert_null(host->core_type);
    assert_int_equal(host->turbo, TURBO_ON);
    assert_string_equal(host->turbo_file, tree_path(tree, "/sys/devices/system/cpu/cpufreq/boost"));
    assert_true(fabs(host->ghz_stated - 4.501) < 1e-9);
    assert_string_equal(host->ghz_source, "the firmware (ACPI CPPC)");
    assert_int_equal(host->perf_paranoid, 4);
    assert_true(host->has_pmu);
    assert_non_null(strstr(host->pmu_note, "perf_event_paranoid"));
    assert_int_equal(pmu_type(tree, 1), 0); // one PMU serves all

    tree_put(tree, "/sys/devices/system/cpu/cpu1/cpufreq/boost", "0"); // newer kernels: a file per CPU goes before
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_int_equal(host->turbo, TURBO_OFF);
}

static void reads_a_virtual_machine(void **state) {
    struct tree *tree = *state;
    struct host *host = &tree->host;
    static const struct tree_file files[] = {
        {"/proc/cpuinfo",
         "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n"
         "model name\t: AMD EPYC\nstepping\t: 1\ncpu MHz\t\t: 2596.130\nflags\t\t: fpu hypervisor fma"},
        {"/proc/sys/kernel/perf_event_paranoid", "2"},
        {"/sys/bus/event_source/devices/msr/type", "9"},
        {"/sys/bus/event_source/devices/software/type", "1"},
        {"/sys/class/dmi/id/sys_vendor", "Amazon EC2"},
        {"/sys/class/dmi/id/product_name", "m8a.large"},
    };
    TREE_PUT_ALL(tree, files);
    tree_put_cpus(tree, 1);
    tree_put_cpu(tree, 0, 0, "1");
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_int_equal(host->cpu, 0); // there is no other
    assert_string_equal(host->hypervisor, "Amazon EC2");
    assert_int_equal(host->turbo, TURBO_UNKNOWN);
    assert_null(host->turbo_file);
    assert_null(host->governor);
    assert_null(host->kernel);
    assert_true(fabs(host->ghz_stated - 2.59613) < 1e-9);
    assert_string_equal(host->ghz_source, "/proc/cpuinfo");
    assert_false(host->has_pmu);
    assert_non_null(strstr(host->pmu_note, "hypervisor"));
    assert_string_equal(host_summary(&tree->arena, host, NULL), "AMD EPYC, VM, no hardware counters");

    tree_put(tree, "/sys/class/dmi/id/product_name", "m8a.metal-24xl");
    tree_put(tree, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu fma");
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_null(host->hypervisor);
}

static void reads_an_arm_board(void **state) {
    struct tree *tree = *state;
    struct host *host = &tree->host;
    static const struct tree_file files[] = {
        {"/proc/cpuinfo",
         "processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
         "CPU variant\t: 0x2\nCPU part\t: 0xd05\nCPU revision\t: 0\n\n"
         "processor\t: 1\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
         "CPU variant\t: 0x2\nCPU part\t: 0xd05\nCPU revision\t: 0\n\n"
         "processor\t: 2\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
         "CPU variant\t: 0x4\nCPU part\t: 0xd0b\nCPU revision\t: 1"},
        {"/sys/bus/event_source/devices/armv8_cortex_a55/cpus", "0-1"},
        {"/sys/bus/event_source/devices/armv8_cortex_a55/type", "8"},
        {"/sys/bus/event_source/devices/armv8_cortex_a76/cpus", "2"},
        {"/sys/bus/event_source/devices/armv8_cortex_a76/type", "9"},
        {"/sys/devices/system/cpu/cpu0/cpu_capacity", "414"},
        {"/sys/devices/system/cpu/cpu1/cpu_capacity", "414"},
        {"/sys/devices/system/cpu/cpu2/cpu_capacity", "1024"},
        {"/sys/devices/system/cpu/cpu2/regs/identification/midr_el1", "0x00000000414fd0b1"},
        {"/proc/sys/abi/sve_default_vector_length", "32"},
    };
    TREE_PUT_ALL(tree, files);
    tree_put_cpus(tree, 3);
    tree_put_cpu(tree, 0, 0, "1");
    tree_put_cpu(tree, 1, 1, "2");
    tree_put_cpu(tree, 2, 2, "4");
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_int_equal(host->cpu, 2);
    assert_string_equal(host->cpu_name, "Cortex-A76"); // of the CPU chosen, not of the first
    assert_string_equal(host->vendor, "ARM");
    assert_int_equal(host->family, 8);
    assert_int_equal(host->model, 0xd0b);
    assert_int_equal(host->stepping, 0x41);
    assert_string_equal(host->midr, "0x414fd0b1");
    assert_int_equal(host->vector_bits, 256);
    assert_string_equal(host->flags[2], "sve");
    assert_string_equal(host->core_type, "performance");
    assert_int_equal(host->perf_paranoid, -99);
    assert_non_null(strstr(host->pmu_note, "without perf"));
    assert_int_equal(pmu_type(tree, 2), 9);

    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = 1}, host, &tree->fail));
    assert_string_equal(host->cpu_name, "Cortex-A55");
    assert_string_equal(host->core_type, "efficiency");
    assert_string_equal(host->midr, "0x412fd050"); // of /proc/cpuinfo's parts, as this kernel does not show it
    assert_int_equal(host->vector_bits, 0);        // it has no SVE
}

static void riscv_board(struct tree *tree) {
    static const struct tree_file files[] = {
        {"/proc/cpuinfo",
         "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc_zba_zbb\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\n"
         "mvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\nmimpid\t\t: 0x4210427\nhart isa\t: rv64imafdc_zba"},
        {"/sys/devices/system/cpu/vulnerabilities/ghostwrite", "Not affected"},
    };
    TREE_PUT_ALL(tree, files);
    tree_put_cpus(tree, 1);
    tree_put_cpu(tree, 0, 0, "1");
}

static void reads_a_riscv_board(void **state) {
    struct tree *tree = *state;
    struct host *host = &tree->host;
    riscv_board(tree);
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, host, &tree->fail));
    assert_string_equal(host->cpu_name, "sifive,u74-mc");
    assert_string_equal(host->mvendorid, "0x489");
    assert_string_equal(host->marchid, "0x8000000000000007"); // more than a signed number holds
    assert_string_equal(host->mimpid, "0x4210427");
    assert_null(host->midr);
    assert_int_equal(host->n_caches, 0);
    assert_int_equal(host_feature(host, "zbb"), FEATURE_PRESENT);
}

static json_t *header_of(struct tree *tree) {
    struct json_text text = {.text.arena = &tree->arena};
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, &tree->host, &tree->fail));
    record_put_header(&text, NULL, &tree->host, NULL);
    json_t *json = json_loadb(text.text.data, text.text.length, 0, NULL);
    assert_non_null(json);
    return json;
}

// What two headers state must be equal; an earlier version did not state all of it.
static void headers_of_one_cpu_are_known(void **state) {
    struct tree *tree = *state;
    riscv_board(tree);
    json_t *header = header_of(tree), *other = json_deep_copy(header);
    assert_string_equal(json_string_value(json_object_get(header, "marchid")), "0x8000000000000007");
    assert_true(record_is_same_cpu(header, other));
    json_object_set_new(other, "mimpid", json_string("0x4210428"));
    assert_false(record_is_same_cpu(header, other));
    json_object_del(other, "mimpid");
    assert_true(record_is_same_cpu(header, other));
    assert_true(record_is_same_origin(header, other));
    json_object_set_new(other, "hypervisor", json_string("KVM"));
    assert_true(record_is_same_cpu(header, other));
    assert_false(record_is_same_origin(header, other));
    json_object_set_new(other, "core_type", json_string("efficiency"));
    assert_true(record_is_same_cpu(header, other)); // the header's own is null: unknown
    json_object_set_new(header, "core_type", json_string("performance"));
    assert_false(record_is_same_cpu(header, other));
    json_decref(header);
    json_decref(other);
}

static void json_has_all_fields(void **state) {
    struct tree *tree = *state;
    intel_desktop(tree);
    assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, &tree->host, &tree->fail));
    struct json_text text = {.text.arena = &tree->arena};
    record_put_header(&text, NULL, &tree->host, NULL);
    json_t *json = json_loadb(text.text.data, text.text.length, 0, NULL);
    assert_non_null(json);
    static const char *const keys[] = {"record",  "version",  "cpu",       "vendor",    "family",
                                       "model",   "stepping", "microcode", "kernel",    "hypervisor",
                                       "cpus",    "cores",    "smt",       "pinned_to", "core_type",
                                       "turbo",   "governor", "pmu",       "pmu_note",  "perf_event_paranoid",
                                       "cyclops", "flags",    "ghz_stated"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(json, keys[i]));
    assert_string_equal(json_string_value(json_object_get(json, "turbo")), "on");
    assert_true(json_is_null(json_object_get(json, "hypervisor")));
    const json_t *cache = json_array_get(json_object_get(json, "caches"), 1);
    assert_int_equal(json_integer_value(json_object_get(cache, "kib")), 25600);
    assert_null(json_object_get(cache, "ways")); // not shown there
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "mitigations"), "meltdown")),
                        "Not affected");
    assert_null(json_object_get(json, "midr"));
    json_decref(json);
}

// Whatever this machine is, it can be read.
static void reads_this_machine(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct host host;
    assert_true(host_read(&arena, &(struct host_request){.cpu = -1}, &host, &fail));
    assert_true(host.n_cpus >= 1 && host.n_cores >= 1 && host.n_cpus >= host.n_cores);
    assert_true(host.cpu >= 0);
    assert_true(strlen(host.cpu_name) > 0 && strlen(host.kernel) > 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_a_hybrid_intel_desktop, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(takes_the_cpu_it_is_told, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(prefers_isolated_cpus, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(reads_an_amd_desktop, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(reads_a_virtual_machine, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(reads_an_arm_board, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(reads_a_riscv_board, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(headers_of_one_cpu_are_known, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(json_has_all_fields, tree_set_up, tree_tear_down),
        cmocka_unit_test(reads_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
