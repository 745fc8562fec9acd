#include "survey/multisets.h"

#include "lab/listener.h"
#include "survey/experiments/experiment_list.h"
#include "survey/form_kernels.h"
#include "survey/mixtures.h"

#include <math.h>
#include <string.h>

// ---- forms

static bool has_vector_of(const struct shape *shape, unsigned least_bits) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if ((shape->ports[i].file == 'v' || shape->ports[i].file == 'f') && shape->ports[i].class->bits >= least_bits)
            return true;
    return false;
}

static bool has_mask(const struct shape *shape) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].file == 'k')
            return true;
    return false;
}

static bool is_data(const struct shape_port *port) {
    return !port->is_address && !port->is_index && port->file != 'c';
}

static bool is_mixed(const struct shape *shape) {
    char first = 0;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        if (!is_data(&shape->ports[i]))
            continue;
        if (first && shape->ports[i].file != first)
            return true;
        first = shape->ports[i].file;
    }
    return false;
}

static double longest_latency(const struct table_row *row) {
    double longest = 0;
    for (size_t i = 0; i < row->n_latencies; i++)
        if (row->latencies[i].value.is_known && !table_latency_is_special(&row->latencies[i]))
            longest = fmax(longest, row->latencies[i].value.cycles);
    return longest;
}

// What the classes of forms are made by.
struct values {
    double cycles, latency;
    unsigned slots;
    const char *sched_class;
};

static bool are_equal(const struct values *a, const struct values *b) {
    static const double near = 0.03, near_latency = 0.35; // relative; cycles
    return a->slots == b->slots && strcmp(a->sched_class, b->sched_class) == 0 &&
           fabs(a->cycles - b->cycles) <= near * fmin(a->cycles, b->cycles) &&
           fabs(a->latency - b->latency) <= near_latency;
}

static void add_form(struct multisets *sets, struct values **values, const struct table_row *row,
                     const struct mixture_part *part) {
    const struct table_value *value = &row->throughputs[row->headline].value;
    const struct table_value *slots = &row->slots.value;
    bool has_slots = slots->is_known && slots->relation == TABLE_EQUAL;
    struct multiset_form form = {.name = row->form,
                                 .sched_class = row->sched_class ? row->sched_class : row->form,
                                 .kernel = value->kernel,
                                 .cycles = value->cycles,
                                 .low = value->low,
                                 .high = value->high,
                                 .latency = part->latency,
                                 .slots = has_slots ? (unsigned)lround(slots->cycles) : 0,
                                 .loads = part->shape->form->may_load,
                                 .has_vectors = has_vector_of(part->shape, 0),
                                 .has_masks = has_mask(part->shape),
                                 .is_mixed = is_mixed(part->shape),
                                 .longest = longest_latency(row),
                                 .n_bytes = part->shape->form->n_bytes,
                                 .is_wide = has_vector_of(part->shape, 512),
                                 .shape = part->shape};
    struct values own = {form.cycles, form.longest, form.slots, form.sched_class};
    unsigned first = 0;
    while (*values && first < sets->n_forms &&
           !(sets->forms[first].first == first && are_equal(&(*values)[first], &own)))
        first++;
    form.first = first;
    size_t n = sets->n_forms;
    *ARENA_ADD(sets->arena, *values, n) = own;
    *ARENA_ADD(sets->arena, sets->forms, sets->n_forms) = form;
}

bool multisets_open(struct arena *arena, const struct isa *isa, const char *llvm, const char *folder,
                    const struct lab_listener *listener, struct multisets *sets, struct fail *fail) {
    const struct form *forms;
    struct survey_table table;
    struct values *values = NULL;
    size_t n;
    *sets = (struct multisets){.arena = arena, .isa = isa, .syntax = experiment_syntax(isa)};
    if (!table_read(arena, &folder, 1, NULL, 0, listener, &table, fail) ||
        !form_kernels_list(arena, isa, llvm, &sets->model, &forms, &n, fail))
        return false;
    sets->width = table.width;
    for (size_t i = 0; i < n; i++) {
        struct shape *shape = ARENA_NEW(arena, struct shape);
        struct mixture_part part;
        shape_make(arena, isa, sets->model.machine, &forms[i], shape);
        const struct table_row *row = mixtures_part(&table, shape, &part);
        if (row)
            add_form(sets, &values, row, &part);
    }
    return sets->n_forms || fail_set(fail, FAIL_INPUT,
                                     "no form of the survey '%s' can stand beside others: it needs stable throughputs "
                                     "of forms with registers or loads",
                                     folder);
}

void multisets_close(struct multisets *sets) {
    model_close(&sets->model);
}

// ---- loops

// As many registers of its own as there are for a form that reads what it writes: the time of the multiset is to be
// that of its pipes. The body has as many turns, so that they go round.
bool multiset_loop(const struct multisets *sets, const struct multiset_term *terms, unsigned n, unsigned runs,
                   const char *id, struct multiset_loop *loop) {
    const unsigned sets_a_turn = runs > 1 ? runs : 1;
    enum { RESULTS = 2, MOST_OWN = 10, FEW_OWN = 4, LEAST_OWN = 2 };
    static const double usual_width = 8;
    struct arena arena = {0};
    struct mixture_part parts[MULTISET_MOST_TERMS] = {{0}};
    unsigned copies = 0;
    bool reads_own = false, is_good = false;
    if (n == 0 || n > MULTISET_MOST_TERMS)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const struct multiset_form *form = &sets->forms[terms[i].form];
        parts[i] = (struct mixture_part){form->shape, sets_a_turn * terms[i].count, form->cycles, form->latency};
        reads_own |= form->latency > 0;
        copies += parts[i].copies;
    }
    for (unsigned own = !reads_own ? LEAST_OWN : n <= 2 ? MOST_OWN : FEW_OWN; own >= LEAST_OWN && !is_good; own--) {
        struct mixture_layout layout = {RESULTS, own, reads_own ? own : RESULTS, runs > 0};
        if (!mixture_is_free(parts, n, layout, sets->width > 0 ? sets->width : usual_width))
            break;
        loop->text = mixture_kernel(&arena, parts, n, layout, id, "");
        loop->turns = layout.turns * sets_a_turn;
        is_good = mixtures_have_registers(sets->isa, PROGRAM_UNROLLED, &loop->text);
    }
    if (is_good) {
        const unsigned per_body = copies / sets_a_turn * loop->turns;
        loop->copies = (MIXTURE_LOOP + per_body - 1) / per_body;
        loop->text = kernel_text_copy(sets->arena, &loop->text);
    }
    arena_free(&arena);
    return is_good;
}
