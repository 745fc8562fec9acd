// The reader of overlay files.
#include "analyzer/model/overlay_file.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { VERSION = 1, MOST = 1 << 20 };

struct reader {
    struct overlay *overlay;
    struct yaml yaml;
    struct text sources; // of the rule that is being read
};

static bool read_integer(struct yaml *yaml, struct fy_node *node, int least, int *value) {
    double number;
    if (!yaml_number(yaml, node, &number))
        return false;
    if (number != floor(number) || number < least || number > MOST)
        return yaml_fail(yaml, node, "expected a whole number from %d to %d, not '%s'", least, MOST,
                         yaml_text(yaml, node));
    *value = (int)number;
    return true;
}

static void add_source(struct reader *reader, const char *source) {
    if (reader->sources.length && strstr(reader->sources.data, source))
        return;
    text_addf(&reader->sources, "%s%s", reader->sources.length ? "; " : "", source);
}

static bool read_source(struct reader *reader, struct fy_node *node) {
    const char *source = yaml_text(&reader->yaml, node);
    if (!node)
        return true;
    if (!source)
        return yaml_fail(&reader->yaml, node, "a source is a text");
    add_source(reader, source);
    return true;
}

// A number, or {value: …, source: …}; `node` may be null.
static bool read_number(struct reader *reader, struct fy_node *node, int least, struct overlay_number *number) {
    enum { VALUE, SOURCE, N };
    struct yaml_field fields[N] = {[VALUE] = {"value", true, NULL}, [SOURCE] = {"source", true, NULL}};
    if (!node)
        return true;
    if (yaml_is_mapping(node)) {
        if (!yaml_fields(&reader->yaml, node, "a number with its source", fields, N) ||
            !read_source(reader, fields[SOURCE].value))
            return false;
        node = fields[VALUE].value;
    }
    number->is_given = true;
    return read_integer(&reader->yaml, node, least, &number->value);
}

static bool read_unsigned(struct reader *reader, struct fy_node *node, int least, unsigned *value) {
    struct overlay_number number = {false, 0};
    if (!read_number(reader, node, least, &number))
        return false;
    if (number.is_given)
        *value = (unsigned)number.value;
    return true;
}

static bool read_text(struct reader *reader, struct fy_node *node, const char **text) {
    if (!node)
        return true;
    *text = yaml_text(&reader->yaml, node);
    return *text || yaml_fail(&reader->yaml, node, "expected a text");
}

// One of two words; `node` may be null.
static bool read_choice(struct reader *reader, struct fy_node *node, const char *yes, const char *no, bool *is_yes) {
    const char *word = NULL;
    if (!node)
        return true;
    word = yaml_text(&reader->yaml, node);
    *is_yes = word && strcmp(word, yes) == 0;
    if (*is_yes || (word && strcmp(word, no) == 0))
        return true;
    return yaml_fail(&reader->yaml, node, "expected '%s' or '%s'", yes, no);
}

static bool read_flag(struct reader *reader, struct fy_node *node, struct overlay_number *flag) {
    bool is_set = false;
    flag->is_given = node != NULL;
    if (!read_choice(reader, node, "true", "false", &is_set))
        return false;
    flag->value = is_set;
    return true;
}

static bool read_pattern(struct reader *reader, struct fy_node *node, struct overlay_pattern *pattern) {
    if (!read_text(reader, node, &pattern->text))
        return false;
    const char *whole = arena_printf(reader->overlay->arena, "^(%s)$", pattern->text);
    int error = regcomp(&pattern->compiled, whole, REG_EXTENDED | REG_NOSUB);
    pattern->is_compiled = error == 0;
    if (error == 0)
        return true;
    char words[200];
    regerror(error, &pattern->compiled, words, sizeof words);
    return yaml_fail(&reader->yaml, node, "'%s' is no regular expression: %s", pattern->text, words);
}

// Calls `read` for each item of a list, after making room for it; `node` may be null.
typedef bool read_item(struct reader *reader, struct fy_node *node);
static bool read_list(struct reader *reader, struct fy_node *node, const char *what, read_item *read) {
    void *iterator = NULL;
    struct fy_node *item;
    if (!node)
        return true;
    if (!yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "expected a list of %s", what);
    while ((item = yaml_next_item(node, &iterator)))
        if (!read(reader, item))
            return false;
    return true;
}

