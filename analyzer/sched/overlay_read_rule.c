// The rules of an overlay file: what it says of instructions.
#include "analyzer/sched/overlay_reader.h"

#include "base/bytes.h"

#include <string.h>

static struct overlay_rule *last_rule(struct overlay_reader *reader) {
    return &reader->overlay->rules[reader->overlay->n_rules - 1];
}

static bool read_use(struct overlay_reader *reader, struct fy_node *node) {
    enum { RESOURCE, ACQUIRE, RELEASE, UNITS, SOURCE, N };
    struct yaml_field f[N] = {[RESOURCE] = {"resource", true, NULL},
                              [ACQUIRE] = {"acquire", false, NULL},
                              [RELEASE] = {"release", true, NULL},
                              [UNITS] = {"units", false, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct overlay_rule *rule = last_rule(reader);
    struct overlay_use *use = ARENA_ADD(reader->overlay->arena, rule->uses, rule->n_uses);
    *use = (struct overlay_use){.release = 1, .units = 1, .place = yaml_place(&reader->yaml, node)};
    if (!yaml_is_mapping(node))
        return overlay_read_text(reader, node, &use->resource);
    if (!yaml_fields(&reader->yaml, node, "a use", f, N) ||
        !overlay_read_text(reader, f[RESOURCE].value, &use->resource) ||
        !overlay_read_unsigned(reader, f[ACQUIRE].value, 0, &use->acquire) ||
        !overlay_read_unsigned(reader, f[RELEASE].value, 1, &use->release) ||
        !overlay_read_unsigned(reader, f[UNITS].value, 1, &use->units) || !overlay_read_source(reader, f[SOURCE].value))
        return false;
    return use->acquire < use->release ||
           yaml_fail(&reader->yaml, f[RELEASE].value, "it is released before it is acquired: [%u, %u)", use->acquire,
                     use->release);
}

// Classes are numbered as they are first named, from 1.
static bool read_class(struct overlay_reader *reader, struct fy_node *node, unsigned *class) {
    struct overlay *overlay = reader->overlay;
    const char *name = NULL;
    if (!node)
        return true;
    if (!overlay_read_text(reader, node, &name))
        return false;
    for (*class = 1; *class <= overlay->n_classes; ++*class)
        if (strcmp(overlay->classes[*class - 1], name) == 0)
            return true;
    *ARENA_ADD(overlay->arena, overlay->classes, overlay->n_classes) = name;
    return true;
}

static bool read_advance(struct overlay_reader *reader, struct fy_node *node) {
    enum { READ, OPERAND, AFTER, CYCLES, SOURCE, N };
    struct yaml_field f[N] = {[READ] = {"read", false, NULL},
                              [OPERAND] = {"operand", false, NULL},
                              [AFTER] = {"after", false, NULL},
                              [CYCLES] = {"cycles", true, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct overlay_rule *rule = last_rule(reader);
    struct overlay_advance *advance = ARENA_ADD(reader->overlay->arena, rule->advances, rule->n_advances);
    *advance = (struct overlay_advance){.cycles = 0};
    struct overlay_number cycles = {false, 0};
    if (!yaml_fields(&reader->yaml, node, "an advance", f, N) ||
        !overlay_read_number(reader, f[READ].value, 0, &advance->read) ||
        !overlay_read_number(reader, f[OPERAND].value, 0, &advance->operand) ||
        !read_class(reader, f[AFTER].value, &advance->write_class) ||
        !overlay_read_number(reader, f[CYCLES].value, -OVERLAY_MOST, &cycles) ||
        !overlay_read_source(reader, f[SOURCE].value))
        return false;
    advance->cycles = cycles.value;
    return true;
}

static bool read_latency(struct overlay_reader *reader, struct fy_node *node) {
    struct overlay_rule *rule = last_rule(reader);
    struct overlay_number latency = {false, 0};
    rule->latencies = arena_grow(reader->overlay->arena, rule->latencies, rule->n_latencies, sizeof *rule->latencies);
    if (!overlay_read_number(reader, node, 0, &latency))
        return false;
    rule->latencies[rule->n_latencies++] = (unsigned)latency.value;
    return true;
}

static bool read_latencies(struct overlay_reader *reader, struct fy_node *node) {
    if (!node)
        return true;
    return yaml_is_sequence(node) ? overlay_read_list(reader, node, "latencies", read_latency)
                                  : read_latency(reader, node);
}

static bool read_idiom(struct overlay_reader *reader, struct fy_node *node, enum overlay_idiom *idiom) {
    bool is_zero = false;
    if (!overlay_read_choice(reader, node, "zero", "dependency-breaking", &is_zero))
        return false;
    *idiom = !node ? OVERLAY_NO_IDIOM : is_zero ? OVERLAY_ZERO : OVERLAY_DEPENDENCY_BREAKING;
    return true;
}

// Adds the form to those of the last rule.
static bool add_form(struct overlay_reader *reader, struct fy_node *node, const char *name) {
    struct overlay *overlay = reader->overlay;
    const struct overlay_form *before = overlay_form_named(overlay, name);
    if (before)
        return yaml_fail(&reader->yaml, node, "the form '%s' has a rule already, in line %u: write one for it", name,
                         before->place.line);
    index_add(&overlay->form_index, bytes_hash(name, strlen(name)), overlay->n_forms);
    *ARENA_ADD(overlay->arena, overlay->forms, overlay->n_forms) =
        (struct overlay_form){name, overlay->n_rules - 1, yaml_place(&reader->yaml, node)};
    return true;
}

// What the rule is of: opcodes by a pattern, or forms by their names.
static bool read_subject(struct overlay_reader *reader, struct fy_node *rule, struct fy_node *match,
                         struct fy_node *forms) {
    const struct overlay *overlay = reader->overlay;
    const char **names;
    struct fy_node **nodes;
    size_t n;
    if (!match == !forms)
        return yaml_fail(&reader->yaml, forms ? forms : rule, "a rule has either 'match' or 'forms'");
    if (match)
        return overlay_read_pattern(reader, match, &last_rule(reader)->match);
    if (overlay->version < 2)
        return yaml_fail(&reader->yaml, forms, "rules name forms from version 2 on: write 'overlay: 2'");
    if (overlay->base == OVERLAY_ALONE && !overlay->triple)
        return yaml_fail(&reader->yaml, forms, "forms are LLVM's: without a 'triple', a rule has 'match'");
    if (!yaml_texts(&reader->yaml, forms, "a form's name", &names, &nodes, &n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!add_form(reader, nodes[i], names[i]))
            return false;
    return true;
}

bool overlay_read_rule(struct overlay_reader *reader, struct fy_node *node) {
    enum { MATCH, FORMS, UOPS, LATENCY, USES, ADVANCES, WRITES, IDIOM, BEGINS, ENDS, SOURCE, N };
    struct yaml_field f[N] = {
        [MATCH] = {"match", false, NULL},         [FORMS] = {"forms", false, NULL},
        [UOPS] = {"uops", false, NULL},           [LATENCY] = {"latency", false, NULL},
        [USES] = {"uses", false, NULL},           [ADVANCES] = {"advances", false, NULL},
        [WRITES] = {"writes", false, NULL},       [IDIOM] = {"idiom", false, NULL},
        [BEGINS] = {"begins_group", false, NULL}, [ENDS] = {"ends_group", false, NULL},
        [SOURCE] = {"source", false, NULL},
    };
    struct overlay *overlay = reader->overlay;
    struct overlay_rule *rule = ARENA_ADD(overlay->arena, overlay->rules, overlay->n_rules);
    *rule = (struct overlay_rule){.place = yaml_place(&reader->yaml, node)};
    reader->sources = (struct text){.arena = overlay->arena};
    if (!yaml_fields(&reader->yaml, node, "a rule", f, N) ||
        !read_subject(reader, node, f[MATCH].value, f[FORMS].value) ||
        !overlay_read_number(reader, f[UOPS].value, 0, &rule->uops) || !read_latencies(reader, f[LATENCY].value) ||
        !overlay_read_list(reader, f[USES].value, "uses", read_use) ||
        !overlay_read_list(reader, f[ADVANCES].value, "advances", read_advance) ||
        !read_class(reader, f[WRITES].value, &rule->write_class) || !read_idiom(reader, f[IDIOM].value, &rule->idiom) ||
        !overlay_read_flag(reader, f[BEGINS].value, &rule->begins_group) ||
        !overlay_read_flag(reader, f[ENDS].value, &rule->ends_group) || !overlay_read_source(reader, f[SOURCE].value))
        return false;
    rule->has_uses = f[USES].value != NULL;
    rule->has_advances = f[ADVANCES].value != NULL;
    rule->source = reader->sources.data ? arena_strdup(overlay->arena, reader->sources.data) : NULL;
    return true;
}
