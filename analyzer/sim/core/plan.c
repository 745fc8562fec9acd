#include "analyzer/sim/core/plan.h"

#include "analyzer/sim/core/ticks.h"

#include <assert.h>
#include <string.h>

static void add_uop(struct core_insn *insn, uint64_t pipes, double cycles, enum core_part part) {
    if (insn->n_uops == CORE_MOST_UOPS)
        return;
    insn->of_part[part] |= UINT32_C(1) << insn->n_uops;
    insn->uops[insn->n_uops++] = (struct core_uop){.pipes = pipes, .hold = ticks_of(cycles), .part = part};
    insn->n_of_part[part]++;
}

// What a use of memory's pipes is for. Where loads and addresses of stores share pipes, loads come first.
static enum core_part part_of(const struct cpu *cpu, const struct core_insn *insn, uint64_t pipes) {
    const struct cpu_recipe *recipe = insn->recipe;
    if (pipes & ~cpu->memory_pipes || !(insn->loads || insn->stores))
        return CORE_COMPUTES;
    if (insn->loads && pipes == cpu->load_pipes && insn->n_of_part[CORE_LOADS] < recipe->n_loads)
        return CORE_LOADS;
    if (insn->stores)
        return pipes == cpu->store_data_pipes ? CORE_STORES_DATA : CORE_STORES_ADDRESS;
    return CORE_LOADS;
}

// A use of several cycles on several pipes is as many uops; on one pipe, or for long, it holds that.
static void add_uops(const struct cpu *cpu, struct core_insn *insn, const struct cpu_use *use) {
    enum { MOST_SPLIT = 6 };
    bool splits = use->pipes & (use->pipes - 1) && use->cycles < MOST_SPLIT;
    double left = use->cycles;
    for (; splits && left >= 2; left--)
        add_uop(insn, use->pipes, 1, part_of(cpu, insn, use->pipes));
    add_uop(insn, use->pipes, left, part_of(cpu, insn, use->pipes));
}

static void take_sources(const struct core_plan *plan, struct core_insn *insn) {
    const struct cpu_recipe *recipe = insn->recipe;
    for (unsigned i = 0; i < recipe->n_reads; i++)
        insn->reads[insn->n_reads++] = (struct core_read){
            .unit = recipe->reads[i].unit,
            .group = recipe->reads[i].is_address ? CORE_ADDRESS : CORE_VALUE,
            .advanced = recipe->reads[i].advances ? (uint8_t)(i + 1) : 0,
            .early = recipe->reads[i].is_address ? 0 : ticks_of(recipe->reads[i].early),
        };
    for (unsigned i = 0; i < recipe->n_reads; i++)
        for (unsigned part = 1; part < recipe->n_parts && insn->n_reads < 2 * CPU_MOST_READS; part++)
            if (recipe->reads[i].parts >> part & 1)
                insn->reads[insn->n_reads++] = (struct core_read){.unit = recipe->reads[i].unit,
                                                                  .group = core_group_of_part(part),
                                                                  .early = ticks_of(recipe->reads[i].early)};
    for (unsigned i = 0; i < recipe->n_writes; i++)
        insn->writes[insn->n_writes++] =
            (struct core_write){.unit = recipe->writes[i].unit,
                                .latency = ticks_of(recipe->writes[i].latency),
                                .own = recipe->own,
                                .part = recipe->writes[i].part,
                                .write_class = cpu_recipe_class(plan->cpu, recipe, &recipe->writes[i])};
    for (unsigned i = 0; i < insn->n_writes; i++)
        insn->latency = insn->writes[i].latency > insn->latency ? insn->writes[i].latency : insn->latency;
    if (recipe->serial > 0) {
        uint16_t serial = (uint16_t)plan->n_units;
        insn->reads[insn->n_reads++] = (struct core_read){.unit = serial, .group = CORE_VALUE};
        insn->writes[insn->n_writes++] = (struct core_write){.unit = serial, .latency = ticks_of(recipe->serial)};
    }
}

static unsigned scheduler_of(const struct cpu *cpu, const struct core_insn *insn) {
    if (cpu_knows(cpu, CPU_SCHEDULER_MEMORY) && (insn->loads || insn->stores) && !insn->n_of_part[CORE_COMPUTES])
        return 2;
    return cpu_knows(cpu, CPU_SCHEDULER_VECTOR) && insn->recipe->is_vector ? 1 : 0;
}

static void *copy_of(struct arena *arena, const void *data, size_t bytes) {
    return memcpy(arena_alloc_uncleared(arena, bytes), data, bytes);
}

static void make_insn(struct arena *arena, const struct core_plan *plan, const struct cpu_recipe *recipe,
                      struct core_insn *insn) {
    const struct cpu *cpu = plan->cpu;
    struct core_uop uops[CORE_MOST_UOPS];
    struct core_read reads[CORE_MOST_READS];
    struct core_write writes[CORE_MOST_WRITES];
    *insn = (struct core_insn){.recipe = recipe,
                               .uops = uops,
                               .reads = reads,
                               .writes = writes,
                               .slots = recipe->slots,
                               .n_parts = recipe->n_parts - 1,
                               .loads = recipe->n_loads > 0,
                               .stores = recipe->n_stores > 0,
                               .is_vector = recipe->slots && recipe->is_vector,
                               .rename = recipe->rename,
                               .own = recipe->own,
                               .store_delay = ticks_of(recipe->store_delay),
                               .own_early = recipe->own ? ticks_of(recipe->latency - recipe->own_latency) : 0};
    for (unsigned u = 0; u < recipe->n_uses; u++)
        add_uops(cpu, insn, &recipe->uses[u]);
    if (insn->loads && !insn->n_of_part[CORE_LOADS])
        add_uop(insn, 0, 0, CORE_LOADS);
    if (insn->stores && !insn->n_of_part[CORE_STORES_ADDRESS] && cpu_knows(cpu, CPU_ACCESSES))
        add_uop(insn, 0, 0, CORE_STORES_ADDRESS);
    memcpy(insn->part_loads, recipe->part_loads, sizeof insn->part_loads);
    take_sources(plan, insn);
    insn->uops = copy_of(arena, uops, insn->n_uops * sizeof *uops);
    insn->reads = copy_of(arena, reads, insn->n_reads * sizeof *reads);
    insn->writes = copy_of(arena, writes, insn->n_writes * sizeof *writes);
    insn->is_plain = !insn->loads && !insn->stores && !insn->n_parts;
    insn->may_come_apart = recipe->dispatch.fields || recipe->dispatch.pipes[0] ||
                           (insn->slots == 2 && cpu_does(cpu, CPU_DISPATCHES_WHOLE));
    insn->entries = insn->n_uops ? insn->slots : 0;
    insn->scheduler = scheduler_of(cpu, insn);
}

