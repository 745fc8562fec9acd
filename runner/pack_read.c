#include "base/bytes.h"
#include "runner/pack_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = 64 };

// State of the reader.
struct pack_reader {
    struct arena *arena;
    struct pack *pack;
    bool has_entry; // a program has begun
    struct pack_entry entry;
    struct segment *segments; // those of the current program, as are these
    struct bench_touch *touches;
    struct bench_patch *patches;
    struct bench_rule *rules;            // of the pack
    struct bench_case cases[MOST_CASES]; // of the current program
};

enum { MOST_CODE = 1 << 26 }; // bytes

static bool read_code(struct pack_reader *reader, const char *text) {
    uint8_t *bytes;
    struct bench_code *code = &reader->entry.program.code;
    bool is_read = repeats_read(reader->arena, text, pack_code_before(reader->pack, reader->pack->n_programs),
                                MOST_CODE, &bytes, &code->n_bytes);
    code->bytes = is_read ? bytes : NULL;
    return is_read;
}

// Reads terms up to the end of a line.
static bool read_terms(const char *text, struct bench_rule *rule) {
    while (*text) {
        struct bench_term term = {0};
        int end = 0;
        if (rule->n_terms == BENCH_MOST_TERMS ||
            sscanf(text, "%zu %lf %lf %n", &term.program, &term.low, &term.high, &end) != 3 || !end)
            return false;
        rule->terms[rule->n_terms++] = term;
        text += end;
    }
    return true;
}

static bool read_rule(struct pack_reader *reader, const char *value) {
    struct bench_rule *rule = ARENA_ADD(reader->arena, reader->rules, reader->pack->n_rules);
    reader->pack->rules = reader->rules;
    *rule = (struct bench_rule){0};
    return read_terms(value, rule);
}

static bool read_case(struct pack_reader *reader, const char *value) {
    struct pack_program *program = &reader->entry.program;
    if (program->n_cases == MOST_CASES)
        return false;
    struct bench_case *added = &reader->cases[program->n_cases++];
    int end = 0;
    *added = (struct bench_case){0};
    return sscanf(value, "%zu %n", &added->rule, &end) == 1 && end && read_terms(value + end, &added->own);
}

// Whether all terms are of programs that are decided before.
static bool are_terms_sound(const struct pack *pack, const struct bench_rule *rule, size_t n_before, bool is_free) {
    for (unsigned i = 0; i < rule->n_terms; i++) {
        size_t program = rule->terms[i].program;
        if (program >= n_before || (is_free && pack->programs[program].n_cases))
            return false;
    }
    return true;
}

static bool are_conditions_sound(const struct pack *pack) {
    bool are_sound = true;
    for (size_t i = 0; i < pack->n_rules; i++)
        are_sound &= are_terms_sound(pack, &pack->rules[i], pack->n_programs, true);
    for (size_t i = 0; i < pack->n_programs; i++)
        for (size_t c = 0; c < pack->programs[i].n_cases; c++)
            are_sound &= pack->programs[i].cases[c].rule < pack->n_rules &&
                         are_terms_sound(pack, &pack->programs[i].cases[c].own, i, false);
    return are_sound;
}

// Reads the uses. Returns false at an unknown word.
static bool read_uses(const char *value, struct bench_code *code) {
    struct slice rest = {value, strlen(value)}, word;
    while (slice_next(&rest, ' ', &word)) {
        unsigned use = 0;
        while (use < BENCH_N_USES && !slice_is(word, pack_use_names[use]))
            use++;
        if (use < BENCH_N_USES)
            code->uses |= 1U << use;
        else if (slice_is(word, PACK_WIDE))
            code->is_wide = true;
        else if (word.length)
            return false;
    }
    return true;
}

static bool read_number(const char *value, uint64_t most, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(value, &end, 10);
    return *value >= '0' && *value <= '9' && *end == '\0' && errno == 0 && *number <= most;
}

// Reads "LAYOUT BYTES STEPS…".
static bool read_chase(struct arena *arena, const char *value, struct bench_chase *chase) {
    enum { LINE = 64, PAGE = 1 << 12 };
    static const uint64_t most_bytes = 1 << 29; // of all rings
    struct slice rest = {value, strlen(value)}, word;
    uint64_t number = 0;
    bool is_good = slice_next(&rest, ' ', &word);
    unsigned layout = 0;
    while (layout < PACK_N_LAYOUTS && !slice_is(word, pack_layout_names[layout]))
        layout++;
    *chase = (struct bench_chase){.layout = (enum bench_chase_layout)layout};
    is_good = is_good && layout < PACK_N_LAYOUTS && slice_next(&rest, ' ', &word) &&
              read_number(arena_copy(arena, word.data, word.length), most_bytes, &number);
    for (chase->bytes = number; is_good && slice_next(&rest, ' ', &word); chase->n++) {
        is_good =
            chase->n < BENCH_MOST_CHASES && read_number(arena_copy(arena, word.data, word.length), UINT32_MAX, &number);
        if (is_good)
            chase->steps[chase->n] = (unsigned)number;
    }
    return is_good && chase->n && chase->bytes && chase->bytes % (layout == BENCH_CHASE_PAGES ? PAGE : LINE) == 0 &&
           chase->n * chase->bytes <= most_bytes;
}

