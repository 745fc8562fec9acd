#include "gen/kernel_read.h"

#include "base/text.h"
#include "gen/isa.h"
#include "gen/program.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHASE "chase "

static bool read_name(struct kernel_file *file, struct fy_node *node, struct kernel *kernel) {
    kernel->name = yaml_text(&file->yaml, node);
    if (!kernel->name)
        return yaml_fail(&file->yaml, node, "a kernel's name must be a text");
    for (const char *c = kernel->name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            return yaml_fail(&file->yaml, node, "the name '%s' may hold letters, digits, '-', '_' and '.' only",
                             kernel->name);
    return true;
}

static bool read_arc(struct kernel_file *file, struct fy_node *node, const char *text, struct kernel *kernel) {
    struct arena *arena = file->yaml.arena;
    const char *arrow = strstr(text, "->");
    struct slice from = {text, arrow ? (size_t)(arrow - text) : strlen(text)}, to = from;
    if (arrow)
        to = (struct slice){arrow + 2, strlen(arrow + 2)};
    from = slice_trim(from);
    to = slice_trim(to);
    struct kernel_arc arc;
    if (!kernel_role_find(file, kernel, node, arena_copy(arena, from.data, from.length), &arc.from) ||
        !kernel_role_find(file, kernel, node, arena_copy(arena, to.data, to.length), &arc.to))
        return false;
    const struct kernel_role *a = &kernel->roles[arc.from], *b = &kernel->roles[arc.to];
    if (!kernel_role_can_be(a, b))
        return yaml_fail(&file->yaml, node,
                         "chain '%s' cannot be closed: '%s' (%s) and '%s' (%s) are never the same register", text,
                         a->name, kernel_role_class(a), b->name, kernel_role_class(b));
    *ARENA_ADD(arena, kernel->arcs, kernel->n_arcs) = arc;
    kernel->roles[arc.from].written = true;
    return true;
}

static bool read_write(struct kernel_file *file, struct fy_node *node, const char *text, struct kernel *kernel) {
    unsigned role;
    if (!kernel_role_find(file, kernel, node, text, &role))
        return false;
    kernel->roles[role].written = true;
    return true;
}

// Reads a word, or each of a list. `what`: a word, for messages.
static bool read_each(struct kernel_file *file, struct fy_node *node, const char *what,
                      bool (*read)(struct kernel_file *, struct fy_node *, const char *, struct kernel *),
                      struct kernel *kernel) {
    const char **texts;
    struct fy_node **nodes;
    size_t n;
    bool is_good = yaml_texts(&file->yaml, node, what, &texts, &nodes, &n);
    for (size_t i = 0; is_good && i < n; i++)
        is_good = read(file, nodes[i], texts[i], kernel);
    return is_good;
}

// Takes the lane type off the front of `text`, such as "f32 1.5". Returns false where there is none.
static bool take_lane(const char **text, enum kernel_init *init, unsigned *bits) {
    static const struct {
        const char *name;
        enum kernel_init init;
        unsigned bits;
    } lanes[] = {{"i8 ", INIT_INTEGER, 8},   {"i16 ", INIT_INTEGER, 16}, {"i32 ", INIT_INTEGER, 32},
                 {"i64 ", INIT_INTEGER, 64}, {"f32 ", INIT_FLOAT, 32},   {"f64 ", INIT_FLOAT, 64}};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (strncmp(*text, lanes[i].name, strlen(lanes[i].name)) == 0) {
            *text += strlen(lanes[i].name);
            *init = lanes[i].init;
            *bits = lanes[i].bits;
            return true;
        }
    return false;
}

static bool is_integer_of(double value, unsigned bits) {
    // Above 2^53, a double does not represent all integers.
    double limit = bits > 53 ? 0x1p53 : ldexp(1, (int)bits) - 1;
    double lowest = bits > 53 ? -0x1p53 : -ldexp(1, (int)bits - 1);
    return value == floor(value) && value >= lowest && value <= limit;
}

static bool read_number(struct kernel_file *file, struct fy_node *node, const char *text, struct kernel_role *role) {
    struct yaml *yaml = &file->yaml;
    const char *number = text;
    bool is_vector = role->class->file == 'v' || role->class->file == 'f';
    if (role->class->file == 's')
        return yaml_fail(yaml, node, "role '%s' is part of a stack: let 'setup' fill it", role->name);
    role->init = strpbrk(text, ".pP") ? INIT_FLOAT : INIT_INTEGER;
    bool has_lane = take_lane(&number, &role->init, &role->lane_bits);
    char *end;
    role->value = strtod(number, &end);
    if (end == number || *end || !isfinite(role->value))
        return yaml_fail(yaml, node, "'%s' is neither a number nor 'memory'", text);
    if (has_lane && !is_vector)
        return yaml_fail(yaml, node, "role '%s' is not a vector: leave out the lane type", role->name);
    if (is_vector && !has_lane && role->value != 0)
        return yaml_fail(yaml, node, "say what the lanes of role '%s' are: f32 %s, f64 %s or i8 to i64", role->name,
                         number, number);
    unsigned bits = is_vector ? role->lane_bits : role->class->bits;
    if (role->value != 0 && !is_vector && role->init == INIT_FLOAT)
        return yaml_fail(yaml, node, "role '%s' holds an integer, not %s", role->name, number);
    if (role->value != 0 && role->init == INIT_INTEGER && !is_integer_of(role->value, bits))
        return yaml_fail(yaml, node, "%s is not an integer of %u bits, or not below 2^53", number, bits);
    return true;
}

// Reads "memory", or "memory + {at:16}": a place to which each stream has a separate pointer.
static bool read_memory(struct kernel_file *file, struct fy_node *node, const char *text, struct kernel *kernel,
                        struct kernel_role *role) {
    struct yaml *yaml = &file->yaml;
    char name[32], width[32];
    int n = 0;
    struct fail trouble = {0};
    unsigned place;
    if (role->class->file != 'g' || role->class->bits != file->isa->classes[0].bits)
        return yaml_fail(yaml, node, "an address does not fit role '%s' of class %s", role->name,
                         kernel_role_class(role));
    role->init = INIT_MEMORY;
    if (strcmp(text, "memory") == 0)
        return true;
    if (sscanf(text, "memory + {%31[a-zA-Z0-9_]:%31[0-9,]}%n", name, width, &n) != 2 || n == 0 || text[n])
        return yaml_fail(yaml, node, "expected \"memory + {place:bytes}\", such as \"memory + {at:16}\"");
    if (role->is_fixed)
        return yaml_fail(yaml, node,
                         "role '%s' is one register for all streams: it cannot point to a place of each stream",
                         role->name);
    if (!kernel_place_add(yaml->arena, kernel, arena_strdup(yaml->arena, name), width, &place, &trouble))
        return yaml_fail(yaml, node, "%s", trouble.text);
    kernel->places[place].is_pointer = true;
    role->place = place + 1;
    role->written = true;
    return true;
}

// Reads the layout behind a chase's size: nothing, " in blocks" or " by page".
static bool read_layout(const char *text, enum chase_layout *layout) {
    static const char *const layouts[] = {
        [CHASE_LINES] = "", [CHASE_BLOCKS] = " in blocks", [CHASE_PAGES] = " by page"};
    enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };
    size_t which = text_find(text, layouts, N_LAYOUTS);
    *layout = which < N_LAYOUTS ? (enum chase_layout)which : CHASE_LINES;
    return which < N_LAYOUTS;
}

