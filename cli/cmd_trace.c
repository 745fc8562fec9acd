// cyclops trace: records which way a block's branches go, in a run of it.
#include "cli/cli.h"

#include "analyzer/model/backend.h"
#include "analyzer/predict/branch_trace.h"
#include "base/file.h"
#include "base/options.h"
#include "bench/sandbox/steps.h"
#include "lab/branches.h"
#include "lab/experiment.h"
#include "lab/marked_text.h"

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

// Describes the block's instructions, with their assembled lengths and the labels of the text.
static bool describe(struct arena *arena, const struct backend *backend, struct backend_cpu *cpu,
                     const struct program *program, const char *text, size_t region, struct block *block,
                     struct fail *fail) {
    const struct program_range range = program_block_range(program);
    const bool is_intel = strcmp(program->syntax, "intel") == 0;
    const char *in_syntax = arena_printf(arena, "%s%s", is_intel ? ".intel_syntax noprefix; " : "", text);
    struct backend_source source;
    struct block assembled;
    if (!backend->describe_text(cpu, arena, program->file, in_syntax, &source, fail) ||
        !backend->describe_part(cpu, arena, program->code, range.offset, range.length, &assembled, fail))
        return false;
    if (region >= source.n_blocks)
        return fail_set(fail, FAIL_WORK, OTHERWISE_READ);
    *block = source.blocks[region];
    if (block->n_insns != assembled.n_insns)
        return fail_set(fail, FAIL_WORK, OTHERWISE_READ);
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        insns[i] = block->insns[i];
        insns[i].n_bytes = assembled.insns[i].n_bytes;
    }
    block->insns = insns;
    return true;
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
        .most = BRANCH_TRACE_MOST_INSNS,
        .timeout_seconds = 60,
    };
    if (!steps_record(arena, &request, steps, fail))
        return false;
    return steps->outcome == BENCH_OK ||
           fail_set(fail, FAIL_WORK, "%s: %s", program->file, bench_outcome_name(steps->outcome));
}

static const char *in_words(struct arena *arena, const struct program *program, const char *text, size_t region,
                            const struct steps *steps, struct fail *fail) {
    const struct backend *backend = backend_load(arena, args.llvm, fail);
    const struct backend_options options_of_cpu = {.output_syntax = -1};
    struct backend_cpu *cpu = backend ? backend->open(arena, &options_of_cpu, fail) : NULL;
    struct block block;
    const char *words = NULL;
    if (!cpu)
        return NULL;
    if (describe(arena, backend, cpu, program, text, region, &block, fail)) {
        struct follow_order order;
        if (follow_order(arena, &block, program_block_range(program).offset, steps->offsets, steps->n, &order))
            branch_trace_of_run(arena, &block, order.insns, order.n, &words, fail);
        else
            fail_set(fail, FAIL_WORK, OTHERWISE_READ);
    }
    backend->close(cpu);
    return words;
}

// Finds the one region to run, and its number.
static bool find_region(struct arena *arena, struct block_source *source, size_t *number, struct start_state *state,
                        struct fail *fail) {
    struct marked_text marked;
    if (!marked_text_read(arena, source->isa, source->name, source->text, &marked, fail))
        return false;
    if (!args.region && marked.n_regions > 1)
        return fail_at(fail, source->name, marked.regions[1].line, 0,
                       "a second region begins here; a trace is of one: choose it with --region NAME");
    const struct text_region *region = marked.regions;
    if (args.region && !(region = marked_text_find(arena, &marked, source->name, args.region, fail)))
        return false;
    *number = (size_t)(region - marked.regions);
    *state = region->state;
    source->region_begin = region->begin;
    source->region_end = marked.is_marked ? region->end : 0;
    return true;
}

// Plans the block's looped program, of which it runs one iteration.
static struct experiment *plan_one(struct arena *arena, const struct block_source *source,
                                   const struct start_state *state, const struct decoder *decoder, struct plan *plan,
                                   struct fail *fail) {
    const struct plan_options looped = {.has_form = true, .form = PROGRAM_LOOPED, .block = {.state = *state}};
    bool is_planned = plan_add_block(arena, plan, source, source->name, &looped, fail) &&
                      blocks_prepare(arena, plan, decoder, true, fail);
    return is_planned ? plan->experiments[0] : NULL;
}

static const char *trace_text(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                              const struct decoder *decoder, struct fail *fail) {
    struct plan plan = {0};
    struct steps steps;
    struct block_source source = {.isa = isa, .name = name, .text = text, .syntax = args.syntax};
    size_t region = 0;
    struct start_state state = {0};
    struct experiment *experiment = find_region(arena, &source, &region, &state, fail)
                                        ? plan_one(arena, &source, &state, decoder, &plan, fail)
                                        : NULL;
    if (!experiment)
        return NULL;
    struct program *programs[] = {&experiment->program};
    if (!gen_assemble(arena, programs, 1, fail) || !record(arena, experiment, &steps, fail))
        return NULL;
    return in_words(arena, &experiment->program, text, region, &steps, fail);
}

static bool trace(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct decoder decoder = {0};
    const char *words = NULL;
    char *text;
    if (operands->n_items != 1)
        return fail_set(fail, FAIL_INPUT, "name one file with the block to run");
    const char *path = operands->items[0];
    const struct isa *isa = cli_isa(arena, NULL, fail);
    if (isa && file_read(arena, path, &text, NULL, fail) && decoder_open(&decoder, arena, isa, args.llvm, fail))
        words = trace_text(arena, isa, file_name(path), text, &decoder, fail);
    decoder_close(&decoder);
    if (words)
        puts(words);
    return words != NULL;
}

int cmd_trace(int argc, char **argv) {
    return cli_run(&command, argc, argv, trace);
}
