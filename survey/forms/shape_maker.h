// Private to this folder.
// What the files that make a shape (shape.h) share: its state while it is made, and what they ask of it. shape.c calls
// shape_ports.c and shape_text.c; all three call shape_maker.c.
#ifndef SURVEY_FORMS_SHAPE_MAKER_H
#define SURVEY_FORMS_SHAPE_MAKER_H

#include "gen/registers.h"
#include "survey/forms/shape.h"

struct way_reason;

// What an operand is in the example's text.
enum part { PART_VALUE, PART_BASE, PART_INDEX };
enum { MOST_OPERANDS = 32 };

// State of making a shape.
struct maker {
    struct arena *arena;
    const struct isa *isa;
    const struct isa_traits *traits;
    const struct machine *machine;
    struct shape *shape;
    enum part parts[MOST_OPERANDS];
    // Of the operands, and of the indices of those that are addresses; null: there is none.
    struct shape_port *ports[MOST_OPERANDS], *indices[MOST_OPERANDS];
};

// Returns false. The first reason counts.
bool maker_leave_out(struct maker *m, const char *why);

const char *maker_name_of(const struct maker *m, uint16_t reg); // LLVM's
bool maker_find_register(const struct maker *m, uint16_t reg, struct register_name *found);
bool maker_is_same_register(const struct register_name *a, const struct register_name *b);
unsigned maker_size_of(const struct register_class *class);
const char *maker_reason_of(const struct way_reason *reasons, const char *name); // null: none

// Each returns false where the form is left out. Of shape_ports.c and shape_text.c.
bool maker_find_parts(struct maker *m); // operands that are addresses, by the text
bool maker_add_operand(struct maker *m, unsigned number);
bool maker_add_implicit(struct maker *m, uint16_t reg, bool is_written);
bool maker_make_body(struct maker *m);

#endif
