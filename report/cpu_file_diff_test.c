// Every key of the format: two files that differ there, and nowhere else, differ.
#include "report/cpu_file.h"

#include "analyzer/cpu/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What stands behind the beginning of each of two files, and a word of the row that shows the difference.
struct example {
    const char *before, *after, *row;
};

static char *diff_of(const char *before, const char *after) {
    static const char head[] = "cpu: 1\nname: one\n", base[] = "base: skylake\n";
    struct arena arena = {0};
    struct fail fail = {0};
    const char *texts[2] = {before, after};
    struct cpu *cpus[2];
    char *out = NULL;
    size_t length;
    for (unsigned i = 0; i < 2; i++) {
        const char *whole =
            arena_printf(&arena, "%s%s%s", head, strncmp(texts[i], "base", 4) == 0 ? "" : base, texts[i]);
        cpus[i] = cpu_parse(&arena, "one.cpu.yaml", whole, &fail);
        if (!cpus[i])
            print_message("%s\n", fail.text);
        assert_non_null(cpus[i]);
    }
    FILE *stream = open_memstream(&out, &length);
    cpu_file_print_diff(&arena, cpus[0], cpus[1], stream, false);
    fclose(stream);
    for (unsigned i = 0; i < 2; i++)
        cpu_close(cpus[i]);
    arena_free(&arena);
    return out;
}

static void check(const struct cpu_key *keys, const struct example *examples, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!examples[i].before) // a key that is new here
            print_message("there is no example of '%s'\n", keys[i].name);
        assert_non_null(examples[i].before);
        assert_non_null(strstr(examples[i].after, keys[i].name));
        char *differs = diff_of(examples[i].before, examples[i].after),
             *same = diff_of(examples[i].after, examples[i].after);
        print_message("%s:\n%s", keys[i].name, differs);
        assert_string_equal(same, "nothing differs\n");
        assert_null(strstr(differs, "nothing differs"));
        assert_non_null(strstr(differs, examples[i].row));
        free(differs);
        free(same);
    }
}

#define RULE(text) "forms: [{match: ADC64ri8, " text "}]\n"

static void keys_of_rules_are_compared(void **state) {
    (void)state;
    static const struct example examples[N_RULE_KEYS] = {
        [RULE_MATCH] = {RULE("slots: 1"), "forms: [{match: SBB64ri8, slots: 1}]\n", "SBB64ri8"},
        [RULE_ADDRESS] = {RULE("slots: 1"), RULE("slots: 1, address: indexed"), "ADC64ri8, indexed"},
        [RULE_IMMEDIATE] = {RULE("slots: 1"), RULE("slots: 1, immediate: 0"), "ADC64ri8, immediate 0"},
        [RULE_SLOTS] = {RULE("latency: 1"), RULE("latency: 1, slots: 2"), "slots"},
        [RULE_LATENCY] = {RULE("latency: 1"), RULE("latency: 2"), "latency"},
        [RULE_LATENCY_TO] = {RULE("slots: 1"), RULE("slots: 1, latency-to: {RAX: 2}"), "RAX 2"},
        [RULE_LATENCY_FROM] = {RULE("slots: 1"), RULE("slots: 1, latency-from: {EFLAGS: 2}"), "EFLAGS 2"},
        [RULE_OWN_LATENCY] = {RULE("slots: 1"), RULE("slots: 1, own-latency: 3"), "own-latency"},
        [RULE_IGNORES] = {RULE("slots: 1"), RULE("slots: 1, ignores: [EFLAGS]"), "EFLAGS"},
        [RULE_WAITS] = {RULE("slots: 1"), RULE("slots: 1, waits-for-result: 1"), "waits-for-result"},
        [RULE_PIPES] = {RULE("slots: 1"), RULE("slots: 1, pipes: [SKLPort0]"), "SKLPort0"},
        [RULE_SERIAL] = {RULE("slots: 1"), RULE("slots: 1, serial: 7"), "serial"},
        [RULE_TRUST] = {RULE("slots: 1"), RULE("slots: 1, trust: measured"), "measured"},
        [RULE_SOURCE] = {RULE("slots: 1, source: a chain"), RULE("slots: 1, source: a book"), "a book"},
    };
    check(cpu_rule_keys, examples, N_RULE_KEYS);
}

#define GROUP(text) "forms: [{" text "forms: [{match: CLD, serial: 3}]}]\n"

static void keys_of_groups_are_compared(void **state) {
    (void)state;
    static const struct example examples[N_GROUP_KEYS] = {
        [GROUP_FORMS] = {"forms: [{llvm: 22, forms: []}]\n", GROUP("llvm: 22, "), "CLD"},
        [GROUP_TRUST] = {GROUP(""), GROUP("trust: bound, "), "bound"},
        [GROUP_SOURCE] = {GROUP("source: a chain, "), GROUP("source: a book, "), "a book"},
        [GROUP_LLVM] = {GROUP("llvm: 19, "), GROUP("llvm: 22, "), "22"},
    };
    check(cpu_group_keys, examples, N_GROUP_KEYS);
}

#define NUMBER(text) "parameters: {dispatch-width: {value: 4, " text "}}\n"

