// cyclops list forms: what an ISA has to measure, opcode by opcode, why the others are left out, and what this CPU has.
#include "cli/list/list.h"

#include "analyzer/model/model.h"
#include "analyzer/model/vector_forms.h"
#include "analyzer/predict/resource_bound.h"
#include "analyzer/predict/rthroughput.h"
#include "base/json.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/host/host.h"
#include "bench/sandbox/nursery.h"
#include "blocks/decoder.h"
#include "cli/cli.h"
#include "survey/forms/probe.h"

#include <stdio.h>
#include <string.h>
#include <sys/param.h>

static const char *operand_text(struct arena *arena, const struct form_operand *operand) {
    static const char *const kinds[] = {
        [FORM_REGISTER] = "register",   [FORM_MEMORY] = "memory",     [FORM_ADDRESS] = "address",
        [FORM_IMMEDIATE] = "immediate", [FORM_ROUNDING] = "rounding", [FORM_CONDITION] = "condition",
        [FORM_OTHER] = "other"};
    return arena_printf(arena, "%s%s%s", kinds[operand->kind], operand->class_name ? " " : "",
                        operand->class_name ? operand->class_name : "");
}

static json_t *registers_to_json(const struct machine *machine, const uint16_t *registers, unsigned n) {
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(list, json_string(machine->registers[registers[i]].name));
    return list;
}

static json_t *writes_to_json(const struct machine *machine, const struct insn *insn) {
    json_t *list = json_array();
    for (unsigned i = 0; i < insn->n_writes; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:i, s:i, s:b}", "register", machine->registers[insn->writes[i].reg].name, "latency",
                            (int)insn->cost->writes[i].latency, "class", (int)insn->cost->writes[i].write_class, "zero",
                            insn->cost->writes[i].is_zero));
    return list;
}

static json_t *reads_to_json(const struct machine *machine, const struct insn *insn) {
    json_t *list = json_array();
    for (unsigned i = 0; i < insn->n_reads; i++) {
        const struct insn_read *read = &insn->reads[i];
        const struct sched_read *cost = &insn->cost->reads[i];
        json_t *advances = json_array();
        for (unsigned a = 0; a < cost->n_advances; a++)
            json_array_append_new(advances, json_pack("{s:i, s:i}", "class", (int)cost->advances[a].write_class,
                                                      "cycles", cost->advances[a].cycles));
        json_array_append_new(list, json_pack("{s:s, s:i, s:b, s:o}", "register", machine->registers[read->reg].name,
                                              "operand", (int)read->operand, "independent", cost->independent,
                                              "advances", advances));
    }
    return list;
}

static json_t *uses_to_json(const struct machine *machine, const struct insn *insn) {
    json_t *list = json_array();
    for (unsigned i = 0; i < insn->cost->n_uses; i++)
        for (unsigned r = 1; r < machine->n_resources; r++)
            if (machine->resources[r].mask == insn->cost->uses[i].mask)
                json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i}", "resource", machine->resources[r].name,
                                                      "acquire", (int)insn->cost->uses[i].acquire, "cycles",
                                                      (int)insn->cost->uses[i].release, "units",
                                                      (int)machine->resources[r].units));
    return list;
}

// What the model states of the example (analyzer/sched/insn.h); null: it does not describe it.
static json_t *numbers_to_json(struct arena *arena, const struct model *model, const struct form *form) {
    struct block block;
    struct fail trouble = {0};
    if (form->status != FORM_USABLE || form->refused ||
        !model_describe_part(model, arena, form->bytes - form->n_setup_bytes, form->n_setup_bytes, form->n_bytes,
                             &block, &trouble)) {
        fail_clear(&trouble);
        return NULL;
    }
    const struct insn *insn = &block.insns[0];
    double alone = insn_rthroughput(model->machine, insn).cycles,
           pipes = resource_bound_of(model->machine, EXECUTION_OF(&block)).cycles;
    // What copies side by side take at least, cycles each: dispatch, or pipes.
    double bound = MAX(MAX((double)insn->cost->uops / model->machine->dispatch_width, alone), pipes);
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:b, s:o, s:o, s:o}", "model", model->machine->id,
                     "opcode", insn->opcode, "dispatch_width", (int)model->machine->dispatch_width, "reorder_buffer",
                     (int)model->machine->rob_size, "uops", (int)insn->cost->uops, "latency", (int)insn->cost->latency,
                     "rthroughput", insn->cost->rthroughput, "bound", bound, "eliminable_move",
                     insn->cost->eliminable_move, "writes", writes_to_json(model->machine, insn), "reads",
                     reads_to_json(model->machine, insn), "uses", uses_to_json(model->machine, insn));
}

