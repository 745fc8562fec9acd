#include "cli/start_args.h"

#include "blocks/block_state.h"
#include "cli/lab_args.h"

#include <string.h>

struct start_args start_args;

struct option start_args_memory[] = {
    {OPTION_TEXT, "memory", "own|shared",
     "What stands behind a block's pages. own: each is memory of its own; shared: a few real pages, as in BHive. "
     "Default: own with --alias disjoint, shared with same.",
     &start_args.memory},
    {OPTION_TEXT, "registers", "ADDRESS", "The first of these addresses. Default: 0x2324000.", &start_args.registers},
    {0},
};

struct option start_args_values[] = {
    {OPTION_LIST, "set", "NAME=VALUE,...",
     "What registers and memory hold at a block's start: rcx=7, xmm0=0x3ff0000000000000, k1=-1, mxcsr=0x1f80, "
     "mem[rdi+8]=5, mem[0x10000:4096]=0x7f. May be repeated.",
     &start_args.set},
    {OPTION_TEXT, "init", "TEXT", "Assembly that runs before a block, once for each timed run.", &start_args.init},
    {OPTION_TEXT, "fill", "NUMBER", "What each 8 bytes of a block's memory hold at its start. Default: an address.",
     &start_args.fill},
    {0},
};

bool start_args_are_given(void) {
    const struct start_args *args = &start_args;
    return args->alias || args->memory || args->registers || args->fill || args->init || args->set.n_items ||
           args->pages.is_given;
}

static bool read_alias(bool may_be_both, struct block_options *start, struct fail *fail) {
    const char *alias = start_args.alias, *both = "both";
    start->is_both = may_be_both && (!alias || strcmp(alias, both) == 0);
    start->is_both_asked = start->is_both && alias;
    start->alias = may_be_both ? ALIAS_DISJOINT : ALIAS_SAME;
    if (!alias || start->is_both)
        return true;
    start->alias = strcmp(alias, block_alias_name(ALIAS_SAME)) == 0 ? ALIAS_SAME : ALIAS_DISJOINT;
    return strcmp(alias, block_alias_name(start->alias)) == 0 ||
           fail_set(fail, FAIL_INPUT, "unknown --alias '%s': there are disjoint%s", alias,
                    may_be_both ? ", same and both" : " and same");
}

bool start_args_read(struct arena *arena, const struct isa *isa, const char *syntax, bool may_be_both,
                     struct block_options *start, struct fail *fail) {
    const struct start_args *args = &start_args;
    *start = (struct block_options){.most_pages = (unsigned)args->pages.value, .has_fill = args->fill != NULL};
    if (!read_alias(may_be_both, start, fail))
        return false;
    if (!block_memory_parse(args->memory, &start->memory))
        return fail_set(fail, FAIL_INPUT, "unknown --memory '%s': there are own and shared", args->memory);
    for (size_t i = 0; i < args->set.n_items; i++)
        if (!start_state_parse(arena, isa, args->set.items[i], &start->state, fail))
            return false;
    if (args->init && !block_state_init(arena, isa, syntax, args->init, &start->state, fail))
        return false;
    if (args->pages.is_given && (args->pages.value < 1 || args->pages.value > BENCH_MOST_PAGES))
        return fail_set(fail, FAIL_INPUT, "--pages is from 1 to %d", BENCH_MOST_PAGES);
    return lab_args_read_number("registers", args->registers, 1, &start->registers, fail) &&
           lab_args_read_number("fill", args->fill, 0, &start->fill, fail);
}
