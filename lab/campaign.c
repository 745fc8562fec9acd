#include "lab/campaign.h"

#include "base/compressed.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/host/timer.h"
#include "lab/budget.h"

#include <math.h>

void campaign_start(struct campaign *campaign, struct arena *arena, const struct campaign_request *request,
                    const struct campaign_client *client, void *context) {
    *campaign = (struct campaign){.arena = arena,
                                  .request = request,
                                  .client = client,
                                  .context = context,
                                  .path = arena_printf(arena, "%s/measurements.jsonl", request->folder),
                                  .options = *request->lab};
}

// ---- what a pass reports

// Passes have the same notes again and again; a client has its own.
static void report_warning(void *context, enum lab_note kind, const char *text) {
    struct campaign *campaign = context;
    if (kind != LAB_WARNING || text_find(text, campaign->warnings, campaign->n_warnings) < campaign->n_warnings)
        return;
    *ARENA_ADD(campaign->arena, campaign->warnings, campaign->n_warnings) = arena_strdup(campaign->arena, text);
    lab_say(campaign_listener(campaign), kind, "%s", text);
}

static void report_started(void *context) {
    struct campaign *campaign = context;
    lab_say_started(campaign_listener(campaign));
    if (!campaign->has_begun && campaign->request->begins)
        campaign->request->begins(lab_summary(campaign->lab));
    campaign->has_begun = true;
}

static void report_measuring(void *context, size_t number, size_t total) {
    const struct campaign *campaign = context;
    if (campaign->client->measuring)
        campaign->client->measuring(campaign->context, number, total);
    lab_say_measuring(campaign_listener(campaign), number, total);
}

static void report_waiting(void *context, size_t n_left, double seconds) {
    lab_say_waiting(campaign_listener(context), n_left, seconds);
}

// ---- passes

static struct lab_options options_of(const struct campaign *campaign, struct campaign_pass *pass) {
    const struct pass_effort *effort = pass->effort;
    struct lab_options options = lab_without_models(&campaign->options);
    options.listener = &pass->listener;
    options.names_cpu = true;
    options.wait_steady_seconds = effort->steady_seconds;
    options.needs_steady = effort->steady_seconds > 0 && !effort->is_first_look;
    options.bench.retry_seconds = effort->retry_seconds;
    options.bench.is_first_look = effort->is_first_look;
    options.bench.is_hasty = effort->is_hasty;
    options.bench.most_needed = effort->most_needed;
    if (options.bench.precision <= 0)
        options.bench.precision = effort->precision;
    options.bench.precision = fmax(options.bench.precision, effort->least_precision);
    if (options.bench.budget_ms <= 0)
        options.bench.budget_ms = effort->attempt_ms;
    if (options.bench.processes == 0)
        options.bench.processes = effort->processes;
    return options;
}

// Measures the plan. Troubles of single experiments are among thousands: their records have them. That the assembler
// refused all of them is no other trouble.
static bool measure_plan(struct campaign_pass *pass, struct fail *fail) {
    int status = 0;
    if (run_plan(&pass->lab, &pass->options, &pass->plan, &pass->files, &status, fail))
        return true;
    bool is_refused = !pass->plan.n_experiments && fail->status == FAIL_INPUT;
    if (is_refused)
        fail_clear(fail);
    return is_refused;
}

static bool measure(struct campaign *campaign, struct campaign_pass *pass, struct fail *fail) {
    const struct campaign_client *client = campaign->client;
    if (client->next && !client->next(campaign->context, pass, fail))
        return false;
    if (client->next && !pass->plan.n_experiments)
        return true;
    if (campaign->request->collects)
        return collect_plan(campaign->request->collects, &pass->arena, &pass->plan, pass->files.known,
                            pass->files.n_stable, fail);
    pass->is_open = lab_open(&pass->lab, &pass->arena, &pass->options, fail);
    return pass->is_open &&
           (client->measure ? client->measure(campaign->context, pass, fail) : measure_plan(pass, fail));
}

