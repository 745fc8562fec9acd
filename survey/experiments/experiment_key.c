#include "survey/experiments/experiment_key.h"

#include "base/text.h"
#include "survey/forms/chain_partners.h"

#include <stdlib.h>
#include <string.h>

static const char slow[] = "slow";

// Takes the part of `rest` in front of the next separator.
static const char *take(struct arena *arena, const char **rest, char separator) {
    const char *end = strchrnul(*rest, separator), *part = arena_copy(arena, *rest, (size_t)(end - *rest));
    *rest = end + (*end != 0);
    return part;
}

static unsigned long take_number(struct arena *arena, const char **rest) {
    return strtoul(take(arena, rest, '.'), NULL, 10);
}

// ---- what is behind a kind's word

static void parse_nothing(struct arena *arena, const char *rest, struct experiment_key *key) {
    (void)arena;
    (void)rest;
    (void)key;
}

static void print_nothing(const struct experiment_key *key, struct text *out) {
    (void)key;
    (void)out;
}

static void parse_copies(struct arena *arena, const char *rest, struct experiment_key *key) {
    key->copies = (unsigned)take_number(arena, &rest);
}

static void print_copies(const struct experiment_key *key, struct text *out) {
    if (key->copies)
        text_addf(out, ".%u", key->copies);
}

static void parse_placement(struct arena *arena, const char *rest, struct experiment_key *key) {
    (void)arena;
    program_placement_parse(rest, &key->placement);
}

static void print_placement(const struct experiment_key *key, struct text *out) {
    text_addf(out, ".%s", program_placement_name(key->placement));
}

// "xor", "xor.17", or "xor.44.chain".
static void parse_fillers(struct arena *arena, const char *rest, struct experiment_key *key) {
    key->filler = take(arena, &rest, '.');
    key->n_fillers = (unsigned)take_number(arena, &rest);
    key->beside = rest;
}

static void print_fillers(const struct experiment_key *key, struct text *out) {
    bool is_alone = key->kind == EXPERIMENT_FILLER && !key->n_fillers;
    text_addf(out, ".%s", key->filler);
    if (!is_alone)
        text_addf(out, ".%u", key->n_fillers);
    if (*key->beside)
        text_addf(out, ".%s", key->beside);
}

static void parse_way(struct arena *arena, const char *rest, struct experiment_key *key) {
    (void)arena;
    key->way = rest;
}

static void print_way(const struct experiment_key *key, struct text *out) {
    if (*key->way)
        text_addf(out, ".%s", key->way);
}

static void parse_step(struct arena *arena, const char *rest, struct experiment_key *key) {
    key->step = take(arena, &rest, '.');
}

static void print_step(const struct experiment_key *key, struct text *out) {
    text_addf(out, ".%s", key->step);
}

static void parse_mixture(struct arena *arena, const char *rest, struct experiment_key *key) {
    key->number = take_number(arena, &rest);
}

static void print_mixture(const struct experiment_key *key, struct text *out) {
    text_addf(out, ".%03lu", key->number);
}

static void parse_probe(struct arena *arena, const char *rest, struct experiment_key *key) {
    (void)arena;
    key->probe_form = rest;
}

static void print_probe(const struct experiment_key *key, struct text *out) {
    text_addf(out, ".%s", key->probe_form);
}

// Of several chains, the arc states which one was measured.
static void parse_chain(struct arena *arena, const char *rest, struct experiment_key *key) {
    (void)arena;
    (void)rest;
    key->way = "";
}

static void parse_same(struct arena *arena, const char *rest, struct experiment_key *key) {
    parse_chain(arena, rest, key);
    key->source = "same";
}

// What the word of memory goes through has many more steps.
static void parse_memory(struct arena *arena, const char *rest, struct experiment_key *key) {
    key->source = key->result = "memory";
    parse_way(arena, rest, key);
    if (*key->way)
        key->variant = EXPERIMENT_PADDED;
}

