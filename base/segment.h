// A piece of memory at a fixed address, with its content.
#ifndef BASE_SEGMENT_H
#define BASE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment {
    uint64_t address;
    const uint8_t *bytes; // the first `n_bytes`; zeros follow
    size_t n_bytes, size;
    bool is_writable, is_executable;
};

#endif
