// Loading a module, and what it says of CPUs.
#include "analyzer/model/backend.h"
#include "base/file.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static const struct backend *load(void) {
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, NULL, &fail);
    assert_string_equal(fail.text, "");
    assert_non_null(backend);
    return backend;
}

static const struct machine *open_machine(const char *triple, const char *cpu, struct backend_cpu **opened) {
    struct fail fail = {0};
    const struct backend *backend = load();
    *opened =
        backend->open(&arena, &(struct backend_options){.triple = triple, .cpu = cpu, .output_syntax = -1}, &fail);
    assert_string_equal(fail.text, "");
    return backend->machine(*opened);
}

static void loads_by_version_folder_and_path(void **state) {
    (void)state;
    const struct backend *backend = load();
    assert_int_equal(backend->abi, BACKEND_ABI);
    assert_true(backend->major >= 19);
    assert_true(strtoul(backend->version, NULL, 10) == backend->major);

    const char *folder = file_installed(&arena, "lib/cyclops");
    const char *path = arena_printf(&arena, "%s/cyclops-llvm-%u.so", folder, backend->major);
    const char *names[] = {arena_printf(&arena, "%u", backend->major), path};
    struct fail fail = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_ptr_equal(backend_load(&arena, names[i], &fail), backend);
}

// Of all versions in a folder, and where nobody asks for one, the newest.
static void the_newest_is_the_default(void **state) {
    (void)state;
    const char *asked = arena_strdup(&arena, getenv("CYCLOPS_LLVM"));
    const unsigned *majors;
    struct fail fail = {0};
    const size_t n = backend_versions(&arena, &majors);
    assert_true(n >= 1);
    for (size_t i = 1; i < n; i++)
        assert_true(majors[i - 1] > majors[i]);
    assert_int_equal(backend_load(&arena, file_installed(&arena, "lib/cyclops"), &fail)->major, majors[0]);
    assert_int_equal(load()->major, strtoul(asked, NULL, 10));
    unsetenv("CYCLOPS_LLVM");
    assert_int_equal(load()->major, majors[0]);
    setenv("CYCLOPS_LLVM", asked, 1);
}

static void says_what_is_missing(void **state) {
    (void)state;
    static const struct {
        const char *llvm, *words;
    } table[] = {
        {"7", "no module for LLVM 7"},
        {"7", "install llvm-7-dev"},
        {"/", "no module for LLVM in /"},
        {"/nowhere/cyclops-llvm-19.so", "/nowhere/cyclops-llvm-19.so: cannot open"},
        {"/nowhere/cyclops-llvm-19.so", "install libllvm19"},
        {"libm.so.6", "cannot open"}, // a file here, never one of the system's
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fail fail = {0};
        assert_null(backend_load(&arena, table[i].llvm, &fail));
        assert_int_equal(fail.status, FAIL_UNAVAILABLE);
        assert_non_null(strstr(fail.text, table[i].words));
    }
}

static void lists_cpus_that_have_a_model(void **state) {
    (void)state;
    static const struct {
        const char *triple, *cpu;
        bool listed;
    } table[] = {
        {"x86_64", "btver2", true},         {"x86_64", "skylake-avx512", true},
        {"x86_64", "i486", false},          {"aarch64-linux", "cortex-a72", true},
        {"aarch64-linux", "btver2", false},
    };
    const struct backend *backend = load();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fail fail = {0};
        const char *const *names = NULL;
        const size_t n = backend->list_cpus(&arena, table[i].triple, &names, NULL, &fail);
        bool found = false;
        for (size_t j = 0; j < n; j++) {
            found = found || strcmp(names[j], table[i].cpu) == 0;
            assert_true(j == 0 || strcmp(names[j - 1], names[j]) < 0);
        }
        assert_int_equal(found, table[i].listed);
    }
    struct fail fail = {0};
    const char *const *names = NULL;
    assert_true(backend->list_cpus(&arena, NULL, &names, NULL, &fail) > 0);
    assert_int_equal(backend->list_cpus(&arena, "nonesuch", &names, NULL, &fail), 0);
    assert_int_equal(fail.status, FAIL_INPUT);
}

