#include "survey/guesses.h"

#include "bench/whole.h"
#include "survey/experiments/experiment_key.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

// Widths of machines that are foreseen.
static const unsigned widths[] = {4, 5, 6, 8};
enum { N_WIDTHS = sizeof widths / sizeof *widths };

// With two slots more these fill whole cycles of nearly all widths: of a form that takes few cycles, and of one that
// takes many. With one slot more, so do those that are next, where the first show more than one.
enum { USUAL = 46, SLOW = 118, N_NEXT = 2 };
static const unsigned next[N_NEXT] = {USUAL + 1, USUAL + 25};

// ---- rules

// Finds the loop of a kernel among what was collected. Returns false where it is not there.
static bool find_loop(const struct guesses *guesses, struct experiment_key key, size_t *program, unsigned *copies) {
    const struct collect *collect = guesses->collect;
    struct arena scratch = {0};
    key.filler = guesses->filler->name;
    key.beside = "";
    const char *kernel = experiment_key_name(&scratch, &key);
    size_t place = 0;
    do
        *program = collect_next(collect, kernel, &place);
    while (*program != INDEX_END && collect->taken[*program].form != PROGRAM_LOOPED);
    *copies = *program == INDEX_END ? 0 : collect->taken[*program].streams;
    arena_free(&scratch);
    return *copies > 0;
}

// Whether the filler was collected, alone and beside the instructions that check it.
static bool make_rule(const struct guesses *guesses, unsigned width, struct bench_rule *rule) {
    struct bench_term *alone = &rule->terms[0], *check = &rule->terms[1];
    const struct experiment_key checked = {.kind = EXPERIMENT_FILLER, .n_fillers = slots_checks[0]};
    unsigned n_alone, n_checked;
    *rule = (struct bench_rule){.n_terms = 2};
    if (!find_loop(guesses, (struct experiment_key){.kind = EXPERIMENT_FILLER}, &alone->program, &n_alone) ||
        !find_loop(guesses, checked, &check->program, &n_checked))
        return false;
    double slots = n_alone * SLOTS_ALONE + 1, others = slots_checks[0] + 1.0 / n_checked;
    alone->low = slots / width * (1 - WHOLE_WIDTH);
    alone->high = slots / width * (1 + WHOLE_WIDTH);
    check->low = n_checked * (SLOTS_CHECKED - WHOLE_SLOTS_BELOW + others) / width;
    check->high = n_checked * (SLOTS_CHECKED + WHOLE_SLOTS_ABOVE + others) / width;
    return true;
}

// ---- cases

// The most cycles that a copy may take where so many fillers suffice; 0: there are too few copies for a loop of them.
static double most_cycles(unsigned fillers, unsigned width, unsigned copies) {
    static const double step = 0.005;
    double low = 0, high = SLOTS_MOST_FILLERS;
    while (high - low > step) {
        double middle = (low + high) / 2;
        struct slots_result result = slots_judge(middle, width, copies, NULL, 0);
        *(result.n_wanted && result.wanted[0] <= fillers ? &low : &high) = middle;
    }
    return low;
}

// The form's own throughput, of as many copies as possible, with its accesses at these places or, below 0, at any.
static const struct collected *find_plain(const struct collect *collect, const char *form, int placement) {
    const struct collected *best = NULL;
    for (size_t place = 0, i; (i = collect_next(collect, form, &place)) != INDEX_END;) {
        const struct collected *each = &collect->taken[i];
        if (each->mode == PROGRAM_THROUGHPUT && each->form == PROGRAM_UNROLLED &&
            (placement < 0 || each->placement == (enum program_placement)placement) &&
            (!best || each->streams > best->streams))
            best = each;
    }
    return best;
}

// More than one slot, as far as the first mixture shows. False: it was not collected.
static bool more_than_one(const struct guesses *guesses, const char *form, unsigned width, struct bench_term *term) {
    const struct experiment_key first = {.kind = EXPERIMENT_SLOTS, .form = form, .n_fillers = USUAL};
    unsigned copies;
    bool is_there = find_loop(guesses, first, &term->program, &copies);
    term->low = (copies * (1 + WHOLE_SLOTS_ABOVE + USUAL) + 1) / width;
    term->high = copies * 2.0 * USUAL;
    return is_there;
}

