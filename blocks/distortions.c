#include "blocks/distortions.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 2, LINE = 64, PAGE = 4096, WORD = 8, MOST_STORES = 512 };

struct number {
    bool is_known;
    uint64_t value;
};

// An access to memory, and how its address is written.
struct access {
    uint64_t address;
    unsigned size;
    struct insn_address written;
};

struct walk {
    const struct distortions_request *request;
    struct number registers[X86_REGISTERS];
    uint32_t zero_vectors; // vector registers that are zero, by number
    struct access stores[MOST_STORES];
    unsigned n_stores;
    bool stores_unknown; // some store went to an unknown place
    bool crosses, aliases, subnormals, sets_mxcsr;
    unsigned pass;
    struct bench_touch *touches; // of accesses that may never fault; null: not wanted
    const struct insn *touching[DISTORTIONS_MOST_TOUCHES];
    bool was_followed[DISTORTIONS_MOST_TOUCHES]; // in the second pass, too
    unsigned n_touches;
};

// Notes which vector registers stay, or become, zero.
static void follow_vectors(struct walk *walk, const struct insn *insn) {
    bool zeroes = strstr(insn->opcode, "XOR") && insn->n_reads == 2 && insn->reads[0].reg == insn->reads[1].reg;
    for (unsigned i = 0; i < insn->n_writes; i++) {
        int number = x86_vector_register(walk->request->machine, insn->writes[i].reg);
        uint32_t bit = number >= 0 ? UINT32_C(1) << number : 0;
        walk->zero_vectors = zeroes ? walk->zero_vectors | bit : walk->zero_vectors & ~bit;
    }
}

// Forgets whatever an instruction writes, also parts of a register.
static void forget_written(struct walk *walk, const struct insn *insn) {
    const struct machine *machine = walk->request->machine;
    follow_vectors(walk, insn);
    for (unsigned i = 0; i < insn->n_writes; i++) {
        uint16_t reg = insn->writes[i].reg;
        bool is_narrow;
        unsigned number = x86_general_register(machine, reg, &is_narrow);
        if (number < X86_REGISTERS)
            walk->registers[number].is_known = false;
        // AX or AL: the registers that contain it.
        for (uint16_t other = 1; number == X86_REGISTERS && reg && other < machine->n_registers; other++) {
            unsigned whole = x86_general_register(machine, other, &is_narrow);
            for (unsigned s = 0; whole < X86_REGISTERS && !is_narrow && s < machine->registers[other].n_sub; s++)
                if (machine->registers[other].sub[s] == reg)
                    walk->registers[whole].is_known = false;
        }
    }
}

static struct number read_register(const struct walk *walk, uint16_t reg) {
    bool is_narrow;
    int vector = x86_vector_register(walk->request->machine, reg); // of a gather: its first element
    if (vector >= 0)
        return (struct number){walk->zero_vectors >> vector & 1, 0};
    unsigned number = x86_general_register(walk->request->machine, reg, &is_narrow);
    if (number == X86_REGISTERS || !walk->registers[number].is_known)
        return (struct number){0};
    struct number found = walk->registers[number];
    if (is_narrow)
        found.value &= UINT32_MAX;
    return found;
}

static struct number address_of(const struct walk *walk, const struct insn_address *address) {
    struct number sum = {!address->segment, (uint64_t)address->displacement};
    if (address->base) {
        struct number base = read_register(walk, address->base);
        sum.is_known &= base.is_known;
        sum.value += base.value;
    }
    if (address->index) {
        struct number index = read_register(walk, address->index);
        sum.is_known &= index.is_known;
        sum.value += index.value * address->scale;
    }
    return sum;
}

static bool is_written_alike(const struct insn_address *a, const struct insn_address *b) {
    return a->base == b->base && a->index == b->index && a->displacement == b->displacement &&
           (!a->index || a->scale == b->scale);
}

// Whether both touch a common byte of the page that stands behind all pages.
static bool overlap(const struct access *a, const struct access *b) {
    uint64_t from_a = (a->address - b->address) & (PAGE - 1), from_b = (b->address - a->address) & (PAGE - 1);
    return from_a < b->size || from_b < a->size;
}

static void note_load(struct walk *walk, const struct access *load) {
    walk->crosses |= load->address % LINE + load->size > LINE;
    for (unsigned i = 0; i < walk->n_stores && walk->request->frames == 1; i++) {
        const struct access *store = &walk->stores[i];
        bool is_same = is_written_alike(&store->written, &load->written) && store->address == load->address;
        walk->aliases |= overlap(store, load) && !is_same;
    }
}

