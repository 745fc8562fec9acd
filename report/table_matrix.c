#include "report/table_matrix.h"

#include "base/text.h"
#include "check/diff.h"
#include "report/row_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what is beside what

// The text of a machine without its microcode, as table_machine_text puts it at the end.
static const char *model_of(struct arena *arena, const char *cpu) {
    const char *microcode = strstr(cpu, ", microcode ");
    return microcode ? arena_copy(arena, cpu, (size_t)(microcode - cpu)) : cpu;
}

static void find_groups(struct matrix *matrix) {
    for (size_t m = 0; m < matrix->n_machines; m++) {
        const struct table_machine *machine = &matrix->machines[m];
        size_t g = 0;
        while (g < matrix->n_groups && strcmp(matrix->groups[g].cpu, machine->table->cpu) != 0)
            g++;
        if (g == matrix->n_groups)
            *ARENA_ADD(matrix->arena, matrix->groups, matrix->n_groups) =
                (struct matrix_group){.name = machine->name,
                                      .cpu = machine->table->cpu,
                                      .model = model_of(matrix->arena, machine->table->cpu)};
        struct matrix_group *group = &matrix->groups[g];
        *ARENA_ADD(matrix->arena, group->members, group->n_members) = m;
    }
}

struct place {
    const struct table_row *row;
    size_t machine;
};

static int compare_places(const void *a, const void *b) {
    const struct place *one = a, *other = b;
    int order = strcmp(one->row->form, other->row->form);
    return order ? order : (one->machine > other->machine) - (one->machine < other->machine);
}

static void find_forms(struct matrix *matrix) {
    size_t n = 0, k = 0;
    for (size_t m = 0; m < matrix->n_machines; m++)
        n += matrix->machines[m].table->n_rows;
    struct place *places = ARENA_ARRAY(matrix->arena, struct place, n);
    for (size_t m = 0; m < matrix->n_machines; m++)
        for (size_t i = 0; i < matrix->machines[m].table->n_rows; i++)
            places[k++] = (struct place){&matrix->machines[m].table->rows[i], m};
    if (n)
        qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0; i < n; i++) {
        const char *name = places[i].row->form;
        if (!matrix->n_forms || strcmp(matrix->forms[matrix->n_forms - 1].name, name) != 0)
            *ARENA_ADD(matrix->arena, matrix->forms, matrix->n_forms) =
                (struct matrix_form){name, ARENA_ARRAY(matrix->arena, const struct table_row *, matrix->n_machines)};
        matrix->forms[matrix->n_forms - 1].rows[places[i].machine] = places[i].row;
    }
}

static bool fail_form(const struct matrix *matrix, const char *form, struct fail *fail) {
    const char **names = NULL;
    size_t n = 0;
    for (size_t m = 0; m < matrix->n_machines; m++)
        for (size_t i = 0; i < matrix->machines[m].table->n_rows; i++)
            *ARENA_ADD(matrix->arena, names, n) = matrix->machines[m].table->rows[i].form;
    return fail_set(fail, FAIL_INPUT, "no table has a form '%s'%s", form,
                    text_did_you_mean(matrix->arena, form, names, n));
}

// ---- values of two rows

bool matrix_next(const struct table_row *row, size_t *i, struct matrix_value *value) {
    size_t n = row ? row->n_latencies : 0, at = (*i)++;
    if (!row || at > n + 1)
        return false;
    *value = at < n    ? (struct matrix_value){MATRIX_LATENCY, &row->latencies[at], &row->latencies[at].value}
             : at == n ? (struct matrix_value){MATRIX_THROUGHPUT, NULL, NULL}
                       : (struct matrix_value){MATRIX_SLOTS, NULL, &row->slots.value};
    if (at == n && row->headline < row->n_throughputs)
        value->value = &row->throughputs[row->headline].value;
    return true;
}