static void lists_cpus_that_share_a_model(void **state) {
    (void)state;
    static const struct {
        const char *cpu, *other;
        bool is_shared;
    } table[] = {{"broadwell", "haswell", false}, {"skx", "skylake-avx512", true}, {"btver2", "znver4", false}};
    const struct backend *backend = load();
    struct fail fail = {0};
    const char *const *names = NULL, *const *schedules_as = NULL;
    const size_t n = backend->list_cpus(&arena, "x86_64", &names, &schedules_as, &fail);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const size_t cpu = text_find(table[i].cpu, names, n), other = text_find(table[i].other, names, n);
        assert_true(cpu < n && other < n);
        assert_int_equal(strcmp(schedules_as[cpu], schedules_as[other]) == 0, table[i].is_shared);
    }
    for (size_t i = 0; i < n; i++)
        assert_true(strcmp(schedules_as[i], names[i]) <= 0);
}

static void refuses_what_it_cannot_open(void **state) {
    (void)state;
    static const struct {
        struct backend_options options;
        const char *words;
    } table[] = {
        {{.triple = "x86_64", .cpu = "znver9"}, "did you mean 'znver1'"},
        {{.triple = "x86_64", .cpu = "skylake-avx215"}, "'skylake-avx512'"},
        {{.triple = "x86_64", .cpu = "i486"}, "no scheduling model of instructions for CPU 'i486'"},
        {{.triple = "x86_64", .cpu = "btver2", .features = "+sse2,avx512g"}, "did you mean 'avx512f'"},
        {{.triple = "x86_64", .cpu = "btver2", .output_syntax = 7}, "syntax number 7"},
        {{.triple = "nonesuch", .cpu = "btver2"}, "no target for triple 'nonesuch'"},
        {{.arch = "nonesuch", .cpu = "btver2"}, "no target for architecture 'nonesuch'"},
    };
    const struct backend *backend = load();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fail fail = {0};
        assert_null(backend->open(&arena, &table[i].options, &fail));
        assert_int_equal(fail.status, FAIL_INPUT);
        if (!strstr(fail.text, table[i].words))
            fail_msg("'%s' is not in: %s", table[i].words, fail.text);
    }
}

static void another_isa_without_a_cpu_has_the_generic_one(void **state) {
    (void)state;
    const struct backend *backend = load();
    if (!*backend->host_cpu() || strcmp(backend->host_cpu(), "generic") == 0) // which all ISAs have
        skip();
    bool is_aarch64 = strncmp(backend->host_triple(), "aarch64", 7) == 0;
    struct backend_options options = {.triple = is_aarch64 ? "mipsel-linux-gnu" : "aarch64-linux-gnu"};
    struct fail fail = {0};
    struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
    assert_non_null(cpu);
    assert_string_equal(backend->machine(cpu)->cpu, is_aarch64 ? "mips32" : "generic");
    backend->close(cpu);
    options.cpu = "native"; // a request for this machine's CPU stays one
    assert_null(backend->open(&arena, &options, &fail));
    if (strncmp(backend->host_triple(), "riscv64", 7) == 0)
        return;
    fail_clear(&fail);
    options = (struct backend_options){.triple = "riscv64-linux-gnu"};
    assert_null(backend->open(&arena, &options, &fail)); // LLVM's generic one has no model
    assert_non_null(strstr(fail.text, "name a CPU of riscv64-unknown-linux-gnu"));
    assert_null(strstr(fail.text, backend->host_cpu()));
}

static void opens_the_host(void **state) {
    (void)state;
    const struct backend *backend = load();
    struct fail fail = {0};
    struct backend_cpu *cpu = backend->open(&arena, &(struct backend_options){.cpu = "native"}, &fail);
    if (!cpu) // LLVM may know this CPU by no name, or by one without a model
        skip();
    assert_string_equal(backend->machine(cpu)->cpu, backend->host_cpu());
    assert_string_equal(backend->machine(cpu)->triple, backend->host_triple());
    backend->close(cpu);
}

// Numbers of llvm/lib/Target/X86/X86ScheduleBtVer2.td.
static void tells_the_machine(void **state) {
    (void)state;
    struct backend_cpu *cpu;
    const struct machine *machine = open_machine("x86_64-linux-gnu", "btver2", &cpu);
    assert_string_equal(machine->triple, "x86_64-unknown-linux-gnu");
    assert_non_null(strstr(machine->id, "/btver2"));
    assert_false(machine->in_order);
    assert_int_equal(machine->dispatch_width, 2);
    assert_int_equal(machine->rob_size, 64);
    assert_int_equal(machine->retire_width, 2);
    assert_int_equal(machine->load_latency, 5);

    const struct resource *alu = machine_resource_named(machine, "JALU01");
    assert_non_null(alu);
    assert_true(alu->is_group);
    assert_int_equal(alu->units, 2);
    assert_int_equal(alu->buffer_size, 20);
    const struct resource *pipe = &machine->resources[alu->members[0]];
    assert_string_equal(pipe->name, "JALU0");
    assert_int_equal(alu->mask & pipe->mask, pipe->mask);
    assert_int_equal(resource_bit(alu->mask) & (pipe->mask | machine->resources[alu->members[1]].mask), 0);
    assert_ptr_equal(machine_resource_of_mask(machine, alu->mask), alu);
    assert_null(machine_resource_named(machine, "JALU9"));
    assert_null(machine_resource_of_mask(machine, UINT64_C(1) << 63));
    load()->close(cpu);
}

