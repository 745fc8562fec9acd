#include "parameters/card_read.h"

#include "base/text.h"
#include "base/yaml.h"

#include <string.h>

enum key { GROUP, NAME, UNIT, HOW, WHY, VERDICT, VALUE, LOW, HIGH, CURVE, N_KEYS };
static const char *const keys[N_KEYS] = {"group",   "name",  "unit", "how",  "why",
                                         "verdict", "value", "low",  "high", "curve"};

static bool read_verdict(struct yaml *yaml, struct fy_node *node, enum card_verdict *verdict) {
    const char *names[CARD_N_VERDICTS], *text = yaml_text(yaml, node);
    for (int i = 0; i < CARD_N_VERDICTS; i++)
        names[i] = card_verdict_name((enum card_verdict)i);
    size_t found = text ? text_find(text, names, CARD_N_VERDICTS) : CARD_N_VERDICTS;
    *verdict = (enum card_verdict)found;
    return found < CARD_N_VERDICTS || yaml_fail(yaml, node, "a verdict is exact, within, at least, or not determined");
}

// The numbers that the verdict asks for.
static bool read_numbers(struct yaml *yaml, struct fy_node *item, const struct yaml_field *fields,
                         struct card_entry *entry) {
    const bool is_exact = entry->verdict == CARD_EXACT, is_within = entry->verdict == CARD_WITHIN;
    const struct {
        enum key key;
        bool is_needed;
        double *number;
    } numbers[] = {{VALUE, is_exact, &entry->value},
                   {LOW, is_within || entry->verdict == CARD_AT_LEAST, &entry->low},
                   {HIGH, is_within, &entry->high}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct fy_node *value = fields[numbers[i].key].value;
        if (numbers[i].is_needed && !value)
            return yaml_fail(yaml, item, "an entry that is '%s' has '%s'", card_verdict_name(entry->verdict),
                             keys[numbers[i].key]);
        if (value && !yaml_number(yaml, value, numbers[i].number))
            return false;
    }
    if (is_exact)
        entry->low = entry->high = entry->value;
    if (is_within)
        entry->value = (entry->low + entry->high) / 2;
    return !is_within || entry->low <= entry->high || yaml_fail(yaml, item, "'low' is above 'high'");
}

static const char *text_of(struct yaml *yaml, struct fy_node *node) {
    return node ? yaml_text(yaml, node) : NULL;
}

static bool read_entry(struct yaml *yaml, struct fy_node *item, struct card *card) {
    struct yaml_field fields[N_KEYS];
    for (unsigned i = 0; i < N_KEYS; i++)
        fields[i] = (struct yaml_field){.key = keys[i], .required = i == NAME || i == VERDICT};
    if (!yaml_fields(yaml, item, "an entry of a card", fields, N_KEYS))
        return false;
    struct card_entry entry = {.group = text_of(yaml, fields[GROUP].value),
                               .name = text_of(yaml, fields[NAME].value),
                               .unit = text_of(yaml, fields[UNIT].value),
                               .how = text_of(yaml, fields[HOW].value),
                               .why = text_of(yaml, fields[WHY].value),
                               .curve = text_of(yaml, fields[CURVE].value)};
    if (!entry.name)
        return yaml_fail(yaml, fields[NAME].value, "an entry of a card has a name");
    if (!read_verdict(yaml, fields[VERDICT].value, &entry.verdict) || !read_numbers(yaml, item, fields, &entry))
        return false;
    if (card_find(card, entry.name))
        return yaml_fail(yaml, fields[NAME].value, "there is another entry '%s'", entry.name);
    *ARENA_ADD(card->arena, card->entries, card->n_entries) = entry;
    return true;
}

static bool read_root(struct yaml *yaml, struct card *card, struct card_origin *origin) {
    struct fy_node *key, *value, *entries = NULL, *item;
    void *iterator = NULL;
    if (!yaml_root(yaml) || !yaml_is_mapping(yaml_root(yaml)))
        return fail_at(yaml->fail, yaml->path, 1, 1, "a machine card begins with 'overlay: 1'");
    while (yaml_next_pair(yaml_root(yaml), &iterator, &key, &value)) {
        const char *name = yaml_text(yaml, key), *text = yaml_text(yaml, value);
        if (name && text && strcmp(name, "measured_on") == 0)
            origin->measured_on = text;
        if (name && text && strcmp(name, "measured") == 0)
            origin->measured = text;
        if (name && text && strcmp(name, "clock") == 0)
            origin->clock = text;
        if (name && strcmp(name, "card") == 0)
            entries = value;
    }
    if (!entries || !yaml_is_sequence(entries))
        return fail_at(yaml->fail, yaml->path, 1, 1, "there is no 'card:' in it: 'cyclops machine' writes cards");
    iterator = NULL;
    while ((item = yaml_next_item(entries, &iterator)))
        if (!read_entry(yaml, item, card))
            return false;
    return true;
}

bool card_read(struct arena *arena, const char *path, struct card *card, struct card_origin *origin,
               struct fail *fail) {
    struct yaml yaml;
    *card = (struct card){.arena = arena};
    *origin = (struct card_origin){"", "", ""};
    bool is_read = yaml_open(&yaml, arena, path, fail) && read_root(&yaml, card, origin);
    yaml_close(&yaml);
    return is_read;
}