static bool is_of_same_pair(const struct table_latency *a, const struct table_latency *b) {
    return strcmp(a->source, b->source) == 0 && strcmp(a->destination, b->destination) == 0 &&
           a->has_slow_values == b->has_slow_values && a->is_to_others == b->is_to_others;
}

// Of one quantity and operands.
static bool is_same(const struct matrix_value *a, const struct matrix_value *b) {
    return a->quantity == b->quantity && (!a->latency || is_of_same_pair(a->latency, b->latency));
}

const struct table_value *matrix_same(const struct table_row *row, const struct matrix_value *wanted) {
    struct matrix_value value;
    for (size_t i = 0; matrix_next(row, &i, &value);)
        if (is_same(&value, wanted))
            return value.value;
    return NULL;
}

// "latency 1 → 0", "reciprocal throughput", "slots".
static const char *quantity_text(struct arena *arena, const struct matrix_value *value) {
    return value->quantity == MATRIX_LATENCY
               ? arena_printf(arena, "latency %s", row_summary_pair(arena, value->latency))
           : value->quantity == MATRIX_THROUGHPUT ? "reciprocal throughput"
                                                  : "slots";
}

const struct table_row *matrix_row(const struct matrix *matrix, const struct matrix_form *form, size_t group) {
    const struct matrix_group *of = &matrix->groups[group];
    for (size_t i = 0; i < of->n_members; i++) {
        const struct table_row *row = form->rows[of->members[i]];
        if (row && !row->left_out)
            return row;
    }
    return NULL;
}

enum matrix_kinship matrix_kinship(const struct matrix *matrix, size_t group, size_t other) {
    return group == other                                                          ? MATRIX_ONE_KIND
           : strcmp(matrix->groups[group].model, matrix->groups[other].model) == 0 ? MATRIX_MICROCODES
                                                                                   : MATRIX_MODELS;
}

bool matrix_is_anywhere(const struct matrix *matrix, const struct matrix_form *form) {
    for (size_t g = 0; g < matrix->n_groups; g++)
        if (matrix_row(matrix, form, g))
            return true;
    return false;
}

static bool is_known_anywhere(const struct matrix *matrix, const struct matrix_form *form,
                              const struct matrix_value *value) {
    for (size_t g = 0; g < matrix->n_groups; g++) {
        const struct table_value *of_group = matrix_same(matrix_row(matrix, form, g), value);
        if (of_group && row_summary_is_known(of_group))
            return true;
    }
    return false;
}

bool matrix_is_first(const struct matrix *matrix, const struct matrix_form *form, size_t group,
                     const struct matrix_value *value) {
    struct matrix_value of_other;
    for (size_t g = 0; g < group; g++)
        for (size_t i = 0; matrix_next(matrix_row(matrix, form, g), &i, &of_other);)
            if (is_same(&of_other, value))
                return false;
    return is_known_anywhere(matrix, form, value);
}

// ---- whether they differ

bool matrix_can_be_compared(const struct table_value *value) {
    return value && row_summary_is_known(value) && table_is_stable(value) && !value->has_two_speeds;
}

// Standard deviation that the interval stands for.
static double deviation_of(const struct table_value *value) {
    static double of_confidence;
    if (of_confidence == 0)
        of_confidence = diff_standard_deviations(CHECK_USUAL_CONFIDENCE);
    return fmax(value->high - value->cycles, value->cycles - value->low) / of_confidence;
}

static bool are_apart(const struct table_value *low, const struct table_value *high) {
    return low->high < high->low && high->cycles - low->cycles > MEASURED_LEAST_DIFFERENCE * fabs(low->cycles);
}

// How two values stand to each other, as far as intervals say. A bound says nothing of what is below it. A latency of
// crossing copies is that of the form alone, and one through a partner may have its bypass in it.
enum relation { OPEN, ALIKE, SMALLER, LARGER };
static enum relation relation_of(const struct table_value *a, const struct table_value *b) {
    if (!matrix_can_be_compared(a) || !matrix_can_be_compared(b))
        return OPEN;
    bool is_smaller = are_apart(b, a), is_larger = are_apart(a, b);
    if (!is_smaller && !is_larger)
        return ALIKE;
    const struct table_value *upper = is_smaller ? a : b;
    if (upper->relation == TABLE_AT_MOST || table_is_crossing(a) != table_is_crossing(b))
        return OPEN;
    return is_smaller ? SMALLER : LARGER;
}

