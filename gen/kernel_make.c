// What a kernel's keys mean, wherever they come from.
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

static bool read_name(struct kernel_file *file, const struct kernel_word *name, struct kernel *kernel) {
    kernel->name = name->text;
    for (const char *c = kernel->name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            return yaml_fail(&file->yaml, name->node, "the name '%s' may hold letters, digits, '-', '_' and '.' only",
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

static bool read_each(struct kernel_file *file, const struct kernel_words *words,
                      bool (*read)(struct kernel_file *, struct fy_node *, const char *, struct kernel *),
                      struct kernel *kernel) {
    for (size_t i = 0; i < words->n; i++)
        if (!read(file, words->items[i].node, words->items[i].text, kernel))
            return false;
    return true;
}

// Takes the lane type off the front of `text`, such as "f32 1.5". Returns false where it begins with something else.
static bool take_lane(const char **text, enum kernel_init *init, unsigned *bits) {
    static const struct {
        const char *name;
        enum kernel_init init;
        unsigned bits;
    } lanes[] = {{"i8 ", INIT_INTEGER, 8},   {"i16 ", INIT_INTEGER, 16}, {"i32 ", INIT_INTEGER, 32},
                 {"i64 ", INIT_INTEGER, 64}, {"f32 ", INIT_FLOAT, 32},   {"f64 ", INIT_FLOAT, 64}};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (text_starts(*text, lanes[i].name)) {
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
    if (text_starts(text, CHASE))
        return read_chase(file, node, text, role);
    return text_starts(text, "memory") ? read_memory(file, node, text, kernel, role)
                                       : read_number(file, node, text, role);
}

static bool read_init(struct kernel_file *file, const struct kernel_keys *keys, struct kernel *kernel) {
    for (size_t i = 0; i < keys->roles.n; i++) {
        const struct kernel_word *role = &keys->roles.items[i], *value = &keys->values.items[i];
        unsigned index;
        if (!kernel_role_find(file, kernel, role->node, role->text, &index) ||
            !read_value(file, value->node, value->text, kernel, &kernel->roles[index]))
            return false;
    }
    return true;
}

// The CPU features: the file's, and those of the kernel.
static void read_features(struct kernel_file *file, const struct kernel_words *own, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    kernel->features = ARENA_ARRAY(yaml->arena, const char *, file->n_features + own->n + 1);
    kernel->feature_lines = ARENA_ARRAY(yaml->arena, unsigned, file->n_features + own->n + 1);
    for (size_t i = 0; i < file->n_features + own->n; i++) {
        bool is_own = i >= file->n_features;
        size_t k = is_own ? i - file->n_features : i;
        kernel->features[i] = is_own ? own->items[k].text : file->features[k];
        kernel->feature_lines[i] = yaml_place(yaml, is_own ? own->items[k].node : file->feature_nodes[k]).line;
    }
}

bool kernel_make(struct kernel_file *file, const struct kernel_keys *keys, struct kernel *kernel) {
    struct yaml *yaml = &file->yaml;
    if (!read_name(file, &keys->name, kernel))
        return false;
    kernel->file = yaml->path;
    kernel->line = yaml_place(yaml, keys->name.node).line;
    kernel->isa = file->isa;
    kernel->syntax = file->syntax;
    kernel->about = keys->about.text ? keys->about.text : "";
    kernel->setup = keys->setup.text ? keys->setup.text : "";
    if (!kernel_read_body(file, &keys->body, kernel))
        return false;
    read_features(file, &keys->features, kernel);
    return kernel_roles_read_implicit(file, &keys->implicit, kernel) &&
           read_each(file, &keys->chain, read_arc, kernel) && read_each(file, &keys->writes, read_write, kernel) &&
           read_init(file, keys, kernel);
}
