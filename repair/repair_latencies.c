#include "repair/repair_latencies.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static int with_dependence(int found, unsigned number) {
    return found == REPAIR_NONE ? (int)number + 1 : REPAIR_SEVERAL;
}

enum { PROBE_CYCLES = 4 }; // more than any pipe limits a chain to

// Changes that show which latencies depend on a write or a read. A chain waits for pipes where the result is there
// before the next copy comes to read it; the change is longer by as much.
static struct repair_numbers probe_of_write(const struct repair_numbers *numbers, unsigned write) {
    struct repair_numbers probe = *numbers;
    int longest = (int)probe.latencies[write];
    for (unsigned r = 0; r < probe.n_reads; r++)
        longest = probe.advances[r] > longest ? probe.advances[r] : longest;
    probe.latencies[write] = (unsigned)(longest + PROBE_CYCLES);
    return probe;
}

static struct repair_numbers probe_of_read(const struct repair_numbers *numbers, unsigned read) {
    struct repair_numbers probe = *numbers;
    int least = probe.advances[read];
    for (unsigned w = 0; w < probe.n_writes; w++)
        least = (int)probe.latencies[w] < least ? (int)probe.latencies[w] : least;
    probe.advances[read] = least - PROBE_CYCLES;
    return probe;
}

// Notes in `found` which latencies the probe of a write or read, of this number, lengthens. `all`: room for
// predictions.
static bool note_longer(const struct repair_search *search, const struct repair_numbers *probe, unsigned number,
                        struct predicted *all, int *found) {
    static const double least = 0.5;
    struct repair_cost cost;
    if (!repair_evaluate(search, probe, &cost, all))
        return false;
    for (size_t i = 0; i < search->n_values; i++)
        if (all[i].cycles > search->predicted[i].cycles + least)
            found[i] = with_dependence(found[i], number);
    return true;
}

bool repair_find_dependences(struct repair_search *search, struct arena *arena, struct repair_dependences *found) {
    struct predicted *all = ARENA_ARRAY(arena, struct predicted, search->n_values);
    found->write = ARENA_ARRAY(arena, int, search->n_values);
    found->read = ARENA_ARRAY(arena, int, search->n_values);
    bool is_good = true;
    for (unsigned w = 0; is_good && w < search->best.n_writes; w++) {
        const struct repair_numbers probe = probe_of_write(&search->best, w);
        is_good = note_longer(search, &probe, w, all, found->write);
    }
    for (unsigned r = 0; is_good && r < search->best.n_reads; r++) {
        const struct repair_numbers probe = probe_of_read(&search->best, r);
        is_good = note_longer(search, &probe, r, all, found->read);
    }
    return is_good;
}

static bool are_uses_equal(const struct repair_numbers *a, const struct repair_numbers *b) {
    struct repair_numbers other = *a;
    memcpy(other.uses, b->uses, sizeof other.uses);
    return repair_numbers_are_equal(a, &other);
}

// Tries the latencies also with each other use that this round has tried: where a chain waits for pipes, neither change
// shows by itself that it is right.
static void try_latencies(struct repair_search *search, const struct repair_numbers *latencies, size_t n_tried) {
    enum { MOST_TOGETHER = 24 };
    repair_try(search, latencies);
    for (size_t i = 0, n = 0; i < n_tried && n < MOST_TOGETHER; i++) {
        struct repair_numbers both = *latencies;
        if (are_uses_equal(&search->best, &search->tried[i]))
            continue;
        memcpy(both.uses, search->tried[i].uses, sizeof both.uses);
        repair_try(search, &both);
        n++;
    }
}

// The longest latency of a write that the bounds leave, once they bound it at all.
static unsigned latency_of_bounds(const struct repair_search *search, const struct repair_dependences *found,
                                  unsigned write) {
    int least = INT_MAX, latency = (int)search->best.latencies[write];
    bool is_below = false;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->quantity != CHECK_LATENCY || value->value.relation != TABLE_AT_MOST || !repair_can_explain(value) ||
            found->write[i] != (int)write + 1)
            continue;
        int cycles = repair_cycles_between(value, search->predicted[i].cycles, 1);
        least = cycles < least ? cycles : least;
        is_below |= repair_is_too_far_below(search, search->values[i], &search->predicted[i]);
    }
    if (least == INT_MAX || (least > 0 && !is_below) || latency + least < 0)
        return (unsigned)latency;
    return (unsigned)(latency + least);
}

// The latency of a write that its values show: the largest of them, else the least of their bounds where that is less
// than now. Values whose source has an advance count only where `from` says so.
static unsigned latency_of_values(const struct repair_search *search, const struct repair_dependences *found,
                                  enum repair_latencies_from from, unsigned write) {
    const int now = (int)search->best.latencies[write];
    int most = -1, least = INT32_MAX;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        int read = found->read[i];
        bool counts =
            value->quantity == CHECK_LATENCY && repair_can_explain(value) && found->write[i] == (int)write + 1;
        if (!counts || (from == REPAIR_FROM_OTHERS && read > 0 && search->best.advances[read - 1]))
            continue;
        int cycles = (int)lround(value->value.cycles);
        if (check_value_is_bound(value) && cycles < least)
            least = cycles;
        if (value->value.relation == TABLE_EQUAL && cycles > most)
            most = cycles;
    }
    if (most >= 0)
        return (unsigned)most;
    return (unsigned)(least < now && least >= 0 ? least : now);
}

// The advance of a read: the median of what its values are shorter than the new latencies of their writes. Without a
// value it follows the latency of the first write.
static int advance_of_values(const struct repair_search *search, struct arena *arena,
                             const struct repair_dependences *found, const struct repair_numbers *numbers,
                             unsigned read) {
    int *list = ARENA_ARRAY(arena, int, search->n_values);
    size_t n = 0;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->quantity == CHECK_LATENCY && repair_can_explain(value) && found->read[i] == (int)read + 1 &&
            found->write[i] > 0 && value->value.relation == TABLE_EQUAL)
            list[n++] = (int)numbers->latencies[found->write[i] - 1] - (int)lround(value->value.cycles);
    }
    if (n) {
        qsort(list, n, sizeof *list, compare_numbers);
        return list[n / 2];
    }
    const int now = numbers->advances[read];
    return now && numbers->n_writes ? now + (int)numbers->latencies[0] - (int)search->best.latencies[0] : now;
}

void repair_solve_latencies(struct repair_search *search, struct arena *arena, const struct repair_dependences *found,
                            enum repair_latencies_from from, size_t n_tried) {
    struct repair_numbers numbers = search->best;
    for (unsigned w = 0; w < numbers.n_writes; w++)
        numbers.latencies[w] = from == REPAIR_FROM_BOUNDS ? latency_of_bounds(search, found, w)
                                                          : latency_of_values(search, found, from, w);
    for (unsigned r = 0; r < numbers.n_reads; r++)
        numbers.advances[r] = advance_of_values(search, arena, found, &numbers, r);
    try_latencies(search, &numbers, n_tried);
}