// Takes a text of a program. Returns false where `key` is not a text's.
static bool take_text(struct pack_entry *entry, const char *key, const char *value) {
    for (unsigned i = 0; i < PACK_N_TEXTS; i++)
        if (strcmp(key, pack_text_keys[i].key) == 0) { // absent as in pack_write, which omits empty ones
            *(const char **)((char *)entry + pack_text_keys[i].place) = *value ? value : NULL;
            return true;
        }
    return false;
}

static void set_number(struct pack_entry *entry, const struct pack_number_key *key, uint64_t number) {
    void *at = (char *)entry + key->place;
    if (key->kind == NUMBER_UNSIGNED)
        *(unsigned *)at = (unsigned)number;
    else if (key->kind == NUMBER_SIZE)
        *(size_t *)at = (size_t)number;
    else if (key->kind == NUMBER_64)
        *(uint64_t *)at = number;
    else
        *(bool *)at = number != 0;
}

// Takes a number of a program. Returns false where `key` is not a number's. Sets `is_good` to whether the value is
// valid.
static bool take_number(struct pack_entry *entry, const char *key, const char *value, bool *is_good) {
    for (unsigned i = 0; i < PACK_N_NUMBERS; i++) {
        uint64_t number;
        if (strcmp(key, pack_number_keys[i].key) != 0)
            continue;
        *is_good = read_number(value, pack_number_keys[i].most, &number);
        set_number(entry, &pack_number_keys[i], number);
        return true;
    }
    return false;
}

// Reads "ADDRESS SIZE w- HEX".
static bool read_segment(struct pack_reader *reader, const char *value) {
    struct bench_code *code = &reader->entry.program.code;
    char *end, mode[3];
    int n_read = 0;
    struct segment *last = ARENA_ADD(reader->arena, reader->segments, code->n_segments);
    code->segments = reader->segments;
    *last = (struct segment){0};
    errno = 0;
    last->address = strtoull(value, &end, 10);
    last->size = strtoull(end, &end, 10);
    if (errno || last->address > UINT32_MAX || last->size > UINT32_MAX || sscanf(end, " %2s %n", mode, &n_read) != 1 ||
        n_read == 0)
        return false;
    const char *hex = end + n_read;
    last->n_bytes = strlen(hex) / 2;
    last->is_writable = mode[0] == 'w';
    last->is_executable = mode[1] == 'x';
    uint8_t *bytes = arena_alloc(reader->arena, last->n_bytes + 1);
    last->bytes = bytes;
    return last->n_bytes <= last->size && strlen(hex) % 2 == 0 && bytes_from_hex(hex, last->n_bytes, bytes);
}

// Reads "ADDRESS STRIDE SIZE".
static bool read_touch(struct pack_reader *reader, const char *value) {
    struct bench_foreign *foreign = &reader->entry.program.code.foreign;
    struct bench_touch touch = {0};
    int end = 0;
    bool is_read = sscanf(value, "%" SCNu64 " %" SCNd64 " %u%n", &touch.address, &touch.stride, &touch.size, &end) == 3;
    if (!is_read || value[end] || touch.size < 1 || touch.size > BENCH_PATCH_BYTES)
        return false;
    *ARENA_ADD(reader->arena, reader->touches, foreign->n_touches) = touch;
    foreign->touches = reader->touches;
    return true;
}

// Reads "ADDRESS BYTES VALUE".
static bool read_patch(struct pack_reader *reader, const char *value) {
    struct bench_foreign *foreign = &reader->entry.program.code.foreign;
    char hex[2 * BENCH_PATCH_BYTES + 1];
    struct bench_patch patch = {0};
    int end = 0;
    bool is_read =
        sscanf(value, "%" SCNu64 " %" SCNu64 " %128[0-9a-f]%n", &patch.address, &patch.n_bytes, hex, &end) == 3;
    if (!is_read || value[end] || strlen(hex) % 2 || !patch.n_bytes || patch.address + patch.n_bytes < patch.address)
        return false;
    patch.n_value = (unsigned)strlen(hex) / 2;
    bytes_from_hex(hex, patch.n_value, patch.value);
    *ARENA_ADD(reader->arena, reader->patches, foreign->n_patches) = patch;
    foreign->patches = reader->patches;
    return true;
}

