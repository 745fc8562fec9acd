// What the LLVM module says of instructions, given as text and as bytes. Expected figures are what llvm-mca 19 prints.
#include "analyzer/model/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static const struct backend *backend;

static struct backend_cpu *open_cpu(const char *triple, const char *cpu) {
    struct fail fail = {0};
    const struct backend_options options = {.triple = triple, .cpu = cpu, .output_syntax = -1};
    struct backend_cpu *opened = backend->open(&arena, &options, &fail);
    assert_string_equal(fail.text, "");
    return opened;
}

static struct backend_source describe(struct backend_cpu *cpu, const char *text) {
    struct fail fail = {0};
    struct backend_source source = {0};
    backend->describe_text(cpu, &arena, "test.s", text, &source, &fail);
    assert_string_equal(fail.text, "");
    return source;
}

// The resources that an instruction holds: "JFPM 0-1 x1, …".
static const char *uses_of(const struct machine *machine, const struct insn *insn) {
    const char *text = "";
    for (unsigned i = 0; i < insn->cost->n_uses; i++) {
        const struct sched_use *use = &insn->cost->uses[i];
        text = arena_printf(&arena, "%s%s%s %u-%u x%u", text, i ? ", " : "",
                            machine_resource_of_mask(machine, use->mask)->name, use->acquire, use->release, use->units);
    }
    return text;
}

static void figures_are_those_of_llvm_mca(void **state) {
    (void)state;
    static const struct {
        const char *triple, *cpu, *text;
        unsigned uops, latency;
        double rthroughput;
        const char *opcode, *uses;
    } table[] = {
        {"x86_64", "btver2", "vmulps %xmm0, %xmm1, %xmm2", 1, 2, 1.0, "VMULPSrr", "JFPM 0-1 x1, JFPU1 0-1 x1"},
        {"x86_64", "btver2", "vhaddps %xmm2, %xmm2, %xmm3", 1, 4, 1.0, "VHADDPSrr", "JFPA 0-1 x1, JFPU0 0-1 x1"},
        {"x86_64", "skylake-avx512", "vfmadd231ps %zmm0, %zmm1, %zmm2", 1, 4, 0.5, "VFMADD231PSZr", "SKXPort05 0-1 x1"},
        {"x86_64", "znver4", "vfmadd231ps %zmm0, %zmm1, %zmm2", 1, 4, 1.0, "VFMADD231PSZr", "Zn4FPAES01 0-2 x1"},
        // A group that is reserved because its members' uses fill it.
        {"x86_64", "skylake", "divq %rcx", 32, 76, 8.0, "DIV64r",
         "SKLPort0 0-7 x1, SKLPort1 0-2 x1, SKLPort5 0-8 x1, SKLPort6 0-3 x1, SKLPort05 0-1 x2, SKLPort0156 0-11 x4"},
        {"aarch64", "cortex-a72", "fmla v0.4s, v1.4s, v2.4s", 1, 10, 1.0, "FMLAv4f32", "A57UnitV 0-2 x1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct backend_cpu *cpu = open_cpu(table[i].triple, table[i].cpu);
        const struct backend_source source = describe(cpu, table[i].text);
        const struct insn *insn = &source.blocks[0].insns[0];
        assert_int_equal(source.n_blocks, 1);
        assert_int_equal(source.blocks[0].n_insns, 1);
        assert_int_equal(insn->cost->uops, table[i].uops);
        assert_int_equal(insn->cost->latency, table[i].latency);
        assert_int_equal(insn->cost->info_latency, table[i].latency);
        assert_float_equal(insn->cost->rthroughput, table[i].rthroughput, 1e-9);
        assert_string_equal(insn->opcode, table[i].opcode);
        assert_string_equal(uses_of(backend->machine(cpu), insn), table[i].uses);
        backend->close(cpu);
    }
}

static const struct insn_write *write_of(const struct machine *machine, const struct insn *insn, const char *reg) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (strcmp(machine->registers[insn->writes[i].reg].name, reg) == 0)
            return &insn->writes[i];
    fail_msg("%s does not write %s", insn->text, reg);
    return NULL;
}

static const struct insn_read *read_of(const struct machine *machine, const struct insn *insn, const char *reg) {
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (strcmp(machine->registers[insn->reads[i].reg].name, reg) == 0)
            return &insn->reads[i];
    fail_msg("%s does not read %s", insn->text, reg);
    return NULL;
}

