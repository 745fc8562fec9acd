#include "parameters/session.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/host/timer.h"
#include "bench/record/record.h"
#include "lab/plan_assemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char session_no_isa[] = "there is no such experiment for this ISA yet";

bool value_is_usable(const struct value *value) {
    return value->is_good && value->is_stable;
}

struct value value_less(const struct value *a, const struct value *b, double factor) {
    static const struct value none = {.is_good = true, .is_stable = true, .is_alone = true};
    b = b ? b : &none;
    if (!value_is_usable(a) || !value_is_usable(b))
        return (struct value){.why = value_is_usable(a) ? b->why : a->why};
    struct value result = *a;
    result.cycles = (a->cycles - b->cycles) * factor;
    result.low = (a->low - b->high) * factor;
    result.high = (a->high - b->low) * factor;
    return result;
}

struct value value_ratio(const struct value *a, const struct value *b) {
    struct value result = value_less(a, b, 1);
    if (result.is_good) {
        result.cycles = a->cycles / b->cycles;
        result.low = a->low / b->high;
        result.high = a->high / b->low;
    }
    return result;
}

struct value value_rate(const struct value *a, double n) {
    struct value result = *a;
    if (a->is_good) {
        result.cycles = n / a->cycles;
        result.low = n / a->high;
        result.high = n / a->low;
    }
    return result;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *numbers, size_t n) {
    qsort(numbers, n, sizeof *numbers, compare_numbers);
    return numbers[n / 2];
}

static struct session_item *find(const struct session *session, const char *name) {
    for (size_t place = 0, i; (i = index_next(&session->names, bytes_hash(name, strlen(name)), &place)) != INDEX_END;)
        if (strcmp(session->items[i].trial.name, name) == 0)
            return &session->items[i];
    return NULL;
}

// Experiments ask for hundreds of values again and again, so names are found by their hash.
static struct session_item *add_item(struct session *session, const struct timing *trial) {
    session->names.arena = session->arena;
    index_add(&session->names, bytes_hash(trial->name, strlen(trial->name)), session->n_items);
    struct session_item *item = ARENA_ADD(session->arena, session->items, session->n_items);
    *item = (struct session_item){.trial = *trial};
    return item;
}

bool session_knows(const struct session *session, const char *name) {
    return find(session, name);
}

const struct value *session_value(struct session *session, const struct timing *trial) {
    struct session_item *item = find(session, trial->name);
    if (!item)
        item = add_item(session, trial);
    if (item->is_measured)
        return &item->value;
    session->n_missing++;
    static const struct value missing = {.why = "not measured yet; --resume goes on"};
    return session->is_final || item->is_late ? &missing : NULL;
}

void session_doubt(struct session *session, const char *name) {
    struct session_item *item = find(session, name);
    if (item)
        item->is_doubtful = true;
}

double session_seconds(void) {
    return (double)timer_clock_ns() / 1e9;
}

// Measuring ends with the budget as it does when the user ends it. Static: bench_options.is_stopped has no context.
static struct {
    double end;
    size_t n_taken_before; // values that earlier parts took from the measurement file
    bool (*is_stopped)(void);
} limit;

static bool is_stopped_by_user(void) {
    return limit.is_stopped && limit.is_stopped();
}

static bool is_over(void) {
    return is_stopped_by_user() || session_seconds() > limit.end;
}

static bool has_role(const char *body, const char *role) {
    size_t length = strlen(role);
    for (const char *c = body; (c = strchr(c, '{'));)
        if (strncmp(++c, role, length) == 0 && (c[length] == ':' || c[length] == '}'))
            return true;
    return false;
}

static void add_word(struct text *list, const char *word) {
    text_addf(list, "%s%s", list->length ? ", " : "", word);
}

