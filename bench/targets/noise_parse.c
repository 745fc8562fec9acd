// Parses descriptions of noise: KIND[:PARAMETER…][+KIND…].
#include "bench/targets/noise.h"

#include "base/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 5 };

struct kind {
    const char *name, *about;
    struct parameter {
        const char *name;
        size_t offset; // offset of the field in struct noise_spec
        double usual, low, high;
    } parameters[MOST_PARAMETERS];
};

#define AT(field) offsetof(struct noise_spec, field)
// Parameters of a neighbour that slows only code with the same use.
#define RIVAL(use)                                                                                                     \
    {                                                                                                                  \
        {"SHARE", AT(neighbour_share), 0.5, 0, 1}, {"MS", AT(neighbour_ms), 5, 0.001, 1e6},                            \
            {"FACTOR", AT(neighbour_uses[use]), 1.3, 1, 10},                                                           \
    }
static const struct kind kinds[] = {
    {"jitter", "each timed run is off by NS, standard deviation", {{"NS", AT(jitter_ns), 20, 0, 1e6}}},
    {"timer", "the timer has steps of NS", {{"NS", AT(timer_ns), 100, 0, 1e6}}},
    {"interrupts",
     "HZ a second, US long on average; the share SEEN of them shows as a switch of the thread",
     {{"HZ", AT(interrupt_hz), 700, 0, 1e5},
      {"US", AT(interrupt_us), 20, 0, 1e4},
      {"SEEN", AT(interrupt_seen), 0.5, 0, 1}}},
    {"steal",
     "the hypervisor takes the CPU away HZ times a second for US on average, and reports it in the share SEEN of cases",
     {{"HZ", AT(steal_hz), 20, 0, 1e4}, {"US", AT(steal_us), 2000, 0, 1e6}, {"SEEN", AT(steal_seen), 0.5, 0, 1}}},
    {"preempted",
     "the hypervisor takes the CPU away HZ times a second for US on average, and never reports it; lengths and "
     "distances of these gaps scatter within ± JITTER of themselves; the first run of each code behind one takes COLD "
     "us "
     "longer",
     {{"HZ", AT(preempt_hz), 15000, 0, 2e6},
      {"US", AT(preempt_us), 2, 0, 1e4},
      {"JITTER", AT(preempt_jitter), 0.3, 0, 1},
      {"COLD", AT(preempt_cold_us), 0, 0, 1e3}}},
    {"drift", "the frequency wanders within ± SHARE of itself", {{"SHARE", AT(drift), 0.03, 0, 0.9}}},
    {"steps",
     "HZ times a second the frequency jumps, by up to SHARE below the nominal one",
     {{"HZ", AT(step_hz), 50, 0, 1e5}, {"SHARE", AT(step_share), 0.3, 0, 0.9}}},
    {"states",
     "in the share SHARE of rounds the code takes FACTOR times its cycles",
     {{"SHARE", AT(state_share), 0.3, 0, 1}, {"FACTOR", AT(state_factor), 1.25, 0.1, 10}}},
    {"layouts",
     "in the share SHARE of processes the code's layout makes it take FACTOR times its cycles",
     {{"SHARE", AT(layout_share), 0.5, 0, 1}, {"FACTOR", AT(layout_factor), 1.1, 0.1, 10}}},
    {"spread",
     "the code's cycles differ from process to process by SHARE of themselves, standard deviation",
     {{"SHARE", AT(spread), 0.005, 0, 0.1}}},
    {"neighbour",
     "another thread is busy on the core for the share SHARE of the time (1: always), for spells of MS; the code then "
     "takes CODE times its cycles, the chain of adds ADD times, the chain of multiplies MULTIPLY times",
     {{"SHARE", AT(neighbour_share), 0.5, 0, 1},
      {"MS", AT(neighbour_ms), 5, 0.001, 1e6},
      {"CODE", AT(neighbour_code), 1.3, 1, 10},
      {"ADD", AT(neighbour_add), 1.004, 1, 10},
      {"MULTIPLY", AT(neighbour_product), 1.002, 1, 10}}},
    {"integers", "a neighbour, as above, that slows only integer arithmetic, to FACTOR times its cycles",
     RIVAL(USE_INTEGER)},
    {"vectors", "the same for vector and floating-point arithmetic", RIVAL(USE_VECTOR)},
    {"loads", "the same for loads", RIVAL(USE_LOAD)},
    {"stores", "the same for stores", RIVAL(USE_STORE)},
    {"masks", "the same for comparisons of memory into mask registers", RIVAL(USE_MASK)},
    {"steady",
     "the neighbour's slowing differs from one timed run to the next by only SCATTER of itself",
     {{"SCATTER", AT(neighbour_scatter), 0.01, 1e-6, 10}}},
    {"early", "if FIRST is 1, the neighbour is busy at the start", {{"FIRST", AT(neighbour_first), 1, 0, 1}}},
    {"counters",
     "hardware counters; the one for cycles counts FACTOR a cycle",
     {{"FACTOR", AT(counter_factor), 1, 0.01, 100}}},
    {"multiplexed",
     "hardware counters that count only in the share SHARE of the time, scaled up without notice",
     {{"SHARE", AT(counter_share), 0.7, 0.01, 1}}},
    {"miscount",
     "hardware counters that count SHARE more instructions than were executed",
     {{"SHARE", AT(counter_extra), 0.001, 0, 10}}},
    {.name = "none", .about = "no noise; cancels the kinds before it"},
    {.name = "vm", .about = "jitter, interrupts and drift: about what an unprepared server VM shows"},
};

