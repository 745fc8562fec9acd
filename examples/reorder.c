// Reorders a block by trial: swaps instructions that may be swapped and keeps what the simulated CPU likes better.
//     reorder CPU [FILE.s] [TRIALS]
// Without a file it takes the block below. Prints the block as it was and as it is best, each with the cycles that an
// iteration takes in a long loop. Two instructions change places only if every pair that must keep its order keeps it,
// so the new loop computes what the old one did.
//     cc reorder.c $(pkg-config --cflags --libs cyclops)
#include <cyclops.h>

#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 200, TRIALS = 2000, MOST_BYTES = 1 << 20 };

// Each load is used at once: a CPU that executes in order waits for it every time.
static const char sample[] = "ldr x1, [x0]\n"
                             "add x2, x2, x1\n"
                             "ldr x3, [x0, #8]\n"
                             "add x4, x4, x3\n"
                             "ldr x5, [x0, #16]\n"
                             "add x6, x6, x5\n"
                             "ldr x7, [x0, #24]\n"
                             "mul x8, x7, x7\n"
                             "add x9, x9, x8\n"
                             "add x0, x0, #32\n";

static int give_up(const char *what, const struct cyclops_error *error) {
    if (error->line != 0)
        fprintf(stderr, "reorder: %s: line %u: %s\n", what, error->line, error->text);
    else
        fprintf(stderr, "reorder: %s: %s\n", what, error->text);
    return (int)error->status;
}

static double cycles_of(const struct cyclops_block *block, struct cyclops_error *error) {
    struct cyclops_totals totals;
    if (!cyclops_simulate(block, ITERATIONS, &totals, error))
        return -1;
    return (double)totals.cycles / ITERATIONS;
}

static void print(const char *title, const struct cyclops_block *block, double cycles) {
    printf("%s: %.2f cycles per iteration\n", title, cycles);
    for (size_t i = 0; i < cyclops_block_length(block); i++)
        printf("    %s\n", cyclops_block_insn(block, i).text);
}

// Whether the instructions at two places of `order` may change places: each must be free to pass those in between.
static bool may_swap(const struct cyclops_block *block, const unsigned *order, size_t a, size_t b) {
    for (size_t i = a; i < b; i++)
        if (order[i] < order[b] && cyclops_block_keeps_order(block, order[i], order[b]))
            return false;
    for (size_t i = a + 1; i <= b; i++)
        if (order[a] < order[i] && cyclops_block_keeps_order(block, order[a], order[i]))
            return false;
    return true;
}

static void swap(unsigned *order, size_t a, size_t b) {
    unsigned was = order[a];
    order[a] = order[b];
    order[b] = was;
}

// Two different places, the first before the second, by a generator of our own: the same on every system.
static void pick_places(uint32_t *random, size_t n, size_t *a, size_t *b) {
    *random = *random * 1664525 + 1013904223;
    *a = (*random >> 8) % n;
    *random = *random * 1664525 + 1013904223;
    *b = (*a + 1 + (*random >> 8) % (n - 1)) % n;
    if (*a > *b) {
        size_t was = *a;
        *a = *b;
        *b = was;
    }
}

// Tries one swap; keeps it in `order` if the block gets no slower. False on failure.
static bool try_swap(const struct cyclops_block *block, unsigned *order, uint32_t *random, double *best,
                     struct cyclops_error *error) {
    size_t a, b, n = cyclops_block_length(block);
    pick_places(random, n, &a, &b);
    if (!may_swap(block, order, a, b))
        return true;
    swap(order, a, b);
    struct cyclops_block *tried = cyclops_block_pick(block, order, n);
    double cycles = tried != NULL ? cycles_of(tried, error) : -1;
    cyclops_block_free(tried);
    if (cycles >= 0 && cycles <= *best)
        *best = cycles;
    else
        swap(order, a, b);
    return cycles >= 0;
}

static int improve(const struct cyclops_block *block, unsigned *order, long trials) {
    struct cyclops_error error = {0};
    size_t n = cyclops_block_length(block);
    double before = cycles_of(block, &error), best = before;
    uint32_t random = 1;
    bool is_good = before >= 0;
    for (size_t i = 0; i < n; i++)
        order[i] = (unsigned)i;
    for (long i = 0; i < trials && n > 1 && is_good; i++)
        is_good = try_swap(block, order, &random, &best, &error);
    if (!is_good)
        return give_up("cannot simulate", &error);
    print("before", block, before);
    struct cyclops_block *after = cyclops_block_pick(block, order, n);
    if (after != NULL)
        print("after", after, best);
    cyclops_block_free(after);
    return after != NULL ? 0 : 1;
}

static int reorder(struct cyclops_machine *machine, const char *text, long trials) {
    struct cyclops_error error = {0};
    struct cyclops_block *block = cyclops_block_from_text(machine, text, &error);
    if (block == NULL)
        return give_up("cannot read the block", &error);
    unsigned *order = calloc(cyclops_block_length(block), sizeof *order);
    int status = order != NULL ? improve(block, order, trials) : 1;
    free(order);
    cyclops_block_free(block);
    return status;
}

// The file's text, to be freed; null if it cannot be read.
static char *read_text(const char *path) {
    FILE *in = fopen(path, "r");
    char *text = in != NULL ? calloc(MOST_BYTES + 1, 1) : NULL;
    if (text != NULL && fread(text, 1, MOST_BYTES, in) == 0) {
        free(text);
        text = NULL;
    }
    if (in != NULL)
        fclose(in);
    return text;
}

int main(int argc, char **argv) {
    struct cyclops_error error = {0};
    struct cyclops_options options = {.cpu = "cortex-a55", .triple = "aarch64-linux-gnu"};
    char *text = NULL;
    if (argc > 2) {
        options = (struct cyclops_options){.cpu = argv[1]};
        text = read_text(argv[2]);
        if (text == NULL) {
            fprintf(stderr, "reorder: cannot read %s\n", argv[2]);
            return 2;
        }
    } else if (argc > 1) {
        options.cpu = argv[1];
    }
    struct cyclops_machine *machine = cyclops_open(&options, &error);
    int status = machine != NULL ? reorder(machine, text != NULL ? text : sample, argc > 3 ? atol(argv[3]) : TRIALS)
                                 : give_up("cannot open the machine", &error);
    cyclops_close(machine);
    free(text);
    return status;
}
