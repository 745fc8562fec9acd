// A profile of a program: how often the instruction at each address was executed, or seen by a sampling profiler.
#ifndef CORPUS_PROFILE_H
#define CORPUS_PROFILE_H

#include "base/arena.h"
#include "base/fail.h"

#include <stddef.h>
#include <stdint.h>

struct profile {
    struct profile_entry {
        uint64_t address, count;
    } * entries; // in the order of addresses, each once
    size_t n;
};

// Reads what hot_profile_read reads: a file of callgrind's (run with --dump-instr=yes), perf's, or lines of "ADDRESS
// COUNT", the address in hexadecimal. Of a profile of several files, those among `programs` count. Fails at the place
// of a mistake.
bool profile_read(struct arena *arena, const char *path, const char *const *programs, size_t n_programs,
                  struct profile *profile, struct fail *fail);

// The count at an address; 0: none.
uint64_t profile_count(const struct profile *profile, uint64_t address);

#endif
