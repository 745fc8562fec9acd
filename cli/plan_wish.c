#include "cli/plan_wish.h"

#include "base/file.h"
#include "cli/cli.h"

#include <string.h>

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
    return !wish->sweep || options_parse_range(wish->sweep, &plan->sweep_first, &plan->sweep_last, fail);
}

static bool is_file(const char *operand) {
    size_t n = strlen(operand);
    bool has_suffix = n > 2 && (strcmp(operand + n - 2, ".s") == 0 || strcmp(operand + n - 2, ".S") == 0);
    return strcmp(operand, "-") == 0 || strchr(operand, '/') || has_suffix;
}

static bool add_file(struct arena *arena, struct plan *plan, const struct isa *isa, const char *path,
                     const struct plan_options *options, struct fail *fail) {
    char *text;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (!file_read(arena, path, &text, NULL, fail))
        return false;
    struct plan_block block = {isa, name, name, text};
    return plan_add_block(arena, plan, &block, options, fail);
}

// A block's text as its name in tables.
static const char *on_one_line(struct arena *arena, const char *text) {
    char *line = arena_strdup(arena, text);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = *c == '\n' ? ';' : ' ';
    return line;
}

bool plan_make(struct arena *arena, const struct plan_wish *wish, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail) {
    struct plan_options plan_options;
    if (!read_options(wish, &plan_options, fail))
        return false;
    if (operands->n_items + wish->asm_texts.n_items == 0)
        return fail_set(fail, FAIL_INPUT,
                        "nothing to run: name kernels ('cyclops list kernels'), a FILE.s, or give --asm TEXT");
    struct kernel_set set = {0};
    for (size_t i = 0; i < operands->n_items; i++) {
        const char *operand = operands->items[i];
        if (is_file(operand)) {
            if (!add_file(arena, plan, isa, operand, &plan_options, fail))
                return false;
            continue;
        }
        if (set.n_kernels == 0 && !cli_load_kernels(arena, wish->kernels, isa->name, &set, fail))
            return false;
        const struct kernel *kernel = kernel_find(arena, &set, operand, fail);
        if (!kernel || !plan_add_kernel(arena, plan, kernel, &plan_options, fail))
            return false;
    }
    for (size_t i = 0; i < wish->asm_texts.n_items; i++) {
        const char *text = wish->asm_texts.items[i];
        struct plan_block block = {isa, on_one_line(arena, text), "--asm", text};
        if (!plan_add_block(arena, plan, &block, &plan_options, fail))
            return false;
    }
    return true;
}
