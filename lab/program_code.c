#include "lab/program_code.h"

// That one iteration executes, the loop's own included; the simulated CPU runs the bodies only. A block may contain
// whatever its author likes (branches, macros, data), so that its number is not known.
static uint64_t iteration_instructions(const struct program *program, bool is_simulated) {
    if (is_simulated)
        return (uint64_t)program->unroll * program->instructions;
    return program->mode == PROGRAM_BLOCK ? 0 : program_iteration_instructions(program);
}

struct bench_code program_code(const struct program *program, bool is_simulated) {
    struct program_range body = program_simulated_range(program);
    return (struct bench_code){
        .bytes = program->code,
        .n_bytes = program->code_bytes,
        .bodies = program->unroll,
        .body = program->code + body.offset,
        .n_body_bytes = body.length,
        .body_instructions = program->instructions,
        .iteration_instructions = iteration_instructions(program, is_simulated),
    };
}
