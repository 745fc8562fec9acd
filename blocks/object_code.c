#include "blocks/object_code.h"

#include "base/text.h"
#include "blocks/object_versions.h"

#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

struct object {
    const struct object_file *file;
    struct arena *arena;
    Elf *elf;
    size_t section_names;
    struct symbol {
        const char *name; // without its version
        struct object_version version;
        uint64_t start, end; // range of addresses; start == end: unknown size
        size_t section;
        bool is_function;
    } * symbols;
    size_t n_symbols;
    struct choice { // a function that the program chooses at run time: its symbol is of what chooses
        const char *name;
        struct object_version version;
    } * choices;
    size_t n_choices;
    struct object_piece *pieces;
    size_t n_pieces;
    struct fail *fail;
};

// A section with code.
struct code {
    size_t index;
    const char *name;
    uint64_t address;
    unsigned alignment; // bytes
    const uint8_t *bytes;
    size_t n_bytes;
};

bool object_is_elf(const void *data, size_t n_bytes) {
    return n_bytes >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;
}

static bool fail_object(struct object *object, const char *text) {
    return fail_at(object->fail, object->file->path, 0, 0, "%s", text);
}

// Checks that the CPU can execute this object's machine code.
static bool check_machine(struct object *object) {
    static const struct {
        unsigned machine;
        const char *arch, *triple, *isa; // arch: start of the triple; isa: of ours, null: none
    } known[] = {
        {EM_X86_64, "x86_64", "x86_64-linux-gnu", "x86_64"},     {EM_386, "i", "i386-linux-gnu", NULL},
        {EM_AARCH64, "aarch64", "aarch64-linux-gnu", "aarch64"}, {EM_ARM, "arm", "armv7-linux-gnueabihf", "armv7"},
        {EM_ARM, "thumb", "thumbv7-linux-gnueabihf", "armv7"},   {EM_RISCV, "riscv", "riscv64-linux-gnu", "riscv64"},
        {EM_PPC64, "p", "powerpc64le-linux-gnu", NULL},          {EM_S390, "s390x", "s390x-linux-gnu", NULL},
    };
    GElf_Ehdr header;
    if (gelf_getehdr(object->elf, &header) == NULL)
        return fail_object(object, "this ELF file's header cannot be read");
    const char *triple = object->file->triple, *wanted = NULL, *isa = NULL;
    bool is_known = false; // what code for the triple looks like
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool is_wanted = strncmp(triple, known[i].arch, strlen(known[i].arch)) == 0;
        is_known |= is_wanted;
        if (known[i].machine != header.e_machine)
            continue;
        if (is_wanted)
            return true;
        isa = wanted == NULL ? known[i].isa : isa;
        wanted = wanted == NULL ? known[i].triple : wanted;
    }
    if (wanted && object->file->takes_isa)
        return fail_at(object->fail, object->file->path, 0, 0, "this is code for %s, not for %s; %s%s",
                       isa ? isa : wanted, triple, isa ? "give --isa " : "'cyclops mca' simulates it", isa ? isa : "");
    if (wanted == NULL && is_known)
        return fail_at(object->fail, object->file->path, 0, 0,
                       "this is not code for %s, but for another machine (number %u of ELF)", triple, header.e_machine);
    return wanted == NULL || // LLVM may know more machines than this table
           fail_at(object->fail, object->file->path, 0, 0,
                   "this is not code for %s; give -mtriple=%s and a -mcpu of that target", triple, wanted);
}

// Reads a section. Returns false where it is not code, or has no bytes.
static bool read_code(const struct object *object, Elf_Scn *section, struct code *code) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
        (header.sh_flags & SHF_EXECINSTR) == 0)
        return false;
    Elf_Data *data = elf_rawdata(section, NULL);
    const char *name = elf_strptr(object->elf, object->section_names, header.sh_name);
    if (data == NULL || data->d_buf == NULL || data->d_size == 0)
        return false;
    *code = (struct code){
        .index = elf_ndxscn(section),
        .name = name != NULL ? name : "",
        .address = header.sh_addr,
        .alignment = (unsigned)(header.sh_addralign ? header.sh_addralign : 1),
        .bytes = data->d_buf,
        .n_bytes = data->d_size,
    };
    return true;
}

