#include "survey/folder.h"

#include "base/compressed.h"
#include "base/file.h"
#include "base/json.h"

#include <sys/stat.h>

const char *folder_file(struct arena *arena, const char *folder, const char *name) {
    return arena_printf(arena, "%s/%s", folder, name);
}

static json_t *to_json(const struct folder_form *form) {
    json_t *json = json_object();
    json_object_set_new(json, "form", json_string(form->form));
    if (form->example)
        json_object_set_new(json, "example", json_string(form->example));
    if (form->sched_class)
        json_object_set_new(json, "class", json_string(form->sched_class));
    if (form->left_out)
        json_object_set_new(json, "left_out", json_string(form->left_out));
    return json;
}

bool folder_write_forms(struct arena *arena, const char *folder, const struct folder_form *forms, size_t n,
                        struct fail *fail) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (size_t i = 0; i < n; i++) {
        json_t *json = to_json(&forms[i]);
        char *line = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER);
        text_addf(&text, "%s\n", line);
        free(line);
        json_decref(json);
    }
    return file_write(folder_file(arena, folder, "forms.jsonl"), text.data, text.length, fail);
}

static bool take_form(struct arena *arena, const json_t *json, struct folder_form *form, struct fail *fail) {
    *form = (struct folder_form){0};
    if (!json_is_object(json))
        return fail_set(fail, FAIL_INPUT, "a line must be a JSON object");
    return json_get_string(arena, json, "form", &form->form, fail) &&
           json_get_string(arena, json, "example", &form->example, fail) &&
           json_get_string(arena, json, "class", &form->sched_class, fail) &&
           json_get_string(arena, json, "left_out", &form->left_out, fail) &&
           (form->form || fail_set(fail, FAIL_INPUT, "this line names no form"));
}

static bool read_form(struct arena *arena, const char *path, unsigned line, struct slice text, struct folder_form *form,
                      struct fail *fail) {
    json_t *json = json_parse_line(text.data, text.length, path, line, fail);
    struct fail inner = {0};
    bool is_read = json && (take_form(arena, json, form, &inner) || fail_at(fail, path, line, 0, "%s", inner.text));
    json_decref(json);
    return is_read;
}

bool folder_read_forms(struct arena *arena, const char *folder, const struct folder_form **forms, size_t *n,
                       struct fail *fail) {
    const char *path = folder_file(arena, folder, "forms.jsonl");
    struct folder_form *list = NULL;
    char *data;
    size_t length;
    unsigned line = 0;
    *n = 0;
    *forms = NULL;
    if (!compressed_find(arena, path))
        return true;
    if (!compressed_read(arena, path, &data, &length, fail))
        return false;
    struct slice rest = {data, length}, text;
    while (slice_next(&rest, '\n', &text)) {
        line++;
        if (text.length && !read_form(arena, path, line, text, ARENA_ADD(arena, list, *n), fail))
            return false;
    }
    *forms = list;
    return true;
}

// The file of that number, from 0; null: there are no more.
static const char *large_file(struct arena *arena, const char *folder, const struct isa *isa, size_t number) {
    static const char *const names[] = {"measurements.jsonl", "forms.jsonl"}, *const kernels[] = {"survey", "slots",
                                                                                                  "mixtures"};
    enum { N_NAMES = sizeof names / sizeof *names, N_KERNELS = sizeof kernels / sizeof *kernels };
    if (number < N_NAMES)
        return folder_file(arena, folder, names[number]);
    return number < N_NAMES + N_KERNELS
               ? arena_printf(arena, "%s/kernels/%s/%s.yaml", folder, isa_family(isa), kernels[number - N_NAMES])
               : NULL;
}

bool folder_pack(struct arena *arena, const char *folder, const struct isa *isa, struct fail *fail) {
    const char *path;
    for (size_t i = 0; (path = large_file(arena, folder, isa, i)); i++) {
        struct stat status;
        if (stat(path, &status) == 0 && status.st_size > FOLDER_MOST_PLAIN && !compressed_pack(arena, path, fail))
            return false;
    }
    return true;
}

bool folder_unpack(struct arena *arena, const char *folder, const struct isa *isa, struct fail *fail) {
    const char *path;
    for (size_t i = 0; (path = large_file(arena, folder, isa, i)); i++)
        if (!compressed_unpack(arena, path, fail))
            return false;
    return true;
}
