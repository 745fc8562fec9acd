#include "blocks/decoder.h"

#include "blocks/hidden_data.h"

#include <string.h>

struct decoder_cpu decoder_widest(const struct isa *isa) {
    static const struct {
        const char *isa;
        struct decoder_cpu cpu;
    } widest[] = {
        {"x86_64", {"x86-64", ""}},
        {"aarch64", {"generic", "+all"}},
        {"armv7", {"generic", "+neon,+vfp4,+hwdiv-arm,+mp"}},
        {"mips", {"mips32r2", ""}},
        {"mipsel", {"mips32r2", ""}},
        {"riscv64", {"sifive-p450", "+m,+a,+f,+d,+c,+v,+zicsr,+zifencei,+zfh,+zicond,+zba,+zbb,+zbc,+zbs,+zbkb"}},
    };
    for (size_t i = 0; i < sizeof widest / sizeof *widest; i++)
        if (strcmp(widest[i].isa, isa->name) == 0)
            return widest[i].cpu;
    return (struct decoder_cpu){"generic", ""};
}

bool decoder_open(struct decoder *decoder, struct arena *arena, const struct isa *isa, const char *llvm,
                  struct fail *fail) {
    enum { INTEL = 1 };
    struct decoder_cpu widest = decoder_widest(isa);
    struct backend_options options = {
        .triple = isa->triple,
        .cpu = widest.cpu,
        .features = widest.features,
        .without_model = true,
        .output_syntax = isa->syntaxes[0] ? INTEL : -1,
        .no_names = true,
    };
    *decoder = (struct decoder){.backend = backend_load(arena, llvm, fail)};
    if (!decoder->backend)
        return false;
    decoder->cpu = decoder->backend->open(arena, &options, fail);
    if (!decoder->cpu)
        return false;
    decoder->machine = decoder->backend->machine(decoder->cpu);
    return true;
}

void decoder_close(struct decoder *decoder) {
    if (decoder->cpu)
        decoder->backend->close(decoder->cpu);
    decoder->cpu = NULL;
}

// Returns the text with one space for tabs: LLVM prints one after the mnemonic, and two around a prefix.
static const char *one_space(struct arena *arena, const char *text) {
    char *copy = arena_strdup(arena, text), *end = copy;
    for (const char *c = copy; *c; c++)
        if (*c != '\t')
            *end++ = *c;
        else if (end == copy || end[-1] != ' ')
            *end++ = ' ';
    *end = '\0';
    return copy;
}

bool decoder_decode(const struct decoder *decoder, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                    struct block *block, struct fail *fail) {
    if (!decoder->backend->describe_bytes(decoder->cpu, arena, bytes, n_bytes, block, fail))
        return false;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        insns[i] = block->insns[i];
        insns[i].text = one_space(arena, insns[i].text);
    }
    block->insns = insns;
    return true;
}

bool decoder_decode_code(const struct decoder *decoder, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                         struct block *block, struct fail *fail) {
    const struct code_reader reader = {decoder->backend, decoder->cpu, decoder->machine};
    const uint8_t *code = hidden_data_bytes(arena, &reader, bytes, n_bytes);
    return decoder_decode(decoder, arena, code, n_bytes, block, fail);
}

// A list of register names, each once.
struct names {
    struct arena *arena;
    const char **items;
    size_t n;
};

static bool contains(const struct names *names, const char *name) {
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static void add_name(struct names *names, const char *name) {
    if (!contains(names, name))
        *ARENA_ADD(names->arena, names->items, names->n) = name;
}

// Adds a register by its name in assembly: LLVM writes F10_D for f10, and A0 for MIPS's $a0. For LLVM, a list of
// registers (Q0_Q1) is a register that contains the others: adds these.
static void add_register(struct names *names, const struct machine *machine, uint16_t number) {
    const struct machine_register *reg = &machine->registers[number];
    if (!number)
        return;
    const char *plain = arena_copy(names->arena, reg->name, strcspn(reg->name, "_"));
    add_name(names, plain);
    add_name(names, arena_printf(names->arena, "$%s", plain));
}

static void add_with_parts(struct names *names, const struct machine *machine, uint16_t number) {
    const struct machine_register *reg = &machine->registers[number];
    add_register(names, machine, number);
    for (unsigned i = 0; number && i < reg->n_sub; i++)
        add_register(names, machine, reg->sub[i]);
}

static bool reads(const struct insn *insn, uint16_t reg) {
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (insn->reads[i].reg == reg)
            return true;
    return false;
}

static bool writes(const struct insn *insn, uint16_t reg) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (insn->writes[i].reg == reg)
            return true;
    return false;
}

