// ELF files. Two bytes in front choose the target and which part of the object is asked for.
#include "cli/mca/bytes.h"
#include "gen/block.h"
#include "tests/fuzz/fuzz.h"

// What `cyclops run` takes of it: pieces, with the data that they refer to.
static void read_data(struct arena *arena, const struct object_file *file, const struct object_range *range) {
    struct fail fail = {0};
    const struct object_piece *pieces;
    size_t n;
    if (!object_is_elf(file->data, file->n_bytes) || !object_code_read(arena, file, range, &pieces, &n, &fail))
        return;
    const struct isa *isa = isa_find("x86_64");
    struct object_linker *linker = object_linker_open(arena, file, isa, &fail);
    for (size_t i = 0; linker && i < n; i++) {
        struct program program;
        struct fail why = {0};
        struct block_source source = {
            .isa = isa, .name = "input.o", .bytes = pieces[i].bytes, .n_bytes = pieces[i].n_bytes};
        const struct block_request request = {.form = PROGRAM_LOOPED};
        if (object_linker_read(linker, &pieces[i], &source, &why) && source.n_bytes > 0)
            gen_block(arena, &source, &request, &program, &why);
    }
    object_linker_close(linker);
}

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
        mca_describe_object(
            &cpu, &arena,
            &(struct object_file){
                .path = "input.o", .data = data + 2, .n_bytes = n_bytes - 2, .triple = cpu.machine->triple},
            range, &source, &fail))
        fuzz_simulate(cpu, source.blocks, source.n_blocks);
    read_data(&arena,
              &(struct object_file){
                  .path = "input.o", .data = data + 2, .n_bytes = n_bytes - 2, .triple = "x86_64-linux-gnu"},
              range);
    arena_free(&arena);
    return 0;
}
