// Parameters of a CPU file from a machine card: what the card shows and the file does not state. What people wrote, and
// what a survey gave, is kept; what only the base states, LLVM's model, is replaced.
#ifndef INFER_CARD_IMPORT_H
#define INFER_CARD_IMPORT_H

#include "analyzer/cpu/cpu.h"
#include "parameters/card_parameters.h"
#include "parameters/card_read.h"

enum card_import_outcome {
    CARD_IMPORT_TAKEN,
    CARD_IMPORT_KEPT,    // the file states it, and the card allows that
    CARD_IMPORT_DIFFERS, // the file states it, and the card contradicts
    CARD_IMPORT_UNKNOWN, // the card does not show it
};

struct card_import_row {
    const struct card_parameter *shown;
    struct cpu_number stated; // by the base
    enum card_import_outcome outcome;
};

struct card_import_result {
    const char *text; // of the new file
    struct card_import_row *rows;
    size_t n_rows;
    size_t n[CARD_IMPORT_UNKNOWN + 1]; // of each outcome
};

// The base's text without what an earlier import of a card wrote. Lives in `arena`.
const char *card_import_kept_text(struct arena *arena, const char *text);

// `cpu`: the base, as its kept text has it. Fails where the base
// cannot hold it.
bool card_import(struct arena *arena, const struct card *card, const struct card_origin *origin, const struct cpu *cpu,
                 const char *text, struct card_import_result *result, struct fail *fail);

#endif
