#include "analyzer/sched/overlay_reader.h"

#include "analyzer/code/opcode_pattern.h"

#include <math.h>
#include <string.h>

bool overlay_read_integer(struct yaml *yaml, struct fy_node *node, int least, int *value) {
    double number;
    if (!yaml_number(yaml, node, &number))
        return false;
    if (number != floor(number) || number < least || number > OVERLAY_MOST)
        return yaml_fail(yaml, node, "expected a whole number from %d to %d, not '%s'", least, OVERLAY_MOST,
                         yaml_text(yaml, node));
    *value = (int)number;
    return true;
}

static void add_source(struct overlay_reader *reader, const char *source) {
    if (reader->sources.length && strstr(reader->sources.data, source))
        return;
    text_addf(&reader->sources, "%s%s", reader->sources.length ? "; " : "", source);
}

bool overlay_read_source(struct overlay_reader *reader, struct fy_node *node) {
    const char *source = yaml_text(&reader->yaml, node);
    if (!node)
        return true;
    if (!source)
        return yaml_fail(&reader->yaml, node, "a source must be a text");
    add_source(reader, source);
    return true;
}

bool overlay_read_number(struct overlay_reader *reader, struct fy_node *node, int least,
                         struct overlay_number *number) {
    enum { VALUE, SOURCE, N };
    struct yaml_field fields[N] = {[VALUE] = {"value", true, NULL}, [SOURCE] = {"source", true, NULL}};
    if (!node)
        return true;
    if (yaml_is_mapping(node)) {
        if (!yaml_fields(&reader->yaml, node, "a number with its source", fields, N) ||
            !overlay_read_source(reader, fields[SOURCE].value))
            return false;
        node = fields[VALUE].value;
    }
    number->is_given = true;
    return overlay_read_integer(&reader->yaml, node, least, &number->value);
}

bool overlay_read_unsigned(struct overlay_reader *reader, struct fy_node *node, int least, unsigned *value) {
    struct overlay_number number = {false, 0};
    if (!overlay_read_number(reader, node, least, &number))
        return false;
    if (number.is_given)
        *value = (unsigned)number.value;
    return true;
}

bool overlay_read_text(struct overlay_reader *reader, struct fy_node *node, const char **text) {
    if (!node)
        return true;
    *text = yaml_text(&reader->yaml, node);
    return *text || yaml_fail(&reader->yaml, node, "expected a text");
}

bool overlay_read_choice(struct overlay_reader *reader, struct fy_node *node, const char *yes, const char *no,
                         bool *is_yes) {
    const char *word = NULL;
    if (!node)
        return true;
    word = yaml_text(&reader->yaml, node);
    *is_yes = word && strcmp(word, yes) == 0;
    if (*is_yes || (word && strcmp(word, no) == 0))
        return true;
    return yaml_fail(&reader->yaml, node, "expected '%s' or '%s'", yes, no);
}

bool overlay_read_flag(struct overlay_reader *reader, struct fy_node *node, struct overlay_number *flag) {
    bool is_set = false;
    flag->is_given = node != NULL;
    if (!overlay_read_choice(reader, node, "true", "false", &is_set))
        return false;
    flag->value = is_set;
    return true;
}

bool overlay_read_pattern(struct overlay_reader *reader, struct fy_node *node, struct opcode_pattern *pattern) {
    const char *text = NULL;
    if (!overlay_read_text(reader, node, &text))
        return false;
    const char *why = opcode_pattern_compile(reader->overlay->arena, text, pattern);
    return !why || yaml_fail(&reader->yaml, node, "%s", why);
}

bool overlay_read_list(struct overlay_reader *reader, struct fy_node *node, const char *what,
                       overlay_item_reader *read) {
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
