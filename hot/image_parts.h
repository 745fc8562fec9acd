// Private to this folder.
// What the files of an image share.
#ifndef HOT_IMAGE_PARTS_H
#define HOT_IMAGE_PARTS_H

#include "base/index.h"
#include "hot/image.h"

#include <gelf.h>

struct image_segment {
    uint64_t address, offset, n_bytes; // of its content in the file
    bool is_code;
};

struct image_import { // a pointer that the loader fills in
    uint64_t pointer;
    const char *name;  // of what it leads to; null: of no symbol
    bool is_here;      // it leads to this file, if no other file has the name:
    uint64_t target;   // address
    uint64_t resolver; // address of the function that chooses another one when the program starts; 0: none
};

struct image_stubs { // a procedure linkage table
    uint64_t begin, end;
    uint64_t size; // of a stub
};

struct hot_image {
    struct arena *arena;
    const char *path, *build_id;
    int fd;
    Elf *elf;
    GElf_Ehdr header;
    const uint8_t *content;
    size_t n_content;
    struct image_segment *segments;
    size_t n_segments;
    struct hot_function *functions; // ascending; of those that begin at one address, the best first. Null: not read yet
    size_t n_functions;
    bool *are_sized;             // of each: its symbol states its end
    struct index names;          // of them
    struct hot_function *frames; // of the table of unwinding, ascending
    size_t n_frames;
    struct image_import *imports; // ascending
    size_t n_imports;
    struct image_stubs *stubs;
    size_t n_stubs;
    bool has_functions, has_imports, has_stubs; // they have been read
};

// As hot_image_function, but takes all stubs of a procedure linkage table as one.
bool image_find_function(struct hot_image *image, uint64_t address, struct hot_function *function);

// The section of that name; null: there is none. Sets its header.
Elf_Scn *image_section(Elf *elf, const char *name, GElf_Shdr *header);

// Adds the ranges of functions in section .eh_frame: DWARF as the Linux Standard Base 5.0, Core, chapter 10.6.
void image_read_frames(struct hot_image *image);
// Build id of an ELF file in hexadecimal; null: it has none.
const char *image_build_id(struct arena *arena, Elf *elf);

#endif
