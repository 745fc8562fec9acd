// Which pipes an instruction holds, and for how long: the base's, but where its throughput is another one.
#include "infer/subject.h"

#include "bench/whole.h"

#include <math.h>
#include <string.h>

enum { MICROCODED = 100 }; // cycles, or uops, that LLVM's tables have of what they do not describe

// Uses that are being changed.
struct uses {
    struct cpu_use items[CPU_MOST_USES];
    unsigned n;
};

static double count(uint64_t pipes) {
    return fmax(__builtin_popcountll(pipes), 1);
}

// The resource that is these pipes; null: none is.
static const char *resource_of(const struct cpu *cpu, uint64_t pipes) {
    for (unsigned i = 1; i < cpu->machine->n_resources; i++)
        if (cpu->machine->resources[i].mask && cpu_pipes(cpu, cpu->machine->resources[i].mask) == pipes)
            return cpu->machine->resources[i].name;
    return NULL;
}

static bool is_whole(double cycles) {
    return cycles > 0.5 && fabs(cycles - round(cycles)) < WHOLE_GUESS * cycles;
}

static double held_within(const struct uses *uses, uint64_t pipes) {
    double cycles = 0;
    for (unsigned i = 0; i < uses->n; i++)
        cycles += uses->items[i].pipes & ~pipes ? 0 : uses->items[i].cycles;
    return cycles;
}

// The longest time that the uses hold a set of pipes: those of one use, or of several. Sets that set.
static double longest(const struct uses *uses, uint64_t *pipes) {
    double most = 0;
    for (unsigned some = 1; some < 1U << uses->n; some++) {
        uint64_t all = 0;
        for (unsigned i = 0; i < uses->n; i++)
            all |= some >> i & 1 ? uses->items[i].pipes : 0;
        double time = held_within(uses, all) / count(all);
        if (time <= most + 1e-9)
            continue;
        most = time;
        *pipes = all;
    }
    return most;
}

// What a throughput shows: two figures or three. Equal numbers share a rule.
static double figures(double cycles) {
    double scale = cycles < 1 ? 100 : cycles < 20 ? 10 : 1;
    return round(cycles * scale) / scale;
}

// How well a use of that many cycles fits; HUGE_VAL: not at all. A bound is met by what takes less, the nearest best.
static double misfit(double time, bool is_bound, double pipes, double cycles) {
    if (is_bound)
        return cycles >= 1 && cycles <= 1.02 * time * pipes ? time - cycles / pipes : HUGE_VAL;
    return is_whole(time * pipes) ? cycles - 1 : HUGE_VAL;
}

// A use that takes so long a time: of these pipes where that is a whole number of cycles; else of a resource that holds
// them, or of one among them, where it is one there; else a fraction of these.
static struct cpu_use use_for(const struct cpu *cpu, uint64_t pipes, double time, bool is_bound) {
    struct cpu_use best = {pipes, figures(time * count(pipes))};
    double least = HUGE_VAL;
    if (is_whole(time * count(pipes)))
        return (struct cpu_use){pipes, round(time * count(pipes))};
    for (unsigned i = 1; i < cpu->machine->n_resources; i++) {
        uint64_t other = cpu->machine->resources[i].mask ? cpu_pipes(cpu, cpu->machine->resources[i].mask) : 0;
        bool is_related = other && (!(other & ~pipes) || !(pipes & ~other)) && !(other & cpu->memory_pipes);
        double cycles = is_bound ? floor(1.02 * time * count(other)) : round(time * count(other));
        double worse = misfit(time, is_bound, count(other), cycles) + fabs(count(other) - count(pipes)) / 1024;
        if (!is_related || worse >= least)
            continue;
        least = worse;
        best = (struct cpu_use){other, cycles};
    }
    return best;
}

// Puts one use of such a time in place of all that hold exactly these pipes.
static void replace(const struct cpu *cpu, struct uses *uses, uint64_t pipes, double time, bool is_bound) {
    struct uses others = {.n = 0};
    for (unsigned i = 0; i < uses->n; i++)
        if (uses->items[i].pipes != pipes)
            others.items[others.n++] = uses->items[i];
    double rest = time - held_within(&others, pipes) / count(pipes);
    if (rest > 0.01 && others.n < CPU_MOST_USES)
        others.items[others.n++] = use_for(cpu, pipes, rest, is_bound);
    *uses = others;
}

