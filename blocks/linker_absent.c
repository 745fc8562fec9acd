// What code refers to and its file lacks. Each such reference gets an address at which every access traps, so that it
// costs only a run that comes there, which then knows the name.
#include "blocks/linker.h"

#include <string.h>

// The upper half of the addresses is the system's: no memory appears there. Distances of four bytes reach this part of
// it from all of a program's low memory, and as sums with a sign so do addresses of four bytes. The branches of AArch64
// reach no further than 128 MiB: they get a place that holds no code.
#define TRAPS UINT64_C(0xfffffffff0000000)
enum { TRAP_BYTES = 1 << 14, MOST_TRAPS = 1 << 13, NEAR_TRAPS = 0xa000000 };
// Sums of this and an address of threads' data are not addresses. AArch64 ignores the highest byte.
#define THREAD_TRAPS UINT64_C(0x4000000000000000)
#define A64_THREAD_TRAPS UINT64_C(0x40000000000000)

const char *linker_absence_reason(const struct object_linker *linker, enum absence absence) {
    if (absence == ABSENT_THREAD_LOCAL)
        return "which is thread-local: it has no place here";
    if (absence == ABSENT_CHOICE)
        return "which the program chooses at run time (IFUNC): it cannot be brought along";
    if (linker->file->is_text)
        return "which nothing defines: put that function into the text";
    return linker->kind == ET_REL ? "which another file holds: link it, and give the program"
                                  : "which another file holds: link it statically";
}

static const char *describe(const struct object_linker *linker, const struct linker_absence *absence) {
    const char *who = absence->who ? absence->who : "it", *verb = absence->is_call ? "calls" : "refers to";
    if (!absence->name)
        return arena_printf(linker->arena, "%s %s thread-local data, which has no place here", who, verb);
    bool finds_data = strcmp(absence->name, "__tls_get_addr") == 0;
    return arena_printf(linker->arena, "%s %s '%s', %s", who, verb, absence->name,
                        finds_data ? "which finds thread-local data: that has no place here"
                                   : linker_absence_reason(linker, absence->absence));
}

void linker_explain(struct object_linker *linker, const struct linker_absence *absence, uint64_t address, size_t size) {
    *ARENA_ADD(linker->arena, linker->absent, linker->n_absent) =
        (struct block_absent){address, size, describe(linker, absence)};
}

// Returns the address where no memory appears from which on such references are.
static uint64_t first_trap(const struct object_linker *linker, const struct linker_absence *wanted) {
    bool is_object = linker->kind == ET_REL, is_a64 = linker->machine == EM_AARCH64;
    if (!is_object && wanted->absence == ABSENT_THREAD_LOCAL)
        return is_a64 ? A64_THREAD_TRAPS : THREAD_TRAPS;
    return is_object && is_a64 && wanted->is_call ? NEAR_TRAPS : TRAPS;
}

uint64_t linker_absent(struct object_linker *linker, const struct linker_absence *wanted) {
    uint64_t first = first_trap(linker, wanted);
    const char *what = describe(linker, wanted);
    for (size_t i = 0; i < linker->n_absent; i++)
        if (linker->absent[i].address >= first && strcmp(linker->absent[i].what, what) == 0)
            return linker->absent[i].address;
    if (linker->n_absent >= MOST_TRAPS)
        return 0;
    uint64_t address = first + linker->n_absent * TRAP_BYTES;
    linker_explain(linker, wanted, address, TRAP_BYTES);
    return address;
}

const char *linker_choice_name(const struct object_linker *linker, uint64_t resolver) {
    const char *best = NULL;
    GElf_Shdr header;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(linker->elf, scn));) {
        if (!gelf_getshdr(scn, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            bool is_choice = GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC && symbol.st_value == resolver;
            const char *name = is_choice ? elf_strptr(linker->elf, header.sh_link, symbol.st_name) : NULL;
            if (name && *name && (!best || strlen(name) < strlen(best))) // not one of its aliases such as __memcpy
                best = name;
        }
    }
    return best ? best : "?";
}
