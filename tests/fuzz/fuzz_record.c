// Measurement files, and what `cyclops run --from` makes of them: their code is decoded and simulated.
#include "bench/record/record.h"
#include "lab/record_experiment.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

static void check_printable(const char *text) {
    assert(strlen(text) < 1024);
    for (; *text; text++)
        assert((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void take(struct arena *arena, const struct record *record) {
    struct experiment experiment;
    struct fail fail = {0};
    struct block block;
    if (!record_to_experiment(arena, record, &experiment, &fail))
        return;
    check_printable(experiment.program.kernel);
    check_printable(experiment.program.label);
    if (experiment.measurement.why)
        check_printable(experiment.measurement.why);
    struct record again;
    experiment_to_record(arena, &experiment, &again);
    assert(strcmp(again.bytes, record->bytes) == 0);
    unsigned which = strcmp(again.isa, "aarch64") == 0 ? 3 : strcmp(again.isa, "riscv64") == 0 ? 5 : 0;
    struct model cpu = fuzz_cpu(which);
    if (model_describe_bytes(&cpu, arena, experiment.program.code, experiment.program.code_bytes, &block, &fail))
        fuzz_simulate(cpu, &block, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct record_file file = {0};
    if (record_read(&arena, fuzz_path(data, n_bytes), &file, &fail))
        for (size_t i = 0; i < file.n_records; i++)
            take(&arena, &file.records[i]);
    record_file_close(&file);
    arena_free(&arena);
    return 0;
}
