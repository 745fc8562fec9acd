// The stubs of a procedure linkage table, which are functions of their own.
#include "hot/image_parts.h"

#include <string.h>

static void read_stubs(struct hot_image *image) {
    enum { LEAST = 8, MOST = 64 };
    static const char name[] = ".plt"; // also .plt.got, .plt.sec
    GElf_Shdr header;
    size_t names;
    if (image->has_stubs)
        return;
    image->has_stubs = true;
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section));) {
        const char *own = gelf_getshdr(section, &header) ? elf_strptr(image->elf, names, header.sh_name) : NULL;
        if (own && strncmp(own, name, sizeof name - 1) == 0 && header.sh_entsize >= LEAST &&
            header.sh_entsize <= MOST && header.sh_addr + header.sh_size > header.sh_addr)
            *ARENA_ADD(image->arena, image->stubs, image->n_stubs) =
                (struct image_stubs){header.sh_addr, header.sh_addr + header.sh_size, header.sh_entsize};
    }
}

// A stub is a function of its own, though the table of unwinding has all of them as one.
static bool take_stub(struct hot_image *image, uint64_t address, struct hot_function *function) {
    read_stubs(image);
    for (size_t i = 0; i < image->n_stubs; i++) {
        const struct image_stubs *stubs = &image->stubs[i];
        if (address < stubs->begin || address >= stubs->end)
            continue;
        const uint64_t begin = address - (address - stubs->begin) % stubs->size;
        const char *import = hot_image_import(image, begin);
        if (!import)
            return false;
        *function = (struct hot_function){
            .name = arena_printf(image->arena, "%s@plt", import), .begin = begin, .end = begin + stubs->size};
        return true;
    }
    return false;
}

bool hot_image_function(struct hot_image *image, uint64_t address, struct hot_function *function) {
    return take_stub(image, address, function) || image_find_function(image, address, function);
}
