#include "infer/subject.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENDS = 8, OPERANDS_OF_ADDRESS = 5 };

// Sources or results of an instruction, as CPU files name them, with what is found of each.
struct ends {
    const char *names[MOST_ENDS];
    double cycles[MOST_ENDS];
    unsigned n;
};

// What is measured of an instruction: latencies from sources to results. Below 0: unknown.
struct pairs {
    struct ends from, to;
    double latency[MOST_ENDS][MOST_ENDS]; // [from][to]
    double from_address[MOST_ENDS];       // by result
    double own;                           // to its own kind; below 0: as to others
};

static double rounded(double cycles) {
    static const double more = 0.25; // that noise, and pipes that are busy, may add
    double whole = floor(cycles + fmax(0.06, 0.012 * cycles));
    return cycles - whole < more ? whole : round(cycles * 100) / 100;
}

bool subject_differs(const struct check_value *value, double cycles, double other) {
    double width = (value->value.high - value->value.low) / 2;
    return fabs(cycles - other) > fmax(fmax(width, 0.02 * cycles), 0.02);
}

bool subject_recipe(const struct subject_view *view, const struct subject *subject, struct cpu_recipe *recipe) {
    for (size_t i = 0; i < subject->n_values; i++) {
        struct block block = {0};
        struct fail fail = {0};
        const struct insn *insn = NULL;
        if (subject->values[i].code &&
            predictor_describe(view->predictor, view->arena, subject->values[i].code, &block, &fail))
            insn = predictor_find_form(&block, subject->form->name);
        if (!insn)
            continue;
        cpu_recipe_make(view->cpu, insn, recipe);
        return true;
    }
    return false;
}

// Of an operand of the form, among those that LLVM reads; below 0: it is written only.
static int read_number(const struct form *form, unsigned operand) {
    int at = 0, found = -1;
    for (unsigned i = 0; i < form->n_operands; i++) {
        bool is_memory = form->operands[i].kind == FORM_MEMORY || form->operands[i].kind == FORM_ADDRESS;
        bool is_wanted = i == operand || form->operands[i].tied == (int)operand;
        if (form->operands[i].is_written && !form->operands[i].is_read && !is_memory)
            continue;
        if (is_wanted)
            found = at;
        at += is_memory ? OPERANDS_OF_ADDRESS : 1;
    }
    return found;
}

static int write_number(const struct form *form, unsigned operand) {
    int at = 0;
    for (unsigned i = 0; i < operand && i < form->n_operands; i++)
        at += form->operands[i].is_written && form->operands[i].kind == FORM_REGISTER;
    bool is_written = operand < form->n_operands && form->operands[operand].is_written &&
                      form->operands[operand].kind == FORM_REGISTER;
    return is_written ? at : -1;
}

