// Private to this folder.
// The files of a corpus folder: their names, the settings that all its measurements share, and the list of its blocks.
#ifndef CORPUS_FOLDER_H
#define CORPUS_FOLDER_H

#include "base/arena.h"
#include "base/fail.h"
#include "corpus/blocks.h"

#include <stdbool.h>
#include <stdint.h>

const char *folder_path(struct arena *arena, const char *folder, const char *name);

// Names of the measurement file, and of the file that tells a corpus from other folders.
extern const char folder_measurements[], folder_settings_file[];

// Settings that change a block's value. One folder has one set of them.
struct folder_settings {
    const char *isa;
    const char *where;      // CPU or simulated CPU, for people
    const char *alias;      // as block_alias_name
    const char *memory;     // "own", "shared"
    const char *set, *init; // gen/start_state.h's text, and machine code in hexadecimal; "": none
    uint64_t registers;     // as in struct block_options; 0: the default
    const char *fill;       // number in hexadecimal; "": the default
    unsigned pages;         // as in struct block_options; 0: the default
};

bool folder_write_settings(struct arena *arena, const char *folder, const struct folder_settings *settings,
                           struct fail *fail);
// What a file does not state is null, or 0.
bool folder_read_settings(struct arena *arena, const char *folder, struct folder_settings *settings, struct fail *fail);
// Fails where the folder has other settings, naming the first one.
bool folder_check_settings(struct arena *arena, const char *folder, const struct folder_settings *settings,
                           struct fail *fail);

// Writes blocks.jsonl: all blocks, their origin, and why some are not measured.
bool folder_write_blocks(struct arena *arena, const char *folder, const struct corpus_blocks *blocks,
                         struct fail *fail);
// Counts the blocks of blocks.jsonl by the reason that they are left out. A folder without that file has none.
bool folder_count_left_out(struct arena *arena, const char *folder, size_t *n_blocks, struct corpus_left_out **reasons,
                           size_t *n_reasons, struct fail *fail);

#endif
