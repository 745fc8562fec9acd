#include "cli/mca/hex_jobs.h"

#include "cli/mca/bytes.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Lines in a chunk: enough that handing it over costs nothing, and few enough that the last threads do not wait long.
enum { CHUNK_LINES = 512, CHUNKS_PER_JOB = 4, MOST_JOBS = 256 };

struct chunk {
    bool is_done; // simulated, and not written yet
    char *lines;  // as read
    size_t n_bytes, room;
    unsigned first_line; // in the file, from 1
    char *printed;
    size_t n_printed;
    bool any_failed;
    struct fail fail; // the worker cannot go on
};

// One reader, which is also the writer, and its workers. Chunks are a ring: read, simulated and written in turn.
struct hex_run {
    struct mca_session *session;
    const char *name; // of the file, for messages
    FILE *in;
    unsigned next_line;
    struct chunk *chunks;
    unsigned n_chunks;
    size_t n_read, n_taken, n_written; // chunks so far
    bool is_ended;
    pthread_mutex_t mutex;
    pthread_cond_t has_changed;
};

// What one thread works with.
struct worker {
    struct hex_run *run;
    const struct model *model;
    struct pipeline *pipeline;
    uint64_t iterations;
};

static void simulate_lines(const struct worker *worker, struct chunk *chunk) {
    struct mca_hex hex;
    FILE *out = open_memstream(&chunk->printed, &chunk->n_printed);
    if (!out || !mca_hex_open_text(&hex, worker->run->name, chunk->lines, chunk->n_bytes, chunk->first_line)) {
        fail_set(&chunk->fail, FAIL_WORK, "out of memory");
        if (out)
            fclose(out);
        return;
    }
    while (mca_hex_next(&hex, worker->model)) {
        struct pipeline_result result;
        if (hex.fail.status == FAIL_NONE && pipeline_simulate(worker->pipeline, &hex.block, NULL, &result, &hex.fail)) {
            mca_brief_print(&result, worker->iterations, hex.block.name, out);
        } else {
            mca_brief_print_error(&hex.fail, out);
            chunk->any_failed = true;
        }
    }
    chunk->fail = hex.fail;
    mca_hex_close(&hex);
    fclose(out);
}

// The next chunk to simulate; null: there are no more.
static struct chunk *take_chunk(struct hex_run *run) {
    pthread_mutex_lock(&run->mutex);
    while (run->n_taken == run->n_read && !run->is_ended)
        pthread_cond_wait(&run->has_changed, &run->mutex);
    struct chunk *chunk = run->n_taken < run->n_read ? &run->chunks[run->n_taken++ % run->n_chunks] : NULL;
    pthread_mutex_unlock(&run->mutex);
    return chunk;
}

static void put_back(struct hex_run *run, struct chunk *chunk) {
    pthread_mutex_lock(&run->mutex);
    chunk->is_done = true;
    pthread_cond_broadcast(&run->has_changed);
    pthread_mutex_unlock(&run->mutex);
}

static void *work(void *argument) {
    struct hex_run *run = argument;
    struct arena arena = {0};
    struct model model;
    struct fail fail;
    fail_clear(&fail);
    const struct pipeline_options options = mca_pipeline_options(run->session);
    struct worker worker = {.run = run, .model = &model, .iterations = options.iterations};
    if (mca_open_model(run->session->args, &arena, &model, &fail))
        worker.pipeline = pipeline_open(model.machine, &options);
    for (struct chunk *chunk = take_chunk(run); chunk; chunk = take_chunk(run)) {
        if (worker.pipeline)
            simulate_lines(&worker, chunk);
        else
            chunk->fail = fail;
        put_back(run, chunk);
    }
    if (worker.pipeline)
        pipeline_close(worker.pipeline);
    model_close(&model);
    arena_free(&arena);
    return NULL;
}

// False at the end of the file, and where it cannot be read.
static bool read_chunk(struct hex_run *run, struct chunk *chunk) {
    char *line = NULL;
    size_t line_room = 0;
    chunk->n_bytes = 0;
    chunk->first_line = run->next_line;
    chunk->any_failed = false;
    fail_clear(&chunk->fail);
    for (unsigned i = 0; i < CHUNK_LINES; i++) {
        ssize_t length = getline(&line, &line_room, run->in);
        if (length < 0)
            break;
        run->next_line++;
        if (chunk->n_bytes + (size_t)length > chunk->room) {
            chunk->room = 2 * (chunk->n_bytes + (size_t)length);
            chunk->lines = realloc(chunk->lines, chunk->room);
            if (!chunk->lines)
                abort(); // as arenas do
        }
        memcpy(chunk->lines + chunk->n_bytes, line, (size_t)length);
        chunk->n_bytes += (size_t)length;
    }
    free(line);
    if (ferror(run->in))
        return fail_at(run->session->fail, run->name, run->next_line, 0, "%s", strerror(errno));
    return chunk->n_bytes != 0;
}

