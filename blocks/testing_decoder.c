#include "blocks/testing_decoder.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct arena testing_arena;
struct decoder testing_decoder;

int testing_decoder_open(void **state) {
    struct fail fail = {0};
    (void)state;
    return decoder_open(&testing_decoder, &testing_arena, isa_find("x86_64"), NULL, &fail) ? 0 : -1;
}

int testing_decoder_close(void **state) {
    (void)state;
    decoder_close(&testing_decoder);
    arena_free(&testing_arena);
    return 0;
}

struct block testing_decode(const char *hex) {
    size_t n_bytes = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(&testing_arena, n_bytes + 1);
    struct block block;
    struct fail fail = {0};
    assert_true(bytes_from_hex(hex, n_bytes, bytes));
    assert_true(decoder_decode(&testing_decoder, &testing_arena, bytes, n_bytes, &block, &fail));
    return block;
}
