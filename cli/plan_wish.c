#include "cli/plan_wish.h"

#include "base/file.h"
#include "cli/cli.h"

#include <string.h>

// Two blocks as they stand, unless something else is asked for.
static bool read_corun(const struct plan_wish *wish, struct plan_options *plan, struct fail *fail) {
    if (!wish->corun)
        return true;
    if (wish->sweep || wish->is_replicated)
        return fail_set(fail, FAIL_INPUT, "--corun goes with neither --sweep nor --replicate");
    if (!wish->mode) {
        plan->has_mode = true;
        plan->mode = PROGRAM_BLOCK;
    }
    if (!wish->form) {
        plan->has_form = true;
        plan->form = PROGRAM_UNROLLED;
    }
    if (!wish->placement && plan->mode == PROGRAM_THROUGHPUT)
        plan->placement = PLACEMENT_OWN_LINES;
    return true;
}

bool plan_read_placement(const char *name, bool may_be_all, enum program_placement *placement, struct fail *fail) {
    *placement = PLACEMENT_NONE;
    if (!name || (may_be_all && strcmp(name, "all") == 0) || program_placement_parse(name, placement))
        return true;
    return fail_set(fail, FAIL_INPUT,
                    "unknown placement '%s': there are same-address, same-line, own-lines%s own-pages%s", name,
                    may_be_all ? "," : " and", may_be_all ? " and all" : "");
}

static bool read_options(const struct plan_wish *wish, struct plan_options *plan, struct fail *fail) {
    *plan = (struct plan_options){.syntax = wish->syntax, .is_replicated = wish->is_replicated};
    if (wish->streams != ~0UL && (wish->streams < 1 || wish->streams > GEN_MAX_STREAMS))
        return fail_set(fail, FAIL_INPUT, "--n is from 1 to %d", GEN_MAX_STREAMS);
    if (wish->streams != ~0UL)
        plan->streams = (unsigned)wish->streams;
    if (wish->mode) {
        plan->has_mode = true;
        if (!program_mode_parse(wish->mode, &plan->mode))
            return fail_set(fail, FAIL_INPUT, "unknown mode '%s': there are latency, throughput and block", wish->mode);
    }
    if (wish->form && strcmp(wish->form, "both") == 0) {
        plan->is_both_forms = true;
    } else if (wish->form) {
        plan->has_form = true;
        if (!program_form_parse(wish->form, &plan->form))
            return fail_set(fail, FAIL_INPUT, "unknown form '%s': there are unrolled, looped and both", wish->form);
    }
    return plan_read_placement(wish->placement, true, &plan->placement, fail) && read_corun(wish, plan, fail) &&
           (!wish->sweep || options_parse_range(wish->sweep, &plan->sweep_first, &plan->sweep_last, fail));
}

static bool is_file(const char *operand) {
    size_t n = strlen(operand);
    bool has_suffix = n > 2 && (strcmp(operand + n - 2, ".s") == 0 || strcmp(operand + n - 2, ".S") == 0);
    return strcmp(operand, "-") == 0 || strchr(operand, '/') || has_suffix;
}

static bool add_file(struct arena *arena, struct plan *plan, const struct isa *isa, const char *path,
                     const struct plan_options *options, struct fail *fail) {
    char *text;
    const char *name = file_name(path);
    if (!file_read(arena, path, &text, NULL, fail))
        return false;
    struct plan_block block = {isa, name, name, text};
    return plan_add_block(arena, plan, &block, options, fail);
}

struct planner {
    const struct plan_wish *wish;
    const struct isa *isa;
    const struct plan_options *options, *of_blocks;
    struct kernel_set *set; // read when the first kernel is named
};

static bool add_operand(struct arena *arena, const struct planner *planner, const char *operand, struct plan *plan,
                        struct fail *fail) {
    if (is_file(operand))
        return add_file(arena, plan, planner->isa, operand, planner->of_blocks, fail);
    if (planner->set->n_kernels == 0 &&
        !cli_load_kernels(arena, planner->wish->kernels, planner->isa->name, planner->set, fail))
        return false;
    const struct kernel *kernel = kernel_find(arena, planner->set, operand, fail);
    return kernel && plan_add_kernel(arena, plan, kernel, planner->options, fail);
}

// One program beside all. Of several that the options ask for, the first.
static bool add_corun(struct arena *arena, const struct planner *planner, struct plan *plan, struct fail *fail) {
    struct plan others = {0};
    if (!add_operand(arena, planner, planner->wish->corun, &others, fail))
        return false;
    plan->corunner = others.experiments[0];
    for (size_t i = 0; i < plan->n_experiments; i++) {
        plan->experiments[i]->corun = ARENA_NEW(arena, struct corun);
        plan->experiments[i]->corun->other = plan->corunner;
    }
    return true;
}

// A block's text as its name in tables.
static const char *on_one_line(struct arena *arena, const char *text) {
    char *line = arena_strdup(arena, text);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = *c == '\n' ? ';' : ' ';
    return line;
}

// What is for kernels does not touch the blocks beside them.
static struct plan_options for_blocks(const struct operands *operands, struct plan_options options) {
    bool has_kernel = false;
    for (size_t i = 0; i < operands->n_items; i++)
        has_kernel |= !is_file(operands->items[i]);
    if (has_kernel) {
        options.has_mode = false;
        options.sweep_first = options.sweep_last = options.streams = 0;
    }
    return options;
}

bool plan_make(struct arena *arena, const struct plan_wish *wish, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail) {
    struct plan_options plan_options;
    if (!read_options(wish, &plan_options, fail))
        return false;
    if (operands->n_items + wish->asm_texts.n_items == 0)
        return fail_set(fail, FAIL_INPUT,
                        "nothing to run: name kernels ('cyclops list kernels'), a FILE.s, or give --asm TEXT");
    const struct plan_options of_blocks = for_blocks(operands, plan_options);
    struct kernel_set set = {0};
    struct planner planner = {wish, isa, &plan_options, &of_blocks, &set};
    for (size_t i = 0; i < operands->n_items; i++)
        if (!add_operand(arena, &planner, operands->items[i], plan, fail))
            return false;
    for (size_t i = 0; i < wish->asm_texts.n_items; i++) {
        const char *text = wish->asm_texts.items[i];
        struct plan_block block = {isa, on_one_line(arena, text), "--asm", text};
        if (!plan_add_block(arena, plan, &block, &of_blocks, fail))
            return false;
    }
    return !wish->corun || add_corun(arena, &planner, plan, fail);
}
