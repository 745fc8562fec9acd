#include "analyzer/code/x86_encoding.h"

enum {
    LOCK = 0xf0,
    REX = 0x40,
    REX_W = 8,
    OPERAND_SIZE = 0x66,
    TWO_BYTES = 0x0f,
    VEX_3 = 0xc4,
    VEX_2 = 0xc5,
    EVEX = 0x62
};

static bool is_prefix(uint8_t byte) {
    return byte == OPERAND_SIZE || byte == 0x67 || byte == LOCK || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

// Opcodes of the first map with an immediate as wide as the operand, 16 or 32 bits; f7 is seen to apart.
static bool has_wide_immediate(uint8_t opcode) {
    return (opcode < REX && (opcode & 7) == 5) || opcode == 0x68 || opcode == 0x69 || opcode == 0x81 ||
           opcode == 0xa9 || (opcode >= 0xb8 && opcode <= 0xbf) || opcode == 0xc7;
}

static bool has_modrm(const struct x86_encoding *encoding, unsigned map) {
    uint8_t opcode = encoding->opcode;
    if (!encoding->is_legacy || map > 1)
        return true;
    if (map == 1)
        return !(opcode == 0x05 || opcode == 0x0b || opcode == 0x31 || opcode == 0x77 || opcode == 0xa2 ||
                 (opcode & 0xf0) == 0x80 || (opcode & 0xf8) == 0xc8);
    return (opcode < REX && (opcode & 7) < 4) || opcode == 0x63 || opcode == 0x69 || opcode == 0x6b ||
           (opcode >= 0x80 && opcode <= 0x8f) || opcode == 0xc0 || opcode == 0xc1 || opcode == 0xc6 || opcode == 0xc7 ||
           (opcode >= 0xd0 && opcode <= 0xd3) || (opcode >= 0xd8 && opcode <= 0xdf) || opcode == 0xf6 ||
           opcode == 0xf7 || opcode >= 0xfe;
}

// Bytes of the displacement, and behind which offset the immediate begins.
static unsigned address_bytes(struct x86_encoding *encoding, const uint8_t *bytes, unsigned at, unsigned n_bytes) {
    enum { WITH_SIB = 4, NO_BASE = 5 };
    if (at >= n_bytes)
        return at;
    unsigned mode = bytes[at] >> 6, base = bytes[at] & 7;
    at++;
    if (mode == 3)
        return at;
    if (base == WITH_SIB && at < n_bytes)
        base = (bytes[at++] & 7) == NO_BASE ? NO_BASE : WITH_SIB;
    encoding->displacement_bytes = mode == 1 ? 1 : mode == 2 || base == NO_BASE ? 4 : 0;
    return at + encoding->displacement_bytes;
}

struct x86_encoding x86_encoding_of(const uint8_t *bytes, unsigned n_bytes) {
    struct x86_encoding encoding = {.is_legacy = true};
    bool is_narrow = false, is_wide = false;
    unsigned at = 0, map = 0;
    for (; at + 1 < n_bytes && is_prefix(bytes[at]); at++) {
        is_narrow |= bytes[at] == OPERAND_SIZE;
        encoding.is_atomic |= bytes[at] == LOCK;
    }
    if (at + 1 < n_bytes && (bytes[at] & 0xf0) == REX)
        is_wide = bytes[at++] & REX_W;
    unsigned vector = bytes[at] == VEX_2 ? 2 : bytes[at] == VEX_3 ? 3 : bytes[at] == EVEX ? 4 : 0;
    if (vector && at + vector < n_bytes) {
        encoding.is_legacy = false;
        at += vector;
    } else if (bytes[at] == TWO_BYTES && at + 1 < n_bytes) {
        map = 1;
        at++;
        if ((bytes[at] == 0x38 || bytes[at] == 0x3a) && at + 1 < n_bytes) {
            map = 2;
            at++;
        }
    }
    encoding.opcode_at = at;
    encoding.opcode = bytes[at++];
    uint8_t modrm = at < n_bytes ? bytes[at] : 0;
    if (has_modrm(&encoding, map))
        at = address_bytes(&encoding, bytes, at, n_bytes);
    encoding.immediate_bytes = at < n_bytes ? n_bytes - at : 0;
    bool is_exchange = map == 0 && (encoding.opcode == 0x86 || encoding.opcode == 0x87) && modrm < 0xc0;
    encoding.is_atomic |= encoding.is_legacy && is_exchange;
    bool is_test = encoding.opcode == 0xf7 && (modrm >> 3 & 7) < 2;
    encoding.changes_length =
        encoding.is_legacy && map == 0 && is_narrow && !is_wide && (has_wide_immediate(encoding.opcode) || is_test);
    return encoding;
}

int64_t x86_immediate(const struct x86_encoding *encoding, const uint8_t *bytes, unsigned n_bytes) {
    enum { MOST = 8 };
    unsigned n = encoding->immediate_bytes;
    uint64_t value = 0;
    if (!n || n > MOST)
        return 0;
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)bytes[n_bytes - n + i] << (8 * i);
    uint64_t sign = UINT64_C(1) << (8 * n - 1);
    return (int64_t)((value ^ sign) - sign);
}
