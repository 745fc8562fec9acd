// Overlay files: what is wrong in them is told with its place, and what they say is what is simulated.
#include "analyzer/model/model.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *write_overlay(struct arena *arena, const char *text) {
    const char *path = arena_printf(arena, "/tmp/cyclops-overlay-%d.yaml", (int)getpid());
    struct fail fail = {0};
    assert_true(file_write(path, text, strlen(text), &fail));
    return path;
}

static bool open_text(struct arena *arena, const char *text, struct model *model, struct fail *fail) {
    struct backend_options options = {.cpu = write_overlay(arena, text), .output_syntax = -1};
    bool is_open = model_open(model, arena, NULL, &options, fail);
    unlink(options.cpu);
    return is_open;
}

#define HEAD "overlay: 1\nname: toy\nbase: none\nmachine: {order: out, dispatch_width: 2, reorder_buffer: 8}\n"

#define FORMS "overlay: 2\nname: x\nbase: llvm\ntriple: x86_64-linux-gnu\ncpu: znver4\ninstructions:\n"
#define LLVM "overlay: 1\nname: x\nbase: llvm\ntriple: x86_64-linux-gnu\n"

struct mistake {
    const char *yaml;
    unsigned line, column;
    const char *text;
};

static void check_mistakes(const struct mistake *table, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        struct model model;
        bool is_open = open_text(&arena, table[i].yaml, &model, &fail);
        if (is_open || !strstr(fail.text, table[i].text) || fail.line != table[i].line ||
            fail.column != table[i].column)
            fail_msg("%zu: %u:%u: %s", i, fail.line, fail.column, fail.text);
        assert_int_equal(fail.status, FAIL_INPUT);
        model_close(&model);
        arena_free(&arena);
    }
}

static void mistakes_are_told_with_their_place(void **state) {
    (void)state;
    static const struct mistake table[] = {
        {"overlay: 3\nname: x\nbase: none\n", 1, 10, "version 3"},
        {"overlay: 1\nname: x\nbase: lvm\n", 3, 7, "expected 'none' or 'llvm'"},
        {"overlay: 1\nname: x\nbase: llvm\n", 3, 7, "'cpu'"},
        {"overlay: 1\nname: x\nbase: none\ncpu: mips32\n", 4, 6, "'triple'"},
        {"overlay: 1\nname: x\nbase: none\n", 1, 1, "'order'"},
        {"overlay: 1\nname: x\nbase: none\nmachine: {order: in, dispatch_width: 0}\n", 4, 38, "from 1"},
        {"overlay: 1\nname: x\nbase: none\nmachine: {order: in, dispatch_width: 1, reorder_buffer: 3}\n", 4, 57,
         "no reorder buffer"},
        {"overlay: 1\nname: x\nbase: none\nmachine: {order: out, dispatch_width: 1.5, reorder_buffer: 3}\n", 4, 39,
         "whole number"},
        {"overlay: 1\nname: x\nbase: none\nmachine: {order: out, dispatch_width: 1, reorder_buffer: 3, threads: "
         "turns}\n",
         4, 70, "'threads: turns' is for machines that are in order"},
        {LLVM "cpu: znver4\nmachine:\n  dispatch_width: 3\n  threads: turns\n", 8, 12,
         "'threads: turns' is for machines"},
        {LLVM "cpu: znver4\nmachine: {completes: any}\n", 6, 22, "'completes: any' is for machines that are in order"},
        {LLVM "cpu: atom\nmachine: {reorder_buffer: 32}\n", 6, 27, "in order has no reorder buffer"},
        {HEAD "instructions:\n  - {match: X, idiom: one}\n", 6, 23, "expected 'zero' or 'dependency-breaking'"},
        {HEAD "speed: 3\n", 5, 1, "unknown key 'speed'"},
        {HEAD "resources:\n  - {name: A}\n  - {name: A}\n", 7, 12, "already"},
        {HEAD "resources:\n  - {name: G, members: [B]}\n", 6, 5, "no resource 'B'"},
        {HEAD "resources: [{name: ALU}]\ninstructions:\n  - {match: X, uses: [ALV]}\n", 7, 23, "did you mean 'ALU'"},
        {HEAD "resources: [{name: A}]\ninstructions:\n  - {match: X, uses: [{resource: A, acquire: 2, release: 2}]}\n",
         7, 58, "[2, 2)"},
        {HEAD "resources: [{name: A, units: 2}]\ninstructions:\n  - {match: X, uses: [{resource: A, release: 2, units: "
              "2}]}\n",
         7, 23, "A is not a group"},
        {HEAD "resources: [{name: A}, {name: B}, {name: G, members: [A, B]}]\ninstructions:\n  - {match: X, uses: "
              "[{resource: G, release: 2, units: 3}]}\n",
         7, 23, "G has 2 units"},
        {HEAD "instructions:\n  - {match: 'A(', latency: 1}\n", 6, 14, "regular expression"},
        {HEAD "instructions:\n  - {match: 'A++++++++++++++++++++++++++++++++', latency: 1}\n", 6, 14, "one letter"},
        {HEAD "instructions:\n  - {match: '((A+)+)+', latency: 1}\n", 6, 14, "one letter"},
        {HEAD "instructions:\n  - {match: X, latency: {value: 1}}\n", 6, 25, "'source'"},
        {HEAD "instructions:\n  - {match: X, latency: -1}\n", 6, 25, "from 0"},
        {"overlay: 1\nname: x\nbase: llvm\ncpu: znver4\ntriple: x86_64-linux-gnu\n"
         "instructions:\n  - {match: IMUL64rr, latency: 4}\n  - {match: IMUL64rx, latency: 4}\n",
         8, 5, "no opcode of LLVM's matches 'IMUL64rx' (did you mean 'IMUL64r'"},
    };
    check_mistakes(table, sizeof table / sizeof *table);
}

