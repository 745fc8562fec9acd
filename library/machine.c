#include "base/file.h"
#include "library/internal.h"

#include <stdio.h>
#include <string.h>

void library_tell(const struct fail *fail, struct cyclops_error *error) {
    if (error == NULL)
        return;
    error->status = (enum cyclops_status)fail->status;
    error->line = fail->line;
    error->column = fail->column;
    snprintf(error->text, sizeof error->text, "%.*s", (int)sizeof error->text - 1, fail->text);
}

static bool open_machine(struct cyclops_machine *machine, const struct cyclops_options *options, struct fail *fail) {
    const struct backend_options wanted = {
        .triple = options->triple,
        .cpu = options->cpu,
        .features = options->features,
        .output_syntax = -1,
    };
    // It would need a reader of YAML, which the library does without.
    if (options->cpu != NULL && (file_has_suffix(options->cpu, ".yaml") || strncmp(options->cpu, "cpu:", 4) == 0))
        return fail_set(fail, FAIL_INPUT, "'%s': the library has LLVM's models only; 'cyclops' reads CPU files",
                        options->cpu);
    machine->backend = library_load(&machine->arena, options->llvm, fail);
    machine->cpu = machine->backend != NULL ? machine->backend->open(&machine->arena, &wanted, fail) : NULL;
    if (machine->cpu == NULL)
        return false;
    machine->model = machine->backend->machine(machine->cpu);
    return true;
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
    if (machine->cpu != NULL)
        machine->backend->close(machine->cpu);
    struct arena arena = machine->arena;
    arena_free(&arena);
}

const char *cyclops_machine_id(const struct cyclops_machine *machine) {
    return machine->model->id;
}

unsigned cyclops_dispatch_width(const struct cyclops_machine *machine) {
    return machine->model->dispatch_width;
}

// The model's entry 0 is no resource.
unsigned cyclops_resource_count(const struct cyclops_machine *machine) {
    return machine->model->n_resources - 1;
}

const char *cyclops_resource_name(const struct cyclops_machine *machine, unsigned resource) {
    return machine->model->resources[resource + 1].name;
}

unsigned cyclops_resource_units(const struct cyclops_machine *machine, unsigned resource) {
    return machine->model->resources[resource + 1].units;
}
