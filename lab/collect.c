#include "lab/collect.h"

#include "base/bytes.h"
#include "lab/plan_assemble.h"

#include <string.h>

static uint64_t hash_of(const char *text) {
    return bytes_hash(text, strlen(text));
}

// What makes two records those of one program. Its bytes follow from that, as the kernels of a folder do not change.
static const char *key_of(struct arena *arena, const struct record *record) {
    return arena_printf(arena, "%s|%s|%s|%s|%s|%u", record->kernel, record->mode ? record->mode : "",
                        record->form ? record->form : "", record->arc ? record->arc : "",
                        record->placement ? record->placement : "", record->streams);
}

// Whether the program was measured for good: a stable value, or a fault of the code.
static bool is_final(const struct bench_measurement *m) {
    enum bench_outcome outcome = m->outcome;
    return outcome == BENCH_OK ? m->verdict != MEASURED_UNSTABLE
                               : outcome != BENCH_TIMEOUT && outcome != BENCH_KILLED && outcome != BENCH_STARVED &&
                                     outcome != BENCH_STOPPED;
}

// The keys of what was measured for good; a key that is there twice was measured twice.
struct measured {
    struct index index;
    const char **keys;
};

static void read_known(struct arena *arena, const struct record_file *known, struct measured *measured) {
    size_t n = 0;
    *measured =
        (struct measured){.index = {.arena = arena}, .keys = ARENA_ARRAY(arena, const char *, known->n_records)};
    for (size_t i = 0; i < known->n_records; i++) {
        if (!is_final(&known->records[i].measurement))
            continue;
        measured->keys[n] = key_of(arena, &known->records[i]);
        index_add(&measured->index, hash_of(measured->keys[n]), n);
        n++;
    }
}

static unsigned count(const struct index *index, const char *const *keys, const char *key) {
    unsigned n = 0;
    for (size_t place = 0, i; (i = index_next(index, hash_of(key), &place)) != INDEX_END;)
        n += strcmp(keys[i], key) == 0;
    return n;
}

size_t collect_next(const struct collect *collect, const char *kernel, size_t *place) {
    size_t i = INDEX_END;
    while ((i = index_next(&collect->kernels, hash_of(kernel), place)) != INDEX_END)
        if (strcmp(collect->taken[i].kernel, kernel) == 0)
            break;
    return i;
}

static bool take(struct collect *collect, const struct experiment *experiment, struct fail *fail) {
    const struct program *program = &experiment->program;
    const struct bench_case *cases = NULL;
    size_t n = collect->cases_of ? collect->cases_of(collect->client, experiment, &cases) : 0;
    if (!collect->take(collect->context, experiment, cases, n, fail))
        return false;
    index_add(&collect->kernels, hash_of(program->kernel), collect->n_taken);
    *ARENA_ADD(collect->arena, collect->taken, collect->n_taken) =
        (struct collected){arena_strdup(collect->arena, program->kernel), program->mode, program->form,
                           program->placement, program->streams};
    collect->n_in_cases += n > 0;
    return true;
}

bool collect_plan(struct collect *collect, struct arena *arena, struct plan *plan, const struct record_file *known,
                  unsigned n_stable, struct fail *fail) {
    static struct program *const no_chains[N_CHAINS];
    struct measured measured;
    size_t n_refused = plan->n_refused, n_wanted = 0;
    read_known(arena, known, &measured);
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct record record;
        struct experiment *experiment = plan->experiments[i];
        record = (struct record){
            .kernel = experiment->program.kernel,
            .mode = program_mode_name(experiment->program.mode),
            .form = program_form_name(experiment->program.form),
            .arc = experiment->program.arc,
            .placement = experiment->program.placement ? program_placement_name(experiment->program.placement) : NULL,
            .streams = experiment->program.streams};
        const char *key = key_of(collect->arena, &record);
        if (count(&collect->places, collect->keys, key))
            continue;
        index_add(&collect->places, hash_of(key), collect->n_keys);
        *ARENA_ADD(collect->arena, collect->keys, collect->n_keys) = key;
        bool is_measured = count(&measured.index, measured.keys, key) >= (n_stable ? n_stable : 1);
        collect->n_measured += is_measured;
        if (!is_measured)
            plan->experiments[n_wanted++] = experiment;
    }
    plan->n_experiments = n_wanted;
    if (n_wanted && !plan_assemble(arena, no_chains, plan, fail) && plan->n_experiments)
        return false;
    fail_clear(fail); // where all were refused
    collect->n_refused += plan->n_refused - n_refused;
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (!take(collect, plan->experiments[i], fail))
            return false;
    return true;
}
