// Executes one instruction of each program, and compares what it leaves with the model's (vector_model.h). The program
// makes its set-up itself; then `take` puts values into all registers and into memory. scripts/study-forms-qemu links
// it with the programs:  vector_results MOST  stops when so many were compared; prints a line for each.
#include "vector_model.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct vector_case {
    const char *name;
    void (*program)(uint64_t iterations, void *memory);
    const uint32_t *code;
    uint32_t sew;
    int32_t lmul;
    uint32_t length; // whole, half, odd, one
    uint32_t keeps_tail, keeps_masked_off, has_mask;
    uint32_t order; // of indices: all zero, ascending, in a line, spread
    uint32_t unused;
};
extern const struct vector_case vector_cases[]; // ends with one without a name

// What a program has set up, what it is given instead, and what its instruction leaves: before that, vectors that the
// program has set up. The programs' macro knows them.
uint64_t vector_set_up[32];
struct vector_state vector_given, vector_left;

static const struct vector_case *now;
static struct vector_model model;
static uint8_t memory[VECTOR_MEMORY] __attribute__((aligned(64))), expected[VECTOR_MEMORY];
static const char *wrong;
static uint64_t random_state;

static uint64_t random_number(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void fill_floats(unsigned reg, unsigned bits) {
    const unsigned n = 8 * model.register_bytes * 8 / (bits ? bits : 8);
    for (unsigned i = 0; bits >= 32 && i < n && reg * model.register_bytes + (i + 1) * bits / 8 <= VECTOR_ALL; i++) {
        const double value = ((double)(random_number() % 4000) - 2000) / 4;
        const float single = (float)value;
        memcpy(&vector_given.v[reg * model.register_bytes + i * bits / 8],
               bits == 32 ? (const void *)&single : (const void *)&value, bits / 8);
    }
}

// Indices are small, whatever their width is, so that they stay in memory.
static void fill_indices(unsigned bits) {
    for (unsigned at = 0; at < sizeof vector_given.v; at += bits / 8) {
        const uint64_t index = random_number() % (bits == 8 ? 256 : 4096);
        memcpy(&vector_given.v[at], &index, bits / 8);
    }
}

static void fill_operands(void) {
    const uint32_t code = *now->code;
    const struct vector_widths w = vector_model_widths(code, now->sew);
    const bool is_indexed = vector_is_memory(code) && code >> 26 & 1;
    static const unsigned widths[] = {8, 0, 0, 0, 0, 16, 32, 64};
    for (unsigned i = 0; i < 32; i++) {
        const double value = (double)(random_number() % 2000) / 8 - 100;
        const float single = (float)value;
        uint32_t bits = 0;
        if (!vector_is_memory(code))
            vector_given.x[i] = i % 2 ? random_number() : random_number() % 40;
        memcpy(&bits, &single, sizeof bits);
        memcpy(&vector_given.f[i], &value, sizeof value);
        if (now->sew < 64)
            vector_given.f[i] = UINT64_MAX << now->sew | (now->sew == 16 ? bits >> 16 : bits);
    }
    if (is_indexed)
        fill_indices(widths[code >> 12 & 7]);
    if (!vector_is_float(code))
        return;
    fill_floats(code >> 7 & 31, w.d);
    fill_floats(code >> 20 & 31, w.s2);
    fill_floats(code >> 15 & 31, w.s1);
}

// Indices as the name has them.
static bool has_order(void) {
    static const unsigned widths[] = {8, 0, 0, 0, 0, 16, 32, 64};
    const uint32_t code = *now->code;
    const bool is_memory = vector_is_memory(code);
    const unsigned bits = is_memory            ? widths[code >> 12 & 7]
                          : code >> 26 == 0x0e ? 16
                                               : now->sew,
                   reg = code >> (is_memory ? 20 : 15) & 31, step = now->sew / 8 * ((code >> 29) + 1), n = model.vl,
                   most = model.register_bytes * 8 * (now->lmul < 0 ? 1 : 1U << now->lmul) / now->sew >>
                          (now->lmul < 0 ? -now->lmul : 0);
    for (unsigned i = 0; i < n; i++) {
        const uint64_t in_memory[] = {0, (uint64_t)i * step, i * step & 63, i * 64 & 4095},
                       in_registers[] = {0, i, 0, most - 1 - i};
        uint64_t index = 0, want = is_memory ? in_memory[now->order] : in_registers[now->order];
        memcpy(&index, &vector_left.v[reg * model.register_bytes + i * bits / 8], bits / 8);
        if (index != (bits < 64 ? want & ((UINT64_C(1) << bits) - 1) : want))
            return false;
    }
    return true;
}

static void check_set_up(uint64_t vl, uint64_t type) {
    const uint64_t expected_type = (uint64_t)!now->keeps_masked_off << 7 | (uint64_t)!now->keeps_tail << 6 |
                                   (uint64_t)(__builtin_ctz(now->sew) - 3) << 3 | ((uint64_t)now->lmul & 7);
    if (type != expected_type)
        wrong = "another type";
    else if (vl != model.vl)
        wrong = "another number of elements";
    else if (now->order && !has_order())
        wrong = "another order of indices";
}

void vector_take(void); // study-forms-qemu puts a call of it before a loop
void vector_take(void) {
    uint64_t vl, type;
    __asm__ volatile("csrr %0, 0xc20; csrr %1, 0xc21; csrwi 0x009, 0" : "=r"(vl), "=r"(type));
    memcpy(vector_given.x, vector_set_up, sizeof vector_given.x);
    for (unsigned i = 0; i < sizeof vector_given.v; i++)
        vector_given.v[i] = (uint8_t)random_number();
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)random_number();
    fill_operands();
    memcpy(expected, memory, sizeof memory);
    check_set_up(vl, type);
}