static bool next_code(const struct object *object, Elf_Scn **section, struct code *code) {
    while ((*section = elf_nextscn(object->elf, *section)) != NULL)
        if (read_code(object, *section, code))
            return true;
    return false;
}

static void add_symbol(struct object *object, const GElf_Sym *symbol, const char *name, struct object_version version) {
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (name != NULL)
        name = object_version_split(object->arena, name, &version);
    if (name != NULL && type == STT_GNU_IFUNC && symbol->st_shndx != SHN_UNDEF)
        *ARENA_ADD(object->arena, object->choices, object->n_choices) = (struct choice){name, version};
    if (name == NULL || *name == '\0' || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
        (type != STT_FUNC && type != STT_NOTYPE))
        return;
    GElf_Ehdr header;
    bool is_arm = gelf_getehdr(object->elf, &header) != NULL && header.e_machine == EM_ARM;
    if (is_arm && *name == '$') // mapping symbol: marks the begin of code or data
        return;
    uint64_t start = is_arm && type == STT_FUNC ? symbol->st_value & ~UINT64_C(1) : symbol->st_value; // bit 0: Thumb
    *ARENA_ADD(object->arena, object->symbols, object->n_symbols) = (struct symbol){
        .name = name,
        .version = version,
        .start = start,
        .end = symbol->st_size <= UINT64_MAX - start ? start + symbol->st_size : start,
        .section = symbol->st_shndx,
        .is_function = type == STT_FUNC,
    };
}