static void note_store(struct walk *walk, const struct access *store) {
    walk->crosses |= store->address % LINE + store->size > LINE;
    if (walk->n_stores < MOST_STORES)
        walk->stores[walk->n_stores++] = *store;
    else
        walk->stores_unknown = true;
}

// A load that certainly reads what memory held at the start.
static bool reads_fill(const struct walk *walk, const struct access *load) {
    if (walk->stores_unknown || load->address % WORD)
        return false;
    for (unsigned i = 0; i < walk->n_stores; i++)
        if (walk->request->frames != 1 || overlap(&walk->stores[i], load))
            return false;
    return true;
}

// The last operand of an instruction as a number: "add rsp, 24".
static struct number immediate_of(const struct insn *insn) {
    const char *comma = strrchr(insn->text, ',');
    char *end;
    if (!comma)
        return (struct number){0};
    long long value = strtoll(comma + 1, &end, 0);
    return (struct number){*end == '\0' && end > comma + 1, (uint64_t)value};
}

// The value that an instruction gives to its first register, where it is plain.
static struct number result_of(const struct walk *walk, const struct insn *insn, const struct access *load) {
    const char *opcode = insn->opcode;
    struct number first = insn->n_reads ? read_register(walk, insn->reads[0].reg) : (struct number){0},
                  immediate = immediate_of(insn);
    if (text_starts(opcode, "LEA64r") && insn->address)
        return address_of(walk, insn->address);
    if (text_starts(opcode, "MOV64rr") || text_starts(opcode, "MOV32rr"))
        return first;
    if (text_starts(opcode, "MOV64ri") || text_starts(opcode, "MOV32ri"))
        return immediate;
    if (strcmp(opcode, "MOV64rm") == 0)
        return (struct number){load && reads_fill(walk, load), walk->request->fill};
    bool adds = text_starts(opcode, "ADD64ri"), subtracts = text_starts(opcode, "SUB64ri");
    if (adds || subtracts) {
        uint64_t change = subtracts ? -immediate.value : immediate.value;
        return (struct number){first.is_known && immediate.is_known, first.value + change};
    }
    if (text_starts(opcode, "XOR32rr") && insn->n_reads > 1 && insn->reads[0].reg == insn->reads[1].reg)
        return (struct number){true, 0};
    return (struct number){0};
}

// push and pop, which have no explicit address. Returns whether it was one.
static bool step_stack(struct walk *walk, const struct insn *insn) {
    bool pushes = text_starts(insn->opcode, "PUSH64"), pops = text_starts(insn->opcode, "POP64");
    struct number *stack = &walk->registers[X86_RSP];
    if (!pushes && !pops)
        return false;
    struct number before = *stack;
    uint64_t address = pushes ? before.value - WORD : before.value;
    // Pushes and pops at one place are written alike: the stack is meant to work so.
    struct access access = {.address = address, .size = WORD};
    bool is_plain = !insn->address && before.is_known;
    struct number value = {is_plain && pops && reads_fill(walk, &access), walk->request->fill};
    if (is_plain && pushes)
        note_store(walk, &access);
    else if (is_plain)
        note_load(walk, &access);
    else
        walk->stores_unknown |= pushes;
    bool is_narrow;
    unsigned number = pops && insn->n_writes
                          ? x86_general_register(walk->request->machine, insn->writes[0].reg, &is_narrow)
                          : X86_REGISTERS;
    forget_written(walk, insn);
    if (number < X86_REGISTERS)
        walk->registers[number] = value;
    if (number != X86_RSP)
        *stack = (struct number){before.is_known, pushes ? before.value - WORD : before.value + WORD};
    return true;
}

static bool reads_mask(const struct machine *machine, const struct insn *insn) {
    for (unsigned i = 0; i < insn->n_reads; i++) {
        uint16_t reg = insn->reads[i].reg;
        const char *name = reg && reg < machine->n_registers ? machine->registers[reg].name : "";
        if (name[0] == 'K' && name[1] >= '0' && name[1] <= '7' && !name[2])
            return true;
    }
    return false;
}

// Whether an instruction may access memory that is not there without a fault.
static bool is_quiet(const struct machine *machine, const struct insn *insn) {
    static const char *const parts[] = {"MASKMOV", "GATHER", "SCATTER", "PREFETCH", "CLFLUSHOPT", "CLWB", "CLDEMOTE"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(insn->opcode, parts[i]))
            return true;
    return (insn->may_load || insn->may_store) && reads_mask(machine, insn);
}

