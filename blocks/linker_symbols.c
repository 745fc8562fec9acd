// Symbols of an object that is not linked: their addresses, and what stands for those that nothing defines.
#include "blocks/linker_symbols.h"

#include <string.h>

const char *linker_name_of(const struct object_linker *linker, const GElf_Sym *symbol) {
    const char *name = linker_symbol_name(linker, symbol);
    if (name)
        return name;
    bool has_section = symbol->st_shndx < linker->n_sections && linker->sections[symbol->st_shndx].name;
    return has_section ? linker->sections[symbol->st_shndx].name : "?";
}

const char *linker_who(const struct linker_worker *worker) {
    const struct object_linker *linker = worker->linker;
    return linker->file->is_text && strcmp(worker->who, linker->piece->name) == 0 ? "the block" : worker->who;
}

bool linker_refuse(const struct linker_worker *worker, const char *name, const char *why) {
    struct object_linker *linker = worker->linker;
    linker->missing = name;
    return fail_at(linker->fail, linker->file->path, 0, 0, "%s refers to '%s', %s", linker_who(worker), name, why);
}

static bool is_thread_local(const struct object_linker *linker, const GElf_Sym *symbol) {
    bool is_in = symbol->st_shndx < linker->n_sections && (linker->sections[symbol->st_shndx].flags & SHF_TLS);
    return is_in || GELF_ST_TYPE(symbol->st_info) == STT_TLS;
}

// ---- symbols that nothing defines

// Gives a symbol that is in no file an address where a run traps. Refuses it where every run of the piece comes there.
static bool stand_in(const struct linker_worker *worker, const struct linker_reference *reference, const char *name,
                     enum absence absence, uint64_t *address) {
    struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[reference->section];
    bool is_call = absence != ABSENT_THREAD_LOCAL && (section->flags & SHF_EXECINSTR);
    if (section->address + reference->offset - linker_piece(linker) < worker->sure_bytes)
        return linker_refuse(worker, name, linker_absence_reason(linker, absence));
    *address = linker_absent(linker, &(struct linker_absence){linker_who(worker), name, absence, is_call});
    return *address || linker_refuse(worker, name, "one more that no file has: link it, and give the program");
}

// Gives a symbol an address, in memory of its own that appears on demand. Each is at another place of its page.
static bool make_up(const struct linker_worker *worker, const char *name, uint64_t *address) {
    enum { DISTANCE = 0x11440 };
    struct object_linker *linker = worker->linker;
    size_t i = 0, m = 0;
    while (i < linker->n_unknown && strcmp(linker->unknown[i].name, name) != 0)
        i++;
    if (i == LINKER_MOST_UNKNOWN)
        return linker_refuse(worker, name, "one more that nothing defines: link it, and give the program");
    *address = linker->unknown_base + i * DISTANCE;
    if (i == linker->n_unknown) {
        *ARENA_ADD(linker->arena, linker->unknown, linker->n_unknown) = (struct linker_unknown){name, *address};
        linker_explain(linker, &(struct linker_absence){linker_who(worker), name, ABSENT_ELSEWHERE, true}, *address,
                       DISTANCE);
    }
    while (m < linker->n_made_up && strcmp(linker->made_up[m], name) != 0)
        m++;
    if (m == linker->n_made_up) {
        linker->made_up = arena_grow(linker->arena, linker->made_up, m, sizeof(const char *));
        linker->made_up[linker->n_made_up++] = name;
    }
    return true;
}

// Lets a branch of the piece go far out of it: what nothing defines lies outside.
static bool leave(const struct linker_worker *worker, const struct linker_reference *reference, unsigned type) {
    static const unsigned reach_bits[] = {30, 26, 19, 14, 11}; // of the ISAs' branches
    const struct object_linker *linker = worker->linker;
    uint64_t place = linker->sections[reference->section].address + reference->offset;
    uint8_t *bytes = linker_bytes(linker, place, link_type_bytes(linker->machine, type));
    for (size_t i = 0; bytes && i < sizeof reach_bits / sizeof *reach_bits; i++) {
        uint64_t target = place + (UINT64_C(1) << reach_bits[i]);
        if (target < linker_piece(linker) + linker->piece->n_bytes)
            break;
        if (link_apply(linker->machine, type, &(struct link_place){bytes, place, target}))
            return true;
    }
    return linker_refuse(worker, "?", "which lies too far away for its branch");
}

