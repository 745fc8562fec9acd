// Functions that tests/functions-qemu.sh runs natively under an emulator, and as Cyclops runs them: calls, loops by
// their own branches, tables and variables of the file. Compiled with RESULTS, each `check_` function runs one of them
// and comes to a trap where the result differs.
typedef unsigned long word;
static const unsigned char steps[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static word numbers[8] = {2, 7, 1, 8, 2, 8, 1, 8};
static word *const places[4] = {numbers, numbers + 3, numbers + 5, numbers + 7};
static double reals[4] = {0.5, 1.25, -2, 3};
static word written[8]; // by each call anew
static float halves[4] = {1, 2, 3, 4};

__attribute__((noinline)) static word mix(word x, word y) {
    return (x << 5 | x >> 59) ^ y * 0x9e3779b97f4a7c15;
}

__attribute__((noinline)) static word fold(const word *from, const word *end, word x) {
    for (; from != end; from++)
        x = mix(x, *from);
    return x;
}

__attribute__((noinline)) word calls(void) {
    word x = 1;
    for (word i = 0; i < 20; i++)
        x = mix(x, i);
    return fold(numbers, numbers + 8, x);
}

__attribute__((noinline)) word tables(void) {
    word x = 0;
    for (word i = 0; i < 64; i++)
        x = x * 31 + steps[(x + i) & 15] + *places[i & 3];
    return x;
}

__attribute__((noinline)) word variables(void) {
    word x = 0;
    for (int i = 0; i < 8; i++)
        written[i] = numbers[i] + steps[i];
    for (int i = 0; i < 8; i++)
        x = x * 7 + written[i ^ 3];
    for (int i = 0; i < 4; i++)
        halves[i] = (float)(reals[i] * 2 + 7);
    for (int i = 0; i < 4; i++)
        x = x * 7 + (word)(halves[3 - i] * 4);
    return x;
}

__attribute__((noinline)) word choices(void) {
    word x = 5;
    for (int i = 0; i < 40; i++)
        switch (steps[i & 15]) {
        case 1:
            x += 3;
            break;
        case 2:
            x ^= x >> 3;
            break;
        case 3:
            x *= 5;
            break;
        case 4:
            x -= 1;
            break;
        case 5:
            x = ~x;
            break;
        case 6:
            x |= 64;
            break;
        case 7:
            x <<= 1;
            break;
        default:
            x += (word)i;
            break;
        }
    return x;
}

#ifdef RESULTS
#define CHECK(name, result)                                                                                            \
    void check_##name(void) {                                                                                          \
        if (name() != (result))                                                                                        \
            __builtin_trap();                                                                                          \
    }
RESULTS
#else
#include <stdio.h>
int main(void) {
    printf("calls %#lx\ntables %#lx\nvariables %#lx\nchoices %#lx\n", calls(), tables(), variables(), choices());
    return 0;
}
#endif
