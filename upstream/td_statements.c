#include "upstream/td_statements.h"

#include <stdlib.h>
#include <string.h>

bool td_is_here(const struct td_plan *plan, const struct td_record *record) {
    return record->line && record->file && strcmp(record->file, plan->model->file) == 0;
}

enum td_freedom td_freedom_of(const struct td_plan *plan, const struct td_record *record) {
    return td_is_here(plan, record) ? plan->freedom[record->line] : TD_UNTOUCHED;
}

const char *td_list_of(struct arena *arena, const char *const *items, unsigned n) {
    struct text text = {.arena = arena};
    text_add(&text, "[");
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, "%s%s", i ? ", " : "", items[i]);
    text_add(&text, "]");
    return text.data;
}

const char *td_cycles_of(struct arena *arena, const unsigned *cycles, unsigned n) {
    struct text text = {.arena = arena};
    text_add(&text, "[");
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, "%s%u", i ? ", " : "", cycles[i]);
    text_add(&text, "]");
    return text.data;
}

const char *td_body_of(struct arena *arena, const struct td_numbers *numbers) {
    bool is_late = false;
    for (unsigned i = 0; i < numbers->n_ports; i++)
        is_late |= numbers->acquires[i] > 0;
    const char *late = is_late ? arena_printf(arena, "  let AcquireAtCycles = %s;\n",
                                              td_cycles_of(arena, numbers->acquires, numbers->n_ports))
                               : "";
    return arena_printf(arena, " {\n  let Latency = %u;\n%s  let ReleaseAtCycles = %s;\n  let NumMicroOps = %u;\n}",
                        numbers->latency, late, td_cycles_of(arena, numbers->cycles, numbers->n_ports), numbers->uops);
}

// The list with only those ports changed that differ: others keep the names that the file calls them by.
static void edit_ports(struct td_plan *plan, struct td_span list, const struct td_numbers *from,
                       const struct td_numbers *to) {
    size_t n = 0;
    if (plan->text.data[list.at] != '[' || from->n_ports != to->n_ports) {
        td_replace(&plan->text, list, td_list_of(plan->arena, to->ports, to->n_ports));
        return;
    }
    struct td_span *items = td_elements(&plan->text, list, &n);
    for (unsigned i = 0; i < n && i < to->n_ports; i++)
        if (strcmp(from->ports[i], to->ports[i]) != 0)
            td_replace(&plan->text, items[i], to->ports[i]);
}

static bool is_number(struct slice text) {
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.length > 0;
}

// "4" or "!add(Model.LoadLatency, 1)": of the latter, the last number changes.
static void edit_number(struct td_plan *plan, struct td_span span, unsigned from, unsigned to) {
    struct slice text = td_slice(&plan->text, span);
    if (text.length > 6 && memcmp(text.data, "!add(", 5) == 0) {
        struct td_span sum = {span.at + 4, span.end};
        size_t n;
        struct td_span *terms = ARENA_ARRAY(plan->arena, struct td_span, 1);
        *terms = (struct td_span){sum.at + 1, sum.end - 1};
        n = 0;
        for (size_t at = sum.end - 1; at > sum.at && !n; at--)
            if (plan->text.data[at - 1] == ',' || plan->text.data[at - 1] == ' ') {
                *terms = (struct td_span){at, sum.end - 1};
                n = 1;
            }
        struct slice last = td_slice(&plan->text, *terms);
        if (is_number(last)) {
            int value = (int)strtol(last.data, NULL, 10) + (int)to - (int)from;
            if (value >= 0) {
                td_replace(&plan->text, *terms, arena_printf(plan->arena, "%d", value));
                return;
            }
        }
    }
    td_replace(&plan->text, span, arena_printf(plan->arena, "%u", to));
}

static bool are_cycles_equal(const struct td_numbers *a, const struct td_numbers *b) {
    bool are_equal = a->n_ports == b->n_ports;
    for (unsigned i = 0; are_equal && i < a->n_ports; i++)
        are_equal = a->cycles[i] == b->cycles[i];
    return are_equal;
}

static bool are_ports_equal(const struct td_numbers *a, const struct td_numbers *b) {
    bool are_equal = a->n_ports == b->n_ports;
    for (unsigned i = 0; are_equal && i < a->n_ports; i++)
        are_equal = strcmp(a->ports[i], b->ports[i]) == 0;
    return are_equal;
}