static const struct sched_read *read_cost_of(const struct machine *machine, const struct insn *insn, const char *reg) {
    return &insn->cost->reads[read_of(machine, insn, reg) - insn->reads];
}

static void dependences_and_idioms(void **state) {
    (void)state;
    struct backend_cpu *cpu = open_cpu("x86_64", "znver4");
    const struct machine *machine = backend->machine(cpu);
    const struct backend_source source = describe(
        cpu, "xorl %eax, %eax\nmovq %rbx, %rcx\nmfence\nmovb %al, (%rdi)\nmovl %eax, %edx\ncall foo\njne 1f\n1: ret");
    const struct insn *insn = source.blocks[0].insns;

    assert_true(insn[0].cost->writes[write_of(machine, &insn[0], "EAX") - insn[0].writes].is_zero);
    assert_true(write_of(machine, &insn[0], "EAX")->clears_supers);
    assert_true(read_cost_of(machine, &insn[0], "EAX")->independent);
    assert_int_equal(insn[0].cost->n_uses, 0);
    assert_true(insn[1].cost->eliminable_move);
    assert_false(read_cost_of(machine, &insn[1], "RBX")->independent);
    assert_true(insn[2].load_barrier && insn[2].store_barrier && insn[2].side_effects);
    assert_true(insn[3].may_store && !insn[3].may_load);
    assert_true(insn[4].cost->eliminable_move && write_of(machine, &insn[4], "EDX")->clears_supers);
    assert_true(insn[5].is_call);
    assert_int_equal(insn[5].cost->latency, 100); // assumed
    assert_int_equal(insn[5].cost->info_latency, 1);
    assert_true(insn[6].is_branch && insn[7].is_return);
    backend->close(cpu);
}

static void accumulators_are_read_late(void **state) {
    (void)state;
    struct backend_cpu *cpu = open_cpu("aarch64", "cortex-a72");
    const struct machine *machine = backend->machine(cpu);
    const struct backend_source source = describe(cpu, "fmla v0.4s, v1.4s, v2.4s");
    const struct insn *insn = &source.blocks[0].insns[0];
    const struct sched_write *accumulator = &insn->cost->writes[write_of(machine, insn, "Q0") - insn->writes];
    const struct sched_read *read = read_cost_of(machine, insn, "Q0");
    int advance = 0;
    for (unsigned i = 0; i < read->n_advances; i++)
        if (read->advances[i].write_class == accumulator->write_class)
            advance = read->advances[i].cycles;
    assert_int_equal(accumulator->latency, 10);
    assert_int_equal(advance, 6);
    assert_int_equal(read_cost_of(machine, insn, "Q1")->n_advances, 0);
    backend->close(cpu);
}

// btver2's cvtsi2ss waits for integer operands longer: llvm-mca adds that to the latency that it shows.
static void delays_of_forwarding_are_shown(void **state) {
    (void)state;
    struct backend_cpu *cpu = open_cpu("x86_64", "btver2");
    const struct backend_source source = describe(cpu, "cvtsi2ss %ecx, %xmm0");
    assert_int_equal(source.blocks[0].insns[0].cost->latency, 4);
    assert_int_equal(source.blocks[0].insns[0].cost->info_latency, 10);
    backend->close(cpu);
}

static void assert_same(const struct insn *a, const struct insn *b) {
    assert_string_equal(a->text, b->text);
    assert_string_equal(a->opcode, b->opcode);
    assert_int_equal(a->n_bytes, b->n_bytes);
    assert_memory_equal(a->bytes, b->bytes, a->n_bytes);
    assert_int_equal(a->cost->sched_class, b->cost->sched_class);
    assert_int_equal(a->cost->uops, b->cost->uops);
    assert_int_equal(a->cost->latency, b->cost->latency);
    assert_int_equal(a->cost->buffers, b->cost->buffers);
    assert_int_equal(a->cost->n_uses, b->cost->n_uses);
    assert_int_equal(a->n_writes, b->n_writes);
    for (unsigned i = 0; i < a->n_writes; i++)
        assert_int_equal(a->writes[i].reg, b->writes[i].reg);
    assert_int_equal(a->n_reads, b->n_reads);
    for (unsigned i = 0; i < a->n_reads; i++)
        assert_int_equal(a->reads[i].reg, b->reads[i].reg);
}

