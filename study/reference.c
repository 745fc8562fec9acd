#include "study/reference.h"

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };

static const char *const kinds[] = {"sweep", "block", "corun", "report", "instruction"};
static const char *const quantities[N_QUANTITIES] = {"cycles",       "latency", "rthroughput",    "second",
                                                     "total_cycles", "ipc",     "uops_per_cycle", "block_rthroughput"};

const char *reference_quantity_name(enum reference_quantity quantity) {
    return quantities[quantity];
}

struct reference_reader {
    struct yaml yaml;
    struct reference_set *set;
    const char *file, *source;
};

enum key {
    NAME,
    ABOUT,
    KIND,
    ISA,
    KERNEL,
    FORM,
    ASM,
    INSTRUCTION,
    FIRST,
    ITERATIONS,
    MODEL,
    REPAIRED_BY,
    PUBLISHED,
    TOLERANCE,
    WHY,
    NOTE,
    N_KEYS
};

static const struct yaml_field keys[N_KEYS] = {
    [NAME] = {"name", true, NULL},
    [ABOUT] = {"about", true, NULL},
    [KIND] = {"kind", true, NULL},
    [ISA] = {"isa", false, NULL},
    [KERNEL] = {"kernel", false, NULL},
    [FORM] = {"form", false, NULL},
    [ASM] = {"asm", false, NULL},
    [INSTRUCTION] = {"instruction", false, NULL},
    [FIRST] = {"first", false, NULL},
    [ITERATIONS] = {"iterations", false, NULL},
    [MODEL] = {"model", true, NULL},
    [REPAIRED_BY] = {"repaired_by", false, NULL},
    [PUBLISHED] = {"published", true, NULL},
    [TOLERANCE] = {"tolerance", true, NULL},
    [WHY] = {"why", true, NULL},
    [NOTE] = {"note", false, NULL},
};

// Returns the index of the text in a list of words. Fails (-1) where it is not in the list.
static int read_word(struct yaml *yaml, struct fy_node *node, const char *what, const char *const *words, size_t n) {
    const char *text = yaml_text(yaml, node);
    size_t i = text ? text_find(text, words, n) : n;
    if (i < n)
        return (int)i;
    yaml_fail(yaml, node, "unknown %s '%s'%s", what, text ? text : "",
              text ? text_did_you_mean(yaml->arena, text, words, n) : "");
    return -1;
}

static bool read_count(struct yaml *yaml, struct fy_node *node, unsigned *count) {
    enum { MOST = 1000000 };
    double number;
    if (!node)
        return true;
    if (!yaml_number(yaml, node, &number))
        return false;
    if (number < 1 || number > MOST || number != floor(number))
        return yaml_fail(yaml, node, "expected a whole number from 1 to %d", MOST);
    *count = (unsigned)number;
    return true;
}

// Reads {copies: 4, value: 14}.
static bool read_of_copies(struct yaml *yaml, struct fy_node *node, struct reference_value *value, double *number) {
    struct yaml_field fields[] = {{"copies", true, NULL}, {"value", true, NULL}};
    return yaml_fields(yaml, node, "cycles of copies", fields, 2) &&
           read_count(yaml, fields[0].value, &value->copies) && yaml_number(yaml, fields[1].value, number);
}

static bool read_quantities(struct yaml *yaml, struct fy_node *node, struct reference *reference) {
    void *iterator = NULL;
    struct fy_node *key, *item;
    if (!yaml_is_mapping(node))
        return yaml_fail(yaml, node, "expected quantities with their values: {cycles: 5.017}");
    while (yaml_next_pair(node, &iterator, &key, &item)) {
        int quantity = read_word(yaml, key, "quantity", quantities, N_QUANTITIES);
        double *number = ARENA_NEW(yaml->arena, double);
        struct reference_value value = {.quantity = (enum reference_quantity)quantity, .published = number, .n = 1};
        if (quantity < 0 || !(item && yaml_is_mapping(item) ? read_of_copies(yaml, item, &value, number)
                                                            : yaml_number(yaml, item ? item : key, number)))
            return false;
        *ARENA_ADD(yaml->arena, reference->values, reference->n_values) = value;
    }
    return true;
}