static bool is_chase_size(unsigned long long bytes, enum chase_layout layout) {
    unsigned step = layout == CHASE_PAGES ? PROGRAM_PAGE_BYTES : PROGRAM_LINE_BYTES;
    bool is_random = bytes / step <= PROGRAM_MOST_RANDOM_STEPS;
    return bytes >= PROGRAM_LEAST_CHASE_BYTES && bytes >= step && bytes <= PROGRAM_MOST_CHASE_BYTES &&
           bytes % step == 0 && (is_random || (layout == CHASE_LINES && !(bytes & (bytes - 1))));
}

// Reads "chase 64M": a number of bytes, K or M, and the layout.
static bool read_chase(struct kernel_file *file, struct fy_node *node, const char *text, struct kernel_role *role) {
    struct yaml *yaml = &file->yaml;
    const char *number = text + strlen(CHASE);
    char *end;
    if (role->class->file != 'g' || role->class->bits != file->isa->classes[0].bits)
        return yaml_fail(yaml, node, "an address does not fit role '%s' of class %s", role->name,
                         kernel_role_class(role));
    if (role->is_fixed)
        return yaml_fail(yaml, node, "role '%s' is one register for all streams: it cannot chase in each stream's ring",
                         role->name);
    unsigned long long bytes = isdigit((unsigned char)*number) ? strtoull(number, &end, 10) : 0;
    if (bytes > 0 && (*end == 'K' || *end == 'M') && bytes <= PROGRAM_MOST_CHASE_BYTES)
        bytes <<= *end++ == 'K' ? 10 : 20;
    if (!bytes || !read_layout(end, &role->chase_layout) || !is_chase_size(bytes, role->chase_layout))
        return yaml_fail(
            yaml, node,
            "expected \"chase SIZE\", from 1K to 256M, and above 4M a power of two, such as \"chase 64M\"; "
            "\"chase SIZE in blocks\", up to 4M; or \"chase SIZE by page\", whole pages");
    role->init = INIT_CHASE;
    role->chase_bytes = bytes;
    role->written = true;
    return true;
}

