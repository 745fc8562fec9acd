// Private to this folder.
// Registers by name, and sets of them. Inside gen/ only.
#ifndef GEN_REGISTERS_H
#define GEN_REGISTERS_H

#include "base/arena.h"
#include "base/text.h"
#include "gen/isa.h"

#include <stdbool.h>
#include <stdint.h>

// A register as a text names it.
struct register_name {
    const struct register_class *class;
    unsigned index;
    unsigned last; // of the range that begins here: 11 at the r4 of "r4-r11"; mostly `index`
};

// Looks `word` up in all classes and aliases, ignoring case.
bool register_find(const struct isa *isa, struct slice word, struct register_name *found);

// Takes text off the front of `rest` up to and with the next register; false when no register is left. `word` is where
// it stands. Both ends of a range are found, and the first one knows the last.
bool register_next(const struct isa *isa, struct slice *rest, struct slice *word, struct register_name *found);

// Entries of the register files: one bit an entry, whatever its width.
enum { REGISTER_N_FILES = 6 };
struct register_set {
    uint64_t files[REGISTER_N_FILES];
};

unsigned register_file_index(char file);                   // of register_set.files: 0 is the general one
unsigned register_entry(const struct register_name *name); // the first that it covers

void register_set_add(struct register_set *set, const struct register_class *class, unsigned index);
bool register_set_has(const struct register_set *set, const struct register_class *class,
                      unsigned index); // any part of it
bool register_set_has_all(const struct register_set *set, const struct register_class *class, unsigned index);
// Adds a register of that name, if the ISA has it in its classes ("sp" of AArch64 is in none).
void register_set_add_name(struct register_set *set, const struct isa *isa, const char *name);
void register_set_add_text(struct register_set *set, const struct isa *isa, const char *text);

unsigned register_class_count(const struct register_class *class);

// Best loop counter that is not in `taken`, for a loop whose end may touch the flags or not; null if all are.
const char *register_loop_counter(const struct isa *isa, const struct register_set *taken, bool preserves_flags);
// All candidates, for messages: "r15, r14, …".
const char *register_loop_counters(struct arena *arena, const struct isa *isa);

#endif
