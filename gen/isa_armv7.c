// Armv7-A, A32 instructions: procedure call standard AAPCS, hard-float. Iterations are in r0 (low half) and r1, memory
// in r2. The callee saves r4 to r11 and d8 to d15.
//
// An entry of the vector file is a single-precision register: d1 is s2 and s3, q0 is d0 and d1. d16 to d31 follow (Arm
// ARM for Armv7, A2.6.2).
#include "gen/isa_tables.h"

#include "gen/armv7_text.h"
#include "gen/program.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const r[] = {"r0", "r1", "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
                                "r8", "r9", "r10", "r11", "r12", "r13", "r14", NULL};
static const char *const q[] = {ISA_NAMES_15("q"), NULL};
static const char *const d[] = {ISA_NAMES_31("d"), NULL};
// Of instructions that name a lane: scalars of 32 and of 16 bits (Arm ARM, A7.4.5).
static const char *const dlow[] = {ISA_NAMES_15("d"), NULL};
static const char *const dlane[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", NULL};
static const char *const s[] = {ISA_NAMES_31("s"), NULL};

static const struct register_class classes[] = {
    {"r", r, 'g', 32, 1, 0},
    {"q", q, 'v', 128, 4, 0},
    {"d", d, 'v', 64, 2, 0},
    {"s", s, 'v', 32, 1, 0},
    {"dlow", dlow, 'v', 64, 2, 0},
    {"dlane", dlane, 'v', 64, 2, 0},
    {0},
};

// Names of the procedure call standard (AAPCS, table 2), which GNU as also takes.
static const struct register_alias aliases[] = {
    {"a1", "r0"},  {"a2", "r1"},  {"a3", "r2"},  {"a4", "r3"},  {"v1", "r4"},  {"v2", "r5"}, {"v3", "r6"},
    {"v4", "r7"},  {"v5", "r8"},  {"v6", "r9"},  {"v7", "r10"}, {"v8", "r11"}, {"wr", "r7"}, {"sb", "r9"},
    {"sl", "r10"}, {"fp", "r11"}, {"ip", "r12"}, {"sp", "r13"}, {"lr", "r14"}, {NULL, NULL}};

// Saves an even number of registers, which keeps the stack aligned to 8 bytes. The counter has 32 bits: more iterations
// end in an illegal instruction.
static void emit_entry(struct text *out, const struct program *program) {
    text_add(out, "push {r3-r11, lr}\nvpush {d8-d15}\n");
    text_add(out, "cmp r1, #0\nbeq . + 8\nudf #0\n");
    text_addf(out, "mov %s, r0\n", program->loop_counter);
    text_add(out, "str r2, [r2]\n");
}

// Sets r12, which is reserved, to the address of the frame of an exit `ahead` bytes from here. Reads of the program
// counter return 8 bytes more (Arm ARM, A2.3).
static void emit_frame_address(struct text *out, int ahead) {
    text_addf(out, "sub r12, pc, #%d\nsub r12, r12, #%d\n", PROGRAM_FRAME_DISTANCE, 8 - ahead);
}

static void emit_start(struct text *out, const struct program *program) {
    emit_frame_address(out, PROGRAM_EXIT_OFFSET);
    text_addf(out, "b %s.entry\n", program->symbol);
}

static void emit_stack_leave(struct text *out, const struct program *program) {
    (void)program;
    text_add(out, "str sp, [r12]\n");
}

static void emit_stack_return(struct text *out, const struct program *program) {
    (void)program;
    emit_frame_address(out, 0);
    for (unsigned i = 0; i < 15; i++)
        if (i != 12)
            text_addf(out, "str r%u, [r12, #%u]\n", i, 4 * (1 + i));
    text_add(out, "ldr sp, [r12]\n");
}

static void emit_exit(struct text *out, const struct program *program) {
    (void)program;
    text_add(out, "vpop {d8-d15}\npop {r3-r11, pc}\n");
}

static void emit_loop_end(struct text *out, const struct program *program) {
    text_addf(out, "subs %s, %s, #1\n", program->loop_counter, program->loop_counter);
    text_addf(out, "bne %s.loop\n", program->symbol);
}

static void emit_general(struct text *out, const char *reg, uint64_t value) {
    text_addf(out, "movw %s, #%" PRIu64 "\n", reg, value & 0xffff);
    if (value >> 16 & 0xffff)
        text_addf(out, "movt %s, #%" PRIu64 "\n", reg, value >> 16 & 0xffff);
}

// Sets both halves of d register `number`, through r12, which is reserved. Uses instructions of the floating-point
// unit: cores without NEON also have them.
static void emit_double(struct text *out, unsigned number, uint64_t bits) {
    emit_general(out, "r12", bits & UINT32_MAX);
    text_addf(out, "vmov d%u, r12, r12\n", number);
    if (bits >> 32 == (bits & UINT32_MAX))
        return;
    emit_general(out, "r12", bits >> 32);
    text_addf(out, "vmov.32 d%u[1], r12\n", number);
}

static void emit_constant(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax) {
    (void)syntax;
    uint64_t pattern = isa_value_repeated(value);
    unsigned number = (unsigned)strtoul(reg + 1, NULL, 10);
    if (class->file == 'g') {
        emit_general(out, reg, value.bits);
    } else if (class->bits == 32) {
        emit_general(out, "r12", pattern & UINT32_MAX);
        text_addf(out, "vmov %s, r12\n", reg);
    } else if (class->bits == 64) {
        emit_double(out, number, pattern);
    } else {
        emit_double(out, 2 * number, pattern);
        emit_double(out, 2 * number + 1, pattern);
    }
}

static void emit_stack_pointer(struct text *out, uint64_t value, const char *syntax) {
    (void)syntax;
    emit_general(out, "r12", value);
    text_add(out, "mov sp, r12\n");
}

static void emit_move_memory(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "mov %s, r2\n", reg);
}

