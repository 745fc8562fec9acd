// The loops of a program's functions that have samples: natural loops of the control-flow graph, from its bytes.
// x86-64.
//
// A sample is at the instruction behind the one that took the time: an interrupt comes between two, and the CPU is
// late. A loop's sum is off by what is taken for its neighbour's, at its entry and its exits. Of single instructions,
// samples are not to be trusted.
#ifndef HOT_LOOPS_H
#define HOT_LOOPS_H

#include "blocks/decoder.h"
#include "hot/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of code in a row.
struct hot_range {
    uint64_t begin, end; // addresses in the module, as struct hot_place has them
};

struct hot_edge {
    uint64_t from, to; // address of the branch, and where it leads; `to` 0: not known
};

// A piece of code that samples are in: a loop, or what of a function is in no loop.
struct hot_loop {
    unsigned module;
    const char *function; // symbol; null: a stripped file, named by its address
    uint64_t function_address;
    bool is_loop;                   // else the rest of the function
    uint64_t head;                  // address of its first instruction to run
    const struct hot_range *ranges; // its instructions, with those of inner loops; ascending
    size_t n_ranges;
    // Branches to the head, or the instruction in front of it; ways out, of which `to` is 0 for a return; calls of
    // functions.
    const struct hot_edge *back, *exits, *calls;
    size_t n_back, n_exits, n_calls;
    size_t parent; // index of the loop around it; SIZE_MAX: none
    // Of the rest of a function: index of a loop that calls it, directly or through functions that call it outside of
    // their loops. Of several, that with most samples; of a loop and one inside it, that. SIZE_MAX: none that is known;
    // calls by a register are not.
    size_t caller;
    bool has_callers;       // the code names others, or some that no loop is known to call
    uint64_t hottest;       // address of the first instruction of its block with most samples
    unsigned depth;         // loops around it
    bool is_irreducible;    // control also enters it elsewhere than at the head
    bool has_unknown_jumps; // a way through it leads to a jump whose targets were not found, and may come back
    double own, all;        // samples in it without and with inner loops; the unit is the profile's
    double turns;           // executions of the head, where the profile counts them (callgrind); else NAN
    const char *file;       // source of the head; null: no line table
    unsigned line;
};

struct hot_loops {
    const struct hot_loop *loops; // by `own`, the hottest first
    size_t n;
    double covered; // share of the profile's samples that are in loops, 0 to 1
    double called;  // share of those in no loop, but in functions that loops call: they have a `caller`
    // Samples that are in none of them, each with a reason, one clause: no such file, another build, code of a JIT.
    const struct hot_skipped {
        unsigned module; // UINT_MAX: of several, or of none
        double samples;
        const char *why;
    } * skipped;
    size_t n_skipped;
};

// Finds them. One bad module or function costs that one.
bool hot_loops_find(struct arena *arena, const struct decoder *decoder, const struct hot_profile *profile,
                    struct hot_loops *loops, struct fail *fail);

// The lines of a module's source, for many addresses. They are in the file or in one with debug information that
// belongs to it (by its build id, in /usr/lib/debug; or by its link). Null: there are none.
struct hot_lines;
struct hot_lines *hot_lines_open(struct arena *arena, const struct hot_module *module);
void hot_lines_close(struct hot_lines *lines); // null: nothing
// False: the compiler named no line of this address.
bool hot_lines_find(struct hot_lines *lines, uint64_t address, const char **file, unsigned *line);

#endif
