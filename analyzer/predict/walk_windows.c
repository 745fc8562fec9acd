// When windows have room. A heap for each scheduler: of those before, the latest ones that are as many as it has
// entries may still wait.
#include "analyzer/predict/walk_windows.h"

#include <math.h>

enum {
    MOST_IN_FLIGHT = 1024, // the core has no more places
    N_SCHEDULERS = CORE_N_SCHEDULERS
};

struct waiting {
    double begins; // cycle in which it leaves
    unsigned entries;
};

// Those that may wait in a scheduler, the first to begin on top of a heap.
struct waiters {
    struct waiting *heap;
    unsigned n, n_entries, size; // 0: it has any number of entries
};

struct walk_windows {
    const struct core_plan *plan;
    double *retired; // of instructions in flight, by their number modulo MOST_IN_FLIGHT
    uint64_t oldest, next;
    unsigned n_slots, n_loads, n_stores;          // in flight
    unsigned most_slots, most_loads, most_stores; // 0: any number
    struct waiters waiters[N_SCHEDULERS];
    double entered; // the cycle in which the newest one may have, at the earliest
    double gate;    // when dispatch has room for the next slot
    double last;    // when all before have retired
    double per_slot;
};

static void sift_down(struct waiters *waiters) {
    const struct waiting moved = waiters->heap[waiters->n];
    unsigned at = 0;
    for (unsigned child; (child = 2 * at + 1) < waiters->n; at = child) {
        child += child + 1 < waiters->n && waiters->heap[child + 1].begins < waiters->heap[child].begins;
        if (waiters->heap[child].begins >= moved.begins)
            break;
        waiters->heap[at] = waiters->heap[child];
    }
    waiters->heap[at] = moved;
}

// Returns when the first of them begins.
static double take_first(struct waiters *waiters) {
    const double begins = waiters->heap[0].begins;
    waiters->n_entries -= waiters->heap[0].entries;
    if (--waiters->n)
        sift_down(waiters);
    return begins;
}

static void add_waiting(struct waiters *waiters, double begins, unsigned entries) {
    unsigned at = waiters->n++;
    for (; at && waiters->heap[(at - 1) / 2].begins > begins; at = (at - 1) / 2)
        waiters->heap[at] = waiters->heap[(at - 1) / 2];
    waiters->heap[at] = (struct waiting){begins, entries};
    waiters->n_entries += entries;
}

static bool has_room(const struct walk_windows *windows, const struct core_insn *insn) {
    if (windows->oldest == windows->next)
        return true;
    return windows->next - windows->oldest < MOST_IN_FLIGHT && windows->n_slots + insn->slots <= windows->most_slots &&
           (!windows->most_loads || windows->n_loads + insn->loads <= windows->most_loads) &&
           (!windows->most_stores || windows->n_stores + insn->stores <= windows->most_stores);
}

static void retire_oldest(struct walk_windows *windows) {
    const struct core_insn *oldest = &windows->plan->insns[windows->oldest % windows->plan->n];
    windows->entered = fmax(windows->entered, windows->retired[windows->oldest++ % MOST_IN_FLIGHT]);
    windows->n_slots -= oldest->slots;
    windows->n_loads -= oldest->loads;
    windows->n_stores -= oldest->stores;
}

double walk_windows_enter(struct walk_windows *windows, const struct core_insn **insn) {
    const struct core_insn *next = *insn = &windows->plan->insns[windows->next % windows->plan->n];
    struct waiters *waiters = &windows->waiters[next->scheduler];
    while (!has_room(windows, next))
        retire_oldest(windows);
    while (waiters->size && waiters->n && waiters->n_entries + next->entries > waiters->size)
        windows->entered = fmax(windows->entered, take_first(waiters));
    windows->gate = fmax(windows->gate, windows->entered);
    const double begins = fmax(windows->gate, windows->entered + 1);
    windows->gate += next->slots * windows->per_slot;
    return begins;
}

void walk_windows_leave(struct walk_windows *windows, double begins, double done) {
    const struct core_insn *insn = &windows->plan->insns[windows->next % windows->plan->n];
    struct waiters *waiters = &windows->waiters[insn->scheduler];
    if (waiters->size && insn->entries)
        add_waiting(waiters, floor(begins), insn->entries);
    windows->last = fmax(windows->last, fmax(done, windows->entered + 1));
    windows->retired[windows->next++ % MOST_IN_FLIGHT] = windows->last;
    windows->n_slots += insn->slots;
    windows->n_loads += insn->loads;
    windows->n_stores += insn->stores;
}

static unsigned size_of(const struct cpu *cpu, enum cpu_parameter size) {
    return cpu_knows(cpu, size) ? (unsigned)cpu_value(cpu, size) : 0;
}

struct walk_windows *walk_windows_open(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipes,
                                       unsigned n) {
    static const enum cpu_parameter schedulers[N_SCHEDULERS] = {CPU_SCHEDULER, CPU_SCHEDULER_VECTOR,
                                                                CPU_SCHEDULER_MEMORY};
    struct walk_windows *windows = ARENA_NEW(arena, struct walk_windows);
    windows->plan = core_plan_make(arena, cpu, recipes, n);
    windows->retired = ARENA_ARRAY(arena, double, MOST_IN_FLIGHT);
    windows->most_slots = size_of(cpu, CPU_REORDER_BUFFER);
    windows->most_loads = size_of(cpu, CPU_LOAD_QUEUE);
    windows->most_stores = size_of(cpu, CPU_STORE_QUEUE);
    windows->per_slot = cpu_value(cpu, CPU_DISPATCH_WIDTH) > 0 ? 1 / cpu_value(cpu, CPU_DISPATCH_WIDTH) : 0;
    for (unsigned i = 0; i < N_SCHEDULERS; i++) {
        windows->waiters[i].size = size_of(cpu, schedulers[i]);
        windows->waiters[i].heap = ARENA_ARRAY(arena, struct waiting, windows->waiters[i].size + 2);
    }
    return windows;
}

double walk_windows_end(const struct walk_windows *windows) {
    return windows->last;
}
