#include "check/vector_type.h"

#include "base/file.h"
#include "base/text.h"
#include "gen/kernel.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The numbers of the RISC-V "V" extension, version 1.0, section 6.1 and 3.4.
static bool find_field(const char *word, const char *const *words, size_t n, unsigned *field) {
    for (unsigned i = 0; i < n; i++)
        if (words[i] && strcmp(words[i], word) == 0) {
            *field = i;
            return true;
        }
    return false;
}

// Words are of seven letters at most. What is not of this form is another instruction, or has other operands.
static bool read_type(const char *text, uint32_t *code) {
    static const char *const widths[] = {"e8", "e16", "e32", "e64"}, *const groups[] = {"m1", "m2",  "m4",  "m8",
                                                                                        NULL, "mf8", "mf4", "mf2"},
                             *const tails[] = {"tu", "ta"}, *const masks[] = {"mu", "ma"};
    enum { WIDTH_AT = 3, TAIL_AT = 6, MASK_AT = 7, TYPE_AT = 20, REGISTER_AT = 7, VSETVLI = 0x7057 };
    char width[8], group[8], tail[8], mask[8];
    unsigned rd, w, g, t, m;
    if (sscanf(text, "vsetvli x%2u, x0, %7[a-z0-9], %7[a-z0-9], %7[a-z], %7[a-z]", &rd, width, group, tail, mask) !=
            5 ||
        rd > 31 || !find_field(width, widths, sizeof widths / sizeof *widths, &w) ||
        !find_field(group, groups, sizeof groups / sizeof *groups, &g) || !find_field(tail, tails, 2, &t) ||
        !find_field(mask, masks, 2, &m))
        return false;
    *code = (g | w << WIDTH_AT | t << TAIL_AT | m << MASK_AT) << TYPE_AT | rd << REGISTER_AT | VSETVLI;
    return true;
}

const char *vector_type_code(struct arena *arena, const char *setup) {
    static const char name[] = "vsetvli";
    const char *last = NULL;
    uint32_t code;
    for (const char *at = strstr(setup, name); at; at = strstr(at + 1, name))
        last = at;
    if (!last || !read_type(last, &code))
        return NULL;
    struct text text = {.arena = arena};
    for (unsigned i = 0; i < sizeof code; i++) // the least byte is the first one
        text_addf(&text, "%02x", code >> 8 * i & 0xff);
    return text.data;
}

static int compare(const void *a, const void *b) {
    const struct vector_type *one = a, *other = b;
    return strcmp(one->kernel, other->kernel);
}

bool vector_types_read(struct arena *arena, const char *const *folders, size_t n, struct vector_types *types,
                       struct fail *fail) {
    struct kernel_set set = {0};
    *types = (struct vector_types){0};
    for (size_t i = 0; i < n; i++) {
        const char *root = arena_printf(arena, "%s/kernels", folders[i]), *isa = "riscv64";
        if (file_is_folder(arena_printf(arena, "%s/%s", root, isa)) &&
            !kernel_load_folder(arena, root, isa, &set, fail))
            return false;
    }
    types->items = ARENA_ARRAY(arena, struct vector_type, set.n_kernels);
    for (size_t i = 0; i < set.n_kernels; i++) {
        const char *code = vector_type_code(arena, set.kernels[i].setup);
        if (code)
            types->items[types->n++] = (struct vector_type){set.kernels[i].name, code};
    }
    if (types->n)
        qsort(types->items, types->n, sizeof *types->items, compare);
    return true;
}

const char *vector_types_find(const struct vector_types *types, const char *kernel) {
    const struct vector_type wanted = {.kernel = kernel};
    const struct vector_type *found =
        kernel && types->n ? bsearch(&wanted, types->items, types->n, sizeof *types->items, compare) : NULL;
    return found ? found->code : NULL;
}
