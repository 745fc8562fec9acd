// The reader of CPU files.
#include "analyzer/cpu/cpu.h"

#include "analyzer/code/opcode_pattern.h"
#include "analyzer/cpu/names.h"
#include "base/bytes.h"
#include "base/text.h"
#include "base/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, MOST_PIPES = 32, MOST = 1000000 }; // MOST: of every number

struct reader {
    struct arena *arena;
    struct cpu *cpu;
    struct yaml yaml;
};

static bool read_text(struct reader *reader, struct fy_node *node, const char **text) {
    if (!node)
        return true;
    *text = yaml_text(&reader->yaml, node);
    return *text || yaml_fail(&reader->yaml, node, "this must be a text");
}

static bool read_trust(struct reader *reader, struct fy_node *node, enum cpu_trust *trust) {
    const char *names[CPU_N_TRUSTS], *text = NULL;
    if (!read_text(reader, node, &text) || !text)
        return !node;
    for (unsigned i = 0; i < CPU_N_TRUSTS; i++)
        names[i] = cpu_trust_name((enum cpu_trust)i);
    size_t found = text_find(text, names, CPU_N_TRUSTS);
    *trust = found < CPU_N_TRUSTS ? (enum cpu_trust)found : CPU_ASSUMED;
    return found < CPU_N_TRUSTS ||
           yaml_fail(&reader->yaml, node, "'%s' is no trust: measured, bound, published, llvm or assumed", text);
}

static bool read_word(struct reader *reader, struct fy_node *node, struct cpu_word *word) {
    struct yaml_place place = yaml_place(&reader->yaml, node);
    *word = (struct cpu_word){yaml_text(&reader->yaml, node), place.line, place.column};
    return word->text || yaml_fail(&reader->yaml, node, "this must be a text");
}

static bool read_plain(struct reader *reader, struct fy_node *node, double *number) {
    return yaml_number(&reader->yaml, node, number) &&
           ((*number >= 0 && *number <= MOST) ||
            yaml_fail(&reader->yaml, node, "this must be at least 0 and at most %d", MOST));
}

static struct fy_node *value_of(struct reader *reader, struct fy_node *node) {
    struct yaml_field f[] = {{"value", true, NULL}, {"trust", false, NULL}, {"source", false, NULL}};
    return yaml_is_mapping(node) && yaml_fields(&reader->yaml, node, "a number", f, sizeof f / sizeof *f) ? f[0].value
                                                                                                          : node;
}

// A number, or {value: …, trust: …, source: …}. What the mapping leaves out stays as it is.
static bool read_number(struct reader *reader, struct fy_node *node, struct cpu_number *number) {
    enum { VALUE, TRUST, SOURCE, N };
    struct yaml_field f[N] = {
        [VALUE] = {"value", true, NULL}, [TRUST] = {"trust", false, NULL}, [SOURCE] = {"source", false, NULL}};
    if (!node)
        return true;
    number->is_known = true;
    struct fy_node *value = node;
    if (yaml_is_mapping(node)) {
        if (!yaml_fields(&reader->yaml, node, "a number", f, N) ||
            !read_trust(reader, f[TRUST].value, &number->trust) || !read_text(reader, f[SOURCE].value, &number->source))
            return false;
        value = f[VALUE].value;
    }
    return read_plain(reader, value, &number->value);
}

static bool is_one_of(enum cpu_parameter parameter, const enum cpu_parameter *some, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (some[i] == parameter)
            return true;
    return false;
}

// A value that no machine has would only be seen in a bound that makes no sense.
static bool check_parameter(struct reader *reader, enum cpu_parameter parameter, struct fy_node *node) {
    static const enum cpu_parameter powers[] = {CPU_FETCH_BYTES, CPU_CACHE_LINE_BYTES, CPU_LOAD_BANKS,
                                                CPU_RENAMED_LEARNED_SETS};
    const char *name = cpu_parameters[parameter].name, *unit = cpu_parameters[parameter].unit;
    double value = reader->cpu->parameters[parameter].value;
    struct fy_node *at = value_of(reader, node);
    bool is_flag = strcmp(unit, "flag") == 0, is_time = strcmp(unit, "cycles") == 0;
    if (is_flag && value != 0 && value != 1)
        return yaml_fail(&reader->yaml, at, "'%s' is a flag: 0 or 1", name);
    if (!is_time && value != (double)(unsigned)value)
        return yaml_fail(&reader->yaml, at, "'%s' must be a whole number of %s", name, unit);
    if (strstr(unit, "/cycle") && value <= 0)
        return yaml_fail(&reader->yaml, at, "'%s' must be above 0; leave it out where nothing limits", name);
    if (is_one_of(parameter, powers, sizeof powers / sizeof *powers) && __builtin_popcount((unsigned)value) != 1)
        return yaml_fail(&reader->yaml, at, "'%s' must be a power of two", name);
    return true;
}

