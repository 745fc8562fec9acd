#include "study/explain.h"

#include "analyzer/code/vector_start.h"
#include "analyzer/model/vector_forms.h"
#include "analyzer/predict/prediction.h"
#include "analyzer/sim/mca/mca.h"
#include "base/text.h"

#include <string.h>

bool explain_form(struct arena *arena, const struct model *model, const char *name, struct insn *insn,
                  struct fail *fail) {
    const struct form *forms, *form = NULL;
    bool is_mnemonic = false;
    size_t n;
    struct vector_config pair;
    if (!model->backend->forms(model->cpu, arena, &forms, &n, fail))
        return false;
    if (vector_config_in_name(name, &pair))
        vector_forms_add(arena, model, &pair, 1, &forms, &n);
    for (size_t i = 0; i < n && !form; i++) {
        form = strcmp(forms[i].name, name) == 0 ? &forms[i] : NULL;
        is_mnemonic |= form_has_mnemonic(&forms[i], name);
    }
    const char *dash = strchr(name, '-');
    if (!form && dash && text_starts(model->machine->triple, "riscv"))
        return fail_set(
            fail, FAIL_INPUT,
            "'%s' is no form: '%s' is no pair of element and group, such as e32m1, which are e8mf8 to e64m8, "
            "of at most 64 bits of element to a register",
            name, dash + 1);
    if (!form && is_mnemonic)
        return fail_set(fail, FAIL_INPUT,
                        "'%s' without its operands is not one instruction; 'cyclops list forms %s' prints its forms",
                        name, name);
    if (!form)
        return fail_set(fail, FAIL_INPUT, "'%s' is neither an instruction nor a form%s", name,
                        form_near_name(arena, name, forms, n));
    if (form->status != FORM_USABLE)
        return fail_set(fail, FAIL_INPUT, "form %s has no example to explain: %s%s%s; give an instruction", name,
                        form_status_name(form->status), form->twin ? ", " : "", form->twin ? form->twin : "");
    if (form->refused)
        return fail_set(fail, FAIL_INPUT, "there is no form %s: %s", name, form->refused);
    struct block block;
    if (!model_describe_part(model, arena, form->bytes - form->n_setup_bytes, form->n_setup_bytes, form->n_bytes,
                             &block, fail))
        return false;
    *insn = block.insns[0];
    return true;
}

bool explain_may_be_form(const char *text) {
    return text[strcspn(text, " \t\n;,$%#(")] == '\0';
}

static const struct insn *describe(struct arena *arena, const struct model *model, const char *text,
                                   struct fail *fail) {
    struct insn *insn = ARENA_NEW(arena, struct insn);
    if (!model->cpu)
        return overlay_insn(model->overlay, arena, text, insn, fail) ? insn : NULL;
    struct backend_source source;
    const char *whole = model_in_syntax(arena, model->machine->triple, text);
    struct fail unread = {0};
    if (!model_describe_text(model, arena, "instruction", whole, &source, &unread)) {
        if (explain_may_be_form(text))
            return explain_form(arena, model, text, insn, fail) ? insn : NULL;
        *fail = unread;
        fail->line = 0; // the text is a single line
        return NULL;
    }
    if (source.n_blocks == 1 && source.blocks[0].n_insns == 1)
        return source.blocks[0].insns;
    fail_set(fail, FAIL_INPUT, "'%s' is not one instruction; 'cyclops mca' simulates several", text);
    return NULL;
}

// Returns the instruction without registers and memory, so that its copies wait for pipes only; `cost` is set to its
// cost, and must live as long.
static struct insn without_dependences(const struct insn *insn, struct sched_insn *cost) {
    struct insn copy = *insn;
    *cost = *insn->cost;
    cost->eliminable_move = false;
    copy.cost = cost;
    copy.n_reads = copy.n_writes = 0;
    copy.may_load = copy.may_store = copy.load_barrier = copy.store_barrier = false;
    copy.is_call = copy.is_branch = copy.is_return = false;
    return copy;
}

