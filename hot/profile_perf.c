// The text of `perf script`. What it holds depends on the fields that were requested:
//     prog 1234 12.345678:    1000000 cpu-clock:u:      55f8a3c01292 sum+0x32 (/tmp/prog)
//          401136 main (/tmp/prog) 0x401140/0x401130/P/-/-/5
//     1234/1234 PERF_RECORD_MMAP2 1234/1234: [0x55f8a3c00000(0x1000) @ 0x1000 fe:00 11 22]: r-xp /tmp/prog
// With call chains, the address and those of the callers are in lines of their own, the innermost first. Where a file
// is in memory comes from the records of mappings; without these, from symbols.
#include "hot/profile_readers.h"
#include "hot/spaces.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of a module, where no record says it: the distance of its addresses in memory from those of the file.
struct module_base {
    bool is_known;
    int64_t base;
    bool is_bounded; // each symbol bounds it
    int64_t low, high;
};

// A sample whose place waits for that.
struct waiting {
    unsigned module;
    uint64_t from, to; // to: of a branch
    bool is_way;
    double cycles;
    double seconds; // as struct perf_reader has it
};

struct perf_reader {
    struct profile_input *input;
    struct spaces spaces;
    unsigned line;
    struct module_base *bases;
    size_t n_bases;
    struct waiting *waiting;
    size_t n_waiting;
    const char *event;    // the first one: others do not count
    bool has_headers;     // samples begin with a line that ends in a colon
    bool has_groups;      // blank lines separate samples
    bool waits_for_chain; // the next line is the innermost of a chain
    bool is_in_chain;     // the next lines are callers
    int pid;              // of the chain's sample
    double seconds;       // its time by perf's clock; 0: unknown
    double first_seconds; // least time of all that has one; 0: none has
    double period;        // sum, of n_periods samples
    size_t n_samples, n_periods;
    struct fail *fail;
};

// What follows an address: "sum+0x32 (/tmp/prog) 0x401140/0x401130/P/-/-/5".
struct perf_place {
    uint64_t address;
    const char *symbol, *file; // null: not printed, or "[unknown]"
    bool has_offset;
    uint64_t offset; // in the symbol
    struct slice branches;
};

enum { PAGE = 4096 };

// ---- where files are, without records of mappings

static struct module_base *base_of(struct perf_reader *reader, unsigned module) {
    while (reader->n_bases <= module)
        *ARENA_ADD(reader->input->gather->arena, reader->bases, reader->n_bases) =
            (struct module_base){.low = INT64_MIN, .high = INT64_MAX};
    return &reader->bases[module];
}

// Of functions of that name, the one at this place of a page.
static bool find_exact(struct hot_image *image, const struct perf_place *at, int64_t *base) {
    struct hot_function function = {0};
    while (hot_image_named(image, at->symbol, function.begin, &function)) {
        uint64_t distance = at->address - (function.begin + at->offset);
        if (distance % PAGE == 0) {
            *base = (int64_t)distance;
            return true;
        }
    }
    return false;
}

// The symbol lies around the address, so bounds the base. Not where several have the name.
static void narrow(struct hot_image *image, const struct perf_place *at, struct module_base *base) {
    struct hot_function function, other;
    if (!hot_image_named(image, at->symbol, 0, &function) ||
        hot_image_named(image, at->symbol, function.begin, &other) || function.end <= function.begin)
        return;
    int64_t low = (int64_t)(at->address - function.end) + 1, high = (int64_t)(at->address - function.begin);
    base->low = low > base->low ? low : base->low;
    base->high = high < base->high ? high : base->high;
    base->is_bounded = true;
}

static void learn(struct perf_reader *reader, unsigned module, const struct perf_place *at) {
    struct module_base *base = base_of(reader, module);
    struct hot_image *image = gather_image(reader->input->gather, module);
    if (!image)
        return;
    if (!hot_image_is_movable(image)) {
        *base = (struct module_base){.is_known = true};
        return;
    }
    if (at->symbol && at->has_offset && find_exact(image, at, &base->base))
        base->is_known = true;
    else if (at->symbol && !base->is_known && base->low < base->high)
        narrow(image, at, base);
}

static void settle(struct module_base *base) {
    if (base->is_known || !base->is_bounded || base->low > base->high)
        return;
    int64_t first = (base->high >= 0 ? base->high : base->high - PAGE + 1) / PAGE * PAGE; // the last page below
    if (first >= base->low && first - PAGE < base->low)
        *base = (struct module_base){.is_known = true, .base = first};
}

static void add_one(struct perf_reader *reader, struct hot_place place, double seconds) {
    if (seconds > 0)
        gather_timed_sample(reader->input->gather, place, seconds);
    else
        gather_sample(reader->input->gather, place, 1);
}

