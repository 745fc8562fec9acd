#include "cli/experiment.h"

struct experiment *plan_add(struct arena *arena, struct plan *plan) {
    struct experiment *experiment = ARENA_NEW(arena, struct experiment);
    plan->experiments = arena_grow(arena, plan->experiments, plan->n_experiments, sizeof(struct experiment *));
    plan->experiments[plan->n_experiments++] = experiment;
    return experiment;
}

static bool wants_form(const struct plan_options *options, enum program_form form, enum program_form usual) {
    return options->is_both_forms || form == (options->has_form ? options->form : usual);
}

struct experiment *plan_add_expansion(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                      const struct gen_request *request, struct fail *fail) {
    struct program program;
    if (!gen_expand(arena, kernel, request, &program, fail))
        return NULL;
    struct experiment *experiment = plan_add(arena, plan);
    experiment->kernel_instructions = kernel->n_instructions;
    experiment->program = program;
    return experiment;
}

static bool add_expansion(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                          const struct gen_request *request, const struct plan_options *options, bool is_sweep,
                          struct fail *fail) {
    struct experiment *experiment = plan_add_expansion(arena, plan, kernel, request, fail);
    if (!experiment)
        return false;
    experiment->is_sweep = is_sweep;
    if (options->is_replicated)
        replicate_kernel(arena, kernel, request, &experiment->program, &experiment->replicates);
    return true;
}

// A row for each form of a request.
static bool add_forms(struct arena *arena, struct plan *plan, const struct kernel *kernel, struct gen_request request,
                      const struct plan_options *options, struct fail *fail) {
    static const enum program_form forms[] = {PROGRAM_UNROLLED, PROGRAM_LOOPED};
    for (int i = 0; i < 2; i++) {
        request.form = forms[i];
        if (wants_form(options, forms[i], PROGRAM_UNROLLED) &&
            !add_expansion(arena, plan, kernel, &request, options, false, fail))
            return false;
    }
    return true;
}

static bool add_latencies(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                          const struct plan_options *options, struct fail *fail) {
    bool is_asked_for = options->has_mode && options->mode == PROGRAM_LATENCY;
    unsigned n_arcs = kernel->n_arcs;
    if (n_arcs == 0 && is_asked_for)
        n_arcs = 1; // gen_expand says why there is none
    for (unsigned arc = 0; arc < n_arcs; arc++) {
        struct gen_request request = {.mode = PROGRAM_LATENCY, .arc = arc};
        if (!add_forms(arena, plan, kernel, request, options, fail))
            return false;
    }
    return true;
}

static bool add_sweep(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                      const struct plan_options *options, struct fail *fail) {
    static const enum program_form forms[] = {PROGRAM_LOOPED, PROGRAM_UNROLLED};
    for (int i = 0; i < 2; i++) {
        if (!wants_form(options, forms[i], PROGRAM_LOOPED))
            continue;
        for (unsigned n = options->sweep_first; n <= options->sweep_last; n++) {
            struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .form = forms[i], .streams = n};
            if (!add_expansion(arena, plan, kernel, &request, options, true, fail))
                return false;
        }
    }
    return true;
}

bool plan_add_kernel(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct plan_options *options, struct fail *fail) {
    struct plan_options summary = *options;
    if (options->sweep_first)
        summary.has_form = summary.is_both_forms = false; // they are the sweep's
    if (options->has_mode && options->mode != PROGRAM_THROUGHPUT && options->streams)
        return fail_set(fail, FAIL_INPUT, "--n is for throughput: mode %s has one stream",
                        program_mode_name(options->mode));
    if (options->has_mode && options->mode == PROGRAM_BLOCK) {
        summary.is_both_forms |= !options->has_form;
        return add_forms(arena, plan, kernel, (struct gen_request){.mode = PROGRAM_BLOCK}, &summary, fail);
    }
    bool wants_latency = !options->has_mode || options->mode == PROGRAM_LATENCY;
    bool wants_throughput = options->has_mode ? options->mode == PROGRAM_THROUGHPUT : !kernel_shared_chain(kernel);
    struct gen_request throughput = {.mode = PROGRAM_THROUGHPUT, .streams = options->streams};
    return (!wants_latency || add_latencies(arena, plan, kernel, &summary, fail)) &&
           (!wants_throughput || add_forms(arena, plan, kernel, throughput, &summary, fail)) &&
           (!options->sweep_first || add_sweep(arena, plan, kernel, options, fail));
}

// What can be said against it before it is assembled is said here.
static bool add_block(struct arena *arena, struct plan *plan, struct lab_block *block,
                      const struct plan_options *options, enum program_form form, struct fail *fail) {
    struct program program;
    struct block_request request = {.form = form, .start = block_start_of(block, options->block.alias)};
    if (!gen_block(arena, &block->source, &request, &program, fail))
        return false;
    struct experiment *experiment = plan_add(arena, plan);
    experiment->program = program;
    experiment->block = block;
    experiment->alias = options->block.alias;
    if (options->is_replicated)
        replicate_offsets(&experiment->replicates, &experiment->program);
    return true;
}

// A block that cannot be repeated (it defines a macro, say) still has its looped form, unless both were asked for.
static bool add_block_forms(struct arena *arena, struct plan *plan, struct lab_block *block,
                            const struct plan_options *options, struct fail *fail) {
    struct fail not_repeatable = {0};
    if (options->has_form)
        return add_block(arena, plan, block, options, options->form, fail);
    return (add_block(arena, plan, block, options, PROGRAM_UNROLLED, options->is_both_forms ? fail : &not_repeatable) ||
            !options->is_both_forms) &&
           add_block(arena, plan, block, options, PROGRAM_LOOPED, fail);
}

bool plan_add_block(struct arena *arena, struct plan *plan, const struct block_source *source, const char *label,
                    const struct plan_options *options, struct fail *fail) {
    if ((options->has_mode && options->mode != PROGRAM_BLOCK) || options->sweep_first || options->streams)
        return fail_set(fail, FAIL_INPUT,
                        "'%s' is a block and runs as it stands: --mode, --sweep and --n are for kernels", label);
    struct lab_block *block = ARENA_NEW(arena, struct lab_block);
    *block = (struct lab_block){.source = *source,
                                .label = label,
                                .options = options->block,
                                .number = ++plan->n_blocks,
                                .bytes = source->bytes,
                                .n_bytes = source->n_bytes};
    struct plan_options same = *options;
    same.block.alias = ALIAS_SAME;
    return add_block_forms(arena, plan, block, options, fail) &&
           (!options->block.is_both || add_block_forms(arena, plan, block, &same, fail));
}
