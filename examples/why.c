// Which way of writing a loop's body is faster, and why: by a CPU file, which explains its prediction.
//     why CPU [CODE...]
// CPU is cpu:NAME, core:NAME or FILE.cpu.yaml; CODE is assembly, with ';' or newlines between instructions. Without
// code it takes three ways to add up an array. Prints of each the cycles that an iteration takes, what limits it, what
// would limit it next, what the file does not know, and how far LLVM's numbers stand in for the file's own.
//     cc why.c $(pkg-config --cflags --libs cyclops)
#include <cyclops.h>

#include <stdio.h>

static const char *const ways[] = {
    // One chain of additions.
    "addsd (%rdi), %xmm0; addsd 8(%rdi), %xmm0; addsd 16(%rdi), %xmm0; addsd 24(%rdi), %xmm0; add $32, %rdi",
    // Two chains.
    "addsd (%rdi), %xmm0; addsd 8(%rdi), %xmm1; addsd 16(%rdi), %xmm0; addsd 24(%rdi), %xmm1; add $32, %rdi",
    // Four additions in one instruction.
    "vaddpd (%rdi), %ymm0, %ymm0; add $32, %rdi",
};

static int give_up(const struct cyclops_error *error) {
    if (error->line != 0)
        fprintf(stderr, "why: line %u: %s\n", error->line, error->text);
    else
        fprintf(stderr, "why: %s\n", error->text);
    return (int)error->status;
}

static void print(const char *code, const struct cyclops_block *block, const struct cyclops_prediction *prediction) {
    printf("%s\n", code);
    printf("  %.2f cycles per iteration\n", prediction->cycles);
    if (*prediction->limit)
        printf("  limit, %.2f: %s\n", prediction->limit_cycles, prediction->limit);
    if (prediction->bottleneck == CYCLOPS_BY_INTERACTION)
        printf("  the rest is what limits cost together\n");
    if (*prediction->next_limit)
        printf("  next, %.2f: %s\n", prediction->next_limit_cycles, prediction->next_limit);
    for (unsigned i = 0; i < prediction->n_notes; i++)
        printf("  note: %s\n", prediction->notes[i]);
    if (prediction->n_by_llvm != 0)
        printf("  LLVM's numbers stand for %u of %zu instructions\n", prediction->n_by_llvm,
               cyclops_block_length(block));
}

static int explain(struct cyclops_machine *machine, const char *code) {
    struct cyclops_error error = {0};
    struct cyclops_block *block = cyclops_block_from_text(machine, code, &error);
    struct cyclops_prediction *prediction = block != NULL ? cyclops_predict(block, &error) : NULL;
    if (prediction != NULL)
        print(code, block, prediction);
    int status = prediction != NULL ? 0 : give_up(&error);
    cyclops_prediction_free(prediction);
    cyclops_block_free(block);
    return status;
}

int main(int argc, char **argv) {
    struct cyclops_error error = {0};
    // CPU files are of x86-64, whatever this program runs on.
    const struct cyclops_options options = {.cpu = argc > 1 ? argv[1] : "cpu:skylake", .triple = "x86_64-linux-gnu"};
    struct cyclops_machine *machine = cyclops_open(&options, &error);
    int status = machine != NULL ? 0 : give_up(&error), n = argc > 2 ? argc - 2 : (int)(sizeof ways / sizeof *ways);
    for (int i = 0; i < n && status == 0; i++)
        status = explain(machine, argc > 2 ? argv[i + 2] : ways[i]);
    cyclops_close(machine);
    return status;
}
