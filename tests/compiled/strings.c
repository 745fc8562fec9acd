// Scans and hashes of bytes, with early exits. sums.c explains the lines `call:`.
#include <stddef.h>
#include <stdint.h>

// call: A n 85; n = 2048 4096 6144 8192
const char *find_byte(const char *a, long n, int byte) {
    for (long i = 0; i < n; i++)
        if (a[i] == byte)
            return a + i;
    return NULL;
}

// call: A A+8192 n; n = 2048 4096 6144 8192
int compare_bytes(const uint8_t *a, const uint8_t *b, long n) {
    for (long i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] - b[i];
    return 0;
}

// call: A A+1n; n = 2048 4096 6144 8192
long count_blanks(const char *a, const char *end) {
    long count = 0;
    for (; a < end; a++)
        count += *a == ' ' || *a == '\t';
    return count;
}

// call: A n; n = 2048 4096 6144 8192
void to_upper(char *a, long n) {
    for (long i = 0; i < n; i++)
        if (a[i] >= 'a' && a[i] <= 'z')
            a[i] -= 'a' - 'A';
}

// call: A A+1n; n = 128 256 384 512
uint64_t hash_bytes(const uint8_t *a, const uint8_t *end) {
    uint64_t hash = 0xcbf29ce484222325;
    while (a != end)
        hash = (hash ^ *a++) * 0x100000001b3;
    return hash;
}

// call: A n; n = 512 1024 1536 2048
uint32_t hash_words(const uint32_t *a, long n) {
    uint32_t hash = 17;
    for (long i = 0; i < n; i++) {
        hash = (hash << 5 | hash >> 27) ^ a[i];
        hash += hash << 3;
    }
    return hash;
}

// call: A n; n = 2048 4096 6144 8192
long count_characters(const uint8_t *a, long n) {
    long count = 0;
    for (long i = 0; i < n; i++)
        count += (a[i] & 0xc0) != 0x80;
    return count;
}

// call: A n; n = 1024 2048 3072 4096
long first_negative(const int *a, long n) {
    for (long i = 0; i < n; i++)
        if (a[i] < 0)
            return i;
    return -1;
}

// call: A n; n = 1024 2048 3072 4096
uint32_t two_sums(const uint8_t *a, long n) {
    uint32_t low = 1, high = 0;
    for (long i = 0; i < n; i++) {
        low += a[i];
        high += low;
    }
    return high << 16 | (low & 0xffff);
}
