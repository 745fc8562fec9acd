#include "analyzer/predict/bounds_words.h"

#include "analyzer/cpu/pipes.h"
#include "base/text.h"

#include <math.h>

const char *bounds_insn_words(struct arena *arena, const struct bounds_words *words, unsigned insn) {
    const char *text = words->block->insns[insn].text;
    return arena_printf(arena, "%u %s", insn + 1, text ? text_without_tabs(arena, text) : "?");
}

const char *bounds_link_words(struct arena *arena, const struct bounds_words *words, const struct bound_link *link) {
    const char *reg = cpu_unit_name(arena, words->cpu, link->unit);
    switch (link->way) {
    case BOUND_BY_REGISTER:
        return reg;
    case BOUND_BY_ADDRESS:
        return arena_printf(arena, "%s, its address", reg);
    case BOUND_BY_STORE:
        return "memory";
    case BOUND_BY_STORE_ADDRESS:
        return arena_printf(arena, "%s, the address of a store", reg);
    case BOUND_BY_OLDER:
        return "all before a store that cannot be forwarded";
    case BOUND_BY_SERIAL:
        return "the one before, which excludes it";
    case BOUND_BY_NOTHING:
        break;
    }
    return "";
}

const char *bounds_list_words(struct arena *arena, const bool *are_listed, unsigned n_insns) {
    enum { MOST = 12 };
    struct text text = {.arena = arena};
    unsigned n = 0, seen = 0;
    for (unsigned i = 0; i < n_insns; i++)
        n += are_listed[i];
    if (n > MOST || n == n_insns)
        return n == n_insns ? "all instructions" : arena_printf(arena, "%u of %u instructions", n, n_insns);
    text_addf(&text, "instruction%s ", n == 1 ? "" : "s");
    for (unsigned i = 0; i < n_insns; i++)
        if (are_listed[i])
            text_addf(&text, "%s%u", seen++ == 0 ? "" : seen == n ? " and " : ", ", i + 1);
    return text.data;
}

// "4 cycles", "1 cycle".
static const char *some(struct arena *arena, double n, const char *noun) {
    return arena_printf(arena, "%.4g %s%s", n, noun, n == 1 ? "" : "s");
}

static const char *say_chain(struct arena *arena, const struct bounds_words *words) {
    enum { SHOWN_FIRST = 3, SHOWN_LAST = 1 };
    const struct bounds_explained *found = words->found;
    struct text text = {.arena = arena};
    if (!found->n_chain)
        return "no single chain repeats: results of one iteration are wanted by the next in ways that change";
    text_addf(&text, "%s from iteration to iteration:", some(arena, found->bounds.cycles[BOUND_LATENCY], "cycle"));
    if (found->chain_turns > 1)
        text_addf(&text, " in %u iterations", found->chain_turns);
    for (unsigned i = 0; i < found->n_chain; i++) {
        const struct bound_link *link = &found->chain[i];
        unsigned left = found->n_chain > SHOWN_FIRST + SHOWN_LAST + 1 ? found->n_chain - SHOWN_FIRST - SHOWN_LAST : 0;
        if (left && i == SHOWN_FIRST) {
            text_addf(&text, ", %u more", left);
            i += left - 1;
            continue;
        }
        text_addf(&text, "%s %s takes %.4g from %s", i ? "," : "", bounds_insn_words(arena, words, link->insn),
                  link->cycles, bounds_link_words(arena, words, link));
    }
    return text.data;
}

static double held(const struct bounds_words *words) {
    const struct bounds_explained *found = words->found;
    double cycles = 0;
    for (unsigned i = 0; i < found->n_insns; i++)
        for (unsigned u = 0; u < found->recipes[i].n_uses; u++)
            cycles += found->recipes[i].uses[u].pipes & ~found->bounds.pipes ? 0 : found->recipes[i].uses[u].cycles;
    return cycles;
}

static double count(const struct bounds_words *words, bool stores) {
    double n = 0;
    for (unsigned i = 0; i < words->found->n_insns; i++)
        n += stores ? words->found->recipes[i].n_stores : words->found->recipes[i].n_loads;
    return n;
}

// Of the loads of an iteration, or the stores: how many go to memory in a cycle, where that alone makes the bound.
static const char *say_rate(struct arena *arena, const struct bounds_words *words, enum bound_kind kind, double n,
                            enum cpu_parameter rate) {
    enum { TOLD = 100 }; // a cycle's parts that are printed
    const double cycles = words->found->bounds.cycles[kind];
    const bool is_it = cpu_knows(words->cpu, rate) && fabs(n - cycles * cpu_value(words->cpu, rate)) * TOLD < 1;
    return is_it ? arena_printf(arena, ", of which %g go to memory in a cycle", cpu_value(words->cpu, rate)) : "";
}

