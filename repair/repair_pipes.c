#include "repair/repair_pipes.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 64, MOST_PIPES = 64 };

// A form beside those of its kind.
struct kindred {
    const struct form *form;
    struct repair_numbers now; // LLVM's, as the rules so far change them
    const char *kin;           // equal for one instruction with other widths, or with memory for a register
    uint64_t kinds, widths;    // bit n: it has registers of kind n; of width n
    bool has_memory;           // an operand is memory
};

struct repair_pipes {
    struct kindred *items; // by `kin`
    size_t n_items;
    struct kindred **by_form;                           // by form's name
    uint64_t of_kind[MOST_KINDS], of_width[MOST_KINDS]; // pipes of simple forms whose registers are all of it
    uint64_t of_memory;                                 // pipes that only forms with memory use
};

// ---- kinds of registers

// Registers that belong together: the number of the first of each set, by register.
struct register_sets {
    unsigned *first;
    unsigned n;
};

static unsigned first_of(struct register_sets *sets, unsigned reg) {
    while (sets->first[reg] != reg)
        reg = sets->first[reg] = sets->first[sets->first[reg]];
    return reg;
}

static void join(struct register_sets *sets, unsigned a, unsigned b) {
    unsigned x = first_of(sets, a), y = first_of(sets, b);
    sets->first[x > y ? x : y] = x < y ? x : y;
}

// Registers that one operand may be are of one width; those that contain each other are of one kind as well.
static struct register_sets open_sets(const struct repair *repair, struct arena *arena, bool with_parts) {
    const struct machine *machine = repair->request->model->machine;
    struct register_sets sets = {.first = ARENA_ARRAY(arena, unsigned, machine->n_registers),
                                 .n = machine->n_registers};
    for (unsigned i = 0; i < sets.n; i++)
        sets.first[i] = i;
    for (unsigned i = 0; with_parts && i < sets.n; i++)
        for (unsigned k = 0; k < machine->registers[i].n_sub; k++)
            join(&sets, i, machine->registers[i].sub[k]);
    for (size_t f = 0; f < repair->n_forms; f++)
        for (unsigned o = 0; o < repair->forms[f].n_operands; o++) {
            const struct form_operand *operand = &repair->forms[f].operands[o];
            for (unsigned i = 1; operand->kind == FORM_REGISTER && i < operand->n_registers; i++)
                join(&sets, operand->registers[0], operand->registers[i]);
        }
    return sets;
}

// Numbers of sets as they are first met; the last stands for all further ones.
struct set_numbers {
    unsigned items[MOST_KINDS];
    unsigned n;
};

static uint64_t bit_of_set(struct set_numbers *numbers, unsigned first) {
    unsigned i = 0;
    while (i < numbers->n && numbers->items[i] != first)
        i++;
    if (i == numbers->n && numbers->n < MOST_KINDS)
        numbers->items[numbers->n++] = first;
    return UINT64_C(1) << (i < MOST_KINDS ? i : MOST_KINDS - 1);
}

// ---- what the model says

static uint64_t pipes_of(const struct machine *machine, const struct repair_use *use) {
    return repair_use_cycles(use) ? resource_pipes(machine->resources[use->resource].mask) : 0;
}

static uint64_t pipes_of_all(const struct machine *machine, const struct repair_numbers *numbers) {
    uint64_t pipes = 0;
    for (unsigned u = 0; u < numbers->n_uses; u++)
        pipes |= pipes_of(machine, &numbers->uses[u]);
    return pipes;
}

// The one use of a form that has but one; null: it has none, or several.
static const struct repair_use *only_use(const struct machine *machine, const struct repair_numbers *numbers) {
    const struct repair_use *only = NULL;
    unsigned n = 0;
    for (unsigned u = 0; u < numbers->n_uses; u++)
        if (repair_use_cycles(&numbers->uses[u]) && !repair_numbers_follow(machine, numbers, u)) {
            only = &numbers->uses[u];
            n++;
        }
    return n == 1 ? only : NULL;
}

static bool has_operand(const struct form *form, enum form_operand_kind kind) {
    for (unsigned i = 0; i < form->n_operands; i++)
        if (form->operands[i].kind == kind)
            return true;
    return false;
}

static bool has_memory(const struct form *form) {
    return form->may_load || form->may_store || has_operand(form, FORM_MEMORY);
}

static bool is_one(uint64_t bits) {
    return bits && !(bits & (bits - 1));
}

static unsigned number_of(uint64_t bit) {
    return (unsigned)__builtin_ctzll(bit);
}

struct pipe_counts {
    unsigned items[MOST_KINDS][MOST_PIPES], n_forms[MOST_KINDS];
};

