// Private to survey/.
// Forms of which a loop is to be measured as well. Long unrolled code may be limited by what decodes instructions, or
// keep a core's pipes less busy, as of xchg. The first form of each scheduling class shows that, and so does a
// throughput that is no whole number of cycles.
#ifndef SURVEY_TABLE_LOOPS_H
#define SURVEY_TABLE_LOOPS_H

#include "gen/isa.h"
#include "survey/table/table.h"

// Whether a number of cycles of one to six pipes gives the value, within 1 %.
bool loops_is_of_whole_cycles(const struct table_value *value);

// A form's name without its numbers, mostly those of widths: "ADDri" of ADD16ri and ADD64ri32.
const char *loops_letters(struct arena *arena, const char *form);

// Returns the names of the kernels of unrolled throughputs that have no loop yet, in the order of the names, each once,
// where
//  - another form of their class is faster in a loop, by more than 1 %;
//  - so is another form of the same name in LLVM, up to its first digit, by more than 10 %: as of XCHG8rr and XCHG64rr;
//  - another form whose name differs in its numbers only is faster by more than 10 %, unrolled: as of ADD16ri and
//    ADD32ri;
//  - no number of cycles of one to six pipes gives the value;
//  - a decoder of the ISA may stall at the form (isa_traits.h).
const char **loops_wanted(struct arena *arena, const struct isa *isa, const struct survey_table *table, size_t *n);

#endif
