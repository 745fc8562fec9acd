#include "hot/stop_cell.h"

#include "blocks/x86_registers.h"

#include <string.h>

// What writes all flags but perhaps the carry, which the counter keeps.
static bool writes_flags(const struct machine *machine, const struct insn *insn) {
    static const char *const names[] = {"cmp ", "test ", "add ", "sub ", "and ", "or ", "xor ", "inc ", "dec ", "neg "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(insn->text, names[i], strlen(names[i])) == 0)
            return true;
    (void)machine;
    return false;
}

static bool reads_flags(const struct machine *machine, const struct insn *insn) {
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (insn->reads[i].reg && strcmp(machine->registers[insn->reads[i].reg].name, "EFLAGS") == 0)
            return true;
    return strncmp(insn->text, "pushf", 5) == 0 || strncmp(insn->text, "lahf", 4) == 0;
}

// Whether each time that control came to an instruction, flags were written before they were read.
static bool are_flags_free(const struct trace *trace, const struct trace_insn *place) {
    enum { MOST = 64 };
    for (size_t step = place->first; step <= place->last; step++) {
        if (trace_at(trace, step) != place)
            continue;
        size_t at = step, end = step + MOST < trace->n_steps ? step + MOST : trace->n_steps;
        for (; at < end; at++) {
            const struct insn *insn = trace_at(trace, at)->insn->insn;
            if (reads_flags(trace->machine, insn))
                return false;
            if (writes_flags(trace->machine, insn))
                break;
        }
        if (at == end && end < trace->n_steps)
            return false;
    }
    return true;
}

// Whether an instruction does the same elsewhere.
static bool can_move(const struct trace *trace, const struct book_insn *insn) {
    uint64_t address;
    return !insn_changes_way(insn->insn) && !insn->is_string &&
           !x86_names_by_distance(trace->machine, insn->insn, 0, &address);
}

// Whether control always comes to the instruction from the one before it.
static bool comes_from(const struct trace *trace, const struct trace_insn *insn, const struct trace_insn *before) {
    if (insn->n != before->n && insn->n + 1 != before->n) // the last run may end between them
        return false;
    for (size_t step = insn->first; step <= insn->last; step++)
        if (trace_at(trace, step) == insn && (step == 0 || trace_at(trace, step - 1) != before))
            return false;
    return true;
}

static const struct trace_insn *find_insn(const struct trace *trace, uint64_t address) {
    for (size_t i = 0; i < trace->n_insns; i++)
        if (trace->insns[i].insn->address == address)
            return &trace->insns[i];
    return NULL;
}

// Sets the bytes that a jump at a place takes, in whole instructions; 0: it cannot stand there.
static unsigned find_moved(const struct trace *trace, const struct trace_insn *place) {
    unsigned n_bytes = 0;
    for (const struct trace_insn *insn = place, *before = NULL; n_bytes < STOP_JUMP_BYTES; before = insn) {
        insn = before ? find_insn(trace, before->insn->address + before->insn->n_bytes) : place;
        if (!insn || !can_move(trace, insn->insn) || (before && !comes_from(trace, insn, before)))
            return 0;
        n_bytes += insn->insn->n_bytes;
    }
    return n_bytes;
}

// A general register that no instruction reads or writes, but the stack pointer; STEP_REGISTERS: all are in use.
static unsigned find_free_register(const struct trace *trace) {
    enum { RSP = 4 };
    bool is_used[STEP_REGISTERS + 1] = {[RSP] = true};
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct insn *insn = trace->insns[i].insn->insn;
        for (unsigned r = 0; r < insn->n_reads; r++)
            is_used[trace_general(trace->machine, insn->reads[r].reg)] = true;
        for (unsigned w = 0; w < insn->n_writes; w++)
            is_used[trace_general(trace->machine, insn->writes[w].reg)] = true;
        if (insn->side_effects) // it may use registers that it does not list
            return STEP_REGISTERS;
    }
    unsigned reg = 0;
    while (reg < STEP_REGISTERS && is_used[reg])
        reg++;
    return reg;
}

bool stop_cell_find(struct arena *arena, const struct trace *trace, struct stop *stop) {
    size_t fewest = SIZE_MAX, latest = 0;
    bool is_whole = false;
    (void)arena;
    for (size_t i = 0; i < trace->n_insns; i++) {
        const struct trace_insn *place = &trace->insns[i];
        bool is_late = place->last >= trace->n_steps / 2 && place->n > 1;
        bool is_rarer = place->n < fewest || (place->n == fewest && place->last > latest);
        bool is_whole_there = is_late && trace_is_whole(trace, place->last);
        bool is_better = is_late && (is_whole_there == is_whole ? is_rarer : is_whole_there);
        unsigned n_moved = is_better ? find_moved(trace, place) : 0;
        if (!n_moved || !are_flags_free(trace, place))
            continue;
        is_whole = is_whole_there;
        fewest = place->n;
        latest = place->last;
        *stop = (struct stop){.kind = HOT_STOP_CELL,
                              .n_steps = place->last,
                              .turns = trace->heads[place->last],
                              .exit = place->insn->address,
                              .count = place->n,
                              .n_moved = n_moved};
    }
    if (fewest == SIZE_MAX)
        return false;
    stop->reg = find_free_register(trace);
    stop->sets_register = stop->reg < STEP_REGISTERS;
    stop->value = stop->count;
    return true;
}