static void count_pipes(struct pipe_counts *counts, uint64_t kind, uint64_t pipes) {
    if (!is_one(kind))
        return;
    counts->n_forms[number_of(kind)]++;
    for (unsigned p = 0; p < MOST_PIPES; p++)
        counts->items[number_of(kind)][p] += (unsigned)(pipes >> p & 1);
}

// Pipes that enough forms of a kind are on. A few forms may be wrong in the model: of an extension that the CPU lacks,
// with the numbers of something else.
static void take_common(const struct pipe_counts *counts, uint64_t *pipes) {
    static const double least_share = 0.05;
    enum { FEWEST_FORMS = 3 };
    for (unsigned k = 0; k < MOST_KINDS; k++)
        for (unsigned p = 0; p < MOST_PIPES; p++)
            pipes[k] |= (uint64_t)(counts->items[k][p] >= FEWEST_FORMS &&
                                   counts->items[k][p] >= least_share * counts->n_forms[k])
                        << p;
}

static void learn_pipes(const struct machine *machine, struct arena *arena, struct repair_pipes *pipes) {
    struct pipe_counts *kinds = ARENA_NEW(arena, struct pipe_counts), *widths = ARENA_NEW(arena, struct pipe_counts);
    uint64_t of_any = 0, of_memory = 0;
    for (size_t i = 0; i < pipes->n_items; i++) {
        const struct kindred *each = &pipes->items[i];
        const struct repair_use *only = only_use(machine, &each->now);
        of_memory |= each->has_memory ? pipes_of_all(machine, &each->now) : 0;
        if (each->has_memory || !only || has_operand(each->form, FORM_ADDRESS))
            continue;
        count_pipes(kinds, each->kinds, pipes_of(machine, only));
        count_pipes(widths, each->widths, pipes_of(machine, only));
    }
    take_common(kinds, pipes->of_kind);
    take_common(widths, pipes->of_width);
    for (unsigned k = 0; k < MOST_KINDS; k++)
        of_any |= pipes->of_kind[k];
    pipes->of_memory = of_memory & ~of_any;
}

// "vaddpd 2 3": the mnemonic, the number of operands, and the kinds of registers.
static const char *kin_of(struct arena *arena, const struct form *form, uint64_t kinds) {
    const char *text = form->text ? form->text : form->opcode;
    text += strspn(text, " \t");
    return arena_printf(arena, "%.*s %u %llx", (int)strcspn(text, " \t"), text, form->n_operands,
                        (unsigned long long)kinds);
}

static int compare_kin(const void *a, const void *b) {
    const struct kindred *one = a, *other = b;
    int order = strcmp(one->kin, other->kin);
    return order ? order : strcmp(one->form->name, other->form->name);
}

static int compare_by_form(const void *a, const void *b) {
    return strcmp((*(struct kindred *const *)a)->form->name, (*(struct kindred *const *)b)->form->name);
}

static int compare_name(const void *key, const void *item) {
    return strcmp(key, (*(struct kindred *const *)item)->form->name);
}

static struct kindred *find_form(const struct repair_pipes *pipes, const char *name) {
    struct kindred **found =
        pipes->n_items ? bsearch(name, pipes->by_form, pipes->n_items, sizeof(struct kindred *), compare_name) : NULL;
    return found ? *found : NULL;
}

// ---- forms

struct named_numbers {
    const char *name;
    const struct repair_numbers *numbers;
};

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct named_numbers *)a)->name, ((const struct named_numbers *)b)->name);
}

static struct named_numbers *name_numbers(const struct repair *repair, struct arena *arena, size_t *n) {
    struct named_numbers *list = ARENA_ARRAY(arena, struct named_numbers, repair->n_members + repair->n_unseen);
    *n = 0;
    for (size_t i = 0; i < repair->n_members; i++)
        list[(*n)++] = (struct named_numbers){repair->members[i].form, &repair->members[i].numbers};
    for (size_t i = 0; i < repair->n_unseen; i++)
        list[(*n)++] = (struct named_numbers){repair->unseen[i].opcode, &repair->unseen[i].numbers};
    if (*n)
        qsort(list, *n, sizeof *list, compare_names);
    return list;
}

static struct kindred describe(struct arena *arena, const struct form *form, const struct repair_numbers *numbers,
                               struct register_sets *sets, struct set_numbers *numbers_of_sets) {
    struct kindred result = {.form = form, .now = *numbers, .has_memory = has_memory(form)};
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        if (operand->kind != FORM_REGISTER || !operand->n_registers)
            continue;
        result.kinds |= bit_of_set(&numbers_of_sets[0], first_of(&sets[0], operand->registers[0]));
        result.widths |= bit_of_set(&numbers_of_sets[1], first_of(&sets[1], operand->registers[0]));
    }
    result.kin = kin_of(arena, form, result.kinds);
    return result;
}

