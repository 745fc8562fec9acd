// References in linked code for RISC-V: distances in two halves, auipc and what adds the low 12 bits, and jumps out of
// a function. The manual's volume 1, chapter 34, has the encodings.
#include "blocks/linker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, LOW_BITS = 12, GP = 3 };

// What adds a low half to register `base`: its kind of reference, and the half. 0: the instruction does not.
static unsigned low_half(uint32_t word, unsigned base, int32_t *low) {
    enum { LOAD = 0x03, LOAD_FP = 0x07, OP_IMM = 0x13, STORE = 0x23, STORE_FP = 0x27, JALR = 0x67 };
    unsigned opcode = word & 0x7f, function = word >> 12 & 7;
    if ((word >> 15 & 0x1f) != base)
        return 0;
    if (opcode == LOAD || opcode == LOAD_FP || opcode == JALR || (opcode == OP_IMM && function == 0)) {
        *low = (int32_t)word >> 20;
        return R_RISCV_PCREL_LO12_I;
    }
    if (opcode == STORE || opcode == STORE_FP) {
        *low = (int32_t)word >> 25 << 5 | (int32_t)(word >> 7 & 0x1f);
        return R_RISCV_PCREL_LO12_S;
    }
    return 0;
}

static bool writes(const struct object_linker *linker, const struct insn *insn, unsigned number) {
    for (unsigned i = 0; i < insn->n_writes; i++) {
        const char *name = linker->decoder.machine->registers[insn->writes[i].reg].name;
        if (insn->writes[i].reg && name[0] == 'X' && strtoul(name + 1, NULL, 10) == number)
            return true;
    }
    return false;
}

static uint32_t word_at(const struct object_linker *linker, size_t offset) {
    uint32_t word;
    memcpy(&word, linker->piece->bytes + offset, sizeof word);
    return word;
}

static bool refuse(const struct object_linker *linker, const struct insn *insn, const char *why) {
    return fail_at(linker->fail, linker->file->path, 0, 0, "%s: `%s` %s", linker->piece->name, insn->text, why);
}

// Takes an auipc with all that adds its low half, up to where its register gets another value.
static bool take_distance(struct object_linker *linker, const struct block *block, unsigned first, size_t offset) {
    uint32_t high = word_at(linker, offset);
    unsigned reg = high >> 7 & 0x1f;
    uint64_t target = 0, page = linker_piece(linker) + offset + (uint64_t)(int64_t)(int32_t)(high & 0xfffff000);
    size_t at = offset;
    for (unsigned i = first + 1; i < block->n_insns; i++) {
        int32_t low = 0;
        at += block->insns[i - 1].n_bytes;
        unsigned type = block->insns[i].n_bytes == WORD ? low_half(word_at(linker, at), reg, &low) : 0;
        uint64_t meant = page + (uint64_t)(int64_t)low;
        if (type && linker_is_own(linker, meant))
            return true; // it moves with the piece
        if (type && !target) {
            target = meant;
            linker_add_fixup(linker, offset, R_RISCV_PCREL_HI20, target);
        }
        if (type && meant == target)
            linker_add_fixup(linker, at, type, target + (at - offset));
        if (writes(linker, &block->insns[i], reg))
            break;
    }
    return target ? linker_check_target(linker, linker->piece->name, target)
                  : refuse(linker, &block->insns[first], "has no second half here: give the object instead");
}

// Takes a call, or a jump out of a function, that states its distance.
static bool take_jump(struct object_linker *linker, const struct insn *insn, size_t offset, uint64_t target) {
    enum { JAL = 0x6f, REACH = 1 << 20, ROOM = 1 << 18 }; // of jal; between the last section and the end of the code
    if (insn->n_bytes < WORD || (word_at(linker, offset) & 0x7f) != JAL)
        return refuse(linker, insn,
                      "goes to other code by a distance that does not reach it from here: give the object "
                      "instead");
    if (linker->end + ROOM - target > REACH)
        return refuse(linker, insn,
                      "goes to what lies more than 1 MiB from its place here: give the object instead, or "
                      "link fewer");
    linker_add_fixup(linker, offset, R_RISCV_JAL, target);
    return linker_check_target(linker, linker->piece->name, target);
}

static bool take(struct object_linker *linker, const struct block *block, unsigned index, size_t offset) {
    enum { AUIPC = 0x17 };
    const struct insn *insn = &block->insns[index];
    uint64_t target = linker_piece(linker) + offset + (uint64_t)insn->displacement;
    int32_t low;
    if (insn->is_direct) {
        bool leaves = (insn->is_call || linker->piece->is_function) && !linker_is_own(linker, target);
        return !leaves || take_jump(linker, insn, offset, target);
    }
    if (insn->n_bytes == WORD && (word_at(linker, offset) & 0x7f) == AUIPC)
        return take_distance(linker, block, index, offset);
    if (insn->n_bytes == WORD && low_half(word_at(linker, offset), GP, &low))
        return refuse(linker, insn,
                      "finds data by gp, which is not the program's here: link with -Wl,--no-relax-gp, or "
                      "give the object instead");
    return true;
}

bool linker_read_riscv(struct object_linker *linker) {
    struct block block;
    struct fail why = {0};
    size_t offset = 0;
    if (!decoder_decode_code(&linker->decoder, linker->arena, linker->piece->bytes, linker->piece->n_bytes, &block,
                             &why))
        return true; // the block is refused for that
    for (unsigned i = 0; i < block.n_insns; offset += block.insns[i++].n_bytes)
        if (!take(linker, &block, i, offset))
            return false;
    return true;
}
