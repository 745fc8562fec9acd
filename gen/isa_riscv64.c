// RISC-V, 64 bits: LP64D calling convention. Iterations are in x10, memory in x11. The callee saves x8, x9, x18 to x27,
// and f8, f9, f18 to f27; x3 and x4 belong to the platform.
//
// Instructions are neither compressed nor relaxed: copies of a body are equal, and bytes are final without a linker.
#include "gen/isa_tables.h"

#include "gen/program.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const x[] = {ISA_NAMES_31("x"), NULL};
static const char *const f[] = {ISA_NAMES_31("f"), NULL};
static const char *const v[] = {ISA_NAMES_31("v"), NULL};
// Registers of compressed instructions: those from number 8.
static const char *const xc[] = {ISA_NAMES_15("x"), NULL};
static const char *const fc[] = {ISA_NAMES_15("f"), NULL};

// Groups of vector registers, and lists of them: each covers those that follow.
static const char *const vg2[] = {"v0",  "v2",  "v4",  "v6",  "v8",  "v10", "v12", "v14", "v16",
                                  "v18", "v20", "v22", "v24", "v26", "v28", "v30", NULL};
static const char *const vg3[] = {"v0", "v3", "v6", "v9", "v12", "v15", "v18", "v21", "v24", "v27", NULL};
static const char *const vg4[] = {"v0", "v4", "v8", "v12", "v16", "v20", "v24", "v28", NULL};
static const char *const vg5[] = {"v0", "v5", "v10", "v15", "v20", "v25", NULL};
static const char *const vg6[] = {"v0", "v6", "v12", "v18", "v24", NULL};
static const char *const vg7[] = {"v0", "v7", "v14", "v21", NULL};
static const char *const vg8[] = {"v0", "v8", "v16", "v24", NULL};

// The width of v is the least one that the application profiles allow.
static const struct register_class classes[] = {
    {"x", x, 'g', 64, 1, 0},      {"d", f, 'f', 64, 1, 0},       {"s", f, 'f', 32, 1, 0},
    {"v", v, 'v', 128, 1, 0},     {"h", f, 'f', 16, 1, 0},       {"xc", xc, 'g', 64, 1, 8},
    {"dc", fc, 'f', 64, 1, 8},    {"vg2", vg2, 'v', 256, 2, 0},  {"vg3", vg3, 'v', 384, 3, 0},
    {"vg4", vg4, 'v', 512, 4, 0}, {"vg5", vg5, 'v', 640, 5, 0},  {"vg6", vg6, 'v', 768, 6, 0},
    {"vg7", vg7, 'v', 896, 7, 0}, {"vg8", vg8, 'v', 1024, 8, 0}, {0},
};

static const struct register_alias aliases[] = {
    {"zero", "x0"},  {"ra", "x1"},    {"sp", "x2"},   {"gp", "x3"},    {"tp", "x4"},    {"t0", "x5"},   {"t1", "x6"},
    {"t2", "x7"},    {"s0", "x8"},    {"fp", "x8"},   {"s1", "x9"},    {"a0", "x10"},   {"a1", "x11"},  {"a2", "x12"},
    {"a3", "x13"},   {"a4", "x14"},   {"a5", "x15"},  {"a6", "x16"},   {"a7", "x17"},   {"s2", "x18"},  {"s3", "x19"},
    {"s4", "x20"},   {"s5", "x21"},   {"s6", "x22"},  {"s7", "x23"},   {"s8", "x24"},   {"s9", "x25"},  {"s10", "x26"},
    {"s11", "x27"},  {"t3", "x28"},   {"t4", "x29"},  {"t5", "x30"},   {"t6", "x31"},   {"ft0", "f0"},  {"ft1", "f1"},
    {"ft2", "f2"},   {"ft3", "f3"},   {"ft4", "f4"},  {"ft5", "f5"},   {"ft6", "f6"},   {"ft7", "f7"},  {"fs0", "f8"},
    {"fs1", "f9"},   {"fa0", "f10"},  {"fa1", "f11"}, {"fa2", "f12"},  {"fa3", "f13"},  {"fa4", "f14"}, {"fa5", "f15"},
    {"fa6", "f16"},  {"fa7", "f17"},  {"fs2", "f18"}, {"fs3", "f19"},  {"fs4", "f20"},  {"fs5", "f21"}, {"fs6", "f22"},
    {"fs7", "f23"},  {"fs8", "f24"},  {"fs9", "f25"}, {"fs10", "f26"}, {"fs11", "f27"}, {"ft8", "f28"}, {"ft9", "f29"},
    {"ft10", "f30"}, {"ft11", "f31"}, {NULL, NULL}};

