// The keys of a kernel in its file.
#include "gen/kernel_read.h"

// `what`: what it must be, for messages.
static bool take_text(struct kernel_file *file, const struct yaml_field *field, const char *what,
                      struct kernel_word *word) {
    *word = (struct kernel_word){yaml_text(&file->yaml, field->value), field->value};
    return word->text || (!field->value && !field->required) || yaml_fail(&file->yaml, field->value, "%s", what);
}

// A word, or each of a list. `what`: a word, for messages.
static bool take_words(struct kernel_file *file, struct fy_node *node, const char *what, struct kernel_words *words) {
    const char **texts;
    struct fy_node **nodes;
    size_t n;
    if (!node)
        return true;
    if (!yaml_texts(&file->yaml, node, what, &texts, &nodes, &n))
        return false;
    for (size_t i = 0; i < n; i++)
        *ARENA_ADD(file->yaml.arena, words->items, words->n) = (struct kernel_word){texts[i], nodes[i]};
    return true;
}

static bool take_init(struct kernel_file *file, struct fy_node *mapping, struct kernel_keys *keys) {
    struct yaml *yaml = &file->yaml;
    void *iterator = NULL;
    struct fy_node *key, *value;
    if (!mapping)
        return true;
    if (!yaml_is_mapping(mapping))
        return yaml_fail(yaml, mapping, "expected {role: value, ...}");
    while (yaml_next_pair(mapping, &iterator, &key, &value)) {
        const char *role = yaml_text(yaml, key), *text = yaml_text(yaml, value);
        role = role ? role : "";
        if (!text)
            return yaml_fail(yaml, value ? value : key, "expected a number or 'memory' for role '%s'", role);
        *ARENA_ADD(yaml->arena, keys->roles.items, keys->roles.n) = (struct kernel_word){role, key};
        *ARENA_ADD(yaml->arena, keys->values.items, keys->values.n) = (struct kernel_word){text, value};
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
    struct kernel_keys keys = {.name = {NULL, NULL}};
    if (!yaml_fields(yaml, node, "a kernel", fields, N_KEYS) ||
        !take_text(file, &fields[NAME], "a kernel's name must be a text", &keys.name) ||
        !take_text(file, &fields[ABOUT], "'about' must be a text", &keys.about) ||
        !take_text(file, &fields[SETUP], "'setup' must be assembly text", &keys.setup) ||
        !take_text(file, &fields[BODY], "the body must be assembly text: quote it, or write it below 'body: |'",
                   &keys.body))
        return false;
    return take_words(file, fields[REQUIRES].value, "a CPU feature", &keys.features) &&
           take_words(file, fields[IMPLICIT].value, "a register", &keys.implicit) &&
           take_words(file, fields[CHAIN].value, "a role or an arc 'd->x'", &keys.chain) &&
           take_words(file, fields[WRITES].value, "a role", &keys.writes) &&
           take_init(file, fields[INIT].value, &keys) && kernel_make(file, &keys, kernel) &&
           (!fields[EXPECT].value || read_expectations(file, fields[EXPECT].value, kernel));
}
