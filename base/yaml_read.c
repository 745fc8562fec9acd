// Reads numbers, fields and lists of texts from the nodes of a YAML file. Other content is a failure at its place.
// Files, nodes and places are in yaml.c.
#include "base/text.h"
#include "base/yaml.h"

#include <libfyaml.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool yaml_number(struct yaml *yaml, struct fy_node *node, double *number) {
    const char *text = yaml_text(yaml, node);
    char *end = NULL;
    *number = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !isfinite(*number))
        return yaml_fail(yaml, node, "expected a number%s%s%s", text ? ", not '" : "", text ? text : "",
                         text ? "'" : "");
    return true;
}

static struct yaml_field *field_of(struct yaml_field *fields, size_t n_fields, const char *key) {
    for (size_t i = 0; i < n_fields; i++)
        if (key && strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static bool unknown_key(struct yaml *yaml, struct fy_node *node, const char *what, const struct yaml_field *fields,
                        size_t n_fields) {
    const char *key = yaml_text(yaml, node);
    const char **names = ARENA_ARRAY(yaml->arena, const char *, n_fields);
    struct text all = {.arena = yaml->arena};
    for (size_t i = 0; i < n_fields; i++) {
        names[i] = fields[i].key;
        text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = key ? text_did_you_mean(yaml->arena, key, names, n_fields) : "";
    if (*near)
        return yaml_fail(yaml, node, "unknown key '%s' in %s%s", key, what, near);
    return yaml_fail(yaml, node, "unknown key '%s' in %s, which may have: %s", key ? key : "", what, all.data);
}

bool yaml_fields(struct yaml *yaml, struct fy_node *mapping, const char *what, struct yaml_field *fields,
                 size_t n_fields) {
    if (!yaml_is_mapping(mapping))
        return yaml_fail(yaml, mapping, "expected %s: keys with values", what);
    void *iterator = NULL;
    struct fy_node *key, *value;
    while (yaml_next_pair(mapping, &iterator, &key, &value)) {
        struct yaml_field *field = field_of(fields, n_fields, yaml_text(yaml, key));
        if (!field)
            return unknown_key(yaml, key, what, fields, n_fields);
        if (!value)
            return yaml_fail(yaml, key, "'%s' has no value", field->key);
        field->value = value;
    }
    for (size_t i = 0; i < n_fields; i++)
        if (fields[i].required && !fields[i].value)
            return yaml_fail(yaml, mapping, "%s needs the key '%s'", what, fields[i].key);
    return true;
}

bool yaml_texts(struct yaml *yaml, struct fy_node *node, const char *what, const char ***texts, struct fy_node ***nodes,
                size_t *n_texts) {
    bool is_list = yaml_is_sequence(node);
    size_t count = is_list ? (size_t)fy_node_sequence_item_count(node) : 1, n = 0;
    const char **list = ARENA_ARRAY(yaml->arena, const char *, count + 1);
    struct fy_node **places = ARENA_ARRAY(yaml->arena, struct fy_node *, count + 1);
    void *iterator = NULL;
    struct fy_node *item = is_list ? yaml_next_item(node, &iterator) : node;
    while (item) {
        list[n] = yaml_text(yaml, item);
        if (!list[n])
            return yaml_fail(yaml, item, "expected %s, or a list of them", what);
        places[n++] = item;
        item = is_list ? yaml_next_item(node, &iterator) : NULL;
    }
    *texts = list;
    if (nodes)
        *nodes = places;
    *n_texts = n;
    return true;
}
