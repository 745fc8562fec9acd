// Private to this folder.
// Which bytes of memory an instruction touches, by the registers before it. x86-64 only.
#ifndef HOT_TOUCHES_H
#define HOT_TOUCHES_H

#include "analyzer/sched/machine.h"
#include "bench/sandbox/steps.h"
#include "hot/insn_book.h"

enum { TOUCHES_MOST = 40 };

struct touch {
    uint64_t address;
    unsigned bytes;
    bool is_store;
    bool is_certain; // it is such an access; else it may be one
};

struct touches {
    struct touch items[TOUCHES_MOST];
    unsigned n;
    bool are_all; // none but these; false: what it touches is not known, and these are good guesses
};

// `scratch`: for what it allocates. `is_over`: the step was made, so registers->stack_behind is known.
void touches_find(struct arena *scratch, const struct machine *machine, const struct book_insn *insn,
                  const struct step_registers *registers, bool is_over, struct touches *touches);

#endif
