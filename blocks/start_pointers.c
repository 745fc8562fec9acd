#include "blocks/start_pointers.h"

#include "gen/registers.h"

#include <string.h>
#include <strings.h>

enum { WORD_BYTES = 8, WORDS = 2 };

// Whether an instruction copies a word of a vector register to a general register.
static bool is_word_move(const struct insn *insn) {
    return !insn->may_load && !insn->may_store && insn->n_writes > 0 && insn->n_reads > 0 &&
           (strstr(insn->opcode, "MOVPQIto64") || strstr(insn->opcode, "PEXTRQ"));
}

// Returns the number of the vector register that `reg` is, at any width; -1: not one.
static int vector_number(const struct isa *isa, const struct machine *machine, uint16_t reg) {
    const char *name = machine->registers[reg].name;
    struct register_name found;
    bool is_known = reg && register_find(isa, (struct slice){name, strlen(name)}, &found);
    return is_known && found.class->file == 'v' ? (int)found.index : -1;
}

static bool is_written_before(const struct lab_block *block, const struct machine *machine, unsigned at, int number) {
    for (unsigned i = 0; i < at; i++)
        for (unsigned k = 0; k < block->insns.insns[i].n_writes; k++)
            if (vector_number(block->source.isa, machine, block->insns.insns[i].writes[k].reg) == number)
                return true;
    return false;
}

// Whether the register that instruction `at` writes gives an address before it is written again, around the end, too.
static bool gives_address(const struct block *block, unsigned at) {
    uint16_t reg = block->insns[at].writes[0].reg;
    for (unsigned step = 1; step <= block->n_insns; step++) {
        const struct insn *insn = &block->insns[(at + step) % block->n_insns];
        if (insn->address && (insn->address->base == reg || insn->address->index == reg))
            return true;
        for (unsigned i = 0; i < insn->n_writes; i++)
            if (insn->writes[i].reg == reg)
                return false;
    }
    return false;
}

// Whether memory is accessed at what the register holds.
static bool is_base(const struct machine *machine, const struct block *block, const char *name) {
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn_address *address = block->insns[i].address;
        if (address && (strcasecmp(machine->registers[address->base].name, name) == 0 ||
                        (address->scale == 1 && strcasecmp(machine->registers[address->index].name, name) == 0)))
            return true;
    }
    return false;
}

// Returns a general register that is no base of an address, the last one but `n_before`; 0: all are.
static unsigned free_register(const struct machine *machine, const struct lab_block *block, unsigned n_before) {
    const struct register_class *general = block->source.isa->classes;
    unsigned number = 0;
    while (general->registers[number])
        number++;
    while (number-- > 1)
        if (!is_base(machine, &block->insns, general->registers[number]) && n_before-- == 0)
            return number;
    return 0;
}

static bool is_given(const struct start_state *state, char file, int number) {
    for (size_t i = 0; i < state->n_registers; i++) {
        const struct state_register *given = &state->registers[i];
        if (given->class && given->class->file == file && (int)given->index == number)
            return true;
    }
    return false;
}

static void set(struct arena *arena, const struct isa *isa, const char *name, uint64_t address, unsigned n_words,
                struct start_state *state) {
    struct state_value value = {.n = n_words * WORD_BYTES};
    struct fail none = {0};
    for (unsigned i = 0; i < value.n; i++)
        value.bytes[i] = (uint8_t)(address >> 8 * (i % WORD_BYTES));
    start_state_set(arena, isa, name, &value, state, &none);
}

static void add(struct arena *arena, const struct machine *machine, const struct lab_block *block,
                enum block_alias alias, int number, struct start_state *state) {
    struct block_start start = block_start_of(block, alias);
    unsigned n_before = (unsigned)(state->n_registers - block->options.state.n_registers);
    uint64_t address = block_start_value(block->source.isa, &start, free_register(machine, block, n_before));
    set(arena, block->source.isa, arena_printf(arena, "xmm%d", number), address, WORDS, state);
}

static struct start_state *copy(struct arena *arena, const struct start_state *given) {
    struct start_state *state = ARENA_NEW(arena, struct start_state);
    *state = *given;
    state->registers = NULL;
    state->n_registers = 0;
    for (size_t i = 0; i < given->n_registers; i++)
        *ARENA_ADD(arena, state->registers, state->n_registers) = given->registers[i];
    return state;
}

// Registers that hold the address of a jump table.
static void add_tables(struct arena *arena, const struct lab_block *block, struct start_state **state) {
    const struct block_source *source = &block->source;
    const struct start_state *given = &block->options.state;
    for (size_t i = 0; i < source->n_held; i++) {
        const struct block_register *held = &source->held[i];
        struct register_name found;
        if (!register_find(source->isa, (struct slice){held->name, strlen(held->name)}, &found) ||
            is_given(given, 'g', (int)found.index))
            continue;
        if (!*state)
            *state = copy(arena, given);
        set(arena, source->isa, held->name, held->value, 1, *state);
    }
}

const struct start_state *start_pointers_add(struct arena *arena, const struct machine *machine,
                                             const struct lab_block *block, enum block_alias alias) {
    const struct start_state *given = &block->options.state;
    struct start_state *state = NULL;
    for (unsigned i = 0; i < block->insns.n_insns; i++) {
        const struct insn *insn = &block->insns.insns[i];
        uint16_t reg = is_word_move(insn) ? insn->reads[0].reg : 0;
        int number = vector_number(block->source.isa, machine, reg);
        if (number < 0 || is_given(state ? state : given, 'v', number) ||
            is_written_before(block, machine, i, number) || !gives_address(&block->insns, i))
            continue;
        if (!state)
            state = copy(arena, given);
        add(arena, machine, block, alias, number, state);
    }
    add_tables(arena, block, &state);
    return state ? state : given;
}