static void mistakes_in_forms_are_told(void **state) {
    (void)state;
    static const struct mistake table[] = {
        {LLVM "cpu: znver4\ninstructions:\n  - {forms: LEA64r-rip, latency: 4}\n", 7, 13, "write 'overlay: 2'"},
        {FORMS "  - {forms: [LEA64r-base-index, LEA64r-pc], latency: 4}\n", 7, 33,
         "no form 'LEA64r-pc' (did you mean 'LEA64r"},
        {FORMS "  - {forms: LEA64r-rip, latency: 4}\n  - {forms: [LEA64r, LEA64r-rip], uops: 2}\n", 8, 22,
         "the form 'LEA64r-rip' has a rule already, in line 7"},
        {FORMS "  - {forms: [LEA64r, LEA64r], uops: 2}\n", 7, 22, "the form 'LEA64r' has a rule already, in line 7"},
        {FORMS "  - {match: LEA64r, forms: LEA64r, uops: 2}\n", 7, 28, "either 'match' or 'forms'"},
        {FORMS "  - {uops: 2}\n", 7, 5, "either 'match' or 'forms'"},
        {FORMS "  - {forms: [[LEA64r]], uops: 2}\n", 7, 14, "expected a form's name"},
        {"overlay: 2\nname: toy\nbase: none\nmachine: {order: in, dispatch_width: 2}\ninstructions:\n"
         "  - {forms: X, uops: 1}\n",
         6, 13, "without a 'triple'"},
    };
    check_mistakes(table, sizeof table / sizeof *table);
}

static void a_machine_of_its_own(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct model model;
    struct insn insn;
    assert_true(open_text(&arena,
                          HEAD "resources:\n  - {name: A, units: 2, buffer: 4}\n  - {name: B}\n"
                               "  - {name: AB, members: [A, B]}\n"
                               "instructions:\n"
                               "  - {match: FOO, uops: 3, latency: {value: 7, source: book}, uses: [{resource: AB, "
                               "release: 1, units: 2}, {resource: A, acquire: 1, release: 4}]}\n"
                               "  - {match: F.*, latency: 8, source: paper}\n",
                          &model, &fail));
    assert_null(model.backend);
    assert_string_equal(model.machine->id, "overlay:toy");
    assert_int_equal(model.machine->n_resources, 4);
    const struct resource *group = machine_resource_named(model.machine, "AB");
    assert_int_equal(group->mask, 14);
    assert_int_equal(group->units, 2);

    assert_true(overlay_insn(model.overlay, &arena, "FOO", &insn, &fail));
    assert_int_equal(insn.cost->uops, 3);
    assert_int_equal(insn.cost->latency, 8); // the later rule
    assert_int_equal(insn.cost->n_uses, 2);
    assert_int_equal(insn.cost->uses[0].mask, 2); // the pipe before the group
    assert_int_equal(insn.cost->uses[0].acquire, 1);
    assert_int_equal(insn.cost->uses[0].release, 4);
    assert_int_equal(insn.cost->uses[0].units, 1);
    assert_int_equal(insn.cost->uses[1].units, 2);
    assert_int_equal(insn.cost->buffers, 2);
    assert_int_equal(insn.cost->used_units, 2);
    assert_int_equal(insn.cost->used_groups, 8);
    assert_true(insn.cost->rthroughput == 1.5);
    assert_string_equal(overlay_source(model.overlay, &arena, &insn), "book; paper");

    assert_false(overlay_insn(model.overlay, &arena, "BAR", &insn, &fail));
    assert_non_null(strstr(fail.text, "no instruction 'BAR'"));
    model_close(&model);
    arena_free(&arena);
}

