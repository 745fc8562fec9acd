// References in an object that is not linked: its relocations, from the piece to all that it reaches.
#include "blocks/linker_symbols.h"

#include <string.h>

enum { X86_FIELD = 4 };

static bool is_reached(const struct linker_worker *worker, const struct reached *wanted) {
    for (size_t i = 0; i < worker->n_reached; i++) {
        const struct reached *reached = &worker->reached[i];
        if (reached->section == wanted->section && wanted->begin >= reached->begin && wanted->end <= reached->end)
            return true;
    }
    return false;
}

// Whether a symbol begins a function. Some assemblers leave labels of branches (.L3) and marks of code ($x) in objects.
static bool begins_function(const struct object_linker *linker, const GElf_Sym *symbol) {
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    const char *name = linker_symbol_name(linker, symbol);
    return type == STT_FUNC || (type == STT_NOTYPE && name && *name != '.' && *name != '$');
}

// Finds the function around an offset of a section: up to the next symbol where it states no size.
static const char *find_function(const struct object_linker *linker, size_t section, uint64_t offset, uint64_t *begin,
                                 uint64_t *end) {
    const char *name = linker->sections[section].name;
    *begin = 0;
    *end = linker->sections[section].size;
    GElf_Sym symbol;
    for (size_t i = 0; i < linker->n_symbols && gelf_getsym(linker->symbols, (int)i, &symbol); i++) {
        if (symbol.st_shndx != section || !begins_function(linker, &symbol))
            continue;
        if (symbol.st_value <= offset && symbol.st_value >= *begin) {
            *begin = symbol.st_value;
            name = linker_name_of(linker, &symbol);
        } else if (symbol.st_value > offset && symbol.st_value < *end) {
            *end = symbol.st_value;
        }
    }
    return name;
}

// Notes what a reference to a section leads to.
static void follow(struct linker_worker *worker, size_t index, uint64_t address) {
    const struct object_linker *linker = worker->linker;
    if (index >= linker->n_sections || linker_is_own(linker, address))
        return;
    const struct linked_section *section = &linker->sections[index];
    struct reached next = {index, 0, section->size, worker->who};
    if (section->flags & SHF_EXECINSTR) {
        uint64_t offset = address >= section->address ? address - section->address : 0;
        next.who = find_function(linker, index, offset, &next.begin, &next.end);
    }
    if (!is_reached(worker, &next))
        *ARENA_ADD(linker->arena, worker->reached, worker->n_reached) = next;
}

// Returns the address of a word that holds an address; 0: there is no room.
static uint64_t word_of(struct object_linker *linker, uint64_t address) {
    const struct linked_section *words = &linker->sections[linker->n_sections - 1];
    size_t i = 0;
    while (i < linker->n_words && linker->words[i] != address)
        i++;
    if (i == LINKER_MOST_WORDS)
        return 0;
    if (i == linker->n_words)
        *ARENA_ADD(linker->arena, linker->words, linker->n_words) = address;
    uint64_t word = words->address + i * LINKER_WORD_BYTES;
    link_apply(linker->machine, linker_address_type(linker),
               &(struct link_place){words->bytes + i * LINKER_WORD_BYTES, word, address});
    if (linker_is_own(linker, address))
        linker_add_entry(linker, word, linker_address_type(linker), address, 0);
    return word;
}

// Whether a relocation only helps linkers to shorten code.
static bool is_hint(const struct object_linker *linker, unsigned type) {
    return link_is_nothing(linker->machine, type) || (linker->machine == EM_X86_64 && type == R_X86_64_TLSDESC_CALL) ||
           (linker->machine == EM_RISCV &&
            (type == R_RISCV_RELAX || type == R_RISCV_ALIGN || type == R_RISCV_SUB32)); // see find_difference
}

