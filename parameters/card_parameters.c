#include "parameters/card_parameters.h"

#include "base/text.h"
#include "bench/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    struct arena *arena;
    const struct card *card;
};

static struct card_parameter unknown(const char *why) {
    return (struct card_parameter){.why = why};
}

static struct card_parameter flag(bool is_set, const char *source) {
    return (struct card_parameter){.is_known = true, .value = is_set, .low = is_set, .high = is_set, .source = source};
}

// Entries with one number each: near a whole one, that; else of counts the nearest whole one, of others a tenth. An
// interval that is wider than a twentieth is no number.
static struct card_parameter number_of(const struct asked *asked, const char *name) {
    static const double widest = 0.05, tenth = 0.1;
    const struct card_entry *entry = card_find(asked->card, name);
    if (!entry)
        return unknown(arena_printf(asked->arena, "the card has no %s", name));
    if (entry->verdict == CARD_UNKNOWN)
        return unknown(arena_printf(asked->arena, "%s is not determined%s%s", name, entry->why ? ": " : "",
                                    entry->why ? entry->why : ""));
    if (entry->verdict == CARD_AT_LEAST)
        return unknown(arena_printf(asked->arena, "%s is %g at least", name, entry->low));
    double middle = (entry->low + entry->high) / 2, whole = round(middle);
    bool is_count = entry->unit && !strstr(entry->unit, "cycle"),
         is_near = entry->high - entry->low <= 2 * WHOLE_PARAMETER;
    if (!is_near && entry->high - entry->low > widest * middle)
        return unknown(arena_printf(asked->arena, "%s is anything from %.4g to %.4g", name, entry->low, entry->high));
    bool is_whole = is_count || (fabs(middle - whole) <= WHOLE_PARAMETER && is_near);
    const char *source = entry->verdict == CARD_EXACT
                             ? name
                             : arena_printf(asked->arena, "%s, %.4g to %.4g", name, entry->low, entry->high);
    return (struct card_parameter){.is_known = true,
                                   .value = (is_whole ? whole : round(middle / tenth) * tenth) + 0.0, // no -0
                                   .low = entry->low,
                                   .high = entry->high,
                                   .source = source};
}

// What the card says of an entry in words begins so.
static bool says(const struct card_entry *entry, const char *word) {
    return entry && entry->why && text_starts(entry->why, word);
}

// A flag that all entries show: each says `yes`, or each says `no`.
static struct card_parameter flag_of(const struct asked *asked, const char *const *names, const char *yes,
                                     const char *no) {
    struct text source = {.arena = asked->arena};
    size_t n = 0, n_yes = 0, n_no = 0;
    for (; names[n]; n++) {
        const struct card_entry *entry = card_find(asked->card, names[n]);
        bool is_no = says(entry, no), is_yes = says(entry, yes) && !is_no;
        if (!is_no && !is_yes)
            return unknown(
                arena_printf(asked->arena, entry ? "the card does not decide %s" : "the card has no %s", names[n]));
        n_yes += is_yes;
        n_no += is_no;
        text_addf(&source, "%s%s", n ? ", " : "", names[n]);
    }
    if (n_yes && n_no)
        return unknown(arena_printf(asked->arena, "of %s, some are %s and some not", source.data, yes));
    return flag(n_yes, source.data);
}

// An idiom that only breaks the dependence is executed: it takes longer than one that takes no pipe.
static struct card_parameter zeroes(const struct asked *asked) {
    static const double slack = 1.05;
    static const char *const names[] = {"same-xor-r64", "same-sub-r64", "same-pcmpgtd-xmm", NULL};
    static const char source[] = "same-xor-r64, same-sub-r64, same-pcmpgtd-xmm";
    struct card_parameter all = flag_of(asked, names, "breaks", "waits");
    const struct card_entry *executed = card_find(asked->card, "same-pcmpgtd-xmm"),
                            *free = card_find(asked->card, "same-vxorps-ymm");
    if (!all.is_known)
        return all;
    if (!free || free->verdict == CARD_UNKNOWN || free->verdict == CARD_AT_LEAST)
        return unknown("the card has no time of same-vxorps-ymm, which takes no pipe");
    return flag(all.value != 0 && executed->low <= slack * free->high, source);
}

// A push and a pop: without a stack engine each would change the stack pointer in a cycle of its own.
static struct card_parameter stack_engine(const struct asked *asked) {
    static const double most = 1.1, least = 1.9;
    struct card_parameter pair = number_of(asked, "push");
    if (!pair.is_known)
        return pair;
    if (pair.high > most && pair.low < least)
        return unknown(arena_printf(asked->arena, "push is %.3g cycles: between an engine and none", pair.value));
    return flag(pair.high <= most, "push");
}

