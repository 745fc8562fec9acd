#include "runner/pack.h"

#include "base/bytes.h"
#include "base/repeats.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "cyclops-pack 4"
#define LAST_LINE "cyclops-bundle "
enum { NUMBER_DIGITS = 16, LAST_LINE_BYTES = sizeof LAST_LINE - 1 + NUMBER_DIGITS + 1 + NUMBER_DIGITS + 1 };

static void add_line(struct text *out, const char *key, const char *value) {
    if (!value || !*value)
        return;
    text_addf(out, "%s ", key);
    for (; *value; value++) // keeps it on one line: a block's name may be its text
        text_append(out, *value == '\n' ? ";" : value, 1);
    text_add(out, "\n");
}

static const char *const use_names[BENCH_N_USES] = {[USE_INTEGER] = "integer",
                                                    [USE_VECTOR] = "vector",
                                                    [USE_LOAD] = "load",
                                                    [USE_STORE] = "store",
                                                    [USE_MASK] = "mask"};
#define WIDE "wide"

static void add_uses(struct text *out, const struct bench_code *code) {
    text_add(out, "uses");
    for (unsigned i = 0; i < BENCH_N_USES; i++)
        if (code->uses & 1U << i)
            text_addf(out, " %s", use_names[i]);
    text_addf(out, "%s\n", code->is_wide ? " " WIDE : "");
}

// What a pack has of a program.
struct entry {
    struct pack_program program;
    uint64_t body_offset; // from the code's first byte
};

// The texts and numbers of a program, in the order in which a pack has them.
static const struct text_key {
    const char *key;
    size_t place; // of a const char * in struct entry, bytes
} text_keys[] = {
    {"role", offsetof(struct entry, program.role)},
    {"kernel", offsetof(struct entry, program.kernel)},
    {"mode", offsetof(struct entry, program.mode)},
    {"form", offsetof(struct entry, program.form)},
    {"arc", offsetof(struct entry, program.arc)},
    {"placement", offsetof(struct entry, program.placement)},
    {"instruction", offsetof(struct entry, program.instruction)},
    {"setup", offsetof(struct entry, program.setup)},
};
enum { N_TEXTS = sizeof text_keys / sizeof *text_keys };

// Which programs have a number.
enum owner { OF_ALL, OF_CHAINS, OF_LOOPS, OF_SETS, OF_FOREIGN, OF_TURNS, OF_PLACED };
enum number_kind { NUMBER_UNSIGNED, NUMBER_SIZE, NUMBER_64, NUMBER_FLAG };

#define PLACE(member) offsetof(struct entry, program.member)
#define CODE(member) PLACE(code.member)
#define FOREIGN(member) CODE(foreign.member)
static const struct number_key {
    const char *key;
    uint64_t most;
    enum owner owner;
    enum number_kind kind;
    size_t place; // in struct entry, bytes
} number_keys[] = {
    {"n", UINT32_MAX, OF_ALL, NUMBER_UNSIGNED, PLACE(streams)},
    {"instructions", UINT32_MAX, OF_ALL, NUMBER_UNSIGNED, PLACE(instructions)},
    {"loop_instructions", UINT32_MAX, OF_LOOPS, NUMBER_UNSIGNED, PLACE(loop_instructions)},
    {"loop_branches", UINT32_MAX, OF_LOOPS, NUMBER_UNSIGNED, PLACE(loop_branches)},
    {"bodies", UINT32_MAX, OF_ALL, NUMBER_UNSIGNED, CODE(bodies)},
    {"iteration_instructions", UINT64_MAX, OF_ALL, NUMBER_64, CODE(iteration_instructions)},
    {"body_offset", UINT32_MAX, OF_ALL, NUMBER_64, offsetof(struct entry, body_offset)},
    {"body_bytes", UINT32_MAX, OF_ALL, NUMBER_SIZE, CODE(n_body_bytes)},
    {"chain", 1, OF_CHAINS, NUMBER_FLAG, CODE(is_chain)},
    {"process_set", UINT32_MAX, OF_SETS, NUMBER_UNSIGNED, CODE(process_set)},
    {"exit_offset", BENCH_MOST_EXIT_OFFSET, OF_FOREIGN, NUMBER_SIZE, FOREIGN(exit_offset)},
    {"pages", BENCH_MOST_PAGES, OF_FOREIGN, NUMBER_UNSIGNED, FOREIGN(most_pages)},
    {"own", 1, OF_FOREIGN, NUMBER_FLAG, FOREIGN(is_own)},
    {"frames", BENCH_MOST_FRAMES, OF_FOREIGN, NUMBER_UNSIGNED, FOREIGN(frames)},
    {"fill", UINT64_MAX, OF_FOREIGN, NUMBER_64, FOREIGN(fill)},
    {"lowest", UINT64_MAX, OF_FOREIGN, NUMBER_64, FOREIGN(lowest_address)},
    {"turns_word", BENCH_FRAME_WORDS - 1, OF_TURNS, NUMBER_UNSIGNED, FOREIGN(turns.word)},
    {"turns_bits", 64, OF_TURNS, NUMBER_UNSIGNED, FOREIGN(turns.bits)},
    {"turns_factor", UINT64_MAX, OF_TURNS, NUMBER_64, FOREIGN(turns.factor)},
    {"turns_addend", UINT64_MAX, OF_TURNS, NUMBER_64, FOREIGN(turns.addend)},
    {"stores", 1, OF_FOREIGN, NUMBER_FLAG, FOREIGN(stores)},
    {"address", UINT32_MAX, OF_PLACED, NUMBER_64, CODE(address)},
};
enum { N_NUMBERS = sizeof number_keys / sizeof *number_keys };

