// cyclops trace: records which way a block's branches go, in a run of it.
#include "cli/cli.h"

#include "analyzer/model/model.h"
#include "analyzer/predict/branch_trace.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/options.h"
#include "base/text.h"
#include "bench/sandbox/steps.h"
#include "blocks/followed.h"
#include "blocks/object_code.h"
#include "blocks/text_blocks.h"
#include "lab/experiment.h"

#include <stdio.h>
#include <string.h>

static struct { const char *syntax, *region, *llvm; } args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "syntax", "intel|att", "Syntax. Default: att where registers are written %rax, else intel.",
     &args.syntax},
    {OPTION_TEXT, "region", "NAME", "Of a text with several of llvm-mca's regions, this one.", &args.region},
    {OPTION_TEXT, "llvm", "LLVM", "Version (22), module or folder of LLVM to read the text with. Default: the newest.",
     &args.llvm},
    {0},
};

#define OTHERWISE_READ "LLVM and GNU as do not read the same instructions from the text"

static const struct command command = {
    "cyclops trace",
    "FILE.s|- [options]",
    "Runs a block of assembly on this CPU, one instruction at a time. Prints which\n"
    "way its branches went: the labels that control came to, in order. 'cyclops mca\n"
    "--branch-trace' simulates that run; for mca, a text in Intel's syntax must begin\n"
    "with '.intel_syntax noprefix'. Registers begin as in 'cyclops run'.\n",
    "  cyclops trace loop.s\n"
    "  cyclops trace loop.s | cyclops mca --branch-trace=- loop.s\n",
    options,
};

// Whether an instruction may be one that the assembler puts in to align code.
static bool may_align(const struct insn *insn) {
    static const char *const starts[] = {"NOOP", "XCHG16ar", "DATA16_PREFIX", "HINT", "C_NOP"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts(insn->opcode, starts[i]))
            return true;
    return false;
}

// What the text's instructions are in the assembled code.
struct assembled_text {
    struct block block;      // with assembled lengths; what aligns code is a part of the instruction before
    const unsigned *lengths; // without that, bytes
};

// Gives the text's instructions their assembled lengths. False: these are not the text's.
static bool take_lengths(struct insn *insns, unsigned n, const struct block *assembled, unsigned *lengths) {
    unsigned n_taken = 0;
    for (unsigned i = 0; i < assembled->n_insns; i++) {
        const struct insn *insn = &assembled->insns[i];
        bool is_of_text = n_taken < n && (may_align(&insns[n_taken]) || !may_align(insn));
        if (!is_of_text && (!may_align(insn) || n_taken == 0))
            return false;
        n_taken += is_of_text;
        insns[n_taken - 1].n_bytes = insn->n_bytes + (is_of_text ? 0 : insns[n_taken - 1].n_bytes);
        if (is_of_text)
            lengths[n_taken - 1] = insn->n_bytes;
    }
    return n_taken == n;
}

// Leaves out the steps through what aligns code. `first`: the block's first byte in the code. Returns their number.
static size_t drop_padding(const struct assembled_text *text, size_t first, const struct steps *steps,
                           uint32_t *offsets) {
    size_t n = 0;
    for (size_t i = 0; i < steps->n && text->block.n_insns; i++) {
        size_t begin = first;
        unsigned at = 0;
        while (at + 1 < text->block.n_insns && begin + text->block.insns[at].n_bytes <= steps->offsets[i])
            begin += text->block.insns[at++].n_bytes;
        if (steps->offsets[i] < begin + text->lengths[at])
            offsets[n++] = steps->offsets[i];
    }
    return n;
}

// Describes the block's instructions, with their assembled lengths and the labels of the text.
static bool describe(struct arena *arena, const struct backend *backend, struct backend_cpu *cpu,
                     const struct program *program, const struct text_block *from, const char *text,
                     struct assembled_text *result, struct fail *fail) {
    const struct program_range range = program_block_range(program);
    struct block *block = &result->block;
    const char *in_syntax = model_in_syntax(arena, from->source.isa->triple, text);
    struct backend_source source;
    struct block assembled;
    if (args.syntax)
        in_syntax = arena_printf(arena, "%s%s", strcmp(args.syntax, "intel") ? "" : ".intel_syntax noprefix; ", text);
    if (!backend->describe_text(cpu, arena, program->file, in_syntax, &source, fail) ||
        !backend->describe_part(cpu, arena, program->code, range.offset, range.length, &assembled, fail))
        return false;
    if (from->region >= source.n_blocks)
        return fail_set(fail, FAIL_WORK, OTHERWISE_READ);
    *block = source.blocks[from->region];
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    memcpy(insns, block->insns, block->n_insns * sizeof *insns);
    block->insns = insns;
    unsigned *lengths = ARENA_ARRAY(arena, unsigned, block->n_insns + 1);
    result->lengths = lengths;
    return take_lengths(insns, block->n_insns, &assembled, lengths) || fail_set(fail, FAIL_WORK, OTHERWISE_READ);
}

