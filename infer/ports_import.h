// Port sets of a CPU file from what ports_infer found: pipes of each form, with where they are from. Ports get names:
// each that the same forms use as a pipe of the base is that pipe; others are `ports` of the file's own.
#ifndef INFER_PORTS_IMPORT_H
#define INFER_PORTS_IMPORT_H

#include "analyzer/model/model.h"
#include "infer/ports.h"

struct ports_import_request {
    const struct ports *ports;
    const char *classes; // path of a table `form,class`: other forms that stand behind those of the evidence; null:
                         // there is none
    const struct model *model; // with a CPU file, the base
    const char *text;          // of that file
};

// A form of which inferred and base's pipes are known.
struct ports_import_row {
    const char *form;
    enum ports_state state;
    bool is_equal;
    const char *found, *base; // in names of the new file
};

struct ports_import_result {
    const char *text;                // of the new file
    const char **names;              // of each port of the map, in the file
    unsigned n_of_base, n_own;       // ports
    size_t n_states[N_PORTS_STATES]; // of the evidence's forms
    size_t n_opcodes;                // with a rule
    struct ports_import_row *rows;   // by name
    size_t n_rows;
};

// Fails where the base cannot hold the rules, or the table of classes is wrong.
bool ports_import(struct arena *arena, const struct ports_import_request *request, struct ports_import_result *result,
                  struct fail *fail);

// The text without what an earlier import of ports wrote. Lives in `arena`.
const char *ports_import_kept_text(struct arena *arena, const char *text);

#endif