static bool read_parameters(struct reader *reader, struct fy_node *node) {
    struct fy_node *key, *value;
    void *iterator = NULL;
    const char *names[CPU_N_PARAMETERS];
    for (unsigned i = 0; i < CPU_N_PARAMETERS; i++)
        names[i] = cpu_parameters[i].name;
    if (node && !yaml_is_mapping(node))
        return yaml_fail(&reader->yaml, node, "'parameters' must be a mapping");
    while (node && yaml_next_pair(node, &iterator, &key, &value)) {
        const char *name = yaml_text(&reader->yaml, key);
        size_t found = name ? text_find(name, names, CPU_N_PARAMETERS) : CPU_N_PARAMETERS;
        if (found == CPU_N_PARAMETERS)
            return yaml_fail(&reader->yaml, key, "there is no parameter '%s'%s", name ? name : "",
                             name ? text_did_you_mean(reader->arena, name, names, CPU_N_PARAMETERS) : "");
        struct cpu_number *number = &reader->cpu->parameters[found];
        *number = (struct cpu_number){.trust = CPU_ASSUMED, .source = ""};
        if (!read_number(reader, value, number) || !check_parameter(reader, (enum cpu_parameter)found, value))
            return false;
    }
    return true;
}

static bool read_resources(struct reader *reader, struct fy_node *node) {
    struct fy_node *key, *value;
    void *iterator = NULL;
    struct cpu *cpu = reader->cpu;
    if (node && !yaml_is_mapping(node))
        return yaml_fail(&reader->yaml, node, "'resources' must be a mapping");
    while (node && yaml_next_pair(node, &iterator, &key, &value)) {
        struct cpu_resource resource;
        double pipes;
        if (!read_word(reader, key, &resource.name) || !yaml_number(&reader->yaml, value, &pipes))
            return false;
        if (pipes < 1 || pipes > MOST_PIPES || pipes != (unsigned)pipes)
            return yaml_fail(&reader->yaml, value, "a resource has 1 to %d pipes", MOST_PIPES);
        resource.pipes = (unsigned)pipes;
        *ARENA_ADD(reader->arena, cpu->resources, cpu->n_resources) = resource;
    }
    return true;
}

static bool read_use(struct reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    enum { ON, CYCLES, N };
    struct yaml_field f[N] = {[ON] = {"on", true, NULL}, [CYCLES] = {"cycles", false, NULL}};
    struct cpu_word *on = &rule->on[rule->n_uses];
    double cycles = 1;
    if (!yaml_is_mapping(node)) {
        if (!read_word(reader, node, on))
            return false;
    } else if (!yaml_fields(&reader->yaml, node, "a use", f, N) || !read_word(reader, f[ON].value, on) ||
               (f[CYCLES].value && !read_plain(reader, f[CYCLES].value, &cycles))) {
        return false;
    }
    rule->uses[rule->n_uses++] = (struct cpu_use){.cycles = cycles};
    return true;
}

