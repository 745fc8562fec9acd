// Private to this folder.
// Which registers of a block must be told apart.
//
// Writing a register also defines the registers inside it, and at times those around it. A simulator that keeps a
// definition for every register walks these families at each write and each read. Within one block most of a family
// is always written together; such registers share a *class*, and one definition per class tells as much. Usually the
// family of an architectural register is a single class.
#ifndef ANALYZER_SIM_MCA_REGISTERS_H
#define ANALYZER_SIM_MCA_REGISTERS_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/stash.h"

#include <stdint.h>

// A set of classes; 0 is the class of registers that the block never writes and is in no set.
struct class_set {
    const uint16_t *classes;
    uint16_t n;
};

enum family {
    FAMILY_INSIDE, // a register and those inside it
    FAMILY_ALL,    // and those around it
    N_FAMILIES,
};

struct register_classes {
    const struct machine *machine;
    uint16_t *class_of;           // by register
    unsigned n_classes;           // class 0 included
    uint32_t *set_of[N_FAMILIES]; // by register: place among `sets`, filled on demand; 0: not yet
    struct class_set *sets;
    uint32_t n_sets; // place 0 included
    struct stash *stash;
};

// The register that a write to `reg` renames.
uint16_t register_renamed(const struct machine *machine, uint16_t reg);

void register_classes_build(struct register_classes *classes, const struct machine *machine, const struct block *block,
                            struct stash *stash);
// Classes of a register's family.
struct class_set register_classes_of(struct register_classes *classes, uint16_t reg, enum family family);

#endif
