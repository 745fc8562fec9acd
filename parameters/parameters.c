#include "parameters/parameters.h"

#include "base/compressed.h"
#include "base/text.h"
#include "bench/host/host.h"
#include "lab/run_plan.h"
#include "parameters/experiments.h"

#include <string.h>

static const struct {
    const char *name, *also; // also: the number that people look for first, as another name; null: no other name
    void (*find)(struct session *session);
} experiments[] = {
    {"widths", NULL, widths_find},       {"windows", "rob-size", windows_find}, {"front-end", NULL, frontend_find},
    {"branches", NULL, branches_find},   {"latencies", NULL, latencies_find},   {"pages", NULL, pages_find},
    {"bandwidth", NULL, bandwidth_find}, {"forwarding", NULL, forwarding_find}, {"idioms", NULL, idioms_find},
    {"fusion", NULL, fusion_find},       {"costs", NULL, costs_find},           {"banks", NULL, banks_find},
    {"renaming", NULL, renaming_find},   {"slots", NULL, slots_find},
};
enum { N_EXPERIMENTS = sizeof experiments / sizeof *experiments };

// Null ends the list.
static const char *const *parameters_names(void) {
    static const char *names[N_EXPERIMENTS + 1];
    for (size_t i = 0; i < N_EXPERIMENTS; i++)
        names[i] = experiments[i].name;
    return names;
}

// Returns the number of the experiment; N_EXPERIMENTS: no experiment has that name.
static size_t find_experiment(const char *name) {
    size_t i = 0;
    while (i < N_EXPERIMENTS && strcmp(experiments[i].name, name) != 0 &&
           !(experiments[i].also && strcmp(experiments[i].also, name) == 0))
        i++;
    return i;
}

static bool is_wanted(const struct parameters_request *request, size_t experiment) {
    for (size_t i = 0; i < request->n_experiments; i++)
        if (find_experiment(request->experiments[i]) == experiment)
            return true;
    return !request->n_experiments;
}

static bool check_names(struct arena *arena, const struct parameters_request *request, struct fail *fail) {
    for (size_t i = 0; i < request->n_experiments; i++) {
        const char *name = request->experiments[i], *const *names = parameters_names();
        if (find_experiment(name) == N_EXPERIMENTS)
            return fail_set(fail, FAIL_INPUT, "there is no experiment '%s'%s; 'cyclops machine --help' lists them",
                            name, text_did_you_mean(arena, name, names, N_EXPERIMENTS));
    }
    return true;
}

// A target that cannot be used leaves no folder behind.
static bool check_target(struct arena *arena, const struct parameters_request *request, struct fail *fail) {
    const struct lab_options options = lab_without_models(request->campaign.lab);
    struct lab lab = {0};
    bool is_open = lab_open(&lab, arena, &options, fail);
    lab_close(&lab);
    return is_open;
}

static bool open_folder(struct campaign *campaign, struct fail *fail) {
    if (compressed_find(campaign->arena, arena_printf(campaign->arena, "%s/forms.jsonl", campaign->request->folder)))
        return fail_set(fail, FAIL_INPUT, "'%s' holds a survey: --output names another folder",
                        campaign->request->folder);
    return campaign_open_folder(campaign, fail);
}

// Runs the experiments on the values so far. In a final card, each has an entry about how much of it is missing.
static void find_all(struct session *session, const struct parameters_request *request, bool is_final) {
    size_t n_missing = 0;
    session->card = (struct card){.arena = session->arena, .when = session->when};
    session->is_final = is_final;
    for (size_t i = 0; i < N_EXPERIMENTS; i++) {
        const struct card_entry head = {.group = experiments[i].name,
                                        .name = arena_printf(session->arena, "%s-rest", experiments[i].name),
                                        .unit = "",
                                        .how = "the rest of this experiment"};
        if (!is_wanted(request, i))
            continue;
        session->n_missing = 0;
        experiments[i].find(session);
        if (is_final && session->n_missing)
            card_add_unknown(&session->card, &head,
                             arena_printf(session->arena, "%s not measured yet; --resume goes on",
                                          text_count_are(session->arena, session->n_missing, "value")));
        n_missing += session->n_missing;
    }
    session->n_missing = session->card.n_missing = n_missing;
}

static bool write_card(struct session *session, const struct parameters_request *request, struct fail *fail) {
    find_all(session, request, true);
    return !request->write || request->write(request->context, &session->card, fail);
}