// Of loads alone, or of stores as well, which share what accesses wait for.
static const char *say_loads(struct arena *arena, const struct bounds_words *words, const char *makers) {
    const struct bounds *bounds = &words->found->bounds;
    const double n = count(words, false);
    const char *loads = some(arena, n, "load");
    if (!bounds->counts_stores)
        return arena_printf(arena, "%s%s, of %s", loads, say_rate(arena, words, BOUND_LOADS, n, CPU_LOADS), makers);
    const char *lost =
        bounds->crowded > 0 ? arena_printf(arena, ", and %.2f cycles are lost where these crowd", bounds->crowded) : "";
    return arena_printf(arena, "%s and %s, of which %g go to memory in a cycle%s, of %s", loads,
                        some(arena, count(words, true), "store"), cpu_value(words->cpu, CPU_ACCESSES), lost, makers);
}

static const char *say_stores(struct arena *arena, const struct bounds_words *words, const char *makers) {
    const double n = count(words, true);
    return arena_printf(arena, "%s%s, of %s", some(arena, n, "store"),
                        say_rate(arena, words, BOUND_STORES, n, CPU_STORES), makers);
}

static const char *say_vector_slots(struct arena *arena, const struct bounds_words *words) {
    return arena_printf(arena, "%s of vector instructions, of which %g are renamed and dispatched in a cycle",
                        some(arena, words->found->bounds.vector_slots, "slot"),
                        cpu_value(words->cpu, CPU_DISPATCH_WIDTH_VECTOR));
}

static void add_end(struct text *ends, const char *what) {
    text_addf(ends, "%s%s", ends->length ? ", or " : "", what);
}

// What ends a group of dispatch that has room for more slots.
static const char *say_ends(struct arena *arena, const struct bounds_words *words) {
    struct text ends = {.arena = arena};
    bool has_two = false, has_fields = false;
    for (unsigned i = 0; i < words->found->n_insns; i++) {
        has_two |= words->found->recipes[i].slots == 2 && cpu_does(words->cpu, CPU_DISPATCHES_WHOLE);
        has_fields |= words->found->recipes[i].dispatch.fields > 0;
    }
    text_add(&ends, "");
    if (has_two)
        add_end(&ends, "two of one instruction");
    if (has_fields)
        add_end(&ends, arena_printf(arena,
                                    "more than %g immediates and displacements, as %g of which an add or sub of the "
                                    "stack pointer counts",
                                    cpu_value(words->cpu, CPU_DISPATCH_FIELDS),
                                    cpu_value(words->cpu, CPU_STACK_ADJUSTMENT_FIELDS)));
    if (words->found->bounds.by_pipes)
        add_end(&ends, "an operation whose pipes were all given one in that cycle");
    return ends.data;
}

static const char *say_slots(struct arena *arena, const struct bounds_words *words, enum cpu_parameter width,
                             const char *verb) {
    const char *syncs = words->found->n_syncs ? arena_printf(arena, ", %u of them to synchronise the stack pointer",
                                                             words->found->n_syncs)
                                              : "";
    const double room = words->found->bounds.cycles[BOUND_DISPATCH] * cpu_value(words->cpu, width);
    const bool is_apart = width == CPU_DISPATCH_WIDTH && room > words->found->bounds.slots + 0.01;
    const char *empty = is_apart ? arena_printf(arena, ", and room for %.2f stays empty before %s",
                                                room - words->found->bounds.slots, say_ends(arena, words))
                                 : "";
    return arena_printf(arena, "%s%s, of which %g %s in a cycle%s", some(arena, words->found->bounds.slots, "slot"),
                        syncs, cpu_value(words->cpu, width), verb, empty);
}

// Instructions that are more than the others' for the front end: with a prefix that changes their length; of several
// slots.
static const char *list_slow(struct arena *arena, const struct bounds_words *words, bool by_length) {
    struct text text = {.arena = arena};
    unsigned n = 0;
    for (unsigned i = 0; i < words->found->n_insns; i++) {
        const struct cpu_recipe *recipe = &words->found->recipes[i];
        if (by_length ? recipe->encoding.changes_length : recipe->decoded_slots > 1)
            text_addf(&text, "%s %u", n++ ? "," : "", i + 1);
    }
    if (!n)
        return "";
    return by_length ? arena_printf(arena, "; a prefix changes the length of instruction%s%s, at %g cycles each",
                                    n == 1 ? "" : "s", text.data, cpu_value(words->cpu, CPU_LENGTH_CHANGE_STALL))
                     : arena_printf(arena, "; of several slots, which the first decoder alone takes: instruction%s%s",
                                    n == 1 ? "" : "s", text.data);
}

