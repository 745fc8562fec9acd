// What a runner measured, as lines of a measurement file. The table is results_table.c's.
#include "runner/results.h"

#include "base/bytes.h"
#include "base/text.h"
#include "bench/record/record.h"
#include "bench/sandbox/syscall_filter.h"
#include "bench/target.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// One JSON object that grows.
struct object {
    struct text text;
};

static void add_escaped(struct text *text, const char *string) {
    text_add(text, "\"");
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            text_addf(text, "\\%c", c);
        else if (c < 0x20)
            text_addf(text, "\\u%04x", c);
        else
            text_append(text, string, 1);
    }
    text_add(text, "\"");
}

static void add_key(struct object *object, const char *key) {
    text_add(&object->text, object->text.length ? "," : "{");
    add_escaped(&object->text, key);
    text_add(&object->text, ":");
}

static void add_string(struct object *object, const char *key, const char *value) {
    if (!value)
        return;
    add_key(object, key);
    add_escaped(&object->text, value);
}

// JSON has no infinity.
static void add_number(struct object *object, const char *key, double value, int decimals) {
    add_key(object, key);
    text_addf(&object->text, "%.*f", decimals, isfinite(value) ? value : 0);
}

static void add_object(struct object *object, const char *key, const struct object *value) {
    add_key(object, key);
    text_addf(&object->text, "%s}", value->text.length ? value->text.data : "{");
}

static void print(const struct results *results, const struct object *object) {
    FILE *const outs[] = {results->file, results->json};
    for (size_t i = 0; i < sizeof outs / sizeof *outs; i++) {
        if (!outs[i])
            continue;
        fprintf(outs[i], "%s}\n", object->text.data);
        fflush(outs[i]); // a run that is killed keeps what it has
    }
}

bool results_open(struct results *results, struct arena *arena, const char *path, bool wants_json, struct fail *fail) {
    *results = (struct results){.arena = arena, .json = wants_json ? stdout : NULL, .path = path};
    if (!path)
        return true;
    results->file = fopen(path, "a+e");
    if (!results->file)
        return fail_set(fail, FAIL_WORK, "cannot write '%s': %s", path, strerror(errno));
    // What a killed run left of its last line must not swallow our first.
    if (fseek(results->file, -1, SEEK_END) == 0 && fgetc(results->file) != '\n')
        fputc('\n', results->file);
    fseek(results->file, 0, SEEK_END);
    return true;
}

bool results_close(struct results *results, struct fail *fail) {
    if (!results->file)
        return true;
    bool has_failed = ferror(results->file);
    return (fclose(results->file) == 0 && !has_failed) || fail_set(fail, FAIL_WORK, "cannot write '%s'", results->path);
}

void results_write_header(const struct results *results, const struct host *host, const struct bench *bench) {
    struct object header = {{.arena = results->arena}}, clock = {{.arena = results->arena}};
    add_string(&header, "record", "host");
    add_number(&header, "version", RECORD_VERSION, 0);
    add_string(&header, "cpu", host->cpu_name);
    add_string(&header, "vendor", host->vendor);
    add_number(&header, "family", host->family, 0);
    add_number(&header, "model", host->model, 0);
    add_number(&header, "stepping", host->stepping, 0);
    add_string(&header, "microcode", host->microcode);
    add_string(&header, "kernel", host->kernel);
    add_string(&header, "hypervisor", host->hypervisor);
    add_number(&header, "pinned_to", host->cpu, 0);
    add_string(&header, "pmu_note", host->pmu_note);
    add_string(&header, "cyclops", CYCLOPS_VERSION);
    add_key(&header, "syscall_filter");
    text_add(&header.text, syscall_filter_exists() ? "true" : "false");
    add_string(&clock, "tier", bench_clock_name(bench->clock));
    add_string(&clock, "target", bench->target->description);
    add_string(&clock, "timer", bench->target->timer);
    add_number(&clock, "error", bench->clock_error, 6);
    add_key(&clock, "stable");
    text_add(&clock.text, bench->stable ? "true" : "false");
    add_string(&clock, "note", bench->clock_note);
    add_number(&clock, "ticks_per_cycle", bench->ticks_per_cycle, 6);
    add_number(&clock, "ticks_per_second", bench->target->ticks_per_second, 0);
    add_number(&clock, "reference_cycles", bench->reference.body_cycles, 5);
    add_string(&clock, "scheduling", bench->target->scheduling);
    if (bench->clock == CLOCK_TIME) {
        add_number(&clock, "frequency_hz", bench->frequency_hz, 0);
        add_string(&clock, "frequency_source", bench->options.frequency_source);
    }
    add_number(&clock, "cross_check_cycles", bench->cross_check_cycles, 5);
    add_object(&header, "clock", &clock);
    print(results, &header);
}