static bool begins_with_one_of(const char *text, const char *const *starts) {
    for (; *starts; starts++)
        if (strncmp(text, *starts, strlen(*starts)) == 0)
            return true;
    return false;
}

// Whether the instruction is x86's inc or dec, which keep the carry flag. LLVM has one register for all flags.
static bool leaves_carry(const struct insn *insn) {
    static const char *const opcodes[] = {"INC", "DEC", NULL};
    return begins_with_one_of(insn->opcode, opcodes);
}

// Whether an instruction that reads x86's flags reads the carry: by its name, or by a condition below, above, or their
// opposites.
static bool reads_carry(const struct insn *insn) {
    static const char *const names[] = {"adc", "sbb",  "rcl",  "rcr",   "cmc",   "lahf",  "pushf", "jb",
                                        "ja",  "setb", "seta", "cmovb", "cmova", "fcmov", NULL};
    return begins_with_one_of(insn->text, names);
}

// Whether the block reads flags that the previous copy left. `flags`: LLVM's register for all condition flags; 0: none.
static bool reads_flags_of_before(const struct block *block, uint16_t flags) {
    bool only_carry = false;
    for (unsigned i = 0; flags && i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        if (reads(insn, flags) && (!only_carry || reads_carry(insn)))
            return true;
        if (writes(insn, flags) && !leaves_carry(insn))
            return false;
        only_carry = only_carry || writes(insn, flags);
    }
    return false;
}

static uint16_t find_register(const struct machine *machine, const char *const *names) {
    for (; *names; names++)
        for (uint16_t i = 1; i < machine->n_registers; i++)
            if (strcmp(machine->registers[i].name, *names) == 0)
                return i;
    return 0;
}

// Whether two of LLVM's registers have bits in common.
static bool overlap(const struct machine *machine, uint16_t a, uint16_t b) {
    const struct machine_register *reg = &machine->registers[a];
    if (a == b)
        return true;
    for (unsigned i = 0; i < reg->n_sub; i++)
        if (reg->sub[i] == b)
            return true;
    for (unsigned i = 0; i < reg->n_super; i++)
        if (reg->super[i] == b)
            return true;
    return false;
}

bool decoder_writes(const struct machine *machine, const struct insn *insn, uint16_t reg) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (insn->writes[i].reg && overlap(machine, insn->writes[i].reg, reg))
            return true;
    return false;
}

uint16_t decoder_stack_pointer(const struct decoder *decoder) {
    static const char *const names[] = {"RSP", "SP", "X2", NULL};
    return find_register(decoder->machine, names);
}

// Whether the instruction is a repeated string instruction, which counts with rcx. LLVM does not know that.
static bool counts_with_rcx(const struct insn *insn) {
    static const char *const names[] = {"rep ", "repe ", "repne ", "repz ", "repnz ", NULL};
    return begins_with_one_of(insn->text, names);
}

// Whether the result does not depend on what the instruction reads: "xor eax, eax".
static bool only_zeroes(const struct insn *insn) {
    static const char *const opcodes[] = {"XOR", "PXOR", "VXOR", "VPXOR", "SUB32rr", "SUB64rr", NULL};
    return insn->n_reads == 2 && insn->reads[0].reg == insn->reads[1].reg && begins_with_one_of(insn->opcode, opcodes);
}

static bool has_name(const struct names *names, const struct machine *machine, uint16_t reg) {
    const char *name = machine->registers[reg].name;
    size_t n = strcspn(name, "_");
    for (size_t i = 0; reg && i < names->n; i++)
        if (strncmp(names->items[i], name, n) == 0 && !names->items[i][n])
            return true;
    return false;
}

