#include "bench/host/guardian_notes.h"

#include "base/file.h"
#include "base/json.h"
#include "bench/host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_VERSION = 1 };

static const char *path_of_notes(const struct notes *notes) {
    return arena_printf(notes->arena, "%s/settings.json", notes->folder);
}

// Only files below the folder that we change. Otherwise, whoever can write the notes could make root write any file.
static bool may_be_noted(struct arena *arena, const char *path) {
    const char *allowed = host_path(arena, "/sys/devices/system/cpu/");
    return path && strncmp(path, allowed, strlen(allowed)) == 0 && !strstr(path, "/../");
}

static void keep(char value[GUARDED_VALUE_BYTES], const char *text) {
    size_t length = text ? strnlen(text, GUARDED_VALUE_BYTES - 1) : 0;
    memcpy(value, text ? text : "", length);
    value[length] = '\0';
}

static bool take_note(struct notes *notes, const json_t *json, struct fail *fail) {
    const char *path = NULL, *before = NULL, *after = NULL;
    if (!json_get_string(notes->arena, json, "path", &path, fail) ||
        !json_get_string(notes->arena, json, "before", &before, fail) ||
        !json_get_string(notes->arena, json, "after", &after, fail))
        return false;
    if (!may_be_noted(notes->arena, path))
        return fail_set(fail, FAIL_WORK, "'%s' names '%s', a file that Cyclops never changes: remove the notes",
                        path_of_notes(notes), path ? path : "");
    struct guarded_setting *setting = ARENA_ADD(notes->arena, notes->settings, notes->n_settings);
    *setting = (struct guarded_setting){.path = path};
    keep(setting->before, before);
    keep(setting->after, after);
    return true;
}

bool notes_read(struct notes *notes, struct fail *fail) {
    const char *path = path_of_notes(notes), *boot = "";
    notes->n_settings = 0;
    notes->settings = NULL;
    char *text;
    size_t length;
    if (access(path, F_OK) != 0)
        return true;
    if (!file_read(notes->arena, path, &text, &length, fail))
        return false;
    json_t *json = json_parse_line(text, length, path, 1, fail);
    bool is_read = json && json_get_string(notes->arena, json, "boot", &boot, fail);
    if (is_read && strcmp(boot, host_boot_id(notes->arena)) == 0) {
        const json_t *list = json_object_get(json, "settings");
        for (size_t i = 0; is_read && i < json_array_size(list); i++)
            is_read = take_note(notes, json_array_get(list, i), fail);
    }
    json_decref(json);
    return is_read;
}

static bool no_place(const struct notes *notes, struct fail *fail) {
    return fail_set(fail, FAIL_UNAVAILABLE, "cannot keep notes of what to put back in '%s': %s", notes->folder,
                    strerror(errno));
}

static bool open_folder(struct notes *notes, bool is_to_be_made, struct fail *fail) {
    if (is_to_be_made && mkdir(notes->folder, 0755) != 0 && errno != EEXIST)
        return no_place(notes, fail);
    notes->folder_fd = open(notes->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (notes->folder_fd < 0)
        return (errno == ENOENT && !is_to_be_made) || no_place(notes, fail);
    struct stat status;
    if (fstat(notes->folder_fd, &status) != 0)
        return no_place(notes, fail);
    if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
        return fail_set(fail, FAIL_UNAVAILABLE, "'%s' could be written by others: remove it", notes->folder);
    notes->users_fd = openat(notes->folder_fd, "users", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    return (notes->users_fd >= 0 && notes_lock(notes)) || no_place(notes, fail);
}

bool notes_open(struct notes *notes, struct arena *arena, const char *folder, bool is_to_be_made, struct fail *fail) {
    *notes = (struct notes){.arena = arena, .folder = folder, .folder_fd = -1, .users_fd = -1};
    if (open_folder(notes, is_to_be_made, fail) && (notes->folder_fd < 0 || notes_read(notes, fail)))
        return true;
    notes_close(notes);
    return false;
}

bool notes_write(struct notes *notes, struct fail *fail) {
    const char *path = path_of_notes(notes);
    if (!notes->n_settings)
        return unlink(path) == 0 || errno == ENOENT || no_place(notes, fail);
    json_t *list = json_array();
    for (size_t i = 0; i < notes->n_settings; i++)
        json_array_append_new(list, json_pack("{ss ss ss}", "path", notes->settings[i].path, "before",
                                              notes->settings[i].before, "after", notes->settings[i].after));
    json_t *json =
        json_pack("{si ss so}", "version", NOTES_VERSION, "boot", host_boot_id(notes->arena), "settings", list);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    bool is_written = text ? file_write(path, text, strlen(text), fail)
                           : fail_set(fail, FAIL_WORK, "cannot note a file's name that is not UTF-8");
    free(text);
    return is_written;
}

bool notes_lock(struct notes *notes) {
    int result;
    do
        result = flock(notes->folder_fd, LOCK_EX);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

void notes_unlock(struct notes *notes) {
    flock(notes->folder_fd, LOCK_UN);
}

void notes_close(struct notes *notes) {
    if (notes->users_fd >= 0)
        close(notes->users_fd);
    if (notes->folder_fd >= 0)
        close(notes->folder_fd);
    notes->users_fd = notes->folder_fd = -1;
}

void notes_enter(struct notes *notes) {
    flock(notes->users_fd, LOCK_SH); // does not wait: an exclusive lock is only held while the folder is locked
}

bool notes_leave(struct notes *notes) {
    bool is_alone = flock(notes->users_fd, LOCK_EX | LOCK_NB) == 0;
    flock(notes->users_fd, LOCK_UN);
    return is_alone;
}

struct guarded_setting *notes_find(const struct notes *notes, const char *path) {
    for (size_t i = 0; i < notes->n_settings; i++)
        if (strcmp(notes->settings[i].path, path) == 0)
            return &notes->settings[i];
    return NULL;
}
