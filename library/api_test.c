// The public functions, as a program outside calls them: nothing of the inside is included.
#include <cyclops.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char triple[] = "x86_64-unknown-linux-gnu";

static struct cyclops_machine *open_cpu(const char *cpu) {
    struct cyclops_error error = {0};
    struct cyclops_options options = {.triple = triple, .cpu = cpu};
    struct cyclops_machine *machine = cyclops_open(&options, &error);
    assert_string_equal(error.text, "");
    assert_non_null(machine);
    return machine;
}

static struct cyclops_block *from_text(struct cyclops_machine *machine, const char *text) {
    struct cyclops_error error = {0};
    struct cyclops_block *block = cyclops_block_from_text(machine, text, &error);
    assert_string_equal(error.text, "");
    assert_non_null(block);
    return block;
}

static void machine(void **state) {
    (void)state;
    struct cyclops_machine *btver2 = open_cpu("btver2");
    assert_string_equal(cyclops_machine_id(btver2), "llvm-19/btver2");
    assert_int_equal(cyclops_dispatch_width(btver2), 2);
    unsigned n = cyclops_resource_count(btver2), found = 0;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(cyclops_resource_name(btver2, i), "JFPM") == 0)
            found += cyclops_resource_units(btver2, i);
    }
    assert_int_equal(found, 1);
    cyclops_close(btver2);
}

static void host_machine(void **state) {
    (void)state;
    struct cyclops_error error = {0};
    struct cyclops_machine *host = cyclops_open(NULL, &error);
    if (host == NULL)
        assert_int_not_equal(error.status, CYCLOPS_OK); // a CPU that LLVM has no model of
    cyclops_close(host);
}

// The figures are what llvm-mca 19 prints for the dot product of its manual: -mcpu=btver2 -iterations=300.
static void dot_product(void **state) {
    (void)state;
    static const char text[] = "vmulps %xmm0, %xmm1, %xmm2\nvhaddps %xmm2, %xmm2, %xmm3\nvhaddps %xmm3, %xmm3, %xmm4\n";
    static const uint8_t bytes[] = {0xc5, 0xf0, 0x59, 0xd0, 0xc5, 0xeb, 0x7c, 0xda, 0xc5, 0xe3, 0x7c, 0xe3};
    struct cyclops_error error = {0};
    struct cyclops_machine *btver2 = open_cpu("btver2");
    struct cyclops_block *blocks[] = {from_text(btver2, text),
                                      cyclops_block_from_bytes(btver2, bytes, sizeof bytes, &error)};
    for (size_t i = 0; i < 2; i++) {
        struct cyclops_totals totals;
        assert_true(cyclops_simulate(blocks[i], 300, &totals, &error));
        assert_int_equal(totals.iterations, 300);
        assert_int_equal(totals.instructions, 900);
        assert_int_equal(totals.cycles, 611);
        assert_int_equal(totals.uops, 900);
        struct cyclops_insn insn = cyclops_block_insn(blocks[i], 1);
        assert_string_equal(insn.opcode, "VHADDPSrr");
        assert_string_equal(insn.text, "vhaddps\t%xmm2, %xmm2, %xmm3");
        assert_int_equal(insn.n_bytes, 4);
        assert_memory_equal(insn.bytes, bytes + 4, 4);
    }
    struct cyclops_prediction *prediction = cyclops_predict(blocks[0], &error);
    assert_non_null(prediction);
    assert_true(prediction->cycles == 2.0 && prediction->ipc == 1.5 && prediction->uops == 3);
    assert_int_equal(prediction->bottleneck, CYCLOPS_BY_RESOURCE);
    assert_string_equal(prediction->bottleneck_name, "JFPA");
    assert_int_equal(prediction->n_pressure, cyclops_resource_count(btver2));
    for (unsigned i = 0; i < prediction->n_pressure; i++)
        if (strcmp(cyclops_resource_name(btver2, i), "JFPA") == 0)
            assert_true(prediction->pressure[i] == 2.0);
    cyclops_prediction_free(prediction);
    cyclops_block_free(blocks[0]);
    cyclops_block_free(blocks[1]);
    cyclops_close(btver2);
}

