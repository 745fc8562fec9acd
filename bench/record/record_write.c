// Writes measurement files, which record_read.c reads. docs/reference/formats.md lists the fields. Leaves out a field
// without information (no event, nothing dropped, outcome ok). Runners write with this, too.
#include "bench/record/record.h"

#include "base/date.h"
#include "base/json_text.h"
#include "bench/sandbox/syscall_filter.h"
#include "bench/target.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { CYCLES_DECIMALS = 5, COUNT_DECIMALS = 4 };

static const char *turbo_name(enum host_turbo turbo) {
    static const char *const names[] = {[TURBO_UNKNOWN] = "unknown", [TURBO_ON] = "on", [TURBO_OFF] = "off"};
    return names[turbo];
}

static void put_caches(struct json_text *json, const struct host *host) {
    if (!host->n_caches)
        return;
    json_open_list(json, "caches");
    for (const struct host_cache *cache = host->caches; cache < host->caches + host->n_caches; cache++) {
        json_open(json, NULL);
        json_put_integer(json, "level", cache->level);
        json_put_text(json, "type", cache->type);
        if (cache->kib)
            json_put_integer(json, "kib", (int64_t)cache->kib);
        if (cache->line_bytes)
            json_put_integer(json, "line_bytes", cache->line_bytes);
        if (cache->ways)
            json_put_integer(json, "ways", cache->ways);
        json_put_text(json, "cpus", cache->cpus);
        json_close(json);
    }
    json_close_list(json);
}

static void put_mitigations(struct json_text *json, const struct host *host) {
    if (!host->n_mitigations)
        return;
    json_open(json, "mitigations");
    for (size_t i = 0; i < host->n_mitigations; i++)
        json_put_text(json, host->mitigations[i].name, host->mitigations[i].state);
    json_close(json);
}

// What earlier versions do not write: it is left out where it is unknown, as it is there. The registers are texts, as a
// number of JSON need not hold 64 bits.
static void put_identity(struct json_text *json, const struct host *host) {
    json_put_text(json, "midr", host->midr);
    json_put_text(json, "mvendorid", host->mvendorid);
    json_put_text(json, "marchid", host->marchid);
    json_put_text(json, "mimpid", host->mimpid);
    if (host->vector_bits)
        json_put_integer(json, "vector_bits", host->vector_bits);
    if (host->page_bytes)
        json_put_integer(json, "page_bytes", host->page_bytes);
    put_caches(json, host);
    put_mitigations(json, host);
}

// Writes null for what is unknown.
static void put_host(struct json_text *json, const struct host *host) {
    json_put_text_or_null(json, "cpu", host->cpu_name);
    json_put_text_or_null(json, "vendor", host->vendor);
    json_put_integer(json, "family", host->family);
    json_put_integer(json, "model", host->model);
    json_put_integer(json, "stepping", host->stepping);
    json_put_text_or_null(json, "microcode", host->microcode);
    json_put_text_or_null(json, "kernel", host->kernel);
    json_put_text_or_null(json, "hypervisor", host->hypervisor);
    json_put_integer(json, "cpus", host->n_cpus);
    json_put_integer(json, "cores", host->n_cores);
    json_put_bool(json, "smt", host->smt);
    json_put_integer(json, "pinned_to", host->cpu);
    json_put_text_or_null(json, "core_type", host->core_type);
    json_put_text(json, "turbo", turbo_name(host->turbo));
    json_put_text_or_null(json, "governor", host->governor);
    json_put_bool(json, "pmu", host->has_pmu);
    json_put_text_or_null(json, "pmu_note", host->pmu_note);
    json_put_integer(json, "perf_event_paranoid", host->perf_paranoid);
    json_put_text(json, "cyclops", CYCLOPS_VERSION);
    json_open_list(json, "flags");
    for (const char *const *flag = host->flags; flag && *flag; flag++)
        json_put_text(json, NULL, *flag);
    json_close_list(json);
    if (host->ghz_stated > 0)
        json_put_real(json, "ghz_stated", host->ghz_stated, 9);
    put_identity(json, host);
}

