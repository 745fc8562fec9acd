// Loops that read tables, constants, and addresses of the program itself. sums.c explains the lines `call:`.
#include <stdint.h>

static const uint8_t bits_of_nibble[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

// call: A n; n = 512 1024 1536 2048
long bits_by_table(const uint8_t *a, long n) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += bits_of_nibble[a[i] & 15] + bits_of_nibble[a[i] >> 4];
    return sum;
}

static const uint32_t crc_of_nibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                           0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                           0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

// call: A n; n = 128 256 384 512
uint32_t crc(const uint8_t *a, long n) {
    uint32_t crc = ~0u;
    for (long i = 0; i < n; i++) {
        crc = crc_of_nibble[(crc ^ a[i]) & 15] ^ crc >> 4;
        crc = crc_of_nibble[(crc ^ a[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

// call: A n B; n = 512 1024 1536 2048
void histogram(const uint8_t *a, long n, uint32_t *counts) {
    for (long i = 0; i < n; i++)
        counts[a[i]]++;
}

// call: A n B; n = 512 1024 1536 2048
void hexadecimal(const uint8_t *a, long n, char *out) {
    for (long i = 0; i < n; i++) {
        out[2 * i] = "0123456789abcdef"[a[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[a[i] & 15];
    }
}

// call: A n B; n = 512 1024 1536 2048
long gather(const uint16_t *index, long n, const int *values) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += values[index[i] & 511];
    return sum;
}

// call: A n; n = 128 256 384 512
long run_codes(const uint8_t *codes, long n) {
    long value = 1;
    for (long i = 0; i < n; i++)
        switch (codes[i] & 7) {
        case 0:
            value += 3;
            break;
        case 1:
            value -= codes[i];
            break;
        case 2:
            value *= 5;
            break;
        case 3:
            value ^= value >> 3;
            break;
        case 4:
            value <<= 1;
            break;
        case 5:
            value |= 64;
            break;
        case 6:
            value = ~value;
            break;
        default:
            value = i;
            break;
        }
    return value;
}

static int places[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static int *const pointers[4] = {places, places + 2, places + 5, places + 7};

// call: A n; n = 512 1024 1536 2048
long by_pointers(const uint8_t *a, long n) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += *pointers[a[i] & 3];
    return sum;
}

static const uint8_t next_state[3][4] = {{0, 1, 2, 0}, {1, 1, 0, 2}, {2, 0, 1, 1}};

// call: A n; n = 128 256 384 512
int state_machine(const uint8_t *a, long n) {
    unsigned state = 0;
    for (long i = 0; i < n; i++)
        state = next_state[state][a[i] >> 6];
    return (int)state;
}

static uint32_t seen[64];

// call: A n; n = 512 1024 1536 2048
void mark_seen(const uint16_t *a, long n) {
    for (long i = 0; i < n; i++)
        seen[a[i] >> 5 & 63] |= 1u << (a[i] & 31);
}

static _Thread_local long of_thread[16];

// call: A n; n = 256 512 768 1024
void count_in_thread(const uint16_t *a, long n) {
    for (long i = 0; i < n; i++)
        of_thread[a[i] & 15]++;
}
