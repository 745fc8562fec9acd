#include "lab/experiment.h"

#include "base/text.h"
#include "blocks/block_state.h"

#include <string.h>

static bool wants_form(const struct plan_options *options, enum program_form form, enum program_form usual) {
    return options->is_both_forms || form == (options->has_form ? options->form : usual);
}

static struct experiment *add_program(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                      const struct program *program) {
    struct experiment *experiment = plan_add(arena, plan);
    experiment->kernel_instructions = kernel->n_instructions;
    experiment->program = *program;
    return experiment;
}

struct experiment *plan_add_expansion(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                      const struct gen_request *request, struct fail *fail) {
    struct program program;
    return gen_expand(arena, kernel, request, &program, fail) ? add_program(arena, plan, kernel, &program) : NULL;
}

// Data that the programs of a kernel share while they are added.
struct kernel_plan {
    struct arena *arena;
    struct plan *plan;
    const struct kernel *kernel;
    const struct plan_options *options;
    size_t first; // index of the kernel's first experiment in the plan
    struct fail *fail;
};

// Whether the plan already has the same code of this kernel: some placements are equal, such as all those of one
// stream.
static bool has_twin(const struct kernel_plan *p, const struct program *program, bool is_sweep) {
    for (size_t i = p->first; i < p->plan->n_experiments; i++) {
        const struct experiment *other = p->plan->experiments[i];
        if (other->is_sweep == is_sweep && other->program.mode == program->mode &&
            other->program.form == program->form && strcmp(other->program.body, program->body) == 0 &&
            strcmp(other->program.setup, program->setup) == 0)
            return true;
    }
    return false;
}

static bool add_expansion(const struct kernel_plan *p, const struct gen_request *request, bool is_sweep) {
    struct program program;
    if (!gen_expand(p->arena, p->kernel, request, &program, p->fail))
        return false;
    if (p->kernel->n_places && has_twin(p, &program, is_sweep))
        return true;
    struct experiment *experiment = add_program(p->arena, p->plan, p->kernel, &program);
    experiment->is_sweep = is_sweep;
    if (p->options->is_replicated)
        replicate_kernel(p->arena, p->kernel, request, &experiment->program, &experiment->replicates);
    return true;
}

// Adds a row for each form of a request. With a sweep, the requested forms apply to the sweep.
static bool add_forms(const struct kernel_plan *p, struct gen_request request) {
    static const enum program_form forms[] = {PROGRAM_UNROLLED, PROGRAM_LOOPED};
    struct plan_options options = *p->options;
    if (options.sweep_first)
        options.has_form = options.is_both_forms = false;
    if (request.mode == PROGRAM_BLOCK)
        options.is_both_forms |= !options.has_form;
    for (int i = 0; i < 2; i++) {
        request.form = forms[i];
        if (wants_form(&options, forms[i], PROGRAM_UNROLLED) && !add_expansion(p, &request, false))
            return false;
    }
    return true;
}

static bool add_latencies(const struct kernel_plan *p) {
    bool is_asked_for = p->options->has_mode && p->options->mode == PROGRAM_LATENCY;
    unsigned n_arcs = p->kernel->n_arcs;
    if (n_arcs == 0 && is_asked_for)
        n_arcs = 1; // gen_expand reports why there is no arc
    for (unsigned arc = 0; arc < n_arcs; arc++)
        if (!add_forms(p, (struct gen_request){.mode = PROGRAM_LATENCY, .arc = arc}))
            return false;
    return true;
}

// Adds rows of `request` for n = first, first + 1, … up to `most` streams.
static bool add_sweep(const struct kernel_plan *p, struct gen_request request, unsigned most) {
    static const enum program_form forms[] = {PROGRAM_LOOPED, PROGRAM_UNROLLED};
    for (int i = 0; i < 2; i++) {
        if (!wants_form(p->options, forms[i], PROGRAM_LOOPED))
            continue;
        request.form = forms[i];
        for (request.streams = p->options->sweep_first; request.streams <= most; request.streams++)
            if (!add_expansion(p, &request, true))
                return false;
    }
    return true;
}

typedef bool add_function(const struct kernel_plan *p, struct gen_request request, unsigned most);

static bool add_throughput(const struct kernel_plan *p, struct gen_request request, unsigned most) {
    (void)most;
    return add_forms(p, request);
}

