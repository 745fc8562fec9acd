#include "blocks/linker.h"

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
