// A case file: a line with its version, then what follows compressed as an .xz file, which has a checksum. Numbers have
// 8 bytes, the lowest first; texts and bytes have their length in front. First what replays covered of the program,
// and the CPU's name. Then of each state: what it is, registers, memory, steps; the registers before each step by
// columns, which compresses best.
#include "hot/state.h"

#include "base/file.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "cyclops hot case 4\n";

enum {
    MOST_STATES = 1000,
    MOST_REASONS = 1 << 16,
    MOST_STEPS = 1 << 20,
    MOST_PAGES = 1 << 16,
    MOST_TEXT = 1 << 12,
    MOST_SECONDS = 1 << 30,
    MOST_BYTES = 1 << 29, // of what is compressed
    CASE_PAGE_BYTES = 1 << 12,
    FEWEST_XSAVE = 576,
    LEVEL = 1, // of compression
    COLUMNS = STEP_REGISTERS + 4,
};

// ---- writing

struct writer {
    uint8_t *bytes;
    size_t n, room;
    bool has_failed;
};

static void put(struct writer *writer, const void *bytes, size_t n) {
    if (writer->n + n > writer->room) {
        size_t room = 2 * (writer->n + n);
        uint8_t *more = realloc(writer->bytes, room);
        writer->has_failed |= !more;
        if (!more)
            return;
        writer->bytes = more;
        writer->room = room;
    }
    if (n)
        memcpy(writer->bytes + writer->n, bytes, n);
    writer->n += n;
}

static void put_number(struct writer *writer, uint64_t value) {
    put(writer, &value, sizeof value);
}

static void put_bytes(struct writer *writer, const void *bytes, size_t n) {
    put_number(writer, n);
    put(writer, bytes, n);
}

static void put_text(struct writer *writer, const char *text) {
    put_bytes(writer, text ? text : "", text ? strlen(text) : 0);
}

