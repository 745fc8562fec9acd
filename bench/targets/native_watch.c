#include "bench/targets/native_watch.h"

#include "bench/host/priority.h"
#include "bench/host/timer.h"
#include "bench/sandbox/nursery.h"
#include "bench/sandbox/sandbox.h"

#include <math.h>
#include <string.h>

// What the child is asked for and what it has seen, in memory shared with it. Times are in ticks.
struct spin {
    int cpu;
    uint64_t ticks, shortest; // time to spin; least distance of two readings that is a gap
    volatile uint64_t done;   // time that it spun
    uint64_t turn;            // usual time of a turn of the loop
    volatile unsigned n;
    unsigned most;
    struct {
        uint64_t start, length;
    } gaps[];
};

// Returns what a turn takes: the least of many, which no gap has hit.
static uint64_t time_turn(void) {
    enum { TURNS = 256 };
    uint64_t least = UINT64_MAX, last = timer_read();
    for (unsigned i = 0; i < TURNS; i++) {
        uint64_t now = timer_read();
        if (now > last && now - last < least)
            least = now - last;
        last = now;
    }
    return least;
}

static int spin(struct sandbox *sandbox, void *context) {
    enum { TURNS = 4 }; // fewer are no gap
    struct spin *spin = context;
    (void)sandbox;
    if (!host_pin(spin->cpu))
        return 1;
    host_priority_raise(1);
    spin->turn = time_turn();
    uint64_t shortest = spin->shortest > TURNS * spin->turn ? spin->shortest : TURNS * spin->turn;
    uint64_t start = timer_read(), last = start, now = start;
    spin->shortest = shortest;
    while (now - start < spin->ticks && spin->n < spin->most) {
        now = timer_read();
        if (now - last >= shortest) {
            spin->gaps[spin->n].start = last - start;
            spin->gaps[spin->n].length = now - last;
            spin->n++;
        }
        last = now;
    }
    spin->done = now - start;
    return 0;
}

// A timer that a hypervisor emulates takes about a microsecond to read. Then each turn would look like a gap, or hide
// it.
static bool shows_gaps(const struct spin *spin, double tick_ns) {
    static const double longest_turn_ns = 250;
    return spin->done > 0 && (double)spin->turn * tick_ns <= longest_turn_ns;
}

static bool spin_in_child(struct spin *shared, double seconds, enum bench_outcome *outcome, struct fail *fail) {
    int status = 0;
    struct sandbox_job job = {
        .body = spin, .context = shared, .is_in_nursery = true, .timeout_seconds = 10 + 2 * seconds};
    bool is_run = sandbox_run(&job, outcome, &status, fail);
    if (status != 0)
        *outcome = BENCH_KILLED;
    return is_run;
}

bool native_watch(int cpu, double ticks_per_second, uint64_t timer_step, struct target_watch *watch,
                  struct fail *fail) {
    double tick_ns = 1e9 / ticks_per_second, seconds = watch->seconds;
    size_t n_bytes = sizeof(struct spin) + watch->most_gaps * sizeof(((struct spin *)0)->gaps[0]);
    struct spin *shared = nursery_alloc(n_bytes);
    enum bench_outcome outcome = BENCH_KILLED;
    watch->n_gaps = 0;
    watch->seconds = 0;
    if (!shared)
        return true;
    memset(shared, 0, n_bytes); // brings the pages in
    shared->cpu = cpu;
    shared->ticks = (uint64_t)(seconds * ticks_per_second);
    shared->shortest = (uint64_t)ceil(fmax(TARGET_SHORTEST_GAP_NS / tick_ns, 2 * (double)timer_step));
    shared->most = watch->most_gaps;
    bool is_run = spin_in_child(shared, seconds, &outcome, fail);
    if (is_run && outcome == BENCH_OK && shows_gaps(shared, tick_ns)) {
        watch->seconds = (double)shared->done * tick_ns / 1e9;
        watch->resolution_ns = (double)shared->shortest * tick_ns;
        for (; watch->n_gaps < shared->n; watch->n_gaps++)
            watch->gaps[watch->n_gaps] = (struct target_gap){(double)shared->gaps[watch->n_gaps].start * tick_ns,
                                                             (double)shared->gaps[watch->n_gaps].length * tick_ns};
    }
    nursery_free_all();
    return is_run;
}
