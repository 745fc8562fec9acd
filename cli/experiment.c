#include "cli/experiment.h"

#include "base/text.h"

static const char *hex(struct arena *arena, const struct program *program) {
    struct program_range range = program_simulated_range(program);
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (size_t i = 0; i < range.length; i++)
        text_addf(&text, "%02x", program->code[range.offset + i]);
    return text.data;
}

void experiment_to_record(struct arena *arena, const struct experiment *experiment, struct record *record) {
    const struct program *program = &experiment->program;
    *record = (struct record){
        .kernel = program->kernel,
        .isa = program->isa,
        .mode = program_mode_name(program->mode),
        .form = program_form_name(program->form),
        .arc = program->arc,
        .instruction = program->label,
        .streams = program->streams,
        .instructions = program->instructions,
        .bytes = hex(arena, program),
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
