// MIPS32, big and little endian: o32 calling convention (MIPS ABI supplement, 3-11 to 3-17). Iterations are in $a0 and
// $a1, with the high half in $a0 on big-endian machines and in $a1 on little-endian ones. Memory is in $a2. The callee
// saves $s0 to $s7, $fp and $f20 to $f30.
//
// Delay slots: the instruction after a branch executes before the branch takes effect. So the loop's branch has the
// count in its slot. The text forbids the assembler to reorder: the body runs as written, and each branch in it has its
// slot.
#include "gen/isa_tables.h"

#include "gen/program.h"
#include "gen/registers.h"

#include <inttypes.h>
#include <string.h>

static const char *const r[] = {"$zero", "$at", "$v0", "$v1", "$a0", "$a1", "$a2", "$a3", "$t0", "$t1", "$t2",
                                "$t3",   "$t4", "$t5", "$t6", "$t7", "$s0", "$s1", "$s2", "$s3", "$s4", "$s5",
                                "$s6",   "$s7", "$t8", "$t9", "$k0", "$k1", "$gp", "$sp", "$fp", "$ra", NULL};
// Even registers only: with 32-bit floating-point registers, which every core has, a double takes an even one and the
// next.
static const char *const f[] = {"$f0",  "$f2",  "$f4",  "$f6",  "$f8",  "$f10", "$f12", "$f14", "$f16",
                                "$f18", "$f20", "$f22", "$f24", "$f26", "$f28", "$f30", NULL};
static const char *const ac[] = {"$ac0", "$ac1", "$ac2", "$ac3", NULL};
// HI and LO, the first accumulator, which multiplies change without naming it. A role of this class may be anywhere in
// the instruction, and has no text.
static const char *const hilo[] = {"", NULL};

static const struct register_class classes[] = {
    {"r", r, 'g', 32, 1, 0},   {"d", f, 'f', 64, 1, 0},       {"s", f, 'f', 32, 1, 0},
    {"ac", ac, 'a', 64, 1, 0}, {"hilo", hilo, 'a', 64, 1, 0}, {0},
};

// An odd floating-point register is the upper half of a double.
static const struct register_alias aliases[] = {
    {"$0", "$zero"},  {"$1", "$at"},    {"$2", "$v0"},    {"$3", "$v1"},    {"$4", "$a0"},    {"$5", "$a1"},
    {"$6", "$a2"},    {"$7", "$a3"},    {"$8", "$t0"},    {"$9", "$t1"},    {"$10", "$t2"},   {"$11", "$t3"},
    {"$12", "$t4"},   {"$13", "$t5"},   {"$14", "$t6"},   {"$15", "$t7"},   {"$16", "$s0"},   {"$17", "$s1"},
    {"$18", "$s2"},   {"$19", "$s3"},   {"$20", "$s4"},   {"$21", "$s5"},   {"$22", "$s6"},   {"$23", "$s7"},
    {"$24", "$t8"},   {"$25", "$t9"},   {"$26", "$k0"},   {"$27", "$k1"},   {"$28", "$gp"},   {"$29", "$sp"},
    {"$30", "$fp"},   {"$31", "$ra"},   {"$s8", "$fp"},   {"$f1", "$f0"},   {"$f3", "$f2"},   {"$f5", "$f4"},
    {"$f7", "$f6"},   {"$f9", "$f8"},   {"$f11", "$f10"}, {"$f13", "$f12"}, {"$f15", "$f14"}, {"$f17", "$f16"},
    {"$f19", "$f18"}, {"$f21", "$f20"}, {"$f23", "$f22"}, {"$f25", "$f24"}, {"$f27", "$f26"}, {"$f29", "$f28"},
    {"$f31", "$f30"}, {NULL, NULL}};

