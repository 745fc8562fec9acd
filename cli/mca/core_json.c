// The report as JSON: docs/reference/schema/mca-core.json describes it.
#include "cli/mca/core_report_parts.h"

#include "base/text.h"

enum { DECIMALS = 6 };

static void put_histogram(struct json_text *json, const char *key, const struct tally *histogram) {
    json_open_list(json, key);
    for (size_t i = 0; i < histogram->n; i++)
        json_put_integer(json, NULL, (int64_t)histogram->counts[i]);
    json_close_list(json);
}

static void put_counts(const struct core_findings *found, struct json_text *json) {
    static const char *const eliminated[] = {
        [ELIMINATED_IDIOM] = "idioms", [ELIMINATED_MOVE] = "moves", [ELIMINATED_NOP] = "nops"};
    static const char *const met[] = {
        [MEETING_FORWARDS] = "forwarded", [MEETING_RENAMES] = "renamed", [MEETING_BLOCKS] = "blocked"};
    const struct core_counts_view *counts = &found->counts;
    put_histogram(json, "dispatched", &counts->slots);
    put_histogram(json, "issued", &counts->uops);
    put_histogram(json, "retired", &counts->retired);
    json_open(json, "stalls");
    for (unsigned kind = 0; kind < STALL_N_KINDS; kind++)
        if (core_counts_stall_name((enum event_stall)kind))
            json_put_integer(json, core_counts_stall_name((enum event_stall)kind),
                             (int64_t)tally_get(&counts->stalls, kind));
    json_close(json);
    json_open(json, "at_rename");
    for (unsigned i = 0; i < 3; i++)
        json_put_integer(json, eliminated[i], (int64_t)tally_get(&counts->eliminated, i));
    json_close(json);
    json_open(json, "loads_of_stores");
    for (unsigned i = 0; i < 3; i++)
        json_put_integer(json, met[i], (int64_t)tally_get(&counts->met, i));
    json_close(json);
}

static void put_pressure(const struct core_findings *found, unsigned position, struct json_text *json) {
    const struct machine *pipes = found->session->machine;
    json_open(json, "pressure");
    for (unsigned r = 1; r < pipes->n_resources; r++)
        if (core_counts_held(&found->counts, position, r) > 0)
            json_put_real(json, pipes->resources[r].name, core_counts_held(&found->counts, position, r), DECIMALS);
    json_close(json);
}

static void put_insns(const struct core_findings *found, struct json_text *json) {
    json_open_list(json, "code");
    for (unsigned i = 0; i < found->block->n_insns; i++) {
        const struct cpu_recipe *recipe = &found->recipes[i];
        json_open(json, NULL);
        json_put_text(json, "text", text_without_tabs(found->session->arena, found->block->insns[i].text));
        json_put_text(json, "opcode", found->block->insns[i].opcode);
        json_put_integer(json, "slots", recipe->slots);
        json_put_real(json, "latency", recipe->latency + recipe->load_latency, DECIMALS);
        put_pressure(found, i, json);
        json_close(json);
    }
    json_close_list(json);
}

static void put_time(struct json_text *json, const char *key, uint64_t cycle) {
    if (cycle != CORE_TIMELINE_NEVER)
        json_put_integer(json, key, (int64_t)cycle);
}

static void put_timeline(const struct core_findings *found, struct json_text *json) {
    const struct core_timeline_view *view = &found->timeline;
    json_open_list(json, "timeline");
    for (size_t i = 0; i < (size_t)view->iterations * found->block->n_insns; i++) {
        const struct core_timeline_entry *entry = &view->entries[i];
        json_open(json, NULL);
        json_put_integer(json, "iteration", (int64_t)(i / found->block->n_insns));
        json_put_integer(json, "instruction", (int64_t)(i % found->block->n_insns) + 1);
        put_time(json, "dispatched", entry->dispatched);
        put_time(json, "ready", entry->ready);
        put_time(json, "issued", entry->issued);
        put_time(json, "executed", entry->executed);
        put_time(json, "retired", entry->retired);
        json_close(json);
    }
    json_close_list(json);
}

static void put_blame(const struct core_blame *blame, struct json_text *json) {
    json_open(json, "without");
    for (unsigned i = 0; i < blame->n; i++)
        json_put_real(json, blame->limits[i].limit, blame->limits[i].without, DECIMALS);
    json_close(json);
}

void core_put_json(const struct core_findings *found, struct json_text *json) {
    const struct mca_args *args = found->session->args;
    const struct pipeline_result *result = &found->result;
    json_open(json, NULL);
    json_put_text(json, "model", core_title(found));
    json_put_text(json, "name", found->block->name);
    json_put_text(json, "form", found->way.is_loop ? "looped" : "unrolled");
    json_put_real(json, "cycles", found->blame.cycles, DECIMALS);
    json_open(json, "bound");
    json_put_text(json, "name", bound_name(found->blame.bounds.largest));
    json_put_real(json, "cycles", found->blame.bounds.most, DECIMALS);
    json_close(json);
    json_put_integer(json, "iterations", (int64_t)found->iterations);
    json_put_integer(json, "total_cycles", (int64_t)result->cycles);
    json_put_integer(json, "instructions", (int64_t)result->instructions);
    json_put_integer(json, "slots", (int64_t)result->uops);
    if (args->bottlenecks)
        put_blame(&found->blame, json);
    put_counts(found, json);
    put_pressure(found, found->block->n_insns, json);
    put_insns(found, json);
    if (args->timeline)
        put_timeline(found, json);
    json_close(json);
}