// Standard deviations of the difference between two values.
static double deviations(const struct table_value *a, const struct table_value *b) {
    double apart = fabs(a->cycles - b->cycles), spread = hypot(deviation_of(a), deviation_of(b));
    return apart == 0 ? 0 : spread > 0 ? apart / spread : INFINITY;
}

int matrix_values_differ(const struct matrix *matrix, enum matrix_kinship kinship, const struct table_value *a,
                         const struct table_value *b) {
    enum relation relation = relation_of(a, b);
    if ((relation != SMALLER && relation != LARGER) || deviations(a, b) < matrix->least_deviations[kinship])
        return 0;
    return relation == SMALLER ? -1 : 1;
}

bool matrix_groups_differ(const struct matrix *matrix, const struct matrix_form *form, size_t group, size_t other,
                          enum matrix_quantity quantity) {
    const struct table_row *a = matrix_row(matrix, form, group), *b = matrix_row(matrix, form, other);
    enum matrix_kinship kinship = matrix_kinship(matrix, group, other);
    struct matrix_value value;
    for (size_t i = 0; matrix_next(a, &i, &value);)
        if (value.quantity == quantity &&
            matrix_values_differ(matrix, kinship, value.value, matrix_same(b, &value)) != 0)
            return true;
    return false;
}

bool matrix_form_differs(const struct matrix *matrix, const struct matrix_form *form) {
    for (size_t g = 0; g < matrix->n_groups; g++)
        for (size_t other = 0; other < g; other++)
            for (enum matrix_quantity quantity = MATRIX_LATENCY; quantity < MATRIX_N_QUANTITIES; quantity++)
                if (matrix_groups_differ(matrix, form, other, g, quantity))
                    return true;
    return false;
}

// ---- what moved

static int compare_moves(const void *a, const void *b) {
    const struct matrix_move *one = a, *other = b;
    if (one->factor != other->factor)
        return one->factor > other->factor ? -1 : 1;
    return strcmp(one->form, other->form);
}

static void add_moves(const struct matrix *matrix, enum matrix_kinship kinship, const char *form,
                      const struct table_row *before, const struct table_row *after, const char *before_name,
                      const char *after_name, struct matrix_moves *moves) {
    struct matrix_value value;
    for (size_t i = 0; matrix_next(before, &i, &value);) {
        const struct table_value *other = matrix_same(after, &value);
        int sign = matrix_values_differ(matrix, kinship, value.value, other);
        if (!value.value || !other || sign == 0)
            continue;
        double least = fmin(value.value->cycles, other->cycles), most = fmax(value.value->cycles, other->cycles);
        moves->n_by_sign[value.quantity][sign > 0]++;
        *ARENA_ADD(matrix->arena, moves->items, moves->n) = (struct matrix_move){
            form, before_name, after_name, value, other, least > 0 ? most / least : (double)INFINITY};
    }
}

struct matrix_moves matrix_find_moves(const struct matrix *matrix, size_t before, size_t after) {
    struct matrix_moves moves = {0};
    for (size_t f = 0; f < matrix->n_forms; f++)
        add_moves(matrix, matrix_kinship(matrix, before, after), matrix->forms[f].name,
                  matrix_row(matrix, &matrix->forms[f], before), matrix_row(matrix, &matrix->forms[f], after),
                  matrix->groups[before].name, matrix->groups[after].name, &moves);
    return moves;
}

struct matrix_moves matrix_find_disagreements(const struct matrix *matrix, const struct matrix_group *group,
                                              size_t member) {
    struct matrix_moves moves = {0};
    size_t other = group->members[member];
    for (size_t f = 0; f < matrix->n_forms; f++)
        add_moves(matrix, MATRIX_ONE_KIND, matrix->forms[f].name, matrix->forms[f].rows[group->members[0]],
                  matrix->forms[f].rows[other], group->name, matrix->machines[other].name, &moves);
    return moves;
}

