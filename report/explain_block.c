#include "report/explain_block.h"

#include "analyzer/cpu/pipes.h"
#include "base/json.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "lab/cpu_forms.h"

static const char *form_name(const struct block_explanation *e) {
    return e->way.is_loop ? "looped" : "unrolled";
}

static const char *memory_of(struct arena *arena, const struct block_explanation *e, unsigned insn) {
    const struct cpu_recipe *recipe = &e->found.recipes[insn];
    int from = e->found.loads_from[insn];
    const char *load = !recipe->n_loads ? "" : from < 0 ? "load" : arena_printf(arena, "load of %d's store", from + 1);
    return arena_printf(arena, "%s%s%s", load, recipe->n_loads && recipe->n_stores ? ", " : "",
                        recipe->n_stores ? "store" : "");
}

// What rename does with it, and memory.
static const char *place_of(struct arena *arena, const struct block_explanation *e, unsigned insn) {
    const char *rename = cpu_rename_name(&e->found.recipes[insn]), *memory = memory_of(arena, e, insn);
    return arena_printf(arena, "%s%s%s", rename, *rename && *memory ? ", " : "", memory);
}

// Of the largest bound and of the next one, those that the instruction takes part in.
static const char *limits_of(struct arena *arena, const struct block_explanation *e, unsigned insn) {
    const struct bounds *bounds = &e->found.bounds;
    bool is_largest = e->found.parts[bounds->largest].is_maker[insn] && bounds->most > 0,
         is_next = e->found.parts[bounds->next].is_maker[insn] && bounds->cycles[bounds->next] > 0;
    return arena_printf(arena, "%s%s%s", is_largest ? bound_name(bounds->largest) : "",
                        is_largest && is_next ? ", " : "", is_next ? bound_name(bounds->next) : "");
}

static void print_bounds(struct arena *arena, const struct block_explanation *e, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    bool is_printed[BOUND_N] = {false};
    table_column(&table, TABLE_LEFT, "bound");
    table_column(&table, TABLE_RIGHT, "cycles");
    table_column(&table, TABLE_RIGHT, "without it");
    for (unsigned n = 0; n < BOUND_N; n++) {
        unsigned most = BOUND_N;
        for (unsigned kind = 0; kind < BOUND_N; kind++)
            if (!is_printed[kind] && (most == BOUND_N || e->found.parts[kind].cycles > e->found.parts[most].cycles))
                most = kind;
        is_printed[most] = true;
        if (e->found.parts[most].cycles <= 0)
            continue;
        table_cell(&table, "%s", bound_name((enum bound_kind)most));
        table_cell(&table, "%.2f", e->found.parts[most].cycles);
        table_cell(&table, "%.2f", e->found.parts[most].without);
    }
    table_print(&table, out, colour);
}

static void print_insns(struct arena *arena, const struct block_explanation *e, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_CUT, "code");
    table_column(&table, TABLE_RIGHT, "slots");
    table_column(&table, TABLE_WRAP, "pipes, cycles");
    table_column(&table, TABLE_RIGHT, "latency");
    table_column(&table, TABLE_WRAP, "rename, memory");
    table_column(&table, TABLE_LEFT, "limits");
    for (unsigned i = 0; i < e->found.n_insns; i++) {
        const struct cpu_recipe *recipe = &e->found.recipes[i];
        table_cell(&table, "%s", bounds_insn_words(arena, &e->words, i));
        table_cell(&table, "%u", recipe->slots);
        table_cell(&table, "%s", cpu_uses_name(arena, e->model->own, recipe->uses, recipe->n_uses));
        table_cell(&table, "%.4g", recipe->latency + recipe->load_latency);
        table_cell(&table, "%s", place_of(arena, e, i));
        table_cell(&table, "%s", limits_of(arena, e, i));
    }
    table_print(&table, out, colour);
}

// A bit for each trust that a number of the instruction has.
static unsigned trusts_of(const struct cpu_recipe *recipe) {
    unsigned trusts = 0;
    for (unsigned c = 0; c < CPU_N_COSTS; c++)
        trusts |= 1u << recipe->trusts[c];
    return trusts;
}

// Whose numbers are whose: "numbers of instructions 1 and 3: llvm; of instruction 2: measured and llvm".
static void print_trusts(struct arena *arena, const struct block_explanation *e, FILE *out) {
    unsigned n_groups = 0;
    bool *are_alike = ARENA_ARRAY(arena, bool, e->found.n_insns);
    struct text text = {.arena = arena};
    text_add(&text, "numbers");
    for (unsigned trusts = 1; trusts < 1u << CPU_N_TRUSTS; trusts++) {
        unsigned n = 0, n_names = 0;
        for (unsigned i = 0; i < e->found.n_insns; i++)
            n += are_alike[i] = trusts_of(&e->found.recipes[i]) == trusts;
        if (!n)
            continue;
        text_addf(&text, "%s of %s:", n_groups++ ? ";" : "", bounds_list_words(arena, are_alike, e->found.n_insns));
        for (unsigned t = 0; t < CPU_N_TRUSTS; t++)
            if (trusts >> t & 1)
                text_addf(&text, "%s%s", n_names++ ? " and " : " ", cpu_trust_name((enum cpu_trust)t));
    }
    screen_print_sentence(text.data, out);
}

// What the core takes, and how much of it no bound explains.
static const char *core_sentence(struct arena *arena, const struct block_explanation *e) {
    const double more = e->core_cycles - e->found.bounds.most;
    const double shown = 0.005;
    if (more < -shown)
        return arena_printf(arena,
                            "core: simulated, the block takes %.2f cycles, less than this limit, which counts "
                            "more than the core does",
                            e->core_cycles);
    return more < shown ? "core: simulated, the block reaches this limit"
                        : arena_printf(arena, "core: simulated, the block takes %.2f cycles: %.2f of interaction",
                                       e->core_cycles, more);
}