static const char *const saved[] = {"$s0", "$s1", "$s2", "$s3", "$s4", "$s5", "$s6", "$s7", "$fp", "$ra"};
static const char *const saved_doubles[] = {"$f20", "$f22", "$f24", "$f26", "$f28", "$f30"};
enum {
    N_SAVED = sizeof saved / sizeof *saved,
    N_DOUBLES = sizeof saved_doubles / sizeof *saved_doubles,
    FRAME_BYTES = 4 * N_SAVED + 8 * N_DOUBLES, // a multiple of 8, as the stack pointer must be
};

// Whether the program uses floating-point registers. Many of these cores, such as the 24Kc, have none.
static bool has_floats(const struct program *program) {
    struct register_set named = {0};
    register_set_add_text(&named, isa_find(program->isa), program->body);
    register_set_add_text(&named, isa_find(program->isa), program->setup);
    return named.files[register_file_index('f')] != 0;
}

static void emit_frame(struct text *out, const struct program *program, const char *word, const char *doubleword) {
    for (int i = 0; i < N_SAVED; i++)
        text_addf(out, "%s %s, %d($sp)\n", word, saved[i], 8 * N_DOUBLES + 4 * i);
    for (int i = 0; i < N_DOUBLES && has_floats(program); i++)
        text_addf(out, "%s %s, %d($sp)\n", doubleword, saved_doubles[i], 8 * i);
}

// The counter has 32 bits: more iterations end in a trap. It starts one lower, because the branch tests it before its
// slot counts it down.
static void emit_entry(struct text *out, const struct program *program) {
    bool is_little = strcmp(program->isa, "mipsel") == 0;
    text_addf(out, "addiu $sp, $sp, %d\n", -FRAME_BYTES);
    emit_frame(out, program, "sw", "sdc1");
    text_addf(out, "tne %s, $zero\n", is_little ? "$a1" : "$a0");
    text_addf(out, "addiu %s, %s, -1\n", program->loop_counter, is_little ? "$a0" : "$a1");
    text_add(out, "sw $a2, 0($a2)\n");
}

// Sets $at, the assembler's register, to the address of the frame of an exit `ahead` bytes from here. Only the link
// register gives access to the program counter.
static void emit_frame_address(struct text *out, int ahead) {
    text_addf(out, ".set noat\nbal . + 8\nlui $at, %d\nsubu $at, $ra, $at\naddiu $at, $at, %d\n",
              PROGRAM_FRAME_DISTANCE >> 16, ahead - 8);
}

static void emit_start(struct text *out, const struct program *program) {
    text_add(out, "move $v0, $ra\n");
    emit_frame_address(out, PROGRAM_EXIT_OFFSET - 4);
    text_addf(out, "move $ra, $v0\nb %s.entry\nnop\n", program->symbol);
}

static void emit_stack_leave(struct text *out, const struct program *program) {
    (void)program;
    text_add(out, "sw $sp, 0($at)\n.set at\n");
}

static void emit_stack_return(struct text *out, const struct program *program) {
    (void)program;
    emit_frame_address(out, 0);
    for (unsigned i = 2; i < 31; i++)
        text_addf(out, "sw $%u, %u($at)\n", i, 4 * (1 + i));
    text_add(out, "lw $sp, 0($at)\n.set at\n");
}

static void emit_exit(struct text *out, const struct program *program) {
    emit_frame(out, program, "lw", "ldc1");
    text_addf(out, "jr $ra\naddiu $sp, $sp, %d\n", FRAME_BYTES);
}

static void emit_loop_end(struct text *out, const struct program *program) {
    text_addf(out, "bnez %s, %s.loop\n", program->loop_counter, program->symbol);
    text_addf(out, "addiu %s, %s, -1\n", program->loop_counter, program->loop_counter);
}

// Moves a constant through $at, the assembler's register, which roles do not get. Directives allow that. `to` may be
// empty.
static void emit_carried(struct text *out, const char *move, const char *to, uint64_t bits) {
    const char *comma = *to ? ", " : "";
    if (bits & UINT32_MAX)
        text_addf(out, ".set noat\nli $at, 0x%" PRIx64 "\n%s $at%s%s\n.set at\n", bits & UINT32_MAX, move, comma, to);
    else
        text_addf(out, "%s $zero%s%s\n", move, comma, to);
}