static bool has(const struct pack_program *program, enum owner owner) {
    const struct bench_code *code = &program->code;
    const bool is_foreign = bench_code_is_foreign(code);
    switch (owner) {
    case OF_ALL:
        return true;
    case OF_CHAINS:
        return code->is_chain;
    case OF_LOOPS:
        return program->loop_instructions;
    case OF_SETS:
        return code->process_set;
    case OF_FOREIGN:
        return is_foreign;
    case OF_TURNS:
        return is_foreign && code->foreign.turns.bits;
    case OF_PLACED:
        return code->address;
    }
    assert(false);
    return false;
}

static uint64_t number_of(const struct entry *entry, const struct number_key *key) {
    const void *at = (const char *)entry + key->place;
    return key->kind == NUMBER_UNSIGNED ? *(const unsigned *)at
           : key->kind == NUMBER_SIZE   ? *(const size_t *)at
           : key->kind == NUMBER_64     ? *(const uint64_t *)at
                                        : *(const bool *)at;
}

static void set_number(struct entry *entry, const struct number_key *key, uint64_t number) {
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

static void write_segment(const struct segment *segment, struct text *out) {
    add_line(out, "segment",
             arena_printf(out->arena, "%" PRIu64 " %zu %s%s %s", segment->address, segment->size,
                          segment->is_writable ? "w" : "r", segment->is_executable ? "x" : "-",
                          bytes_to_hex(out->arena, segment->bytes, segment->n_bytes)));
}

static void add_patches(struct text *out, const struct bench_foreign *foreign) {
    for (unsigned i = 0; i < foreign->n_patches; i++) {
        const struct bench_patch *patch = &foreign->patches[i];
        text_addf(out, "patch %" PRIu64 " %" PRIu64 " %s\n", patch->address, patch->n_bytes,
                  bytes_to_hex(out->arena, patch->value, patch->n_value));
    }
    for (unsigned i = 0; i < foreign->n_touches; i++)
        text_addf(out, "touch %" PRIu64 " %" PRId64 " %u\n", foreign->touches[i].address, foreign->touches[i].stride,
                  foreign->touches[i].size);
}

static void add_terms(struct text *out, const struct bench_rule *rule) {
    for (unsigned i = 0; i < rule->n_terms; i++) {
        const struct bench_term *term = &rule->terms[i];
        text_addf(out, " %zu %.5g %.5g", term->program, term->low, term->high);
    }
    text_add(out, "\n");
}

static void write_program(const struct pack_program *program, struct repeats_before before, struct text *out) {
    const struct bench_code *code = &program->code;
    const struct entry entry = {*program, (uint64_t)(code->body - code->bytes)};
    text_add(out, "program\n");
    for (unsigned i = 0; i < N_TEXTS; i++)
        add_line(out, text_keys[i].key, *(const char *const *)((const char *)&entry + text_keys[i].place));
    for (unsigned i = 0; i < N_NUMBERS; i++)
        if (has(program, number_keys[i].owner))
            text_addf(out, "%s %" PRIu64 "\n", number_keys[i].key, number_of(&entry, &number_keys[i]));
    add_uses(out, code);
    if (bench_code_is_foreign(code))
        add_patches(out, &code->foreign);
    for (unsigned i = 0; i < code->n_segments; i++)
        write_segment(&code->segments[i], out);
    for (size_t i = 0; i < program->n_cases; i++) {
        text_addf(out, "when %zu", program->cases[i].rule);
        add_terms(out, &program->cases[i].own);
    }
    text_add(out, "code ");
    repeats_write(out, before, code->bytes, code->n_bytes);
    text_add(out, "\n");
}

// The code of the program before, which is mostly alike.
static struct repeats_before code_before(const struct pack *pack, size_t number) {
    const struct bench_code *code = number ? &pack->programs[number - 1].code : NULL;
    return code ? (struct repeats_before){code->bytes, code->n_bytes} : (struct repeats_before){NULL, 0};
}

void pack_write(const struct pack *pack, struct text *out) {
    text_add(out, FIRST_LINE "\n");
    add_line(out, "isa", pack->isa);
    for (size_t i = 0; i < pack->n_rules; i++) {
        text_add(out, "rule");
        add_terms(out, &pack->rules[i]);
    }
    for (size_t i = 0; i < pack->n_programs; i++)
        write_program(&pack->programs[i], code_before(pack, i), out);
}

enum { MOST_CASES = 64 };

// State of the reader.
struct pack_reader {
    struct arena *arena;
    struct pack *pack;
    bool has_entry; // a program has begun
    struct entry entry;
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
    bool is_read = repeats_read(reader->arena, text, code_before(reader->pack, reader->pack->n_programs), MOST_CODE,
                                &bytes, &code->n_bytes);
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
        while (use < BENCH_N_USES && !slice_is(word, use_names[use]))
            use++;
        if (use < BENCH_N_USES)
            code->uses |= 1U << use;
        else if (slice_is(word, WIDE))
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

// Takes a text of a program. Returns false where `key` is not a text's.
static bool take_text(struct entry *entry, const char *key, const char *value) {
    for (unsigned i = 0; i < N_TEXTS; i++)
        if (strcmp(key, text_keys[i].key) == 0) { // absent as in pack_write, which omits empty ones
            *(const char **)((char *)entry + text_keys[i].place) = *value ? value : NULL;
            return true;
        }
    return false;
}

// Takes a number of a program. Returns false where `key` is not a number's. Sets `is_good` to whether the value is
// valid.
static bool take_number(struct entry *entry, const char *key, const char *value, bool *is_good) {
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        uint64_t number;
        if (strcmp(key, number_keys[i].key) != 0)
            continue;
        *is_good = read_number(value, number_keys[i].most, &number);
        set_number(entry, &number_keys[i], number);
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
    reader->entry = (struct entry){0};
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
    if (!slice_next(&rest, '\n', &line) || !slice_is(line, FIRST_LINE))
        return fail_at(fail, name, 1, 0, "this is not a pack of programs, which begins with '%s'", FIRST_LINE);
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

void pack_append(const struct pack *pack, const char *runner, size_t n_runner, struct text *out) {
    text_append(out, runner, n_runner);
    size_t start = out->length;
    pack_write(pack, out);
    text_addf(out, LAST_LINE "%0*llx ", NUMBER_DIGITS, (unsigned long long)(out->length - start));
    text_addf(out, "%0*llx\n", NUMBER_DIGITS, (unsigned long long)bytes_hash(out->data, out->length));
}

// Reads NUMBER_DIGITS digits.
static bool read_hex(const char *digits, uint64_t *number) {
    uint8_t bytes[NUMBER_DIGITS / 2];
    if (!bytes_from_hex(digits, sizeof bytes, bytes))
        return false;
    *number = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        *number = *number << 8 | bytes[i];
    return true;
}

enum pack_found pack_find(const char *file, size_t length, const char **text, size_t *n_text) {
    if (length < LAST_LINE_BYTES)
        return PACK_NONE;
    const char *last = file + length - LAST_LINE_BYTES, *digits = last + sizeof LAST_LINE - 1;
    uint64_t n_pack, sum;
    if (memcmp(last, LAST_LINE, sizeof LAST_LINE - 1) != 0)
        return PACK_NONE;
    if (file[length - 1] != '\n' || !read_hex(digits, &n_pack) || !read_hex(digits + NUMBER_DIGITS + 1, &sum) ||
        n_pack > length - LAST_LINE_BYTES || sum != bytes_hash(file, length - NUMBER_DIGITS - 1))
        return PACK_DAMAGED;
    *text = last - n_pack;
    *n_text = (size_t)n_pack;
    return PACK_FOUND;
}