static bool read_sweep(struct yaml *yaml, struct fy_node *node, struct reference *reference) {
    double *numbers = NULL;
    size_t n = 0;
    void *iterator = NULL;
    struct fy_node *item;
    if (!yaml_is_sequence(node))
        return yaml_fail(yaml, node, "expected the sweep's values: [4.0, 4.0, 4.5]");
    while ((item = yaml_next_item(node, &iterator))) {
        if (!yaml_number(yaml, item, ARENA_ADD(yaml->arena, numbers, n)))
            return false;
    }
    if (n == 0)
        return yaml_fail(yaml, node, "there is no value");
    reference->values = ARENA_NEW(yaml->arena, struct reference_value);
    reference->values[0] = (struct reference_value){.quantity = QUANTITY_CYCLES, .published = numbers, .n = n};
    reference->n_values = 1;
    return true;
}

// Keys that a kind must have, and quantities that it may have.
static const struct {
    enum key needed[3];  // ended by NAME
    unsigned quantities; // a bit for each quantity
} rules[] = {
    [REFERENCE_SWEEP] = {{ISA, KERNEL}, 1 << QUANTITY_CYCLES},
    [REFERENCE_BLOCK] = {{ISA, ASM}, 1 << QUANTITY_CYCLES},
    [REFERENCE_CORUN] = {{ISA, ASM}, 1 << QUANTITY_CYCLES},
    [REFERENCE_REPORT] = {{ISA, ASM, ITERATIONS},
                          1 << QUANTITY_TOTAL_CYCLES | 1 << QUANTITY_IPC | 1 << QUANTITY_UOPS_PER_CYCLE |
                              1 << QUANTITY_BLOCK_RTHROUGHPUT},
    [REFERENCE_INSTRUCTION] = {{INSTRUCTION},
                               1 << QUANTITY_CYCLES | 1 << QUANTITY_LATENCY | 1 << QUANTITY_RTHROUGHPUT |
                                   1 << QUANTITY_SECOND},
};

static bool check(struct yaml *yaml, struct fy_node *node, const struct yaml_field *f, const struct reference *r) {
    for (int i = 0; i < 3 && rules[r->kind].needed[i] != NAME; i++)
        if (!f[rules[r->kind].needed[i]].value)
            return yaml_fail(yaml, node, "an experiment of kind '%s' needs the key '%s'", kinds[r->kind],
                             f[rules[r->kind].needed[i]].key);
    for (size_t i = 0; i < r->n_values; i++) {
        const struct reference_value *value = &r->values[i];
        if (!(rules[r->kind].quantities >> value->quantity & 1))
            return yaml_fail(yaml, f[PUBLISHED].value, "an experiment of kind '%s' has no '%s'", kinds[r->kind],
                             quantities[value->quantity]);
        if (r->kind == REFERENCE_INSTRUCTION && value->quantity == QUANTITY_CYCLES && value->copies == 0)
            return yaml_fail(yaml, f[PUBLISHED].value, "cycles of how many? Write cycles: {copies: 4, value: 14}");
    }
    if (r->tolerance <= 0)
        return yaml_fail(yaml, f[TOLERANCE].value, "a tolerance is above 0");
    return true;
}

