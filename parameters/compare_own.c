#include "parameters/compare_own.h"

#include "analyzer/cpu/recipe.h"

#include <string.h>

// A parameter that the file does not have stands for another one.
static const struct shown {
    const char *entry;
    enum cpu_parameter parameter, otherwise;
} shown[] = {
    {"dispatch", CPU_DISPATCH_WIDTH, CPU_DISPATCH_WIDTH},
    {"retire", CPU_RETIRE_WIDTH, CPU_RETIRE_WIDTH},
    {"reorder-buffer", CPU_REORDER_BUFFER, CPU_REORDER_BUFFER},
    {"load-queue", CPU_LOAD_QUEUE, CPU_LOAD_QUEUE},
    {"store-queue", CPU_STORE_QUEUE, CPU_STORE_QUEUE},
    {"scheduler-integer", CPU_SCHEDULER, CPU_SCHEDULER},
    {"scheduler-vector", CPU_SCHEDULER_VECTOR, CPU_SCHEDULER},
    {"scheduler-load", CPU_SCHEDULER_MEMORY, CPU_SCHEDULER},
    {"load-latency", CPU_LOAD_LATENCY_FAST, CPU_LOAD_LATENCY},
    {"load-latency-displaced", CPU_LOAD_LATENCY_FAST, CPU_LOAD_LATENCY}, // by 8 bytes
    {"forward-64-to-8-at-0", CPU_FORWARD_LATENCY, CPU_FORWARD_LATENCY},
    {"forward-128-to-128-at-0", CPU_FORWARD_LATENCY_VECTOR, CPU_FORWARD_LATENCY},
    {"memory-renamed-latency", CPU_RENAMED_LATENCY, CPU_RENAMED_LATENCY},
    {"load-banks", CPU_LOAD_BANKS, CPU_LOAD_BANKS},
    {"load-bank-reads", CPU_LOAD_BANK_READS, CPU_LOAD_BANK_READS},
};
enum { N_SHOWN = sizeof shown / sizeof *shown };

static enum cpu_parameter parameter_of(const struct cpu *cpu, const struct shown *row) {
    return cpu_knows(cpu, row->parameter) ? row->parameter : row->otherwise;
}

struct card_comparison own_comparison(const struct card_entry *entry, const struct model *model,
                                      const struct insn *insn) {
    const struct cpu *cpu = model->own;
    struct cpu_recipe recipe;
    for (size_t i = 0; i < N_SHOWN; i++) {
        const enum cpu_parameter parameter = parameter_of(cpu, &shown[i]);
        if (strcmp(shown[i].entry, entry->name) == 0)
            return (struct card_comparison){.is_known = cpu_knows(cpu, parameter),
                                            .model = cpu_value(cpu, parameter),
                                            .number = cpu_parameters[parameter].name};
    }
    if (!insn || strcmp(entry->unit, "latency, cycles") != 0)
        return (struct card_comparison){0};
    cpu_recipe_make(cpu, insn, &recipe);
    return (struct card_comparison){.is_known = true, .model = recipe.load_latency + recipe.latency};
}

const char *own_number(const struct cpu *cpu, size_t index, double *value, const char **entry) {
    if (index >= N_SHOWN)
        return NULL;
    *value = cpu_value(cpu, shown[index].parameter);
    *entry = shown[index].entry;
    return cpu_parameters[shown[index].parameter].name;
}
