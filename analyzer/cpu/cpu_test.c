#include "analyzer/cpu/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char head[] = "cpu: 1\nname: small\nbase: llvm-22/skylake\n";

static struct cpu *parse(struct arena *arena, const char *rest, struct fail *fail) {
    return cpu_parse(arena, "small.cpu.yaml", arena_printf(arena, "%s%s", head, rest), fail);
}

static void numbers_have_a_source(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct cpu *cpu = parse(&arena,
                            "parameters:\n"
                            "  dispatch-width: {value: 6, trust: published, source: a book}\n"
                            "  micro-fusion: 1\n"
                            "forms:\n"
                            "  - {match: 'DIV.*r', slots: 10, latency: 26, serial: 6, ignores: [EFLAGS]}\n"
                            "  - {match: LEA64r, address: three-part, latency: 3, latency-from: {RAX: 1, vector: 2}}\n",
                            &fail);
    assert_non_null(cpu);
    assert_true(cpu_knows(cpu, CPU_DISPATCH_WIDTH));
    assert_true(cpu_value(cpu, CPU_DISPATCH_WIDTH) == 6);
    assert_int_equal(cpu->parameters[CPU_DISPATCH_WIDTH].trust, CPU_PUBLISHED);
    assert_string_equal(cpu->parameters[CPU_DISPATCH_WIDTH].source, "a book");
    assert_int_equal(cpu->parameters[CPU_MICRO_FUSION].trust, CPU_ASSUMED);
    assert_true(cpu_does(cpu, CPU_MICRO_FUSION));
    assert_false(cpu_knows(cpu, CPU_FETCH_BYTES));
    assert_int_equal(cpu->n_rules, 2);
    assert_int_equal(cpu->rules[0].shape, CPU_ANY_SHAPE);
    assert_int_equal(cpu->rules[1].shape, CPU_THREE_PART);
    assert_int_equal(cpu->rules[1].n_sources, 2);
    assert_string_equal(cpu->rules[1].sources[0].name.text, "RAX");
    assert_true(cpu->rules[1].sources[1].latency == 2);
    assert_true(cpu->rules[0].serial.value == 6);
    assert_true(cpu_rule_matches(&cpu->rules[0], "DIV64r"));
    assert_false(cpu_rule_matches(&cpu->rules[0], "IDIV64r"));
    cpu_close(cpu);
    arena_free(&arena);
}

static void mistakes_have_a_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        unsigned line;
    } mistakes[] = {
        {"parameters: {dispatch-widht: 4}\n", "there is no parameter 'dispatch-widht'", 4},
        {"parameters: [4]\n", "'parameters' must be a mapping", 4},
        {"parameters:\n  dispatch-width: wide\n", "wide", 5},
        {"parameters:\n  dispatch-width: -1\n", "at least 0", 5},
        {"parameters:\n  dispatch-width: 0\n", "must be above 0", 5},
        {"parameters:\n  blocked-load: 1e300\n", "at most 1000000", 5},
        {"parameters:\n  micro-fusion: 2\n", "'micro-fusion' is a flag: 0 or 1", 5},
        {"parameters:\n  micro-fusion: 0.5\n", "'micro-fusion' is a flag: 0 or 1", 5},
        {"parameters:\n  decoders: 1.5\n", "a whole number of instructions/cycle", 5},
        {"parameters:\n  store-window: {source: a book,\n    value: 1.5}\n", "a whole number of stores", 6},
        {"parameters:\n  fetch-bytes: 15\n", "a power of two", 5},
        {"parameters:\n  load-banks: 12\n", "a power of two", 5},
        {"parameters:\n  stores-by-bytes: 24\n", "a power of two", 5},
        {"forms:\n  - {match: DIV64r, slots: 1.5}\n", "'slots' must be a whole number", 5},
        {"forms:\n  - match: DIV64r\n    latency-from: {RAX: -1}\n", "at least 0", 6},
        {"identity: [{vendor: GenuineIntel, family: 6}]\n", "models", 4},
        {"identity: {vendor: GenuineIntel}\n", "'identity' must be a list", 4},
        {"identity: [{vendor: GenuineIntel, family: 6, models: [78-]}]\n", "'78-' is no model", 4},
        {"identity:\n  - {vendor: GenuineIntel, family: 6, models: [9-7]}\n", "'9-7' is no model", 5},
        {"parameters:\n  dispatch-width: {value: 4, trust: hearsay}\n", "'hearsay' is no trust", 5},
        {"parameters:\n  dispatch-width: 4\n  dispatch-width: 5\n", "duplicate key", 6},
        {"forms:\n  - {slots: 2}\n", "match", 5},
        {"forms:\n  - {match: '(', slots: 2}\n", "not a regular expression", 5},
        {"forms:\n  - {match: '(A{9}){9}', slots: 2}\n", "mean nothing in an opcode", 5},
        {"forms:\n  - {match: '(A)+', slots: 2}\n", "repeats one letter", 5},
        {"resources: {SKLPort0: 0}\n", "1 to 32 pipes", 4},
        {"ports: [A.1]\n", "has no '+'", 4},
        {"ports: [A, B, A]\n", "two ports 'A'", 4},
        {"forms: 5\n", "'forms' must be a list", 4},
        {"forms:\n  - {trust: measured, forms: 5}\n", "'forms' must be a list", 5},
        {"forms:\n  - {trust: hearsay, forms: []}\n", "'hearsay' is no trust", 5},
        {"forms:\n  - {forms: [{forms: []}]}\n", "match", 5},
        {"forms:\n  - {match: DIV64r, latency-to: 5}\n", "'latency-to' must be a mapping", 5},
        {"forms:\n  - {match: DIV64r, pipes: 5}\n", "'pipes' must be a list", 5},
        {"forms:\n  - {match: DIV64r, address: far}\n", "'far' is no kind of address", 5},
        {"forms:\n  - {match: ADC64ri8, immediate: 0.5}\n", "'immediate' must be a whole number", 5},
        {"forms:\n  - {match: ADC64ri8, waits-for-result: 2}\n", "a flag: 0 or 1", 5},
        {"lacks: 5\n", "'lacks' must be a list", 4},
        {"lacks:\n  - {match: ANDN32rr}\n", "feature", 5},
        {"lacks:\n  - {match: '(', feature: BMI}\n", "not a regular expression", 5},
        {"forms:\n  - {match: DIV64r, latency-from: 5}\n", "'latency-from' must be a mapping", 5},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        assert_null(parse(&arena, mistakes[i].text, &fail));
        print_message("%s\n", fail.text);
        assert_non_null(strstr(fail.text, mistakes[i].message));
        assert_int_equal(fail.line, mistakes[i].line);
        arena_free(&arena);
    }
}

