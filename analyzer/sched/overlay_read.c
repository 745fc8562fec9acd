// The reader of overlay files, but for the rules.
#include "analyzer/sched/overlay_reader.h"

#include "base/bytes.h"

#include <string.h>

enum { NEWEST_VERSION = 2 };

static struct yaml_place place_of(struct overlay_reader *reader, struct fy_node *node) {
    return node ? yaml_place(&reader->yaml, node) : (struct yaml_place){0};
}

static bool read_machine(struct overlay_reader *reader, struct fy_node *node) {
    enum { ORDER, WIDTH, BUFFER, RETIRE, LOADS, STORES, COMPLETES, THREADS, SOURCE, N };
    struct yaml_field f[N] = {
        [ORDER] = {"order", false, NULL},           [WIDTH] = {"dispatch_width", false, NULL},
        [BUFFER] = {"reorder_buffer", false, NULL}, [RETIRE] = {"retire_width", false, NULL},
        [LOADS] = {"load_queue", false, NULL},      [STORES] = {"store_queue", false, NULL},
        [COMPLETES] = {"completes", false, NULL},   [THREADS] = {"threads", false, NULL},
        [SOURCE] = {"source", false, NULL},
    };
    struct overlay *overlay = reader->overlay;
    bool is_alone = overlay->base == OVERLAY_ALONE;
    if (node && !yaml_fields(&reader->yaml, node, "'machine'", f, N))
        return false;
    if (is_alone && !(f[ORDER].value && f[WIDTH].value))
        return yaml_fail(&reader->yaml, node ? node : yaml_root(&reader->yaml),
                         "with base none, 'machine' needs 'order' and 'dispatch_width'");
    if (!is_alone && f[ORDER].value)
        return yaml_fail(&reader->yaml, f[ORDER].value, "with base llvm, the order is LLVM's: leave out 'order'");
    if (!overlay_read_choice(reader, f[ORDER].value, "in", "out", &overlay->is_in_order) ||
        !overlay_read_choice(reader, f[COMPLETES].value, "any", "in-order", &overlay->completes_in_any_order) ||
        !overlay_read_choice(reader, f[THREADS].value, "turns", "together", &overlay->threads_take_turns) ||
        !overlay_read_number(reader, f[WIDTH].value, 1, &overlay->dispatch_width) ||
        !overlay_read_number(reader, f[BUFFER].value, 1, &overlay->reorder_buffer) ||
        !overlay_read_number(reader, f[RETIRE].value, 0, &overlay->retire_width) ||
        !overlay_read_number(reader, f[LOADS].value, 0, &overlay->load_queue) ||
        !overlay_read_number(reader, f[STORES].value, 0, &overlay->store_queue) ||
        !overlay_read_source(reader, f[SOURCE].value))
        return false;
    overlay->buffer_place = place_of(reader, f[BUFFER].value);
    overlay->completes_place = place_of(reader, f[COMPLETES].value);
    overlay->threads_place = place_of(reader, f[THREADS].value);
    if (is_alone && !overlay->is_in_order && !f[BUFFER].value)
        return yaml_fail(&reader->yaml, node, "a machine that is out of order needs 'reorder_buffer'");
    return true;
}

static bool read_resource(struct overlay_reader *reader, struct fy_node *node) {
    enum { NAME, UNITS, BUFFER, MEMBERS, SOURCE, N };
    struct yaml_field f[N] = {
        [NAME] = {"name", true, NULL},        [UNITS] = {"units", false, NULL},   [BUFFER] = {"buffer", false, NULL},
        [MEMBERS] = {"members", false, NULL}, [SOURCE] = {"source", false, NULL},
    };
    struct overlay *overlay = reader->overlay;
    overlay->resources =
        arena_grow(overlay->arena, overlay->resources, overlay->n_resources, sizeof *overlay->resources);
    struct overlay_resource *resource = &overlay->resources[overlay->n_resources];
    *resource = (struct overlay_resource){.place = yaml_place(&reader->yaml, node)};
    if (!yaml_fields(&reader->yaml, node, "a resource", f, N) ||
        !overlay_read_text(reader, f[NAME].value, &resource->name) ||
        !overlay_read_number(reader, f[UNITS].value, 1, &resource->units) ||
        !overlay_read_number(reader, f[BUFFER].value, 0, &resource->buffer) ||
        !overlay_read_source(reader, f[SOURCE].value))
        return false;
    for (size_t i = 0; i < overlay->n_resources; i++)
        if (strcmp(overlay->resources[i].name, resource->name) == 0)
            return yaml_fail(&reader->yaml, f[NAME].value, "there is a resource '%s' already", resource->name);
    overlay->n_resources++;
    if (!f[MEMBERS].value)
        return true;
    if (f[UNITS].value)
        return yaml_fail(&reader->yaml, f[UNITS].value, "a group has the units of its members: leave out 'units'");
    return yaml_texts(&reader->yaml, f[MEMBERS].value, "a resource's name", &resource->members, NULL,
                      &resource->n_members);
}

