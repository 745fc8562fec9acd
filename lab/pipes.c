#include "lab/pipes.h"

#include "base/file.h"
#include "base/yaml.h"

#include <string.h>
#include <unistd.h>

static bool add(struct yaml *yaml, struct fy_node *node, struct pipes *pipes, const struct pipe *pipe) {
    if (pipes->n == TARGET_MAX_EVENTS)
        return yaml_fail(yaml, node, "more than %d pipes", TARGET_MAX_EVENTS);
    pipes->pipes[pipes->n++] = *pipe;
    return true;
}

static bool read_pipe(struct yaml *yaml, struct fy_node *node, struct pipes *pipes) {
    enum { NAME, EVENT, RESOURCES, N };
    struct yaml_field f[N] = {[NAME] = {.key = "name", .required = true},
                              [EVENT] = {.key = "event", .required = true},
                              [RESOURCES] = {.key = "resources", .required = true}};
    const char **resources;
    size_t n_resources;
    if (!yaml_fields(yaml, node, "a pipe", f, N) ||
        !yaml_texts(yaml, f[RESOURCES].value, "resources", &resources, NULL, &n_resources))
        return false;
    struct pipe pipe = {yaml_text(yaml, f[NAME].value), yaml_text(yaml, f[EVENT].value), resources};
    if (!pipe.name || !pipe.event || n_resources == 0)
        return yaml_fail(yaml, node, "a pipe needs a name, an event and resources");
    return add(yaml, node, pipes, &pipe);
}

static bool read_pipes(struct yaml *yaml, struct fy_node *retired, struct fy_node *list, struct pipes *pipes) {
    static const char *const none[] = {NULL};
    struct pipe pipe = {"retired", yaml_text(yaml, retired), none};
    void *iterator = NULL;
    if (pipe.event && !add(yaml, retired, pipes, &pipe))
        return false;
    if (list && !yaml_is_sequence(list))
        return yaml_fail(yaml, list, "'pipes' must be a list");
    for (struct fy_node *item; list && (item = yaml_next_item(list, &iterator));)
        if (!read_pipe(yaml, item, pipes))
            return false;
    return true;
}

static bool read_family(struct yaml *yaml, struct fy_node *node, const char *cpu, struct pipes *pipes) {
    enum { CPUS, SOURCE, RETIRED, PIPES, N };
    struct yaml_field f[N] = {[CPUS] = {.key = "cpus", .required = true},
                              [SOURCE] = {.key = "source", .required = true},
                              [RETIRED] = {.key = "retired"},
                              [PIPES] = {.key = "pipes"}};
    const char **cpus;
    size_t n_cpus;
    if (!yaml_fields(yaml, node, "a family", f, N) || !yaml_texts(yaml, f[CPUS].value, "cpus", &cpus, NULL, &n_cpus))
        return false;
    struct pipes found = {0};
    if (!read_pipes(yaml, f[RETIRED].value, f[PIPES].value, &found))
        return false;
    for (size_t i = 0; i < n_cpus; i++)
        if (strcmp(cpus[i], cpu) == 0)
            *pipes = found;
    return true;
}

static bool read_file(struct yaml *yaml, const char *isa, const char *cpu, struct pipes *pipes) {
    enum { ISA, FAMILIES, N };
    struct yaml_field f[N] = {
        [ISA] = {.key = "isa", .required = true}, [FAMILIES] = {.key = "families", .required = true}};
    if (!yaml_fields(yaml, yaml_root(yaml), "a table of events", f, N))
        return false;
    const char *name = yaml_text(yaml, f[ISA].value);
    if (!name || strcmp(name, isa) != 0)
        return yaml_fail(yaml, f[ISA].value, "this file is for %s", isa);
    if (!yaml_is_sequence(f[FAMILIES].value))
        return yaml_fail(yaml, f[FAMILIES].value, "'families' must be a list");
    void *iterator = NULL;
    for (struct fy_node *item; (item = yaml_next_item(f[FAMILIES].value, &iterator));)
        if (!read_family(yaml, item, cpu, pipes))
            return false;
    return true;
}

bool pipes_read(struct arena *arena, const char *isa, const char *cpu, struct pipes *pipes, struct fail *fail) {
    const char *path = file_installed(arena, arena_printf(arena, "share/cyclops/events/%s.yaml", isa));
    struct yaml yaml = {0};
    *pipes = (struct pipes){0};
    if (access(path, F_OK) != 0)
        return true; // there is no file for this ISA's counters
    bool is_read = yaml_open(&yaml, arena, path, fail) && read_file(&yaml, isa, cpu, pipes);
    yaml_close(&yaml);
    return is_read;
}

void pipes_of_machine(struct arena *arena, const struct machine *machine, struct pipes *pipes) {
    static const char *const none[] = {NULL};
    *pipes = (struct pipes){.n = 1, .pipes = {{"retired", "uops", none}}};
    for (unsigned i = 1; i < machine->n_resources; i++) {
        if (machine->resources[i].is_group)
            continue;
        const char **resources = ARENA_ARRAY(arena, const char *, 2);
        resources[0] = machine->resources[i].name;
        if (pipes->n == TARGET_MAX_EVENTS) {
            pipes->n = 0;
            return;
        }
        pipes->pipes[pipes->n++] = (struct pipe){resources[0], resources[0], resources};
    }
}
