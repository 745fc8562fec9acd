#include "lab/lab.h"

#include "analyzer/predict/model_prediction.h"
#include "bench/host/files.h"
#include "bench/measure/level_file.h"
#include "lab/budget.h"
#include "lab/chains.h"
#include "lab/corun.h"

#include <string.h>

struct model_request lab_models(const struct lab_options *options) {
    return (struct model_request){.triple = options->isa->triple,
                                  .features = options->features,
                                  .llvms = options->llvms,
                                  .judged = options->cpus,
                                  .refuses_base = options->refuses_base};
}

struct lab_options lab_without_models(const struct lab_options *options) {
    static const char *none[] = {"none"};
    struct lab_options without = *options;
    without.cpus = (struct option_list){none, 1};
    return without;
}

static bool parse_target(struct lab *lab, const char *target, struct fail *fail) {
    if (strncmp(target, "sim:", 4) == 0) {
        lab->is_simulated = true;
        return sim_spec_parse(lab->arena, target + 4, &lab->sim, fail);
    }
    if (strcmp(target, "native") != 0)
        return fail_set(fail, FAIL_INPUT, "unknown target '%s': there are native and sim:CPU", target);
    if (lab->isa != isa_native())
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "this machine cannot run %s code; --target sim:CPU runs it on a simulated CPU", lab->isa->name);
    return true;
}

static bool choose_corun_cpu(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    if (!corun_choose_cpu(lab, options, &lab->corun_cpu, fail))
        return false;
    for (unsigned i = 0; i < lab->host.n_siblings; i++)
        lab->is_sibling |= lab->host.siblings[i] == lab->corun_cpu;
    return true;
}

const char *lab_cpu_file_of(struct arena *arena, const struct host *host) {
    bool is_slow = host->core_type && strcmp(host->core_type, "performance") != 0;
    return !is_slow && host->vendor ? model_cpu_file_of(arena, host->vendor, host->family, host->model) : NULL;
}

// Null: there is no such file, or nobody wants it.
static const char *own_of(const struct lab *lab, const struct lab_options *options) {
    bool is_wanted = options->shows_own && !options->cpus.n_items && !options->has_corun && !lab->is_simulated;
    return is_wanted ? lab_cpu_file_of(lab->arena, &lab->host) : NULL;
}

// A CPU file that nobody asked for does not stop the others.
static bool open_models(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    struct model_request models = lab_models(options);
    struct fail unwanted = {0};
    models.native = lab->is_simulated ? lab->sim.cpu : NULL;
    models.own = own_of(lab, options);
    if (models.own && model_set_open(&lab->models, lab->arena, &models, &unwanted))
        return true;
    const char *own = models.own;
    models.own = NULL;
    bool is_open = model_set_open(&lab->models, lab->arena, &models, fail);
    if (is_open && own)
        lab_say(lab->listener, LAB_WARNING, "not by %s: %s", own, unwanted.text);
    return is_open;
}

bool lab_open(struct lab *lab, struct arena *arena, const struct lab_options *options, struct fail *fail) {
    *lab = (struct lab){.arena = arena,
                        .listener = options->listener,
                        .is_brief = options->is_brief,
                        .addresses_are_static = options->addresses_are_static,
                        .is_stopped = options->bench.is_stopped,
                        .isa = options->isa,
                        .corun_cpu = -1};
    if (!parse_target(lab, options->target, fail) || !chains_make(arena, lab->isa, lab->chains, fail))
        return false;
    struct host_request request = {options->bench.cpu, options->core_type};
    if (!lab->is_simulated && !host_read(arena, &request, &lab->host, fail))
        return false;
    if (options->has_corun && !choose_corun_cpu(lab, options, fail))
        return false;
    code_uses_open(&lab->uses, arena, lab->isa, option_list_first(&options->llvms));
    struct model_request models = lab_models(options);
    if (lab->is_simulated || options->names_cpu || model_request_judges(&models)) {
        lab->backend = backend_load(arena, option_list_first(&options->llvms), fail);
        if (!lab->backend)
            return false;
    }
    return open_models(lab, options, fail);
}

bool lab_prepare(struct lab *lab, const struct lab_options *options, struct plan *plan, struct fail *fail) {
    if (plan->n_blocks == 0)
        return true;
    return (lab->decoder.cpu ||
            decoder_open(&lab->decoder, lab->arena, lab->isa, option_list_first(&options->llvms), fail)) &&
           blocks_prepare(lab->arena, plan, &lab->decoder, !lab->is_simulated, fail);
}

// Predicts the cycles of the reference on a simulated CPU: on some, an add takes two.
static bool predict_reference(struct lab *lab, double *cycles, struct fail *fail) {
    const struct program *reference = lab->chains[CHAIN_REFERENCE];
    struct program_range body = program_simulated_range(reference);
    struct block block;
    const struct prediction_request request = {.execution = EXECUTION_OF(&block)};
    return model_describe_bytes(&lab->models.native, lab->arena, reference->code + body.offset, body.length, &block,
                                fail) &&
           prediction_cycles_by_model(&lab->models.native, &request, cycles, fail);
}

