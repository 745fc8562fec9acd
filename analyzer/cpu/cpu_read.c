// The reader of CPU files.
#include "analyzer/cpu/cpu.h"

#include "base/bytes.h"
#include "base/text.h"
#include "base/yaml.h"

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
    if (!yaml_number(&reader->yaml, value, &number->value))
        return false;
    return (number->value >= 0 && number->value <= MOST) ||
           yaml_fail(&reader->yaml, value, "this must be at least 0 and at most %d", MOST);
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
        if (!read_number(reader, value, number))
            return false;
        if (strstr(cpu_parameters[found].unit, "/cycle") && number->value <= 0)
            return yaml_fail(&reader->yaml, value, "'%s' must be above 0; leave it out where nothing limits", name);
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
        struct yaml_place place = yaml_place(&reader->yaml, key);
        struct cpu_resource resource = {.line = place.line, .column = place.column};
        double pipes;
        if (!read_text(reader, key, &resource.name) || !yaml_number(&reader->yaml, value, &pipes))
            return false;
        if (pipes < 1 || pipes > MOST_PIPES || pipes != (unsigned)pipes)
            return yaml_fail(&reader->yaml, value, "a resource has 1 to %d pipes", MOST_PIPES);
        resource.pipes = (unsigned)pipes;
        *ARENA_ADD(reader->arena, cpu->resources, cpu->n_resources) = resource;
    }
    return true;
}

static bool read_use(struct reader *reader, struct fy_node *node, struct cpu_rule *rule, const char **on) {
    enum { ON, CYCLES, N };
    struct yaml_field f[N] = {[ON] = {"on", true, NULL}, [CYCLES] = {"cycles", false, NULL}};
    struct cpu_number cycles = {.value = 1};
    if (!yaml_is_mapping(node)) {
        if (!read_text(reader, node, on))
            return false;
    } else if (!yaml_fields(&reader->yaml, node, "a use", f, N) || !read_text(reader, f[ON].value, on) ||
               !read_number(reader, f[CYCLES].value, &cycles)) {
        return false;
    }
    rule->uses[rule->n_uses++] = (struct cpu_use){.cycles = cycles.value};
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
    const char **on = ARENA_ARRAY(reader->arena, const char *, n + 1);
    rule->on = on;
    for (void *iterator = NULL; (item = yaml_next_item(node, &iterator));)
        if (!read_use(reader, item, rule, &on[rule->n_uses]))
            return false;
    return true;
}

static bool read_sources(struct reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    struct fy_node *key, *value;
    if (node && !yaml_is_mapping(node))
        return yaml_fail(&reader->yaml, node, "'latency-from' must be a mapping: {REGISTER: cycles}");
    for (void *iterator = NULL; node && yaml_next_pair(node, &iterator, &key, &value);) {
        struct cpu_number latency;
        if (!read_number(reader, value, &latency))
            return false;
        struct cpu_source *source = ARENA_ADD(reader->arena, rule->sources, rule->n_sources);
        *source = (struct cpu_source){.name = yaml_text(&reader->yaml, key), .latency = latency.value};
        if (!source->name)
            return yaml_fail(&reader->yaml, key, "this must be the name of a register");
    }
    return true;
}

static bool read_shape(struct reader *reader, struct fy_node *node, enum cpu_shape *shape) {
    static const char *const names[CPU_N_SHAPES] = {"any", "indexed", "three-part"};
    const char *text = NULL;
    if (!read_text(reader, node, &text) || !text)
        return !node;
    size_t found = text_find(text, names, CPU_N_SHAPES);
    *shape = (enum cpu_shape)found;
    return found < CPU_N_SHAPES ||
           yaml_fail(&reader->yaml, node, "'%s' is no kind of address: any, indexed or three-part", text);
}

static bool compile(struct reader *reader, struct fy_node *node, struct cpu_rule *rule) {
    char why[128];
    const char *whole = arena_printf(reader->arena, "^(%s)$", rule->match);
    int status = regcomp(&rule->pattern, whole, REG_EXTENDED | REG_NOSUB);
    if (status == 0)
        return true;
    regerror(status, &rule->pattern, why, sizeof why);
    return yaml_fail(&reader->yaml, node, "'%s' is no regular expression: %s", rule->match, why);
}

