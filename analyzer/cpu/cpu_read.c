// The reader of CPU files.
#include "analyzer/cpu/reader.h"
#include "base/bytes.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, MOST_PIPES = 32 };

static bool is_one_of(enum cpu_parameter parameter, const enum cpu_parameter *some, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (some[i] == parameter)
            return true;
    return false;
}

// A value that no machine has would only be seen in a bound that makes no sense.
static bool check_parameter(struct cpu_reader *reader, enum cpu_parameter parameter, struct fy_node *node) {
    static const enum cpu_parameter powers[] = {CPU_FETCH_BYTES, CPU_CACHE_LINE_BYTES, CPU_LOAD_BANKS,
                                                CPU_RENAMED_LEARNED_SETS, CPU_STORES_BY_BYTES};
    const char *name = cpu_parameters[parameter].name, *unit = cpu_parameters[parameter].unit;
    double value = reader->cpu->parameters[parameter].value;
    struct fy_node *at = read_value_node(reader, node);
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

static bool read_parameters(struct cpu_reader *reader, struct fy_node *node) {
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

static bool read_resources(struct cpu_reader *reader, struct fy_node *node) {
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

static bool read_ports(struct cpu_reader *reader, struct fy_node *node) {
    const char **names;
    struct fy_node **nodes;
    size_t n = 0;
    struct cpu *cpu = reader->cpu;
    if (node && !yaml_texts(&reader->yaml, node, "a port's name", &names, &nodes, &n))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!*names[i] || names[i][strcspn(names[i], "+|. ")])
            return yaml_fail(&reader->yaml, nodes[i], "a port's name has no '+', '|', '.' and blank");
        if (text_find(names[i], names, i) < i)
            return yaml_fail(&reader->yaml, nodes[i], "there are two ports '%s'", names[i]);
        if (!read_word(reader, nodes[i], ARENA_ADD(reader->arena, cpu->ports, cpu->n_ports)))
            return false;
    }
    return true;
}

// "94", "0x5e", or "0x00-0x4f".
static bool read_models(struct cpu_reader *reader, struct fy_node *node, struct cpu_identity *models) {
    enum { MOST_MODEL = 0xfff }; // of Arm's cores: part numbers
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

static bool read_identity(struct cpu_reader *reader, struct fy_node *node) {
    struct yaml_field f[N_IDENTITY_KEYS];
    struct cpu *cpu = reader->cpu;
    struct cpu_identity identity;
    const char **texts;
    struct fy_node **nodes;
    size_t n;
    double family;
    if (!read_fields(reader, node, "an identity", cpu_identity_keys, N_IDENTITY_KEYS, f) ||
        !read_text(reader, f[IDENTITY_VENDOR].value, &identity.vendor) ||
        !read_plain(reader, f[IDENTITY_FAMILY].value, &family) ||
        !yaml_texts(&reader->yaml, f[IDENTITY_MODELS].value, "a model", &texts, &nodes, &n))
        return false;
    identity.family = (unsigned)family;
    for (size_t i = 0; i < n; i++) {
        if (!read_models(reader, nodes[i], &identity))
            return false;
        *ARENA_ADD(reader->arena, cpu->identities, cpu->n_identities) = identity;
    }
    return true;
}

static bool read_identities(struct cpu_reader *reader, struct fy_node *node) {
    struct fy_node *item;
    if (node && !yaml_is_sequence(node))
        return yaml_fail(&reader->yaml, node, "'identity' must be a list");
    for (void *iterator = NULL; node && (item = yaml_next_item(node, &iterator));)
        if (!read_identity(reader, item))
            return false;
    return true;
}

static bool read_evidence(struct cpu_reader *reader, struct fy_node *node) {
    struct fy_node **nodes;
    struct cpu *cpu = reader->cpu;
    return !node || yaml_texts(&reader->yaml, node, "a path", &cpu->evidence, &nodes, &cpu->n_evidence);
}

static bool read_isa(struct cpu_reader *reader, struct fy_node *node) {
    struct cpu *cpu = reader->cpu;
    if (node && !read_text(reader, node, &cpu->isa))
        return false;
    cpu->is_x86 = strcmp(cpu->isa, "x86_64") == 0;
    return cpu->is_x86 || strcmp(cpu->isa, "aarch64") == 0 ||
           yaml_fail(&reader->yaml, node, "'%s' is no ISA of CPU files: these are of x86_64 or aarch64", cpu->isa);
}

// What of a file is read.
typedef bool reads(struct cpu_reader *reader, const struct yaml_field f[N_FILE_KEYS]);

static bool read_whole(struct cpu_reader *reader, const struct yaml_field f[N_FILE_KEYS]) {
    struct cpu *cpu = reader->cpu;
    return read_text(reader, f[FILE_NAME].value, &cpu->name) && read_text(reader, f[FILE_ABOUT].value, &cpu->about) &&
           read_isa(reader, f[FILE_ISA].value) && read_word(reader, f[FILE_BASE].value, &cpu->base) &&
           read_evidence(reader, f[FILE_EVIDENCE].value) && read_identities(reader, f[FILE_IDENTITY].value) &&
           read_parameters(reader, f[FILE_PARAMETERS].value) && read_resources(reader, f[FILE_RESOURCES].value) &&
           read_ports(reader, f[FILE_PORTS].value) && read_forms(reader, f[FILE_FORMS].value) &&
           read_lacks(reader, f[FILE_LACKS].value);
}

static bool read_only_identity(struct cpu_reader *reader, const struct yaml_field f[N_FILE_KEYS]) {
    return read_text(reader, f[FILE_NAME].value, &reader->cpu->name) && read_identities(reader, f[FILE_IDENTITY].value);
}

static bool read_file(struct cpu_reader *reader, reads *read) {
    struct yaml_field f[N_FILE_KEYS];
    double version;
    if (!read_fields(reader, yaml_root(&reader->yaml), "a CPU file", cpu_file_keys, N_FILE_KEYS, f) ||
        !yaml_number(&reader->yaml, f[FILE_VERSION].value, &version))
        return false;
    if (version != VERSION)
        return yaml_fail(&reader->yaml, f[FILE_VERSION].value,
                         "this is version %g of the format; this program reads version %d", version, VERSION);
    return read(reader, f);
}

// `text`: null: the file's.
static struct cpu *open_and_read(struct arena *arena, const char *path, const char *text, reads *read,
                                 struct fail *fail) {
    struct cpu *cpu = ARENA_NEW(arena, struct cpu);
    *cpu = (struct cpu){.path = arena_strdup(arena, path), .about = "", .isa = "x86_64", .is_x86 = true};
    struct cpu_reader reader = {.arena = arena, .cpu = cpu};
    bool is_good = text ? yaml_open_text(&reader.yaml, arena, cpu->path, text, fail)
                        : yaml_open(&reader.yaml, arena, cpu->path, fail);
    cpu->hash = is_good ? bytes_hash(reader.yaml.data, strlen(reader.yaml.data)) : 0;
    is_good = is_good && read_file(&reader, read);
    yaml_close(&reader.yaml);
    if (is_good)
        return cpu;
    cpu_close(cpu);
    return NULL;
}

struct cpu *cpu_read(struct arena *arena, const char *path, struct fail *fail) {
    return open_and_read(arena, path, NULL, read_whole, fail);
}

struct cpu *cpu_read_identity(struct arena *arena, const char *path, struct fail *fail) {
    return open_and_read(arena, path, NULL, read_only_identity, fail);
}

struct cpu *cpu_parse(struct arena *arena, const char *name, const char *text, struct fail *fail) {
    return open_and_read(arena, name, text, read_whole, fail);
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
        opcode_pattern_free(&cpu->rules[i].match);
    for (unsigned i = 0; cpu && i < cpu->n_lacks; i++)
        opcode_pattern_free(&cpu->lacks[i].match);
    if (cpu)
        cpu->n_rules = cpu->n_lacks = 0;
}
