// Ranges of functions in the table with which exceptions are unwound. Compilers write it for all functions, and it
// stays in a stripped file.
#include "hot/image_parts.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct frame_reader {
    const uint8_t *bytes;
    size_t n_bytes, at;
    uint64_t address; // of the first byte
    bool is_cut;      // something lies behind the end
};

static uint64_t take(struct frame_reader *reader, size_t n) {
    uint64_t value = 0;
    if (n > reader->n_bytes - reader->at) {
        reader->is_cut = true;
        reader->at = reader->n_bytes;
        return 0;
    }
    memcpy(&value, reader->bytes + reader->at, n); // little endian, as all that Cyclops runs on
    reader->at += n;
    return value;
}

static uint64_t take_leb128(struct frame_reader *reader) {
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(reader, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) && !reader->is_cut);
    return value;
}

// Takes a pointer in the way that `encoding` names. Sets is_cut where code is never encoded that way.
static uint64_t take_pointer(struct frame_reader *reader, unsigned encoding, bool is_length) {
    uint64_t place = reader->address + reader->at, value;
    switch (encoding & 0x0f) {
    case DW_EH_PE_udata4:
        value = take(reader, 4);
        break;
    case DW_EH_PE_sdata4:
        value = (uint64_t)(int64_t)(int32_t)take(reader, 4);
        break;
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        value = take(reader, 8);
        break;
    default:
        reader->is_cut = true;
        return 0;
    }
    bool is_relative = (encoding & 0x70) == DW_EH_PE_pcrel;
    if (!is_relative && (encoding & 0x70) != DW_EH_PE_absptr)
        reader->is_cut = true;
    return is_relative && !is_length ? place + value : value;
}

// Returns the encoding of pointers that the CIE at an offset states.
static unsigned encoding_of(struct frame_reader reader, size_t offset) {
    reader.at = offset < reader.n_bytes ? offset : reader.n_bytes;
    uint64_t length = take(&reader, 4);
    if (length == 0xffffffff || take(&reader, 4) != 0)
        return DW_EH_PE_omit;
    unsigned version = (unsigned)take(&reader, 1);
    const char *augmentation = (const char *)reader.bytes + reader.at;
    size_t n = strnlen(augmentation, reader.n_bytes - reader.at);
    if (n == reader.n_bytes - reader.at)
        return DW_EH_PE_omit;
    reader.at += n + 1;
    if (*augmentation != 'z')
        return DW_EH_PE_absptr;
    take_leb128(&reader); // alignment of code
    take_leb128(&reader); // of data
    if (version == 1)
        take(&reader, 1); // register of the return address
    else
        take_leb128(&reader);
    take_leb128(&reader); // length of what the augmentation brings
    for (const char *c = augmentation + 1; *c; c++)
        if (*c == 'R')
            return (unsigned)take(&reader, 1);
        else if (*c == 'P')
            take_pointer(&reader, (unsigned)take(&reader, 1), true);
        else if (*c == 'L')
            take(&reader, 1);
    return reader.is_cut ? DW_EH_PE_omit : DW_EH_PE_absptr;
}

static int compare(const void *a, const void *b) {
    const struct hot_function *one = a, *other = b;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

void image_read_frames(struct hot_image *image) {
    GElf_Shdr header;
    Elf_Scn *section = image_section(image->elf, ".eh_frame", &header);
    Elf_Data *data = section && header.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return;
    struct frame_reader reader = {.bytes = data->d_buf, .n_bytes = data->d_size, .address = header.sh_addr};
    while (reader.at + 8 <= reader.n_bytes) {
        uint64_t length = take(&reader, 4);
        size_t body = reader.at;
        if (length == 0 || length == 0xffffffff || length > reader.n_bytes - body)
            break;
        uint64_t distance = take(&reader, 4);
        unsigned encoding = distance && distance <= body ? encoding_of(reader, body - (size_t)distance) : DW_EH_PE_omit;
        if (encoding != DW_EH_PE_omit) {
            uint64_t begin = take_pointer(&reader, encoding, false), size = take_pointer(&reader, encoding, true);
            if (!reader.is_cut && size && begin + size > begin && hot_image_is_code(image, begin))
                *ARENA_ADD(image->arena, image->frames, image->n_frames) =
                    (struct hot_function){.begin = begin, .end = begin + size};
        }
        reader.is_cut = false;
        reader.at = body + (size_t)length;
    }
    if (image->n_frames)
        qsort(image->frames, image->n_frames, sizeof *image->frames, compare);
}
