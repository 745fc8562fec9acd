// Describes the code of an ELF object or executable as blocks.
#include "cli/mca/bytes.h"

#include <inttypes.h>

bool mca_describe_object(const struct model *model, struct arena *arena, const struct object_file *file,
                         const struct object_range *range, struct backend_source *source, struct fail *fail) {
    const struct object_piece *pieces;
    size_t n;
    if (!object_code_read(arena, file, range, &pieces, &n, fail))
        return false;
    struct block *blocks = ARENA_ARRAY(arena, struct block, n);
    for (size_t i = 0; i < n; i++) {
        struct fail why = {0};
        if (!model_describe_bytes(model, arena, pieces[i].bytes, pieces[i].n_bytes, &blocks[i], &why))
            return fail_at(fail, file->path, 0, 0, "%s, from address 0x%" PRIx64 " on: %s", pieces[i].name,
                           pieces[i].address, why.text);
        blocks[i].name = pieces[i].name;
        blocks[i].is_marked = true;
    }
    *source = (struct backend_source){.blocks = blocks, .n_blocks = n};
    return true;
}
