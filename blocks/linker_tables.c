// Jump tables: words, or distances from the table's begin, that lead to instructions. Where they lead into the piece,
// they are to lead to its copy. Where they lead out of a range of addresses, to other code of the same function, they
// are ways out of the block, as branches to there are: to its end.
#include "blocks/linker.h"

#include <inttypes.h>
#include <string.h>

enum { WORD = LINKER_WORD_BYTES };

// The function around the piece, addresses of the memory.
struct home {
    uint64_t begin, end; // 0, 0: no symbol names one
    const char *name;
};

static bool is_function(const struct object_linker *linker, const GElf_Sym *symbol, const char *name) {
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool is_region = name && strncmp(name, OBJECT_REGION, strlen(OBJECT_REGION)) == 0;
    bool may_be = type == STT_FUNC || (type == STT_NOTYPE && linker->kind == ET_REL);
    return may_be && name && *name && *name != '.' && *name != '$' && !is_region;
}

// Narrows the home by the symbols of a table: from the last begin before the piece to the next one.
static void narrow(const struct object_linker *linker, Elf_Scn *table, size_t strings, struct home *home) {
    Elf_Data *data = elf_getdata(table, NULL);
    uint64_t piece = linker_piece(linker), base = piece - linker->piece->address;
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(linker->elf, strings, symbol.st_name);
        uint64_t address = base + symbol.st_value;
        if (symbol.st_shndx != linker->piece->section || !is_function(linker, &symbol, name))
            continue;
        if (address <= piece && address >= home->begin) {
            home->begin = address;
            home->name = name;
        }
        if (address > piece && address < home->end)
            home->end = address;
    }
}

static struct home find_home(const struct object_linker *linker) {
    const struct linked_section *section = linker_section(linker, linker_piece(linker));
    struct home home = {0};
    GElf_Shdr header;
    if (!section || linker->piece->is_function)
        return home;
    home.end = section->address + section->size;
    for (Elf_Scn *table = NULL; (table = elf_nextscn(linker->elf, table));)
        if (gelf_getshdr(table, &header) && header.sh_entsize &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            narrow(linker, table, header.sh_link, &home);
    return home.name ? home : (struct home){0};
}

bool linker_find_home(const struct object_linker *linker, uint64_t *begin, uint64_t *end) {
    const struct home home = find_home(linker);
    *begin = home.begin;
    *end = home.end;
    return home.name;
}

bool linker_leads_out(struct object_linker *linker, uint64_t target) {
    const struct home home = find_home(linker);
    if (target <= home.begin || target >= home.end || linker_is_own(linker, target))
        return false;
    if (!linker->way_out)
        linker->way_out = arena_printf(
            linker->arena, "its jump table leads out of it, as to %s+0x%" PRIx64 ": give the whole function", home.name,
            target - home.begin);
    return true;
}

void linker_add_way_out(struct object_linker *linker, uint64_t address, unsigned type, int64_t addend) {
    linker_add_entry(linker, address, type, linker_piece(linker) + linker->piece->n_bytes, addend);
}

// ---- of a linked file, whose code shows where a table is

// Takes one entry; false: it is not an entry.
static bool take_entry(struct object_linker *linker, const struct block *block, struct linker_entry entry,
                       uint64_t target) {
    if (linker_is_own(linker, target)) {
        size_t offset = (size_t)(target - linker_piece(linker));
        if (block_begins_at(block, offset))
            linker_add_entry(linker, entry.address, entry.type, target, entry.addend);
        return block_begins_at(block, offset);
    }
    if (!linker_leads_out(linker, target))
        return false;
    linker_add_way_out(linker, entry.address, entry.type, entry.addend);
    return true;
}

// Takes the distances from a table to instructions, as long as there are some: at least two.
static void take_distances(struct object_linker *linker, const struct block *block, uint64_t table) {
    size_t n = 0, first = linker->n_entries;
    const char *way_out = linker->way_out;
    const uint8_t *bytes;
    for (uint64_t at = table; (bytes = linker_bytes(linker, at, sizeof(int32_t))); at += sizeof(int32_t), n++) {
        struct linker_entry entry = {.address = at, .type = R_X86_64_PC32, .addend = (int64_t)(at - table)};
        int32_t distance;
        memcpy(&distance, bytes, sizeof distance);
        if (!take_entry(linker, block, entry, table + (uint64_t)(int64_t)distance))
            break;
    }
    if (n >= 2)
        return;
    linker->n_entries = first;
    linker->way_out = way_out;
}

// The same of addresses: without relocations, where the program has one place.
static void take_addresses(struct object_linker *linker, const struct block *block, uint64_t table) {
    const uint8_t *bytes;
    for (uint64_t at = table; (bytes = linker_bytes(linker, at, WORD)); at += WORD) {
        uint64_t target;
        memcpy(&target, bytes, sizeof target);
        if (!take_entry(linker, block, (struct linker_entry){.address = at, .type = R_X86_64_64}, target))
            break;
    }
}

bool linker_jumps_by_table(const struct block *block) {
    for (unsigned i = 0; i < block->n_insns; i++)
        if (block->insns[i].is_branch && !block->insns[i].is_direct && !block->insns[i].is_return)
            return true;
    return false;
}

void linker_find_tables(struct object_linker *linker, const struct block *block) {
    size_t offset = 0;
    if (!linker_jumps_by_table(block))
        return;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        uint64_t target;
        unsigned field;
        if (!insn->is_direct && linker_find_distance(linker, insn, linker->piece->bytes + offset,
                                                     linker_piece(linker) + offset, &target, &field))
            take_distances(linker, block, target);
        else if (linker->kind == ET_EXEC && insn->address && !insn->address->base && insn->address->index)
            take_addresses(linker, block, (uint64_t)insn->address->displacement);
    }
    for (size_t i = 0; i < linker->n_held; i++) {
        size_t n_before = linker->n_entries;
        take_distances(linker, block, linker->held[i].value);
        if (linker->n_entries == n_before && linker->kind == ET_EXEC)
            take_addresses(linker, block, linker->held[i].value);
    }
}
