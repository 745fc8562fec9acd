#include "bench/sandbox/probe.h"

#include "base/arena.h"
#include "bench/sandbox/cpu_state.h"
#include "bench/sandbox/nursery.h"
#include "bench/sandbox/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

// Pieces of one child. A child that ends early has mapped the rest in vain.
enum { MOST_TOGETHER = 128 };

// Exit status of the child.
enum status { PROBE_DONE, PROBE_CANNOT_MAP, PROBE_CANNOT_SEAL, PROBE_CANNOT_GO_ON };

// Results in shared memory, which the child writes.
struct results {
    struct fault_note note;
    int error_number;         // errno with which the child gave up; 0: it did not
    volatile unsigned n_left; // pieces that came to their end, or were sent to their exit
    volatile unsigned n_done; // those after which the child was well
    volatile int outcomes[MOST_TOGETHER];
};

// All that a child reads, in shared memory. The parent fills it again for the next child.
struct probe_batch {
    size_t n;
    struct bench_code codes[MOST_TOGETHER];
    uint8_t *bytes; // of these codes, one after the other
    struct results results;
};

// ---- the child

static int give_up(struct results *results, enum status status) {
    results->error_number = errno;
    return (int)status;
}

// What the code leaves may break the harness: so its outcome is noted first.
static void run_piece(struct code_room *room, const struct cpu_state *state, const struct bench_code *code,
                      code_function function, unsigned number, struct results *results) {
    code_room_clean(room, code);
    cpu_state_clear_vectors(state);
    code_room_enter(room, code, function);
    function(1, room->buffer);
    results->outcomes[number] = results->note.outcome;
    results->n_left = number + 1;
    if (!cpu_state_restore(state))
        _exit(PROBE_CANNOT_GO_ON);
    code_room_leave(room, code);
    results->n_done = number + 1;
}

static int run_batch(struct sandbox *sandbox, void *context) {
    struct probe_batch *batch = context;
    struct code_room room;
    struct cpu_state state;
    const struct bench_code *codes[MOST_TOGETHER];
    code_function functions[MOST_TOGETHER];
    for (size_t i = 0; i < batch->n; i++)
        codes[i] = &batch->codes[i];
    if (!code_room_open(&room, codes, batch->n, functions, &batch->results.note))
        return give_up(&batch->results, PROBE_CANNOT_MAP);
    cpu_state_save(&state);
    if (!sandbox_seal(sandbox, &room))
        return give_up(&batch->results, PROBE_CANNOT_SEAL);
    for (unsigned i = 0; i < batch->n; i++)
        run_piece(&room, &state, codes[i], functions[i], i, &batch->results);
    return PROBE_DONE;
}

// ---- the parent

struct probe {
    const struct probe_request *request;
    struct probe_batch *batch;
    struct probe_counts counts;
    struct fail *fail;
};

static bool open_batch(struct probe *probe) {
    size_t n_bytes = probe->request->wrapper->n_bytes;
    probe->batch = nursery_alloc(sizeof *probe->batch);
    uint8_t *bytes = nursery_alloc(MOST_TOGETHER * n_bytes);
    if (!probe->batch || !bytes)
        return fail_set(probe->fail, FAIL_WORK, "no memory to probe instructions: %s", strerror(errno));
    probe->batch->bytes = bytes;
    return true;
}

static void fill_batch(struct probe *probe, const size_t *numbers, size_t n) {
    const struct probe_request *request = probe->request;
    struct probe_batch *batch = probe->batch;
    memset(&batch->results, 0, sizeof batch->results);
    batch->n = n < MOST_TOGETHER ? n : MOST_TOGETHER;
    for (size_t i = 0; i < batch->n; i++) {
        const struct probe_piece *piece = &request->pieces[numbers[i]];
        uint8_t *bytes = batch->bytes + i * request->wrapper->n_bytes;
        memcpy(bytes, request->wrapper->bytes, request->wrapper->n_bytes);
        memcpy(bytes + request->hole_offset, piece->bytes, piece->n_bytes);
        batch->codes[i] = *request->wrapper;
        batch->codes[i].bytes = bytes;
        batch->codes[i].body = NULL;
    }
}

// Whether the child reports that no code ran.
static bool has_given_up(const struct results *results, int status) {
    return (status == PROBE_CANNOT_MAP || status == PROBE_CANNOT_SEAL) && results->error_number && !results->n_left;
}

static bool explain(const struct results *results, int status, struct fail *fail) {
    const char *why = strerror(results->error_number);
    if (status == PROBE_CANNOT_MAP)
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot make memory executable here: %s", why);
    return fail_set(fail, FAIL_WORK, "cannot close the sandbox that code runs in: %s", why);
}

