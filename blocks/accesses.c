#include "blocks/accesses.h"

#include "blocks/x86_registers.h"

#include <string.h>

enum { MOST = 4, HALF_WORD = 2, WORD = 8 };

struct list {
    struct memory_access items[MOST];
    unsigned char n;
};

static void add(struct list *list, struct memory_access access) {
    list->items[list->n++] = access;
}

struct place {
    bool is_known, is_narrow; // is_narrow: of 32-bit registers, so the sum has 32 bits
    uint64_t address;
};

static void add_register(struct place *place, const struct machine *machine, const struct insn *insn,
                         const struct step_registers *registers, uint16_t reg, uint64_t scale) {
    const char *name = x86_register_name(machine, reg);
    bool is_narrow;
    unsigned number = x86_general_register(machine, reg, &is_narrow);
    if (!*name || strcmp(name, "RIZ") == 0 || strcmp(name, "EIZ") == 0)
        return;
    if (strcmp(name, "RIP") == 0) {
        place->address += registers->counter + insn->n_bytes;
        return;
    }
    place->is_known &= number < X86_REGISTERS;
    place->is_narrow |= is_narrow;
    if (place->is_known)
        place->address += registers->general[number] * scale;
}

static struct place place_of(const struct machine *machine, const struct insn *insn,
                             const struct step_registers *registers) {
    const struct insn_address *address = insn->address;
    struct place place = {.is_known = true, .address = (uint64_t)address->displacement};
    add_register(&place, machine, insn, registers, address->base, 1);
    add_register(&place, machine, insn, registers, address->index, address->scale);
    if (place.is_narrow)
        place.address &= UINT32_MAX;
    const char *segment = x86_register_name(machine, address->segment);
    place.address += strcmp(segment, "FS") == 0 ? registers->fs : strcmp(segment, "GS") == 0 ? registers->gs : 0;
    return place;
}

// An operand that the instruction names, or one that it does not name and that has no rule here.
static struct memory_access operand(const struct machine *machine, const struct insn *insn,
                                    const struct step_registers *registers, bool is_store) {
    if (!insn->address)
        return (struct memory_access){.is_store = is_store};
    struct place place = place_of(machine, insn, registers);
    if (!place.is_known) // a gather: of elements
        return (struct memory_access){.is_store = is_store};
    return (struct memory_access){
        .address = place.address, .bytes = (uint16_t)insn->address->bytes, .is_store = is_store, .is_known = true};
}

// What is pushed is where the stack pointer went to, what is popped where it came from. What moves it by more than a
// word (enter, leave, iret) has no rule here, but a return that drops arguments.
static struct memory_access on_stack(const struct insn *insn, const struct step_registers *registers, int64_t moved) {
    uint64_t bytes = (uint64_t)(moved < 0 ? -moved : insn->is_return ? WORD : moved);
    bool is_known = bytes == WORD || bytes == HALF_WORD;
    uint64_t address = moved < 0 ? registers->stack_behind : registers->general[X86_RSP];
    return (struct memory_access){.address = is_known ? address : 0,
                                  .bytes = is_known ? (uint16_t)bytes : 0,
                                  .is_store = moved < 0,
                                  .is_known = is_known};
}

// LLVM does not say of each instruction that it accesses memory: string instructions and others have unmodelled effects
// in their place.
static bool is_described(const struct insn *insn) {
    return !insn->side_effects || insn->may_load || insn->may_store || insn_changes_way(insn);
}

void accesses_find(struct arena *arena, const struct machine *machine, const struct insn *insn,
                   const struct step_registers *registers, struct execution_step *step) {
    struct list list = {.n = 0};
    if (!is_described(insn))
        return;
    int64_t moved = insn->uses_stack ? (int64_t)(registers->stack_behind - registers->general[X86_RSP]) : 0;
    // Of what pushes, an operand in memory is loaded; of what pops, it is stored.
    bool loads = insn->may_load && (insn->uses_stack ? insn->address && moved <= 0 : true);
    bool stores = insn->may_store && (insn->uses_stack ? insn->address && moved >= 0 : true);
    if (loads)
        add(&list, operand(machine, insn, registers, false));
    if (moved > 0)
        add(&list, on_stack(insn, registers, moved));
    struct step_registers popped = *registers; // a pop moves the stack pointer before it computes its operand's address
    if (moved > 0)
        popped.general[X86_RSP] = registers->stack_behind;
    if (stores)
        add(&list, operand(machine, insn, &popped, true));
    if (moved < 0)
        add(&list, on_stack(insn, registers, moved));
    struct memory_access *accesses = ARENA_ARRAY(arena, struct memory_access, list.n + 1U);
    memcpy(accesses, list.items, list.n * sizeof *accesses);
    step->has_accesses = true;
    step->accesses = accesses;
    step->n_accesses = list.n;
}
