// A machine card (parameters/card.h): as text, as an overlay file (analyzer/sched/overlay.h), and its curves as
// pictures.
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include "base/fail.h"
#include "parameters/compare.h"

#include <stdio.h>

// A model that the card is compared with.
struct machine_report_model {
    const char *title;
    const struct card_comparison *comparisons; // for each entry
    const struct card_rest *rest;              // what the entries do not judge
    size_t n_rest;
};

// Prints a row per entry, by group; with a column for each model, and at the end the numbers of the model that the card
// does not judge. Without a model, entries in a row that are not determined for one reason share it. Returns the number
// of contradictions.
size_t machine_report_print(const struct card *card, const struct machine_report_model *models, size_t n_models,
                            FILE *out);

struct machine_report_origin {
    const char *name;    // of the overlay: letters, digits and '-'
    const char *about;   // of the machine, one line
    const char *cpu;     // LLVM's name of the CPU whose numbers the overlay changes; null: not known
    const char *version; // of this program
    // What was measured, for people: CPU and microcode; which clock, and its error. Null: nothing was.
    const char *machine, *clock;
};

// Writes the card as an overlay. What the simulator knows is under `machine`; all entries are under `card`, which it
// ignores. Without LLVM's name of the CPU there is only the latter.
bool machine_report_write(struct arena *arena, const struct card *card, const struct machine_report_origin *origin,
                          const char *path, struct fail *fail);

// Draws each curve into FOLDER/NAME.svg.
bool machine_report_draw(struct arena *arena, const struct card *card, const char *folder, struct fail *fail);

#endif
