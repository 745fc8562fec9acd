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

// Values decide how long some instructions take (divisions, denormals), and are not in the loop's bytes. FNV-1a, 64
// bits: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
static const char *hash(struct arena *arena, const char *text) {
    uint64_t sum = 0xcbf29ce484222325U;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3U;
    return arena_printf(arena, "%016llx", (unsigned long long)sum);
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
        .setup = program->setup ? hash(arena, program->setup) : NULL,
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