static bool read_values(struct yaml *yaml, const struct yaml_field *f, struct reference *reference) {
    static const char *const forms[] = {"unrolled", "looped"};
    int kind = read_word(yaml, f[KIND].value, "kind", kinds, sizeof kinds / sizeof *kinds);
    int form = f[FORM].value ? read_word(yaml, f[FORM].value, "form", forms, 2) : 0;
    if (kind < 0 || form < 0)
        return false;
    reference->kind = (enum reference_kind)kind;
    reference->is_looped = form == 1;
    reference->first = 1;
    return read_count(yaml, f[FIRST].value, &reference->first) &&
           read_count(yaml, f[ITERATIONS].value, &reference->iterations) &&
           yaml_number(yaml, f[TOLERANCE].value, &reference->tolerance) &&
           (reference->kind == REFERENCE_SWEEP ? read_sweep(yaml, f[PUBLISHED].value, reference)
                                               : read_quantities(yaml, f[PUBLISHED].value, reference));
}

static bool read_experiment(struct reference_reader *reader, struct fy_node *node) {
    struct yaml *yaml = &reader->yaml;
    struct reference_set *set = reader->set;
    struct yaml_field f[N_KEYS];
    memcpy(f, keys, sizeof f);
    if (!yaml_fields(yaml, node, "an experiment", f, N_KEYS))
        return false;
    struct reference reference = {.file = reader->file, .source = reader->source};
    const struct {
        enum key key;
        const char **text;
    } texts[] = {{NAME, &reference.name},    {ABOUT, &reference.about},
                 {ISA, &reference.isa},      {KERNEL, &reference.kernel},
                 {ASM, &reference.asm_text}, {INSTRUCTION, &reference.instruction},
                 {MODEL, &reference.model},  {REPAIRED_BY, &reference.repaired_by},
                 {WHY, &reference.why},      {NOTE, &reference.note}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fy_node *value = f[texts[i].key].value;
        *texts[i].text = value ? yaml_text(yaml, value) : NULL;
        if (value && !*texts[i].text)
            return yaml_fail(yaml, value, "expected a text");
    }
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->items[i].name, reference.name) == 0)
            return yaml_fail(yaml, f[NAME].value, "there is an experiment '%s' already", reference.name);
    if (!read_values(yaml, f, &reference) || !check(yaml, node, f, &reference))
        return false;
    *ARENA_ADD(yaml->arena, set->items, set->n) = reference;
    return true;
}

static bool read_file(struct reference_reader *reader) {
    struct yaml *yaml = &reader->yaml;
    struct yaml_field f[] = {{"reference", true, NULL}, {"source", true, NULL}, {"experiments", true, NULL}};
    double version;
    if (!yaml_fields(yaml, yaml_root(yaml), "a reference file", f, 3) || !yaml_number(yaml, f[0].value, &version))
        return false;
    if (version != VERSION)
        return yaml_fail(yaml, f[0].value, "this is version %g of the format; this program reads version %d", version,
                         VERSION);
    reader->source = yaml_text(yaml, f[1].value);
    if (!reader->source)
        return yaml_fail(yaml, f[1].value, "expected a text");
    if (!yaml_is_sequence(f[2].value))
        return yaml_fail(yaml, f[2].value, "expected a list of experiments");
    void *iterator = NULL;
    struct fy_node *item;
    while ((item = yaml_next_item(f[2].value, &iterator)))
        if (!read_experiment(reader, item))
            return false;
    return true;
}

static const char *base_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return arena_copy(arena, name, strcspn(name, "."));
}

bool reference_load(struct arena *arena, const char *path, struct reference_set *set, struct fail *fail) {
    struct reference_reader reader = {.set = set, .file = base_name(arena, path)};
    bool is_good = yaml_open(&reader.yaml, arena, path, fail) && read_file(&reader);
    yaml_close(&reader.yaml);
    return is_good;
}

bool reference_load_folder(struct arena *arena, const char *folder, struct reference_set *set, struct fail *fail) {
    const char **files = NULL;
    size_t n = file_list(arena, folder, ".yaml", &files);
    for (size_t i = 0; i < n; i++)
        if (!reference_load(arena, arena_printf(arena, "%s/%s", folder, files[i]), set, fail))
            return false;
    return n > 0 || fail_set(fail, FAIL_INPUT, "no reference files in '%s'", folder);
}
