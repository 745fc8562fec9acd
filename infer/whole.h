// A CPU file from all that was measured of a CPU, in one go: a machine card's parameters, a survey's numbers of forms,
// and the ports that pairs show, in this order, onto a base. Then everything is predicted again by the file.
#ifndef INFER_WHOLE_H
#define INFER_WHOLE_H

#include "infer/import.h"
#include "infer/port_judge.h"
#include "infer/unexplained.h"

struct whole_paths {
    const char *const *surveys; // folders of one survey; one or more
    size_t n_surveys;
    const char *const *pairs; // folders of one campaign of pairs
    size_t n_pairs;
    const char *card; // a file; null: no path holds a card
};
// Sorts paths by what they hold. Fails where one holds nothing, or two hold a card.
bool whole_sort_paths(struct arena *arena, const char *const *paths, size_t n, struct whole_paths *sorted,
                      struct fail *fail);

struct whole_result {
    const char *text; // of the new file
    const char *machine;
    struct import_result survey;
    struct card_import_result card;   // where there is one
    struct ports ports;               // where there are pairs
    struct ports_import_result pairs; // likewise
    struct unexplained unexplained;
    bool is_judged; // the pairs have multisets that are no evidence
    struct port_judgement judgement;
};

// `onto`: its text is the base's. `output`, in `onto`, is where the file will be: paths of evidence are from there.
bool whole_infer(struct arena *arena, const struct import_onto *onto, const struct whole_paths *paths,
                 struct whole_result *result, struct fail *fail);

#endif
