#include "analyzer/sim/mca/plan_insn.h"

#include <assert.h>

static const struct plan_use *plan_uses(struct planner *planner, const struct insn *insn) {
    struct plan_use *uses = STASH_ARRAY(planner->stash, struct plan_use, insn->cost->n_uses);
    for (unsigned i = 0; i < insn->cost->n_uses; i++) {
        const struct sched_use *use = &insn->cost->uses[i];
        assert(use->mask != 0);
        uint64_t own = own_bit(use->mask);
        uses[i] = (struct plan_use){
            .bit = (uint8_t)__builtin_ctzll(own),
            .is_group = (use->mask & (use->mask - 1)) != 0,
            .reserves = use->reserved,
            .units = use->reserved ? 0 : use->units,
            .acquire = planner->options->as_llvm_mca ? 0 : use->acquire,
            .cycles = use->release,
            .pipes = own != use->mask ? use->mask ^ own : own,
        };
        uses[i].is_simple = (uses[i].pipes & ~planner->simple_pipes) == 0 && !use->reserved && use->units == 1 &&
                            use->release >= 1 && use->release < SOON_CYCLES;
        planner->plan->has_segments |= uses[i].acquire != 0;
        planner->plan->longest_use = max_unsigned(planner->plan->longest_use, uses[i].cycles);
    }
    return uses;
}

static const struct plan_read *plan_reads(struct planner *planner, const struct insn *insn) {
    struct plan_read *reads = STASH_ARRAY(planner->stash, struct plan_read, insn->n_reads);
    for (unsigned i = 0; i < insn->n_reads; i++) {
        const struct sched_read *read = &insn->cost->reads[i];
        uint16_t reg = insn->reads[i].reg;
        reads[i] = (struct plan_read){
            .cost = read,
            .own_class = planner->classes.class_of[reg],
            .depends = register_classes_of(&planner->classes, reg, FAMILY_INSIDE),
            .is_independent = read->independent,
        };
        for (unsigned a = 0; a < read->n_advances; a++)
            if (read->advances[a].cycles < 0)
                planner->plan->max_delay = max_unsigned(planner->plan->max_delay, (unsigned)-read->advances[a].cycles);
    }
    return reads;
}

static struct plan_write plan_write_of(struct planner *planner, const struct insn_write *write,
                                       const struct sched_write *cost) {
    struct plan_write planned = {.latency = cost->latency, .is_zero = cost->is_zero};
    if (write->reg == 0)
        return planned;
    uint16_t renamed = register_renamed(planner->machine, write->reg);
    enum family family = write->clears_supers ? FAMILY_ALL : FAMILY_INSIDE;
    planned.own_class = planner->classes.class_of[renamed];
    planned.merges = renamed != write->reg && !write->clears_supers;
    planned.defines = register_classes_of(&planner->classes, renamed, family);
    planned.zeroes = register_classes_of(&planner->classes, write->clears_supers ? renamed : write->reg, family);
    return planned;
}

static bool set_has(struct class_set set, uint16_t class) {
    for (unsigned i = 0; i < set.n; i++)
        if (set.classes[i] == class)
            return true;
    return false;
}

// Of several writes to one register by the same instruction, a faster later one does not replace a slower one.
static void hide_faster_writes(struct plan_write *writes, unsigned n_writes) {
    for (unsigned w = 1; w < n_writes; w++)
        for (unsigned before = w; before-- > 0;) {
            const struct plan_write *older = &writes[before];
            if (older->is_hidden || older->own_class == 0 || !set_has(older->defines, writes[w].own_class))
                continue;
            writes[w].is_hidden = older->latency > writes[w].latency;
            break;
        }
}

static void hide_from_zeroes(struct planner *planner, const struct insn *insn, struct plan_write *writes) {
    for (unsigned w = 0; w < insn->n_writes; w++) {
        if (!writes[w].is_hidden)
            continue;
        uint16_t reg = insn->writes[w].reg;
        uint16_t renamed = insn->writes[w].clears_supers ? register_renamed(planner->machine, reg) : reg;
        writes[w].zeroes = register_classes_of(&planner->classes, renamed, FAMILY_INSIDE);
    }
}

static const struct plan_write *plan_writes(struct planner *planner, const struct insn *insn) {
    struct plan_write *writes = STASH_ARRAY(planner->stash, struct plan_write, insn->n_writes);
    for (unsigned i = 0; i < insn->n_writes; i++) {
        writes[i] = plan_write_of(planner, &insn->writes[i], &insn->cost->writes[i]);
        planner->plan->max_latency = max_unsigned(planner->plan->max_latency, writes[i].latency);
    }
    hide_faster_writes(writes, insn->n_writes);
    hide_from_zeroes(planner, insn, writes);
    return writes;
}

// Files with limits, of those counted in `counts`: of the others no register is ever lacking. `needed`: more than the
// file has is not asked for; all of it must do.
static unsigned pack_registers(const struct planner *planner, const unsigned *counts, bool needed,
                               struct plan_registers *packed) {
    unsigned n = 0;
    for (unsigned f = 0; f < planner->machine->n_register_files; f++) {
        unsigned size = f == 0 ? planner->options->default_file_size : planner->machine->register_files[f].n_physical;
        if (counts[f] == 0 || size == 0)
            continue;
        packed[n++] = (struct plan_registers){.file = f, .n = needed && counts[f] > size ? size : counts[f]};
    }
    return n;
}

