// Private to this folder.
// The walk behind the bounds that need addresses: what it knows of registers, stores and memory on its way.
#ifndef ANALYZER_PREDICT_BOUND_WALK_H
#define ANALYZER_PREDICT_BOUND_WALK_H

#include "analyzer/predict/bound_parts.h"
#include "analyzer/predict/bound_trace.h"
#include "analyzer/predict/walk_windows.h"

#include <math.h>

enum {
    HALF = 16,
    MOST_TURNS = 2 * HALF,
    SAME_TURNS = 3,
    KEPT_STORES = TRACE_STORES,
    BANK = 4,
    MOST_BANKS = 64,
    MOST_LOADS = 64,
    MOST_LEARNED_SETS = 8,
    KEPT_PAGES = 64 // pages that are not new again: entries of a small buffer of translations
};
enum { N_FURTHER = 3 }; // times that are no unit's: see time_of

// How an address is written: renaming of memory takes two addresses for one where they are written alike, and no
// register of them has changed but as rename follows it.
struct written {
    unsigned base, index; // units
    unsigned base_version, index_version;
    unsigned scale;
    int64_t displacement; // bytes; of push and pop from where the stack pointer was last set otherwise
};

struct stored {
    struct place place;
    struct written written;
    double address_ready, data_ready, all_done; // all_done: itself, and whatever is older
    bool is_vector, is_pushed, is_update;
    unsigned n_loads; // of an update: instructions that load what it has stored, and store nothing there
};

// One access of an instruction, from turn to turn.
struct moving {
    struct place at;           // in the newest turn
    uint64_t lowest, highest;  // where it has been since it last moved by a page or more
    double pages;              // that it has moved on to in the newest turn, at most 1
    double so_far[MOST_TURNS]; // by turn: in all until then
};
struct moving_insn {
    struct moving from, to;
};

// The newest value of a unit.
struct unit_value {
    double ready;         // when it is there
    unsigned own;         // the rule whose instructions have it early; see struct cpu_recipe
    unsigned version;     // how often the unit was written, by other than push and pop
    unsigned depth;       // loads, one behind the other, that it comes from, where the walk follows that
    unsigned write_class; // where sources ask for it (cpu_recipe_advance)
    bool is_loaded;       // by a plain load
};

struct walk {
    const struct bound_code *code;
    struct moving_insn *moving; // by instruction; null: pages cost nothing
    const struct cpu *cpu;
    struct address_walk *addresses; // null: nothing accesses memory
    struct unit_value *units;
    uint16_t *written; // units that the block writes
    unsigned n_written;
    bool follows_loads; // by unit_value.depth
    int64_t stack;      // bytes that push, pop, and what rename follows have moved the stack pointer by since
    // Loads that meet a store under another name: by instruction, the sets of rename's memory that its copies fall
    // into, a bit each (0: it is not such a load); of each set, how many of all copies.
    uint8_t *sets;
    unsigned n_learned[MOST_LEARNED_SETS], n_sets, n_copies;
    int64_t moved;          // bytes by push and pop since an add or sub moved the stack pointer
    bool is_moved;          // a push or pop has, and nothing has adjusted it since
    bool has_popped;        // a pop has
    unsigned n_since;       // accesses since it was adjusted
    bool is_pending;        // a push or pop has changed the stack pointer, and nothing has asked for it since
    bool follows_stack;     // some instruction asks for that
    double all_done;        // whatever has been so far
    double serial;          // when the next serial instruction may begin
    double stored;          // when all data of stores so far are there
    struct stored *stores;  // the newest KEPT_STORES
    unsigned n_stores;      // in all
    uint64_t stored_lines;  // what any of them touches, as touched_lines has it
    unsigned most_compared; // of these, the newest that a load is compared with
    uint64_t compared_bits; // of addresses
    bool renames;           // memory: how an address is written counts
    // memory, of all turns
    double n_loads, n_chained, n_vector_loads, n_accesses, n_store_turns, n_store_parts, n_commits;
    double bank_reads[MOST_BANKS];
    double n_commits_by[2], n_store_turns_by[2], n_vector_loads_by[2]; // until the end of the first turns
    struct place last_store, *turn_loads;                              // turn_loads: of the turn that goes on
    unsigned n_turn_loads;                                             // at most MOST_LOADS
    unsigned n_hits; // loads that meet a store, of what stores nothing, behind the first turn
    bool has_pair;
    unsigned part_bytes;              // of a line, a power of two, that stores go to together
    double store_turns, vector_turns; // of those that the newest cycle has for stores, and loads of vector registers
    struct met_page {                 // the newest ones that an access has moved on to
        struct value page;
        unsigned turn; // the first
    } * pages;         // KEPT_PAGES
    unsigned n_pages;
    unsigned turn;                // that goes on
    struct core_access access;    // of the instruction that is being walked
    struct walk_windows *windows; // null: all windows are without end
};

