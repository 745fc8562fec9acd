#include "gen/start_state.h"

#include "base/bytes.h"
#include "base/text.h"
#include "gen/registers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char mxcsr[] = "mxcsr";
enum { MXCSR_BYTES = 4, WORD_BYTES = 8 };

static unsigned word_bytes(const struct isa *isa) {
    return isa->classes->bits / 8; // the first class has the widest general registers
}

// ---- numbers

static bool parse_digits(const char *text, size_t length, struct state_value *value) {
    char even[2 * STATE_VALUE_BYTES + 1];
    uint8_t bytes[STATE_VALUE_BYTES];
    size_t odd = length % 2;
    if (!length || length > sizeof even - 1)
        return false;
    even[0] = '0';
    memcpy(even + odd, text, length);
    if (bytes_from_digits(even, length + odd, bytes) < length + odd)
        return false;
    value->n = (unsigned)(length + odd) / 2;
    for (unsigned i = 0; i < value->n; i++)
        value->bytes[i] = bytes[value->n - 1 - i];
    return true;
}

static bool parse_decimal(const char *text, size_t length, unsigned n_bytes, struct state_value *value) {
    char copy[32], *end;
    if (!length || length >= sizeof copy || !(isdigit((unsigned char)*text) || *text == '-'))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    value->is_negative = *copy == '-';
    uint64_t bits = value->is_negative ? (uint64_t)strtoll(copy, &end, 10) : strtoull(copy, &end, 10);
    value->is_negative &= bits != 0;
    value->n = bits > UINT32_MAX && (!value->is_negative || bits < (uint64_t)INT32_MIN) ? WORD_BYTES : n_bytes;
    for (unsigned i = 0; i < WORD_BYTES; i++)
        value->bytes[i] = (uint8_t)(bits >> 8 * i);
    return !errno && end == copy + length && isdigit((unsigned char)end[-1]);
}

bool state_value_parse(const char *text, size_t length, bool is_hex, const struct isa *isa, struct state_value *value) {
    *value = (struct state_value){.n = 0};
    if (is_hex)
        return parse_digits(text, length, value);
    if (length > 2 && strncasecmp(text, "0x", 2) == 0)
        return parse_digits(text + 2, length - 2, value);
    return parse_decimal(text, length, word_bytes(isa), value);
}

uint64_t state_value_bits(const struct state_value *value) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < WORD_BYTES; i++)
        bits |= (uint64_t)value->bytes[i] << 8 * i;
    return bits;
}

// Fits a value into `n_bytes`: fills them with its sign. False: it has other bits above.
static bool fit(struct state_value *value, unsigned n_bytes) {
    for (unsigned i = n_bytes; i < STATE_VALUE_BYTES; i++) {
        bool is_sign = value->is_negative && i < WORD_BYTES && value->bytes[i] == 0xff;
        if (value->bytes[i] && !is_sign)
            return false;
        value->bytes[i] = 0;
    }
    if (value->is_negative && n_bytes < WORD_BYTES && value->bytes[n_bytes - 1] < 0x80)
        return false;
    for (unsigned i = WORD_BYTES; value->is_negative && i < n_bytes; i++)
        value->bytes[i] = 0xff;
    return true;
}

// ---- items

// Finds what a name sets. A part of a general register below 32 bits would leave the rest open.
static bool find_register(const struct isa *isa, const char *name, struct state_register *found, unsigned *n_bytes) {
    struct register_name known;
    *found = (struct state_register){.name = mxcsr};
    *n_bytes = MXCSR_BYTES;
    if (strcasecmp(name, mxcsr) == 0)
        return strcmp(isa->name, "x86_64") == 0;
    if (!register_find(isa, (struct slice){name, strlen(name)}, &known) || !strchr("gvfkm", known.class->file) ||
        known.class->bits < 32)
        return false;
    *n_bytes = known.class->bits / 8;
    if (known.class->file == 'g')
        known.class = isa->classes;
    *found = (struct state_register){known.class->registers[known.index], known.class, known.index, {{0}, 0, false}};
    return true;
}

// Whether two names are of one register, as xmm0 and ymm0.
static bool is_same_register(const struct state_register *a, const struct state_register *b) {
    return a->class && b->class ? a->class->file == b->class->file && a->index == b->index : a->class == b->class;
}