static void edit_let(struct td_plan *plan, const struct td_statement *statement, const char *name, const char *value,
                     struct text *more) {
    struct td_span span;
    if (td_find_let(&plan->text, statement->body, name, &span))
        td_replace(&plan->text, span, value);
    else
        text_addf(more, "  let %s = %s;\n", name, value);
}

// "def NAME : SchedWriteRes<[...]> { let ... }", or "def : WriteRes<W, [...]> { let ... }"
static bool edit_def(struct td_plan *plan, const struct td_statement *statement, const struct td_atom *atom,
                     const struct td_numbers *to) {
    struct text more = {.arena = plan->arena};
    const struct td_numbers *from = &atom->numbers;
    bool is_named = td_is(&plan->text, statement->class_name, "SchedWriteRes");
    unsigned ports = is_named ? 0 : 1;
    if ((!is_named && !td_is(&plan->text, statement->class_name, "WriteRes")) || statement->n_arguments != ports + 1)
        return false;
    text_add(&more, "");
    if (!are_ports_equal(from, to))
        edit_ports(plan, statement->arguments[ports], from, to);
    bool has_body = statement->body.end > statement->body.at;
    if (!has_body) {
        struct td_span end = {statement->arguments_end + 1, statement->all.end};
        td_replace(&plan->text, end, td_body_of(plan->arena, to));
        return true;
    }
    struct td_span span;
    bool is_all = plan->freedom[atom->record->line] == TD_WRITTEN_OUT;
    if (from->latency != to->latency || is_all) {
        if (is_all)
            edit_let(plan, statement, "Latency", arena_printf(plan->arena, "%u", to->latency), &more);
        else if (td_find_let(&plan->text, statement->body, "Latency", &span))
            edit_number(plan, span, from->latency, to->latency);
        else
            text_addf(&more, "  let Latency = %u;\n", to->latency);
    }
    if (!are_cycles_equal(from, to) || is_all)
        edit_let(plan, statement, "ReleaseAtCycles", td_cycles_of(plan->arena, to->cycles, to->n_ports), &more);
    if (from->uops != to->uops || is_all)
        edit_let(plan, statement, "NumMicroOps", arena_printf(plan->arena, "%u", to->uops), &more);
    if (more.length)
        td_replace(&plan->text, (struct td_span){statement->body.end, statement->body.end}, more.data);
    return true;
}

enum role { ROLE_NONE, ROLE_PORTS, ROLE_LATENCY, ROLE_CYCLES, ROLE_UOPS, ROLE_LOAD_UOPS };

// What a multiclass's parameter is, by its type and name. A wrong guess shows when llvm-tblgen reads the result.
static enum role role_of(struct td_plan *plan, const struct td_parameter *parameter) {
    struct slice type = td_slice(&plan->text, parameter->type), name = td_slice(&plan->text, parameter->name);
    const char *word = text_lower(plan->arena, arena_copy(plan->arena, name.data, name.length)),
               *kind = arena_copy(plan->arena, type.data, type.length);
    bool is_load = strstr(word, "load") != NULL;
    if (strstr(kind, "ProcResourceKind"))
        return strncmp(kind, "list", 4) == 0 ? ROLE_PORTS : ROLE_NONE;
    if (strncmp(kind, "list<int>", 9) == 0)
        return is_load ? ROLE_NONE : ROLE_CYCLES;
    if (strncmp(kind, "int", 3) != 0)
        return ROLE_NONE;
    if (strncmp(word, "lat", 3) == 0)
        return ROLE_LATENCY;
    if (strstr(word, "uops") || strstr(word, "microops"))
        return is_load ? ROLE_LOAD_UOPS : ROLE_UOPS;
    return ROLE_NONE;
}

struct arguments {
    struct td_plan *plan;
    const struct td_statement *statement;
    struct td_parameter parameters[TD_MOST_ARGUMENTS];
    unsigned n_parameters, n_filled; // arguments behind the statement's own that are written
    struct text more;                // these
};

