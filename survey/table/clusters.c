#include "survey/table/clusters.h"

#include "survey/table/recheck.h"

#include <math.h>
#include <stdlib.h>

// Speeds that are nearer count as one, and those that are further apart are of two kinds of forms.
static const double least_share = 0.01, most_share = 0.15;

// Throughputs of one speed: those from `first` to before `end`, sorted by cycles.
struct cluster {
    size_t first, end;
    double least, most; // of their cycles
    double low, high;   // of their intervals
};

// A throughput that may be changed: whose it is.
struct member {
    struct recheck_peer peer;
    struct table_row *row;
    size_t index; // among the row's throughputs
};

static int compare_members(const void *a, const void *b) {
    const struct member *one = a, *other = b;
    return recheck_compare_peers(&one->peer, &other->peer);
}

static const struct table_value *value_of(const struct member *member) {
    return &member->peer.throughput->value;
}

// Takes the next values that overlap, or nearly do. An unstable value is of no speed.
static struct cluster next_cluster(const struct member *members, size_t first, size_t end) {
    struct cluster cluster = {.first = first, .end = first};
    for (size_t i = first; i < end; i++) {
        const struct table_value *value = value_of(&members[i]);
        if (!table_is_single(value)) {
            cluster.end = i + 1;
            continue;
        }
        if (cluster.high > 0 && value->low > cluster.high * (1 + least_share))
            break;
        cluster.least = cluster.high > 0 ? cluster.least : value->cycles;
        cluster.most = value->cycles;
        cluster.low = cluster.high > 0 ? fmin(cluster.low, value->low) : value->low;
        cluster.high = fmax(cluster.high, value->high);
        cluster.end = i + 1;
    }
    return cluster;
}

static bool is_in(double cycles, const struct cluster *cluster) {
    return cycles >= cluster->least * (1 - least_share / 2) && cycles <= cluster->most * (1 + least_share / 2);
}

// Whether looks at the form have found both speeds.
static bool has_seen(const struct member *member, const struct cluster *fast, const struct cluster *slow) {
    const struct table_throughput *throughput = member->peer.throughput;
    return is_in(throughput->seen_least, fast) && is_in(throughput->seen_most, slow);
}

// Makes the value the interval of both speeds, in a copy of the row's throughputs.
static void widen(struct arena *arena, const struct member *member, const struct cluster *fast,
                  const struct cluster *slow) {
    struct table_row *row = member->row;
    struct table_throughput *throughputs = table_copy_throughputs(arena, row);
    struct table_value *value = &throughputs[member->index].value;
    value->low = fast->low;
    value->high = slow->high;
    value->has_two_speeds = true;
    value->is_waiting = false;
    value->verdict = MEASURED_WITHIN;
    value->why = arena_printf(arena, "two speeds of its class, %.3g and %.3g cycles, by a state of the core",
                              fast->least, slow->most);
    row->throughputs = throughputs;
}

static void mark_pair(struct arena *arena, const struct member *members, size_t first, size_t end,
                      const struct cluster *fast, const struct cluster *slow) {
    enum { LEAST_WITNESSES = 2 }; // one may have been disturbed
    unsigned n_witnesses = 0;
    for (size_t i = first; i < end; i++)
        n_witnesses += has_seen(&members[i], fast, slow);
    for (size_t i = first; i < end && n_witnesses >= LEAST_WITNESSES; i++) {
        const struct table_value *value = value_of(&members[i]);
        bool is_of_them = table_is_single(value) && (is_in(value->cycles, fast) || is_in(value->cycles, slow));
        if (is_of_them || has_seen(&members[i], fast, slow))
            widen(arena, &members[i], fast, slow);
    }
}

// Those from `first` to before `end` may be compared.
static void mark_group(struct arena *arena, const struct member *members, size_t first, size_t end) {
    struct cluster fast = next_cluster(members, first, end);
    while (fast.end < end) {
        struct cluster slow = next_cluster(members, fast.end, end);
        if (fast.high > 0 && slow.high > 0 && slow.least <= fast.most * (1 + most_share))
            mark_pair(arena, members, first, end, &fast, &slow);
        fast = slow;
    }
}

void clusters_mark(struct arena *arena, struct table_row *rows, size_t n) {
    struct member *members = NULL;
    size_t n_members = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; rows[i].sched_class && k < rows[i].n_throughputs; k++)
            if (rows[i].throughputs[k].value.is_known)
                *ARENA_ADD(arena, members, n_members) =
                    (struct member){{rows[i].sched_class, &rows[i].throughputs[k]}, &rows[i], k};
    if (!n_members)
        return;
    qsort(members, n_members, sizeof *members, compare_members);
    for (size_t first = 0, end; first < n_members; first = end) {
        for (end = first + 1; end < n_members && recheck_are_alike(&members[first].peer, &members[end].peer);)
            end++;
        mark_group(arena, members, first, end);
    }
}
