// Registers that hold a jump table's address, which code of the same function sets before the piece: compilers take
// that out of the loop. The piece's start is to give them that address. Code for x86-64.
#include "blocks/linker.h"
#include "blocks/x86_registers.h"

#include <string.h>

enum { FIELD = 4 };

// What the last four bytes of an instruction of an object refer to; false: a relocation that means no address fills
// them in, or none does.
static bool find_relocated(const struct object_linker *linker, uint64_t place, uint64_t *target) {
    const struct linked_section *section = &linker->sections[linker->piece->section];
    struct linker_relocations walk = {.elf = linker->elf, .section = linker->piece->section};
    for (GElf_Rela relocation; linker_next_relocation(&walk, &relocation);) {
        unsigned type = (unsigned)GELF_R_TYPE(relocation.r_info);
        bool is_distance = type == R_X86_64_PC32;
        GElf_Sym symbol;
        if (section->address + relocation.r_offset != place)
            continue;
        if ((!is_distance && type != R_X86_64_32 && type != R_X86_64_32S) || !linker->symbols ||
            !gelf_getsym(linker->symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) ||
            symbol.st_shndx >= linker->n_sections || !linker->sections[symbol.st_shndx].address)
            return false;
        *target = linker->sections[symbol.st_shndx].address + symbol.st_value + (uint64_t)relocation.r_addend +
                  (is_distance ? FIELD : 0);
        return true;
    }
    return false;
}

// Whether an instruction sets a register to the address of memory of the file.
static bool sets_address(const struct object_linker *linker, const struct insn *insn, uint64_t address,
                         uint64_t *target) {
    bool is_move = strcmp(insn->opcode, "MOV32ri") == 0 || strcmp(insn->opcode, "MOV64ri32") == 0;
    bool is_lea = strncmp(insn->opcode, "LEA64r", strlen("LEA64r")) == 0;
    const uint8_t *bytes = linker_bytes(linker, address, insn->n_bytes);
    int32_t value;
    unsigned field;
    if (!bytes || insn->n_bytes <= FIELD || !(is_move || is_lea))
        return false;
    if (linker->kind == ET_REL)
        return find_relocated(linker, address + insn->n_bytes - FIELD, target);
    if (is_lea)
        return linker_find_distance(linker, insn, bytes, address, target, &field);
    memcpy(&value, bytes + insn->n_bytes - FIELD, sizeof value);
    *target = (uint64_t)(int64_t)value;
    return linker->kind == ET_EXEC;
}

// Whether all that sets the register in the function, but what takes it back from the stack, sets it to one address.
static bool find_value(const struct object_linker *linker, const struct block *home, uint64_t begin, uint16_t reg,
                       uint64_t *value) {
    const struct machine *machine = linker->decoder.machine;
    uint64_t address = begin;
    *value = 0;
    for (unsigned i = 0; i < home->n_insns; address += home->insns[i++].n_bytes) {
        const struct insn *insn = &home->insns[i];
        uint64_t target;
        if (!decoder_writes(machine, insn, reg) || strncmp(insn->opcode, "POP", strlen("POP")) == 0)
            continue;
        if (linker_is_own(linker, address) || !sets_address(linker, insn, address, &target) ||
            (*value && *value != target))
            return false;
        *value = target;
    }
    return *value && linker_section(linker, *value);
}

static bool is_held(const struct object_linker *linker, const char *name) {
    for (size_t i = 0; i < linker->n_held; i++)
        if (strcmp(linker->held[i].name, name) == 0)
            return true;
    return false;
}

void linker_find_registers(struct object_linker *linker, const struct block *block) {
    uint64_t begin, end;
    struct block home;
    struct fail why = {0};
    const uint8_t *bytes;
    if (linker->machine != EM_X86_64 || !linker_jumps_by_table(block) || !linker_find_home(linker, &begin, &end) ||
        !(bytes = linker_bytes(linker, begin, (size_t)(end - begin))) ||
        !decoder_decode_code(&linker->decoder, linker->arena, bytes, (size_t)(end - begin), &home, &why))
        return;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn_address *written = block->insns[i].address;
        const char *name = written ? x86_register_name(linker->decoder.machine, written->base) : "";
        uint64_t value;
        bool is_narrow;
        if (!written || x86_general_register(linker->decoder.machine, written->base, &is_narrow) == X86_REGISTERS ||
            is_narrow || is_held(linker, name) || !find_value(linker, &home, begin, written->base, &value))
            continue;
        *ARENA_ADD(linker->arena, linker->held, linker->n_held) = (struct block_register){name, value};
    }
}

void linker_keep_tables(struct object_linker *linker) {
    size_t n = 0;
    for (size_t i = 0; i < linker->n_held; i++)
        for (size_t k = 0; k < linker->n_entries; k++)
            if (linker->entries[k].address == linker->held[i].value) {
                linker->held[n++] = linker->held[i];
                break;
            }
    linker->n_held = n;
}
