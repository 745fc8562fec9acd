#include "runner/pack.h"

#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "cyclops-pack 3"
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

static void add_number(struct text *out, const char *key, uint64_t value) {
    text_addf(out, "%s %llu\n", key, (unsigned long long)value);
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

static void add_turns(struct text *out, const struct bench_turns *turns) {
    if (!turns->bits)
        return;
    add_number(out, "turns_word", turns->word);
    add_number(out, "turns_bits", turns->bits);
    add_number(out, "turns_factor", turns->factor);
    add_number(out, "turns_addend", turns->addend);
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

static void write_program(const struct pack_program *program, struct text *out) {
    const struct bench_code *code = &program->code;
    text_add(out, "program\n");
    add_line(out, "role", program->role);
    add_line(out, "kernel", program->kernel);
    add_line(out, "mode", program->mode);
    add_line(out, "form", program->form);
    add_line(out, "arc", program->arc);
    add_line(out, "placement", program->placement);
    add_line(out, "instruction", program->instruction);
    add_line(out, "setup", program->setup);
    add_number(out, "n", program->streams);
    add_number(out, "instructions", program->instructions);
    if (program->loop_instructions) {
        add_number(out, "loop_instructions", program->loop_instructions);
        add_number(out, "loop_branches", program->loop_branches);
    }
    add_number(out, "bodies", code->bodies);
    add_number(out, "iteration_instructions", code->iteration_instructions);
    add_number(out, "body_offset", (uint64_t)(code->body - code->bytes));
    add_number(out, "body_bytes", code->n_body_bytes);
    add_uses(out, code);
    if (code->process_set)
        add_number(out, "process_set", code->process_set);
    if (bench_code_is_foreign(code)) {
        add_number(out, "exit_offset", code->foreign.exit_offset);
        add_number(out, "pages", code->foreign.most_pages);
        add_number(out, "own", code->foreign.is_own);
        add_number(out, "frames", code->foreign.frames);
        add_number(out, "fill", code->foreign.fill);
        add_number(out, "lowest", code->foreign.lowest_address);
        add_turns(out, &code->foreign.turns);
        add_number(out, "stores", code->foreign.stores);
        add_patches(out, &code->foreign);
    }
    if (code->address)
        add_number(out, "address", code->address);
    for (unsigned i = 0; i < code->n_segments; i++)
        write_segment(&code->segments[i], out);
    add_line(out, "code", bytes_to_hex(out->arena, code->bytes, code->n_bytes));
}

void pack_write(const struct pack *pack, struct text *out) {
    text_add(out, FIRST_LINE "\n");
    add_line(out, "isa", pack->isa);
    for (size_t i = 0; i < pack->n_programs; i++)
        write_program(&pack->programs[i], out);
}

// State of the reader.
struct pack_reader {
    struct arena *arena;
    struct pack *pack;
    struct pack_program *program; // current program; null before the first
    uint64_t body_offset;
    struct segment *segments; // those of the current program, as are these
    struct bench_touch *touches;
    struct bench_patch *patches;
};

static bool read_code(struct pack_reader *reader, const char *hex) {
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(reader->arena, n + 1);
    if (!bytes_from_hex(hex, n, bytes))
        return false;
    reader->program->code.bytes = bytes;
    reader->program->code.n_bytes = n;
    return n > 0 && strlen(hex) % 2 == 0;
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
static bool take_text(struct pack_program *program, const char *key, const char *value) {
    const struct {
        const char *key, **field;
    } texts[] = {{"role", &program->role},
                 {"kernel", &program->kernel},
                 {"mode", &program->mode},
                 {"form", &program->form},
                 {"arc", &program->arc},
                 {"placement", &program->placement},
                 {"instruction", &program->instruction},
                 {"setup", &program->setup}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].field = *value ? value : NULL; // as in pack_write, which omits empty ones
            return true;
        }
    }
    return false;
}

// Takes a number of a program. Returns false where `key` is not a number's. Sets `is_good` to whether the value is
// valid.
static bool take_number(struct pack_reader *reader, const char *key, const char *value, bool *is_good) {
    struct pack_program *program = reader->program;
    struct bench_code *code = &program->code;
    struct bench_foreign *foreign = &code->foreign;
    const struct {
        const char *key;
        uint64_t most;
        unsigned *count; // destination: one of these four
        size_t *size;
        uint64_t *word;
        bool *flag;
    } numbers[] = {{"n", UINT32_MAX, .count = &program->streams},
                   {"instructions", UINT32_MAX, .count = &program->instructions},
                   {"loop_instructions", UINT32_MAX, .count = &program->loop_instructions},
                   {"loop_branches", UINT32_MAX, .count = &program->loop_branches},
                   {"bodies", UINT32_MAX, .count = &code->bodies},
                   {"iteration_instructions", UINT64_MAX, .word = &code->iteration_instructions},
                   {"body_offset", UINT32_MAX, .word = &reader->body_offset},
                   {"body_bytes", UINT32_MAX, .size = &code->n_body_bytes},
                   {"process_set", UINT32_MAX, .count = &code->process_set},
                   {"address", UINT32_MAX, .word = &code->address},
                   {"exit_offset", BENCH_MOST_EXIT_OFFSET, .size = &foreign->exit_offset},
                   {"pages", BENCH_MOST_PAGES, .count = &foreign->most_pages},
                   {"own", 1, .flag = &foreign->is_own},
                   {"frames", BENCH_MOST_FRAMES, .count = &foreign->frames},
                   {"fill", UINT64_MAX, .word = &foreign->fill},
                   {"lowest", UINT64_MAX, .word = &foreign->lowest_address},
                   {"turns_word", BENCH_FRAME_WORDS - 1, .count = &foreign->turns.word},
                   {"turns_bits", 64, .count = &foreign->turns.bits},
                   {"turns_factor", UINT64_MAX, .word = &foreign->turns.factor},
                   {"turns_addend", UINT64_MAX, .word = &foreign->turns.addend},
                   {"stores", 1, .flag = &foreign->stores}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t number;
        if (strcmp(key, numbers[i].key) != 0)
            continue;
        *is_good = read_number(value, numbers[i].most, &number);
        if (numbers[i].count)
            *numbers[i].count = (unsigned)number;
        if (numbers[i].size)
            *numbers[i].size = (size_t)number;
        if (numbers[i].word)
            *numbers[i].word = number;
        if (numbers[i].flag)
            *numbers[i].flag = number != 0;
        return true;
    }
    return false;
}

// Reads "ADDRESS SIZE w- HEX".
static bool read_segment(struct pack_reader *reader, const char *value) {
    struct bench_code *code = &reader->program->code;
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
    struct bench_foreign *foreign = &reader->program->code.foreign;
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
    struct bench_foreign *foreign = &reader->program->code.foreign;
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
    if (take_text(reader->program, key, value) || take_number(reader, key, value, &is_good))
        return is_good;
    if (strcmp(key, "code") == 0)
        return read_code(reader, value);
    if (strcmp(key, "segment") == 0)
        return read_segment(reader, value);
    if (strcmp(key, "patch") == 0)
        return read_patch(reader, value);
    if (strcmp(key, "touch") == 0)
        return read_touch(reader, value);
    return strcmp(key, "uses") != 0 || read_uses(value, &reader->program->code);
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
    struct pack_program *program = reader->program;
    if (!program)
        return true;
    struct bench_code *code = &program->code;
    if (!code->bytes || !program->kernel || code->bodies == 0 || reader->body_offset > code->n_bytes ||
        code->n_body_bytes > code->n_bytes - reader->body_offset || !is_foreign_sound(code) ||
        !are_segments_sound(code))
        return false;
    code->body = code->bytes + reader->body_offset;
    code->body_instructions = program->instructions;
    return true;
}

static bool begin(struct pack_reader *reader) {
    struct pack *pack = reader->pack;
    bool is_finished = finish(reader);
    reader->program = ARENA_ADD(reader->arena, pack->programs, pack->n_programs);
    *reader->program = (struct pack_program){0};
    reader->body_offset = 0;
    return is_finished;
}

static bool read_line(struct pack_reader *reader, const char *line) {
    const char *space = strchr(line, ' ');
    const char *value = space ? space + 1 : "";
    const char *key = arena_copy(reader->arena, line, space ? (size_t)(space - line) : strlen(line));
    if (strcmp(key, "program") == 0)
        return begin(reader);
    if (reader->program)
        return take(reader, key, value);
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
    if (!finish(&reader) || !pack->isa)
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
