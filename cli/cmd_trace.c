// cyclops trace: which way a block's branches go, from a run of it.
#include "cli/cli.h"

#include "analyzer/flow/branch_trace.h"
#include "analyzer/model/backend.h"
#include "base/file.h"
#include "bench/steps.h"
#include "cli/follow.h"
#include "cli/options.h"
#include "cli/program_code.h"

#include <stdio.h>
#include <string.h>

static struct { const char *syntax, *llvm; } args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "syntax", "NAME", "intel or att. Default: att where registers are written %rax, else intel.",
     &args.syntax},
    {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to read the text with. Default: the newest.",
     &args.llvm},
    {0},
};

#define OTHERWISE_READ "LLVM and GNU as do not read the same instructions from the text"

static const struct command command = {
    "trace",
    "FILE.s|- [options]",
    "Runs a block of assembly on this CPU, one instruction at a time. Prints which\n"
    "way its branches went: the labels that control came to, in order. 'cyclops mca\n"
    "--branch-trace' simulates that run; for mca, a text in Intel's syntax must begin\n"
    "with '.intel_syntax noprefix'. Registers begin as in 'cyclops run'.\n",
    "  cyclops trace loop.s\n"
    "  cyclops trace loop.s | cyclops mca --branch-trace=- loop.s\n",
    options,
};

// As many instructions as the text has, with the lengths they were assembled to and the labels of the text.
static bool describe(struct arena *arena, const struct backend *backend, struct backend_cpu *cpu,
                     const struct program *program, const char *text, struct block *block, struct fail *fail) {
    const bool is_intel = strcmp(program->syntax, "intel") == 0;
    const char *in_syntax = arena_printf(arena, "%s%s", is_intel ? ".intel_syntax noprefix; " : "", text);
    struct backend_source source;
    struct block assembled;
    if (!backend->describe_text(cpu, arena, program->file, in_syntax, &source, fail) ||
        !backend->describe_bytes(cpu, arena, program->code + program->body_range.offset, program->body_range.length,
                                 &assembled, fail))
        return false;
    *block = source.blocks[0];
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

static bool record(struct arena *arena, const struct program *program, struct steps *steps, struct fail *fail) {
    struct bench_code code = program_code(program, false);
    const struct steps_request request = {
        .code = &code,
        .iterations = 1,
        .first = program->body_range.offset,
        .end = program->body_range.offset + program->body_range.length,
        .most = BRANCH_TRACE_MOST_INSNS,
        .timeout_seconds = 60,
    };
    if (!steps_record(arena, &request, steps, fail))
        return false;
    return steps->outcome == BENCH_OK ||
           fail_set(fail, FAIL_WORK, "%s: %s", program->file, bench_outcome_name(steps->outcome));
}

static const char *in_words(struct arena *arena, const struct program *program, const char *text,
                            const struct steps *steps, struct fail *fail) {
    const struct backend *backend = backend_load(arena, args.llvm, fail);
    const struct backend_options options_of_cpu = {.output_syntax = -1};
    struct backend_cpu *cpu = backend ? backend->open(arena, &options_of_cpu, fail) : NULL;
    struct block block;
    const char *words = NULL;
    if (!cpu)
        return NULL;
    if (describe(arena, backend, cpu, program, text, &block, fail)) {
        struct follow_order order;
        if (follow_order(arena, &block, program->body_range.offset, steps->offsets, steps->n, &order))
            branch_trace_of_run(arena, &block, order.insns, order.n, &words, fail);
        else
            fail_set(fail, FAIL_WORK, OTHERWISE_READ);
    }
    backend->close(cpu);
    return words;
}

static bool trace(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct program program, *programs[] = {&program};
    struct steps steps;
    char *text;
    if (operands->n_items != 1)
        return fail_set(fail, FAIL_INPUT, "name one file with the block to run");
    const char *path = operands->items[0], *name = file_name(path);
    const struct isa *isa = cli_isa(arena, NULL, fail);
    if (!isa || !file_read(arena, path, &text, NULL, fail) ||
        !gen_block(arena, isa, args.syntax, name, text, PROGRAM_LOOPED, &program, fail) ||
        !gen_assemble(arena, programs, 1, fail) || !record(arena, &program, &steps, fail))
        return false;
    const char *words = in_words(arena, &program, text, &steps, fail);
    if (words)
        puts(words);
    return words != NULL;
}

int cmd_trace(int argc, char **argv) {
    return cli_run(&command, argc, argv, trace);
}