static void say_taken(const struct session *session, const struct parameters_request *request) {
    if (request->campaign.is_resumed && session->n_taken)
        lab_say(request->campaign.lab->listener, LAB_NOTE, "%s taken from '%s'. Unstable%s: %zu",
                text_count_are(session->arena, session->n_taken, "value"), session->campaign.path,
                request->only_takes ? "" : ", and measured again while the budget lasts",
                session_count(session, SESSION_UNSTABLE));
}

// Calls the experiments until none asks for more. What they ask for is measured after each round. What is unstable is
// measured again when nothing is missing.
static bool run_rounds(struct session *session, const struct parameters_request *request, int *status,
                       struct fail *fail) {
    enum { MOST_ROUNDS = 100 };
    bool is_stopped = false;
    bool is_said = false;
    static const double wait_share = 8; // of the budget
    session->end = session_seconds() + request->campaign.budget_seconds;
    session->wait_seconds = request->campaign.budget_seconds / wait_share;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        find_all(session, request, false);
        enum session_part part = session_count(session, SESSION_MISSING) ? SESSION_MISSING : SESSION_UNSTABLE;
        bool may_be_known = request->campaign.is_resumed && part == SESSION_MISSING;
        if (!session_count(session, part) || (session_seconds() > session->end && !may_be_known))
            break;
        if (!session_measure(session, part, &is_stopped, fail) || !write_card(session, request, fail))
            return false;
        if (session_count(session, SESSION_MISSING) == 0 && !is_said) {
            is_said = true;
            say_taken(session, request);
        }
        if (is_stopped)
            break;
    }
    if (!is_said)
        say_taken(session, request);
    find_all(session, request, true);
    if (is_stopped && session->n_missing) {
        lab_say(request->campaign.lab->listener, LAB_NOTE, "interrupted; --resume does the rest");
        *status = RUN_PLAN_INTERRUPTED;
    } else if (session->n_missing) {
        lab_say(request->campaign.lab->listener, LAB_WARNING,
                "the budget of %.0f s is spent before all is measured; --resume does the rest",
                request->campaign.budget_seconds);
    }
    return true;
}

// The same without measuring.
static bool take_all(struct session *session, const struct parameters_request *request, struct fail *fail) {
    struct collect *collect = request->campaign.collects;
    size_t n = 1;
    bool is_done = session_open_held(session, fail);
    while (is_done && n) {
        find_all(session, request, false);
        is_done = session_take_held(session, &n, fail);
    }
    is_done = is_done && (!collect || session_collect(session, collect, fail));
    if (is_done) {
        find_all(session, request, true);
        session->card.is_elsewhere = session->is_elsewhere;
        say_taken(session, request);
    }
    session_close_held(session);
    return is_done;
}

static void find_host(struct session *session, struct host *host) {
    const struct host_request any = {.cpu = -1};
    struct fail unknown = {0};
    session->host = host_read(session->arena, &any, host, &unknown) ? host : NULL;
    session->is_guest = session->host && host->hypervisor;
    session->page_bytes = session->host ? host->page_bytes : 0;
}

// Whether a target is the core of a CPU file: "sim:cpu:skylake,noise=none".
static bool is_of_cpu_file(struct arena *arena, const char *target) {
    const char *name = strncmp(target, "sim:", 4) == 0 ? target + 4 : "";
    return model_is_cpu_file(arena_copy(arena, name, strcspn(name, ",")));
}

bool parameters_run(struct arena *arena, const struct parameters_request *request, struct card *card, int *status,
                    struct fail *fail) {
    struct session session = {.arena = arena,
                              .isa = request->campaign.lab->isa,
                              .recipe = recipe_find(isa_family(request->campaign.lab->isa)),
                              .is_simulated = strcmp(request->campaign.lab->target, "native") != 0};
    session.is_bare = session.is_simulated && !is_of_cpu_file(arena, request->campaign.lab->target);
    if (!session.recipe)
        return fail_set(fail, FAIL_INPUT, "there are no experiments for %s yet: only for x86_64, aarch64 and riscv64",
                        request->campaign.lab->isa->name);
    session_open(&session, &request->campaign);
    struct host host;
    find_host(&session, &host);
    bool is_done =
        check_names(arena, request, fail) && (request->only_takes || check_target(arena, request, fail)) &&
        open_folder(&session.campaign, fail) && session_read_names(&session, fail) &&
        (request->only_takes ? take_all(&session, request, fail) : run_rounds(&session, request, status, fail));
    *card = session.card;
    return is_done;
}
