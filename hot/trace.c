#include "hot/trace.h"

#include "blocks/x86_registers.h"

#include <math.h>
#include <string.h>

const struct segment *trace_find_page(const struct hot_state *state, uint64_t address) {
    size_t low = 0, high = state->n_pages;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct segment *page = &state->pages[middle];
        if (address < page->address)
            high = middle;
        else if (address - page->address >= page->size)
            low = middle + 1;
        else
            return page;
    }
    return NULL;
}

size_t trace_read(const struct hot_state *state, uint64_t address, uint8_t *bytes, size_t n_bytes) {
    size_t n = 0;
    for (const struct segment *page; n < n_bytes && (page = trace_find_page(state, address + n));)
        for (uint64_t at = address + n - page->address; at < page->size && n < n_bytes; at++)
            bytes[n++] = at < page->n_bytes ? page->bytes[at] : 0;
    return n;
}

static size_t read_state(const void *context, uint64_t address, uint8_t *bytes, size_t n_bytes) {
    return trace_read(context, address, bytes, n_bytes);
}

bool trace_is_whole(const struct trace *trace, size_t n_steps) {
    static const double most_cut = 0.1; // of all steps
    if (trace_behind(trace, n_steps - 1) == trace->state->head)
        return true;
    if (trace->heads[n_steps] < 2)
        return false;
    size_t last = n_steps - 1;
    while (trace->state->steps[last] != trace->state->head)
        last--;
    const double whole = (double)last / (double)(trace->heads[n_steps] - 1), cut = (double)(n_steps - last);
    return fabs(whole - cut) <= most_cut * (double)n_steps;
}

bool trace_is_free(const struct trace *trace, uint64_t address, unsigned n_bytes, size_t end) {
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct trace_insn *other = &trace->insns[i];
        if (other->first < end && other->insn->address < address + n_bytes &&
            address < other->insn->address + other->insn->n_bytes)
            return false;
    }
    return true;
}

unsigned trace_general(const struct machine *machine, uint16_t reg) {
    bool is_narrow;
    unsigned number = x86_general_register(machine, reg, &is_narrow);
    if (number < STEP_REGISTERS || !reg || reg >= machine->n_registers)
        return number < STEP_REGISTERS ? number : STEP_REGISTERS;
    const struct machine_register *part = &machine->registers[reg];
    for (unsigned i = 0; i < part->n_super && number >= STEP_REGISTERS; i++)
        number = x86_general_register(machine, part->super[i], &is_narrow);
    return number < STEP_REGISTERS ? number : STEP_REGISTERS;
}

// Number of an instruction, which is added where it is new. An instruction's `first` in the book holds that number.
static size_t number_of(struct trace *trace, struct arena *arena, struct book_insn *insn, size_t step) {
    if (insn->first == SIZE_MAX) {
        insn->first = trace->n_insns;
        *ARENA_ADD(arena, trace->insns, trace->n_insns) = (struct trace_insn){.insn = insn, .first = step};
    }
    return insn->first;
}

const char *trace_open(struct trace *trace, struct arena *arena, const struct decoder *decoder,
                       const struct hot_state *state) {
    unsigned *steps = ARENA_ARRAY(arena, unsigned, state->n_steps + 1);
    uint64_t *heads = ARENA_ARRAY(arena, uint64_t, state->n_steps + 1), turns = 0;
    *trace = (struct trace){
        .state = state, .machine = decoder->machine, .steps = steps, .heads = heads, .n_steps = state->n_steps};
    insn_book_open(&trace->book, arena, decoder, read_state, state);
    for (size_t i = 0; i < state->n_steps; i++) {
        struct book_insn *insn = insn_book_find(&trace->book, state->steps[i]);
        if (!insn)
            return arena_printf(arena, "there is no instruction at %#llx, where it ran",
                                (unsigned long long)state->steps[i]);
        if (insn->is_system_call)
            return "it calls the system";
        size_t number = number_of(trace, arena, insn, i);
        struct trace_insn *ran = &trace->insns[number];
        ran->last = i;
        ran->n++;
        ran->n_taken += trace_behind(trace, i) != insn->address + insn->n_bytes;
        steps[i] = (unsigned)number;
        heads[i] = turns;
        bool is_repetition = i && insn->is_string && state->steps[i - 1] == state->steps[i];
        turns += state->steps[i] == state->head && !is_repetition;
    }
    heads[state->n_steps] = turns;
    return NULL;
}