// `probed`: null where nothing ran.
static json_t *form_to_json(struct arena *arena, const struct model *model, const struct form *form,
                            const struct probed_form *probed) {
    const struct machine *machine = model->machine;
    char hex[2 * 32 + 1] = "";
    json_t *operands = json_array();
    for (unsigned i = 0; i < form->n_bytes && i < 32; i++)
        snprintf(hex + (size_t)2 * i, 3, "%02x", form->bytes[i]);
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        json_array_append_new(operands,
                              json_pack("{s:s, s:s*, s:b, s:b, s:i}", "kind", operand_text(arena, operand), "register",
                                        operand->reg ? machine->registers[operand->reg].name : NULL, "read",
                                        operand->is_read, "written", operand->is_written, "tied", operand->tied));
    }
    return json_pack("{s:s, s:s, s:s*, s:s*, s:s, s:o, s:o, s:o, s:s*, s:b, s:b, s:b, s:s*, s:s*, s:o*}", "form",
                     form->name, "status", form->refused ? "not allowed" : form_status_name(form->status), "twin",
                     form->twin, "example", form->text, "bytes", hex, "operands", operands, "implicit_reads",
                     registers_to_json(machine, form->implicit_reads, form->n_implicit_reads), "implicit_writes",
                     registers_to_json(machine, form->implicit_writes, form->n_implicit_writes), "class",
                     form->sched_class_name, "loads", form->may_load, "stores", form->may_store, "side_effects",
                     form->side_effects, "refused", form->refused, "run",
                     probed && probed->was_run ? probed_form_text(arena, probed) : NULL, "numbers",
                     list_args.cpu ? numbers_to_json(arena, model, form) : NULL);
}

static void add_form(struct table *table, const struct form *form, const struct probed_form *probed) {
    table_cell(table, "%s", form->name);
    table_cell(table, "%s", form->text ? text_without_tabs(table->arena, form->text) : "");
    if (probed)
        table_cell(table, "%s", probed_form_text(table->arena, probed));
    if (form->refused)
        table_cell(table, "%s", form->refused);
    else if (form->status == FORM_USABLE)
        table_cell(table, "%s", form->sched_class_name ? form->sched_class_name : "");
    else
        table_cell(table, "%s%s%s", form_status_name(form->status), form->twin ? ": " : "",
                   form->twin ? form->twin : "");
}

static bool is_asked_for(const struct form_patterns *patterns, const struct form *form) {
    return patterns->n ? form_patterns_match(patterns, form) : form->status == FORM_USABLE && !form->refused;
}

static void print_counts(struct arena *arena, const struct form *forms, size_t n) {
    size_t counts[FORM_N_STATUSES] = {0};
    struct text line = {.arena = arena};
    for (size_t i = 0; i < n; i++)
        counts[forms[i].status]++;
    text_addf(&line, "%s: %zu usable", text_count(arena, n, "opcode"), counts[FORM_USABLE]);
    for (enum form_status status = FORM_USABLE + 1; status < FORM_N_STATUSES; status++)
        text_addf(&line, ", %zu %s", counts[status], form_status_name(status));
    screen_print_sentence(line.data, stdout);
}

// "18949 run here: 12000 ok, 3 hint, 6900 illegal instruction"
static void print_outcomes(struct arena *arena, const struct probed_form *probed, size_t n) {
    size_t counts[BENCH_N_OUTCOMES] = {0}, n_run = 0, n_hints = 0;
    struct text line = {.arena = arena};
    for (size_t i = 0; i < n; i++) {
        n_run += probed[i].was_run;
        n_hints += probed[i].hint != NULL;
        counts[probed[i].outcome] += probed[i].was_run && !probed[i].hint;
    }
    text_addf(&line, "%zu run here: %zu %s, %zu hint", n_run, counts[BENCH_OK], bench_outcome_name(BENCH_OK), n_hints);
    for (enum bench_outcome outcome = BENCH_OK + 1; outcome < BENCH_N_OUTCOMES; outcome++)
        if (counts[outcome])
            text_addf(&line, ", %zu %s", counts[outcome], bench_outcome_name(outcome));
    screen_print_sentence(line.data, stdout);
}

