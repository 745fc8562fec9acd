#include "blocks/object_versions.h"

#include <gelf.h>
#include <string.h>

// Numbers up to this one are of no version: 0 of local symbols, 1 of those without one.
enum { LAST_UNNAMED = 1, NUMBER_BITS = 0x7fff, HIDDEN_BIT = 0x8000, MOST_VERSIONS = 4096 };

static void read_names(struct arena *arena, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                       struct object_versions *versions) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Verdef definition;
    GElf_Verdaux named;
    versions->names = ARENA_ARRAY(arena, const char *, MOST_VERSIONS);
    versions->n = MOST_VERSIONS;
    unsigned steps = 0;
    for (int at = 0; data && steps++ < MOST_VERSIONS && gelf_getverdef(data, at, &definition);
         at += (int)definition.vd_next) {
        if (definition.vd_ndx < MOST_VERSIONS && definition.vd_aux <= data->d_size &&
            gelf_getverdaux(data, at + (int)definition.vd_aux, &named))
            versions->names[definition.vd_ndx] = elf_strptr(elf, header->sh_link, named.vda_name);
        if (!definition.vd_next || definition.vd_next > data->d_size)
            return;
    }
}

struct object_versions object_versions_read(struct arena *arena, Elf *elf, Elf_Scn *symbols) {
    struct object_versions versions = {0};
    size_t table = elf_ndxscn(symbols);
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_GNU_versym && header.sh_link == table)
            versions.numbers = elf_getdata(section, NULL);
        else if (header.sh_type == SHT_GNU_verdef)
            read_names(arena, elf, section, &header, &versions);
    }
    return versions;
}

struct object_version object_versions_of(const struct object_versions *versions, int symbol) {
    GElf_Versym bits;
    if (!versions->numbers || !gelf_getversym(versions->numbers, symbol, &bits))
        return (struct object_version){0};
    size_t number = bits & NUMBER_BITS;
    if (number <= LAST_UNNAMED || number >= versions->n || !versions->names[number])
        return (struct object_version){0};
    return (struct object_version){versions->names[number], !(bits & HIDDEN_BIT)};
}

const char *object_version_split(struct arena *arena, const char *name, struct object_version *version) {
    const char *sign = strchr(name, '@');
    if (!sign || sign == name)
        return name;
    bool is_default = sign[1] == '@';
    *version = (struct object_version){sign + 1 + is_default, is_default};
    return arena_copy(arena, name, (size_t)(sign - name));
}

bool object_version_is_meant(const char *name, const struct object_version *version, const char *wanted) {
    size_t n = strlen(name);
    if (strncmp(name, wanted, n) != 0)
        return false;
    if (!wanted[n])
        return true;
    const char *wanted_version = wanted + n + strspn(wanted + n, "@");
    return wanted[n] == '@' && version->name && strcmp(version->name, wanted_version) == 0;
}

const char *object_version_show(struct arena *arena, const char *name, const struct object_version *version) {
    return version->name && !version->is_default ? arena_printf(arena, "%s@%s", name, version->name) : name;
}
