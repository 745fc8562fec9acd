#include "gen/block_values.h"

#include <limits.h>
#include <string.h>

const struct state_register *block_find_given(const struct isa *isa, const struct block_start *start,
                                              const struct register_class *class, unsigned index) {
    for (size_t i = 0; start->state && i < start->state->n_registers; i++) {
        const struct state_register *given = &start->state->registers[i];
        if (given->class && given->index == index &&
            (given->class == class || (class != isa->classes && given->class->file == class->file)))
            return given;
    }
    return NULL;
}

// Finds argument number `i` among the general registers. False: it is in no such one.
static bool find_argument(const struct isa *isa, unsigned i, unsigned *reg) {
    struct register_name found;
    const char *name = isa->arguments[i];
    bool is_found = name && register_find(isa, (struct slice){name, strlen(name)}, &found) && found.class->file == 'g';
    *reg = is_found ? found.index : 0;
    return is_found;
}

// Returns the value without a user's: of a function, those of argument registers ascend in the order of arguments.
static uint64_t made_up_value(const struct isa *isa, const struct block_start *start, unsigned reg) {
    unsigned number = UINT_MAX, n_lower, one, other;
    for (unsigned i = 0; start->is_routine && isa->arguments[i]; i++)
        if (find_argument(isa, i, &one) && one == reg)
            number = i;
    // Its value is that of the argument register above as many others.
    for (unsigned i = 0; number < UINT_MAX && isa->arguments[i]; i++) {
        n_lower = 0;
        for (unsigned k = 0; find_argument(isa, i, &one) && isa->arguments[k]; k++)
            n_lower += find_argument(isa, k, &other) && other < one;
        if (find_argument(isa, i, &one) && n_lower == number)
            return start->first + one * start->distance;
    }
    return start->first + reg * start->distance;
}

uint64_t block_start_value(const struct isa *isa, const struct block_start *start, unsigned number) {
    enum { ALIGNMENT = 16, MIDDLE = 2048, BELOW_MIDDLE = 2032 };
    const struct state_register *given = block_find_given(isa, start, isa->classes, number);
    bool is_stack = number == isa->stack_number, is_frame = isa->frame_number && number == isa->frame_number;
    if (given)
        return state_value_bits(&given->value);
    uint64_t value = made_up_value(isa, start, number);
    if (!start->distance)
        value += is_stack ? MIDDLE : is_frame ? BELOW_MIDDLE : 0;
    return is_stack ? value / ALIGNMENT * ALIGNMENT : value;
}

uint64_t block_stack_start(const struct isa *isa, const struct block_start *start) {
    return block_start_value(isa, start, isa->stack_number);
}

bool block_find_pattern(const struct state_value *value, unsigned n_bytes, uint64_t *pattern) {
    enum { WORD = 8 };
    *pattern = state_value_bits(value);
    for (unsigned i = WORD; i < n_bytes; i++)
        if (value->bytes[i] != value->bytes[i % WORD])
            return false;
    return true;
}

void block_emit_other(const struct block_setup *setup, const struct register_class *class, unsigned index,
                      struct text *out) {
    enum { PATTERN_BITS = 64 };
    const struct state_register *given = block_find_given(setup->isa, &setup->request->start, class, index);
    const char *reg = class->registers[index];
    struct isa_value value = {.bits = class->file == 'k' ? UINT64_MAX : 0};
    if (given)
        value.lane_bits = PATTERN_BITS;
    if (!given || block_find_pattern(&given->value, class->bits / 8, &value.bits))
        setup->isa->emit_constant(out, class, reg, value, setup->syntax);
    else
        setup->isa->emit_bytes(out, class, reg, given->value.bytes, setup->syntax);
}