static void bytes_mean_what_their_text_means(void **state) {
    (void)state;
    static const struct {
        const char *triple, *cpu, *text;
    } table[] = {
        {"x86_64", "znver4",
         "vfmadd231ps %zmm0, %zmm1, %zmm2\naddq $5, %rax\nmovl 8(%rdi,%rcx,4), %eax\nimulq %rax, %rax\n"
         "vaddps %ymm9, %ymm10, %ymm11\nlock addl %eax, (%rsi)\nnopw 0(%rax,%rax)\nretq\n"},
        {"aarch64", "neoverse-n1", "fmla v0.4s, v1.4s, v2.4s\nldr x0, [x1], #8\nmul x2, x3, x4\nsubs x9, x9, #1\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct backend_cpu *cpu = open_cpu(table[i].triple, table[i].cpu);
        const struct block from_text = describe(cpu, table[i].text).blocks[0];
        uint8_t bytes[256];
        size_t n_bytes = 0;
        for (unsigned j = 0; j < from_text.n_insns; j++) {
            memcpy(bytes + n_bytes, from_text.insns[j].bytes, from_text.insns[j].n_bytes);
            n_bytes += from_text.insns[j].n_bytes;
        }
        struct block from_bytes;
        struct fail fail = {0};
        assert_true(backend->describe_bytes(cpu, &arena, bytes, n_bytes, &from_bytes, &fail));
        memset(bytes, 0, sizeof bytes); // the block keeps no part of its input
        assert_int_equal(from_bytes.n_insns, from_text.n_insns);
        for (unsigned j = 0; j < from_text.n_insns; j++) {
            assert_int_equal(from_text.insns[j].line, j + 1);
            assert_same(&from_text.insns[j], &from_bytes.insns[j]);
        }
        backend->close(cpu);
    }
}

static void printed_as_the_input_or_as_asked(void **state) {
    (void)state;
    static const struct {
        int syntax;
        const char *text, *printed;
    } table[] = {
        {-1, "addq $16, %rax", "addq\t$16, %rax"},
        {-1, ".intel_syntax noprefix\nadd rax, 16", "add\trax, 16"},
        {1, "addq $16, %rax", "add\trax, 16"},
        {0, ".intel_syntax noprefix\nadd rax, 16", "addq\t$16, %rax"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fail fail = {0};
        const struct backend_options options = {.triple = "x86_64", .cpu = "skylake", .output_syntax = table[i].syntax};
        struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
        assert_string_equal(describe(cpu, table[i].text).blocks[0].insns[0].text, table[i].printed);
        backend->close(cpu);
    }
    struct fail fail = {0};
    const struct backend_options hex = {.triple = "x86_64", .cpu = "skylake", .output_syntax = -1, .print_hex = true};
    struct backend_cpu *cpu = backend->open(&arena, &hex, &fail);
    assert_string_equal(describe(cpu, "addq $16, %rax").blocks[0].insns[0].text, "addq\t$0x10, %rax");
    backend->close(cpu);
}

// The blocks of a text as "name:opcode opcode; …".
static const char *regions_of(struct backend_cpu *cpu, const char *text) {
    const struct backend_source source = describe(cpu, text);
    const char *shown = "";
    for (size_t i = 0; i < source.n_blocks; i++) {
        shown = arena_printf(&arena, "%s%s:", shown, source.blocks[i].name);
        for (unsigned j = 0; j < source.blocks[i].n_insns; j++)
            shown = arena_printf(&arena, "%s %s", shown, source.blocks[i].insns[j].opcode);
        shown = arena_printf(&arena, "%s;", shown);
    }
    return shown;
}

static void regions_become_blocks(void **state) {
    (void)state;
    static const struct {
        const char *text, *blocks;
    } table[] = {
        {"nop\nret\n", ": NOOP RET64;"},
        {"nop\n# LLVM-MCA-BEGIN one\nret\n# LLVM-MCA-END\nnop\n", "one: RET64;"},
        {"# LLVM-MCA-BEGIN\nret # LLVM-MCA-END\nnop\n", ": RET64;"},
        {"ret\n# LLVM-MCA-END\nnop\n", ": RET64;"},
        {"# LLVM-MCA-BEGIN a\nret\n# LLVM-MCA-BEGIN b\nnop\n# LLVM-MCA-END a\nclc\n# LLVM-MCA-END b\n",
         "a: RET64 NOOP;b: NOOP CLC;"},
        {"# LLVM-MCA-BEGIN empty\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN\nclc\n", ": CLC;"},
        // The parser reads ahead: the comment comes before the instruction of the line above, and before the
        // repetition.
        {"# LLVM-MCA-BEGIN a\nret\n# LLVM-MCA-END\nnop\n# LLVM-MCA-BEGIN b\n.rept 2\nclc\n.endr\n# LLVM-MCA-END\nnop\n",
         "a: RET64;b: CLC CLC;"},
        {".macro twice what\n\\what\n\\what\n.endm\n# LLVM-MCA-BEGIN\ntwice clc\n# LLVM-MCA-END\ntwice nop\n",
         ": CLC CLC;"},
    };
    struct backend_cpu *cpu = open_cpu("x86_64", "skylake");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(regions_of(cpu, table[i].text), table[i].blocks);
    backend->close(cpu);
}

static void errors_name_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        unsigned line, column;
    } table[] = {
        {"nop\n  foo %rax\nbar\n", "invalid instruction mnemonic 'foo'", 2, 3},
        {"addq $1, %xmm0\n", "invalid operand", 1, 10},
        {"nop\n.nonesuch 1\n", "unknown directive", 2, 1},
        {".cfi_startproc\nnop\n", "Unfinished frame", 3, 1},
        {"nop\nvaddps %zmm0, %zmm0, %zmm0\n", "does not describe 'vaddps %zmm0, %zmm0, %zmm0'", 2, 1},
        {"nop\n# LLVM-MCA-END foo\n", "found an invalid region end directive", 2, 2},
        {"# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-BEGIN a\n", "overlapping regions cannot have the same name", 3, 2},
        {"# LLVM-MCA-BEGIN\n# LLVM-MCA-BEGIN\nnop", "multiple overlapping anonymous regions", 2, 2},
        {"nop\n# LLVM-MCA-END\n# LLVM-MCA-END\n", "found an invalid region end directive", 3, 2},
        {"# only a comment\n", "no instructions", 0, 0},
        {"", "no instructions", 0, 0},
    };
    struct backend_cpu *cpu = open_cpu("x86_64", "skylake");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fail fail = {0};
        struct backend_source source;
        assert_false(backend->describe_text(cpu, &arena, "test.s", table[i].text, &source, &fail));
        if (!strstr(fail.text, table[i].words))
            fail_msg("'%s' is not in: %s", table[i].words, fail.text);
        assert_int_equal(fail.status, FAIL_INPUT);
        assert_string_equal(fail.file, "test.s");
        assert_int_equal(fail.line, table[i].line);
        assert_int_equal(fail.column, table[i].column);
    }
    backend->close(cpu);
}