// The greatest address up to `place` that code refers to: where a table begins.
static uint64_t table_of(const struct linker_worker *worker, uint64_t place) {
    uint64_t table = 0;
    for (size_t i = 0; i < worker->n_tables; i++)
        if (worker->tables[i] <= place && worker->tables[i] > table)
            table = worker->tables[i];
    return table ? table : place;
}

// By how much a reference to code is written further on than it means: distances of x86-64 count from the field's
// end, and an entry of a table of distances from the table's begin.
static int64_t bias_of(const struct linker_worker *worker, const struct linker_reference *reference, unsigned type) {
    const struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[reference->section];
    uint64_t place = section->address + reference->offset;
    if (reference->from)
        return (int64_t)(place - reference->from);
    if (type != R_X86_64_PC32 && type != R_AARCH64_PREL32)
        return 0;
    if (section->flags & SHF_EXECINSTR)
        return linker->machine == EM_X86_64 ? -X86_FIELD : 0;
    return (int64_t)(place - table_of(worker, place));
}

// Whether a branch of a piece of a function goes to another place of that function: then it is a way out. Assemblers
// for RISC-V leave the distance of each branch to the linker.
static bool is_way_out(const struct object_linker *linker, const struct linker_reference *reference, uint64_t target) {
    const struct linked_section *section = &linker->sections[reference->section];
    return !linker->piece->is_function && target - section->address <= section->size &&
           linker_purpose_of(&(struct linker_use){linker->machine, reference->type, section->bytes,
                                                  reference->offset}) == LINKER_BRANCH;
}

// Fills in a reference, whose target is known.
static bool fill_in(struct linker_worker *worker, const struct linker_reference *reference, unsigned type,
                    uint64_t target, const char *name) {
    struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[reference->section];
    uint64_t place = section->address + reference->offset;
    int64_t bias = bias_of(worker, reference, type);
    bool is_in_piece = linker_is_own(linker, place), is_own = linker_is_own(linker, target - (uint64_t)bias);
    if (!link_type_name(linker->machine, type))
        return linker_refuse(worker, name, "in a way that only a linker knows: link it, and give the program");
    if (is_in_piece && !is_own && !is_way_out(linker, reference, target - (uint64_t)bias)) {
        linker_add_fixup(linker, (size_t)(place - linker_piece(linker)), type, target);
        return true;
    }
    bool is_entry = !is_in_piece && !is_own && !(section->flags & SHF_EXECINSTR);
    if (is_entry && linker_leads_out(linker, target - (uint64_t)bias)) {
        linker_add_way_out(linker, place, type, bias);
        return true;
    }
    if (!is_in_piece && is_own) {
        linker_add_entry(linker, place, type, target - (uint64_t)bias, bias);
        return true;
    }
    uint8_t *bytes = linker_bytes(linker, place, link_type_bytes(linker->machine, type));
    return (bytes && link_apply(linker->machine, type, &(struct link_place){bytes, place, target})) ||
           linker_refuse(worker, name, "which is too far away from it");
}

// Of the second half of RISC-V's distances: its symbol is the place of the first half. Sets what that refers to.
static bool find_first_half(const struct linker_worker *worker, struct linker_reference *reference, uint64_t *behind);

// Of RISC-V's differences of two labels, as entries of jump tables: one relocation adds the first, one at the same
// place subtracts the second. Makes the first one a distance from there.
static bool find_difference(const struct linker_worker *worker, struct linker_reference *reference);

