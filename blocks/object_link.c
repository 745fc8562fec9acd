#include "blocks/object_code.h"

#include "blocks/linker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Where memory of a program goes whose file leaves that open: low, so that 32 bits hold every address, above what the
// registers of blocks point to and below this program itself (analyzer/llvm/module/CMakeLists.txt).
enum { FIRST_ADDRESS = 0x10000000, LOWEST_ADDRESS = 0x10000, MOST_BYTES = 1 << 24, FRAME_ROOM = 1 << 18 };
// What symbols stand for that nothing defines lies below that.
enum { UNKNOWN_ADDRESS = 0xf800000 };

static uint64_t round_up(uint64_t number, uint64_t step) {
    return (number + step - 1) / step * step;
}

static bool is_in_memory(const GElf_Shdr *header) {
    return (header->sh_flags & SHF_ALLOC) && !(header->sh_flags & SHF_TLS) && header->sh_size > 0;
}

// Gives a section of an object its place behind the others, in pages of its own.
static uint64_t place_section(const struct object_linker *linker, const GElf_Shdr *header, uint64_t end) {
    uint64_t alignment = header->sh_addralign > LINK_PAGE_BYTES && header->sh_addralign <= MOST_BYTES
                             ? header->sh_addralign
                             : LINK_PAGE_BYTES;
    return linker->kind == ET_REL ? round_up(end, alignment) : linker->base + header->sh_addr;
}

static bool take_section(struct object_linker *linker, size_t index, uint64_t first) {
    GElf_Shdr header;
    size_t names;
    struct linked_section *section = &linker->sections[index];
    Elf_Scn *scn = elf_getscn(linker->elf, index);
    if (!scn || !gelf_getshdr(scn, &header) || elf_getshdrstrndx(linker->elf, &names) != 0)
        return true;
    const char *name = elf_strptr(linker->elf, names, header.sh_name);
    *section = (struct linked_section){.name = name ? name : "", .flags = header.sh_flags};
    bool is_of_threads = linker->kind == ET_REL && linker->machine == EM_X86_64 && (header.sh_flags & SHF_TLS);
    if (!is_in_memory(&header) && !(is_of_threads && header.sh_size > 0))
        return true;
    linker->has_threads |= is_of_threads;
    section->address = place_section(linker, &header, linker->end);
    section->size = header.sh_size;
    if (header.sh_size > MOST_BYTES || section->address < first || section->address - first > MOST_BYTES)
        return fail_at(linker->fail, linker->file->path, 0, 0,
                       "its memory is more than %d MiB: only smaller programs can be placed", MOST_BYTES >> 20);
    section->is_zero = header.sh_type == SHT_NOBITS;
    uint64_t end = section->address + section->size;
    linker->end = end > linker->end ? end : linker->end;
    return true;
}

// The lowest address of a file's memory; UINT64_MAX: it has none.
static uint64_t lowest_address(const struct object_linker *linker) {
    uint64_t lowest = UINT64_MAX;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(linker->elf, section));)
        if (gelf_getshdr(section, &header) && is_in_memory(&header) && header.sh_addr < lowest)
            lowest = header.sh_addr;
    return lowest;
}

static bool take_sections(struct object_linker *linker) {
    enum { MORE_SECTIONS = 2 }; // words or threads' data, and the header
    uint64_t lowest = lowest_address(linker), first = FIRST_ADDRESS;
    if (linker->kind == ET_DYN)
        linker->base = FIRST_ADDRESS;
    if (linker->kind == ET_EXEC) {
        first = lowest;
        if (lowest < LOWEST_ADDRESS)
            return fail_at(linker->fail, linker->file->path, 0, 0,
                           "its memory begins at 0x%" PRIx64 ", where the system lets nobody place any", lowest);
    }
    linker->end = first;
    linker->sections = ARENA_ARRAY(linker->arena, struct linked_section, linker->n_sections + MORE_SECTIONS);
    for (size_t i = 0; i < linker->n_sections; i++)
        if (!take_section(linker, i, first))
            return false;
    return true;
}

static void find_symbols(struct object_linker *linker) {
    unsigned type = linker->kind == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(linker->elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == type && header.sh_entsize) {
            linker->symbols = elf_getdata(section, NULL);
            linker->strings = header.sh_link;
            linker->n_symbols = header.sh_size / header.sh_entsize;
        }
}

// ---- segments

static int compare_sections(const void *a, const void *b) {
    const struct linked_section *const *x = a, *const *y = b;
    return ((*x)->address > (*y)->address) - ((*x)->address < (*y)->address);
}

static uint64_t segment_end(const struct segment *segment) {
    return round_up(segment->address + segment->size, LINK_PAGE_BYTES);
}

