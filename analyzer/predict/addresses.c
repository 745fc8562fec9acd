#include "analyzer/predict/addresses.h"

#include "analyzer/predict/memory_page.h"

enum { MOST_STORES = 64, N_GENERAL = 16, RSP = 4, RBP = 5, RSI = 6, RDI = 7, X87_BYTES = 10 };

struct kept { // what a store has left in memory
    struct place place;
    struct value value;
};

struct address_walk {
    const struct bounds_request *request;
    uint32_t next_base;
    uint32_t n_start;         // bases up to here are what registers held at the start
    unsigned n_steps;         // so far
    unsigned n_unfollowed;    // see address_walk_unfollowed
    uint32_t *ends;           // by instruction: where the one behind it begins in its copy, bytes
    struct value *registers;  // by unit
    struct kept *stores;      // the newest MOST_STORES
    unsigned n_stores;        // in all
    struct memory_page *page; // what stands in the one page of memory, where all pages are one; null: as at the start
    struct arena *arena;
};

static struct value unknown(struct address_walk *walk) {
    return (struct value){++walk->next_base, 0};
}

static struct value number(uint64_t value) {
    return (struct value){0, value};
}

static void start_unit(struct address_walk *walk, unsigned unit) {
    walk->registers[unit] = (struct value){.base = unit + 1};
}

// Those that the block names, and general ones, which it may use without a name.
static void start(struct address_walk *walk) {
    const struct cpu *cpu = walk->request->cpu;
    const struct block *block = walk->request->block;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        for (unsigned r = 0; r < insn->n_reads; r++)
            start_unit(walk, cpu->units[insn->reads[r].reg]);
        for (unsigned w = 0; w < insn->n_writes; w++)
            start_unit(walk, cpu->units[insn->writes[w].reg]);
        if (insn->address) {
            start_unit(walk, cpu->units[insn->address->base]);
            start_unit(walk, cpu->units[insn->address->index]);
        }
    }
    for (unsigned i = 0; i < N_GENERAL; i++)
        start_unit(walk, cpu->general[i]);
    start_unit(walk, cpu->stack);
    start_unit(walk, cpu->counter);
    walk->next_base = cpu->n_units;
    for (unsigned i = 0; i < N_GENERAL && walk->request->registers == BOUNDS_SAME; i++)
        walk->registers[cpu->general[i]] = number(memory_page_start + (i == RSP   ? PAGE / 2
                                                                       : i == RBP ? PAGE / 2 - 16
                                                                                  : 0));
}

static void find_ends(struct address_walk *walk) {
    const struct block *block = walk->request->block;
    uint32_t at = 0;
    walk->ends = ARENA_ARRAY(walk->arena, uint32_t, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++)
        walk->ends[i] = at += block->insns[i].n_bytes;
}

struct address_walk *address_walk_open(struct arena *arena, const struct bounds_request *request) {
    struct address_walk *walk = ARENA_NEW(arena, struct address_walk);
    walk->arena = arena;
    walk->request = request;
    walk->registers = arena_alloc_uncleared(arena, request->cpu->n_units * sizeof *walk->registers);
    walk->stores = arena_alloc_uncleared(arena, MOST_STORES * sizeof *walk->stores);
    start(walk);
    walk->n_start = walk->next_base;
    find_ends(walk);
    return walk;
}

static struct value cut(struct address_walk *walk, struct value value, unsigned bits) {
    if (bits == 64)
        return value;
    // A register that is not known is taken for an address of less than 32 bits, as code with 32-bit moves means it.
    if (bits == 32 && value.base)
        return value;
    return value.base ? unknown(walk) : number(value.offset & ((UINT64_C(1) << bits) - 1));
}

static struct value read_register(struct address_walk *walk, unsigned reg) {
    return cut(walk, walk->registers[walk->request->cpu->units[reg]],
               walk->request->cpu->bits[reg] ? walk->request->cpu->bits[reg] : 64);
}

