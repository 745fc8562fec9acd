// Machine cards, for the page.
#include "report/page_parts.h"

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"

#include <string.h>
#include <unistd.h>

static const char *const keys[] = {"group", "name", "verdict", "unit", "how", "why"};
enum { N_KEYS = sizeof keys / sizeof *keys };

static bool key_is(struct yaml *yaml, struct fy_node *node, const char *key) {
    const char *text = yaml_text(yaml, node);
    return text && strcmp(text, key) == 0;
}

// The picture of a curve beside the card; null: there is none.
static const char *picture_of(struct arena *arena, const char *path, const char *curve) {
    const char *slash = strrchr(path, '/');
    const char *beside = arena_printf(arena, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, curve);
    struct fail ignored;
    char *picture;
    fail_clear(&ignored);
    bool is_name = !strchr(curve, '/') && file_has_suffix(curve, ".svg");
    return is_name && access(beside, R_OK) == 0 && file_read(arena, beside, &picture, NULL, &ignored) ? picture : NULL;
}

static bool put_entry(struct json_text *json, struct yaml *yaml, struct fy_node *entry) {
    struct fy_node *key, *value;
    void *iterator = NULL;
    bool has_name = false, has_verdict = false;
    if (!yaml_is_mapping(entry))
        return yaml_fail(yaml, entry, "an entry of a card is a mapping with 'name' and 'verdict'");
    json_open(json, NULL);
    while (yaml_next_pair(entry, &iterator, &key, &value)) {
        double number;
        const char *text = yaml_text(yaml, value);
        for (size_t i = 0; i < N_KEYS; i++)
            if (key_is(yaml, key, keys[i]))
                json_put_text(json, keys[i], text);
        has_name |= key_is(yaml, key, "name") && text;
        has_verdict |= key_is(yaml, key, "verdict") && text;
        bool is_low = key_is(yaml, key, "low"), is_high = key_is(yaml, key, "high");
        if (is_low || is_high || key_is(yaml, key, "value")) {
            if (!yaml_number(yaml, value, &number))
                return false;
            json_put_real(json, is_low ? "low" : is_high ? "high" : "value", number, PAGE_DECIMALS);
        }
        if (key_is(yaml, key, "curve") && text)
            json_put_text(json, "curve", picture_of(yaml->arena, yaml->path, text));
    }
    json_close(json);
    return (has_name && has_verdict) || yaml_fail(yaml, entry, "an entry of a card has 'name' and 'verdict'");
}

static bool put_entries(struct json_text *json, struct yaml *yaml) {
    struct fy_node *key, *value, *entries = NULL, *item;
    void *iterator = NULL;
    if (!yaml_root(yaml) || !yaml_is_mapping(yaml_root(yaml)))
        return fail_at(yaml->fail, yaml->path, 1, 1, "a machine card begins with 'overlay: 1'");
    while (yaml_next_pair(yaml_root(yaml), &iterator, &key, &value)) {
        if (key_is(yaml, key, "about"))
            json_put_text(json, "about", yaml_text(yaml, value));
        if (key_is(yaml, key, "measured"))
            json_put_text(json, "when", yaml_text(yaml, value));
        if (key_is(yaml, key, "measured_on"))
            json_put_text(json, "machine", yaml_text(yaml, value));
        if (key_is(yaml, key, "clock"))
            json_put_text(json, "clock", yaml_text(yaml, value));
        if (key_is(yaml, key, "card"))
            entries = value;
    }
    if (!entries || !yaml_is_sequence(entries))
        return fail_at(yaml->fail, yaml->path, 1, 1, "there is no 'card:' in it: 'cyclops machine' writes cards");
    json_open_list(json, "entries");
    iterator = NULL;
    while ((item = yaml_next_item(entries, &iterator)))
        if (!put_entry(json, yaml, item))
            return false;
    json_close_list(json);
    return true;
}

bool page_put_cards(struct json_text *json, const char *const *paths, size_t n, struct fail *fail) {
    json_open_list(json, "cards");
    for (size_t i = 0; i < n; i++) {
        struct yaml yaml;
        json_open(json, NULL);
        json_put_text(json, "name", file_name(paths[i]));
        bool is_put = yaml_open(&yaml, json->text.arena, paths[i], fail) && put_entries(json, &yaml);
        yaml_close(&yaml);
        if (!is_put)
            return false;
        json_close(json);
    }
    json_close_list(json);
    return true;
}