static int compare_symbols(const void *a, const void *b) {
    const struct symbol *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

// Reads the symbol table; in a stripped file, the symbols for dynamic linking.
static void read_symbols(struct object *object) {
    static const unsigned types[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (size_t t = 0; t < 2 && object->n_symbols == 0; t++) {
        Elf_Scn *section = NULL;
        GElf_Shdr header;
        while ((section = elf_nextscn(object->elf, section)) != NULL) {
            if (gelf_getshdr(section, &header) == NULL || header.sh_type != types[t] || header.sh_entsize == 0)
                continue;
            const struct object_versions versions = object_versions_read(object->arena, object->elf, section);
            Elf_Data *data = elf_getdata(section, NULL);
            GElf_Sym symbol;
            for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++)
                add_symbol(object, &symbol, elf_strptr(object->elf, header.sh_link, symbol.st_name),
                           object_versions_of(&versions, i));
        }
    }
    if (object->n_symbols != 0)
        qsort(object->symbols, object->n_symbols, sizeof *object->symbols, compare_symbols);
}

// Adds the code at addresses [start, end) of a section.
static bool add_piece(struct object *object, const char *name, const struct code *code, uint64_t start, uint64_t end) {
    struct object_piece *piece = ARENA_ADD(object->arena, object->pieces, object->n_pieces);
    GElf_Ehdr header;
    bool is_linked = gelf_getehdr(object->elf, &header) != NULL && header.e_type != ET_REL;
    *piece = (struct object_piece){.name = arena_strdup(object->arena, name),
                                   .n_bytes = (size_t)(end - start),
                                   .address = start,
                                   .alignment = is_linked ? 0 : code->alignment,
                                   .section = code->index};
    piece->bytes =
        (const uint8_t *)arena_copy(object->arena, (const char *)code->bytes + (start - code->address), piece->n_bytes);
    return true;
}

static uint64_t code_end(const struct code *code) {
    return code->address + code->n_bytes;
}

// Returns the end of a symbol. Without a size, it reaches to the next symbol, or to the section's end.
static uint64_t symbol_end(const struct object *object, size_t index, const struct code *code) {
    const struct symbol *symbol = &object->symbols[index];
    if (symbol->end > symbol->start)
        return symbol->end;
    for (size_t i = index + 1; i < object->n_symbols && object->symbols[i].section == code->index; i++)
        if (object->symbols[i].start > symbol->start)
            return object->symbols[i].start;
    return code_end(code);
}

static bool is_inside(const struct code *code, uint64_t start, uint64_t end) {
    return start >= code->address && start < end && end - code->address <= code->n_bytes;
}

static bool find_code(const struct object *object, size_t index, struct code *code) {
    Elf_Scn *section = elf_getscn(object->elf, index);
    return section != NULL && read_code(object, section, code);
}

static bool add_symbol_piece(struct object *object, size_t index, bool is_function) {
    const struct symbol *symbol = &object->symbols[index];
    struct code code;
    if (!find_code(object, symbol->section, &code))
        return fail_at(object->fail, object->file->path, 0, 0, "symbol '%s' is not in a section that holds code",
                       symbol->name);
    uint64_t end = symbol_end(object, index, &code);
    if (!is_inside(&code, symbol->start, end))
        return fail_at(object->fail, object->file->path, 0, 0, "symbol '%s' does not lie within its section %s",
                       symbol->name, code.name);
    bool is_added = add_piece(object, object_version_show(object->arena, symbol->name, &symbol->version), &code,
                              symbol->start, end);
    object->pieces[object->n_pieces - 1].is_function = is_function;
    return is_added;
}

// Whether a name without a version means another symbol than this one: it has a version that is not the default, and
// another one has the default.
static bool is_left_out(const struct object *object, const struct symbol *symbol, const char *wanted) {
    if (strchr(wanted, '@') || !symbol->version.name || symbol->version.is_default)
        return false;
    for (size_t i = 0; i < object->n_symbols; i++)
        if (object->symbols[i].version.is_default && strcmp(object->symbols[i].name, symbol->name) == 0)
            return true;
    for (size_t i = 0; i < object->n_choices; i++)
        if (object->choices[i].version.is_default && strcmp(object->choices[i].name, symbol->name) == 0)
            return true;
    return false;
}

// Returns the next symbol that a user means by that name, from `from` on, at another place than `not_at`; n_symbols:
// there is none.
static size_t find_meant(const struct object *object, const char *wanted, size_t from, const struct symbol *not_at) {
    for (size_t i = from; i < object->n_symbols; i++) {
        const struct symbol *symbol = &object->symbols[i];
        bool is_there = not_at && symbol->start == not_at->start && symbol->section == not_at->section;
        if (!is_there && object_version_is_meant(symbol->name, &symbol->version, wanted) &&
            !is_left_out(object, symbol, wanted))
            return i;
    }
    return object->n_symbols;
}

static bool fail_several(const struct object *object, const struct symbol *a, const struct symbol *b) {
    bool have_versions = a->version.name && b->version.name && strcmp(a->version.name, b->version.name) != 0;
    if (have_versions)
        return fail_at(object->fail, object->file->path, 0, 0,
                       "there are several symbols '%s': choose one by its version, such as %s@%s and %s@%s", a->name,
                       a->name, a->version.name, b->name, b->version.name);
    return fail_at(object->fail, object->file->path, 0, 0,
                   "there are several symbols '%s', such as those at 0x%" PRIx64 " and 0x%" PRIx64
                   ": choose one by --start and --end",
                   a->name, a->start, b->start);
}

// Names the functions that may be chosen: glibc calls them __strlen_avx2.
static bool fail_choice(const struct object *object, const char *name) {
    enum { MOST = 8 };
    struct text list = {.arena = object->arena};
    const char *part = arena_printf(object->arena, "_%s_", name);
    size_t n = 0;
    for (size_t i = 0; i < object->n_symbols && n < MOST; i++)
        if (strstr(object->symbols[i].name, part))
            text_addf(&list, "%s%s", n++ ? ", " : ": give one of those, such as ", object->symbols[i].name);
    return fail_at(object->fail, object->file->path, 0, 0, "the program chooses '%s' at run time (IFUNC)%s", name,
                   n ? list.data : "; the functions that it chooses from have no symbols here: give their addresses");
}

static bool add_named(struct object *object, const struct object_range *range) {
    const char *name = range->symbol;
    size_t index = find_meant(object, name, 0, NULL);
    if (index < object->n_symbols) {
        size_t other = find_meant(object, name, index + 1, &object->symbols[index]);
        return other < object->n_symbols ? fail_several(object, &object->symbols[index], &object->symbols[other])
                                         : add_symbol_piece(object, index, !range->is_label);
    }
    for (size_t i = 0; i < object->n_choices; i++)
        if (object_version_is_meant(object->choices[i].name, &object->choices[i].version, name))
            return fail_choice(object, object->choices[i].name);
    const char **names = ARENA_ARRAY(object->arena, const char *, object->n_symbols);
    for (size_t i = 0; i < object->n_symbols; i++)
        names[i] = object_version_show(object->arena, object->symbols[i].name, &object->symbols[i].version);
    return fail_at(object->fail, object->file->path, 0, 0, "there is no symbol '%s'%s", name,
                   text_did_you_mean(object->arena, name, names, object->n_symbols));
}

// Whether the table of sections, which linkers write last, lies behind the file's end.
static bool is_cut_off(const struct object *object) {
    GElf_Ehdr header;
    return gelf_getehdr(object->elf, &header) != NULL && header.e_shoff != 0 &&
           (header.e_shoff > object->file->n_bytes ||
            (uint64_t)header.e_shnum * header.e_shentsize > object->file->n_bytes - header.e_shoff);
}

// Whether a section's header is as those of a whole file.
static bool is_sound(const struct object *object, const GElf_Shdr *header, size_t n_sections) {
    uint64_t n_bytes = object->file->n_bytes;
    bool is_table = header->sh_type == SHT_SYMTAB || header->sh_type == SHT_DYNSYM || header->sh_type == SHT_RELA ||
                    header->sh_type == SHT_REL;
    bool is_inside = header->sh_type == SHT_NOBITS ||
                     (header->sh_offset <= n_bytes && header->sh_size <= n_bytes - header->sh_offset);
    return is_inside && header->sh_link < n_sections &&
           (!is_table || (header->sh_entsize && header->sh_size % header->sh_entsize == 0));
}

// Fails where a section lies outside of the file, or refers to none: what is missing would be taken for nothing.
static bool check_sections(struct object *object) {
    size_t n = 0;
    GElf_Shdr header;
    if (elf_getshdrnum(object->elf, &n) != 0)
        return fail_object(object, "this ELF file's sections cannot be read");
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section));)
        if (gelf_getshdr(section, &header) == NULL || !is_sound(object, &header, n))
            return fail_at(object->fail, object->file->path, 0, 0,
                           "this ELF file is damaged: its section %zu is not as it should be: copy or build it once "
                           "more",
                           elf_ndxscn(section));
    return true;
}

