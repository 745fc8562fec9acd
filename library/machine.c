#include "library/internal.h"

#include <stdio.h>
#include <string.h>

// A place in a file is part of the text, as the program prints it; one in the caller's own text is in fields.
void library_tell(const struct fail *fail, struct cyclops_error *error) {
    if (error == NULL)
        return;
    bool is_of_file = fail->file[0] != '\0' && strcmp(fail->file, library_text) != 0;
    char place[sizeof fail->file + 32] = "";
    if (is_of_file && fail->line != 0)
        snprintf(place, sizeof place, "%s:%u:%u: ", fail->file, fail->line, fail->column);
    else if (is_of_file)
        snprintf(place, sizeof place, "%s: ", fail->file);
    error->status = (enum cyclops_status)fail->status;
    error->line = is_of_file ? 0 : fail->line;
    error->column = is_of_file ? 0 : fail->column;
    snprintf(error->text, sizeof error->text, "%s%.*s", place, (int)(sizeof error->text - 1 - strlen(place)),
             fail->text);
}

static bool open_machine(struct cyclops_machine *machine, const struct cyclops_options *options, struct fail *fail) {
    const struct backend_options wanted = {
        .triple = options->triple,
        .cpu = options->cpu,
        .features = options->features,
        .output_syntax = -1,
    };
    return model_open(&machine->model, &machine->arena, options->llvm, &wanted, fail);
}

struct cyclops_machine *cyclops_open(const struct cyclops_options *options, struct cyclops_error *error) {
    static const struct cyclops_options host;
    struct fail fail = {0};
    struct arena arena = {0};
    struct cyclops_machine *machine = ARENA_NEW(&arena, struct cyclops_machine);
    machine->arena = arena; // it holds itself
    if (open_machine(machine, options != NULL ? options : &host, &fail))
        return machine;
    library_tell(&fail, error);
    cyclops_close(machine);
    return NULL;
}

void cyclops_close(struct cyclops_machine *machine) {
    if (machine == NULL)
        return;
    if (machine->pipeline != NULL)
        pipeline_close(machine->pipeline);
    model_close(&machine->model);
    struct arena arena = machine->arena;
    arena_free(&arena);
}

const char *cyclops_machine_id(const struct cyclops_machine *machine) {
    return model_name(&machine->model);
}

unsigned cyclops_dispatch_width(const struct cyclops_machine *machine) {
    const struct cpu *own = machine->model.own;
    return own != NULL && cpu_knows(own, CPU_DISPATCH_WIDTH) ? (unsigned)cpu_value(own, CPU_DISPATCH_WIDTH)
                                                             : machine->model.machine->dispatch_width;
}

// The model's entry 0 is no resource.
unsigned cyclops_resource_count(const struct cyclops_machine *machine) {
    return machine->model.machine->n_resources - 1;
}

const char *cyclops_resource_name(const struct cyclops_machine *machine, unsigned resource) {
    return machine->model.machine->resources[resource + 1].name;
}

unsigned cyclops_resource_units(const struct cyclops_machine *machine, unsigned resource) {
    return machine->model.machine->resources[resource + 1].units;
}
