// Private to this folder.
// The recorded steps of a state, with the instructions that they are. x86-64 only.
#ifndef HOT_TRACE_H
#define HOT_TRACE_H

#include "hot/insn_book.h"
#include "hot/state.h"

struct trace_insn {
    struct book_insn *insn;
    size_t first, last; // steps
    size_t n, n_taken;  // times that it ran; of a branch, that it was taken
};

struct trace {
    const struct hot_state *state;
    const struct machine *machine;
    struct insn_book book;
    struct trace_insn *insns; // of each instruction that ran
    size_t n_insns;
    const unsigned *steps; // of each step, its number among those
    const uint64_t *heads; // turns before each step
    size_t n_steps;
};

// Reads the state's pages. Null; or the reason, one clause, why they are not a run of instructions.
const char *trace_open(struct trace *trace, struct arena *arena, const struct decoder *decoder,
                       const struct hot_state *state);

static inline const struct trace_insn *trace_at(const struct trace *trace, size_t step) {
    return &trace->insns[trace->steps[step]];
}

// Address where control is behind a step.
static inline uint64_t trace_behind(const struct trace *trace, size_t step) {
    return step + 1 < trace->n_steps ? trace->state->steps[step + 1] : trace->state->next;
}

// Whether the turns before a step are whole ones. The last one may be cut a little.
bool trace_is_whole(const struct trace *trace, size_t n_steps);

// Whether so many bytes of memory are none of those of instructions that begin to run before step `end`.
bool trace_is_free(const struct trace *trace, uint64_t address, unsigned n_bytes, size_t end);

// The page of the state's memory at an address; null: it is not there.
const struct segment *trace_find_page(const struct hot_state *state, uint64_t address);

// Bytes of the state's memory that are there; fewer than requested where it ends.
size_t trace_read(const struct hot_state *state, uint64_t address, uint8_t *bytes, size_t n_bytes);

// Number of the general register that a register of the machine is, or is a part of; STEP_REGISTERS: another one.
unsigned trace_general(const struct machine *machine, uint16_t reg);

#endif