static void add_known(struct perf_reader *reader, const struct waiting *one, int64_t base) {
    struct gather *gather = reader->input->gather;
    const struct hot_place place = {one->module, one->from - (uint64_t)base};
    const struct hot_way way = {place, {one->module, one->to - (uint64_t)base}, 1, one->cycles};
    if (one->is_way) {
        const struct hot_image *image = gather_image(gather, one->module);
        if (image && hot_image_is_code(image, way.from.address) && hot_image_is_code(image, way.to.address))
            gather_way(gather, &way);
    } else {
        add_one(reader, place, one->seconds);
    }
}

static bool add_waiting(struct perf_reader *reader) {
    size_t n_lost = 0, n_samples = 0;
    const char *lost = NULL;
    for (size_t i = 0; i < reader->n_bases; i++)
        settle(&reader->bases[i]);
    for (size_t i = 0; i < reader->n_waiting; i++) {
        const struct waiting *one = &reader->waiting[i];
        const struct module_base *base = base_of(reader, one->module);
        n_samples += !one->is_way;
        if (base->is_known) {
            add_known(reader, one, base->base);
        } else if (!one->is_way) {
            reader->input->gather->unknown += 1;
            n_lost++;
            lost = reader->input->gather->modules[one->module].path;
        }
    }
    if (n_lost && n_lost == n_samples && n_lost == reader->n_samples)
        return fail_at(reader->fail, reader->input->name, 0, 0,
                       "it does not say where %s was in memory: print it with 'perf script --show-mmap-events'", lost);
    return true;
}

// ---- lines

static bool fail_here(struct perf_reader *reader, const char *what) {
    return fail_at(reader->fail, reader->input->name, reader->line, 1, "%s", what);
}

static bool parse_hex(struct slice word, uint64_t *number) {
    return profile_parse_number(word, 16, number);
}

// "1234/1235" or "1234": the process.
static bool parse_pid(struct slice word, int *pid) {
    const char *slash = memchr(word.data, '/', word.length);
    uint64_t number;
    if (slash)
        word.length = (size_t)(slash - word.data);
    if (!profile_parse_number(word, 10, &number) || number > INT32_MAX)
        return false;
    *pid = (int)number;
    return true;
}

// PERF_RECORD_MMAP2 PID/TID: [0xADDRESS(0xLENGTH) @ OFFSET MAJOR:MINOR INODE GENERATION]: r-xp PATH, or with
// <BUILD-ID> behind the offset; PERF_RECORD_MMAP has a path alone behind "]: ".
static bool take_map(struct perf_reader *reader, const char *record) {
    uint64_t address, length;
    int pid, at = 0;
    char id[64] = "", rights[8] = "";
    struct space_map map = {0};
    const char *bracket = strstr(record, "[0x"), *end = strstr(record, "]: ");
    if (sscanf(record, "%*s %d/%*d: [0x%" SCNx64 "(0x%" SCNx64 ") @ %n", &pid, &address, &length, &at) < 3 ||
        !bracket || !end || !at)
        return fail_here(reader, "this record of a mapping is not one of perf's");
    map.offset = strtoull(record + at, NULL, 0); // "0" has no 0x
    const char *angle = strchr(record + at, '<');
    if (angle && angle < end)
        sscanf(angle, "<%63[0-9a-f]>", id);
    end += strlen("]: ");
    if (strncmp(record, "PERF_RECORD_MMAP2", strlen("PERF_RECORD_MMAP2")) == 0) {
        int n = 0;
        if (sscanf(end, "%7s %n", rights, &n) == 1 && n)
            end += n;
        if (!strchr(rights, 'x'))
            return true; // data
    } else if (strncmp(end, "x ", 2) == 0 || strncmp(end, "r ", 2) == 0) {
        end += 2;
    }
    if (pid < 0 || address > UINT64_MAX - length)
        return true; // the kernel
    map.begin = address;
    map.end = address + length;
    map.module = gather_module(reader->input->gather, end, *id ? id : NULL);
    spaces_map(&reader->spaces, pid, &map);
    return true;
}

static bool take_record(struct perf_reader *reader, const char *record) {
    int pid, parent;
    if (strncmp(record, "PERF_RECORD_MMAP", strlen("PERF_RECORD_MMAP")) == 0)
        return take_map(reader, record);
    if (sscanf(record, "PERF_RECORD_FORK(%d:%*d):(%d:%*d)", &pid, &parent) == 2)
        spaces_fork(&reader->spaces, pid, parent);
    const char *comm = strstr(record, "PERF_RECORD_COMM exec: "), *slash = comm ? strrchr(comm, '/') : NULL;
    while (slash && slash > comm && slash[-1] != ':')
        slash--; // "NAME:PID/TID"
    if (slash && sscanf(slash, "%d", &pid) == 1)
        spaces_exec(&reader->spaces, pid);
    return true;
}

