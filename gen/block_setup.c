#include "gen/block_setup.h"

#include "gen/block_again.h"
#include "gen/block_values.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

void block_note_register(struct used_registers *used, const struct register_name *found) {
    for (unsigned index = found->index; index <= found->last; index++) {
        struct register_name one = {found->class, index, index};
        const struct register_class **known =
            &used->widest[register_file_index(found->class->file)][register_entry(&one)];
        register_set_add(&used->all, found->class, index);
        if (!*known || (*known)->bits < found->class->bits)
            *known = found->class;
    }
}

// Notes the registers that the user gives values, and those that the code before the block names: both are kept.
void block_note_state(const struct block_setup *setup, struct used_registers *used) {
    const struct start_state *state = setup->request->start.state;
    struct register_name found;
    for (size_t i = 0; state && i < state->n_registers; i++)
        if (state->registers[i].class)
            block_note_register(used, &(struct register_name){state->registers[i].class, state->registers[i].index,
                                                              state->registers[i].index});
    struct slice rest = {state && state->init ? state->init : "", 0}, word;
    for (rest.length = strlen(rest.data); register_next(setup->isa, &rest, &word, &found);)
        block_note_register(used, &found);
}

// Sets the register that decides how often a loop turns. `counter` has the number of turns; others are still free.
static void emit_turns(const struct block_setup *setup, const char *counter, struct text *out) {
    const struct isa *isa = setup->isa;
    const struct register_class *class = isa->classes;
    const struct block_turns *turns = setup->request->turns;
    const struct isa_turns registers = {counter, isa->loop_counters[1], isa->loop_counters[2], turns->bits};
    const struct isa_value factor = {(uint64_t)turns->factor, class->bits},
                           addend = {(uint64_t)turns->addend, class->bits};
    isa->emit_constant(out, class, registers.factor, factor, setup->syntax);
    isa->emit_constant(out, class, registers.addend, addend, setup->syntax);
    isa->emit_turns(out, class->registers[turns->reg], &registers, setup->syntax);
}

// Sets all general registers, except for the counter or the one of emit_turns, the stack pointer and reserved ones that
// the block does not use.
static void emit_general(const struct block_setup *setup, const struct register_set *used, const char *counter,
                         struct text *out) {
    const struct isa *isa = setup->isa;
    const struct block_start *start = &setup->request->start;
    struct register_set kept = {0};
    for (unsigned i = 0; isa->reserved[i]; i++)
        if (strcmp(isa->reserved[i], isa->memory) != 0)
            register_set_add_name(&kept, isa, isa->reserved[i]);
    kept.files[0] &= ~used->files[0];                  // a reserved register that the block uses gets a value, too
    const struct register_class *class = isa->classes; // the first class is the widest general one
    assert(class->file == 'g');
    if (setup->request->turns)
        register_set_add(&kept, class, setup->request->turns->reg);
    else if (!setup->request->runs_once && counter)
        register_set_add_name(&kept, isa, counter);
    register_set_add_name(&kept, isa, isa->stack_pointer);
    for (unsigned i = 0; class->registers[i]; i++) {
        struct isa_value value = {block_start_value(isa, start, i), class->bits};
        if (!register_set_has(&kept, class, i))
            isa->emit_constant(out, class, class->registers[i], value, setup->syntax);
    }
}

// Sets each register that the block uses, except for general ones, and control registers that the user gives.
static void emit_others(const struct block_setup *setup, const struct used_registers *used, struct text *out) {
    const struct start_state *state = setup->request->start.state;
    for (unsigned file = 1; file < REGISTER_N_FILES; file++) // 0 is the general one
        for (unsigned i = 0; i < 64; i++)
            if (used->widest[file][i])
                block_emit_other(setup, used->widest[file][i], i / used->widest[file][i]->span, out);
    for (size_t i = 0; state && i < state->n_registers; i++)
        if (!state->registers[i].class)
            setup->isa->emit_bytes(out, NULL, state->registers[i].name, state->registers[i].value.bytes, setup->syntax);
}

// Fails where this ISA's set-up cannot give a register the user's value.
bool block_check_state(const struct block_setup *setup, struct fail *fail) {
    const struct start_state *state = setup->request->start.state;
    for (size_t i = 0; state && i < state->n_registers && !setup->isa->emit_bytes; i++) {
        const struct state_register *given = &state->registers[i];
        uint64_t pattern;
        if (given->class->file != 'g' && !block_find_pattern(&given->value, given->class->bits / 8, &pattern))
            return fail_set(fail, FAIL_INPUT, "on %s, a register such as %s can only start with 8 bytes that repeat",
                            setup->isa->name, given->name);
    }
    return true;
}

void block_add_bytes(struct text *out, const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        text_addf(out, "%s0x%02x", i ? ", " : ".byte ", bytes[i]);
    text_add(out, "\n");
}

const char *block_make_setup(const struct block_setup *setup, const struct used_registers *used, const char *counter) {
    struct text out = {.arena = setup->arena};
    emit_others(setup, used, &out);
    if (!counter || strcmp(counter, setup->isa->stack_pointer) != 0)
        setup->isa->emit_stack_pointer(&out, block_stack_start(setup->isa, &setup->request->start), setup->syntax);
    if (setup->request->turns)
        emit_turns(setup, counter, &out);
    emit_general(setup, &used->all, counter, &out);
    if (setup->request->start.state && setup->request->start.state->n_init_bytes)
        block_add_bytes(&out, setup->request->start.state->init_bytes, setup->request->start.state->n_init_bytes);
    bool is_pass = setup->request->is_pass && !setup->request->runs_once;
    if ((setup->request->is_routine || is_pass) && setup->request->facts)
        block_emit_kept(setup, used, &out);
    return out.data;
}
