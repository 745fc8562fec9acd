#include "cli/mca/flow.h"

#include "analyzer/flow/branch_trace.h"
#include "base/file.h"

bool mca_follow_trace(struct arena *arena, const char *trace, struct backend_source *source, struct fail *fail) {
    const char *name = trace[0] == '(' ? "--branch-trace" : file_name(trace);
    char *text = arena_strdup(arena, trace);
    size_t n_bytes;
    struct branch_trace parsed;
    struct block *run = ARENA_NEW(arena, struct block);
    if (trace[0] != '(' && !file_read(arena, trace, &text, &n_bytes, fail))
        return false;
    if (source->n_blocks != 1)
        return fail_set(fail, FAIL_INPUT, "a branch trace goes through one region, but the input has %zu",
                        source->n_blocks);
    if (!branch_trace_parse(arena, name, text, &parsed, fail) ||
        !branch_trace_follow(arena, &parsed, &source->blocks[0], run, fail))
        return false;
    source->blocks = run;
    return true;
}