// Adds rows in every placement of memory, or in the requested one. Leaves out placements in which too few streams fit,
// with a message where their number was requested. Fewer than two streams show nothing.
static bool add_placements(const struct kernel_plan *p, unsigned streams, unsigned most, add_function *add) {
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .streams = streams, .placement = p->options->placement};
    if (!p->kernel->n_places || p->options->placement)
        return add(p, request, most);
    for (request.placement = PLACEMENT_SAME_ADDRESS; request.placement < PROGRAM_N_PLACEMENTS; request.placement++) {
        unsigned fit = gen_placement_streams(p->kernel, request.placement, most ? most : GEN_MAX_STREAMS);
        if (fit < most)
            lab_say(p->plan->listener, LAB_WARNING, "%s: only %u stream%s fit%s in the placement %s; more are left out",
                    p->kernel->name, fit, fit == 1 ? "" : "s", fit == 1 ? "s" : "",
                    program_placement_name(request.placement));
        bool is_shown = streams ? fit >= streams : most ? fit >= p->options->sweep_first : fit > 1;
        if (is_shown && !add(p, request, fit))
            return false;
    }
    return true;
}

static bool wants_mode(const struct plan_options *options, enum program_mode mode) {
    return !options->has_mode || options->mode == mode;
}

bool plan_add_kernel(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                     const struct plan_options *options, struct fail *fail) {
    const struct kernel_plan p = {arena, plan, kernel, options, plan->n_experiments, fail};
    if (options->has_mode && options->mode == PROGRAM_BLOCK)
        return add_forms(&p, (struct gen_request){.mode = PROGRAM_BLOCK});
    const struct kernel_role *shared = kernel_shared_chain(kernel);
    bool has_throughput = options->has_mode || !shared;
    if (options->sweep_first && !has_throughput)
        lab_say(plan->listener, LAB_WARNING, "%s: no sweep, as its copies wait for each other through %s", kernel->name,
                shared->name);
    return (!wants_mode(options, PROGRAM_LATENCY) || add_latencies(&p)) &&
           (!wants_mode(options, PROGRAM_THROUGHPUT) || !has_throughput ||
            add_placements(&p, options->streams, options->streams, add_throughput)) &&
           (!options->sweep_first || !has_throughput || add_placements(&p, 0, options->sweep_last, add_sweep));
}

// Adds a block in one form. Fails where that is possible before it is assembled.
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

// Adds a block in both forms, or in the requested one. A block that cannot be repeated, such as one that defines a
// macro, has only the looped form; it fails where both forms were requested.
static bool add_block_forms(struct arena *arena, struct plan *plan, struct lab_block *block,
                            const struct plan_options *options, struct fail *fail) {
    struct fail not_repeatable = {0};
    if (options->has_form)
        return add_block(arena, plan, block, options, options->form, fail);
    return (add_block(arena, plan, block, options, PROGRAM_UNROLLED, options->is_both_forms ? fail : &not_repeatable) ||
            !options->is_both_forms) &&
           add_block(arena, plan, block, options, PROGRAM_LOOPED, fail);
}

static void say_made_up(struct arena *arena, const struct plan *plan, const struct block_source *source,
                        const char *label) {
    struct text names = {.arena = arena};
    for (size_t i = 0; i < source->n_made_up; i++)
        text_addf(&names, "%s'%s'", !i ? "" : i + 1 == source->n_made_up ? " and " : ", ", source->made_up[i]);
    if (source->n_made_up)
        lab_say(plan->listener, LAB_NOTE, "%s: nothing defines %s: made-up memory stands for %s", label, names.data,
                source->n_made_up == 1 ? "it" : "them");
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
    const struct block_start start = block_start_of(block, options->block.alias),
                             alike = block_start_of(block, ALIAS_SAME);
    block->patches[options->block.alias] = block_state_patches(arena, source->isa, &start, fail);
    block->patches[ALIAS_SAME] = block_state_patches(arena, source->isa, &alike, fail);
    if (!block->patches[options->block.alias] || !block->patches[ALIAS_SAME])
        return false;
    struct plan_options same = *options;
    same.block.alias = ALIAS_SAME;
    say_made_up(arena, plan, source, label);
    return add_block_forms(arena, plan, block, options, fail) &&
           (!options->block.is_both || add_block_forms(arena, plan, block, &same, fail));
}
