#include "corpus/folder.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char folder_measurements[] = "measurements.jsonl", folder_settings_file[] = "settings.json";

const char *folder_path(struct arena *arena, const char *folder, const char *name) {
    return arena_printf(arena, "%s/%s", folder, name);
}

// ---- settings.json

static bool write_text(struct arena *arena, const char *folder, const char *name, json_t *json, struct fail *fail) {
    char *line = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER);
    const char *text = arena_printf(arena, "%s\n", line);
    free(line);
    json_decref(json);
    return file_write(folder_path(arena, folder, name), text, strlen(text), fail);
}

bool folder_write_settings(struct arena *arena, const char *folder, const struct folder_settings *settings,
                           struct fail *fail) {
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "isa", settings->isa, "where", settings->where,
                             "alias", settings->alias, "memory", settings->memory, "registers",
                             arena_printf(arena, "%#" PRIx64, settings->registers), "fill", settings->fill, "pages",
                             (int)settings->pages);
    if (*settings->set)
        json_object_set_new(json, "set", json_string(settings->set));
    if (*settings->init)
        json_object_set_new(json, "init", json_string(settings->init));
    return write_text(arena, folder, folder_settings_file, json, fail);
}

static bool differs(const char *folder, const char *what, const char *there, const char *here, struct fail *fail) {
    if (there && strcmp(there, here) == 0)
        return false;
    fail_set(fail, FAIL_INPUT,
             "the measurements in '%s' have another %s ('%s'; now '%s'); give another --output, or the same options",
             folder, what, there ? there : "unknown", here);
    return true;
}

bool folder_read_settings(struct arena *arena, const char *folder, struct folder_settings *settings,
                          struct fail *fail) {
    const char *path = folder_path(arena, folder, folder_settings_file), *registers = NULL;
    char *data;
    size_t length;
    *settings = (struct folder_settings){0};
    if (!file_read(arena, path, &data, &length, fail))
        return false;
    json_t *json = json_parse_line(data, length, path, 1, fail);
    if (!json)
        return false;
    unsigned long pages = 0;
    bool is_read = json_get_string(arena, json, "isa", &settings->isa, fail) &&
                   json_get_string(arena, json, "where", &settings->where, fail) &&
                   json_get_string(arena, json, "alias", &settings->alias, fail) &&
                   json_get_string(arena, json, "memory", &settings->memory, fail) &&
                   json_get_string(arena, json, "set", &settings->set, fail) &&
                   json_get_string(arena, json, "init", &settings->init, fail) &&
                   json_get_string(arena, json, "registers", &registers, fail) &&
                   json_get_string(arena, json, "fill", &settings->fill, fail) &&
                   json_get_count(json, "pages", &pages, fail);
    json_decref(json);
    settings->registers = registers ? strtoull(registers, NULL, 0) : 0;
    settings->pages = (unsigned)pages;
    return is_read;
}

bool folder_check_settings(struct arena *arena, const char *folder, const struct folder_settings *settings,
                           struct fail *fail) {
    struct folder_settings there;
    if (access(folder_path(arena, folder, folder_settings_file), F_OK) != 0)
        return fail_set(fail, FAIL_INPUT, "'%s' holds no corpus to go on with", folder);
    return folder_read_settings(arena, folder, &there, fail) &&
           !differs(folder, "ISA", there.isa, settings->isa, fail) &&
           !differs(folder, "CPU", there.where, settings->where, fail) &&
           !differs(folder, "--alias", there.alias, settings->alias, fail) &&
           !differs(folder, "--memory", there.memory ? there.memory : "shared", settings->memory, fail) &&
           !differs(folder, "--set", there.set ? there.set : "", settings->set, fail) &&
           !differs(folder, "--init", there.init ? there.init : "", settings->init, fail) &&
           !differs(folder, "--registers", arena_printf(arena, "%#" PRIx64, there.registers),
                    arena_printf(arena, "%#" PRIx64, settings->registers), fail) &&
           !differs(folder, "--fill", there.fill, settings->fill, fail) &&
           !differs(folder, "--pages", arena_printf(arena, "%u", there.pages),
                    arena_printf(arena, "%u", settings->pages), fail);
}

// ---- blocks.jsonl

static json_t *block_to_json(struct arena *scratch, const struct corpus_block *block) {
    json_t *json = json_object();
    json_object_set_new(json, "block", json_string(bytes_to_hex(scratch, block->bytes, block->n_bytes)));
    json_object_set_new(json, "from", json_string(text_printable(scratch, block->file, strlen(block->file))));
    if (block->line)
        json_object_set_new(json, "line", json_integer(block->line));
    if (block->symbol) {
        json_object_set_new(json, "symbol", json_string(text_printable(scratch, block->symbol, strlen(block->symbol))));
        json_object_set_new(json, "address", json_string(arena_printf(scratch, "%#" PRIx64, block->address)));
    }
    if (block->count)
        json_object_set_new(json, "count", json_integer((json_int_t)block->count));
    if (block->instructions)
        json_object_set_new(json, "instructions", json_integer(block->instructions));
    if (block->left_out)
        json_object_set_new(json, "left_out", json_string(block->left_out));
    return json;
}

bool folder_write_blocks(struct arena *arena, const char *folder, const struct corpus_blocks *blocks,
                         struct fail *fail) {
    const char *path = folder_path(arena, folder, "blocks.jsonl"), *next = folder_path(arena, folder, "blocks.new");
    FILE *out = fopen(next, "we");
    bool is_written = out != NULL;
    for (size_t i = 0; i < blocks->n && is_written; i++) {
        struct arena scratch = {0};
        is_written = json_write_line(out, block_to_json(&scratch, &blocks->items[i]), fail);
        arena_free(&scratch);
    }
    is_written = out && fclose(out) == 0 && is_written && rename(next, path) == 0;
    return is_written || fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(errno));
}

static void count_reason(struct arena *arena, const char *text, struct corpus_left_out **reasons, size_t *n) {
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < *n; i++)
        if (strlen((*reasons)[i].reason) == length && strncmp((*reasons)[i].reason, text, length) == 0) {
            (*reasons)[i].n++;
            return;
        }
    *ARENA_ADD(arena, *reasons, *n) = (struct corpus_left_out){arena_copy(arena, text, length), 1};
}

bool folder_count_left_out(struct arena *arena, const char *folder, size_t *n_blocks, struct corpus_left_out **reasons,
                           size_t *n_reasons, struct fail *fail) {
    const char *path = folder_path(arena, folder, "blocks.jsonl");
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    bool is_read = true;
    if (!in)
        return errno == ENOENT || fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, strerror(errno));
    for (unsigned line = 1; is_read && (length = getline(&text, &room, in)) >= 0; line++) {
        json_t *json = json_parse_line(text, (size_t)length, path, line, fail);
        const char *left_out = json_string_value(json_object_get(json, "left_out"));
        is_read = json != NULL;
        ++*n_blocks;
        if (left_out)
            count_reason(arena, left_out, reasons, n_reasons);
        json_decref(json);
    }
    free(text);
    fclose(in);
    return is_read;
}