static struct value add(struct address_walk *walk, struct value a, struct value b) {
    if (a.base && b.base)
        return unknown(walk);
    return (struct value){a.base | b.base, a.offset + b.offset};
}

static struct value times(struct address_walk *walk, struct value a, uint64_t factor) {
    if (a.base && factor != 1)
        return unknown(walk);
    return (struct value){a.base, a.offset * factor};
}

// The program counter as this step's addresses have it: behind the instruction. Copies stand one after the other.
static struct value counter(const struct address_walk *walk) {
    const struct bounds_request *request = walk->request;
    const unsigned n = request->block->n_insns, turn = walk->n_steps / n;
    const unsigned copy = request->is_loop ? 0 : request->copies ? turn % request->copies : turn;
    struct value value = walk->registers[request->cpu->counter];
    value.offset += (uint64_t)copy * walk->ends[n - 1] + walk->ends[walk->n_steps % n];
    return value;
}

static struct value base_of(struct address_walk *walk, unsigned reg) {
    return cpu_is_counter(walk->request->cpu, reg) ? counter(walk) : read_register(walk, reg);
}

static struct value address_of(struct address_walk *walk, const struct insn_address *address) {
    struct value sum = number((uint64_t)address->displacement);
    if (address->base)
        sum = add(walk, sum, base_of(walk, address->base));
    if (address->index)
        sum = add(walk, sum, times(walk, read_register(walk, address->index), address->scale));
    if (address->segment) // fs, gs: their bases are no general register's, so it is of no base of these
        sum.base = UINT32_MAX - sum.base;
    return sum;
}

static bool places_overlap(const struct place *a, const struct place *b) {
    return a->address.base == b->address.base &&
           (a->address.offset - b->address.offset < b->bytes || b->address.offset - a->address.offset < a->bytes);
}

static bool is_one_page(const struct address_walk *walk) {
    return walk->request->pages_are_one && walk->request->registers == BOUNDS_SAME;
}

// Memory that nothing has stored to: as at the start.
static struct value start_bytes(struct address_walk *walk, const struct place *place) {
    if (walk->request->registers != BOUNDS_SAME || place->address.base || !place->bytes || place->bytes > WORD)
        return unknown(walk);
    uint64_t found = 0;
    for (unsigned i = 0; i < place->bytes; i++)
        found |= (uint64_t)memory_page_start_byte(place->address.offset + i) << (8 * i);
    return number(found);
}

static struct value load_from_page(struct address_walk *walk, const struct place *place) {
    uint64_t loaded;
    const bool is_known = !place->address.base && place->bytes && memory_page_load(walk->page, place, &loaded);
    return is_known ? number(loaded) : unknown(walk);
}

static struct value load(struct address_walk *walk, const struct place *place) {
    if (is_one_page(walk))
        return load_from_page(walk, place);
    unsigned n = walk->n_stores < MOST_STORES ? walk->n_stores : MOST_STORES;
    for (unsigned i = 0; i < n; i++) {
        const struct kept *kept = &walk->stores[(walk->n_stores - 1 - i) % MOST_STORES];
        if (places_overlap(&kept->place, place)) {
            bool is_whole = kept->place.address.offset == place->address.offset && kept->place.bytes >= place->bytes;
            return is_whole ? cut(walk, kept->value, place->bytes < WORD ? 8 * place->bytes : 64) : unknown(walk);
        }
    }
    return walk->n_stores > MOST_STORES ? unknown(walk) : start_bytes(walk, place);
}

static void keep(struct address_walk *walk, const struct place *place, struct value value) {
    if (is_one_page(walk) && !place->address.base) {
        walk->page = walk->page ? walk->page : memory_page_new(walk->arena);
        memory_page_store(walk->page, place, value.base ? NULL : &value.offset);
    }
    walk->stores[walk->n_stores++ % MOST_STORES] = (struct kept){*place, value};
}