static void put_clock(struct json_text *json, const struct bench *bench) {
    json_open(json, "clock");
    json_put_text(json, "tier", bench_clock_name(bench->clock));
    json_put_text(json, "target", bench->target->description);
    json_put_text(json, "timer", bench->target->timer);
    json_put_real(json, "error", bench->clock_error, 6);
    json_put_bool(json, "stable", bench->stable);
    json_put_text(json, "note", bench->clock_note);
    json_put_real(json, "ticks_per_cycle", bench->ticks_per_cycle, 6);
    json_put_real(json, "ticks_per_second", bench->target->ticks_per_second, 0);
    json_put_real(json, "reference_cycles", bench->reference.body_cycles, CYCLES_DECIMALS);
    json_put_text(json, "model", bench->target->model);
    json_put_text(json, "scheduling", bench->target->scheduling);
    json_put_real(json, "cross_check_cycles", bench->cross_check_cycles, CYCLES_DECIMALS);
    if (bench->frequency_hz > 0) { // the time clock
        json_put_real(json, "frequency_hz", bench->frequency_hz, 0);
        json_put_text(json, "frequency_source", bench->options.frequency_source);
    }
    json_close(json);
}

// Writes what takes the core away, and how rounds fit in between; leaves it out where it is not known.
static void put_gaps(struct json_text *json, const struct bench *bench) {
    const struct bench_gaps *gaps = &bench->gaps;
    if (gaps->seconds <= 0)
        return;
    json_open(json, "gaps");
    json_put_real(json, "seconds", gaps->seconds, 6);
    json_put_real(json, "resolution_ns", gaps->resolution_ns, 1);
    json_put_real(json, "per_second", bench_gaps_per_second(gaps), 1);
    json_put_real(json, "share", gaps->share, 6);
    if (gaps->n_spoiling) {
        json_put_real(json, "shortest_us", gaps->shortest_us, 3);
        json_put_real(json, "median_window_us", gaps->median_window_us, 3);
        json_put_real(json, "short_window_us", gaps->short_window_us, 3);
    }
    json_open_list(json, "classes");
    for (unsigned i = 0; i < BENCH_GAP_CLASSES; i++) {
        if (!gaps->count[i])
            continue;
        json_open(json, NULL);
        json_put_real(json, "from_us", bench_gaps_class_us(i), 1);
        json_put_integer(json, "count", gaps->count[i]);
        json_put_real(json, "total_us", gaps->total_us[i], 1);
        json_close(json);
    }
    json_close_list(json);
    json_put_integer(json, "bursts", bench->n_bursts);
    json_put_integer(json, "divisor", bench->divisor);
    json_close(json);
}

void record_put_header(struct json_text *json, const char *key, const struct host *host, const struct bench *bench) {
    json_open(json, key);
    json_put_text(json, "record", "host");
    json_put_integer(json, "version", RECORD_VERSION);
    if (bench) { // a simulated CPU's time is no date
        time_t time = bench->target->model ? date_of_output() : date_now();
        json_put_text(json, "time", date_text(json->text.arena, time));
    }
    if (host)
        put_host(json, host);
    if (bench) {
        if (host)
            json_put_bool(json, "syscall_filter", syscall_filter_exists());
        put_clock(json, bench);
        put_gaps(json, bench);
        // The request for each value. Some values do not reach their precision in time.
        json_open(json, "effort");
        json_put_real(json, "precision", bench->options.precision, 6);
        json_put_real(json, "budget_ms", bench->options.budget_ms, 3);
        json_close(json);
    }
    json_close(json);
}

// Adds a newline where a killed run left a part of a line: otherwise our first line would become part of it.
static void end_last_line(FILE *out) {
    if (fseek(out, -1, SEEK_END) == 0 && fgetc(out) != '\n')
        fputc('\n', out);
    fseek(out, 0, SEEK_END);
}

