#include "cli/cpu_output.h"

#include "base/file.h"
#include "report/cpu_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cpu_output_base(struct arena *arena, const char *cpu, const struct machine *machine) {
    if (strcmp(cpu, "native") == 0)
        return machine->cpu;
    bool is_file = file_has_suffix(cpu, ".yaml");
    char *whole = is_file ? realpath(cpu, NULL) : NULL;
    const char *base = whole ? arena_strdup(arena, whole) : cpu;
    free(whole);
    return base;
}

const char cpu_output_suffix[] = ".cpu.yaml";

bool cpu_output_can_write(const char *output, bool is_forced, struct fail *fail) {
    if (!output || !file_has_suffix(output, cpu_output_suffix))
        return fail_set(fail, FAIL_INPUT, "--output names the file to write: NAME%s", cpu_output_suffix);
    return is_forced || access(output, F_OK) != 0 ||
           fail_set(fail, FAIL_INPUT, "'%s' is there already; --force writes a new one in its place", output);
}

const char *cpu_output_name(struct arena *arena, const char *output) {
    const char *file = file_name(output), *slash = strrchr(file, '/');
    const char *start = slash ? slash + 1 : file;
    return arena_copy(arena, start, strlen(start) - strlen(cpu_output_suffix));
}

const char *cpu_evidence_path(struct arena *arena, const struct cpu *cpu, const char *path) {
    const char *slash = strrchr(cpu->path, '/');
    return *path == '/' || !slash ? path : arena_printf(arena, "%.*s/%s", (int)(slash - cpu->path), cpu->path, path);
}

const char *cpu_output_base_text(struct arena *arena, const char *base, const char *name, const char *llvm,
                                 struct fail *fail) {
    struct model model = {0};
    char *text = NULL;
    size_t length;
    const struct backend_options wanted = {.triple = "x86_64-linux-gnu", .cpu = base, .output_syntax = -1};
    if (!model_open(&model, arena, llvm, &wanted, fail))
        return NULL;
    const char *begun =
        model.own ? NULL : cpu_file_begin(arena, name, cpu_output_base(arena, base, model.machine), model.machine);
    bool is_read = begun || (model.own && file_read(arena, model.own->path, &text, &length, fail));
    model_close(&model);
    return begun ? begun : is_read ? text : NULL;
}
