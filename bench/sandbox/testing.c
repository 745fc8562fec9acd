#include "bench/sandbox/testing.h"

#include "base/bytes.h"

#include <assert.h>
#include <string.h>

enum { EXIT = 32, START = 64, MOST_BYTES = 256 };

bool foreign_code_exists(void) {
#if defined(__x86_64__)
    return true;
#else
    return false;
#endif
}

struct writer {
    uint8_t *bytes;
    size_t n;
};

static void put(struct writer *out, const char *hex) {
    size_t n = strlen(hex) / 2;
    assert(out->n + n <= MOST_BYTES);
    bool is_hex = bytes_from_hex(hex, n, out->bytes + out->n);
    assert(is_hex);
    (void)is_hex;
    out->n += n;
}

static void put_number(struct writer *out, int32_t number) {
    memcpy(out->bytes + out->n, &number, sizeof number);
    out->n += sizeof number;
}

// Adds an instruction whose operand is a word of the frame, by its distance from the end of the instruction.
static void put_with_word(struct writer *out, const char *hex, int word) {
    put(out, hex);
    put_number(out, EXIT - BENCH_FRAME_DISTANCE + 8 * word - (int32_t)(out->n + 4));
}

static void put_jump(struct writer *out, const char *hex, size_t to) {
    put(out, hex);
    put_number(out, (int32_t)to - (int32_t)(out->n + 4));
}

struct bench_code foreign_code(struct arena *arena, struct foreign_body body, struct bench_foreign rules) {
    struct writer out = {.bytes = ARENA_ARRAY(arena, uint8_t, MOST_BYTES)};
    put_with_word(&out, "488925", 0); // mov [frame], rsp
    put_jump(&out, "e9", START);
    out.n = EXIT;
    put_with_word(&out, "488905", FOREIGN_RAX); // mov [frame + 8], rax
    put_with_word(&out, "488b25", 0);           // mov rsp, [frame]
    put(&out, "68020200009dc3");                // push 0x202; popf; ret
    out.n = START;
    put(&out, "b8"); // mov eax, …
    put_number(&out, (int32_t)body.rax);
    put(&out, "31c9"); // xor ecx, ecx
    size_t loop = out.n;
    put(&out, body.hex);
    if (!body.has_no_loop) {
        put(&out, "48ffcf"); // dec rdi
        put_jump(&out, "0f85", loop);
    }
    put_jump(&out, "e9", EXIT);
    rules.exit_offset = EXIT;
    return (struct bench_code){.bytes = out.bytes, .n_bytes = out.n, .bodies = 1, .process_set = 1, .foreign = rules};
}