bool start_state_set(struct arena *arena, const struct isa *isa, const char *reg, const struct state_value *value,
                     struct start_state *state, struct fail *fail) {
    struct state_register item;
    unsigned n_bytes;
    if (!find_register(isa, reg, &item, &n_bytes))
        return fail_set(fail, FAIL_INPUT, "'%s' is no register of %s that a block can start with%s", reg, isa->name,
                        strcmp(isa->name, "x86_64") == 0 ? ": there are rax, eax, xmm0, ymm0, zmm0, k1, mm0, mxcsr"
                                                         : "");
    item.value = *value;
    if (!fit(&item.value, n_bytes))
        return fail_set(fail, FAIL_INPUT, "the value is too wide for %s, which has %u bytes", reg, n_bytes);
    if (!item.class && state_value_bits(&item.value) > UINT16_MAX)
        return fail_set(fail, FAIL_INPUT, "mxcsr has 16 bits: a higher one would fault");
    for (size_t i = 0; i < state->n_registers; i++)
        if (is_same_register(&state->registers[i], &item)) {
            state->registers[i] = item;
            return true;
        }
    *ARENA_ADD(arena, state->registers, state->n_registers) = item;
    return true;
}

bool start_state_set_memory(struct arena *arena, const struct isa *isa, const char *base, uint64_t offset,
                            uint64_t n_bytes, const struct state_value *value, struct start_state *state,
                            struct fail *fail) {
    struct state_memory item = {.offset = offset, .n_bytes = n_bytes, .value = *value};
    struct state_register found = {0};
    unsigned n_register_bytes;
    if (base && (!find_register(isa, base, &found, &n_register_bytes) || !found.class || found.class->file != 'g' ||
                 n_register_bytes != word_bytes(isa)))
        return fail_set(fail, FAIL_INPUT, "'%s' is no general register of %s: write mem[rdi+8] or mem[0x10000]", base,
                        isa->name);
    if (n_bytes < 1 || n_bytes > STATE_MOST_MEMORY)
        return fail_set(fail, FAIL_INPUT, "an item of memory has 1 to %d bytes", STATE_MOST_MEMORY);
    if (item.value.n > n_bytes && !fit(&item.value, (unsigned)n_bytes))
        return fail_set(fail, FAIL_INPUT, "the value is too wide for %" PRIu64 " bytes of memory", n_bytes);
    item.value.n = item.value.n > n_bytes ? (unsigned)n_bytes : item.value.n;
    item.base = found.name;
    item.base_number = found.index;
    *ARENA_ADD(arena, state->memory, state->n_memory) = item;
    return true;
}

// ---- the text

struct item {
    const char *text; // of the whole item, for messages
    struct slice place, value;
};

static bool fail_form(const struct item *item, struct fail *fail) {
    return fail_set(fail, FAIL_INPUT,
                    "'%s' is no initial value: write rcx=7, xmm0=0x3ff0000000000000, k1=-1 or mem[rdi+8]=5",
                    item->text);
}

static bool parse_address(struct slice text, uint64_t *address) {
    char copy[32], *end;
    if (!text.length || text.length >= sizeof copy || !isdigit((unsigned char)*text.data))
        return false;
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    errno = 0;
    *address = strtoull(copy, &end, strncasecmp(copy, "0x", 2) == 0 ? 16 : 10);
    return !errno && !*end;
}

