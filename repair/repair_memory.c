#include "repair/repair_memory.h"

#include "base/bytes.h"

#include <string.h>

struct remembered_opcode {
    const char *name;
    uint64_t state; // of all changes of it; 0: there are none
};

struct remembered_value {
    size_t *opcodes; // numbers of those in its programs
    size_t n_opcodes;
    bool is_listed, is_known; // the opcodes; the prediction
    uint64_t state;           // of all opcodes, when it was predicted
    struct predicted predicted;
};

static uint64_t mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) * 0x9e3779b97f4a7c15; // Knuth's multiplicative hashing, and a shift against its low bits
    return hash ^ hash >> 29;
}

// The opcode's number; it is added where it is new.
static size_t number_of(struct repair_memory *memory, const char *name) {
    uint64_t hash = bytes_hash(name, strlen(name));
    for (size_t place = 0, i; (i = index_next(&memory->names, hash, &place)) != INDEX_END;)
        if (strcmp(memory->opcodes[i].name, name) == 0)
            return i;
    index_add(&memory->names, hash, memory->n_opcodes);
    *ARENA_ADD(memory->arena, memory->opcodes, memory->n_opcodes) =
        (struct remembered_opcode){arena_strdup(memory->arena, name), 0};
    return memory->n_opcodes - 1;
}

void repair_memory_open(struct repair_memory *memory, struct arena *arena, size_t n_values) {
    *memory = (struct repair_memory){
        .arena = arena, .values = ARENA_ARRAY(arena, struct remembered_value, n_values), .names.arena = arena};
}

static uint64_t hash_of_numbers(uint64_t hash, const struct repair_numbers *numbers) {
    hash = mix(hash, numbers->uops);
    for (unsigned i = 0; i < numbers->n_writes; i++)
        hash = mix(hash, numbers->latencies[i]);
    for (unsigned i = 0; i < numbers->n_reads; i++)
        hash = mix(hash, (uint64_t)numbers->advances[i]);
    for (unsigned i = 0; i < numbers->n_uses; i++) {
        const struct repair_use *use = &numbers->uses[i];
        hash = mix(mix(mix(mix(hash, use->resource), use->acquire), use->release), use->units);
    }
    return hash;
}

void repair_memory_begin(struct repair_memory *memory, const struct repair *repair) {
    for (size_t i = 0; i < memory->n_opcodes; i++)
        memory->opcodes[i].state = 0;
    memory->width = repair->dispatch_width;
    for (size_t i = 0; i < repair->n_rules; i++) {
        const struct repair_rule *rule = &repair->rules[i];
        uint64_t hash = hash_of_numbers(hash_of_numbers(1, &rule->before), &rule->after);
        for (size_t k = 0; k < rule->n_opcodes; k++) {
            size_t number = number_of(memory, rule->opcodes[k]);
            memory->opcodes[number].state = mix(memory->opcodes[number].state, hash);
        }
    }
    for (size_t i = 0; i < repair->n_idioms; i++) {
        const struct repair_idiom *idiom = &repair->idioms[i];
        if (idiom->is_dropped)
            continue;
        size_t number = number_of(memory, repair->values[idiom->value].form);
        memory->opcodes[number].state = mix(memory->opcodes[number].state, 2 + idiom->is_zero);
    }
}

// `name`: of an opcode, or of a form that a rule may name.
static void list_opcode(struct repair_memory *memory, struct remembered_value *value, const char *name) {
    size_t number = number_of(memory, name), k = 0;
    while (k < value->n_opcodes && value->opcodes[k] != number)
        k++;
    if (k == value->n_opcodes)
        *ARENA_ADD(memory->arena, value->opcodes, value->n_opcodes) = number;
}

static void list_opcodes_of(struct repair_memory *memory, struct remembered_value *value, const char *hex,
                            const struct predictor *predictor) {
    struct arena scratch = {0};
    struct fail fail = {0};
    struct block block = {0};
    if (hex && predictor_describe(predictor, &scratch, hex, &block, &fail))
        for (unsigned i = 0; i < block.n_insns; i++) {
            list_opcode(memory, value, block.insns[i].opcode);
            if (block.insns[i].form)
                list_opcode(memory, value, block.insns[i].form);
        }
    arena_free(&scratch);
}

struct predicted repair_memory_predict(struct repair_memory *memory, const struct repair *repair, size_t i,
                                       struct predictor *predictor) {
    const struct check_value *value = &repair->values[i];
    struct remembered_value *known = &memory->values[i];
    if (!known->is_listed) {
        if (value->quantity == CHECK_SLOTS)
            list_opcodes_of(memory, known, value->code, predictor);
        for (size_t p = 0; p < value->value.n_parts && value->quantity != CHECK_SLOTS; p++)
            list_opcodes_of(memory, known, value->value.parts[p].code, predictor);
        known->is_listed = true;
    }
    uint64_t state = mix(0, memory->width);
    bool is_changed = memory->width;
    for (size_t k = 0; k < known->n_opcodes; k++) {
        state = mix(state, memory->opcodes[known->opcodes[k]].state);
        is_changed |= memory->opcodes[known->opcodes[k]].state != 0;
    }
    if (!is_changed && repair->base[i].is_known)
        return repair->base[i];
    if (!known->is_known || known->state != state) {
        known->predicted = predictor_predict(predictor, value);
        known->predicted.resource = "";
        known->predicted.why = NULL; // both end with the predictor
        known->state = state;
        known->is_known = true;
        memory->n_simulated++;
    }
    return known->predicted;
}