// Notes the place of an access that may never fault.
static void note_touch(struct walk *walk, const struct insn *insn, uint64_t address, unsigned size) {
    unsigned i = 0;
    while (i < walk->n_touches && walk->touching[i] != insn)
        i++;
    if (walk->pass == 0 && i < DISTORTIONS_MOST_TOUCHES) {
        walk->touching[i] = insn;
        walk->touches[i] = (struct bench_touch){.address = address, .size = size ? size : 1};
        walk->n_touches = i + 1;
    } else if (walk->pass == 1 && i < walk->n_touches) {
        walk->touches[i].stride = (int64_t)(address - walk->touches[i].address);
        walk->was_followed[i] = true;
    }
}

static void step(struct walk *walk, const struct insn *insn) {
    bool touches = insn->may_load || insn->may_store, is_narrow;
    struct number address = insn->address ? address_of(walk, insn->address) : (struct number){0};
    if (walk->touches && address.is_known && is_quiet(walk->request->machine, insn))
        note_touch(walk, insn, address.value, insn->address->bytes);
    address.is_known = address.is_known && touches;
    struct access access = {.address = address.value, .size = insn->address ? insn->address->bytes : 0};
    bool is_plain = address.is_known && access.size > 0;
    walk->subnormals |= insn->may_load && (strstr(insn->opcode, "_F32m") || strstr(insn->opcode, "_F64m") ||
                                           strstr(insn->opcode, "_F80m"));
    walk->sets_mxcsr |= strstr(insn->opcode, "LDMXCSR") || strstr(insn->opcode, "FXRSTOR");
    if (step_stack(walk, insn))
        return;
    if (touches && insn->address)
        access.written = *insn->address;
    struct number result = result_of(walk, insn, is_plain ? &access : NULL);
    if (is_plain && insn->may_load)
        note_load(walk, &access);
    if (is_plain && insn->may_store)
        note_store(walk, &access);
    else if (insn->may_store || insn->is_call)
        walk->stores_unknown = true;
    unsigned number =
        insn->n_writes ? x86_general_register(walk->request->machine, insn->writes[0].reg, &is_narrow) : X86_REGISTERS;
    forget_written(walk, insn);
    if (number < X86_REGISTERS) {
        if (is_narrow)
            result.value &= UINT32_MAX;
        walk->registers[number] = result;
    }
}

static void follow(struct walk *walk, const struct distortions_request *request) {
    walk->request = request;
    for (unsigned i = 0; i < X86_REGISTERS; i++)
        walk->registers[i] = (struct number){true, request->starts[i]};
    walk->stores_unknown = request->is_patched;
    walk->zero_vectors = request->are_vectors_zero ? UINT32_MAX : 0;
    for (walk->pass = 0; walk->pass < PASSES; walk->pass++) {
        walk->registers[X86_RSP] = (struct number){true, request->starts[X86_RSP]}; // each copy begins with it
        for (unsigned i = 0; i < request->block->n_insns && !request->block->insns[i].is_branch; i++)
            step(walk, &request->block->insns[i]);
    }
}

unsigned distortions_find_touches(const struct distortions_request *request,
                                  struct bench_touch touches[DISTORTIONS_MOST_TOUCHES]) {
    struct arena scratch = {0};
    struct walk *walk = ARENA_NEW(&scratch, struct walk);
    unsigned n = 0;
    walk->touches = touches;
    follow(walk, request);
    for (unsigned i = 0; i < walk->n_touches; i++)
        if (walk->was_followed[i])
            touches[n++] = touches[i];
    arena_free(&scratch);
    return n;
}

const char *distortions_find(struct arena *arena, const struct distortions_request *request) {
    struct arena scratch = {0};
    struct walk *walk = ARENA_NEW(&scratch, struct walk);
    struct text text = {.arena = arena};
    follow(walk, request);
    const struct {
        bool is_found;
        const char *word;
    } found[] = {{walk->aliases, "aliases"},
                 {walk->crosses, "crosses"},
                 {walk->subnormals, "subnormals"},
                 {walk->sets_mxcsr, "sets-mxcsr"}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i].is_found)
            text_addf(&text, "%s%s", text.length ? " " : "", found[i].word);
    arena_free(&scratch);
    return text.data;
}
