// A program with loops of known cycles a turn: a hash, one multiply and one xor a byte, and a walk through a list; and
// one that changes: in the second half of the run, each turn has a chain of 64 adds. And a function in no loop, which
// calls itself.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct item *next;
    uint64_t value;
};

__attribute__((noinline, noclone)) static uint64_t hash(const unsigned char *bytes, size_t n) {
    uint64_t value = 14695981039346656037U;
    for (size_t i = 0; i < n; i++)
        value = (value ^ bytes[i]) * 1099511628211U;
    return value;
}

__attribute__((noinline, noclone)) static uint64_t walk(const struct item *item, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++, item = item->next)
        sum ^= item->value;
    return sum;
}

__attribute__((noinline, noclone)) static uint64_t change(const unsigned *words, size_t n) {
    uint64_t sum = 1;
    for (size_t i = 0; i < n; i++) {
        if (words[i])
            __asm__(".rept 64\n\taddq %0, %0\n\t.endr" : "+r"(sum));
        sum += i;
    }
    return sum;
}

__attribute__((noinline, noclone)) static uint64_t mix(unsigned n) {
    return n < 2 ? n + 1 : (3 * mix(n - 1)) ^ (5 * mix(n - 2));
}

int main(int argc, char **argv) {
    enum { ITEMS = 256, BYTES = 4096, WORDS = 128, EASY_TIMES = 32, MIXED = 17 };
    static unsigned words[WORDS];
    static struct item items[ITEMS];
    static unsigned char bytes[BYTES];
    const unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
    uint64_t sum = 0;
    for (unsigned i = 0; i < ITEMS; i++)
        items[i] = (struct item){&items[(i * 97 + 1) % ITEMS], i};
    size_t n = fread(bytes, 1, BYTES, stdin);
    memset(bytes + n, 7, BYTES - n);
    for (unsigned k = 0; k < times; k++) {
        sum += hash(bytes, BYTES) + walk(items, BYTES) + mix(MIXED);
        bytes[k % BYTES] ^= (unsigned char)sum;
        if (k == times / 2)
            words[0] = 1;
        for (unsigned i = 1; i < WORDS; i++)
            words[i] = words[0];
        for (unsigned i = 0; i < (words[0] ? 1 : EASY_TIMES); i++)
            sum += change(words, WORDS);
    }
    printf("%zu bytes, sum %llx\n", n, (unsigned long long)sum);
    return 3;
}