// Parses a hexadecimal address, with or without 0x, as objdump -d prints it.
static bool parse_address(struct object *object, const char *option, const char *text, uint64_t *address) {
    if (text == NULL)
        return true;
    char *end;
    errno = 0;
    *address = strtoull(text, &end, 16);
    if (isxdigit((unsigned char)text[0]) && *end == '\0' && errno == 0)
        return true;
    return fail_set(object->fail, FAIL_INPUT, "option --%s takes a hexadecimal address such as 0x1130, not '%s'",
                    option, text);
}

// Adds a range of addresses, from the section that contains the first one.
static bool add_range(struct object *object, const struct object_range *range) {
    uint64_t start = 0, end = 0;
    struct code code;
    if (!parse_address(object, "start", range->start, &start) || !parse_address(object, "end", range->end, &end))
        return false;
    for (Elf_Scn *section = NULL; next_code(object, &section, &code);) {
        if (range->section != NULL && strcmp(code.name, range->section) != 0)
            continue;
        uint64_t from = range->start != NULL ? start : code.address, to = range->end != NULL ? end : code_end(&code);
        if (is_inside(&code, from, to))
            return add_piece(object, arena_printf(object->arena, "%s+0x%" PRIx64, code.name, from - code.address),
                             &code, from, to);
    }
    return fail_at(object->fail, object->file->path, 0, 0, "no code section%s%s holds the addresses from %s to %s",
                   range->section != NULL ? " " : "", range->section != NULL ? range->section : "",
                   range->start != NULL ? range->start : "its start", range->end != NULL ? range->end : "its end");
}

