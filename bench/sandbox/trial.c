#include "bench/sandbox/trial.h"

#include "bench/sandbox/nursery.h"
#include "bench/sandbox/sandbox.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Exit status of the child.
enum trial_status { TRIAL_DONE, TRIAL_CANNOT_MAP, TRIAL_CANNOT_SEAL };

// Results in shared memory, which the child writes.
struct trial_results {
    struct fault_note note;
    int error_number;         // errno with which the child gave up; 0: it did not
    bool is_left;             // the code reached its end, or the handler of faults sent it to its exit
    unsigned n_pages, memory; // pages, and enum bench_memory
    uintptr_t code_address;
    uintptr_t frame[BENCH_FRAME_WORDS];
};

struct trial_context {
    const struct bench_code *code;
    struct trial_results *results;
    uint64_t *addresses;
    uint8_t *memory; // room for each page, or each frame
    size_t page_bytes;
};

static int give_up(struct trial_results *results, enum trial_status status) {
    results->error_number = errno;
    return (int)status;
}

static int run_once(struct sandbox *sandbox, void *context) {
    const struct trial_context *trial = context;
    struct trial_results *results = trial->results;
    struct code_room room;
    code_function function;
    if (!code_room_open(&room, &trial->code, 1, &function, &results->note))
        return give_up(results, TRIAL_CANNOT_MAP);
    if (!sandbox_seal(sandbox, &room))
        return give_up(results, TRIAL_CANNOT_SEAL);
    results->code_address = (uintptr_t)code_start(function);
    code_room_clean(&room, trial->code);
    code_room_enter(&room, trial->code, function);
    code_room_reach(&room, trial->code, 1);
    function(1, room.buffer);
    code_room_leave(&room, trial->code);
    results->n_pages = room.memory.n_pages;
    results->memory = room.memory.kind;
    for (unsigned i = 0; i < room.memory.n_pages; i++)
        trial->addresses[i] = room.memory.pages[i].address;
    if (room.memory.file >= 0)
        memcpy(trial->memory, room.memory.frames, room.memory.n_frames * trial->page_bytes);
    memcpy(results->frame, code_frame(function, trial->code), sizeof results->frame);
    results->is_left = true;
    return TRIAL_DONE;
}

// Whether the child reports that the code did not run.
static bool has_given_up(const struct trial_results *results, int status) {
    return (status == TRIAL_CANNOT_MAP || status == TRIAL_CANNOT_SEAL) && results->error_number && !results->is_left;
}

static bool explain(const struct trial_results *results, int status, struct fail *fail) {
    int error = results->error_number;
    if (status == TRIAL_CANNOT_MAP)
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot make memory executable here: %s", sandbox_map_error(error));
    return fail_set(fail, FAIL_WORK, "cannot close the sandbox that code runs in: %s", strerror(error));
}

// Outcome of a child that exited. Without a filter of system calls, the code itself may have ended it.
static enum bench_outcome outcome_of(const struct trial_results *results, int status) {
    int noted = results->note.outcome;
    if (!results->is_left || status != TRIAL_DONE)
        return BENCH_KILLED;
    return noted >= BENCH_OK && noted < BENCH_N_OUTCOMES ? (enum bench_outcome)noted : BENCH_OVERWROTE;
}

// Takes the state that the code left. The code may have overwritten the results, so checks the number of pages.
static void take(struct arena *arena, const struct trial_context *context, struct trial *trial) {
    const struct trial_results *results = context->results;
    unsigned n_pages = results->n_pages <= context->code->foreign.most_pages ? results->n_pages : 0;
    trial->seen.pages = n_pages;
    trial->seen.memory = results->memory < BENCH_N_MEMORIES ? (enum bench_memory)results->memory : MEMORY_SHARED;
    trial->seen.fault = results->note.fault;
    trial->code_address = results->code_address;
    for (unsigned i = 0; i < BENCH_FRAME_WORDS; i++)
        trial->frame[i] = results->frame[i];
    uint64_t *addresses = ARENA_ARRAY(arena, uint64_t, n_pages + 1);
    memcpy(addresses, context->addresses, n_pages * sizeof *addresses);
    trial->addresses = addresses;
    const struct bench_foreign *rules = &context->code->foreign;
    trial->page_bytes = context->page_bytes;
    trial->n_memory_bytes = (rules->is_own ? n_pages : rules->most_pages ? rules->frames : 0) * context->page_bytes;
    trial->memory = (const uint8_t *)arena_copy(arena, (const char *)context->memory, trial->n_memory_bytes);
}

static struct trial_context *make_context(const struct bench_code *code) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           n_memory_bytes = (code->foreign.is_own ? code->foreign.most_pages : code->foreign.frames) * page;
    struct trial_context *context = nursery_alloc(sizeof *context);
    const struct bench_code *copy = nursery_copy_code(code);
    struct trial_results *results = nursery_alloc(sizeof *results);
    uint64_t *addresses = nursery_alloc(code->foreign.most_pages * sizeof *addresses + 1);
    uint8_t *memory = nursery_alloc(n_memory_bytes + 1);
    if (!context || !copy || !results || !addresses || !memory)
        return NULL;
    memset(results, 0, sizeof *results);
    *context = (struct trial_context){copy, results, addresses, memory, page};
    return context;
}

static bool run(struct arena *arena, const struct bench_code *code, double timeout_seconds, struct trial *trial,
                struct fail *fail) {
    struct trial_context *context = make_context(code);
    if (!context)
        return fail_set(fail, FAIL_WORK, "no memory for a trial: %s", strerror(errno));
    struct trial_results *results = context->results;
    struct sandbox_job job = {.body = run_once,
                              .context = context,
                              .note = &results->note,
                              .is_in_nursery = true,
                              .timeout_seconds = timeout_seconds > 0 ? timeout_seconds : 2};
    int status = 0;
    bool is_done = sandbox_run(&job, &trial->outcome, &status, fail);
    if (is_done && trial->outcome == BENCH_OK && has_given_up(results, status))
        is_done = explain(results, status, fail);
    if (is_done && trial->outcome == BENCH_OK)
        trial->outcome = outcome_of(results, status);
    if (is_done)
        take(arena, context, trial);
    return is_done;
}

bool trial_run(struct arena *arena, const struct bench_code *code, double timeout_seconds, struct trial *trial,
               struct fail *fail) {
    *trial = (struct trial){.outcome = BENCH_KILLED};
    bool is_done = run(arena, code, timeout_seconds, trial, fail);
    nursery_free_all();
    return is_done;
}
