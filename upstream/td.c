#include "upstream/td.h"

#include "base/file.h"
#include "upstream/td_leave.h"
#include "upstream/td_plan.h"
#include "upstream/td_statements.h"
#include "upstream/td_tblgen.h"
#include "upstream/td_vectors.h"

#include <stdlib.h>
#include <string.h>

// What llvm-tblgen makes of a text.
struct reading {
    struct arena arena;
    struct td_records records;
    struct td_model model;
};

static void close_reading(struct reading *reading) {
    td_model_close(&reading->model);
    arena_free(&reading->arena);
}

static bool read_text(struct reading *reading, const struct td_tree *tree, const char *text,
                      const struct machine *machine, struct fail *fail) {
    struct td_output records;
    *reading = (struct reading){0};
    if (!td_tree_records(&reading->arena, tree, text, &records, fail))
        return false;
    const char *file = file_base(tree->path);
    td_records_read(&reading->arena, (struct slice){records.data, records.length},
                    td_model_is_nested(machine) ? file : NULL, &reading->records);
    td_output_release(&records);
    return td_model_open(&reading->model, &reading->arena, &reading->records, machine, file, fail);
}

// Why the text does not have these numbers of an opcode; null: it has.
static const char *compare(struct reading *reading, const struct repair_change *change) {
    struct td_numbers atoms[TD_MOST_ATOMS];
    struct td_opcode opcode = td_model_find(&reading->model, change->opcode, td_class_of(change));
    if (opcode.why)
        return opcode.why;
    td_model_numbers(&reading->model, &opcode, atoms);
    return td_model_compare(&reading->model, &opcode, atoms, &change->after, true);
}

// Statements that did not come to what was meant are allowed less. False: all came to it.
static bool correct_statements(struct td_plan *plan, const struct reading *reading) {
    bool is_corrected = false;
    for (size_t i = 0, k = 0; i < plan->model->n_atoms; i++) {
        const struct td_atom *atom = &plan->model->atoms[i];
        while (k < reading->model.n_atoms && strcmp(reading->model.atoms[k].write, atom->write) < 0)
            k++;
        bool is_there = k < reading->model.n_atoms && strcmp(reading->model.atoms[k].write, atom->write) == 0;
        bool is_here = atom->record->file && strcmp(atom->record->file, plan->model->file) == 0;
        if ((is_there && td_numbers_are_equal(&reading->model.atoms[k].numbers, &plan->chosen[i])) || !is_here ||
            (plan->is_free[i] && !plan->model->is_nested) || plan->freedom[atom->record->line] == TD_UNTOUCHED)
            continue;
        plan->freedom[atom->record->line]++;
        is_corrected = true;
    }
    return is_corrected;
}

// Why an opcode did not get its numbers: that of a statement of its own, or `why`, as its numbers differ.
static const char *reason_of(const struct td_plan *plan, const struct td_wanted *wanted, const char *why) {
    for (unsigned a = 0; !wanted->opcode.why && a < wanted->opcode.first[wanted->opcode.n_writes]; a++) {
        const size_t number = wanted->opcode.atoms[a];
        const struct td_atom *atom = &plan->model->atoms[number];
        if (plan->model->is_nested && !td_numbers_are_equal(&plan->chosen[number], &wanted->numbers[a]) &&
            !(atom->record->line && plan->why[atom->record->line]))
            return arena_printf(plan->arena,
                                "%s has one set of numbers, and as many or more forms that have it need others",
                                atom->write);
        if (!td_numbers_are_equal(&atom->numbers, &wanted->numbers[a]) && atom->record->line &&
            plan->why[atom->record->line])
            return arena_strdup(plan->arena, plan->why[atom->record->line]);
    }
    return arena_strdup(plan->arena, why);
}

