#include "analyzer/cpu/units_aarch64.h"

#include <string.h>

// LLVM's names of tuples list what they are of. "W0_HI" is the upper half of a register.
static bool is_tuple_name(const char *name) {
    const char *mark = strchr(name, '_');
    return mark && strcmp(mark, "_HI") != 0;
}

static bool is_numbered(const char *name, const char *letters) {
    return strchr(letters, name[0]) && name[1] >= '0' && name[1] <= '9';
}

// The register that it is a part of, and that is no tuple; itself, where there is none.
static unsigned whole_of(const struct machine *machine, unsigned reg) {
    unsigned whole = reg;
    for (unsigned s = 0; s < machine->registers[reg].n_super; s++) {
        const unsigned super = machine->registers[reg].super[s];
        const bool is_larger = whole == reg || machine->registers[super].n_sub > machine->registers[whole].n_sub;
        if (!is_tuple_name(machine->registers[super].name) && is_larger)
            whole = super;
    }
    return whole;
}

static unsigned first_of(const struct machine *machine, unsigned tuple) {
    const struct machine_register *reg = &machine->registers[tuple];
    for (unsigned s = 0; s < reg->n_sub; s++)
        if (!is_tuple_name(machine->registers[reg->sub[s]].name))
            return whole_of(machine, reg->sub[s]);
    return tuple;
}

static unsigned bits_of(const char *name) {
    enum { HALF = 32, WHOLE = 64 };
    if (is_numbered(name, "X") || strcmp(name, "SP") == 0 || strcmp(name, "FP") == 0 || strcmp(name, "LR") == 0)
        return WHOLE;
    return is_numbered(name, "W") || strcmp(name, "WSP") == 0 ? HALF : 0;
}

void units_number_aarch64(struct cpu *cpu, struct arena *arena) {
    const struct machine *machine = cpu->machine;
    const unsigned n_registers = machine->n_registers;
    uint16_t *units = ARENA_ARRAY(arena, uint16_t, n_registers);
    bool *is_vector = ARENA_ARRAY(arena, bool, n_registers), *is_tuple = ARENA_ARRAY(arena, bool, n_registers);
    uint8_t *bits = ARENA_ARRAY(arena, uint8_t, n_registers);
    unsigned n = 1;
    for (unsigned i = 1; i < n_registers; i++) {
        const struct machine_register *reg = &machine->registers[i];
        is_tuple[i] = is_tuple_name(reg->name);
        is_vector[i] = is_numbered(reg->name, "BHSDQZ");
        bits[i] = is_tuple[i] ? 0 : (uint8_t)bits_of(reg->name);
        if (!is_tuple[i] && !reg->is_constant && whole_of(machine, i) == i)
            units[i] = (uint16_t)n++;
    }
    for (unsigned i = 1; i < n_registers; i++) {
        if (!machine->registers[i].is_constant && !units[i])
            units[i] = units[is_tuple[i] ? first_of(machine, i) : whole_of(machine, i)];
        if (machine_is_flags(machine, i))
            cpu->flags = units[i];
        if (strcmp(machine->registers[i].name, "SP") == 0)
            cpu->stack = units[i];
    }
    cpu->carry = n++; // of no register: flags are read and written as a whole
    cpu->overflow = n++;
    cpu->adjuster = n++;
    cpu->units = units;
    cpu->is_vector = is_vector;
    cpu->is_tuple = is_tuple;
    cpu->is_x87 = ARENA_ARRAY(arena, bool, n_registers);
    cpu->bits = bits;
    cpu->n_units = n;
}
