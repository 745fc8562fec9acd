// Registers by name, and sets of them.
#ifndef GEN_REGISTERS_H
#define GEN_REGISTERS_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stdint.h>

// A register that a text names.
struct register_name {
    const struct register_class *class;
    unsigned index;
    unsigned last; // last index of the range that begins here: 11 at the r4 of "r4-r11"; else `index`
};

// Looks `word` up in all classes and aliases, ignoring case.
bool register_find(const struct isa *isa, struct slice word, struct register_name *found);

// Removes text from the front of `rest` up to the end of the next register, and sets `word` to the register's text.
// Returns false where no register is left. Finds both ends of a range; the first has `last`.
bool register_next(const struct isa *isa, struct slice *rest, struct slice *word, struct register_name *found);

// Entries of the register files: one bit per entry of any width.
enum { REGISTER_N_FILES = 8 };
struct register_set {
    uint64_t files[REGISTER_N_FILES];
};

unsigned register_file_index(char file);                   // index into register_set.files; 0: the general file
unsigned register_entry(const struct register_name *name); // first entry that it covers

void register_set_add(struct register_set *set, const struct register_class *class, unsigned index);
bool register_set_has(const struct register_set *set, const struct register_class *class,
                      unsigned index); // or any part of it
bool register_set_has_all(const struct register_set *set, const struct register_class *class, unsigned index);
// Adds a register of that name. Does nothing where the ISA's classes do not have it, such as "sp" of AArch64.
void register_set_add_name(struct register_set *set, const struct isa *isa, const char *name);
void register_set_add_text(struct register_set *set, const struct isa *isa, const char *text);

unsigned register_class_count(const struct register_class *class);

// Returns the best loop counter that is not in `taken`, for a loop whose end preserves the flags or not; null: all are
// taken.
const char *register_loop_counter(const struct isa *isa, const struct register_set *taken, bool preserves_flags);
// Returns all candidates, for messages: "r15, r14, …".
const char *register_loop_counters(struct arena *arena, const struct isa *isa);

#endif
