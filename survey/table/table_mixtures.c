#include "survey/table/table_reader.h"

#include "survey/table/mixture_file.h"

#include <string.h>

// What the kernel file of an entry's folder says of it; "": nothing.
static const char *about_of(const struct mixture_file *file, const char *name) {
    size_t i = text_find(name, file->names, file->n);
    return i < file->n ? file->abouts[i] : "";
}

bool reader_read_mixtures(struct table_reader *reader, struct survey_table *table, struct fail *fail) {
    struct table_mixture *list = NULL;
    struct mixture_file file = {.text = ""};
    const char *folder = NULL;
    size_t n = 0;
    for (size_t i = 0; i < reader->n_entries; i++) {
        const struct entry *entry = &reader->entries[i];
        if (!experiment_is_mixture(&entry->key))
            continue;
        if (folder != entry->folder &&
            !mixture_file_read(reader->arena, mixture_file_path(reader->arena, entry->folder, reader->isa), &file,
                               fail))
            return false;
        folder = entry->folder;
        *ARENA_ADD(reader->arena, list, n) = (struct table_mixture){.name = entry->record->kernel,
                                                                    .about = about_of(&file, entry->record->kernel),
                                                                    .use = mixture_use(&entry->key),
                                                                    .value = reader_value(reader->arena, entry, 1)};
    }
    table->mixtures = list;
    table->n_mixtures = n;
    return true;
}
