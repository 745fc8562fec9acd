#include "study/block_course.h"

#include "analyzer/cpu/pipes.h"
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/core_simulation.h"
#include "analyzer/sim/core/cpu_core.h"

// What listens to the core, beside its timeline. Entries are those of the passes shown.
struct course_watch {
    struct event_listener listener;
    const struct core_timeline_view *timeline;
    uint64_t first, end; // indices of instructions
    unsigned n_insns;
    struct course_entry *entries;
    double *held;
};

static struct course_entry *entry_of(struct course_watch *watch, const struct event_insn *insn) {
    return insn->index >= watch->first && insn->index < watch->end ? &watch->entries[insn->index - watch->first] : NULL;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct course_watch *watch = self;
    struct course_entry *entry = entry_of(watch, insn);
    if (!entry)
        return;
    for (unsigned i = 0; i < n_uses; i++) {
        watch->held[uses[i].resource] += uses[i].cycles + (double)uses[i].parts / EVENT_PARTS;
        if (entry->n_uses < COURSE_MOST_USES)
            entry->uses[entry->n_uses++] = uses[i].resource;
    }
}

static void on_eliminated(void *self, const struct event_insn *insn, enum event_elimination what) {
    struct course_entry *entry = entry_of(self, insn);
    if (entry)
        entry->elimination = what;
}

static void on_stalled(void *self, const struct event_insn *insn, enum event_stall kind) {
    struct course_entry *entry = entry_of(self, insn);
    if (entry) {
        entry->was_stalled = true;
        entry->stall = kind;
    }
}

static void on_met_store(void *self, const struct event_insn *insn, uint64_t store, enum event_meeting what) {
    struct course_watch *watch = self;
    struct course_entry *entry = entry_of(watch, insn);
    if (entry) {
        entry->has_met = true;
        entry->met = what;
        entry->met_insn = (unsigned)(store % watch->n_insns);
    }
}

// Of two reports of one instruction, the first is about its address.
static void on_critical(void *self, const struct event_insn *insn, const struct event_critical *critical) {
    struct course_watch *watch = self;
    struct course_entry *entry = entry_of(watch, insn);
    const struct event_dependence *waits[] = {&critical->on_register, &critical->on_memory};
    for (unsigned i = 0; entry && i < sizeof waits / sizeof *waits; i++) {
        if (!waits[i]->cycles || entry->n_sources == COURSE_MOST_SOURCES)
            continue;
        const bool accesses = insn->insn->may_load || insn->insn->may_store;
        entry->sources[entry->n_sources++] = (struct course_source){
            .insn = (unsigned)(waits[i]->index % watch->n_insns),
            .passes = (unsigned)(insn->index / watch->n_insns - waits[i]->index / watch->n_insns),
            .reg = waits[i]->reg,
            .cycles = waits[i]->cycles,
            .is_of_address = accesses && watch->timeline->entries[insn->index].issued == CORE_TIMELINE_NEVER,
        };
    }
}

static bool find_knobs(struct arena *arena, const struct bounds_request *way, struct block_course *course,
                       struct fail *fail) {
    struct course_knob *knobs = ARENA_ARRAY(arena, struct course_knob, cpu_core.n_knobs);
    for (unsigned i = 0; i < cpu_core.n_knobs; i++) {
        knobs[i].name = cpu_core.knobs[i].name;
        if (!core_cycles_find(way, 1U << i, &knobs[i].cycles, fail))
            return false;
    }
    course->knobs = knobs;
    course->n_knobs = cpu_core.n_knobs;
    return true;
}

// The last one before `insn` that writes a part of the register, in the block or in the iteration before; n_insns:
// none.
static unsigned writer_of(const struct block_explanation *e, unsigned insn, uint16_t reg) {
    const struct block *block = &e->block;
    for (unsigned back = 1; back <= block->n_insns; back++) {
        const unsigned from = (insn + block->n_insns - back) % block->n_insns;
        const struct insn *writer = &block->insns[from];
        for (unsigned w = 0; w < writer->n_writes; w++)
            if (e->way.cpu->units[writer->writes[w].reg] == e->way.cpu->units[reg])
                return from;
    }
    return block->n_insns;
}

