// All that a piece of code under test may touch, in the child of a sandbox: the code, a buffer, and for code of unknown
// origin memory that appears where it touches some. Also prepares and ends each run of such code.
#ifndef BENCH_SANDBOX_CODE_ROOM_H
#define BENCH_SANDBOX_CODE_ROOM_H

#include "bench/sandbox/chase_memory.h"
#include "bench/sandbox/code_memory.h"
#include "bench/sandbox/demand_memory.h"
#include "bench/sandbox/fault.h"

struct code_room {
    struct code_region region;   // memory of the codes
    void *buffer;                // middle of the buffer; the codes' second argument
    struct chase_memory chases;  // rings of addresses
    struct demand_memory memory; // memory that may appear
    struct fault_note *note;     // note of a fault, in memory shared with the parent
    bool is_fresh;               // no code has run since code_room_clean
};

// Maps everything. Without memory, or executable memory, returns false and sets errno.
bool code_room_open(struct code_room *room, const struct bench_code *const *codes, size_t n, code_function *functions,
                    struct fault_note *note);

// Prepares for the next piece of code: zeroes the buffer, resets the floating-point state, unmaps the memory that has
// appeared, and clears the note.
void code_room_clean(struct code_room *room, const struct bench_code *code);

// Enclose each run of code of unknown origin. They do nothing for known code.
//  - code_room_enter fills the memory as at the start. On x86-64 and AArch64, denormals then count as zero: their
//    assists would hide all else (BHive does the same).
//  - code_room_leave resets the floating-point state. Returns false where the code did not reach its end; see the note.
void code_room_enter(struct code_room *room, const struct bench_code *code, code_function function);
bool code_room_leave(struct code_room *room, const struct bench_code *code);

// Behind code_room_enter: makes the pages appear whose accesses may never fault, for so many iterations. Where there
// are too many, notes that as the code's outcome.
void code_room_reach(struct code_room *room, const struct bench_code *code, uint64_t iterations);

#endif
