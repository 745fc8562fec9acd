#include "upstream/td_new.h"

#include "base/file.h"
#include "upstream/td_model.h"
#include "upstream/td_new_text.h"
#include "upstream/td_tblgen.h"
#include "upstream/td_together.h"

#include <stdlib.h>
#include <string.h>

// ---- rows: opcodes of the CPU file

static bool is_read_name(const char *name) {
    return strncmp(name, "Read", 4) == 0; // as LLVM's targets call them
}

static void add_row(struct td_new *new, const struct td_records *records, const struct td_export *export) {
    const struct td_record *record = td_records_find(records, export->opcode);
    struct td_row *row;
    if (!record)
        return;
    row = ARENA_ADD(new->arena, new->rows, new->n_rows);
    *row = (struct td_row){.export = *export};
    row->is_joined = td_join_uses(&row->export);
    const char **names = td_list(new->arena, record->fields[TD_SCHED_RW], &row->n_operands);
    row->operands = names;
    while (row->n_writes < row->n_operands && !is_read_name(names[row->n_writes]))
        row->n_writes++;
}

static int compare_rows(const void *a, const void *b) {
    return strcmp(((const struct td_row *)a)->export.opcode, ((const struct td_row *)b)->export.opcode);
}

// An opcode's first form stands for it: that of the same name, where there are several.
static bool read_rows(struct td_new *new, const struct td_records *records, struct fail *fail) {
    const struct model *model = new->model;
    const struct form *forms;
    size_t n;
    if (!model->backend->forms(model->cpu, new->arena, &forms, &n, fail))
        return false;
    new->ports = (struct td_ports){.arena = new->arena, .prefix = new->prefix};
    td_ports_take_memory(&new->ports, model->own);
    for (size_t i = 0; i < n; i++) {
        struct td_export export;
        if (strcmp(forms[i].name, forms[i].opcode) == 0 && td_export(model, &new->ports.memory, &forms[i], &export))
            add_row(new, records, &export);
    }
    if (!new->n_rows)
        return fail_set(fail, FAIL_INPUT, "none of the target's instructions is one of the CPU file's");
    qsort(new->rows, new->n_rows, sizeof *new->rows, compare_rows);
    for (size_t i = 0; i < new->n_rows; i++)
        td_ports_take(&new->ports, &new->rows[i].export);
    td_ports_name(&new->ports, model->own);
    for (size_t i = 0; i < new->n_rows; i++)
        new->rows[i].is_widened = td_ports_fit(&new->ports, &new->rows[i].export);
    return true;
}

// ---- writes of the target

static struct td_write *write_called(struct td_new *new, const char *name) {
    for (size_t i = 0; i < new->n_writes; i++)
        if (strcmp(new->writes[i].name, name) == 0)
            return &new->writes[i];
    struct td_write *write = ARENA_ADD(new->arena, new->writes, new->n_writes);
    *write = (struct td_write){.name = name};
    return write;
}

// Adds the writes that a name stands for: itself, or those of a sequence.
static void expand(struct td_new *new, const struct td_records *records, const char *name, struct td_row *row,
                   unsigned place, unsigned depth) {
    enum { DEEPEST = 6 };
    const struct td_record *record = td_records_find(records, name);
    if (record && record->fields[TD_WRITES] && depth < DEEPEST) {
        size_t n;
        const char **names = td_list(new->arena, record->fields[TD_WRITES], &n);
        unsigned long repeat = record->fields[TD_REPEAT] ? strtoul(record->fields[TD_REPEAT], NULL, 10) : 1;
        for (unsigned long r = 0; r < repeat; r++)
            for (size_t i = 0; i < n; i++)
                expand(new, records, names[i], row, place, depth + 1);
        return;
    }
    size_t number = (size_t)(write_called(new, name) - new->writes);
    if (!row)
        return;
    if (row->n_atoms == TD_ROW_MOST_ATOMS) {
        row->is_apart = true;
        return;
    }
    row->atoms[row->n_atoms] = (unsigned)number;
    row->places[row->n_atoms++] = place;
}

