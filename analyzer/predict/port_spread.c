#include "analyzer/predict/port_spread.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNIONS = 512, MOST_PORTS = 20, MOST_BITS = 1024 };

// Sets of ports, each once. Those of ports that lie close together are found by a bit each.
struct unions {
    uint64_t sets[MOST_UNIONS], known[MOST_BITS / 64];
    unsigned n, lowest; // lowest: port of any
    bool has_bits;
};

// It is known from now on.
static bool is_known(struct unions *unions, uint64_t set) {
    uint64_t *known = &unions->known[(set >> unions->lowest) / 64 % (MOST_BITS / 64)];
    const uint64_t bit = UINT64_C(1) << (set >> unions->lowest) % 64;
    if (!unions->has_bits) {
        unsigned at = 0;
        while (at < unions->n && unions->sets[at] != set)
            at++;
        return at < unions->n;
    }
    const bool is_known = *known & bit;
    *known |= bit;
    return is_known;
}

// Returns false where there are more of them.
static bool collect_unions(const struct cpu_use *work, unsigned n_work, uint64_t used, struct unions *unions) {
    unions->n = 0;
    unions->lowest = used ? (unsigned)__builtin_ctzll(used) : 0;
    unions->has_bits = used >> unions->lowest < MOST_BITS;
    memset(unions->known, 0, sizeof unions->known);
    for (unsigned i = 0; i < n_work; i++) {
        unsigned before = unions->n;
        for (unsigned u = 0; u <= before; u++) {
            uint64_t with = work[i].pipes | (u < before ? unions->sets[u] : 0);
            if (is_known(unions, with))
                continue;
            if (unions->n == MOST_UNIONS)
                return false;
            unions->sets[unions->n++] = with;
        }
    }
    return true;
}

static double time_of(const struct cpu_use *work, unsigned n, uint64_t ports) {
    double cycles = 0;
    for (unsigned i = 0; i < n; i++)
        cycles += work[i].pipes & ~ports ? 0 : work[i].cycles;
    return cycles / __builtin_popcountll(ports);
}

// Tries all sets of ports: sums over subsets, port by port.
static double try_all(const struct cpu_use *work, unsigned n, uint64_t used, uint64_t *ports) {
    unsigned n_ports = 0, at[MOST_PORTS];
    for (uint64_t left = used; left; left &= left - 1)
        at[n_ports++] = (unsigned)__builtin_ctzll(left);
    double *sums = calloc((size_t)1 << n_ports, sizeof *sums), most = 0;
    if (!sums)
        abort();
    for (unsigned i = 0; i < n; i++) {
        size_t set = 0;
        for (unsigned p = 0; p < n_ports; p++)
            set |= (size_t)(work[i].pipes >> at[p] & 1) << p;
        sums[set] += work[i].cycles;
    }
    for (unsigned p = 0; p < n_ports; p++)
        for (size_t set = 0; set < (size_t)1 << n_ports; set++)
            sums[set] += set >> p & 1 ? sums[set ^ (size_t)1 << p] : 0;
    for (size_t set = 1; set < (size_t)1 << n_ports; set++) {
        double cycles = sums[set] / __builtin_popcountll(set);
        if (cycles <= most)
            continue;
        most = cycles;
        *ports = 0;
        for (unsigned p = 0; p < n_ports; p++)
            *ports |= (uint64_t)(set >> p & 1) << at[p];
    }
    free(sums);
    return most;
}

double port_spread(const struct cpu_use *work, unsigned n, uint64_t *ports) {
    struct unions unions;
    uint64_t used = 0, ignored;
    double most = 0;
    if (!ports)
        ports = &ignored;
    *ports = 0;
    for (unsigned i = 0; i < n; i++)
        used |= work[i].pipes;
    if (!collect_unions(work, n, used, &unions) && __builtin_popcountll(used) <= MOST_PORTS)
        return try_all(work, n, used, ports);
    for (unsigned u = 0; u < unions.n; u++) {
        double cycles = unions.sets[u] ? time_of(work, n, unions.sets[u]) : 0;
        if (cycles > most) {
            most = cycles;
            *ports = unions.sets[u];
        }
    }
    return most;
}