struct repair_pipes *repair_pipes_learn(const struct repair *repair) {
    struct arena scratch = {0};
    struct repair_pipes *pipes = ARENA_NEW(repair->arena, struct repair_pipes);
    struct register_sets sets[] = {open_sets(repair, &scratch, true), open_sets(repair, &scratch, false)};
    struct set_numbers numbers_of_sets[2] = {{{0}, 0}};
    size_t n_named;
    const struct named_numbers *named = name_numbers(repair, &scratch, &n_named);
    pipes->items = arena_alloc_uncleared(repair->arena, repair->n_forms * sizeof *pipes->items);
    for (size_t f = 0; f < repair->n_forms; f++) {
        const struct named_numbers key = {repair->forms[f].name, NULL},
                                   *found =
                                       n_named ? bsearch(&key, named, n_named, sizeof *named, compare_names) : NULL;
        if (found)
            pipes->items[pipes->n_items++] =
                describe(repair->arena, &repair->forms[f], found->numbers, sets, numbers_of_sets);
    }
    if (pipes->n_items)
        qsort(pipes->items, pipes->n_items, sizeof *pipes->items, compare_kin);
    pipes->by_form = ARENA_ARRAY(repair->arena, struct kindred *, pipes->n_items);
    for (size_t i = 0; i < pipes->n_items; i++)
        pipes->by_form[i] = &pipes->items[i];
    if (pipes->n_items)
        qsort(pipes->by_form, pipes->n_items, sizeof(struct kindred *), compare_by_form);
    learn_pipes(repair->request->model->machine, &scratch, pipes);
    arena_free(&scratch);
    return pipes;
}

void repair_pipes_note(struct repair_pipes *pipes, const struct repair_rule *rule) {
    for (size_t i = 0; i < rule->n_opcodes; i++) {
        struct kindred *form = find_form(pipes, rule->opcodes[i]);
        if (form)
            repair_rule_apply(rule, &form->now);
    }
}

// ---- ranks

static uint64_t common_pipes(const uint64_t *pipes, uint64_t bits) {
    uint64_t all = 0;
    for (unsigned k = 0; k < MOST_KINDS; k++)
        all |= bits >> k & 1 ? pipes[k] : 0;
    return all;
}

// Whether a use of the form is on these pipes.
static bool is_on(const struct machine *machine, const struct kindred *form, uint64_t pipes) {
    for (unsigned u = 0; u < form->now.n_uses; u++)
        if (pipes_of(machine, &form->now.uses[u]) == pipes)
            return true;
    return false;
}

enum { OF_PART = 0, OF_REGISTER_FORM = 4, OF_KIN = 8, OF_OTHERS = 12, OTHER_WIDTH = 2, NO_KIN = 1 };

// Whether a form of the same instruction is on the pipes: with a register for memory, and with registers of other
// widths.
static void ask_kin(const struct repair *repair, const struct kindred *form, uint64_t pipes, bool *of_register_form,
                    bool *of_kin) {
    const struct kindred *first = form, *end = repair->pipes->items + repair->pipes->n_items;
    *of_register_form = *of_kin = false;
    while (first > repair->pipes->items && strcmp(first[-1].kin, form->kin) == 0)
        first--;
    for (; first < end && strcmp(first->kin, form->kin) == 0; first++) {
        if (first == form || !is_on(repair->request->model->machine, first, pipes))
            continue;
        *of_register_form |= form->has_memory && !first->has_memory && first->widths == form->widths;
        *of_kin = true;
    }
}

static unsigned rank_of(const struct repair *repair, const struct kindred *form, uint64_t own, uint64_t pipes) {
    bool of_register_form, of_kin;
    uint64_t of_kind = common_pipes(repair->pipes->of_kind, form->kinds),
             of_width = common_pipes(repair->pipes->of_width, form->widths),
             of_memory = own & repair->pipes->of_memory ? repair->pipes->of_memory : 0,
             allowed = own | of_memory | (own & ~repair->pipes->of_memory ? of_kind : 0);
    if (!pipes || pipes & ~allowed)
        return REPAIR_FARTHEST;
    ask_kin(repair, form, pipes, &of_register_form, &of_kin);
    unsigned rank = 1U + (pipes & ~(own | of_width) ? OTHER_WIDTH : 0U) + (of_kin ? 0U : NO_KIN);
    if ((pipes & own) == pipes || (pipes & own) == own)
        return rank + OF_PART;
    return of_register_form ? rank + OF_REGISTER_FORM
           : of_kin         ? rank + OF_KIN
           : pipes & own    ? rank + OF_OTHERS
                            : REPAIR_FARTHEST;
}