static const unsigned saved[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}; // numbers of x and f registers
enum { N_SAVED = sizeof saved / sizeof *saved, FRAME_BYTES = 16 * N_SAVED + 16 };

static void emit_frame(struct text *out, const char *integer, const char *floating) {
    text_addf(out, "%s x1, %d(x2)\n", integer, 16 * N_SAVED);
    for (int i = 0; i < N_SAVED; i++)
        text_addf(out, "%s x%u, %d(x2)\n", integer, saved[i], 8 * i);
    for (int i = 0; i < N_SAVED; i++)
        text_addf(out, "%s f%u, %d(x2)\n", floating, saved[i], 8 * (N_SAVED + i));
}

static void emit_entry(struct text *out, const struct program *program) {
    text_addf(out, "addi x2, x2, %d\n", -FRAME_BYTES);
    emit_frame(out, "sd", "fsd");
    text_addf(out, "mv %s, x10\n", program->loop_counter);
    text_add(out, "sd x11, 0(x11)\n");
}

// Sets x31, which is reserved, to the address of the frame of an exit `ahead` bytes from here.
static void emit_frame_address(struct text *out, int ahead) {
    text_addf(out, "auipc x31, 0x%x\naddi x31, x31, %d\n", 0x100000 - (PROGRAM_FRAME_DISTANCE >> 12), ahead);
}

static void emit_start(struct text *out, const struct program *program) {
    emit_frame_address(out, PROGRAM_EXIT_OFFSET);
    text_addf(out, "j %s.entry\n", program->symbol);
}

static void emit_stack_leave(struct text *out, const struct program *program) {
    (void)program;
    text_add(out, "sd x2, 0(x31)\n");
}

static void emit_stack_return(struct text *out, const struct program *program) {
    (void)program;
    emit_frame_address(out, 0);
    for (unsigned i = 0; i < 31; i++)
        text_addf(out, "sd x%u, %u(x31)\n", i, 8 * (1 + i));
    text_add(out, "ld x2, 0(x31)\n");
}

static void emit_exit(struct text *out, const struct program *program) {
    (void)program;
    emit_frame(out, "ld", "fld");
    text_addf(out, "addi x2, x2, %d\nret\n", FRAME_BYTES);
}

// A branch reaches 4 KiB. Of a longer loop, an assembler would make two instructions of it, which nobody counts.
static struct isa_loop_end loop_end(const struct program *program) {
    enum { REACH = 4000 };
    bool is_far = 4ull * program->unroll * program->instructions > REACH;
    return (struct isa_loop_end){.instructions = is_far ? 3 : 2, .branches = is_far ? 2 : 1};
}

static void emit_loop_end(struct text *out, const struct program *program) {
    const char *counter = program->loop_counter, *symbol = program->symbol;
    text_addf(out, "addi %s, %s, -1\n", counter, counter);
    if (program->loop_branches > 1)
        text_addf(out, "beqz %s, %s.loop_end\nj %s.loop\n", counter, symbol, symbol);
    else
        text_addf(out, "bnez %s, %s.loop\n", counter, symbol);
}

static void emit_general(struct text *out, const char *reg, uint64_t value) {
    text_addf(out, "li %s, %" PRId64 "\n", reg, (int64_t)value);
}

// Sets a register. Values for other files go through x31, which is reserved. fmv.w.x also NaN-boxes a single.
static void emit_constant(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax) {
    (void)syntax;
    if (class->file == 'g') {
        emit_general(out, reg, value.bits);
        return;
    }
    if (class->file == 'v') // sets all elements
        text_addf(out, "vsetvli x31, x0, e%u, m1, ta, ma\n", value.lane_bits ? value.lane_bits : 8);
    emit_general(out, "x31", value.bits);
    if (class->file == 'v')
        for (unsigned i = 0, first = (unsigned)strtoul(reg + 1, NULL, 10); i < class->span; i++)
            text_addf(out, "vmv.v.x v%u, x31\n", first + i);
    else
        text_addf(out, "fmv.%s.x %s, x31\n", class->bits == 64 ? "d" : class->bits == 32 ? "w" : "h", reg);
}

