#include "upstream/td_model.h"

#include "base/text.h"
#include "upstream/td_vectors.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

// A part of what an InstRW names: opcodes, or regular expressions that fit the beginning of opcodes.
struct td_pattern {
    const struct td_record *inst_rw;
    const char *text; // "(instrs A, B)", "(instregex "^A", "B")", or sets of these
    size_t n_parts;
    struct part {
        bool is_taken_away, is_regex;
        const char *name;      // of an opcode
        const char *literally; // beginning of all opcodes that the expression fits
        regex_t regex;
    } * parts;
};

static bool is_empty_list(const char *list) {
    return !list || strcmp(list, "[]") == 0;
}

// ---- patterns

static void add_regex(struct arena *arena, struct td_pattern *pattern, const char *text, bool is_taken_away) {
    struct part part = {.is_taken_away = is_taken_away, .is_regex = true};
    if (*text == '^')
        text++;
    size_t literal = strcspn(text, "[](){}.*+?|^$\\");
    if (text[literal] && strchr("?*{", text[literal]) && literal)
        literal--; // the last sign may be missing
    if (memchr(text, '|', strlen(text))) {
        size_t depth = 0;
        for (const char *c = text; *c; c++) {
            depth += *c == '(';
            depth -= *c == ')';
            if (*c == '|' && depth == 0)
                literal = 0; // it begins one of several
        }
    }
    part.literally = arena_copy(arena, text, literal);
    if (regcomp(&part.regex, arena_printf(arena, "^(%s)", text), REG_EXTENDED | REG_NOSUB) == 0)
        *ARENA_ADD(arena, pattern->parts, pattern->n_parts) = part;
}

// Reads "(instrs A, B)", "(instregex "A")", "(add ...)" and "(sub ...)".
static const char *read_set(struct arena *arena, struct td_pattern *pattern, const char *at, bool is_taken_away) {
    at += *at == '(';
    size_t length = strcspn(at, " )");
    bool is_regex = strncmp(at, "instregex", length) == 0, is_sub = strncmp(at, "sub", length) == 0;
    at += length;
    for (bool is_first = true; *at && *at != ')'; is_first = false) {
        at += strspn(at, " ,");
        if (*at == '(') {
            at = read_set(arena, pattern, at, is_taken_away || (is_sub && !is_first));
        } else if (*at == '"') {
            size_t end = strcspn(at + 1, "\"");
            add_regex(arena, pattern, arena_copy(arena, at + 1, end), is_taken_away);
            at += end + 2;
        } else if (*at && *at != ')') {
            size_t end = strcspn(at, ",) ");
            if (!is_regex)
                *ARENA_ADD(arena, pattern->parts, pattern->n_parts) =
                    (struct part){.is_taken_away = is_taken_away, .name = arena_copy(arena, at, end)};
            at += end;
        }
    }
    return at + (*at == ')');
}

static bool fits(const struct part *part, const char *opcode) {
    if (!part->is_regex)
        return strcmp(part->name, opcode) == 0;
    return text_starts(opcode, part->literally) && regexec(&part->regex, opcode, 0, NULL, 0) == 0;
}

static bool is_named(const struct td_pattern *pattern, const char *opcode) {
    bool is_in = false, is_taken_away = false;
    for (size_t k = 0; k < pattern->n_parts && !is_taken_away; k++)
        if ((!is_in || pattern->parts[k].is_taken_away) && fits(&pattern->parts[k], opcode)) {
            is_in = true;
            is_taken_away = pattern->parts[k].is_taken_away;
        }
    return is_in && !is_taken_away;
}

static const struct td_record *find_inst_rw(const struct td_model *model, const char *opcode) {
    for (size_t i = 0; i < model->n_patterns; i++)
        if (is_named(&model->patterns[i], opcode))
            return model->patterns[i].inst_rw;
    return NULL;
}

