#include "cli/mca/json.h"

#include <string.h>

void mca_json_begin(struct json_text *json) {
    json_open(json, NULL);
    json_open_list(json, "CodeRegions");
}

static void print_count(struct json_text *json, const char *option, unsigned value) {
    if (value != 0)
        json_put_integer(json, option, value);
}

// Prints the numbers that change the model. In-order CPUs do not use them.
static void print_parameters(struct json_text *json, const struct mca_args *args, const struct machine *machine) {
    char arch[64];
    snprintf(arch, sizeof arch, "%.*s", (int)strcspn(machine->triple, "-"), machine->triple);
    json_open(json, "SimulationParameters");
    if (!machine->in_order) {
        print_count(json, "-decoder-throughput", args->decoder_throughput);
        print_count(json, "-dispatch", args->dispatch);
        print_count(json, "-lqueue", args->load_queue);
    }
    json_put_text(json, "-march", arch);
    json_put_text(json, "-mcpu", machine->same_cpu);
    if (!machine->in_order)
        print_count(json, "-micro-op-queue-size", args->micro_op_queue);
    json_put_text(json, "-mtriple", machine->triple);
    if (!machine->in_order) {
        if (!args->no_alias)
            json_put_bool(json, "-noalias", false);
        print_count(json, "-register-file-size", args->register_file_size);
        print_count(json, "-squeue", args->store_queue);
    }
    json_close(json);
}

// Prints the resources. One of several units has a point and its number after its name. As in llvm-mca 19, the number
// is the character of that code, not digits.
static void print_resources(struct json_text *json, const struct machine *machine) {
    json_open_list(json, "Resources");
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        for (unsigned unit = 0; !resource->is_group && unit < resource->units; unit++) {
            const char *name = arena_printf(json->text.arena, "%s.%c", resource->name, (char)unit);
            if (resource->units > 1)
                json_put_bytes(json, NULL, name, strlen(resource->name) + 2);
            else
                json_put_text(json, NULL, resource->name);
        }
    }
    json_close_list(json);
}

void mca_json_end(struct json_text *json, const struct mca_args *args, const struct machine *machine) {
    json_close_list(json);
    print_parameters(json, args, machine);
    json_open(json, "TargetInfo");
    json_put_text(json, "CPUName", machine->same_cpu);
    print_resources(json, machine);
    json_close(json);
    json_close(json);
    text_add(&json->text, "\n");
}
