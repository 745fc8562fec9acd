// A runner's results as lines of a measurement file. results_table.c prints the table.
#include "runner/results.h"

#include "base/bytes.h"
#include "bench/record/record.h"

#include <string.h>

bool results_open(struct results *results, struct arena *arena, const char *path, bool wants_json,
                  const struct host *host, const struct bench *bench, struct fail *fail) {
    *results = (struct results){.arena = arena, .path = path};
    if (path && !(results->file = record_open(path, host, bench, fail)))
        return false;
    return !wants_json || (results->json = record_open("-", host, bench, fail));
}

bool results_close(struct results *results, struct fail *fail) {
    return !results->file || fclose(results->file) == 0 ||
           fail_set(fail, FAIL_INPUT, "cannot write '%s'", results->path);
}

// Returns the executed instructions of an iteration; 0: unknown, as for blocks.
static double executed(const struct pack_program *program) {
    return program->mode && strcmp(program->mode, "block") != 0 ? program->instructions : 0;
}

struct record results_record(struct arena *arena, const char *isa, const struct pack_program *program,
                             const struct bench_measurement *measurement) {
    return (struct record){
        .kernel = program->kernel,
        .isa = isa,
        .mode = program->mode,
        .form = program->form,
        .arc = program->arc,
        .placement = program->placement,
        .instruction = program->instruction,
        .streams = program->streams,
        .instructions = program->instructions,
        .loop_instructions = program->loop_instructions,
        .loop_branches = program->loop_branches,
        .executed = executed(program),
        .bytes = bytes_to_hex(arena, program->code.body, program->code.n_body_bytes),
        .setup = program->setup,
        .measurement = *measurement,
    };
}

bool results_write(const struct results *results, const char *isa, const struct pack_program *program,
                   const struct bench_measurement *measurement, struct fail *fail) {
    const struct record record = results_record(results->arena, isa, program, measurement);
    return (!results->file || record_write(results->file, &record, fail)) &&
           (!results->json || record_write(results->json, &record, fail));
}
