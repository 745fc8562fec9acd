#include "analyzer/cpu/recipe_trust.h"

#include "base/text.h"

#include <math.h>

const char *cpu_cost_name(enum cpu_cost cost) {
    static const char *const names[CPU_N_COSTS] = {"slots", "latency", "pipes"};
    return names[cost];
}

// The parameter by which rename does it; CPU_N_PARAMETERS: the base says so, or it is a nop.
static enum cpu_parameter done_by(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    enum cpu_parameter by = recipe->rename == CPU_MOVES
                                ? (recipe->is_vector ? CPU_VECTOR_MOVES_ELIMINATED : CPU_MOVES_ELIMINATED)
                            : recipe->rename == CPU_ZEROES ? CPU_ZERO_IDIOMS
                                                           : CPU_N_PARAMETERS;
    return by < CPU_N_PARAMETERS && cpu_knows(cpu, by) ? by : CPU_N_PARAMETERS;
}

// What no rule states of slots: one slot, of what micro-fusion has no part in, is no number of the base's.
static void settle_slots(const struct cpu *cpu, struct cpu_recipe *recipe) {
    bool is_one = recipe->rename != CPU_EXECUTES || (recipe->stack_change && cpu_does(cpu, CPU_STACK_ENGINE));
    if (recipe->trusts[CPU_COST_SLOTS] == CPU_LLVM && is_one && cpu_does(cpu, CPU_MICRO_FUSION))
        recipe->trusts[CPU_COST_SLOTS] = cpu->parameters[CPU_MICRO_FUSION].trust;
}

// Of a plain load, the parameter's; else that of the result of which the least is known.
static enum cpu_trust trust_of_latency(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    enum cpu_trust least = CPU_MEASURED;
    bool is_by_base = false;
    for (unsigned i = 0; i < recipe->n_writes; i++) {
        is_by_base |= recipe->writes[i].trust == CPU_LLVM;
        least = recipe->writes[i].trust > least ? recipe->writes[i].trust : least;
    }
    if (is_by_base && recipe->is_plain_load && cpu_knows(cpu, CPU_LOAD_LATENCY))
        return cpu->parameters[CPU_LOAD_LATENCY].trust;
    return is_by_base ? CPU_LLVM : least;
}

// Whether it is so long until the next such instruction that its slots, or its pipes, decide nothing.
static bool serial_hides(const struct cpu *cpu, const struct cpu_recipe *recipe, enum cpu_cost cost) {
    double longest = 0;
    for (unsigned i = 0; i < recipe->n_uses; i++)
        longest = fmax(longest, recipe->uses[i].cycles);
    return recipe->serial > 0 &&
           (cost == CPU_COST_PIPES ? longest <= recipe->serial
                                   : recipe->slots <= recipe->serial * cpu_value(cpu, CPU_DISPATCH_WIDTH));
}

void recipe_settle_trusts(const struct cpu *cpu, struct cpu_recipe *recipe) {
    const enum cpu_parameter by = done_by(cpu, recipe);
    const bool executes = recipe->rename == CPU_EXECUTES, accesses = recipe->n_loads || recipe->n_stores;
    settle_slots(cpu, recipe);
    if (executes && recipe->n_writes)
        recipe->trusts[CPU_COST_LATENCY] = trust_of_latency(cpu, recipe);
    for (unsigned c = CPU_COST_LATENCY; c < CPU_N_COSTS && by < CPU_N_PARAMETERS; c++)
        recipe->trusts[c] = cpu->parameters[by].trust;
    const bool counts[CPU_N_COSTS] = {
        [CPU_COST_SLOTS] = !serial_hides(cpu, recipe, CPU_COST_SLOTS),
        [CPU_COST_LATENCY] = recipe->n_writes && recipe->rename != CPU_IS_IDLE,
        // Of an access, loads-per-cycle and its like may be in place of the pipes.
        [CPU_COST_PIPES] = (executes ? recipe->n_uses || !accesses : recipe->rename != CPU_IS_IDLE) &&
                           !serial_hides(cpu, recipe, CPU_COST_PIPES),
    };
    for (unsigned c = 0; c < CPU_N_COSTS; c++)
        recipe->is_by_base[c] = counts[c] && recipe->trusts[c] == CPU_LLVM;
}

bool cpu_recipe_needs_base(const struct cpu_recipe *recipe) {
    for (unsigned c = 0; c < CPU_N_COSTS; c++)
        if (recipe->is_by_base[c])
            return true;
    return false;
}

static const char *list_costs(struct arena *arena, const struct cpu_recipe *recipe) {
    struct text text = {.arena = arena};
    unsigned n = 0;
    for (unsigned c = 0; c < CPU_N_COSTS; c++)
        if (recipe->is_by_base[c])
            text_addf(&text, "%s%s", n++ ? ", no " : "no ", cpu_cost_name((enum cpu_cost)c));
    return text.data;
}

bool cpu_states_all(const struct cpu *cpu, const struct cpu_recipe *recipes, unsigned n, struct fail *fail) {
    struct arena scratch = {0};
    unsigned i = 0;
    while (i < n && (!cpu->refuses_base || !cpu_recipe_needs_base(&recipes[i])))
        i++;
    if (i < n) {
        const struct insn *insn = recipes[i].insn;
        fail_set(fail, FAIL_INPUT, "%s states %s of instruction %u of the block, %s; '--assume llvm' takes LLVM's",
                 cpu->name, list_costs(&scratch, &recipes[i]), i + 1,
                 insn->text ? text_without_tabs(&scratch, insn->text) : insn->opcode);
    }
    arena_free(&scratch);
    return i == n;
}