// Adds a section to the last segment, or to a new one where it begins in another page.
static void add_to_segments(struct object_linker *linker, const struct linked_section *section) {
    uint64_t page = section->address / LINK_PAGE_BYTES * LINK_PAGE_BYTES;
    if (linker->n_segments == 0 || page >= segment_end(&linker->segments[linker->n_segments - 1]))
        linker->segments[linker->n_segments++] = (struct segment){.address = page};
    struct segment *last = &linker->segments[linker->n_segments - 1];
    size_t size = (size_t)(section->address + section->size - last->address);
    last->size = size > last->size ? size : last->size;
    if (!section->is_zero && size > last->n_bytes)
        last->n_bytes = size;
    last->is_writable |= (section->flags & SHF_WRITE) != 0;
    last->is_executable |= (section->flags & SHF_EXECINSTR) != 0;
}

static void copy_section(struct object_linker *linker, const struct segment *segment, uint8_t *bytes, size_t index) {
    struct linked_section *section = &linker->sections[index];
    size_t offset = (size_t)(section->address - segment->address);
    if (section->is_zero || !section->address || section->address < segment->address || offset >= segment->n_bytes)
        return;
    section->bytes = bytes + offset;
    Elf_Scn *scn = elf_getscn(linker->elf, index);
    Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
    if (data && data->d_buf)
        memcpy(section->bytes, data->d_buf, data->d_size < section->size ? data->d_size : section->size);
}

static void make_segments(struct object_linker *linker) {
    struct linked_section **sorted = ARENA_ARRAY(linker->arena, struct linked_section *, linker->n_sections + 1);
    linker->segments = ARENA_ARRAY(linker->arena, struct segment, linker->n_sections + 1);
    size_t n = 0;
    for (size_t i = 0; i < linker->n_sections; i++)
        if (linker->sections[i].address)
            sorted[n++] = &linker->sections[i];
    qsort(sorted, n, sizeof(struct linked_section *), compare_sections);
    for (size_t i = 0; i < n; i++)
        add_to_segments(linker, sorted[i]);
    for (size_t s = 0; s < linker->n_segments; s++) {
        uint8_t *bytes = arena_alloc(linker->arena, linker->segments[s].n_bytes + 1);
        linker->segments[s].bytes = bytes;
        for (size_t i = 0; i < linker->n_sections; i++)
            copy_section(linker, &linker->segments[s], bytes, i);
    }
}

// Adds a section of words that hold addresses, for an object whose code finds these by such words.
static void add_words(struct object_linker *linker) {
    struct linked_section *words = &linker->sections[linker->n_sections++]; // there is room for one more
    *words = (struct linked_section){.name = ".got",
                                     .address = round_up(linker->end, LINK_PAGE_BYTES),
                                     .size = (size_t)LINKER_MOST_WORDS * LINKER_WORD_BYTES,
                                     .flags = SHF_ALLOC};
    linker->end = words->address + words->size;
}

// Finds the segments of the entries. Drops those in memory that the file leaves zero.
static void make_entries(struct object_linker *linker, struct link *link) {
    struct link_entry *entries = ARENA_ARRAY(linker->arena, struct link_entry, linker->n_entries + 1);
    for (size_t i = 0; i < linker->n_entries; i++)
        for (size_t s = 0; s < link->n_segments; s++) {
            const struct linker_entry *from = &linker->entries[i];
            size_t offset = (size_t)(from->address - link->segments[s].address);
            if (from->address >= link->segments[s].address &&
                offset + link_type_bytes(linker->machine, from->type) <= link->segments[s].n_bytes)
                entries[link->n_entries++] = (struct link_entry){s, offset, from->type, from->target, from->addend};
        }
    link->entries = entries;
}

