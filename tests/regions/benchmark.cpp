// Chains of known cycles under google/benchmark, with cyclops' column.
#include "cyclops_benchmark.h"

#include <benchmark/benchmark.h>

#include <cstdint>

static void add25(benchmark::State &state) {
    std::uint64_t value = 1, step = 3;
    for (auto _ : cyclops::cycles(state))
        __asm__ volatile(".rept 25\n\tadd %1, %0\n\t.endr" : "+r"(value) : "r"(step) : "cc");
}
BENCHMARK(add25);

static void imul2000(benchmark::State &state) {
    std::uint64_t value = 1, step = 3;
    for (auto _ : cyclops::cycles(state))
        __asm__ volatile(".rept 2000\n\timul %1, %0\n\t.endr" : "+r"(value) : "r"(step) : "cc");
}
BENCHMARK(imul2000);

BENCHMARK_MAIN();
