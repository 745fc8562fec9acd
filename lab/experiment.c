#include "lab/experiment.h"

#include "base/bytes.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

_Static_assert((int)MODEL_SET_MOST <= (int)RECORD_MAX_PREDICTIONS, "a record has a prediction of each model");
_Static_assert((int)BENCH_MOST_CHASES == (int)PROGRAM_MOST_CHASES && (int)BENCH_CHASES == (int)PROGRAM_CHASES,
               "the words where chases begin");
_Static_assert((int)BENCH_CHASE_PAGES == (int)CHASE_PAGES && (int)BENCH_CHASE_BLOCKS == (int)CHASE_BLOCKS,
               "where the addresses of chases are");

// Returns a line with the content of the memory that comes with a block; "" without any.
static const char *hash_segments(struct arena *arena, const struct program *program) {
    uint64_t hash = 0;
    for (size_t i = 0; program->link && i < program->link->n_segments; i++)
        hash = hash * 31 + bytes_hash(program->segments[i].bytes, program->segments[i].n_bytes);
    return hash ? arena_printf(arena, "segments %016" PRIx64 "\n", hash) : "";
}

static const char *patches_text(struct arena *arena, const struct bench_foreign *foreign) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < foreign->n_patches; i++) {
        const struct bench_patch *patch = &foreign->patches[i];
        text_addf(&text, "patch %#" PRIx64 " %" PRIu64 " %s\n", patch->address, patch->n_bytes,
                  bytes_to_hex(arena, patch->value, patch->n_value));
    }
    return text.data;
}

// Returns a hash of the initial values: of registers, and of a block's memory and data. They affect the time of some
// instructions (divisions, denormals), and are not in the loop's bytes.
static const char *hash_setup(struct arena *arena, const struct experiment *experiment) {
    const struct program *program = &experiment->program;
    static const char *const layouts[] = {
        [CHASE_LINES] = "", [CHASE_BLOCKS] = "in blocks\n", [CHASE_PAGES] = "by page\n"};
    const struct bench_foreign *foreign = &experiment->foreign;
    const char *text = program->setup;
    if (program->n_chases) // what has lines keeps the name that it always had
        text = arena_printf(arena, "%schase %zu bytes\n%s", text, program->chase_bytes, layouts[program->chase_layout]);
    if (experiment->block)
        text =
            arena_printf(arena, "%sfill %#" PRIx64 ", %u frames, %u pages\n%s%s", text, foreign->fill, foreign->frames,
                         foreign->most_pages, hash_segments(arena, program), patches_text(arena, foreign));
    return arena_printf(arena, "%016" PRIx64, bytes_hash(text, strlen(text)));
}

// Returns the instructions that one iteration executes, with the loop's own; the simulated CPU runs only the bodies.
// 0: unknown, as for blocks, which may contain branches, macros or data.
static uint64_t iteration_instructions(const struct program *program, bool is_simulated) {
    if (is_simulated)
        return (uint64_t)program->unroll * program->instructions;
    return program->mode == PROGRAM_BLOCK ? 0 : program_iteration_instructions(program);
}

struct bench_code program_code(const struct program *program, bool is_simulated) {
    struct program_range body = program_simulated_range(program);
    struct bench_code code = {
        .bytes = program->code,
        .n_bytes = program->code_bytes,
        .bodies = program->unroll,
        .body = program->code + body.offset,
        .n_body_bytes = body.length,
        .body_instructions = program->instructions,
        .iteration_instructions = iteration_instructions(program, is_simulated),
        .is_chain = program->mode == PROGRAM_LATENCY,
        .chase = {.n = program->n_chases,
                  .bytes = program->chase_bytes,
                  .layout = (enum bench_chase_layout)program->chase_layout,
                  .are_steps = program->are_steps},
    };
    if (program->link) {
        code.address = program->link->code_address;
        code.segments = program->segments;
        code.n_segments = (unsigned)program->link->n_segments;
    }
    memcpy(code.chase.steps, program->chase_steps, sizeof code.chase.steps);
    return code;
}

struct bench_code experiment_code(const struct experiment *experiment, bool is_simulated) {
    struct bench_code code = program_code(&experiment->program, is_simulated);
    if (experiment->block && !is_simulated) {
        code.foreign = experiment->foreign;
        code.process_set = experiment->block->number;
        if (code.address) // its segments have one place, so it is alone in its process; replicates have the next ones
            code.process_set = 1U << 31 | experiment->block->number << 5 | (unsigned)experiment->alias << 4 |
                               (unsigned)experiment->program.form << 3;
    }
    return code;
}

// Returns the instructions executed in an iteration; 0: unknown. Kernels have no branches; a block's bytes show whether
// it has some.
static double executed(const struct experiment *experiment) {
    if (experiment->followed.instructions > 0)
        return experiment->followed.instructions;
    bool is_straight = experiment->is_straight || experiment->program.mode != PROGRAM_BLOCK;
    return is_straight ? experiment->program.instructions : 0;
}

// What the predictions are of, as in struct record_prediction.
static const char *predicted_thing(const struct experiment *experiment) {
    return experiment->followed.instructions > 0 ? "run" : experiment->program.has_own_branch ? "turn" : NULL;
}