void explain_block_print(struct arena *arena, const struct block_explanation *e, FILE *out, bool colour) {
    const struct bounds *bounds = &e->found.bounds;
    fprintf(out, "%s, %s: %.2f cycles per iteration\n", e->model->title, form_name(e),
            e->model->is_simulated ? e->core_cycles : bounds->most);
    const char *largest = bounds->most > 0 ? arena_printf(arena, "%s: ", bound_name(bounds->largest)) : "";
    screen_print_sentence(arena_printf(arena, "limit: %s%s", largest, e->sentence), out);
    if (bounds->cycles[bounds->next] > 0)
        screen_print_sentence(arena_printf(arena, "next: %s, %.2f cycles: %s", bound_name(bounds->next),
                                           bounds->cycles[bounds->next], e->next_sentence),
                              out);
    screen_print_sentence(core_sentence(arena, e), out);
    if (bounds->most > 0) {
        fputs("\n", out);
        print_bounds(arena, e, out, colour);
    }
    fputs("\n", out);
    print_insns(arena, e, out, colour);
    print_trusts(arena, e, out);
    for (size_t i = 0; i < e->n_notes; i++)
        screen_print_sentence(arena_printf(arena, "note: %s", e->notes[i]), out);
}

static json_t *json_of_bounds(const struct block_explanation *e) {
    enum { DECIMALS = 6 };
    json_t *all = json_object();
    for (unsigned kind = 0; kind < BOUND_N; kind++) {
        const struct bound_part *part = &e->found.parts[kind];
        json_t *makers = json_array();
        for (unsigned i = 0; i < e->found.n_insns && part->cycles > 0; i++)
            if (part->is_maker[i])
                json_array_append_new(makers, json_integer((json_int_t)i + 1));
        json_object_set_new(all, bound_name((enum bound_kind)kind),
                            json_pack("{s:o, s:o, s:o}", "cycles", json_rounded(part->cycles, DECIMALS), "without",
                                      json_rounded(part->without, DECIMALS), "instructions", makers));
    }
    return all;
}

static json_t *json_of_chain(struct arena *arena, const struct block_explanation *e) {
    enum { DECIMALS = 6 };
    json_t *links = json_array();
    for (unsigned i = 0; i < e->found.n_chain; i++) {
        const struct bound_link *link = &e->found.chain[i];
        json_array_append_new(links, json_pack("{s:i, s:s, s:o}", "instruction", (int)link->insn + 1, "from",
                                               bounds_link_words(arena, &e->words, link), "cycles",
                                               json_rounded(link->cycles, DECIMALS)));
    }
    return json_pack("{s:i, s:o}", "iterations", (int)e->found.chain_turns, "links", links);
}

static json_t *json_of_insns(struct arena *arena, const struct block_explanation *e) {
    enum { DECIMALS = 6 };
    json_t *all = json_array();
    for (unsigned i = 0; i < e->found.n_insns; i++) {
        const struct cpu_recipe *recipe = &e->found.recipes[i];
        json_t *pipes = json_array(), *object;
        for (unsigned u = 0; u < recipe->n_uses; u++)
            json_array_append_new(pipes, json_pack("{s:s, s:o}", "on",
                                                   cpu_pipes_name(arena, e->model->own, recipe->uses[u].pipes),
                                                   "cycles", json_rounded(recipe->uses[u].cycles, DECIMALS)));
        object = json_pack("{s:s, s:s, s:i, s:o, s:o, s:s, s:i, s:i}", "text",
                           text_without_tabs(arena, e->block.insns[i].text), "opcode", e->block.insns[i].opcode,
                           "slots", (int)recipe->slots, "pipes", pipes, "latency",
                           json_rounded(recipe->latency + recipe->load_latency, DECIMALS), "rename",
                           cpu_rename_name(recipe), "loads", (int)recipe->n_loads, "stores", (int)recipe->n_stores);
        json_object_set_new(object, "trust",
                            json_pack("{s:s, s:s, s:s}", "slots", cpu_trust_name(recipe->trusts[CPU_COST_SLOTS]),
                                      "latency", cpu_trust_name(recipe->trusts[CPU_COST_LATENCY]), "pipes",
                                      cpu_trust_name(recipe->trusts[CPU_COST_PIPES])));
        if (e->found.loads_from[i] >= 0)
            json_object_set_new(object, "loads_from", json_integer(e->found.loads_from[i] + 1));
        json_array_append_new(all, object);
    }
    return all;
}

json_t *explain_block_object(struct arena *arena, const struct block_explanation *e) {
    enum { DECIMALS = 6 };
    const struct bounds *bounds = &e->found.bounds;
    json_t *notes = json_array();
    for (size_t i = 0; i < e->n_notes; i++)
        json_array_append_new(notes, json_string(e->notes[i]));
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "model", e->model->title, "form",
                     form_name(e), "cycles", json_rounded(bounds->most, DECIMALS), "core",
                     json_rounded(e->core_cycles, DECIMALS), "limit", bound_name(bounds->largest), "because",
                     e->sentence, "next", bound_name(bounds->next), "next_because", e->next_sentence, "bounds",
                     json_of_bounds(e), "chain", json_of_chain(arena, e), "instructions", json_of_insns(arena, e),
                     "notes", notes);
}

bool explain_block_write_json(struct arena *arena, const struct block_explanation *e, FILE *out, struct fail *fail) {
    return json_write_line(out, explain_block_object(arena, e), fail);
}
