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
    unsigned acquires[TD_MOST_PORTS], cycles[TD_MOST_PORTS]; // from when and until when each port is held
};
// An order of numbers; 0: they are equal.
int td_numbers_compare(const struct td_numbers *a, const struct td_numbers *b);
bool td_numbers_are_equal(const struct td_numbers *a, const struct td_numbers *b);

// A write with numbers of its own in this model: a WriteRes, or a SchedWriteRes.
struct td_atom {
    const struct td_record *record;
    const char *write; // name of the write, without the number of an anonymous `defm`
    const char *why;   // why its numbers cannot be changed; null: they can
    struct td_numbers numbers;
    const struct td_atom *same_as; // RISC-V, of a "worst case": the write that has the same numbers; else null
};

// An opcode's part of the model.
struct td_opcode {
    const char *why;                    // why it is not understood; null: it is
    const struct td_record *inst_rw;    // InstRW of this model that names it; null: none does
    const struct td_record *pseudo;     // that stands for it with its vector type; null: there is none
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
    bool is_nested;   // RISC-V: loops and `let` around statements hold their numbers, in multiclasses of several models
    unsigned vlen;    // bits of a vector register, where the model states them; else 0
    const struct td_record *
        *pseudos; // by what they become: the pseudo instructions that stand for it with a vector type
    size_t n_pseudos;
    const unsigned *shared; // lines of statements that make writes of other models, too
    size_t n_shared;
    struct td_atom *atoms;
    size_t n_atoms;
    struct td_pattern *patterns; // of all InstRW of this model
    size_t n_patterns;
    const struct td_record **reads; // SchedReads with cycles in this model
    size_t n_reads;
};

// Whether the machine's file is nested (above).
bool td_model_is_nested(const struct machine *machine);
// `file`: name of the schedule's file, without folders. Fails where no processor is called so.
bool td_model_open(struct td_model *model, struct arena *arena, const struct td_records *records,
                   const struct machine *machine, const char *file, struct fail *fail);
void td_model_close(struct td_model *model);

// `class_name`: null, or LLVM's scheduling class of an opcode with a vector configuration, which names its writes and
// reads, or the pseudo instructions that an InstRW names.
struct td_opcode td_model_find(struct td_model *model, const char *opcode, const char *class_name);
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
