#include "base/bytes.h"
#include "runner/pack.h"

#include <string.h>

#define LAST_LINE "cyclops-bundle "
enum { NUMBER_DIGITS = 16, LAST_LINE_BYTES = sizeof LAST_LINE - 1 + NUMBER_DIGITS + 1 + NUMBER_DIGITS + 1 };

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