const char *bounds_sentence(struct arena *arena, const struct bounds_words *words, enum bound_kind kind) {
    const struct cpu *cpu = words->cpu;
    const char *makers = bounds_list_words(arena, words->found->parts[kind].is_maker, words->found->n_insns);
    switch (kind) {
    case BOUND_DISPATCH:
        return words->found->is_of_vectors ? say_vector_slots(arena, words)
                                           : say_slots(arena, words, CPU_DISPATCH_WIDTH, "are renamed and dispatched");
    case BOUND_RETIRE:
        return say_slots(arena, words, CPU_RETIRE_WIDTH, "retire");
    case BOUND_PREDECODE:
        return arena_printf(arena, "%s in windows of %g, in each of which %g instructions are found in a cycle%s",
                            some(arena, block_bytes(words->block), "byte"), cpu_value(cpu, CPU_FETCH_BYTES),
                            cpu_value(cpu, CPU_PREDECODE_WIDTH), list_slow(arena, words, true));
    case BOUND_DECODE:
        return cpu_knows(cpu, CPU_DECODERS)
                   ? arena_printf(arena, "%g decoders take the instructions in their order%s",
                                  cpu_value(cpu, CPU_DECODERS), list_slow(arena, words, false))
                   : arena_printf(arena, "%s, of which decoders take %g in a cycle",
                                  some(arena, block_bytes(words->block), "byte"), cpu_value(cpu, CPU_DECODED_BYTES));
    case BOUND_CACHE:
        return arena_printf(arena, "%s and %s in lines of decoded instructions",
                            some(arena, words->found->bounds.slots, "slot"),
                            some(arena, block_bytes(words->block), "byte"));
    case BOUND_PORTS: {
        int n = __builtin_popcountll(words->found->bounds.pipes);
        return arena_printf(arena, "%s, %s, %s held for %s by %s",
                            cpu_pipes_name(arena, cpu, words->found->bounds.pipes), some(arena, n, "pipe"),
                            n == 1 ? "is" : "are", some(arena, held(words), "cycle"), makers);
    }
    case BOUND_LOADS:
        return say_loads(arena, words, makers);
    case BOUND_STORES:
        return say_stores(arena, words, makers);
    case BOUND_LATENCY:
        return say_chain(arena, words);
    case BOUND_BUFFER:
        return arena_printf(arena, "a chain of %s, and of the iteration's %s the reorder buffer holds %g at a time",
                            some(arena, words->found->bounds.longest, "cycle"),
                            some(arena, words->found->bounds.slots, "slot"), cpu_value(cpu, CPU_REORDER_BUFFER));
    case BOUND_N:
        break;
    }
    return "";
}

const char *bounds_largest_sentence(struct arena *arena, const struct bounds_words *words) {
    const struct bounds *bounds = &words->found->bounds;
    return bounds->most > 0 ? bounds_sentence(arena, words, bounds->largest)
                            : "this model states nothing that limits the block";
}

const char *bounds_next_sentence(struct arena *arena, const struct bounds_words *words) {
    const struct bounds *bounds = &words->found->bounds;
    return bounds->cycles[bounds->next] > 0 ? bounds_sentence(arena, words, bounds->next) : "";
}

const char *const bounds_note_apart = "addresses are not followed: no load waits for a store";

size_t bounds_list_notes(struct arena *arena, const struct bounds_words *words, const char ***notes) {
    const struct bounds_explained *found = words->found;
    bool *is_doubtful = ARENA_ARRAY(arena, bool, found->n_insns);
    size_t n_notes = 0;
    *notes = NULL;
    if (found->bounds.n_unfollowed)
        *ARENA_ADD(arena, *notes, n_notes) = !words->cpu->is_x86
                                                 ? bounds_note_apart
                                                 : "not all addresses follow from registers: such accesses are taken "
                                                   "to be apart; cyclops run finds them";
    for (unsigned d = 0; d < BOUNDS_N_DOUBTS; d++) {
        unsigned n = 0;
        for (unsigned i = 0; i < found->n_insns; i++)
            n += is_doubtful[i] = bounds_is_doubtful(&found->recipes[i], (enum bounds_doubt)d);
        if (n)
            *ARENA_ADD(arena, *notes, n_notes) =
                arena_printf(arena, "%s: %s", bounds_list_words(arena, is_doubtful, found->n_insns),
                             bounds_doubt_sentence((enum bounds_doubt)d));
    }
    return n_notes;
}
