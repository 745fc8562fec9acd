// Private to this folder.
// Mixtures: loops of several forms, which a survey measures once it knows the forms alone. They show what no form
// shows by itself: which pipes forms share. A model that has other pipes with the same throughput predicts every form
// alone, and a mixture wrong.
//
//  - Random ones, mixture.000 and on: 2 to 6 forms, 1 to 4 copies of each, MIXTURE_LOOP instructions by turns. The
//    first four serve to choose changes of a model by, the next four only to judge them, and so on.
//  - FORM.beside.PROBE: the first form of a scheduling class beside a probe, as many copies as take equally long alone.
//    Probes are forms that take other pipes than each other on most CPUs (isa_traits.h).
//
// The drawing rule: a form can be in a mixture where its throughput is stable, its own, at most
// MIXTURES_MOST_CYCLES, and mixture_can_have says so. The kind is drawn first: general registers, vectors, masks, with
// a load or without. Then a scheduling class of that kind, then a form of the class, each with equal chances. All
// follow from the number of the mixture and the names alone: of all names, that counts whose hash is the least. So a
// survey that lacks a form has other mixtures only where that form would be.
//
// What was drawn is kept in kernels/ISA/mixtures.yaml, and never drawn again.
#ifndef SURVEY_MIXTURES_H
#define SURVEY_MIXTURES_H

#include "base/fail.h"
#include "survey/experiments/experiment_list.h"
#include "survey/experiments/mixture_text.h"
#include "survey/table/table.h"

#define MIXTURES_MOST_CYCLES 4.0
enum { MIXTURES_USUAL = 300, MIXTURES_MOST_PROBES = 1500 };

struct mixtures_request {
    const struct isa *isa;
    const struct shape *shapes; // in LLVM's order
    size_t n_shapes;
    const struct survey_table *table;
    unsigned n_random;        // numbers of mixtures, from 0
    unsigned shard, n_shards; // as in struct survey_request: numbers i with i % n_shards == shard - 1
    const char *const *drawn; // names that the folder has already
    size_t n_drawn;
};

// Adds the experiments that are not drawn yet.
void mixtures_draw(const struct mixtures_request *request, struct experiment_list *kernels);

// The form as a part of mixtures, without copies, and its row. Null: it can be in none.
const struct table_row *mixtures_part(const struct survey_table *table, const struct shape *shape,
                                      struct mixture_part *part);

// Whether registers suffice for the kernel.
bool mixtures_have_registers(const struct isa *isa, enum program_form form, const struct kernel_text *kernel);

#endif