static bool take(struct linker_worker *worker, struct linker_reference reference) {
    struct object_linker *linker = worker->linker;
    GElf_Sym symbol = {0};
    uint64_t address, behind = 0;
    bool is_absent;
    if (is_hint(linker, reference.type))
        return true;
    if (!find_difference(worker, &reference))
        return false;
    unsigned own_type = reference.type;
    if (!find_first_half(worker, &reference, &behind) ||
        !linker_find_address(worker, &reference, &symbol, &address, &is_absent))
        return false;
    if (is_absent)
        return true;
    const char *name = linker_name_of(linker, &symbol);
    const struct linker_meaning *meaning = linker_meaning_of(linker, reference.type);
    unsigned type = own_type != reference.type ? own_type : linker_type_of(linker, own_type);
    uint64_t target = address + (uint64_t)reference.addend;
    if (reference.from)
        target += (uint64_t)bias_of(worker, &reference, type);
    uint64_t meant = target - (uint64_t)bias_of(worker, &reference, type);
    follow(worker, symbol.st_shndx, meant);
    if (meaning && meaning->by_word) {
        bool is_x86 = linker->machine == EM_X86_64; // whose addend is about the place, not about the symbol
        uint64_t word = word_of(linker, is_x86 ? address : target);
        if (!word)
            return linker_refuse(worker, name, "one symbol too many");
        target = word + (is_x86 ? (uint64_t)reference.addend : 0);
    }
    return fill_in(worker, &reference, type, target + behind, name);
}

// ---- relocations of a section

typedef bool take_function(struct linker_worker *worker, struct linker_reference reference, void *context);

static bool each_relocation(struct linker_worker *worker, size_t section, uint64_t begin, uint64_t end,
                            take_function *function, void *context) {
    struct linker_relocations walk = {.elf = worker->linker->elf, .section = section};
    for (GElf_Rela relocation; linker_next_relocation(&walk, &relocation);)
        if (relocation.r_offset >= begin && relocation.r_offset < end &&
            !function(worker,
                      (struct linker_reference){section, relocation.r_offset, (unsigned)GELF_R_TYPE(relocation.r_info),
                                                GELF_R_SYM(relocation.r_info), relocation.r_addend, 0},
                      context))
            return false;
    return true;
}

static bool take_one(struct linker_worker *worker, struct linker_reference reference, void *context) {
    (void)context;
    return take(worker, reference);
}

// Notes where a reference of code leads: a table may begin there.
static bool note_table(struct linker_worker *worker, struct linker_reference reference, void *context) {
    struct object_linker *linker = worker->linker;
    GElf_Sym symbol;
    (void)context;
    if (is_hint(linker, reference.type) || !gelf_getsym(linker->symbols, (int)reference.symbol, &symbol) ||
        symbol.st_shndx >= linker->n_sections || !linker->sections[symbol.st_shndx].address ||
        (linker->sections[symbol.st_shndx].flags & SHF_EXECINSTR))
        return true;
    uint64_t target = linker->sections[symbol.st_shndx].address + symbol.st_value + (uint64_t)reference.addend;
    *ARENA_ADD(linker->arena, worker->tables, worker->n_tables) =
        target - (uint64_t)bias_of(worker, &reference, linker_type_of(linker, reference.type));
    return true;
}

// A section of constants holds the tables of all functions, also of those that the piece does not reach. So where each
// begins is known before the first entry is read.
static void find_tables(struct linker_worker *worker) {
    const struct object_linker *linker = worker->linker;
    for (size_t i = 0; linker->symbols && i < linker->n_sections; i++)
        if (linker->sections[i].flags & SHF_EXECINSTR)
            each_relocation(worker, i, 0, linker->sections[i].size, note_table, NULL);
}

static bool is_first_half(unsigned type) {
    return type == R_RISCV_PCREL_HI20 || type == R_RISCV_GOT_HI20;
}

static bool keep_first_half(struct linker_worker *worker, struct linker_reference reference, void *context) {
    (void)worker;
    if (is_first_half(reference.type))
        *(struct linker_reference *)context = reference;
    return true;
}

