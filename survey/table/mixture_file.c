#include "survey/table/mixture_file.h"

#include "base/compressed.h"
#include "base/text.h"
#include "survey/folder.h"

#include <string.h>

// Mixtures in a row of one use.
enum { OF_ONE_USE = 4 };

enum table_mixture_use mixture_use(const struct experiment_key *key) {
    if (key->kind == EXPERIMENT_PROBE)
        return TABLE_MIXTURE_PROBE;
    return key->number / OF_ONE_USE % 2 ? TABLE_MIXTURE_TO_JUDGE : TABLE_MIXTURE_TO_CHOOSE;
}

const char *mixture_file_path(struct arena *arena, const char *folder, const struct isa *isa) {
    return folder_file(arena, folder, arena_printf(arena, "kernels/%s/mixtures.yaml", isa_family(isa)));
}

// The file has a line for each kernel: mixture_add.
bool mixture_file_read(struct arena *arena, const char *path, struct mixture_file *file, struct fail *fail) {
    static const char start[] = "  - {name: ", about[] = ", about: \"";
    struct text text = {.arena = arena};
    struct slice rest, line;
    char *data;
    size_t length, n_abouts = 0;
    *file = (struct mixture_file){.text = ""};
    if (!compressed_find(arena, path))
        return true;
    if (!compressed_read(arena, path, &data, &length, fail))
        return false;
    rest = (struct slice){data, length};
    while (slice_next(&rest, '\n', &line)) {
        if (!slice_starts(line, start))
            continue;
        const char *name = line.data + strlen(start), *end = name + strcspn(name, ","),
                   *words = text_starts(end, about) ? end + strlen(about) : "";
        *ARENA_ADD(arena, file->names, file->n) = arena_copy(arena, name, (size_t)(end - name));
        *ARENA_ADD(arena, file->abouts, n_abouts) = arena_copy(arena, words, strcspn(words, "\""));
        text_append(&text, line.data, line.length);
        text_add(&text, "\n");
    }
    file->text = text.length ? text.data : "";
    return true;
}