bool campaign_pass(struct campaign *campaign, const struct pass_effort *effort, struct fail *fail) {
    struct campaign_pass pass = {
        .effort = effort,
        .listener = {campaign, report_warning, NULL, report_started, report_measuring, report_waiting},
        .files = {.path = campaign->path, .is_resumed = true, .n_stable = effort->n_stable}};
    pass.plan.listener = &pass.listener;
    pass.options = options_of(campaign, &pass);
    pass.files.events = &pass.options.events;
    campaign->lab = &pass.lab;
    bool is_done = measure(campaign, &pass, fail);
    pass.is_stopped = campaign_is_stopped(campaign);
    if (!is_done && pass.is_open && pass.is_stopped) { // while the clock was calibrated
        fail_clear(fail);
        is_done = true;
    }
    pass.is_skipped =
        is_done && pass.is_open && pass.options.needs_steady && pass.plan.n_experiments && !pass.lab.bench.stable;
    if (is_done && campaign->client->take && !campaign->request->collects)
        campaign->client->take(campaign->context, &pass);
    campaign->lab = NULL;
    lab_close(&pass.lab);
    arena_free(&pass.arena);
    return is_done;
}

void campaign_start_again(struct campaign *campaign, double budget_seconds, unsigned passes_left, size_t n_before) {
    campaign->again = (struct campaign_again){budget_seconds, passes_left, timer_clock_ns(), n_before, 1};
}

bool campaign_again(struct campaign *campaign, size_t n_unstable, struct pass_effort *effort) {
    struct campaign_again *again = &campaign->again;
    enum { MOST_PASSES = 16 };
    static const double least_attempt_ms = 10, most_attempt_ms = 200, retry_seconds = 20, helpful_share = 0.9;
    double left = fmin(budget_left(), again->budget_seconds - (double)(timer_clock_ns() - again->start_ns) / 1e9);
    if (campaign_is_stopped(campaign) || n_unstable == 0 || left <= 0 || again->n >= MOST_PASSES)
        return false;
    double share_ms = left * 1e3 / again->passes_left / (double)n_unstable; // of each value, where all need it
    *effort = (struct pass_effort){.attempt_ms = fmax(least_attempt_ms, fmin(most_attempt_ms, share_ms)),
                                   .retry_seconds = retry_seconds,
                                   .is_hasty = (double)n_unstable < helpful_share * (double)again->n_before};
    bool is_news = again->n == 1 || n_unstable != again->n_before;
    again->n_before = n_unstable;
    again->n++;
    if (!is_news) // the same number again, up to a dozen times
        return true;
    lab_say(campaign_listener(campaign), LAB_NOTE, "%zu %s unstable: pass %u measures %s again", n_unstable,
            n_unstable == 1 ? "value is" : "values are", again->n, n_unstable == 1 ? "it" : "them");
    return true;
}

void campaign_end(struct campaign *campaign, size_t n_unstable) {
    if (campaign_is_stopped(campaign) && !budget_is_spent())
        campaign->status = RUN_PLAN_INTERRUPTED;
    else if (n_unstable && campaign->request->is_strict)
        campaign->status = run_plan_worse(campaign->status, RUN_PLAN_UNSTABLE);
}

// ---- the folder

bool campaign_open_folder(struct campaign *campaign, struct fail *fail) {
    if (!file_lock_folder(campaign->arena, campaign->request->folder, campaign->client->work, fail))
        return false;
    return campaign->request->is_resumed || !compressed_find(campaign->arena, campaign->path) ||
           fail_set(fail, FAIL_INPUT, "'%s' holds %s: --resume goes on with it, --output names another folder",
                    campaign->request->folder, campaign->client->holds);
}

const char *campaign_make_kernel_folder(const struct campaign *campaign, const char *isa, struct fail *fail) {
    const char *root = arena_printf(campaign->arena, "%s/kernels", campaign->request->folder);
    const char *folder = arena_printf(campaign->arena, "%s/%s", root, isa);
    return file_make_folder(root, fail) && file_make_folder(folder, fail) ? folder : NULL;
}
