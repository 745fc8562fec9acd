#include "upstream/td_export.h"

#include "analyzer/cpu/recipe.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

// The nearest whole number; marks where that is another one.
static unsigned whole(double cycles, bool *rounds) {
    static const double near = 0.03;
    double nearest = round(cycles);
    *rounds |= fabs(cycles - nearest) > near * fmax(cycles, 1);
    return nearest > 0 ? (unsigned)nearest : 0;
}

static void add_use(struct td_export *export, uint64_t pipes, unsigned cycles) {
    unsigned at = 0;
    while (at < export->n_uses && export->uses[at].pipes < pipes)
        at++;
    if (at < export->n_uses && export->uses[at].pipes == pipes) {
        export->uses[at].cycles += cycles;
        return;
    }
    if (!pipes || !cycles || export->n_uses == TD_EXPORT_MOST_USES)
        return;
    memmove(export->uses + at + 1, export->uses + at, (export->n_uses - at) * sizeof *export->uses);
    export->uses[at] = (struct td_use){pipes, cycles};
    export->n_uses++;
}

static void take_accesses(const struct td_memory *memory, const struct cpu_recipe *recipe, struct td_export *export) {
    unsigned cycles[TD_N_ACCESSES];
    td_memory_cycles(recipe, cycles);
    for (unsigned a = 0; a < TD_N_ACCESSES; a++)
        add_use(export, memory->rates[a].pipe, cycles[a]);
}

// Of pipes that a rule lists twice the times add up before they are made whole.
static void take_uses(const struct cpu_recipe *recipe, struct td_export *export) {
    for (unsigned u = 0; u < recipe->n_uses; u++) {
        double cycles = 0;
        bool is_first = true;
        for (unsigned k = 0; k < recipe->n_uses; k++) {
            bool is_same = recipe->uses[k].pipes == recipe->uses[u].pipes;
            is_first &= !is_same || k >= u;
            cycles += is_same ? recipe->uses[k].cycles : 0;
        }
        if (is_first)
            add_use(export, recipe->uses[u].pipes, whole(cycles, &export->rounds_cycles));
    }
}

static void take_latencies(const struct cpu_recipe *recipe, struct td_export *export) {
    const struct insn *insn = recipe->insn;
    unsigned most = 0, n = insn->n_writes < TD_EXPORT_MOST_LATENCIES ? insn->n_writes : TD_EXPORT_MOST_LATENCIES;
    for (unsigned i = 0; i < n; i++) {
        double latency = -1;
        for (unsigned w = 0; w < recipe->n_writes; w++) {
            const struct cpu_write *write = &recipe->writes[w];
            bool loads = recipe->n_loads && (!write->part || recipe->part_loads[write->part]);
            if (write->operand == (int)i)
                latency = fmax(latency, write->latency + (loads ? recipe->load_latency : 0));
        }
        // What the file does not follow, as the stack pointer behind push, is as LLVM has it.
        bool is_free = recipe->rename != CPU_EXECUTES;
        export->latencies[i] = latency >= 0 ? whole(latency, &export->rounds_latency)
                               : is_free    ? 0
                                            : insn->cost->writes[i].latency;
        most = export->latencies[i] > most ? export->latencies[i] : most;
    }
    if (n == 0) { // nothing waits for it: LLVM's number, which is only seen in tables
        export->latencies[0] = insn->cost->latency;
        export->n_latencies = 1;
        return;
    }
    export->n_latencies = n;
    while (export->n_latencies > 1 && export->latencies[export->n_latencies - 1] == most)
        export->n_latencies--; // as the longest one
    bool has_longest = false;
    for (unsigned i = 0; i < export->n_latencies; i++)
        has_longest |= export->latencies[i] == most;
    if (!has_longest)
        export->n_latencies++;
}

static void take_advances(const struct cpu *cpu, const struct cpu_recipe *recipe, struct td_export *export) {
    const struct insn *insn = recipe->insn;
    for (unsigned i = 0; i < insn->n_reads; i++) {
        bool is_flags = cpu->flags && cpu->units[insn->reads[i].reg] == cpu->flags, is_found = false;
        double early = INFINITY;
        unsigned operand = insn->reads[i].operand;
        for (unsigned r = 0; r < recipe->n_reads; r++) {
            const struct cpu_read *read = &recipe->reads[r];
            if (is_flags ? !cpu_is_flag(cpu, read->unit) : read->operand != (int)operand)
                continue;
            is_found = true;
            early = fmin(early, read->is_address ? 0 : read->early + (recipe->n_loads ? recipe->load_latency : 0));
        }
        // What the file does not wait for. That push and pop do not wait for the stack pointer, LLVM's core has itself.
        if (!is_found && cpu->units[insn->reads[i].reg] && !recipe->stack_change)
            early = TD_EXPORT_NO_WAIT;
        else if (!is_found)
            continue;
        if (operand >= TD_EXPORT_MOST_READS)
            continue;
        export->advances[operand] = (int)lround(early);
        if (export->advances[operand] && operand >= export->n_advances)
            export->n_advances = operand + 1;
    }
}

