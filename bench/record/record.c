// Writing measurement files; record_read.c, beside it, reads them. Fields: DESIGN.md section 4. Those that say nothing
// (no event, nothing dropped, outcome ok) are left out.
#include "bench/record/record.h"

#include "base/json.h"
#include "bench/sandbox/syscall_filter.h"
#include "bench/target.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { CYCLES_DECIMALS = 5, COUNT_DECIMALS = 4 };

static void add_text(json_t *json, const char *key, const char *value) {
    if (value)
        json_object_set_new(json, key, json_string(value));
}

static const char *turbo_name(enum host_turbo turbo) {
    static const char *const names[] = {[TURBO_UNKNOWN] = "unknown", [TURBO_ON] = "on", [TURBO_OFF] = "off"};
    return names[turbo];
}

static json_t *list_to_json(const char *const *strings) {
    json_t *list = json_array();
    for (; *strings; strings++)
        json_array_append_new(list, json_string(*strings));
    return list;
}

// "s?" writes null for a null pointer, which readers take as "not known".
json_t *host_to_json(const struct host *host) {
    json_t *json = json_pack("{ss si ss? ss? si si si ss? ss? ss?}", "record", "host", "version", RECORD_VERSION, "cpu",
                             host->cpu_name, "vendor", host->vendor, "family", (int)host->family, "model",
                             (int)host->model, "stepping", (int)host->stepping, "microcode", host->microcode, "kernel",
                             host->kernel, "hypervisor", host->hypervisor);
    json_t *rest = json_pack("{si si sb si ss? ss ss? sb ss? si ss? so}", "cpus", (int)host->n_cpus, "cores",
                             (int)host->n_cores, "smt", host->smt, "pinned_to", host->cpu, "core_type", host->core_type,
                             "turbo", turbo_name(host->turbo), "governor", host->governor, "pmu", host->has_pmu,
                             "pmu_note", host->pmu_note, "perf_event_paranoid", host->perf_paranoid, "cyclops",
                             CYCLOPS_VERSION, "flags", list_to_json(host->flags));
    json_object_update(json, rest);
    json_decref(rest);
    if (host->ghz_stated > 0)
        json_object_set_new(json, "ghz_stated", json_real(host->ghz_stated));
    return json;
}

static json_t *clock_to_json(const struct bench *bench) {
    json_t *json =
        json_pack("{ss ss ss so sb}", "tier", bench_clock_name(bench->clock), "target", bench->target->description,
                  "timer", bench->target->timer, "error", json_rounded(bench->clock_error, 6), "stable", bench->stable);
    add_text(json, "note", bench->clock_note);
    json_object_set_new(json, "ticks_per_cycle", json_rounded(bench->ticks_per_cycle, 6));
    json_object_set_new(json, "ticks_per_second", json_rounded(bench->target->ticks_per_second, 0));
    json_object_set_new(json, "reference_cycles", json_rounded(bench->reference.body_cycles, CYCLES_DECIMALS));
    add_text(json, "model", bench->target->model);
    add_text(json, "scheduling", bench->target->scheduling);
    json_object_set_new(json, "cross_check_cycles", json_rounded(bench->cross_check_cycles, CYCLES_DECIMALS));
    if (bench->clock == CLOCK_TIME) {
        json_object_set_new(json, "frequency_hz", json_rounded(bench->frequency_hz, 0));
        add_text(json, "frequency_source", bench->options.frequency_source);
    }
    return json;
}

// What a killed run left of its last line must not swallow our first.
static void end_last_line(FILE *out) {
    if (fseek(out, -1, SEEK_END) == 0 && fgetc(out) != '\n')
        fputc('\n', out);
    fseek(out, 0, SEEK_END);
}