static bool make_case(const struct guesses *guesses, const struct experiment_key *key, const struct collected *plain,
                      unsigned copies, size_t rule, struct bench_case *one) {
    double usual = most_cycles(USUAL, widths[rule], copies);
    struct bench_term *cycles = &one->own.terms[0];
    *one = (struct bench_case){rule, {.n_terms = 1}};
    *cycles = (struct bench_term){.program = (size_t)(plain - guesses->collect->taken), .high = usual * plain->streams};
    if (key->n_fillers == SLOW) {
        cycles->low = cycles->high;
        cycles->high = most_cycles(SLOW, widths[rule], copies) * plain->streams;
    } else if (key->n_fillers != USUAL) {
        bool is_next = (USUAL + 2) % widths[rule] == 0;
        return is_next && more_than_one(guesses, key->form, widths[rule], &one->own.terms[one->own.n_terms++]);
    }
    return cycles->high > cycles->low;
}

static size_t find_cases(void *client, const struct experiment *experiment, const struct bench_case **cases) {
    struct guesses *guesses = client;
    struct arena scratch = {0};
    struct experiment_key key;
    size_t n = 0;
    experiment_key_parse(&scratch, experiment->program.kernel, NULL, &key);
    const struct collected *plain = key.kind == EXPERIMENT_SLOTS
                                        ? find_plain(guesses->collect, key.form, (int)experiment->program.placement)
                                        : NULL;
    for (size_t r = 0; plain && r < guesses->n_rules; r++)
        n += make_case(guesses, &key, plain, MIN(SLOTS_COPIES, experiment->program.streams), r, &guesses->cases[n]);
    arena_free(&scratch);
    *cases = guesses->cases;
    return n;
}

void guesses_open(struct guesses *guesses, struct arena *arena, const struct isa *isa, struct collect *collect) {
    *guesses = (struct guesses){.arena = arena, .collect = collect, .filler = slots_fillers(isa)};
    while (guesses->filler->name && !guesses->filler->is_usual)
        guesses->filler++;
    guesses->rules = ARENA_ARRAY(arena, struct bench_rule, N_WIDTHS);
    guesses->cases = ARENA_ARRAY(arena, struct bench_case, N_WIDTHS);
    while (guesses->filler->name && guesses->n_rules < N_WIDTHS &&
           make_rule(guesses, widths[guesses->n_rules], &guesses->rules[guesses->n_rules]))
        guesses->n_rules++;
    collect->rules = guesses->rules;
    collect->n_rules = guesses->n_rules;
    collect->cases_of = find_cases;
    collect->client = guesses;
}

// ---- experiments

// Whether the form may take many cycles: by its text, as no CPU is known yet.
static bool is_slow(const struct form *form) {
    static const char *const words[] = {"div", "sqrt", "rem", "lock", "xchg", "cas", "swp"};
    bool is_found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_found |= form->text && strstr(form->text, words[i]);
    return is_found;
}

void guesses_add(const struct guesses *guesses, const struct shape *shape, bool is_next, struct experiment_list *out) {
    const struct collected *plain = find_plain(guesses->collect, shape->form->name, -1);
    if (!plain || !guesses->n_rules)
        return;
    bool has_usual = most_cycles(USUAL, widths[0], MIN(SLOTS_COPIES, plain->streams)) > 0;
    for (unsigned i = 0; is_next && has_usual && i < N_NEXT; i++)
        experiments_add_fillers(shape, EXPERIMENT_SLOTS, guesses->filler, next[i], out);
    if (!is_next && has_usual)
        experiments_add_fillers(shape, EXPERIMENT_SLOTS, guesses->filler, USUAL, out);
    if (!is_next && (is_slow(shape->form) || !has_usual))
        experiments_add_fillers(shape, EXPERIMENT_SLOTS, guesses->filler, SLOW, out);
}