static void errors(void **state) {
    (void)state;
    struct cyclops_error error = {0};
    struct cyclops_options options = {.triple = triple, .cpu = "btver3"};
    assert_null(cyclops_open(&options, &error));
    assert_int_equal(error.status, CYCLOPS_BAD_INPUT);
    assert_non_null(strstr(error.text, "btver2"));
    assert_null(cyclops_open(&options, NULL)); // nobody has to listen
    options = (struct cyclops_options){.llvm = "999"};
    assert_null(cyclops_open(&options, &error));
    assert_int_equal(error.status, CYCLOPS_UNAVAILABLE);

    struct cyclops_machine *btver2 = open_cpu("btver2");
    assert_null(cyclops_block_from_text(btver2, "nop\n  vmulps %xmm0, %nothing\n", &error));
    assert_int_equal(error.status, CYCLOPS_BAD_INPUT);
    assert_int_equal(error.line, 2);
    assert_null(cyclops_block_from_text(btver2, "", &error));
    static const uint8_t wrong[] = {0x90, 0xc5};
    assert_null(cyclops_block_from_bytes(btver2, wrong, sizeof wrong, &error));
    assert_int_equal(error.status, CYCLOPS_BAD_INPUT);
    assert_null(cyclops_block_from_bytes(btver2, wrong, 0, &error));
    cyclops_close(btver2);
}

// What is picked lives on without what it was picked from.
static void pick(void **state) {
    (void)state;
    struct cyclops_error error = {0};
    struct cyclops_machine *btver2 = open_cpu("btver2");
    struct cyclops_block *block = from_text(btver2, "imul %rax, %rax\nadd %rbx, %rbx\n");
    const unsigned order[] = {1, 0, 1};
    struct cyclops_block *picked = cyclops_block_pick(block, order, 3);
    cyclops_block_free(block);
    assert_int_equal(cyclops_block_length(picked), 3);
    assert_string_equal(cyclops_block_insn(picked, 0).opcode, "ADD64rr");
    assert_string_equal(cyclops_block_insn(picked, 1).opcode, "IMUL64rr");
    assert_string_equal(cyclops_block_insn(picked, 2).opcode, "ADD64rr");
    struct cyclops_totals totals;
    assert_true(cyclops_simulate(picked, 0, &totals, &error));
    assert_int_equal(totals.instructions, 300);
    cyclops_block_free(picked);
    cyclops_close(btver2);
}

static void order(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool keeps; // the first two instructions' order
    } cases[] = {
        {"mov (%rdi), %rax\nadd %rax, %rbx\n", true},              // needs the result
        {"add %rax, %rbx\nmov %rcx, %rax\n", true},                // overwrites what is still read
        {"mov %rcx, %rax\nmov %rdx, %rax\n", true},                // which of them is last
        {"mov %cl, %al\nmov %rax, %rdx\n", true},                  // a part of it
        {"mov %ecx, %eax\nmov %rax, %rdx\n", true},                // clears the rest of it
        {"mov %cl, %al\nmov %ch, %bl\n", false},                   // parts that do not overlap
        {"add %rax, %rbx\nadd %rcx, %rdx\ncmp %r8, %r9\n", false}, // flags that nobody reads
        {"add %rax, %rbx\nadd %rcx, %rdx\nadc %r8, %r9\n", true},  // flags that are read
        {"mov (%rdi), %rax\nmov (%rsi), %rbx\n", false},           // two loads
        {"mov %rax, (%rdi)\nmov (%rsi), %rbx\n", true},            // perhaps the same place
        {"mov %rax, (%rdi)\nmov %rbx, (%rsi)\n", true},
        {"mov %rax, %rbx\njne 1f\n1:\n", true},
        {"mov %rax, %rbx\nmfence\n", true},
        {"mov %rax, %rbx\nmov %rcx, %rdx\n", false},
    };
    struct cyclops_machine *skylake = open_cpu("skylake");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cyclops_block *block = from_text(skylake, cases[i].text);
        if (cyclops_block_keeps_order(block, 0, 1) != cases[i].keeps)
            fail_msg("keeps order wrongly %s:\n%s", cases[i].keeps ? "not" : "", cases[i].text);
        cyclops_block_free(block);
    }
    cyclops_close(skylake);
}