// "xorl %ecx, %eax" as "xorl %eax, %eax": all operands are registers of one kind. Null: they are not.
static const char *same_registers(struct arena *arena, const char *text) {
    const char *operands = text ? strpbrk(text, " \t") : NULL, *last = operands ? strrchr(operands, ',') : NULL;
    if (!last || strpbrk(operands, "$(){}*"))
        return NULL;
    last += 1 + strspn(last + 1, " \t");
    struct text same = {.arena = arena};
    text_addf(&same, "%.*s ", (int)(operands - text), text);
    unsigned n = 0;
    for (const char *at = operands; *at; n++) {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, ",");
        if (*at != '%' || length < 3 || strncmp(at, last, 2) != 0 || (at[1] == 'k') != (last[1] == 'k'))
            return NULL;
        text_addf(&same, "%s%s", n ? ", " : "", last);
        at += length;
    }
    return n > 1 ? same.data : NULL;
}

// What it does where all operands are one register.
static enum td_idiom idiom_of(const struct model *model, const struct form *form) {
    struct arena arena = {0};
    struct backend_source source = {0};
    struct fail fail = {0};
    enum td_idiom idiom = TD_NO_IDIOM;
    const char *text = same_registers(&arena, form->text);
    if (text && model_describe_text(model, &arena, form->opcode, text, &source, &fail) && source.n_blocks &&
        source.blocks[0].n_insns == 1) {
        const struct insn *insn = &source.blocks[0].insns[0];
        struct cpu_recipe recipe;
        cpu_recipe_make(model->own, insn, &recipe);
        bool is_same = strcmp(insn->opcode, form->opcode) == 0;
        idiom = !is_same                           ? TD_NO_IDIOM
                : recipe.rename == CPU_ZEROES      ? TD_ZEROES
                : insn->n_reads && !recipe.n_reads ? TD_BREAKS
                                                   : TD_NO_IDIOM;
    }
    arena_free(&arena);
    return idiom;
}

// Code of a form. Branches have no examples, as no experiment can run them by themselves: their shortest code stands
// here.
static struct slice code_of(const struct form *form, size_t *n_setup) {
    static const struct branch {
        const char *opcode, *code;
        size_t n;
    } branches[] = {
        {"JCC_1", "\x75\x00", 2},      {"JCC_4", "\x0f\x85\0\0\0\0", 6}, {"JMP_1", "\xeb\x00", 2},
        {"JMP_4", "\xe9\0\0\0\0", 5},  {"JMP64r", "\xff\xe0", 2},        {"JMP64m", "\xff\x20", 2},
        {"JRCXZ", "\xe3\x00", 2},      {"JECXZ", "\x67\xe3\x00", 3},     {"LOOP", "\xe2\x00", 2},
        {"LOOPE", "\xe1\x00", 2},      {"LOOPNE", "\xe0\x00", 2},        {"CALL64pcrel32", "\xe8\0\0\0\0", 5},
        {"CALL64r", "\xff\xd0", 2},    {"CALL64m", "\xff\x10", 2},       {"RET64", "\xc3", 1},
        {"RETI64", "\xc2\x08\x00", 3},
    };
    *n_setup = 0;
    for (size_t i = 0; !form->bytes && i < sizeof branches / sizeof *branches; i++)
        if (strcmp(branches[i].opcode, form->opcode) == 0)
            return (struct slice){branches[i].code, branches[i].n};
    *n_setup = form->n_setup_bytes;
    return (struct slice){(const char *)form->bytes, form->n_bytes};
}

bool td_export(const struct model *model, const struct td_memory *memory, const struct form *form,
               struct td_export *export) {
    struct arena arena = {0};
    struct block block;
    struct fail unknown = {0};
    *export = (struct td_export){.opcode = form->opcode};
    size_t n_setup;
    const struct slice code = code_of(form, &n_setup);
    bool is_known = code.data &&
                    model_describe_part(model, &arena, (const uint8_t *)code.data - n_setup, n_setup, code.length,
                                        &block, &unknown) &&
                    block.n_insns == 1 && strcmp(block.insns[0].opcode, form->opcode) == 0;
    if (is_known) {
        struct cpu_recipe recipe;
        cpu_recipe_make(model->own, &block.insns[0], &recipe);
        export->slots = recipe.slots;
        export->serial = whole(recipe.serial, &export->rounds_cycles);
        export->is_move = recipe.rename == CPU_MOVES;
        export->is_of_stack = recipe.stack_change != 0;
        export->has_results = block.insns[0].n_writes > 0;
        export->has_own_latency = recipe.own && recipe.own_latency != recipe.latency;
        take_uses(&recipe, export);
        take_accesses(memory, &recipe, export);
        take_latencies(&recipe, export);
        take_advances(model->own, &recipe, export);
        export->idiom = idiom_of(model, form);
    }
    arena_free(&arena);
    return is_known;
}
