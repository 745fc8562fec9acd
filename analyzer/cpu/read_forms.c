// What a CPU file says of forms: its rules, and what the CPU lacks.
#include "analyzer/code/opcode_pattern.h"
#include "analyzer/cpu/reader.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static bool read_use(struct cpu_reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    struct yaml_field f[N_USE_KEYS];
    struct cpu_word *on = &rule->on[rule->n_uses];
    double cycles = 1;
    if (!yaml_is_mapping(node)) {
        if (!read_word(reader, node, on))
            return false;
    } else if (!read_fields(reader, node, "a use", cpu_use_keys, N_USE_KEYS, f) ||
               !read_word(reader, f[USE_ON].value, on) ||
               (f[USE_CYCLES].value && !read_plain(reader, f[USE_CYCLES].value, &cycles))) {
        return false;
    }
    rule->uses[rule->n_uses++] = (struct cpu_use){.cycles = cycles};
    return true;
}

static bool read_uses(struct cpu_reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    if (!node)
        return true;
    if (!yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'pipes' must be a list");
    struct fy_node *item;
    unsigned n = 0;
    for (void *iterator = NULL; yaml_next_item(node, &iterator);)
        n++;
    rule->uses = ARENA_ARRAY(reader->arena, struct cpu_use, n + 1);
    rule->on = ARENA_ARRAY(reader->arena, struct cpu_word, n + 1);
    for (void *iterator = NULL; (item = yaml_next_item(node, &iterator));)
        if (!read_use(reader, item, rule))
            return false;
    return true;
}

static bool read_ends(struct cpu_reader *reader, const char *what, struct fy_node *node, struct cpu_end **ends,
                      unsigned *n) {
    struct fy_node *key, *value;
    if (node && !yaml_is_mapping(node))
        return yaml_fail(&reader->yaml, node, "'%s' must be a mapping: {REGISTER: cycles}", what);
    for (void *iterator = NULL; node && yaml_next_pair(node, &iterator, &key, &value);) {
        struct cpu_end *end = ARENA_ADD(reader->arena, *ends, *n);
        *end = (struct cpu_end){.latency = 0};
        if (!read_word(reader, key, &end->name) || !read_plain(reader, value, &end->latency))
            return false;
    }
    return true;
}

static bool read_ignores(struct cpu_reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    const char **names;
    struct fy_node **nodes;
    size_t n = 0;
    if (node && !yaml_texts(&reader->yaml, node, "a register's name", &names, &nodes, &n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!read_word(reader, nodes[i], ARENA_ADD(reader->arena, rule->ignores, rule->n_ignores)))
            return false;
    return true;
}

static bool read_shape(struct cpu_reader *reader, struct fy_node *node, enum cpu_shape *shape) {
    const char *names[CPU_N_SHAPES], *text = NULL;
    if (!read_text(reader, node, &text) || !text)
        return !node;
    for (unsigned i = 0; i < CPU_N_SHAPES; i++)
        names[i] = cpu_shape_name((enum cpu_shape)i);
    size_t found = text_find(text, names, CPU_N_SHAPES);
    *shape = (enum cpu_shape)found;
    return found < CPU_N_SHAPES ||
           yaml_fail(&reader->yaml, node, "'%s' is no kind of address: any, indexed, three-part or relative", text);
}

static bool read_immediate(struct cpu_reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    double value = 0;
    rule->has_immediate = node;
    if (node && !yaml_number(&reader->yaml, node, &value))
        return false;
    if (fabs(value) > READER_MOST || value != trunc(value))
        return yaml_fail(&reader->yaml, node, "'immediate' must be a whole number, at most %d", READER_MOST);
    rule->immediate = (int64_t)value;
    return true;
}

static bool read_flag(struct cpu_reader *reader, struct fy_node *node, bool *flag) {
    double value = 0;
    if (node && !yaml_number(&reader->yaml, node, &value))
        return false;
    *flag = value != 0;
    return value == 0 || value == 1 || yaml_fail(&reader->yaml, node, "this is a flag: 0 or 1");
}

// A number without a trust of its own has the rule's.
static bool read_numbers(struct cpu_reader *reader, const struct yaml_field *f, struct cpu_rule *rule) {
    const struct cpu_number plain = {.trust = rule->trust, .source = rule->source};
    rule->slots = rule->latency = rule->own_latency = rule->serial = plain;
    return read_number(reader, f[RULE_SLOTS].value, &rule->slots) &&
           (rule->slots.value == (double)(unsigned)rule->slots.value ||
            yaml_fail(&reader->yaml, read_value_node(reader, f[RULE_SLOTS].value), "'slots' must be a whole number")) &&
           read_number(reader, f[RULE_LATENCY].value, &rule->latency) &&
           read_number(reader, f[RULE_OWN_LATENCY].value, &rule->own_latency) &&
           read_number(reader, f[RULE_SERIAL].value, &rule->serial);
}

// What rules of a list have, unless they say otherwise.
struct origin {
    enum cpu_trust trust;
    const char *source;
    unsigned llvm;
};

static bool read_rule(struct cpu_reader *reader, struct fy_node *node, const struct origin *origin) {
    struct yaml_field f[N_RULE_KEYS];
    struct cpu_rule rule = {.trust = origin->trust, .source = origin->source, .llvm = origin->llvm};
    struct cpu_word match;
    if (!read_fields(reader, node, "a form", cpu_rule_keys, N_RULE_KEYS, f) ||
        !read_word(reader, f[RULE_MATCH].value, &match) || !read_shape(reader, f[RULE_ADDRESS].value, &rule.shape) ||
        !read_immediate(reader, f[RULE_IMMEDIATE].value, &rule) ||
        !read_flag(reader, f[RULE_WAITS].value, &rule.waits_for_result) ||
        !read_ends(reader, f[RULE_LATENCY_FROM].key, f[RULE_LATENCY_FROM].value, &rule.sources, &rule.n_sources) ||
        !read_ends(reader, f[RULE_LATENCY_TO].key, f[RULE_LATENCY_TO].value, &rule.results, &rule.n_results) ||
        !read_trust(reader, f[RULE_TRUST].value, &rule.trust) ||
        !read_text(reader, f[RULE_SOURCE].value, &rule.source) || !read_numbers(reader, f, &rule) ||
        !read_uses(reader, f[RULE_PIPES].value, &rule) || !read_ignores(reader, f[RULE_IGNORES].value, &rule))
        return false;
    rule.line = match.line;
    rule.column = match.column;
    const char *why = opcode_pattern_compile(reader->arena, match.text, &rule.match);
    if (why) // whatever fails later has one to free
        return yaml_fail(&reader->yaml, f[RULE_MATCH].value, "%s", why);
    struct cpu *cpu = reader->cpu;
    *ARENA_ADD(reader->arena, cpu->rules, cpu->n_rules) = rule;
    return true;
}

static bool read_rules(struct cpu_reader *reader, struct fy_node *node, const struct origin *origin);

// Rules that share a trust and a source.
static bool read_group(struct cpu_reader *reader, struct fy_node *node) {
    struct yaml_field f[N_GROUP_KEYS];
    struct origin origin = {CPU_ASSUMED, "", 0};
    double llvm = 0;
    return read_fields(reader, node, "a group of forms", cpu_group_keys, N_GROUP_KEYS, f) &&
           read_trust(reader, f[GROUP_TRUST].value, &origin.trust) &&
           read_text(reader, f[GROUP_SOURCE].value, &origin.source) &&
           (!f[GROUP_LLVM].value || read_plain(reader, f[GROUP_LLVM].value, &llvm)) &&
           ((origin.llvm = (unsigned)llvm), read_rules(reader, f[GROUP_FORMS].value, &origin));
}

static bool is_group(struct cpu_reader *reader, struct fy_node *node) {
    struct fy_node *key, *value;
    const char *name;
    for (void *iterator = NULL; yaml_is_mapping(node) && yaml_next_pair(node, &iterator, &key, &value);)
        if ((name = yaml_text(&reader->yaml, key)) && strcmp(name, cpu_group_keys[GROUP_FORMS].name) == 0)
            return true;
    return false;
}

// `origin`: of a group; null: this is the whole list, which may hold groups.
static bool read_rules(struct cpu_reader *reader, struct fy_node *node, const struct origin *origin) {
    static const struct origin assumed = {CPU_ASSUMED, "", 0};
    struct fy_node *item;
    if (node && !yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'forms' must be a list");
    for (void *iterator = NULL; node && (item = yaml_next_item(node, &iterator));) {
        bool is_read = !origin && is_group(reader, item) ? read_group(reader, item)
                                                         : read_rule(reader, item, origin ? origin : &assumed);
        if (!is_read)
            return false;
    }
    return true;
}

static bool read_lack(struct cpu_reader *reader, struct fy_node *node) {
    struct yaml_field f[N_LACK_KEYS];
    struct cpu_lack lack = {.feature = NULL};
    struct cpu_word match;
    if (!read_fields(reader, node, "what the CPU lacks", cpu_lack_keys, N_LACK_KEYS, f) ||
        !read_word(reader, f[LACK_MATCH].value, &match) || !read_text(reader, f[LACK_FEATURE].value, &lack.feature))
        return false;
    lack.line = match.line;
    lack.column = match.column;
    const char *why = opcode_pattern_compile(reader->arena, match.text, &lack.match);
    if (why)
        return yaml_fail(&reader->yaml, f[LACK_MATCH].value, "%s", why);
    struct cpu *cpu = reader->cpu;
    *ARENA_ADD(reader->arena, cpu->lacks, cpu->n_lacks) = lack;
    return true;
}

bool read_lacks(struct cpu_reader *reader, struct fy_node *node) {
    struct fy_node *item;
    if (node && !yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'lacks' must be a list");
    for (void *iterator = NULL; node && (item = yaml_next_item(node, &iterator));)
        if (!read_lack(reader, item))
            return false;
    return true;
}

bool read_forms(struct cpu_reader *reader, struct fy_node *node) {
    return read_rules(reader, node, NULL);
}