static int compare_fixups(const void *a, const void *b) {
    const struct link_fixup *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static const struct link *make_link(struct object_linker *linker) {
    if (linker->n_fixups == 0 && linker->n_entries == 0 && linker->kind != ET_EXEC)
        return NULL; // it refers to nothing
    struct link *link = ARENA_NEW(linker->arena, struct link);
    *link = (struct link){.machine = linker->machine,
                          .code_address = round_up(linker->end, FRAME_ROOM) + FRAME_ROOM,
                          .segments = linker->segments,
                          .n_segments = linker->n_segments,
                          .fixups = linker->fixups,
                          .n_fixups = linker->n_fixups};
    if (linker->n_fixups)
        qsort(linker->fixups, linker->n_fixups, sizeof *linker->fixups, compare_fixups);
    make_entries(linker, link);
    return link;
}

// Of a linked file: its header, which a loader puts in front of the first section (__executable_start, __ehdr_start).
static const char header_name[] = "header";

static void add_header(struct object_linker *linker) {
    uint64_t first = linker->base + lowest_address(linker);
    GElf_Phdr part;
    size_t n;
    if (elf_getphdrnum(linker->elf, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(linker->elf, (int)i, &part) || part.p_type != PT_LOAD || part.p_offset != 0)
            continue;
        uint64_t address = linker->base + part.p_vaddr;
        if (address >= first || first - address > part.p_filesz || part.p_filesz > linker->file->n_bytes)
            return;
        linker->sections[linker->n_sections++] = (struct linked_section){
            .name = header_name, .address = address, .size = (size_t)(first - address), .flags = SHF_ALLOC};
        return;
    }
}

static void fill_header(struct object_linker *linker) {
    for (size_t i = 0; i < linker->n_sections; i++) {
        struct linked_section *section = &linker->sections[i];
        if (section->bytes && section->name == header_name)
            memcpy(section->bytes, linker->file->data, section->size);
    }
}

static bool is_known_machine(unsigned machine) {
    return machine == EM_X86_64 || machine == EM_AARCH64 || machine == EM_RISCV;
}

static bool read_file(struct object_linker *linker) {
    find_symbols(linker);
    if (!take_sections(linker))
        return false;
    if (linker->kind == ET_REL) {
        add_words(linker);
    } else {
        add_header(linker);
        linker_add_threads(linker);
    }
    make_segments(linker);
    if (linker->kind != ET_REL) {
        fill_header(linker);
        linker_load(linker);
        linker_fill_threads(linker);
    }
    return decoder_open(&linker->decoder, linker->arena, linker->isa, NULL, linker->fail);
}

// Makes the short jump at the end of a block a long one, whose distance a fixup fills in.
static void lengthen_end(struct object_linker *linker, struct block_source *source) {
    enum { LONG_JUMP = 0xe9, MORE = 3 };
    uint8_t *bytes = ARENA_ARRAY(linker->arena, uint8_t, source->n_bytes + MORE);
    memcpy(bytes, source->bytes, source->n_bytes);
    bytes[source->n_bytes - 2] = LONG_JUMP;
    memset(bytes + source->n_bytes - 1, 0, 1 + MORE);
    source->bytes = bytes;
    source->n_bytes += MORE;
}

struct object_linker *object_linker_open(struct arena *arena, const struct object_file *file, const struct isa *isa,
                                         struct fail *fail) {
    struct object_linker *linker = ARENA_NEW(arena, struct object_linker);
    GElf_Ehdr header;
    *linker =
        (struct object_linker){.arena = arena, .file = file, .isa = isa, .unknown_base = UNKNOWN_ADDRESS, .fail = fail};
    linker->elf = elf_memory(arena_copy(arena, file->data, file->n_bytes), file->n_bytes);
    bool is_read = linker->elf && gelf_getehdr(linker->elf, &header) && is_known_machine(header.e_machine) &&
                   elf_getshdrnum(linker->elf, &linker->n_sections) == 0;
    if (!is_read) {
        object_linker_close(linker);
        return linker;
    }
    linker->machine = header.e_machine;
    linker->kind = header.e_type;
    if (read_file(linker))
        return linker;
    object_linker_close(linker);
    return NULL;
}

void object_linker_close(struct object_linker *linker) {
    if (!linker)
        return;
    decoder_close(&linker->decoder);
    elf_end(linker->elf);
    linker->elf = NULL;
}

bool object_linker_follows(const struct object_linker *linker) {
    return linker->elf != NULL;
}

const char *object_linker_missing(const struct object_linker *linker) {
    return linker->missing;
}

bool object_linker_read(struct object_linker *linker, const struct object_piece *piece, struct block_source *source,
                        struct fail *fail) {
    source->link = NULL;
    if (!linker->elf)
        return true;
    linker->piece = piece;
    linker->lengthens_end = false;
    linker->fixups = NULL;
    linker->entries = NULL;
    linker->made_up = NULL;
    linker->held = NULL;
    linker->missing = NULL;
    linker->way_out = NULL;
    linker->n_fixups = linker->n_entries = linker->n_made_up = linker->n_held = 0;
    linker->fail = fail;
    if (!(linker->kind == ET_REL ? linker_read_object(linker) : linker_read_linked(linker)))
        return false;
    linker_keep_tables(linker);
    source->held = linker->held;
    source->n_held = linker->n_held;
    source->link = make_link(linker);
    source->made_up = linker->made_up;
    source->n_made_up = linker->n_made_up;
    const uint8_t *own = linker_bytes(linker, linker_piece(linker), piece->n_bytes);
    if (own) // what the linker has filled in there
        source->bytes = own;
    source->way_out = linker->way_out;
    source->absent = linker->absent;
    source->n_absent = linker->n_absent;
    if (linker->lengthens_end)
        lengthen_end(linker, source);
    return true;
}