// Skylake: a multiplication takes 3 cycles, four slots are dispatched in a cycle.
static void cpu_file(void **state) {
    (void)state;
    struct cyclops_error error = {0};
    struct cyclops_totals totals;
    double cycles;
    struct cyclops_machine *skylake = open_cpu("cpu:skylake");
    assert_string_equal(cyclops_machine_id(skylake), "cpu:skylake");
    assert_int_equal(cyclops_dispatch_width(skylake), 4);
    assert_true(cyclops_resource_count(skylake) > 8);
    struct cyclops_block *block = from_text(skylake, "nop\nimul %rbx, %rax\nmov (%rdi), %rcx\nxor %edx, %edx\n");
    struct cyclops_prediction *prediction = cyclops_predict(block, &error);
    assert_non_null(prediction);
    assert_true(prediction->cycles == 3 && prediction->limit_cycles == 3 && prediction->uops == 4);
    assert_true(prediction->ipc > 1.33 && prediction->ipc < 1.34);
    assert_int_equal(prediction->bottleneck, CYCLOPS_BY_DEPENDENCY);
    assert_string_equal(prediction->bottleneck_name, "dependency chain");
    assert_string_equal(prediction->limit, "3 cycles from iteration to iteration: 2 imulq %rbx, %rax takes 3 from rax");
    assert_true(prediction->next_limit_cycles >= 1 && prediction->next_limit_cycles < 3);
    assert_true(strlen(prediction->next_limit) > 0);
    assert_true(prediction->n_by_llvm > 0 &&
                prediction->n_by_llvm <= 4); // the file states of its machine, not of forms
    assert_null(prediction->pressure);
    assert_int_equal(prediction->n_pressure, 0);
    assert_int_equal(prediction->n_notes, 0);
    cyclops_prediction_free(prediction);
    assert_true(cyclops_cycles(block, &cycles, &error) && cycles == 3);
    assert_true(cyclops_simulate(block, 1000, &totals, &error));
    assert_int_equal(totals.iterations, 1000);
    assert_int_equal(totals.instructions, 4000);
    assert_int_equal(totals.uops, 4000);
    assert_true(totals.cycles >= 3000 && totals.cycles < 3100);
    struct cyclops_insn insn = cyclops_block_insn(block, 1);
    assert_string_equal(insn.opcode, "IMUL64rr");
    assert_true(insn.uops == 1 && insn.latency == 3 && insn.rthroughput == 1);
    insn = cyclops_block_insn(block, 2);
    assert_true(insn.loads && insn.latency == 5 && insn.rthroughput == 0.5);
    insn = cyclops_block_insn(block, 3); // an idiom: it takes no pipe and no time
    assert_true(insn.uops == 1 && insn.latency == 0 && insn.rthroughput == 0);
    const unsigned order[] = {1, 1, 0};
    struct cyclops_block *picked = cyclops_block_pick(block, order, 3);
    cyclops_block_free(block);
    assert_true(cyclops_cycles(picked, &cycles, &error) && cycles == 6);
    assert_true(cyclops_block_keeps_order(picked, 0, 1));
    assert_false(cyclops_block_keeps_order(picked, 1, 2));
    cyclops_block_free(picked);
    cyclops_close(skylake);
}

// A compare and its jump are one slot; so a loop of five instructions is of four slots.
static void cpu_file_loop(void **state) {
    (void)state;
    static const char text[] = "1:\nadd $1, %rax\nnop\nadd $1, %rdx\ncmp %rsi, %rdi\njne 1b\n";
    struct cyclops_error error = {0};
    double bounds = 0, core = 0;
    struct cyclops_machine *machine = open_cpu("cpu:skylake"), *simulated = open_cpu("core:skylake");
    assert_string_equal(cyclops_machine_id(simulated), "core:skylake");
    struct cyclops_block *block = from_text(machine, text), *same = from_text(simulated, text);
    assert_int_equal(cyclops_block_insn(block, 0).uops, 1);
    assert_true(cyclops_cycles(block, &bounds, &error) && cyclops_cycles(same, &core, &error));
    assert_true(bounds == 1 && core >= bounds && core < 1.1);
    struct cyclops_prediction *prediction = cyclops_predict(same, &error);
    assert_non_null(prediction);
    assert_true(prediction->cycles == core && prediction->limit_cycles == bounds);
    assert_true(prediction->uops == 4);
    cyclops_prediction_free(prediction);
    cyclops_block_free(block);
    cyclops_block_free(same);
    cyclops_close(machine);
    cyclops_close(simulated);
}

static void cpu_file_notes(void **state) {
    (void)state;
    struct cyclops_error error = {0};
    struct cyclops_machine *skylake = open_cpu("cpu:skylake");
    // Whose address is the product of what was loaded.
    struct cyclops_block *block = from_text(skylake, "imul (%rdi), %rsi\nmov %rax, (%rsi)\ndiv %rbx\n");
    struct cyclops_prediction *prediction = cyclops_predict(block, &error);
    assert_non_null(prediction);
    assert_int_equal(prediction->n_notes, 2);
    assert_non_null(strstr(prediction->notes[0], "not all addresses follow from registers"));
    assert_non_null(strstr(prediction->notes[1], "instruction 3: "));
    assert_true(prediction->n_by_llvm > 0);
    cyclops_prediction_free(prediction);
    cyclops_block_free(block);
    cyclops_close(skylake);
}

