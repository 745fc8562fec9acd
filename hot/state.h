// A loop's state in a running program: registers and the memory that so many of its instructions touch, as they were
// when control came to its head; and the way that it then took. The program goes on unchanged.
//
// The program is stopped at the head, then steps through the loop, one instruction at a time, while each page is copied
// before it is touched for the first time. x86-64 only.
#ifndef HOT_STATE_H
#define HOT_STATE_H

#include "base/segment.h"
#include "bench/sandbox/steps.h"
#include "blocks/decoder.h"
#include "hot/loops.h"
#include "hot/vector_layout.h"

enum { HOT_MOST_XSAVE = 1 << 14, HOT_MOST_MOMENTS = 8 };

struct hot_state {
    const char *program;             // for people
    struct hot_module module;        // of the loop
    uint64_t load_address;           // address in memory of the module's address 0
    uint64_t head;                   // address in memory
    double seconds;                  // since the program's start, or we attached to it, when it was copied
    enum hot_clock clock;            // of that
    double share;                    // of the loop's time that it stands for, 0 to 1; see moments.h
    struct step_registers registers; // at the head
    uint64_t flags;
    const uint8_t *xsave; // XSAVE's area, not compacted, with which components are in it
    size_t n_xsave;
    struct vector_layout layout; // of it, on the CPU where it was copied
    const struct segment *pages; // memory and code that the recorded steps touch,
                                 // as it was at the head; ascending
    size_t n_pages;
    const uint64_t *changed; // of each page, which lines of 64 bytes the steps have changed in the end: a bit each
    // The steps from the head on, as long as they stay in user code: addresses in memory, and the registers before
    // each.
    const uint64_t *steps;
    const struct step_registers *before;
    size_t n_steps;
    uint64_t next;  // address where control was behind the last step
    uint64_t turns; // times that control came to the head, with the first one
    enum hot_end {
        HOT_END_LEFT,  // the last step left the loop, to come back (nested) or not:
                       // see `entries`
        HOT_END_LIMIT, // as many steps as requested
        HOT_END_CALL,  // a system call would be next, or a look at the kernel's clock
    } end;
    uint64_t entries; // of the loop from outside; 1: it was not left and entered again
    // Files whose code the steps run, where they are in memory; none: of a case file.
    const struct hot_mapped {
        const char *path;
        uint64_t begin, end, load_address;
    } * files;
    size_t n_files;
    const char *turn; // for people, what a turn is besides the loop's own code, one clause; null: nothing else
};

struct hot_capture {
    char *const *argv; // program to run; null: `pid`
    int pid;           // process to attach to
    const struct hot_loop *loop;
    const struct hot_module *module;
    uint64_t head;         // address in the module where its turns begin; 0: the loop's head
    bool is_open;          // it is no loop that control could leave: steps count wherever they lead
    uint64_t skipped_hits; // times that control comes to the head before the first copy, as far as 0.03 s suffice
    const double *moments; // times since the program's start, s, ascending: at the next hit behind each, it is copied
    size_t n_moments;      // to HOT_MOST_MOMENTS; 0: one copy, at once
    enum hot_clock clock;  // of these; one for all requests
    // Faults of pages of the profiled run, by that clock, and all of them. This run has more, as the program shares its
    // memory with its copies; their time does not count. Null: not known.
    const struct course *faults;
    double run_faults;
    double seconds_of_fault; // that one takes; 0: it is not subtracted
    size_t n_wanted;         // moments, before those were left out that would hold the program up for too long
    size_t most_steps;       // 0: 20,000
    double run_seconds;      // that the program takes by the wall clock; 0: as long as to the last moment
    double timeout_seconds;  // until the head is reached, from then on; 0: 10 s
    int key;                 // signal that ends the program after run_seconds, where it still runs; 0: none
};

// The copies of one loop, in the order of their times.
struct hot_copies {
    struct hot_state *states[HOT_MOST_MOMENTS];
    size_t n;
    const char *why; // no copy was made, one clause: never reached, or a system call in its first turn
};

// Copies the states of loops, each by its request, in one run of the program where that is possible. The program's
// input and output are its own. Fails where it cannot be started or traced.
bool hot_state_capture(struct arena *arena, const struct decoder *decoder, const struct hot_capture *captures, size_t n,
                       struct hot_copies *copies, struct hot_run *run, struct fail *fail);

// Which of a profile's samples are at instructions that replays ran.
struct hot_covered {
    const char *source; // of the profile, for people; null: not known
    double share;       // of all samples, 0 to 1
    // All others, the largest share first: why they are not, one clause.
    struct hot_uncovered {
        double share;
        const char *why;
    } * uncovered;
    size_t n_uncovered;
};

// The states of a program's loops, those of one loop one behind the other; and what replays of them covered there.
struct hot_case {
    struct hot_state **states;
    size_t n;
    struct hot_covered covered;
    const char *cpu; // where it was saved, for people
};

// One file, to replay them elsewhere. Reading checks everything: no content of a file can do more than fail.
bool hot_case_write(const char *path, const struct hot_case *saved, struct fail *fail);
bool hot_case_read(struct arena *arena, const char *path, struct hot_case *saved, struct fail *fail);

#endif
