// Source lines of addresses, by the table of lines that a compiler leaves with -g: in the file itself, or in a file
// with debug information beside it.
#include "hot/loops.h"

#include "hot/image.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct line_entry {
    uint64_t address;
    const char *file; // null: a sequence ends here
    unsigned line;
    size_t order; // in the table: of several lines of one address, the last one is meant
};

struct hot_lines {
    struct arena *arena;
    int fd;
    Dwarf *dwarf;
    Dwarf_Aranges *ranges; // null: the compiler wrote no index of units
    struct line_unit {
        Dwarf_Off offset; // of its die
        struct line_entry *entries;
        size_t n_entries;
    } * units; // those that were read
    size_t n_units;
    bool has_all; // all are: without an index
};

static Dwarf *open_dwarf(const char *path, int *fd) {
    *fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    Dwarf *dwarf = *fd >= 0 ? dwarf_begin(*fd, DWARF_C_READ) : NULL;
    Dwarf_Off next;
    size_t header;
    if (dwarf && dwarf_nextcu(dwarf, 0, &next, &header, NULL, NULL, NULL) == 0)
        return dwarf;
    dwarf_end(dwarf);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return NULL;
}

struct hot_lines *hot_lines_open(struct arena *arena, const struct hot_module *module) {
    struct hot_lines *lines = ARENA_NEW(arena, struct hot_lines);
    const char *why;
    size_t n;
    struct hot_image *image = module->kind == HOT_FILE ? hot_image_open(arena, module->path, &why) : NULL;
    if (!image)
        return NULL;
    lines->arena = arena;
    lines->dwarf = open_dwarf(module->path, &lines->fd);
    if (!lines->dwarf)
        lines->dwarf = open_dwarf(hot_image_debug_file(image), &lines->fd);
    hot_image_close(image);
    if (!lines->dwarf)
        return NULL;
    if (dwarf_getaranges(lines->dwarf, &lines->ranges, &n) != 0 || n == 0)
        lines->ranges = NULL;
    return lines;
}

void hot_lines_close(struct hot_lines *lines) {
    if (!lines)
        return;
    dwarf_end(lines->dwarf);
    close(lines->fd);
}

static int compare(const void *a, const void *b) {
    const struct line_entry *one = a, *other = b;
    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    if (!one->file != !other->file)
        return one->file ? 1 : -1; // one sequence ends where another begins
    return one->order < other->order ? -1 : 1;
}

static struct line_unit *read_unit(struct hot_lines *lines, Dwarf_Die *die) {
    Dwarf_Lines *table;
    size_t n;
    struct line_unit unit = {.offset = dwarf_dieoffset(die)};
    for (size_t i = 0; i < lines->n_units; i++)
        if (lines->units[i].offset == unit.offset)
            return &lines->units[i];
    if (dwarf_getsrclines(die, &table, &n) != 0)
        n = 0;
    unit.entries = ARENA_ARRAY(lines->arena, struct line_entry, n);
    const char *last = NULL, *own = NULL; // files repeat
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *line = dwarf_onesrcline(table, i);
        struct line_entry entry = {.order = i};
        bool is_end = false;
        int number = 0;
        const char *file = dwarf_linesrc(line, NULL, NULL);
        if (dwarf_lineaddr(line, &entry.address) != 0)
            continue;
        dwarf_lineendsequence(line, &is_end);
        dwarf_lineno(line, &number);
        if (file != last) {
            own = file ? arena_strdup(lines->arena, file) : NULL;
            last = file;
        }
        entry.file = is_end ? NULL : own;
        entry.line = number > 0 ? (unsigned)number : 0;
        unit.entries[unit.n_entries++] = entry;
    }
    if (unit.n_entries)
        qsort(unit.entries, unit.n_entries, sizeof *unit.entries, compare);
    *ARENA_ADD(lines->arena, lines->units, lines->n_units) = unit;
    return &lines->units[lines->n_units - 1];
}

static bool find_in(const struct line_unit *unit, uint64_t address, const char **file, unsigned *line) {
    size_t first = 0, end = unit->n_entries;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (unit->entries[middle].address <= address)
            first = middle + 1;
        else
            end = middle;
    }
    // Line 0: the compiler made this instruction of no line; that of those before it is the nearest.
    while (first > 0 && unit->entries[first - 1].file && !unit->entries[first - 1].line)
        first--;
    if (first == 0 || !unit->entries[first - 1].file)
        return false;
    *file = unit->entries[first - 1].file;
    *line = unit->entries[first - 1].line;
    return true;
}

bool hot_lines_find(struct hot_lines *lines, uint64_t address, const char **file, unsigned *line) {
    Dwarf_Die die;
    Dwarf_Arange *range = lines->ranges ? dwarf_getarange_addr(lines->ranges, address) : NULL;
    Dwarf_Off offset, next;
    size_t header;
    if (range && dwarf_getarangeinfo(range, NULL, NULL, &offset) == 0 && dwarf_offdie(lines->dwarf, offset, &die))
        return find_in(read_unit(lines, &die), address, file, line);
    for (Dwarf_Off at = 0; !lines->has_all && dwarf_nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
         at = next)
        if (dwarf_offdie(lines->dwarf, at + header, &die))
            read_unit(lines, &die);
    lines->has_all = true;
    for (size_t i = 0; i < lines->n_units; i++)
        if (find_in(&lines->units[i], address, file, line))
            return true;
    return false;
}
