#include "cli/mca/hex_jobs.h"

#include "analyzer/sim/mca/mca.h"
#include "base/chunks.h"
#include "base/line.h"
#include "cli/mca/bytes.h"

#include <stdlib.h>
#include <string.h>

// Lines in a chunk: enough that handing it over costs nothing, and few enough that the last threads do not wait long.
enum { CHUNK_LINES = 512 };

struct hex_chunk {
    char *lines; // as read
    size_t n_bytes, room;
    unsigned first_line; // in the file, from 1
    char *printed;
    size_t n_printed;
    bool any_failed;
    struct fail fail; // the worker cannot go on
};

struct hex_run {
    struct mca_session *session;
    const struct model *model; // the session's
    const char *name;          // of the file, for messages
    FILE *in;
    unsigned next_line;
    bool any_failed;
};

// What one thread works with.
struct worker {
    const struct hex_run *run;
    const struct model *model;
    struct pipeline *pipeline;
    bool is_own; // opened for this thread alone
    struct model own_model;
    struct arena arena;
    uint64_t iterations;
};

static void *new_chunk(void *context) {
    (void)context;
    struct hex_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk)
        abort(); // as arenas do
    return chunk;
}

static void free_chunk(void *item) {
    struct hex_chunk *chunk = item;
    free(chunk->lines);
    free(chunk->printed);
    free(chunk);
}

static void simulate_lines(void *self, void *item) {
    const struct worker *worker = self;
    struct hex_chunk *chunk = item;
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
        uint64_t thousandths;
        if (hex.fail.status == FAIL_NONE && mca_simulate(worker->model, worker->pipeline, worker->iterations,
                                                         &hex.block, &result, &thousandths, &hex.fail)) {
            mca_brief_print(&result, thousandths, hex.block.name, out);
        } else {
            mca_brief_print_error(&hex.fail, out);
            chunk->any_failed = true;
        }
    }
    chunk->fail = hex.fail;
    mca_hex_close(&hex);
    fclose(out);
}

static void close_worker(void *self) {
    struct worker *worker = self;
    if (worker->is_own) {
        if (worker->pipeline)
            pipeline_close(worker->pipeline);
        model_close(&worker->own_model);
        arena_free(&worker->arena);
    }
    free(worker);
}

static void *open_worker(void *context, bool is_alone, struct fail *fail) {
    const struct hex_run *run = context;
    const struct pipeline_options options = mca_pipeline_options(run->session);
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        abort(); // as arenas do
    worker->run = run;
    worker->iterations = options.iterations;
    worker->is_own = !is_alone;
    worker->model = is_alone ? run->model : &worker->own_model;
    bool is_open = is_alone || mca_open_model(run->session->args, &worker->arena, &worker->own_model, fail);
    if (is_alone)
        worker->pipeline = run->session->pipeline;
    else if (is_open && !worker->own_model.own)
        worker->pipeline = mca_core_open(worker->own_model.machine, &options);
    if (is_open)
        return worker;
    close_worker(worker);
    return NULL;
}

// False at the end of the file, and where it cannot be read.
static bool read_chunk(void *context, void *item, struct fail *fail) {
    struct hex_run *run = context;
    struct hex_chunk *chunk = item;
    char *line = NULL;
    const char *why = NULL;
    size_t line_room = 0;
    chunk->n_bytes = 0;
    chunk->first_line = run->next_line;
    chunk->any_failed = false;
    fail_clear(&chunk->fail);
    for (unsigned i = 0; i < CHUNK_LINES; i++) {
        ssize_t length = line_read(&line, &line_room, run->in);
        if (length < 0) {
            why = line_error();
            break;
        }
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
    if (why)
        return fail_at(fail, run->name, run->next_line, 0, "%s", why);
    return chunk->n_bytes != 0;
}

static bool write_chunk(void *context, void *item, struct fail *fail) {
    struct hex_run *run = context;
    struct hex_chunk *chunk = item;
    run->any_failed |= chunk->any_failed;
    if (chunk->printed)
        fwrite(chunk->printed, 1, chunk->n_printed, run->session->out);
    free(chunk->printed);
    chunk->printed = NULL;
    if (chunk->fail.status != FAIL_NONE)
        *fail = chunk->fail;
    return chunk->fail.status == FAIL_NONE;
}

bool mca_run_hex(struct mca_session *session, const struct model *model, const char *path, unsigned n_jobs,
                 bool *any_failed) {
    struct mca_hex file;
    if (!mca_hex_open(&file, path, session->fail))
        return false;
    struct hex_run run = {.session = session, .model = model, .name = file.name, .in = file.in, .next_line = 1};
    const struct chunks chunks = {&run,         read_chunk,  open_worker, simulate_lines,
                                  close_worker, write_chunk, new_chunk,   free_chunk};
    bool is_good = chunks_run(&chunks, n_jobs, session->fail);
    *any_failed |= run.any_failed;
    mca_hex_close(&file);
    return is_good;
}