// What an operation makes of two values; unknown where it is not plain.
static struct value operate(struct address_walk *walk, enum cpu_operation operation, struct value a, struct value b,
                            bool is_same) {
    bool are_numbers = !a.base && !b.base;
    if (operation == CPU_DOES_ADD)
        return add(walk, a, b);
    if (operation == CPU_DOES_SUB && (is_same || (a.base && a.base == b.base)))
        return number(a.offset - b.offset);
    if (operation == CPU_DOES_SUB)
        return b.base ? unknown(walk) : (struct value){a.base, a.offset - b.offset};
    if (operation == CPU_DOES_XOR && is_same)
        return number(0);
    if ((operation == CPU_DOES_AND || operation == CPU_DOES_OR) && is_same)
        return a;
    if (!are_numbers)
        return unknown(walk);
    uint64_t shift = b.offset & 63;
    return number(operation == CPU_DOES_XOR   ? a.offset ^ b.offset
                  : operation == CPU_DOES_AND ? a.offset & b.offset
                  : operation == CPU_DOES_OR  ? a.offset | b.offset
                  : operation == CPU_DOES_SHL ? a.offset << shift
                                              : a.offset >> shift);
}

static struct value immediate(const struct cpu_recipe *recipe) {
    return number((uint64_t)recipe->immediate);
}

static bool has(const struct cpu_recipe *recipe, unsigned operands) {
    return (recipe->opcode->has & operands) == operands;
}

// Its first source that is no part of an address.
static struct value source(struct address_walk *walk, const struct insn *insn, unsigned which) {
    return insn->n_reads > which ? read_register(walk, insn->reads[which].reg) : unknown(walk);
}

static struct value moved(struct address_walk *walk, const struct cpu_recipe *recipe, struct value loaded) {
    const struct insn *insn = recipe->insn;
    const bool is_first = has(recipe, CPU_FIRST_IS_REGISTER) || has(recipe, CPU_FIRST_IS_MEMORY);
    if (is_first && has(recipe, CPU_SECOND_IS_IMMEDIATE))
        return immediate(recipe);
    if (has(recipe, CPU_FIRST_IS_REGISTER | CPU_SECOND_IS_MEMORY) || (insn->may_load && !insn->may_store))
        return loaded;
    return insn->may_store ? source(walk, insn, insn->n_reads - 1) : source(walk, insn, 0);
}

// `loaded`: what its memory operand holds, where it loads.
static struct value result_of(struct address_walk *walk, const struct cpu_recipe *recipe, struct value loaded) {
    const struct insn *insn = recipe->insn;
    enum cpu_operation operation = recipe->opcode->operation;
    const bool is_memory = has(recipe, CPU_FIRST_IS_MEMORY);
    if (operation == CPU_DOES_OTHER)
        return unknown(walk);
    if (operation == CPU_DOES_ADDRESS)
        return insn->address ? address_of(walk, insn->address) : unknown(walk);
    if (operation == CPU_DOES_EXTEND)
        return insn->may_load ? loaded : source(walk, insn, 0);
    if (operation == CPU_DOES_MOVE)
        return moved(walk, recipe, loaded);
    struct value first = is_memory ? loaded : source(walk, insn, 0);
    if (operation == CPU_DOES_INC || operation == CPU_DOES_DEC)
        return add(walk, first, number(operation == CPU_DOES_INC ? 1 : UINT64_MAX));
    bool is_shift = operation == CPU_DOES_SHL || operation == CPU_DOES_SHR;
    if (has(recipe, CPU_HAS_CL) || (is_shift && !has(recipe, CPU_SECOND_IS_IMMEDIATE)))
        return unknown(walk);
    struct value second = has(recipe, CPU_HAS_IMMEDIATE)      ? immediate(recipe)
                          : is_memory                         ? source(walk, insn, insn->n_reads - 1)
                          : has(recipe, CPU_SECOND_IS_MEMORY) ? loaded
                                                              : source(walk, insn, 1);
    bool is_same = has(recipe, CPU_FIRST_IS_REGISTER | CPU_SECOND_IS_REGISTER) && insn->n_reads > 1 &&
                   insn->reads[0].reg == insn->reads[1].reg;
    return operate(walk, operation, first, second, is_same);
}

