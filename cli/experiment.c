#include "cli/experiment.h"

#include "base/bytes.h"

#include <string.h>

// Values decide how long some instructions take (divisions, denormals), and are not in the loop's bytes.
static const char *hash(struct arena *arena, const char *text) {
    return arena_printf(arena, "%016llx", (unsigned long long)bytes_hash(text, strlen(text)));
}

void experiment_to_record(struct arena *arena, const struct experiment *experiment, struct record *record) {
    const struct program *program = &experiment->program;
    const struct program_range range = program_simulated_range(program);
    *record = (struct record){
        .kernel = program->kernel,
        .isa = program->isa,
        .mode = program_mode_name(program->mode),
        .form = program_form_name(program->form),
        .arc = program->arc,
        .placement = program->placement ? program_placement_name(program->placement) : NULL,
        .instruction = program->label,
        .streams = program->streams,
        .instructions = program->instructions,
        .bytes = bytes_to_hex(arena, program->code + range.offset, range.length),
        .setup = program->setup ? hash(arena, program->setup) : NULL,
        .loop_instructions = program->preserves_flags ? program->loop_instructions : 0,
        .loop_branches = program->preserves_flags ? program->loop_branches : 0,
        .measurement = experiment->measurement,
    };
    for (unsigned i = 0; i < experiment->n_predictions; i++) {
        const struct prediction *prediction = &experiment->predictions[i];
        if (experiment->verdicts[i].kind == VERDICT_UNMODELLED)
            continue;
        record->predictions[record->n_predictions++] =
            (struct record_prediction){prediction->model, prediction->cycles, prediction->bottleneck};
    }
}