void matrix_sort_moves(struct matrix_moves *moves) {
    if (moves->n)
        qsort(moves->items, moves->n, sizeof *moves->items, compare_moves);
}

const char *matrix_move_text(struct arena *arena, const struct matrix_move *move) {
    return arena_printf(arena, "%s: %s in %s, %s in %s", quantity_text(arena, &move->before),
                        row_summary_value(arena, move->before.value), move->before_name,
                        row_summary_value(arena, move->after), move->after_name);
}

// ---- how many of those that differ may do so by chance

// Pairs of values by how far they are apart, standard deviations.
enum { BINS_EACH = 100, N_BINS = 40 * BINS_EACH }; // beyond 38 of them, a probability is no double any more
struct histogram {
    size_t bins[N_BINS + 1], n;
};

static void count_pairs(struct histogram *histogram, const struct table_row *a, const struct table_row *b) {
    struct matrix_value value;
    for (size_t i = 0; matrix_next(a, &i, &value);) {
        const struct table_value *other = matrix_same(b, &value);
        if (!value.value || !other || relation_of(value.value, other) == OPEN)
            continue;
        double bin = deviations(value.value, other) * BINS_EACH;
        histogram->bins[bin < N_BINS ? (size_t)bin : N_BINS]++;
        histogram->n++;
    }
}

// Benjamini and Hochberg, as check/diff.h has it, with probabilities that are those of a bin's smaller end.
static double least_of(const struct histogram *histogram, double rate) {
    size_t n_above = 0;
    double least = INFINITY;
    for (size_t i = N_BINS + 1; i-- > 0;) {
        double edge = (double)i / BINS_EACH;
        n_above += histogram->bins[i];
        if (histogram->bins[i] && erfc(edge / sqrt(2)) <= rate * (double)n_above / (double)histogram->n)
            least = edge;
    }
    return least;
}

static void limit_chance(struct matrix *matrix) {
    struct histogram *of = ARENA_ARRAY(matrix->arena, struct histogram, MATRIX_N_KINSHIPS);
    for (size_t f = 0; f < matrix->n_forms; f++) {
        const struct matrix_form *form = &matrix->forms[f];
        for (size_t g = 0; g < matrix->n_groups; g++) {
            const struct matrix_group *group = &matrix->groups[g];
            for (size_t i = 1; i < group->n_members; i++)
                count_pairs(&of[MATRIX_ONE_KIND], form->rows[group->members[0]], form->rows[group->members[i]]);
            for (size_t other = 0; other < g; other++)
                count_pairs(&of[matrix_kinship(matrix, other, g)], matrix_row(matrix, form, other),
                            matrix_row(matrix, form, g));
        }
    }
    for (enum matrix_kinship k = MATRIX_ONE_KIND; k < MATRIX_N_KINSHIPS; k++) {
        matrix->least_deviations[k] = least_of(&of[k], TABLE_MACHINES_FALSE);
        matrix->n_compared[k] = of[k].n;
    }
}

// ---- the whole

static bool keep_form(struct matrix *matrix, const char *name, struct fail *fail) {
    for (size_t f = 0; f < matrix->n_forms; f++)
        if (strcmp(matrix->forms[f].name, name) == 0) {
            matrix->forms += f;
            matrix->n_forms = 1;
            return true;
        }
    return fail_form(matrix, name, fail);
}

bool matrix_make(struct arena *arena, const struct table_machine *machines, size_t n, const char *form,
                 struct matrix *matrix, struct fail *fail) {
    *matrix = (struct matrix){.arena = arena, .machines = machines, .n_machines = n};
    find_groups(matrix);
    find_forms(matrix);
    limit_chance(matrix);
    return !form || keep_form(matrix, form, fail);
}