static void set_uses(const struct subject_view *view, const struct uses *uses, struct numbers *numbers) {
    struct number_use named[NUMBERS_MOST_USES];
    if (uses->n > NUMBERS_MOST_USES)
        return;
    for (unsigned i = 0; i < uses->n; i++) {
        const char *name = resource_of(view->cpu, uses->items[i].pipes);
        if (!name)
            return;
        named[i] = (struct number_use){arena_strdup(view->kept, name), uses->items[i].cycles};
    }
    memcpy(numbers->uses, named, sizeof named);
    numbers->n_uses = uses->n;
    numbers->has_uses = true;
}

// The table's throughput; null: it is not stable.
static const struct check_value *throughput_of(const struct subject *subject) {
    for (size_t i = 0; i < subject->n_values; i++)
        if (subject->values[i].quantity == CHECK_THROUGHPUT && !*subject->values[i].detail)
            return table_is_stable(&subject->values[i].value) ? &subject->values[i] : NULL;
    return NULL;
}

// What a throughput says at least. Of two speeds nobody knows which one another value had: it takes the faster one's
// time, and a model that has less is wrong of both.
static double least_of(const struct check_value *value) {
    return value->value.has_two_speeds ? value->value.low : value->value.cycles;
}

static const struct check_value *slots_of(const struct subject *subject) {
    for (size_t i = 0; i < subject->n_values; i++)
        if (subject->values[i].quantity == CHECK_SLOTS && table_is_stable(&subject->values[i].value))
            return &subject->values[i];
    return NULL;
}

// Whether it takes no whole number of slots, as microcode does not: it shares no group of dispatch with others, and so
// keeps these from the rest of its last one. The whole slots among them are its own.
static bool takes_whole_groups(const struct check_value *value) {
    return ceil(value->value.low) > value->value.high;
}

void subject_take_slots(const struct subject_view *view, struct subject *subject) {
    const struct check_value *value = slots_of(subject);
    struct cpu_recipe recipe;
    if (!value || !subject_recipe(view, subject, &recipe))
        return;
    unsigned slots = (unsigned)floor(value->value.cycles + 0.1);
    const bool is_exact = value->value.relation == TABLE_EQUAL || takes_whole_groups(value);
    if (slots >= 1 && (is_exact ? recipe.slots != slots : recipe.slots > slots)) {
        subject->numbers.has_slots = true;
        subject->numbers.slots = slots;
    }
}

// Whether copies of it take that time by themselves: nothing else is in the measured code that takes pipes.
static bool is_pure(const struct subject_view *view, const struct check_value *value, const char *opcode) {
    struct block block = {0};
    struct fail fail = {0};
    if (value->value.n_parts != 1 || !value->value.parts[0].code ||
        !predictor_describe(view->predictor, view->arena, value->value.parts[0].code, &block, &fail))
        return false;
    for (unsigned i = 0; i < block.n_insns; i++) {
        struct cpu_recipe recipe;
        cpu_recipe_make(view->cpu, &block.insns[i], &recipe);
        if (strcmp(block.insns[i].opcode, opcode) != 0 && !block.insns[i].is_branch && recipe.n_uses)
            return false;
    }
    return true;
}

// What LLVM does not describe: its copies follow each other after a measured time.
static void take_microcoded(const struct subject_view *view, struct subject *subject, const struct check_value *value,
                            const struct cpu_recipe *recipe) {
    struct numbers *numbers = &subject->numbers;
    static const double error = 0.1; // slots: of the clock
    double time = least_of(value), width = cpu_value(view->cpu, CPU_DISPATCH_WIDTH);
    unsigned most = width > 0 ? (unsigned)fmax(floor(time * width + error), 1) : recipe->slots;
    numbers->has_serial = value->value.relation == TABLE_EQUAL && !value->waits_for_lines;
    numbers->serial = figures(time);
    numbers->has_uses = true;
    numbers->n_uses = 0;
    if (recipe->slots > most || numbers->slots > most) {
        numbers->has_slots = true;
        numbers->slots = most;
    }
    if (!subject->is_known && recipe->latency + recipe->load_latency > time) {
        numbers->has_latency = numbers->is_at_most = true;
        numbers->latency = floor(fmax(time - recipe->load_latency, 0));
    }
}