static enum bench_outcome noted(const struct results *results, size_t i) {
    int outcome = results->outcomes[i];
    return outcome >= BENCH_OK && outcome < BENCH_N_OUTCOMES ? (enum bench_outcome)outcome : BENCH_OVERWROTE;
}

// Takes the outcomes of a child that has ended, and returns how many there are. `ended`: how it ended; its last piece
// broke it, unless all are done, or the child only waited for a CPU. Foreign code may have changed the results, so
// their numbers are checked.
static size_t take(const struct probe_batch *batch, enum bench_outcome ended, const size_t *numbers,
                   enum bench_outcome *outcomes) {
    const struct results *results = &batch->results;
    size_t n_done = results->n_done <= batch->n ? results->n_done : 0;
    for (size_t i = 0; i < n_done; i++)
        outcomes[numbers[i]] = noted(results, i);
    if (n_done == batch->n)
        return n_done;
    bool is_left = results->n_left == n_done + 1;
    if (!is_left && ended == BENCH_STARVED)
        return n_done;
    outcomes[numbers[n_done]] = is_left ? noted(results, n_done) : ended == BENCH_OK ? BENCH_KILLED : ended;
    return n_done + 1;
}

// Runs the pieces of these numbers, in as few children as they let live.
static bool run_all(struct probe *probe, const size_t *numbers, size_t n, enum bench_outcome *outcomes) {
    enum { MOST_STARVED = 6 }; // children in a row that got nothing done
    static const double default_seconds = 0.25, default_patience = 10;
    const struct probe_request *request = probe->request;
    double seconds = request->timeout_seconds > 0 ? request->timeout_seconds : default_seconds;
    double patience = request->patience_seconds > 0 ? request->patience_seconds : default_patience;
    unsigned n_starved = 0;
    struct results *results = &probe->batch->results;
    struct sandbox_job job = {.body = run_batch,
                              .context = probe->batch,
                              .note = &results->note,
                              .is_in_nursery = true,
                              .timeout_seconds = MOST_TOGETHER * seconds,
                              .n_steps = &results->n_done,
                              .step_seconds = seconds,
                              .patience_seconds = patience};
    for (size_t at = 0; at < n;) {
        enum bench_outcome ended;
        int status = 0;
        fill_batch(probe, numbers + at, n - at);
        if (!sandbox_run(&job, &ended, &status, probe->fail))
            return false;
        probe->counts.n_children++;
        if (ended == BENCH_OK && has_given_up(results, status))
            return explain(results, status, probe->fail);
        size_t n_taken = take(probe->batch, ended, numbers + at, outcomes);
        at += n_taken;
        probe->counts.n_starved += ended == BENCH_STARVED;
        n_starved = ended == BENCH_STARVED && n_taken == 0 ? n_starved + 1 : 0;
        if (n_starved == MOST_STARVED)
            return fail_set(probe->fail, FAIL_UNAVAILABLE,
                            "instructions cannot be tried out: %u times, others held the CPUs for %g s; end them, or "
                            "try again later",
                            n_starved, patience);
    }
    return true;
}

// Repeats what did not end well. By then the pieces before it are others, so what these left behind shows.
static bool repeat(struct probe *probe, struct arena *arena, enum bench_outcome *outcomes) {
    size_t n_all = probe->request->n_pieces, n = 0;
    size_t *numbers = ARENA_ARRAY(arena, size_t, n_all);
    enum bench_outcome *again = ARENA_ARRAY(arena, enum bench_outcome, n_all);
    for (size_t i = 0; i < n_all; i++)
        if (outcomes[i] != BENCH_OK)
            numbers[n++] = i;
    if (!run_all(probe, numbers, n, again))
        return false;
    probe->counts.n_repeated = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        if (again[numbers[i]] == outcomes[numbers[i]])
            continue;
        probe->counts.n_differed++;
        if (!run_all(probe, &numbers[i], 1, outcomes))
            return false;
    }
    return true;
}

static bool run(struct probe *probe, enum bench_outcome *outcomes) {
    struct arena arena = {0};
    size_t n = probe->request->n_pieces;
    size_t *numbers = ARENA_ARRAY(&arena, size_t, n);
    for (size_t i = 0; i < n; i++) {
        assert(probe->request->pieces[i].n_bytes <= probe->request->hole_bytes);
        numbers[i] = i;
    }
    bool is_done = open_batch(probe) && run_all(probe, numbers, n, outcomes) && repeat(probe, &arena, outcomes);
    arena_free(&arena);
    return is_done;
}

bool probe_run(const struct probe_request *request, enum bench_outcome *outcomes, struct probe_counts *counts,
               struct fail *fail) {
    struct probe probe = {.request = request, .fail = fail};
    bool is_done = run(&probe, outcomes);
    nursery_free_all();
    if (counts)
        *counts = probe.counts;
    return is_done;
}
