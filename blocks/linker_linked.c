// References in an executable or a shared object: what a loader fills in, and what the machine code states by
// distances. Linked code for x86-64 and AArch64; linker_riscv.c has RISC-V's.
#include "blocks/linker.h"

#include <string.h>

enum { WORD = LINKER_WORD_BYTES, MOST_CALLEES = 256, STUB_BYTES = 16 };

// ---- what a loader fills in

struct loaded {
    unsigned machine, type;
    enum { BY_BASE, BY_SYMBOL, BY_OTHERS } way;
};

static const struct loaded types[] = {
    {EM_X86_64, R_X86_64_RELATIVE, BY_BASE},     {EM_X86_64, R_X86_64_64, BY_SYMBOL},
    {EM_X86_64, R_X86_64_GLOB_DAT, BY_SYMBOL},   {EM_X86_64, R_X86_64_JUMP_SLOT, BY_SYMBOL},
    {EM_AARCH64, R_AARCH64_RELATIVE, BY_BASE},   {EM_AARCH64, R_AARCH64_ABS64, BY_SYMBOL},
    {EM_AARCH64, R_AARCH64_GLOB_DAT, BY_SYMBOL}, {EM_AARCH64, R_AARCH64_JUMP_SLOT, BY_SYMBOL},
    {EM_RISCV, R_RISCV_RELATIVE, BY_BASE},       {EM_RISCV, R_RISCV_64, BY_SYMBOL},
    {EM_RISCV, R_RISCV_JUMP_SLOT, BY_SYMBOL},
};

static int way_of(const struct object_linker *linker, unsigned type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].machine == linker->machine && types[i].type == type)
            return (int)types[i].way;
    return BY_OTHERS;
}

static const char *symbol_name(const struct object_linker *linker, const GElf_Sym *symbol) {
    const char *name = linker_symbol_name(linker, symbol);
    return name ? name : "?";
}

// Why a relocation cannot be filled in.
static enum absence absence_of(const struct object_linker *linker, unsigned type, const GElf_Sym *symbol) {
    static const struct {
        unsigned machine, type;
        enum absence absence;
    } known[] = {
        {EM_X86_64, R_X86_64_IRELATIVE, ABSENT_CHOICE},         {EM_X86_64, R_X86_64_DTPMOD64, ABSENT_THREAD_LOCAL},
        {EM_X86_64, R_X86_64_DTPOFF64, ABSENT_THREAD_LOCAL},    {EM_X86_64, R_X86_64_TPOFF64, ABSENT_THREAD_LOCAL},
        {EM_X86_64, R_X86_64_TLSDESC, ABSENT_THREAD_LOCAL},     {EM_AARCH64, R_AARCH64_IRELATIVE, ABSENT_CHOICE},
        {EM_AARCH64, R_AARCH64_TLS_TPREL, ABSENT_THREAD_LOCAL}, {EM_AARCH64, R_AARCH64_TLSDESC, ABSENT_THREAD_LOCAL},
        {EM_RISCV, R_RISCV_TLS_TPREL64, ABSENT_THREAD_LOCAL},   {EM_RISCV, R_RISCV_IRELATIVE, ABSENT_CHOICE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == linker->machine && known[i].type == type)
            return known[i].absence;
    unsigned kind = GELF_ST_TYPE(symbol->st_info);
    return kind == STT_TLS ? ABSENT_THREAD_LOCAL : kind == STT_GNU_IFUNC ? ABSENT_CHOICE : ABSENT_ELSEWHERE;
}

static bool is_copy(const struct object_linker *linker, unsigned type) {
    return (linker->machine == EM_X86_64 && type == R_X86_64_COPY) ||
           (linker->machine == EM_AARCH64 && type == R_AARCH64_COPY) ||
           (linker->machine == EM_RISCV && type == R_RISCV_COPY);
}

// Has a word lead to where a run traps. What would be copied from another file, and is read in place, is a hole.
static void load_absent(struct object_linker *linker, const GElf_Rela *relocation, const GElf_Sym *symbol) {
    unsigned type = (unsigned)GELF_R_TYPE(relocation->r_info);
    uint64_t place = linker->base + relocation->r_offset, target = 0;
    uint8_t *bytes = linker_bytes(linker, place, WORD);
    bool is_weak = GELF_ST_BIND(symbol->st_info) == STB_WEAK && symbol->st_shndx == SHN_UNDEF;
    bool holds_address = bytes && !is_copy(linker, type);
    enum absence absence = absence_of(linker, type, symbol);
    const char *name = GELF_R_SYM(relocation->r_info) ? symbol_name(linker, symbol)
                       : absence == ABSENT_CHOICE     ? linker_choice_name(linker, (uint64_t)relocation->r_addend)
                                                      : NULL;
    bool is_call = absence == ABSENT_CHOICE || way_of(linker, type) == BY_SYMBOL;
    is_call = is_call && GELF_ST_TYPE(symbol->st_info) != STT_OBJECT;
    if (holds_address && !is_weak)
        target = linker_absent(linker, &(struct linker_absence){NULL, name, absence, is_call});
    if (holds_address && (is_weak || target))
        link_apply(linker->machine, linker_address_type(linker), &(struct link_place){bytes, place, target});
    else if (!is_weak)
        linker_add_hole(linker, &(struct linker_hole){place, name ? name : "?"});
}

static void load_word(struct object_linker *linker, const GElf_Rela *relocation) {
    uint64_t place = linker->base + relocation->r_offset, target = linker->base + (uint64_t)relocation->r_addend;
    uint8_t *bytes = linker_bytes(linker, place, WORD);
    int way = way_of(linker, (unsigned)GELF_R_TYPE(relocation->r_info));
    GElf_Sym symbol = {0};
    bool has_symbol = linker->symbols && GELF_R_SYM(relocation->r_info) &&
                      gelf_getsym(linker->symbols, (int)GELF_R_SYM(relocation->r_info), &symbol);
    bool is_here = symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) != STT_TLS &&
                   GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC;
    if (way == BY_OTHERS || (way == BY_SYMBOL && !(has_symbol && is_here))) {
        load_absent(linker, relocation, &symbol);
        return;
    }
    if (way == BY_SYMBOL)
        target += symbol.st_value;
    if (!bytes)
        return;
    link_apply(linker->machine, linker_address_type(linker), &(struct link_place){bytes, place, target});
    *ARENA_ADD(linker->arena, linker->pointers, linker->n_pointers) = (struct linker_pointer){place, target};
}

