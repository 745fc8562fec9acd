#include "analyzer/cpu/cpu.h"

#include "analyzer/code/x87_effect.h"
#include "analyzer/cpu/known_recipes.h"
#include "analyzer/cpu/opcode.h"
#include "analyzer/cpu/pipes.h"
#include "analyzer/cpu/units_aarch64.h"
#include "analyzer/sched/insn.h"
#include "base/bytes.h"
#include "base/index.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Those that were met, by the place of their names, which are LLVM's own.
struct cpu_opcodes {
    struct arena *arena;
    struct index places;
    struct seen {
        const char *name;
        struct cpu_opcode opcode;
    } * *items;
    size_t n;
};

const struct cpu_parameter_row cpu_parameters[CPU_N_PARAMETERS] = {
#define PARAMETER(field, name, unit, meaning) {name, unit, meaning},
#include "analyzer/cpu/parameters.def"
#undef PARAMETER
};

const char *cpu_trust_name(enum cpu_trust trust) {
    static const char *const names[CPU_N_TRUSTS] = {"measured", "bound", "published", "llvm", "assumed"};
    return names[trust];
}

const char *cpu_shape_name(enum cpu_shape shape) {
    static const char *const names[CPU_N_SHAPES] = {"any", "indexed", "three-part", "relative"};
    return names[shape];
}

static unsigned bit_number(uint64_t mask) {
    return 63 - (unsigned)__builtin_clzll(resource_bit(mask));
}

uint64_t cpu_pipes(const struct cpu *cpu, uint64_t mask) {
    return mask ? cpu->pipes[bit_number(mask)] : 0;
}

const char *cpu_unit_name(struct arena *arena, const struct cpu *cpu, unsigned unit) {
    if (cpu_is_flag(cpu, unit))
        return unit == cpu->flags ? "flags" : unit == cpu->carry ? "carry flag" : "overflow flag";
    if (unit && unit == cpu->adjuster)
        return "the stack pointer's adjustment";
    unsigned widest = 0;
    for (unsigned i = 1; unit && i < cpu->machine->n_registers; i++) {
        const struct machine_register *reg = &cpu->machine->registers[i];
        const bool is_whole = cpu->is_tuple ? !cpu->is_tuple[i] : !reg->n_super;
        if (cpu->units[i] == unit && is_whole && (!widest || reg->n_sub > cpu->machine->registers[widest].n_sub))
            widest = i;
    }
    return widest ? text_lower(arena, cpu->machine->registers[widest].name) : "";
}

// Pipes beyond the room share the last bit.
static uint64_t new_pipe(unsigned *next) {
    unsigned bit = (*next)++;
    return UINT64_C(1) << (bit < 64 ? bit : 63);
}

// Units first: groups are made of them.
static unsigned number_base_pipes(struct cpu *cpu) {
    const struct machine *machine = cpu->machine;
    unsigned next = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        for (unsigned unit = 0; unit < resource->units && !resource->is_group && resource->mask; unit++)
            cpu->pipes[bit_number(resource->mask)] |= new_pipe(&next);
    }
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        for (unsigned m = 0; resource->is_group && m < resource->units; m++)
            cpu->pipes[bit_number(resource->mask)] |= cpu_pipes(cpu, machine->resources[resource->members[m]].mask);
    }
    return next;
}

// A further pipe for the resource: one of the smallest stated resource that holds all it has, else a new one.
static uint64_t further_pipe(const struct cpu *cpu, unsigned n_stated, uint64_t pipes, unsigned *next) {
    uint64_t spare = 0;
    int least = 64;
    for (unsigned i = 0; i < n_stated; i++) {
        uint64_t other = cpu_pipes(cpu, cpu->resources[i].mask);
        bool holds = !(pipes & ~other) && (other & ~pipes);
        if (holds && __builtin_popcountll(other) < least) {
            least = __builtin_popcountll(other);
            spare = other & ~pipes;
        }
    }
    return spare ? spare & -spare : new_pipe(next);
}

static bool fail_word(const struct cpu *cpu, const struct cpu_word *word, const char *what, const char *const *names,
                      size_t n, struct arena *arena, struct fail *fail) {
    return fail_at(fail, cpu->path, word->line, word->column, "'%s' has no %s '%s'%s", cpu->base.text, what, word->text,
                   text_did_you_mean(arena, word->text, names, n));
}