static const char *const closings[] = {[EXPERIMENT_ALONE] = "alone", [EXPERIMENT_CROSSING] = "crossing"},
                         *const variants[] = {[EXPERIMENT_USUAL] = "",
                                              [EXPERIMENT_TOGETHER] = "together",
                                              [EXPERIMENT_TO_OTHERS] = "others",
                                              [EXPERIMENT_LONGER] = "longer",
                                              [EXPERIMENT_PADDED] = "padded"};
enum { N_CLOSINGS = sizeof closings / sizeof *closings, N_VARIANTS = sizeof variants / sizeof *variants };

// "o2-o0.vpand.together", or what there is of it.
static void parse_pair(struct arena *arena, const char *rest, struct experiment_key *key) {
    const char *pair = take(arena, &rest, '.'), *way = take(arena, &rest, '.'), *variant = take(arena, &rest, '.');
    key->source = take(arena, &pair, '-');
    key->result = pair;
    key->way = way;
    for (unsigned i = EXPERIMENT_ALONE; i < N_CLOSINGS; i++)
        if (strcmp(way, closings[i]) == 0) {
            key->closing = (enum experiment_closing)i;
            key->way = "";
        }
    size_t number = text_find(variant, variants, N_VARIANTS);
    key->variant = (enum experiment_variant)number;
    key->step = take(arena, &rest, '.');
    if (key->variant == EXPERIMENT_PADDED)
        key->n_steps = *rest ? (unsigned)strtoul(rest, NULL, 10) : PARTNER_PADS;
    if (number == N_VARIANTS || !*key->result)
        *key = (struct experiment_key){.kind = EXPERIMENT_OTHER, .form = key->form};
}

static void print_pair(const struct experiment_key *key, struct text *out) {
    const char *way = key->closing == EXPERIMENT_BY_WAY ? key->way : closings[key->closing];
    text_addf(out, ".%s-%s", key->source, key->result);
    if (*way)
        text_addf(out, ".%s", way);
    if (key->variant != EXPERIMENT_USUAL)
        text_addf(out, ".%s", variants[key->variant]);
    if (key->variant >= EXPERIMENT_LONGER && key->step && *key->step)
        text_addf(out, ".%s", key->step);
    if (key->variant == EXPERIMENT_PADDED && key->n_steps != PARTNER_PADS)
        text_addf(out, ".%u", key->n_steps);
}

const char *experiment_next_step(struct arena *arena, const char **way) {
    return take(arena, way, '-');
}

// ---- kinds

static const struct kind {
    const char *word; // behind the form; where there is no form, in its place. Empty: there is no word
    bool has_no_form;
    enum experiment_value value;
    void (*parse)(struct arena *arena, const char *rest, struct experiment_key *key); // what is behind the word
    void (*print)(const struct experiment_key *key, struct text *out);
} kinds[] = {
    [EXPERIMENT_PLAIN] = {"", false, EXPERIMENT_THROUGHPUT, parse_nothing, print_nothing},
    [EXPERIMENT_BROKEN] = {"broken", false, EXPERIMENT_THROUGHPUT, parse_copies, print_copies},
    [EXPERIMENT_LINES] = {"lines", false, EXPERIMENT_THROUGHPUT, parse_nothing, print_nothing},
    [EXPERIMENT_PLACES] = {"places", false, EXPERIMENT_THROUGHPUT, parse_placement, print_placement},
    [EXPERIMENT_AROUND] = {"around", false, EXPERIMENT_THROUGHPUT, parse_copies, print_copies},
    [EXPERIMENT_COPIES] = {"copies", false, EXPERIMENT_THROUGHPUT, parse_copies, print_copies},
    [EXPERIMENT_SLOTS] = {"slots", false, EXPERIMENT_NO_VALUE, parse_fillers, print_fillers},
    [EXPERIMENT_FILLED] = {"filled", false, EXPERIMENT_THROUGHPUT, parse_fillers, print_fillers},
    [EXPERIMENT_CHAIN] = {"chain", false, EXPERIMENT_LATENCY, parse_chain, print_nothing},
    [EXPERIMENT_PAIR] = {"", false, EXPERIMENT_LATENCY, parse_pair, print_pair},
    [EXPERIMENT_SAME] = {"same", false, EXPERIMENT_LATENCY, parse_same, print_nothing},
    [EXPERIMENT_MEMORY] = {"memory", false, EXPERIMENT_LATENCY, parse_memory, print_way},
    [EXPERIMENT_PARTNER] = {"CHAIN", true, EXPERIMENT_NO_VALUE, parse_way, print_way},
    [EXPERIMENT_STEP] = {"SIDE", true, EXPERIMENT_NO_VALUE, parse_step, print_step},
    [EXPERIMENT_FILLER] = {"FILL", true, EXPERIMENT_NO_VALUE, parse_fillers, print_fillers},
    [EXPERIMENT_MIXTURE] = {"mixture", true, EXPERIMENT_NO_VALUE, parse_mixture, print_mixture},
    [EXPERIMENT_PROBE] = {"beside", false, EXPERIMENT_NO_VALUE, parse_probe, print_probe},
};