// Registers that are written on each way to an instruction, so far as ways lead forward.
struct written {
    struct names names;
    struct way {
        unsigned to;
        struct names names;
    } * ways;
    size_t n_ways;
};

static struct names copy_of(const struct names *names) {
    struct names copy = {.arena = names->arena};
    for (size_t i = 0; i < names->n; i++)
        *ARENA_ADD(copy.arena, copy.items, copy.n) = names->items[i];
    return copy;
}

static void keep_common(struct names *names, const struct names *others) {
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++)
        if (contains(others, names->items[i]))
            names->items[n++] = names->items[i];
    names->n = n;
}

// What is certain at an instruction: `falls`, the one before leads to it. What no way leads to forward, may come from
// anywhere.
static void arrive(struct written *written, unsigned at, bool falls) {
    bool comes = falls;
    for (size_t i = 0; i < written->n_ways; i++) {
        if (written->ways[i].to != at)
            continue;
        if (comes)
            keep_common(&written->names, &written->ways[i].names);
        else
            written->names = copy_of(&written->ways[i].names);
        comes = true;
    }
    if (!comes)
        written->names.n = 0;
}

// Notes where a direct branch leads. Returns whether control may go on behind the instruction.
static bool leave(struct written *written, const struct block *block, unsigned at, size_t offset) {
    const struct insn *insn = &block->insns[at];
    const int64_t to = (int64_t)offset + insn->displacement;
    if (insn->is_branch && insn->is_direct && insn->displacement > 0)
        *ARENA_ADD(written->names.arena, written->ways, written->n_ways) =
            (struct way){block_insn_at(block, (size_t)to), copy_of(&written->names)};
    return !insn->is_return && (!insn->is_branch || insn->is_conditional);
}

// Finds the registers that are read where some way from the start has not written them, in the order of the text, and
// those that anything writes.
static void find_inputs(const struct decoder *decoder, const struct block *block, struct names *inputs,
                        struct names *changed) {
    struct written written = {.names = {.arena = inputs->arena}};
    bool falls = true;
    size_t offset = 0;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        arrive(&written, i, falls);
        for (unsigned r = 0; r < insn->n_reads && !only_zeroes(insn); r++)
            if (!has_name(&written.names, decoder->machine, insn->reads[r].reg))
                add_with_parts(inputs, decoder->machine, insn->reads[r].reg);
        for (unsigned w = 0; w < insn->n_writes; w++) {
            add_with_parts(&written.names, decoder->machine, insn->writes[w].reg);
            add_with_parts(changed, decoder->machine, insn->writes[w].reg);
        }
        falls = leave(&written, block, i, offset);
    }
}

void decoder_facts(const struct decoder *decoder, struct arena *arena, const struct block *block,
                   struct block_facts *facts) {
    struct names names = {.arena = arena};
    unsigned char *lengths = ARENA_ARRAY(arena, unsigned char, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        lengths[i] = (unsigned char)insn->n_bytes;
        for (unsigned r = 0; r < insn->n_reads; r++)
            add_with_parts(&names, decoder->machine, insn->reads[r].reg);
        for (unsigned w = 0; w < insn->n_writes; w++)
            add_with_parts(&names, decoder->machine, insn->writes[w].reg);
        if (counts_with_rcx(insn))
            add_name(&names, "rcx");
    }
    struct names inputs = {.arena = arena}, changed = {.arena = arena};
    find_inputs(decoder, block, &inputs, &changed);
    static const char *const flags[] = {"EFLAGS", "NZCV", "CPSR", NULL};
    *facts = (struct block_facts){
        .inputs = inputs.items,
        .n_inputs = inputs.n,
        .changed = changed.items,
        .n_changed = changed.n,
        .n_instructions = block->n_insns,
        .lengths = lengths,
        .registers = names.items,
        .n_registers = names.n,
        .reads_flags_of_before = reads_flags_of_before(block, find_register(decoder->machine, flags)),
    };
}
