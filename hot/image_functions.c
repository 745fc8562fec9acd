// Functions by address: symbols of the file, and of its file with debug information; then the table of unwinding; then
// what lies between neighbours.
#include "base/bytes.h"
#include "hot/image_parts.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the file with debug information

static bool belongs(const struct hot_image *image, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const char *id = elf && elf_kind(elf) == ELF_K_ELF ? image_build_id(image->arena, elf) : NULL;
    bool is_same = id && image->build_id && strcmp(id, image->build_id) == 0;
    elf_end(elf);
    close(fd);
    return is_same;
}

const char *hot_image_debug_file(struct hot_image *image) {
    GElf_Shdr header;
    if (!image->build_id || strlen(image->build_id) < 4)
        return NULL;
    const char *path =
        arena_printf(image->arena, "/usr/lib/debug/.build-id/%.2s/%s.debug", image->build_id, image->build_id + 2);
    if (belongs(image, path))
        return path;
    Elf_Scn *section = image_section(image->elf, ".gnu_debuglink", &header);
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    if (!data || !data->d_buf || !memchr(data->d_buf, '\0', data->d_size))
        return NULL;
    const char *name = data->d_buf, *folder = dirname(arena_strdup(image->arena, image->path));
    const char *paths[] = {
        arena_printf(image->arena, "%s/%s", folder, name),
        arena_printf(image->arena, "%s/.debug/%s", folder, name),
        arena_printf(image->arena, "/usr/lib/debug%s/%s", folder, name),
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (belongs(image, paths[i]))
            return paths[i];
    return NULL;
}

// ---- symbols

struct symbol_entry {
    struct hot_function function; // end 0: the symbol states none
    unsigned rank;                // the lowest is the best name of those at one address
};

struct symbol_list {
    struct symbol_entry *items;
    size_t n;
};

static void add_symbols(struct hot_image *image, Elf *elf, struct symbol_list *list) {
    GElf_Shdr header;
    GElf_Sym symbol;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            unsigned type = GELF_ST_TYPE(symbol.st_info);
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            bool is_named = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
            if (!is_named || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE || !name || !*name ||
                *name == '$' || !hot_image_is_code(image, symbol.st_value))
                continue;
            bool is_sized = symbol.st_size && symbol.st_value + symbol.st_size > symbol.st_value;
            *ARENA_ADD(image->arena, list->items, list->n) = (struct symbol_entry){
                .function = {.name = arena_strdup(image->arena, name),
                             .begin = symbol.st_value,
                             .end = is_sized ? symbol.st_value + symbol.st_size : 0},
                .rank = (type == STT_NOTYPE ? 4U : 0U) + (is_sized ? 0U : 2U) +
                        (GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? 1U : 0U),
            };
        }
    }
}

static int compare(const void *a, const void *b) {
    const struct symbol_entry *one = a, *other = b;
    if (one->function.begin != other->function.begin)
        return one->function.begin < other->function.begin ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return strcmp(one->function.name, other->function.name);
}

static void read_debug_symbols(struct hot_image *image, struct symbol_list *list) {
    GElf_Shdr header;
    const char *path = image_section(image->elf, ".symtab", &header) ? NULL : hot_image_debug_file(image);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (elf)
        add_symbols(image, elf, list);
    elf_end(elf);
    close(fd);
}

static void read_functions(struct hot_image *image) {
    struct symbol_list list = {0};
    if (image->has_functions)
        return;
    image->has_functions = true;
    image_read_frames(image);
    add_symbols(image, image->elf, &list);
    read_debug_symbols(image, &list);
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, compare);
    image->names.arena = image->arena;
    image->functions = ARENA_ARRAY(image->arena, struct hot_function, list.n);
    image->are_sized = ARENA_ARRAY(image->arena, bool, list.n);
    for (size_t i = 0; i < list.n; i++) {
        image->functions[i] = list.items[i].function;
        image->are_sized[i] = list.items[i].function.end != 0;
        const char *name = list.items[i].function.name;
        index_add(&image->names, bytes_hash(name, strlen(name)), i);
    }
    image->n_functions = list.n;
}