static void bytes_that_are_no_code(void **state) {
    (void)state;
    static const struct {
        const char *triple, *cpu;
        uint8_t bytes[8];
        size_t n_bytes;
        const char *words;
    } table[] = {
        {"x86_64", "skylake", {0x90, 0x06, 0x90}, 3, "no instruction of skylake at byte offset 1: 06 90"},
        {"x86_64", "skylake", {0x90, 0x48}, 2, "byte offset 1: 48"}, // cut short
        {"x86_64", "skylake", {0x62, 0xf2, 0x75, 0x48, 0xb8, 0xc2}, 6, "'vfmadd231ps %zmm2, %zmm1, %zmm0'"},
        {"x86_64", "skylake", {0}, 0, "no machine code"},
        // vmadc.vim: LLVM 19's decoder forgets v0
        {"riscv64", "sifive-x280", {0x57, 0xb3, 0x05, 0x44}, 4, "too few operands"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct backend_cpu *cpu = open_cpu(table[i].triple, table[i].cpu);
        struct fail fail = {0};
        struct block block;
        assert_false(backend->describe_bytes(cpu, &arena, table[i].bytes, table[i].n_bytes, &block, &fail));
        assert_int_equal(fail.status, FAIL_INPUT);
        if (!strstr(fail.text, table[i].words))
            fail_msg("'%s' is not in: %s", table[i].words, fail.text);
        backend->close(cpu);
    }
}

// RISC-V's vsetvli and LLVM-MCA-RISCV-LMUL say how many registers the vector instructions after them work on.
static void instruments_change_the_meaning(void **state) {
    (void)state;
    struct fail fail = {0};
    const struct backend_options options = {.triple = "riscv64", .cpu = "sifive-x280", .features = "+v"};
    struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
    const struct backend_source source =
        describe(cpu, "vsetvli zero, a0, e8, m1, tu, mu\nvadd.vv v12, v12, v12\nvsetvli zero, a0, e8, m8, tu, mu\n"
                      "vadd.vv v16, v8, v8\n# LLVM-MCA-RISCV-LMUL M2\nvadd.vv v8, v8, v8\n");
    const struct insn *insn = source.blocks[0].insns;
    assert_float_equal(insn[1].cost->rthroughput, 3.0, 1e-9);
    assert_float_equal(insn[3].cost->rthroughput, 17.0, 1e-9);
    assert_float_equal(insn[4].cost->rthroughput, 5.0, 1e-9);

    struct backend_source none;
    assert_false(backend->describe_text(cpu, &arena, "test.s", "# LLVM-MCA-RISCV-LMUL M9\nnop\n", &none, &fail));
    assert_int_equal(fail.line, 1);
    backend->close(cpu);
}

// The same of machine code; where nothing says it, nothing is assumed, but what llvm-mca does where that is wanted.
// What was described before must not matter.
static void machine_code_has_its_vector_type(void **state) {
    (void)state;
    // vsetvli t0, zero, e32, m1 (or m4), ta, ma; vadd.vv v4, v4, v8
    static const uint8_t single[] = {0xd7, 0x72, 0x00, 0x0d, 0x57, 0x02, 0x44, 0x02},
                         group[] = {0xd7, 0x72, 0x20, 0x0d, 0x57, 0x02, 0x44, 0x02};
    struct fail fail = {0};
    for (int as_llvm_mca = 0; as_llvm_mca <= 1; as_llvm_mca++) {
        const struct backend_options options = {
            .triple = "riscv64", .cpu = "sifive-x280", .as_llvm_mca = as_llvm_mca == 1};
        struct backend_cpu *cpu = backend->open(&arena, &options, &fail);
        struct block block;
        for (int again = 0; again < 2; again++) {
            assert_true(backend->describe_bytes(cpu, &arena, single, sizeof single, &block, &fail));
            assert_float_equal(block.insns[1].cost->rthroughput, 3.0, 1e-9);
            assert_true(backend->describe_bytes(cpu, &arena, group, sizeof group, &block, &fail));
            assert_float_equal(block.insns[1].cost->rthroughput, 9.0, 1e-9);
            bool is_described = backend->describe_bytes(cpu, &arena, single + 4, 4, &block, &fail);
            assert_int_equal(is_described, as_llvm_mca);
            if (is_described)
                assert_float_equal(block.insns[0].cost->rthroughput, 17.0, 1e-9);
            else
                assert_non_null(strstr(fail.text, "'VADD_VV' costs depends on the vector type"));
            // Code in front of what is described says it, too: the last vsetvli.
            uint8_t both[sizeof group + sizeof single];
            memcpy(both, group, sizeof group);
            memcpy(both + sizeof group, single, sizeof single);
            assert_true(backend->describe_part(cpu, &arena, both, sizeof group + 4, 4, &block, &fail));
            assert_int_equal(block.n_insns, 1);
            assert_float_equal(block.insns[0].cost->rthroughput, 3.0, 1e-9);
            assert_true(backend->describe_part(cpu, &arena, both, sizeof group - 4, 4, &block, &fail));
            assert_float_equal(block.insns[0].cost->rthroughput, 9.0, 1e-9);
        }
        backend->close(cpu);
    }

    const struct backend_options narrow = {.triple = "riscv64", .cpu = "sifive-e31"};
    struct fail refused = {0};
    assert_null(backend->open(&arena, &narrow, &refused));
    assert_non_null(strstr(refused.text, "RV64 target requires an RV64 CPU"));
}

static int load(void **state) {
    (void)state;
    struct fail fail = {0};
    backend = backend_load(&arena, NULL, &fail);
    if (!backend)
        fail_print(&fail, stderr);
    return backend ? 0 : -1;
}

static int free_arena(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_llvm_mca),
        cmocka_unit_test(dependences_and_idioms),
        cmocka_unit_test(accumulators_are_read_late),
        cmocka_unit_test(delays_of_forwarding_are_shown),
        cmocka_unit_test(bytes_mean_what_their_text_means),
        cmocka_unit_test(printed_as_the_input_or_as_asked),
        cmocka_unit_test(regions_become_blocks),
        cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(bytes_that_are_no_code),
        cmocka_unit_test(instruments_change_the_meaning),
        cmocka_unit_test(machine_code_has_its_vector_type),
    };
    return cmocka_run_group_tests(tests, load, free_arena);
}