static bool record(struct arena *arena, const struct experiment *experiment, struct steps *steps, struct fail *fail) {
    const struct program *program = &experiment->program;
    const struct program_range range = program_block_range(program);
    struct bench_code code = experiment_code(experiment, false);
    code.foreign.lowest_address = BLOCK_LOWEST_ADDRESS;
    const struct steps_request request = {
        .code = &code,
        .iterations = 1,
        .first = range.offset,
        .end = range.offset + range.length,
        .most = BRANCH_TRACE_MOST_STEPS,
        .timeout_seconds = 60,
    };
    if (!steps_record(arena, &request, steps, fail))
        return false;
    return steps->outcome == BENCH_OK ||
           fail_set(fail, FAIL_WORK, "%s: %s", program->file, bench_outcome_name(steps->outcome));
}

static bool write_down(struct arena *arena, const struct block *block, const struct follow_order *order,
                       const char **words, struct fail *fail) {
    const struct execution execution = {.block = block, .steps = order->steps, .n_steps = (unsigned)order->n};
    return branch_trace_of(arena, &execution, words, fail);
}

static const char *in_words(struct arena *arena, const struct program *program, const struct text_block *from,
                            const char *text, const struct steps *steps, struct fail *fail) {
    const struct backend *backend = backend_load(arena, args.llvm, fail);
    const struct backend_options options_of_cpu = {.output_syntax = -1};
    struct backend_cpu *cpu = backend ? backend->open(arena, &options_of_cpu, fail) : NULL;
    struct assembled_text result = {.lengths = NULL};
    const char *words = NULL;
    if (!cpu)
        return NULL;
    if (describe(arena, backend, cpu, program, from, text, &result, fail)) {
        const size_t first = program_block_range(program).offset;
        uint32_t *offsets = ARENA_ARRAY(arena, uint32_t, steps->n + 1);
        size_t n = drop_padding(&result, first, steps, offsets);
        struct follow_order order;
        if (follow_order(arena, &result.block, first, NULL, offsets, n, &order))
            write_down(arena, &result.block, &order, &words, fail);
        else
            fail_set(fail, FAIL_WORK, OTHERWISE_READ);
    }
    backend->close(cpu);
    return words;
}

// Plans the block's looped program, of which it runs one iteration.
static struct experiment *plan_one(struct arena *arena, const struct text_block *block, const struct decoder *decoder,
                                   struct plan *plan, struct fail *fail) {
    const struct plan_options looped = {.has_form = true, .form = PROGRAM_LOOPED, .block = {.state = block->state}};
    bool is_planned = plan_add_block(arena, plan, &block->source, block->source.name, &looped, fail) &&
                      blocks_prepare(arena, plan, decoder, true, fail);
    return is_planned ? plan->experiments[0] : NULL;
}

// Finds the one block to run.
static const struct text_block *find_block(struct arena *arena, const struct block_source *source, struct fail *fail) {
    struct text_blocks blocks;
    const struct text_choice choice = {.region = args.region};
    if (!text_blocks_read(arena, source, &choice, &blocks, fail))
        return NULL;
    if (blocks.n > 1 && blocks.items[1].line)
        fail_at(fail, source->name, blocks.items[1].line, 0,
                "a second region begins here; a trace is of one: choose it with --region NAME");
    else if (blocks.n > 1)
        fail_at(fail, source->name, 0, 0,
                "it has several functions, such as %s and %s; a trace is of one: mark it by LLVM-MCA-BEGIN and "
                "LLVM-MCA-END",
                blocks.items[0].name, blocks.items[1].name);
    else
        *fail = blocks.items->refused;
    return fail->status == FAIL_NONE ? blocks.items : NULL;
}

static const char *trace_text(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                              const struct decoder *decoder, struct fail *fail) {
    struct plan plan = {0};
    struct steps steps;
    const struct block_source source = {.isa = isa, .name = name, .text = text, .syntax = args.syntax};
    const struct text_block *block = find_block(arena, &source, fail);
    struct experiment *experiment = block ? plan_one(arena, block, decoder, &plan, fail) : NULL;
    if (!experiment)
        return NULL;
    struct program *programs[] = {&experiment->program};
    struct fail why = {0};
    if (!gen_assemble(arena, programs, 1, fail) || !record(arena, experiment, &steps, &why)) {
        fail_set(fail, why.status, "%s: %s", name, why.text);
        return NULL;
    }
    return in_words(arena, &experiment->program, block, text, &steps, fail);
}

static bool trace(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct decoder decoder = {0};
    const char *words = NULL;
    char *text;
    size_t length;
    if (operands->n_items != 1)
        return fail_set(fail, FAIL_INPUT, "name one file with the block to run");
    const char *path = operands->items[0], *refused;
    const struct isa *isa = cli_isa(arena, NULL, fail);
    if (!isa || !file_read(arena, path, &text, &length, fail))
        return false;
    if ((refused = file_kind_refused(path, text, length)))
        return fail_at(fail, file_name(path), 0, 0, "this is %s", refused);
    if (object_is_elf(text, length))
        return fail_at(fail, file_name(path), 0, 0, "this is an object: a trace names the labels of a text");
    if (decoder_open(&decoder, arena, isa, args.llvm, fail))
        words = trace_text(arena, isa, file_name(path), text, &decoder, fail);
    decoder_close(&decoder);
    if (words)
        puts(words);
    return words != NULL;
}

int cmd_trace(int argc, char **argv) {
    return cli_run(&command, argc, argv, trace);
}