// Leaves the forms that were asked for; false: there are none.
static bool select_forms(struct arena *arena, const struct form_patterns *patterns, const struct form **forms,
                         size_t *n) {
    struct form *selected = ARENA_ARRAY(arena, struct form, *n);
    size_t n_selected = 0;
    for (size_t i = 0; i < *n; i++)
        if (is_asked_for(patterns, &(*forms)[i]))
            selected[n_selected++] = (*forms)[i];
    *forms = selected;
    *n = n_selected;
    return n_selected > 0 || patterns->n == 0;
}

static bool run_forms(struct arena *arena, const struct form *forms, size_t n, struct probed_form **probed,
                      struct fail *fail) {
    const struct host_request any = {.cpu = -1};
    struct host host;
    *probed = ARENA_ARRAY(arena, struct probed_form, n);
    return host_read(arena, &any, &host, fail) && probe_forms(&host, forms, n, *probed, NULL, fail);
}

static bool print_each(struct arena *arena, const struct model *model, const struct form *forms, size_t n,
                       const struct probed_form *probed, struct fail *fail) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "form");
    table_column(&table, TABLE_WRAP, "example");
    if (probed)
        table_column(&table, TABLE_LEFT, "run here");
    table_column(&table, TABLE_CUT, "class, or why it is left out");
    for (size_t i = 0; i < n; i++) {
        const struct probed_form *own = probed ? &probed[i] : NULL;
        if (!list_args.json)
            add_form(&table, &forms[i], own);
        else if (!json_write_line(stdout, form_to_json(arena, model, &forms[i], own), fail))
            return false;
    }
    if (table.n_cells)
        table_print(&table, stdout, cli_wants_colour());
    return true;
}

// Adds forms with the vector configurations that were asked for.
static bool add_vectors(struct arena *arena, const struct model *model, const struct form **forms, size_t *n,
                        struct fail *fail) {
    const struct vector_config *configs;
    size_t n_configs;
    if (!cli_vectors(arena, &list_args.vectors, &configs, &n_configs, fail))
        return false;
    return vector_forms_add(arena, model, configs, n_configs, forms, n) || !n_configs ||
           fail_set(fail, FAIL_INPUT, "no instruction of %s has a vector configuration: '--vector' is for RISC-V",
                    model->machine->triple);
}

// `pattern`: the first one; null: none.
static bool print_forms(struct arena *arena, const struct model *model, const struct form_patterns *patterns,
                        const char *pattern, struct fail *fail) {
    const struct form *all, *forms;
    struct probed_form *probed = NULL;
    size_t n_all, n;
    if (!model->backend->forms(model->cpu, arena, &all, &n_all, fail))
        return false;
    forms = all;
    n = n_all;
    if (!add_vectors(arena, model, &forms, &n, fail))
        return false;
    if (!select_forms(arena, patterns, &forms, &n))
        return fail_set(fail, FAIL_INPUT,
                        "no opcode or mnemonic has such a name: '%s'%s; a pattern is of whole names, as in '%s.*'",
                        pattern, form_near_name(arena, pattern, all, n_all), pattern);
    if ((list_args.run && !run_forms(arena, forms, n, &probed, fail)) ||
        !print_each(arena, model, forms, n, probed, fail))
        return false;
    if (!list_args.json && patterns->n == 0)
        print_counts(arena, all, n_all);
    if (!list_args.json && probed)
        print_outcomes(arena, probed, n);
    return true;
}

bool list_forms(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const struct isa *isa = cli_isa(arena, list_args.isa, fail);
    struct form_patterns patterns = {0};
    struct model model = {0};
    bool is_done = isa && form_patterns_open(&patterns, arena, operands->items + 1, operands->n_items - 1, fail);
    if (is_done && list_args.run && isa != isa_native())
        is_done = fail_set(fail, FAIL_INPUT, "--run: this machine cannot run code of %s", isa->name);
    if (is_done && list_args.run)
        nursery_open(); // early: this process has little memory yet
    struct backend_options wanted = {.triple = isa ? isa->triple : NULL, .cpu = list_args.cpu, .output_syntax = -1};
    if (is_done && !list_args.cpu) { // one with every extension
        struct decoder_cpu widest = decoder_widest(isa);
        wanted.cpu = widest.cpu;
        wanted.features = widest.features;
        wanted.without_model = true;
    }
    is_done = is_done && model_open(&model, arena, option_list_first(&list_args.llvms), &wanted, fail) &&
              print_forms(arena, &model, &patterns, operands->n_items > 1 ? operands->items[1] : NULL, fail);
    form_patterns_close(&patterns);
    model_close(&model);
    nursery_close();
    return is_done;
}
