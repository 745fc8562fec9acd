#include "gen/program.h"

#include "base/text.h"

#include <assert.h>

static const char *const mode_names[] = {
    [PROGRAM_LATENCY] = "latency",
    [PROGRAM_THROUGHPUT] = "throughput",
    [PROGRAM_BLOCK] = "block",
};
static const char *const form_names[] = {
    [PROGRAM_UNROLLED] = "unrolled",
    [PROGRAM_LOOPED] = "looped",
};

static const char *const placement_names[] = {
    [PLACEMENT_NONE] = "",
    [PLACEMENT_SAME_ADDRESS] = "same-address",
    [PLACEMENT_SAME_LINE] = "same-line",
    [PLACEMENT_OWN_LINES] = "own-lines",
    [PLACEMENT_OWN_PAGES] = "own-pages",
};

enum { N_MODES = sizeof mode_names / sizeof *mode_names, N_FORMS = sizeof form_names / sizeof *form_names };

const char *program_mode_name(enum program_mode mode) {
    assert((unsigned)mode < N_MODES);
    return mode_names[mode];
}

const char *program_form_name(enum program_form form) {
    assert((unsigned)form < N_FORMS);
    return form_names[form];
}

bool program_mode_parse(const char *name, enum program_mode *mode) {
    size_t i = text_find(name, mode_names, N_MODES);
    if (i == N_MODES)
        return false;
    *mode = (enum program_mode)i;
    return true;
}

bool program_form_parse(const char *name, enum program_form *form) {
    size_t i = text_find(name, form_names, N_FORMS);
    if (i == N_FORMS)
        return false;
    *form = (enum program_form)i;
    return true;
}

const char *program_placement_name(enum program_placement placement) {
    assert((unsigned)placement < PROGRAM_N_PLACEMENTS);
    return placement_names[placement];
}

bool program_placement_parse(const char *name, enum program_placement *placement) {
    size_t i = text_find(name, placement_names, PROGRAM_N_PLACEMENTS);
    if (i == PLACEMENT_NONE || i == PROGRAM_N_PLACEMENTS)
        return false;
    *placement = (enum program_placement)i;
    return true;
}

unsigned program_iteration_instructions(const struct program *program) {
    if (program->form == PROGRAM_LOOPED)
        return program->instructions;
    return program->unroll * program->instructions + program->loop_instructions;
}

struct program_range program_simulated_range(const struct program *program) {
    assert(program->code);
    if (program->routine_range.length)
        return program->routine_range;
    return program->form == PROGRAM_LOOPED ? program->loop_range : program->body_range;
}

struct program_range program_followed_range(const struct program *program) {
    struct program_range range = program->loop_range;
    if (program->routine_range.length)
        range.length = program->routine_range.offset + program->routine_range.length - range.offset;
    return range;
}

struct program_range program_block_range(const struct program *program) {
    return program->routine_range.length ? program->routine_range : program->body_range;
}
