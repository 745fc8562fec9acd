// Data that the code of an unlinked object refers to: System V ABI, AMD64 supplement, 4.4 "Relocation".
#include "lab/object_code.h"

#include "base/text.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DATA_BYTES = 1 << 20 };

struct reader {
    struct arena *arena;
    const struct object_file *file;
    const struct object_piece *piece;
    Elf *elf;
    Elf_Data *symbols;
    size_t strings;
    struct text data;
    size_t n_sections;
    size_t *places; // place of each section in the data, plus 1; 0: not in it yet
    struct block_fixup *fixups;
    size_t n_fixups;
    struct fail *fail;
};

static bool fail_reader(const struct reader *reader, const char *text, const char *what) {
    return fail_at(reader->fail, reader->file->path, 0, 0, "%s refers to '%s', %s", reader->piece->name, what, text);
}

static bool find_symbols(struct reader *reader) {
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(reader->elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) {
            reader->symbols = elf_getdata(section, NULL);
            reader->strings = header.sh_link;
        }
    return reader->symbols != NULL;
}

static void add_zeros(struct text *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        text_append(data, "", 1);
}

// Whether a section contains addresses, such as a jump table: the file does not have them.
static bool has_relocations(const struct reader *reader, size_t index) {
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(reader->elf, section));)
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_RELA || header.sh_type == SHT_REL) &&
            header.sh_info == index && header.sh_size > 0)
            return true;
    return false;
}

// Appends a section's bytes to the data, with the zeros that the file leaves out.
static bool place_section(struct reader *reader, size_t index, const char *name) {
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(reader->elf, index);
    if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
        (header.sh_flags & SHF_EXECINSTR))
        return fail_reader(reader, "which is not data: only a linker could place it", name);
    if (has_relocations(reader, index))
        return fail_reader(reader, "whose data holds addresses which only a linker could place", name);
    size_t alignment = header.sh_addralign > 1 && header.sh_addralign <= 4096 ? header.sh_addralign : 1;
    add_zeros(&reader->data, (alignment - reader->data.length % alignment) % alignment);
    if (reader->data.length > MOST_DATA_BYTES || header.sh_size > MOST_DATA_BYTES - reader->data.length)
        return fail_reader(reader, "which is more data than a block may have: a megabyte", name);
    reader->places[index] = reader->data.length + 1;
    Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
    if (data && data->d_buf)
        text_append(&reader->data, data->d_buf, data->d_size);
    else
        add_zeros(&reader->data, header.sh_size);
    return true;
}

static const char *name_of(const struct reader *reader, const GElf_Sym *symbol) {
    const char *name = elf_strptr(reader->elf, reader->strings, symbol->st_name);
    GElf_Shdr header;
    size_t names;
    if (name && *name)
        return name;
    Elf_Scn *section = elf_getscn(reader->elf, symbol->st_shndx);
    if (!section || !gelf_getshdr(section, &header) || elf_getshdrstrndx(reader->elf, &names) != 0)
        return "?";
    name = elf_strptr(reader->elf, names, header.sh_name);
    return name ? name : "?";
}

static bool add_fixup(struct reader *reader, const GElf_Rela *relocation) {
    GElf_Sym symbol;
    if (!gelf_getsym(reader->symbols, (int)GELF_R_SYM(relocation->r_info), &symbol))
        return fail_reader(reader, "a symbol that the file lacks", "?");
    const char *name = name_of(reader, &symbol);
    if (GELF_R_TYPE(relocation->r_info) != R_X86_64_PC32 || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_shndx >= SHN_LORESERVE || symbol.st_shndx >= reader->n_sections)
        return fail_reader(reader, "which only a linker could place", name);
    if (!reader->places[symbol.st_shndx] && !place_section(reader, symbol.st_shndx, name))
        return false;
    size_t place = reader->places[symbol.st_shndx] - 1;
    *ARENA_ADD(reader->arena, reader->fixups, reader->n_fixups) = (struct block_fixup){
        .offset = relocation->r_offset - reader->piece->address,
        .addend = (int64_t)(place + symbol.st_value + (uint64_t)relocation->r_addend), // untrusted: it may wrap
    };
    return true;
}

static int compare_fixups(const void *a, const void *b) {
    const struct block_fixup *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool read_relocations(struct reader *reader) {
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(reader->elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_info != reader->piece->section)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Rela relocation;
        for (int i = 0; data && gelf_getrela(data, i, &relocation); i++) {
            uint64_t offset = relocation.r_offset - reader->piece->address; // wraps around before the piece
            if (offset < reader->piece->n_bytes && !add_fixup(reader, &relocation))
                return false;
        }
    }
    if (reader->n_fixups)
        qsort(reader->fixups, reader->n_fixups, sizeof *reader->fixups, compare_fixups);
    return true;
}

bool object_data_read(struct arena *arena, const struct object_file *file, const struct object_piece *piece,
                      struct block_source *source, struct fail *fail) {
    struct reader reader = {.arena = arena, .file = file, .piece = piece, .data = {.arena = arena}, .fail = fail};
    GElf_Ehdr header;
    char *copy = arena_copy(arena, file->data, file->n_bytes);
    bool is_done = true;
    reader.elf = elf_memory(copy, file->n_bytes);
    bool is_unlinked = reader.elf && gelf_getehdr(reader.elf, &header) && header.e_type == ET_REL &&
                       header.e_machine == EM_X86_64 && elf_getshdrnum(reader.elf, &reader.n_sections) == 0;
    if (is_unlinked && find_symbols(&reader)) {
        reader.places = ARENA_ARRAY(arena, size_t, reader.n_sections + 1);
        is_done = read_relocations(&reader);
    }
    elf_end(reader.elf);
    source->data = (const uint8_t *)reader.data.data;
    source->n_data = reader.data.length;
    source->fixups = reader.fixups;
    source->n_fixups = reader.n_fixups;
    return is_done;
}