static void emit_constant(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax) {
    (void)syntax;
    uint64_t pattern = isa_value_repeated(value);
    if (class->file == 'g') {
        text_addf(out, "li %s, 0x%" PRIx64 "\n", reg, value.bits & UINT32_MAX);
    } else if (class->file == 'a') {
        emit_carried(out, "mtlo", reg, value.bits);
        emit_carried(out, "mthi", reg, value.bits >> 32);
    } else {
        emit_carried(out, "mtc1", reg, pattern & UINT32_MAX);
        if (class->bits == 64)
            emit_carried(out, "mthc1", reg, pattern >> 32);
    }
}

static void emit_stack_pointer(struct text *out, uint64_t value, const char *syntax) {
    (void)syntax;
    text_addf(out, "li $sp, 0x%" PRIx64 "\n", value);
}

static void emit_move_memory(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "move %s, $a2\n", reg);
}

static void emit_displace(struct text *out, const char *reg, int bytes, const char *syntax) {
    (void)syntax;
    text_addf(out, "addiu %s, %s, %d\n", reg, reg, bytes);
}

static void emit_follow(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "lw %s, 0(%s)\n", reg, reg);
}

static struct isa_reach reach(unsigned bytes) {
    (void)bytes;
    return (struct isa_reach){INT16_MIN, INT16_MAX};
}

// Everything but the name and what depends on the byte order.
#define MIPS32                                                                                                         \
    /* Blocks may use any extension; the CPU decides what it can run. */                                               \
    .preamble = "    .module arch=mips32r2\n    .module fp=32\n    .module dspr2\n    .set noreorder\n",               \
    .syntaxes = (const char *const[]){NULL}, .syntax_directives = (const char *const[]){NULL}, .comment = "#",         \
    .classes = classes, .aliases = aliases, .brace_words = (const char *const[]){NULL},                                \
    .no_flags = "mips has no condition flags",                                                                         \
    .loop_counters = (const char *const[]){"$t9", "$t8", "$s7", "$s6", "$s5", "$s4", "$s3", "$s2",                     \
                                           "$s1", "$s0", "$t7", "$t6", "$t5", "$t4", NULL},                            \
    .stack_pointer = "$sp", .stack_number = 29, .memory = "$a2",                                                       \
    .reserved = (const char *const[]){"$zero", "$at", "$a2", "$k0", "$k1", "$gp", "$sp", NULL},                        \
    .settle = "sync\nehb\n", .loop_end = isa_two_instructions, .reach = reach, .instruction_bytes = isa_four_bytes,    \
    .leaves_loop = (const char *const[]){"jr", NULL}, .emit_entry = emit_entry, .emit_exit = emit_exit,                \
    .emit_loop_end = emit_loop_end, .emit_start = emit_start, .emit_stack_leave = emit_stack_leave,                    \
    .emit_stack_return = emit_stack_return, .jump = "b", .nop = {{0}, 4}, .delay_slot = "nop\n",                       \
    .emit_stack_pointer = emit_stack_pointer, .emit_constant = emit_constant, .emit_move_memory = emit_move_memory,    \
    .emit_displace = emit_displace, .emit_follow = emit_follow

const struct isa isa_mips = {
    .name = "mips",
    .names = (const char *const[]){"mips32", "mipseb", NULL},
    .triple = "mips-unknown-linux-gnu",
    .assembler = "mips-linux-gnu-as",
    .assembler_package = "binutils-mips-linux-gnu",
    MIPS32,
};

const struct isa isa_mipsel = {
    .name = "mipsel",
    .names = (const char *const[]){"mips32el", NULL},
    .family = "mips",
    .triple = "mipsel-unknown-linux-gnu",
    .assembler = "mipsel-linux-gnu-as",
    .assembler_package = "binutils-mipsel-linux-gnu",
    MIPS32,
};