// "A|B": one resource, as versions of LLVM call it. Null: the base has none of these.
static const struct resource *resource_of_names(struct arena *arena, const struct machine *machine, const char *names) {
    for (const char *name = names, *end; name; name = *end ? end + 1 : NULL) {
        end = name + strcspn(name, "|");
        const struct resource *found = machine_resource_called(machine, arena_copy(arena, name, (size_t)(end - name)));
        if (found)
            return found;
    }
    return NULL;
}

// Null and a failure: the base has no such resource.
static const struct resource *resource_named(const struct cpu *cpu, const struct cpu_word *word, struct arena *arena,
                                             struct fail *fail) {
    const struct machine *machine = cpu->machine;
    const struct resource *resource = resource_of_names(arena, machine, word->text);
    if (resource)
        return resource;
    const char **names = ARENA_ARRAY(arena, const char *, machine->n_resources);
    for (unsigned i = 1; i < machine->n_resources; i++)
        names[i - 1] = machine->resources[i].name;
    fail_word(cpu, word, "resource", names, machine->n_resources ? machine->n_resources - 1 : 0, arena, fail);
    return NULL;
}

// The file's own ports come behind all others.
static bool number_ports(struct cpu *cpu, unsigned next, struct arena *arena, struct fail *fail) {
    cpu->port_pipes = ARENA_ARRAY(arena, uint64_t, cpu->n_ports + 1);
    for (unsigned i = 0; i < cpu->n_ports; i++) {
        const struct cpu_word *name = &cpu->ports[i];
        if (next >= 64)
            return fail_at(fail, cpu->path, name->line, name->column,
                           "there is no room for port '%s': a CPU has at most 64 pipes, with those of its base",
                           name->text);
        if (machine_resource_called(cpu->machine, name->text))
            return fail_at(fail, cpu->path, name->line, name->column,
                           "'%s' is a resource of '%s': no port can be called so", name->text, cpu->base.text);
        cpu->port_pipes[i] = new_pipe(&next);
    }
    return true;
}

static bool number_pipes(struct cpu *cpu, struct arena *arena, struct fail *fail) {
    unsigned next = number_base_pipes(cpu);
    for (unsigned i = 0; i < cpu->n_resources; i++) {
        struct cpu_resource *stated = &cpu->resources[i];
        const struct cpu_word *name = &stated->name;
        const struct resource *resource = resource_named(cpu, name, arena, fail);
        if (!resource)
            return false;
        stated->mask = resource->mask;
        uint64_t *pipes = &cpu->pipes[bit_number(resource->mask)];
        while ((unsigned)__builtin_popcountll(*pipes) < stated->pipes && next < 64)
            *pipes |= further_pipe(cpu, i, *pipes, &next);
        if ((unsigned)__builtin_popcountll(*pipes) != stated->pipes)
            return fail_at(fail, cpu->path, name->line, name->column, "'%s' has %d pipes in '%s': more can be added",
                           name->text, __builtin_popcountll(*pipes), cpu->base.text);
    }
    return number_ports(cpu, next, arena, fail);
}

// The smallest set of pipes that an instruction uses, but for one; 0: it uses none.
static uint64_t pipes_of(const struct cpu *cpu, const struct insn *insn, uint64_t but) {
    uint64_t pipes = 0;
    for (unsigned i = 0; insn->cost && i < insn->cost->n_uses; i++) {
        uint64_t of_use = cpu_pipes(cpu, insn->cost->uses[i].mask);
        if (of_use != but && insn->cost->uses[i].release > insn->cost->uses[i].acquire)
            pipes = pipes && __builtin_popcountll(pipes) <= __builtin_popcountll(of_use) ? pipes : of_use;
    }
    return pipes;
}

static void take_samples(struct cpu *cpu, const struct block *samples) {
    const struct insn *load = &samples->insns[CPU_SAMPLE_LOAD], *store = &samples->insns[CPU_SAMPLE_STORE];
    cpu->load_pipes = pipes_of(cpu, load, 0);
    cpu->store_data_pipes = pipes_of(cpu, store, cpu->load_pipes);
    cpu->store_address_pipes = cpu->load_pipes;
    for (unsigned i = 0; i < store->cost->n_uses; i++) {
        uint64_t pipes = cpu_pipes(cpu, store->cost->uses[i].mask);
        if (pipes != cpu->store_data_pipes)
            cpu->store_address_pipes = pipes;
    }
    for (unsigned i = 0; i < load->cost->n_uses; i++)
        cpu->memory_pipes |= cpu_pipes(cpu, load->cost->uses[i].mask);
    for (unsigned i = 0; i < store->cost->n_uses; i++)
        cpu->memory_pipes |= cpu_pipes(cpu, store->cost->uses[i].mask);
    cpu->load_latency = load->cost->latency;
    cpu->vector_load_latency = samples->insns[CPU_SAMPLE_VECTOR_LOAD].cost->latency;
}

