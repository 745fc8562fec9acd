// A machine and a block made by hand, for tests. Registers 1..20 are plain; pipes, groups and instructions are added
// one by one: what follows toy_insn describes that instruction.
#ifndef ANALYZER_SIM_MCA_TOY_TEST_H
#define ANALYZER_SIM_MCA_TOY_TEST_H

#include "analyzer/sim/mca/mca.h"
#include "analyzer/sim/pipeline.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum { TOY_REGISTERS = 24, TOY_RESOURCES = 24, TOY_INSNS = 16, TOY_OPERANDS = 6 };

struct toy {
    struct machine machine;
    struct resource resources[TOY_RESOURCES];
    unsigned members[TOY_RESOURCES][TOY_RESOURCES];
    struct register_file files[3];
    struct machine_register registers[TOY_REGISTERS];
    struct block block;
    struct insn insns[TOY_INSNS];
    struct sched_insn costs[TOY_INSNS]; // theirs
    struct insn_write writes[TOY_INSNS][TOY_OPERANDS];
    struct sched_write write_costs[TOY_INSNS][TOY_OPERANDS];
    struct insn_read reads[TOY_INSNS][TOY_OPERANDS];
    struct sched_read read_costs[TOY_INSNS][TOY_OPERANDS];
    struct sched_advance advances[TOY_INSNS][TOY_OPERANDS];
    struct sched_use uses[TOY_INSNS][TOY_OPERANDS];
    struct execution_step steps[TOY_INSNS];
    bool has_steps; // false: the block runs straight
    struct pipeline_options options;
};

static inline void toy_init(struct toy *toy, unsigned dispatch_width, unsigned rob_size) {
    *toy = (struct toy){.machine = {.name = "toy", .dispatch_width = dispatch_width, .rob_size = rob_size}};
    for (unsigned i = 0; i < TOY_REGISTERS; i++)
        toy->registers[i] = (struct machine_register){.name = "r", .cost = 1};
    toy->machine.registers = toy->registers;
    toy->machine.n_registers = TOY_REGISTERS;
    toy->machine.register_files = toy->files;
    toy->machine.n_register_files = 1;
    toy->machine.resources = toy->resources;
    toy->machine.n_resources = 1;
    toy->block = (struct block){.name = "", .insns = toy->insns};
}

static inline unsigned toy_pipe(struct toy *toy, const char *name, unsigned units, int buffer_size) {
    unsigned r = toy->machine.n_resources++;
    toy->resources[r] = (struct resource){.name = name, .mask = 1ULL << r, .units = units, .buffer_size = buffer_size};
    return r;
}

// A group of pipes that exist already; the list ends with 0.
static inline unsigned toy_group(struct toy *toy, const char *name, int buffer_size, ...) {
    unsigned r = toy->machine.n_resources++;
    struct resource group = {.name = name, .mask = 1ULL << r, .buffer_size = buffer_size, .is_group = true};
    va_list members;
    va_start(members, buffer_size);
    for (unsigned member = va_arg(members, unsigned); member != 0; member = va_arg(members, unsigned)) {
        toy->members[r][group.units++] = member;
        group.mask |= toy->resources[member].mask;
    }
    va_end(members);
    group.members = toy->members[r];
    toy->resources[r] = group;
    return r;
}

static inline struct insn *toy_insn(struct toy *toy, unsigned latency) {
    assert(toy->block.n_insns < TOY_INSNS);
    unsigned i = toy->block.n_insns++;
    toy->steps[i] = (struct execution_step){.insn = i};
    toy->costs[i] = (struct sched_insn){.uops = 1,
                                        .latency = latency,
                                        .writes = toy->write_costs[i],
                                        .reads = toy->read_costs[i],
                                        .uses = toy->uses[i]};
    toy->insns[i] =
        (struct insn){.text = "toy\tinsn", .writes = toy->writes[i], .reads = toy->reads[i], .cost = &toy->costs[i]};
    return &toy->insns[i];
}

// Of the instruction that came last.
static inline struct sched_insn *toy_cost(struct toy *toy) {
    return &toy->costs[toy->block.n_insns - 1];
}

static inline struct insn_write *toy_write(struct toy *toy, uint16_t reg) {
    unsigned i = toy->block.n_insns - 1;
    struct insn_write *write = &toy->writes[i][toy->insns[i].n_writes];
    toy->write_costs[i][toy->insns[i].n_writes++] =
        (struct sched_write){.latency = toy->costs[i].latency, .write_class = 1};
    *write = (struct insn_write){.reg = reg};
    return write;
}

static inline struct insn_read *toy_read(struct toy *toy, uint16_t reg) {
    unsigned i = toy->block.n_insns - 1;
    struct insn_read *read = &toy->reads[i][toy->insns[i].n_reads++];
    *read = (struct insn_read){.reg = reg};
    return read;
}

// The last read may come `cycles` before results of a class.
static inline void toy_advance(struct toy *toy, unsigned write_class, int cycles) {
    unsigned i = toy->block.n_insns - 1;
    struct sched_read *read = &toy->read_costs[i][toy->insns[i].n_reads - 1];
    struct sched_advance *advance = &toy->advances[i][toy->insns[i].n_reads - 1];
    *advance = (struct sched_advance){.write_class = write_class, .cycles = cycles};
    read->advances = advance;
    read->n_advances = 1;
}

static inline struct sched_use *toy_use(struct toy *toy, unsigned resource, unsigned cycles) {
    unsigned i = toy->block.n_insns - 1;
    struct sched_insn *cost = &toy->costs[i];
    const struct resource *used = &toy->resources[resource];
    struct sched_use *use = &toy->uses[i][cost->n_uses++];
    *use = (struct sched_use){.mask = used->mask, .release = cycles, .units = 1};
    if (used->buffer_size >= 0)
        cost->buffers |= 1ULL << resource;
    if (used->is_group)
        cost->used_groups |= 1ULL << resource;
    else
        cost->used_units |= used->mask;
    return use;
}

// Register `part` is inside `whole`.
static inline void toy_nest(struct toy *toy, const uint16_t *whole, const uint16_t *part) {
    toy->registers[*whole].sub = part;
    toy->registers[*whole].n_sub = 1;
    toy->registers[*part].super = whole;
    toy->registers[*part].n_super = 1;
}

static inline struct execution toy_execution(const struct toy *toy) {
    struct execution execution = {.block = &toy->block};
    if (toy->has_steps) {
        execution.steps = toy->steps;
        execution.n_steps = toy->block.n_insns;
    }
    return execution;
}

// Simulates `iterations` of the block; returns the cycles, 0 where it failed.
static inline uint64_t toy_run(struct toy *toy, uint64_t iterations, struct event_listener *const *listeners,
                               struct fail *fail) {
    struct pipeline_options options = toy->options;
    struct pipeline_result result;
    const struct execution execution = toy_execution(toy);
    options.iterations = iterations;
    return mca_core_run(&toy->machine, &execution, &options, listeners, &result, fail) ? result.cycles : 0;
}

// Cycles per iteration once the pipeline has filled.
static inline double toy_steady(struct toy *toy) {
    struct fail fail = {0};
    uint64_t few = toy_run(toy, 400, NULL, &fail), many = toy_run(toy, 1600, NULL, &fail);
    assert(few != 0 && many != 0);
    return (double)(many - few) / 1200;
}

#endif
