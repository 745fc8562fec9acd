#include "analyzer/predict/dependence.h"

#include "analyzer/sched/insn.h"
#include "base/arena.h"

// Who wrote a register last: a stream of an iteration. Iteration 0 and 1 are walked; nobody: none of them.
struct writer {
    bool is_known;
    unsigned iteration, stream;
};

struct walk {
    const struct machine *machine;
    struct writer *last; // by register
    struct dependence found;
};

static void write_register(struct walk *walk, unsigned reg, struct writer writer) {
    const struct machine_register *written = &walk->machine->registers[reg];
    walk->last[reg] = writer;
    for (unsigned i = 0; i < written->n_sub; i++)
        walk->last[written->sub[i]] = writer;
    for (unsigned i = 0; i < written->n_super; i++)
        walk->last[written->super[i]] = writer;
}

static void read_register(struct walk *walk, unsigned reg, struct writer reader) {
    const struct writer *writer = &walk->last[reg];
    if (!writer->is_known || walk->machine->registers[reg].is_constant)
        return;
    const char *name = walk->machine->registers[reg].name;
    if (writer->iteration != reader.iteration) {
        walk->found.is_carried = true;
        if (machine_is_flags(walk->machine, reg))
            walk->found.carried_flags = name;
    }
    if (writer->stream != reader.stream && !walk->found.crossing)
        walk->found.crossing = name;
}

static void walk_insn(struct walk *walk, const struct insn *insn, struct writer who) {
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (!insn->cost || !insn->cost->reads[i].independent)
            read_register(walk, insn->reads[i].reg, who);
    for (unsigned i = 0; i < insn->n_writes; i++) {
        who.is_known = !insn->cost || !insn->cost->writes[i].is_zero; // waiting for a zero idiom is waiting for nobody
        write_register(walk, insn->writes[i].reg, who);
    }
}

struct dependence dependence_find(const struct machine *machine, const struct block *block, unsigned n_streams,
                                  unsigned per_stream, unsigned per_other) {
    struct arena arena = {0};
    struct walk walk = {.machine = machine, .last = ARENA_ARRAY(&arena, struct writer, machine->n_registers)};
    unsigned per_both = per_stream + per_other;
    unsigned n_insns = n_streams * per_both < block->n_insns ? n_streams * per_both : block->n_insns;
    for (unsigned iteration = 0; iteration < 2; iteration++)
        for (unsigned i = 0; i < n_insns; i++) {
            unsigned stream = i / per_both * 2 + (i % per_both >= per_stream);
            walk_insn(&walk, &block->insns[i], (struct writer){true, iteration, stream});
        }
    arena_free(&arena);
    return walk.found;
}
