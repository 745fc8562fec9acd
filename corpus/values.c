#include "corpus/running.h"

#include "base/bytes.h"
#include "base/text.h"

#include <string.h>
#include <unistd.h>

// Whether the code itself caused the outcome, which would happen again.
static bool is_final(enum bench_outcome outcome) {
    return outcome != BENCH_KILLED && outcome != BENCH_STARVED && outcome != BENCH_STOPPED;
}

// Keeps a look at two modes or at a spread of processes: where enough of them agree, they are the code's.
static void keep_uneven(struct corpus_run *run, struct form_state *state, const struct bench_measurement *m) {
    struct bench_measurement *look = ARENA_NEW(run->arena, struct bench_measurement);
    *look = (struct bench_measurement){.cycles = m->cycles,
                                       .low = m->low,
                                       .high = m->high,
                                       .look = m->look,
                                       .modes = {m->modes[0], m->modes[1]},
                                       .process_low = m->process_low};
    state->uneven = arena_grow(run->arena, state->uneven, state->n_uneven, sizeof(const struct bench_measurement *));
    state->uneven[state->n_uneven++] = look;
}

void run_take_value(struct corpus_run *run, struct form_state *state, const struct bench_measurement *m) {
    bool is_value = m->outcome == BENCH_OK;
    bool is_done = is_value ? m->verdict != MEASURED_UNSTABLE : is_final(m->outcome);
    state->state = is_done ? STATE_DONE : STATE_UNSTABLE;
    state->outcome = m->outcome;
    state->is_seen_once = is_value && !is_done && m->look == LOOK_FIRST;
    if (is_value && bench_look_is_uneven(m->look))
        keep_uneven(run, state, m);
    if (is_value && (m->look == LOOK_FIRST || m->look == LOOK_MOVED) &&
        (!state->look || m->cycles < state->look->cycles)) {
        struct bench_measurement *look = ARENA_ARRAY(run->arena, struct bench_measurement, 1);
        *look = (struct bench_measurement){
            .cycles = m->cycles, .low = m->low, .high = m->high, .clock_error = m->clock_error};
        state->look = look;
    }
}

// A block that walks over pages meets translations and caches as they happen to be: in two runs, one such block took 18
// and 41 cycles, each time with a narrow interval. So its value must come again at another time.
void run_confirm_walking(struct arena *arena, const struct form_state *state, struct experiment *experiment) {
    struct bench_measurement *m = &experiment->measurement;
    const struct bench_looks looks = {.fastest = state->look};
    if (!experiment->seen.walks || m->outcome != BENCH_OK || m->verdict == MEASURED_UNSTABLE)
        return;
    measured_confirm(arena, &looks, m);
    if (state->look)
        return;
    m->verdict = MEASURED_UNSTABLE;
    m->look = LOOK_FIRST;
    m->why = "it walks over pages, and was seen at one time only";
}

// Finds the block that a record is of; blocks->n: none.
static size_t block_of_record(const struct corpus_run *run, struct arena *scratch, const struct record *record) {
    size_t n = record->kernel ? strlen(record->kernel) : 0;
    uint8_t *bytes = arena_alloc(scratch, n / 2 + 1);
    if (n == 0 || n % 2 || !bytes_from_hex(record->kernel, n / 2, bytes))
        return run->blocks.n;
    return corpus_blocks_find(&run->blocks, bytes, n / 2);
}

bool run_read_before(struct corpus_run *run, struct fail *fail) {
    struct record_stream *stream =
        access(run->campaign.path, F_OK) == 0 ? record_stream_open(run->campaign.path, fail) : NULL;
    struct arena scratch = {0};
    struct record record;
    size_t n_taken = 0, n_again = 0;
    while (stream && record_stream_next(stream, &scratch, &record, fail)) {
        enum program_form form;
        size_t index = block_of_record(run, &scratch, &record);
        if (index < run->blocks.n && record.form && program_form_parse(record.form, &form))
            run_take_value(run, &run->states[index][form], &record.measurement);
        arena_reset(&scratch);
    }
    const char *damage =
        stream ? record_damage_text(run->arena, run->campaign.path, record_stream_damage(stream)) : NULL;
    if (damage)
        lab_say(run_listener(run), LAB_WARNING, "%s", damage);
    record_stream_close(stream);
    arena_free(&scratch);
    for (size_t i = 0; i < run->blocks.n; i++)
        for (unsigned form = 0; form < N_FORMS; form++) {
            n_taken += run->states[i][form].state == STATE_DONE;
            n_again += run->states[i][form].state == STATE_UNSTABLE;
        }
    if (fail->status == FAIL_NONE && run->request->campaign.is_resumed)
        lab_say(run_listener(run), LAB_NOTE, "%zu of %s taken from '%s'. Unstable, and measured again: %zu", n_taken,
                text_count_are(run->arena, N_FORMS * run->blocks.n, "value"), run->campaign.path, n_again);
    return fail->status == FAIL_NONE;
}

bool run_wants(const struct corpus_run *run, const struct form_state *state) {
    return state->state != STATE_DONE && (!run->is_second_time || state->is_seen_once);
}

size_t run_count(const struct corpus_run *run, enum state state) {
    size_t n = 0;
    for (size_t i = 0; i < run->blocks.n; i++)
        for (unsigned form = 0; form < N_FORMS && !run->blocks.items[i].left_out; form++)
            n += run->states[i][form].state == state;
    return n;
}

size_t run_count_seen_once(const struct corpus_run *run) {
    size_t n = 0;
    for (size_t i = 0; i < run->blocks.n; i++)
        for (unsigned form = 0; form < N_FORMS && !run->blocks.items[i].left_out; form++)
            n += run->states[i][form].is_seen_once;
    return n;
}
