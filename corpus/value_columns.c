#include "corpus/value_columns.h"

#include <string.h>

const struct column value_columns[VALUES_N_COLUMNS] = {
    [VALUES_BLOCK] = {"block", COLUMN_TEXT, 0, offsetof(struct value_line, block)},
    [VALUES_FORM] = {"form", COLUMN_TEXT, 0, offsetof(struct value_line, form)},
    [VALUES_CYCLES] = {"cycles", COLUMN_FIXED, VALUES_DECIMALS, offsetof(struct value_line, cycles)},
    [VALUES_LOW] = {"low", COLUMN_FIXED, VALUES_DECIMALS, offsetof(struct value_line, low)},
    [VALUES_HIGH] = {"high", COLUMN_FIXED, VALUES_DECIMALS, offsetof(struct value_line, high)},
    [VALUES_VERDICT] = {"verdict", COLUMN_TEXT, 0, offsetof(struct value_line, verdict)},
    [VALUES_BYTES] = {"bytes", COLUMN_TEXT, 0, offsetof(struct value_line, bytes)},
    [VALUES_PAGES] = {"pages", COLUMN_COUNT, 0, offsetof(struct value_line, pages)},
    [VALUES_NOTES] = {"notes", COLUMN_TEXT, 0, offsetof(struct value_line, notes)},
    [VALUES_ALIAS] = {"alias", COLUMN_TEXT, 0, offsetof(struct value_line, alias)},
    [VALUES_MEMORY] = {"memory", COLUMN_TEXT, 0, offsetof(struct value_line, memory)},
};

bool value_column_is_of_model(struct slice title) {
    static const char *const starts[] = {"llvm-", "overlay:", "cpu:", "core:"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t length = strlen(starts[i]);
        if (title.length > length && strncmp(title.data, starts[i], length) == 0)
            return true;
    }
    return memmem(title.data, title.length, " (LLVM ", strlen(" (LLVM ")) != NULL; // of older files
}