static void steady_frequency(struct lab *lab) {
    host_control_start(&lab->control, lab->arena, &lab->host);
    if (lab->control.fail.status != FAIL_NONE)
        lab_say(lab->listener, LAB_WARNING, "the frequency is left as it is: %s", lab->control.fail.text);
}

// Finds the pipes to count, where counters may be used and there is a model to compare with.
static bool find_pipes(struct lab *lab, enum bench_clock clock, struct fail *fail) {
    if (!bench_clock_counts(clock) || lab->models.n_judged == 0)
        return true;
    if (lab->is_simulated && lab->sim.noise.counter_factor > 0)
        pipes_of_machine(lab->arena, lab->models.native.machine, &lab->pipes);
    if (lab->is_simulated || !lab->host.has_pmu || !lab->backend)
        return true;
    return pipes_read(lab->arena, lab->isa->name, lab->backend->host_cpu(), &lab->pipes, fail);
}

static struct target *open_with(struct lab *lab, const struct target_request *request, struct fail *fail) {
    return lab->is_simulated ? target_sim_open(lab->arena, &lab->models.native, &lab->sim, request, fail)
                             : target_native_open(lab->arena, lab->host.cpu, request, fail);
}

static bool pipes_of_target(struct lab *lab, const struct lab_options *options, struct pipes *pipes,
                            struct fail *fail) {
    if (lab->is_simulated) {
        if (lab->sim.noise.counter_factor > 0)
            pipes_of_machine(lab->arena, lab->models.native.machine, pipes);
        return true;
    }
    const struct backend *backend = backend_load(lab->arena, option_list_first(&options->llvms), fail);
    return backend && pipes_read(lab->arena, lab->isa->name, backend->host_cpu(), pipes, fail);
}

bool lab_find_uop_events(struct arena *arena, const struct lab_options *options, struct option_list *events,
                         const char **why, struct fail *fail) {
    struct lab lab = {0};
    struct pipes pipes = {0};
    struct fail refused = {0};
    bool is_open = lab_open(&lab, arena, options, fail), has_counters = is_open;
    *why = NULL;
    if (is_open && !lab.is_simulated && !lab.host.has_pmu) {
        *why = lab.host.pmu_note ? lab.host.pmu_note : "there are no hardware counters here";
        has_counters = false;
    } else if (is_open && !bench_clock_counts(options->bench.clock)) {
        *why = "the requested clock uses no counters";
        has_counters = false;
    }
    if (has_counters && !pipes_of_target(&lab, options, &pipes, fail)) {
        lab_close(&lab);
        return false;
    }
    const char **names = ARENA_ARRAY(arena, const char *, TARGET_MAX_EVENTS);
    for (unsigned i = 0; i < pipes.n; i++)
        names[i] = pipes.pipes[i].event;
    const struct target_request request = {options->bench.clock, names, pipes.n};
    const struct target *target = pipes.n ? open_with(&lab, &request, &refused) : NULL;
    for (unsigned i = 0; target && target->has_counters && i < pipes.n; i++)
        *ARENA_ADD(arena, events->items, events->n_items) = names[i];
    if (has_counters && !lab.is_simulated && !events->n_items)
        *why = !pipes.n ? "no event is known that counts the uops of this CPU"
               : target ? arena_strdup(arena, target->counters_note ? target->counters_note : "")
                        : arena_strdup(arena, refused.text);
    lab_close(&lab);
    return is_open;
}

// Opens the target with the requested events, and with those of the pipes unless it refuses these.
static bool open_target(struct lab *lab, enum bench_clock clock, const struct option_list *asked, struct fail *fail) {
    const char *events[TARGET_MAX_EVENTS];
    struct target_request request = {clock, asked->items, (unsigned)asked->n_items};
    struct fail refused = {0};
    if (!find_pipes(lab, clock, fail))
        return false;
    if (lab->pipes.n && asked->n_items + lab->pipes.n <= TARGET_MAX_EVENTS) {
        for (size_t i = 0; i < asked->n_items; i++)
            events[i] = asked->items[i];
        struct target_request more = {clock, events, request.n_events};
        for (unsigned i = 0; i < lab->pipes.n; i++)
            if (text_find(lab->pipes.pipes[i].event, asked->items, asked->n_items) == asked->n_items)
                events[more.n_events++] = lab->pipes.pipes[i].event;
        lab->target = open_with(lab, &more, &refused);
        if (lab->target)
            return true;
    }
    lab->target = open_with(lab, &request, fail);
    if (lab->target && lab->target->has_counters && lab->pipes.n)
        lab_say(lab->listener, LAB_WARNING, "uops are not counted by pipe: %s",
                refused.text[0] ? refused.text : "too many other events");
    lab->pipes.n = 0;
    return lab->target != NULL;
}