static bool find_first_half(const struct linker_worker *worker, struct linker_reference *reference, uint64_t *behind) {
    const struct object_linker *linker = worker->linker;
    bool is_second = linker->machine == EM_RISCV &&
                     (reference->type == R_RISCV_PCREL_LO12_I || reference->type == R_RISCV_PCREL_LO12_S);
    GElf_Sym symbol;
    struct linker_reference first = {0};
    if (!is_second)
        return true;
    struct linker_worker copy = *worker;
    if (!gelf_getsym(linker->symbols, (int)reference->symbol, &symbol) ||
        !each_relocation(&copy, symbol.st_shndx, symbol.st_value, symbol.st_value + 1, keep_first_half, &first) ||
        !is_first_half(first.type))
        return linker_refuse(worker, "?", "by the second half of a distance that has no first half");
    *behind = reference->offset - first.offset;
    reference->type = first.type;
    reference->symbol = first.symbol;
    reference->addend = first.addend;
    return true;
}

struct difference {
    uint64_t place;
    struct linker_reference second;
};

static bool keep_second(struct linker_worker *worker, struct linker_reference reference, void *context) {
    struct difference *difference = context;
    (void)worker;
    if (reference.type == R_RISCV_SUB32 && reference.offset == difference->place)
        difference->second = reference;
    return true;
}

static bool find_difference(const struct linker_worker *worker, struct linker_reference *reference) {
    struct linker_worker copy = *worker;
    struct difference difference = {.place = reference->offset};
    GElf_Sym symbol = {0};
    uint64_t address;
    bool is_absent;
    if (worker->linker->machine != EM_RISCV || reference->type != R_RISCV_ADD32)
        return true;
    each_relocation(&copy, reference->section, reference->offset, reference->offset + 1, keep_second, &difference);
    if (difference.second.type != R_RISCV_SUB32)
        return linker_refuse(worker, "?", "by a sum that is no difference");
    if (!linker_find_address(worker, &difference.second, &symbol, &address, &is_absent))
        return false;
    reference->type = R_RISCV_32_PCREL;
    reference->from = address + (uint64_t)difference.second.addend;
    return true;
}

// ---- calls, jumps and addresses that the assembler has filled in itself: of functions in the same section

static bool note_relocation(struct linker_worker *worker, struct linker_reference reference, void *context) {
    (void)worker, (void)reference;
    *(bool *)context = true;
    return true;
}

// Adds what fills in a call of the piece, or, of a function, a jump out of it; one out of a range of addresses goes to
// the block's end, which is not for here.
static bool add_call(struct object_linker *linker, const struct insn *insn, uint64_t address, uint64_t target) {
    size_t offset = (size_t)(address - linker_piece(linker));
    if (!insn->is_call && !linker->piece->is_function)
        return true;
    if (linker->machine == EM_X86_64)
        return linker_add_jump(linker, insn, offset, target);
    if (linker->machine == EM_AARCH64 && !insn->is_conditional)
        linker_add_fixup(linker, offset, insn->is_call ? R_AARCH64_CALL26 : R_AARCH64_JUMP26, target);
    return true;
}

static bool has_relocation(struct linker_worker *worker, const struct reached *range, const struct insn *insn,
                           uint64_t address) {
    uint64_t offset = address - worker->linker->sections[range->section].address;
    bool has = false;
    each_relocation(worker, range->section, offset, offset + insn->n_bytes, note_relocation, &has);
    return has;
}

// An address in the same section, mostly of a function: x86's assembler fills in its distance.
static void follow_address(struct linker_worker *worker, const struct reached *range, const struct insn *insn,
                           uint64_t address) {
    struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[range->section];
    const uint8_t *bytes = linker_bytes(linker, address, insn->n_bytes);
    uint64_t target;
    unsigned field;
    if (linker->machine != EM_X86_64 || !linker_find_distance(linker, insn, bytes, address, &target, &field) ||
        target - section->address >= section->size || has_relocation(worker, range, insn, address))
        return;
    follow(worker, range->section, target);
    if (linker_is_own(linker, address) && !linker_is_own(linker, target))
        linker_add_fixup(linker, (size_t)(address - linker_piece(linker)) + field, R_X86_64_PC32,
                         target - (insn->n_bytes - field));
}