// What a load meets. `store`: null where it meets none.
struct meeting {
    const struct stored *store;
    enum core_meets meets;
    double more; // cycles from what it meets to what it loads
};

// Parts of a cycle that come together to whole ones soon: a core finds its period then.
static inline int64_t walk_whole_ticks(double cycles) {
    enum { PARTS = 60 };
    return ticks_of(round(cycles * PARTS) / PARTS);
}

// Of two times.
static inline double later(double one, double other) {
    return one > other ? one : other;
}

bool walk_contains(const struct place *store, const struct place *load);
// The newest store that the load overlaps, of those that it is compared with; null: it overlaps no store.
const struct stored *walk_store_of(const struct walk *walk, const struct place *place);
// Bytes that an instruction adds to the stack pointer, where rename follows it there; else 0.
int64_t walk_adjustment_of(const struct walk *walk, const struct cpu_recipe *recipe);
// How an instruction's load or store is written.
struct written walk_written_of(const struct walk *walk, const struct cpu_recipe *recipe, bool stores);
// Whether rename finds the store that a load reads; both have the same address.
bool walk_is_renamed(struct walk *walk, const struct cpu_recipe *load, const struct place *place,
                     const struct stored *store);
// When a source is there for that instruction.
static inline double walk_ready_of(const struct walk *walk, const struct cpu_recipe *recipe,
                                   const struct cpu_read *read) {
    const struct unit_value *value = &walk->units[read->unit];
    bool is_own = recipe->own && value->own == recipe->own;
    const double early = read->advances ? cpu_recipe_advance(recipe, read, value->write_class) : 0;
    return value->ready - (is_own ? recipe->latency - recipe->own_latency : 0) - early;
}

// A walk at its start. `code`: outlives it.
struct walk *walk_open(const struct bound_code *code);
// One turn. `accesses`: set to what each of its accesses meets; null: nothing records that.
void walk_turn(struct walk *walk, struct core_access *accesses);

// What accesses cost besides latency (bound_memory.c).
// Cycles of an access to a page that is new.
double walk_new_page(const struct walk *walk);
// Follows both accesses of an instruction. Returns what its load takes longer, cycles.
double walk_wait_for_page(struct walk *walk, const struct cpu_recipe *recipe, const struct place *from,
                          const struct place *to);
void walk_count_load(struct walk *walk, const struct cpu_recipe *recipe, const struct place *place);
void walk_count_store(struct walk *walk, const struct place *place);
// Sets the bounds of loads and stores by `turns` turns, and what the core is to know of them.
void walk_set_memory(const struct walk *walk, double turns, struct bounds *bounds);

// Recording, of a walk that has a trace: who makes the latency (bound_notes.c).
// What an instruction waited for, before its own results are there. `loaded`: when its load is done, `alone`: when it
// would be without any store.
void walk_note(struct walk *walk, const struct cpu_recipe *recipe, const struct place *from, double address_ready,
               double begin, double loaded, double alone);
// The same of a part of its results, behind the above.
void walk_note_part(struct walk *walk, const struct cpu_recipe *recipe, unsigned part, double begin);
// Who made what is there now. `stored`: the slot of its store; null: it stores nothing.
void walk_note_results(struct walk *walk, const struct cpu_recipe *recipe, double done, const struct stored *stored);
// Who made what grows the most.
void walk_note_end(const struct walk *walk, const double *growth, double most);

#endif
