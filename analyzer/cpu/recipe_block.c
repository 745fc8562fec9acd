// What the instructions of a block do to each other before they are executed: they fuse, or hold pipes longer.
#include "analyzer/cpu/dispatch_group.h"
#include "analyzer/cpu/known_recipes.h"
#include "analyzer/cpu/opcode.h"
#include "analyzer/cpu/recipe.h"
#include "analyzer/cpu/recipe_fusion.h"
#include "analyzer/cpu/recipe_x87.h"
#include "base/text.h"

static bool is(const struct cpu_recipe *recipe, uint32_t kinds) {
    return recipe->opcode->kinds & kinds;
}

// The operation that wrote a register last, where it went through the scheduler of general registers.
struct queued {
    bool is_known;  // else it was an instruction of another kind
    bool is_load;   // such as a plain load
    unsigned at;    // number of such operations before it
    unsigned depth; // operations of a chain that it waits for
};

// Which of the operations that it waits for ends last: that of the longest chain; of two, the later one.
static struct queued last_operand(const struct cpu_recipe *recipe, const struct queued *by, unsigned at, double reach) {
    struct queued last = {.is_load = recipe->n_loads > 0};
    for (unsigned r = 0; r < recipe->n_reads; r++) {
        struct queued of = by[recipe->reads[r].unit];
        last.is_load |= of.is_load && !recipe->reads[r].is_address;
        if (recipe->reads[r].is_address || !of.is_known || at - of.at >= reach)
            continue;
        if (!last.is_known || of.depth > last.depth || (of.depth == last.depth && of.at > last.at))
            last = (struct queued){true, last.is_load, of.at, of.depth};
    }
    return last;
}

// A scheduler asks an operation to go as soon as the one that it waits for could go. Where that one still stands before
// busy pipes, both may go together: the second has to come again, and its turn is lost. The nearer they are, the more
// often. In a longer chain, what stands behind is seldom asked so early.
static void find_lost_turns(struct arena *arena, const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n) {
    enum { PASSES = 4, ENDLESS = 3 }; // deeper: it waits for itself, of the iteration before
    const double reach = cpu_value(cpu, CPU_DEPENDENT_REACH);
    const double lost[ENDLESS] = {0, cpu_value(cpu, CPU_DEPENDENT_CYCLES), cpu_value(cpu, CPU_DEPENDENT_SECOND)};
    struct queued *by = ARENA_ARRAY(arena, struct queued, cpu->n_units);
    unsigned *depths = ARENA_ARRAY(arena, unsigned, n);
    for (unsigned i = 0, at = 0; i < PASSES * n; i++) {
        struct cpu_recipe *recipe = &recipes[i % n];
        struct queued last = last_operand(recipe, by, at, reach),
                      self = {cpu_is_operation(recipe), recipe->is_plain_load, at, 0};
        if (self.is_known && last.is_known)
            self.depth = last.depth + 1;
        at += self.is_known && !recipe->is_fused;
        recipe->lost = self.depth < ENDLESS ? lost[self.depth] * (1 - (self.at - last.at) / reach) : 0;
        if (self.depth > depths[i % n])
            recipe->lost = cpu_value(cpu, CPU_DEPENDENT_CHAIN);
        depths[i % n] = self.depth;
        recipe->waits_for_load = last.is_load;
        for (unsigned w = 0; w < recipe->n_writes; w++)
            by[recipe->writes[w].unit] = recipe->rename == CPU_MOVES ? last : self;
    }
}

// Whether `operation` changes what the move before it has copied, and reads the copy once.
static bool fuses_with_move(const struct cpu *cpu, const struct cpu_recipe *move, const struct cpu_recipe *operation) {
    const struct insn *insn = operation->insn;
    if (!cpu_does(cpu, CPU_MOVE_FUSION) || move->rename != CPU_MOVES || move->is_vector || !insn->n_writes ||
        !insn->n_reads || insn->may_load || insn->may_store || !is(operation, CPU_FUSES_WITH_MOVE))
        return false;
    unsigned copy = move->insn->writes[0].reg;
    for (unsigned i = 1; i < insn->n_reads; i++)
        if (cpu->units[insn->reads[i].reg] == cpu->units[copy])
            return false;
    return insn->writes[0].reg == copy && insn->reads[0].reg == copy;
}