// The use that is held shortest of those within the pipes goes.
static void drop_shortest(struct uses *uses, uint64_t pipes) {
    unsigned shortest = uses->n;
    for (unsigned i = 0; i < uses->n; i++)
        if (!(uses->items[i].pipes & ~pipes) &&
            (shortest == uses->n || uses->items[i].cycles <= uses->items[shortest].cycles))
            shortest = i;
    if (shortest < uses->n)
        uses->items[shortest] = uses->items[--uses->n];
}

static bool is_one_use(const struct uses *uses, uint64_t pipes) {
    for (unsigned i = 0; i < uses->n; i++)
        if (uses->items[i].pipes == pipes)
            return true;
    return false;
}

// Where its pipes are held too long, the longest one is held for less. Of two speeds, for longer than at both of them.
static bool shorten(const struct cpu *cpu, struct uses *uses, const struct check_value *value) {
    enum { MOST_STEPS = 8 };
    const double time = value->value.cycles, slowest = value->value.has_two_speeds ? value->value.high : time;
    bool is_changed = false;
    uint64_t pipes = 0;
    for (unsigned i = 0; i < MOST_STEPS; i++) {
        double most = longest(uses, &pipes);
        if (most <= slowest || !subject_differs(value, slowest, most))
            break;
        if (is_one_use(uses, pipes))
            replace(cpu, uses, pipes, time, check_value_is_bound(value));
        else
            drop_shortest(uses, pipes);
        is_changed = true;
    }
    return is_changed;
}

// Where it takes longer, the pipes that limit it are held for longer; a store's, or a load's, where it has no other.
static void lengthen(const struct subject_view *view, struct uses *uses, const struct cpu_recipe *recipe, double time) {
    uint64_t pipes = 0;
    longest(uses, &pipes);
    if (!is_one_use(uses, pipes))
        pipes = recipe->n_stores ? view->cpu->store_data_pipes : recipe->n_loads ? view->cpu->load_pipes : 0;
    if (!pipes && !recipe->is_vector)
        pipes = view->scalar_pipes;
    if (pipes)
        replace(view->cpu, uses, pipes, time, false);
}

// Whether no single pipe explains the time: it has several, and takes longer than some operations on each would.
static bool is_of_many_steps(const struct uses *uses, double time) {
    static const double most = 2; // cycles
    uint64_t pipes = 0;
    longest(uses, &pipes);
    return time > most && __builtin_popcountll(pipes) != 1;
}

// Whether a bound is so far above what the model has that it is nearer to the form than the model: what stands around
// it, or what its copies wait for, is in the model's time as well. Of those that single pipes explain it is none.
static bool is_far_below(const struct uses *uses, double predicted, double time) {
    static const double far = 4;
    return far * predicted < time && is_of_many_steps(uses, time);
}

void subject_take_throughput(const struct subject_view *view, struct subject *subject) {
    const struct check_value *value = throughput_of(subject);
    struct cpu_recipe recipe;
    if (!value || !subject_recipe(view, subject, &recipe) || recipe.rename != CPU_EXECUTES || recipe.insn->is_branch)
        return;
    const struct sched_insn *cost = recipe.insn->cost;
    if (cost->latency >= MICROCODED || cost->uops >= MICROCODED) {
        take_microcoded(view, subject, value, &recipe);
        return;
    }
    struct uses uses = {.n = recipe.n_uses < NUMBERS_MOST_USES ? recipe.n_uses : NUMBERS_MOST_USES};
    memcpy(uses.items, recipe.uses, sizeof uses.items);
    if (shorten(view->cpu, &uses, value)) {
        set_uses(view, &uses, &subject->numbers);
        return;
    }
    const double time = least_of(value);
    struct predicted predicted = predictor_predict(view->predictor, value);
    const bool is_slower =
                   predicted.is_known && predicted.cycles < time && subject_differs(value, time, predicted.cycles),
               is_its_own = !check_value_is_bound(value) && is_pure(view, value, subject->form->opcode);
    if (!is_slower || !(is_its_own || is_far_below(&uses, predicted.cycles, time)))
        return;
    if (is_of_many_steps(&uses, time)) {
        subject->numbers.has_serial = true;
        subject->numbers.serial = figures(time);
        return;
    }
    lengthen(view, &uses, &recipe, time);
    set_uses(view, &uses, &subject->numbers);
}
