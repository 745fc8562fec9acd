#include "infer/pair_campaign.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/host/timer.h"
#include "bench/whole.h"
#include "infer/pair_draw.h"
#include "infer/pair_run.h"
#include "infer/ports.h"
#include "lab/assembled.h"
#include "lab/budget.h"
#include "survey/multisets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the campaign's client

static bool next(void *context, struct campaign_pass *pass, struct fail *fail) {
    struct pairs_run *run = context;
    (void)fail;
    pass->files.known = &run->measurements;
    pass->files.is_of_one_target = true;
    pass->files.takes_unstable = run->takes_unstable;
    pass->plan.assembled = &run->assembled;
    for (size_t i = 0; i < run->n_items; i++) {
        const struct gen_request request = {
            .mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .streams = 1, .unroll = run->items[i].copies};
        struct fail refused = {0};
        if (run->items[i].is_next &&
            !plan_add_expansion(&pass->arena, &pass->plan, &run->kernels.kernels[run->items[i].kernel], &request,
                                &refused))
            plan_refuse(&pass->arena, &pass->plan, &refused);
    }
    return true;
}

// A first look is unstable, as it was seen at one time only; its interval counts all the same, half as wide again.
static void take_value(struct pairs_item *item, const struct bench_measurement *m) {
    bool is_first = m->verdict == MEASURED_UNSTABLE && m->look == LOOK_FIRST;
    if (m->outcome != BENCH_OK || (m->verdict == MEASURED_UNSTABLE && !is_first) || !(m->cycles > 0))
        return;
    double more = is_first ? 1.5 : 1;
    item->is_known = true;
    item->cycles = m->cycles / item->turns;
    item->low = (m->cycles - more * (m->cycles - measured_low(m))) / item->turns;
    item->high = (m->cycles + more * (measured_high(m) - m->cycles)) / item->turns;
    item->low = item->low > 0 ? item->low : item->cycles / 2;
}

// The plan has experiments in the order of items, without those that were refused.
static void take(void *context, struct campaign_pass *pass) {
    struct pairs_run *run = context;
    struct experiment *const *experiment = pass->plan.experiments, *const *end = experiment + pass->plan.n_experiments;
    for (size_t i = 0; i < run->n_items && experiment < end; i++)
        if (run->items[i].is_next && strcmp((*experiment)->program.kernel, run->items[i].id) == 0) {
            if ((*experiment)->is_done && !pass->is_skipped)
                take_value(&run->items[i], &(*experiment)->measurement);
            experiment++;
        }
}

static const struct campaign_client client = {.work = "infer pairs", .holds = "pairs", .next = next, .take = take};

// ---- items

static long add_pair(struct pairs_run *run, unsigned a, unsigned m, unsigned b, unsigned n, const char *set) {
    struct multiset_term terms[] = {{a, m}, {b, n}};
    return pairs_add_item(run, terms, 2, pairs_id_of(run, terms, 2), set);
}

// The smallest amounts that take about as long alone.
static void balance(double a, double b, unsigned *m, unsigned *n) {
    enum { MOST = 12 };
    static const double each = 0.02; // more copies are worth so much less imbalance
    double best = INFINITY;
    for (unsigned x = 1; x <= MOST; x++)
        for (unsigned y = 1; y <= MOST; y++) {
            double off = fabs(log(x * a / (y * b))) + each * (x + y);
            if (off < best) {
                best = off;
                *m = x;
                *n = y;
            }
        }
}

// ---- measuring

static bool is_stopped(const struct pairs_run *run) {
    return campaign_is_stopped(&run->campaign);
}

// Measures what is next: a first look at everything, and a longer second one at what has no value then.
static bool measure(struct pairs_run *run, const char *kernels, struct fail *fail) {
    enum { STEADY_SECONDS = 20 };
    static const struct pass_effort glance = {
        .attempt_ms = 3, .steady_seconds = 5, .is_first_look = true, .is_hasty = true, .least_precision = 0.012};
    static const struct pass_effort second = {
        .attempt_ms = 20, .steady_seconds = STEADY_SECONDS, .is_hasty = true, .least_precision = 0.006};
    bool is_done = true;
    for (unsigned look = 0; look < 2 && is_done && !is_stopped(run); look++) {
        size_t n = 0;
        for (size_t i = 0; i < run->n_items; i++)
            n += run->items[i].is_next = run->items[i].is_next && !run->items[i].is_known;
        run->takes_unstable = look == 0;
        is_done = n == 0 || campaign_pass(&run->campaign, look ? &second : &glance, fail);
    }
    for (size_t i = 0; i < run->n_items; i++)
        run->items[i].is_next = false;
    return is_done && pairs_write_files(run, kernels, fail);
}

// ---- sentinels

enum { MOST_WIDTH = 8 };

