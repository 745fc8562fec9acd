// Private to this folder.
// What the files that write experiments (experiments.h) share.
#ifndef SURVEY_EXPERIMENT_TEXT_H
#define SURVEY_EXPERIMENT_TEXT_H

#include "base/text.h"
#include "survey/shape.h"

// Begins the kernel FORM and `suffix` with its body, `more` instructions behind it, what is set up and what is implied.
// Its initial values and roles follow, and "}\n".
void experiment_begin(const struct shape *shape, const char *suffix, const char *body, const char *more,
                      struct text *out);

static inline bool experiment_is_carried(const struct shape_port *port) {
    return port->is_read && port->is_written;
}

#endif
