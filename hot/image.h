// Private to this folder.
// An ELF file whose code runs: its content by address, its functions, and the names of what it calls in other files.
// Addresses are those that `objdump -d` prints. Reads the file where it is; nothing of it is executed.
#ifndef HOT_IMAGE_H
#define HOT_IMAGE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hot_image;

struct hot_function {
    const char *name;    // null: no symbol names it
    uint64_t begin, end; // addresses
    // What lies between two neighbours: nothing says where it ends, and only a name that a function begins there.
    bool is_gap;
};

// Null: `why` says it in a clause. What is returned lives in the arena, but for hot_image_close.
struct hot_image *hot_image_open(struct arena *arena, const char *path, const char **why);
void hot_image_close(struct hot_image *image); // null: nothing

const char *hot_image_build_id(const struct hot_image *image); // hexadecimal; null: it has none
bool hot_image_is_x86_64(const struct hot_image *image);
bool hot_image_is_movable(const struct hot_image *image); // a loader chooses its address: PIE, shared library

// Sets the address of the byte at an offset in the file; false: it is not loaded.
bool hot_image_address(const struct hot_image *image, uint64_t offset, uint64_t *address);
// Returns the content at an address, and how many bytes of the segment follow; null: the file has none there.
const uint8_t *hot_image_bytes(const struct hot_image *image, uint64_t address, size_t *n_bytes);
bool hot_image_is_code(const struct hot_image *image, uint64_t address); // in an executable segment
// Sets a pointer of 8 bytes as a loader at address 0 leaves it there; false: it leads to another file, or there is
// none.
bool hot_image_pointer(struct hot_image *image, uint64_t address, uint64_t *pointer);

// Finds the function that holds an address: by a symbol, of the file or of its file of debug information; else by the
// table with which exceptions are unwound; else what lies between two neighbours. False: this is no code.
bool hot_image_function(struct hot_image *image, uint64_t address, struct hot_function *function);
// Finds a function by its name, of several the first behind `after`; 0: from the first.
bool hot_image_named(struct hot_image *image, const char *name, uint64_t after, struct hot_function *function);

// The name of the function to which a stub of code at this address, or the pointer at this address, leads when the
// program runs: of another file, or of this one; null: none is known.
const char *hot_image_import(struct hot_image *image, uint64_t code);
const char *hot_image_import_by(struct hot_image *image, uint64_t pointer);

// Returns the path of the separate file with its debug information. Null: there is no such file.
const char *hot_image_debug_file(struct hot_image *image);

#endif