// How many pipes a form of one slot has, if it is one uop; 0: it cannot be.
static unsigned width_of(const struct multiset_form *form) {
    double width = round(1 / form->cycles);
    bool is_whole = width >= 1 && width <= MOST_WIDTH && fabs(form->cycles * width - 1) <= WHOLE_GUESS;
    return form->slots <= 1 && is_whole ? (unsigned)width : 0;
}

struct candidate {
    unsigned form, width, n_like; // n_like: candidates of its ports, of a sentinel
    bool is_open, is_sentinel;
};

// Whether the pair takes as long as both one after the other.
static bool is_sum(const struct pairs_run *run, const struct pairs_item *item) {
    static const double least = 0.97;
    double sum = 0;
    for (unsigned t = 0; t < item->n_terms; t++)
        sum += item->terms[t].count * run->sets.forms[item->terms[t].form].cycles;
    return item->is_known && item->cycles >= least * sum;
}

static bool has_room(const struct pairs_run *run, const struct candidate *a) {
    return !(run->sets.width > 0) || a->width + 0.5 < run->sets.width; // as wide as dispatch: nothing is seen beside it
}

// One round for all widths: measures what is open beside the newest sentinel of its width.
static bool sort_round(struct pairs_run *run, struct candidate *all, size_t n, const char *kernels, bool *is_more,
                       struct fail *fail) {
    *is_more = false;
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < n && all[i].is_open; s++)
            if (all[s].is_sentinel && all[s].width == all[i].width && s != i)
                add_pair(run, all[i].form, 2, all[s].form, 2, "sentinels");
    if (!measure(run, kernels, fail))
        return false;
    bool has_new[MOST_WIDTH + 1] = {false};
    for (size_t i = 0; i < n; i++) {
        bool is_alike = false, is_known = true; // a pair without a value says nothing
        for (size_t s = 0; s < n && all[i].is_open && !is_alike; s++) {
            struct multiset_term terms[] = {{all[i].form, 2}, {all[s].form, 2}};
            long item = all[s].is_sentinel && all[s].width == all[i].width && s != i
                            ? pairs_find_item(run, pairs_id_of(run, terms, 2))
                            : -1;
            is_alike = item >= 0 && is_sum(run, &run->items[item]);
            is_known &= item < 0 || run->items[item].is_known;
            all[s].n_like += is_alike;
        }
        if (is_alike || !is_known)
            all[i].is_open = false;
        else if (all[i].is_open && !has_new[all[i].width]) {
            has_new[all[i].width] = all[i].is_sentinel = true;
            all[i].is_open = false;
        } else
            *is_more |= all[i].is_open;
    }
    return true;
}

// What nothing but ports limits first: without a load, without masks, without reading its own result.
static int compare_candidates(const void *a, const void *b, void *context) {
    const struct pairs_run *run = context;
    const struct candidate *x = a, *y = b;
    const struct multiset_form *f = &run->sets.forms[x->form], *g = &run->sets.forms[y->form];
    if (f->loads != g->loads)
        return f->loads ? 1 : -1;
    if (f->has_masks != g->has_masks)
        return f->has_masks ? 1 : -1;
    double late = f->longest > 0 ? f->longest : INFINITY, later = g->longest > 0 ? g->longest : INFINITY;
    if (f->loads && late != later) // what only loads has its result first
        return late > later ? 1 : -1;
    if ((f->latency > 0) != (g->latency > 0))
        return f->latency > 0 ? 1 : -1;
    return (x->form > y->form) - (x->form < y->form);
}

static int compare_sentinels(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->is_sentinel != y->is_sentinel)
        return x->is_sentinel ? -1 : 1;
    return (x->n_like < y->n_like) - (x->n_like > y->n_like);
}

static bool find_sentinels(struct pairs_run *run, const char *kernels, struct fail *fail) {
    enum { MOST_BYTES = 8 };
    struct candidate *all = NULL;
    size_t n = 0;
    bool is_more = true;
    if (access(pairs_sentinels_path(run), F_OK) == 0)
        return pairs_read_sentinels(run, fail);
    for (unsigned f = 0; f < run->sets.n_forms; f++) {
        struct candidate each = {.form = f, .width = width_of(&run->sets.forms[f]), .is_open = true};
        // What has registers of several files is seldom one uop, and the widest vectors seldom one cycle; the longest
        // encodings wait for the front end.
        bool is_plain =
            !run->sets.forms[f].is_mixed && !run->sets.forms[f].is_wide && run->sets.forms[f].n_bytes <= MOST_BYTES;
        if (pairs_is_class(run, f) && is_plain && each.width && has_room(run, &each))
            *ARENA_ADD(run->arena, all, n) = each;
    }
    if (n)
        qsort_r(all, n, sizeof *all, compare_candidates, run);
    for (unsigned round = 0; round <= run->request->n_sentinels && is_more && !is_stopped(run); round++)
        if (!sort_round(run, all, n, kernels, &is_more, fail))
            return false;
    if (n)
        qsort(all, n, sizeof *all, compare_sentinels);
    for (size_t i = 0; i < n && all[i].is_sentinel && run->n_sentinels < run->request->n_sentinels; i++)
        *ARENA_ADD(run->arena, run->sentinels, run->n_sentinels) = all[i].form;
    return is_stopped(run) || pairs_write_sentinels(run, fail);
}

