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
};

// Returns a comparison for each entry of the card.
const struct card_comparison *card_compare(struct arena *arena, const struct card *card, const struct model *model,
                                           const struct isa *isa);

#endif
