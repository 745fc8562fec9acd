#include "analyzer/sim/core.h"

#include "analyzer/sim/pipeline.h"

#include <assert.h>
#include <string.h>

enum { DEFAULT_ITERATIONS = 100 };

struct core *core_new(struct arena *arena, const struct core_ops *ops) {
    assert(ops->bytes >= sizeof(struct core));
    struct core *core = arena_alloc(arena, ops->bytes);
    core->ops = ops;
    return core;
}

void core_start(struct core *core, const struct core_run *run, struct stash *stash) {
    const struct core_ops *ops = core->ops;
    uint64_t iterations = run->options->iterations != 0 ? run->options->iterations : DEFAULT_ITERATIONS;
    memset(core, 0, ops->bytes);
    *core = (struct core){
        .ops = ops,
        .machine = run->machine,
        .execution = run->execution,
        .n_steps = execution_length(run->execution),
        .is_shared = run->is_shared,
        .total = iterations * execution_length(run->execution),
    };
    reporter_init(&core->reporter, run->listeners);
    stash_reset(stash);
    if (ops->plan != NULL)
        ops->plan(core, run->options, stash);
    ops->start(core, run->options, stash);
}

void core_put_state(const struct core *core, struct coder *coder) {
    coder->now = core->now;
    coder->next = core->next;
    coder->oldest = core->ops->oldest(core);
    coder_put(coder, core->next_position);
    coder_put(coder, core->n_queued);
    core->ops->put_state(core, coder);
}