static const char *verdict_name(const struct verdict *verdict) {
    return verdict->kind == VERDICT_AGREE ? "agrees" : verdict->kind == VERDICT_UNSURE ? "unsure" : "differs";
}

static struct record_prediction prediction_to_record(const struct experiment *experiment, unsigned i) {
    const struct prediction *prediction = &experiment->predictions[i];
    const struct verdict *verdict = &experiment->verdicts[i];
    return (struct record_prediction){
        .model = prediction->model,
        .cycles = prediction->cycles,
        .of = predicted_thing(experiment),
        .bottleneck = prediction->bottleneck,
        .verdict = verdict_name(verdict),
        .blame = experiment->misuse ? NULL : verdict->blame,
        .is_own = prediction->n_insns > 0,
        .n_insns = prediction->n_insns,
        .n_by_llvm = prediction->n_by_llvm,
        .addresses = prediction->are_addresses_run ? "run" : "static",
        .notes = prediction->notes,
        .n_notes = prediction->n_notes,
    };
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
        .executed = executed(experiment),
        .doubt = experiment->misuse,
        .bytes = bytes_to_hex(arena, program->code + range.offset, range.length),
        .setup = program->setup ? hash_setup(arena, experiment) : NULL,
        .setup_bytes = program->has_own_setup ? bytes_to_hex(arena, program->code, program->loop_range.offset) : NULL,
        .loop_instructions = program->preserves_flags ? program->loop_instructions : 0,
        .loop_branches = program->preserves_flags ? program->loop_branches : 0,
        .measurement = experiment->measurement,
        .block = experiment->seen.alias ? &experiment->seen : NULL,
    };
    for (unsigned i = 0; i < experiment->n_predictions; i++)
        if (experiment->verdicts[i].kind != VERDICT_UNMODELLED)
            record->predictions[record->n_predictions++] = prediction_to_record(experiment, i);
}

void plan_refuse(struct arena *arena, struct plan *plan, const struct fail *why) {
    const struct fail *last = plan->n_refused ? &plan->refused[plan->n_refused - 1] : NULL;
    if (last && last->line == why->line && strcmp(last->file, why->file) == 0 && strcmp(last->text, why->text) == 0)
        return; // two blocks that share a mistake
    *ARENA_ADD(arena, plan->refused, plan->n_refused) = *why;
}

struct plan_range plan_around(const struct plan *plan, size_t at) {
    const struct lab_block *block = plan->experiments[at]->block;
    struct plan_range range = {at, at + 1};
    while (range.first > 0 && plan->experiments[range.first - 1]->block == block)
        range.first--;
    while (range.end < plan->n_experiments && plan->experiments[range.end]->block == block)
        range.end++;
    return range;
}

bool plan_is_left(const struct plan *plan, struct fail *fail) {
    if (plan->n_experiments > 0 || plan->n_refused == 0)
        return true;
    *fail = plan->refused[plan->n_refused - 1];
    return false;
}

struct experiment *plan_add(struct arena *arena, struct plan *plan) {
    struct experiment *experiment = ARENA_NEW(arena, struct experiment);
    *ARENA_ADD(arena, plan->experiments, plan->n_experiments) = experiment;
    return experiment;
}

// An interval that holds what the start and the end of a run may add. An exact value stays one where the interval still
// holds no other number by chance but in one case of 20.
static void widen(struct bench_measurement *m, double share) {
    static const double chance = 0.05;
    double more = share * m->cycles;
    m->low -= more;
    m->high += more;
    if ((m->high - m->low) * m->denominator <= chance)
        return;
    m->verdict = MEASURED_WITHIN;
    m->numerator = m->denominator = 0;
}

void experiment_doubt_short_run(struct arena *arena, struct experiment *experiment) {
    static const double of_ends = 8, small = 0.008, large = 0.03; // cycles; shares of the value
    static const double difference = 0.75;                        // long run minus short one, of the long one
    struct bench_measurement *m = &experiment->measurement;
    double iterations = (double)m->seen.most_iterations, cycles = iterations * m->cycles * experiment->program.unroll;
    if (m->outcome != BENCH_OK || m->verdict == MEASURED_UNSTABLE || cycles <= 0)
        return;
    double share = of_ends / (difference * cycles);
    if (share <= small) {
        widen(m, share);
        return;
    }
    bool is_own = m->seen.memory == MEMORY_OWN;
    const char *why = arena_printf(arena, "only %.0f iterations fit%s (%.0f cycles)", iterations,
                                   is_own ? " into the first-level cache" : "", cycles);
    if (share <= large) {
        widen(m, share);
        m->warning =
            m->warning ? m->warning : arena_printf(arena, "%s: their start and end may make %.1f %%", why, 100 * share);
        return;
    }
    m->verdict = MEASURED_UNSTABLE;
    // More pages may not help those of their own: native_execution_choose() may have refused them.
    m->why =
        arena_printf(arena, "%s, so their start and end distort the value%s", why, is_own ? "" : "; raise --pages");
}
