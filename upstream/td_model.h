// Private to this folder.
// A scheduling model as llvm-tblgen's records have it: which writes and reads an opcode has, and what these come to. It
// follows llvm/utils/TableGen/Common/CodeGenSchedule.cpp and TableGen's SubtargetEmitter.cpp.
#ifndef UPSTREAM_TD_MODEL_H
#define UPSTREAM_TD_MODEL_H

#include "analyzer/sched/machine.h"
#include "repair/repair_numbers.h"
#include "upstream/td_records.h"

enum { TD_MOST_PORTS = 16, TD_MOST_WRITES = 12, TD_MOST_ATOMS = 16, TD_MOST_READS = 32 };

// Numbers of a write.
struct td_numbers {
    unsigned latency, uops, n_ports;
    const char *ports[TD_MOST_PORTS];
    unsigned cycles[TD_MOST_PORTS]; // for which each port is held
};
bool td_numbers_are_equal(const struct td_numbers *a, const struct td_numbers *b);

// A write with numbers of its own in this model: a WriteRes, or a SchedWriteRes.
struct td_atom {
    const struct td_record *record;
    const char *write; // name of the write
    const char *why;   // why its numbers cannot be changed; null: they can
    struct td_numbers numbers;
};

// An opcode's part of the model.
struct td_opcode {
    const char *why;                    // why it is not understood; null: it is
    const struct td_record *inst_rw;    // InstRW of this model that names it; null: none does
    const char **operands;              // its SchedReadWrites: writes, then reads
    unsigned n_operands, n_writes;      // of operands; writes
    bool is_variant;                    // a SchedWriteVariant decides; the atoms are those of its last choice
    unsigned first[TD_MOST_WRITES + 1]; // numbers of each write's atoms are [first[w], first[w + 1]) of `atoms`
    size_t atoms[TD_MOST_ATOMS];        // numbers in the model's
};

struct td_model {
    struct arena *arena;
    const struct machine *machine;
    const struct td_records *records;
    const char *name; // of the SchedMachineModel
    const char *file; // of the schedule
    struct td_atom *atoms;
    size_t n_atoms;
    struct td_pattern *patterns; // of all InstRW of this model
    size_t n_patterns;
    const struct td_record **reads; // SchedReads with cycles in this model
    size_t n_reads;
};

// `file`: name of the schedule's file, without folders. Fails where no processor is called so.
bool td_model_open(struct td_model *model, struct arena *arena, const struct td_records *records,
                   const struct machine *machine, const char *file, struct fail *fail);
void td_model_close(struct td_model *model);

struct td_opcode td_model_find(struct td_model *model, const char *opcode);
// Whether an InstRW names instructions besides these. llvm-tblgen refuses one that names no instruction.
bool td_model_names_others(const struct td_model *model, const struct td_record *inst_rw, const char *const *opcodes,
                           size_t n);
// Cycles by which a SchedRead may come early. False: it depends on the write.
bool td_model_advance(const struct td_model *model, const char *read, int *cycles);

// Ports that a use of the machine's holds of a write: the same pipes, or `is_super`: also those that it contains.
bool td_is_port(const struct machine *machine, const char *port, unsigned resource);
bool td_is_inside(const struct machine *machine, const char *port, unsigned resource);

// Whether the atoms' numbers make these of an opcode: null, or why they do not. `atoms`: by number in opcode->atoms.
const char *td_model_compare(const struct td_model *model, const struct td_opcode *opcode,
                             const struct td_numbers *atoms, const struct repair_numbers *numbers, bool with_reads);
// The atoms' own numbers, for the above.
void td_model_numbers(const struct td_model *model, const struct td_opcode *opcode, struct td_numbers *atoms);

#endif