// A column of the registers before a step.
static uint64_t *column(struct step_registers *registers, unsigned number) {
    uint64_t *const others[] = {&registers->counter, &registers->fs, &registers->gs, &registers->stack_behind};
    return number < STEP_REGISTERS ? &registers->general[number] : others[number - STEP_REGISTERS];
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_state(struct writer *writer, const struct hot_state *state) {
    const uint64_t numbers[] = {(uint64_t)state->module.kind,
                                bits_of(state->seconds),
                                (uint64_t)state->clock,
                                bits_of(state->share),
                                state->load_address,
                                state->head,
                                state->flags,
                                state->next,
                                state->turns,
                                state->entries,
                                (uint64_t)state->end,
                                state->n_pages,
                                state->n_steps};
    put_text(writer, state->program);
    put_text(writer, state->module.path);
    put_text(writer, state->module.build_id);
    put_text(writer, state->turn);
    put(writer, numbers, sizeof numbers);
    struct step_registers registers = state->registers;
    for (unsigned c = 0; c < COLUMNS; c++)
        put_number(writer, *column(&registers, c));
    put_bytes(writer, state->xsave, state->n_xsave);
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        put_number(writer, state->layout.at[i]);
    for (size_t i = 0; i < state->n_pages; i++) {
        const struct segment *page = &state->pages[i];
        put_number(writer, page->address | page->is_writable | (uint64_t)page->is_executable << 1);
        put_number(writer, state->changed[i]);
        put(writer, page->bytes, CASE_PAGE_BYTES);
    }
    put(writer, state->steps, state->n_steps * sizeof *state->steps);
    for (unsigned c = 0; c < COLUMNS; c++)
        for (size_t i = 0; i < state->n_steps; i++) {
            registers = state->before[i];
            put_number(writer, *column(&registers, c));
        }
}

// The first line, and what is in the writer behind it, compressed.
static bool compress(struct writer *writer, struct writer *packed) {
    size_t room = sizeof first_line + lzma_stream_buffer_bound(writer->n), at = sizeof first_line - 1;
    packed->bytes = malloc(room);
    if (!packed->bytes)
        return false;
    memcpy(packed->bytes, first_line, at);
    bool is_done = lzma_easy_buffer_encode(LEVEL, LZMA_CHECK_CRC64, NULL, writer->bytes, writer->n, packed->bytes, &at,
                                           room) == LZMA_OK;
    packed->n = at;
    return is_done;
}

static void put_covered(struct writer *writer, const struct hot_covered *covered) {
    put_text(writer, covered->source);
    put_number(writer, bits_of(covered->share));
    put_number(writer, covered->n_uncovered);
    for (size_t i = 0; i < covered->n_uncovered; i++) {
        put_number(writer, bits_of(covered->uncovered[i].share));
        put_text(writer, covered->uncovered[i].why);
    }
}

bool hot_case_write(const char *path, const struct hot_case *saved, struct fail *fail) {
    struct writer writer = {.n = 0}, packed = {.n = 0};
    put_covered(&writer, &saved->covered);
    put_text(&writer, saved->cpu);
    put_number(&writer, saved->n);
    for (size_t i = 0; i < saved->n; i++)
        put_state(&writer, saved->states[i]);
    bool is_done = !writer.has_failed && compress(&writer, &packed);
    if (!is_done)
        fail_set(fail, FAIL_WORK, "no memory for the case file %s", path);
    is_done = is_done && file_write(path, packed.bytes, packed.n, fail);
    free(writer.bytes);
    free(packed.bytes);
    return is_done;
}

// ---- reading

struct reader {
    struct arena *arena;
    const uint8_t *bytes;
    size_t n;
    const char *why; // it is damaged, one clause; null: not yet
};

static const uint8_t *take(struct reader *reader, size_t n) {
    const uint8_t *taken = reader->bytes;
    if (!reader->why && n > reader->n)
        reader->why = "it ends too early";
    if (reader->why)
        return NULL;
    reader->bytes += n;
    reader->n -= n;
    return taken;
}

// Where the file ends too early, the value stays as it is.
static void take_into(struct reader *reader, void *value, size_t n) {
    const uint8_t *bytes = take(reader, n);
    if (bytes)
        memcpy(value, bytes, n);
}

// A number from `low` to `high`; low, where it is not.
static uint64_t take_number(struct reader *reader, uint64_t low, uint64_t high, const char *what) {
    uint64_t value = low;
    take_into(reader, &value, sizeof value);
    if (value >= low && value <= high)
        return value;
    if (!reader->why)
        reader->why = arena_printf(reader->arena, "%s cannot be %llu", what, (unsigned long long)value);
    return low;
}

static double take_real(struct reader *reader, double low, double high, const char *what) {
    double value = low;
    take_into(reader, &value, sizeof value);
    if (value >= low && value <= high)
        return value;
    if (!reader->why)
        reader->why = arena_printf(reader->arena, "%s cannot be %g", what, value);
    return low;
}

static const char *take_text(struct reader *reader) {
    size_t n = (size_t)take_number(reader, 0, MOST_TEXT, "the length of a text");
    const uint8_t *bytes = take(reader, n);
    if (!bytes)
        return "";
    char *text = arena_copy(reader->arena, (const char *)bytes, n);
    if (strlen(text) != n)
        reader->why = "a text has a zero in it";
    return text;
}

static void take_pages(struct reader *reader, struct hot_state *state) {
    const uint64_t highest = UINT64_C(1) << 47;
    struct segment *pages = ARENA_ARRAY(reader->arena, struct segment, state->n_pages + 1);
    uint64_t *changed = ARENA_ARRAY(reader->arena, uint64_t, state->n_pages + 1);
    uint64_t before = 0;
    for (size_t i = 0; i < state->n_pages && !reader->why; i++) {
        uint64_t word = take_number(reader, 0, highest - CASE_PAGE_BYTES + 3, "the address of a page"),
                 address = word / CASE_PAGE_BYTES * CASE_PAGE_BYTES;
        changed[i] = take_number(reader, 0, UINT64_MAX, "what changed in a page");
        const uint8_t *bytes = take(reader, CASE_PAGE_BYTES);
        if (!reader->why && (address <= before || (word - address) > 3))
            reader->why = "pages are not in order";
        before = address;
        pages[i] = (struct segment){.address = address,
                                    .bytes = bytes,
                                    .n_bytes = CASE_PAGE_BYTES,
                                    .size = CASE_PAGE_BYTES,
                                    .is_writable = word & 1,
                                    .is_executable = word & 2};
    }
    state->pages = pages;
    state->changed = changed;
}

static void take_steps(struct reader *reader, struct hot_state *state) {
    size_t n = state->n_steps;
    const uint8_t *bytes = take(reader, n * sizeof(uint64_t));
    uint64_t *steps = ARENA_ARRAY(reader->arena, uint64_t, n + 1);
    struct step_registers *before = ARENA_ARRAY(reader->arena, struct step_registers, n + 1);
    if (bytes)
        memcpy(steps, bytes, n * sizeof *steps);
    for (unsigned c = 0; c < COLUMNS && !reader->why; c++)
        for (size_t i = 0; i < n; i++)
            *column(&before[i], c) = take_number(reader, 0, UINT64_MAX, "a register");
    if (!reader->why && steps[0] != state->head)
        reader->why = "its steps do not begin at the loop's head";
    state->steps = steps;
    state->before = before;
}

static struct hot_state *take_state(struct reader *reader) {
    struct hot_state *state = ARENA_NEW(reader->arena, struct hot_state);
    state->program = take_text(reader);
    state->module.path = take_text(reader);
    state->module.build_id = take_text(reader);
    if (!*state->module.build_id)
        state->module.build_id = NULL;
    state->turn = take_text(reader);
    if (!*state->turn)
        state->turn = NULL;
    state->module.kind = (enum hot_module_kind)take_number(reader, HOT_FILE, HOT_KERNEL, "a kind of module");
    state->seconds = take_real(reader, 0, MOST_SECONDS, "the time of a copy");
    state->clock = (enum hot_clock)take_number(reader, HOT_WALL_CLOCK, HOT_CPU_CLOCK, "a clock");
    state->share = take_real(reader, 0, 1, "a share");
    state->load_address = take_number(reader, 0, UINT64_MAX, "an address");
    state->head = take_number(reader, 0, UINT64_MAX, "an address");
    state->flags = take_number(reader, 0, UINT64_MAX, "the flags");
    state->next = take_number(reader, 0, UINT64_MAX, "an address");
    state->turns = take_number(reader, 1, MOST_STEPS, "the number of turns");
    state->entries = take_number(reader, 1, MOST_STEPS, "the number of entries");
    state->end = (enum hot_end)take_number(reader, HOT_END_LEFT, HOT_END_CALL, "an end");
    state->n_pages = (size_t)take_number(reader, 1, MOST_PAGES, "the number of pages");
    state->n_steps = (size_t)take_number(reader, 1, MOST_STEPS, "the number of steps");
    for (unsigned c = 0; c < COLUMNS; c++)
        *column(&state->registers, c) = take_number(reader, 0, UINT64_MAX, "a register");
    state->n_xsave = (size_t)take_number(reader, FEWEST_XSAVE, HOT_MOST_XSAVE, "the size of vector registers");
    state->xsave = take(reader, state->n_xsave);
    for (unsigned i = 0; i < VECTOR_PARTS; i++)
        state->layout.at[i] = (uint32_t)take_number(reader, 0, HOT_MOST_XSAVE, "a place of vector registers");
    if (!reader->why && !vector_layout_fits(&state->layout, state->xsave, state->n_xsave))
        reader->why = "vector registers are missing";
    if (!reader->why)
        take_pages(reader, state);
    if (!reader->why)
        take_steps(reader, state);
    return state;
}

static void take_covered(struct reader *reader, struct hot_covered *covered) {
    covered->source = take_text(reader);
    if (!*covered->source)
        covered->source = NULL;
    covered->share = take_real(reader, 0, 1, "a share");
    covered->n_uncovered = (size_t)take_number(reader, 0, MOST_REASONS, "the number of reasons");
    covered->uncovered = ARENA_ARRAY(reader->arena, struct hot_uncovered, covered->n_uncovered + 1);
    for (size_t i = 0; i < covered->n_uncovered && !reader->why; i++) {
        covered->uncovered[i].share = take_real(reader, 0, 1, "a share");
        covered->uncovered[i].why = take_text(reader);
    }
}

// Sets the reader to what was compressed.
static const char *decompress(struct arena *arena, const uint8_t *packed, size_t n_packed, struct reader *reader) {
    static const uint64_t most_memory = UINT64_C(1) << 28;
    lzma_stream stream = LZMA_STREAM_INIT;
    size_t room = 1 << 20;
    uint8_t *bytes = NULL;
    if (lzma_stream_decoder(&stream, most_memory, 0) != LZMA_OK)
        return "there is no memory for it";
    lzma_ret result = LZMA_OK;
    stream.next_in = packed;
    stream.avail_in = n_packed;
    for (; result == LZMA_OK && room <= MOST_BYTES; room *= 2) {
        uint8_t *more = arena_alloc_uncleared(arena, room);
        size_t n = (size_t)stream.total_out;
        if (bytes)
            memcpy(more, bytes, n);
        bytes = more;
        stream.next_out = bytes + n;
        stream.avail_out = room - n;
        result = lzma_code(&stream, LZMA_FINISH);
    }
    reader->bytes = bytes;
    reader->n = (size_t)stream.total_out;
    bool is_whole = result == LZMA_STREAM_END && !stream.avail_in;
    lzma_end(&stream);
    return is_whole ? NULL : result == LZMA_OK ? "it is too large" : "it is cut short or damaged";
}

bool hot_case_read(struct arena *arena, const char *path, struct hot_case *saved, struct fail *fail) {
    struct reader reader = {.arena = arena};
    char *data;
    size_t length, n_first = sizeof first_line - 1;
    *saved = (struct hot_case){.n = 0};
    if (!file_read(arena, path, &data, &length, fail))
        return false;
    if (length < n_first || memcmp(data, first_line, n_first) != 0)
        return fail_at(fail, path, 1, 0, "this is no case file of this version of cyclops hot: save it again");
    reader.why = decompress(arena, (const uint8_t *)data + n_first, length - n_first, &reader);
    if (!reader.why)
        take_covered(&reader, &saved->covered);
    saved->cpu = take_text(&reader);
    const size_t n = (size_t)take_number(&reader, 0, MOST_STATES, "the number of loops");
    saved->states = ARENA_ARRAY(arena, struct hot_state *, n + 1);
    for (size_t i = 0; i < n && !reader.why; i++)
        saved->states[i] = take_state(&reader);
    if (!reader.why && reader.n)
        reader.why = "something follows its last loop";
    if (reader.why)
        return fail_at(fail, path, 2, 0, "the case file is damaged: %s", reader.why);
    saved->n = n;
    return true;
}