// Locks the file. Returns false where another run has locked it. Does not lock devices such as /dev/null.
static bool is_ours_alone(FILE *out) {
    struct stat status;
    if (fstat(fileno(out), &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    return flock(fileno(out), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; // true on file systems without locks
}

static bool write_header(FILE *out, const struct host *host, const struct bench *bench, struct fail *fail) {
    struct arena arena = {0};
    struct json_text json = {.text.arena = &arena};
    record_put_header(&json, NULL, host, bench);
    bool is_written = json_print_line(out, &json, fail);
    arena_free(&arena);
    return is_written;
}

FILE *record_open(const char *path, const struct host *host, const struct bench *bench, struct fail *fail) {
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "a+e");
    if (!out) {
        fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (out != stdout && !is_ours_alone(out)) {
        fail_set(fail, FAIL_WORK, "another run is writing to '%s': wait for it, or take another file", path);
        fclose(out);
        return NULL;
    }
    if (out != stdout)
        end_last_line(out);
    if (write_header(out, host, bench, fail))
        return out;
    if (out != stdout)
        fclose(out);
    return NULL;
}

// Writes the value and its verdict; without samples, the verdict only.
static void put_value(struct json_text *json, const struct bench_measurement *m) {
    if (m->samples) {
        json_put_real(json, "cycles", m->cycles, CYCLES_DECIMALS);
        json_put_real(json, "low", m->low, CYCLES_DECIMALS);
        json_put_real(json, "high", m->high, CYCLES_DECIMALS);
        json_put_real(json, "confidence", m->confidence, 4);
    }
    json_put_text(json, "verdict", bench_verdict_name(m->verdict));
    if (m->verdict != MEASURED_EXACT)
        return;
    json_open_list(json, "exact");
    json_put_integer(json, NULL, m->numerator);
    json_put_integer(json, NULL, m->denominator);
    json_close_list(json);
}

static void put_interval(struct json_text *json, double cycles, double low, double high) {
    json_put_real(json, "cycles", cycles, CYCLES_DECIMALS);
    json_put_real(json, "low", low, CYCLES_DECIMALS);
    json_put_real(json, "high", high, CYCLES_DECIMALS);
}

// Writes the spread between processes; and, where the samples form two groups, those.
static void put_spread(struct json_text *json, const struct bench_measurement *m) {
    if (m->processes) {
        json_open(json, "processes");
        json_put_integer(json, "n", m->processes);
        json_put_real(json, "low", m->process_low, CYCLES_DECIMALS);
        json_put_real(json, "high", m->process_high, CYCLES_DECIMALS);
        json_close(json);
    }
    if (m->modes[0].share <= 0)
        return;
    json_open_list(json, "modes");
    for (int i = 0; i < 2; i++) {
        json_open(json, NULL);
        json_put_real(json, "cycles", m->modes[i].cycles, CYCLES_DECIMALS);
        json_put_real(json, "share", m->modes[i].share, 4);
        json_close(json);
    }
    json_close_list(json);
}

static void put_replicates(struct json_text *json, const struct bench_measurement *m) {
    if (!m->n_replicates)
        return;
    json_open_list(json, "replicates");
    for (const struct bench_replicate *r = m->replicates; r < m->replicates + m->n_replicates; r++) {
        json_open(json, NULL);
        json_put_text(json, "change", r->change);
        put_interval(json, r->cycles, r->low, r->high);
        json_put_text(json, "verdict", bench_verdict_name(r->verdict));
        json_close(json);
    }
    json_close_list(json);
}

static void put_event_interval(struct json_text *json, const struct bench_event *event) {
    json_open(json, event->name);
    json_put_real(json, "low", event->low, COUNT_DECIMALS);
    json_put_real(json, "high", event->high, COUNT_DECIMALS);
    json_put_real(json, "confidence", event->confidence, 4);
    json_put_integer(json, "samples", event->samples);
    json_close(json);
}

// Writes the counts without their intervals: programs that do not know the intervals can read them.
static void put_events(struct json_text *json, const struct bench_measurement *m) {
    const struct bench_event *end = m->events + m->n_events;
    bool has_interval = false, has_reason = false;
    json_open(json, "events");
    for (const struct bench_event *event = m->events; event < end; event++) {
        if (event->samples || !event->why)
            json_put_real(json, event->name, event->count, COUNT_DECIMALS);
        has_interval |= event->samples > 0;
        has_reason |= event->why != NULL;
    }
    json_close(json);
    if (has_interval)
        json_open(json, "event_intervals");
    for (const struct bench_event *event = m->events; event < end; event++)
        if (event->samples)
            put_event_interval(json, event);
    if (has_interval)
        json_close(json);
    if (has_reason)
        json_open(json, "events_why");
    for (const struct bench_event *event = m->events; event < end; event++)
        json_put_text(json, event->name, event->why);
    if (has_reason)
        json_close(json);
}

static void put_origin(struct json_text *json, const struct bench_measurement *m) {
    json_put_text(json, "why", m->why);
    if (m->is_about)
        json_put_bool(json, "about", true);
    if (m->look != LOOK_NONE)
        json_put_text(json, "look", bench_look_name(m->look));
    json_put_text(json, "warning", m->warning);
    json_put_text(json, "clock", bench_clock_name(m->clock));
    json_put_real(json, "clock_error", m->clock_error, 6);
    json_put_integer(json, "samples", m->samples);
    json_open(json, "dropped");
    for (enum bench_drop i = DROP_SWITCH; i < DROP_N_REASONS; i++)
        if (m->dropped[i])
            json_put_integer(json, bench_drop_name(i), m->dropped[i]);
    json_close(json);
    put_events(json, m);
    json_put_real(json, "ms", m->milliseconds, 3);
}

static void put_corunner(struct json_text *json, const struct record *record) {
    const struct bench_measurement *m = &record->measurement;
    json_open(json, "beside");
    json_put_text(json, "kernel", record->corunner);
    put_interval(json, m->corunner, m->corunner_low, m->corunner_high);
    json_put_text(json, "bytes", record->corunner_bytes);
    json_close(json);
}

void record_put_fault(struct json_text *json, const char *key, const struct record_fault *fault) {
    json_open(json, key);
    if (fault->instruction)
        json_put_integer(json, "instruction", fault->instruction);
    if (fault->copy)
        json_put_integer(json, "copy", fault->copy);
    json_put_text(json, "text", fault->text);
    json_put_text(json, "access", fault->access && *fault->access ? fault->access : NULL);
    json_put_text(json, "address", fault->address);
    json_put_text(json, "explanation", fault->explanation);
    json_close(json);
}

static void put_path(struct json_text *json, const struct record_block *block) {
    json_open(json, "path");
    json_put_integer(json, "ran", block->ran);
    json_put_integer(json, "instructions", block->ran_of);
    if (block->has_idle_loop)
        json_put_integer(json, "idle_loop", (int64_t)block->idle_loop);
    json_close(json);
}

static void put_block(struct json_text *json, const struct record *record) {
    const struct record_block *block = record->block;
    json_open(json, "block");
    json_put_text(json, "alias", block->alias);
    json_put_text(json, "memory", block->memory);
    json_put_text(json, "set", block->set);
    json_put_text(json, "init", block->init);
    json_put_text(json, "made_up", block->made_up);
    json_put_integer(json, "pages", block->pages);
    json_put_bool(json, "walks", block->walks);
    json_put_integer(json, "drift", block->drift);
    if (block->copies)
        json_put_integer(json, "copies", block->copies);
    if (block->has_own_branch)
        json_put_bool(json, "own_branch", true);
    if (block->turns)
        json_put_integer(json, "turns", (int64_t)block->turns);
    if (block->ran_of)
        put_path(json, block);
    json_put_text(json, "notes", block->notes);
    if (record->measurement.seen.most_iterations)
        json_put_integer(json, "most_iterations", (int64_t)record->measurement.seen.most_iterations);
    if (block->has_fault)
        record_put_fault(json, "fault", &block->fault);
    json_close(json);
}

static bool has_cycles(const struct record *record) {
    return record->measurement.outcome == BENCH_OK && record->measurement.samples && record->measurement.cycles > 0;
}

// Writes the cycles per stream of a kernel, and per executed instruction.
static void put_shares(struct json_text *json, const struct record *record) {
    double cycles = record->measurement.cycles;
    bool is_kernel = record->mode && strcmp(record->mode, "block") != 0;
    if (!has_cycles(record))
        return;
    if (is_kernel && record->streams)
        json_put_real(json, "cycles_per_copy", cycles / record->streams, CYCLES_DECIMALS);
    if (record->executed > 0)
        json_put_real(json, "cycles_per_instruction", cycles / record->executed, CYCLES_DECIMALS);
}

static void put_basis(struct json_text *json, const struct record_prediction *p) {
    if (!p->is_own)
        return;
    json_put_text(json, "addresses", p->addresses);
    json_put_integer(json, "instructions", p->n_insns);
    json_put_integer(json, "by_llvm", p->n_by_llvm);
    if (!p->n_notes)
        return;
    json_open_list(json, "notes");
    for (size_t i = 0; i < p->n_notes; i++)
        json_put_text(json, NULL, p->notes[i]);
    json_close_list(json);
}

static void put_predictions(struct json_text *json, const struct record *record) {
    json_open_list(json, "predicted");
    for (const struct record_prediction *p = record->predictions; p < record->predictions + record->n_predictions;
         p++) {
        json_open(json, NULL);
        json_put_text(json, "model", p->model);
        json_put_real(json, "cycles", p->cycles, CYCLES_DECIMALS);
        json_put_text(json, "of", p->of);
        json_put_text(json, "bottleneck", p->bottleneck);
        if (has_cycles(record))
            json_put_real(json, "difference", p->cycles / record->measurement.cycles - 1, 5);
        json_put_text(json, "verdict", p->verdict);
        json_put_text(json, "blame", p->blame && *p->blame ? p->blame : NULL);
        put_basis(json, p);
        json_close(json);
    }
    json_close_list(json);
}

static void put_record(struct json_text *json, const struct record *record) {
    json_open(json, NULL);
    json_put_text(json, "record", "measurement");
    json_put_text(json, "kernel", record->kernel);
    json_put_text(json, "isa", record->isa);
    json_put_text(json, "mode", record->mode);
    json_put_text(json, "form", record->form);
    json_put_text(json, "arc", record->arc);
    json_put_text(json, "placement", record->placement);
    json_put_text(json, "instruction", record->instruction);
    json_put_integer(json, "n", record->streams);
    json_put_integer(json, "instructions", record->instructions);
    if (record->loop_instructions) {
        json_put_integer(json, "loop_instructions", record->loop_instructions);
        json_put_integer(json, "loop_branches", record->loop_branches);
    }
    if (record->measurement.outcome == BENCH_OK)
        put_value(json, &record->measurement);
    else
        json_put_text(json, "outcome", bench_outcome_name(record->measurement.outcome));
    put_shares(json, record);
    json_put_text(json, "doubt", record->doubt);
    put_spread(json, &record->measurement);
    put_replicates(json, &record->measurement);
    put_origin(json, &record->measurement);
    json_put_text(json, "bytes", record->bytes);
    json_put_text(json, "setup", record->setup);
    json_put_text(json, "setup_bytes", record->setup_bytes);
    if (record->block)
        put_block(json, record);
    if (record->corunner)
        put_corunner(json, record);
    if (record->n_predictions)
        put_predictions(json, record);
    json_close(json);
}

bool record_write(FILE *out, const struct record *record, struct fail *fail) {
    struct arena arena = {0};
    struct json_text json = {.text.arena = &arena};
    put_record(&json, record);
    bool is_written = json_print_line(out, &json, fail);
    arena_free(&arena);
    return is_written;
}
