// Reads a machine card back, as `cyclops machine` writes it (report/machine.h). Its curves are not read.
#ifndef PARAMETERS_CARD_READ_H
#define PARAMETERS_CARD_READ_H

#include "base/fail.h"
#include "parameters/card.h"

// What was measured, as the card has it; "": it does not state that.
struct card_origin {
    const char *measured_on; // "AMD EPYC (family 26, model 2, stepping 1), microcode 0x1000065"
    const char *measured;    // when
    const char *clock;
};

// Fails with the place of what is wrong.
bool card_read(struct arena *arena, const char *path, struct card *card, struct card_origin *origin, struct fail *fail);

#endif
