// Sources of the types and fields: System V ABI, AMD64 supplement, 4.4; ELF for the Arm 64-bit architecture, 5.7;
// RISC-V ELF psABI, "Relocations".
#include "gen/link.h"

#include <elf.h>
#include <string.h>

// How a relocation is filled in.
enum way {
    NOTHING,
    DISTANCE, // target - place, in `bytes` bytes
    ADDRESS,  // target, with zeros above
    ADDRESS_SIGNED,
    A64_PAGES,    // adrp: distance of pages of 4 KiB
    A64_DISTANCE, // adr
    A64_LOW,      // low 12 bits, over 1 << shift
    A64_BRANCH,   // `bits` bits of instructions
    RISCV_CALL,   // auipc and jalr
    RISCV_BRANCH,
    RISCV_JAL,
    RISCV_C_BRANCH,
    RISCV_C_JUMP,
    RISCV_HIGH,          // lui: address, rounded so that a signed low part follows
    RISCV_HIGH_DISTANCE, // auipc
    RISCV_LOW_I,         // signed low 12 bits of an address, or of a distance from here
    RISCV_LOW_S,
};
enum { FROM_HERE = 1 };

#define TYPE(machine, type, way, bytes, detail)                                                                        \
    { EM_##machine, R_##machine##_##type, "R_" #machine "_" #type, way, bytes, detail }

static const struct type {
    unsigned machine, number;
    const char *name;
    enum way way;
    unsigned char bytes;
    unsigned char detail; // shift, number of bits, or FROM_HERE
} types[] = {
    TYPE(X86_64, NONE, NOTHING, 0, 0),
    TYPE(X86_64, PC32, DISTANCE, 4, 0),
    TYPE(X86_64, PC64, DISTANCE, 8, 0),
    TYPE(X86_64, 32, ADDRESS, 4, 0),
    TYPE(X86_64, 32S, ADDRESS_SIGNED, 4, 0),
    TYPE(X86_64, 64, ADDRESS, 8, 0),
    TYPE(AARCH64, NONE, NOTHING, 0, 0),
    TYPE(AARCH64, PREL32, DISTANCE, 4, 0),
    TYPE(AARCH64, PREL64, DISTANCE, 8, 0),
    TYPE(AARCH64, ABS64, ADDRESS, 8, 0),
    TYPE(AARCH64, ABS32, ADDRESS, 4, 0),
    TYPE(AARCH64, ADR_PREL_PG_HI21, A64_PAGES, 4, 0),
    TYPE(AARCH64, ADR_PREL_LO21, A64_DISTANCE, 4, 0),
    TYPE(AARCH64, ADD_ABS_LO12_NC, A64_LOW, 4, 0),
    TYPE(AARCH64, LDST8_ABS_LO12_NC, A64_LOW, 4, 0),
    TYPE(AARCH64, LDST16_ABS_LO12_NC, A64_LOW, 4, 1),
    TYPE(AARCH64, LDST32_ABS_LO12_NC, A64_LOW, 4, 2),
    TYPE(AARCH64, LDST64_ABS_LO12_NC, A64_LOW, 4, 3),
    TYPE(AARCH64, LDST128_ABS_LO12_NC, A64_LOW, 4, 4),
    TYPE(AARCH64, CALL26, A64_BRANCH, 4, 26),
    TYPE(AARCH64, JUMP26, A64_BRANCH, 4, 26),
    TYPE(AARCH64, CONDBR19, A64_BRANCH, 4, 19),
    TYPE(AARCH64, LD_PREL_LO19, A64_BRANCH, 4, 19),
    TYPE(RISCV, NONE, NOTHING, 0, 0),
    TYPE(RISCV, 32, ADDRESS, 4, 0),
    TYPE(RISCV, 64, ADDRESS, 8, 0),
    TYPE(RISCV, 32_PCREL, DISTANCE, 4, 0),
    TYPE(RISCV, CALL, RISCV_CALL, 8, 0),
    TYPE(RISCV, CALL_PLT, RISCV_CALL, 8, 0),
    TYPE(RISCV, BRANCH, RISCV_BRANCH, 4, 0),
    TYPE(RISCV, JAL, RISCV_JAL, 4, 0),
    TYPE(RISCV, RVC_BRANCH, RISCV_C_BRANCH, 2, 0),
    TYPE(RISCV, RVC_JUMP, RISCV_C_JUMP, 2, 0),
    TYPE(RISCV, HI20, RISCV_HIGH, 4, 0),
    TYPE(RISCV, LO12_I, RISCV_LOW_I, 4, 0),
    TYPE(RISCV, LO12_S, RISCV_LOW_S, 4, 0),
    TYPE(RISCV, PCREL_HI20, RISCV_HIGH_DISTANCE, 4, 0),
    TYPE(RISCV, PCREL_LO12_I, RISCV_LOW_I, 4, FROM_HERE),
    TYPE(RISCV, PCREL_LO12_S, RISCV_LOW_S, 4, FROM_HERE),
};

static const struct type *find(unsigned machine, unsigned number) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].machine == machine && types[i].number == number)
            return &types[i];
    return NULL;
}

