#include "analyzer/sim/mca/units.h"

#include "base/text.h"

#include <string.h>

// The buffer that a queue is modelled by tells its size, where neither the options nor the machine do.
static unsigned queue_size(const struct machine *machine, unsigned option, unsigned queue, unsigned resource) {
    if (option != 0 || queue != 0 || resource == 0)
        return or_else(option, queue);
    int size = machine->resources[resource].buffer_size;
    return size > 0 ? (unsigned)size : 0;
}

static void start_memory(struct mca_units *units, const struct machine *machine, const struct pipeline_options *options,
                         const struct mca_sizes *sizes, struct stash *stash) {
    units->memory = (struct memory_unit){
        .load_queue = queue_size(machine, options->load_queue, machine->load_queue, machine->load_queue_resource),
        .store_queue = queue_size(machine, options->store_queue, machine->store_queue, machine->store_queue_resource),
        .assume_alias = options->assume_alias,
        .notes_dependences = sizes->notes_dependences,
    };
    if (sizes->unlimited_queues)
        units->memory.load_queue = units->memory.store_queue = 0;
    memory_unit_init(&units->memory, &units->flight, sizes->in_flight, stash);
}

const struct execution *mca_units_execution(const struct core *core, bool without_dependences, struct stash *stash) {
    if (!without_dependences)
        return core->execution;
    const struct block *block = core->execution->block;
    struct insn *insns = STASH_ARRAY(stash, struct insn, block->n_insns);
    memcpy(insns, block->insns, block->n_insns * sizeof *insns);
    for (unsigned i = 0; i < block->n_insns; i++)
        insns[i].n_reads = 0;
    struct block *freed = STASH_ARRAY(stash, struct block, 1);
    *freed = (struct block){.name = block->name, .insns = insns, .n_insns = block->n_insns};
    struct execution *copy = STASH_ARRAY(stash, struct execution, 1);
    *copy = *core->execution;
    copy->block = freed;
    return copy;
}

uint64_t mca_units_history(const struct mca_units *units) {
    return (uint64_t)(units->plan.max_delay + 1) * units->plan.most_per_cycle;
}

void mca_units_start(struct mca_units *units, const struct core *core, const struct pipeline_options *options,
                     const struct mca_sizes *sizes, struct stash *stash) {
    uint64_t n_slots = sizes->in_flight + mca_units_history(units);
    flight_init(&units->flight, &units->plan, n_slots, sizes->notes_dependences, stash);
    register_unit_init(&units->registers, &units->plan, options->register_file_size, stash);
    start_memory(units, core->machine, options, sizes, stash);
    units->resources = STASH_ARRAY(stash, struct resource_unit, 1);
    resource_unit_init(units->resources, &units->plan, core->reporter.wanted.issued, stash);
    units->next_plan = units->plan.insns;
    units->branch_penalty = options->branch_penalty;
    units->uses = STASH_ARRAY(stash, struct event_use, units->plan.max_uses);
    units->no_registers = STASH_ZEROED(stash, unsigned, core->machine->n_register_files);
}

static unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

void mca_units_share(struct mca_units *first, struct mca_units *second, bool is_wanted, struct stash *stash) {
    struct simulation_plan both = first->plan;
    both.groups |= second->plan.groups;
    both.max_uses = larger(both.max_uses, second->plan.max_uses);
    both.longest_use = larger(both.longest_use, second->plan.longest_use);
    resource_unit_init(first->resources, &both, is_wanted, stash);
    second->resources = first->resources;
}

static const char *why_never(const struct mca_units *units, const struct machine *machine, const struct plan_insn *insn,
                             struct arena *arena) {
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct resource_pipe *pipe = &units->resources->pipes[insn->uses[i].bit];
        unsigned n_units = (unsigned)__builtin_popcountll(pipe->all_units);
        if (insn->uses[i].units > n_units)
            return arena_printf(arena, "it needs %u units of %s, which has %u", insn->uses[i].units,
                                machine->resources[pipe->resource].name, n_units);
    }
    return "the units it asks for are never all free together";
}

bool mca_units_record_stuck(const struct mca_units *units, const struct core *core, unsigned position, const char *can,
                            struct fail *fail) {
    struct arena arena = {0};
    const struct plan_insn *insn = &units->plan.insns[position];
    const char *text = insn->insn->text != NULL ? insn->insn->text : insn->insn->opcode;
    fail_set(fail, FAIL_WORK,
             "instruction %u of the block, '%s', can never be %s on %s: %s; its scheduling model is wrong",
             position + 1, text_without_tabs(&arena, text), can, core->machine->name,
             why_never(units, core->machine, insn, &arena));
    arena_free(&arena);
    return true;
}

// The youngest first: they differ soonest.
static void put_insns(const struct mca_units *units, struct coder *coder) {
    uint64_t last_group = 0;
    for (uint64_t i = coder->next; i-- > coder->oldest && !coder->differs;) {
        const struct in_flight *insn = flight_at(&units->flight, i);
        if (!flight_has(insn, i))
            continue;
        flight_put_insn(&units->flight, insn, coder);
        if (insn->plan->is_memory)
            memory_unit_put_insn(&units->memory, insn, &last_group, coder);
    }
    coder_put(coder, UINT64_MAX);
}

void mca_units_put(const struct mca_units *units, const struct core *core, struct coder *coder) {
    int64_t redirected = mca_units_redirected(units, core);
    coder_put(coder, redirected == NEVER);
    coder_put_ahead(coder, redirected == NEVER ? 0 : redirected);
    resource_unit_put(units->resources, &units->plan, coder);
    memory_unit_put(&units->memory, coder);
    register_unit_put(&units->registers, &units->flight, coder);
    put_insns(units, coder);
}

void report_moves(const struct core *core, const struct in_flight *insn) {
    const struct insn *described = insn->plan->insn;
    if (!core->reporter.wanted.moved || !described->cost->eliminable_move ||
        described->n_writes != described->n_reads || described->n_writes == 0)
        return;
    struct event_moves moves = {
        .file = core->machine->registers[described->writes[0].reg].file,
        .candidates = described->n_writes,
        .eliminated = insn->is_eliminated ? described->n_writes : 0,
        .zero = insn->zero_moves,
    };
    REPORT_OF(core, moved, insn, &moves);
}