void linker_load(struct object_linker *linker) {
    struct linker_relocations walk = {.elf = linker->elf};
    for (GElf_Rela relocation; linker_next_relocation(&walk, &relocation);)
        load_word(linker, &relocation);
}

// ---- what machine code refers to

struct code {
    struct object_linker *linker;
    const struct decoder *decoder;
    uint64_t visited[MOST_CALLEES]; // functions that the piece calls, whose references have been checked
    size_t n_visited;
    const struct object_piece *pieces; // functions of the file; null: not read yet
    size_t n_pieces;
};

// A call or a jump goes to a function in the file: checks that this one can run as well. A stub that only jumps to
// another file has no symbol.
static bool check_callee(struct code *code, uint64_t address);

static bool is_inside(const struct object_linker *linker, size_t offset, size_t n) {
    return offset + n <= linker->piece->n_bytes;
}

static void bar_threads(const struct code *code, const char *who, const struct block *block, unsigned index,
                        uint64_t address) {
    struct object_linker *linker = code->linker;
    const struct insn *insn = &block->insns[index];
    uint8_t *bytes = linker_bytes(linker, address, insn->n_bytes);
    if (!bytes || !linker_is_thread_local(linker, insn))
        return;
    uint64_t target = linker->threads + (uint64_t)insn->address->displacement;
    if (!linker->threads ||
        (!linker_meet_threads(linker, insn, address, target) && !linker_meet_base(linker, block, index, address)))
        linker_bar_threads(linker, who, insn, bytes);
}

// A jump out of a function goes on in other code, which returns to the same caller. One out of a range of addresses
// goes to the block's end, which is not for here.
static bool take_jump(struct code *code, const struct insn *insn, size_t offset) {
    struct object_linker *linker = code->linker;
    uint64_t target = linker_piece(linker) + offset + (uint64_t)insn->displacement;
    return !linker->piece->is_function || linker_is_own(linker, target) ||
           (linker_add_jump(linker, insn, offset, target) && linker_check_target(linker, linker->piece->name, target) &&
            check_callee(code, target));
}

static bool take_x86(struct code *code, const struct block *block, unsigned index, size_t offset) {
    struct object_linker *linker = code->linker;
    const struct insn *insn = &block->insns[index];
    uint64_t target, address = linker_piece(linker) + offset;
    unsigned field;
    if (insn->is_direct && !insn->is_call)
        return take_jump(code, insn, offset);
    bar_threads(code, linker->piece->name, block, index, address);
    if (!is_inside(linker, offset, insn->n_bytes) ||
        !linker_find_distance(linker, insn, linker->piece->bytes + offset, address, &target, &field) ||
        (linker_is_own(linker, target) && target != address))
        return true;
    // An instruction's own address is the one that it has in the file: -mcmodel=large adds distances to it.
    // The field counts from its own place, the CPU from the instruction's end.
    linker_add_fixup(linker, offset + field, R_X86_64_PC32, target - (insn->n_bytes - field));
    return linker_check_target(linker, linker->piece->name, target) && (!insn->is_direct || check_callee(code, target));
}

static bool decode(const struct code *code, const uint8_t *bytes, size_t n_bytes, struct block *block) {
    struct fail why = {0};
    return decoder_decode_code(code->decoder, code->linker->arena, bytes, n_bytes, block, &why);
}

