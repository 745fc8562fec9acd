#include "analyzer/views/columns.h"
#include "analyzer/views/statistics.h"

#include <inttypes.h>

// Entries of the load and store queue are taken at dispatch and given back at execution; all others are told of.
static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    struct scheduler_view *view = self;
    const struct machine *machine = view->machine;
    if (machine->load_queue_resource != 0 && insn->insn->may_load && view->last_load != insn->index + 1) {
        view->buffers[machine->load_queue_resource].now++;
        view->last_load = insn->index + 1;
    }
    if (machine->store_queue_resource != 0 && insn->insn->may_store && view->last_store != insn->index + 1) {
        view->buffers[machine->store_queue_resource].now++;
        view->last_store = insn->index + 1;
    }
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    (void)uses;
    (void)n_uses;
    ((struct scheduler_view *)self)->issued += insn->insn->cost->uops;
}

static void on_executed(void *self, const struct event_insn *insn) {
    struct scheduler_view *view = self;
    const struct machine *machine = view->machine;
    if (machine->load_queue_resource != 0 && insn->insn->may_load)
        view->buffers[machine->load_queue_resource].now--;
    if (machine->store_queue_resource != 0 && insn->insn->may_store)
        view->buffers[machine->store_queue_resource].now--;
}

static bool is_queue(const struct machine *machine, unsigned resource) {
    return resource == machine->load_queue_resource || resource == machine->store_queue_resource;
}

// `buffers` holds each resource's own bit.
static void change(struct scheduler_view *view, uint64_t buffers, uint32_t by) {
    for (unsigned r = 1; r < view->machine->n_resources; r++)
        if ((resource_bit(view->machine->resources[r].mask) & buffers) != 0 && !is_queue(view->machine, r))
            view->buffers[r].now += by;
}

static void on_buffers_taken(void *self, const struct event_insn *insn, uint64_t buffers) {
    (void)insn;
    change(self, buffers, 1);
}

static void on_buffers_freed(void *self, const struct event_insn *insn, uint64_t buffers) {
    (void)insn;
    change(self, buffers, (uint32_t)-1);
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    struct scheduler_view *view = self;
    for (unsigned r = 0; r < view->machine->n_resources; r++)
        level_end_cycle(&view->buffers[r]);
    tally_add(&view->widths, view->issued, 1);
    view->issued = 0;
}

static void on_marked(void *self) {
    struct scheduler_view *view = self;
    for (unsigned r = 0; r < view->machine->n_resources; r++)
        level_mark(&view->buffers[r]);
    tally_mark(&view->widths);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    struct scheduler_view *view = self;
    for (unsigned r = 0; r < view->machine->n_resources; r++)
        level_repeat(&view->buffers[r], times);
    tally_repeat(&view->widths, times);
    view->last_load += instructions;
    view->last_store += instructions;
}

void scheduler_view_init(struct scheduler_view *view, const struct machine *machine, struct arena *arena) {
    *view = (struct scheduler_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .issued = on_issued,
                     .executed = on_executed,
                     .buffers_taken = on_buffers_taken,
                     .buffers_freed = on_buffers_freed,
                     .cycle_end = on_cycle_end,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .machine = machine,
        .widths.arena = arena,
        .buffers = ARENA_ARRAY(arena, struct level, machine->n_resources),
    };
}

static void print_buffer(FILE *out, const struct resource *resource, const struct level *level, uint64_t cycles) {
    double average = (double)level->sum / (double)cycles;
    struct columns line = {.out = out};
    columns_add(&line, resource->name);
    columns_pad(&line, 17);
    columns_addf(&line, "%u", (unsigned)columns_rounded(average, 10)); // llvm-mca cuts the tenth off
    columns_pad(&line, 28);
    columns_addf(&line, "%" PRIu32, level->highest);
    columns_pad(&line, 39);
    columns_addf(&line, "%d\n", resource->buffer_size);
}

static void print_buffers(const struct scheduler_view *view, uint64_t cycles, FILE *out) {
    bool any = false;
    for (unsigned r = 0; r < view->machine->n_resources; r++)
        any |= view->buffers[r].highest != 0;
    fputs("\nScheduler's queue usage:\n", out);
    if (!any) {
        fputs("No scheduler resources used.\n", out);
        return;
    }
    fputs("[1] Resource name.\n[2] Average number of used buffer entries.\n[3] Maximum number of used buffer entries.\n"
          "[4] Total number of buffer entries.\n\n [1]            [2]        [3]        [4]\n",
          out);
    for (unsigned r = 1; r < view->machine->n_resources; r++)
        if (view->machine->resources[r].buffer_size > 0)
            print_buffer(out, &view->machine->resources[r], &view->buffers[r], cycles);
}

void scheduler_view_print(const struct scheduler_view *view, FILE *out) {
    const uint64_t cycles = tally_sum(&view->widths);
    fputs("\n\nSchedulers - number of cycles where we saw N micro opcodes issued:\n[# issued], [# cycles]\n", out);
    for (size_t i = 0; i < view->widths.n; i++) {
        uint64_t count = view->widths.counts[i];
        if (count != 0)
            fprintf(out, " %zu,          %" PRIu64 "  (%.1f%%)\n", i, count, (double)count / (double)cycles * 100);
    }
    print_buffers(view, cycles, out);
}
