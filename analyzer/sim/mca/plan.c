// Plans of executions: the instructions (plan_insn.c), how alike they are, and what all of them can need at most.
#include "analyzer/sim/mca/plan.h"

#include "analyzer/sim/mca/dependences.h"
#include "analyzer/sim/mca/plan_insn.h"

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

static bool same_use(const struct plan_use *a, const struct plan_use *b) {
    return a->bit == b->bit && a->reserves == b->reserves && a->units == b->units && a->acquire == b->acquire &&
           a->cycles == b->cycles && a->pipes == b->pipes;
}

static bool use_alike(const struct plan_insn *a, const struct plan_insn *b) {
    if (a->n_uses != b->n_uses || a->used_groups != b->used_groups ||
        a->cost->has_partially_overlapping_groups != b->cost->has_partially_overlapping_groups)
        return false;
    for (unsigned i = 0; i < a->n_uses; i++)
        if (!same_use(&a->uses[i], &b->uses[i]))
            return false;
    return true;
}

static unsigned issue_class_of(struct planner *planner, const struct plan_insn *insns, const struct plan_insn *insn) {
    struct simulation_plan *plan = planner->plan;
    for (unsigned c = 0; c < plan->n_issue_classes; c++)
        if (use_alike(&insns[planner->class_position[c]], insn))
            return c;
    planner->class_position[plan->n_issue_classes] = insn->position;
    return plan->n_issue_classes++;
}

// Pipes that there is one of, and that wait behind a buffer, if anybody asks for it.
static uint64_t simple_pipes_of(const struct machine *machine, bool has_buffers) {
    uint64_t simple = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        if (!resource->is_group && resource->units == 1 && (!has_buffers || resource->buffer_size != 0))
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
static unsigned most_per_cycle(const struct plan_insn *insns, unsigned n_insns, unsigned dispatch_width) {
    unsigned n_free = 0;
    for (unsigned i = 0; i < n_insns; i++)
        n_free += insns[i].uops == 0;
    return dispatch_width * (n_free + 1) + n_free;
}

static void plan_limits(struct planner *planner, const struct plan_insn *insns, unsigned n_insns) {
    struct simulation_plan *plan = planner->plan;
    unsigned widest_target = 0;
    for (unsigned t = 1; t <= planner->n_targets; t++)
        widest_target = max_unsigned(widest_target, planner->targets[t].n);
    for (unsigned i = 0; i < n_insns; i++) {
        plan->max_uses = max_unsigned(plan->max_uses, insns[i].n_uses);
        plan->max_operands = max_unsigned(plan->max_operands, insns[i].n_reads + insns[i].n_writes);
        plan->max_edges = max_unsigned(plan->max_edges, count_edges(&insns[i], widest_target));
        plan->max_latency = max_unsigned(plan->max_latency, insns[i].cost->latency);
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

void plan_build(struct simulation_plan *plan, const struct machine *machine, const struct execution *execution,
                const struct plan_options *options, struct stash *stash) {
    const unsigned n = execution_length(execution);
    *plan = (struct simulation_plan){
        .machine = machine, .n_insns = n, .has_segments = options->has_segments, .has_buffers = options->has_buffers};
    struct planner planner = {.plan = plan, .machine = machine, .options = options, .stash = stash};
    register_classes_build(&planner.classes, machine, execution->block, stash);
    planner.target_of = STASH_ZEROED(stash, uint16_t, machine->n_registers);
    planner.targets = STASH_ARRAY(stash, struct class_set, 2 * (size_t)n + 1);
    planner.simple_pipes = simple_pipes_of(machine, options->has_buffers);
    planner.class_position = STASH_ARRAY(stash, unsigned, n);
    struct plan_insn *insns = STASH_ARRAY(stash, struct plan_insn, n);
    for (unsigned i = 0; i < n; i++) {
        insns[i] = plan_insn_of(&planner, execution_insn(execution, i), i);
        insns[i].is_mispredicted = execution->steps != NULL && execution->steps[i].is_mispredicted;
        insns[i].issue_class = issue_class_of(&planner, insns, &insns[i]);
    }
    plan_limits(&planner, insns, n);
    if (plan->has_segments)
        forbid_short_cuts(insns, n);
    plan->n_classes = planner.classes.n_classes;
    plan_dependences(plan, insns, stash);
    plan->insns = insns;
    plan->class_position = planner.class_position;
    plan->groups = groups_in_use(machine, insns, n);
    plan->alias_targets = planner.targets;
    plan->most_per_cycle = most_per_cycle(insns, n, options->dispatch_width);
}