static bool read_file(struct overlay_reader *reader, struct fy_node *node) {
    enum { NAME, REGISTERS, SIZE, SOURCE, N };
    struct yaml_field f[N] = {[NAME] = {"name", true, NULL},
                              [REGISTERS] = {"registers", false, NULL},
                              [SIZE] = {"size", true, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct overlay *overlay = reader->overlay;
    struct overlay_register_file *file = ARENA_ADD(overlay->arena, overlay->files, overlay->n_files);
    *file = (struct overlay_register_file){.place = yaml_place(&reader->yaml, node)};
    return yaml_fields(&reader->yaml, node, "a register file", f, N) &&
           overlay_read_text(reader, f[NAME].value, &file->name) &&
           (!f[REGISTERS].value || overlay_read_pattern(reader, f[REGISTERS].value, &file->registers)) &&
           overlay_read_number(reader, f[SIZE].value, 1, &file->size) && overlay_read_source(reader, f[SOURCE].value);
}

static bool read_head(struct overlay_reader *reader, struct fy_node *version, struct fy_node *base,
                      struct fy_node *name) {
    int *number = &reader->overlay->version;
    if (!overlay_read_integer(&reader->yaml, version, 0, number))
        return false;
    if (*number < 1 || *number > NEWEST_VERSION)
        return yaml_fail(&reader->yaml, version, "this is version %d of the format; this program reads 1 to %d",
                         *number, NEWEST_VERSION);
    bool is_alone = false;
    if (!overlay_read_choice(reader, base, "none", "llvm", &is_alone) ||
        !overlay_read_text(reader, name, &reader->overlay->name))
        return false;
    reader->overlay->base = is_alone ? OVERLAY_ALONE : OVERLAY_ON_LLVM;
    return true;
}

// Whether it states what its base needs.
static bool check_base(struct overlay_reader *reader, struct fy_node *base, struct fy_node *cpu) {
    const struct overlay *overlay = reader->overlay;
    if (overlay->base == OVERLAY_ON_LLVM && !overlay->cpu)
        return yaml_fail(&reader->yaml, base, "with base llvm, 'cpu' must name the CPU whose numbers are changed");
    if (overlay->cpu && overlay->base == OVERLAY_ALONE && !overlay->triple)
        return yaml_fail(&reader->yaml, cpu, "with base none, a 'cpu' needs its 'triple'");
    return true;
}

enum overlay_key {
    KEY_VERSION,
    KEY_NAME,
    KEY_ABOUT,
    KEY_BASE,
    KEY_TRIPLE,
    KEY_CPU,
    KEY_FEATURES,
    KEY_MACHINE,
    KEY_RESOURCES,
    KEY_FILES,
    KEY_RULES,
    KEY_CARD,
    KEY_SOURCE,
    KEY_MEASURED,
    KEY_MEASURED_ON,
    KEY_CLOCK,
    N_OVERLAY_KEYS
};

// What is only text. What was measured, on what and when is for people: it is read to be checked.
static bool read_texts(struct overlay_reader *reader, const struct yaml_field *f) {
    struct overlay *overlay = reader->overlay;
    const char *origin;
    return overlay_read_text(reader, f[KEY_ABOUT].value, &overlay->about) &&
           overlay_read_text(reader, f[KEY_MEASURED].value, &origin) &&
           overlay_read_text(reader, f[KEY_MEASURED_ON].value, &origin) &&
           overlay_read_text(reader, f[KEY_CLOCK].value, &origin) &&
           overlay_read_text(reader, f[KEY_TRIPLE].value, &overlay->triple) &&
           overlay_read_text(reader, f[KEY_CPU].value, &overlay->cpu) &&
           overlay_read_text(reader, f[KEY_FEATURES].value, &overlay->features);
}

static bool read_overlay(struct overlay_reader *reader) {
    struct yaml_field f[N_OVERLAY_KEYS] = {
        [KEY_VERSION] = {"overlay", true, NULL},
        [KEY_NAME] = {"name", true, NULL},
        [KEY_ABOUT] = {"about", false, NULL},
        [KEY_BASE] = {"base", true, NULL},
        [KEY_TRIPLE] = {"triple", false, NULL},
        [KEY_CPU] = {"cpu", false, NULL},
        [KEY_FEATURES] = {"features", false, NULL},
        [KEY_MACHINE] = {"machine", false, NULL},
        [KEY_RESOURCES] = {"resources", false, NULL},
        [KEY_FILES] = {"register_files", false, NULL},
        [KEY_RULES] = {"instructions", false, NULL},
        [KEY_CARD] = {"card", false, NULL},
        [KEY_SOURCE] = {"source", false, NULL},
        [KEY_MEASURED] = {"measured", false, NULL},
        [KEY_MEASURED_ON] = {"measured_on", false, NULL},
        [KEY_CLOCK] = {"clock", false, NULL},
    };
    return yaml_fields(&reader->yaml, yaml_root(&reader->yaml), "an overlay", f, N_OVERLAY_KEYS) &&
           read_head(reader, f[KEY_VERSION].value, f[KEY_BASE].value, f[KEY_NAME].value) && read_texts(reader, f) &&
           check_base(reader, f[KEY_BASE].value, f[KEY_CPU].value) && read_machine(reader, f[KEY_MACHINE].value) &&
           overlay_read_list(reader, f[KEY_RESOURCES].value, "resources", read_resource) &&
           overlay_read_list(reader, f[KEY_FILES].value, "register files", read_file) &&
           overlay_read_list(reader, f[KEY_RULES].value, "rules", overlay_read_rule) &&
           overlay_read_source(reader, f[KEY_SOURCE].value);
}

// `text`: null: the file's.
static struct overlay *read_all(struct arena *arena, const char *path, const char *text, struct fail *fail) {
    struct overlay *overlay = ARENA_NEW(arena, struct overlay);
    *overlay = (struct overlay){.arena = arena,
                                .path = arena_strdup(arena, path),
                                .about = "",
                                .form_index.arena = arena,
                                .found_index.arena = arena};
    struct overlay_reader reader = {.overlay = overlay, .sources = {.arena = arena}};
    bool is_good = text ? yaml_open_text(&reader.yaml, arena, overlay->path, text, fail)
                        : yaml_open(&reader.yaml, arena, overlay->path, fail);
    overlay->hash = is_good ? bytes_hash(reader.yaml.data, strlen(reader.yaml.data)) : 0;
    is_good = is_good && read_overlay(&reader);
    yaml_close(&reader.yaml);
    if (is_good)
        return overlay;
    overlay_close(overlay);
    return NULL;
}

struct overlay *overlay_read(struct arena *arena, const char *path, struct fail *fail) {
    return read_all(arena, path, NULL, fail);
}

struct overlay *overlay_parse(struct arena *arena, const char *name, const char *text, struct fail *fail) {
    return read_all(arena, name, text, fail);
}

void overlay_close(struct overlay *overlay) {
    for (size_t i = 0; overlay && i < overlay->n_rules; i++)
        opcode_pattern_free(&overlay->rules[i].match);
    for (size_t i = 0; overlay && i < overlay->n_files; i++)
        opcode_pattern_free(&overlay->files[i].registers);
}

const char *overlay_name(const struct overlay *overlay) {
    return overlay->name;
}

uint64_t overlay_hash(const struct overlay *overlay) {
    return overlay->hash;
}

const char *overlay_about(const struct overlay *overlay) {
    return overlay->about;
}

enum overlay_base overlay_base(const struct overlay *overlay) {
    return overlay->base;
}

const char *overlay_triple(const struct overlay *overlay) {
    return overlay->triple;
}

const char *overlay_cpu(const struct overlay *overlay) {
    return overlay->cpu;
}

const char *overlay_features(const struct overlay *overlay) {
    return overlay->features;
}
