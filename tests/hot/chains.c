// Loops of chains, whose cycles differ from CPU to CPU; one whose branches go by its data. Of these the case file in
// results/ is made, which other CPUs replay: the same path, their own cycles.
#include <stdint.h>
#include <stdio.h>

#define LOOP(name, chain)                                                                                              \
    __attribute__((noinline, noclone)) static void name(struct data *data) {                                           \
        uint64_t n = 200, value = 3;                                                                                   \
        double number = 1;                                                                                             \
        (void)value, (void)number;                                                                                     \
        __asm__ volatile(".p2align 6\n1:\n\t.rept 8\n\t" chain "\n\t.endr\n\tdecq %[n]\n\tjnz 1b"                      \
                         : [n] "+r"(n), [value] "+r"(value), [number] "+x"(number), [at] "+r"(data->at)                \
                         :                                                                                             \
                         : "cc", "memory");                                                                            \
    }

struct data {
    void *at;
    unsigned char bytes[400];
};

LOOP(add, "addq %[value], %[value]")
LOOP(multiply, "imulq %[value], %[value]")
LOOP(load, "movq (%[at]), %[at]")
LOOP(add_double, "addsd %[number], %[number]")
LOOP(multiply_double, "mulsd %[number], %[number]")
LOOP(divide_double, "divsd %[number], %[number]")

// Two adds more a turn where a byte is odd.
__attribute__((noinline, noclone)) static uint64_t branch(const unsigned char *bytes, uint64_t n) {
    uint64_t sum = 0;
    __asm__ volatile(
        ".p2align 6\n1:\n\ttestb $1, -1(%[bytes], %[n])\n\tjz 2f\n\taddq %[n], %[sum]\n\taddq %[n], %[sum]\n"
        "2:\n\taddq $1, %[sum]\n\tdecq %[n]\n\tjnz 1b"
        : [n] "+r"(n), [sum] "+r"(sum)
        : [bytes] "r"(bytes)
        : "cc", "memory");
    return sum;
}

int main(void) {
    enum { TIMES = 15000, BRANCHES = 15 };
    static struct data data;
    uint64_t sum = 0;
    data.at = &data.at;
    for (unsigned i = 0; i < sizeof data.bytes; i++)
        data.bytes[i] = i % 3 == 0;
    for (unsigned k = 0; k < TIMES; k++) {
        add(&data);
        multiply(&data);
        load(&data);
        add_double(&data);
        multiply_double(&data);
        divide_double(&data);
        for (unsigned i = 0; i < BRANCHES; i++)
            sum += branch(data.bytes, sizeof data.bytes);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
