// AArch64: procedure call standard AAPCS64. Iterations are in x0, memory in x1. The callee saves x19 to x30 and the low
// halves of v8 to v15; x18 belongs to the platform.
#include "gen/isa_tables.h"

#include "gen/program.h"

#include <inttypes.h>
#include <string.h>

static const char *const x[] = {ISA_NAMES_30("x"), NULL};
static const char *const w[] = {ISA_NAMES_30("w"), NULL};
static const char *const v[] = {ISA_NAMES_31("v"), NULL};
static const char *const q[] = {ISA_NAMES_31("q"), NULL};
static const char *const d[] = {ISA_NAMES_31("d"), NULL};
static const char *const s[] = {ISA_NAMES_31("s"), NULL};
static const char *const h[] = {ISA_NAMES_31("h"), NULL};
static const char *const b[] = {ISA_NAMES_31("b"), NULL};
static const char *const z[] = {ISA_NAMES_31("z"), NULL};
static const char *const p[] = {ISA_NAMES_15("p"), NULL};
// Registers that some instructions are limited to, such as those with a lane of 16 bits as an operand.
static const char *const vlow[] = {ISA_NAMES_15("v"), NULL};
static const char *const qlow[] = {ISA_NAMES_15("q"), NULL};
static const char *const dlow[] = {ISA_NAMES_15("d"), NULL};
static const char *const zlow[] = {ISA_NAMES_15("z"), NULL};
static const char *const zlow8[] = {ISA_NAMES_7("z"), NULL};
// Predicates that most instructions take as their governing one.
static const char *const pg[] = {ISA_NAMES_7("p"), NULL};

static const struct register_class classes[] = {
    {"x", x, 'g', 64, 1, 0},
    {"w", w, 'g', 32, 1, 0},
    {"v", v, 'v', 128, 1, 0},
    {"q", q, 'v', 128, 1, 0},
    {"d", d, 'v', 64, 1, 0},
    {"s", s, 'v', 32, 1, 0},
    {"h", h, 'v', 16, 1, 0},
    {"b", b, 'v', 8, 1, 0},
    {"z", z, 'v', 128, 1, 0},
    {"p", p, 'k', 16, 1, 0},
    {"pg", pg, 'k', 16, 1, 0},
    {"vlow", vlow, 'v', 128, 1, 0},
    {"qlow", qlow, 'v', 128, 1, 0},
    {"dlow", dlow, 'v', 64, 1, 0},
    {"zlow", zlow, 'v', 128, 1, 0},
    {"zlow8", zlow8, 'v', 128, 1, 0},
    {0},
};

static const char *const flags_name[] = {"flags", NULL};
static const struct register_class flags = {"flags", flags_name, 'c', 4, 1, 0};

static const struct register_alias aliases[] = {
    {"fp", "x29"}, {"lr", "x30"}, {"ip0", "x16"}, {"ip1", "x17"}, {NULL, NULL}};

// Pairs of registers to save, from the stack pointer upwards.
static const char *const saved_pairs[] = {
    "x29, x30", "x19, x20", "x21, x22", "x23, x24", "x25, x26",
    "x27, x28", "d8, d9",   "d10, d11", "d12, d13", "d14, d15",
};
enum { N_SAVED_PAIRS = sizeof saved_pairs / sizeof *saved_pairs, FRAME_BYTES = 16 * N_SAVED_PAIRS };

static void emit_entry(struct text *out, const struct program *program) {
    text_addf(out, "stp %s, [sp, #-%d]!\n", saved_pairs[0], FRAME_BYTES);
    for (int i = 1; i < N_SAVED_PAIRS; i++)
        text_addf(out, "stp %s, [sp, #%d]\n", saved_pairs[i], 16 * i);
    text_addf(out, "mov %s, x0\n", program->loop_counter);
    text_add(out, "str x1, [x1]\n");
}

// Sets x16, which is reserved, to the address of the frame.
static void emit_frame_address(struct text *out, const struct program *program) {
    text_addf(out, "adr x16, %s.exit\nsub x16, x16, #%d, lsl #12\n", program->symbol, PROGRAM_FRAME_DISTANCE >> 12);
}

