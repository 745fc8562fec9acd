// Private to survey/.
// What a survey needs of an ISA beyond gen/isa.h: the instructions of the ways back (chain_partners.h), and what LLVM's
// names of its registers and opcodes mean for a measurement. Each ISA has a file with its table.
#ifndef SURVEY_FORMS_ISA_TRAITS_H
#define SURVEY_FORMS_ISA_TRAITS_H

#include "gen/registers.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/filler.h"
#include "survey/forms/shape.h"

#include <stdbool.h>
#include <stddef.h>

// Which of x86's encodings of vector instructions an entry is for (shape.is_legacy); WAY_GROUPS: forms whose vector
// configuration has groups of registers.
enum way_encoding { WAY_ANY, WAY_LEGACY, WAY_NOT_LEGACY, WAY_GROUPS };

// A step from one register to another.
struct way_step {
    const char *name; // of the experiment that measures it: "movslq"
    // Files (gen/isa.h), or classes (`has_parts`). `from` 'h': a high byte of 'g'. `to` 'C': the carry flag alone.
    // `from` 'c' has `to` 't': the role t, a general register. `to` 'a': an address. `from` 'M': it loads from the
    // form's memory operand, whose address is {a:CLASS}; `to` 'M': it stores there. Between 'M' and the role t, the
    // variant is the binary logarithm of the bytes. `to` '=': {b:CLASS} is the source too; it gets the value of
    // the role {again:CLASS}, once it is there. `to` '+': {b:CLASS} is the source too, and keeps its value: many of
    // these make a chain longer, where the step from `from` to itself needs a pipe that few instructions have.
    char from, to;
    unsigned variant; // of steps between the same files: in another domain or width, or of another flag
    unsigned times;   // steps of that experiment that it takes
    const char *text; // instructions, each with "; " in front. {a:CLASS} is the source, {b:CLASS} the result
    const char *init; // initial values of its other roles, ", c: 1"; or ""
    enum way_encoding encoding;
};

// What gives a register a value that depends on nothing.
struct way_breaker {
    char file; // of the register; x86: 'u': upper half of a dividend; 'K', 'V': mask of a gather, which it sets again
    const char *text; // as of a step; {b:own}: the register in the form's own width
    enum way_encoding encoding;
    bool is_light;    // on most cores it takes no pipe: a move that renaming eliminates, or a zero idiom
    const char *init; // initial values of its other roles, ", zg: 1"; null: zero
};

// LLVM's names that begin so, and what is said of them.
struct way_reason {
    const char *start, *why;
};

// A form that others are measured beside, to see whether they take its pipes (mixtures.h).
struct way_probe {
    const char *form;
    // Of forms that it is beside: 'g' of general registers, 'v' of vectors, 'z' with a vector of 512 bits, 'k' of masks
    // alone.
    char group;
};

// A register that kernels cannot name. Its experiments close their chains through others.
struct way_hidden {
    const char *name;            // LLVM's
    struct register_class class; // its only register is the name in tables; `file`: as of steps and breakers
};

struct isa_traits {
    const char *family;                                 // ISA's, as in isa_family
    const struct chain_partner_experiment *experiments; // what measures the steps
    size_t n_experiments;
    const struct way_step *steps;       // up to one without a name
    const struct way_breaker *breakers; // up to one without a text
    const char *register_mark;          // in front of a register's name: "%"
    const char *clear_memory;           // sets the first word of the buffer to zero, before the loop
    const char *vector_setup;           // RISC-V: set-up of partners that need the feature "v"
    const char *mask_of_all;            // value of a mask of which all lanes count
    // Whether vector and floating-point registers of other widths need other instructions: Armv7's s, d and q, MIPS's
    // s and d. Then steps and breakers have the class's letter in place of the file's: 'S', 'D', 'Q'.
    bool has_parts;
    // Whether a mask may be source and result. A Neoverse V2 takes a cycle longer where the result is the governing
    // predicate (LLVM's NeoversePdIsPg).
    bool shares_masks;
    // Whether breakers come early in a way, with more steps behind them. A core that issues in order begins them only
    // when the first step begins, and the next copy may wait for them: a Cortex-A55's movi takes as long as its "and".
    bool hides_breakers;
    // File of registers whose instructions may hold a pipe for longer than their result takes; 0: there is none.
    char held_file;
    const char *const *modes; // LLVM's names of registers of modes and states, up to null
    const char
        *sets_modes;   // beginning of the opcodes whose work is to set them; null: no form that writes one is measured
    const char *flags; // LLVM's name of the condition flags that kernels can name; null: there are none
    const struct way_hidden *hidden;   // up to one without a name; or null
    const struct way_reason *left_out; // opcodes that cannot be measured, up to one without a start; or null
    const struct way_reason *classes;  // likewise: register classes that no role can have
    const char *fixed_class;           // register class of one register, which stays in the text; null: none
    // Finds the register that LLVM's tables call `name`; null: it has the assembler's name.
    bool (*find_register)(const struct isa *isa, const char *name, struct register_name *found);
    // Whether `word` is the text of the register that LLVM's tables call `name`, where the assembler's names do not
    // tell registers apart that LLVM does. Null: they do.
    bool (*is_word)(const char *name, struct slice word);
    // Initial value of a vector or floating-point register that is one in each lane: "f32 1.0".
    const char *(*one)(const struct shape *shape, const struct shape_port *port);
    // Whether a general register is the distance of elements in memory; null: none is.
    bool (*is_stride)(const struct shape *shape, const struct shape_port *port);
    // Characters at the start of an example's text whose registers are no operands; null: none.
    size_t (*fixed_start)(const char *opcode, const char *text);
    // Lines around a form's instruction, such as directives: "" where there are none; null: none at all.
    const char *(*before)(const struct form *form);
    const char *after;
    const struct slots_filler *fillers; // candidates, the preferred ones first, up to one without a name; or null
    const struct way_probe *probes;     // up to one without a form; or null
    // What fillers are checked with. Simple instructions: of general registers, of memory, of vectors. One slot each on
    // all CPUs that are known. A load, which takes no pipe that a filler may need. A chain of two multiplications and
    // an addition: a core that issues in order lets all that follows wait with it.
    struct slots_mix simple, load, chain;
    // Whether a decoder may stall at the code's first instruction, by its encoding: then unrolled code shows that, and
    // not what execution takes. Null: no decoder of the ISA does.
    bool (*may_stall)(const uint8_t *code, size_t n_bytes);
};

const struct isa_traits *isa_traits_find(const struct isa *isa);
// The same as `may_stall`, of code in hexadecimal digits (struct table_value); null: no code.
bool isa_traits_may_stall(const struct isa *isa, const char *hex);

extern const struct isa_traits isa_traits_x86_64, isa_traits_aarch64, isa_traits_riscv64, isa_traits_armv7,
    isa_traits_mips;

#endif
