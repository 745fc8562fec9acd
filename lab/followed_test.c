// Blocks that run here, one instruction at a time: which instructions ran, and where each accessed memory. On x86-64.
#include "blocks/followed.h"

#include "base/text.h"
#include "blocks/decoder.h"
#include "blocks/lab_block.h"
#include "lab/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct decoder decoder;
static struct model model;

static int open_all(void **state) {
    struct fail fail = {0};
    const struct backend_options options = {
        .triple = "x86_64-linux-gnu", .cpu = "skylake", .output_syntax = -1, .addresses = true};
    (void)state;
    return decoder_open(&decoder, &arena, isa_find("x86_64"), NULL, &fail) &&
                   model_open(&model, &arena, NULL, &options, &fail)
               ? 0
               : -1;
}

static int close_all(void **state) {
    (void)state;
    model_close(&model);
    decoder_close(&decoder);
    arena_free(&arena);
    return 0;
}

// Records one turn, or more, of a block. Skips the test where code of x86-64 cannot be stepped through.
static struct execution record(const char *text, size_t enough_steps) {
#ifndef __x86_64__
    skip();
#endif
    const struct block_source source = {.isa = isa_find("x86_64"), .name = "test.s", .text = text, .syntax = "intel"};
    const struct plan_options options = {.has_form = true, .form = PROGRAM_LOOPED};
    struct plan plan = {0};
    struct fail fail = {0};
    struct execution execution = {0};
    if (!plan_add_block(&arena, &plan, &source, "test", &options, &fail) ||
        !blocks_prepare(&arena, &plan, &decoder, true, &fail))
        fail_msg("%s", fail.text);
    struct experiment *experiment = plan.experiments[0];
    struct program *programs[] = {&experiment->program};
    if (!gen_assemble(&arena, programs, 1, &fail))
        fail_msg("%s", fail.text);
    struct bench_code code = experiment_code(experiment, false);
    code.foreign.lowest_address = BLOCK_LOWEST_ADDRESS;
    bool is_done = execution_record(&arena, &model, programs[0], &code, enough_steps, &execution, &fail);
    if (!is_done && fail.status == FAIL_UNAVAILABLE) {
        print_message("%s\n", fail.text);
        skip();
    }
    if (!is_done)
        fail_msg("%s", fail.text);
    return execution;
}

// Access number `access` of the step that runs the instruction of that opcode for the `nth` time.
static struct memory_access access_of(const struct execution *execution, const char *opcode, unsigned nth,
                                      unsigned access) {
    for (unsigned i = 0; i < execution->n_steps; i++) {
        const struct execution_step *step = &execution->steps[i];
        if (strcmp(execution_insn(execution, i)->opcode, opcode) != 0 || nth-- > 0)
            continue;
        assert_true(step->has_accesses && access < step->n_accesses);
        return step->accesses[access];
    }
    fail_msg("%s did not run so often", opcode);
    return (struct memory_access){0};
}

static void assert_access(struct memory_access access, uint64_t address, unsigned bytes, bool is_store) {
    assert_true(access.is_known);
    assert_int_equal(access.address, address);
    assert_int_equal(access.bytes, bytes);
    assert_int_equal(access.is_store, is_store);
}

// A loop over an array at an address of the block's own: pages appear under it, and no access is lost or doubled then.
static void an_array_is_walked_over(void **state) {
    (void)state;
    enum { ARRAY = 0x20000ff0, TURNS = 5 };
    const struct execution run = record("mov edi, 0x20000ff0\nxor ecx, ecx\n"
                                        "1: mov rax, [rdi + rcx*8 + 16]\nadd dword ptr [rdi + rcx*4], 3\n"
                                        "inc ecx\ncmp ecx, 5\njnz 1b\nnop\n",
                                        30);
    assert_true(run.n_passes >= 1);
    for (unsigned i = 0; i < TURNS * run.n_passes; i++) {
        unsigned turn = i % TURNS;
        assert_access(access_of(&run, "MOV64rm", i, 0), ARRAY + 16 + 8 * turn, 8, false);
        assert_access(access_of(&run, "ADD32mi8", i, 0), ARRAY + 4 * turn, 4, false);
        assert_access(access_of(&run, "ADD32mi8", i, 1), ARRAY + 4 * turn, 4, true);
    }
    unsigned n_taken = 0, n_branches = 0;
    for (unsigned i = 0; i < run.n_steps; i++) {
        bool is_inner = strcmp(execution_insn(&run, i)->opcode, "CMP32ri8") == 0 ||
                        strcmp(execution_insn(&run, i)->opcode, "CMP32ri") == 0;
        n_branches += is_inner;
        n_taken += is_inner && run.steps[i + 1].is_taken;
        if (!execution_insn(&run, i)->may_load)
            assert_true(run.steps[i].has_accesses && run.steps[i].n_accesses == 0);
    }
    assert_int_equal(n_branches, TURNS * run.n_passes);
    assert_int_equal(n_taken, (TURNS - 1) * run.n_passes);
}

static void the_stack_is_followed(void **state) {
    (void)state;
    const struct execution run = record("mov dword ptr [rsp - 8], eax\npush rax\npush 7\nmov eax, [rsp + 8]\n"
                                        "pop rcx\npop qword ptr [rsp - 64]\n",
                                        1);
    const uint64_t pushed = access_of(&run, "PUSH64r", 0, 0).address;
    assert_true(pushed != 0 && pushed % 8 == 0);
    assert_access(access_of(&run, "MOV32mr", 0, 0), pushed, 4, true);
    assert_access(access_of(&run, "PUSH64r", 0, 0), pushed, 8, true);
    assert_access(access_of(&run, "MOV32rm", 0, 0), pushed, 4, false);
    assert_access(access_of(&run, "POP64r", 0, 0), pushed - 8, 8, false);
    assert_access(access_of(&run, "POP64rmm", 0, 0), pushed, 8, false);
    assert_access(access_of(&run, "POP64rmm", 0, 1), pushed + 8 - 64, 8, true);
}

// Addresses beside the code, and accesses that no operand names.
static void code_and_strings(void **state) {
    (void)state;
    const struct execution run = record("lea r9, [rip]\nmov eax, [rip]\nmov edx, [r9 + 6]\n" // 6: of the load
                                        "mov edi, 0x20000000\nmov ecx, 3\nrep stosb\n",
                                        1);
    const struct memory_access by_register = access_of(&run, "MOV32rm", 1, 0);
    assert_access(access_of(&run, "MOV32rm", 0, 0), by_register.address, 4, false);
    unsigned n_strings = 0;
    for (unsigned i = 0; i < run.n_steps; i++)
        n_strings += text_starts(execution_insn(&run, i)->opcode, "REP_STOSB") ||
                     text_starts(execution_insn(&run, i)->opcode, "STOSB");
    assert_int_equal(n_strings, run.n_passes); // not once for each byte
    for (unsigned i = 0; i < run.n_steps; i++)
        if (strstr(execution_insn(&run, i)->opcode, "STOSB"))
            assert_false(run.steps[i].has_accesses);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_walked_over),
        cmocka_unit_test(the_stack_is_followed),
        cmocka_unit_test(code_and_strings),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