bool td_model_names_others(const struct td_model *model, const struct td_record *inst_rw, const char *const *opcodes,
                           size_t n) {
    const struct td_pattern *pattern = model->patterns, *end = pattern + model->n_patterns;
    while (pattern < end && pattern->inst_rw != inst_rw)
        pattern++;
    for (size_t i = 0; pattern < end && i < model->records->n_items; i++) {
        const struct td_record *record = &model->records->items[i];
        if (record->fields[TD_SCHED_RW] && is_named(pattern, record->name) && text_find(record->name, opcodes, n) == n)
            return true;
    }
    return false;
}

// ---- writes

static unsigned number_of(const char *text, unsigned otherwise) {
    return text && *text != '?' ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

// "WriteVLDS8_M1_NoPred" of "SiFive7anonymous_86296WriteVLDS8_M1_NoPred": an edit moves such numbers.
static const char *plain_name(const char *name) {
    static const char word[] = "anonymous_";
    const char *at = strstr(name, word);
    if (!at)
        return name;
    at += strlen(word);
    at += strspn(at, "0123456789");
    return *at ? at : name;
}

static struct td_atom read_atom(const struct td_model *model, const struct td_record *record) {
    size_t n_ports, n_cycles, n_acquires;
    struct td_atom atom = {.record = record,
                           .write = record->fields[TD_WRITE_TYPE] ? record->fields[TD_WRITE_TYPE]
                                                                  : plain_name(record->name)};
    const char **ports = td_list(model->arena, record->fields[TD_PROC_RESOURCES], &n_ports),
               **cycles = td_list(model->arena, record->fields[TD_RELEASE_AT_CYCLES], &n_cycles),
               **acquires = td_list(model->arena, record->fields[TD_ACQUIRE_AT_CYCLES], &n_acquires);
    atom.numbers.latency = number_of(record->fields[TD_LATENCY], 1);
    atom.numbers.uops = number_of(record->fields[TD_NUM_MICRO_OPS], 1);
    if (n_ports > TD_MOST_PORTS || (n_cycles && n_cycles != n_ports) || (n_acquires && n_acquires != n_ports))
        atom.why = "it holds more resources than Cyclops reads";
    else if (number_of(record->fields[TD_UNSUPPORTED], 0))
        atom.why = "the file says that the CPU does not have it (Unsupported)";
    for (size_t i = 0; !atom.why && i < n_ports; i++) {
        atom.numbers.ports[i] = ports[i];
        atom.numbers.cycles[i] = n_cycles ? number_of(cycles[i], 1) : 1;
        atom.numbers.acquires[i] = n_acquires ? number_of(acquires[i], 0) : 0;
        atom.numbers.n_ports++;
    }
    return atom;
}

static bool is_of_model(const struct td_model *model, const struct td_record *record) {
    return record->fields[TD_SCHED_MODEL] && strcmp(record->fields[TD_SCHED_MODEL], model->name) == 0;
}

static int compare_atoms(const void *a, const void *b) {
    const struct td_atom *one = a, *other = b;
    return strcmp(one->write, other->write);
}

static const struct td_atom *find_atom(const struct td_model *model, const char *write) {
    struct td_atom wanted = {.write = plain_name(write)};
    return model->n_atoms ? bsearch(&wanted, model->atoms, model->n_atoms, sizeof wanted, compare_atoms) : NULL;
}

// The name that this model has for a write or read.
static const char *follow_alias(const struct td_model *model, const char *name) {
    for (size_t i = 0; i < model->records->n_items; i++) {
        const struct td_record *record = &model->records->items[i];
        if (record->fields[TD_MATCH_RW] && is_of_model(model, record) &&
            strcmp(record->fields[TD_MATCH_RW], name) == 0 && record->fields[TD_ALIAS_RW])
            return record->fields[TD_ALIAS_RW];
    }
    return name;
}

static bool add_write(const struct td_model *model, struct td_opcode *opcode, size_t *n, const char *name, int depth);

// All names of a list, so many times.
static bool add_writes(const struct td_model *model, struct td_opcode *opcode, size_t *n, const char *list,
                       unsigned repeat, int depth) {
    size_t n_names;
    const char **names = td_list(model->arena, list, &n_names);
    for (unsigned r = 0; r < repeat; r++)
        for (size_t i = 0; i < n_names; i++)
            if (!add_write(model, opcode, n, names[i], depth + 1))
                return false;
    return true;
}

static bool add_write(const struct td_model *model, struct td_opcode *opcode, size_t *n, const char *name, int depth) {
    enum { DEEPEST = 6 };
    const struct td_atom *atom = find_atom(model, name);
    const struct td_record *record = td_records_find(model->records, name);
    if (!atom && record && (record->fields[TD_VARIANTS] || record->fields[TD_WRITES])) {
        if (depth > DEEPEST)
            return false;
        if (record->fields[TD_WRITES])
            return add_writes(model, opcode, n, record->fields[TD_WRITES], number_of(record->fields[TD_REPEAT], 1),
                              depth);
        size_t n_variants;
        const char **variants = td_list(model->arena, record->fields[TD_VARIANTS], &n_variants);
        const struct td_record *last = n_variants ? td_records_find(model->records, variants[n_variants - 1]) : NULL;
        opcode->is_variant = true;
        return last && last->fields[TD_SELECTED] && add_writes(model, opcode, n, last->fields[TD_SELECTED], 1, depth);
    }
    if (!atom && depth <= DEEPEST) {
        const char *other = follow_alias(model, name);
        if (other != name)
            return add_write(model, opcode, n, other, depth + 1);
    }
    if (!atom || *n == TD_MOST_ATOMS)
        return false;
    opcode->atoms[(*n)++] = (size_t)(atom - model->atoms);
    return true;
}

static bool is_read(const struct td_model *model, const char *name) {
    const struct td_record *record = td_records_find(model->records, name);
    int cycles;
    return strncmp(name, "Read", 4) == 0 || (record && record->fields[TD_CYCLES] && record->fields[TD_VALID_WRITES]) ||
           (td_model_advance(model, name, &cycles) && cycles);
}

struct td_opcode td_model_find(struct td_model *model, const char *opcode, const char *class_name) {
    const char *operands = class_name ? td_operands_of_class(model, class_name) : NULL;
    const struct td_record *record = operands     ? td_pseudo_with(model, opcode, operands)
                                     : class_name ? td_pseudo_of_class(model, class_name)
                                                  : td_records_find(model->records, opcode);
    struct td_opcode found = {.inst_rw = record ? find_inst_rw(model, record->name) : NULL,
                              .pseudo = class_name ? record : NULL};
    size_t n_operands, n_atoms = 0;
    if (!record && !operands) {
        found.why = "llvm-tblgen does not know it";
        return found;
    }
    if (!operands || found.inst_rw)
        operands = found.inst_rw ? found.inst_rw->fields[TD_OPERAND_READ_WRITES] : record->fields[TD_SCHED_RW];
    found.operands = td_list(model->arena, operands, &n_operands);
    found.n_operands = (unsigned)n_operands;
    while (found.n_writes < n_operands && found.n_writes < TD_MOST_WRITES &&
           !is_read(model, found.operands[found.n_writes])) {
        if (!add_write(model, &found, &n_atoms, found.operands[found.n_writes], 0)) {
            found.why = arena_printf(model->arena, "the file has no numbers of %s", found.operands[found.n_writes]);
            return found;
        }
        found.first[++found.n_writes] = (unsigned)n_atoms;
    }
    if (found.n_writes == 0)
        found.why = "it has no write in the file";
    for (unsigned i = found.n_writes; !found.why && i < n_operands; i++)
        if (!is_read(model, found.operands[i]))
            found.why = "writes follow reads";
    for (size_t i = 0; i < n_atoms && !found.why; i++)
        found.why = model->atoms[found.atoms[i]].why;
    return found;
}

bool td_model_advance(const struct td_model *model, const char *read, int *cycles) {
    *cycles = 0;
    for (size_t i = 0; i < model->n_reads; i++) {
        const struct td_record *record = model->reads[i];
        const char *name = record->fields[TD_READ_TYPE] ? record->fields[TD_READ_TYPE] : record->name;
        if (strcmp(name, read) != 0)
            continue;
        *cycles = (int)strtol(record->fields[TD_CYCLES], NULL, 10);
        return is_empty_list(record->fields[TD_VALID_WRITES]);
    }
    return true;
}

// ---- opening

static const char *find_model(const struct td_records *records, const char *cpu) {
    const char *quoted = NULL;
    struct arena arena = {0};
    const char *name = arena_printf(&arena, "\"%s\"", cpu);
    for (size_t i = 0; i < records->n_items && !quoted; i++)
        if (records->items[i].fields[TD_NAME] && strcmp(records->items[i].fields[TD_NAME], name) == 0)
            quoted = records->items[i].fields[TD_SCHED_MODEL];
    arena_free(&arena);
    return quoted;
}

bool td_model_is_nested(const struct machine *machine) {
    return machine->triple && text_starts(machine->triple, "riscv");
}

bool td_model_open(struct td_model *model, struct arena *arena, const struct td_records *records,
                   const struct machine *machine, const char *file, struct fail *fail) {
    *model = (struct td_model){.arena = arena, .machine = machine, .records = records, .file = file};
    model->name = find_model(records, machine->same_cpu && *machine->same_cpu ? machine->same_cpu : machine->cpu);
    if (!model->name)
        return fail_at(fail, file, 0, 0, "llvm-tblgen knows no processor '%s' with a scheduling model", machine->cpu);
    bool is_there = false;
    for (size_t i = 0; i < records->n_items; i++) {
        const struct td_record *record = &records->items[i];
        if (!is_of_model(model, record))
            continue;
        is_there |= record->file && strcmp(record->file, file) == 0;
        if (record->fields[TD_INSTRS]) {
            struct td_pattern pattern = {.inst_rw = record, .text = record->fields[TD_INSTRS]};
            read_set(arena, &pattern, pattern.text, false);
            *ARENA_ADD(arena, model->patterns, model->n_patterns) = pattern;
        } else if (record->fields[TD_NUM_MICRO_OPS] && record->fields[TD_PROC_RESOURCES]) {
            *ARENA_ADD(arena, model->atoms, model->n_atoms) = read_atom(model, record);
        } else if (record->fields[TD_CYCLES] && record->fields[TD_VALID_WRITES]) {
            *ARENA_ADD(arena, model->reads, model->n_reads) = record;
        }
    }
    if (!is_there)
        return fail_at(fail, file, 0, 0, "this file does not describe processor '%s': its model is %s", machine->cpu,
                       model->name);
    if (model->n_atoms)
        qsort(model->atoms, model->n_atoms, sizeof *model->atoms, compare_atoms);
    model->is_nested = td_model_is_nested(machine);
    if (model->is_nested)
        td_vectors_open(model);
    return true;
}

void td_model_close(struct td_model *model) {
    for (size_t i = 0; i < model->n_patterns; i++)
        for (size_t k = 0; k < model->patterns[i].n_parts; k++)
            if (model->patterns[i].parts[k].is_regex)
                regfree(&model->patterns[i].parts[k].regex);
}

// ---- numbers

static unsigned resource_number(const struct machine *machine, const char *name) {
    const struct resource *resource = machine_resource_named(machine, name);
    return resource ? (unsigned)(resource - machine->resources) : 0;
}

bool td_is_port(const struct machine *machine, const char *port, unsigned resource) {
    unsigned number = resource_number(machine, port);
    return number && (number == resource || machine_same_pipes(machine, number, resource));
}

bool td_is_inside(const struct machine *machine, const char *port, unsigned resource) {
    unsigned number = resource_number(machine, port);
    while (number && number != resource)
        number = machine->resources[number].super;
    return number != 0 && !td_is_port(machine, port, resource);
}

void td_model_numbers(const struct td_model *model, const struct td_opcode *opcode, struct td_numbers *atoms) {
    for (unsigned i = 0; i < opcode->first[opcode->n_writes]; i++)
        atoms[i] = model->atoms[opcode->atoms[i]].numbers;
}

static const char *compare_latencies(const struct td_opcode *opcode, const struct td_numbers *atoms,
                                     const struct repair_numbers *numbers) {
    unsigned latencies[TD_MOST_WRITES] = {0}, most = 0;
    for (unsigned w = 0; w < opcode->n_writes; w++) {
        for (unsigned i = opcode->first[w]; i < opcode->first[w + 1]; i++)
            latencies[w] += atoms[i].latency;
        most = latencies[w] > most ? latencies[w] : most;
    }
    for (unsigned w = 0; w < numbers->n_writes; w++)
        if (numbers->latencies[w] != (w < opcode->n_writes ? latencies[w] : most))
            return w < opcode->n_writes ? "the latencies of the file's writes cannot come to this"
                                        : "an implicit result has the longest latency of all";
    return NULL;
}

static const char *compare_uses(const struct td_model *model, const struct td_opcode *opcode,
                                const struct td_numbers *atoms, const struct repair_numbers *numbers) {
    unsigned n_atoms = opcode->first[opcode->n_writes];
    for (unsigned u = 0; u < numbers->n_uses; u++) {
        unsigned acquire = 0, release = 0;
        const struct repair_use *use = &numbers->uses[u];
        for (unsigned a = 0; a < n_atoms; a++)
            for (unsigned p = 0; p < atoms[a].n_ports; p++)
                if (td_is_port(model->machine, atoms[a].ports[p], use->resource) ||
                    td_is_inside(model->machine, atoms[a].ports[p], use->resource)) {
                    acquire += atoms[a].acquires[p];
                    release += atoms[a].cycles[p];
                }
        const unsigned until = use->release > use->acquire ? use->release : 0;
        // llvm-mca does not read when a resource is acquired: there it is at once.
        if (release != until || (use->acquire && acquire != use->acquire))
            return arena_printf(model->arena, "%s is held for as long as the ports in it",
                                model->machine->resources[use->resource].name);
    }
    for (unsigned a = 0; a < n_atoms; a++)
        for (unsigned p = 0; p < atoms[a].n_ports; p++) {
            bool is_used = atoms[a].cycles[p] == 0;
            for (unsigned u = 0; u < numbers->n_uses && !is_used; u++)
                is_used = td_is_port(model->machine, atoms[a].ports[p], numbers->uses[u].resource);
            if (!is_used)
                return arena_printf(model->arena, "the file also holds %s", atoms[a].ports[p]);
        }
    return NULL;
}

static const char *compare_reads(const struct td_model *model, const struct td_opcode *opcode,
                                 const struct repair_numbers *numbers) {
    for (unsigned r = 0; r < numbers->n_reads; r++) {
        unsigned at = opcode->n_writes + numbers->operands[r];
        int cycles = 0;
        if (at < opcode->n_operands && !td_model_advance(model, opcode->operands[at], &cycles))
            return "how early it reads depends on the write";
        if (cycles != numbers->advances[r])
            return "the file has other read-advances";
    }
    return NULL;
}

const char *td_model_compare(const struct td_model *model, const struct td_opcode *opcode,
                             const struct td_numbers *atoms, const struct repair_numbers *numbers, bool with_reads) {
    unsigned uops = 0;
    for (unsigned i = 0; i < opcode->first[opcode->n_writes]; i++)
        uops += atoms[i].uops;
    if (uops != numbers->uops)
        return "the micro-ops of the file's writes cannot come to this";
    const char *why = compare_latencies(opcode, atoms, numbers);
    if (!why)
        why = compare_uses(model, opcode, atoms, numbers);
    return why || !with_reads ? why : compare_reads(model, opcode, numbers);
}
