#include "base/chunks.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

// Chunks that exist for each job: enough that no thread waits for the reader. Chunks that are read before any thread
// is started: they show whether there is more than one.
enum { CHUNKS_PER_JOB = 4, READ_AHEAD = 2 };

struct slot {
    void *chunk;
    bool is_done;     // worked on, and not taken yet
    struct fail fail; // the worker could not be opened
};

// Slots are a ring: each is read, worked on and taken in turn.
struct chunks_run {
    const struct chunks *chunks;
    struct slot *slots;
    size_t n_slots;
    size_t n_read, n_begun, n_taken; // numbers of chunks so far
    bool is_ended;                   // nothing more is read
    pthread_mutex_t mutex;
    pthread_cond_t has_changed;
};

unsigned chunks_usual_jobs(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n < CHUNKS_MOST_JOBS ? (unsigned)n : CHUNKS_MOST_JOBS;
}

// Returns the next slot to work on; null: there are no more.
static struct slot *begin_slot(struct chunks_run *run) {
    pthread_mutex_lock(&run->mutex);
    while (run->n_begun == run->n_read && !run->is_ended)
        pthread_cond_wait(&run->has_changed, &run->mutex);
    struct slot *slot = run->n_begun < run->n_read ? &run->slots[run->n_begun++ % run->n_slots] : NULL;
    pthread_mutex_unlock(&run->mutex);
    return slot;
}

static void end_slot(struct chunks_run *run, struct slot *slot) {
    pthread_mutex_lock(&run->mutex);
    slot->is_done = true;
    pthread_cond_broadcast(&run->has_changed);
    pthread_mutex_unlock(&run->mutex);
}

static void *work(void *argument) {
    struct chunks_run *run = argument;
    struct fail fail = {0};
    void *worker = run->chunks->open(run->chunks->context, false, &fail);
    for (struct slot *slot = begin_slot(run); slot; slot = begin_slot(run)) {
        if (worker)
            run->chunks->work(worker, slot->chunk);
        else
            slot->fail = fail;
        end_slot(run, slot);
    }
    if (worker)
        run->chunks->close(worker);
    return NULL;
}

// Takes the oldest chunk. After a failure, chunks are only waited for.
static bool take_oldest(struct chunks_run *run, bool is_good, struct fail *fail) {
    struct slot *slot = &run->slots[run->n_taken % run->n_slots];
    pthread_mutex_lock(&run->mutex);
    while (!slot->is_done)
        pthread_cond_wait(&run->has_changed, &run->mutex);
    slot->is_done = false;
    pthread_mutex_unlock(&run->mutex);
    run->n_taken++;
    if (is_good && slot->fail.status != FAIL_NONE) {
        *fail = slot->fail;
        return false;
    }
    return is_good && run->chunks->take(run->chunks->context, slot->chunk, fail);
}

// The first chunk is read already, into the first slot; so is the second one.
static bool feed(struct chunks_run *run, size_t n_ready, struct fail *fail) {
    const struct chunks *chunks = run->chunks;
    bool is_good = true, has_more = true;
    while (is_good && has_more) {
        pthread_mutex_lock(&run->mutex);
        run->n_read += n_ready;
        pthread_cond_broadcast(&run->has_changed);
        pthread_mutex_unlock(&run->mutex);
        n_ready = 1;
        if (run->n_read - run->n_taken == run->n_slots)
            is_good = take_oldest(run, true, fail);
        has_more = is_good && chunks->read(chunks->context, run->slots[run->n_read % run->n_slots].chunk, fail);
    }
    is_good = is_good && fail->status == FAIL_NONE;
    pthread_mutex_lock(&run->mutex);
    run->is_ended = true;
    pthread_cond_broadcast(&run->has_changed);
    pthread_mutex_unlock(&run->mutex);
    while (run->n_taken < run->n_read)
        is_good = take_oldest(run, is_good, fail) && is_good;
    return is_good;
}

static bool run_on_threads(struct chunks_run *run, unsigned n_jobs, struct fail *fail) {
    pthread_t threads[CHUNKS_MOST_JOBS];
    unsigned n_threads = 0;
    while (n_threads < n_jobs && pthread_create(&threads[n_threads], NULL, work, run) == 0)
        n_threads++;
    if (n_threads == 0)
        return fail_set(fail, FAIL_WORK, "cannot start a thread; give --jobs 1");
    bool is_good = feed(run, READ_AHEAD, fail);
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return is_good;
}

// Works on the chunks on this thread. `n_ready`: chunks read so far, in the first slots. `has_more`: there may be more.
static bool run_alone(struct chunks_run *run, size_t n_ready, bool has_more, struct fail *fail) {
    const struct chunks *chunks = run->chunks;
    void *worker = chunks->open(chunks->context, true, fail), *first = run->slots[0].chunk;
    bool is_good = worker != NULL;
    for (size_t i = 0; i < n_ready && is_good; i++) {
        chunks->work(worker, run->slots[i].chunk);
        is_good = chunks->take(chunks->context, run->slots[i].chunk, fail);
    }
    while (has_more && is_good && chunks->read(chunks->context, first, fail)) {
        chunks->work(worker, first);
        is_good = chunks->take(chunks->context, first, fail);
    }
    if (worker)
        chunks->close(worker);
    return is_good && fail->status == FAIL_NONE;
}

bool chunks_run(const struct chunks *chunks, unsigned n_jobs, struct fail *fail) {
    n_jobs = n_jobs < 1 ? 1 : n_jobs < CHUNKS_MOST_JOBS ? n_jobs : CHUNKS_MOST_JOBS;
    size_t n_first = n_jobs == 1 ? 1 : READ_AHEAD, n_ready = 0;
    struct chunks_run run = {.chunks = chunks,
                             .n_slots = (size_t)CHUNKS_PER_JOB * n_jobs,
                             .mutex = PTHREAD_MUTEX_INITIALIZER,
                             .has_changed = PTHREAD_COND_INITIALIZER};
    run.slots = calloc(run.n_slots, sizeof *run.slots);
    if (!run.slots)
        return fail_set(fail, FAIL_WORK, "out of memory");
    for (size_t i = 0; i < run.n_slots; i++)
        run.slots[i].chunk = chunks->new_chunk(chunks->context);
    while (n_ready < n_first && chunks->read(chunks->context, run.slots[n_ready].chunk, fail))
        n_ready++;
    bool is_good = fail->status == FAIL_NONE;
    if (is_good && n_ready == READ_AHEAD)
        is_good = run_on_threads(&run, n_jobs, fail);
    else if (is_good && n_ready > 0)
        is_good = run_alone(&run, n_ready, n_ready == n_first, fail);
    for (size_t i = 0; i < run.n_slots; i++)
        chunks->free_chunk(run.slots[i].chunk);
    free(run.slots);
    return is_good;
}