static bool run_copies(struct arena *arena, const struct machine *machine, const struct insn *insn, unsigned n,
                       struct occupancy *occupancy, struct fail *fail) {
    struct sched_insn cost;
    struct insn copy = without_dependences(insn, &cost);
    struct block block = {.name = "", .insns = &copy, .n_insns = 1};
    struct pipeline_options options = {.iterations = n};
    struct pipeline_result result;
    *occupancy = (struct occupancy){.arena = arena, .machine = machine};
    struct event_listener listener = occupancy_listener(occupancy);
    return mca_core_run(machine, EXECUTION_OF(&block), &options, (struct event_listener *[]){&listener, NULL}, &result,
                        fail);
}

static bool converge(struct arena *arena, unsigned most, struct explanation *e, struct fail *fail) {
    for (unsigned n = 1; n <= most && e->n_steps < EXPLAIN_MAX_STEPS; n *= 2) {
        struct occupancy occupancy;
        if (!run_copies(arena, e->machine, e->insn, n, &occupancy, fail))
            return false;
        e->steps[e->n_steps++] = (struct explain_step){n, occupancy.end};
    }
    struct sched_insn cost;
    struct insn copy = without_dependences(e->insn, &cost);
    struct block block = {.name = "", .insns = &copy, .n_insns = 1};
    struct prediction prediction;
    if (!prediction_make(arena, e->machine, EXECUTION_OF(&block), &prediction, fail))
        return false;
    e->steady = prediction.cycles;
    return true;
}

bool explain_insn(struct arena *arena, const struct model *model, const char *text, unsigned most,
                  struct explanation *explanation, struct fail *fail) {
    const struct insn *insn = describe(arena, model, text, fail);
    if (!insn)
        return false;
    const struct block block = {.insns = insn, .n_insns = 1};
    *explanation = (struct explanation){
        .machine = model->machine,
        .insn = insn,
        .lacks_vectors = !(insn->form && vector_config_in_name(insn->form, NULL)) &&
                         vector_start_find(model->machine->triple, &block),
        .source = model->overlay ? overlay_source(model->overlay, arena, insn) : NULL,
        .rthroughput = insn_rthroughput(model->machine, insn),
    };
    return run_copies(arena, model->machine, insn, EXPLAIN_SHOWN, &explanation->copies, fail) &&
           converge(arena, most, explanation, fail);
}

static bool has_row(const struct explain_row *rows, size_t n, const struct occupied *item) {
    for (size_t i = 0; i < n; i++)
        if (rows[i].resource == item->resource && rows[i].unit == item->unit)
            return true;
    return false;
}

size_t explain_rows(struct arena *arena, const struct explanation *explanation, struct explain_row **rows) {
    const struct occupancy *copies = &explanation->copies;
    const struct resource *resources = explanation->machine->resources;
    struct explain_row *found = ARENA_ARRAY(arena, struct explain_row, copies->n_items);
    size_t n = 0;
    for (size_t i = 0; i < copies->n_items; i++) {
        const struct occupied *item = &copies->items[i];
        if (has_row(found, n, item))
            continue;
        size_t at = n++;
        for (; at > 0 && (found[at - 1].resource > item->resource ||
                          (found[at - 1].resource == item->resource && found[at - 1].unit > item->unit));
             at--)
            found[at] = found[at - 1];
        const struct resource *resource = &resources[item->resource];
        const char *name =
            resource->units > 1 ? arena_printf(arena, "%s.%u", resource->name, item->unit) : resource->name;
        found[at] = (struct explain_row){item->resource, item->unit, name};
    }
    *rows = found;
    return n;
}

const char *explain_bound(struct arena *arena, const struct explanation *explanation) {
    unsigned index = explanation->rthroughput.resource;
    if (index == 0)
        return "";
    const struct resource *resource = &explanation->machine->resources[index];
    unsigned longest = 0;
    for (unsigned i = 0; i < explanation->insn->cost->n_uses; i++) {
        const struct sched_use *use = &explanation->insn->cost->uses[i];
        if (use->mask == resource->mask && use->release - use->acquire > longest)
            longest = use->release - use->acquire;
    }
    return arena_printf(arena, "%s, held for %u cycle%s, %u pipe%s",
                        machine_pipes_name(arena, explanation->machine, index), longest, longest == 1 ? "" : "s",
                        resource->units, resource->units == 1 ? "" : "s");
}
