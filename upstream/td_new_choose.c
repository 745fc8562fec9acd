// Which numbers each write and read of the target gets: those that most of its opcodes have.
#include "upstream/td_new_text.h"

#include <stdlib.h>
#include <string.h>

struct td_read *td_new_read(struct td_new *new, const char *name) {
    for (size_t i = 0; i < new->n_reads; i++)
        if (strcmp(new->reads[i].name, name) == 0)
            return &new->reads[i];
    struct td_read *read = ARENA_ADD(new->arena, new->reads, new->n_reads);
    *read = (struct td_read){.name = name};
    return read;
}

// ---- costs

static unsigned latency_at(const struct td_export *export, unsigned place) {
    unsigned most = 0;
    for (unsigned i = 0; i < export->n_latencies; i++)
        most = export->latencies[i] > most ? export->latencies[i] : most;
    return place < export->n_latencies ? export->latencies[place] : most;
}

static int compare_costs(const struct td_cost *a, const struct td_cost *b) {
    const unsigned x[] = {a->latency, a->slots, a->serial, a->n_uses},
                   y[] = {b->latency, b->slots, b->serial, b->n_uses};
    for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    for (unsigned u = 0; u < a->n_uses; u++) {
        if (a->uses[u].pipes != b->uses[u].pipes)
            return a->uses[u].pipes < b->uses[u].pipes ? -1 : 1;
        if (a->uses[u].cycles != b->uses[u].cycles)
            return a->uses[u].cycles < b->uses[u].cycles ? -1 : 1;
    }
    return 0;
}

static int compare_uses(const void *a, const void *b) {
    const struct td_use *one = a, *other = b;
    return (one->pipes > other->pipes) - (one->pipes < other->pipes);
}

// Takes a cost away from what an opcode has. False: it has less.
static bool take_away(struct td_cost *from, const struct td_cost *cost) {
    if (from->slots < cost->slots || from->serial < cost->serial)
        return false;
    from->slots -= cost->slots;
    from->serial -= cost->serial;
    for (unsigned u = 0; u < cost->n_uses; u++) {
        unsigned k = 0;
        while (k < from->n_uses && from->uses[k].pipes != cost->uses[u].pipes)
            k++;
        if (k == from->n_uses || from->uses[k].cycles < cost->uses[u].cycles)
            return false;
        from->uses[k].cycles -= cost->uses[u].cycles;
        if (!from->uses[k].cycles)
            from->uses[k] = from->uses[--from->n_uses];
    }
    if (from->n_uses)
        qsort(from->uses, from->n_uses, sizeof *from->uses, compare_uses);
    return true;
}

// What is left of the row's numbers for atom `a`, where others are chosen. `is_forced`: also where others are not
// chosen either: the first of these gets all, the others their latency alone. False: nothing sensible is left.
static bool left_for(const struct td_new *new, const struct td_row *row, unsigned a, bool is_forced,
                     struct td_cost *left) {
    bool is_first = true;
    *left = (struct td_cost){.latency = latency_at(&row->export, row->places[a]),
                             .slots = row->export.slots,
                             .serial = row->export.serial,
                             .n_uses = row->export.n_uses};
    memcpy(left->uses, row->export.uses, sizeof left->uses);
    for (unsigned k = 0; k < row->n_atoms; k++) {
        const struct td_write *other = &new->writes[row->atoms[k]];
        if (k == a)
            continue;
        if (!other->is_chosen) {
            is_first &= k > a;
            if (!is_forced)
                return false;
            continue;
        }
        if (!take_away(left, &other->cost))
            return false;
        if (row->places[k] == row->places[a]) {
            if (left->latency < other->cost.latency)
                return false;
            left->latency -= other->cost.latency;
        }
    }
    if (!is_first)
        *left = (struct td_cost){.latency = left->latency};
    return true;
}

// ---- the most frequent

struct vote {
    unsigned write;
    struct td_cost cost;
};

static int compare_votes(const void *a, const void *b) {
    const struct vote *one = a, *other = b;
    return one->write != other->write ? (one->write < other->write ? -1 : 1) : compare_costs(&one->cost, &other->cost);
}