// Opcodes that did not get their numbers keep those that they have. False: all got theirs.
static bool correct_opcodes(struct td_plan *plan, struct reading *reading) {
    bool is_corrected = false;
    for (size_t i = 0; i < plan->request->n_changes; i++) {
        struct td_wanted *wanted = &plan->wanted[i];
        const char *why = wanted->why ? NULL : compare(reading, wanted->change);
        if (!why)
            continue;
        wanted->why = reason_of(plan, wanted, why);
        if (!wanted->opcode.why)
            td_model_numbers(plan->model, &wanted->opcode, wanted->numbers);
        wanted->has_other_reads = wanted->has_other_results = false;
        is_corrected = true;
    }
    return is_corrected;
}

// Whether the text has the dispatch width that the repair changes.
static bool has_width(const struct td_plan *plan, const struct reading *reading) {
    const struct td_record *record = td_records_find(&reading->records, plan->model->name);
    const char *width = record ? record->fields[TD_ISSUE_WIDTH] : NULL;
    return !plan->request->dispatch_width ||
           (width && strtoul(width, NULL, 10) == (unsigned long)plan->request->dispatch_width);
}

static void judge(struct td_plan *plan, struct reading *reading, struct td_result *result) {
    struct td_left *left = NULL;
    size_t n_left = 0;
    result->n_compared = result->n_equal = result->n_changed = 0;
    for (size_t i = 0; i < plan->request->n_changes; i++) {
        const struct td_wanted *wanted = &plan->wanted[i];
        const struct repair_change *change = wanted->change;
        bool is_changed = !repair_numbers_are_equal(&change->before, &change->after);
        if (change->is_spread && !td_class_of(change) && !td_records_find(&reading->records, change->opcode))
            continue; // the sources are of another version
        const char *why = compare(reading, change);
        result->n_compared++;
        result->n_changed += is_changed;
        result->n_equal += why == NULL;
        if (!why)
            continue;
        why = wanted->why ? wanted->why : why;
        if (wanted->opcode.is_variant && !wanted->opcode.why)
            why = "its write is chosen by its operands, in a way that cannot be written again";
        *ARENA_ADD(plan->arena, left, n_left) = (struct td_left){change->opcode, arena_strdup(plan->arena, why)};
    }
    if (!has_width(plan, reading))
        *ARENA_ADD(plan->arena, left, n_left) = (struct td_left){
            "dispatch width", arena_printf(plan->arena, "'def %s' has no 'let IssueWidth' here", plan->model->name)};
    result->left = left;
    result->n_left = n_left;
}

static bool gives_number(const struct td_record *record, unsigned line) {
    bool does = false;
    for (unsigned f = 0; f < TD_N_FIELDS; f++)
        does |= record->lines[f] == line;
    return does;
}

static bool leave_out(struct td_plan *plan, unsigned line, const char *why) {
    plan->freedom[line] = TD_UNTOUCHED;
    plan->why[line] = why;
    return true;
}

// Leaves out the statements whose edit llvm-tblgen refuses in this line. These are the nearest changed one at or above
// it, and those that take a number from it. False: no statement is to blame, so the file itself is wrong.
static bool leave_refused(struct td_plan *plan, unsigned line, const char *why) {
    bool is_left_out = false;
    unsigned nearest = 0;
    for (size_t i = 0; i < plan->model->n_atoms; i++) {
        const struct td_atom *atom = &plan->model->atoms[i];
        const unsigned own = atom->record->line;
        if (td_freedom_of(plan, atom->record) == TD_UNTOUCHED || td_numbers_are_equal(&atom->numbers, &plan->chosen[i]))
            continue;
        nearest = own <= line && own > nearest ? own : nearest;
        if (gives_number(atom->record, line))
            is_left_out = leave_out(plan, own, why);
    }
    return nearest ? leave_out(plan, nearest, why) : is_left_out;
}

