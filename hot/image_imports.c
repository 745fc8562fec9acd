// Pointers that a loader fills in, and the stubs of a procedure linkage table that jump by them.
#include "hot/image_parts.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    const struct image_import *one = a, *other = b;
    return one->pointer < other->pointer ? -1 : one->pointer > other->pointer;
}

static void add(struct hot_image *image, const GElf_Rela *entry, Elf_Data *symbols, size_t strings) {
    GElf_Sym symbol;
    struct image_import import = {.pointer = entry->r_offset};
    const uint64_t addend = (uint64_t)entry->r_addend;
    switch (GELF_R_TYPE(entry->r_info)) {
    case R_X86_64_RELATIVE:
        import.is_here = true;
        import.target = addend;
        break;
    case R_X86_64_IRELATIVE:
        import.resolver = addend;
        break;
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_64:
        if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(entry->r_info), &symbol))
            return;
        import.name = elf_strptr(image->elf, strings, symbol.st_name);
        import.is_here = symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC;
        import.target = symbol.st_value + addend;
        break;
    default:
        return;
    }
    *ARENA_ADD(image->arena, image->imports, image->n_imports) = import;
}

static void read_imports(struct hot_image *image) {
    GElf_Shdr header, linked;
    GElf_Rela entry;
    if (image->has_imports)
        return;
    image->has_imports = true;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_entsize == 0)
            continue;
        Elf_Scn *table = elf_getscn(image->elf, header.sh_link);
        Elf_Data *symbols = table && header.sh_link ? elf_getdata(table, NULL) : NULL,
                 *entries = elf_getdata(section, NULL);
        size_t strings = table && gelf_getshdr(table, &linked) ? linked.sh_link : 0;
        for (int i = 0; entries && gelf_getrela(entries, i, &entry); i++)
            add(image, &entry, symbols, strings);
    }
    if (image->n_imports)
        qsort(image->imports, image->n_imports, sizeof *image->imports, compare);
}

static const struct image_import *find(struct hot_image *image, uint64_t pointer) {
    read_imports(image);
    const struct image_import wanted = {.pointer = pointer};
    return image->n_imports ? bsearch(&wanted, image->imports, image->n_imports, sizeof wanted, compare) : NULL;
}

const char *hot_image_import_by(struct hot_image *image, uint64_t pointer) {
    const struct image_import *import = find(image, pointer);
    struct hot_function function;
    if (import && import->resolver) // its symbol names what is chosen
        return image_find_function(image, import->resolver, &function) ? function.name : NULL;
    return import ? import->name : NULL;
}

const char *hot_image_import(struct hot_image *image, uint64_t code) {
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25}; // jmp [rip + distance]
    size_t n, at = 0;
    const uint8_t *bytes = hot_image_bytes(image, code, &n);
    if (bytes && n >= sizeof endbr64 && memcmp(bytes, endbr64, sizeof endbr64) == 0)
        at = sizeof endbr64;
    at += bytes && at < n && bytes[at] == 0xf2; // bnd
    if (!bytes || n < at + 6 || memcmp(bytes + at, jump, sizeof jump) != 0)
        return NULL;
    int32_t distance;
    memcpy(&distance, bytes + at + 2, sizeof distance);
    return hot_image_import_by(image, code + at + 6 + (uint64_t)(int64_t)distance);
}

bool hot_image_pointer(struct hot_image *image, uint64_t address, uint64_t *pointer) {
    size_t n;
    const struct image_import *import = find(image, address);
    const uint8_t *bytes = hot_image_bytes(image, address, &n);
    if (import) {
        *pointer = import->target;
        return import->is_here;
    }
    if (!bytes || n < sizeof *pointer)
        return false;
    memcpy(pointer, bytes, sizeof *pointer);
    return true;
}
