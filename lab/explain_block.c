#include "lab/explain_block.h"

#include "analyzer/predict/core_plan.h"
#include "base/text.h"
#include "gen/block.h"
#include "lab/explain.h"
#include "lab/explain_loop.h"
#include "lab/turns.h"

#include <string.h>

const char *explain_block_insn(struct arena *arena, const struct block_explanation *explanation, unsigned insn) {
    const char *text = explanation->block.insns[insn].text;
    return arena_printf(arena, "%u %s", insn + 1, text ? text_without_tabs(arena, text) : "?");
}

const char *explain_block_way(struct arena *arena, const struct block_explanation *explanation,
                              const struct bound_link *link) {
    const char *reg = cpu_unit_name(arena, explanation->model->own, link->unit);
    switch (link->way) {
    case BOUND_BY_REGISTER:
        return reg;
    case BOUND_BY_ADDRESS:
        return arena_printf(arena, "%s, its address", reg);
    case BOUND_BY_STORE:
        return "memory";
    case BOUND_BY_STORE_ADDRESS:
        return arena_printf(arena, "%s, the address of a store", reg);
    case BOUND_BY_OLDER:
        return "all before a store that cannot be forwarded";
    case BOUND_BY_SERIAL:
        return "the one before, which excludes it";
    case BOUND_BY_NOTHING:
        break;
    }
    return "";
}

const char *explain_block_list(struct arena *arena, const bool *are_listed, unsigned n_insns) {
    enum { MOST = 12 };
    struct text text = {.arena = arena};
    unsigned n = 0, seen = 0;
    for (unsigned i = 0; i < n_insns; i++)
        n += are_listed[i];
    if (n > MOST || n == n_insns)
        return n == n_insns ? "all instructions" : arena_printf(arena, "%u of %u instructions", n, n_insns);
    text_addf(&text, "instruction%s ", n == 1 ? "" : "s");
    for (unsigned i = 0; i < n_insns; i++)
        if (are_listed[i])
            text_addf(&text, "%s%u", seen++ == 0 ? "" : seen == n ? " and " : ", ", i + 1);
    return text.data;
}

// "4 cycles", "1 cycle".
static const char *some(struct arena *arena, double n, const char *noun) {
    return arena_printf(arena, "%.4g %s%s", n, noun, n == 1 ? "" : "s");
}

static const char *say_chain(struct arena *arena, const struct block_explanation *e) {
    enum { SHOWN_FIRST = 3, SHOWN_LAST = 1 };
    const struct bounds_explained *found = &e->found;
    struct text text = {.arena = arena};
    if (!found->n_chain)
        return "no single chain repeats: results of one iteration are wanted by the next in ways that change";
    text_addf(&text, "%s from iteration to iteration:", some(arena, found->bounds.cycles[BOUND_LATENCY], "cycle"));
    if (found->chain_turns > 1)
        text_addf(&text, " in %u iterations", found->chain_turns);
    for (unsigned i = 0; i < found->n_chain; i++) {
        const struct bound_link *link = &found->chain[i];
        unsigned left = found->n_chain > SHOWN_FIRST + SHOWN_LAST + 1 ? found->n_chain - SHOWN_FIRST - SHOWN_LAST : 0;
        if (left && i == SHOWN_FIRST) {
            text_addf(&text, ", %u more", left);
            i += left - 1;
            continue;
        }
        text_addf(&text, "%s %s takes %.4g from %s", i ? "," : "", explain_block_insn(arena, e, link->insn),
                  link->cycles, explain_block_way(arena, e, link));
    }
    return text.data;
}

static double held(const struct block_explanation *e) {
    const struct bounds_explained *found = &e->found;
    double cycles = 0;
    for (unsigned i = 0; i < found->n_insns; i++)
        for (unsigned u = 0; u < found->recipes[i].n_uses; u++)
            cycles += found->recipes[i].uses[u].pipes & ~found->bounds.pipes ? 0 : found->recipes[i].uses[u].cycles;
    return cycles;
}

static double count(const struct block_explanation *e, bool stores) {
    double n = 0;
    for (unsigned i = 0; i < e->found.n_insns; i++)
        n += stores ? e->found.recipes[i].n_stores : e->found.recipes[i].n_loads;
    return n;
}

