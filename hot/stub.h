// Private to this folder.
// The code that puts a state in place, jumps to the loop's head, and is jumped to at its end; and the memory that goes
// with it. x86-64 only.
#ifndef HOT_STUB_H
#define HOT_STUB_H

#include "bench/bench.h"
#include "hot/stop.h"

// Lines of memory that the recorded steps write, which each replay begins with again.
struct stub_lines {
    const uint64_t *addresses; // multiples of 64, each once
    size_t n;
};

struct stub_request {
    const struct hot_state *state;
    const struct trace *trace;
    const struct stop *stop;
    struct stub_lines lines;
    // Pages of code that are read or written as data, too, or may be: the others hold only what ran.
    bool keeps_code;
    bool uses_fs; // the code addresses memory by fs
};

struct stub {
    struct bench_code code; // of the replay, an iteration each
    struct bench_code twin; // the same, but the loop: control goes from its start to its end
};

// Returns null; or the reason, one clause, why there is no place for it.
const char *stub_make(struct arena *arena, const struct stub_request *request, struct stub *stub);

// Components of XSAVE that are loaded: those of the state that this CPU and this kernel have. Sets `missing`: the state
// has others in use.
uint64_t stub_components(const struct hot_state *state, bool *missing);

// Whether this machine can set the base of fs.
bool stub_can_set_fs(void);

#endif
