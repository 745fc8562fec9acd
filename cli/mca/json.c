#include "cli/mca/json.h"

#include <string.h>

void mca_json_begin(struct tree *tree) {
    tree_open(tree, NULL, '{');
    tree_open(tree, "CodeRegions", '[');
}

static void print_count(struct tree *tree, const char *option, unsigned value) {
    if (value != 0)
        tree_count(tree, option, value);
}

// Prints the numbers that change the model. In-order CPUs do not use them.
static void print_parameters(struct tree *tree, const struct mca_args *args, const struct machine *machine) {
    char arch[64];
    snprintf(arch, sizeof arch, "%.*s", (int)strcspn(machine->triple, "-"), machine->triple);
    tree_open(tree, "SimulationParameters", '{');
    if (!machine->in_order) {
        print_count(tree, "-decoder-throughput", args->decoder_throughput);
        print_count(tree, "-dispatch", args->dispatch);
        print_count(tree, "-lqueue", args->load_queue);
    }
    tree_text(tree, "-march", arch);
    tree_text(tree, "-mcpu", machine->same_cpu);
    if (!machine->in_order)
        print_count(tree, "-micro-op-queue-size", args->micro_op_queue);
    tree_text(tree, "-mtriple", machine->triple);
    if (!machine->in_order) {
        if (!args->no_alias)
            tree_bool(tree, "-noalias", false);
        print_count(tree, "-register-file-size", args->register_file_size);
        print_count(tree, "-squeue", args->store_queue);
    }
    tree_close(tree, '}');
}

// Prints the resources. One of several units has a point and its number after its name. As in llvm-mca 19, the number
// is the character of that code, not digits.
static void print_resources(struct tree *tree, const struct machine *machine) {
    tree_open(tree, "Resources", '[');
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        for (unsigned unit = 0; !resource->is_group && unit < resource->units; unit++) {
            char name[256];
            int length = snprintf(name, sizeof name - 1, "%s.", resource->name);
            name[length] = (char)unit;
            if (resource->units > 1)
                tree_bytes(tree, NULL, name, (size_t)length + 1);
            else
                tree_text(tree, NULL, resource->name);
        }
    }
    tree_close(tree, ']');
}

void mca_json_end(struct tree *tree, const struct mca_args *args, const struct machine *machine) {
    tree_close(tree, ']');
    print_parameters(tree, args, machine);
    tree_open(tree, "TargetInfo", '{');
    tree_text(tree, "CPUName", machine->same_cpu);
    print_resources(tree, machine);
    tree_close(tree, '}');
    tree_close(tree, '}');
    fputc('\n', tree->out);
}
