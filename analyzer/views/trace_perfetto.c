#include "analyzer/views/trace_formats.h"

#include "base/json_text.h"

#include <inttypes.h>

// Room for more instructions in flight than any reorder buffer holds; a power of two.
enum { RING = 1 << 15, PIPES = 1, INSTRUCTIONS = 2 };

struct trace_insn {
    uint64_t number;
    bool is_used, is_issued;
    unsigned position, lane;
    uint64_t dispatched, ready, issued, executed; // cycles
};

static const char *json_string_of(struct arena *arena, const char *text) {
    struct json_text json = {.text.arena = arena};
    json_put_text(&json, NULL, text_without_tabs(arena, text));
    return json.text.data;
}

static void slice(struct trace_view *view, unsigned process, unsigned track, const char *name, uint64_t from,
                  uint64_t to) {
    if (to > from)
        fprintf(view->out, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":%s}",
                process, track, from, to - from, name);
}

// CPU files know parts of a cycle.
static void use_slice(struct trace_view *view, const struct event_use *use, const char *name) {
    const unsigned track = view->first_track[use->resource] + use->unit;
    if (!use->parts && !use->parts_later)
        slice(view, PIPES, track, name, view->now, view->now + use->cycles);
    else if (use->cycles || use->parts)
        fprintf(view->out, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"name\":%s}", PIPES, track,
                (double)view->now + (double)use->parts_later / EVENT_PARTS,
                use->cycles + (double)use->parts / EVENT_PARTS, name);
}

// Names of processes and tracks. `track` < 0: of the process.
static void name_track(struct trace_view *view, unsigned process, int track, const char *name) {
    const char *kind = track < 0 ? "process_name" : "thread_name";
    fprintf(view->out, "%s{\"ph\":\"M\",\"pid\":%u,\"tid\":%d,\"name\":\"%s\",\"args\":{\"name\":%s}}",
            process == PIPES && track < 0 ? "" : ",\n", process, track < 0 ? 0 : track, kind,
            json_string_of(view->arena, name));
}

static unsigned take_lane(struct trace_view *view) {
    if (view->n_free_lanes != 0)
        return view->lanes[--view->n_free_lanes];
    view->lanes = arena_grow(view->arena, view->lanes, view->n_lanes, sizeof *view->lanes);
    name_track(view, INSTRUCTIONS, (int)view->n_lanes, "in flight");
    return view->n_lanes++;
}

// The lowest free lane is used first, so that the picture stays low.
static void free_lane(struct trace_view *view, unsigned lane) {
    unsigned i = view->n_free_lanes++;
    for (; i > 0 && view->lanes[i - 1] < lane; i--)
        view->lanes[i] = view->lanes[i - 1];
    view->lanes[i] = lane;
}

// Null where the instruction is not in flight.
static struct trace_insn *find(struct trace_view *view, const struct event_insn *insn) {
    uint64_t number = trace_number(view, insn);
    struct trace_insn *found = &view->in_flight[number % RING];
    return found->is_used && found->number == number ? found : NULL;
}

// Its slices: itself, and below it its stages.
static void finish(struct trace_view *view, struct trace_insn *insn) {
    const uint64_t times[] = {insn->dispatched, insn->ready, insn->issued, insn->executed, view->now};
    static const char *const stages[] = {"\"wait\"", "\"ready\"", "\"execute\"", "\"complete\""};
    slice(view, INSTRUCTIONS, insn->lane, view->names[insn->position], insn->dispatched, view->now);
    for (unsigned i = 0; i < 4; i++)
        slice(view, INSTRUCTIONS, insn->lane, stages[i], times[i], times[i + 1]);
    free_lane(view, insn->lane);
    insn->is_used = false;
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    struct trace_view *view = self;
    uint64_t number = trace_number(view, insn);
    if (trace_dispatched_before(view, number))
        return;
    struct trace_insn *entry = &view->in_flight[number % RING];
    if (entry->is_used)
        finish(view, entry);
    *entry = (struct trace_insn){
        .number = number,
        .is_used = true,
        .position = insn->position,
        .lane = take_lane(view),
        .dispatched = view->now,
        .ready = view->now,
        .issued = view->now,
        .executed = view->now,
    };
}

static void on_ready(void *self, const struct event_insn *insn) {
    struct trace_view *view = self;
    struct trace_insn *entry = find(view, insn);
    if (entry != NULL)
        entry->ready = entry->issued = entry->executed = view->now;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct trace_view *view = self;
    struct trace_insn *entry = find(view, insn);
    if (entry != NULL && !entry->is_issued)
        entry->issued = entry->executed = view->now;
    if (entry != NULL)
        entry->is_issued = true;
    for (unsigned i = 0; i < n_uses; i++)
        use_slice(view, &uses[i], view->names[insn->position]);
}

static void on_executed(void *self, const struct event_insn *insn) {
    struct trace_view *view = self;
    struct trace_insn *entry = find(view, insn);
    if (entry != NULL)
        entry->executed = view->now;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct trace_insn *entry = find(self, insn);
    if (entry != NULL)
        finish(self, entry);
}

static void name_pipes(struct trace_view *view) {
    unsigned *first_track = ARENA_ARRAY(view->arena, unsigned, view->machine->n_resources), n_tracks = 0;
    for (unsigned r = 1; r < view->machine->n_resources; r++) {
        const struct resource *resource = &view->machine->resources[r];
        first_track[r] = n_tracks;
        for (unsigned unit = 0; unit < resource->units && !resource->is_group; unit++) {
            const char *name =
                resource->units == 1 ? resource->name : arena_printf(view->arena, "%s.%u", resource->name, unit);
            name_track(view, PIPES, (int)n_tracks++, name);
        }
    }
    view->first_track = first_track;
}

void perfetto_open(struct trace_view *view) {
    view->listener = (struct event_listener){
        .cycle_begin = trace_on_cycle,
        .dispatched = on_dispatched,
        .ready = on_ready,
        .issued = on_issued,
        .executed = on_executed,
        .retired = on_retired,
    };
    view->in_flight = ARENA_ARRAY(view->arena, struct trace_insn, RING);
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", view->out);
    name_track(view, PIPES, -1, arena_printf(view->arena, "pipes of %s", view->machine->name));
    name_track(view, INSTRUCTIONS, -1, "instructions");
    name_pipes(view);
}

static void finish_all(struct trace_view *view) {
    for (unsigned i = 0; i < RING; i++)
        if (view->in_flight[i].is_used)
            finish(view, &view->in_flight[i]);
}

void perfetto_begin_block(struct trace_view *view) {
    finish_all(view); // of the block before: their names go
    view->names = ARENA_ARRAY(view->arena, const char *, view->block->n_insns);
    for (unsigned i = 0; i < view->block->n_insns; i++)
        view->names[i] = json_string_of(view->arena, view->block->insns[i].text);
}

void perfetto_close(struct trace_view *view) {
    finish_all(view);
    fputs("\n]}\n", view->out);
}
