// The public functions, as a program outside calls them: nothing of the inside is included.
#include <cyclops.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine), cmocka_unit_test(host_machine), cmocka_unit_test(dot_product),
        cmocka_unit_test(errors),  cmocka_unit_test(pick),         cmocka_unit_test(order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
