#include "base/bytes.h"

const char *bytes_to_hex(struct arena *arena, const uint8_t *bytes, size_t n_bytes) {
    static const char digits[] = "0123456789abcdef";
    char *hex = ARENA_ARRAY(arena, char, 2 * n_bytes + 1);
    for (size_t i = 0; i < n_bytes; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    return hex;
}

// Returns the value of a digit; -1: not a digit.
static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool bytes_from_hex(const char *hex, size_t n_bytes, uint8_t *bytes) {
    for (size_t i = 0; i < n_bytes; i++) {
        int high = hex_digit(hex[2 * i]), low = high < 0 ? -1 : hex_digit(hex[2 * i + 1]);
        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

size_t bytes_from_digits(const char *digits, size_t n, uint8_t *bytes) {
    for (size_t i = 0; i < n; i++) {
        char c = digits[i];
        int digit = hex_digit(c >= 'A' && c <= 'F' ? (char)(c | 32) : c);
        if (digit < 0)
            return i;
        if (i % 2 == 1)
            bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
        else if (i + 1 < n)
            bytes[i / 2] = (uint8_t)digit;
    }
    return n;
}

// Returns the length of what may stand before a byte: a blank, "0x", "\\x".
static size_t before_byte(const char *text, size_t n) {
    if (n > 0 && (*text == ' ' || *text == '\t'))
        return 1;
    bool is_mark = n > 1 && (*text == '0' || *text == '\\') && (text[1] == 'x' || text[1] == 'X');
    return is_mark ? 2 : 0;
}

size_t bytes_from_people(const char *text, size_t n, uint8_t *bytes, size_t *n_digits) {
    size_t at = 0;
    *n_digits = 0;
    for (size_t skipped; at < n;) {
        while (*n_digits % 2 == 0 && (skipped = before_byte(text + at, n - at)) > 0)
            at += skipped;
        size_t read = at < n ? bytes_from_digits(text + at, n - at >= 2 ? 2 : 1, bytes + *n_digits / 2) : 0;
        *n_digits += read;
        at += read;
        if (read < 2)
            break;
    }
    return at;
}

uint32_t bytes_hash_32(const void *data, size_t n_bytes) {
    const uint8_t *bytes = data;
    uint32_t hash = 0x811c9dc5;
    for (size_t i = 0; i < n_bytes; i++)
        hash = (hash ^ bytes[i]) * 0x01000193;
    return hash;
}

uint64_t bytes_hash(const void *data, size_t n_bytes) {
    const uint8_t *bytes = data;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < n_bytes; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

uint64_t bytes_scramble(uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}
