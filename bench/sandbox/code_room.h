// All that a piece of code under test may touch, in the child of a sandbox: the code itself, a buffer, and for code of
// unknown origin memory that appears where it touches some. And what is done around each run of such code.
#ifndef BENCH_SANDBOX_CODE_ROOM_H
#define BENCH_SANDBOX_CODE_ROOM_H

#include "bench/sandbox/code_memory.h"
#include "bench/sandbox/demand_memory.h"
#include "bench/sandbox/fault.h"

struct code_room {
    struct code_region region;   // where the codes lie
    void *buffer;                // the middle of it; the codes' second argument
    struct demand_memory memory; // that may appear
    struct fault_note *note;     // in memory shared with the parent
    bool is_fresh;               // no code has run since memory was as at the start
};

// Maps everything. False without (executable) memory: errno says why.
bool code_room_open(struct code_room *room, const struct bench_code *const *codes, size_t n, code_function *functions,
                    struct fault_note *note);

// The buffer and the floating-point state as at the start, for the next piece of code. No memory has appeared yet, and
// nothing is noted.
void code_room_clean(struct code_room *room, const struct bench_code *code);

// Around each run of code of unknown origin; of known code they do nothing. Before it, memory is as at the start, and
// denormals count as zero (their assists would hide all else; BHive does the same). After it, the harness has its own
// floating-point state back; false: the code did not come to its end, and the note says why.
void code_room_enter(struct code_room *room, const struct bench_code *code, code_function function);
bool code_room_leave(struct code_room *room, const struct bench_code *code);

#endif