static struct kernel_text kernel_of(const struct timing *trial, struct arena *arena) {
    static const char *const written[] = {"d0", "d1", "d2", "d3", "d4", "d5", "v0", "v1", "v2", "v3",
                                          "v4", "v5", "u",  "n0", "n1", "n2", "n3", "n4", "n5"};
    struct text writes = {.arena = arena}, init = {.arena = arena};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (has_role(trial->body, written[i]))
            add_word(&writes, written[i]);
    for (const char *chase = "p"; chase; chase = *chase == 'p' ? "q" : NULL)
        if (has_role(trial->body, chase)) {
            add_word(&writes, chase);
            add_word(&init, arena_printf(arena, "%s: chase %s", chase, trial->chase ? trial->chase : CHASE_FAR));
        }
    if (has_role(trial->body, "m"))
        add_word(&init, "m: memory");
    if (trial->init)
        add_word(&init, trial->init);
    if (trial->writes)
        add_word(&writes, trial->writes);
    return (struct kernel_text){.name = trial->name,
                                .body = trial->body,
                                .setup = trial->setup,
                                .implicit = trial->implicit,
                                .requires = trial->feature,
                                .init = init.data,
                                .writes = writes.data};
}

void session_add_kernels(const struct session *session, struct text *out) {
    kernel_put_head("Experiments of a machine card. Each can be repeated: cyclops run --kernels FOLDER NAME",
                    isa_find(session->recipe->isa), session->recipe->syntax, out);
    for (size_t i = 0; i < session->n_items; i++) {
        const struct kernel_text kernel = kernel_of(&session->items[i].trial, out->arena);
        kernel_put(&kernel, out);
    }
}

static bool write_kernels(const struct session *session, struct fail *fail) {
    struct text all = {.arena = session->arena};
    const char *folder = campaign_make_kernel_folder(&session->campaign, session->recipe->isa, fail);
    session_add_kernels(session, &all);
    return folder && file_write(arena_printf(session->arena, "%s/machine.yaml", folder), all.data, all.length, fail);
}

static void note_measuring(void *context, size_t number, size_t total) {
    const struct session *session = context;
    bool is_next_taken = number <= session->n_taken - limit.n_taken_before;
    if (number <= total && !is_next_taken)
        limit.end = session->end;
}

static bool is_alone(const struct bench_measurement *m) {
    unsigned n_dropped = 0;
    for (unsigned i = 0; i < DROP_N_REASONS; i++)
        n_dropped += m->dropped[i];
    return m->samples >= n_dropped;
}

static void take(struct session *session, const struct experiment *experiment) {
    struct session_item *item = find(session, experiment->program.kernel);
    const struct bench_measurement *m = &experiment->measurement;
    if (item && !experiment->is_done && !item->is_measured && m->outcome != BENCH_OK && m->outcome != BENCH_STOPPED) {
        item->is_measured = true;
        item->value = (struct value){.why = bench_outcome_name(m->outcome)};
    }
    if (!experiment->is_done || !item)
        return;
    const struct value before = item->is_run ? item->value : (struct value){0};
    item->is_measured = item->is_run = true;
    item->value = (struct value){.is_good = m->outcome == BENCH_OK && measured_low(m) > 0 && isfinite(measured_high(m)),
                                 .cycles = m->cycles,
                                 .low = measured_low(m),
                                 .high = measured_high(m),
                                 .is_stable = m->verdict != MEASURED_UNSTABLE,
                                 .is_alone = is_alone(m),
                                 .why = m->outcome == BENCH_OK ? m->why : bench_outcome_name(m->outcome)};
    if (item->value.why)
        item->value.why = arena_strdup(session->arena, item->value.why);
    // Neighbours only slow: of two unstable values, the faster one is nearer to the truth.
    if (before.is_good && !before.is_stable && !item->value.is_stable &&
        (!item->value.is_good || before.cycles < item->value.cycles))
        item->value = before;
}

// What the assembler refuses, or needs a feature that the CPU lacks.
static void refuse(struct session_item *item) {
    item->is_measured = true;
    item->value = (struct value){.why = "its code cannot run here"};
}

bool session_read_names(struct session *session, struct fail *fail) {
    struct arena arena = {0};
    struct record record;
    struct record_stream *stream =
        access(session->campaign.path, F_OK) == 0 ? record_stream_open(session->campaign.path, fail) : NULL;
    while (stream && record_stream_next(stream, &arena, &record, fail)) {
        *ARENA_ADD(session->arena, session->before, session->n_before) = arena_strdup(session->arena, record.kernel);
        date_range_add(session->arena, &session->when, record_time(record_stream_header(stream)));
    }
    record_stream_close(stream);
    arena_free(&arena);
    return fail->status == FAIL_NONE;
}

