#include "parameters/compare.h"

#include <math.h>
#include <string.h>

static bool has_register(const struct register_class *class, unsigned index) {
    for (unsigned i = 0; i <= index; i++)
        if (!class->registers[i])
            return false;
    return true;
}

// A template's first line with registers: each role gets another one.
static const char *instantiate(struct arena *arena, const struct isa *isa, const char *line) {
    enum { MOST_ROLES = 8, FIRST = 8 };
    const char *roles[MOST_ROLES];
    const struct register_class *classes[MOST_ROLES];
    unsigned n = 0;
    struct text out = {.arena = arena};
    for (const char *c = line; *c && *c != '\n'; c++) {
        const char *end = *c == '{' ? strchr(c, '}') : NULL;
        if (*c == '$') {
            c++;
            text_add(&out, *c == 'w' ? "p" : *c == 'o' ? "8" : "0");
            continue;
        }
        if (!end) {
            text_append(&out, c, 1);
            continue;
        }
        struct slice rest = {c + 1, (size_t)(end - c - 1)}, role, class = {0};
        slice_next(&rest, ':', &role);
        slice_next(&rest, ':', &class);
        unsigned r = 0;
        while (r < n && !slice_is(role, roles[r]))
            r++;
        if (r == n) {
            if (n == MOST_ROLES)
                return NULL;
            roles[n] = arena_copy(arena, role.data, role.length);
            classes[n++] = NULL;
        }
        for (const struct register_class *each = isa->classes; class.length && each->name; each++)
            if (slice_is(class, each->name))
                classes[r] = each;
        if (!classes[r] || !has_register(classes[r], FIRST + r))
            return NULL;
        text_add(&out, classes[r]->registers[FIRST + r]);
        c = end;
    }
    text_add(&out, "\n");
    return out.data;
}

// The model's instruction of an example; null: it has none.
static const struct insn *describe(struct arena *arena, const struct model *model, const struct isa *isa,
                                   const char *example) {
    struct fail fail = {0};
    struct backend_source source;
    const char *text = example ? instantiate(arena, isa, example) : NULL;
    if (!text || !model->backend ||
        !model_describe_text(model, arena, "example", model_in_syntax(arena, isa->triple, text), &source, &fail) ||
        source.n_blocks < 1 || source.blocks[0].n_insns < 1)
        return NULL;
    return &source.blocks[0].insns[0];
}

static struct card_comparison number(double value) {
    return (struct card_comparison){.is_known = true, .model = value};
}

// 0 is no limit.
static struct card_comparison limit(unsigned value) {
    return (struct card_comparison){.is_known = true, .is_unlimited = !value, .model = value};
}

// Entries of the scheduler that the instruction waits in: of several, the smallest.
static struct card_comparison scheduler(const struct machine *machine, const struct insn *insn) {
    unsigned least = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        bool is_queue = i == machine->load_queue_resource || i == machine->store_queue_resource;
        if ((insn->buffers & resource_bit(resource->mask)) && resource->buffer_size > 0 && !is_queue &&
            (!least || (unsigned)resource->buffer_size < least))
            least = (unsigned)resource->buffer_size;
    }
    return limit(least);
}

// Registers of the file that the instruction's first result is renamed in.
static struct card_comparison registers(const struct machine *machine, const struct insn *insn) {
    unsigned reg = insn->n_writes ? insn->writes[0].reg : 0;
    const struct machine_register *renamed = &machine->registers[reg];
    unsigned size = machine->register_files[renamed->file].n_physical, cost = renamed->cost ? renamed->cost : 1;
    return limit(size / cost);
}

static struct card_comparison of_entry(struct arena *arena, const struct card_entry *entry, const struct model *model,
                                       const struct isa *isa) {
    const struct machine *machine = model->machine;
    const struct insn *insn = describe(arena, model, isa, entry->example);
    const char *name = entry->name;
    if (strcmp(name, "dispatch") == 0)
        return number(machine->dispatch_width);
    if (strcmp(name, "reorder-buffer") == 0)
        return limit(machine->rob_size);
    if (strcmp(name, "retire") == 0)
        return limit(machine->retire_width);
    if (strcmp(name, "load-queue") == 0)
        return limit(machine->load_queue);
    if (strcmp(name, "store-queue") == 0)
        return limit(machine->store_queue);
    if (insn && strncmp(name, "registers-", strlen("registers-")) == 0)
        return registers(machine, insn);
    if (insn && strncmp(name, "scheduler-", strlen("scheduler-")) == 0)
        return scheduler(machine, insn);
    if (insn && strcmp(entry->unit, "latency, cycles") == 0)
        return number(insn->latency);
    return (struct card_comparison){0};
}

static enum card_agreement judge(const struct card_entry *entry, const struct card_comparison *c) {
    bool is_count = !strstr(entry->unit, "cycle");
    double slack = is_count || entry->verdict == CARD_EXACT ? 0 : 0.02;
    if (!c->is_known || entry->verdict == CARD_UNKNOWN)
        return CARD_NO_NUMBER;
    if (entry->verdict == CARD_AT_LEAST)
        return c->is_unlimited || c->model >= entry->low * (1 - slack) ? CARD_AGREES : CARD_CONTRADICTS;
    return !c->is_unlimited && c->model >= entry->low * (1 - slack) && c->model <= entry->high * (1 + slack)
               ? CARD_AGREES
               : CARD_CONTRADICTS;
}

const struct card_comparison *card_compare(struct arena *arena, const struct card *card, const struct model *model,
                                           const struct isa *isa) {
    struct card_comparison *all = ARENA_ARRAY(arena, struct card_comparison, card->n_entries + 1);
    for (size_t i = 0; i < card->n_entries; i++) {
        all[i] = of_entry(arena, &card->entries[i], model, isa);
        all[i].agreement = judge(&card->entries[i], &all[i]);
    }
    return all;
}
