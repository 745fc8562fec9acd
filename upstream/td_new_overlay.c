// The new model's tables as an overlay, so that a survey and blocks can judge them before LLVM is built with them.
#include "upstream/td_new_text.h"

#include <stdlib.h>
#include <string.h>

// An opcode's numbers as a rule has them.
struct numbered {
    const char *numbers, *opcode;
};

static int compare_numbered(const void *a, const void *b) {
    const struct numbered *one = a, *other = b;
    int order = strcmp(one->numbers, other->numbers);
    return order ? order : strcmp(one->opcode, other->opcode);
}

// Of a group, LLVM wants a unit more to be free for each other use inside it (InstrBuilder.cpp).
static unsigned units_of(const struct td_export *export, unsigned use) {
    const uint64_t pipes = export->uses[use].pipes;
    unsigned units = 1;
    for (unsigned u = 0; u < export->n_uses; u++)
        units += u != use && __builtin_popcountll(pipes) > 1 && (export->uses[u].pipes & ~pipes) == 0;
    return units;
}

static void write_uses(const struct td_new *new, const struct td_export *export, struct text *text) {
    const char *separator = "";
    text_add(text, ", uses: [");
    for (unsigned u = 0; u < export->n_uses; u++, separator = ", ") {
        const unsigned units = units_of(export, u);
        text_addf(text, "%s{resource: %s, acquire: 0, release: %u", separator,
                  td_ports_name_of(&new->ports, export->uses[u].pipes), export->uses[u].cycles);
        text_addf(text, units > 1 ? ", units: %u}" : "}", units);
    }
    if (export->serial > 1)
        text_addf(text, "%s{resource: %sSerial, acquire: 0, release: %u}", separator, new->prefix, export->serial);
    text_add(text, "]");
}

// Without a base, the stack pointer is a result like others, behind them.
static void write_latencies(const struct td_export *export, struct text *text) {
    const unsigned n = export->is_of_stack && !export->has_results ? 0 : export->n_latencies;
    text_add(text, ", latency: [");
    for (unsigned i = 0; i < n; i++)
        text_addf(text, "%s%u", i ? ", " : "", export->latencies[i]);
    text_add(text, !export->is_of_stack ? "]" : n ? ", 0]" : "0]");
}

static void write_advances(const struct td_export *export, struct text *text) {
    unsigned n = 0;
    for (unsigned i = 0; i < export->n_advances; i++)
        if (export->advances[i])
            text_addf(text, "%s{operand: %u, cycles: %d}", n++ ? ", " : ", advances: [", i, export->advances[i]);
    text_add(text, n ? "]" : "");
}

static const char *numbers_of(const struct td_new *new, const struct td_export *export) {
    struct text text = {.arena = new->arena};
    text_addf(&text, "uops: %u", export->slots);
    write_latencies(export, &text);
    write_uses(new, export, &text);
    write_advances(export, &text);
    text_add(&text, export->idiom == TD_ZEROES   ? ", idiom: zero"
                    : export->idiom == TD_BREAKS ? ", idiom: dependency-breaking"
                                                 : "");
    return text.data;
}

static void write_rules(const struct td_new *new, struct text *text) {
    struct numbered *rows = ARENA_ARRAY(new->arena, struct numbered, new->n_rows);
    for (size_t i = 0; i < new->n_rows; i++)
        rows[i] = (struct numbered){numbers_of(new, &new->rows[i].export), new->rows[i].export.opcode};
    qsort(rows, new->n_rows, sizeof *rows, compare_numbered);
    for (size_t i = 0; i < new->n_rows; i++) {
        bool is_first = i == 0 || strcmp(rows[i].numbers, rows[i - 1].numbers) != 0,
             is_last = i + 1 == new->n_rows || strcmp(rows[i].numbers, rows[i + 1].numbers) != 0;
        text_addf(text, is_first ? "  - {match: \"%s" : "|%s", rows[i].opcode);
        if (is_last)
            text_addf(text, "\", %s}\n", rows[i].numbers);
    }
}

static void write_number(const struct td_new *new, const char *key, enum cpu_parameter parameter, struct text *text) {
    const struct td_new_number number = td_new_parameter(new, parameter);
    if (number.is_known)
        text_addf(text, "  %s: {value: %u, source: \"%s\"}\n", key, number.value, number.source);
}

// That of general registers, with flags: a write of a part waits for the rest, as LLVM's core has it of registers in
// a file. Those of vectors have no part that such a write leaves.
static void write_registers(const struct td_new *new, struct text *text) {
    const struct td_new_number *size = &new->request->integer_registers;
    if (new->has_x86_registers && size->is_known)
        text_addf(text,
                  "register_files:\n  - {name: %sIntegerRegisters, registers: \"R([A-D]X|[SD]I|[SB]P|[0-9]+)|EFLAGS\", "
                  "size: {value: %u, source: \"%s\"}}\n",
                  new->prefix, size->value, size->source);
}

const char *td_new_overlay(const struct td_new *new) {
    const struct machine *machine = new->model->machine;
    struct text text = {.arena = new->arena};
    text_addf(&text,
              "# The tables of %s, as 'cyclops upstream new' writes them for LLVM.\n"
              "overlay: 1\nname: %s\nbase: none\ntriple: %s\ncpu: %s\nmachine:\n  order: out\n",
              new->name, new->name, machine->triple, machine->cpu);
    write_number(new, "dispatch_width", CPU_DISPATCH_WIDTH, &text);
    write_number(new, "reorder_buffer", CPU_REORDER_BUFFER, &text);
    write_number(new, "retire_width", CPU_RETIRE_WIDTH, &text);
    write_number(new, "load_queue", CPU_LOAD_QUEUE, &text);
    write_number(new, "store_queue", CPU_STORE_QUEUE, &text);
    text_add(&text, "resources:\n");
    td_ports_list(&new->ports, &text);
    write_registers(new, &text);
    text_add(&text, "instructions:\n");
    write_rules(new, &text);
    return text.data;
}
