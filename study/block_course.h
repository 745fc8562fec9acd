// The course of a block in time: when each instruction of some passes went through the core of a CPU file, in its
// steady state, and what it waited for. Prints nothing.
#ifndef STUDY_BLOCK_COURSE_H
#define STUDY_BLOCK_COURSE_H

#include "analyzer/views/core_timeline.h"
#include "study/explain_block.h"

enum { COURSE_MOST_SOURCES = 2, COURSE_MOST_USES = 4 };

// A result that an instruction waited for: the last one to come.
struct course_source {
    unsigned insn;   // index in the block
    unsigned passes; // it is of so many passes before
    uint16_t reg;    // LLVM's number; 0: memory
    unsigned cycles; // it was still away when its reader had all others
    bool is_of_address;
};

struct course_entry {
    unsigned pass, insn;                // number of the pass, from the first shown; index in the block
    struct core_timeline_entry times;   // cycles from the first dispatch of these on
    enum event_elimination elimination; // where times.is_eliminated
    bool has_met;                       // a store whose data it loads
    enum event_meeting met;
    unsigned met_insn;
    bool was_stalled; // it was dispatched later than the one before, because of
    enum event_stall stall;
    unsigned n_sources, n_uses;
    struct course_source sources[COURSE_MOST_SOURCES];
    unsigned uses[COURSE_MOST_USES]; // pipes of its uops, as resources of cpu_pipe_machine
};

// A value that an instruction reads, and another one makes; or its own of the iteration before.
struct course_dependence {
    unsigned from, to; // indices in the block; from >= to: of the iteration before
    uint16_t reg;      // that `to` reads, LLVM's number; 0: memory
};

struct course_knob {
    const char *name;
    double cycles; // per iteration, where it is no limit
};

struct block_course {
    const struct machine *pipes;
    const struct course_entry *entries; // of whole passes, in order
    size_t n_entries;
    unsigned n_passes;
    uint64_t n_cycles;         // from the first dispatch to the last retirement
    const double *pipe_cycles; // by resource of `pipes`: cycles that it is held, per pass
    const struct course_dependence *dependences;
    size_t n_dependences;
    const struct course_knob *knobs;
    size_t n_knobs;
};

// At most so many entries are shown, but a whole pass.
bool block_course_find(struct arena *arena, const struct block_explanation *explanation, unsigned most_entries,
                       struct block_course *course, struct fail *fail);

#endif