void session_each(const struct session *session, const char *prefix, void (*each)(void *context, const char *name),
                  void *context) {
    for (size_t i = 0; i < session->n_before; i++)
        if (text_starts(session->before[i], prefix))
            each(context, session->before[i]);
    for (size_t i = 0; i < session->n_items; i++)
        if (session->items[i].is_measured && text_starts(session->items[i].trial.name, prefix))
            each(context, session->items[i].trial.name);
}

static bool wants(const struct session_item *item, enum session_part part) {
    enum { MOST_TRIES = 4 };
    if (part == SESSION_MISSING)
        return !item->is_measured && !item->is_late;
    if (part == SESSION_UNSOUGHT)
        return !item->is_measured && !item->is_sought;
    return item->n_tries < MOST_TRIES && item->is_run && !item->value.is_stable &&
           (!item->trial.is_rough || item->is_doubtful || !item->value.is_good);
}

size_t session_count(const struct session *session, enum session_part part) {
    size_t n = 0;
    for (size_t i = 0; i < session->n_items; i++)
        n += wants(&session->items[i], part);
    return n;
}

// Adds up to `most` of the trials that are to be measured now.
static bool make_plan(struct session *session, struct arena *arena, size_t most, struct plan *plan, struct fail *fail) {
    struct kernel_set set = {0};
    for (size_t i = 0; i < session->n_items; i++) {
        struct session_item *item = &session->items[i];
        item->is_planned = set.n_kernels < most && wants(item, session->part);
        if (!item->is_planned)
            continue;
        const struct kernel_text kernel = kernel_of(&item->trial, arena);
        if (!kernel_add(arena, "the machine's kernels", session->isa, session->recipe->syntax, &kernel, &set, fail))
            return false;
    }
    for (size_t k = 0; k < set.n_kernels; k++) {
        struct session_item *item = find(session, set.kernels[k].name);
        struct gen_request request = {.mode = PROGRAM_THROUGHPUT,
                                      .form = item->trial.form,
                                      .streams = 1,
                                      .unroll = item->trial.unroll,
                                      .placement = PLACEMENT_SAME_ADDRESS};
        struct fail trouble = {0};
        item->n_tries++;
        if (plan_add_expansion(arena, plan, &set.kernels[k], &request, &trouble))
            continue;
        item->is_measured = true;
        item->value = (struct value){.why = arena_strdup(session->arena, trouble.text)};
    }
    return true;
}

static bool next(void *context, struct campaign_pass *pass, struct fail *fail) {
    enum { MOST_AT_ONCE = 256 };
    struct session *session = context;
    pass->files.is_of_one_target = true;
    pass->files.takes_unstable = session->part == SESSION_MISSING;
    pass->files.n_taken = &session->n_taken;
    return write_kernels(session, fail) && make_plan(session, &pass->arena, MOST_AT_ONCE, &pass->plan, fail);
}

// Takes what was measured, or came from the file.
static void take_pass(void *context, struct campaign_pass *pass) {
    struct session *session = context;
    const struct plan *plan = &pass->plan;
    const struct bench *bench = &pass->lab.bench;
    size_t n_done = 0;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        n_done += plan->experiments[i]->is_done;
        take(session, plan->experiments[i]);
        if (!lab_can_run(&pass->lab, &plan->experiments[i]->program, &(struct fail){0}))
            refuse(find(session, plan->experiments[i]->program.kernel));
    }
    if (n_done > session->n_taken - limit.n_taken_before) // not only from the file
        date_range_add(session->arena, &session->when, session->round_start);
    for (size_t i = 0; i < session->n_items; i++) {
        struct session_item *item = &session->items[i];
        if (item->is_planned && !item->is_measured && !pass->is_stopped)
            refuse(item);
        item->is_late = item->is_late || (item->is_planned && !item->is_measured);
    }
    if (bench->options.retry_seconds > 0)
        session->wait_seconds -= bench->options.retry_seconds - bench->retry_ms / 1e3;
}

static const struct campaign_client client = {
    .work = "card", .holds = "a card's measurements", .next = next, .take = take_pass, .measuring = note_measuring};