// Takes the frequency that the system states, where the user gave none. A simulated CPU's target states its frequency.
static void state_frequency(const struct lab *lab, struct bench_options *bench) {
    bench->frequency_source = "as given";
    if (bench->frequency_hz > 0 || lab->is_simulated || lab->host.ghz_stated <= 0)
        return;
    bench->frequency_hz = lab->host.ghz_stated * 1e9;
    bench->frequency_source = "as the system states it";
}

static struct level_key level_key(const struct lab *lab, double reference_cycles) {
    return (struct level_key){.host = &lab->host,
                              .isa = lab->isa->name,
                              .boot = host_boot_id(lab->arena),
                              .chains = &lab->clock,
                              .reference_cycles = reference_cycles > 0 ? reference_cycles : 1};
}

// Recalls the levels of earlier sessions; not for simulated CPUs, of which each is another.
static void recall_levels(struct lab *lab, struct bench_options *options) {
    struct fail unusable = {0};
    lab->levels_path = lab->is_simulated ? NULL : level_file_path(lab->arena);
    if (!lab->levels_path)
        return;
    struct level_key key = level_key(lab, options->reference_cycles);
    if (!level_file_recall(lab->arena, lab->levels_path, &key, options, &unusable))
        lab_say(lab->listener, LAB_WARNING, "%s", unusable.text);
}

static void keep_levels(struct lab *lab) {
    struct fail unwritable = {0};
    if (!lab->levels_path || !lab->bench.target)
        return;
    struct level_key key = level_key(lab, lab->bench.reference.body_cycles);
    if (!level_file_keep(lab->arena, lab->levels_path, &key, &lab->bench, time(NULL), &unwritable))
        lab_say(lab->listener, LAB_WARNING, "cannot keep the levels of this CPU's checks: %s", unwritable.text);
}

// Takes the checks that this CPU can run.
static void put_checks(const struct lab *lab, struct bench_chains *clock) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct program *program = lab->chains[CHAIN_CHECKS + i];
        struct fail unable = {0};
        if (program && lab_can_run(lab, program, &unable))
            clock->checks[i] = program_code(program, lab->is_simulated);
    }
}

static void say_waiting(void *context, size_t n_left, double seconds) {
    const struct lab *lab = context;
    lab_say_waiting(lab->listener, n_left, seconds);
}

static bool wait_for_others(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    const struct bench_listener while_waiting = {.context = lab, .waiting = say_waiting};
    double steady_seconds = budget_allows(options->wait_steady_seconds);
    bool is_done = (steady_seconds <= 0 || bench_wait_steady(&lab->bench, steady_seconds, &while_waiting, fail)) &&
                   (options->wait_quiet_seconds <= 0 ||
                    bench_wait_quiet(&lab->bench, budget_allows(options->wait_quiet_seconds), &while_waiting, fail));
    if (options->wait_steady_seconds > 0 || options->wait_quiet_seconds > 0)
        lab_say_measuring(lab->listener, 1, 0); // clears the line: what is printed next must not follow it
    return is_done;
}

bool lab_start(struct lab *lab, const struct lab_options *options, struct fail *fail) {
    struct bench_options bench = options->bench;
    bench.needs_counters = options->events.n_items > 0;
    bench.corunner_cpu = lab->corun_cpu;
    state_frequency(lab, &bench);
    if (lab->is_simulated && bench.clock != CLOCK_TIME && bench.reference_cycles <= 0 &&
        !predict_reference(lab, &bench.reference_cycles, fail))
        return false;
    if (!lab->is_simulated && !options->keeps_frequency)
        steady_frequency(lab);
    if (!open_target(lab, bench.clock, &options->events, fail))
        return false;
    budget_watch(lab->target);
    lab->clock.reference = program_code(lab->chains[CHAIN_REFERENCE], lab->is_simulated);
    put_checks(lab, &lab->clock);
    recall_levels(lab, &bench);
    if (!bench_open(&lab->bench, lab->arena, lab->target, &bench, &lab->clock, fail))
        return false;
    lab->are_levels_known = lab->bench.checks[CHECK_ISSUE].level.remembered > 0;
    return wait_for_others(lab, options, fail);
}

static const char *turbo_summary(const struct host *host) {
    if (host->turbo == TURBO_OFF)
        return "off";
    return host->turbo_file ? "on, and may not be switched off here" : "not controllable here";
}

const char *lab_summary(const struct lab *lab) {
    if (lab->is_simulated)
        return arena_printf(lab->arena, "simulated %s → %s", lab->models.native.title,
                            bench_clock_summary(&lab->bench));
    const char *cpu = lab->backend ? lab->backend->host_cpu() : NULL;
    return arena_printf(lab->arena, "%s → %s; turbo: %s%s", host_summary(lab->arena, &lab->host, cpu),
                        bench_clock_summary(&lab->bench), turbo_summary(&lab->host),
                        lab->are_levels_known ? "; clean levels: from the cache" : "");
}

void lab_close(struct lab *lab) {
    if (lab->target)
        budget_watch(NULL);
    keep_levels(lab);
    model_set_close(&lab->models);
    code_uses_close(&lab->uses);
    decoder_close(&lab->decoder);
    host_control_end(&lab->control);
}