// Not of devices: who writes to /dev/null minds nobody.
static bool is_ours_alone(FILE *out) {
    struct stat status;
    if (fstat(fileno(out), &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    return flock(fileno(out), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; // file systems without locks
}

// What was asked of each value: some do not get there within their time.
static json_t *effort_to_json(const struct bench_options *options) {
    return json_pack("{so so}", "precision", json_rounded(options->precision, 6), "budget_ms",
                     json_rounded(options->budget_ms, 3));
}

static json_t *header_to_json(const struct host *host, const struct bench *bench) {
    json_t *header = host ? host_to_json(host) : json_pack("{ss si}", "record", "host", "version", RECORD_VERSION);
    if (host)
        json_object_set_new(header, "syscall_filter", json_boolean(syscall_filter_exists()));
    json_object_set_new(header, "clock", clock_to_json(bench));
    json_object_set_new(header, "effort", effort_to_json(&bench->options));
    return header;
}

static bool are_equal(const json_t *a, const json_t *b, const char *const *keys) {
    for (; *keys; keys++) {
        const json_t *x = json_object_get(a, *keys), *y = json_object_get(b, *keys);
        bool is_x_known = x && !json_is_null(x), is_y_known = y && !json_is_null(y);
        if (is_x_known != is_y_known || (is_x_known && !json_equal(x, y)))
            return false;
    }
    return true;
}

static const char *const host_keys[] = {"cpu",       "vendor",     "family",    "model", "stepping",
                                        "microcode", "hypervisor", "core_type", NULL};

enum record_origin record_origin(const json_t *header, const struct host *host, const struct bench *bench) {
    static const char *const clock_keys[] = {"tier", "target", "model", "reference_cycles", "frequency_hz", NULL};
    static const char *const cpu_keys[] = {"pinned_to", NULL};
    json_t *ours = header_to_json(host, bench);
    bool is_alike = are_equal(header, ours, host_keys) &&
                    are_equal(json_object_get(header, "clock"), json_object_get(ours, "clock"), clock_keys);
    enum record_origin origin = !is_alike                           ? RECORD_ELSEWHERE
                                : are_equal(header, ours, cpu_keys) ? RECORD_HERE
                                                                    : RECORD_OTHER_CPU;
    json_decref(ours);
    return origin;
}

int record_cpu(const json_t *header, const struct host *host) {
    const json_t *cpu = json_object_get(header, "pinned_to");
    json_t *ours = host_to_json(host);
    bool is_known = are_equal(header, ours, host_keys) && json_is_integer(cpu) && json_integer_value(cpu) >= 0 &&
                    json_integer_value(cpu) <= INT32_MAX;
    json_decref(ours);
    return is_known ? (int)json_integer_value(cpu) : -1;
}

bool record_tried_as_hard(const json_t *header, const struct bench_options *options) {
    const json_t *effort = json_object_get(header, "effort");
    double precision = json_number_value(json_object_get(effort, "precision"));
    double rounding = 1e-6;
    return precision > 0 && precision <= options->precision + rounding &&
           json_number_value(json_object_get(effort, "budget_ms")) >= options->budget_ms - rounding;
}

FILE *record_open(const char *path, const struct host *host, const struct bench *bench, struct fail *fail) {
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "a+e");
    if (!out) {
        fail_set(fail, FAIL_WORK, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (out != stdout && !is_ours_alone(out)) {
        fail_set(fail, FAIL_WORK, "another run is writing to '%s': wait for it, or take another file", path);
        fclose(out);
        return NULL;
    }
    if (out != stdout)
        end_last_line(out);
    if (json_write_line(out, header_to_json(host, bench), fail))
        return out;
    if (out != stdout)
        fclose(out);
    return NULL;
}

// Where no sample was kept, there is a verdict and no value.
static void add_value(json_t *json, const struct bench_measurement *measurement) {
    if (measurement->samples) {
        json_object_set_new(json, "cycles", json_rounded(measurement->cycles, CYCLES_DECIMALS));
        json_object_set_new(json, "low", json_rounded(measurement->low, CYCLES_DECIMALS));
        json_object_set_new(json, "high", json_rounded(measurement->high, CYCLES_DECIMALS));
        json_object_set_new(json, "confidence", json_rounded(measurement->confidence, 4));
    }
    add_text(json, "verdict", bench_verdict_name(measurement->verdict));
    if (measurement->verdict == MEASURED_EXACT)
        json_object_set_new(json, "exact",
                            json_pack("[ii]", (int)measurement->numerator, (int)measurement->denominator));
}

// What a fresh process changes, and the two groups where the samples fall into two.
static void add_spread(json_t *json, const struct bench_measurement *measurement) {
    const struct bench_mode *modes = measurement->modes;
    if (measurement->processes)
        json_object_set_new(json, "processes",
                            json_pack("{si so so}", "n", (int)measurement->processes, "low",
                                      json_rounded(measurement->process_low, CYCLES_DECIMALS), "high",
                                      json_rounded(measurement->process_high, CYCLES_DECIMALS)));
    json_t *list = json_array();
    for (int i = 0; i < 2 && modes[0].share > 0; i++)
        json_array_append_new(list, json_pack("{so so}", "cycles", json_rounded(modes[i].cycles, CYCLES_DECIMALS),
                                              "share", json_rounded(modes[i].share, 4)));
    if (json_array_size(list))
        json_object_set(json, "modes", list);
    json_decref(list);
}

static void add_replicates(json_t *json, const struct bench_measurement *measurement) {
    json_t *list = json_array();
    for (unsigned i = 0; i < measurement->n_replicates; i++) {
        const struct bench_replicate *replicate = &measurement->replicates[i];
        json_array_append_new(list, json_pack("{ss so so so ss}", "change", replicate->change, "cycles",
                                              json_rounded(replicate->cycles, CYCLES_DECIMALS), "low",
                                              json_rounded(replicate->low, CYCLES_DECIMALS), "high",
                                              json_rounded(replicate->high, CYCLES_DECIMALS), "verdict",
                                              bench_verdict_name(replicate->verdict)));
    }
    if (json_array_size(list))
        json_object_set(json, "replicates", list);
    json_decref(list);
}

// The counts stand alone, as programs that know nothing of their intervals read them.
static void add_events(json_t *json, const struct bench_measurement *measurement) {
    json_t *counts = json_object(), *intervals = json_object(), *reasons = json_object();
    for (unsigned i = 0; i < measurement->n_events; i++) {
        const struct bench_event *event = &measurement->events[i];
        if (event->samples || !event->why)
            json_object_set_new(counts, event->name, json_rounded(event->count, COUNT_DECIMALS));
        if (event->samples)
            json_object_set_new(intervals, event->name,
                                json_pack("{so so so si}", "low", json_rounded(event->low, COUNT_DECIMALS), "high",
                                          json_rounded(event->high, COUNT_DECIMALS), "confidence",
                                          json_rounded(event->confidence, 4), "samples", (int)event->samples));
        add_text(reasons, event->name, event->why);
    }
    json_object_set_new(json, "events", counts);
    if (json_object_size(intervals))
        json_object_set(json, "event_intervals", intervals);
    if (json_object_size(reasons))
        json_object_set(json, "events_why", reasons);
    json_decref(intervals);
    json_decref(reasons);
}

static void add_origin(json_t *json, const struct bench_measurement *measurement) {
    add_text(json, "why", measurement->why);
    add_text(json, "warning", measurement->warning);
    add_text(json, "clock", bench_clock_name(measurement->clock));
    json_object_set_new(json, "clock_error", json_rounded(measurement->clock_error, 6));
    json_object_set_new(json, "samples", json_integer(measurement->samples));
    json_t *dropped = json_object();
    for (enum bench_drop i = DROP_SWITCH; i < DROP_N_REASONS; i++)
        if (measurement->dropped[i])
            json_object_set_new(dropped, bench_drop_name(i), json_integer(measurement->dropped[i]));
    json_object_set_new(json, "dropped", dropped);
    add_events(json, measurement);
    json_object_set_new(json, "ms", json_rounded(measurement->milliseconds, 3));
}

static json_t *beside_to_json(const struct record *record) {
    const struct bench_measurement *measurement = &record->measurement;
    json_t *json = json_object();
    add_text(json, "kernel", record->beside);
    json_object_set_new(json, "cycles", json_rounded(measurement->beside, CYCLES_DECIMALS));
    json_object_set_new(json, "low", json_rounded(measurement->beside_low, CYCLES_DECIMALS));
    json_object_set_new(json, "high", json_rounded(measurement->beside_high, CYCLES_DECIMALS));
    add_text(json, "bytes", record->beside_bytes);
    return json;
}

json_t *record_fault_to_json(const struct record_fault *fault) {
    json_t *json = json_object();
    if (fault->instruction)
        json_object_set_new(json, "instruction", json_integer(fault->instruction));
    if (fault->copy)
        json_object_set_new(json, "copy", json_integer(fault->copy));
    add_text(json, "text", fault->text);
    if (fault->access && *fault->access)
        add_text(json, "access", fault->access);
    add_text(json, "address", fault->address);
    add_text(json, "explanation", fault->explanation);
    return json;
}

static json_t *block_to_json(const struct record *record) {
    const struct record_block *block = record->block;
    const struct bench_seen *seen = &record->measurement.seen;
    json_t *json = json_object();
    add_text(json, "alias", block->alias);
    json_object_set_new(json, "pages", json_integer(block->pages));
    json_object_set_new(json, "walks", json_boolean(block->walks));
    json_object_set_new(json, "drift", json_integer(block->drift));
    if (seen->most_iterations)
        json_object_set_new(json, "most_iterations", json_integer((json_int_t)seen->most_iterations));
    if (block->has_fault)
        json_object_set_new(json, "fault", record_fault_to_json(&block->fault));
    return json;
}

static bool has_cycles(const struct record *record) {
    return record->measurement.outcome == BENCH_OK && record->measurement.samples && record->measurement.cycles > 0;
}

// One of the streams of a kernel; an instruction of what an iteration executes.
static void add_shares(json_t *json, const struct record *record) {
    double cycles = record->measurement.cycles;
    bool is_kernel = record->mode && strcmp(record->mode, "block") != 0;
    if (!has_cycles(record))
        return;
    if (is_kernel && record->streams)
        json_object_set_new(json, "cycles_per_copy", json_rounded(cycles / record->streams, CYCLES_DECIMALS));
    if (record->executed > 0)
        json_object_set_new(json, "cycles_per_instruction", json_rounded(cycles / record->executed, CYCLES_DECIMALS));
}

static json_t *predictions_to_json(const struct record *record) {
    json_t *list = json_array();
    for (unsigned i = 0; i < record->n_predictions; i++) {
        const struct record_prediction *prediction = &record->predictions[i];
        json_t *json = json_object();
        add_text(json, "model", prediction->model);
        json_object_set_new(json, "cycles", json_rounded(prediction->cycles, CYCLES_DECIMALS));
        add_text(json, "bottleneck", prediction->bottleneck);
        if (has_cycles(record))
            json_object_set_new(json, "difference",
                                json_rounded(prediction->cycles / record->measurement.cycles - 1, 5));
        add_text(json, "verdict", prediction->verdict);
        if (prediction->blame && *prediction->blame)
            add_text(json, "blame", prediction->blame);
        json_array_append_new(list, json);
    }
    return list;
}

bool record_write(FILE *out, const struct record *record, struct fail *fail) {
    json_t *json = json_pack("{ss}", "record", "measurement");
    add_text(json, "kernel", record->kernel);
    add_text(json, "isa", record->isa);
    add_text(json, "mode", record->mode);
    add_text(json, "form", record->form);
    add_text(json, "arc", record->arc);
    add_text(json, "placement", record->placement);
    add_text(json, "instruction", record->instruction);
    json_object_set_new(json, "n", json_integer(record->streams));
    json_object_set_new(json, "instructions", json_integer(record->instructions));
    if (record->loop_instructions) {
        json_object_set_new(json, "loop_instructions", json_integer(record->loop_instructions));
        json_object_set_new(json, "loop_branches", json_integer(record->loop_branches));
    }
    if (record->measurement.outcome == BENCH_OK)
        add_value(json, &record->measurement);
    else
        add_text(json, "outcome", bench_outcome_name(record->measurement.outcome));
    add_shares(json, record);
    add_text(json, "doubt", record->doubt);
    add_spread(json, &record->measurement);
    add_replicates(json, &record->measurement);
    add_origin(json, &record->measurement);
    add_text(json, "bytes", record->bytes);
    add_text(json, "setup", record->setup);
    if (record->block)
        json_object_set_new(json, "block", block_to_json(record));
    if (record->beside)
        json_object_set_new(json, "beside", beside_to_json(record));
    if (record->n_predictions)
        json_object_set_new(json, "predicted", predictions_to_json(record));
    return json_write_line(out, json, fail);
}
