#include "blocks/x86_registers.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char *x86_register_name(const struct machine *machine, uint16_t reg) {
    return reg && reg < machine->n_registers ? machine->registers[reg].name : "";
}

bool x86_names_by_distance(const struct machine *machine, const struct insn *insn, uint64_t at, uint64_t *address) {
    const struct insn_address *written = insn->address;
    if (!written || strcmp(x86_register_name(machine, written->base), "RIP") != 0)
        return false;
    *address = at + insn->n_bytes + (uint64_t)written->displacement;
    return true;
}

unsigned x86_general_register(const struct machine *machine, uint16_t reg, bool *is_narrow) {
    static const char *const wide[X86_REGISTERS] = {"RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
                                                    "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    static const char *const narrow[X86_REGISTERS] = {"EAX", "ECX", "EDX",  "EBX",  "ESP",  "EBP",  "ESI",  "EDI",
                                                      "R8D", "R9D", "R10D", "R11D", "R12D", "R13D", "R14D", "R15D"};
    const char *name = x86_register_name(machine, reg);
    size_t number = text_find(name, wide, X86_REGISTERS);
    *is_narrow = number == X86_REGISTERS;
    return (unsigned)(*is_narrow ? text_find(name, narrow, X86_REGISTERS) : number);
}

int x86_vector_register(const struct machine *machine, uint16_t reg) {
    const char *name = x86_register_name(machine, reg);
    return *name && strchr("XYZ", *name) && strncmp(name + 1, "MM", 2) == 0 ? atoi(name + 3) : -1;
}