static char *write_file(const char *text) {
    static char path[] = "/tmp/cyclops-api-XXXXXX.cpu.yaml";
    strcpy(path, "/tmp/cyclops-api-XXXXXX.cpu.yaml");
    int fd = mkstemps(path, (int)strlen(".cpu.yaml"));
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0 && fclose(out) == 0);
    return path;
}

static void wrong_cpu_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *says;
    } cases[] = {
        {"cpu: 1\nname: x\nbase: skylake\nparameters:\n  dispatch-wdith: 4\n",
         ":5:3: ", "did you mean 'dispatch-width'"},
        {"cpu: 1\nname: x\nbase: skylaek\n", ":3:7: ", "skylake"},
        {"cpu: 1\nname: x\nbase: cpu:skylake\n", ":3:7: ", "is a CPU file, too"},
        {"cpu: 1\nname: x\nbase: skylake\nforms:\n  - {match: IMUL64rx, latency: 1}\n", ":5:", "IMUL64rx"},
        {"cpu: 1\nname: x\nbase: skylake\nforms:\n  - {match: IMUL64rr, pipes: [{on: SKLPort9, cycles: 1}]}\n",
         ":5:", "SKLPort9"},
        {"cpu: 1\nname: [\n", ":", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cyclops_error error = {0};
        const char *path = write_file(cases[i].text);
        const struct cyclops_options options = {.triple = triple, .cpu = path};
        assert_null(cyclops_open(&options, &error));
        unlink(path);
        assert_int_equal(error.status, CYCLOPS_BAD_INPUT);
        assert_int_equal(error.line, 0);
        assert_memory_equal(error.text, path, strlen(path));
        if (strncmp(error.text + strlen(path), cases[i].place, strlen(cases[i].place)) != 0 ||
            strstr(error.text, cases[i].says) == NULL || strchr(error.text, '\n') != NULL)
            fail_msg("case %zu: %s", i, error.text);
    }
    struct cyclops_error error = {0};
    struct cyclops_options options = {.triple = triple, .cpu = "cpu:skylaek"};
    assert_null(cyclops_open(&options, &error));
    assert_non_null(strstr(error.text, "cpu:skylake"));
    options.cpu = "/nonexistent/x.cpu.yaml";
    assert_null(cyclops_open(&options, &error));
    assert_int_equal(error.status, CYCLOPS_BAD_INPUT);
    options = (struct cyclops_options){.triple = "aarch64-linux-gnu", .cpu = "cpu:skylake"};
    assert_null(cyclops_open(&options, &error));
    assert_non_null(strstr(error.text, "x86-64"));

    struct cyclops_machine *ivybridge = open_cpu("core:ivybridge"); // which has no AVX2
    struct cyclops_block *block = from_text(ivybridge, "vpaddd %ymm0, %ymm1, %ymm2\n");
    struct cyclops_totals totals;
    double cycles;
    assert_null(cyclops_predict(block, &error));
    assert_non_null(strstr(error.text, "AVX2"));
    assert_false(cyclops_cycles(block, &cycles, &error));
    assert_false(cyclops_simulate(block, 10, &totals, &error));
    assert_int_equal(error.status, CYCLOPS_BAD_INPUT);
    cyclops_block_free(block);
    cyclops_close(ivybridge);
}

static void overlay(void **state) {
    (void)state;
    struct cyclops_error error = {0};
    double cycles;
    struct cyclops_options options = {.cpu = "overlay:cortex-a8"};
    struct cyclops_machine *machine = cyclops_open(&options, &error);
    assert_string_equal(error.text, "");
    assert_string_equal(cyclops_machine_id(machine), "overlay:cortex-a8");
    struct cyclops_block *block = from_text(machine, "mul r0, r0, r1\n");
    assert_true(cyclops_cycles(block, &cycles, &error) && cycles > 1);
    cyclops_block_free(block);
    cyclops_close(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine),         cmocka_unit_test(host_machine),  cmocka_unit_test(dot_product),
        cmocka_unit_test(errors),          cmocka_unit_test(pick),          cmocka_unit_test(order),
        cmocka_unit_test(cpu_file),        cmocka_unit_test(cpu_file_loop), cmocka_unit_test(cpu_file_notes),
        cmocka_unit_test(wrong_cpu_files), cmocka_unit_test(overlay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