static void keys_of_numbers_are_compared(void **state) {
    (void)state;
    static const struct example examples[N_NUMBER_KEYS] = {
        [NUMBER_VALUE] = {"parameters: {dispatch-width: {value: 6}}\n", "parameters: {dispatch-width: {value: 4}}\n",
                          "4, assumed"},
        [NUMBER_TRUST] = {NUMBER("source: a book"), NUMBER("source: a book, trust: published"), "4, published"},
        [NUMBER_SOURCE] = {NUMBER("source: a chain"), NUMBER("source: a book"), "a book"},
    };
    // Of a rule's number that has a trust of its own, too.
    static const struct example of_rule = {RULE("slots: 1"), RULE("slots: {value: 1, trust: bound}"), "1, bound"};
    check(cpu_number_keys, examples, N_NUMBER_KEYS);
    check(&cpu_number_keys[NUMBER_TRUST], &of_rule, 1);
}

static void keys_of_uses_are_compared(void **state) {
    (void)state;
    static const struct example examples[N_USE_KEYS] = {
        [USE_ON] = {RULE("pipes: [{on: SKLPort0}]"), RULE("pipes: [{on: SKLPort1}]"), "SKLPort1"},
        [USE_CYCLES] = {RULE("pipes: [{on: SKLPort0}]"), RULE("pipes: [{on: SKLPort0, cycles: 2}]"), "SKLPort0 2"},
    };
    check(cpu_use_keys, examples, N_USE_KEYS);
}

static void keys_of_lacks_are_compared(void **state) {
    (void)state;
    static const struct example examples[N_LACK_KEYS] = {
        [LACK_MATCH] = {"lacks: [{match: ANDN32rr, feature: BMI}]\n", "lacks: [{match: ANDN64rr, feature: BMI}]\n",
                        "ANDN64rr"},
        [LACK_FEATURE] = {"lacks: [{match: ANDN32rr, feature: BMI}]\n", "lacks: [{match: ANDN32rr, feature: BMI2}]\n",
                          "BMI2"},
    };
    check(cpu_lack_keys, examples, N_LACK_KEYS);
}

#define IDENTITY(vendor, family, model) "identity: [{vendor: " vendor ", family: " family ", models: [" model "]}]\n"

static void keys_of_identities_are_compared(void **state) {
    (void)state;
    static const char one[] = IDENTITY("GenuineIntel", "6", "78");
    static const struct example examples[N_IDENTITY_KEYS] = {
        [IDENTITY_VENDOR] = {one, IDENTITY("AuthenticAMD", "6", "78"), "AuthenticAMD"},
        [IDENTITY_FAMILY] = {one, IDENTITY("GenuineIntel", "7", "78"), "GenuineIntel 7 78"},
        [IDENTITY_MODELS] = {one, IDENTITY("GenuineIntel", "6", "94"), "GenuineIntel 6 94"},
    };
    check(cpu_identity_keys, examples, N_IDENTITY_KEYS);
}

static void keys_of_files_are_compared(void **state) {
    (void)state;
    // What is left out: there is one version, and a file's name is its column's title.
    static const struct example examples[N_FILE_KEYS] = {
        [FILE_ABOUT] = {"about: a chip\n", "about: another chip\n", "another chip"},
        [FILE_IDENTITY] = {"", IDENTITY("GenuineIntel", "6", "78"), "GenuineIntel 6 78"},
        [FILE_ISA] = {"isa: x86_64\n", "isa: aarch64\n", "aarch64"},
        [FILE_BASE] = {"base: skylake\n", "base: haswell\n", "haswell"},
        [FILE_EVIDENCE] = {"evidence: survey\n", "evidence: [survey, pairs]\n", "evidence pairs"},
        [FILE_PARAMETERS] = {"", "parameters: {dispatch-width: 4}\n", "dispatch-width"},
        [FILE_PORTS] = {"ports: [P0]\n", "ports: [P0, P1]\n", "P1"},
        [FILE_RESOURCES] = {"", "resources: {SKLPort0: 2}\n", "SKLPort0"},
        [FILE_FORMS] = {"", RULE("slots: 1"), "ADC64ri8"},
        [FILE_LACKS] = {"", "lacks: [{match: ANDN32rr, feature: BMI}]\n", "BMI"},
    };
    for (unsigned key = 0; key < N_FILE_KEYS; key++)
        if (key != FILE_VERSION && key != FILE_NAME)
            check(&cpu_file_keys[key], &examples[key], 1);
}

static void every_parameter_is_compared(void **state) {
    (void)state;
    for (unsigned i = 0; i < CPU_N_PARAMETERS; i++) {
        struct arena arena = {0};
        char *differs = diff_of("", arena_printf(&arena, "parameters: {%s: 1}\n", cpu_parameters[i].name));
        assert_non_null(strstr(differs, cpu_parameters[i].name));
        free(differs);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_rules_are_compared),   cmocka_unit_test(keys_of_groups_are_compared),
        cmocka_unit_test(keys_of_numbers_are_compared), cmocka_unit_test(keys_of_uses_are_compared),
        cmocka_unit_test(keys_of_lacks_are_compared),   cmocka_unit_test(keys_of_identities_are_compared),
        cmocka_unit_test(keys_of_files_are_compared),   cmocka_unit_test(every_parameter_is_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
