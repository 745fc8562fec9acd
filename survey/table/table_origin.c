#include "survey/table/table_reader.h"

#include "base/compressed.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/host/host.h"
#include "survey/folder.h"

#include <string.h>
#include <unistd.h>

const char reader_simulated[] = "sim:";

const char *reader_header_text(const json_t *header, const char *key) {
    const char *text = json_string_value(json_object_get(header, key));
    return text ? text : "";
}

bool reader_is_survey(struct arena *arena, const char *folder, struct fail *fail) {
    static const struct {
        const char *file, *advice;
    } others[] = {
        {"blocks.jsonl", "it holds a corpus, for 'cyclops corpus score'"},
        {"card.yaml", "it holds a machine card, for 'cyclops report'"},
    };
    const char *missing = !compressed_find(arena, folder_file(arena, folder, "measurements.jsonl"))
                              ? "measurements.jsonl"
                          : !compressed_find(arena, folder_file(arena, folder, "forms.jsonl")) ? "forms.jsonl"
                                                                                               : NULL;
    for (size_t i = 0; missing && i < sizeof others / sizeof *others; i++)
        if (access(folder_file(arena, folder, others[i].file), F_OK) == 0)
            return fail_set(fail, FAIL_INPUT, "'%s' holds no survey: %s", folder, others[i].advice);
    return !missing || fail_set(fail, FAIL_INPUT, "'%s' holds no survey: there is no %s", folder,
                                access(folder, F_OK) == 0 ? missing : "such folder");
}

bool table_is_file_of_survey(struct arena *arena, const char *path, const char **folder) {
    static const char *const names[] = {"forms.jsonl", "measurements.jsonl", "commands.txt"};
    const char *slash = strrchr(path, '/'), *name = compressed_plain_name(arena, slash ? slash + 1 : path);
    size_t n = sizeof names / sizeof *names;
    *folder = slash ? arena_copy(arena, path, (size_t)(slash - path) + (slash == path)) : ".";
    return text_find(name, names, n) < n && compressed_find(arena, folder_file(arena, *folder, names[0]));
}

bool table_stands_alone(struct arena *arena, const char *path, struct fail *fail) {
    const char *folder;
    if (table_is_file_of_survey(arena, path, &folder))
        return fail_set(fail, FAIL_INPUT, "'%s' is a file of the survey '%s': name the folder", path, folder);
    return !file_has_suffix(path, ".yaml") ||
           fail_set(fail, FAIL_INPUT,
                    "'%s' is YAML, and no measurement is: an overlay is a model, for --mcpu; kernels are for "
                    "'cyclops run'",
                    path);
}

const char *reader_repeat_options(struct arena *arena, const struct isa *isa, const struct json_t *header) {
    struct text text = {.arena = arena};
    const char *target = reader_header_text(json_object_get(header, "clock"), "target");
    if (!text_starts(target, reader_simulated))
        return NULL;
    text_addf(&text, " --isa %s --target ", isa->name);
    text_add_word(&text, target);
    return text.data;
}

const char *table_repeat(struct arena *arena, const struct table_value *value, const char *options) {
    struct text text = {.arena = arena};
    text_add(&text, "cyclops run --kernels ");
    text_add_word(&text, arena_printf(arena, "%s/kernels", value->folder ? value->folder : "DIR"));
    text_add(&text, options ? options : "");
    if (value->kernel) {
        text_add(&text, " ");
        text_add_word(&text, value->kernel);
        if (value->how)
            text_addf(&text, " %s", value->how);
    }
    return text.data;
}

// The numbers by which its vendor tells it from others: x86's, Arm's, RISC-V's.
static void add_numbers(struct text *text, const json_t *header) {
    const char *midr = reader_header_text(header, "midr"), *mvendorid = reader_header_text(header, "mvendorid");
    if (*midr)
        text_addf(text, " (MIDR %s)", midr);
    else if (*mvendorid)
        text_addf(text, " (mvendorid %s, marchid %s, mimpid %s)", mvendorid, reader_header_text(header, "marchid"),
                  reader_header_text(header, "mimpid"));
    else
        text_addf(text, " (family %lld, model %lld, stepping %lld)",
                  json_integer_value(json_object_get(header, "family")),
                  json_integer_value(json_object_get(header, "model")),
                  json_integer_value(json_object_get(header, "stepping")));
}

static const char *native_text(struct arena *arena, const json_t *header) {
    const char *core_type = reader_header_text(header, "core_type"),
               *microcode = reader_header_text(header, "microcode");
    struct text text = {.arena = arena};
    text_add(&text, reader_header_text(header, "cpu"));
    add_numbers(&text, header);
    if (*core_type)
        text_addf(&text, ", %s core", core_type);
    if (*microcode)
        text_addf(&text, ", microcode %s", microcode);
    return text.data;
}

const char *table_machine_text(struct arena *arena, const struct json_t *header) {
    const char *target = reader_header_text(json_object_get(header, "clock"), "target");
    bool is_native = !*target || strcmp(target, "native") == 0;
    return is_native ? native_text(arena, header) : arena_strdup(arena, target);
}

const char *table_clock_text(struct arena *arena, const struct json_t *header) {
    const json_t *clock = json_object_get(header, "clock");
    return arena_printf(arena, "%s clock, ±%.2f %%", reader_header_text(clock, "tier"),
                        100 * json_number_value(json_object_get(clock, "error")));
}

static bool is_this_machine(const json_t *header, struct arena *arena) {
    const struct host_request request = {.cpu = -1};
    struct host host;
    struct fail unknown = {0};
    return host_read(arena, &request, &host, &unknown) &&
           strcmp(reader_header_text(header, "cpu"), host.cpu_name) == 0 &&
           json_integer_value(json_object_get(header, "family")) == host.family &&
           json_integer_value(json_object_get(header, "model")) == host.model;
}

bool table_find_origin(struct arena *arena, const char *folder, struct table_origin *origin, struct fail *fail) {
    *origin = (struct table_origin){0};
    return reader_is_survey(arena, folder, fail) &&
           table_find_origin_of_file(arena, folder_file(arena, folder, "measurements.jsonl"), origin, fail);
}

bool table_find_origin_of_file(struct arena *arena, const char *path, struct table_origin *origin, struct fail *fail) {
    struct record_file file = {0};
    *origin = (struct table_origin){0};
    bool is_read = record_read_headers(arena, path, &file, fail);
    for (size_t i = 0; is_read && i < file.n_records && !origin->isa; i++)
        origin->isa = file.records[i].isa ? arena_strdup(arena, file.records[i].isa) : NULL;
    if (is_read && file.n_headers) {
        const json_t *header = file.headers[file.n_headers - 1];
        const char *target = reader_header_text(json_object_get(header, "clock"), "target");
        origin->target = arena_strdup(arena, *target ? target : "native");
        origin->machine = table_machine_text(arena, header);
        origin->clock = table_clock_text(arena, header);
        if (text_starts(origin->target, reader_simulated)) {
            const char *rest = origin->target + strlen(reader_simulated);
            origin->cpu = arena_copy(arena, rest, strcspn(rest, ","));
        } else {
            origin->is_here = is_this_machine(header, arena);
            const char *vendor = reader_header_text(header, "vendor");
            origin->vendor = *vendor ? arena_strdup(arena, vendor) : NULL;
            origin->family = (unsigned)json_integer_value(json_object_get(header, "family"));
            origin->model = (unsigned)json_integer_value(json_object_get(header, "model"));
        }
    }
    record_file_close(&file);
    return is_read;
}
