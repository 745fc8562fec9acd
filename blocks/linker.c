// What all that fills in references asks of the file and its piece, and what it notes for the link.
#include "blocks/linker.h"

#include "blocks/x86_registers.h"

#include <inttypes.h>
#include <string.h>

enum { X86_FIELD = 4, LOWEST_PLACE = 1 << 16 };

struct linked_section *linker_section(const struct object_linker *linker, uint64_t address) {
    for (size_t i = 0; i < linker->n_sections; i++) {
        struct linked_section *section = &linker->sections[i];
        if (section->address && address >= section->address && address - section->address < section->size)
            return section;
    }
    return NULL;
}

uint8_t *linker_bytes(const struct object_linker *linker, uint64_t address, size_t n) {
    struct linked_section *section = linker_section(linker, address);
    bool holds = section && section->bytes && n <= section->size - (address - section->address);
    return holds ? section->bytes + (address - section->address) : NULL;
}

uint64_t linker_piece(const struct object_linker *linker) {
    uint64_t section = linker->kind == ET_REL ? linker->sections[linker->piece->section].address : linker->base;
    return section + linker->piece->address;
}

bool linker_is_own(const struct object_linker *linker, uint64_t address) {
    return address - linker_piece(linker) < linker->piece->n_bytes;
}

unsigned linker_address_type(const struct object_linker *linker) {
    return linker->machine == EM_AARCH64 ? R_AARCH64_ABS64 : linker->machine == EM_RISCV ? R_RISCV_64 : R_X86_64_64;
}

bool linker_precedes_distance(uint8_t modrm) {
    return (modrm & 0xc7) == 0x05;
}

const char *linker_symbol_name(const struct object_linker *linker, const GElf_Sym *symbol) {
    const char *name = elf_strptr(linker->elf, linker->strings, symbol->st_name);
    return name && *name ? name : NULL;
}

// Null: there is none.
static const struct linker_hole *hole_at(const struct object_linker *linker, uint64_t address) {
    enum { WORD = 8 };
    for (size_t i = 0; i < linker->n_holes; i++)
        if (address - linker->holes[i].address < WORD)
            return &linker->holes[i];
    return NULL;
}

void linker_add_hole(struct object_linker *linker, const struct linker_hole *hole) {
    *ARENA_ADD(linker->arena, linker->holes, linker->n_holes) = *hole;
}

void linker_add_fixup(struct object_linker *linker, size_t offset, unsigned type, uint64_t target) {
    *ARENA_ADD(linker->arena, linker->fixups, linker->n_fixups) = (struct link_fixup){offset, type, target};
}

void linker_add_entry(struct object_linker *linker, uint64_t address, unsigned type, uint64_t target, int64_t addend) {
    *ARENA_ADD(linker->arena, linker->entries, linker->n_entries) =
        (struct linker_entry){address, type, (size_t)(target - linker_piece(linker)), addend};
}

bool linker_add_jump(struct object_linker *linker, const struct insn *insn, size_t offset, uint64_t target) {
    enum { SHORT_JUMP = 0xeb, FIELD = 4 };
    const struct object_piece *piece = linker->piece;
    bool is_last = offset + insn->n_bytes == piece->n_bytes && piece->bytes[offset] == SHORT_JUMP;
    if (insn->n_bytes <= FIELD && !is_last)
        return fail_at(linker->fail, linker->file->path, 0, 0,
                       "%s: `%s` goes to the function beside it by a distance of one byte, which cannot be filled in: "
                       "compile it with -ffunction-sections",
                       piece->name, insn->text);
    linker->lengthens_end |= insn->n_bytes <= FIELD;
    linker_add_fixup(linker, insn->n_bytes <= FIELD ? offset + 1 : offset + insn->n_bytes - FIELD, R_X86_64_PC32,
                     target - FIELD);
    return true;
}

// lea, which LLVM does not describe as having an address.
static bool is_lea_of_distance(const struct insn *insn, const uint8_t *bytes) {
    enum { OPCODE = 6, MODRM = 5, LEA = 0x8d };
    return strncmp(insn->opcode, "LEA", strlen("LEA")) == 0 && insn->n_bytes >= OPCODE &&
           bytes[insn->n_bytes - OPCODE] == LEA && linker_precedes_distance(bytes[insn->n_bytes - MODRM]);
}

bool linker_find_distance(const struct object_linker *linker, const struct insn *insn, const uint8_t *bytes,
                          uint64_t address, uint64_t *target, unsigned *field) {
    const struct insn_address *written = insn->address;
    const struct machine *machine = linker->decoder.machine;
    if (insn->is_direct && (insn->is_call || insn->n_bytes > X86_FIELD)) {
        *target = address + (uint64_t)insn->displacement;
        *field = insn->n_bytes - X86_FIELD;
        return true;
    }
    int32_t distance;
    if (is_lea_of_distance(insn, bytes)) {
        *field = insn->n_bytes - X86_FIELD;
        memcpy(&distance, bytes + *field, sizeof distance);
        *target = address + insn->n_bytes + (uint64_t)(int64_t)distance;
        return true;
    }
    if (!x86_names_by_distance(machine, insn, address, target))
        return false;
    for (unsigned at = 1; at + X86_FIELD <= insn->n_bytes; at++) {
        memcpy(&distance, bytes + at, sizeof distance);
        *field = at;
        if (linker_precedes_distance(bytes[at - 1]) && distance == written->displacement)
            return true;
    }
    return false;
}

// Whether an address is one past the last of a section: where an array ends, which code compares with.
static bool ends_section(const struct object_linker *linker, uint64_t address) {
    for (size_t i = 0; i < linker->n_sections; i++)
        if (linker->sections[i].address && address == linker->sections[i].address + linker->sections[i].size)
            return true;
    return false;
}

bool linker_check_target(const struct object_linker *linker, const char *who, uint64_t address) {
    const struct linker_hole *hole = hole_at(linker, address);
    if (hole)
        return fail_at(linker->fail, linker->file->path, 0, 0,
                       "%s refers to '%s', which another file holds: link it statically", who, hole->name);
    bool is_missing_weak = address < LOWEST_PLACE; // a run that goes there ends
    if (!is_missing_weak && !linker_section(linker, address) && !ends_section(linker, address))
        return fail_at(linker->fail, linker->file->path, 0, 0, "%s refers to 0x%" PRIx64 ", where the file has nothing",
                       who, address - linker->base);
    return true;
}