static bool read_machine(struct reader *reader, struct fy_node *node) {
    enum { ORDER, WIDTH, BUFFER, RETIRE, LOADS, STORES, COMPLETES, SOURCE, N };
    struct yaml_field f[N] = {
        [ORDER] = {"order", false, NULL},           [WIDTH] = {"dispatch_width", false, NULL},
        [BUFFER] = {"reorder_buffer", false, NULL}, [RETIRE] = {"retire_width", false, NULL},
        [LOADS] = {"load_queue", false, NULL},      [STORES] = {"store_queue", false, NULL},
        [COMPLETES] = {"completes", false, NULL},   [SOURCE] = {"source", false, NULL},
    };
    struct overlay *overlay = reader->overlay;
    bool is_alone = overlay->base == OVERLAY_ALONE;
    if (node && !yaml_fields(&reader->yaml, node, "'machine'", f, N))
        return false;
    if (is_alone && !(f[ORDER].value && f[WIDTH].value))
        return yaml_fail(&reader->yaml, node ? node : yaml_root(&reader->yaml),
                         "with base none, 'machine' needs 'order' and 'dispatch_width'");
    if (!is_alone && f[ORDER].value)
        return yaml_fail(&reader->yaml, f[ORDER].value, "with base llvm, the order is LLVM's");
    if (!read_choice(reader, f[ORDER].value, "in", "out", &overlay->is_in_order) ||
        !read_choice(reader, f[COMPLETES].value, "any", "in-order", &overlay->completes_in_any_order) ||
        !read_number(reader, f[WIDTH].value, 1, &overlay->dispatch_width) ||
        !read_number(reader, f[BUFFER].value, 1, &overlay->reorder_buffer) ||
        !read_number(reader, f[RETIRE].value, 0, &overlay->retire_width) ||
        !read_number(reader, f[LOADS].value, 0, &overlay->load_queue) ||
        !read_number(reader, f[STORES].value, 0, &overlay->store_queue) || !read_source(reader, f[SOURCE].value))
        return false;
    if (is_alone && overlay->is_in_order && f[BUFFER].value)
        return yaml_fail(&reader->yaml, f[BUFFER].value, "a machine that is in order has no reorder buffer");
    if (is_alone && !overlay->is_in_order && !f[BUFFER].value)
        return yaml_fail(&reader->yaml, node, "a machine that is out of order needs 'reorder_buffer'");
    return true;
}

static bool read_resource(struct reader *reader, struct fy_node *node) {
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
    if (!yaml_fields(&reader->yaml, node, "a resource", f, N) || !read_text(reader, f[NAME].value, &resource->name) ||
        !read_number(reader, f[UNITS].value, 1, &resource->units) ||
        !read_number(reader, f[BUFFER].value, 0, &resource->buffer) || !read_source(reader, f[SOURCE].value))
        return false;
    for (size_t i = 0; i < overlay->n_resources; i++)
        if (strcmp(overlay->resources[i].name, resource->name) == 0)
            return yaml_fail(&reader->yaml, f[NAME].value, "there is a resource '%s' already", resource->name);
    overlay->n_resources++;
    if (!f[MEMBERS].value)
        return true;
    if (f[UNITS].value)
        return yaml_fail(&reader->yaml, f[UNITS].value, "a group has the units of its members");
    return yaml_texts(&reader->yaml, f[MEMBERS].value, "a resource's name", &resource->members, NULL,
                      &resource->n_members);
}

