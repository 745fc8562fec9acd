#include "bench/targets/native_corunner.h"

#include "bench/host/priority.h"
#include "bench/host/timer.h"
#include "bench/targets/native_notes.h"

#include <errno.h>
#include <math.h>

// Length of a chunk. The time between two chunks (reading the timer, publishing, a mispredicted branch) is one or two
// hundredths of it, and a sample of 60 µs contains several. During that time, the measured thread gets a little more of
// the core than with a co-runner that never stops.
static const int64_t chunk_ns = 8000;
// Longest wait for the other process. After that, the co-runner ends.
static const int64_t patience_ns = INT64_C(50) * 1000 * 1000;

static unsigned load(const unsigned *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store(unsigned *word, unsigned value) { // NOLINT(readability-non-const-parameter): it is written
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// Leaves the core's units to the other thread for a while.
static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// ---- the child of the co-runner

// Whether so many iterations take as long as a chunk, each time: what takes the core away lengthens some.
static bool take_a_chunk(code_function function, void *memory, uint64_t n) {
    enum { TIMES = 3 };
    for (unsigned i = 0; i < TIMES; i++) {
        int64_t start = (int64_t)timer_clock_ns();
        function(n, memory);
        if ((int64_t)timer_clock_ns() - start < chunk_ns)
            return false;
    }
    return true;
}

static uint64_t choose_iterations(code_function function, void *memory) {
    uint64_t n = 1;
    while (!take_a_chunk(function, memory, n))
        n *= 2;
    return n;
}

static void tell_chunk(struct native_corunner *corunner) {
    store(&corunner->sequence, corunner->sequence + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    corunner->chunks++;
    corunner->ticks = timer_read();
    store(&corunner->sequence, corunner->sequence + 1);
}

// Returns the part of a chunk's time that its iterations do not take, in ticks: twice the time of a chunk, minus that
// of one twice as long. Takes the quickest of several, because disturbances only lengthen them.
static double time_between(struct native_corunner *corunner, code_function function, void *memory,
                           uint64_t iterations) {
    enum { TIMES = 8 };
    double quickest[2] = {INFINITY, INFINITY};
    for (unsigned i = 0; i < TIMES; i++)
        for (unsigned is_long = 0; is_long < 2; is_long++) {
            uint64_t start = timer_read();
            function(iterations << is_long, memory);
            tell_chunk(corunner);
            quickest[is_long] = fmin(quickest[is_long], (double)(corunner->ticks - start));
        }
    return fmax(0, 2 * quickest[0] - quickest[1]);
}

static void run_chunks(struct native_corunner *corunner, code_function function, void *memory, uint64_t iterations) {
    struct native_notes before, after;
    struct target_round seen = {0};
    native_notes_take(&before);
    store(&corunner->doing, CORUNNER_RUN);
    while (load(&corunner->order) == CORUNNER_RUN) {
        function(iterations, memory);
        tell_chunk(corunner);
    }
    native_notes_take(&after);
    native_notes_compare(&before, &after, &seen);
    corunner->was_disturbed = seen.switches || seen.migrations || seen.faults || seen.stolen_ns;
    store(&corunner->doing, CORUNNER_WAIT);
}

int native_corunner_run(struct sandbox *sandbox, void *context) {
    struct native_corunner *corunner = context;
    struct code_room room;
    code_function function = NULL;
    bool is_ready = host_pin(corunner->cpu);
    if (is_ready) {
        host_priority_raise(corunner->limit_seconds);
        is_ready =
            code_room_open(&room, &corunner->code, 1, &function, &corunner->note) && sandbox_seal(sandbox, &room);
    }
    if (!is_ready) {
        corunner->error_number = errno;
        return 1;
    }
    void *memory = room.buffer;
    code_room_clean(&room, corunner->code);
    code_room_enter(&room, corunner->code, function);
    uint64_t iterations = choose_iterations(function, memory);
    corunner->between = time_between(corunner, function, memory, iterations);
    corunner->bodies = (double)iterations * corunner->code->bodies;
    for (unsigned order = CORUNNER_WAIT; order != CORUNNER_END; order = load(&corunner->order)) {
        if (order == CORUNNER_RUN)
            run_chunks(corunner, function, memory, iterations);
        relax();
    }
    return 0;
}

// ---- the child that measures

static struct native_corunner_progress look(const struct native_corunner *corunner) {
    struct native_corunner_progress progress;
    unsigned sequence;
    do {
        sequence = load(&corunner->sequence);
        progress = (struct native_corunner_progress){corunner->chunks, corunner->ticks};
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (sequence % 2 != 0 || sequence != load(&corunner->sequence));
    return progress;
}

// Pauses between looks: each look slows the co-runner, which writes what we read.
static void wait_a_little(void) {
    enum { TIMES = 16 };
    for (unsigned i = 0; i < TIMES; i++)
        relax();
}

// Waits until another chunk has ended. Returns false after patience_ns.
static bool wait_for_chunk(const struct native_corunner *corunner) {
    int64_t end = (int64_t)timer_clock_ns() + patience_ns;
    uint64_t chunks = look(corunner).chunks;
    while (look(corunner).chunks == chunks) {
        if ((int64_t)timer_clock_ns() > end)
            return false;
        wait_a_little();
    }
    return true;
}

static bool wait_until_it_waits(const struct native_corunner *corunner) {
    int64_t end = (int64_t)timer_clock_ns() + patience_ns;
    while (load(&corunner->doing) != CORUNNER_WAIT) {
        if ((int64_t)timer_clock_ns() > end)
            return false;
        wait_a_little();
    }
    return true;
}

bool native_corunner_go(struct native_corunner *corunner, struct native_corunner_progress *start) {
    if (load(&corunner->order) == CORUNNER_END)
        return false;
    store(&corunner->order, CORUNNER_RUN);
    if (!wait_for_chunk(corunner)) {
        store(&corunner->order, CORUNNER_END);
        return false;
    }
    *start = look(corunner);
    return true;
}

// Waits for one more chunk, which shows that the co-runner was still running at the end of the sample.
void native_corunner_pause(struct native_corunner *corunner, const struct native_corunner_progress *start,
                           struct target_corunner *done) {
    struct native_corunner_progress end = look(corunner);
    bool is_running = wait_for_chunk(corunner);
    store(&corunner->order, CORUNNER_WAIT);
    if (!is_running || !wait_until_it_waits(corunner)) {
        store(&corunner->order, CORUNNER_END);
        return;
    }
    double chunks = (double)(end.chunks - start->chunks);
    done->bodies = chunks * corunner->bodies;
    done->ticks = (double)(end.ticks - start->ticks) - chunks * corunner->between;
    done->is_whole = !corunner->was_disturbed;
}