static void emit_start(struct text *out, const struct program *program) {
    text_addf(out, "b %s.entry\n", program->symbol);
}

static void emit_stack_leave(struct text *out, const struct program *program) {
    emit_frame_address(out, program);
    text_add(out, "mov x17, sp\nstr x17, [x16]\n");
}

// The stack pointer has number 31.
static void emit_stack_return(struct text *out, const struct program *program) {
    emit_frame_address(out, program);
    for (unsigned i = 0; i < 31; i++)
        if (i != 16)
            text_addf(out, "str x%u, [x16, #%u]\n", i, 8 * (1 + i));
    text_add(out, "mov x17, sp\nstr x17, [x16, #256]\nldr x17, [x16]\nmov sp, x17\n");
}

static void emit_exit(struct text *out, const struct program *program) {
    (void)program;
    for (int i = 1; i < N_SAVED_PAIRS; i++)
        text_addf(out, "ldp %s, [sp, #%d]\n", saved_pairs[i], 16 * i);
    text_addf(out, "ldp %s, [sp], #%d\n", saved_pairs[0], FRAME_BYTES);
    text_add(out, "ret\n");
}

static void emit_loop_end(struct text *out, const struct program *program) {
    const char *counter = program->loop_counter;
    text_addf(out, "%s %s, %s, #1\n", program->preserves_flags ? "sub" : "subs", counter, counter);
    if (program->preserves_flags)
        text_addf(out, "cbnz %s, %s.loop\n", counter, program->symbol);
    else
        text_addf(out, "b.ne %s.loop\n", program->symbol);
}

static void emit_general(struct text *out, const char *reg, unsigned bits, uint64_t value) {
    text_addf(out, "movz %s, #%" PRIu64 "\n", reg, value & 0xffff);
    for (unsigned shift = 16; shift < bits; shift += 16)
        if (value >> shift & 0xffff)
            text_addf(out, "movk %s, #%" PRIu64 ", lsl #%u\n", reg, value >> shift & 0xffff, shift);
}

// Sets a vector register from x16, which is reserved and has the pattern of a lane.
static void emit_vector(struct text *out, const char *number, struct isa_value value) {
    const char *lanes = value.lane_bits == 64   ? ".2d, x16"
                        : value.lane_bits == 32 ? ".4s, w16"
                        : value.lane_bits == 16 ? ".8h, w16"
                                                : ".16b, w16";
    emit_general(out, "x16", 64, value.bits);
    text_addf(out, "dup v%s%s\n", number, lanes);
}

static void emit_scalable(struct text *out, const char *number, struct isa_value value) {
    emit_general(out, "x16", 64, isa_value_repeated(value));
    text_addf(out, "dup z%s.d, x16\n", number);
}

// Loads a predicate from below the buffer's middle, as there is no broadcast to predicates. It has up to 32 bytes: a
// bit per byte of a vector, which has 2048 bits at most. The 16 bits repeat.
static void emit_predicate(struct text *out, const char *reg, uint64_t bits) {
    emit_general(out, "x16", 64, isa_value_repeated((struct isa_value){bits, 16}));
    for (int offset = -64; offset < -64 + 32; offset += 8)
        text_addf(out, "str x16, [x1, #%d]\n", offset);
    text_addf(out, "sub x16, x1, #64\nldr %s, [x16]\n", reg);
}

static void emit_constant(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax) {
    (void)syntax;
    const char *number = reg + 1; // q3, d3, s3 are parts of v3
    if (class->file == 'c')
        text_add(out, "cmp x1, x1\n");
    else if (class->file == 'g')
        emit_general(out, reg, class->bits, value.bits);
    else if (class->file == 'k')
        emit_predicate(out, reg, value.bits);
    else if (*class->name == 'z')
        emit_scalable(out, number, value);
    else if (value.bits == 0)
        text_addf(out, "movi v%s.2d, #0\n", number);
    else
        emit_vector(out, number, value);
}

static void emit_stack_pointer(struct text *out, uint64_t value, const char *syntax) {
    (void)syntax;
    emit_general(out, "x16", 64, value);
    text_add(out, "mov sp, x16\n");
}