const char *link_type_name(unsigned machine, unsigned type) {
    const struct type *found = find(machine, type);
    return found ? found->name : NULL;
}

const char *link_nothing_name(unsigned machine) {
    return link_type_name(machine, R_X86_64_NONE); // 0 on each machine
}

bool link_is_nothing(unsigned machine, unsigned type) {
    const struct type *found = find(machine, type);
    return found && found->way == NOTHING;
}

unsigned link_type_bytes(unsigned machine, unsigned type) {
    const struct type *found = find(machine, type);
    return found ? found->bytes : 0;
}

// ---- fields, in the order of little-endian bytes, which all of these machines have

static uint32_t get(const uint8_t *at, unsigned n_bytes) {
    uint32_t word = 0;
    for (unsigned i = 0; i < n_bytes; i++)
        word |= (uint32_t)at[i] << 8 * i;
    return word;
}

static void put(uint8_t *at, uint64_t word, unsigned n_bytes) {
    for (unsigned i = 0; i < n_bytes; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

// Replaces the bits of `mask` in the instruction at `at`.
static void put_bits(uint8_t *at, unsigned n_bytes, uint32_t mask, uint32_t bits) {
    put(at, (get(at, n_bytes) & ~mask) | (bits & mask), n_bytes);
}

static bool fits(int64_t value, unsigned bits) {
    return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1);
}

static bool put_number(const struct type *type, const struct link_place *place, uint64_t value) {
    enum { WORD = 4, WORD_BITS = 32 };
    put(place->bytes, value, type->bytes);
    if (type->bytes > WORD)
        return true;
    return type->way == ADDRESS ? value >> WORD_BITS == 0 : fits((int64_t)value, WORD_BITS);
}

// ---- AArch64

static bool put_a64_distance(const struct link_place *place, int64_t distance) {
    enum { BITS = 21, LOW_SHIFT = 29, HIGH_SHIFT = 5 };
    uint32_t low = (uint32_t)distance & 3, high = (uint32_t)(distance >> 2) & 0x7ffff;
    put_bits(place->bytes, 4, 0x60ffffe0, low << LOW_SHIFT | high << HIGH_SHIFT);
    return fits(distance, BITS);
}

static bool put_a64(const struct type *type, const struct link_place *place) {
    enum { PAGE_SHIFT = 12, PAGE_MASK = 0xfff, LOW_SHIFT = 10, BRANCH_SHIFT = 5 };
    int64_t distance = (int64_t)(place->target - place->address);
    uint32_t low = (uint32_t)place->target & PAGE_MASK, in_insn = (uint32_t)(distance >> 2);
    switch ((int)type->way) {
    case A64_PAGES:
        return put_a64_distance(place,
                                (int64_t)(place->target >> PAGE_SHIFT) - (int64_t)(place->address >> PAGE_SHIFT));
    case A64_DISTANCE:
        return put_a64_distance(place, distance);
    case A64_LOW:
        put_bits(place->bytes, 4, PAGE_MASK << LOW_SHIFT, low >> type->detail << LOW_SHIFT);
        return low % (1U << type->detail) == 0;
    default:
        put_bits(place->bytes, 4, type->detail == 26 ? 0x3ffffff : 0xffffe0,
                 type->detail == 26 ? in_insn : in_insn << BRANCH_SHIFT);
        return distance % 4 == 0 && fits(distance, type->detail + 2U);
    }
}

// ---- RISC-V. The manual's volume 1, 2.3 (immediates), 18.2 (compressed instructions).

static uint32_t move(int64_t value, unsigned from, unsigned n, unsigned to) {
    return (uint32_t)(((uint64_t)value >> from & ((UINT64_C(1) << n) - 1)) << to);
}

static bool put_riscv_branch(const struct type *type, const struct link_place *place, int64_t d) {
    switch ((int)type->way) {
    case RISCV_BRANCH:
        put_bits(place->bytes, 4, 0xfe000f80,
                 move(d, 12, 1, 31) | move(d, 5, 6, 25) | move(d, 1, 4, 8) | move(d, 11, 1, 7));
        return fits(d, 13);
    case RISCV_JAL:
        put_bits(place->bytes, 4, 0xfffff000,
                 move(d, 20, 1, 31) | move(d, 1, 10, 21) | move(d, 11, 1, 20) | move(d, 12, 8, 12));
        return fits(d, 21);
    case RISCV_C_BRANCH:
        put_bits(place->bytes, 2, 0x1c7c,
                 move(d, 8, 1, 12) | move(d, 3, 2, 10) | move(d, 6, 2, 5) | move(d, 1, 2, 3) | move(d, 5, 1, 2));
        return fits(d, 9);
    default:
        put_bits(place->bytes, 2, 0x1ffc,
                 move(d, 11, 1, 12) | move(d, 4, 1, 11) | move(d, 8, 2, 9) | move(d, 10, 1, 8) | move(d, 6, 1, 7) |
                     move(d, 7, 1, 6) | move(d, 1, 3, 3) | move(d, 5, 1, 2));
        return fits(d, 12);
    }
}

static bool put_riscv_high(uint8_t *at, int64_t value) {
    enum { LOW_HALF = 0x800, LOW_BITS = 12, WORD_BITS = 32 };
    put_bits(at, 4, 0xfffff000, (uint32_t)(value + LOW_HALF) >> LOW_BITS << LOW_BITS);
    return fits(value + LOW_HALF, WORD_BITS);
}

static bool put_riscv(const struct type *type, const struct link_place *place) {
    enum { SECOND = 4 };
    int64_t target = (int64_t)place->target, distance = (int64_t)(place->target - place->address);
    int64_t low = type->detail == FROM_HERE ? distance : target;
    switch ((int)type->way) {
    case RISCV_HIGH:
        return put_riscv_high(place->bytes, target);
    case RISCV_HIGH_DISTANCE:
        return put_riscv_high(place->bytes, distance);
    case RISCV_CALL:
        put_bits(place->bytes + SECOND, 4, 0xfff00000, move(distance, 0, 12, 20));
        return put_riscv_high(place->bytes, distance);
    case RISCV_LOW_I:
        put_bits(place->bytes, 4, 0xfff00000, move(low, 0, 12, 20));
        return true;
    case RISCV_LOW_S:
        put_bits(place->bytes, 4, 0xfe000f80, move(low, 5, 7, 25) | move(low, 0, 5, 7));
        return true;
    default:
        return put_riscv_branch(type, place, distance);
    }
}

bool link_apply(unsigned machine, unsigned type, const struct link_place *place) {
    const struct type *found = find(machine, type);
    if (!found)
        return false;
    switch (found->way) {
    case NOTHING:
        return true;
    case DISTANCE:
        return put_number(found, place, place->target - place->address);
    case ADDRESS:
    case ADDRESS_SIGNED:
        return put_number(found, place, place->target);
    case A64_PAGES:
    case A64_DISTANCE:
    case A64_LOW:
    case A64_BRANCH:
        return put_a64(found, place);
    case RISCV_CALL:
    case RISCV_BRANCH:
    case RISCV_JAL:
    case RISCV_C_BRANCH:
    case RISCV_C_JUMP:
    case RISCV_HIGH:
    case RISCV_HIGH_DISTANCE:
    case RISCV_LOW_I:
    case RISCV_LOW_S:
        return put_riscv(found, place);
    }
    return false;
}