// EXPERIMENT_OTHER: no kind has the word.
static enum experiment_kind kind_of(const char *word, bool has_no_form) {
    for (int i = EXPERIMENT_PLAIN; i < EXPERIMENT_N_KINDS; i++)
        if (*kinds[i].word && kinds[i].has_no_form == has_no_form && strcmp(kinds[i].word, word) == 0)
            return (enum experiment_kind)i;
    return EXPERIMENT_OTHER;
}

enum experiment_value experiment_value_of(enum experiment_kind kind) {
    return kinds[kind].value;
}

static void parse_arc(struct arena *arena, const char *arc, struct experiment_key *key) {
    const char *result = take(arena, &arc, '-'), *source = *arc == '>' ? arc + 1 : arc;
    key->result = result;
    if (key->kind == EXPERIMENT_CHAIN)
        key->source = source;
}

void experiment_key_parse(struct arena *arena, const char *name, const char *arc, struct experiment_key *key) {
    const char *rest = name, *form = take(arena, &rest, '.'), *behind = rest, *word;
    *key = (struct experiment_key){.form = form, .kind = kind_of(form, true)};
    if (key->kind == EXPERIMENT_OTHER) {
        word = take(arena, &rest, '.');
        key->has_slow_values = strcmp(word, slow) == 0;
        if (key->has_slow_values) {
            behind = rest;
            word = take(arena, &rest, '.');
        }
        key->kind = kind_of(word, false);
        if (key->kind == EXPERIMENT_OTHER) {
            key->kind = *word ? EXPERIMENT_PAIR : EXPERIMENT_PLAIN;
            rest = behind;
        }
    }
    kinds[key->kind].parse(arena, rest, key);
    if (key->kind == EXPERIMENT_CHAIN || key->kind == EXPERIMENT_SAME)
        parse_arc(arena, arc ? arc : "", key);
}

const char *experiment_key_name(struct arena *arena, const struct experiment_key *key) {
    const struct kind *kind = &kinds[key->kind];
    struct text text = {.arena = arena};
    if (key->kind == EXPERIMENT_OTHER)
        return NULL;
    text_add(&text, kind->has_no_form ? kind->word : key->form);
    if (key->has_slow_values)
        text_addf(&text, ".%s", slow);
    if (!kind->has_no_form && *kind->word)
        text_addf(&text, ".%s", kind->word);
    kind->print(key, &text);
    return text.data;
}

static bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool experiment_is_same(const struct experiment_key *a, const struct experiment_key *b) {
    const char *const texts[][2] = {{a->form, b->form},     {a->filler, b->filler},        {a->beside, b->beside},
                                    {a->source, b->source}, {a->result, b->result},        {a->way, b->way},
                                    {a->step, b->step},     {a->probe_form, b->probe_form}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!is_same_text(texts[i][0], texts[i][1]))
            return false;
    return a->kind == b->kind && a->has_slow_values == b->has_slow_values && a->copies == b->copies &&
           a->placement == b->placement && a->n_fillers == b->n_fillers && a->closing == b->closing &&
           a->variant == b->variant && a->n_steps == b->n_steps && a->number == b->number;
}