// Parses what stands behind the address.
static void parse_rest(struct perf_reader *reader, struct slice rest, struct perf_place *at) {
    struct arena *arena = reader->input->gather->arena;
    const char *branches = NULL;
    for (size_t i = 0; i + 3 < rest.length && !branches; i++)
        if (memcmp(rest.data + i, " 0x", 3) == 0)
            branches = rest.data + i;
    if (branches) {
        at->branches = (struct slice){branches, rest.length - (size_t)(branches - rest.data)};
        rest.length = (size_t)(branches - rest.data);
    }
    rest = slice_trim(rest);
    if (rest.length && rest.data[rest.length - 1] == ')') {
        size_t open = rest.length;
        while (open > 0 && !(rest.data[open - 1] == '(' && (open == 1 || rest.data[open - 2] == ' ')))
            open--;
        if (open > 0) {
            at->file = arena_copy(arena, rest.data + open, rest.length - open - 1);
            rest = slice_trim((struct slice){rest.data, open - 1});
        }
    }
    if (!rest.length || slice_is(rest, "[unknown]"))
        return;
    char *symbol = arena_copy(arena, rest.data, rest.length), *plus = strrchr(symbol, '+');
    if (plus && strncmp(plus, "+0x", 3) == 0) {
        at->has_offset = profile_parse_number((struct slice){plus + 1, strlen(plus + 1)}, 16, &at->offset);
        *plus = '\0';
    }
    at->symbol = symbol;
}

// "0xFROM/0xTO/P/-/-/5", of which files may stand behind the addresses: "0xFROM(/tmp/prog)/0xTO(/tmp/prog)/P/-/-/5".
static bool parse_branch(struct slice word, uint64_t *from, uint64_t *to, double *cycles) {
    char text[1024], *end;
    if (word.length >= sizeof text)
        return false;
    memcpy(text, word.data, word.length);
    text[word.length] = '\0';
    *from = strtoull(text, &end, 16);
    char *slash = strstr(end, *end == '(' ? ")/0x" : "/0x");
    if (!slash)
        return false;
    *to = strtoull(strstr(slash, "/0x") + 1, &end, 16);
    if (*end == '(' && !(end = strstr(end, ")/")))
        return false;
    unsigned n = 0;
    *cycles = NAN; // perf prints 0 where they were not recorded
    for (char *field = strchr(end, '/'); field; field = strchr(field + 1, '/'))
        if (++n == 4 && strtoul(field + 1, NULL, 10) > 0)
            *cycles = (double)strtoul(field + 1, NULL, 10);
    return n >= 3;
}

static bool add_branches(struct perf_reader *reader, const struct perf_place *at, unsigned module, bool has_maps) {
    struct slice rest = at->branches, word;
    while ((word = profile_next_word(&rest)).length) {
        struct hot_way way = {.count = 1};
        struct waiting one = {.module = module, .is_way = true};
        if (!parse_branch(word, &one.from, &one.to, &one.cycles))
            return fail_here(reader, "expected branches, such as '0x401140/0x401130/P/-/-/5'");
        way.cycles = one.cycles;
        if (has_maps && spaces_find(&reader->spaces, reader->pid, one.from, &way.from) &&
            spaces_find(&reader->spaces, reader->pid, one.to, &way.to))
            gather_way(reader->input->gather, &way);
        if (!has_maps && module != UINT32_MAX)
            *ARENA_ADD(reader->input->gather->arena, reader->waiting, reader->n_waiting) = one;
    }
    return true;
}

static bool is_kernel(uint64_t address) {
    return address >> 63;
}

static bool add_sample(struct perf_reader *reader, const struct perf_place *at) {
    struct gather *gather = reader->input->gather;
    struct hot_place place;
    if (is_kernel(at->address))
        return true;
    reader->n_samples++;
    bool has_maps = reader->spaces.n > 0;
    unsigned module = UINT32_MAX;
    if (has_maps && spaces_find(&reader->spaces, reader->pid, at->address, &place)) {
        add_one(reader, place, reader->seconds);
    } else if (at->file && strcmp(at->file, "[unknown]") != 0) {
        module = gather_module(gather, at->file, NULL);
        if (gather->modules[module].kind != HOT_FILE) {
            gather_sample(gather, (struct hot_place){module, at->address}, 1);
        } else {
            learn(reader, module, at);
            *ARENA_ADD(gather->arena, reader->waiting, reader->n_waiting) =
                (struct waiting){.module = module, .from = at->address, .cycles = NAN, .seconds = reader->seconds};
        }
    } else {
        gather->unknown += 1;
    }
    return add_branches(reader, at, module, has_maps);
}

