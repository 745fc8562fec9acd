// x86-64: System V ABI. Iterations are in rdi, memory in rsi. The callee saves rbx, rbp, r12 to r15. Registers have the
// numbers of their encoding (Intel SDM volume 2, 3.1.1).
#include "gen/isa_tables.h"

#include "base/text.h"
#include "gen/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const r64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                  "r9",  "r10", "r11", "r12", "r13", "r14", "r15", NULL};
static const char *const r32[] = {"eax", "ecx",  "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi", "r8d",
                                  "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d", NULL};
static const char *const r16[] = {"ax",  "cx",   "dx",   "bx",   "sp",   "bp",   "si",   "di", "r8w",
                                  "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w", NULL};
static const char *const r8[] = {"al",  "cl",   "dl",   "bl",   "spl",  "bpl",  "sil",  "dil", "r8b",
                                 "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b", NULL};
// Bits 8 to 15. No instruction with a REX prefix can name them (Intel SDM volume 2, 2.2.1.2); the classes behind them
// have the registers that need no such prefix.
static const char *const r8h[] = {"ah", "ch", "dh", "bh", NULL};
static const char *const r64n[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", NULL};
static const char *const r32n[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", NULL};
static const char *const r16n[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", NULL};
static const char *const r8n[] = {"al", "cl", "dl", "bl", NULL};
static const char *const xmm[] = {ISA_NAMES_15("xmm"), NULL};
static const char *const ymm[] = {ISA_NAMES_15("ymm"), NULL};
static const char *const zmm[] = {ISA_NAMES_31("zmm"), NULL};
// xmm and ymm above 15 need AVX-512VL: kernels with it name these classes.
static const char *const xmm32[] = {ISA_NAMES_31("xmm"), NULL};
static const char *const ymm32[] = {ISA_NAMES_31("ymm"), NULL};
static const char *const k[] = {ISA_NAMES_7("k"), NULL};
static const char *const k_pairs[] = {"k0", "k2", "k4", "k6", NULL}; // vp2intersect writes the next one, too
// MMX and x87 share registers, but a kernel uses either. x87's are named by their place in the stack, so only as
// `implicit`: st0 is its top.
static const char *const mm[] = {ISA_NAMES_7("mm"), NULL};
static const char *const st[] = {ISA_NAMES_7("st"), NULL};

static const struct register_class classes[] = {
    {"r64", r64, 'g', 64, 1, 0},
    {"r32", r32, 'g', 32, 1, 0},
    {"r16", r16, 'g', 16, 1, 0},
    {"r8", r8, 'g', 8, 1, 0},
    {"r8h", r8h, 'g', 8, 1, 0},
    {"r64n", r64n, 'g', 64, 1, 0},
    {"r32n", r32n, 'g', 32, 1, 0},
    {"r16n", r16n, 'g', 16, 1, 0},
    {"r8n", r8n, 'g', 8, 1, 0},
    {"xmm", xmm, 'v', 128, 1, 0},
    {"ymm", ymm, 'v', 256, 1, 0},
    {"zmm", zmm, 'v', 512, 1, 0},
    {"xmm32", xmm32, 'v', 128, 1, 0},
    {"ymm32", ymm32, 'v', 256, 1, 0},
    {"k", k, 'k', 64, 1, 1}, // as a write mask, k0 means no mask
    {"kany", k, 'k', 64, 1, 0},
    {"kpair", k_pairs, 'k', 64, 2, 0},
    {"mm", mm, 'm', 64, 1, 0},
    {"st", st, 's', 80, 1, 0},
    {0},
};

static const char *const flags_name[] = {"flags", NULL};
static const struct register_class flags = {"flags", flags_name, 'c', 6, 1, 0};

// Words for zeroing, rounding, broadcasts and encodings (GNU as, "Instruction Prefixes").
static const char *const brace_words[] = {"z",     "sae",    "1to2",   "1to4", "1to8",  "1to16",      "1to32",
                                          "disp8", "disp16", "disp32", "load", "store", "vex",        "vex2",
                                          "vex3",  "evex",   "rex",    "rex2", "nf",    "nooptimize", NULL};

static const struct register_alias aliases[] = {{NULL, NULL}};

static const char *const callee_saved[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
enum { N_CALLEE_SAVED = sizeof callee_saved / sizeof *callee_saved, SCRATCH = -64, OPERAND_BYTES = 160 };

static bool is_att(const char *syntax) {
    return strcmp(syntax, "att") == 0;
}

// An operand's text. The dialects mark operands differently, and in other orders.
struct operand {
    char text[OPERAND_BYTES];
};

static struct operand of_register(const char *reg, const char *syntax) {
    struct operand operand;
    snprintf(operand.text, sizeof operand.text, "%s%s", is_att(syntax) ? "%" : "", reg);
    return operand;
}

static struct operand of_number(int64_t number, const char *syntax) {
    struct operand operand;
    snprintf(operand.text, sizeof operand.text, "%s%" PRId64, is_att(syntax) ? "$" : "", number);
    return operand;
}

static struct operand of_memory(const char *base, int offset, const char *syntax) {
    struct operand operand;
    if (is_att(syntax))
        snprintf(operand.text, sizeof operand.text, "%d(%%%s)", offset, base);
    else if (offset == 0)
        snprintf(operand.text, sizeof operand.text, "[%s]", base);
    else
        snprintf(operand.text, sizeof operand.text, "[%s %c %d]", base, offset < 0 ? '-' : '+',
                 offset < 0 ? -offset : offset);
    return operand;
}

static void emit1(struct text *out, const char *mnemonic, const char *reg, const char *syntax) {
    text_addf(out, "%s %s\n", mnemonic, of_register(reg, syntax).text);
}

static void emit2(struct text *out, const char *mnemonic, struct operand destination, struct operand source,
                  const char *syntax) {
    bool att = is_att(syntax);
    text_addf(out, "%s %s, %s\n", mnemonic, att ? source.text : destination.text, att ? destination.text : source.text);
}

// Returns the operand for a word of the frame, by its distance from here: it needs no register.
static struct operand of_frame(const struct program *program, unsigned number) {
    int offset = 8 * (int)number - PROGRAM_FRAME_DISTANCE;
    struct operand operand;
    snprintf(operand.text, sizeof operand.text,
             is_att(program->syntax) ? "%s.exit%d(%%rip)" : "qword ptr [rip + %s.exit%d]", program->symbol, offset);
    return operand;
}

static struct operand of_counter(const struct program *program) {
    return program->loop_counter ? of_register(program->loop_counter, program->syntax)
                                 : of_frame(program, PROGRAM_FRAME_COUNTER);
}

static bool counts_in_stack_pointer(const struct program *program) {
    return program->loop_counter && strcmp(program->loop_counter, "rsp") == 0;
}

// Whether the text has instructions that move the stack pointer, or name it.
static bool uses_stack(const char *text) {
    static const char *const names[] = {"push", "pop", "enter", "leave"};
    bool has_name = strcasestr(text, "rsp");
    for (bool is_start = true; *text && !has_name; text++) {
        for (size_t i = 0; is_start && i < sizeof names / sizeof *names; i++)
            has_name |= text_starts(text, names[i]);
        is_start = strchr("\n;:", *text) || (is_start && *text == ' ');
    }
    return has_name;
}

// Whether the stack begins at a line of the cache. Where the caller's stack pointer is, depends on the process; and
// stores that cross a line take longer.
static bool begins_at_line(const struct program *program) {
    return !program->has_own_stack && uses_stack(program->body);
}

// Keeps the caller's stack pointer in the last word of a line, where the stack begins.
static void emit_stack_to_line(struct text *out, const char *syntax) {
    struct operand rsp = of_register("rsp", syntax);
    emit2(out, "mov", of_register("rax", syntax), rsp, syntax);
    emit2(out, "and", rsp, of_number(-PROGRAM_LINE_BYTES, syntax), syntax);
    emit2(out, "sub", rsp, of_number(PROGRAM_LINE_BYTES - 8, syntax), syntax);
    emit1(out, "push", "rax", syntax);
}

static void emit_entry(struct text *out, const struct program *program) {
    const char *syntax = program->syntax;
    for (unsigned i = 0; i < N_CALLEE_SAVED; i++)
        emit1(out, "push", callee_saved[i], syntax);
    if (begins_at_line(program))
        emit_stack_to_line(out, syntax);
    if (!counts_in_stack_pointer(program))
        emit2(out, "mov", of_counter(program), of_register("rdi", syntax), syntax);
    emit2(out, "mov", of_memory("rsi", 0, syntax), of_register("rsi", syntax), syntax);
}

// Whether the text uses ymm or zmm registers. Dirty upper halves slow the caller's SSE code: Intel optimization manual,
// "Mixing AVX code with SSE code".
static bool has_wide_registers(const char *text) {
    return strcasestr(text, "ymm") || strcasestr(text, "zmm");
}

// Whether the text uses MMX registers.
static bool has_mmx(const char *text) {
    for (const char *at = text; (at = strstr(at, "mm")); at += 2)
        if (isdigit((unsigned char)at[2]) && (at == text || !isalnum((unsigned char)at[-1])))
            return true;
    return false;
}

// Whether the text has x87 instructions: all their names begin with an f, and no other ones do but fxsave and fxrstor.
static bool has_x87(const char *text) {
    for (bool is_start = true; *text; text++) {
        if (is_start && *text == 'f')
            return true;
        is_start = strchr("\n;:", *text) || (is_start && *text == ' ');
    }
    return false;
}

static void emit_start(struct text *out, const struct program *program) {
    text_addf(out, "jmp %s.entry\n", program->symbol);
}

static void emit_stack_leave(struct text *out, const struct program *program) {
    const char *syntax = program->syntax;
    emit2(out, "mov", of_frame(program, 0), of_register("rsp", syntax), syntax);
    if (counts_in_stack_pointer(program))
        emit2(out, "mov", of_register("rsp", syntax), of_register("rdi", syntax), syntax);
}

// Vector registers above 15 exist in EVEX encodings only.
static bool needs_evex(const struct register_class *class) {
    return class->registers == zmm || class->registers == xmm32 || class->registers == ymm32;
}

static void emit_frame_store(struct text *out, const struct program *program, const struct program_register *used) {
    const struct register_class *class = used->class;
    const char *reg = class->registers[used->index], *syntax = program->syntax;
    bool is_mask = class->file == 'k', is_legacy = class->bits == 128 && !needs_evex(class);
    unsigned word = is_mask ? PROGRAM_FRAME_MASKS + used->index : PROGRAM_FRAME_VECTORS + 8 * used->index;
    struct operand to = of_frame(program, word);
    if (!is_att(syntax)) // drop the width of a general register
        memmove(to.text, strchr(to.text, '['), strlen(strchr(to.text, '[')) + 1);
    emit2(out, is_mask ? "kmovw" : is_legacy ? "movups" : "vmovups", to, of_register(reg, syntax), syntax);
}

// Restores the flags of the ABI, too: no alignment checks, no single steps, string instructions go upwards.
static void emit_stack_return(struct text *out, const struct program *program) {
    const char *syntax = program->syntax;
    for (unsigned i = 0; r64[i]; i++)
        emit2(out, "mov", of_frame(program, 1 + i), of_register(r64[i], syntax), syntax);
    for (unsigned i = 0; i < program->n_used; i++)
        emit_frame_store(out, program, &program->used[i]);
    emit2(out, "mov", of_register("rsp", syntax), of_frame(program, 0), syntax);
    text_addf(out, "push %s\npopf\n", of_number(0x202, syntax).text);
}

static void emit_stack_pointer(struct text *out, uint64_t value, const char *syntax) {
    emit2(out, "mov", of_register("rsp", syntax), of_number((int64_t)value, syntax), syntax);
}

static void emit_exit(struct text *out, const struct program *program) {
    if (has_wide_registers(program->setup) || has_wide_registers(program->body))
        text_add(out, "vzeroupper\n");
    // The ABI requires an empty x87 stack, and its control word.
    if (has_x87(program->setup) || has_x87(program->body))
        text_add(out, "fninit\n");
    else if (has_mmx(program->setup) || has_mmx(program->body))
        text_add(out, "emms\n");
    text_add(out, "cld\n"); // the ABI requires it; the body may contain std
    if (begins_at_line(program))
        emit1(out, "pop", "rsp", program->syntax);
    for (unsigned i = N_CALLEE_SAVED; i-- > 0;)
        emit1(out, "pop", callee_saved[i], program->syntax);
    text_add(out, "ret\n");
}

// Only rcx can be tested without the flags. Where the body uses rcx, the counter register keeps the body's value
// meanwhile. After the loop the two stay exchanged.
static const char free_counter[] = "rcx";

static bool is_exchanged(const struct program *program) {
    return program->preserves_flags && program->loop_counter && strcmp(program->loop_counter, free_counter) != 0;
}

static struct isa_loop_end loop_end(const struct program *program) {
    if (!program->preserves_flags)
        return (struct isa_loop_end){.instructions = 2, .branches = 1};
    return (struct isa_loop_end){.instructions = is_exchanged(program) ? 5 : 3, .branches = 2};
}

static void emit_flag_free_end(struct text *out, const struct program *program) {
    const char *syntax = program->syntax;
    struct operand counter = of_register(program->loop_counter, syntax), rcx = of_register(free_counter, syntax);
    if (is_exchanged(program))
        emit2(out, "xchg", rcx, counter, syntax);
    emit2(out, "lea", rcx, of_memory(free_counter, -1, syntax), syntax);
    text_addf(out, "jrcxz %s.loop_end\n", program->symbol);
    if (is_exchanged(program))
        emit2(out, "xchg", rcx, counter, syntax);
    text_addf(out, "jmp %s.loop\n", program->symbol);
}

// Uses sub, because dec keeps the carry flag, which costs a merge on some cores.
static void emit_loop_end(struct text *out, const struct program *program) {
    const char *syntax = program->syntax;
    if (program->preserves_flags) {
        emit_flag_free_end(out, program);
        return;
    }
    emit2(out, is_att(syntax) ? "subq" : "sub", of_counter(program), of_number(1, syntax), syntax);
    text_addf(out, "jnz %s.loop\n", program->symbol);
}

static void emit_store32(struct text *out, int offset, uint64_t bits, const char *syntax) {
    int64_t number = (int64_t)(bits & UINT32_MAX);
    if (is_att(syntax))
        text_addf(out, "movl %s, %s\n", of_number(number, syntax).text, of_memory("rsi", offset, syntax).text);
    else
        text_addf(out, "mov dword ptr %s, %s\n", of_memory("rsi", offset, syntax).text, of_number(number, syntax).text);
}

static void emit_vector_zero(struct text *out, const struct register_class *class, const char *reg,
                             const char *syntax) {
    struct operand r = of_register(reg, syntax);
    if (needs_evex(class))
        text_addf(out, "vpxord %s, %s, %s\n", r.text, r.text, r.text);
    else if (class->bits == 256)
        text_addf(out, "vxorps %s, %s, %s\n", r.text, r.text, r.text);
    else
        text_addf(out, "xorps %s, %s\n", r.text, r.text);
}

static void emit_vector(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                        const char *syntax) {
    uint64_t pattern = isa_value_repeated(value);
    for (int i = 0; i < 4; i++)
        emit_store32(out, SCRATCH + 4 * i, i % 2 ? pattern >> 32 : pattern, syntax);
    const char *load = class->bits == 128  ? (needs_evex(class) ? "vmovups" : "movups")
                       : needs_evex(class) ? "vbroadcastf32x4"
                                           : "vbroadcastf128";
    emit2(out, load, of_register(reg, syntax), of_memory("rsi", SCRATCH, syntax), syntax);
}

static void emit_mask(struct text *out, const char *reg, uint64_t bits, const char *syntax) {
    emit_store32(out, SCRATCH, bits, syntax);
    emit_store32(out, SCRATCH + 4, bits >> 32, syntax);
    emit2(out, bits >> 16 ? "kmovq" : "kmovw", of_register(reg, syntax), of_memory("rsi", SCRATCH, syntax), syntax);
}

static void emit_mmx(struct text *out, const char *reg, uint64_t bits, const char *syntax) {
    struct operand r = of_register(reg, syntax);
    if (bits == 0) {
        text_addf(out, "pxor %s, %s\n", r.text, r.text);
        return;
    }
    emit_store32(out, SCRATCH, bits, syntax);
    emit_store32(out, SCRATCH + 4, bits >> 32, syntax);
    emit2(out, "movq", r, of_memory("rsi", SCRATCH, syntax), syntax);
}

// Sets a general register as compilers do: with a 32-bit move where that suffices, else with a move of 64 bits. Golden
// Cove keeps small constants that a 64-bit move or add has sign-extended apart from the register. Some instructions
// that read it, such as shlx, then take 3 cycles instead of 1 (https://tavianator.com/2025/shlx.html; also seen on
// Sapphire Rapids).
static void emit_general(struct text *out, const struct register_class *class, const char *reg, uint64_t bits,
                         const char *syntax) {
    unsigned i = 0;
    while (strcmp(class->registers[i], reg) != 0)
        i++;
    if (class->bits < 64)
        emit2(out, "mov", of_register(reg, syntax), of_number((int64_t)bits, syntax), syntax);
    else if (bits <= UINT32_MAX)
        emit2(out, "mov", of_register(r32[i], syntax), of_number((int64_t)bits, syntax), syntax);
    else
        emit2(out, "movabs", of_register(reg, syntax), of_number((int64_t)bits, syntax), syntax);
}

static void emit_constant(struct text *out, const struct register_class *class, const char *reg, struct isa_value value,
                          const char *syntax) {
    if (class->file == 'c')
        emit2(out, "cmp", of_register("rsi", syntax), of_register("rsi", syntax), syntax);
    else if (class->file == 'g')
        emit_general(out, class, reg, value.bits, syntax);
    else if (class->file == 'k')
        emit_mask(out, reg, value.bits, syntax);
    else if (class->file == 'm')
        emit_mmx(out, reg, value.bits, syntax);
    else if (class->file == 's') // a register of a stack cannot be set by itself: the kernel's set-up does it
        return;
    else if (value.bits == 0)
        emit_vector_zero(out, class, reg, syntax);
    else
        emit_vector(out, class, reg, value, syntax);
}

static void emit_bytes(struct text *out, const struct register_class *class, const char *reg, const uint8_t *bytes,
                       const char *syntax) {
    enum { CONTROL_BYTES = 4 };
    unsigned n = class ? class->bits / 8 : CONTROL_BYTES;
    struct operand scratch = of_memory("rsi", SCRATCH, syntax);
    for (unsigned i = 0; i < n; i += 4) {
        uint32_t word =
            bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        emit_store32(out, SCRATCH + (int)i, word, syntax);
    }
    if (!class)
        text_addf(out, "ld%s %s%s\n", reg, is_att(syntax) ? "" : "dword ptr ", scratch.text);
    else
        emit2(out, class->bits == 128 && !needs_evex(class) ? "movups" : "vmovups", of_register(reg, syntax), scratch,
              syntax);
}

static void emit_frame_move(struct text *out, const struct register_class *class, unsigned index, bool is_load,
                            const char *syntax) {
    bool is_mask = class->file == 'k', is_general = class->file == 'g';
    bool is_legacy = class->bits == 128 && !needs_evex(class);
    unsigned word = is_general ? 1 + index : is_mask ? PROGRAM_FRAME_MASKS + index : PROGRAM_FRAME_VECTORS + 8 * index;
    const char *name = is_general ? "mov" : is_mask ? "kmovq" : is_legacy ? "movups" : "vmovups";
    struct operand reg = of_register(class->registers[index], syntax), memory;
    snprintf(memory.text, sizeof memory.text,
             is_att(syntax) ? PROGRAM_EXIT_LABEL "b%+d(%%rip)" : "[rip + " PROGRAM_EXIT_LABEL "b%+d]",
             8 * (int)word - PROGRAM_FRAME_DISTANCE);
    emit2(out, name, is_load ? reg : memory, is_load ? memory : reg, syntax);
}

static void emit_move_memory(struct text *out, const char *reg, const char *syntax) {
    emit2(out, "mov", of_register(reg, syntax), of_register("rsi", syntax), syntax);
}

static void emit_displace(struct text *out, const char *reg, int bytes, const char *syntax) {
    emit2(out, "lea", of_register(reg, syntax), of_memory(reg, bytes, syntax), syntax);
}

static void emit_follow(struct text *out, const char *reg, const char *syntax) {
    emit2(out, "mov", of_register(reg, syntax), of_memory(reg, 0, syntax), syntax);
}

static void emit_turns(struct text *out, const char *reg, const struct isa_turns *turns, const char *syntax) {
    struct operand product = of_register(turns->factor, syntax);
    unsigned to = 0, from = 0;
    while (strcmp(r64[to], reg) != 0)
        to++;
    while (strcmp(r64[from], turns->factor) != 0)
        from++;
    emit2(out, "imul", product, of_register(turns->turns, syntax), syntax);
    emit2(out, "add", product, of_register(turns->addend, syntax), syntax);
    if (turns->bits == 32)
        emit2(out, "mov", of_register(r32[to], syntax), of_register(r32[from], syntax), syntax);
    else
        emit2(out, "mov", of_register(reg, syntax), product, syntax);
}

static bool is_jump(struct slice mnemonic) {
    return mnemonic.length &&
           (*mnemonic.data == 'j' || (mnemonic.length >= 4 && memcmp(mnemonic.data, "loop", 4) == 0));
}

static struct isa_reach reach(unsigned bytes) {
    (void)bytes;
    return (struct isa_reach){INT32_MIN, INT32_MAX};
}

const struct isa isa_x86_64 = {
    .name = "x86_64",
    .names = (const char *const[]){"x86-64", "amd64", "x64", NULL},
    .triple = "x86_64-unknown-linux-gnu",
    .assembler = "x86_64-linux-gnu-as",
    .assembler_package = "binutils-x86-64-linux-gnu",
    .preamble = "",
    .syntaxes = (const char *const[]){"intel", "att", NULL},
    .syntax_directives = (const char *const[]){".intel_syntax noprefix", ".att_syntax prefix", NULL},
    .comment = "#",
    .classes = classes,
    .aliases = aliases,
    .brace_words = brace_words,
    .flags = &flags,
    // r8 to r15 are never implicit operands, except for r11 of syscall; rbp and rbx rarely are.
    .loop_counters = (const char *const[]){"r15", "r14", "r13", "r12", "r11", "r10", "r9", "r8", "rbp", "rbx", NULL},
    .flag_free_counter = free_counter,
    .counts_in_frame = true,
    .stack_pointer = "rsp",
    .stack_number = 4,
    .frame_number = 5,
    .memory = "rsi",
    .reserved = (const char *const[]){"rsp", "rsi", NULL},
    .settle = "mfence\nlfence\n",
    .loop_end = loop_end,
    .reach = reach,
    .is_jump = is_jump,
    .returns = (const char *const[]){"ret", "retq", NULL},
    .arguments = (const char *const[]){"rdi", "rsi", "rdx", "rcx", "r8", "r9", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                                       "xmm5", "xmm6", "xmm7", NULL},
    .call = "call",
    .leaves_loop = (const char *const[]){"iretq", NULL},
    .emit_entry = emit_entry,
    .emit_exit = emit_exit,
    .emit_loop_end = emit_loop_end,
    .emit_start = emit_start,
    .emit_stack_leave = emit_stack_leave,
    .emit_stack_return = emit_stack_return,
    .jump = "jmp",
    .nop = {{0x90}, 1},
    .emit_stack_pointer = emit_stack_pointer,
    .emit_constant = emit_constant,
    .emit_bytes = emit_bytes,
    .emit_frame_move = emit_frame_move,
    .emit_move_memory = emit_move_memory,
    .emit_turns = emit_turns,
    .emit_displace = emit_displace,
    .emit_follow = emit_follow,
};