static struct card_parameter forwarded(const struct asked *asked, const char *name) {
    const struct card_entry *entry = card_find(asked->card, name);
    if (entry && entry->verdict != CARD_UNKNOWN && !says(entry, "forwarded"))
        return unknown(arena_printf(asked->arena, "%s is not forwarded: %s", name, entry->why ? entry->why : "a time"));
    return number_of(asked, name);
}

static struct card_parameter forward(const struct asked *asked) {
    return forwarded(asked, "forward-64-to-8-at-0");
}

static struct card_parameter forward_vector(const struct asked *asked) {
    return forwarded(asked, "forward-128-to-128-at-0");
}

// What it takes longer than through a base register.
static struct card_parameter scaled_index(const struct asked *asked) {
    struct card_parameter scaled = number_of(asked, "load-latency-scaled-index"),
                          base = number_of(asked, "load-latency");
    if (!scaled.is_known || !base.is_known)
        return scaled.is_known ? base : scaled;
    scaled.value -= base.value;
    scaled.low -= base.high;
    scaled.high -= base.low;
    return scaled;
}

static struct card_parameter blocked(const struct asked *asked) {
    static const char name[] = "forward-8-to-16-at-0";
    if (!says(card_find(asked->card, name), "failed"))
        return unknown(arena_printf(asked->arena, "the card shows no failed %s", name));
    return number_of(asked, name);
}

static bool renames(const struct asked *asked) {
    return says(card_find(asked->card, "memory-64-to-64"), "renamed");
}

static const char not_renamed[] = "the card shows no load whose store is found at rename";

static struct card_parameter renamed_latency(const struct asked *asked) {
    return renames(asked) ? number_of(asked, "memory-renamed-latency") : unknown(not_renamed);
}

static struct card_parameter renames_indexed(const struct asked *asked) {
    static const char *const names[] = {"memory-indexed", NULL};
    return renames(asked) ? flag_of(asked, names, "renamed", "not renamed") : unknown(not_renamed);
}

static struct card_parameter renamed_least(const struct asked *asked) {
    static const char *const names[] = {"memory-8-to-8", "memory-16-to-16", "memory-32-to-32"};
    double bytes = 1;
    if (!renames(asked))
        return unknown(not_renamed);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++, bytes *= 2) {
        const struct card_entry *entry = card_find(asked->card, names[i]);
        if (!says(entry, "renamed") && !says(entry, "not renamed"))
            return unknown(arena_printf(asked->arena, "the card does not decide %s", names[i]));
        if (says(entry, "renamed"))
            break;
    }
    const struct card_parameter found = {.is_known = true,
                                         .value = bytes,
                                         .low = bytes,
                                         .high = bytes,
                                         .source = "memory-8-to-8, memory-16-to-16, memory-32-to-32"};
    return found;
}

// Stores to two lines by turns, in times of those to one line after the other.
static struct card_parameter stores_by_line(const struct asked *asked) {
    static const double same = 1.05, slower = 1.5;
    struct card_parameter order = number_of(asked, "store-line-order");
    const struct card_entry *entry = card_find(asked->card, "store-line-order");
    if (!order.is_known)
        return order;
    if (entry->high > same && entry->low < slower)
        return unknown(arena_printf(asked->arena, "store-line-order is %.3g: neither one nor two", order.value));
    return flag(entry->low >= slower, "store-line-order");
}

// A scheduler that is as large as that of general registers is the same one, as far as the card shows.
static struct card_parameter own_scheduler(const struct asked *asked, const char *name) {
    const struct card_entry *shared = card_find(asked->card, "scheduler-integer");
    struct card_parameter own = number_of(asked, name);
    bool is_apart = shared && (shared->verdict == CARD_EXACT || shared->verdict == CARD_WITHIN) && own.is_known &&
                    (own.low > shared->high || own.high < shared->low);
    return !own.is_known || is_apart ? own : unknown(arena_printf(asked->arena, "%s may be the shared one", name));
}

static struct card_parameter scheduler_vector(const struct asked *asked) {
    return own_scheduler(asked, "scheduler-vector");
}

static struct card_parameter scheduler_load(const struct asked *asked) {
    return own_scheduler(asked, "scheduler-load");
}

enum { MOST_FLAGS = 4 };