static bool write_chunk(struct hex_run *run, struct chunk *chunk, bool *any_failed) {
    *any_failed |= chunk->any_failed;
    if (chunk->printed)
        fwrite(chunk->printed, 1, chunk->n_printed, run->session->out);
    free(chunk->printed);
    chunk->printed = NULL;
    if (chunk->fail.status != FAIL_NONE)
        *run->session->fail = chunk->fail;
    return chunk->fail.status == FAIL_NONE;
}

static bool write_oldest(struct hex_run *run, bool *any_failed) {
    struct chunk *chunk = &run->chunks[run->n_written % run->n_chunks];
    pthread_mutex_lock(&run->mutex);
    while (!chunk->is_done)
        pthread_cond_wait(&run->has_changed, &run->mutex);
    chunk->is_done = false;
    pthread_mutex_unlock(&run->mutex);
    run->n_written++;
    return write_chunk(run, chunk, any_failed);
}

// The first chunk is read.
static bool run_chunks(struct hex_run *run, bool *any_failed) {
    bool is_good = true, has_more = true;
    while (is_good && has_more) {
        pthread_mutex_lock(&run->mutex);
        run->n_read++;
        pthread_cond_broadcast(&run->has_changed);
        pthread_mutex_unlock(&run->mutex);
        if (run->n_read - run->n_written == run->n_chunks)
            is_good = write_oldest(run, any_failed);
        has_more = is_good && read_chunk(run, &run->chunks[run->n_read % run->n_chunks]);
    }
    pthread_mutex_lock(&run->mutex);
    run->is_ended = true;
    pthread_cond_broadcast(&run->has_changed);
    pthread_mutex_unlock(&run->mutex);
    while (run->n_written < run->n_read)
        is_good &= write_oldest(run, any_failed);
    return is_good && run->session->fail->status == FAIL_NONE;
}

static bool run_on_threads(struct hex_run *run, unsigned n_jobs, bool *any_failed) {
    pthread_t threads[MOST_JOBS];
    unsigned n_threads = 0;
    while (n_threads < n_jobs && pthread_create(&threads[n_threads], NULL, work, run) == 0)
        n_threads++;
    if (n_threads == 0)
        return fail_set(run->session->fail, FAIL_WORK, "cannot start a thread; give --jobs 1");
    bool is_good = run_chunks(run, any_failed);
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return is_good;
}

// In this thread, with what it has open.
static bool run_alone(struct hex_run *run, const struct model *model, bool *any_failed) {
    const struct worker worker = {run, model, run->session->pipeline, mca_pipeline_options(run->session).iterations};
    struct chunk *chunk = &run->chunks[0];
    bool is_good = true;
    do {
        simulate_lines(&worker, chunk);
        is_good = write_chunk(run, chunk, any_failed);
    } while (is_good && read_chunk(run, chunk));
    return is_good && run->session->fail->status == FAIL_NONE;
}

bool mca_run_hex(struct mca_session *session, const struct model *model, const char *path, unsigned n_jobs,
                 bool *any_failed) {
    struct mca_hex file;
    if (!mca_hex_open(&file, path, session->fail))
        return false;
    n_jobs = n_jobs < MOST_JOBS ? n_jobs : MOST_JOBS;
    struct hex_run run = {.session = session,
                          .name = file.name,
                          .in = file.in,
                          .next_line = 1,
                          .n_chunks = CHUNKS_PER_JOB * n_jobs,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .has_changed = PTHREAD_COND_INITIALIZER};
    run.chunks = ARENA_ARRAY(session->arena, struct chunk, run.n_chunks);
    bool is_good = true;
    if (!read_chunk(&run, &run.chunks[0])) {
        is_good = session->fail->status == FAIL_NONE;
    } else {
        bool is_short = run.next_line <= CHUNK_LINES;
        is_good =
            n_jobs == 1 || is_short ? run_alone(&run, model, any_failed) : run_on_threads(&run, n_jobs, any_failed);
    }
    for (unsigned i = 0; i < run.n_chunks; i++)
        free(run.chunks[i].lines);
    mca_hex_close(&file);
    return is_good;
}