static void write_register(struct address_walk *walk, unsigned reg, struct value value) {
    unsigned bits = walk->request->cpu->bits[reg], unit = walk->request->cpu->units[reg];
    walk->registers[unit] = bits >= 32 ? cut(walk, value, bits) : unknown(walk);
}

// Pushes or pops: its other place is its memory operand, or a register.
static void step_stack(struct address_walk *walk, const struct cpu_recipe *recipe, struct place *from,
                       struct place *to) {
    const struct insn *insn = recipe->insn;
    struct value *stack = &walk->registers[walk->request->cpu->stack];
    bool pushes = recipe->stack_change < 0;
    if (pushes && insn->address)
        *from = (struct place){address_of(walk, insn->address), insn->address->bytes};
    struct value value = from->bytes               ? load(walk, from)
                         : pushes && insn->n_reads ? source(walk, insn, 0)
                                                   : unknown(walk);
    if (pushes && recipe->opcode->pushes_number)
        value = immediate(recipe);
    if (pushes)
        stack->offset += (uint64_t)(int64_t)recipe->stack_change;
    struct place place = {*stack, WORD};
    if (pushes) {
        *to = place;
        keep(walk, &place, value);
        return;
    }
    *from = place;
    value = load(walk, &place);
    stack->offset += WORD;
    if (insn->address) { // made with the stack pointer behind the pop
        *to = (struct place){address_of(walk, insn->address), insn->address->bytes};
        keep(walk, to, value);
    } else if (insn->n_writes) {
        write_register(walk, insn->writes[0].reg, value);
    }
}

// Of a string, from the register on, which moves upwards. The direction flag is taken to be clear.
static struct place next_place(struct address_walk *walk, unsigned general, unsigned bytes) {
    struct value *at = &walk->registers[walk->request->cpu->general[general]];
    struct place place = {*at, bytes};
    at->offset += bytes;
    return place;
}

static void step_string(struct address_walk *walk, const struct cpu_recipe *recipe, struct place *from,
                        struct place *to) {
    const struct insn *insn = recipe->insn;
    struct value value = unknown(walk);
    if (recipe->string.loads_rsi) {
        *from = next_place(walk, RSI, recipe->string.bytes);
        value = load(walk, from);
    }
    for (unsigned i = 0; i < insn->n_writes; i++) {
        unsigned unit = walk->request->cpu->units[insn->writes[i].reg];
        if (unit != walk->request->cpu->general[RSI] && unit != walk->request->cpu->general[RDI])
            write_register(walk, insn->writes[i].reg, value);
    }
    if (recipe->n_stores) {
        *to = next_place(walk, RDI, recipe->string.bytes);
        keep(walk, to, value);
    } else if (recipe->string.loads_rdi) { // of cmps, the second of two loads
        *from = next_place(walk, RDI, recipe->string.bytes);
    }
}

// xchg and xadd: what one of both held, the other one holds then; xadd has their sum in the first.
static void step_exchange(struct address_walk *walk, const struct cpu_recipe *recipe, struct place *from,
                          struct place *to) {
    const struct insn *insn = recipe->insn;
    const bool adds = recipe->opcode->flow == CPU_FLOWS_OLD;
    if (insn->address && insn->n_writes) {
        const unsigned reg = insn->writes[0].reg;
        *from = *to = (struct place){address_of(walk, insn->address), insn->address->bytes};
        struct value held = read_register(walk, reg), loaded = load(walk, from);
        keep(walk, to, adds ? add(walk, loaded, held) : held);
        write_register(walk, reg, loaded);
    } else if (insn->n_writes >= 2) {
        const unsigned first = insn->writes[0].reg, second = insn->writes[1].reg;
        struct value one = read_register(walk, first), other = read_register(walk, second);
        write_register(walk, second, one);
        write_register(walk, first, adds ? add(walk, one, other) : other);
    }
}

