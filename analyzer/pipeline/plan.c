#include "analyzer/pipeline/plan.h"

#include "analyzer/pipeline/dependences.h"

#include <assert.h>
#include <string.h>

struct planner {
    struct plan *plan;
    const struct machine *machine;
    struct register_classes classes;
    uint16_t *target_of; // by register: its number as a target of aliases
    struct class_set *targets;
    unsigned n_targets;
    const struct plan_options *options;
    struct stash *stash;
    unsigned *class_position;
    uint64_t simple_pipes; // own bits
};

static unsigned max_unsigned(unsigned a, unsigned b) {
    return a > b ? a : b;
}

static uint64_t own_bit(uint64_t mask) {
    return 1ULL << (63 - __builtin_clzll(mask));
}

static const struct plan_use *plan_uses(struct planner *planner, const struct insn *insn) {
    struct plan_use *uses = STASH_ARRAY(planner->stash, struct plan_use, insn->n_uses);
    for (unsigned i = 0; i < insn->n_uses; i++) {
        const struct insn_use *use = &insn->uses[i];
        assert(use->mask != 0);
        uint64_t own = own_bit(use->mask);
        // As in llvm-mca, a resource is held from issue on, whatever its acquire cycle, unless segments are asked for.
        uses[i] = (struct plan_use){
            .bit = (uint8_t)__builtin_ctzll(own),
            .is_group = (use->mask & (use->mask - 1)) != 0,
            .reserves = use->reserved,
            .units = use->reserved ? 0 : use->units,
            .acquire = planner->options->resource_segments ? use->acquire : 0,
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
        const struct insn_read *read = &insn->reads[i];
        reads[i] = (struct plan_read){
            .insn = read,
            .own_class = planner->classes.class_of[read->reg],
            .depends = register_classes_of(&planner->classes, read->reg, FAMILY_INSIDE),
            .is_independent = read->independent,
        };
        for (unsigned a = 0; a < read->n_advances; a++)
            if (read->advances[a].cycles < 0)
                planner->plan->max_delay = max_unsigned(planner->plan->max_delay, (unsigned)-read->advances[a].cycles);
    }
    return reads;
}

static struct plan_write plan_write_of(struct planner *planner, const struct insn_write *write) {
    struct plan_write planned = {.latency = write->latency, .is_zero = write->is_zero};
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
        writes[i] = plan_write_of(planner, &insn->writes[i]);
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
    if (machine->in_order || !insn->eliminable_move || n != insn->n_reads || n == 0 || n > 2)
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

// Older results an instruction can wait for: one per class it reads, and one per write that merges. An alias may stand
// for more classes than the register itself.
static unsigned count_edges(const struct plan_insn *insn, unsigned widest_target) {
    unsigned edges = 0;
    for (unsigned r = 0; r < insn->n_reads; r++)
        edges += max_unsigned(insn->reads[r].depends.n, widest_target);
    for (unsigned w = 0; w < insn->n_writes; w++)
        edges += insn->writes[w].merges;
    return edges;
}

static void plan_needs(struct plan_insn *planned) {
    planned->takes_single_units = !planned->insn->has_partially_overlapping_groups;
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

static bool same_use(const struct plan_use *a, const struct plan_use *b) {
    return a->bit == b->bit && a->reserves == b->reserves && a->units == b->units && a->acquire == b->acquire &&
           a->cycles == b->cycles && a->pipes == b->pipes;
}

static bool use_alike(const struct plan_insn *a, const struct plan_insn *b) {
    if (a->n_uses != b->n_uses || a->used_groups != b->used_groups ||
        a->insn->has_partially_overlapping_groups != b->insn->has_partially_overlapping_groups)
        return false;
    for (unsigned i = 0; i < a->n_uses; i++)
        if (!same_use(&a->uses[i], &b->uses[i]))
            return false;
    return true;
}

static unsigned issue_class_of(struct planner *planner, const struct plan_insn *insns, const struct plan_insn *insn) {
    struct plan *plan = planner->plan;
    for (unsigned c = 0; c < plan->n_issue_classes; c++)
        if (use_alike(&insns[planner->class_position[c]], insn))
            return c;
    planner->class_position[plan->n_issue_classes] = insn->position;
    return plan->n_issue_classes++;
}

static struct plan_insn plan_insn_of(struct planner *planner, const struct insn *insn, unsigned position) {
    struct plan_insn planned = {
        .insn = insn,
        .uses = plan_uses(planner, insn),
        .reads = plan_reads(planner, insn),
        .writes = plan_writes(planner, insn),
        .n_uses = insn->n_uses,
        .n_reads = insn->n_reads,
        .n_writes = insn->n_writes,
        .position = position,
        .buffers = insn->buffers,
        .used_groups = insn->used_groups,
        .uops = insn->uops,
        .latency = insn->latency,
        .may_load = insn->may_load,
        .may_store = insn->may_store,
        .begins_group = insn->begins_group,
        .ends_group = insn->ends_group,
        .is_memory = insn->may_load || insn->may_store,
        .issues_at_dispatch = insn->issue_immediately || (insn->latency == 0 && insn->n_uses == 0),
    };
    unsigned rob_size = planner->options->rob_size;
    plan_needs(&planned);
    planned.width = insn->uops < planner->options->dispatch_width ? insn->uops : planner->options->dispatch_width;
    planned.entries = max_unsigned(insn->uops > rob_size ? rob_size : insn->uops, 1);
    plan_register_cost(planner, &planned);
    plan_moves(planner, &planned);
    return planned;
}

// Pipes that there is one of, and that wait behind a buffer, if anybody asks for it.
static uint64_t simple_pipes_of(const struct machine *machine) {
    uint64_t simple = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        if (!resource->is_group && resource->units == 1 && (machine->in_order || resource->buffer_size != 0))
            simple |= resource->mask;
    }
    return simple;
}

// With segments, it takes more than a free unit now.
static void forbid_short_cuts(struct plan_insn *insns, unsigned n_insns) {
    for (unsigned i = 0; i < n_insns; i++)
        insns[i].takes_single_units = insns[i].is_simple = false;
}

// Instructions without uops are free to dispatch, so a run of them goes along with the uops around it.
static unsigned most_per_cycle(const struct block *block, unsigned dispatch_width) {
    unsigned n_free = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        n_free += block->insns[i].uops == 0;
    return dispatch_width * (n_free + 1) + n_free;
}

static void plan_limits(struct planner *planner, const struct plan_insn *insns, unsigned n_insns) {
    struct plan *plan = planner->plan;
    unsigned widest_target = 0;
    for (unsigned t = 1; t <= planner->n_targets; t++)
        widest_target = max_unsigned(widest_target, planner->targets[t].n);
    for (unsigned i = 0; i < n_insns; i++) {
        plan->max_uses = max_unsigned(plan->max_uses, insns[i].n_uses);
        plan->max_operands = max_unsigned(plan->max_operands, insns[i].n_reads + insns[i].n_writes);
        plan->max_edges = max_unsigned(plan->max_edges, count_edges(&insns[i], widest_target));
        plan->max_latency = max_unsigned(plan->max_latency, insns[i].insn->latency);
    }
}

// Groups in use, and the groups inside them.
static uint64_t groups_in_use(const struct machine *machine, const struct plan_insn *insns, unsigned n_insns) {
    uint64_t used = 0, groups = 0;
    for (unsigned i = 0; i < n_insns; i++)
        for (unsigned u = 0; u < insns[i].n_uses; u++)
            used |= insns[i].uses[u].is_group ? insns[i].uses[u].pipes | 1ULL << insns[i].uses[u].bit : 0;
    for (unsigned r = 1; r < machine->n_resources; r++)
        if (machine->resources[r].is_group)
            groups |= own_bit(machine->resources[r].mask);
    return used & groups;
}

void plan_build(struct plan *plan, const struct machine *machine, const struct block *block,
                const struct plan_options *options, struct stash *stash) {
    *plan = (struct plan){.machine = machine, .n_insns = block->n_insns, .has_segments = options->has_segments};
    struct planner planner = {.plan = plan, .machine = machine, .options = options, .stash = stash};
    register_classes_build(&planner.classes, machine, block, stash);
    planner.target_of = STASH_ZEROED(stash, uint16_t, machine->n_registers);
    planner.targets = STASH_ARRAY(stash, struct class_set, 2 * (size_t)block->n_insns + 1);
    planner.simple_pipes = simple_pipes_of(machine);
    planner.class_position = STASH_ARRAY(stash, unsigned, block->n_insns);
    struct plan_insn *insns = STASH_ARRAY(stash, struct plan_insn, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        insns[i] = plan_insn_of(&planner, &block->insns[i], i);
        insns[i].issue_class = issue_class_of(&planner, insns, &insns[i]);
    }
    plan_limits(&planner, insns, block->n_insns);
    if (plan->has_segments)
        forbid_short_cuts(insns, block->n_insns);
    plan->n_classes = planner.classes.n_classes;
    plan_dependences(plan, insns, stash);
    plan->insns = insns;
    plan->class_position = planner.class_position;
    plan->groups = groups_in_use(machine, insns, block->n_insns);
    plan->alias_targets = planner.targets;
    plan->most_per_cycle = most_per_cycle(block, options->dispatch_width);
}
