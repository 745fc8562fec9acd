// RISC-V: how a vector instruction is executed. The type of its elements, how many registers are a group, what becomes
// of elements that it does not write, how many elements there are, and whether it has a mask. A form with such a
// configuration is a form of its own, whose name states it: "VADD_VV-e32m2", "VADD_VV-e8mf4-half-tu-mu-mask".
// Sources: the ISA manual, volume 1, "V" Standard Extension (version 1.0), 3.4 "vtype", 3.5 "vl", 5.2 "Vector
// Operands".
#ifndef ANALYZER_CODE_VECTOR_CONFIG_H
#define ANALYZER_CODE_VECTOR_CONFIG_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct form;

enum vector_length {
    VECTOR_WHOLE, // as many elements as the group has (VLMAX)
    VECTOR_HALF,
    VECTOR_ODD, // one less than the group has
    VECTOR_ONE,
    VECTOR_N_LENGTHS
};

// Of gathers and scatters: where the elements are that the indices name, in memory or in a register group.
enum vector_order {
    VECTOR_SAME,      // all indices are zero
    VECTOR_ASCENDING, // one behind the other
    VECTOR_LINE,      // in memory: the same, within one line
    VECTOR_SPREAD,    // in memory: each in the next line, of 64; in a register group: the last element first
    VECTOR_N_ORDERS
};

struct vector_config {
    unsigned sew;                      // bits of an element: 8, 16, 32 or 64; 0: there is no configuration
    int lmul;                          // binary logarithm of a group's registers, -3 to 3
    bool keeps_tail, keeps_masked_off; // "tu", "mu": elements that are not written stay as they were
    bool has_mask;                     // v0, all of whose bits are set
    enum vector_length length;
    enum vector_order order;
};

// Pairs of element and group that the manual allows where elements have at most 64 bits.
enum { VECTOR_N_PAIRS = 22, VECTOR_MOST_SETUP_BYTES = 16 };
struct vector_config vector_config_pair(unsigned number);

// "e32m2-half-tu-mask". Parsing fails (false) at anything else, and at a pair that is not among these.
bool vector_config_parse(const char *text, struct vector_config *config);
void vector_config_print(const struct vector_config *config, struct text *out);
// Adds the pair alone: "e32m2".
void vector_config_print_pair(const struct vector_config *config, struct text *out);
bool vector_config_is_same(const struct vector_config *a, const struct vector_config *b);

// That of other instructions beside it: without a mask, and without indices.
struct vector_config vector_config_of_partners(const struct vector_config *config);

// Whether it is among these; and adds it to them unless it is, which it returns.
bool vector_config_is_among(const struct vector_config *configs, size_t n, const struct vector_config *config);
bool vector_config_add(struct arena *arena, struct vector_config **configs, size_t *n,
                       const struct vector_config *config);

// Returns the part of a form's name that states its configuration, which it sets (null: nobody asks); null: the name
// has none.
const char *vector_config_in_name(const char *form, struct vector_config *config);
// An opcode with its pair: "VADD_VV-e32m2".
const char *vector_config_unit(struct arena *arena, const char *opcode, const struct vector_config *config);

// Instructions that set it up, with "; " between them, and their machine code. They change x31.
const char *vector_config_setup(struct arena *arena, const struct vector_config *config);
unsigned vector_config_setup_bytes(const struct vector_config *config, uint8_t code[VECTOR_MOST_SETUP_BYTES]);

// Whether an operand of an opcode, by LLVM's number, is a vector of indices. And instructions that fill it, the role
// `role`, in the configuration's order, behind which the configuration must be set up; "": they are all zero.
bool vector_config_is_index(const char *opcode, unsigned operand);
const char *vector_config_fill_indices(struct arena *arena, const char *opcode, const struct vector_config *config,
                                       const char *role);

// Whole registers of a group: 1, 2, 4 or 8.
unsigned vector_config_registers(const struct vector_config *config);

// Whether what the form, or an opcode of RISC-V's that begins with V, does depends on the configuration.
bool vector_config_matters(const struct form *form);
bool vector_config_matters_to(const char *opcode);

// Why the manual does not allow a pair for an opcode; null: it does.
const char *vector_config_refuse_pair(struct arena *arena, const char *opcode, const struct vector_config *pair);

// Sets the groups of a form's vector operands. Each is at least as large as the configuration's: so it may be a source,
// or the result, of the instructions that close a chain.
struct form_operand;
void vector_config_set_groups(const char *opcode, const struct vector_config *config, struct form_operand *operands,
                              unsigned n);

// Makes of a form, which has none, the one with a configuration: another name, set-up and registers of its operands;
// with a mask, another text and code. Where the manual does not allow it, `refused` of the form states why.
// `mask`: LLVM's number of register v0. The scheduling class stays.
void vector_config_apply(struct arena *arena, const struct form *from, const struct vector_config *config,
                         uint16_t mask, struct form *made);

// A list of configurations: "e32m1,e8mf2-mask", "all", "all-tu-mask". `all` stands for each pair.
bool vector_config_parse_list(struct arena *arena, const char *const *texts, size_t n,
                              const struct vector_config **configs, size_t *n_configs, struct fail *fail);

#endif
