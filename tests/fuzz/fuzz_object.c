// ELF files. Two bytes in front choose the target and which part of the object is asked for.
#include "cli/mca_bytes.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    static const struct object_range ranges[] = {
        {0},
        {.symbol = "f"},
        {.section = ".text"},
        {.start = "0", .end = "16"},
        {.section = ".text", .start = "0x2"},
        {.end = "0xffffffffffffffff"},
    };
    if (n_bytes < 2)
        return 0;
    struct arena arena = {0};
    struct fail fail = {0};
    struct backend_source source = {0};
    struct model cpu = fuzz_cpu(data[0]);
    const struct object_range *range = &ranges[data[1] % (sizeof ranges / sizeof *ranges)];
    if (object_is_elf(data + 2, n_bytes - 2) &&
        mca_describe_object(&cpu, &arena, &(struct object_file){"input.o", data + 2, n_bytes - 2, cpu.machine->triple},
                            range, &source, &fail))
        fuzz_simulate(cpu, source.blocks, source.n_blocks);
    arena_free(&arena);
    return 0;
}