// All that an instruction of the target names: each needs numbers, or the file says that it has none.
static void find_writes(struct td_new *new, const struct td_records *records) {
    for (size_t i = 0; i < new->n_rows; i++)
        for (unsigned w = 0; w < new->rows[i].n_writes; w++)
            expand(new, records, new->rows[i].operands[w], &new->rows[i], w, 0);
    for (size_t i = 0; i < records->n_items; i++) {
        size_t n;
        const char **names = td_list(new->arena, records->items[i].fields[TD_SCHED_RW], &n);
        for (size_t k = 0; k < n; k++)
            if (is_read_name(names[k]))
                td_new_read(new, names[k]);
            else
                expand(new, records, names[k], NULL, 0, 0);
    }
}

// ---- llvm-tblgen

static const char *main_of(const struct td_new *new, const struct td_tree *tree) {
    return arena_printf(new->arena, "include \"%s\"\ninclude \"%s\"\ndef : ProcessorModel<\"%s\", %s, []>;\n",
                        strrchr(tree->main, '/') + 1, strrchr(tree->path, '/') + 1, td_new_processor, new->name);
}

static void add_left(struct td_new *new, struct td_new_result *result, struct td_new_left **left, const char *opcode,
                     const char *why) {
    *ARENA_ADD(new->arena, *left, result->n_left) = (struct td_new_left){opcode, why};
}

static bool verify(struct td_new *new, const struct td_tree *tree, struct td_new_result *result, struct fail *fail) {
    struct td_output output;
    struct td_records records;
    struct td_model model;
    struct td_new_left *left = NULL;
    struct td_tree all = *tree;
    const struct machine machine = {.cpu = td_new_processor};
    all.main_text = main_of(new, tree);
    // The first makes all tables, which checks more than the records; the second shows what they are made from.
    if (!td_tree_accepts(new->arena, &all, result->text, fail) ||
        !td_tree_records(new->arena, &all, result->text, &output, fail))
        return false;
    td_records_read(new->arena, (struct slice){output.data, output.length}, NULL, &records);
    td_output_release(&output);
    if (!td_model_open(&model, new->arena, &records, &machine, strrchr(tree->path, '/') + 1, fail))
        return false;
    for (size_t i = 0; i < new->n_rows; i++) {
        const char *why = td_new_compare(new, &model, &new->rows[i]);
        result->n_equal += !why;
        if (why)
            add_left(new, result, &left, new->rows[i].export.opcode, why);
    }
    result->left = left;
    td_model_close(&model);
    return true;
}

static bool check_request(const struct td_new_request *request, struct fail *fail) {
    if (!request->model->own || !request->model->own->is_x86)
        return fail_set(fail, FAIL_INPUT, "a CPU file of x86-64 can be written for LLVM, such as new.cpu.yaml");
    size_t length = strspn(request->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return (length && !request->name[length] && (*request->name < '0' || *request->name > '9')) ||
           fail_set(fail, FAIL_INPUT, "'%s' is no name of a scheduling model: letters and digits, such as Znver5Model",
                    request->name);
}

static const char *prefix_of(struct arena *arena, const char *name) {
    return file_has_suffix(name, "Model") && strlen(name) > strlen("Model")
               ? arena_copy(arena, name, strlen(name) - strlen("Model"))
               : name;
}

bool td_new(struct arena *arena, const struct td_new_request *request, struct td_new_result *result,
            struct fail *fail) {
    struct td_tree tree;
    struct td_output output;
    struct td_records records;
    struct td_new new = {.arena = arena,
                         .request = request,
                         .model = request->model,
                         .name = request->name,
                         .prefix = prefix_of(arena, request->name)};
    *result = (struct td_new_result){.text = NULL};
    if (!check_request(request, fail) ||
        !td_tree_find_new(arena, request->path, request->tblgen, request->model->backend->major, &tree, fail) ||
        !td_tree_records(arena, &tree, NULL, &output, fail))
        return false;
    td_records_read(arena, (struct slice){output.data, output.length}, NULL, &records);
    new.has_x86_registers = memmem(output.data, output.length, "\nGR64  |", 8) != NULL;
    td_output_release(&output);
    if (td_records_find(&records, new.name))
        return fail_set(fail, FAIL_INPUT, "LLVM has a model '%s' already: --name gives another one", new.name);
    if (!read_rows(&new, &records, fail))
        return false;
    find_writes(&new, &records);
    td_new_choose(&new);
    td_new_write(&new, result);
    result->overlay = td_new_overlay(&new);
    return verify(&new, &tree, result, fail);
}
