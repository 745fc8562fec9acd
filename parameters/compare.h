// Compares a machine card with a scheduling model: which of the model's numbers the card contradicts.
#ifndef PARAMETERS_COMPARE_H
#define PARAMETERS_COMPARE_H

#include "analyzer/model/model.h"
#include "gen/isa.h"
#include "parameters/card.h"

enum card_agreement {
    CARD_AGREES,      // the model's number is in the interval
    CARD_CONTRADICTS, // it is not
    CARD_NO_NUMBER,   // the model has none, or the card has none
};

struct card_comparison {
    enum card_agreement agreement;
    bool is_known, is_unlimited; // the model has a number; it has no limit
    double model;
    const char *number; // name of that number of the model: "MispredictPenalty"; null: it is of an instruction
};

// A number of a model that no entry of the card judges.
struct card_rest {
    const char *number; // "HighLatency", "buffer of Zn4LSU"
    double value;
    const char *why; // no entry judges it, one clause
};

// Returns a comparison for each entry of the card.
const struct card_comparison *card_compare(struct arena *arena, const struct card *card, const struct model *model,
                                           const struct isa *isa);

// Returns what the comparisons leave: numbers of the model's machine, without those of instructions.
const struct card_rest *card_compare_rest(struct arena *arena, const struct card *card, const struct model *model,
                                          const struct card_comparison *comparisons, size_t *n);

#endif
