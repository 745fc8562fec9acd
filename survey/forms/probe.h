// Finds out which instruction forms this CPU has: runs an example of each once, in the sandbox. LLVM cannot answer that
// on x86, where its assembler takes every instruction on every CPU.
//
// The example finds an address in each general register, memory wherever it touches some, and vectors of zeros. So a
// form may end badly that the CPU has: a division overflows, a load of a segment register faults.
#ifndef SURVEY_FORMS_PROBE_H
#define SURVEY_FORMS_PROBE_H

#include "analyzer/code/form.h"
#include "base/arena.h"
#include "base/fail.h"
#include "bench/bench.h"
#include "bench/host/host.h"
#include "bench/sandbox/probe.h"

#include <stdbool.h>
#include <stddef.h>

struct probed_form {
    bool was_run; // else the rest means nothing: it is not usable
    enum bench_outcome outcome;
    // Feature, by LLVM's name, that its instruction needs and this CPU lacks. It ran all the same: CPUs without the
    // feature take its bytes as an instruction that does nothing, or as an older one. Null: it is no such form.
    const char *hint;
};

// Runs each usable form, and sets `results` in their order. The forms are of this machine's ISA. `counts` may be null.
// Fails without an assembler, and as probe_run.
bool probe_forms(const struct host *host, const struct form *forms, size_t n, struct probed_form *results,
                 struct probe_counts *counts, struct fail *fail);

// "ok", "illegal instruction", "hint: this CPU lacks cldemote"; "" where it was not run.
const char *probed_form_text(struct arena *arena, const struct probed_form *probed);

// Returns the feature, by LLVM's name, that gives a form of that opcode its meaning: on CPUs without it, it does
// nothing, or what an older instruction does. Null: it has no other meaning.
const char *probe_hint(const char *opcode);
// "hint: this CPU lacks cldemote".
const char *probe_hint_text(struct arena *arena, const char *feature);

#endif