static unsigned elements(const struct vector_case *c) {
    const unsigned all = model.register_bytes * 8 / c->sew, most = c->lmul < 0 ? all >> -c->lmul : all << c->lmul;
    const unsigned by_length[] = {most, (most + 1) / 2, (most - 1) | 1, 1};
    return by_length[c->length];
}

static const char *find_difference(void) {
    static char text[128];
    for (unsigned i = 0; i < 32 * model.register_bytes; i++) {
        const uint8_t got = vector_left.v[i], old = vector_given.v[i], want = model.now.v[i];
        const bool is_fine = model.is_agnostic[i] ? got == old || got == 0xff : !((got ^ want) & model.fixed[i]);
        if (!is_fine) {
            snprintf(text, sizeof text, "byte %u of v%u: %#x instead of %#x, and before %#x", i % model.register_bytes,
                     i / model.register_bytes, got, want, old);
            return text;
        }
    }
    for (unsigned i = 5; i < 30; i++)
        if (vector_left.x[i] != model.now.x[i] || vector_left.f[i] != model.now.f[i])
            return "a scalar register";
    for (unsigned i = 0; i < VECTOR_MEMORY; i++)
        if (!model.is_memory_open[i] && memory[i] != expected[i])
            return "memory";
    return vector_left.saturated != model.now.saturated ? "whether it is saturated" : NULL;
}

static const char *outcome_of(const struct vector_case *c) {
    model = (struct vector_model){.sew = c->sew,
                                  .lmul = c->lmul,
                                  .keeps_tail = c->keeps_tail,
                                  .keeps_masked_off = c->keeps_masked_off,
                                  .register_bytes = model.register_bytes,
                                  .code = *c->code,
                                  .old = &vector_given,
                                  .memory = expected,
                                  .memory_at = (uint64_t)memory};
    model.vl = elements(c);
    now = c;
    c->program(1, memory + VECTOR_MEMORY / 2);
    if (!wrong && c->has_mask && *c->code >> 25 & 1)
        wrong = "there is no mask";
    if (!wrong && !vector_model_run(&model))
        return "unknown to the model";
    const char *difference = wrong ? wrong : find_difference();
    return difference ? difference : "equal";
}

// Returns whether it was compared. A process of its own, as the emulator itself ends at some instructions.
static bool try_case(const struct vector_case *c) {
    int status = 0;
    fflush(stdout);
    if (fork() == 0) {
        const char *outcome = outcome_of(c);
        printf("%s: %s\n", c->name, outcome);
        fflush(stdout);
        _exit(strcmp(outcome, "unknown to the model") == 0);
    }
    wait(&status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL)
        printf("%s: not executed here\n", c->name);
    else if (WIFSIGNALED(status))
        printf("%s: the emulator ends\n", c->name);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv) {
    const long most = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    long n = 0;
    uint64_t bytes;
    __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
    model.register_bytes = (unsigned)bytes;
    for (const struct vector_case *c = vector_cases; c->name && n < most; c++) {
        random_state = UINT64_C(88172645463325252) + (uint64_t)(c - vector_cases);
        n += try_case(c);
    }
    return 0;
}