// The name that a report blames is one that an overlay takes, and means the same pipes.
static void a_resource_has_one_name(void **state) {
    (void)state;
    static const char *const cpus[] = {"znver3", "znver4", "znver5", "sapphirerapids", "skylake", "bdver2", "btver2"};
    struct arena arena = {0};
    struct fail fail = {0};
    for (size_t c = 0; c < sizeof cpus / sizeof *cpus; c++) {
        struct model model;
        struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = cpus[c], .output_syntax = -1};
        assert_true(model_open(&model, &arena, NULL, &options, &fail));
        const struct machine *machine = model.machine;
        for (unsigned i = 1; i < machine->n_resources; i++) {
            const struct resource *own = &machine->resources[i];
            const struct resource *found = machine_resource_called(machine, machine_pipes_name(&arena, machine, i));
            assert_non_null(found);
            assert_true(resource_pipes(found->mask) == resource_pipes(own->mask));
            assert_true(machine_resource_called(machine, own->name) == own); // LLVM's own are names as well
        }
        if (strcmp(cpus[c], "znver4") == 0) {
            assert_string_equal(
                machine_pipes_name(&arena, machine,
                                   (unsigned)(machine_resource_named(machine, "Zn4FPFMul01") - machine->resources)),
                "Zn4FP01");
            assert_null(machine_resource_called(machine, "Zn4FP09"));
        }
        if (strcmp(cpus[c], "sapphirerapids") == 0) {
            const struct resource *ports = machine_resource_named(machine, "SPRPort00_01_05");
            assert_string_equal(machine_pipes_name(&arena, machine, (unsigned)(ports - machine->resources)),
                                "SPRPort00_01_05");
        }
        model_close(&model);
    }
    arena_free(&arena);
}

static const struct block *describe(struct arena *arena, const struct model *model, const char *text) {
    struct backend_source source;
    struct fail fail = {0};
    if (!model_describe_text(model, arena, "text", text, &source, &fail))
        fail_msg("%s", fail.text);
    return &source.blocks[0];
}

// Where all registers that it reads are one, an idiom waits for none; with others, its numbers hold.
static void idioms_are_of_one_register(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct model model;
    assert_true(open_text(&arena,
                          LLVM "cpu: skylake\ninstructions:\n  - {match: ADD64rr, idiom: zero, latency: 2}\n"
                               "  - {match: IMUL64rr, idiom: dependency-breaking}\n  - {match: ADC64rr, idiom: zero}\n"
                               "  - {match: 'XOR64[rm][rm]', idiom: zero}\n",
                          &model, &fail));
    const struct block *block = describe(&arena, &model,
                                         "add %rax, %rax\nadd %rax, %rbx\nimul %rax, %rax\nadc %rax, %rax\n"
                                         "xor (%rax), %rax\nxor %rax, (%rax)\n");
    const struct insn *zero = &block->insns[0], *plain = &block->insns[1], *breaking = &block->insns[2],
                      *carry = &block->insns[3];
    assert_true(zero->cost->reads[0].independent && zero->cost->reads[1].independent && zero->cost->writes[0].is_zero);
    assert_int_equal(zero->cost->latency, 0);
    assert_int_equal(zero->cost->n_uses, 0);
    assert_int_equal(zero->cost->buffers, 0);
    assert_int_equal(zero->cost->uops, 1); // it is dispatched all the same
    assert_false(plain->cost->reads[0].independent || plain->cost->reads[1].independent ||
                 plain->cost->writes[0].is_zero);
    assert_int_equal(plain->cost->latency, 2);
    assert_true(plain->cost->n_uses > 0);
    assert_true(breaking->cost->reads[0].independent && breaking->cost->reads[1].independent &&
                !breaking->cost->writes[0].is_zero);
    assert_int_equal(breaking->cost->latency, 3);
    assert_true(breaking->cost->n_uses > 0);
    assert_false(carry->cost->reads[0].independent || carry->cost->writes[0].is_zero); // it reads the carry, too
    for (unsigned i = 4; i < 6; i++) { // an address is a source of another kind
        assert_false(block->insns[i].cost->reads[0].independent || block->insns[i].cost->writes[0].is_zero);
        assert_true(block->insns[i].cost->n_uses > 0);
    }
    model_close(&model);
    arena_free(&arena);
}