static void emit_stack_pointer(struct text *out, uint64_t value, const char *syntax) {
    (void)syntax;
    emit_general(out, "x2", value);
}

static void emit_move_memory(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "mv %s, x11\n", reg);
}

// The two lowest bits are 11 in all instructions of 32 bits (the manual's volume 1, 1.5). No extension in use has
// longer ones.
static unsigned instruction_bytes(const uint8_t *code) {
    return (*code & 3) == 3 ? 4 : 2;
}

static void emit_displace(struct text *out, const char *reg, int bytes, const char *syntax) {
    (void)syntax;
    emit_general(out, "x31", (uint64_t)(int64_t)bytes);
    text_addf(out, "add %s, %s, x31\n", reg, reg);
}

static void emit_follow(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "ld %s, 0(%s)\n", reg, reg);
}

static void emit_turns(struct text *out, const char *reg, const struct isa_turns *turns, const char *syntax) {
    (void)syntax;
    text_addf(out, "mul %s, %s, %s\n", turns->factor, turns->factor, turns->turns);
    text_addf(out, "%s %s, %s, %s\n", turns->bits == 32 ? "addw" : "add", reg, turns->factor, turns->addend);
}

// beq, bnez, ...; j. No other instruction of the base begins with a b; those of Zbb and Zbs name no label.
static bool is_jump(struct slice mnemonic) {
    return mnemonic.length && (*mnemonic.data == 'b' || (mnemonic.length == 1 && *mnemonic.data == 'j'));
}

// Displacements have 12 signed bits. Loads and stores of vectors have no displacement.
static struct isa_reach reach(unsigned bytes) {
    return bytes <= 8 ? (struct isa_reach){-2048, 2047} : (struct isa_reach){0, 0};
}

const struct isa isa_riscv64 = {
    .name = "riscv64",
    .names = (const char *const[]){"rv64", "rv64gc", "riscv", NULL},
    .triple = "riscv64-unknown-linux-gnu",
    .assembler = "riscv64-linux-gnu-as",
    .assembler_package = "binutils-riscv64-linux-gnu",
    // Blocks may use any extension; the CPU decides what it can run.
    .preamble = "    .attribute arch, \"rv64gcv_zba_zbb_zbc_zbs_zfh\"\n    .option norvc\n    .option norelax\n",
    .syntaxes = (const char *const[]){NULL},
    .syntax_directives = (const char *const[]){NULL},
    .comment = "#",
    .classes = classes,
    .aliases = aliases,
    .brace_words = (const char *const[]){NULL},
    .no_flags = "riscv64 has no condition flags",
    .loop_counters = (const char *const[]){"x30", "x29", "x28", "x27", "x26", "x25", "x24", "x23", "x22", "x21", "x20",
                                           "x19", "x18", "x9", "x8", NULL},
    .stack_pointer = "x2",
    .stack_number = 2,
    .memory = "x11",
    .reserved = (const char *const[]){"x0", "x2", "x3", "x4", "x11", "x31", NULL},
    .settle = "fence\n",
    .loop_end = loop_end,
    .reach = reach,
    .is_jump = is_jump,
    .instruction_bytes = instruction_bytes,
    .returns = (const char *const[]){"ret", NULL},
    .arguments = (const char *const[]){"x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "f10", "f11", "f12",
                                       "f13", "f14", "f15", "f16", "f17", NULL},
    .call = "jal x1,",
    .leaves_loop = (const char *const[]){"jr", NULL},
    .emit_entry = emit_entry,
    .emit_exit = emit_exit,
    .emit_loop_end = emit_loop_end,
    .emit_start = emit_start,
    .emit_stack_leave = emit_stack_leave,
    .emit_stack_return = emit_stack_return,
    .jump = "j",
    .nop = {{0x01, 0x00}, 2}, // c.nop
    .emit_stack_pointer = emit_stack_pointer,
    .emit_constant = emit_constant,
    .emit_move_memory = emit_move_memory,
    .emit_turns = emit_turns,
    .emit_displace = emit_displace,
    .emit_follow = emit_follow,
};
