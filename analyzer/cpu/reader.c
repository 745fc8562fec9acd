#include "analyzer/cpu/reader.h"

#include "base/text.h"

bool read_fields(struct cpu_reader *reader, struct fy_node *node, const char *what, const struct cpu_key *keys,
                 size_t n, struct yaml_field *fields) {
    for (size_t i = 0; i < n; i++)
        fields[i] = (struct yaml_field){keys[i].name, keys[i].is_needed, NULL};
    return yaml_fields(&reader->yaml, node, what, fields, n);
}

bool read_text(struct cpu_reader *reader, struct fy_node *node, const char **text) {
    if (!node)
        return true;
    *text = yaml_text(&reader->yaml, node);
    return *text || yaml_fail(&reader->yaml, node, "this must be a text");
}

bool read_trust(struct cpu_reader *reader, struct fy_node *node, enum cpu_trust *trust) {
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

bool read_word(struct cpu_reader *reader, struct fy_node *node, struct cpu_word *word) {
    struct yaml_place place = yaml_place(&reader->yaml, node);
    *word = (struct cpu_word){yaml_text(&reader->yaml, node), place.line, place.column};
    return word->text || yaml_fail(&reader->yaml, node, "this must be a text");
}

bool read_plain(struct cpu_reader *reader, struct fy_node *node, double *number) {
    return yaml_number(&reader->yaml, node, number) &&
           ((*number >= 0 && *number <= READER_MOST) ||
            yaml_fail(&reader->yaml, node, "this must be at least 0 and at most %d", READER_MOST));
}

struct fy_node *read_value_node(struct cpu_reader *reader, struct fy_node *node) {
    struct yaml_field f[N_NUMBER_KEYS];
    return yaml_is_mapping(node) && read_fields(reader, node, "a number", cpu_number_keys, N_NUMBER_KEYS, f)
               ? f[NUMBER_VALUE].value
               : node;
}

bool read_number(struct cpu_reader *reader, struct fy_node *node, struct cpu_number *number) {
    struct yaml_field f[N_NUMBER_KEYS];
    if (!node)
        return true;
    number->is_known = true;
    struct fy_node *value = node;
    if (yaml_is_mapping(node)) {
        if (!read_fields(reader, node, "a number", cpu_number_keys, N_NUMBER_KEYS, f) ||
            !read_trust(reader, f[NUMBER_TRUST].value, &number->trust) ||
            !read_text(reader, f[NUMBER_SOURCE].value, &number->source))
            return false;
        value = f[NUMBER_VALUE].value;
    }
    return read_plain(reader, value, &number->value);
}