static void an_overlay_changes_only_what_it_names(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct model plain, changed;
    struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = "znver4", .output_syntax = -1};
    assert_true(model_open(&plain, &arena, NULL, &options, &fail));
    assert_true(open_text(&arena,
                          "overlay: 1\nname: zen\nbase: llvm\ncpu: znver4\ntriple: x86_64-linux-gnu\n"
                          "machine: {dispatch_width: 3, load_queue: 5}\n"
                          "resources: [{name: Zn4Store, units: 3}]\n"
                          "instructions: [{match: IMUL64rr, latency: 9}, {match: VADDPSZrr, uses: [Zn4FP01]}]\n",
                          &changed, &fail));
    assert_int_equal(changed.machine->dispatch_width, 3);
    assert_int_equal(changed.machine->rob_size, plain.machine->rob_size);
    assert_int_equal(changed.machine->load_queue, 5);
    assert_int_equal(machine_resource_named(changed.machine, "Zn4Store")->units, 3);
    assert_int_equal(machine_resource_named(plain.machine, "Zn4Store")->units, 2);

    const char *text = "imul %rax, %rbx\nadd %rax, %rbx\nvfmadd231ps %zmm0, %zmm1, %zmm2\n";
    const struct block *before = describe(&arena, &plain, text), *after = describe(&arena, &changed, text);
    assert_int_equal(before->insns[0].cost->writes[0].latency, 3);
    assert_int_equal(after->insns[0].cost->writes[0].latency, 9);
    assert_int_equal(after->insns[0].cost->latency, 9);
    for (unsigned i = 0; i < 3; i++) {
        const struct insn *a = &before->insns[i], *b = &after->insns[i];
        assert_int_equal(a->cost->n_uses, b->cost->n_uses);
        assert_int_equal(a->cost->buffers, b->cost->buffers);
        assert_int_equal(a->cost->used_units, b->cost->used_units);
        assert_int_equal(a->cost->used_groups, b->cost->used_groups);
        assert_int_equal(a->cost->issue_immediately, b->cost->issue_immediately);
        assert_int_equal(a->cost->has_partially_overlapping_groups, b->cost->has_partially_overlapping_groups);
        if (i > 0)
            assert_int_equal(a->cost->latency, b->cost->latency);
    }
    model_close(&plain);
    model_close(&changed);
    arena_free(&arena);
}

// Forms of one opcode have numbers of their own, also where a pattern is of all of them; LLVM's decoder has no opcode
// for some, such as what is locked.
static void rules_name_forms(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct model model;
    if (!open_text(&arena,
                   FORMS "  - {match: 'LEA64r|ADD8rr', latency: 5, source: all}\n"
                         "  - {forms: [LEA64r-base-index, ADD8rr-high0], latency: 2, source: form}\n"
                         "  - {forms: LOCK_ADD64mr, latency: 30}\n",
                   &model, &fail))
        fail_msg("%u:%u: %s", fail.line, fail.column, fail.text);
    const struct block *block = describe(&arena, &model,
                                         "leaq (%rdi,%rdx), %rax\nleaq 8(%rdi,%rdx), %rax\naddb %cl, %ah\n"
                                         "addb %cl, %al\nlock addq %rax, (%rdi)\naddq %rax, (%rdi)\n");
    static const unsigned latencies[] = {2, 5, 2, 5, 30};
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        assert_int_equal(block->insns[i].cost->latency, latencies[i]);
    assert_int_not_equal(block->insns[5].cost->latency, 30);
    assert_string_equal(overlay_source(model.overlay, &arena, &block->insns[0]), "all; form");
    assert_string_equal(overlay_source(model.overlay, &arena, &block->insns[1]), "all");
    model_close(&model);
    arena_free(&arena);
}