static void plan_register_cost(struct planner *planner, struct plan_insn *planned) {
    const struct machine *machine = planner->machine;
    unsigned *needed = STASH_ZEROED(planner->stash, unsigned, machine->n_register_files);
    unsigned *taken = STASH_ZEROED(planner->stash, unsigned, machine->n_register_files);
    for (unsigned w = 0; w < planned->n_writes; w++) {
        const struct insn_write *write = &planned->insn->writes[w];
        const struct machine_register *reg = &machine->registers[write->reg];
        // A write that is left out counts one register of the default file when dispatch asks, as in llvm-mca.
        unsigned file = write->reg != 0 ? reg->file : 0, cost = write->reg != 0 ? reg->cost : 1;
        needed[0] += cost;
        needed[file] += file != 0 ? cost : 0;
        if (write->reg == 0 || planned->writes[w].is_zero || planned->writes[w].merges)
            continue;
        const struct machine_register *renamed = &machine->registers[register_renamed(machine, write->reg)];
        taken[0] += renamed->cost;
        taken[renamed->file] += renamed->file != 0 ? renamed->cost : 0;
    }
    struct plan_registers *packed =
        STASH_ARRAY(planner->stash, struct plan_registers, (size_t)2 * machine->n_register_files);
    planned->registers_taken = taken;
    planned->needed = packed;
    planned->n_needed = pack_registers(planner, needed, true, packed);
    planned->taken = packed + planned->n_needed;
    planned->n_taken = pack_registers(planner, taken, false, packed + planned->n_needed);
}

static uint16_t alias_target(struct planner *planner, uint16_t reg) {
    if (planner->target_of[reg] == 0) {
        planner->targets[++planner->n_targets] = register_classes_of(&planner->classes, reg, FAMILY_INSIDE);
        planner->target_of[reg] = (uint16_t)planner->n_targets;
    }
    return planner->target_of[reg];
}

// Whether registers alone allow eliminating the move `from` -> `write` (RegisterFile::canEliminateMove).
static bool may_eliminate(const struct machine *machine, const struct insn_read *from, const struct insn_write *write,
                          uint16_t file) {
    if (machine->registers[from->reg].file != file || machine->registers[write->reg].file != file)
        return false;
    uint16_t renamed = register_renamed(machine, write->reg);
    if (!machine->registers[renamed].move_eliminable)
        return false;
    return renamed == write->reg || write->clears_supers;
}

static void plan_moves(struct planner *planner, struct plan_insn *planned) {
    const struct machine *machine = planner->machine;
    const struct insn *insn = planned->insn;
    unsigned n = insn->n_writes;
    if (!planner->options->eliminates_moves || !insn->cost->eliminable_move || n != insn->n_reads || n == 0 || n > 2)
        return;
    planned->move_file = machine->registers[insn->writes[0].reg].file;
    for (unsigned i = 0; i < n; i++) {
        const struct insn_read *read = &insn->reads[i];
        const struct insn_write *write = &insn->writes[n - 1 - i]; // two of each: an exchange
        if (!may_eliminate(machine, read, write, planned->move_file))
            return;
        uint16_t from = register_renamed(machine, read->reg);
        planned->moves[i] = (struct plan_move){
            .write = n - 1 - i,
            .source_class = planner->classes.class_of[read->reg],
            .from_class = planner->classes.class_of[from],
            .from_target = alias_target(planner, from),
            .to = register_classes_of(&planner->classes, register_renamed(machine, write->reg), FAMILY_INSIDE),
        };
    }
    planned->n_moves = n;
}

static void plan_needs(struct plan_insn *planned) {
    planned->takes_single_units = !planned->cost->has_partially_overlapping_groups;
    planned->is_simple = planned->takes_single_units;
    for (unsigned i = 0; i < planned->n_uses; i++) {
        const struct plan_use *use = &planned->uses[i];
        planned->takes_single_units &= use->units == 1 && (!use->is_group || planned->n_groups < FEW_GROUPS);
        if (!use->is_group)
            planned->needs |= 1ULL << use->bit;
        else if (planned->n_groups < FEW_GROUPS)
            planned->groups[planned->n_groups++] = use->pipes;
        planned->is_simple &= use->is_simple;
    }
}

struct plan_insn plan_insn_of(struct planner *planner, const struct insn *insn, unsigned position) {
    struct plan_insn planned = {
        .insn = insn,
        .cost = insn->cost,
        .uses = plan_uses(planner, insn),
        .reads = plan_reads(planner, insn),
        .writes = plan_writes(planner, insn),
        .n_uses = insn->cost->n_uses,
        .n_reads = insn->n_reads,
        .n_writes = insn->n_writes,
        .position = position,
        .buffers = insn->cost->buffers,
        .used_groups = insn->cost->used_groups,
        .uops = insn->cost->uops,
        .latency = insn->cost->latency,
        .may_load = insn->may_load,
        .may_store = insn->may_store,
        .begins_group = insn->cost->begins_group,
        .ends_group = insn->cost->ends_group,
        .is_memory = insn->may_load || insn->may_store,
        .issues_at_dispatch = insn->cost->issue_immediately || (insn->cost->latency == 0 && insn->cost->n_uses == 0),
    };
    unsigned rob_size = planner->options->rob_size;
    plan_needs(&planned);
    planned.width =
        insn->cost->uops < planner->options->dispatch_width ? insn->cost->uops : planner->options->dispatch_width;
    planned.entries = max_unsigned(insn->cost->uops > rob_size ? rob_size : insn->cost->uops, 1);
    plan_register_cost(planner, &planned);
    plan_moves(planner, &planned);
    return planned;
}
