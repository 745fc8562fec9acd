// Thread-local data of x86-64. Code finds them by offsets from the address that fs holds, which here is this program's
// own. So its instructions get another segment, gs, which begins at 0, and offsets become addresses:
//  - of an object that is not linked, an offset is filled in as the address of the variable, and the word at fs:0 is 0;
//  - a linked file has its offsets in its code. The initial data go behind its memory, and behind them is the word at
//    fs:0. An instruction whose displacement has four bytes gets that word's address added; where a register brings the
//    offset alone, the instruction that puts it there does.
// Every other access traps.
#include "blocks/linker.h"

#include <string.h>

enum { FS = 0x64, GS = 0x65, FIELD = 4, SIB_ONLY = 0x04, MOST_THREAD_BYTES = 1 << 20 };

// It lies below the address in fs, or at what the first word there says. Above are a canary and others.
bool linker_is_thread_local(const struct object_linker *linker, const struct insn *insn) {
    const struct insn_address *written = insn->address;
    const struct machine *machine = linker->decoder.machine;
    return written && written->segment && strcmp(machine->registers[written->segment].name, "FS") == 0 &&
           (written->displacement <= 0 || written->base || written->index);
}

// Adds what a sum with an offset from the thread's address is without that: just below zero.
static void add_offsets(struct object_linker *linker, const char *who) {
    enum { MOST_BYTES = 1 << 16 };
    for (size_t i = 0; i < linker->n_absent; i++)
        if (linker->absent[i].address + MOST_BYTES == 0)
            return;
    linker_explain(linker, &(struct linker_absence){who, NULL, ABSENT_THREAD_LOCAL, false}, -(uint64_t)MOST_BYTES,
                   MOST_BYTES);
}

void linker_bar_threads(struct object_linker *linker, const char *who, const struct insn *insn, uint8_t *bytes) {
    enum { MODRM = 0x04, NO_BASE = 0x25 };
    unsigned i = 0;
    while (i < insn->n_bytes && bytes[i] != FS)
        i++;
    if (i == insn->n_bytes)
        return;
    bytes[i] = GS;
    add_offsets(linker, who);
    for (; i + 2 + FIELD <= insn->n_bytes; i++)
        if ((bytes[i] & 0xc7) == MODRM && bytes[i + 1] == NO_BASE && !insn->address->base && !insn->address->index) {
            static const int32_t offset = -FIELD * FIELD;
            memcpy(bytes + i + 2, &offset, FIELD);
            return;
        }
}

// ---- those of the file at hand

// Where an instruction has the four bytes of a displacement: behind ModRM or SIB (Intel's manual, volume 2, table 2-2).
// `now`: what they were made before. 0: it has none.
static unsigned find_displacement(const struct insn *insn, const uint8_t *bytes, int32_t now) {
    enum { MOD = 0xc0, FAR = 0x80, RM = 7, SIB = 4, NO_BASE = 5 };
    for (unsigned at = 2; at + FIELD <= insn->n_bytes; at++) {
        uint8_t last = bytes[at - 1], before = bytes[at - 2];
        bool by_modrm = (last & MOD) == FAR && (last & RM) != SIB;
        bool by_sib =
            (before & RM) == SIB && ((before & MOD) == FAR || ((before & MOD) == 0 && (last & RM) == NO_BASE));
        int32_t found;
        memcpy(&found, bytes + at, sizeof found);
        if ((by_modrm || by_sib) && (found == insn->address->displacement || found == now))
            return at;
    }
    return 0;
}

bool linker_meet_threads(struct object_linker *linker, const struct insn *insn, uint64_t address, uint64_t target) {
    uint8_t *bytes = linker_bytes(linker, address, insn->n_bytes);
    int32_t displacement = (int32_t)target;
    unsigned field = bytes ? find_displacement(insn, bytes, displacement) : 0;
    uint8_t *segment = field ? memchr(bytes, FS, field) : NULL;
    if (!field || displacement <= 0)
        return false;
    if (segment) // else it was there before
        *segment = GS;
    memcpy(bytes + field, &displacement, sizeof displacement);
    if (linker_is_own(linker, address))
        linker_add_fixup(linker, (size_t)(address - linker_piece(linker)) + field, R_X86_64_32S, target);
    return true;
}

// Where an instruction has the four bytes of a number that it gives to a register: "lea -128, %rdx", "mov $-128, %rdx".
// 0: it does something else.
static unsigned find_number(const struct insn *insn, const uint8_t *bytes) {
    enum { LEA = 0x8d, MOV = 0xc7, TO_REGISTER = 0xc0, NO_BASE = 0x25, REX_W = 0x48, LEA_BYTES = 8, MOV_BYTES = 7 };
    bool is_wide = (bytes[0] & 0xf8) == REX_W;
    if (is_wide && insn->n_bytes == LEA_BYTES && bytes[1] == LEA && (bytes[2] & 0xc7) == SIB_ONLY &&
        bytes[3] == NO_BASE)
        return LEA_BYTES - FIELD;
    if (is_wide && insn->n_bytes == MOV_BYTES && bytes[1] == MOV && (bytes[2] & 0xf8) == TO_REGISTER)
        return MOV_BYTES - FIELD;
    return 0;
}

