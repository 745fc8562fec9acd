#include "survey/forms/usable.h"

#include "analyzer/sim/mca/mca.h"
#include "survey/forms/probe.h"

// A division overflows with the probe's registers, which hold addresses; but the CPU has it. So it has what only needs
// its set-up.
static bool runs_here(const struct shape *shape, const struct probed_form *probed) {
    bool needs_setup = shape->wrapper && shape->wrapper->faults_alone;
    return (probed->outcome == BENCH_OK || probed->outcome == BENCH_SIGFPE ||
            (needs_setup && (probed->outcome == BENCH_PROTECTION || probed->outcome == BENCH_PAGES))) &&
           !probed->hint;
}

bool usable_here(struct arena *arena, struct shape *shapes, size_t n, struct fail *fail) {
    const struct host_request any = {.cpu = -1};
    struct host host;
    struct form *wanted = ARENA_ARRAY(arena, struct form, n);
    struct probed_form *probed = ARENA_ARRAY(arena, struct probed_form, n);
    for (size_t i = 0; i < n; i++) {
        wanted[i] = *shapes[i].form;
        if (shapes[i].left_out)
            wanted[i].status = FORM_PSEUDO; // is not run
    }
    if (!host_read(arena, &any, &host, fail) || !probe_forms(&host, wanted, n, probed, NULL, fail))
        return false;
    for (size_t i = 0; i < n; i++)
        if (probed[i].was_run && !runs_here(&shapes[i], &probed[i]))
            shapes[i].left_out = probed_form_text(arena, &probed[i]);
    return true;
}

void usable_by_model(struct arena *arena, const struct model *model, struct shape *shapes, size_t n) {
    static const struct pipeline_options once = {.iterations = 1};
    for (size_t i = 0; i < n; i++) {
        const struct form *form = shapes[i].form;
        struct fail trouble = {0};
        struct pipeline_result result;
        struct block block;
        if (shapes[i].left_out)
            continue;
        if (!model_describe_part(model, arena, form->bytes - form->n_setup_bytes, form->n_setup_bytes, form->n_bytes,
                                 &block, &trouble))
            shapes[i].left_out = "the model does not describe it";
        else if (!mca_core_run(model->machine, EXECUTION_OF(&block), &once, NULL, &result, &trouble))
            shapes[i].left_out = "by the model, it can never be executed";
    }
}
