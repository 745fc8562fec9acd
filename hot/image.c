#include "hot/image.h"

#include "base/bytes.h"
#include "hot/image_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Elf_Scn *image_section(Elf *elf, const char *name, GElf_Shdr *header) {
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *own = gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name) : NULL;
        if (own && strcmp(own, name) == 0)
            return section;
    }
    return NULL;
}

// ---- the build id

static const char *find_note(struct arena *arena, Elf_Data *data) {
    static const char owner[] = "GNU";
    GElf_Nhdr note;
    size_t name, description, offset = 0, next;
    while (data && (next = gelf_getnote(data, offset, &note, &name, &description)) > offset) {
        const uint8_t *bytes = data->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
            memcmp(bytes + name, owner, sizeof owner) == 0 && note.n_descsz > 0)
            return bytes_to_hex(arena, bytes + description, note.n_descsz);
        offset = next;
    }
    return NULL;
}

const char *image_build_id(struct arena *arena, Elf *elf) {
    size_t n = 0;
    GElf_Phdr header;
    if (elf_getphdrnum(elf, &n) != 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE)
            continue;
        Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
        const char *id =
            find_note(arena, elf_getdata_rawchunk(elf, (int64_t)header.p_offset, (size_t)header.p_filesz, type));
        if (id)
            return id;
    }
    return NULL;
}

// ---- opening

static void add_segments(struct hot_image *image) {
    size_t n = 0;
    GElf_Phdr header;
    if (elf_getphdrnum(image->elf, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD ||
            header.p_offset > image->n_content)
            continue;
        uint64_t most = image->n_content - header.p_offset;
        *ARENA_ADD(image->arena, image->segments, image->n_segments) = (struct image_segment){
            .address = header.p_vaddr,
            .offset = header.p_offset,
            .n_bytes = header.p_filesz < most ? header.p_filesz : most,
            .is_code = header.p_flags & PF_X,
        };
    }
}

// A file that is cut off behind this lacks content that its headers promise.
static bool is_whole(const struct hot_image *image) {
    size_t n = 0;
    GElf_Phdr header;
    if (elf_getphdrnum(image->elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!gelf_getphdr(image->elf, (int)i, &header) ||
            (header.p_type == PT_LOAD &&
             (header.p_offset > image->n_content || header.p_filesz > image->n_content - header.p_offset)))
            return false;
    return true;
}

struct hot_image *hot_image_open(struct arena *arena, const char *path, const char **why) {
    struct hot_image *image = ARENA_NEW(arena, struct hot_image);
    struct stat status;
    *image = (struct hot_image){.arena = arena, .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    *why = NULL;
    if (image->fd < 0 || fstat(image->fd, &status) != 0)
        *why = arena_printf(arena, "it cannot be read: %s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        *why = "it is not a file";
    else if (elf_version(EV_CURRENT) == EV_NONE || !(image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL)) ||
             elf_kind(image->elf) != ELF_K_ELF || gelf_getclass(image->elf) != ELFCLASS64 ||
             !gelf_getehdr(image->elf, &image->header))
        *why = "it is not an ELF file of 64 bits";
    if (!*why) {
        image->content = (const uint8_t *)elf_rawfile(image->elf, &image->n_content);
        if (!image->content || !is_whole(image))
            *why = "this ELF file is cut off";
    }
    if (*why) {
        hot_image_close(image);
        return NULL;
    }
    add_segments(image);
    image->build_id = image_build_id(arena, image->elf);
    return image;
}

void hot_image_close(struct hot_image *image) {
    if (!image)
        return;
    elf_end(image->elf);
    image->elf = NULL;
    if (image->fd >= 0)
        close(image->fd);
    image->fd = -1;
}

// ---- content

const char *hot_image_build_id(const struct hot_image *image) {
    return image->build_id;
}

bool hot_image_is_x86_64(const struct hot_image *image) {
    return image->header.e_machine == EM_X86_64;
}

bool hot_image_is_movable(const struct hot_image *image) {
    return image->header.e_type == ET_DYN;
}

bool hot_image_address(const struct hot_image *image, uint64_t offset, uint64_t *address) {
    // Segments share the pages of the file in which one ends and the next one begins: code goes first.
    for (int code = 1; code >= 0; code--)
        for (size_t i = 0; i < image->n_segments; i++) {
            const struct image_segment *segment = &image->segments[i];
            if (segment->is_code == (code == 1) && offset >= segment->offset &&
                offset - segment->offset < segment->n_bytes) {
                *address = segment->address + (offset - segment->offset);
                return true;
            }
        }
    return false;
}

static const struct image_segment *find_segment(const struct hot_image *image, uint64_t address) {
    for (size_t i = 0; i < image->n_segments; i++)
        if (address >= image->segments[i].address && address - image->segments[i].address < image->segments[i].n_bytes)
            return &image->segments[i];
    return NULL;
}

const uint8_t *hot_image_bytes(const struct hot_image *image, uint64_t address, size_t *n_bytes) {
    const struct image_segment *segment = find_segment(image, address);
    *n_bytes = segment ? (size_t)(segment->n_bytes - (address - segment->address)) : 0;
    return segment ? image->content + segment->offset + (address - segment->address) : NULL;
}

bool hot_image_is_code(const struct hot_image *image, uint64_t address) {
    const struct image_segment *segment = find_segment(image, address);
    return segment && segment->is_code;
}