// The place of an argument. One that is left out gets its default, with all before it; then `is_new` is true, and its
// value must be appended to `more`.
static bool find_argument(struct arguments *arguments, enum role role, struct td_span *span, bool *is_new) {
    for (unsigned i = 0; i < arguments->n_parameters; i++) {
        if (role_of(arguments->plan, &arguments->parameters[i]) != role)
            continue;
        *is_new = i >= arguments->statement->n_arguments;
        if (!*is_new) {
            *span = arguments->statement->arguments[i];
            return true;
        }
        if (i < arguments->n_filled)
            return false; // parameters in an unusual order
        for (; arguments->n_filled < i; arguments->n_filled++) {
            struct slice value = td_slice(&arguments->plan->text, arguments->parameters[arguments->n_filled].value);
            if (value.length == 0)
                return false;
            text_addf(&arguments->more, ", %.*s", (int)value.length, value.data);
        }
        arguments->n_filled = i + 1;
        return true;
    }
    return false;
}

static bool edit_argument(struct arguments *arguments, enum role role, const char *value, unsigned from, unsigned to) {
    struct td_span span;
    bool is_new;
    if (!find_argument(arguments, role, &span, &is_new))
        return false;
    if (is_new)
        text_addf(&arguments->more, ", %s", value);
    else if (role == ROLE_CYCLES)
        td_replace(&arguments->plan->text, span, value);
    else
        edit_number(arguments->plan, span, from, to);
    return true;
}

// The uops that the write with a load has more: another parameter of the multiclass.
static bool edit_load_uops(struct arguments *arguments, size_t atom, size_t folded) {
    struct td_plan *plan = arguments->plan;
    int before = (int)plan->model->atoms[folded].numbers.uops - (int)plan->model->atoms[atom].numbers.uops,
        after = (int)plan->chosen[folded].uops - (int)plan->chosen[atom].uops;
    const char *number = arena_printf(plan->arena, "%d", after);
    struct td_span span;
    bool is_new;
    if (before == after)
        return true;
    if (!find_argument(arguments, ROLE_LOAD_UOPS, &span, &is_new))
        return false;
    if (is_new)
        text_addf(&arguments->more, ", /*LoadUOps=*/%s", number);
    else
        td_replace(&plan->text, span, number);
    return true;
}

// Of "defm : MULTICLASS<WRITE, ...>": `atom` is that of WRITE, `folded` that with a load; null: there is none.
static bool edit_defm(struct td_plan *plan, const struct td_statement *statement, size_t atom, const size_t *folded) {
    struct arguments arguments = {.plan = plan, .statement = statement, .n_filled = statement->n_arguments};
    const struct td_numbers *from = &plan->model->atoms[atom].numbers, *to = &plan->chosen[atom];
    arguments.more.arena = plan->arena;
    arguments.n_parameters =
        td_find_multiclass(&plan->text, td_slice(&plan->text, statement->class_name), arguments.parameters);
    text_add(&arguments.more, "");
    if (!are_ports_equal(from, to)) {
        struct td_span span;
        bool is_new;
        if (!find_argument(&arguments, ROLE_PORTS, &span, &is_new) || is_new)
            return false;
        edit_ports(plan, span, from, to);
    }
    const char *number = arena_printf(plan->arena, "%u", to->latency);
    if (from->latency != to->latency && !edit_argument(&arguments, ROLE_LATENCY, number, from->latency, to->latency))
        return false;
    if (!are_cycles_equal(from, to) &&
        !edit_argument(&arguments, ROLE_CYCLES, td_cycles_of(plan->arena, to->cycles, to->n_ports), 0, 0))
        return false;
    number = arena_printf(plan->arena, "%u", to->uops);
    if (from->uops != to->uops && !edit_argument(&arguments, ROLE_UOPS, number, from->uops, to->uops))
        return false;
    if (folded && !plan->is_free[*folded] && !edit_load_uops(&arguments, atom, *folded))
        return false;
    if (arguments.more.length)
        td_replace(&plan->text, (struct td_span){statement->arguments_end, statement->arguments_end},
                   arguments.more.data);
    return true;
}

// The multiclass for one write that a pair's stands for: "Zn4WriteResXMM" of "Zn4WriteResXMMPair". Null: there is none
// that takes a write, ports, latency, cycles and micro-ops.
static const char *single_of(struct td_plan *plan, const struct td_statement *statement) {
    static const char ending[] = "Pair";
    static const enum role roles[] = {ROLE_PORTS, ROLE_LATENCY, ROLE_CYCLES, ROLE_UOPS};
    enum { N_ROLES = sizeof roles / sizeof *roles };
    struct td_parameter parameters[TD_MOST_ARGUMENTS];
    struct slice name = td_slice(&plan->text, statement->class_name);
    size_t length = strlen(ending);
    if (name.length <= length || memcmp(name.data + name.length - length, ending, length) != 0)
        return NULL;
    name.length -= length;
    if (td_find_multiclass(&plan->text, name, parameters) != N_ROLES + 1)
        return NULL;
    for (unsigned i = 0; i < N_ROLES; i++)
        if (role_of(plan, &parameters[i + 1]) != roles[i])
            return NULL;
    return arena_copy(plan->arena, name.data, name.length);
}

