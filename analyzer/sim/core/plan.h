// What a core of ours simulates: a block, resolved for a CPU file. Instructions as uops on pipes, with latencies; how
// the front end delivers them; and what each access to memory meets, turn by turn. All of it is known before a cycle
// is simulated. Made by analyzer/predict/core_plan.h, which has the rules for addresses and front ends.
#ifndef ANALYZER_SIM_CORE_PLAN_H
#define ANALYZER_SIM_CORE_PLAN_H

#include "analyzer/cpu/recipe.h"
#include "analyzer/sim/event.h"
#include "base/arena.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Time within a cycle: latencies, and what pipes are held for, may be parts of one.
enum { TICKS = EVENT_PARTS }; // in a cycle
static inline int64_t ticks_of(double cycles) {
    return llround(cycles * TICKS);
}

// What a part of an instruction waits for, and what waits for it.
enum core_group {
    CORE_ADDRESS,  // registers of its address
    CORE_LOADED,   // what it loads: its own access, and the store that this meets
    CORE_VALUE,    // everything else that it computes with
    CORE_N_GROUPS, // then follow the parts of struct cpu_recipe behind the first
    CORE_MOST_GROUPS = CORE_N_GROUPS + CPU_MOST_PARTS - 1
};

enum core_part { CORE_LOADS, CORE_STORES_ADDRESS, CORE_COMPUTES, CORE_STORES_DATA, CORE_N_PARTS };

struct core_uop {
    uint64_t pipes; // one of them; 0: it needs no pipe, only memory's rates
    int64_t hold;   // ticks that it keeps the pipe
    enum core_part part;
    uint8_t queue; // see struct core_plan
    bool is_bound; // its pipe is chosen at rename
};

enum { CORE_MOST_UOPS = 24, CORE_MOST_READS = 2 * CPU_MOST_READS + 1, CORE_MOST_WRITES = CPU_MOST_WRITES + 1 };

struct core_insn {
    const struct cpu_recipe *recipe;
    struct core_uop *uops; // at most CORE_MOST_UOPS
    unsigned n_uops;
    uint8_t n_of_part[CORE_N_PARTS];
    uint32_t of_part[CORE_N_PARTS]; // which of the uops, a bit each
    unsigned slots, entries;        // of dispatch; of a scheduler
    unsigned scheduler;             // which
    struct core_read {
        int64_t early; // ticks
        enum core_group group;
        uint16_t unit;
        uint8_t advanced; // the recipe's read, from 1, that may come earlier by the class of what it reads; 0: none
    } * reads;            // at most CORE_MOST_READS
    unsigned n_reads;
    struct core_write {
        int64_t latency;      // ticks from its begin
        unsigned own;         // as its recipe's; 0 where only serial instructions wait for it
        unsigned write_class; // cpu_recipe_class
        uint16_t unit;
        uint8_t part;
    } * writes; // at most CORE_MOST_WRITES
    unsigned n_writes;
    int64_t own_early;   // ticks that results of its own rule come earlier
    int64_t store_delay; // ticks from its begin to its data
    bool loads, stores;
    bool is_plain;                   // it does neither, and all its results wait for all that it reads
    bool may_come_apart;             // in a group of dispatch: see comes_apart
    bool is_vector;                  // its slots are those of vector instructions
    enum cpu_rename rename;          // as its recipe's
    unsigned own;                    // likewise
    int64_t latency;                 // ticks from its begin to the last of its results that are no serial one's
    unsigned n_parts;                // behind the first: it has as many groups more
    bool part_loads[CPU_MOST_PARTS]; // as in struct cpu_recipe
};

static inline unsigned core_n_groups(const struct core_insn *insn) {
    return CORE_N_GROUPS + insn->n_parts;
}
static inline enum core_group core_group_of_part(unsigned part) {
    return (enum core_group)(CORE_N_GROUPS - 1 + part);
}

enum core_meets { CORE_MEETS_NOTHING, CORE_IS_FORWARDED, CORE_IS_RENAMED, CORE_IS_BLOCKED };

// What an instruction does to memory in one turn.
struct core_access {
    enum core_meets meets;
    unsigned stores_back;    // the store that it meets: 1 is the newest before it
    unsigned n_loads;        // reads of lines
    unsigned n_vector_loads; // the same, where they are of a vector register; else 0
    unsigned n_store_turns;  // of those that a cycle has for stores
    unsigned n_commits;      // lines, or parts of them, that its store takes anew: 0, 1 or 2
    uint64_t banks;          // that it reads, a bit each
    int64_t latency;         // ticks, of its load without any store
    int64_t more;            // ticks, from what it meets to what it loads
    int64_t hold;            // ticks that its load keeps a pipe longer
    int64_t store_hold;      // the same of its store's data
    int64_t crowded;         // ticks that each of its accesses keeps others off longer
    uint32_t base;           // that its load's address is relative to, as far as banks meet; else 0
    uint64_t offset;         // bytes from there
    unsigned sync_slots;     // of the stack engine, before it
    int64_t sync;            // ticks, added to the stack pointer before it
    int64_t gap;             // likewise to what its adjustments wait for
};

// Whether two loads at these offsets from one base are of different lines, and of the same bank of four bytes.
static inline bool core_banks_meet(uint64_t one, uint64_t other) {
    enum { LINE_BYTES = 64, BANK_BYTES = 4 };
    return one / LINE_BYTES != other / LINE_BYTES && one % LINE_BYTES / BANK_BYTES == other % LINE_BYTES / BANK_BYTES;
}

// A part of the front end delivers instructions in steps; after the last one comes that at `repeats_from`.
struct core_supply {
    struct core_supply_step {
        unsigned n_insns;
        int64_t ticks; // to the next step
    } * steps;
    unsigned n_steps, repeats_from;
};

enum { CORE_MOST_SUPPLIES = 4, CORE_MOST_QUEUES = 64, CORE_N_SCHEDULERS = 3, CORE_KEPT_STORES = 64 };

struct core_plan {
    const struct cpu *cpu;
    struct core_insn *insns;
    unsigned n;
    unsigned n_units;             // as the CPU's; the last one more is what serial instructions wait for
    struct core_access *accesses; // n of each turn; when the last turn has been, the first one comes again
    unsigned n_turns;
    struct core_supply supplies[CORE_MOST_SUPPLIES]; // each feeds the next one; the last one, rename
    unsigned n_supplies;
    // Uops wait in queues, one for all that may take the same pipes. Queue 0 is of those that need none.
    uint64_t queues[CORE_MOST_QUEUES];
    unsigned n_queues;
    bool binds_at_rename;                        // all uops; else loads, where two pipes take them in turn
    double wanted[64];                           // by pipe: cycles that uops may want of it, shared out evenly
    bool has_bound;                              // some uop is bound at rename
    unsigned most_uops, most_reads, most_writes; // of an instruction
};

// From recipes: all but accesses and supplies, which are empty. Lives as long as the arena.
struct core_plan *core_plan_make(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipes,
                                 unsigned n);

#endif
