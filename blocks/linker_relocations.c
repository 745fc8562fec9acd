#include "blocks/linker_symbols.h"

static bool is_wanted(const struct linker_relocations *walk, const GElf_Shdr *header) {
    if (header->sh_type != SHT_RELA)
        return false;
    return walk->section ? header->sh_info == walk->section : (header->sh_flags & SHF_ALLOC) != 0;
}

bool linker_next_relocation(struct linker_relocations *walk, GElf_Rela *relocation) {
    while (!walk->data || !gelf_getrela(walk->data, walk->next, relocation)) {
        GElf_Shdr header;
        walk->scn = elf_nextscn(walk->elf, walk->scn);
        if (!walk->scn)
            return false;
        walk->data = gelf_getshdr(walk->scn, &header) && is_wanted(walk, &header) ? elf_getdata(walk->scn, NULL) : NULL;
        walk->next = 0;
    }
    walk->next++;
    return true;
}

static const struct linker_meaning meanings[] = {
    {EM_X86_64, R_X86_64_PLT32, R_X86_64_PC32, false},
    {EM_X86_64, R_X86_64_GOTPCREL, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_GOTPCRELX, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_REX_GOTPCRELX, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_GOTTPOFF, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_TLSGD, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_TLSLD, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_GOTPC32_TLSDESC, R_X86_64_PC32, true},
    {EM_X86_64, R_X86_64_TPOFF32, R_X86_64_32S, false},
    {EM_X86_64, R_X86_64_DTPOFF32, R_X86_64_32S, false},
    {EM_X86_64, R_X86_64_TPOFF64, R_X86_64_64, false},
    {EM_X86_64, R_X86_64_DTPOFF64, R_X86_64_64, false},
    {EM_AARCH64, R_AARCH64_ADR_GOT_PAGE, R_AARCH64_ADR_PREL_PG_HI21, true},
    {EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC, R_AARCH64_LDST64_ABS_LO12_NC, true},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21_NC, R_AARCH64_ADR_PREL_PG_HI21, false},
    {EM_RISCV, R_RISCV_GOT_HI20, R_RISCV_PCREL_HI20, true},
};

const struct linker_meaning *linker_meaning_of(const struct object_linker *linker, unsigned type) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].machine == linker->machine && meanings[i].type == type)
            return &meanings[i];
    return NULL;
}

unsigned linker_type_of(const struct object_linker *linker, unsigned type) {
    const struct linker_meaning *meaning = linker_meaning_of(linker, type);
    return meaning ? meaning->as : type;
}