// ---- classes beside sentinels

static bool measure_beside(struct pairs_run *run, const char *kernels, struct fail *fail) {
    enum { MOST_MORE = 4 };
    static const double apart = 1.02; // of the longer one: less shows nothing shared
    size_t first = run->n_items, n_classes = 0;
    for (unsigned f = 0; f < run->sets.n_forms; f++) {
        bool is_own = pairs_is_class(run, f) && pairs_is_own(run, n_classes++);
        for (size_t s = 0; s < run->n_sentinels && is_own; s++) {
            unsigned m = 1, n = 1;
            balance(run->sets.forms[f].cycles, run->sets.forms[run->sentinels[s]].cycles, &m, &n);
            long item = f != run->sentinels[s] ? add_pair(run, f, m, run->sentinels[s], n, "balanced") : 0;
            // A form that would wait for itself has time to where there is more of the sentinel.
            for (unsigned more = 2; item < 0 && more <= MOST_MORE; more *= 2)
                item = add_pair(run, f, m, run->sentinels[s], more * n, "balanced");
        }
    }
    if (!measure(run, kernels, fail))
        return false;
    for (size_t i = first, end = run->n_items; i < end; i++) {
        const struct pairs_item item = run->items[i];
        double a = item.terms[0].count * run->sets.forms[item.terms[0].form].cycles,
               b = item.terms[1].count * run->sets.forms[item.terms[1].form].cycles;
        if (item.is_known && item.cycles > apart * fmax(a, b))
            add_pair(run, item.terms[0].form, item.terms[0].count, item.terms[1].form, 2 * item.terms[1].count,
                     "surplus");
    }
    return is_stopped(run) || measure(run, kernels, fail);
}

// ---- what decides most

static void add_next(struct pairs_run *run, const struct ports *ports) {
    for (size_t i = 0; i < ports->n_next; i++) {
        const struct ports_experiment *wanted = &ports->next[i];
        struct multiset_term terms[MULTISET_MOST_TERMS];
        bool is_good = true;
        for (unsigned t = 0; t < wanted->n_terms && is_good; t++) {
            terms[t] = (struct multiset_term){pairs_form_called(run, ports->evidence->forms[wanted->terms[t].form]),
                                              wanted->terms[t].count};
            is_good = terms[t].form < run->sets.n_forms;
        }
        if (is_good)
            pairs_add_item(run, terms, wanted->n_terms, pairs_id_of(run, terms, wanted->n_terms), "next");
    }
}

// What takes longer than the ports have it, in other orders: in the right one it may not.
static void add_orders(struct pairs_run *run, const struct ports *ports) {
    for (size_t i = 0; i < ports->evidence->n_items; i++) {
        const struct evidence_item *item = &ports->evidence->items[i];
        long known = item->n_terms > 1 ? pairs_find_item(run, item->id) : -1;
        if (known >= 0 && port_map_cycles(&ports->map, item, NULL) < ports_band_of(ports, i).low)
            pairs_add_orders(run, known);
    }
}

static bool decide(struct pairs_run *run, const char *kernels, struct fail *fail) {
    enum { MOST_ROUNDS = 4 };
    struct ports_options quick = ports_measured;
    bool is_more = true;
    quick.steps /= 4; // of --next, no more is needed
    for (unsigned round = 0; round < MOST_ROUNDS && is_more && !is_stopped(run); round++) {
        struct arena arena = {0};
        struct evidence evidence = {.arena = &arena};
        struct ports ports;
        size_t n = run->n_items;
        if (!pair_campaign_read(&evidence, &run->request->campaign.folder, 1, fail)) {
            arena_free(&arena);
            return false;
        }
        ports_infer(&arena, &evidence, &quick, &ports);
        run->n_open = 0;
        for (size_t f = 0; f < evidence.n_forms; f++)
            run->n_open += ports.forms[f].state != PORTS_CERTAIN && ports.forms[f].state != PORTS_DISPATCH;
        add_next(run, &ports);
        add_orders(run, &ports);
        arena_free(&arena);
        is_more = run->n_items > n;
        if (is_more && !measure(run, kernels, fail))
            return false;
    }
    return true;
}

// ---- random multisets

