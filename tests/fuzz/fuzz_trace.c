// Branch traces, followed through a text that has every kind of branch.
#include "analyzer/predict/branch_trace.h"
#include "tests/fuzz/fuzz.h"

static const struct insn insns[] = {
    {.text = "nop", .line = 1},
    {.text = "add", .line = 2},
    {.text = "jne\tbb1", .line = 3, .is_branch = true, .is_conditional = true, .target = "bb1"},
    {.text = "call\tf", .line = 4, .is_call = true, .target = "f"},
    {.text = "call\t*%rbx", .line = 5, .is_call = true},
    {.text = "jmp\t*%rax", .line = 6, .is_branch = true},
    {.text = "jmp\tout", .line = 7, .is_branch = true, .target = "out"},
    {.text = "nop", .line = 8},
    {.text = "ret", .line = 9, .is_return = true},
};
static const struct block_label labels[] = {{"bb1", 1}, {"bb2", 3}, {"bb3", 6}, {"f", 7}, {"end", 9}};
static const struct block block = {.name = "",
                                   .insns = insns,
                                   .n_insns = sizeof insns / sizeof *insns,
                                   .labels = labels,
                                   .n_labels = sizeof labels / sizeof *labels};

// Long runs take long, and find nothing that short ones do not.
static bool is_short(const struct branch_trace *trace) {
    uint64_t words = 0;
    for (size_t i = 0; i < trace->n_words; i++)
        words += trace->words[i].count < 1000 ? trace->words[i].count : 1000;
    return words <= 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct branch_trace trace;
    struct execution run;
    const char *text = arena_copy(&arena, (const char *)data, n_bytes);
    if (branch_trace_parse(&arena, "trace", text, &trace, &fail) && is_short(&trace))
        branch_trace_follow(&arena, &trace, &block, &run, &fail);
    arena_free(&arena);
    return 0;
}
