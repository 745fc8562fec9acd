#include "tests/fuzz/fuzz.h"

#include "analyzer/sim/mca/mca.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void give_up(const char *what) {
    fprintf(stderr, "fuzz: %s\n", what);
    exit(2);
}

const char *fuzz_path(const uint8_t *data, size_t n_bytes) {
    static int fd = -1;
    static char path[64];
    if (fd >= 0)
        close(fd);
    fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, n_bytes) != (ssize_t)n_bytes)
        give_up("cannot make the input a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

struct model fuzz_cpu(unsigned which) {
    static const char *const names[][2] = {
        {"x86_64-linux-gnu", "znver4"},      {"x86_64-linux-gnu", "skylake-avx512"},
        {"x86_64-linux-gnu", "atom"},        {"aarch64-linux-gnu", "neoverse-n1"},
        {"aarch64-linux-gnu", "cortex-a55"}, {"riscv64-linux-gnu", "sifive-p670"},
        {"powerpc64le-linux-gnu", "pwr9"},   {"thumbv7-linux-gnueabihf", "cortex-a57"},
        {"s390x-linux-gnu", "z16"},
    };
    enum { N = sizeof names / sizeof *names };
    static struct model cpus[N];
    static struct arena arena;
    which %= N;
    if (cpus[which].cpu == NULL) {
        struct fail fail = {0};
        struct backend_options options = {.triple = names[which][0], .cpu = names[which][1], .output_syntax = -1};
        if (!model_open(&cpus[which], &arena, NULL, &options, &fail))
            give_up(fail.text);
    }
    return cpus[which];
}

void fuzz_simulate(struct model cpu, const struct block *blocks, size_t n_blocks) {
    enum { MOST_INSNS = 64, MOST_CYCLES = 20000 };
    for (size_t i = 0; i < n_blocks; i++) {
        struct fail fail = {0};
        struct pipeline_result result;
        const struct pipeline_options options = {.iterations = 3, .max_cycles = MOST_CYCLES};
        if (blocks[i].n_insns <= MOST_INSNS)
            mca_core_run(cpu.machine, EXECUTION_OF(&blocks[i]), &options, NULL, &result, &fail);
    }
}