// Of each number, the first draw that a loop can hold.
static bool measure_random(struct pairs_run *run, const char *kernels, struct fail *fail) {
    enum { TRIES = 20, MOST_RANDOM = 1000 };
    for (enum pair_draw_kind kind = 0; kind < PAIR_DRAW_N_KINDS; kind++)
        for (unsigned number = 0; number < run->request->n_random; number++) {
            if (!pairs_is_own(run, number))
                continue;
            struct multiset_term terms[MULTISET_MOST_TERMS];
            long item = -1;
            for (unsigned attempt = 0; attempt < TRIES && item < 0; attempt++) {
                unsigned n = pair_draw(&run->sets, kind, number + attempt * MOST_RANDOM, terms);
                const char *id = arena_printf(run->arena, "random-%s.%03u.%u", pair_draw_names[kind], number, attempt);
                item = n ? pairs_add_item(run, terms, n, id, pair_draw_names[kind]) : -1;
            }
            if (item >= 0)
                run->items[item].is_judged = true;
        }
    return is_stopped(run) || measure(run, kernels, fail);
}

// ---- all of it

// Whether two simulated targets are one CPU: what stands behind the comma is noise.
static bool is_same_cpu(const char *one, const char *other) {
    const size_t n = strcspn(one, ",");
    return n == strcspn(other, ",") && strncmp(one, other, n) == 0;
}

static bool check_survey(const struct pairs_run *run, struct fail *fail) {
    struct table_origin origin;
    const char *target = run->request->campaign.lab->target;
    bool is_native = strcmp(target, "native") == 0;
    if (!table_find_origin(run->arena, run->request->survey, &origin, fail))
        return false;
    return (is_native ? !origin.cpu : origin.cpu && origin.target && is_same_cpu(target, origin.target)) ||
           fail_set(fail, FAIL_INPUT, "the survey '%s' was measured on %s, and this is %s: --target names its target",
                    run->request->survey, origin.target ? origin.target : "nothing", target);
}

static bool measure_all(struct pairs_run *run, struct fail *fail) {
    const struct isa *isa = run->sets.isa;
    const char *folder = campaign_make_kernel_folder(&run->campaign, isa_family(isa), fail);
    if (!folder || !pairs_write_classes(run, fail))
        return false;
    const char *kernels = arena_printf(run->arena, "%s/pairs.yaml", folder);
    kernel_put_head("Multisets of forms. Each can be repeated: cyclops run --kernels FOLDER ID", isa, run->sets.syntax,
                    &run->file);
    return find_sentinels(run, kernels, fail) && (is_stopped(run) || measure_beside(run, kernels, fail)) &&
           (is_stopped(run) || decide(run, kernels, fail)) && (is_stopped(run) || measure_random(run, kernels, fail)) &&
           pairs_write_files(run, kernels, fail);
}

static void summarize(const struct pairs_run *run, uint64_t start_ns, struct pair_campaign_summary *summary) {
    *summary = (struct pair_campaign_summary){.n_forms = run->sets.n_forms,
                                              .n_sentinels = run->n_sentinels,
                                              .n_planned = run->n_items - run->n_unfit,
                                              .n_unfit = run->n_unfit,
                                              .n_open = run->n_open,
                                              .seconds = (double)(timer_clock_ns() - start_ns) / 1e9,
                                              .is_spent = budget_is_spent()};
    for (unsigned f = 0; f < run->sets.n_forms; f++)
        summary->n_classes += pairs_is_class(run, f);
    for (size_t i = 0; i < run->n_items; i++) {
        summary->n_values += run->items[i].is_known;
        summary->n_random += run->items[i].is_known && run->items[i].is_judged;
    }
}

bool pair_campaign_run(struct arena *arena, const struct pair_campaign_request *request,
                       struct pair_campaign_summary *summary, int *status, struct fail *fail) {
    uint64_t start_ns = timer_clock_ns();
    struct pairs_run run = {.arena = arena,
                            .request = request,
                            .file = {.arena = arena},
                            .assembled.arena = arena,
                            .by_id.arena = arena,
                            .measurements.arena = arena};
    campaign_start(&run.campaign, arena, &request->campaign, &client, &run);
    run.campaign.status = *status;
    bool is_done = check_survey(&run, fail) &&
                   multisets_open(arena, request->campaign.lab->isa, request->llvm, request->survey,
                                  request->campaign.lab->listener, &run.sets, fail) &&
                   campaign_open_folder(&run.campaign, fail) && measure_all(&run, fail);
    size_t n_open = 0;
    for (size_t i = 0; i < run.n_items; i++)
        n_open += !run.items[i].is_known && !run.items[i].is_unfit;
    if (is_done) {
        campaign_end(&run.campaign, n_open);
        summarize(&run, start_ns, summary);
    }
    record_file_close(&run.measurements);
    multisets_close(&run.sets);
    *status = run.campaign.status;
    return is_done;
}