// An access to thread-local data: a relocation fills in the variable's address; nothing fills in the word at fs:0.
static void follow_thread(struct linker_worker *worker, const struct reached *range, const struct insn *insn,
                          uint64_t address) {
    struct object_linker *linker = worker->linker;
    const struct insn_address *written = insn->address;
    bool is_first = !written->displacement && !written->base && !written->index;
    if (!is_first || !linker->has_threads || has_relocation(worker, range, insn, address) ||
        !linker_meet_threads(linker, insn, address, word_of(linker, 0)))
        linker_bar_threads(linker, linker_who(worker), insn, linker_bytes(linker, address, insn->n_bytes));
}

static bool follow_insn(struct linker_worker *worker, const struct reached *range, const struct insn *insn,
                        uint64_t address) {
    struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[range->section];
    uint64_t target = address + (uint64_t)insn->displacement;
    bool is_inside = target - section->address - range->begin < range->end - range->begin;
    if (linker_is_thread_local(linker, insn))
        follow_thread(worker, range, insn, address);
    if (!insn->is_direct) {
        follow_address(worker, range, insn, address);
        return true;
    }
    if (is_inside || target - section->address >= section->size || has_relocation(worker, range, insn, address))
        return true;
    follow(worker, range->section, target);
    return !linker_is_own(linker, address) || add_call(linker, insn, address, target);
}

static bool follow_calls(struct linker_worker *worker, const struct reached *range) {
    struct object_linker *linker = worker->linker;
    const struct linked_section *section = &linker->sections[range->section];
    uint64_t address = section->address + range->begin;
    const uint8_t *bytes = linker_bytes(linker, address, (size_t)(range->end - range->begin));
    struct block block;
    struct fail why = {0};
    if (!(section->flags & SHF_EXECINSTR) || !bytes ||
        !decoder_decode_code(&linker->decoder, linker->arena, bytes, (size_t)(range->end - range->begin), &block, &why))
        return true;
    for (unsigned i = 0; i < block.n_insns; address += block.insns[i++].n_bytes)
        if (!follow_insn(worker, range, &block.insns[i], address))
            return false;
    return true;
}

static bool read_all(struct linker_worker *worker) {
    for (size_t i = 0; i < worker->n_reached; i++) {
        const struct reached range = worker->reached[i];
        worker->who = range.who;
        if (!follow_calls(worker, &range) ||
            !each_relocation(worker, range.section, range.begin, range.end, take_one, NULL))
            return false;
    }
    return true;
}

static size_t count_sure_bytes(const struct block *block) {
    size_t n = 0;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        if (insn->is_conditional)
            break;
        n += insn->n_bytes;
        if (!insn->is_call && (insn->is_branch || insn->is_return))
            break;
    }
    return n;
}

// Tables whose addresses registers hold: the piece's own references do not lead there.
static void follow_held(struct linker_worker *worker) {
    const struct object_linker *linker = worker->linker;
    for (size_t i = 0; i < linker->n_held; i++) {
        uint64_t table = linker->held[i].value;
        follow(worker, (size_t)(linker_section(linker, table) - linker->sections), table);
        *ARENA_ADD(linker->arena, worker->tables, worker->n_tables) = table;
    }
}

bool linker_read_object(struct object_linker *linker) {
    const struct object_piece *piece = linker->piece;
    struct linker_worker worker = {.linker = linker};
    struct block block;
    struct fail why = {0};
    find_tables(&worker);
    *ARENA_ADD(linker->arena, worker.reached, worker.n_reached) =
        (struct reached){piece->section, piece->address, piece->address + piece->n_bytes, piece->name};
    if (decoder_decode_code(&linker->decoder, linker->arena, piece->bytes, piece->n_bytes, &block, &why)) {
        worker.sure_bytes = count_sure_bytes(&block);
        linker_find_registers(linker, &block);
        follow_held(&worker);
    }
    return read_all(&worker);
}
