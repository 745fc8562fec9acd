// Decodes a piece of code with LLVM, without a scheduling model. So it also knows instructions that no model describes.
#ifndef BLOCKS_DECODER_H
#define BLOCKS_DECODER_H

#include "analyzer/model/backend.h"
#include "gen/block.h"
#include "gen/isa.h"

struct decoder {
    const struct backend *backend;
    struct backend_cpu *cpu;
    const struct machine *machine; // for the names of registers
};

// The CPU and features, LLVM's names, with which LLVM decodes all instructions of an ISA, on any host.
struct decoder_cpu {
    const char *cpu, *features;
};
struct decoder_cpu decoder_widest(const struct isa *isa);

// `llvm`: as in backend_load.
bool decoder_open(struct decoder *decoder, struct arena *arena, const struct isa *isa, const char *llvm,
                  struct fail *fail);
void decoder_close(struct decoder *decoder); // also where it was not opened

// Instructions, with their text in Intel's syntax where there is a choice, and spaces for LLVM's tabs.
bool decoder_decode(const struct decoder *decoder, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                    struct block *block, struct fail *fail);

// The same of code that is to run, and may have data between its instructions: nops stand for these (hidden_data.h).
bool decoder_decode_code(const struct decoder *decoder, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                         struct block *block, struct fail *fail);

// Finds the facts that the generator needs.
void decoder_facts(const struct decoder *decoder, struct arena *arena, const struct block *block,
                   struct block_facts *facts);

// Whether an instruction writes a register, a part of it, or one that it is a part of.
bool decoder_writes(const struct machine *machine, const struct insn *insn, uint16_t reg);

uint16_t decoder_stack_pointer(const struct decoder *decoder); // number of the machine's register; 0: there is none

#endif