static const char *say_vector_slots(struct arena *arena, const struct block_explanation *e) {
    return arena_printf(arena, "%s of vector instructions, of which %g are renamed and dispatched in a cycle",
                        some(arena, e->found.bounds.vector_slots, "slot"),
                        cpu_value(e->model->own, CPU_DISPATCH_WIDTH_VECTOR));
}

static const char *say_slots(struct arena *arena, const struct block_explanation *e, enum cpu_parameter width,
                             const char *verb) {
    const char *syncs =
        e->found.n_syncs ? arena_printf(arena, ", %u of them to synchronise the stack pointer", e->found.n_syncs) : "";
    return arena_printf(arena, "%s%s, of which %g %s in a cycle", some(arena, e->found.bounds.slots, "slot"), syncs,
                        cpu_value(e->model->own, width), verb);
}

// Instructions that are more than the others' for the front end: with a prefix that changes their length; of several
// slots.
static const char *list_slow(struct arena *arena, const struct block_explanation *e, bool by_length) {
    struct text text = {.arena = arena};
    unsigned n = 0;
    for (unsigned i = 0; i < e->found.n_insns; i++) {
        const struct cpu_recipe *recipe = &e->found.recipes[i];
        if (by_length ? recipe->encoding.changes_length : recipe->decoded_slots > 1)
            text_addf(&text, "%s %u", n++ ? "," : "", i + 1);
    }
    if (!n)
        return "";
    return by_length ? arena_printf(arena, "; a prefix changes the length of instruction%s%s, at %g cycles each",
                                    n == 1 ? "" : "s", text.data, cpu_value(e->model->own, CPU_LENGTH_CHANGE_STALL))
                     : arena_printf(arena, "; of several slots, which the first decoder alone takes: instruction%s%s",
                                    n == 1 ? "" : "s", text.data);
}

static const char *say(struct arena *arena, const struct block_explanation *e, enum bound_kind kind) {
    const struct cpu *cpu = e->model->own;
    const char *makers = explain_block_list(arena, e->found.parts[kind].is_maker, e->found.n_insns);
    switch (kind) {
    case BOUND_DISPATCH:
        return e->found.is_of_vectors ? say_vector_slots(arena, e)
                                      : say_slots(arena, e, CPU_DISPATCH_WIDTH, "are renamed and dispatched");
    case BOUND_RETIRE:
        return say_slots(arena, e, CPU_RETIRE_WIDTH, "retire");
    case BOUND_PREDECODE:
        return arena_printf(arena, "%s in windows of %g, in each of which %g instructions are found in a cycle%s",
                            some(arena, block_bytes(&e->block), "byte"), cpu_value(cpu, CPU_FETCH_BYTES),
                            cpu_value(cpu, CPU_PREDECODE_WIDTH), list_slow(arena, e, true));
    case BOUND_DECODE:
        return cpu_knows(cpu, CPU_DECODERS)
                   ? arena_printf(arena, "%g decoders take the instructions in their order%s",
                                  cpu_value(cpu, CPU_DECODERS), list_slow(arena, e, false))
                   : arena_printf(arena, "%s, of which decoders take %g in a cycle",
                                  some(arena, block_bytes(&e->block), "byte"), cpu_value(cpu, CPU_DECODED_BYTES));
    case BOUND_CACHE:
        return arena_printf(arena, "%s and %s in lines of decoded instructions",
                            some(arena, e->found.bounds.slots, "slot"), some(arena, block_bytes(&e->block), "byte"));
    case BOUND_PORTS: {
        int n = __builtin_popcountll(e->found.bounds.pipes);
        return arena_printf(arena, "%s, %s, %s held for %s by %s", cpu_pipes_name(arena, cpu, e->found.bounds.pipes),
                            some(arena, n, "pipe"), n == 1 ? "is" : "are", some(arena, held(e), "cycle"), makers);
    }
    case BOUND_LOADS:
        return arena_printf(arena, "%s, of %s", some(arena, count(e, false), "load"), makers);
    case BOUND_STORES:
        return arena_printf(arena, "%s, of %s", some(arena, count(e, true), "store"), makers);
    case BOUND_LATENCY:
        return say_chain(arena, e);
    case BOUND_N:
        break;
    }
    return "";
}

