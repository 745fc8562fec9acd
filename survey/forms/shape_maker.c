#include "survey/forms/shape_maker.h"

#include "survey/forms/isa_traits.h"

#include <string.h>

bool maker_leave_out(struct maker *m, const char *why) {
    if (!m->shape->left_out)
        m->shape->left_out = why;
    return false;
}

const char *maker_name_of(const struct maker *m, uint16_t reg) {
    return m->machine->registers[reg].name;
}

bool maker_find_register(const struct maker *m, uint16_t reg, struct register_name *found) {
    const char *name = maker_name_of(m, reg);
    return m->traits->find_register ? m->traits->find_register(m->isa, name, found)
                                    : register_find(m->isa, (struct slice){name, strlen(name)}, found);
}

bool maker_is_same_register(const struct register_name *a, const struct register_name *b) {
    return a->class->file == b->class->file && register_entry(a) == register_entry(b);
}

unsigned maker_size_of(const struct register_class *class) {
    return register_class_count(class) - class->first;
}

const char *maker_reason_of(const struct way_reason *reasons, const char *name) {
    for (const struct way_reason *each = reasons; each && each->start; each++)
        if (strncmp(each->start, name, strlen(each->start)) == 0)
            return each->why;
    return NULL;
}