static void emit_displace(struct text *out, const char *reg, int bytes, const char *syntax) {
    (void)syntax;
    emit_general(out, "r12", (uint32_t)bytes);
    text_addf(out, "add %s, %s, r12\n", reg, reg);
}

static void emit_follow(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "ldr %s, [%s]\n", reg, reg);
}

// Displacements of ldr and ldrb, ldrh, vldr of a double: Arm ARM for Armv7, A8.8.63, A8.8.80, A8.8.333. NEON's loads
// have no displacement.
static struct isa_reach reach(unsigned bytes) {
    int most = bytes == 1 || bytes == 4 ? 4095 : bytes == 2 ? 255 : bytes == 8 ? 1020 : 0;
    return (struct isa_reach){-most, most};
}

const struct isa isa_armv7 = {
    .name = "armv7",
    .names = (const char *const[]){"arm", "armhf", "armv7-a", "armv7a", NULL},
    .triple = "armv7-unknown-linux-gnueabihf",
    .assembler = "arm-linux-gnueabihf-as",
    .assembler_package = "binutils-arm-linux-gnueabihf",
    // Blocks may use any extension; the CPU decides what it can run.
    .preamble = "    .syntax unified\n    .arch armv7ve\n    .fpu neon-vfpv4\n    .arm\n",
    .syntaxes = (const char *const[]){NULL},
    .syntax_directives = (const char *const[]){NULL},
    .comment = "@",
    .classes = classes,
    .aliases = aliases,
    .brace_words = (const char *const[]){"pc", "r15", NULL},
    .no_flags = "no instruction of armv7 counts a loop down without them, so that a chain through them is always cut",
    .loop_counters =
        (const char *const[]){"r11", "r10", "r9", "r8", "r7", "r6", "r5", "r4", "r3", "r14", "r1", "r0", NULL},
    .stack_pointer = "r13",
    .stack_number = 13,
    .memory = "r2",
    .reserved = (const char *const[]){"r2", "r12", "r13", NULL},
    .settle = "dsb sy\nisb sy\n",
    .loop_end = isa_two_instructions,
    .reach = reach,
    .instruction_bytes = isa_four_bytes,
    .leaves_loop = (const char *const[]){NULL},
    .would_leave_loop = armv7_leaves_loop,
    .add_implied = armv7_add_implied,
    .emit_entry = emit_entry,
    .emit_exit = emit_exit,
    .emit_loop_end = emit_loop_end,
    .emit_start = emit_start,
    .emit_stack_leave = emit_stack_leave,
    .emit_stack_return = emit_stack_return,
    .jump = "b",
    .nop = {{0x00, 0xf0, 0x20, 0xe3}, 4},
    .emit_stack_pointer = emit_stack_pointer,
    .emit_constant = emit_constant,
    .emit_move_memory = emit_move_memory,
    .emit_displace = emit_displace,
    .emit_follow = emit_follow,
};
