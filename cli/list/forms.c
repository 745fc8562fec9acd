// cyclops list forms: what an ISA has to measure, opcode by opcode, and why the others are left out.
#include "cli/list/list.h"

#include "analyzer/model/model.h"
#include "base/json.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/cli.h"
#include "lab/decoder.h"

#include <stdio.h>
#include <string.h>

static const char *operand_text(struct arena *arena, const struct form_operand *operand) {
    static const char *const kinds[] = {
        [FORM_REGISTER] = "register", [FORM_MEMORY] = "memory",       [FORM_IMMEDIATE] = "immediate",
        [FORM_ROUNDING] = "rounding", [FORM_CONDITION] = "condition", [FORM_OTHER] = "other"};
    return arena_printf(arena, "%s%s%s", kinds[operand->kind], operand->class_name ? " " : "",
                        operand->class_name ? operand->class_name : "");
}

static json_t *registers_to_json(const struct machine *machine, const uint16_t *registers, unsigned n) {
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(list, json_string(machine->registers[registers[i]].name));
    return list;
}

static json_t *form_to_json(struct arena *arena, const struct machine *machine, const struct form *form) {
    char hex[2 * 32 + 1] = "";
    json_t *operands = json_array();
    for (unsigned i = 0; i < form->n_bytes && i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", form->bytes[i]);
    for (unsigned i = 0; i < form->n_operands; i++) {
        const struct form_operand *operand = &form->operands[i];
        json_array_append_new(operands,
                              json_pack("{s:s, s:b, s:b, s:i}", "kind", operand_text(arena, operand), "read",
                                        operand->is_read, "written", operand->is_written, "tied", operand->tied));
    }
    return json_pack(
        "{s:s, s:s, s:s*, s:s*, s:s, s:o, s:o, s:o, s:s*, s:b, s:b, s:b}", "form", form->opcode, "status",
        form_status_name(form->status), "twin", form->twin, "example", form->text, "hex", hex, "operands", operands,
        "implicit_reads", registers_to_json(machine, form->implicit_reads, form->n_implicit_reads), "implicit_writes",
        registers_to_json(machine, form->implicit_writes, form->n_implicit_writes), "class", form->sched_class_name,
        "loads", form->may_load, "stores", form->may_store, "side_effects", form->side_effects);
}

static void add_form(struct table *table, const struct form *form) {
    table_cell(table, "%s", form->opcode);
    table_cell(table, "%s", form->text ? text_without_tabs(table->arena, form->text) : "");
    if (form->status == FORM_USABLE)
        table_cell(table, "%s", form->sched_class_name ? form->sched_class_name : "");
    else
        table_cell(table, "%s%s%s", form_status_name(form->status), form->twin ? ": " : "",
                   form->twin ? form->twin : "");
}

static bool is_asked_for(const struct form_patterns *patterns, const struct form *form) {
    return patterns->n ? form_patterns_match(patterns, form->opcode) : form->status == FORM_USABLE;
}

static void print_counts(struct arena *arena, const struct form *forms, size_t n) {
    size_t counts[FORM_N_STATUSES] = {0};
    struct text line = {.arena = arena};
    for (size_t i = 0; i < n; i++)
        counts[forms[i].status]++;
    text_addf(&line, "%zu opcodes: %zu usable", n, counts[FORM_USABLE]);
    for (enum form_status status = FORM_USABLE + 1; status < FORM_N_STATUSES; status++)
        text_addf(&line, ", %zu %s", counts[status], form_status_name(status));
    screen_print_sentence(line.data, stdout);
}

static bool print_forms(struct arena *arena, const struct model *model, const struct form_patterns *patterns,
                        struct fail *fail) {
    const struct form *forms;
    size_t n, n_printed = 0;
    struct table table = {.arena = arena};
    if (!model->backend->forms(model->cpu, arena, &forms, &n, fail))
        return false;
    table_column(&table, TABLE_LEFT, "form");
    table_column(&table, TABLE_WRAP, "example");
    table_column(&table, TABLE_CUT, "class, or why it is left out");
    for (size_t i = 0; i < n; i++) {
        if (!is_asked_for(patterns, &forms[i]))
            continue;
        n_printed++;
        if (!list_args.json)
            add_form(&table, &forms[i]);
        else if (!json_write_line(stdout, form_to_json(arena, model->machine, &forms[i]), fail))
            return false;
    }
    if (patterns->n && n_printed == 0)
        return fail_set(fail, FAIL_INPUT, "no opcode has such a name; 'cyclops list forms' prints them all");
    if (!list_args.json && table.n_cells)
        table_print(&table, stdout, cli_wants_colour());
    if (!list_args.json && patterns->n == 0)
        print_counts(arena, forms, n);
    return true;
}

bool list_forms(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const struct isa *isa = cli_isa(arena, list_args.isa, fail);
    struct form_patterns patterns = {0};
    struct model model = {0};
    bool is_done = isa && form_patterns_open(&patterns, arena, operands->items + 1, operands->n_items - 1, fail);
    struct backend_options wanted = {.triple = isa ? isa->triple : NULL, .cpu = list_args.cpu, .output_syntax = -1};
    if (is_done && !list_args.cpu) { // one with every extension
        struct decoder_cpu widest = decoder_widest(isa);
        wanted.cpu = widest.cpu;
        wanted.features = widest.features;
        wanted.without_model = true;
    }
    is_done = is_done &&
              model_open(&model, arena, list_args.llvms.n_items ? list_args.llvms.items[0] : NULL, &wanted, fail) &&
              print_forms(arena, &model, &patterns, fail);
    form_patterns_close(&patterns);
    model_close(&model);
    return is_done;
}