static double *parameter_of(struct noise_spec *spec, const struct parameter *parameter) {
    return (double *)(void *)((char *)spec + parameter->offset);
}

static const struct kind *find_kind(struct slice name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (slice_is(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static void set_usual(struct noise_spec *spec, const char *name) {
    const struct kind *kind = find_kind((struct slice){name, strlen(name)});
    for (int i = 0; i < MOST_PARAMETERS && kind->parameters[i].name; i++)
        *parameter_of(spec, &kind->parameters[i]) = kind->parameters[i].usual;
}

static void clear(struct noise_spec *spec) {
    *spec = (struct noise_spec){.seed = spec->seed, .counter_share = 1};
}

static bool parse_parameters(struct arena *arena, const struct kind *kind, struct slice rest, struct noise_spec *spec,
                             struct fail *fail) {
    struct slice piece;
    for (int i = 0; rest.data && slice_next(&rest, ':', &piece); i++) {
        if (i == MOST_PARAMETERS || !kind->parameters[i].name)
            return fail_set(fail, FAIL_INPUT, "noise '%s' has %d parameters at most", kind->name, i);
        const struct parameter *parameter = &kind->parameters[i];
        const char *word = arena_copy(arena, piece.data, piece.length);
        char *end = NULL;
        double value = strtod(word, &end);
        if (end == word || *end || !(value >= parameter->low && value <= parameter->high))
            return fail_set(fail, FAIL_INPUT, "noise '%s': %s is a number from %g to %g, and not '%s'", kind->name,
                            parameter->name, parameter->low, parameter->high, word);
        *parameter_of(spec, parameter) = value;
    }
    return true;
}

static bool parse_kind(struct arena *arena, struct slice rest, struct noise_spec *spec, struct fail *fail) {
    struct slice name;
    slice_next(&rest, ':', &name);
    const struct kind *kind = find_kind(name);
    if (!kind)
        return fail_set(fail, FAIL_INPUT, "unknown noise '%.*s': --target sim:CPU,noise=help lists the kinds",
                        (int)name.length, name.data);
    if (strcmp(kind->name, "none") == 0)
        clear(spec);
    if (strcmp(kind->name, "vm") == 0) {
        set_usual(spec, "jitter");
        set_usual(spec, "interrupts");
        set_usual(spec, "drift");
    }
    set_usual(spec, kind->name);
    if (spec->counter_factor <= 0 && (spec->counter_share < 1 || spec->counter_extra > 0))
        set_usual(spec, "counters");
    return parse_parameters(arena, kind, rest, spec, fail);
}

bool noise_parse(struct arena *arena, const char *text, struct noise_spec *spec, struct fail *fail) {
    struct slice rest = {text, strlen(text)}, piece;
    clear(spec);
    while (slice_next(&rest, '+', &piece))
        if (!parse_kind(arena, piece, spec, fail))
            return false;
    return true;
}

const char *noise_kinds(struct arena *arena) {
    struct text text = {.arena = arena};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        text_addf(&text, "%s  %s", i ? "\n" : "", kinds[i].name);
        for (int p = 0; p < MOST_PARAMETERS && kinds[i].parameters[p].name; p++)
            text_addf(&text, ":%s", kinds[i].parameters[p].name);
        text_addf(&text, "  %s", kinds[i].about);
        for (int p = 0; p < MOST_PARAMETERS && kinds[i].parameters[p].name; p++)
            text_addf(&text, "%s%s %g", p ? ", " : " (default ", kinds[i].parameters[p].name,
                      kinds[i].parameters[p].usual);
        text_add(&text, kinds[i].parameters[0].name ? ")" : "");
    }
    return text.data;
}