// Whether a nop behind an instruction shares its slot: of one of general registers, unless the byte behind the opcode's
// would stand for an address relative to the instruction, be it a ModRM byte or a number's first (mov eax, 5).
static bool holds_nop(const struct cpu_recipe *recipe, const struct cpu_recipe *nop) {
    enum { MOST_BYTES = 15, MOD_AND_RM = 0xc7, RELATIVE = 0x05 };
    const struct insn *insn = recipe->insn;
    const unsigned next = recipe->encoding.opcode_at + 1;
    const bool is_relative = next < insn->n_bytes && (insn->bytes[next] & MOD_AND_RM) == RELATIVE;
    return recipe->slots && !recipe->is_fused && !recipe->is_vector && !recipe->is_x87 && !is_relative &&
           insn->n_bytes + nop->insn->n_bytes <= MOST_BYTES;
}

// Joins the nops of one pass. `alone`: the instruction in front of it, if its slot has room; null: it has none. Returns
// the same of the pass's last one.
static const struct cpu_recipe *join_pass(struct cpu_recipe *recipes, unsigned n, const struct cpu_recipe *alone,
                                          unsigned *n_joined) {
    *n_joined = 0;
    for (unsigned i = 0; i < n; i++) {
        const bool is_nop = recipes[i].rename == CPU_IS_IDLE, joins = is_nop && alone && holds_nop(alone, &recipes[i]);
        if (is_nop)
            recipes[i].slots = recipes[i].decoded_slots = joins ? 0 : 1;
        *n_joined += joins;
        alone = joins ? NULL : &recipes[i];
    }
    return alone;
}

// A nop shares the slot of the instruction before it, where that one shares it with nothing else. Copies of a block
// stand one behind the other; of an odd number of nops and nothing else, every other pass needs a slot more.
static void join_nops(struct cpu_recipe *recipes, unsigned n) {
    unsigned n_first, n_second, n_third;
    const struct cpu_recipe *alone = join_pass(recipes, n, NULL, &n_first);
    alone = join_pass(recipes, n, alone, &n_second);
    alone = join_pass(recipes, n, alone, &n_third);
    recipes[n - 1].alternates = n_third != n_second;
    if (n_third < n_second)
        join_pass(recipes, n, alone, &n_first);
}

// Where an adjustment was the last to move the stack pointer otherwise, the stack engine does not do for push and pop:
// they are executed as additions are, too. Copies of a block stand one behind the other.
static void execute_stack(const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n) {
    const struct cpu_recipe *last = NULL;
    bool moves = false;
    for (unsigned i = 0; i < n; i++) {
        moves |= recipes[i].stack_change != 0;
        if (!recipes[i].stack_change && cpu_recipe_writes(&recipes[i], cpu->stack))
            last = &recipes[i];
    }
    for (unsigned i = 0; i < n && last && moves; i++) {
        struct cpu_recipe *recipe = &recipes[i];
        const bool adjusts = cpu_recipe_writes(recipe, cpu->adjuster);
        if (adjusts && recipe->n_uses == 1 && cpu_knows(cpu, CPU_STACK_ADJUSTMENT_PIPES))
            recipe->uses[0].cycles = cpu_value(cpu, CPU_STACK_ADJUSTMENT_PIPES);
        if (!recipe->stack_change && cpu_recipe_writes(recipe, cpu->stack))
            last = recipe;
        else if (recipe->stack_change && cpu_recipe_writes(last, cpu->adjuster) && last->n_uses &&
                 recipe->n_uses < CPU_MOST_USES)
            recipe->uses[recipe->n_uses++] =
                (struct cpu_use){last->uses[0].pipes, cpu_value(cpu, CPU_STACK_ADJUSTED_PIPES)};
    }
}

// What brings an instruction to dispatch: a jump comes with what it is fused with.
static struct cpu_recipe *dispatched_with(struct cpu_recipe *recipes, unsigned i) {
    return &recipes[recipes[i].is_fused && i ? i - 1 : i];
}

// What a group of dispatch has room for besides slots, where a block adjusts the stack pointer.
static void take_fields(const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n) {
    bool adjusts = false;
    for (unsigned i = 0; i < n; i++)
        adjusts |= cpu_recipe_writes(&recipes[i], cpu->adjuster);
    for (unsigned i = 0; i < n && adjusts; i++) {
        const struct cpu_recipe *recipe = &recipes[i];
        unsigned fields = cpu_recipe_fields(recipe);
        if (cpu_recipe_writes(recipe, cpu->adjuster))
            fields = (unsigned)cpu_value(cpu, CPU_STACK_ADJUSTMENT_FIELDS);
        else if (recipe->stack_change)
            fields = 1;
        dispatched_with(recipes, i)->dispatch.fields += fields;
    }
}

// Those of some pipes that are among others, as bits by their order there.
static unsigned numbered(uint64_t some, uint64_t all) {
    unsigned bits = 0;
    for (unsigned n = 0; all; all &= all - 1, n++)
        bits |= (some & all & -all ? 1U : 0U) << n;
    return bits;
}

