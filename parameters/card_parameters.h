// Which parameters of a CPU file a machine card shows.
#ifndef PARAMETERS_CARD_PARAMETERS_H
#define PARAMETERS_CARD_PARAMETERS_H

#include "analyzer/cpu/cpu.h"
#include "parameters/card.h"

struct card_parameter {
    enum cpu_parameter parameter;
    bool is_known;    // the card shows it; else `why`
    double value;     // of a flag, 0 or 1
    double low, high; // what the card allows, as a value of the parameter
    const char
        *source;     // names of the entries, with the interval of one that is not exact: "reorder-buffer, 317 to 325"
    const char *why; // why the card does not show it, one clause; null: it does
};

// Sets one for each parameter that a card can show, in the parameters' order. Returns their number. An entry that is no
// narrow interval shows nothing: no number is made up.
size_t card_parameters(struct arena *arena, const struct card *card, const struct card_parameter **found);

#endif