// Each write of a statement by itself, with all its numbers.
static bool write_out(struct td_plan *plan, const struct td_statement *statement, const size_t *atoms, size_t n) {
    struct text text = {.arena = plan->arena};
    const char *single = single_of(plan, statement);
    for (size_t i = 0; i < n; i++) {
        const struct td_atom *atom = &plan->model->atoms[atoms[i]];
        const struct td_numbers *numbers = &plan->chosen[atoms[i]];
        const char *ports = td_list_of(plan->arena, numbers->ports, numbers->n_ports);
        if (!atom->record->fields[TD_WRITE_TYPE])
            return false;
        text_add(&text, i ? "\n" : "");
        if (single)
            text_addf(&text, "defm : %s<%s, %s, %u, %s, %u>;", single, atom->write, ports, numbers->latency,
                      td_cycles_of(plan->arena, numbers->cycles, numbers->n_ports), numbers->uops);
        else
            text_addf(&text, "def : WriteRes<%s, %s>%s", atom->write, ports, td_body_of(plan->arena, numbers));
    }
    td_replace(&plan->text, statement->all, text.data);
    return true;
}

// Edits the statement of these atoms, of which at least one changes. False: it is not understood.
static bool edit_statement(struct td_plan *plan, unsigned line, const size_t *atoms, size_t n) {
    struct td_statement statement;
    size_t n_edits = plan->text.n_edits;
    bool is_done = td_find_statement(&plan->text, line, &statement);
    if (is_done && !statement.is_defm) {
        is_done = n == 1 && edit_def(plan, &statement, &plan->model->atoms[*atoms], &plan->chosen[*atoms]);
    } else if (is_done && plan->freedom[line] == TD_ARGUMENTS) {
        size_t own = n;
        for (size_t i = 0; i < n; i++)
            if (statement.n_arguments && td_is(&plan->text, statement.arguments[0], plan->model->atoms[atoms[i]].write))
                own = i;
        is_done = own < n && n <= 2 && edit_defm(plan, &statement, atoms[own], n == 2 ? &atoms[1 - own] : NULL);
    } else if (is_done) {
        is_done = write_out(plan, &statement, atoms, n);
    }
    if (!is_done)
        plan->text.n_edits = n_edits;
    return is_done;
}

static int compare_places(const void *a, const void *b) {
    const struct td_place *one = a, *other = b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    return one->atom < other->atom ? -1 : one->atom > other->atom;
}

const struct td_place *td_find_places(const struct td_plan *plan, size_t *n) {
    struct td_place *places = NULL;
    *n = 0;
    for (size_t i = 0; i < plan->model->n_atoms; i++)
        if (td_is_here(plan, plan->model->atoms[i].record) && !plan->model->atoms[i].same_as)
            *ARENA_ADD(plan->arena, places, *n) = (struct td_place){plan->model->atoms[i].record->line, i};
    if (*n)
        qsort(places, *n, sizeof *places, compare_places);
    return places;
}

bool td_edit_statements(struct td_plan *plan) {
    size_t n;
    const struct td_place *places = td_find_places(plan, &n);
    bool is_good = true;
    for (size_t first = 0, end; first < n; first = end) {
        bool is_changed = plan->freedom[places[first].line] == TD_WRITTEN_OUT;
        size_t atoms[TD_MOST_ATOMS], n_atoms = 0;
        for (end = first; end < n && places[end].line == places[first].line; end++) {
            size_t atom = places[end].atom;
            is_changed |= !td_numbers_are_equal(&plan->model->atoms[atom].numbers, &plan->chosen[atom]);
            if (n_atoms < TD_MOST_ATOMS)
                atoms[n_atoms++] = atom;
        }
        if (!is_changed || plan->freedom[places[first].line] == TD_UNTOUCHED)
            continue;
        plan->n_statements++;
        if (end - first > TD_MOST_ATOMS || !edit_statement(plan, places[first].line, atoms, n_atoms)) {
            plan->freedom[places[first].line]++;
            is_good = false;
        }
    }
    return is_good;
}