static bool read_uses(struct reader *reader, struct fy_node *node, struct cpu_rule *rule) {
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

static bool read_ends(struct reader *reader, const char *what, struct fy_node *node, struct cpu_end **ends,
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

static bool read_ignores(struct reader *reader, struct fy_node *node, struct cpu_rule *rule) {
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

static bool read_shape(struct reader *reader, struct fy_node *node, enum cpu_shape *shape) {
    const char *names[CPU_N_SHAPES], *text = NULL;
    if (!read_text(reader, node, &text) || !text)
        return !node;
    for (unsigned i = 0; i < CPU_N_SHAPES; i++)
        names[i] = cpu_shape_name((enum cpu_shape)i);
    size_t found = text_find(text, names, CPU_N_SHAPES);
    *shape = (enum cpu_shape)found;
    return found < CPU_N_SHAPES ||
           yaml_fail(&reader->yaml, node, "'%s' is no kind of address: any, indexed or three-part", text);
}

static bool read_immediate(struct reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    double value = 0;
    rule->has_immediate = node;
    if (node && !yaml_number(&reader->yaml, node, &value))
        return false;
    if (fabs(value) > MOST || value != trunc(value))
        return yaml_fail(&reader->yaml, node, "'immediate' must be a whole number, at most %d", MOST);
    rule->immediate = (int64_t)value;
    return true;
}

static bool read_flag(struct reader *reader, struct fy_node *node, bool *flag) {
    double value = 0;
    if (node && !yaml_number(&reader->yaml, node, &value))
        return false;
    *flag = value != 0;
    return value == 0 || value == 1 || yaml_fail(&reader->yaml, node, "this is a flag: 0 or 1");
}

enum {
    MATCH,
    ADDRESS,
    IMMEDIATE,
    SLOTS,
    LATENCY,
    TO,
    FROM,
    OWN,
    IGNORES,
    WAITS,
    PIPES,
    SERIAL,
    TRUST,
    SOURCE,
    N_RULE_KEYS
};

// A number without a trust of its own has the rule's.
static bool read_numbers(struct reader *reader, const struct yaml_field *f, struct cpu_rule *rule) {
    const struct cpu_number plain = {.trust = rule->trust, .source = rule->source};
    rule->slots = rule->latency = rule->own_latency = rule->serial = plain;
    return read_number(reader, f[SLOTS].value, &rule->slots) &&
           (rule->slots.value == (double)(unsigned)rule->slots.value ||
            yaml_fail(&reader->yaml, value_of(reader, f[SLOTS].value), "'slots' must be a whole number")) &&
           read_number(reader, f[LATENCY].value, &rule->latency) &&
           read_number(reader, f[OWN].value, &rule->own_latency) && read_number(reader, f[SERIAL].value, &rule->serial);
}

// What rules of a list have, unless they say otherwise.
struct origin {
    enum cpu_trust trust;
    const char *source;
    unsigned llvm;
};

static bool read_rule(struct reader *reader, struct fy_node *node, const struct origin *origin) {
    struct yaml_field f[N_RULE_KEYS] = {
        [MATCH] = {"match", true, NULL},          [ADDRESS] = {"address", false, NULL},
        [SLOTS] = {"slots", false, NULL},         [TO] = {"latency-to", false, NULL},
        [LATENCY] = {"latency", false, NULL},     [FROM] = {"latency-from", false, NULL},
        [OWN] = {"own-latency", false, NULL},     [IGNORES] = {"ignores", false, NULL},
        [PIPES] = {"pipes", false, NULL},         [SERIAL] = {"serial", false, NULL},
        [TRUST] = {"trust", false, NULL},         [SOURCE] = {"source", false, NULL},
        [IMMEDIATE] = {"immediate", false, NULL}, [WAITS] = {"waits-for-result", false, NULL}};
    struct cpu_rule rule = {.trust = origin->trust, .source = origin->source, .llvm = origin->llvm};
    struct cpu_word match;
    if (!yaml_fields(&reader->yaml, node, "a form", f, N_RULE_KEYS) || !read_word(reader, f[MATCH].value, &match) ||
        !read_shape(reader, f[ADDRESS].value, &rule.shape) || !read_immediate(reader, f[IMMEDIATE].value, &rule) ||
        !read_flag(reader, f[WAITS].value, &rule.waits_for_result) ||
        !read_ends(reader, f[FROM].key, f[FROM].value, &rule.sources, &rule.n_sources) ||
        !read_ends(reader, f[TO].key, f[TO].value, &rule.results, &rule.n_results) ||
        !read_trust(reader, f[TRUST].value, &rule.trust) || !read_text(reader, f[SOURCE].value, &rule.source) ||
        !read_numbers(reader, f, &rule) || !read_uses(reader, f[PIPES].value, &rule) ||
        !read_ignores(reader, f[IGNORES].value, &rule))
        return false;
    rule.match = match.text;
    rule.line = match.line;
    rule.column = match.column;
    const char *why = opcode_pattern_compile(reader->arena, rule.match, &rule.pattern);
    if (why) // whatever fails later has one to free
        return yaml_fail(&reader->yaml, f[MATCH].value, "%s", why);
    rule.names = names_expand(reader->arena, rule.match);
    struct cpu *cpu = reader->cpu;
    *ARENA_ADD(reader->arena, cpu->rules, cpu->n_rules) = rule;
    return true;
}

static bool read_rules(struct reader *reader, struct fy_node *node, const struct origin *origin);

// Rules that share a trust and a source.
static bool read_group(struct reader *reader, struct fy_node *node) {
    enum { FORMS, GROUP_TRUST, GROUP_SOURCE, LLVM, N };
    struct yaml_field f[N] = {[FORMS] = {"forms", true, NULL},
                              [GROUP_TRUST] = {"trust", false, NULL},
                              [GROUP_SOURCE] = {"source", false, NULL},
                              [LLVM] = {"llvm", false, NULL}};
    struct origin origin = {CPU_ASSUMED, "", 0};
    double llvm = 0;
    return yaml_fields(&reader->yaml, node, "a group of forms", f, N) &&
           read_trust(reader, f[GROUP_TRUST].value, &origin.trust) &&
           read_text(reader, f[GROUP_SOURCE].value, &origin.source) &&
           (!f[LLVM].value || read_plain(reader, f[LLVM].value, &llvm)) &&
           ((origin.llvm = (unsigned)llvm), read_rules(reader, f[FORMS].value, &origin));
}

static bool is_group(struct reader *reader, struct fy_node *node) {
    struct fy_node *key, *value;
    const char *name;
    for (void *iterator = NULL; yaml_is_mapping(node) && yaml_next_pair(node, &iterator, &key, &value);)
        if ((name = yaml_text(&reader->yaml, key)) && strcmp(name, "forms") == 0)
            return true;
    return false;
}

// `origin`: of a group; null: this is the whole list, which may hold groups.
static bool read_rules(struct reader *reader, struct fy_node *node, const struct origin *origin) {
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

static bool read_lack(struct reader *reader, struct fy_node *node) {
    enum { PATTERN, FEATURE, N };
    struct yaml_field f[N] = {[PATTERN] = {"match", true, NULL}, [FEATURE] = {"feature", true, NULL}};
    struct cpu_lack lack = {.feature = NULL};
    struct cpu_word match;
    if (!yaml_fields(&reader->yaml, node, "what the CPU lacks", f, N) || !read_word(reader, f[PATTERN].value, &match) ||
        !read_text(reader, f[FEATURE].value, &lack.feature))
        return false;
    lack.match = match.text;
    lack.line = match.line;
    lack.column = match.column;
    const char *why = opcode_pattern_compile(reader->arena, lack.match, &lack.pattern);
    if (why)
        return yaml_fail(&reader->yaml, f[PATTERN].value, "%s", why);
    struct cpu *cpu = reader->cpu;
    *ARENA_ADD(reader->arena, cpu->lacks, cpu->n_lacks) = lack;
    return true;
}

static bool read_lacks(struct reader *reader, struct fy_node *node) {
    struct fy_node *item;
    if (node && !yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'lacks' must be a list");
    for (void *iterator = NULL; node && (item = yaml_next_item(node, &iterator));)
        if (!read_lack(reader, item))
            return false;
    return true;
}

// "94", "0x5e", or "0x00-0x4f".
static bool read_models(struct reader *reader, struct fy_node *node, struct cpu_identity *models) {
    enum { MOST_MODEL = 0xff };
    const char *text = NULL;
    if (!read_text(reader, node, &text))
        return false;
    char *end;
    unsigned long first = strtoul(text, &end, 0), last = first;
    bool is_number = end != text && *text >= '0' && *text <= '9';
    if (is_number && *end == '-') {
        const char *second = end + 1;
        last = strtoul(second, &end, 0);
        is_number = end != second && *second >= '0' && *second <= '9';
    }
    models->first = (unsigned)first;
    models->last = (unsigned)last;
    return (is_number && !*end && first <= last && last <= MOST_MODEL) ||
           yaml_fail(&reader->yaml, node, "'%s' is no model: a number to %d, or two such as 0x00-0x4f", text,
                     MOST_MODEL);
}

static bool read_identity(struct reader *reader, struct fy_node *node) {
    enum { VENDOR, FAMILY, MODELS, N };
    struct yaml_field f[N] = {
        [VENDOR] = {"vendor", true, NULL}, [FAMILY] = {"family", true, NULL}, [MODELS] = {"models", true, NULL}};
    struct cpu *cpu = reader->cpu;
    struct cpu_identity identity;
    const char **texts;
    struct fy_node **nodes;
    size_t n;
    double family;
    if (!yaml_fields(&reader->yaml, node, "an identity", f, N) ||
        !read_text(reader, f[VENDOR].value, &identity.vendor) || !read_plain(reader, f[FAMILY].value, &family) ||
        !yaml_texts(&reader->yaml, f[MODELS].value, "a model", &texts, &nodes, &n))
        return false;
    identity.family = (unsigned)family;
    for (size_t i = 0; i < n; i++) {
        if (!read_models(reader, nodes[i], &identity))
            return false;
        *ARENA_ADD(reader->arena, cpu->identities, cpu->n_identities) = identity;
    }
    return true;
}

static bool read_identities(struct reader *reader, struct fy_node *node) {
    struct fy_node *item;
    if (node && !yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'identity' must be a list");
    for (void *iterator = NULL; node && (item = yaml_next_item(node, &iterator));)
        if (!read_identity(reader, item))
            return false;
    return true;
}

static bool read_file(struct reader *reader) {
    enum { VERSION_, NAME, ABOUT, IDENTITY, BASE, PARAMETERS, RESOURCES, FORMS, LACKS, N };
    struct yaml_field f[N] = {[VERSION_] = {"cpu", true, NULL},
                              [NAME] = {"name", true, NULL},
                              [IDENTITY] = {"identity", false, NULL},
                              [ABOUT] = {"about", false, NULL},
                              [BASE] = {"base", true, NULL},
                              [PARAMETERS] = {"parameters", false, NULL},
                              [RESOURCES] = {"resources", false, NULL},
                              [FORMS] = {"forms", false, NULL},
                              [LACKS] = {"lacks", false, NULL}};
    struct cpu *cpu = reader->cpu;
    double version;
    if (!yaml_fields(&reader->yaml, yaml_root(&reader->yaml), "a CPU file", f, N) ||
        !yaml_number(&reader->yaml, f[VERSION_].value, &version))
        return false;
    if (version != VERSION)
        return yaml_fail(&reader->yaml, f[VERSION_].value,
                         "this is version %g of the format; this program reads version %d", version, VERSION);
    return read_text(reader, f[NAME].value, &cpu->name) && read_text(reader, f[ABOUT].value, &cpu->about) &&
           read_word(reader, f[BASE].value, &cpu->base) && read_identities(reader, f[IDENTITY].value) &&
           read_parameters(reader, f[PARAMETERS].value) && read_resources(reader, f[RESOURCES].value) &&
           read_rules(reader, f[FORMS].value, NULL) && read_lacks(reader, f[LACKS].value);
}

// `text`: null: the file's.
static struct cpu *read_all(struct arena *arena, const char *path, const char *text, struct fail *fail) {
    struct cpu *cpu = ARENA_NEW(arena, struct cpu);
    *cpu = (struct cpu){.path = arena_strdup(arena, path), .about = ""};
    struct reader reader = {.arena = arena, .cpu = cpu};
    bool is_good = text ? yaml_open_text(&reader.yaml, arena, cpu->path, text, fail)
                        : yaml_open(&reader.yaml, arena, cpu->path, fail);
    cpu->hash = is_good ? bytes_hash(reader.yaml.data, strlen(reader.yaml.data)) : 0;
    is_good = is_good && read_file(&reader);
    yaml_close(&reader.yaml);
    if (is_good)
        return cpu;
    cpu_close(cpu);
    return NULL;
}

struct cpu *cpu_read(struct arena *arena, const char *path, struct fail *fail) {
    return read_all(arena, path, NULL, fail);
}

struct cpu *cpu_parse(struct arena *arena, const char *name, const char *text, struct fail *fail) {
    return read_all(arena, name, text, fail);
}

bool cpu_is_of(const struct cpu *cpu, const char *vendor, unsigned family, unsigned model) {
    for (unsigned i = 0; i < cpu->n_identities; i++) {
        const struct cpu_identity *one = &cpu->identities[i];
        if (strcmp(one->vendor, vendor) == 0 && one->family == family && one->first <= model && model <= one->last)
            return true;
    }
    return false;
}

void cpu_close(struct cpu *cpu) {
    for (unsigned i = 0; cpu && i < cpu->n_rules; i++)
        regfree(&cpu->rules[i].pattern);
    for (unsigned i = 0; cpu && i < cpu->n_lacks; i++)
        regfree(&cpu->lacks[i].pattern);
    if (cpu)
        cpu->n_rules = cpu->n_lacks = 0;
}