static uint8_t queue_of(struct core_plan *plan, uint64_t pipes) {
    for (unsigned q = 0; q < plan->n_queues; q++)
        if (plan->queues[q] == pipes)
            return (uint8_t)q;
    assert(plan->n_queues < CORE_MOST_QUEUES);
    plan->queues[plan->n_queues] = pipes;
    return (uint8_t)plan->n_queues++;
}

static void number_queues(struct core_plan *plan, struct core_insn *insn) {
    bool takes_turns = cpu_does(plan->cpu, CPU_PAIRED_LOADS_BY_BANK);
    for (unsigned u = 0; u < insn->n_uops; u++) {
        struct core_uop *uop = &insn->uops[u];
        uop->is_bound = uop->pipes && (plan->binds_at_rename || (takes_turns && uop->part == CORE_LOADS));
        plan->has_bound |= uop->is_bound;
        if (!uop->is_bound)
            uop->queue = queue_of(plan, uop->pipes);
        for (uint64_t left = uop->pipes; left; left &= left - 1) {
            plan->wanted[__builtin_ctzll(left)] += (double)uop->hold / TICKS / __builtin_popcountll(uop->pipes);
            if (uop->is_bound)
                queue_of(plan, left & -left);
        }
    }
}

// What an instruction writes goes by unless one behind it reads it before it is written again: flags, mostly. The block
// follows itself, so the second round from its end knows what the begin reads. Results of single parts stay, as these
// have no other time.
static void leave_out_results(struct core_plan *plan, bool *is_read) {
    for (unsigned left = 2 * plan->n; left-- > 0;) {
        struct core_insn *insn = &plan->insns[left % plan->n];
        unsigned n = 0;
        for (unsigned w = 0; w < insn->n_writes; w++)
            if (left >= plan->n || is_read[insn->writes[w].unit] || insn->writes[w].part || insn->rename == CPU_MOVES)
                insn->writes[n++] = insn->writes[w];
        insn->n_writes = n;
        for (unsigned w = 0; w < n; w++)
            is_read[insn->writes[w].unit] = false;
        for (unsigned r = 0; r < insn->n_reads; r++)
            is_read[insn->reads[r].unit] = true;
    }
}

// What nothing writes is there from the beginning.
static void leave_out_sources(struct core_plan *plan, bool *is_written) {
    for (unsigned i = 0; i < plan->n; i++)
        for (unsigned w = 0; w < plan->insns[i].n_writes; w++)
            is_written[plan->insns[i].writes[w].unit] = true;
    for (unsigned i = 0; i < plan->n; i++) {
        struct core_insn *insn = &plan->insns[i];
        unsigned n = 0;
        for (unsigned r = 0; r < insn->n_reads; r++)
            if (is_written[insn->reads[r].unit] || insn->reads[r].early < 0 || insn->reads[r].advanced ||
                insn->rename == CPU_MOVES)
                insn->reads[n++] = insn->reads[r];
        insn->n_reads = n;
    }
}

// The stack engine delays its units whether they are written or not.
static void leave_out(struct arena *arena, struct core_plan *plan) {
    const size_t n_units = plan->n_units + 1;
    bool *is_read = ARENA_ARRAY(arena, bool, n_units), *is_written = ARENA_ARRAY(arena, bool, n_units);
    is_written[plan->cpu->stack] = is_written[plan->cpu->adjuster] = true;
    leave_out_results(plan, is_read);
    leave_out_sources(plan, is_written);
}

struct core_plan *core_plan_make(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipes,
                                 unsigned n) {
    struct core_plan *plan = ARENA_NEW(arena, struct core_plan);
    *plan = (struct core_plan){.cpu = cpu,
                               .n = n,
                               .n_units = cpu->n_units,
                               .n_queues = 1,
                               .binds_at_rename = cpu_does(cpu, CPU_BINDS_AT_RENAME)};
    plan->insns = ARENA_ARRAY(arena, struct core_insn, n);
    for (unsigned i = 0; i < n; i++)
        make_insn(arena, plan, &recipes[i], &plan->insns[i]);
    leave_out(arena, plan);
    for (unsigned i = 0; i < n; i++) {
        number_queues(plan, &plan->insns[i]);
        plan->most_uops = plan->insns[i].n_uops > plan->most_uops ? plan->insns[i].n_uops : plan->most_uops;
        plan->most_reads = plan->insns[i].n_reads > plan->most_reads ? plan->insns[i].n_reads : plan->most_reads;
        plan->most_writes = plan->insns[i].n_writes > plan->most_writes ? plan->insns[i].n_writes : plan->most_writes;
    }
    return plan;
}
