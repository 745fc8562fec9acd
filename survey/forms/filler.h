// Private to survey/.
// Fillers (survey/experiments/slots.h): instructions that take a dispatch slot and no pipe. Each ISA's traits name
// some.
#ifndef SURVEY_FORMS_FILLER_H
#define SURVEY_FORMS_FILLER_H

#include <stdbool.h>

// A candidate.
struct slots_filler {
    const char *name;         // "xor": its kernel is FILL.xor
    const char *first, *next; // its text, at its first mention in a body and at each further one
    bool is_usual;            // it takes a slot and no pipe on nearly all CPUs of the ISA
};

// Instructions that a filler is checked with, and the kernel's keys for their roles.
struct slots_mix {
    const char *body, *writes, *init;
};

#endif
