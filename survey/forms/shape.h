// Private to survey/.
// The shape of a form: its text with roles for its registers, as kernel files have it, and its ports. Decides which
// forms cannot be measured, by what LLVM's tables state of them.
#ifndef SURVEY_FORMS_SHAPE_H
#define SURVEY_FORMS_SHAPE_H

#include "analyzer/code/form.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/text.h"
#include "gen/isa.h"
#include "survey/forms/form_wrapper.h"

#include <stdbool.h>

// x86: they cannot be the base of an address without a displacement; it is one of zero then.
#define SHAPE_NO_BARE_BASE "rbp, r13"

// A register through which values enter or leave the form.
struct shape_port {
    const char *label; // name in tables: "0" (LLVM's number of the operand), "3.base", "4.index", "rax", "flags"
    const char *role;  // name in kernels: "o0", "o3_base", "rax", "flags"
    char file;         // as in struct register_class; 'c': condition flags
    const struct register_class *class; // class in the text, or of the fixed register
    bool is_fixed;                      // it is always register `index` of its class
    unsigned index;
    bool is_read, is_written;
    bool is_address;  // base of a memory operand
    bool is_index;    // added to it, so it stays as it is; a vector: those of a gather or scatter
    bool is_offset;   // such an index that holds 64, as the address has no displacement
    bool is_lanes;    // all its bits must be set: the mask of a gather or scatter, which these clear
    bool is_upper;    // x86: upper half of a dividend, rdx or a part of it: it must be less than the divisor
    bool is_distinct; // as in struct form_operand
    bool is_high;     // x86: bits 8 to 15 of a register
    bool is_hidden;   // kernels cannot name it: Armv7's flags, MIPS's HI and LO
    bool is_group;    // RISC-V: the text names the first of several registers
    bool is_ordered;  // RISC-V: indices that the set-up fills in the order of the form's vector configuration
};
enum { SHAPE_MOST_PORTS = 12 };

struct isa_traits;

struct shape {
    const struct form *form;
    const struct isa_traits *traits; // of its ISA
    const char *left_out;            // reason why it cannot be measured, one clause; null: it can
    const char *body; // "vaddps {o2:ymm}, {o1:ymm}, {o0:ymm}"; x86's memory operands are at 64({o3_base:r64})
    // What it needs around it; null: nothing. Then its ports are those of its operands alone.
    const struct form_wrapper *wrapper;
    bool is_first; // of its scheduling class: it also has experiments that others only get where they matter
    bool has_memory;
    bool is_gather;             // or a scatter
    const char *spread_indices; // instructions that set fixed indices of a gather; null: they are roles, and zero
    bool is_legacy;             // x86: vector instruction without a VEX or EVEX prefix
    // Registers that no operand may be, separated by ", ", as the code would be another then (x86: the opcode of the
    // accumulator, or a displacement); null: none.
    const char *avoided;
    struct shape_port ports[SHAPE_MOST_PORTS];
    unsigned n_ports;
};

enum { SHAPE_DISPLACEMENT = 64 }; // of memory operands in the body

void shape_make(struct arena *arena, const struct isa *isa, const struct machine *machine, const struct form *form,
                struct shape *shape);

// The name of the instruction in the body, behind a prefix: "vaddps" of "{evex} vaddps".
struct slice shape_mnemonic(const struct shape *shape);

#endif