// An index puts the flags into another place among the reads; LLVM's number of them stays.
static void advances_by_operand(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct model model;
    assert_true(open_text(&arena,
                          "overlay: 1\nname: by-operand\nbase: llvm\ntriple: x86_64\ncpu: znver4\ninstructions:\n"
                          "  - {match: ADC64rm, advances: [{operand: 6, cycles: 9}]}\n",
                          &model, &fail));
    const struct block *block = describe(&arena, &model, "adcq 8(%rdi), %rax\nadcq (%rdi,%rbx), %rax\n");
    for (size_t i = 0; i < 2; i++) {
        const struct insn *insn = &block->insns[i];
        assert_int_equal(insn->n_reads, 3 + i);
        for (unsigned r = 0; r < insn->n_reads; r++) {
            bool is_flags = strcmp(model.machine->registers[insn->reads[r].reg].name, "EFLAGS") == 0;
            assert_int_equal(insn->cost->reads[r].n_advances, is_flags);
        }
    }
    model_close(&model);
    arena_free(&arena);
}

// LLVM has itineraries for this CPU, and no model: registers are from its instruction tables, cycles from the file.
static void a_cpu_that_llvm_has_no_model_of(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct model model;
    assert_true(open_text(&arena,
                          "overlay: 1\nname: a8\nbase: none\ntriple: armv7-linux-gnueabi\ncpu: cortex-a8\n"
                          "machine: {order: in, dispatch_width: 2, completes: any}\n"
                          "resources: [{name: ALU, units: 2}]\n"
                          "instructions:\n  - {match: 'ADDrr|MLA', latency: 2, uses: [ALU], writes: sum}\n"
                          "  - {match: MLA, advances: [{read: 2, after: sum, cycles: 1}]}\n"
                          "  - {match: Bcc, uses: [ALU]}\n",
                          &model, &fail));
    assert_true(model.machine->in_order);
    const struct block *block =
        describe(&arena, &model, "back: mla r0, r1, r2, r3\nadds r4, r5, r6\nbne back\nb back\n");
    const struct insn *mla = &block->insns[0], *adds = &block->insns[1];
    assert_string_equal(mla->opcode, "MLA");
    assert_int_equal(mla->n_writes, 1);
    assert_string_equal(model.machine->registers[mla->writes[0].reg].name, "R0");
    assert_int_equal(mla->cost->writes[0].latency, 2);
    assert_int_equal(mla->n_reads, 3);
    assert_string_equal(model.machine->registers[mla->reads[2].reg].name, "R3");
    assert_int_equal(mla->cost->reads[1].n_advances, 0);
    assert_int_equal(mla->cost->reads[2].n_advances, 1);
    assert_int_equal(mla->cost->reads[2].advances[0].write_class, mla->cost->writes[0].write_class);
    assert_true(mla->cost->retires_out_of_order);
    assert_int_equal(adds->n_writes, 2); // and the flags
    assert_string_equal(model.machine->registers[adds->writes[1].reg].name, "CPSR");
    assert_true(block->insns[2].is_branch && block->insns[2].is_conditional); // a branch trace may fall through it
    assert_true(block->insns[3].is_branch && !block->insns[3].is_conditional);

    struct backend_source source;
    assert_false(model_describe_text(&model, &arena, "text", "mul r0, r1, r2\n", &source, &fail));
    assert_non_null(strstr(fail.text, "no rule for the opcode MUL"));
    model_close(&model);

    struct fail other = {0};
    struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = "overlay:mips-24kc", .output_syntax = -1};
    assert_false(model_open(&model, &arena, NULL, &options, &other));
    assert_non_null(strstr(other.text, "executes code of mips"));
    model_close(&model);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(mistakes_in_forms_are_told),
        cmocka_unit_test(a_machine_of_its_own),
        cmocka_unit_test(a_resource_has_one_name),
        cmocka_unit_test(idioms_are_of_one_register),
        cmocka_unit_test(an_overlay_changes_only_what_it_names),
        cmocka_unit_test(rules_name_forms),
        cmocka_unit_test(advances_by_operand),
        cmocka_unit_test(a_cpu_that_llvm_has_no_model_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
