// Private to this folder.
// What the files that write experiments (experiments.h) share.
#ifndef SURVEY_EXPERIMENTS_EXPERIMENT_TEXT_H
#define SURVEY_EXPERIMENTS_EXPERIMENT_TEXT_H

#include "base/text.h"
#include "survey/experiments/experiment_list.h"
#include "survey/forms/shape.h"

// Adds an experiment with the shape's form: its body, `more` instructions behind it, what is set up and what is
// implied. The caller adds its initial values and roles.
struct kernel_text *experiment_begin(const struct shape *shape, struct experiment_key key, const char *body,
                                     const char *more, struct experiment_list *out);
// The same with the usual initial values, and chains.
void experiment_add_chain(const struct shape *shape, struct experiment_key key, const char *body, const char *more,
                          const char *init, const char *arcs, struct experiment_list *out);

// Initial value of a port.
const char *experiment_value(const struct shape *shape, const struct shape_port *port);

// Returns what every kernel of the form begins with: numbers that do not fault, and addresses. `more` begins with a
// comma or is empty. `has_pointers`: each stream has an address of its own.
const char *experiment_init(const struct shape *shape, bool has_pointers, const char *more, struct arena *arena);

// Bytes of a place for the form's accesses: what they take, rounded up to a power of two; a line where that is unknown.
unsigned experiment_place_bytes(const struct shape *shape);

static inline bool experiment_only_loads(const struct shape *shape) {
    return shape->form->may_load && !shape->form->may_store && !shape->form->side_effects;
}

// The body with memory operands at places that the program's placement chooses.
const char *experiment_with_places(const struct shape *shape, struct arena *arena);

// Adds a whole kernel that measures a throughput. `more`: instructions behind the body; `init`: further initial values.
// The body has the roles of all ports of the shape. Where it lacks one, give a copy of the shape without that port.
void experiment_add_throughput(const struct shape *shape, struct experiment_key key, const char *body, const char *more,
                               const char *init, struct experiment_list *out);

// Adds instructions that end the dependences of all ports that carry a value by themselves, but `except`; sets the mask
// of a gather again. False: this ISA has no such instruction.
bool experiment_break_others(const struct isa *isa, const struct shape *shape, unsigned except, bool only_fixed,
                             struct text *text);

static inline bool experiment_is_carried(const struct shape_port *port) {
    return port->is_read && port->is_written;
}

// Whether kernels name the port as a register: not flags.
static inline bool experiment_has_name(const struct shape_port *port) {
    return port->file != 'c' && !port->is_hidden;
}

#endif