static void groups_share_their_origin(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct cpu *cpu = parse(&arena,
                            "forms:\n"
                            "  - trust: measured\n"
                            "    source: survey\n"
                            "    llvm: 22\n"
                            "    forms:\n"
                            "    - {match: 'V?(ADD|SUB)P[DS]Y?rr', latency: 3}\n"
                            "    - {match: DIV64r, latency: 10, trust: published, source: a book}\n"
                            "  - {match: 'MUL.*', latency-to: {RDX: 4, carry: 3, memory: 9}}\n",
                            &fail);
    assert_non_null(cpu);
    assert_int_equal(cpu->n_rules, 3);
    assert_int_equal(cpu->rules[0].latency.trust, CPU_MEASURED);
    assert_string_equal(cpu->rules[0].latency.source, "survey");
    assert_int_equal(cpu->rules[1].latency.trust, CPU_PUBLISHED);
    assert_int_equal(cpu->rules[2].trust, CPU_ASSUMED);
    assert_int_equal(cpu->rules[2].n_results, 3);
    // Few names are known without a regular expression, and opcodes of another LLVM are no mistake.
    const char *const opcodes[] = {"VSUBPDYrr", "MULPSrr"};
    assert_non_null(cpu->rules[0].match.names);
    assert_null(cpu->rules[2].match.names);
    assert_true(cpu_check_opcodes(cpu, opcodes, 2, 19, &fail));
    assert_false(cpu_check_opcodes(cpu, opcodes, 2, 22, &fail));
    assert_non_null(strstr(fail.text, "DIV64r"));
    fail_clear(&fail);
    cpu_close(cpu);
    arena_free(&arena);
}

static void a_file_states_its_cpus(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct cpu *cpu = parse(&arena,
                            "identity:\n"
                            "  - {vendor: AuthenticAMD, family: 26, models: [0x00-0x4f, 96]}\n"
                            "  - {vendor: GenuineIntel, family: 6, models: [78]}\n",
                            &fail);
    assert_non_null(cpu);
    assert_true(cpu_is_of(cpu, "AuthenticAMD", 26, 0x4f));
    assert_true(cpu_is_of(cpu, "AuthenticAMD", 26, 96));
    assert_false(cpu_is_of(cpu, "AuthenticAMD", 26, 0x50));
    assert_false(cpu_is_of(cpu, "AuthenticAMD", 25, 2));
    assert_true(cpu_is_of(cpu, "GenuineIntel", 6, 78));
    assert_false(cpu_is_of(cpu, "AuthenticAMD", 6, 78));
    cpu_close(cpu);
    arena_free(&arena);
}

static void an_identity_is_read_alone(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    char path[] = "/tmp/identity-XXXXXX.cpu.yaml";
    const int made = mkstemps(path, (int)strlen(".cpu.yaml"));
    FILE *file = made >= 0 ? fdopen(made, "w") : NULL;
    assert_non_null(file);
    fputs("cpu: 1\nname: a\nbase: b\nidentity: [{vendor: AuthenticAMD, family: 26, models: [2]}]\n"
          "forms: [{match: '(', latency: 1}]\n",
          file);
    fclose(file);
    struct cpu *cpu = cpu_read_identity(&arena, path, &fail);
    assert_non_null(cpu);
    assert_true(cpu_is_of(cpu, "AuthenticAMD", 26, 2));
    assert_int_equal(cpu->n_rules, 0);
    assert_null(cpu_read(&arena, path, &fail)); // the rule is wrong
    fail_clear(&fail);
    remove(path);
    cpu_close(cpu);
    arena_free(&arena);
}

static void versions_are_told_apart(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    assert_null(cpu_parse(&arena, "new.cpu.yaml", "cpu: 2\nname: a\nbase: b\n", &fail));
    assert_non_null(strstr(fail.text, "version 2"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_a_source),     cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(groups_share_their_origin), cmocka_unit_test(a_file_states_its_cpus),
        cmocka_unit_test(versions_are_told_apart),   cmocka_unit_test(an_identity_is_read_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