static const struct rule {
    enum cpu_parameter parameter;
    const char *entry; // whose number it is; null: `find` finds it, or all of `flags` say one of `yes` and `no`
    struct card_parameter (*find)(const struct asked *asked);
    const char *flags[MOST_FLAGS + 1], *yes, *no;
} rules[] = {
    {CPU_DISPATCH_WIDTH, .entry = "dispatch"},
    {CPU_RETIRE_WIDTH, .entry = "retire"},
    {CPU_MACRO_FUSION, .flags = {"pair-cmp-jne", "pair-test-jne", "pair-add-jne", "pair-dec-je"}, .yes = "fused",
     .no = "not fused"},
    {CPU_MACRO_FUSION_LOGIC, .flags = {"pair-or-jne", "pair-xor-jne", "pair-cmp-js"}, .yes = "fused",
     .no = "not fused"},
    {CPU_MOVE_FUSION, .flags = {"fused-move-add-straight"}, .yes = "fused", .no = "not fused"},
    {CPU_MOVES_ELIMINATED, .flags = {"move-mov-r64"}, .yes = "eliminated", .no = "executed"},
    {CPU_VECTOR_MOVES_ELIMINATED, .flags = {"move-movaps-xmm"}, .yes = "eliminated", .no = "executed"},
    {CPU_ZERO_IDIOMS, .find = zeroes},
    {CPU_ONES_IDIOMS, .flags = {"same-pcmpeqd-xmm"}, .yes = "breaks", .no = "waits"},
    {CPU_STACK_ENGINE, .find = stack_engine},
    {CPU_STACK_SYNC, .entry = "stack-sync-move"},
    {CPU_REORDER_BUFFER, .entry = "reorder-buffer"},
    {CPU_SCHEDULER, .entry = "scheduler-integer"},
    {CPU_SCHEDULER_VECTOR, .find = scheduler_vector},
    {CPU_SCHEDULER_MEMORY, .find = scheduler_load},
    {CPU_LOAD_QUEUE, .entry = "load-queue"},
    {CPU_STORE_QUEUE, .entry = "store-queue"},
    {CPU_LOAD_LATENCY, .entry = "load-latency-far"}, // whose displacement leaves no short way
    {CPU_LOAD_LATENCY_512, .entry = "load-latency-vector-512-more"},
    {CPU_LOAD_SCALED_INDEX, .find = scaled_index},
    {CPU_LOADS, .entry = "loads"},
    {CPU_LOADS_VECTOR, .entry = "vector-loads"},
    {CPU_STORES, .entry = "stores"},
    {CPU_ACCESSES, .entry = "loads-and-stores-2-1"},
    {CPU_STORES_BY_LINE, .find = stores_by_line},
    {CPU_LOAD_BANKS, .entry = "load-banks"},
    {CPU_LOAD_BANK_READS, .entry = "load-bank-reads"},
    {CPU_FORWARD_LATENCY, .find = forward},
    {CPU_FORWARD_LATENCY_VECTOR, .find = forward_vector},
    {CPU_BLOCKED_LOAD, .find = blocked},
    {CPU_RENAMED_LATENCY, .find = renamed_latency},
    {CPU_RENAMED_LEAST_BYTES, .find = renamed_least},
    {CPU_RENAMES_INDEXED, .find = renames_indexed},
};

static const char *name_of(const struct rule *rule, const struct card_parameter *found) {
    if (rule->entry)
        return rule->entry;
    return found->source ? found->source : cpu_parameters[rule->parameter].name;
}

size_t card_parameters(struct arena *arena, const struct card *card, const struct card_parameter **found) {
    enum { N = sizeof rules / sizeof *rules };
    const struct asked asked = {arena, card};
    struct card_parameter *all = ARENA_ARRAY(arena, struct card_parameter, N);
    for (size_t i = 0; i < N; i++) {
        all[i] = rules[i].find    ? rules[i].find(&asked)
                 : rules[i].entry ? number_of(&asked, rules[i].entry)
                                  : flag_of(&asked, rules[i].flags, rules[i].yes, rules[i].no);
        // A file's counts are whole; of a card, "2.25 accesses/cycle" is what something else limits.
        bool is_count = strcmp(cpu_parameters[rules[i].parameter].unit, "cycles") != 0;
        if (all[i].is_known && is_count && all[i].value != round(all[i].value))
            all[i] = unknown(
                arena_printf(arena, "%s is %.3g, which is no whole number", name_of(&rules[i], &all[i]), all[i].value));
        all[i].parameter = rules[i].parameter;
    }
    *found = all;
    return N;
}
