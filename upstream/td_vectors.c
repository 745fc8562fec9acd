#include "upstream/td_vectors.h"

#include "analyzer/code/vector_config.h"

#include <stdlib.h>
#include <string.h>

const char *td_class_of(const struct repair_change *change) {
    return vector_config_in_name(change->opcode, NULL) ? change->class_name : NULL;
}

// ---- classes and pseudo instructions

const char *td_operands_of_class(const struct td_model *model, const char *name) {
    static const char *const words[] = {"_Write", "_Read"};
    struct text text = {.arena = model->arena};
    if (!text_starts(name, "Write"))
        return NULL;
    text_add(&text, "[");
    for (const char *at = name, *end; *at; at = *end ? end + 1 : end) {
        end = at + strlen(at);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            const char *next = strstr(at, words[i]);
            end = next && next < end ? next : end;
        }
        text_addf(&text, "%s%.*s", at == name ? "" : ", ", (int)(end - at), at);
    }
    text_add(&text, "]");
    return text.data;
}

const struct td_record *td_pseudo_of_class(const struct td_model *model, const char *name) {
    for (size_t length = strcspn(name, "_"); name[length]; length += 1 + strcspn(name + length + 1, "_")) {
        const struct td_record *record = td_records_find(model->records, arena_copy(model->arena, name, length));
        if (record && record->fields[TD_SCHED_RW])
            return record;
    }
    return td_records_find(model->records, name);
}

static int compare_base(const char *base, const char *opcode) {
    const size_t length = strcspn(opcode, "-");
    const int order = strncmp(base, opcode, length);
    return order ? order : base[length] != '\0';
}

static int compare_pseudos(const void *a, const void *b) {
    const struct td_record *const *one = a, *const *other = b;
    const int order = strcmp((*one)->fields[TD_BASE_INSTR], (*other)->fields[TD_BASE_INSTR]);
    return order ? order : strcmp((*one)->name, (*other)->name);
}

size_t td_model_pseudos(const struct td_model *model, const char *opcode, const struct td_record *const **pseudos) {
    size_t low = 0, high = model->n_pseudos, n = 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_base(model->pseudos[middle]->fields[TD_BASE_INSTR], opcode) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *pseudos = model->n_pseudos ? &model->pseudos[low] : NULL;
    while (low + n < model->n_pseudos && compare_base(model->pseudos[low + n]->fields[TD_BASE_INSTR], opcode) == 0)
        n++;
    return n;
}

const struct td_record *td_pseudo_with(const struct td_model *model, const char *opcode, const char *operands) {
    const struct td_record *const *pseudos;
    const size_t n = td_model_pseudos(model, opcode, &pseudos);
    for (size_t i = 0; i < n; i++)
        if (strcmp(pseudos[i]->fields[TD_SCHED_RW], operands) == 0)
            return pseudos[i];
    return NULL;
}

// ---- opening

static size_t anonymous_number(const char *name) {
    static const char word[] = "anonymous_";
    const char *at = strstr(name, word);
    return at ? strtoul(at + strlen(word), NULL, 10) : 0;
}

// Order of writes that differ in "_M2_E32" behind the stem alone: by group, then the narrowest elements first.
static long worst_rank(const char *write, size_t stem) {
    const char *group = write + stem + 2, *width = strstr(group, "_E");
    const long number = strtol(group + (*group == 'F'), NULL, 10),
               parts = *group == 'F' && number ? 8 / number : 8 * number;
    return 100 * parts - (width ? strtol(width + 2, NULL, 10) : 0);
}

// A write that stands for the largest group, or the narrowest elements of it, is made by the same statement as the one
// before it; llvm-tblgen states no line of it.
static void place_worst_cases(struct td_model *model) {
    static const char ending[] = "_WorstCase";
    for (size_t i = 0; i < model->n_atoms; i++) {
        struct td_atom *atom = &model->atoms[i];
        size_t length = strlen(atom->write), stem = length > strlen(ending) ? length - strlen(ending) : 0;
        if (!stem || strcmp(atom->write + stem, ending) != 0 || !anonymous_number(atom->record->name))
            continue;
        const struct td_atom *before = NULL, *worst = NULL;
        for (size_t k = i; k-- > 0 && strncmp(model->atoms[k].write, atom->write, stem + 1) == 0;) {
            const struct td_atom *other = &model->atoms[k];
            if (!td_numbers_are_equal(&other->numbers, &atom->numbers) || other->write[stem + 1] != 'M')
                continue;
            if (anonymous_number(other->record->name) + 1 == anonymous_number(atom->record->name))
                before = other;
            if (!worst || worst_rank(other->write, stem) > worst_rank(worst->write, stem))
                worst = other;
        }
        atom->same_as = before ? before : worst; // llvm-tblgen does not number all of them in turn
        if (!atom->same_as)
            continue;
        struct td_record *record = ARENA_ARRAY(model->arena, struct td_record, 1);
        *record = *atom->record;
        record->file = atom->same_as->record->file;
        record->line = atom->same_as->record->line;
        atom->record = record;
    }
}

static void find_shared(struct td_model *model) {
    unsigned *lines = NULL;
    for (size_t i = 0; i < model->records->n_items; i++) {
        const struct td_record *record = &model->records->items[i];
        if (record->fields[TD_NUM_MICRO_OPS] && record->fields[TD_PROC_RESOURCES] && record->fields[TD_SCHED_MODEL] &&
            strcmp(record->fields[TD_SCHED_MODEL], model->name) != 0 && record->file &&
            strcmp(record->file, model->file) == 0)
            *ARENA_ADD(model->arena, lines, model->n_shared) = record->line;
    }
    model->shared = lines;
}

void td_vectors_open(struct td_model *model) {
    const struct td_record *record = td_records_find(model->records, model->name);
    model->vlen = record && record->fields[TD_VLEN] ? (unsigned)strtoul(record->fields[TD_VLEN], NULL, 10) : 0;
    for (size_t i = 0; i < model->records->n_items; i++)
        if (model->records->items[i].fields[TD_BASE_INSTR] && model->records->items[i].fields[TD_SCHED_RW])
            *ARENA_ADD(model->arena, model->pseudos, model->n_pseudos) = &model->records->items[i];
    if (model->n_pseudos)
        qsort(model->pseudos, model->n_pseudos, sizeof(struct td_record *), compare_pseudos);
    place_worst_cases(model);
    find_shared(model);
}
