// Makes the programs of a published experiment, and finds out whether it can be measured here.
#include "study/reproduce.h"

static void leave_unmeasured(struct reproduction *r, const char *why) {
    for (size_t i = 0; i < r->reference->n_values; i++)
        r->values[i].not_measured = why;
}

static bool plan_sweep(struct arena *arena, struct reproduction *r, const struct kernel *kernel, struct fail *fail) {
    const struct reference *reference = r->reference;
    for (int other = 0; other < 2; other++)
        for (unsigned i = 0; i < reference->values[0].n; i++) {
            struct gen_request request = {
                .mode = PROGRAM_THROUGHPUT,
                .form = reference->is_looped == (other == 0) ? PROGRAM_LOOPED : PROGRAM_UNROLLED,
                .streams = reference->first + i,
            };
            if (!plan_add_expansion(arena, &r->plan, kernel, &request, fail))
                return false;
        }
    return true;
}

static bool plan_kernel(struct arena *arena, struct reproduction *r, struct fail *fail) {
    struct kernel_set set = {0};
    if (!kernel_load_installed(arena, r->reference->isa, &set, fail))
        return false;
    const struct kernel *kernel = kernel_find(arena, &set, r->reference->kernel, fail);
    if (!kernel)
        return false;
    if (r->reference->kind == REFERENCE_SWEEP)
        return plan_sweep(arena, r, kernel, fail);
    const struct gen_request latency = {.mode = PROGRAM_LATENCY}, throughput = {.mode = PROGRAM_THROUGHPUT};
    return plan_add_expansion(arena, &r->plan, kernel, &latency, fail) &&
           plan_add_expansion(arena, &r->plan, kernel, &throughput, fail);
}

static bool plan_block(struct arena *arena, const struct isa *isa, struct reproduction *reproduction,
                       struct fail *fail) {
    const struct reference *reference = reproduction->reference;
    const struct block_source source = {.isa = isa, .name = reference->name, .text = reference->asm_text};
    const struct plan_options options = {.has_form = true, .form = PROGRAM_UNROLLED};
    return plan_add_block(arena, &reproduction->plan, &source, reference->name, &options, fail);
}

bool reproduce_plan(struct arena *arena, const struct isa *native, struct reproduction *reproduction,
                    struct fail *fail) {
    const struct reference *reference = reproduction->reference;
    reproduction->values = ARENA_ARRAY(arena, struct reproduced_value, reference->n_values);
    for (size_t i = 0; i < reference->n_values; i++)
        reproduction->values[i].reference = &reference->values[i];
    const struct isa *isa = reference->isa ? isa_find(reference->isa) : NULL;
    if (reference->isa && !isa)
        return fail_set(fail, FAIL_INPUT, "%s: %s", reference->name, isa_unknown(arena, reference->isa));
    if (!isa)
        leave_unmeasured(reproduction, "no such CPU exists");
    else if (isa != native)
        leave_unmeasured(reproduction, arena_printf(arena, "no %s code runs here", isa->name));
    else if (reference->kind == REFERENCE_CORUN)
        leave_unmeasured(reproduction, "takes two threads of a core: cyclops run --corun");
    bool is_here = isa && isa == native && reference->kind != REFERENCE_CORUN;
    if (reference->kind == REFERENCE_SWEEP || (reference->kernel && is_here))
        return plan_kernel(arena, reproduction, fail);
    if (reference->asm_text && is_here)
        return plan_block(arena, isa, reproduction, fail);
    if (is_here)
        leave_unmeasured(reproduction, "the reference names no kernel to measure it with");
    return true;
}
