// Private to this folder.
// Pipes of a CPU file as LLVM's resources: a ProcResource for each pipe, a ProcResGroup for each set of them; and what
// loads and stores hold.
#ifndef UPSTREAM_TD_PORTS_H
#define UPSTREAM_TD_PORTS_H

#include "upstream/td_export.h"

#include "base/text.h"

enum { TD_MOST_RESOURCES = 63 }; // of LLVM's: one bit of a mask each, and one is no resource

struct td_ports {
    struct arena *arena;
    const char *prefix; // of all names
    struct td_memory memory;
    const char *names[64]; // of each pipe, and of each resource of memory; null: nothing uses it
    uint64_t used;         // without those of memory
    struct td_group {
        uint64_t pipes;
        const char *name;
        size_t n; // uses
    } * groups;   // of several pipes, by size
    size_t n_groups;
    bool has_serial;
};

// Takes what the CPU file says of loads and stores: before all else.
void td_ports_take_memory(struct td_ports *ports, const struct cpu *cpu);
// Adds pipes and sets that the opcode holds.
void td_ports_take(struct td_ports *ports, const struct td_export *export);
// Names all; adds what LLVM wants besides: a group around those that overlap. Of sets beyond the resources that LLVM
// can have, the rarest are left out; td_ports_fit replaces these.
void td_ports_name(struct td_ports *ports, const struct cpu *cpu);
// Puts larger sets in place of those that are left out. Returns whether it did.
bool td_ports_fit(const struct td_ports *ports, struct td_export *export);
const char *td_ports_name_of(const struct td_ports *ports, uint64_t pipes);
void td_ports_write(const struct td_ports *ports, struct text *text);
// The same as an overlay's list of resources.
void td_ports_list(const struct td_ports *ports, struct text *text);

#endif