static void find_dependences(struct arena *arena, const struct block_explanation *e, struct block_course *course) {
    struct course_dependence *found = NULL;
    size_t n = 0;
    for (unsigned i = 0; i < e->block.n_insns; i++) {
        const struct insn *insn = &e->block.insns[i];
        const bool reads_nothing = e->found.recipes[i].rename == CPU_ZEROES;
        for (unsigned r = 0; r < insn->n_reads && !reads_nothing; r++) {
            const unsigned from = writer_of(e, i, insn->reads[r].reg);
            if (!e->way.cpu->units[insn->reads[r].reg] || from == e->block.n_insns)
                continue;
            *ARENA_ADD(arena, found, n) = (struct course_dependence){from, i, insn->reads[r].reg};
        }
        if (e->found.loads_from[i] >= 0)
            *ARENA_ADD(arena, found, n) = (struct course_dependence){(unsigned)e->found.loads_from[i], i, 0};
    }
    course->dependences = found;
    course->n_dependences = n;
}

// Takes the times, from the first dispatch on.
static void take_times(const struct core_timeline_entry *timeline, struct course_entry *entries, size_t n,
                       struct block_course *course) {
    uint64_t first = CORE_TIMELINE_NEVER;
    for (size_t i = 0; i < n; i++)
        first = timeline[i].dispatched < first ? timeline[i].dispatched : first;
    for (size_t i = 0; i < n; i++) {
        struct core_timeline_entry *own = &entries[i].times;
        *own = timeline[i];
        uint64_t *times[] = {&own->dispatched, &own->ready, &own->issued, &own->executed, &own->retired};
        for (unsigned k = 0; k < sizeof times / sizeof *times; k++) {
            if (*times[k] == CORE_TIMELINE_NEVER)
                continue;
            *times[k] -= *times[k] > first ? first : *times[k];
            course->n_cycles = *times[k] + 1 > course->n_cycles ? *times[k] + 1 : course->n_cycles;
        }
    }
}

bool block_course_find(struct arena *arena, const struct block_explanation *explanation, unsigned most_entries,
                       struct block_course *course, struct fail *fail) {
    enum { IN_FLIGHT = 1024, MOST_PASSES = 8 }; // no window known holds more instructions
    const unsigned n = explanation->block.n_insns, passes = most_entries / n < 1             ? 1
                                                            : most_entries / n > MOST_PASSES ? MOST_PASSES
                                                                                             : most_entries / n;
    // The window is full before the first pass shown, and stays so behind the last one.
    const uint64_t before = IN_FLIGHT / n + 2;
    *course = (struct block_course){.pipes = cpu_pipe_machine(arena, explanation->way.cpu), .n_passes = passes};
    struct core_timeline_view timeline;
    core_timeline_view_init(&timeline, &explanation->block, (unsigned)before + passes, 0, arena);
    struct course_watch watch = {
        .timeline = &timeline,
        .listener = {.self = &watch,
                     .issued = on_issued,
                     .eliminated = on_eliminated,
                     .stalled = on_stalled,
                     .met_store = on_met_store,
                     .critical = on_critical},
        .first = before * n,
        .end = (before + passes) * n,
        .n_insns = n,
        .entries = ARENA_ARRAY(arena, struct course_entry, (size_t)passes * n),
        .held = ARENA_ARRAY(arena, double, course->pipes->n_resources),
    };
    for (unsigned i = 0; i < passes * n; i++)
        watch.entries[i] = (struct course_entry){.pass = i / n, .insn = i % n};
    struct event_listener *listeners[] = {&timeline.listener, &watch.listener, NULL};
    const struct core_simulation simulation = {
        .iterations = 2 * before + passes, .walk_all = true, .listeners = listeners};
    struct pipeline_result result;
    if (!core_simulate(&explanation->way, &simulation, &result, fail) ||
        !find_knobs(arena, &explanation->way, course, fail))
        return false;
    find_dependences(arena, explanation, course);
    take_times(&timeline.entries[watch.first], watch.entries, (size_t)passes * n, course);
    for (unsigned r = 0; r < course->pipes->n_resources; r++)
        watch.held[r] /= passes;
    course->entries = watch.entries;
    course->n_entries = (size_t)passes * n;
    course->pipe_cycles = watch.held;
    return true;
}
