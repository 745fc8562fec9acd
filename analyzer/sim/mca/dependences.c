#include "analyzer/sim/mca/dependences.h"

// The last definition of a class, as renaming finds it (register_file.c): in the second of two iterations.
struct defined {
    uint32_t at; // instruction, counted from 1 over both iterations; 0: none
    uint16_t write;
};

struct finder {
    const struct simulation_plan *plan;
    struct plan_insn *insns;
    struct defined *defined; // by class
    struct plan_dependence *found;
    unsigned n_found;
    uint32_t at; // instruction being looked at
};

int plan_advance(const struct sched_read *read, unsigned write_class) {
    // The first entry that fits counts (MCSubtargetInfo::getReadAdvanceCycles).
    for (unsigned i = 0; i < read->n_advances; i++)
        if (read->advances[i].write_class == 0 || read->advances[i].write_class == write_class)
            return read->advances[i].cycles;
    return 0;
}

static const struct plan_insn *insn_at(const struct finder *finder, uint32_t at) {
    return &finder->insns[(at - 1) % finder->plan->n_insns];
}

static void add_dependence(struct finder *finder, struct defined defined, unsigned operand, int advance) {
    finder->found[finder->n_found++] = (struct plan_dependence){
        .distance = finder->at - defined.at, .write = defined.write, .operand = (uint16_t)operand, .advance = advance};
}

static bool is_met_before(const struct finder *finder, struct class_set set, unsigned i) {
    struct defined defined = finder->defined[set.classes[i]];
    for (unsigned before = 0; before < i; before++) {
        struct defined other = finder->defined[set.classes[before]];
        if (other.at == defined.at && other.write == defined.write)
            return true;
    }
    return false;
}

static void find_read(struct finder *finder, const struct plan_insn *insn, unsigned r) {
    struct class_set set = insn->reads[r].depends;
    for (unsigned i = 0; i < set.n && !insn->reads[r].is_independent; i++) {
        struct defined defined = finder->defined[set.classes[i]];
        if (defined.at == 0 || is_met_before(finder, set, i))
            continue;
        unsigned write_class = insn_at(finder, defined.at)->cost->writes[defined.write].write_class;
        add_dependence(finder, defined, r, plan_advance(insn->cost->reads + r, write_class));
    }
}

static void find_merge(struct finder *finder, const struct plan_insn *insn, unsigned w) {
    const struct plan_write *write = &insn->writes[w];
    struct defined defined = finder->defined[write->own_class];
    if (write->merges && defined.at != 0 && defined.at != finder->at)
        add_dependence(finder, defined, insn->n_reads + w, write->latency > 1 ? (int)write->latency - 1 : 0);
}

static void define(struct finder *finder, const struct plan_insn *insn, unsigned w) {
    const struct plan_write *write = &insn->writes[w];
    for (unsigned i = 0; i < write->defines.n && !write->is_hidden; i++)
        finder->defined[write->defines.classes[i]] = (struct defined){.at = finder->at, .write = (uint16_t)w};
}

static void find(struct finder *finder, struct plan_insn *insn, bool is_second) {
    unsigned first = finder->n_found;
    for (unsigned r = 0; r < insn->n_reads && is_second; r++)
        find_read(finder, insn, r);
    for (unsigned w = 0; w < insn->n_writes; w++) {
        if (insn->writes[w].own_class == 0)
            continue;
        if (is_second)
            find_merge(finder, insn, w);
        define(finder, insn, w);
    }
    insn->dependences = finder->found + first;
    insn->n_dependences = finder->n_found - first;
}

void plan_dependences(struct simulation_plan *plan, struct plan_insn *insns, struct stash *stash) {
    plan->is_fixed = true;
    for (unsigned i = 0; i < plan->n_insns; i++)
        plan->is_fixed &= insns[i].n_moves == 0;
    if (!plan->is_fixed)
        return;
    struct finder finder = {.plan = plan, .insns = insns};
    finder.defined = STASH_ZEROED(stash, struct defined, plan->n_classes);
    finder.found = STASH_ARRAY(stash, struct plan_dependence, (size_t)plan->max_edges * plan->n_insns);
    for (finder.at = 1; finder.at <= 2 * plan->n_insns; finder.at++)
        find(&finder, &insns[(finder.at - 1) % plan->n_insns], finder.at > plan->n_insns);
}