static const struct machine_register *reg_named(const struct machine *machine, const char *name) {
    for (unsigned i = 1; i < machine->n_registers; i++)
        if (strcmp(machine->registers[i].name, name) == 0)
            return &machine->registers[i];
    fail_msg("no register %s", name);
    return NULL;
}

static bool holds(const struct machine *machine, const uint16_t *list, unsigned n, const char *name) {
    for (unsigned i = 0; i < n; i++)
        if (strcmp(machine->registers[list[i]].name, name) == 0)
            return true;
    return false;
}

static void tells_the_registers(void **state) {
    (void)state;
    struct backend_cpu *cpu;
    const struct machine *machine = open_machine("x86_64", "btver2", &cpu);
    assert_string_equal(machine->register_files[reg_named(machine, "XMM3")->file].name, "JFpuPRF");
    assert_int_equal(machine->register_files[reg_named(machine, "XMM3")->file].n_physical, 72);
    assert_int_equal(reg_named(machine, "YMM3")->cost, 2); // two halves of 128 bits
    assert_int_equal(reg_named(machine, "XMM3")->cost, 1);
    assert_int_equal(reg_named(machine, "XMM3")->file, reg_named(machine, "YMM3")->file);
    const struct machine_register *eax = reg_named(machine, "EAX");
    assert_string_equal(machine->register_files[eax->file].name, "JIntegerPRF");
    assert_string_equal(machine->registers[reg_named(machine, "AH")->rename_as].name, "RAX");
    assert_true(holds(machine, eax->sub, eax->n_sub, "AH")); // two levels down
    assert_true(holds(machine, eax->super, eax->n_super, "RAX"));
    assert_false(holds(machine, eax->sub, eax->n_sub, "EAX"));
    load()->close(cpu);

    machine = open_machine("aarch64", "cortex-a72", &cpu);
    assert_true(reg_named(machine, "XZR")->is_constant);
    assert_false(reg_named(machine, "X0")->is_constant);
    assert_int_equal(machine->n_register_files, 1);
    assert_true(load()->has_feature(cpu, "neon"));
    assert_false(load()->has_feature(cpu, "sve"));
    assert_false(load()->has_feature(cpu, "nonesuch"));
    const char *const *features;
    size_t n_features = load()->list_features(&arena, cpu, &features), n_sve = 0;
    for (size_t i = 0; i < n_features; i++) {
        n_sve += strcmp(features[i], "sve") == 0;
        assert_string_not_equal(features[i], "nonesuch");
    }
    assert_int_equal(n_sve, 1);
    load()->close(cpu);

    open_machine("aarch64", "cortex-a55", &cpu);
    assert_true(load()->machine(cpu)->in_order);
    load()->close(cpu);
}

static void features_can_be_added_and_removed(void **state) {
    (void)state;
    const struct backend *backend = load();
    struct fail fail = {0};
    const struct backend_options options = {.triple = "x86_64", .cpu = "btver2", .features = "avx2,-sse4a"};
    struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
    assert_non_null(cpu);
    assert_true(backend->has_feature(cpu, "avx2"));
    assert_false(backend->has_feature(cpu, "sse4a"));
    backend->close(cpu);
}

static int free_arena(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_by_version_folder_and_path),
        cmocka_unit_test(the_newest_is_the_default),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(lists_cpus_that_have_a_model),
        cmocka_unit_test(lists_cpus_that_share_a_model),
        cmocka_unit_test(refuses_what_it_cannot_open),
        cmocka_unit_test(another_isa_without_a_cpu_has_the_generic_one),
        cmocka_unit_test(opens_the_host),
        cmocka_unit_test(tells_the_machine),
        cmocka_unit_test(tells_the_registers),
        cmocka_unit_test(features_can_be_added_and_removed),
    };
    return cmocka_run_group_tests(tests, NULL, free_arena);
}