static bool read_file(struct reader *reader, struct fy_node *node) {
    enum { NAME, REGISTERS, SIZE, SOURCE, N };
    struct yaml_field f[N] = {[NAME] = {"name", true, NULL},
                              [REGISTERS] = {"registers", false, NULL},
                              [SIZE] = {"size", true, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct overlay *overlay = reader->overlay;
    overlay->files = arena_grow(overlay->arena, overlay->files, overlay->n_files, sizeof *overlay->files);
    struct overlay_register_file *file = &overlay->files[overlay->n_files++];
    *file = (struct overlay_register_file){.place = yaml_place(&reader->yaml, node)};
    return yaml_fields(&reader->yaml, node, "a register file", f, N) && read_text(reader, f[NAME].value, &file->name) &&
           (!f[REGISTERS].value || read_pattern(reader, f[REGISTERS].value, &file->registers)) &&
           read_number(reader, f[SIZE].value, 1, &file->size) && read_source(reader, f[SOURCE].value);
}

static struct overlay_rule *last_rule(struct reader *reader) {
    return &reader->overlay->rules[reader->overlay->n_rules - 1];
}

static bool read_use(struct reader *reader, struct fy_node *node) {
    enum { RESOURCE, ACQUIRE, RELEASE, UNITS, SOURCE, N };
    struct yaml_field f[N] = {[RESOURCE] = {"resource", true, NULL},
                              [ACQUIRE] = {"acquire", false, NULL},
                              [RELEASE] = {"release", true, NULL},
                              [UNITS] = {"units", false, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct overlay_rule *rule = last_rule(reader);
    rule->uses = arena_grow(reader->overlay->arena, rule->uses, rule->n_uses, sizeof *rule->uses);
    struct overlay_use *use = &rule->uses[rule->n_uses++];
    *use = (struct overlay_use){.release = 1, .units = 1, .place = yaml_place(&reader->yaml, node)};
    if (!yaml_is_mapping(node))
        return read_text(reader, node, &use->resource);
    if (!yaml_fields(&reader->yaml, node, "a use", f, N) || !read_text(reader, f[RESOURCE].value, &use->resource) ||
        !read_unsigned(reader, f[ACQUIRE].value, 0, &use->acquire) ||
        !read_unsigned(reader, f[RELEASE].value, 1, &use->release) ||
        !read_unsigned(reader, f[UNITS].value, 1, &use->units) || !read_source(reader, f[SOURCE].value))
        return false;
    return use->acquire < use->release ||
           yaml_fail(&reader->yaml, f[RELEASE].value, "it is released before it is acquired: [%u, %u)", use->acquire,
                     use->release);
}

// Classes are numbered as they are first named, from 1.
static bool read_class(struct reader *reader, struct fy_node *node, unsigned *class) {
    struct overlay *overlay = reader->overlay;
    const char *name = NULL;
    if (!node)
        return true;
    if (!read_text(reader, node, &name))
        return false;
    for (*class = 1; *class <= overlay->n_classes; ++*class)
        if (strcmp(overlay->classes[*class - 1], name) == 0)
            return true;
    overlay->classes = arena_grow(overlay->arena, overlay->classes, overlay->n_classes, sizeof *overlay->classes);
    overlay->classes[overlay->n_classes++] = name;
    return true;
}

static bool read_advance(struct reader *reader, struct fy_node *node) {
    enum { READ, AFTER, CYCLES, SOURCE, N };
    struct yaml_field f[N] = {[READ] = {"read", false, NULL},
                              [AFTER] = {"after", false, NULL},
                              [CYCLES] = {"cycles", true, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct overlay_rule *rule = last_rule(reader);
    rule->advances = arena_grow(reader->overlay->arena, rule->advances, rule->n_advances, sizeof *rule->advances);
    struct overlay_advance *advance = &rule->advances[rule->n_advances++];
    *advance = (struct overlay_advance){.cycles = 0};
    struct overlay_number cycles = {false, 0};
    if (!yaml_fields(&reader->yaml, node, "an advance", f, N) ||
        !read_number(reader, f[READ].value, 0, &advance->read) ||
        !read_class(reader, f[AFTER].value, &advance->write_class) ||
        !read_number(reader, f[CYCLES].value, -MOST, &cycles) || !read_source(reader, f[SOURCE].value))
        return false;
    advance->cycles = cycles.value;
    return true;
}

static bool read_latency(struct reader *reader, struct fy_node *node) {
    struct overlay_rule *rule = last_rule(reader);
    struct overlay_number latency = {false, 0};
    rule->latencies = arena_grow(reader->overlay->arena, rule->latencies, rule->n_latencies, sizeof *rule->latencies);
    if (!read_number(reader, node, 0, &latency))
        return false;
    rule->latencies[rule->n_latencies++] = (unsigned)latency.value;
    return true;
}

static bool read_latencies(struct reader *reader, struct fy_node *node) {
    if (!node)
        return true;
    return yaml_is_sequence(node) ? read_list(reader, node, "latencies", read_latency) : read_latency(reader, node);
}

static bool read_rule(struct reader *reader, struct fy_node *node) {
    enum { MATCH, UOPS, LATENCY, USES, ADVANCES, WRITES, BEGINS, ENDS, SOURCE, N };
    struct yaml_field f[N] = {
        [MATCH] = {"match", true, NULL},          [UOPS] = {"uops", false, NULL},
        [LATENCY] = {"latency", false, NULL},     [USES] = {"uses", false, NULL},
        [ADVANCES] = {"advances", false, NULL},   [WRITES] = {"writes", false, NULL},
        [BEGINS] = {"begins_group", false, NULL}, [ENDS] = {"ends_group", false, NULL},
        [SOURCE] = {"source", false, NULL},
    };
    struct overlay *overlay = reader->overlay;
    overlay->rules = arena_grow(overlay->arena, overlay->rules, overlay->n_rules, sizeof *overlay->rules);
    struct overlay_rule *rule = &overlay->rules[overlay->n_rules++];
    *rule = (struct overlay_rule){.place = yaml_place(&reader->yaml, node)};
    reader->sources = (struct text){.arena = overlay->arena};
    if (!yaml_fields(&reader->yaml, node, "a rule", f, N) || !read_pattern(reader, f[MATCH].value, &rule->match) ||
        !read_number(reader, f[UOPS].value, 0, &rule->uops) || !read_latencies(reader, f[LATENCY].value) ||
        !read_list(reader, f[USES].value, "uses", read_use) ||
        !read_list(reader, f[ADVANCES].value, "advances", read_advance) ||
        !read_class(reader, f[WRITES].value, &rule->write_class) ||
        !read_flag(reader, f[BEGINS].value, &rule->begins_group) ||
        !read_flag(reader, f[ENDS].value, &rule->ends_group) || !read_source(reader, f[SOURCE].value))
        return false;
    rule->has_uses = f[USES].value != NULL;
    rule->has_advances = f[ADVANCES].value != NULL;
    rule->source = reader->sources.data;
    return true;
}

static bool read_head(struct reader *reader, struct fy_node *version, struct fy_node *base, struct fy_node *name) {
    int number = 0;
    if (!read_integer(&reader->yaml, version, 0, &number))
        return false;
    if (number != VERSION)
        return yaml_fail(&reader->yaml, version, "this is version %d of the format; known is %d", number, VERSION);
    bool is_alone = false;
    if (!read_choice(reader, base, "none", "llvm", &is_alone) || !read_text(reader, name, &reader->overlay->name))
        return false;
    reader->overlay->base = is_alone ? OVERLAY_ALONE : OVERLAY_ON_LLVM;
    return true;
}

static bool read_overlay(struct reader *reader) {
    enum { VERSION_, NAME, ABOUT, BASE, TRIPLE, CPU, FEATURES, MACHINE, RESOURCES, FILES, RULES, SOURCE, N };
    struct yaml_field f[N] = {
        [VERSION_] = {"overlay", true, NULL},     [NAME] = {"name", true, NULL},
        [ABOUT] = {"about", false, NULL},         [BASE] = {"base", true, NULL},
        [TRIPLE] = {"triple", false, NULL},       [CPU] = {"cpu", false, NULL},
        [FEATURES] = {"features", false, NULL},   [MACHINE] = {"machine", false, NULL},
        [RESOURCES] = {"resources", false, NULL}, [FILES] = {"register_files", false, NULL},
        [RULES] = {"instructions", false, NULL},  [SOURCE] = {"source", false, NULL},
    };
    struct overlay *overlay = reader->overlay;
    if (!yaml_fields(&reader->yaml, yaml_root(&reader->yaml), "an overlay", f, N) ||
        !read_head(reader, f[VERSION_].value, f[BASE].value, f[NAME].value) ||
        !read_text(reader, f[ABOUT].value, &overlay->about) || !read_text(reader, f[TRIPLE].value, &overlay->triple) ||
        !read_text(reader, f[CPU].value, &overlay->cpu) || !read_text(reader, f[FEATURES].value, &overlay->features))
        return false;
    if (overlay->base == OVERLAY_ON_LLVM && !overlay->cpu)
        return yaml_fail(&reader->yaml, f[BASE].value, "with base llvm, 'cpu' says whose numbers are changed");
    if (overlay->cpu && overlay->base == OVERLAY_ALONE && !overlay->triple)
        return yaml_fail(&reader->yaml, f[CPU].value, "with base none, a 'cpu' needs its 'triple'");
    return read_machine(reader, f[MACHINE].value) &&
           read_list(reader, f[RESOURCES].value, "resources", read_resource) &&
           read_list(reader, f[FILES].value, "register files", read_file) &&
           read_list(reader, f[RULES].value, "rules", read_rule) && read_source(reader, f[SOURCE].value);
}

struct overlay *overlay_read(struct arena *arena, const char *path, struct fail *fail) {
    struct overlay *overlay = ARENA_NEW(arena, struct overlay);
    *overlay = (struct overlay){.arena = arena, .path = arena_strdup(arena, path), .about = ""};
    struct reader reader = {.overlay = overlay, .sources = {.arena = arena}};
    bool is_good = yaml_open(&reader.yaml, arena, overlay->path, fail) && read_overlay(&reader);
    yaml_close(&reader.yaml);
    if (is_good)
        return overlay;
    overlay_close(overlay);
    return NULL;
}

static void free_pattern(struct overlay_pattern *pattern) {
    if (pattern->is_compiled)
        regfree(&pattern->compiled);
    pattern->is_compiled = false;
}

void overlay_close(struct overlay *overlay) {
    for (size_t i = 0; overlay && i < overlay->n_rules; i++)
        free_pattern(&overlay->rules[i].match);
    for (size_t i = 0; overlay && i < overlay->n_files; i++)
        free_pattern(&overlay->files[i].registers);
}

bool overlay_pattern_matches(const struct overlay_pattern *pattern, const char *name) {
    return regexec(&pattern->compiled, name, 0, NULL, 0) == 0;
}

const char *overlay_name(const struct overlay *overlay) {
    return overlay->name;
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
