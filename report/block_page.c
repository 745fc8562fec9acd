#include "report/block_page.h"

#include "base/json.h"
#include "base/text.h"
#include "report/explain_block.h"
#include "report/page_fill.h"

#include <ctype.h>

enum { DECIMALS = 4 };

// "rax": LLVM's name of a register, as people write it.
static const char *register_name(struct arena *arena, const struct block_explanation *e, uint16_t reg) {
    char *name = arena_strdup(arena, e->model->machine->registers[reg].name);
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return name;
}

static const char *passes_words(struct arena *arena, unsigned passes) {
    return passes == 0 ? "" : passes == 1 ? " of the pass before" : arena_printf(arena, " of %u passes before", passes);
}

static json_t *json_of_sources(struct arena *arena, const struct block_explanation *e,
                               const struct course_entry *entry) {
    json_t *all = json_array();
    for (unsigned i = 0; i < entry->n_sources; i++) {
        const struct course_source *source = &entry->sources[i];
        const char *what = source->reg ? register_name(arena, e, source->reg) : "memory";
        const char *why =
            arena_printf(arena, "%s%s from %u%s: %s", what, source->is_of_address ? " (address)" : "", source->insn + 1,
                         passes_words(arena, source->passes), text_count(arena, source->cycles, "cycle"));
        json_array_append_new(all,
                              json_pack("{s:i, s:i, s:s, s:i, s:s}", "insn", (int)source->insn, "passes",
                                        (int)source->passes, "what", what, "cycles", (int)source->cycles, "why", why));
    }
    return all;
}

static const char *stall_words(enum event_stall stall) {
    switch (stall) {
    case STALL_REORDER_BUFFER:
        return "the reorder buffer is full";
    case STALL_SCHEDULER:
        return "a scheduler is full";
    case STALL_LOAD_QUEUE:
        return "the load queue is full";
    case STALL_STORE_QUEUE:
        return "the store queue is full";
    case STALL_REGISTER_FILE:
        return "no register is free";
    case STALL_FRONT_END:
        return "the front end has not delivered it";
    case STALL_DISPATCH_GROUP:
    case STALL_CUSTOM:
    case STALL_N_KINDS:
        break;
    }
    return "the dispatch group ended";
}

// What rename made of it, or which store's data it took; "": nothing of the kind.
static const char *rename_words(struct arena *arena, const struct course_entry *entry) {
    static const char *const eliminated[] = {
        [ELIMINATED_IDIOM] = "done at rename: its result is known",
        [ELIMINATED_MOVE] = "done at rename: another name of its source",
        [ELIMINATED_NOP] = "done at rename: it does nothing",
    };
    static const char *const met[] = {
        [MEETING_FORWARDS] = "takes the data of the store of",
        [MEETING_RENAMES] = "is renamed to the data of the store of",
        [MEETING_BLOCKS] = "waits until the store has retired of",
    };
    if (entry->times.is_eliminated)
        return eliminated[entry->elimination];
    return entry->has_met ? arena_printf(arena, "%s %u", met[entry->met], entry->met_insn + 1) : "";
}

static json_t *json_of_time(uint64_t cycle) {
    return cycle == CORE_TIMELINE_NEVER ? json_null() : json_integer((json_int_t)cycle);
}

static json_t *json_of_course(struct arena *arena, const struct block_explanation *e,
                              const struct block_course *course) {
    json_t *entries = json_array();
    for (size_t i = 0; i < course->n_entries; i++) {
        const struct course_entry *entry = &course->entries[i];
        json_t *pipes = json_array();
        for (unsigned u = 0; u < entry->n_uses; u++)
            json_array_append_new(pipes, json_string(course->pipes->resources[entry->uses[u]].name));
        json_array_append_new(
            entries,
            json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o}", "pass", (int)entry->pass, "insn",
                      (int)entry->insn, "dispatched", json_of_time(entry->times.dispatched), "ready",
                      json_of_time(entry->times.ready), "issued", json_of_time(entry->times.issued), "executed",
                      json_of_time(entry->times.executed), "retired", json_of_time(entry->times.retired), "rename",
                      rename_words(arena, entry), "stall", entry->was_stalled ? stall_words(entry->stall) : "", "pipes",
                      pipes, "sources", json_of_sources(arena, e, entry)));
    }
    return json_pack("{s:i, s:i, s:o}", "passes", (int)course->n_passes, "cycles", (int)course->n_cycles, "entries",
                     entries);
}

static json_t *json_of_pipes(const struct block_course *course) {
    json_t *all = json_array();
    for (unsigned r = 1; r < course->pipes->n_resources; r++)
        if (course->pipe_cycles[r] > 0)
            json_array_append_new(all, json_pack("{s:s, s:o}", "name", course->pipes->resources[r].name, "cycles",
                                                 json_rounded(course->pipe_cycles[r], DECIMALS)));
    return all;
}

static json_t *json_of_dependences(struct arena *arena, const struct block_explanation *e,
                                   const struct block_course *course) {
    json_t *all = json_array();
    for (size_t i = 0; i < course->n_dependences; i++) {
        const struct course_dependence *one = &course->dependences[i];
        json_array_append_new(all, json_pack("{s:i, s:i, s:s}", "from", (int)one->from, "to", (int)one->to, "what",
                                             one->reg ? register_name(arena, e, one->reg) : "memory"));
    }
    return all;
}

static json_t *json_of_knobs(const struct block_course *course) {
    json_t *all = json_array();
    for (size_t i = 0; i < course->n_knobs; i++)
        json_array_append_new(all, json_pack("{s:s, s:o}", "name", course->knobs[i].name, "cycles",
                                             json_rounded(course->knobs[i].cycles, DECIMALS)));
    return all;
}

json_t *block_page_object(struct arena *arena, const char *title, const struct block_explanation *explanation,
                          const struct block_course *course) {
    json_t *data = explain_block_object(arena, explanation);
    json_object_set_new(data, "title", json_string(title));
    json_object_set_new(data, "is_core", json_boolean(explanation->model->is_simulated));
    json_object_set_new(data, "course", json_of_course(arena, explanation, course));
    json_object_set_new(data, "pressure", json_of_pipes(course));
    json_object_set_new(data, "dependences", json_of_dependences(arena, explanation, course));
    json_object_set_new(data, "knobs", json_of_knobs(course));
    return data;
}

const char *block_page_make(struct arena *arena, const char *title, const struct block_explanation *explanation,
                            const struct block_course *course, struct fail *fail) {
    return page_fill_json(arena, "block.html", block_page_object(arena, title, explanation, course), fail);
}