// Adds mem[PLACE] or mem[PLACE:N]. `inside`: what is between the brackets.
static bool add_memory(struct arena *arena, const struct isa *isa, const struct item *item, struct slice inside,
                       const struct state_value *value, struct start_state *state, struct fail *fail) {
    const char *colon = memchr(inside.data, ':', inside.length), *base = NULL;
    uint64_t n_bytes = word_bytes(isa), offset = 0;
    struct slice place = inside;
    if (colon) {
        place.length = (size_t)(colon - inside.data);
        if (!parse_address(slice_trim((struct slice){colon + 1, inside.length - place.length - 1}), &n_bytes))
            return fail_form(item, fail);
    }
    struct state_value word = *value;
    if (!colon && word.n < n_bytes) // zeros above; only N bytes are filled with the number again and again
        word.n = (unsigned)n_bytes;
    place = slice_trim(place);
    size_t n_name = 0;
    while (n_name < place.length && (isalnum((unsigned char)place.data[n_name]) || place.data[n_name] == '$'))
        n_name++;
    if (n_name && !isdigit((unsigned char)*place.data)) {
        base = arena_copy(arena, place.data, n_name);
        place = slice_trim((struct slice){place.data + n_name, place.length - n_name});
    }
    bool is_below = base && place.length && *place.data == '-', has_sign = base && place.length;
    if (has_sign && *place.data != '+' && *place.data != '-')
        return fail_form(item, fail);
    struct slice number = slice_trim((struct slice){place.data + has_sign, place.length - has_sign});
    if ((!base || has_sign) && !parse_address(number, &offset))
        return fail_form(item, fail);
    struct fail why = {0};
    return start_state_set_memory(arena, isa, base, is_below ? -offset : offset, n_bytes, &word, state, &why) ||
           fail_set(fail, FAIL_INPUT, "%s: %s", item->text, why.text);
}

static bool add_item(struct arena *arena, const struct isa *isa, const struct item *item, struct start_state *state,
                     struct fail *fail) {
    struct state_value value;
    if (!state_value_parse(item->value.data, item->value.length, false, isa, &value))
        return fail_set(fail, FAIL_INPUT, "the value of '%s' is no number: write 7, -1 or 0x1f, of at most %d bytes",
                        item->text, STATE_VALUE_BYTES);
    struct slice place = item->place;
    if (place.length > 4 && strncasecmp(place.data, "mem[", 4) == 0 && place.data[place.length - 1] == ']')
        return add_memory(arena, isa, item, (struct slice){place.data + 4, place.length - 5}, &value, state, fail);
    return start_state_set(arena, isa, arena_copy(arena, place.data, place.length), &value, state, fail);
}

bool start_state_parse(struct arena *arena, const struct isa *isa, const char *text, struct start_state *state,
                       struct fail *fail) {
    struct slice rest = {text, strlen(text)}, piece;
    bool has_item = false;
    while (slice_next(&rest, ',', &piece)) {
        piece = slice_trim(piece);
        struct item item = {.text = arena_copy(arena, piece.data, piece.length)};
        const char *equals = memchr(piece.data, '=', piece.length);
        if (!equals)
            return fail_form(&item, fail);
        size_t n_place = (size_t)(equals - piece.data);
        item.place = slice_trim((struct slice){piece.data, n_place});
        item.value = slice_trim((struct slice){equals + 1, piece.length - n_place - 1});
        if (!item.place.length || !add_item(arena, isa, &item, state, fail))
            return item.place.length ? false : fail_form(&item, fail);
        has_item = true;
    }
    return has_item || fail_set(fail, FAIL_INPUT, "there is no initial value in it: write rcx=7");
}

// Adds a value of `n` bytes as hexadecimal digits.
static void add_value(struct text *out, const struct state_value *value, unsigned n) {
    text_add(out, "=0x");
    for (unsigned i = n; i-- > 0;)
        text_addf(out, "%02x", value->bytes[i]);
}

const char *start_state_text(struct arena *arena, const struct isa *isa, const struct start_state *state) {
    struct text out = {.arena = arena};
    for (size_t i = 0; i < state->n_registers; i++) {
        const struct state_register *item = &state->registers[i];
        unsigned n = item->class ? item->class->bits / 8 : MXCSR_BYTES;
        while (n > 1 && !item->value.bytes[n - 1])
            n--;
        text_addf(&out, "%s%s", out.length ? "," : "", item->name);
        add_value(&out, &item->value, n);
    }
    for (size_t i = 0; i < state->n_memory; i++) {
        const struct state_memory *item = &state->memory[i];
        bool is_below = item->base && (int64_t)item->offset < 0;
        uint64_t distance = is_below ? -item->offset : item->offset;
        text_addf(&out, "%smem[", out.length ? "," : "");
        text_add(&out, item->base ? item->base : "");
        if (!item->base || distance)
            text_addf(&out, "%s0x%" PRIx64, !item->base ? "" : is_below ? "-" : "+", distance);
        if (item->n_bytes != word_bytes(isa))
            text_addf(&out, ":%" PRIu64, item->n_bytes);
        text_add(&out, "]");
        add_value(&out, &item->value, item->value.n);
    }
    return out.data;
}
