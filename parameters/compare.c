#include "parameters/compare.h"

#include "base/text.h"
#include "gen/gen.h"
#include "parameters/compare_own.h"
#include "parameters/recipes.h"

#include <stddef.h>
#include <string.h>

// The first line of an example, with registers; null: it is no template.
static const char *instantiate(struct arena *arena, const struct isa *isa, const char *example) {
    const struct recipe *recipe = recipe_find(isa_family(isa));
    struct text body = {.arena = arena};
    recipe_add(&body, arena_copy(arena, example, strcspn(example, "\n")), 0, "p");
    const struct kernel_text text = {.name = "example", .body = body.data};
    const struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .streams = 1, .unroll = 1};
    struct kernel_set set = {0};
    struct program program;
    struct fail fail = {0};
    return recipe && kernel_add(arena, "example", isa, recipe->syntax, &text, &set, &fail) &&
                   gen_expand(arena, set.kernels, &request, &program, &fail)
               ? program.body
               : NULL;
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

static struct card_comparison number(const char *name, double value) {
    return (struct card_comparison){.is_known = true, .model = value, .number = name};
}

// 0 is no limit.
static struct card_comparison limit(const char *name, unsigned value) {
    return (struct card_comparison){.is_known = true, .is_unlimited = !value, .model = value, .number = name};
}

static bool is_queue(const struct machine *machine, unsigned resource) {
    return resource == machine->load_queue_resource || resource == machine->store_queue_resource;
}

static const char *buffer_name(struct arena *arena, const struct resource *resource) {
    return arena_printf(arena, "buffer of %s", resource->name);
}

static const char *file_name(struct arena *arena, const struct register_file *file) {
    return arena_printf(arena, "registers of %s", file->name ? file->name : "no file");
}

// Entries of the scheduler that the instruction waits in: of several, the smallest.
static struct card_comparison scheduler(struct arena *arena, const struct machine *machine, const struct insn *insn) {
    unsigned least = 0;
    const char *name = NULL;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const struct resource *resource = &machine->resources[i];
        if ((insn->cost->buffers & resource_bit(resource->mask)) && resource->buffer_size > 0 &&
            !is_queue(machine, i) && (!least || (unsigned)resource->buffer_size < least)) {
            least = (unsigned)resource->buffer_size;
            name = buffer_name(arena, resource);
        }
    }
    return limit(name, least);
}

// Registers of the file that the instruction's first result is renamed in.
static struct card_comparison registers(struct arena *arena, const struct machine *machine, const struct insn *insn) {
    unsigned reg = insn->n_writes ? insn->writes[0].reg : 0;
    const struct machine_register *renamed = &machine->registers[reg];
    const struct register_file *file = &machine->register_files[renamed->file];
    return limit(file_name(arena, file), file->n_physical / (renamed->cost ? renamed->cost : 1));
}

// The model's own numbers, LLVM's names of them, and the entries that judge them.
static const struct plain {
    const char *number, *entry; // null: no experiment shows it
    size_t field;               // of struct machine, an unsigned
    bool is_limit;              // 0: unlimited; else 0: the model has no such number
} plain_numbers[] = {
    {"IssueWidth", "dispatch", offsetof(struct machine, dispatch_width), false},
    {"MicroOpBufferSize", "reorder-buffer", offsetof(struct machine, rob_size), true},
    {"MaxRetirePerCycle", "retire", offsetof(struct machine, retire_width), true},
    {"LoadQueue", "load-queue", offsetof(struct machine, load_queue), true},
    {"StoreQueue", "store-queue", offsetof(struct machine, store_queue), true},
    {"LoadLatency", "l1d-latency", offsetof(struct machine, load_latency), false},
    {"HighLatency", NULL, offsetof(struct machine, high_latency), false},
    {"MispredictPenalty", "mispredict-penalty", offsetof(struct machine, mispredict_penalty), false},
    {"LoopMicroOpBufferSize", "loop-buffer", offsetof(struct machine, loop_buffer), false},
};
enum { N_PLAIN = sizeof plain_numbers / sizeof *plain_numbers };