const unsigned char *repair_pipes_rank(const struct repair *repair, struct arena *arena,
                                       const struct repair_member *members, size_t n) {
    const struct machine *machine = repair->request->model->machine;
    unsigned char *ranks = ARENA_ARRAY(arena, unsigned char, (size_t)REPAIR_MOST_USES * machine->n_resources);
    for (unsigned u = 0; u < members->numbers.n_uses; u++)
        for (unsigned g = 1; g < machine->n_resources; g++) {
            unsigned most = 0;
            uint64_t own = resource_pipes(machine->resources[members->numbers.uses[u].resource].mask),
                     pipes = resource_pipes(machine->resources[g].mask);
            for (size_t m = 0; pipes != own && m < n && most < REPAIR_FARTHEST; m++) {
                const struct kindred *form = find_form(repair->pipes, members[m].form);
                unsigned rank = form ? rank_of(repair, form, own, pipes) : REPAIR_FARTHEST;
                most = rank > most ? rank : most;
            }
            ranks[u * machine->n_resources + g] = (unsigned char)most;
        }
    return ranks;
}

bool repair_pipes_has_memory(const struct repair_pipes *pipes, const char *form) {
    const struct kindred *found = find_form(pipes, form);
    return found && found->has_memory;
}

// ---- guesses

// Whether the numbers are as good for all values as the best.
static bool are_as_good(const struct repair_search *search, const struct repair_numbers *numbers,
                        const struct repair_cost *best) {
    static const double rounding = 1e-6;
    struct repair_cost cost;
    return repair_evaluate(search, numbers, &cost, NULL) && cost.n_worse <= best->n_worse &&
           cost.n_differ <= best->n_differ && cost.gaps <= best->gaps + rounding;
}

// Tries each other resource for a use, held so long that it gives the same throughput. Adds the names of those that
// fit.
static void add_alike(struct arena *arena, const struct repair_search *search, unsigned u,
                      const struct repair_cost *best, const char ***names, size_t *n) {
    const struct machine *machine = search->model->machine;
    const struct repair_use *use = &search->best.uses[u];
    uint64_t own = resource_pipes(machine->resources[search->base.uses[u].resource].mask),
             now = resource_pipes(machine->resources[use->resource].mask);
    for (unsigned g = 1; g < machine->n_resources; g++) {
        const struct resource *other = &machine->resources[g];
        uint64_t pipes = resource_pipes(other->mask);
        unsigned held = repair_use_cycles(use) * other->units;
        if (pipes == now || pipes == own || held % machine->resources[use->resource].units ||
            repair_rank_of(search, u, g) == REPAIR_FARTHEST)
            continue;
        held /= machine->resources[use->resource].units;
        struct repair_numbers numbers = search->best;
        numbers.uses[u].resource = g;
        numbers.uses[u].release = use->acquire + held;
        const char *name = machine_pipes_name(arena, machine, g);
        if (held > repair_use_cycles(&search->base.uses[u]) && other->units > machine->resources[use->resource].units)
            continue; // as it suggests none
        if (text_find(name, *names, *n) == *n && are_as_good(search, &numbers, best))
            *ARENA_ADD(arena, *names, *n) = name;
    }
}

// Whether a use is on pipes that are neither LLVM's nor those of before.
static bool is_chosen(const struct repair_search *search, const struct repair_numbers *before, unsigned u) {
    const struct repair_use *use = &search->best.uses[u];
    return repair_use_cycles(use) && use->resource != before->uses[u].resource &&
           use->resource != search->base.uses[u].resource;
}

static bool has_chosen(const struct repair_search *search, const struct repair_numbers *before) {
    for (unsigned u = 0; u < search->best.n_uses; u++)
        if (is_chosen(search, before, u))
            return true;
    return false;
}

const char *repair_pipes_guess(struct arena *arena, const struct repair_search *search,
                               const struct repair_numbers *before) {
    enum { MOST_NAMED = 4 };
    struct text text = {.arena = arena};
    struct repair_cost best;
    // Without ranks no throughput was searched for, so no pipes were chosen.
    if (!search->ranks || !has_chosen(search, before) || !repair_evaluate(search, &search->best, &best, NULL))
        return NULL;
    const struct machine *machine = search->model->machine;
    for (unsigned u = 0; u < search->best.n_uses; u++) {
        const struct repair_use *use = &search->best.uses[u];
        const char **names = NULL;
        size_t n = 0;
        if (!is_chosen(search, before, u))
            continue;
        add_alike(arena, search, u, &best, &names, &n);
        if (!n)
            continue;
        text_addf(&text, "  # The pipes are a guess: the values do not tell %s from ",
                  machine_pipes_name(arena, machine, use->resource));
        for (size_t i = 0; i < n && i < MOST_NAMED; i++)
            text_addf(&text, "%s%s", i ? ", " : "", names[i]);
        if (n > MOST_NAMED)
            text_addf(&text, " and %zu more", n - MOST_NAMED);
        text_add(&text, "\n");
    }
    return text.length ? text.data : NULL;
}
