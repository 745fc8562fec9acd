// Bytes as text in which repeated runs stand once: words of hexadecimal digits, and "DISTANCE-LENGTH" for bytes that
// stood DISTANCE before already. A run may reach into itself: "90 1-7" is eight times 90. For machine code of loops and
// of unrolled copies, which becomes a fifth of what its digits take.
#ifndef BASE_REPEATS_H
#define BASE_REPEATS_H

#include "base/text.h"

#include <stdint.h>

struct repeats_before {
    const uint8_t *bytes;
    size_t n;
};

void repeats_write(struct text *out, struct repeats_before before, const uint8_t *bytes, size_t n_bytes);

// Reads such a text. Returns false where it is not one, or has more than `most` bytes.
bool repeats_read(struct arena *arena, const char *text, struct repeats_before before, size_t most, uint8_t **bytes,
                  size_t *n_bytes);

#endif