static bool read_value(struct kernel_file *file, struct fy_node *node, const char *text, struct kernel *kernel,
                       struct kernel_role *role) {
    struct yaml *yaml = &file->yaml;
    if (role->class == file->isa->flags)
        return yaml_fail(yaml, node, "flags take no initial value: they start as a comparison of equals leaves them");
    if (kernel_role_is_reserved(file->isa, role))
        return yaml_fail(yaml, node, "register %s is reserved for the program around the body, and keeps its value",
                         role->name);
    if (strncmp(text, CHASE, strlen(CHASE)) == 0)
        return read_chase(file, node, text, role);
    return strncmp(text, "memory", strlen("memory")) == 0 ? read_memory(file, node, text, kernel, role)
                                                          : read_number(file, node, text, role);
}

static bool read_init(struct kernel_file *file, struct fy_node *mapping, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    if (!yaml_is_mapping(mapping))
        return yaml_fail(yaml, mapping, "expected {role: value, ...}");
    void *iterator = NULL;
    struct fy_node *key, *value;
    while (yaml_next_pair(mapping, &iterator, &key, &value)) {
        unsigned index;
        const char *name = yaml_text(yaml, key), *text = yaml_text(yaml, value);
        if (!kernel_role_find(file, kernel, key, name ? name : "", &index))
            return false;
        struct kernel_role *role = &kernel->roles[index];
        if (!text)
            return yaml_fail(yaml, value ? value : key, "expected a number or 'memory' for role '%s'", role->name);
        if (!read_value(file, value, text, kernel, role))
            return false;
    }
    return true;
}

static bool read_expectation(struct kernel_file *file, const char *cpu, struct fy_node *node, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    struct kernel_expectation *expectation;
    struct yaml_field fields[] = {{.key = "latency"}, {.key = "rthroughput"}};
    if (!yaml_fields(yaml, node, "an expectation", fields, 2))
        return false;
    expectation = ARENA_ADD(yaml->arena, kernel->expectations, kernel->n_expectations);
    *expectation = (struct kernel_expectation){.cpu = cpu};
    double *numbers[] = {&expectation->latency, &expectation->rthroughput};
    for (unsigned i = 0; i < 2; i++) {
        if (fields[i].value && !yaml_number(yaml, fields[i].value, numbers[i]))
            return false;
        if (fields[i].value && !(*numbers[i] > 0))
            return yaml_fail(yaml, fields[i].value, "%s must be above zero cycles", fields[i].key);
    }
    return true;
}

