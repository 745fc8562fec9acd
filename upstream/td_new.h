// A whole scheduling model for LLVM from a CPU file: the text of llvm/lib/Target/X86/X86ScheduleNAME.td. Each
// SchedWrite and SchedRead of the target gets the numbers that most of its opcodes have; opcodes that differ get an
// InstRW. Then llvm-tblgen reads it with the rest of the target, and what it makes of each opcode is compared with the
// CPU file.
#ifndef UPSTREAM_TD_NEW_H
#define UPSTREAM_TD_NEW_H

#include "analyzer/model/model.h"

// A number of a machine card's, with where it is from.
struct td_new_number {
    bool is_known;
    unsigned value;
    const char *source;
};

struct td_new_request {
    const struct model *model; // with a CPU file of x86-64
    const char *path;          // of the file that will be, in a target's folder of LLVM's sources
    const char *tblgen;        // program; null: that of the model's LLVM
    const char *name;          // of the SchedMachineModel: "Znver5Model"
    struct td_new_number mispredict_penalty, integer_registers, vector_registers; // which a CPU file does not have
};

struct td_new_left {
    const char *opcode, *why;
};

// What LLVM's format cannot state.
struct td_new_limit {
    const char *what;
    size_t n; // opcodes; 0: it is none of opcodes
};

struct td_new_result {
    const char *text;    // of the file
    const char *csv;     // the CPU file's numbers of each opcode, in LLVM's terms
    const char *overlay; // the same tables as an overlay, for this program
    size_t n_opcodes;    // with numbers of the CPU file
    size_t n_pipes, n_groups;
    const char *memory;             // "Load 3, Store 2": accesses in a cycle that resources state; "": none do
    const char *unstated;           // "MispredictPenalty, …": what neither the file nor a card has; "": nothing
    size_t n_writes, n_reads;       // of the target, that the model has numbers of
    size_t n_unsupported;           // writes of the target whose opcodes have no numbers
    size_t n_inst_rws, n_differing; // InstRW, and the opcodes in these
    size_t n_idioms, n_moves;       // opcodes
    size_t n_equal;                 // opcodes of which llvm-tblgen has the file's numbers
    const struct td_new_left *left; // the others
    size_t n_left;
    const struct td_new_limit *limits;
    size_t n_limits;
};

// Fails where the path is not in LLVM's sources, or LLVM has a model of that name, or llvm-tblgen refuses the text.
bool td_new(struct arena *arena, const struct td_new_request *request, struct td_new_result *result, struct fail *fail);

#endif
