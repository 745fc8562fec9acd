#include "gen/block_again.h"

#include "gen/block_values.h"

#include <string.h>
#include <strings.h>

// A register that each call begins with anew.
struct again {
    const struct register_class *class; // of general registers the ISA's first one
    unsigned index;
    bool is_kept; // its value is in the frame, else the ISA can set it without memory
};

// The registers in question, one after the other.
struct search {
    const struct isa *isa;
    const struct block_start *start;
    struct register_set inputs, changed, found;
    unsigned n_arguments, n_given; // those behind it
};

static struct register_set set_of(const struct isa *isa, const char *const *names, size_t n) {
    struct register_set set = {0};
    for (size_t i = 0; i < n; i++)
        register_set_add_name(&set, isa, names[i]);
    return set;
}

static unsigned count_names(const char *const *names) {
    unsigned n = 0;
    while (names && names[n])
        n++;
    return n;
}

static struct search begin(const struct isa *isa, const struct block_start *start, const struct block_facts *facts) {
    return (struct search){.isa = isa,
                           .n_arguments = start->is_routine ? 0 : count_names(isa->arguments),
                           .start = start,
                           .inputs = set_of(isa, facts->inputs, facts->n_inputs),
                           .changed = set_of(isa, facts->changed, facts->n_changed)};
}

// Returns the next register of arguments, or that the user gave, but the stack pointer; its class is null where there
// is no further one.
static struct register_name next_candidate(struct search *search) {
    const struct isa *isa = search->isa;
    const struct start_state *state = search->start->state;
    struct register_name found = {0};
    while (isa->arguments && isa->arguments[search->n_arguments]) {
        const char *name = isa->arguments[search->n_arguments++];
        if (register_find(isa, (struct slice){name, strlen(name)}, &found))
            return found;
    }
    while (state && search->n_given < state->n_registers) {
        const struct state_register *given = &state->registers[search->n_given++];
        if (given->class && (given->class != isa->classes || given->index != isa->stack_number))
            return (struct register_name){given->class, given->index, given->index};
    }
    return (struct register_name){0};
}

static bool next(struct search *search, struct again *again) {
    const struct start_state *state = search->start->state;
    for (struct register_name name; (name = next_candidate(search)).class;) {
        const struct register_class *class = name.class->file == 'g' ? search->isa->classes : name.class;
        bool is_general = class->file == 'g',
             is_given = block_find_given(search->isa, search->start, class, name.index);
        if (!register_set_has(&search->changed, class, name.index) ||
            (!is_given && !register_set_has(&search->inputs, class, name.index)) ||
            register_set_has(&search->found, class, name.index))
            continue;
        register_set_add(&search->found, class, name.index);
        bool is_known = is_general || !is_given || !search->isa->emit_frame_move;
        *again = (struct again){class, name.index, !is_known || (state && state->n_init_bytes)};
        return true;
    }
    return false;
}

static const struct register_class *widest(const struct used_registers *used, const struct again *again) {
    const struct register_name name = {again->class, again->index, again->index};
    const struct register_class *known = used->widest[register_file_index(again->class->file)][register_entry(&name)];
    return again->class->file != 'g' && known ? known : again->class;
}

void block_emit_again(const struct block_setup *setup, const struct used_registers *used, struct text *out) {
    const struct isa *isa = setup->isa;
    const struct block_start *start = &setup->request->start;
    struct search search = begin(isa, start, setup->request->facts);
    for (struct again again; next(&search, &again);) {
        const struct register_class *class = widest(used, &again);
        struct isa_value value = {block_start_value(isa, start, again.index), class->bits};
        if (again.is_kept)
            isa->emit_frame_move(out, class, again.index, true, setup->syntax);
        else if (class->file == 'g')
            isa->emit_constant(out, class, class->registers[again.index], value, setup->syntax);
        else
            block_emit_other(setup, class, again.index, out);
    }
}

void block_emit_kept(const struct block_setup *setup, const struct used_registers *used, struct text *out) {
    struct search search = begin(setup->isa, &setup->request->start, setup->request->facts);
    for (struct again again; next(&search, &again);)
        if (again.is_kept)
            setup->isa->emit_frame_move(out, widest(used, &again), again.index, false, setup->syntax);
}

static bool changes_control(const struct block_facts *facts, const char *name) {
    for (size_t i = 0; i < facts->n_changed; i++)
        if (strcasecmp(facts->changed[i], name) == 0)
            return true;
    return false;
}

bool block_changes_given(const struct isa *isa, const struct block_start *start, const struct block_facts *facts) {
    struct search search = begin(isa, start, facts);
    struct again again;
    return next(&search, &again);
}

bool block_can_be_called(const struct isa *isa, const struct block_start *start, const struct block_facts *facts,
                         struct fail *fail) {
    const struct start_state *state = start->state;
    for (size_t i = 0; state && i < state->n_registers; i++)
        if (!state->registers[i].class && changes_control(facts, state->registers[i].name))
            return fail_set(fail, FAIL_INPUT,
                            "it changes %s, which would not start with the given value in each call: leave that out",
                            state->registers[i].name);
    struct search search = begin(isa, start, facts);
    for (struct again again; next(&search, &again);) {
        const char *name = again.class->registers[again.index];
        if (!again.is_kept || (isa->emit_frame_move && again.class->file != 'm'))
            continue;
        if (!state || !state->n_init_bytes)
            return fail_set(fail, FAIL_INPUT,
                            "it changes %s, which would not start with the given value in each call: leave that out",
                            name);
        return fail_set(fail, FAIL_INPUT,
                        "it changes %s, which would not start with what --init left there in each call: leave --init "
                        "out, and give %s a value by --set",
                        name, name);
    }
    return true;
}