static void add_value(struct object *line, const struct bench_measurement *m) {
    if (m->samples) {
        add_number(line, "cycles", m->cycles, 5);
        add_number(line, "low", m->low, 5);
        add_number(line, "high", m->high, 5);
        add_number(line, "confidence", m->confidence, 4);
    }
    add_string(line, "verdict", bench_verdict_name(m->verdict));
    if (m->verdict == MEASURED_EXACT) {
        add_key(line, "exact");
        text_addf(&line->text, "[%u,%u]", m->numerator, m->denominator);
    }
}

static void add_counts(struct object *line, struct arena *arena, const struct bench_measurement *m) {
    struct object dropped = {{.arena = arena}}, events = {{.arena = arena}};
    for (unsigned i = 0; i < DROP_N_REASONS; i++)
        if (m->dropped[i])
            add_number(&dropped, bench_drop_name((enum bench_drop)i), m->dropped[i], 0);
    add_object(line, "dropped", &dropped);
    for (unsigned i = 0; i < m->n_events; i++)
        if (m->events[i].samples)
            add_number(&events, m->events[i].name, m->events[i].count, 4);
    add_object(line, "events", &events);
}

// Beside the counts, which older programs read alone: their intervals, and what is wrong with some.
static void add_event_details(struct object *line, struct arena *arena, const struct bench_measurement *m) {
    struct object intervals = {{.arena = arena}}, reasons = {{.arena = arena}};
    for (unsigned i = 0; i < m->n_events; i++) {
        const struct bench_event *event = &m->events[i];
        struct object interval = {{.arena = arena}};
        add_number(&interval, "low", event->low, 4);
        add_number(&interval, "high", event->high, 4);
        add_number(&interval, "confidence", event->confidence, 4);
        add_number(&interval, "samples", event->samples, 0);
        if (event->samples)
            add_object(&intervals, event->name, &interval);
        add_string(&reasons, event->name, event->why);
    }
    if (intervals.text.length)
        add_object(line, "event_intervals", &intervals);
    if (reasons.text.length)
        add_object(line, "events_why", &reasons);
}

// What a fresh process changes, and the two groups where the samples fall into two.
static void add_spread(struct object *line, struct arena *arena, const struct bench_measurement *m) {
    struct object processes = {{.arena = arena}};
    add_number(&processes, "n", m->processes, 0);
    add_number(&processes, "low", m->process_low, 5);
    add_number(&processes, "high", m->process_high, 5);
    if (m->processes)
        add_object(line, "processes", &processes);
    if (m->modes[0].share <= 0)
        return;
    add_key(line, "modes");
    for (int i = 0; i < 2; i++)
        text_addf(&line->text, "%s{\"cycles\":%.5f,\"share\":%.4f}", i ? "," : "[", m->modes[i].cycles,
                  m->modes[i].share);
    text_add(&line->text, "]");
}

// As bench/record/record.c. What a block executes is not known here.
static void add_shares(struct object *line, const struct pack_program *program, const struct bench_measurement *m) {
    bool is_kernel = program->mode && strcmp(program->mode, "block") != 0;
    if (m->outcome != BENCH_OK || m->samples == 0 || !is_kernel)
        return;
    if (program->streams)
        add_number(line, "cycles_per_copy", m->cycles / program->streams, 5);
    if (program->instructions)
        add_number(line, "cycles_per_instruction", m->cycles / program->instructions, 5);
}

void results_write(const struct results *results, const char *isa, const struct pack_program *program,
                   const struct bench_measurement *m) {
    struct arena *arena = results->arena;
    struct object line = {{.arena = arena}};
    add_string(&line, "record", "measurement");
    add_string(&line, "kernel", program->kernel);
    add_string(&line, "isa", isa);
    add_string(&line, "mode", program->mode);
    add_string(&line, "form", program->form);
    add_string(&line, "arc", program->arc);
    add_string(&line, "placement", program->placement);
    add_string(&line, "instruction", program->instruction);
    add_number(&line, "n", program->streams, 0);
    add_number(&line, "instructions", program->instructions, 0);
    if (program->loop_instructions) {
        add_number(&line, "loop_instructions", program->loop_instructions, 0);
        add_number(&line, "loop_branches", program->loop_branches, 0);
    }
    if (m->outcome == BENCH_OK)
        add_value(&line, m);
    else
        add_string(&line, "outcome", bench_outcome_name(m->outcome));
    add_shares(&line, program, m);
    add_spread(&line, arena, m);
    add_string(&line, "why", m->why);
    add_string(&line, "warning", m->warning);
    add_string(&line, "clock", bench_clock_name(m->clock));
    add_number(&line, "clock_error", m->clock_error, 6);
    add_number(&line, "samples", m->samples, 0);
    add_counts(&line, arena, m);
    add_event_details(&line, arena, m);
    add_number(&line, "ms", m->milliseconds, 3);
    add_string(&line, "bytes", bytes_to_hex(arena, program->code.body, program->code.n_body_bytes));
    print(results, &line);
}
