#include "analyzer/predict/memory_page.h"

#include <endian.h>
#include <string.h>

enum { N_LINES = PAGE / LINE + 1 }; // N_LINES: a word may be read at a page's end

struct memory_page {
    bool is_touched[N_LINES];            // else nothing has been stored there, and the rest of it is not set
    uint8_t changed[N_LINES * LINE];     // what was at the start, exclusive or what is now
    uint8_t unknown[N_LINES * LINE / 8]; // a bit a byte
};

struct memory_page *memory_page_new(struct arena *arena) {
    struct memory_page *page = arena_alloc_uncleared(arena, sizeof *page);
    memset(page->is_touched, 0, sizeof page->is_touched);
    return page;
}

// Sets the lines that hold a word from there on, and the bits beside it.
static void touch(struct memory_page *page, uint64_t at) {
    for (uint64_t line = at / LINE; line <= (at + WORD) / LINE; line++) {
        if (page->is_touched[line])
            continue;
        page->is_touched[line] = true;
        memset(&page->changed[line * LINE], 0, LINE);
        memset(&page->unknown[line * LINE / 8], 0, LINE / 8);
    }
}

// Eight bytes that were there at the start.
static uint64_t start_word(uint64_t at) {
    const unsigned bits = at % WORD * 8;
    return bits ? memory_page_start >> bits | memory_page_start << (64 - bits) : memory_page_start;
}

static uint64_t low_bits(unsigned n) {
    return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

// At most a word, as far as it does not go on at the page's begin.
static bool is_in_word(const struct place *place) {
    return place->bytes <= WORD && place->address.offset % PAGE + place->bytes <= PAGE;
}

static bool load_word(struct memory_page *page, const struct place *place, uint64_t *loaded) {
    const uint64_t at = place->address.offset % PAGE;
    uint64_t changed = 0;
    if (page) {
        touch(page, at);
        const unsigned both = page->unknown[at / 8] | (unsigned)page->unknown[at / 8 + 1] << 8;
        if (both >> at % 8 & low_bits(place->bytes))
            return false;
        memcpy(&changed, &page->changed[at], sizeof changed);
    }
    *loaded = (start_word(at) ^ le64toh(changed)) & low_bits(8 * place->bytes);
    return true;
}

static void store_word(struct memory_page *page, const struct place *place, const uint64_t *number) {
    const uint64_t at = place->address.offset % PAGE, kept = ~low_bits(8 * place->bytes);
    uint64_t changed;
    touch(page, at);
    memcpy(&changed, &page->changed[at], sizeof changed);
    changed = htole64((le64toh(changed) & kept) | (number ? (start_word(at) ^ *number) & ~kept : 0));
    memcpy(&page->changed[at], &changed, sizeof changed);
    const unsigned bits = (unsigned)low_bits(place->bytes) << at % 8;
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t here = (uint8_t)(bits >> 8 * i);
        page->unknown[at / 8 + i] = (uint8_t)((page->unknown[at / 8 + i] & ~here) | (number ? 0 : here));
    }
}

bool memory_page_load(struct memory_page *page, const struct place *place, uint64_t *loaded) {
    if (is_in_word(place))
        return load_word(page, place, loaded);
    *loaded = 0;
    for (unsigned i = 0; i < place->bytes; i++) {
        const uint64_t at = (place->address.offset + i) % PAGE;
        if (page)
            touch(page, at);
        if (place->bytes > WORD || (page && page->unknown[at / 8] >> at % 8 & 1))
            return false;
        *loaded |= (uint64_t)(memory_page_start_byte(at) ^ (page ? page->changed[at] : 0)) << (8 * i);
    }
    return true;
}

void memory_page_store(struct memory_page *page, const struct place *place, const uint64_t *number) {
    if (is_in_word(place)) {
        store_word(page, place, number);
        return;
    }
    for (unsigned i = 0; i < place->bytes; i++) {
        const uint64_t at = (place->address.offset + i) % PAGE;
        const bool is_known = number && i < WORD;
        uint8_t *unknown = &page->unknown[at / 8], bit = (uint8_t)(1 << at % 8);
        touch(page, at);
        *unknown = (uint8_t)(is_known ? *unknown & ~bit : *unknown | bit);
        page->changed[at] = (uint8_t)(is_known ? memory_page_start_byte(at) ^ (uint8_t)(*number >> (8 * i)) : 0);
    }
}