// ---- look-up

// Number of the functions that begin at or before the address.
static size_t count_before(const struct hot_function *functions, size_t n, uint64_t address) {
    size_t first = 0, end = n;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (functions[middle].begin <= address)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// The best name of what begins at this address, of sized symbols alone or of all; null: it has none.
static const struct hot_function *named_at(const struct hot_image *image, uint64_t address) {
    size_t n = count_before(image->functions, image->n_functions, address);
    const struct hot_function *best = NULL;
    while (n > 0 && image->functions[n - 1].begin == address)
        best = &image->functions[--n];
    return best;
}

// The innermost sized symbol around the address: one may lie in another.
static const struct hot_function *sized_around(const struct hot_image *image, uint64_t address) {
    enum { MOST_INNER = 64 }; // symbols that begin between
    size_t n = count_before(image->functions, image->n_functions, address);
    for (size_t i = 0; i < MOST_INNER && n > 0; i++) {
        n--;
        if (image->are_sized[n] && address < image->functions[n].end)
            return named_at(image, image->functions[n].begin);
    }
    return NULL;
}

static uint64_t section_end(const struct hot_image *image, uint64_t address, uint64_t *begin) {
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section));)
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR) && address >= header.sh_addr &&
            address - header.sh_addr < header.sh_size) {
            *begin = header.sh_addr;
            return header.sh_addr + header.sh_size;
        }
    *begin = address;
    for (size_t i = 0; i < image->n_segments; i++) // a file without sections
        if (address - image->segments[i].address < image->segments[i].n_bytes) {
            *begin = image->segments[i].address;
            return image->segments[i].address + image->segments[i].n_bytes;
        }
    return address;
}

// What lies between the neighbours that are known.
static void take_gap(const struct hot_image *image, uint64_t address, struct hot_function *function) {
    size_t n = count_before(image->functions, image->n_functions, address),
           m = count_before(image->frames, image->n_frames, address);
    function->name = NULL;
    function->end = section_end(image, address, &function->begin);
    if (n > 0 && image->functions[n - 1].begin >= function->begin) {
        const struct hot_function *before = named_at(image, image->functions[n - 1].begin);
        bool is_over = before->end && before->end <= address;
        function->begin = is_over ? before->end : before->begin;
        function->name = is_over ? NULL : before->name;
    }
    if (m > 0 && image->frames[m - 1].end <= address && image->frames[m - 1].end > function->begin) {
        function->begin = image->frames[m - 1].end;
        function->name = NULL;
    }
    if (n < image->n_functions && image->functions[n].begin < function->end)
        function->end = image->functions[n].begin;
    if (m < image->n_frames && image->frames[m].begin < function->end)
        function->end = image->frames[m].begin;
    function->is_gap = true;
}

bool image_find_function(struct hot_image *image, uint64_t address, struct hot_function *function) {
    if (!hot_image_is_code(image, address))
        return false;
    read_functions(image);
    const struct hot_function *sized = sized_around(image, address);
    if (sized && sized->end > address) {
        *function = *sized;
        return true;
    }
    size_t n = count_before(image->frames, image->n_frames, address);
    if (n > 0 && address < image->frames[n - 1].end) {
        const struct hot_function *named = named_at(image, image->frames[n - 1].begin);
        *function = image->frames[n - 1];
        function->name = named ? named->name : NULL;
        return true;
    }
    *function = (struct hot_function){0};
    take_gap(image, address, function);
    return function->begin <= address && address < function->end;
}

bool hot_image_named(struct hot_image *image, const char *name, uint64_t after, struct hot_function *function) {
    read_functions(image);
    const struct hot_function *first = NULL;
    for (size_t place = 0, i; (i = index_next(&image->names, bytes_hash(name, strlen(name)), &place)) != INDEX_END;) {
        const struct hot_function *one = &image->functions[i];
        if (one->begin > after && strcmp(one->name, name) == 0 && (!first || one->begin < first->begin))
            first = one;
    }
    if (first)
        *function = *first;
    return first != NULL;
}