// Whether it holds what gcc's -flto leaves instead of code.
static bool is_for_link_time(const struct object *object) {
    static const char start[] = ".gnu.lto_";
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(object->elf, object->section_names, header.sh_name) : NULL;
        if (name && strncmp(name, start, strlen(start)) == 0)
            return true;
    }
    return false;
}

static bool add_sections(struct object *object, const char *name) {
    struct code code;
    for (Elf_Scn *section = NULL; next_code(object, &section, &code);)
        if (name == NULL || strcmp(code.name, name) == 0)
            if (!add_piece(object, code.name, &code, code.address, code_end(&code)))
                return false;
    if (object->n_pieces != 0)
        return true;
    if (name == NULL && is_for_link_time(object))
        return fail_object(object, "it holds no machine code yet: compile it without -flto");
    return name == NULL
               ? fail_object(object, "it holds no code, or is cut off")
               : fail_at(object->fail, object->file->path, 0, 0, "there is no section '%s' that holds code", name);
}

// Adds all functions. Of aliases, which name the same code, it takes the first.
static bool add_functions(struct object *object) {
    const struct symbol *before = NULL;
    for (size_t i = 0; i < object->n_symbols; i++) {
        const struct symbol *symbol = &object->symbols[i];
        struct code code;
        bool is_alias = before != NULL && before->section == symbol->section && before->start == symbol->start;
        if (!symbol->is_function || is_alias || !find_code(object, symbol->section, &code))
            continue;
        if (!add_symbol_piece(object, i, true))
            return false;
        before = symbol;
    }
    return true;
}

static bool add_pieces(struct object *object, const struct object_range *range) {
    read_symbols(object);
    if (range->symbol != NULL)
        return add_named(object, range);
    if (range->start != NULL || range->end != NULL)
        return add_range(object, range);
    if (range->section != NULL)
        return add_sections(object, range->section);
    return add_functions(object) && (object->n_pieces != 0 || add_sections(object, NULL));
}

bool object_code_read(struct arena *arena, const struct object_file *file, const struct object_range *range,
                      const struct object_piece **pieces, size_t *n_pieces, struct fail *fail) {
    struct object object = {.file = file, .arena = arena, .fail = fail};
    char *copy = arena_copy(arena, file->data, file->n_bytes); // libelf needs it writable and aligned
    if (elf_version(EV_CURRENT) != EV_NONE)
        object.elf = elf_memory(copy, file->n_bytes);
    bool is_done = false;
    if (object.elf == NULL || elf_kind(object.elf) != ELF_K_ELF ||
        elf_getshdrstrndx(object.elf, &object.section_names) != 0) {
        int error = elf_errno();
        fail_at(fail, file->path, 0, 0, "this ELF file cannot be read: %s: copy or build it once more",
                error ? elf_errmsg(error) : "it is cut off or damaged");
    } else if (is_cut_off(&object)) {
        fail_at(fail, file->path, 0, 0, "this ELF file is cut off behind %zu bytes: copy or build it once more",
                file->n_bytes);
    } else {
        is_done = check_machine(&object) && check_sections(&object) && add_pieces(&object, range);
    }
    elf_end(object.elf);
    *pieces = object.pieces;
    *n_pieces = object.n_pieces;
    return is_done;
}