// leave: the stack pointer goes back to where rbp is, and rbp is popped.
static void step_leave(struct address_walk *walk, struct place *from) {
    const struct cpu *cpu = walk->request->cpu;
    struct value *frame = &walk->registers[cpu->general[RBP]], *stack = &walk->registers[cpu->stack];
    *from = (struct place){*frame, WORD};
    *stack = (struct value){frame->base, frame->offset + WORD};
    *frame = load(walk, from);
}

static void follow(struct address_walk *walk, const struct cpu_recipe *recipe, struct place *from, struct place *to) {
    const struct insn *insn = recipe->insn;
    if (recipe->stack_change) {
        step_stack(walk, recipe, from, to);
        return;
    }
    if (recipe->string.bytes) {
        step_string(walk, recipe, from, to);
        return;
    }
    if (recipe->opcode->flow == CPU_FLOWS_CROSSWISE || recipe->opcode->flow == CPU_FLOWS_OLD) {
        step_exchange(walk, recipe, from, to);
        return;
    }
    if (recipe->opcode->flow == CPU_FLOWS_FRAME && recipe->n_loads) {
        step_leave(walk, from);
        return;
    }
    struct place place = {.bytes = 0};
    if (insn->address && (insn->may_load || insn->may_store))
        place = (struct place){address_of(walk, insn->address), insn->address->bytes};
    if (place.bytes == X87_BYTES) // two accesses, of which the first is followed
        place.bytes = WORD;
    struct value loaded = insn->may_load && place.bytes ? load(walk, &place) : unknown(walk);
    struct value result = result_of(walk, recipe, loaded);
    if (insn->may_load)
        *from = place;
    if (insn->may_store && place.bytes) {
        *to = place;
        keep(walk, &place, result);
    }
    for (unsigned i = 0; i < insn->n_writes; i++)
        write_register(walk, insn->writes[i].reg, i == 0 && !insn->may_store ? result : unknown(walk));
}

// In place of what was followed, where the run knows it.
static void take_recorded(const struct address_walk *walk, struct place *from, struct place *to) {
    const struct execution *run = walk->request->run;
    if (!run || !run->steps || !run->n_steps)
        return;
    const struct execution_step *step = &run->steps[walk->n_steps % run->n_steps];
    for (unsigned i = step->has_accesses ? step->n_accesses : 0; i-- > 0;) {
        const struct memory_access *access = &step->accesses[i];
        if (access->is_known)
            *(access->is_store ? to : from) = (struct place){number(access->address), access->bytes};
    }
}

static bool is_unfollowed(const struct address_walk *walk, const struct place *place) {
    return place->bytes && place->address.base > walk->n_start && place->address.base != UINT32_MAX;
}

void address_walk_step(struct address_walk *walk, const struct cpu_recipe *recipe, struct place *from,
                       struct place *to) {
    *from = *to = (struct place){.bytes = 0};
    follow(walk, recipe, from, to);
    take_recorded(walk, from, to);
    walk->n_unfollowed += is_unfollowed(walk, from) + is_unfollowed(walk, to);
    if (!walk->request->cpu->is_x86) // of which LLVM's operands are not known as addresses
        walk->n_unfollowed += recipe->n_loads + recipe->n_stores;
    walk->n_steps++;
}

unsigned address_walk_unfollowed(const struct address_walk *walk) {
    return walk->n_unfollowed;
}

bool address_walk_is_at_start(const struct address_walk *walk, unsigned unit) {
    const struct value *now = &walk->registers[unit];
    return now->base == unit + 1 && !now->offset; // as start() has it where registers are apart
}