static bool read_expectations(struct kernel_file *file, struct fy_node *mapping, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    if (!yaml_is_mapping(mapping))
        return yaml_fail(yaml, mapping, "expected {cpu: {latency: cycles, rthroughput: cycles}}");
    void *iterator = NULL;
    struct fy_node *key, *value;
    while (yaml_next_pair(mapping, &iterator, &key, &value)) {
        const char *cpu = yaml_text(yaml, key);
        if (!cpu || !value)
            return yaml_fail(yaml, key, "expected the name of a CPU and its published cycles");
        if (!read_expectation(file, cpu, value, kernel))
            return false;
    }
    return true;
}

// Reads the CPU features: the file's, and those of the kernel (null: it has none).
static bool read_features(struct kernel_file *file, struct fy_node *node, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    const char **own = NULL;
    struct fy_node **own_nodes = NULL;
    size_t n_own = 0;
    if (node && !yaml_texts(yaml, node, "a CPU feature", &own, &own_nodes, &n_own))
        return false;
    kernel->features = ARENA_ARRAY(yaml->arena, const char *, file->n_features + n_own + 1);
    kernel->feature_lines = ARENA_ARRAY(yaml->arena, unsigned, file->n_features + n_own + 1);
    for (size_t i = 0; i < file->n_features + n_own; i++) {
        bool is_own = i >= file->n_features;
        size_t k = is_own ? i - file->n_features : i;
        kernel->features[i] = is_own ? own[k] : file->features[k];
        kernel->feature_lines[i] = yaml_place(yaml, is_own ? own_nodes[k] : file->feature_nodes[k]).line;
    }
    return true;
}

bool kernel_read(struct kernel_file *file, struct fy_node *node, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    enum { NAME, ABOUT, SETUP, BODY, CHAIN, WRITES, INIT, IMPLICIT, REQUIRES, EXPECT, N_KEYS };
    struct yaml_field fields[N_KEYS] = {
        [NAME] = {.key = "name", .required = true},
        [ABOUT] = {.key = "about"},
        [SETUP] = {.key = "setup"},
        [BODY] = {.key = "body", .required = true},
        [CHAIN] = {.key = "chain"},
        [WRITES] = {.key = "writes"},
        [INIT] = {.key = "init"},
        [IMPLICIT] = {.key = "implicit"},
        [REQUIRES] = {.key = "requires"},
        [EXPECT] = {.key = "expect"},
    };
    if (!yaml_fields(yaml, node, "a kernel", fields, N_KEYS) || !read_name(file, fields[NAME].value, kernel))
        return false;
    kernel->file = yaml->path;
    kernel->line = yaml_place(yaml, fields[NAME].value).line;
    kernel->isa = file->isa;
    kernel->syntax = file->syntax;
    kernel->about = yaml_text(yaml, fields[ABOUT].value);
    if (fields[ABOUT].value && !kernel->about)
        return yaml_fail(yaml, fields[ABOUT].value, "'about' must be a text");
    kernel->about = kernel->about ? kernel->about : "";
    kernel->setup = yaml_text(yaml, fields[SETUP].value);
    if (fields[SETUP].value && !kernel->setup)
        return yaml_fail(yaml, fields[SETUP].value, "'setup' must be assembly text");
    kernel->setup = kernel->setup ? kernel->setup : "";
    return kernel_read_body(file, fields[BODY].value, kernel) && read_features(file, fields[REQUIRES].value, kernel) &&
           (!fields[IMPLICIT].value || kernel_roles_read_implicit(file, fields[IMPLICIT].value, kernel)) &&
           (!fields[CHAIN].value ||
            read_each(file, fields[CHAIN].value, "a role or an arc 'd->x'", read_arc, kernel)) &&
           (!fields[WRITES].value || read_each(file, fields[WRITES].value, "a role", read_write, kernel)) &&
           (!fields[INIT].value || read_init(file, fields[INIT].value, kernel)) &&
           (!fields[EXPECT].value || read_expectations(file, fields[EXPECT].value, kernel));
}