// An operation for each use of a pipe, and each cycle of it, as far as one group has room for them.
static void take_operations(const struct cpu_recipe *recipe, uint64_t all, struct dispatch_need *need) {
    uint64_t taken = DISPATCH_NOTHING;
    unsigned n = 0;
    for (unsigned u = 0; u < recipe->n_uses; u++) {
        const unsigned pipes = numbered(recipe->uses[u].pipes, all);
        double left = recipe->uses[u].cycles;
        for (; n < DISPATCH_MOST_OPERATIONS && (taken = dispatch_take(taken, pipes)) && left > 0; left--)
            need->pipes[n++] = pipes;
    }
}

// What an instruction and the jump that is fused with it do is one operation: the jump's, where it has pipes. No rule
// for more pipes than a group can count, and for two slots of an adjustment of the stack pointer.
static void take_pipes(const struct cpu *cpu, struct cpu_recipe *recipes, unsigned n) {
    uint64_t pipes = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned u = 0; u < recipes[i].n_uses; u++)
            if (cpu_is_operation(&recipes[i]))
                pipes |= recipes[i].uses[u].pipes;
    if (__builtin_popcountll(pipes) > DISPATCH_MOST_PIPES)
        return;
    for (unsigned i = 0; i < n; i++) {
        struct cpu_recipe *with = dispatched_with(recipes, i);
        const unsigned most_slots = cpu_recipe_writes(with, cpu->adjuster) ? 1 : DISPATCH_MOST_OPERATIONS;
        if (cpu_is_operation(&recipes[i]) && with->slots <= most_slots)
            take_operations(&recipes[i], pipes, &with->dispatch);
    }
}

bool cpu_executes(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipes, unsigned n,
                  struct fail *fail) {
    for (unsigned i = 0; i < n; i++) {
        const struct insn *insn = recipes[i].insn;
        const char *lacked = recipes[i].opcode->lacked;
        if (lacked)
            return fail_set(fail, FAIL_INPUT, "%s has no %s, which instruction %u of the block needs: %s", cpu->name,
                            lacked, i + 1, insn->text ? text_without_tabs(arena, insn->text) : insn->opcode);
    }
    return true;
}

struct cpu_recipe *cpu_recipes(struct arena *arena, const struct cpu *cpu, const struct block *block) {
    struct cpu_recipe *recipes = arena_alloc_uncleared(arena, block->n_insns * sizeof *recipes);
    bool has_x87 = false, has_nop = false;
    for (unsigned i = 0; i < block->n_insns; i++) {
        known_recipe_make(cpu, &block->insns[i], &recipes[i]);
        has_x87 |= recipes[i].is_x87;
        has_nop |= recipes[i].rename == CPU_IS_IDLE;
        if (i && recipe_fuses_with(&recipes[i - 1], &recipes[i])) {
            recipes[i].is_fused = true;
            recipes[i].slots = recipes[i].decoded_slots = 0;
            recipes[i].is_by_base[CPU_COST_SLOTS] = false;
        }
    }
    for (unsigned i = 1; i < block->n_insns; i++)
        if (fuses_with_move(cpu, &recipes[i - 1], &recipes[i]))
            recipes[i - 1].slots = recipes[i - 1].decoded_slots = 0;
    if (has_nop && cpu_does(cpu, CPU_NOP_FUSION))
        join_nops(recipes, block->n_insns);
    if (has_x87 && cpu_does(cpu, CPU_X87_STACK))
        recipe_x87_follow(cpu, recipes, block->n_insns);
    if (cpu_value(cpu, CPU_STACK_ADJUSTED_PIPES) > 0)
        execute_stack(cpu, recipes, block->n_insns);
    if (cpu_value(cpu, CPU_DISPATCH_FIELDS) > 0)
        take_fields(cpu, recipes, block->n_insns);
    if (cpu_does(cpu, CPU_DISPATCHES_APART))
        take_pipes(cpu, recipes, block->n_insns);
    if (cpu_knows(cpu, CPU_DEPENDENT_CYCLES) && cpu_value(cpu, CPU_DEPENDENT_REACH) > 0)
        find_lost_turns(arena, cpu, recipes, block->n_insns);
    return recipes;
}

bool cpu_executes_block(const struct cpu *cpu, const struct block *block, struct fail *fail) {
    struct arena scratch = {0};
    bool is_executed = cpu_executes(&scratch, cpu, cpu_recipes(&scratch, cpu, block), block->n_insns, fail);
    arena_free(&scratch);
    return is_executed;
}
