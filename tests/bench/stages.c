// Where the time of predictions goes: microseconds per block, each stage run over all blocks by itself.
//     bench_stages FILE.hex CPU ITERATIONS   `cyclops mca --hex`: decoding, describing, simulating
//     bench_stages FILE.hex cpu:NAME         a CPU file: describing by its base, its bounds, its core
//     bench_stages FILE.hex cpu:NAME values  what these are, to the last bit: a faster program has the same
#include "analyzer/model/model.h"
#include "analyzer/predict/core_plan.h"
#include "analyzer/sim/mca/mca.h"
#include "base/file.h"
#include "base/text.h"
#include "gen/block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct code {
    uint8_t *bytes;
    size_t n_bytes;
    struct block block;
};

struct bench {
    struct arena arena;
    struct fail fail;
    const struct backend *backend;
    struct backend_cpu *cpu;
    struct pipeline *pipeline;
    struct model model; // of a CPU file
    bool is_decoded;    // by its decoders; else its cache of decoded instructions delivers the blocks
    struct code *codes;
    size_t n_codes;
    uint64_t iterations;
};

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static unsigned digit(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

static void read_codes(struct bench *bench, const char *path) {
    char *data;
    if (!file_read(&bench->arena, path, &data, NULL, &bench->fail))
        return;
    struct slice rest = {data, strlen(data)}, line;
    while (slice_next(&rest, '\n', &line)) {
        size_t n = 0;
        while (n + 1 < line.length && line.data[n] != ',')
            n += 2;
        if (n == 0)
            continue;
        struct code code = {.bytes = ARENA_ARRAY(&bench->arena, uint8_t, n / 2), .n_bytes = n / 2};
        for (size_t i = 0; i < n / 2; i++)
            code.bytes[i] = (uint8_t)(digit(line.data[2 * i]) << 4 | digit(line.data[2 * i + 1]));
        bench->codes = arena_grow(&bench->arena, bench->codes, bench->n_codes, sizeof code);
        bench->codes[bench->n_codes++] = code;
    }
}

// One stage over all blocks; microseconds per block.
static double time_stage(struct bench *bench, bool (*stage)(struct bench *, struct code *)) {
    double start = now_us();
    for (size_t i = 0; i < bench->n_codes; i++) {
        bench->fail = (struct fail){0};
        if (!stage(bench, &bench->codes[i]))
            bench->codes[i].block.n_insns = 0;
    }
    return (now_us() - start) / (double)bench->n_codes;
}

static bool decode(struct bench *bench, struct code *code) {
    return bench->backend->count_insns(bench->cpu, code->bytes, code->n_bytes, &bench->fail) != 0;
}

static bool describe(struct bench *bench, struct code *code) {
    return bench->backend->describe_bytes(bench->cpu, &bench->arena, code->bytes, code->n_bytes, &code->block,
                                          &bench->fail);
}

static bool simulate(struct bench *bench, struct code *code) {
    struct pipeline_result result;
    return code->block.n_insns == 0 ||
           pipeline_simulate(bench->pipeline, EXECUTION_OF(&code->block), NULL, &result, &bench->fail);
}

static void run(struct bench *bench) {
    double decoded = time_stage(bench, decode);
    double described = time_stage(bench, describe);
    double again = time_stage(bench, describe);
    double simulated = time_stage(bench, simulate);
    printf("decode %.2f  describe %.2f (bytes met before: both %.2f)  simulate %.2f  µs per block\n", decoded,
           described - decoded, again, simulated);
}

static bool describe_for_file(struct bench *bench, struct code *code) {
    return model_describe_bytes(&bench->model, &bench->arena, code->bytes, code->n_bytes, &code->block, &bench->fail);
}

// Unrolled, as `cyclops corpus run` measures them.
static struct bounds_request request_of(const struct bench *bench, const struct block *block) {
    return (struct bounds_request){.cpu = bench->model.own,
                                   .block = block,
                                   .is_decoded = bench->is_decoded,
                                   .copies = block_copies(block->n_insns, block_bytes(block)),
                                   .registers = BOUNDS_SAME,
                                   .pages_are_one = true};
}

static bool find_bounds(struct bench *bench, struct code *code) {
    struct bounds bounds;
    const struct bounds_request request = request_of(bench, &code->block);
    return code->block.n_insns == 0 || bounds_find(&request, &bounds, &bench->fail);
}

static bool find_core_cycles(struct bench *bench, struct code *code) {
    double cycles;
    const struct bounds_request request = request_of(bench, &code->block);
    return code->block.n_insns == 0 || core_cycles_find(&request, 0, &cycles, &bench->fail);
}

static void run_for_file(struct bench *bench) {
    double described = time_stage(bench, describe_for_file);
    time_stage(bench, find_bounds); // rules of opcodes are found when they are first met
    double cached = time_stage(bench, find_bounds), simulated = time_stage(bench, find_core_cycles);
    bench->is_decoded = true;
    double decoded = time_stage(bench, find_bounds), simulated_decoded = time_stage(bench, find_core_cycles);
    printf("describe %.2f  bounds %.2f (of decoders: %.2f)  core %.2f (%.2f)  µs per block\n", described, cached,
           decoded, simulated, simulated_decoded);
}

// All bounds of a block, and its core's cycles: unrolled, from the decoders, and as a loop.
static void print_values(struct bench *bench, struct code *code) {
    enum { UNROLLED, DECODED, LOOPED, N_WAYS };
    for (unsigned way = 0; way < N_WAYS && code->block.n_insns; way++) {
        struct bounds bounds;
        double cycles = -1;
        bench->is_decoded = way == DECODED;
        struct bounds_request request = request_of(bench, &code->block);
        request.is_loop = way == LOOPED;
        if (!bounds_find(&request, &bounds, &bench->fail) || !core_cycles_find(&request, 0, &cycles, &bench->fail))
            printf("%s ", bench->fail.text);
        for (unsigned i = 0; i < BOUND_N; i++)
            printf("%a ", bounds.cycles[i]);
        printf("%" PRIx64 " %d %d %a %a %a core %a\n", bounds.pipes, bounds.by_pipes, bounds.counts_stores,
               bounds.longest, bounds.crowded, bounds.slots, cycles);
    }
}

static bool run_file(struct bench *bench, const struct backend_options *options, bool prints_values) {
    bool is_open = model_open(&bench->model, &bench->arena, NULL, options, &bench->fail);
    for (size_t i = 0; is_open && prints_values && i < bench->n_codes; i++)
        if (describe_for_file(bench, &bench->codes[i]))
            print_values(bench, &bench->codes[i]);
    if (is_open && !prints_values)
        run_for_file(bench);
    model_close(&bench->model);
    return is_open;
}

static bool run_model(struct bench *bench, const struct backend_options *options) {
    const struct pipeline_options simulated = {.iterations = bench->iterations, .as_llvm_mca = true};
    bench->backend = backend_load(&bench->arena, NULL, &bench->fail);
    bench->cpu = bench->backend ? bench->backend->open(&bench->arena, options, &bench->fail) : NULL;
    if (!bench->cpu)
        return false;
    bench->pipeline = mca_core_open(bench->backend->machine(bench->cpu), &simulated);
    run(bench);
    pipeline_close(bench->pipeline);
    bench->backend->close(bench->cpu);
    return true;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr,
                "usage: bench_stages FILE.hex CPU ITERATIONS\n       bench_stages FILE.hex cpu:NAME [values]\n");
        return 2;
    }
    struct bench bench = {.iterations = argc > 3 ? strtoul(argv[3], NULL, 10) : 0};
    const struct backend_options options = {
        .cpu = argv[2], .triple = "x86_64-unknown-linux-gnu", .output_syntax = -1, .no_text = true}; // as with --brief
    read_codes(&bench, argv[1]);
    // A block that cannot be described costs nothing but itself.
    bool is_done = bench.n_codes != 0 &&
                   (model_is_cpu_file(argv[2]) ? run_file(&bench, &options, argc > 3) : run_model(&bench, &options));
    if (!is_done)
        fail_print(&bench.fail, stderr);
    arena_free(&bench.arena);
    return is_done ? 0 : 1;
}