// Finds out what stands for a symbol that no file defines. `is_absent`: nothing is to be filled in.
static bool find_unknown(const struct linker_worker *worker, const struct linker_reference *reference,
                         const GElf_Sym *symbol, uint64_t *address, bool *is_absent) {
    const struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[reference->section];
    const char *name = linker_name_of(linker, symbol);
    bool is_code = section->flags & SHF_EXECINSTR;
    enum linker_purpose purpose =
        linker_purpose_of(&(struct linker_use){linker->machine, reference->type, section->bytes, reference->offset});
    if (strncmp(name, OBJECT_WRONG, strlen(OBJECT_WRONG)) == 0)
        return linker_refuse(worker, name, "a line that the assembler refuses");
    *is_absent = reference->symbol == 0 || (!is_code && reference->type != linker_address_type(linker));
    if (*is_absent || GELF_ST_BIND(symbol->st_info) == STB_WEAK) // a weak one is at address 0
        return true;
    if (!is_code)
        return stand_in(worker, reference, name, ABSENT_ELSEWHERE, address);
    if (purpose == LINKER_OPERAND)
        return make_up(worker, name, address);
    bool is_label = purpose == LINKER_BRANCH || (purpose == LINKER_JUMP && strncmp(name, ".L", 2) == 0);
    if (is_label && linker->file->is_text && linker_is_own(linker, section->address + reference->offset)) {
        *is_absent = true;
        return leave(worker, reference, linker_type_of(linker, reference->type));
    }
    bool reaches = linker->machine == EM_X86_64 || purpose == LINKER_CALL ||
                   (linker->machine == EM_AARCH64 && purpose == LINKER_JUMP);
    return reaches ? stand_in(worker, reference, name, ABSENT_ELSEWHERE, address)
                   : linker_refuse(worker, name, "which lies too far away for its branch");
}

bool linker_find_address(const struct linker_worker *worker, const struct linker_reference *reference, GElf_Sym *symbol,
                         uint64_t *address, bool *is_absent) {
    size_t number = reference->symbol;
    const struct object_linker *linker = worker->linker;
    *is_absent = false;
    *address = 0;
    if (!linker->symbols || !gelf_getsym(linker->symbols, (int)number, symbol))
        return linker_refuse(worker, "?", "a symbol that the file lacks");
    const char *name = linker_name_of(linker, symbol);
    bool is_placed = symbol->st_shndx < linker->n_sections && linker->sections[symbol->st_shndx].address;
    if (is_thread_local(linker, symbol) && !is_placed)
        return linker->machine == EM_X86_64 ? stand_in(worker, reference, name, ABSENT_THREAD_LOCAL, address)
                                            : linker_refuse(worker, name, "which is thread-local: it cannot be placed");
    if (GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) // its value is that of what chooses
        return stand_in(worker, reference, name, ABSENT_CHOICE, address);
    if (symbol->st_shndx == SHN_UNDEF)
        return find_unknown(worker, reference, symbol, address, is_absent);
    if (symbol->st_shndx == SHN_COMMON)
        return linker_refuse(worker, name, "which only a linker could place: compile it with -fno-common");
    *address = symbol->st_value;
    if (symbol->st_shndx == SHN_ABS)
        return true;
    if (symbol->st_shndx >= linker->n_sections || !linker->sections[symbol->st_shndx].address)
        return linker_refuse(worker, name, "which has no place in memory");
    *address += linker->sections[symbol->st_shndx].address;
    return true;
}