// Takes a key of a program. Ignores unknown ones, which a later version may add.
static bool take(struct pack_reader *reader, const char *key, const char *value) {
    bool is_good = true;
    if (take_text(&reader->entry, key, value) || take_number(&reader->entry, key, value, &is_good))
        return is_good;
    if (strcmp(key, "code") == 0)
        return read_code(reader, value);
    if (strcmp(key, "when") == 0)
        return read_case(reader, value);
    if (strcmp(key, "segment") == 0)
        return read_segment(reader, value);
    if (strcmp(key, "patch") == 0)
        return read_patch(reader, value);
    if (strcmp(key, "chase") == 0)
        return read_chase(reader->arena, value, &reader->entry.program.code.chase);
    if (strcmp(key, "touch") == 0)
        return read_touch(reader, value);
    return strcmp(key, "uses") != 0 || read_uses(value, &reader->entry.program.code);
}

// Whether the rules of foreign code are valid: it has an exit, and memory of its own or frames where memory may appear.
// Known code has none of these.
static bool is_foreign_sound(const struct bench_code *code) {
    const struct bench_foreign *foreign = &code->foreign;
    if (!foreign->exit_offset)
        return !foreign->most_pages && !foreign->frames && !foreign->stores;
    return foreign->exit_offset < code->n_bytes && (foreign->frames > 0 || foreign->is_own || !foreign->most_pages);
}

// Whether segments lie one behind the other, all below the code's frame.
static bool are_segments_sound(const struct bench_code *code) {
    enum { PAGE = 1 << 12 };
    uint64_t from = PAGE;
    for (unsigned i = 0; i < code->n_segments; i++) {
        const struct segment *segment = &code->segments[i];
        if (segment->address % PAGE || segment->address < from || segment->size == 0)
            return false;
        from = segment->address + (segment->size + PAGE - 1) / PAGE * PAGE;
    }
    return !code->n_segments || (bench_code_is_foreign(code) && code->address >= from + BENCH_FRAME_DISTANCE);
}

// Completes the current program, if there is one. Returns false where it is not valid.
static bool finish(struct pack_reader *reader) {
    struct pack_program *program = &reader->entry.program;
    struct bench_code *code = &program->code;
    const uint64_t offset = reader->entry.body_offset;
    if (!reader->has_entry)
        return true;
    if (!code->bytes || !program->kernel || code->bodies == 0 || offset > code->n_bytes ||
        code->n_body_bytes > code->n_bytes - offset || !is_foreign_sound(code) || !are_segments_sound(code))
        return false;
    code->body = code->bytes + offset;
    code->body_instructions = program->instructions;
    struct bench_case *cases = ARENA_ARRAY(reader->arena, struct bench_case, program->n_cases + 1);
    memcpy(cases, reader->cases, program->n_cases * sizeof *cases);
    program->cases = cases;
    *ARENA_ADD(reader->arena, reader->pack->programs, reader->pack->n_programs) = *program;
    return true;
}

static bool begin(struct pack_reader *reader) {
    bool is_finished = finish(reader);
    reader->has_entry = true;
    reader->entry = (struct pack_entry){0};
    return is_finished;
}

static bool read_line(struct pack_reader *reader, const char *line) {
    const char *space = strchr(line, ' ');
    const char *value = space ? space + 1 : "";
    const char *key = arena_copy(reader->arena, line, space ? (size_t)(space - line) : strlen(line));
    if (strcmp(key, "program") == 0)
        return begin(reader);
    if (reader->has_entry)
        return take(reader, key, value);
    if (strcmp(key, "rule") == 0)
        return read_rule(reader, value);
    if (strcmp(key, "isa") == 0)
        reader->pack->isa = *value ? value : NULL;
    return true;
}

bool pack_read(struct arena *arena, const char *name, const char *text, size_t length, struct pack *pack,
               struct fail *fail) {
    *pack = (struct pack){0};
    struct pack_reader reader = {.arena = arena, .pack = pack};
    struct slice rest = {text, length}, line;
    if (!slice_next(&rest, '\n', &line) || !slice_is(line, PACK_FIRST_LINE))
        return fail_at(fail, name, 1, 0, "this is not a pack of programs, which begins with '%s'", PACK_FIRST_LINE);
    unsigned number = 2;
    for (; slice_next(&rest, '\n', &line); number++)
        if (line.length && !read_line(&reader, arena_copy(arena, line.data, line.length)))
            return fail_at(fail, name, number, 0, "'%.*s' is wrong, or the lines before it are not complete",
                           (int)(line.length < 40 ? line.length : 40), line.data);
    if (!finish(&reader) || !pack->isa || !are_conditions_sound(pack))
        return fail_at(fail, name, number - 1, 0,
                       "the pack ends too early, or its last program is damaged: make or fetch it again");
    return true;
}
