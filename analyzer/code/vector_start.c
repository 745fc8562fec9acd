#include "analyzer/code/vector_start.h"

#include "base/text.h"

const struct insn *vector_start_find(const char *triple, const struct block *block) {
    for (unsigned i = 0; text_starts(triple, "riscv") && i < block->n_insns; i++) {
        if (text_starts(block->insns[i].opcode, "VSET"))
            return NULL;
        if (vector_config_matters_to(block->insns[i].opcode))
            return &block->insns[i];
    }
    return NULL;
}

// Sources: the ISA manual, volume 1, "V" Standard Extension, 3.4 "vtype" and 6 "Configuration-Setting Instructions".
bool vector_start_left(const uint8_t *code, size_t n_bytes, struct vector_config *config) {
    enum { FULL = 3, FIELDS = 0x707f, SETS = 0x7057, BY_IMMEDIATE_LENGTH = 3, LARGEST_LMUL = 3 };
    const unsigned least_bits = 8;
    bool is_set = false;
    for (size_t at = 0; at + 4 <= n_bytes; at += (code[at] & FULL) == FULL ? 4 : 2) {
        const uint32_t word = (uint32_t)(code[at] | code[at + 1] << 8 | code[at + 2] << 16) | (uint32_t)code[at + 3]
                                                                                                  << 24;
        const unsigned type = word >> 20, lmul = type & 7;
        if ((word & FIELDS) != SETS || (word >> 31 && word >> 30 != BY_IMMEDIATE_LENGTH)) // vsetvl has it in a register
            continue;
        *config = (struct vector_config){.sew = least_bits << (type >> 3 & 7),
                                         .lmul = lmul > LARGEST_LMUL ? (int)lmul - 8 : (int)lmul};
        is_set = true;
    }
    return is_set;
}
