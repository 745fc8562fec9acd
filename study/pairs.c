#include "study/pairs.h"

#include "bench/bench.h"

// Returns the experiment of one kernel alone in a number of streams. Cells share it: it is measured once.
static const struct experiment *alone_in(struct arena *arena, struct plan *plan, const struct kernel *kernel,
                                         struct gen_request request, struct fail *fail) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *experiment = plan->experiments[i];
        if (experiment->program.kernel == kernel->name && experiment->program.streams == request.streams)
            return experiment;
    }
    return plan_add_expansion(arena, plan, kernel, &request, fail);
}

static bool add_cell(struct arena *arena, struct plan *plan, const struct kernel *first, const struct kernel *second,
                     struct gen_request request, struct pair_cell *cell, struct fail *fail) {
    struct kernel pair;
    struct fail misfit = {0};
    struct experiment *mix = gen_pair(arena, first, second, &pair, &misfit)
                                 ? plan_add_expansion(arena, plan, &pair, &request, &misfit)
                                 : NULL;
    if (!mix) {
        cell->why_not = arena_strdup(arena, misfit.text);
        return true;
    }
    mix->kernel_instructions = first->n_instructions;
    mix->second_instructions = second->n_instructions;
    cell->mix = mix;
    request.streams = mix->program.streams;
    cell->few[0] = alone_in(arena, plan, first, request, fail);
    cell->few[1] = cell->few[0] ? alone_in(arena, plan, second, request, fail) : NULL;
    return cell->few[1] != NULL;
}

bool pairs_plan(struct arena *arena, const struct kernel *const *kernels, unsigned n_kernels,
                const struct pairs_options *options, struct plan *plan, struct pairs *pairs, struct fail *fail) {
    *pairs = (struct pairs){
        .kernels = kernels,
        .n_kernels = n_kernels,
        .has_both_orders = options->wants_both_orders,
        .alone = ARENA_ARRAY(arena, const struct experiment *, n_kernels),
        .cells = ARENA_ARRAY(arena, struct pair_cell, (size_t)n_kernels * n_kernels),
    };
    struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .form = options->form, .placement = options->placement};
    for (unsigned i = 0; i < n_kernels; i++)
        if (!(pairs->alone[i] = plan_add_expansion(arena, plan, kernels[i], &request, fail)))
            return false;
    request.streams = options->streams;
    for (unsigned i = 0; i < n_kernels; i++)
        for (unsigned j = 0; j < n_kernels; j++)
            if ((i < j || (i > j && options->wants_both_orders)) &&
                !add_cell(arena, plan, kernels[i], kernels[j], request, &pairs->cells[i * n_kernels + j], fail))
                return false;
    return true;
}

static struct pairing_time measured_time(const struct experiment *experiment) {
    const struct bench_measurement *m = &experiment->measurement;
    double n = experiment->program.streams;
    return (struct pairing_time){m->cycles / n, measured_low(m) / n, measured_high(m) / n};
}

static bool has_value(const struct experiment *experiment, int model) {
    if (!experiment->is_done)
        return false;
    if (model == PAIRS_MEASURED)
        return experiment->measurement.samples > 0;
    return (unsigned)model < experiment->n_predictions && experiment->verdicts[model].kind != VERDICT_UNMODELLED;
}

static struct pairing_time time_of(const struct experiment *experiment, int model) {
    if (model == PAIRS_MEASURED)
        return measured_time(experiment);
    double cycles = experiment->predictions[model].cycles / experiment->program.streams;
    return (struct pairing_time){cycles, cycles, cycles};
}

bool pairs_alone(const struct pairs *pairs, unsigned kernel, int model, struct pairing_time *time) {
    const struct experiment *alone = pairs->alone[kernel];
    if (has_value(alone, model))
        *time = time_of(alone, model);
    return has_value(alone, model);
}

// Returns why one of the experiments is not reliable; null: all are.
static const char *find_doubt(struct arena *arena, const struct experiment *const *experiments, unsigned n, int model) {
    for (unsigned i = 0; i < n; i++) {
        const struct experiment *e = experiments[i];
        if (e->misuse)
            return arena_printf(arena, "%s: %s", e->program.kernel, e->misuse);
        if (model == PAIRS_MEASURED && e->measurement.verdict == MEASURED_UNSTABLE)
            return arena_printf(arena, "%s, n = %u, unstable: %s", e->program.kernel, e->program.streams,
                                e->measurement.why ? e->measurement.why : "");
    }
    return NULL;
}

struct pair_result pairs_result(struct arena *arena, const struct pairs *pairs, unsigned first, unsigned second,
                                int model) {
    const struct pair_cell *cell = &pairs->cells[first * pairs->n_kernels + second];
    struct pair_result result = {.doubt = cell->why_not};
    if (!cell->mix)
        return result;
    const struct experiment *const all[] = {cell->mix, pairs->alone[first], pairs->alone[second], cell->few[0],
                                            cell->few[1]};
    struct pairing_time times[5];
    for (unsigned i = 0; i < 5; i++) {
        if (!has_value(all[i], model))
            return result;
        times[i] = time_of(all[i], model);
        result.is_unstable |= model == PAIRS_MEASURED && all[i]->measurement.verdict == MEASURED_UNSTABLE;
    }
    struct pairing_times known = {.alone = {times[1], times[2]}, .few = {times[3], times[4]}, .mix = times[0]};
    result.is_known = true;
    result.mix = times[0];
    result.pairing = pairing_find(&known);
    result.doubt = find_doubt(arena, all, 5, model);
    if (!result.doubt && result.pairing.kind == PAIRING_WAITING)
        result.doubt = arena_printf(arena, "in %u stream%s of each, they wait for their own latency",
                                    cell->mix->program.streams, cell->mix->program.streams == 1 ? "" : "s");
    // Kernels that wait for each other, or for themselves, do so with any pipes.
    for (unsigned i = 0; i < 5; i++)
        if (all[i]->misuse)
            result.pairing.kind = PAIRING_UNCLEAR;
    return result;
}

bool pairs_disagree(const struct pair_result *measured, const struct pair_result *predicted) {
    if (!measured->is_known || !predicted->is_known || measured->is_unstable)
        return false;
    enum pairing_kind a = measured->pairing.kind, b = predicted->pairing.kind;
    return a != b && a < PAIRING_WAITING && b < PAIRING_WAITING;
}