static const char *upper(struct arena *arena, const char *text) {
    char *copy = arena_strdup(arena, text);
    for (char *at = copy; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return copy;
}

// Null: it has none in a CPU file.
static const char *name_of(struct arena *arena, const struct form *form, const char *operand, bool is_read) {
    if (strchr(operand, '.') && strncmp(operand, "flags", 5) != 0)
        return NULL;
    if (strcmp(operand, "flags.carry") == 0)
        return "carry";
    if (strncmp(operand, "flags", 5) == 0)
        return "EFLAGS";
    if (strcmp(operand, "same") == 0 || strcmp(operand, "memory") == 0)
        return NULL;
    if (!isdigit((unsigned char)*operand))
        return upper(arena, operand);
    unsigned at = (unsigned)atoi(operand);
    int number = is_read ? read_number(form, at) : write_number(form, at);
    return number < 0 ? NULL : arena_printf(arena, "%d", number);
}

// Returns its place; MOST_ENDS: there is no room.
static unsigned place_of(struct ends *ends, const char *name) {
    for (unsigned i = 0; i < ends->n; i++)
        if (strcmp(ends->names[i], name) == 0)
            return i;
    if (ends->n < MOST_ENDS)
        ends->names[ends->n++] = name;
    return ends->n <= MOST_ENDS && strcmp(ends->names[ends->n - 1], name) == 0 ? ends->n - 1 : MOST_ENDS;
}

bool subject_is_of_address(const struct check_value *value) {
    return strchr(value->source, '.') && strncmp(value->source, "flags", 5) != 0;
}

static void add_pair(struct arena *arena, const struct form *form, const struct check_value *value,
                     struct pairs *pairs) {
    const char *to = name_of(arena, form, value->destination, false);
    bool is_address = subject_is_of_address(value);
    const char *from = is_address ? NULL : name_of(arena, form, value->source, true);
    bool has_own = value->to_others > value->value.cycles + 0.5;
    double cycles = rounded(has_own ? value->to_others : value->value.cycles);
    if (!to || (!from && !is_address))
        return;
    unsigned t = place_of(&pairs->to, to), f = from ? place_of(&pairs->from, from) : 0;
    if (t == MOST_ENDS || f == MOST_ENDS)
        return;
    if (has_own)
        pairs->own = rounded(value->value.cycles);
    double *known = is_address ? &pairs->from_address[t] : &pairs->latency[f][t];
    *known = *known < 0 || cycles < *known ? cycles : *known; // base and index, carry and other flags
}

static void find_pairs(struct arena *arena, const struct subject *subject, struct pairs *pairs) {
    *pairs = (struct pairs){.own = -1};
    for (unsigned t = 0; t < MOST_ENDS; t++) {
        pairs->from_address[t] = -1;
        for (unsigned f = 0; f < MOST_ENDS; f++)
            pairs->latency[f][t] = -1;
    }
    for (size_t i = 0; i < subject->n_values; i++) {
        const struct check_value *value = &subject->values[i];
        if (value->quantity == CHECK_LATENCY && table_is_single(&value->value))
            add_pair(arena, subject->form, value, pairs);
    }
}

// When each result comes at least, from the sources that come together with what is loaded.
static void find_least(struct pairs *pairs, double load_latency) {
    for (unsigned t = 0; t < pairs->to.n; t++) {
        double most = pairs->from_address[t] >= 0 ? fmax(pairs->from_address[t] - load_latency, 0) : 0;
        for (unsigned f = 0; f < pairs->from.n; f++)
            most = fmax(most, pairs->latency[f][t]);
        pairs->to.cycles[t] = most;
    }
}

// How much later each source may come than those, for no pair to take longer than it was measured.
static void find_later(const struct pairs *pairs, double later[MOST_ENDS]) {
    for (unsigned f = 0; f < pairs->from.n; f++) {
        later[f] = 0;
        for (unsigned t = 0; t < pairs->to.n; t++)
            if (pairs->latency[f][t] >= 0)
                later[f] = fmax(later[f], pairs->to.cycles[t] - pairs->latency[f][t]);
    }
}

// Moves results back until all pairs take as long as they were measured: a pair that is not, as from the upper half of
// a dividend to the quotient, may be longer than those that are. False: no such times are found.
static bool fits_all(struct pairs *pairs) {
    double later[MOST_ENDS];
    bool moves = true;
    for (unsigned round = 0; moves && round <= pairs->from.n + pairs->to.n; round++) {
        moves = false;
        find_later(pairs, later);
        for (unsigned f = 0; f < pairs->from.n; f++)
            for (unsigned t = 0; t < pairs->to.n; t++)
                if (pairs->latency[f][t] >= 0 && pairs->latency[f][t] + later[f] > pairs->to.cycles[t] + 0.05) {
                    if (pairs->from_address[t] >= 0) // what is loaded would come to it too late
                        return false;
                    pairs->to.cycles[t] = pairs->latency[f][t] + later[f];
                    moves = true;
                }
    }
    return !moves;
}

// When each result comes, and how much later each source may.
static void solve(struct pairs *pairs, double load_latency) {
    double later[MOST_ENDS], slowest = 0;
    find_least(pairs, load_latency);
    if (!fits_all(pairs))
        find_least(pairs, load_latency);
    find_later(pairs, later);
    for (unsigned t = 0; t < pairs->to.n; t++)
        slowest = fmax(slowest, pairs->to.cycles[t]);
    for (unsigned f = 0; f < pairs->from.n; f++)
        pairs->from.cycles[f] = slowest - later[f];
}

static bool is_register(const struct cpu *cpu, const char *name, unsigned unit) {
    for (unsigned i = 1; i < cpu->machine->n_registers; i++)
        if (cpu->units[i] == unit && strcmp(cpu->machine->registers[i].name, name) == 0)
            return true;
    return false;
}

static bool is_named(const struct cpu *cpu, const char *name, int operand, unsigned unit) {
    if (isdigit((unsigned char)*name))
        return atoi(name) == operand;
    return strcmp(name, "carry") == 0 ? unit == cpu->carry
                                      : is_register(cpu, name, unit == cpu->overflow ? cpu->flags : unit);
}

// Whether LLVM says that it reads that: what it merges with is not stated.
static bool is_read(const struct cpu *cpu, const struct insn *insn, const char *name) {
    bool is_carry = strcmp(name, "carry") == 0;
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (is_named(cpu, is_carry ? "EFLAGS" : name, insn->reads[i].operand, cpu->units[insn->reads[i].reg]))
            return true;
    return false;
}

// Whether the recipe has all that was measured.
static bool is_right(const struct cpu *cpu, const struct cpu_recipe *recipe, const struct pairs *pairs) {
    for (unsigned w = 0; w < recipe->n_writes; w++)
        for (unsigned t = 0; t < pairs->to.n; t++) {
            if (!is_named(cpu, pairs->to.names[t], recipe->writes[w].operand, recipe->writes[w].unit))
                continue;
            double latency = recipe->writes[w].latency;
            if (pairs->from_address[t] >= 0 && fabs(recipe->load_latency + latency - pairs->from_address[t]) > 0.05)
                return false;
            for (unsigned r = 0; r < recipe->n_reads; r++)
                for (unsigned f = 0; f < pairs->from.n; f++)
                    if (!recipe->reads[r].is_address && pairs->latency[f][t] >= 0 &&
                        is_named(cpu, pairs->from.names[f], recipe->reads[r].operand, recipe->reads[r].unit) &&
                        fabs(latency - recipe->reads[r].early - pairs->latency[f][t]) > 0.05)
                        return false;
        }
    return true;
}

static void add_end(struct number_end *ends, unsigned *n, const char *name, double cycles) {
    if (*n < NUMBERS_MOST_ENDS)
        ends[(*n)++] = (struct number_end){name, cycles};
}

void subject_take_latencies(const struct subject_view *view, struct subject *subject) {
    struct pairs pairs;
    struct cpu_recipe recipe;
    struct numbers *numbers = &subject->numbers;
    find_pairs(view->kept, subject, &pairs);
    subject->is_known = pairs.to.n > 0;
    if (!pairs.to.n || !subject_recipe(view, subject, &recipe) || recipe.rename != CPU_EXECUTES)
        return;
    solve(&pairs, recipe.load_latency);
    if (!is_right(view->cpu, &recipe, &pairs)) {
        double slowest = 0;
        unsigned first = 0;
        for (unsigned t = 0; t < pairs.to.n; t++)
            slowest = fmax(slowest, pairs.to.cycles[t]);
        for (unsigned t = 0; t < pairs.to.n; t++)
            first = strcmp(pairs.to.names[t], "0") == 0 ? t : first;
        numbers->has_latency = true;
        numbers->latency = pairs.to.cycles[first];
        for (unsigned t = 0; t < pairs.to.n; t++)
            if (fabs(pairs.to.cycles[t] - numbers->latency) > 0.05)
                add_end(numbers->to, &numbers->n_to, pairs.to.names[t], pairs.to.cycles[t]);
        for (unsigned f = 0; f < pairs.from.n; f++)
            if (slowest - pairs.from.cycles[f] > 0.05 && is_read(view->cpu, recipe.insn, pairs.from.names[f]))
                add_end(numbers->from, &numbers->n_from, pairs.from.names[f], pairs.from.cycles[f]);
    }
    bool has_own = pairs.own >= 0 && !(recipe.own && fabs(recipe.own_latency - pairs.own) < 0.05);
    numbers->has_own = has_own;
    numbers->own = pairs.own;
}

void subject_change_latency(const struct subject_view *view, struct subject *subject, double change) {
    struct cpu_recipe recipe;
    if (!subject_recipe(view, subject, &recipe) || recipe.rename != CPU_EXECUTES)
        return;
    double latency = floor(fmax(recipe.latency + change, 0) + 0.2); // a sum is an upper bound of its part
    if (fabs(latency - recipe.latency) < 0.05)
        return;
    subject->numbers.has_latency = subject->numbers.is_split = true;
    subject->numbers.latency = latency;
    subject->numbers.n_to = subject->numbers.n_from = 0;
}

// As a CPU file names what the recipe reads. Null: it has no name there.
static const char *name_of_read(const struct subject_view *view, const struct form *form,
                                const struct cpu_recipe *recipe, const struct cpu_read *read) {
    const struct cpu *cpu = view->cpu;
    int n_explicit = 0;
    for (unsigned i = 0; i < form->n_operands; i++) {
        bool is_memory = form->operands[i].kind == FORM_MEMORY || form->operands[i].kind == FORM_ADDRESS;
        if (is_memory || form->operands[i].is_read || !form->operands[i].is_written)
            n_explicit += is_memory ? OPERANDS_OF_ADDRESS : 1;
    }
    if (read->operand >= 0 && read->operand < n_explicit)
        return arena_printf(view->kept, "%d", read->operand);
    if (cpu_is_flag(cpu, read->unit))
        return read->unit == cpu->carry ? "carry" : "EFLAGS";
    for (unsigned i = 0; i < recipe->insn->n_reads; i++)
        if (cpu->units[recipe->insn->reads[i].reg] == read->unit)
            return cpu->machine->registers[recipe->insn->reads[i].reg].name;
    return NULL;
}

void subject_delay_source(const struct subject_view *view, struct subject *subject, const struct check_value *value,
                          double missing) {
    struct cpu_recipe recipe;
    struct ends from = {.n = 0};
    const double late = floor(missing + 0.2); // a sum is an upper bound of its part
    const bool is_address = subject_is_of_address(value);
    const char *name = is_address ? NULL : name_of(view->arena, subject->form, value->source, true);
    if (late < 1 || (!name && !is_address) || subject->numbers.n_to || !subject_recipe(view, subject, &recipe) ||
        recipe.rename != CPU_EXECUTES || recipe.n_stores || (is_address && !recipe.n_loads) || !recipe.n_writes)
        return;
    const double now = recipe.writes[0].latency;
    double longest = recipe.n_loads ? now + (is_address ? late : 0) : 0;
    const double loaded = recipe.n_loads ? longest : INFINITY;
    for (unsigned w = 1; w < recipe.n_writes; w++)
        if (fabs(recipe.writes[w].latency - now) > 0.05)
            return;
    for (unsigned r = 0; r < recipe.n_reads; r++) {
        const struct cpu_read *read = &recipe.reads[r];
        const char *known = read->is_address ? NULL : name_of_read(view, subject->form, &recipe, read);
        if (read->is_address || (known && strcmp(known, "MXCSR") == 0)) // no experiment has a chain through that
            continue;
        const double cycles = now - read->early + (known && name && strcmp(known, name) == 0 ? late : 0);
        const unsigned at = known ? place_of(&from, known) : MOST_ENDS;
        if (at == MOST_ENDS)
            return;
        from.cycles[at] = fmax(from.cycles[at], cycles);
        longest = fmax(longest, cycles);
    }
    if (longest > loaded) // what is loaded would come too late
        return;
    subject->numbers.has_latency = subject->numbers.is_split = true;
    subject->numbers.latency = longest;
    subject->numbers.n_from = 0;
    for (unsigned f = 0; f < from.n; f++)
        if (longest - from.cycles[f] > 0.05)
            add_end(subject->numbers.from, &subject->numbers.n_from, from.names[f], from.cycles[f]);
}

void subject_take_memory(const struct subject_view *view, struct subject *subject) {
    struct cpu_recipe recipe;
    for (size_t i = 0; i < subject->n_values; i++) {
        const struct check_value *value = &subject->values[i];
        bool is_through = value->quantity == CHECK_LATENCY && table_is_single(&value->value) &&
                          strcmp(value->source, "memory") == 0 && strcmp(value->destination, "memory") == 0;
        struct predicted predicted = is_through ? predictor_predict(view->predictor, value) : (struct predicted){0};
        if (!is_through || !predicted.is_known || !subject_differs(value, value->value.cycles, predicted.cycles) ||
            !subject_recipe(view, subject, &recipe) || recipe.serial > 0)
            continue;
        double delay = rounded(recipe.store_delay + value->value.cycles - predicted.cycles);
        if (delay >= 0 && recipe.n_stores)
            add_end(subject->numbers.to, &subject->numbers.n_to, "memory", delay);
    }
}