// The instruction that gives its value to the register before `index`, in the order of the text; `index`: none.
static unsigned find_writer(const struct block *block, unsigned index, uint16_t reg, uint64_t *address) {
    for (unsigned i = index; i-- > 0;) {
        *address -= block->insns[i].n_bytes;
        for (unsigned w = 0; w < block->insns[i].n_writes; w++)
            if (block->insns[i].writes[w].reg == reg)
                return i;
    }
    return index;
}

bool linker_meet_base(struct object_linker *linker, const struct block *block, unsigned index, uint64_t address) {
    const struct insn *insn = &block->insns[index];
    uint8_t *bytes = linker_bytes(linker, address, insn->n_bytes);
    uint8_t *segment = bytes ? memchr(bytes, FS, FIELD) : NULL; // a prefix
    uint64_t place = address;
    unsigned writer = find_writer(block, index, insn->address->base, &place);
    uint8_t *number = writer < index ? linker_bytes(linker, place, block->insns[writer].n_bytes) : NULL;
    unsigned field = number ? find_number(&block->insns[writer], number) : 0;
    if (!field || !insn->address->base || insn->address->displacement)
        return false;
    int32_t offset;
    memcpy(&offset, number + field, sizeof offset);
    // Another access by this register has met it before.
    bool is_met = linker_section(linker, linker->threads) == linker_section(linker, (uint64_t)offset);
    if (offset >= 0 && !is_met)
        return false;
    uint64_t target = is_met ? (uint64_t)offset : linker->threads + (uint64_t)(int64_t)offset;
    offset = (int32_t)target;
    memcpy(number + field, &offset, sizeof offset);
    if (segment)
        *segment = GS;
    if (linker_is_own(linker, place))
        linker_add_fixup(linker, (size_t)(place - linker_piece(linker)) + field, R_X86_64_32S, target);
    return true;
}

// Fills in the addresses of the file that the initial data hold, in `bytes`, which are theirs; null: looks only. False:
// a loader would change other bytes of them, which then are not known.
static bool relocate(const struct object_linker *linker, const GElf_Phdr *threads, uint8_t *bytes) {
    struct linker_relocations walk = {.elf = linker->elf};
    for (GElf_Rela relocation; linker_next_relocation(&walk, &relocation);) {
        uint64_t offset = relocation.r_offset - threads->p_vaddr;
        uint64_t target = linker->base + (uint64_t)relocation.r_addend;
        if (offset >= threads->p_filesz)
            continue;
        if (GELF_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE || threads->p_filesz - offset < sizeof target)
            return false;
        if (bytes)
            memcpy(bytes + offset, &target, sizeof target);
    }
    return true;
}

static bool find_threads(const struct object_linker *linker, GElf_Phdr *threads) {
    size_t n;
    if (linker->machine != EM_X86_64 || elf_getphdrnum(linker->elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(linker->elf, (int)i, threads) && threads->p_type == PT_TLS)
            return threads->p_memsz <= MOST_THREAD_BYTES && threads->p_align <= LINK_PAGE_BYTES &&
                   threads->p_filesz <= threads->p_memsz && threads->p_offset <= linker->file->n_bytes &&
                   threads->p_filesz <= linker->file->n_bytes - threads->p_offset && relocate(linker, threads, NULL);
    return false;
}

static uint64_t round_up(uint64_t number, uint64_t step) {
    return (number + step - 1) / step * step;
}

void linker_add_threads(struct object_linker *linker) {
    GElf_Phdr threads;
    if (!find_threads(linker, &threads))
        return;
    struct linked_section *section = &linker->sections[linker->n_sections++]; // there is room for one more
    uint64_t size = round_up(threads.p_memsz, threads.p_align > 1 ? threads.p_align : 1);
    *section = (struct linked_section){.name = ".tdata",
                                       .address = round_up(linker->end, LINK_PAGE_BYTES),
                                       .size = size + LINKER_WORD_BYTES,
                                       .flags = SHF_ALLOC | SHF_WRITE};
    linker->threads = section->address + size;
    linker->end = section->address + section->size;
}

void linker_fill_threads(struct object_linker *linker) {
    GElf_Phdr threads;
    uint8_t *word = linker->threads ? linker_bytes(linker, linker->threads, LINKER_WORD_BYTES) : NULL;
    if (!word || !find_threads(linker, &threads))
        return;
    uint8_t *first = linker->sections[linker->n_sections - 1].bytes;
    memcpy(first, (const uint8_t *)linker->file->data + threads.p_offset, threads.p_filesz);
    relocate(linker, &threads, first);
    memcpy(word, &linker->threads, LINKER_WORD_BYTES);
}