// Takes the line of a place: "55f8a3c01292 sum+0x32 (/tmp/prog)".
static bool take_place(struct perf_reader *reader, struct slice rest) {
    struct perf_place at = {0};
    if (!parse_hex(profile_next_word(&rest), &at.address))
        return fail_here(reader, "expected an address: print it with 'perf script -F pid,event,ip,sym,dso' and "
                                 "--show-mmap-events");
    parse_rest(reader, rest, &at);
    if (at.file && strcmp(at.file, "inlined") == 0) // the next line has the same address
        return true;
    reader->waits_for_chain = false;
    reader->is_in_chain = true;
    return add_sample(reader, &at);
}

// Finds the end of what stands in front of the address: the last word that ends with a colon. Null: there is none.
static const char *find_header(struct slice line) {
    struct slice rest = line, word;
    const char *end = NULL;
    while ((word = profile_next_word(&rest)).length)
        if (word.data[word.length - 1] == ':' && word.length > 1)
            end = word.data + word.length;
    return end;
}

// Takes a word such as "12.345678:"; of what perf makes up at its start, it is 0.
static bool take_time(struct perf_reader *reader, struct slice word) {
    char text[32], *end;
    if (word.length < 4 || word.length >= sizeof text || word.data[word.length - 1] != ':' ||
        !memchr(word.data, '.', word.length))
        return false;
    memcpy(text, word.data, word.length);
    text[word.length - 1] = '\0';
    if (strspn(text, "0123456789.") != word.length - 1)
        return false;
    reader->seconds = strtod(text, &end);
    if (reader->seconds > 0 && !(reader->first_seconds > 0 && reader->first_seconds <= reader->seconds))
        reader->first_seconds = reader->seconds;
    return !*end;
}

// Reads "prog 1234/1235 [001] 12.345:    1000000 cpu-clock:u:". Sets whether this event counts.
static void take_header(struct perf_reader *reader, struct slice header, bool *counts) {
    struct slice rest = header, word, before = {0};
    bool has_pid = false;
    reader->pid = -1;
    reader->seconds = 0;
    while ((word = profile_next_word(&rest)).length && slice_trim(rest).length) {
        take_time(reader, word);
        has_pid = has_pid || (before.data && parse_pid(word, &reader->pid));
        if (!before.data && memchr(word.data, '/', word.length))
            has_pid = parse_pid(word, &reader->pid); // the name is not printed
        before = word;
    }
    const char *event = arena_copy(reader->input->gather->arena, word.data, word.length);
    if (take_time(reader, word) || strspn(event, "0123456789.:") == strlen(event)) {
        *counts = true;
        return;
    }
    if (!reader->event)
        reader->event = event;
    *counts = strcmp(reader->event, event) == 0;
    uint64_t period;
    if (*counts && profile_parse_number(before, 10, &period)) {
        reader->period += (double)period;
        reader->n_periods++;
    }
}

static bool take_line(void *context, const char *text, size_t length) {
    struct perf_reader *reader = context;
    struct slice line = slice_trim((struct slice){text, length});
    if (!line.length) {
        reader->has_groups = reader->has_groups || !reader->has_headers;
        reader->is_in_chain = reader->waits_for_chain = false;
        return true;
    }
    if (*line.data == '#')
        return true;
    const char *record = strstr(text, "PERF_RECORD_");
    if (record) {
        struct slice rest = {text, (size_t)(record - text)}, word;
        while ((word = profile_next_word(&rest)).length)
            take_time(reader, word);
        return take_record(reader, record);
    }
    const char *end = find_header(line);
    bool counts = true;
    if (end) {
        reader->has_headers = true;
        take_header(reader, (struct slice){line.data, (size_t)(end - line.data)}, &counts);
        struct slice rest = {end, line.length - (size_t)(end - line.data)};
        reader->is_in_chain = !counts || slice_trim(rest).length;
        reader->waits_for_chain = !reader->is_in_chain;
        return reader->is_in_chain && counts ? take_place(reader, rest) : true;
    }
    if (reader->waits_for_chain)
        return take_place(reader, line);
    if (reader->has_headers || (reader->has_groups && reader->is_in_chain))
        return true; // a caller, or a source line
    reader->pid = -1;
    return take_place(reader, line);
}

bool profile_read_perf(struct profile_input *input, struct fail *fail) {
    struct perf_reader reader = {.input = input, .spaces = {.gather = input->gather}, .pid = -1, .fail = fail};
    const bool is_good = profile_each_line(input, &reader.line, take_line, &reader, fail) && add_waiting(&reader);
    input->gather->start = reader.first_seconds;
    bool is_time =
        reader.event && (strncmp(reader.event, "cpu-clock", 9) == 0 || strncmp(reader.event, "task-clock", 10) == 0);
    if (is_time && reader.n_periods)
        input->seconds_per_sample = reader.period / (double)reader.n_periods * 1e-9;
    return is_good;
}
