#include "analyzer/predict/port_spread.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MOST_UNIONS = 512, MOST_PORTS = 20 };

// Returns false where there are more of them.
static bool collect_unions(const struct cpu_use *work, unsigned n_work, uint64_t unions[MOST_UNIONS], unsigned *n) {
    *n = 0;
    for (unsigned i = 0; i < n_work; i++) {
        unsigned before = *n;
        for (unsigned u = 0; u <= before; u++) {
            uint64_t with = work[i].pipes | (u < before ? unions[u] : 0);
            unsigned at = 0;
            while (at < *n && unions[at] != with)
                at++;
            if (at < *n)
                continue;
            if (*n == MOST_UNIONS)
                return false;
            unions[(*n)++] = with;
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
    uint64_t unions[MOST_UNIONS], used = 0, ignored;
    unsigned n_unions;
    double most = 0;
    if (!ports)
        ports = &ignored;
    *ports = 0;
    for (unsigned i = 0; i < n; i++)
        used |= work[i].pipes;
    if (!collect_unions(work, n, unions, &n_unions) && __builtin_popcountll(used) <= MOST_PORTS)
        return try_all(work, n, used, ports);
    for (unsigned u = 0; u < n_unions; u++) {
        double cycles = unions[u] ? time_of(work, n, unions[u]) : 0;
        if (cycles > most) {
            most = cycles;
            *ports = unions[u];
        }
    }
    return most;
}