void session_open(struct session *session, const struct campaign_request *request) {
    struct campaign *campaign = &session->campaign;
    campaign_start(campaign, session->arena, request, &client, session);
    limit.is_stopped = campaign->options.bench.is_stopped;
    campaign->options.bench.is_stopped = is_over;
    campaign->options.bench.confirm_seconds = -1;
}

bool session_measure(struct session *session, enum session_part part, bool *is_stopped, struct fail *fail) {
    static const double most_wait = 3, wait_share = 4; // one share of what is left to wait
    const struct pass_effort effort = {.attempt_ms = 20,
                                       .retry_seconds = fmin(most_wait, session->wait_seconds / wait_share)};
    session->part = part;
    // As the file's header has it, or a minute before.
    session->round_start = date_text(session->arena, session->is_simulated ? date_of_output() : date_now());
    // What the measurement file holds is taken once the clock runs, so that must not end before.
    limit.end = part == SESSION_MISSING && access(session->campaign.path, F_OK) == 0 ? INFINITY : session->end;
    limit.n_taken_before = session->n_taken;
    bool is_done = campaign_pass(&session->campaign, &effort, fail);
    *is_stopped = is_stopped_by_user();
    return is_done;
}

// ---- values of a file, of whichever machine

bool session_open_held(struct session *session, struct fail *fail) {
    const char *path = session->campaign.path;
    if (!journal_read_elsewhere(session->arena, path, &session->held, fail) ||
        !record_check_target(path, session->held.file, session->isa->name, "native", NULL, fail))
        return false;
    if (!session->held.file->n_headers)
        return true;
    const json_t *host = session->held.file->headers[0], *page = json_object_get(host, "page_bytes");
    session->is_elsewhere = !session->host || record_cpu(host, session->host) < 0;
    session->is_guest = json_is_string(json_object_get(host, "hypervisor"));
    session->page_bytes = json_is_integer(page) ? (unsigned)json_integer_value(page) : 0;
    return true;
}

void session_close_held(struct session *session) {
    journal_close(&session->held);
}

// Takes what the file has of a program.
static void take_held(struct session *session, struct arena *arena, struct experiment *experiment) {
    struct session_item *item = find(session, experiment->program.kernel);
    struct record like;
    item->is_sought = true;
    experiment_to_record(arena, experiment, &like);
    const struct record *best = journal_best(&session->held, &like, &item->n_tries);
    if (!best)
        return;
    experiment->measurement = best->measurement;
    experiment->is_done = best->measurement.outcome == BENCH_OK;
    take(session, experiment);
    session->n_taken += item->is_measured;
}

bool session_take_held(struct session *session, size_t *n, struct fail *fail) {
    static struct program *const no_chains[N_CHAINS];
    struct arena arena = {0};
    struct plan plan = {0};
    const size_t n_before = session_count(session, SESSION_MISSING);
    session->part = SESSION_UNSOUGHT;
    bool is_done = make_plan(session, &arena, SIZE_MAX, &plan, fail) &&
                   (!plan.n_experiments || plan_assemble(&arena, no_chains, &plan, fail) || !plan.n_experiments);
    if (is_done)
        fail_clear(fail); // where all were refused
    for (size_t i = 0; is_done && i < plan.n_experiments; i++)
        take_held(session, &arena, plan.experiments[i]);
    for (size_t i = 0; is_done && i < session->n_items; i++) {
        struct session_item *item = &session->items[i];
        if (item->is_planned && !item->is_sought && !item->is_measured)
            refuse(item);
    }
    arena_free(&arena);
    *n = n_before - session_count(session, SESSION_MISSING);
    return is_done;
}

bool session_collect(struct session *session, struct collect *collect, struct fail *fail) {
    struct arena arena = {0};
    struct plan plan = {0};
    const struct record_file nothing = {0};
    session->part = session_count(session, SESSION_MISSING) ? SESSION_MISSING : SESSION_UNSTABLE;
    bool is_done = write_kernels(session, fail) && make_plan(session, &arena, SIZE_MAX, &plan, fail) &&
                   collect_plan(collect, &arena, &plan, &nothing, 1, fail);
    arena_free(&arena);
    return is_done;
}