static void emit_move_memory(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "mov %s, x1\n", reg);
}

static void emit_displace(struct text *out, const char *reg, int bytes, const char *syntax) {
    (void)syntax;
    emit_general(out, "x16", 64, (uint64_t)(int64_t)bytes);
    text_addf(out, "add %s, %s, x16\n", reg, reg);
}

static void emit_follow(struct text *out, const char *reg, const char *syntax) {
    (void)syntax;
    text_addf(out, "ldr %s, [%s]\n", reg, reg);
}

static void emit_turns(struct text *out, const char *reg, const struct isa_turns *turns, const char *syntax) {
    (void)syntax;
    text_addf(out, "madd %s, %s, %s, %s\n", reg, turns->turns, turns->factor, turns->addend);
    if (turns->bits == 32)
        text_addf(out, "and %s, %s, #0xffffffff\n", reg, reg);
}

static bool is_jump(struct slice mnemonic) {
    static const char *const names[] = {"b",   "cbz", "cbnz", "tbz", "tbnz", "beq", "bne", "bcs", "bhs", "bcc", "blo",
                                        "bmi", "bpl", "bvs",  "bvc", "bhi",  "bls", "bge", "blt", "bgt", "ble", NULL};
    for (const char *const *name = names; *name; name++)
        if (slice_is(mnemonic, *name))
            return true;
    return mnemonic.length > 2 && memcmp(mnemonic.data, "b.", 2) == 0;
}

// Displacements have 12 unsigned bits, in units of the access: Arm ARM, "LDR (immediate)".
static struct isa_reach reach(unsigned bytes) {
    return (struct isa_reach){0, bytes <= 16 ? 4095 * (int)bytes : 0};
}

const struct isa isa_aarch64 = {
    .name = "aarch64",
    .names = (const char *const[]){"arm64", "armv8", NULL},
    .triple = "aarch64-unknown-linux-gnu",
    .assembler = "aarch64-linux-gnu-as",
    .assembler_package = "binutils-aarch64-linux-gnu",
    // Blocks may use any extension; the CPU decides what it can run.
    .preamble = "    .arch armv9-a+crypto+sha3+sm4+sve2-aes+sve2-bitperm+sve2-sha3+sve2-sm4+memtag+rng\n",
    .syntaxes = (const char *const[]){NULL},
    .syntax_directives = (const char *const[]){NULL},
    .comment = "//",
    .classes = classes,
    .aliases = aliases,
    .brace_words = (const char *const[]){"za", "zt0", NULL},
    .flags = &flags,
    .loop_counters = (const char *const[]){"x15", "x14", "x13", "x12", "x11", "x10", "x9", "x8", "x28", "x27", "x26",
                                           "x25", "x24", "x23", "x22", "x21", "x20", "x19", NULL},
    .stack_pointer = "sp",
    .stack_number = 31,
    .memory = "x1",
    .reserved = (const char *const[]){"x1", "x16", "x18", NULL},
    .settle = "dsb sy\nisb\n",
    .loop_end = isa_two_instructions,
    .reach = reach,
    .is_jump = is_jump,
    .instruction_bytes = isa_four_bytes,
    .returns = (const char *const[]){"ret", NULL},
    .arguments = (const char *const[]){"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "v0", "v1", "v2", "v3", "v4",
                                       "v5", "v6", "v7", NULL},
    .call = "bl",
    .leaves_loop = (const char *const[]){NULL},
    .emit_entry = emit_entry,
    .emit_exit = emit_exit,
    .emit_loop_end = emit_loop_end,
    .emit_start = emit_start,
    .emit_stack_leave = emit_stack_leave,
    .emit_stack_return = emit_stack_return,
    .jump = "b",
    .nop = {{0x1f, 0x20, 0x03, 0xd5}, 4},
    .emit_stack_pointer = emit_stack_pointer,
    .emit_constant = emit_constant,
    .emit_move_memory = emit_move_memory,
    .emit_turns = emit_turns,
    .emit_displace = emit_displace,
    .emit_follow = emit_follow,
};