static bool is_vector_name(const char *name) {
    return *name && strchr("XYZ", *name) && name[1] == 'M' && name[2] == 'M';
}

static unsigned bits_of(const char *name) {
    size_t n = strlen(name);
    bool is_numbered = name[0] == 'R' && name[1] >= '0' && name[1] <= '9';
    if (is_numbered)
        return name[n - 1] == 'D' ? 32 : name[n - 1] == 'W' ? 16 : name[n - 1] == 'B' ? 8 : 0;
    if (name[n - 1] == 'L')
        return 8;
    return name[0] == 'E' && n == 3 ? 32 : n == 2 && name[1] != 'H' ? 16 : 0;
}

static void find_general(struct cpu *cpu, struct arena *arena) {
    static const char *const wide[] = {"RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
                                       "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    enum { N = sizeof wide / sizeof *wide, WIDE = 64 };
    const struct machine *machine = cpu->machine;
    uint8_t *bits = ARENA_ARRAY(arena, uint8_t, machine->n_registers);
    for (unsigned i = 1; i < machine->n_registers; i++) {
        const struct machine_register *reg = &machine->registers[i];
        size_t which = text_find(reg->name, wide, N);
        if (which == N)
            continue;
        cpu->general[which] = cpu->units[i];
        bits[i] = WIDE;
        for (unsigned s = 0; s < reg->n_sub; s++)
            bits[reg->sub[s]] = (uint8_t)bits_of(machine->registers[reg->sub[s]].name);
    }
    cpu->bits = bits;
}

// Whether only the system's code names it: control and debug registers.
static bool is_of_system(const char *name) {
    return (name[0] == 'C' || name[0] == 'D') && name[1] == 'R' && name[2] >= '0' && name[2] <= '9';
}

static void number_x86_units(struct cpu *cpu, struct arena *arena) {
    const struct machine *machine = cpu->machine;
    uint16_t *units = ARENA_ARRAY(arena, uint16_t, machine->n_registers);
    bool *is_vector = ARENA_ARRAY(arena, bool, machine->n_registers);
    bool *is_x87 = ARENA_ARRAY(arena, bool, machine->n_registers);
    unsigned n = 1;
    for (unsigned i = 1; i < machine->n_registers; i++)
        if (!machine->registers[i].n_super && !is_of_system(machine->registers[i].name))
            units[i] = (uint16_t)n++;
    for (unsigned i = 1; i < machine->n_registers; i++) {
        const struct machine_register *reg = &machine->registers[i];
        for (unsigned s = 0; s < reg->n_super && !units[i]; s++)
            if (!machine->registers[reg->super[s]].n_super)
                units[i] = units[reg->super[s]];
        is_vector[i] = is_vector_name(reg->name);
        is_x87[i] = strcmp(reg->name, "FPSW") == 0 || strcmp(reg->name, "FPCW") == 0;
        if (machine_is_flags(machine, i)) {
            cpu->flags = units[i];
            cpu->carry = n++;
            cpu->overflow = n++;
        }
        if (strcmp(reg->name, "RSP") == 0)
            cpu->stack = units[i];
        if (strcmp(reg->name, "RIP") == 0)
            cpu->counter = units[i];
    }
    cpu->units = units;
    cpu->is_vector = is_vector;
    cpu->is_x87 = is_x87;
    cpu->adjuster = n++;
    cpu->x87 = n;
    cpu->n_units = n + X87_REGISTERS;
}

unsigned cpu_units_of(const struct cpu *cpu, unsigned reg, uint16_t units[CPU_MOST_OF_TUPLE]) {
    const struct machine_register *tuple = &cpu->machine->registers[reg];
    unsigned n = cpu->units[reg] ? 1 : 0;
    units[0] = cpu->units[reg];
    for (unsigned s = 0; cpu->is_tuple && cpu->is_tuple[reg] && s < tuple->n_sub; s++) {
        unsigned at = 0;
        while (at < n && units[at] != cpu->units[tuple->sub[s]])
            at++;
        if (at == n && n < CPU_MOST_OF_TUPLE && cpu->units[tuple->sub[s]])
            units[n++] = cpu->units[tuple->sub[s]];
    }
    return n;
}

// 0: the machine has no such register.
static uint16_t register_named(const struct machine *machine, const char *name) {
    for (unsigned i = 1; i < machine->n_registers; i++)
        if (strcmp(machine->registers[i].name, name) == 0)
            return (uint16_t)i;
    return 0;
}

static bool fail_register(const struct cpu *cpu, const struct cpu_word *name, struct arena *arena, struct fail *fail) {
    const struct machine *machine = cpu->machine;
    const char **names = ARENA_ARRAY(arena, const char *, machine->n_registers);
    for (unsigned i = 1; i < machine->n_registers; i++)
        names[i - 1] = machine->registers[i].name;
    return fail_word(cpu, name, "register", names, machine->n_registers ? machine->n_registers - 1 : 0, arena, fail);
}

// `are_results`: what a rule's result goes to; else where its sources are from, which memory is not.
static bool bind_ends(const struct cpu *cpu, struct cpu_end *ends, unsigned n, bool are_results, struct arena *arena,
                      struct fail *fail) {
    for (unsigned i = 0; i < n; i++) {
        const char *name = ends[i].name.text;
        bool is_number = name[strspn(name, "0123456789")] == '\0';
        ends[i].operand = is_number ? atoi(name) : -1;
        ends[i].is_memory = are_results && strcmp(name, "memory") == 0;
        ends[i].unit = is_number                    ? 0
                       : strcmp(name, "carry") == 0 ? cpu->carry
                                                    : cpu->units[register_named(cpu->machine, name)];
        if (!ends[i].unit && !is_number && !ends[i].is_memory && strcmp(name, "vector") != 0)
            return fail_register(cpu, &ends[i].name, arena, fail);
    }
    return true;
}

static bool bind_ignored(const struct cpu *cpu, struct cpu_rule *rule, struct arena *arena, struct fail *fail) {
    rule->ignored = ARENA_ARRAY(arena, uint16_t, rule->n_ignores + 1);
    for (unsigned i = 0; i < rule->n_ignores; i++) {
        rule->ignored[i] = register_named(cpu->machine, rule->ignores[i].text);
        if (!rule->ignored[i])
            return fail_register(cpu, &rule->ignores[i], arena, fail);
    }
    return true;
}

// "SBPort23.1": one pipe of a resource; 0: it is none.
static uint64_t pipe_of_resource(const struct cpu *cpu, const char *name, struct arena *arena) {
    const char *dot = strrchr(name, '.');
    char *end = NULL;
    const struct resource *resource =
        dot ? resource_of_names(arena, cpu->machine, arena_copy(arena, name, (size_t)(dot - name))) : NULL;
    unsigned long number = resource ? strtoul(dot + 1, &end, 10) : 0;
    uint64_t pipes = resource && end != dot + 1 && !*end ? cpu_pipes(cpu, resource->mask) : 0;
    for (; pipes && number > 0; number--)
        pipes &= pipes - 1;
    return pipes & -pipes;
}

// Of a part of "A+B"; 0 and a failure: there is no such resource and no such port.
static uint64_t pipes_named(const struct cpu *cpu, const struct cpu_word *word, struct arena *arena,
                            struct fail *fail) {
    for (unsigned i = 0; i < cpu->n_ports; i++)
        if (strcmp(cpu->ports[i].text, word->text) == 0)
            return cpu->port_pipes[i];
    uint64_t pipe = pipe_of_resource(cpu, word->text, arena);
    const struct resource *resource = pipe ? NULL : resource_named(cpu, word, arena, fail);
    return resource ? cpu_pipes(cpu, resource->mask) : pipe;
}

static bool bind_uses(const struct cpu *cpu, struct cpu_rule *rule, struct arena *arena, struct fail *fail) {
    for (unsigned u = 0; u < rule->n_uses; u++)
        for (const char *name = rule->on[u].text, *end; name; name = *end ? end + 1 : NULL) {
            struct cpu_word word = rule->on[u];
            end = name + strcspn(name, "+");
            word.text = arena_copy(arena, name, (size_t)(end - name));
            uint64_t pipes = pipes_named(cpu, &word, arena, fail);
            if (!pipes && fail->status)
                return false;
            rule->uses[u].pipes |= pipes;
        }
    return true;
}

bool cpu_bind(struct cpu *cpu, struct arena *arena, const struct machine *machine, const struct block *samples,
              struct fail *fail) {
    cpu->machine = machine;
    if (cpu->is_x86) {
        number_x86_units(cpu, arena);
        find_general(cpu, arena);
    } else {
        units_number_aarch64(cpu, arena);
    }
    cpu->opcodes = ARENA_NEW(arena, struct cpu_opcodes);
    *cpu->opcodes = (struct cpu_opcodes){.arena = arena, .places = {.arena = arena}};
    cpu->recipes = known_recipes_open(arena);
    if (!number_pipes(cpu, arena, fail))
        return false;
    if (samples)
        take_samples(cpu, samples);
    for (unsigned i = 0; i < cpu->n_rules; i++)
        if (!bind_ends(cpu, cpu->rules[i].sources, cpu->rules[i].n_sources, false, arena, fail) ||
            !bind_ends(cpu, cpu->rules[i].results, cpu->rules[i].n_results, true, arena, fail) ||
            !bind_uses(cpu, &cpu->rules[i], arena, fail) || !bind_ignored(cpu, &cpu->rules[i], arena, fail))
            return false;
    return true;
}

bool cpu_rule_matches(const struct cpu_rule *rule, const char *opcode) {
    return opcode_pattern_matches(&rule->match, opcode);
}

static bool fail_unmatched(const struct cpu *cpu, const char *match, unsigned line, unsigned column,
                           struct fail *fail) {
    return fail_at(fail, cpu->path, line, column, "no opcode of LLVM's matches '%s'", match);
}

bool cpu_check_opcodes(const struct cpu *cpu, const char *const *opcodes, size_t n, unsigned llvm, struct fail *fail) {
    struct arena arena = {0};
    const struct index places = opcode_places(&arena, opcodes, n);
    bool is_good = true;
    for (unsigned i = 0; is_good && i < cpu->n_lacks; i++) {
        const struct cpu_lack *lack = &cpu->lacks[i];
        is_good = opcode_pattern_matches_any(&lack->match, opcodes, n, &places) ||
                  fail_unmatched(cpu, lack->match.text, lack->line, lack->column, fail);
    }
    for (unsigned i = 0; is_good && i < cpu->n_rules; i++) {
        const struct cpu_rule *rule = &cpu->rules[i];
        is_good = (rule->llvm && rule->llvm != llvm) || opcode_pattern_matches_any(&rule->match, opcodes, n, &places) ||
                  fail_unmatched(cpu, rule->match.text, rule->line, rule->column, fail);
    }
    arena_free(&arena);
    return is_good;
}

static void find_rules(const struct cpu *cpu, const char *name, struct cpu_opcode *opcode) {
    unsigned *rules = NULL;
    for (unsigned i = 0; i < cpu->n_rules; i++)
        if (cpu_rule_matches(&cpu->rules[i], name))
            *ARENA_ADD(cpu->opcodes->arena, rules, opcode->n_rules) = i;
    opcode->rules = rules;
}

static const char *lacked_by(const struct cpu *cpu, const char *name) {
    for (unsigned i = 0; i < cpu->n_lacks; i++)
        if (opcode_pattern_matches(&cpu->lacks[i].match, name))
            return cpu->lacks[i].feature;
    return NULL;
}

const struct cpu_opcode *cpu_opcode_of(const struct cpu *cpu, const char *opcode) {
    struct cpu_opcodes *opcodes = cpu->opcodes;
    const uint64_t hash = (uintptr_t)opcode * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t place = 0, i; (i = index_next(&opcodes->places, hash, &place)) != INDEX_END;)
        if (opcodes->items[i]->name == opcode)
            return &opcodes->items[i]->opcode;
    struct seen *seen = ARENA_NEW(opcodes->arena, struct seen);
    *seen = (struct seen){.name = opcode, .opcode = {.operands = ""}};
    if (cpu->is_x86) {
        seen->opcode.kinds = cpu_kinds_of(opcode);
        seen->opcode.flow = cpu_flow_of(opcode);
        seen->opcode.operation = cpu_operation_of(opcode, &seen->opcode.operands);
        seen->opcode.has = cpu_operands_of(seen->opcode.operands);
        seen->opcode.pushes_number = cpu_pushes_number(opcode);
    } else {
        seen->opcode.kinds = cpu_aarch64_kinds_of(opcode);
    }
    find_rules(cpu, opcode, &seen->opcode);
    seen->opcode.lacked = lacked_by(cpu, opcode);
    index_add(&opcodes->places, hash, opcodes->n);
    *ARENA_ADD(opcodes->arena, opcodes->items, opcodes->n) = seen;
    return &seen->opcode;
}
