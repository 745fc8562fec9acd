// Forms: what an ISA has to measure. A form is an opcode with operands of certain kinds, as LLVM's tables have it;
// which registers, addresses and values it gets is open. On x86, some opcodes have several forms, as CPUs take longer
// for some: lea one for each kind of address, instructions of bytes one for each choice of high bytes (%ah). Filled by
// the LLVM module (analyzer/llvm/form_maker.cpp). Meaning of the fields: llvm/include/llvm/MC/MCInstrDesc.h.
#ifndef ANALYZER_CODE_FORM_H
#define ANALYZER_CODE_FORM_H

#include "analyzer/code/vector_config.h"
#include "base/arena.h"
#include "base/fail.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether a form can be measured, and why not.
enum form_status {
    FORM_USABLE,
    FORM_PSEUDO,       // no encoding: only the compiler knows it
    FORM_CONTROL_FLOW, // a branch, a call, a return, or relative to the program counter
    FORM_PREFIX,       // only a prefix of another instruction
    FORM_NOT_DECODED,  // its bytes decode to nothing, to another length, or without all operands: it is of another mode
                       // of the CPU
    FORM_OTHER_OPCODE, // its bytes decode to another opcode, its `twin`
    FORM_TWIN,         // its text assembles to another opcode, its `twin`, with the same meaning
    FORM_NOT_ASSEMBLED, // LLVM's assembler refuses its text: the CPU lacks it, where the assembler checks that
    FORM_N_STATUSES,
};

enum form_operand_kind {
    FORM_REGISTER,
    FORM_MEMORY,
    FORM_ADDRESS, // x86: what lea computes; nothing is accessed
    FORM_IMMEDIATE,
    FORM_ROUNDING,  // x86: {rn-sae}
    FORM_CONDITION, // x86: the condition of cmov, set
    FORM_OTHER,     // of the target: a shift, a vector list, ...
};

struct form_operand {
    enum form_operand_kind kind;
    const char *class_name;    // of registers, "GR64"; of memory: of the index where that is a vector; null: none
    const uint16_t *registers; // that it may be, in LLVM's order: indices of the machine's registers; `n_registers`
    unsigned n_registers;
    uint16_t reg, index; // registers of the example; of memory and addresses: base and index; 0: none
    bool is_read, is_written;
    unsigned bytes;   // of memory that each access takes; 0: unknown (x86's text does not say it)
    int tied;         // index of the written operand that must be the same register; -1: none
    bool is_distinct; // it is written, and may be no register that others read (LLVM: early clobber)
    unsigned group;   // RISC-V: registers from this one on that are the operand, or at least reserved for it; 0: one
};

struct form {
    const char *opcode; // LLVM's name, "VADDPSYrr"
    // The opcode; where it has several forms, with what sets this one apart: "LEA64r-base-index".
    const char *name;
    unsigned index; // of the opcode
    enum form_status status;
    const char *twin;     // opcode; null: not a twin
    const char *text;     // an example, as LLVM prints it; null: it has no encoding
    const uint8_t *bytes; // of the example, behind those of `setup`
    unsigned n_bytes;
    const char *setup;                   // instruction that must run first: RISC-V's vsetvli; null: nothing must
    unsigned n_setup_bytes;              // in front of `bytes`
    const struct form_operand *operands; // explicit ones, in LLVM's order; memory is one
    unsigned n_operands;
    const uint16_t *implicit_reads, *implicit_writes; // registers
    unsigned n_implicit_reads, n_implicit_writes;
    unsigned sched_class;
    const char *sched_class_name; // "WriteFAddY"; null: LLVM was built without them
    bool may_load, may_store, side_effects;
    struct vector_config vector; // RISC-V: with which it is executed, where the name states it
    const char *refused;         // why there is no such form with this configuration, a clause; null: there is
};

// Length of the part of a form's name that a model has numbers of: the opcode; of RISC-V's vectors with the pair of
// element and group: "VADD_VV-e32m2" of "VADD_VV-e32m2-half". A form whose name is no longer is plain.
size_t form_unit_length(const char *name);
const char *form_unit(struct arena *arena, const char *name); // that part
struct insn;
// That part of an instruction's form; of RISC-V's vectors without the pair where forms were not asked for.
const char *form_unit_of(struct arena *arena, const struct insn *insn);
static inline bool form_is_plain(const char *name) {
    return !name[form_unit_length(name)];
}

// "usable", "pseudo", "control flow", ...
const char *form_status_name(enum form_status status);

// Patterns of names of forms: regular expressions of whole names. One that matches an opcode, or the mnemonic of an
// example ("addq"), matches all its forms.
struct form_patterns {
    regex_t *items;
    size_t n;
};
// Fails (FAIL_INPUT) at what is not a regular expression. Success and failure both need form_patterns_close.
bool form_patterns_open(struct form_patterns *patterns, struct arena *arena, const char *const *texts, size_t n,
                        struct fail *fail);
void form_patterns_close(struct form_patterns *patterns);
bool form_patterns_match(const struct form_patterns *patterns, const struct form *form);
// Whether one of them matches the form's whole name.
bool form_patterns_match_name(const struct form_patterns *patterns, const struct form *form);

// Whether the form's example is such an instruction: "addq".
bool form_has_mnemonic(const struct form *form, const char *mnemonic);

// Returns what to try instead of a name that no form has, as in text_did_you_mean; "": no form is near.
const char *form_near_name(struct arena *arena, const char *name, const struct form *forms, size_t n);

#endif