static void count_votes(struct td_new *new, struct vote *votes, size_t n) {
    if (n)
        qsort(votes, n, sizeof *votes, compare_votes);
    for (size_t first = 0, end; first < n; first = end) {
        struct td_write *write = &new->writes[votes[first].write];
        for (end = first + 1; end < n && compare_votes(&votes[first], &votes[end]) == 0;)
            end++;
        if (end - first > write->n_like) {
            write->n_like = end - first;
            write->cost = votes[first].cost;
        }
        write->n_opcodes += end - first;
    }
    for (size_t i = 0; i < n; i++)
        new->writes[votes[i].write].is_chosen = true;
}

static void choose_writes(struct td_new *new, bool is_forced) {
    struct arena arena = {0};
    struct vote *votes = NULL;
    size_t n = 0;
    for (size_t i = 0; i < new->n_rows; i++)
        for (unsigned a = 0; a < new->rows[i].n_atoms && !new->rows[i].is_apart; a++) {
            struct vote vote = {.write = new->rows[i].atoms[a]};
            if (!new->writes[vote.write].is_chosen && left_for(new, &new->rows[i], a, is_forced, &vote.cost))
                *ARENA_ADD(&arena, votes, n) = vote;
        }
    count_votes(new, votes, n);
    arena_free(&arena);
}

static int wanted_advance(const struct td_export *export, size_t operand) {
    return operand < export->n_advances ? export->advances[operand] : 0;
}

static int compare_numbers(const void *a, const void *b) {
    const int *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

static void choose_read(const struct td_new *new, struct td_read *read) {
    struct arena arena = {0};
    int *wanted = NULL;
    size_t n = 0;
    for (size_t i = 0; i < new->n_rows; i++)
        for (size_t k = new->rows[i].n_writes; k < new->rows[i].n_operands; k++)
            if (strcmp(new->rows[i].operands[k], read->name) == 0)
                *ARENA_ADD(&arena, wanted, n) = wanted_advance(&new->rows[i].export, k - new->rows[i].n_writes);
    if (wanted)
        qsort(wanted, n, sizeof *wanted, compare_numbers);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && wanted[end] == wanted[first];)
            end++;
        if (end - first > read->n_like) {
            read->n_like = end - first;
            read->cycles = wanted[first];
        }
    }
    read->n_opcodes = n;
    arena_free(&arena);
}

// ---- who differs

static bool has_cost(const struct td_new *new, const struct td_row *row) {
    struct td_cost left = {.slots = row->export.slots, .serial = row->export.serial, .n_uses = row->export.n_uses};
    memcpy(left.uses, row->export.uses, sizeof left.uses);
    for (unsigned w = 0; w < row->n_writes; w++) {
        unsigned latency = 0;
        for (unsigned a = 0; a < row->n_atoms; a++)
            latency += row->places[a] == w ? new->writes[row->atoms[a]].cost.latency : 0;
        if (latency != latency_at(&row->export, w))
            return false;
    }
    for (unsigned a = 0; a < row->n_atoms; a++)
        if (!new->writes[row->atoms[a]].is_chosen || !take_away(&left, &new->writes[row->atoms[a]].cost))
            return false;
    return row->n_writes >= row->export.n_latencies && !left.slots && !left.serial && !left.n_uses;
}

static bool has_reads(struct td_new *new, const struct td_row *row) {
    size_t n = row->n_operands - row->n_writes;
    for (size_t k = 0; k < n || k < row->export.n_advances; k++) {
        int cycles = k < n && strcmp(row->operands[row->n_writes + k], "ReadDefault") != 0
                         ? td_new_read(new, row->operands[row->n_writes + k])->cycles
                         : 0;
        if (cycles != wanted_advance(&row->export, k))
            return false;
    }
    return true;
}

void td_new_choose(struct td_new *new) {
    enum { PASSES = 3 };
    // A list of the target with fewer writes has the longest latency for the rest.
    for (size_t i = 0; i < new->n_rows; i++)
        new->rows[i].is_apart |= !new->rows[i].n_writes || new->rows[i].n_writes < new->rows[i].export.n_latencies;
    for (unsigned pass = 0; pass < PASSES; pass++)
        choose_writes(new, false);
    choose_writes(new, true);
    for (size_t i = 0; i < new->n_reads; i++)
        if (strcmp(new->reads[i].name, "ReadDefault") != 0)
            choose_read(new, &new->reads[i]);
    for (size_t i = 0; i < new->n_rows; i++)
        new->rows[i].is_apart |= !has_cost(new, &new->rows[i]) || !has_reads(new, &new->rows[i]);
}
