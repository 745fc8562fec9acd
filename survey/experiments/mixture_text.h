// Private to survey/.
// The loop of a mixture: copies of several forms by turns, none of which waits for another. So only pipes and slots
// that the forms share, or do not share, decide how long it takes.
#ifndef SURVEY_EXPERIMENTS_MIXTURE_TEXT_H
#define SURVEY_EXPERIMENTS_MIXTURE_TEXT_H

#include "base/text.h"
#include "gen/isa.h"
#include "survey/forms/shape.h"

#include <stdbool.h>

// Instructions of a loop, at least. Shorter ones are replayed in whole cycles by some CPUs (SLOTS_LOOP).
enum { MIXTURE_LOOP = 200 };

enum { MIXTURE_MOST_FORMS = 10, MIXTURE_MOST_COPIES = 4 };

// Registers that results of a file take by turns; and those of each form that reads what it writes, which are its own:
// so it only ever reads results of its own kind.
struct mixture_layout {
    unsigned results, own;
    unsigned turns; // times that the body has all copies; 0: as many as make MIXTURE_LOOP instructions
    bool in_runs;   // all copies of a form in a row, before the next one's; else as evenly as they can be
};
static const struct mixture_layout mixture_usual = {4, 3, 0, false};

// A form that is part of it.
struct mixture_part {
    const struct shape *shape;
    unsigned copies;   // before the others' turn comes again
    double throughput; // cycles of a copy among its own kind
    double latency;    // until its result changes again, of one that reads what it writes; else 0
};

// Whether a form can be part of a mixture: it names its registers, stores nothing, and waits for no flags; it writes
// no part of a register, and needs nothing around it.
bool mixture_can_have(const struct shape *shape);

// Whether copies that read what they have written are ready before their turn comes: `width` instructions a cycle are
// the fastest that the loop can be.
bool mixture_is_free(const struct mixture_part *parts, unsigned n, struct mixture_layout layout, double width);

// Returns the kernel. `about`: of the kernel, behind its forms; or "".
struct kernel_text mixture_kernel(struct arena *arena, const struct mixture_part *parts, unsigned n,
                                  struct mixture_layout layout, const char *name, const char *about);

#endif