static unsigned value_of(const struct machine *machine, const struct plain *plain) {
    return *(const unsigned *)(const void *)((const char *)machine + plain->field);
}

static struct card_comparison of_entry(struct arena *arena, const struct card_entry *entry, const struct model *model,
                                       const struct isa *isa) {
    const struct machine *machine = model->machine;
    const struct insn *insn = describe(arena, model, isa, entry->example);
    const char *name = entry->name;
    if (model->own)
        return own_comparison(entry, model, insn);
    for (size_t i = 0; i < N_PLAIN; i++) {
        const struct plain *plain = &plain_numbers[i];
        unsigned value = value_of(machine, plain);
        if (!plain->entry || strcmp(plain->entry, name) != 0)
            continue;
        if (plain->is_limit)
            return limit(plain->number, value);
        return value ? number(plain->number, value) : (struct card_comparison){0};
    }
    if (insn && text_starts(name, "registers-"))
        return registers(arena, machine, insn);
    if (insn && text_starts(name, "scheduler-"))
        return scheduler(arena, machine, insn);
    if (insn && strcmp(entry->unit, "latency, cycles") == 0)
        return number(NULL, insn->cost->latency);
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

// ---- what the comparisons leave

struct rest {
    struct arena *arena;
    const struct card *card;
    const struct card_comparison *comparisons;
    struct card_rest *items;
    size_t n;
};

// Why the card does not judge a number; null: it does. Several entries may show one number: one with a value is enough.
static const char *why_not(const struct rest *rest, const char *number, const char *entry_name, const char *otherwise) {
    const char *why = entry_name ? arena_printf(rest->arena, "the card has no %s", entry_name) : otherwise;
    for (size_t i = 0; i < rest->card->n_entries; i++) {
        const struct card_entry *entry = &rest->card->entries[i];
        const struct card_comparison *c = &rest->comparisons[i];
        if (!(c->number && strcmp(c->number, number) == 0) && !(entry_name && strcmp(entry->name, entry_name) == 0))
            continue;
        if (c->agreement != CARD_NO_NUMBER)
            return NULL;
        why = arena_printf(rest->arena, "the card has no value of %s", entry->name);
    }
    return why;
}

static void add_rest(struct rest *rest, const char *number, const char *entry, double value, const char *otherwise) {
    const char *why = why_not(rest, number, entry, otherwise);
    for (size_t i = 0; i < rest->n; i++)
        if (strcmp(rest->items[i].number, number) == 0)
            return;
    if (value > 0 && why)
        *ARENA_ADD(rest->arena, rest->items, rest->n) = (struct card_rest){number, value, why};
}

const struct card_rest *card_compare_rest(struct arena *arena, const struct card *card, const struct model *model,
                                          const struct card_comparison *comparisons, size_t *n) {
    const struct machine *machine = model->machine;
    struct rest rest = {.arena = arena, .card = card, .comparisons = comparisons};
    double value = 0;
    const char *entry = NULL, *name;
    for (size_t i = 0; model->own && (name = own_number(model->own, i, &value, &entry)); i++)
        add_rest(&rest, name, entry, value, "no entry of this card shows it");
    *n = rest.n;
    if (model->own)
        return rest.items;
    for (size_t i = 0; i < N_PLAIN; i++)
        add_rest(&rest, plain_numbers[i].number, plain_numbers[i].entry, value_of(machine, &plain_numbers[i]),
                 "no experiment shows it: LLVM assumes it for slow instructions");
    for (unsigned i = 1; i < machine->n_register_files; i++)
        add_rest(&rest, file_name(arena, &machine->register_files[i]), NULL, machine->register_files[i].n_physical,
                 "no entry of this card fills it");
    for (unsigned i = 1; i < machine->n_resources; i++)
        if (machine->resources[i].buffer_size > 1 && !is_queue(machine, i))
            add_rest(&rest, buffer_name(arena, &machine->resources[i]), NULL, machine->resources[i].buffer_size,
                     "no entry of this card fills it");
    *n = rest.n;
    return rest.items;
}