// Reads the text with all edits; without those that llvm-tblgen refuses.
static bool read_edited(struct td_plan *plan, const struct td_tree *tree, struct td_result *result,
                        struct reading *reading, struct fail *fail) {
    for (;;) {
        td_plan_make(plan);
        result->text = td_edited(&plan->text);
        if (read_text(reading, tree, result->text, plan->request->machine, fail))
            return true;
        const struct td_edit *by;
        const unsigned line = td_tree_failed_line(tree, fail), old = td_old_line(&plan->text, line, &by);
        const char *error = strstr(fail->text, ": error: ");
        if (by && td_leave_made(by)) // what it needs is defined further down
            plan->is_at_end = true;
        else if (!line || !error ||
                 !leave_refused(plan, old,
                                arena_printf(plan->arena, "llvm-tblgen does not accept its statement: %s", error + 2)))
            return false;
        close_reading(reading);
        fail_clear(fail);
    }
}

static bool edit(struct td_plan *plan, const struct td_tree *tree, struct td_result *result, struct fail *fail) {
    enum { MOST_ROUNDS = 8 };
    bool is_last = false;
    for (int round = 0; round < MOST_ROUNDS && !is_last; round++) {
        struct reading reading;
        bool is_read = read_edited(plan, tree, result, &reading, fail);
        if (is_read) {
            is_last =
                round + 1 == MOST_ROUNDS || (!correct_statements(plan, &reading) && !correct_opcodes(plan, &reading));
            if (is_last)
                judge(plan, &reading, result);
        }
        close_reading(&reading);
        if (!is_read)
            return false;
    }
    return true;
}

bool td_can_repair(const char *path, const char *tblgen, unsigned llvm, struct fail *fail) {
    struct arena arena = {0};
    struct td_tree tree;
    bool is_found = td_tree_find(&arena, path, tblgen, llvm, &tree, fail);
    arena_free(&arena);
    return is_found;
}

bool td_repair(struct arena *arena, const struct td_request *request, struct td_result *result, struct fail *fail) {
    enum { WIDE = 3, NARROW = 1 };
    struct td_tree tree;
    struct reading reading = {0};
    char *data = NULL;
    size_t length = request->text ? strlen(request->text) : 0;
    *result = (struct td_result){0};
    if (!td_tree_find(arena, request->path, request->tblgen, request->llvm, &tree, fail) ||
        (!request->text && !file_read(arena, tree.path, &data, &length, fail)))
        return false;
    struct td_plan plan = {.arena = arena,
                           .request = request,
                           .model = &reading.model,
                           .text = {.arena = arena, .data = request->text ? request->text : data, .length = length}};
    size_t n_lines = 2;
    for (size_t i = 0; i < length; i++)
        n_lines += plan.text.data[i] == '\n';
    plan.freedom = ARENA_ARRAY(arena, enum td_freedom, n_lines);
    plan.why = ARENA_ARRAY(arena, const char *, n_lines);
    plan.behind = ARENA_ARRAY(arena, size_t, n_lines);
    bool is_done = read_text(&reading, &tree, request->text, request->machine, fail);
    if (is_done) {
        td_plan_want(&plan);
        is_done = edit(&plan, &tree, result, fail);
    }
    result->n_statements = plan.n_statements;
    result->n_inst_rws = plan.n_inst_rws;
    const char *name = strstr(tree.path, "/llvm/lib/");
    name = name ? name + 1 : strrchr(tree.path, '/') + 1;
    if (is_done) {
        result->diff = td_diff(&plan.text, name, WIDE);
        result->narrow_diff = td_diff(&plan.text, name, NARROW);
    }
    close_reading(&reading);
    return is_done;
}

bool td_compare(struct arena *arena, const struct td_request *request, struct td_result *result, struct fail *fail) {
    struct td_tree tree;
    struct reading reading = {0};
    *result = (struct td_result){.text = request->text};
    bool is_read = td_tree_find(arena, request->path, request->tblgen, request->llvm, &tree, fail) &&
                   read_text(&reading, &tree, request->text, request->machine, fail);
    struct td_plan plan = {.arena = arena,
                           .request = request,
                           .model = &reading.model,
                           .wanted = ARENA_ARRAY(arena, struct td_wanted, request->n_changes + 1)};
    for (size_t i = 0; i < request->n_changes; i++)
        plan.wanted[i].change = &request->changes[i];
    if (is_read)
        judge(&plan, &reading, result);
    close_reading(&reading);
    return is_read;
}