static bool describe_text(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                          struct block *block, struct fail *fail) {
    struct backend_source source;
    struct fail unread = {0};
    const char *text = model_in_syntax(arena, model->machine->triple, options->text);
    if (!model_describe_text(model, arena, options->name, text, &source, &unread)) {
        struct insn *insn = ARENA_NEW(arena, struct insn);
        *block = (struct block){.name = options->text, .insns = insn, .n_insns = 1};
        if (explain_may_be_form(options->text))
            return explain_form(arena, model, options->text, insn, fail);
        *fail = unread;
        return false;
    }
    if (!source.n_blocks || !source.blocks[0].n_insns)
        return fail_at(fail, options->name, 0, 0, "there is no instruction in it");
    *block = source.blocks[0];
    return true;
}

// A text's branches have no bytes yet that say where they go: they name a label.
static bool goes_back(const struct block *block) {
    const char *target = block->insns[block->n_insns - 1].target;
    for (unsigned i = 0; i < block->n_labels && target; i++)
        if (block->labels[i].insn == 0 && strcmp(block->labels[i].name, target) == 0)
            return true;
    return !target && turns_is_loop(block);
}

// The code as it is repeated: a loop goes back to its own begin, or gets a loop's end; what is unrolled has none.
static bool repeat(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                   struct bounds_request *way, struct block *block, struct fail *fail) {
    bool is_own_loop = goes_back(block);
    way->is_loop = options->is_given ? options->is_loop : block->insns[block->n_insns - 1].is_branch;
    if (options->is_given && way->is_loop && !is_own_loop)
        return explain_add_loop(arena, model, block, &way->start, fail);
    if (options->is_given && !way->is_loop && is_own_loop && block->n_insns > 1)
        block->n_insns--;
    return true;
}

// Adds a note about the instructions that are marked, if any is.
static void add_note(struct arena *arena, struct block_explanation *e, const bool *is_marked, const char *what) {
    unsigned n = 0;
    for (unsigned i = 0; i < e->found.n_insns; i++)
        n += is_marked[i];
    if (n)
        *ARENA_ADD(arena, e->notes, e->n_notes) =
            arena_printf(arena, "%s: %s", explain_block_list(arena, is_marked, e->found.n_insns), what);
}

static void add_notes(struct arena *arena, struct block_explanation *e) {
    if (e->found.bounds.n_unfollowed)
        *ARENA_ADD(arena, e->notes, e->n_notes) =
            "not all addresses follow from registers: such accesses are taken to be apart; cyclops run finds them";
    bool *is_doubtful = ARENA_ARRAY(arena, bool, e->found.n_insns);
    for (unsigned d = 0; d < BOUNDS_N_DOUBTS; d++) {
        for (unsigned i = 0; i < e->found.n_insns; i++)
            is_doubtful[i] = bounds_is_doubtful(&e->found.recipes[i], (enum bounds_doubt)d);
        add_note(arena, e, is_doubtful, bounds_doubt_sentence((enum bounds_doubt)d));
    }
}

bool explain_block(struct arena *arena, const struct model *model, const struct explain_block_options *options,
                   struct block_explanation *explanation, struct fail *fail) {
    *explanation = (struct block_explanation){.model = model};
    struct block *block = &explanation->block;
    struct bounds_request *way = &explanation->way;
    *way = (struct bounds_request){
        .cpu = model->own,
        .block = block,
        .is_decoded = options->is_decoded,
        .registers = options->registers,
        .pages_are_one = options->pages_are_one,
    };
    bool is_described = options->text
                            ? describe_text(arena, model, options, block, fail)
                            : model_describe_bytes(model, arena, options->bytes, options->n_bytes, block, fail);
    if (!is_described || !repeat(arena, model, options, way, block, fail))
        return false;
    if (!way->is_loop && !way->is_decoded) // as 'cyclops run' lays them out
        way->copies = block_copies(block->n_insns, block_bytes(block));
    if (!bounds_explain(arena, way, &explanation->found, fail) ||
        !core_cycles_find(way, 0, &explanation->core_cycles, fail))
        return false;
    const struct bounds *bounds = &explanation->found.bounds;
    explanation->sentence =
        bounds->most > 0 ? say(arena, explanation, bounds->largest) : "this model states nothing that limits the block";
    add_notes(arena, explanation);
    explanation->next_sentence = bounds->cycles[bounds->next] > 0 ? say(arena, explanation, bounds->next) : "";
    return true;
}