static bool read_rule(struct reader *reader, struct fy_node *node) {
    enum { MATCH, ADDRESS, SLOTS, LATENCY, FROM, OWN, IGNORES, PIPES, SERIAL, TRUST, SOURCE, N };
    struct yaml_field f[N] = {[MATCH] = {"match", true, NULL},        [ADDRESS] = {"address", false, NULL},
                              [SLOTS] = {"slots", false, NULL},       [LATENCY] = {"latency", false, NULL},
                              [FROM] = {"latency-from", false, NULL}, [OWN] = {"own-latency", false, NULL},
                              [IGNORES] = {"ignores", false, NULL},   [PIPES] = {"pipes", false, NULL},
                              [SERIAL] = {"serial", false, NULL},     [TRUST] = {"trust", false, NULL},
                              [SOURCE] = {"source", false, NULL}};
    struct yaml_place place = yaml_place(&reader->yaml, node);
    struct cpu_rule rule = {.trust = CPU_ASSUMED, .source = "", .line = place.line, .column = place.column};
    const char **ignores = NULL;
    size_t n_ignores;
    if (!yaml_fields(&reader->yaml, node, "a form", f, N) || !read_text(reader, f[MATCH].value, &rule.match) ||
        !read_shape(reader, f[ADDRESS].value, &rule.shape) || !read_sources(reader, f[FROM].value, &rule) ||
        !read_number(reader, f[SLOTS].value, &rule.slots) || !read_number(reader, f[LATENCY].value, &rule.latency) ||
        !read_number(reader, f[OWN].value, &rule.own_latency) || !read_number(reader, f[SERIAL].value, &rule.serial) ||
        !read_trust(reader, f[TRUST].value, &rule.trust) || !read_text(reader, f[SOURCE].value, &rule.source) ||
        !read_uses(reader, f[PIPES].value, &rule) ||
        (f[IGNORES].value &&
         !yaml_texts(&reader->yaml, f[IGNORES].value, "a register's name", &ignores, NULL, &n_ignores)))
        return false;
    rule.ignores = ignores;
    if (!compile(reader, f[MATCH].value, &rule)) // whatever fails later has one to free
        return false;
    struct cpu *cpu = reader->cpu;
    *ARENA_ADD(reader->arena, cpu->rules, cpu->n_rules) = rule;
    return true;
}

static bool read_rules(struct reader *reader, struct fy_node *node) {
    struct fy_node *item;
    if (node && !yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'forms' must be a list");
    for (void *iterator = NULL; node && (item = yaml_next_item(node, &iterator));)
        if (!read_rule(reader, item))
            return false;
    return true;
}

static bool read_file(struct reader *reader) {
    enum { VERSION_, NAME, ABOUT, BASE, PARAMETERS, RESOURCES, FORMS, N };
    struct yaml_field f[N] = {[VERSION_] = {"cpu", true, NULL},
                              [NAME] = {"name", true, NULL},
                              [ABOUT] = {"about", false, NULL},
                              [BASE] = {"base", true, NULL},
                              [PARAMETERS] = {"parameters", false, NULL},
                              [RESOURCES] = {"resources", false, NULL},
                              [FORMS] = {"forms", false, NULL}};
    struct cpu *cpu = reader->cpu;
    double version;
    if (!yaml_fields(&reader->yaml, yaml_root(&reader->yaml), "a CPU file", f, N) ||
        !yaml_number(&reader->yaml, f[VERSION_].value, &version))
        return false;
    if (version != VERSION)
        return yaml_fail(&reader->yaml, f[VERSION_].value,
                         "this is version %g of the format; this program reads version %d", version, VERSION);
    return read_text(reader, f[NAME].value, &cpu->name) && read_text(reader, f[ABOUT].value, &cpu->about) &&
           read_text(reader, f[BASE].value, &cpu->base) && read_parameters(reader, f[PARAMETERS].value) &&
           read_resources(reader, f[RESOURCES].value) && read_rules(reader, f[FORMS].value);
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

void cpu_close(struct cpu *cpu) {
    for (unsigned i = 0; cpu && i < cpu->n_rules; i++)
        regfree(&cpu->rules[i].pattern);
    if (cpu)
        cpu->n_rules = 0;
}