// The bytes of the function at an address, as far as its symbol states; a stub's without one.
static size_t callee_bytes(struct code *code, uint64_t address, const char **name) {
    const struct object_linker *linker = code->linker;
    const struct object_range all = {0};
    struct fail why = {0};
    if (!code->pieces && !object_code_read(linker->arena, linker->file, &all, &code->pieces, &code->n_pieces, &why))
        code->n_pieces = 0;
    *name = linker->piece->name;
    for (size_t i = 0; i < code->n_pieces; i++)
        if (linker->base + code->pieces[i].address == address) {
            *name = code->pieces[i].name;
            return code->pieces[i].n_bytes;
        }
    return STUB_BYTES;
}

static bool check_callee(struct code *code, uint64_t address) {
    struct object_linker *linker = code->linker;
    for (size_t i = 0; i < code->n_visited; i++)
        if (code->visited[i] == address)
            return true;
    const char *name;
    size_t n_bytes = callee_bytes(code, address, &name), offset = 0;
    const uint8_t *bytes = linker_bytes(linker, address, n_bytes);
    struct block block;
    if (!bytes || code->n_visited == MOST_CALLEES || !decode(code, bytes, n_bytes, &block))
        return true; // where it cannot go on, its run shows that
    code->visited[code->n_visited++] = address;
    for (unsigned i = 0; i < block.n_insns; offset += block.insns[i++].n_bytes) {
        const struct insn *insn = &block.insns[i];
        uint64_t target;
        unsigned field;
        bar_threads(code, name, &block, i, address + offset);
        if (!linker_find_distance(linker, insn, bytes + offset, address + offset, &target, &field))
            continue;
        bool stays = !insn->is_direct || target - address < n_bytes || linker_is_own(linker, target);
        if (!linker_check_target(linker, name, target) || (!stays && !check_callee(code, target)))
            return false;
    }
    return true;
}

static bool read_x86(struct code *code) {
    struct object_linker *linker = code->linker;
    struct block block;
    size_t offset = 0;
    if (!decode(code, linker->piece->bytes, linker->piece->n_bytes, &block))
        return true; // the block is refused for that
    for (unsigned i = 0; i < block.n_insns; offset += block.insns[i++].n_bytes)
        if (!take_x86(code, &block, i, offset))
            return false;
    linker_find_registers(linker, &block);
    linker_find_tables(linker, &block);
    return true;
}

// ---- AArch64: the low 12 bits of addresses stay, since memory moves by whole pages

static bool take_a64(struct object_linker *linker, size_t offset, uint32_t word) {
    enum { PAGE = 1 << 12 };
    int64_t distance = 0;
    unsigned type = 0;
    uint64_t here = linker_piece(linker) + offset, from = here;
    int64_t immediate = (int64_t)((uint64_t)(word >> 5 & 0x7ffff) << 45) >> 43 | (word >> 29 & 3);
    if ((word & 0x9f000000) == 0x90000000) {
        type = R_AARCH64_ADR_PREL_PG_HI21;
        distance = immediate * PAGE;
        from = here / PAGE * PAGE;
    } else if ((word & 0x9f000000) == 0x10000000) {
        type = R_AARCH64_ADR_PREL_LO21;
        distance = immediate;
    } else if ((word & 0xfc000000) == 0x94000000) {
        type = R_AARCH64_CALL26;
        distance = (int64_t)((uint64_t)word << 38) >> 36;
    } else if ((word & 0xfc000000) == 0x14000000 && linker->piece->is_function) {
        type = R_AARCH64_JUMP26;
        distance = (int64_t)((uint64_t)word << 38) >> 36;
    } else if ((word & 0x3b000000) == 0x18000000) {
        type = R_AARCH64_LD_PREL_LO19;
        distance = (int64_t)((uint64_t)(word >> 5 & 0x7ffff) << 45) >> 43;
    }
    uint64_t target = from + (uint64_t)distance;
    bool is_page = type == R_AARCH64_ADR_PREL_PG_HI21;
    if (!type || (!is_page && linker_is_own(linker, target)))
        return true;
    linker_add_fixup(linker, offset, type, target);
    return is_page || linker_check_target(linker, linker->piece->name, target);
}

static bool read_a64(struct object_linker *linker) {
    uint32_t word;
    for (size_t at = 0; at + sizeof word <= linker->piece->n_bytes; at += sizeof word) {
        memcpy(&word, linker->piece->bytes + at, sizeof word);
        if (!take_a64(linker, at, word))
            return false;
    }
    return true;
}

// Words that hold addresses in the piece are to lead to the block.
static void find_pointers(struct object_linker *linker) {
    for (size_t i = 0; i < linker->n_pointers; i++)
        if (linker_is_own(linker, linker->pointers[i].target))
            linker_add_entry(linker, linker->pointers[i].place, linker_address_type(linker), linker->pointers[i].target,
                             0);
}

bool linker_read_linked(struct object_linker *linker) {
    struct code code = {.linker = linker, .decoder = &linker->decoder};
    find_pointers(linker);
    if (linker->machine == EM_AARCH64)
        return read_a64(linker);
    if (linker->machine == EM_RISCV)
        return linker_read_riscv(linker);
    return linker->machine != EM_X86_64 || read_x86(&code);
}
