#include "check/td_plan.h"

#include <stdlib.h>
#include <string.h>

// ---- what an opcode needs

// The model's name of a resource that is most like another name: several groups have the same pipes.
static const char *name_like(const struct machine *machine, unsigned resource, const char *like) {
    const char *best = machine->resources[resource].name;
    size_t most = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const char *name = machine->resources[i].name;
        size_t same = 0;
        if (i != resource && !machine_same_pipes(machine, i, resource))
            continue;
        while (name[same] && name[same] == like[same])
            same++;
        if (same > most) {
            most = same;
            best = name;
        }
    }
    return best;
}

static void remove_port(struct td_numbers *numbers, unsigned port) {
    for (unsigned i = port; i + 1 < numbers->n_ports; i++) {
        numbers->ports[i] = numbers->ports[i + 1];
        numbers->cycles[i] = numbers->cycles[i + 1];
    }
    numbers->n_ports--;
}

static unsigned held(const struct repair_use *use) {
    return use->release > use->acquire ? use->release - use->acquire : 0;
}

// Changes the port of one use. A resource that contains ports follows these.
static bool want_use(const struct td_plan *plan, struct td_wanted *wanted, unsigned u) {
    const struct machine *machine = plan->request->machine;
    const struct repair_use *from = &wanted->change->before.uses[u], *to = &wanted->change->after.uses[u];
    bool is_inside = false;
    for (unsigned a = 0; a < wanted->opcode.first[wanted->opcode.n_writes]; a++) {
        struct td_numbers *numbers = &wanted->numbers[a];
        for (unsigned p = 0; p < numbers->n_ports; p++) {
            is_inside |= td_is_inside(machine, numbers->ports[p], from->resource);
            if (!td_is_port(machine, numbers->ports[p], from->resource))
                continue;
            int cycles = (int)numbers->cycles[p] + (int)held(to) - (int)held(from);
            if (cycles < 0)
                continue;
            if (to->resource != from->resource)
                numbers->ports[p] = name_like(machine, to->resource, numbers->ports[p]);
            numbers->cycles[p] = (unsigned)cycles;
            if (cycles == 0)
                remove_port(numbers, p);
            return true;
        }
    }
    return is_inside;
}

static bool add_number(unsigned *number, int delta) {
    if ((int)*number + delta < 0)
        return false;
    *number = (unsigned)((int)*number + delta);
    return true;
}

static const char *want_numbers(const struct td_plan *plan, struct td_wanted *wanted) {
    const struct td_opcode *opcode = &wanted->opcode;
    const struct repair_numbers *before = &wanted->change->before, *after = &wanted->change->after;
    if (!add_number(&wanted->numbers[0].uops, (int)after->uops - (int)before->uops))
        return "its first write cannot take the change of micro-ops";
    for (unsigned w = 0; w < opcode->n_writes && w < before->n_writes; w++) {
        int delta = (int)after->latencies[w] - (int)before->latencies[w];
        unsigned a = opcode->first[w];
        while (delta && a < opcode->first[w + 1] && !add_number(&wanted->numbers[a].latency, delta))
            a++;
        if (delta && a == opcode->first[w + 1])
            return "no write of it can take the change of latency";
    }
    for (unsigned u = 0; u < before->n_uses; u++)
        if ((before->uses[u].resource != after->uses[u].resource || held(&before->uses[u]) != held(&after->uses[u])) &&
            !want_use(plan, wanted, u))
            return "no write of it holds the resource that changes";
    return NULL;
}

static bool is_changed(const struct repair_change *change) {
    return !repair_numbers_are_equal(&change->before, &change->after);
}

static void want(struct td_plan *plan, struct td_wanted *wanted, const struct repair_change *change) {
    *wanted = (struct td_wanted){.change = change, .opcode = td_model_find(plan->model, change->opcode)};
    wanted->why = wanted->opcode.why;
    if (wanted->why)
        return;
    td_model_numbers(plan->model, &wanted->opcode, wanted->numbers);
    if (change->depends_on_operands)
        wanted->why = "its numbers depend on its operands";
    else if (td_model_compare(plan->model, &wanted->opcode, wanted->numbers, &change->before, true))
        wanted->why =
            arena_printf(plan->arena, "the file has other numbers than LLVM's library: %s",
                         td_model_compare(plan->model, &wanted->opcode, wanted->numbers, &change->before, true));
    if (wanted->why || !is_changed(change))
        return;
    wanted->why = want_numbers(plan, wanted);
    struct repair_numbers after = change->after;
    if (!wanted->why && td_model_compare(plan->model, &wanted->opcode, wanted->numbers, &after, false) &&
        after.n_writes > wanted->opcode.n_writes) {
        after.n_writes = wanted->opcode.n_writes;
        wanted->has_other_results = true;
    }
    if (!wanted->why)
        wanted->why = td_model_compare(plan->model, &wanted->opcode, wanted->numbers, &after, false);
    if (wanted->why) {
        td_model_numbers(plan->model, &wanted->opcode, wanted->numbers); // it stays as it is
        wanted->has_other_results = false;
    }
    for (unsigned r = 0; !wanted->why && r < change->before.n_reads; r++)
        wanted->has_other_reads |= change->before.advances[r] != change->after.advances[r];
}

void td_plan_want(struct td_plan *plan) {
    plan->wanted = ARENA_ARRAY(plan->arena, struct td_wanted, plan->request->n_changes + 1);
    for (size_t i = 0; i < plan->request->n_changes; i++)
        want(plan, &plan->wanted[i], &plan->request->changes[i]);
}

// ---- choosing

struct vote {
    size_t atom, count;
    const struct td_numbers *numbers;
};

static int compare_numbers(const struct td_numbers *a, const struct td_numbers *b) {
    if (a->latency != b->latency)
        return a->latency < b->latency ? -1 : 1;
    if (a->uops != b->uops)
        return a->uops < b->uops ? -1 : 1;
    if (a->n_ports != b->n_ports)
        return a->n_ports < b->n_ports ? -1 : 1;
    for (unsigned i = 0; i < a->n_ports; i++) {
        int order = strcmp(a->ports[i], b->ports[i]);
        if (order || a->cycles[i] != b->cycles[i])
            return order ? order : a->cycles[i] < b->cycles[i] ? -1 : 1;
    }
    return 0;
}

static int compare_votes(const void *a, const void *b) {
    const struct vote *one = a, *other = b;
    if (one->atom != other->atom)
        return one->atom < other->atom ? -1 : 1;
    return compare_numbers(one->numbers, other->numbers);
}

static enum td_freedom freedom_of(const struct td_plan *plan, const struct td_record *record) {
    bool is_here = record->file && strcmp(record->file, plan->model->file) == 0;
    return is_here && record->line ? plan->freedom[record->line] : TD_UNTOUCHED;
}

// The numbers that most opcodes with this atom need; where as many need those that it has, it stays.
static void choose(struct td_plan *plan) {
    struct vote *votes = NULL;
    size_t n = 0;
    plan->chosen = ARENA_ARRAY(plan->arena, struct td_numbers, plan->model->n_atoms + 1);
    plan->is_free = ARENA_ARRAY(plan->arena, bool, plan->model->n_atoms + 1);
    for (size_t i = 0; i < plan->model->n_atoms; i++) {
        plan->chosen[i] = plan->model->atoms[i].numbers;
        plan->is_free[i] = true;
    }
    for (size_t i = 0; i < plan->request->n_changes; i++) {
        const struct td_wanted *wanted = &plan->wanted[i];
        for (unsigned a = 0; !wanted->opcode.why && a < wanted->opcode.first[wanted->opcode.n_writes]; a++)
            *ARENA_ADD(plan->arena, votes, n) = (struct vote){wanted->opcode.atoms[a], 1, &wanted->numbers[a]};
    }
    if (n)
        qsort(votes, n, sizeof *votes, compare_votes);
    for (size_t first = 0, end = 0; first < n; first = end) {
        size_t most = 0, stay = 0;
        const struct td_atom *atom = &plan->model->atoms[votes[first].atom];
        const struct td_numbers *best = &atom->numbers;
        plan->is_free[votes[first].atom] = false;
        for (size_t same = first; same < n && votes[same].atom == votes[first].atom; same = end) {
            for (end = same + 1; end < n && compare_votes(&votes[end], &votes[same]) == 0;)
                end++;
            if (td_numbers_are_equal(votes[same].numbers, &atom->numbers))
                stay = end - same;
            if (end - same > most) {
                most = end - same;
                best = votes[same].numbers;
            }
        }
        if (most > stay && freedom_of(plan, atom->record) != TD_UNTOUCHED)
            plan->chosen[votes[first].atom] = *best;
    }
}

// ---- statements

static const char *list_of(struct arena *arena, const char *const *items, unsigned n) {
    struct text text = {.arena = arena};
    text_add(&text, "[");
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, "%s%s", i ? ", " : "", items[i]);
    text_add(&text, "]");
    return text.data;
}

static const char *cycles_of(struct arena *arena, const struct td_numbers *numbers) {
    struct text text = {.arena = arena};
    text_add(&text, "[");
    for (unsigned i = 0; i < numbers->n_ports; i++)
        text_addf(&text, "%s%u", i ? ", " : "", numbers->cycles[i]);
    text_add(&text, "]");
    return text.data;
}

static const char *body_of(struct arena *arena, const struct td_numbers *numbers) {
    return arena_printf(arena, " {\n  let Latency = %u;\n  let ReleaseAtCycles = %s;\n  let NumMicroOps = %u;\n}",
                        numbers->latency, cycles_of(arena, numbers), numbers->uops);
}

// The list with only those ports changed that differ: others keep the names that the file calls them by.
static void edit_ports(struct td_plan *plan, struct td_span list, const struct td_numbers *from,
                       const struct td_numbers *to) {
    size_t n = 0;
    if (plan->text.data[list.at] != '[' || from->n_ports != to->n_ports) {
        td_replace(&plan->text, list, list_of(plan->arena, to->ports, to->n_ports));
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
        td_replace(&plan->text, end, body_of(plan->arena, to));
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
        edit_let(plan, statement, "ReleaseAtCycles", cycles_of(plan->arena, to), &more);
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
    if (!are_cycles_equal(from, to) && !edit_argument(&arguments, ROLE_CYCLES, cycles_of(plan->arena, to), 0, 0))
        return false;
    number = arena_printf(plan->arena, "%u", to->uops);
    if (from->uops != to->uops && !edit_argument(&arguments, ROLE_UOPS, number, from->uops, to->uops))
        return false;
    if (folded && !plan->is_free[*folded]) {
        int before = (int)plan->model->atoms[*folded].numbers.uops - (int)from->uops,
            after = (int)plan->chosen[*folded].uops - (int)to->uops;
        struct td_span span;
        bool is_new;
        number = arena_printf(plan->arena, "%d", after);
        if (before != after) {
            if (!find_argument(&arguments, ROLE_LOAD_UOPS, &span, &is_new))
                return false;
            if (is_new)
                text_addf(&arguments.more, ", /*LoadUOps=*/%s", number);
            else
                td_replace(&plan->text, span, number);
        }
    }
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
        const char *ports = list_of(plan->arena, numbers->ports, numbers->n_ports);
        if (!atom->record->fields[TD_WRITE_TYPE])
            return false;
        text_add(&text, i ? "\n" : "");
        if (single)
            text_addf(&text, "defm : %s<%s, %s, %u, %s, %u>;", single, atom->write, ports, numbers->latency,
                      cycles_of(plan->arena, numbers), numbers->uops);
        else
            text_addf(&text, "def : WriteRes<%s, %s>%s", atom->write, ports, body_of(plan->arena, numbers));
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

struct place {
    unsigned line;
    size_t atom;
};

static int compare_places(const void *a, const void *b) {
    const struct place *one = a, *other = b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    return one->atom < other->atom ? -1 : one->atom > other->atom;
}

// Edits all statements whose atoms change. False: one is not understood, and is allowed less from now on.
static bool edit_statements(struct td_plan *plan) {
    struct place *places = NULL;
    size_t n = 0;
    bool is_good = true;
    for (size_t i = 0; i < plan->model->n_atoms; i++)
        if (freedom_of(plan, plan->model->atoms[i].record) != TD_UNTOUCHED)
            *ARENA_ADD(plan->arena, places, n) = (struct place){plan->model->atoms[i].record->line, i};
    if (n)
        qsort(places, n, sizeof *places, compare_places);
    for (size_t first = 0, end; first < n; first = end) {
        bool is_changed = plan->freedom[places[first].line] == TD_WRITTEN_OUT;
        size_t atoms[TD_MOST_ATOMS], n_atoms = 0;
        for (end = first; end < n && places[end].line == places[first].line; end++) {
            size_t atom = places[end].atom;
            is_changed |= !td_numbers_are_equal(&plan->model->atoms[atom].numbers, &plan->chosen[atom]);
            if (n_atoms < TD_MOST_ATOMS)
                atoms[n_atoms++] = atom;
        }
        if (!is_changed)
            continue;
        plan->n_statements++;
        if (end - first > TD_MOST_ATOMS || !edit_statement(plan, places[first].line, atoms, n_atoms)) {
            plan->freedom[places[first].line]++;
            is_good = false;
        }
    }
    return is_good;
}

// ---- opcodes that leave their write

struct leaver {
    const struct td_wanted *wanted;
    const char *operands; // the InstRW's list, with a mark for each write of its own
};

static bool needs_own(const struct td_plan *plan, const struct td_wanted *wanted, unsigned write) {
    for (unsigned a = wanted->opcode.first[write]; a < wanted->opcode.first[write + 1]; a++)
        if (!td_numbers_are_equal(&wanted->numbers[a], &plan->chosen[wanted->opcode.atoms[a]]))
            return true;
    return false;
}

// All atoms of a write as one.
static struct td_numbers sum_of(const struct td_wanted *wanted, unsigned write) {
    struct td_numbers sum = {0};
    for (unsigned a = wanted->opcode.first[write]; a < wanted->opcode.first[write + 1]; a++) {
        const struct td_numbers *numbers = &wanted->numbers[a];
        sum.latency += numbers->latency;
        sum.uops += numbers->uops;
        for (unsigned p = 0; p < numbers->n_ports && sum.n_ports < TD_MOST_PORTS; p++) {
            unsigned at = 0;
            while (at < sum.n_ports && strcmp(sum.ports[at], numbers->ports[p]) != 0)
                at++;
            sum.ports[at] = numbers->ports[p];
            sum.cycles[at] += numbers->cycles[p];
            sum.n_ports += at == sum.n_ports;
        }
    }
    return sum;
}

// A SchedRead that comes so early; "" where there is none such.
static const char *read_with(const struct td_plan *plan, const struct td_wanted *wanted, int cycles) {
    int other;
    for (unsigned i = wanted->opcode.n_writes; i < wanted->opcode.n_operands; i++)
        if (td_model_advance(plan->model, wanted->opcode.operands[i], &other) && other == cycles)
            return wanted->opcode.operands[i];
    for (size_t i = 0; cycles && i < plan->model->n_reads; i++) {
        const struct td_record *record = plan->model->reads[i];
        const char *name = record->fields[TD_READ_TYPE] ? record->fields[TD_READ_TYPE] : record->name;
        if (td_model_advance(plan->model, name, &other) && other == cycles)
            return name;
    }
    return cycles ? "" : "ReadDefault";
}

static const char *reads_of(struct td_plan *plan, const struct td_wanted *wanted) {
    const char *reads[TD_MOST_READS];
    unsigned n = 0;
    struct text text = {.arena = plan->arena};
    const struct td_opcode *opcode = &wanted->opcode;
    for (; opcode->n_writes + n < opcode->n_operands && n < TD_MOST_READS; n++)
        reads[n] = opcode->operands[opcode->n_writes + n];
    for (unsigned r = 0; r < wanted->change->after.n_reads; r++) {
        unsigned at = wanted->change->after.operands[r];
        int cycles = wanted->change->after.advances[r], now = 0;
        if (at >= TD_MOST_READS || (at >= n && cycles == 0))
            continue;
        for (; n <= at; n++)
            reads[n] = "ReadDefault";
        if (td_model_advance(plan->model, reads[at], &now) && now == cycles)
            continue;
        const char *name = read_with(plan, wanted, cycles);
        reads[at] = *name ? name : arena_printf(plan->arena, "?%d", cycles);
    }
    while (n && strcmp(reads[n - 1], "ReadDefault") == 0)
        n--;
    text_add(&text, "");
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, ", %s", reads[i]);
    return text.data;
}

static const char *operands_of(struct td_plan *plan, const struct td_wanted *wanted) {
    struct text text = {.arena = plan->arena};
    for (unsigned w = 0; w < wanted->opcode.n_writes; w++) {
        text_add(&text, w ? ", " : "");
        if (!needs_own(plan, wanted, w)) {
            text_add(&text, wanted->opcode.operands[w]);
            continue;
        }
        struct td_numbers sum = sum_of(wanted, w);
        text_addf(&text, "!%s%s", list_of(plan->arena, sum.ports, sum.n_ports), body_of(plan->arena, &sum));
    }
    for (unsigned w = wanted->opcode.n_writes; wanted->has_other_results && w < wanted->change->after.n_writes; w++) {
        struct td_numbers result = {.latency = wanted->change->after.latencies[w]};
        text_addf(&text, ", ![]%s", body_of(plan->arena, &result));
    }
    text_add(&text, reads_of(plan, wanted));
    return text.data;
}

static int compare_leavers(const void *a, const void *b) {
    const struct leaver *one = a, *other = b;
    int order = strcmp(one->operands, other->operands);
    return order ? order : strcmp(one->wanted->change->opcode, other->wanted->change->opcode);
}

// What all resources' names begin with: "Zn4".
static const char *prefix_of(struct arena *arena, const struct td_model *model) {
    const struct machine *machine = model->machine;
    size_t length = machine->n_resources > 1 ? strlen(machine->resources[1].name) : 0;
    for (unsigned i = 2; i < machine->n_resources; i++) {
        size_t same = 0;
        while (same < length && machine->resources[i].name[same] == machine->resources[1].name[same])
            same++;
        length = same;
    }
    return length >= 2 ? arena_copy(arena, machine->resources[1].name, length) : model->name;
}

static const char *free_name(struct td_plan *plan, const char *name) {
    const char *wanted = name;
    for (unsigned i = 2; td_records_find(plan->model->records, wanted); i++)
        wanted = arena_printf(plan->arena, "%s_%u", name, i);
    return wanted;
}

// "Zn4WriteVPABSBrr": the write with these numbers, which it defines.
static const char *define_write(struct td_plan *plan, struct text *text, const char *opcode, unsigned write,
                                struct slice numbers) {
    const char *name = free_name(plan, arena_printf(plan->arena, "%sWrite%s%s", prefix_of(plan->arena, plan->model),
                                                    opcode, write ? arena_printf(plan->arena, "_%u", write) : ""));
    const char *end = memmem(numbers.data, numbers.length, " {", 2);
    text_addf(text, "def %s : SchedWriteRes<%.*s>%.*s\n", name, (int)(end - numbers.data), numbers.data,
              (int)(numbers.length - (size_t)(end - numbers.data)), end);
    return name;
}

static const char *define_read(struct td_plan *plan, struct text *text, int cycles, const char ***known, size_t *n) {
    const char *name = arena_printf(plan->arena, "%sRead%d%s", prefix_of(plan->arena, plan->model), abs(cycles),
                                    cycles < 0 ? "Late" : "Early");
    if (text_find(name, *known, *n) < *n)
        return name;
    *ARENA_ADD(plan->arena, *known, *n) = name;
    text_addf(text, "def %s : SchedReadAdvance<%d>;\n", name, cycles);
    return name;
}

static void add_names(struct text *text, const struct leaver *leavers, size_t n, size_t column) {
    enum { COLUMNS = 80 };
    size_t start = column;
    for (size_t i = 0; i < n; i++) {
        const char *name = leavers[i].wanted->change->opcode;
        if (i && column + strlen(name) + 3 > COLUMNS) {
            text_addf(text, ",\n%*s", (int)start, "");
            column = start;
        } else if (i) {
            text_add(text, ", ");
            column += 2;
        }
        text_add(text, name);
        column += strlen(name);
    }
}

// The definitions and the InstRW of opcodes that need the same.
static void add_group(struct td_plan *plan, struct text *text, const struct leaver *leavers, size_t n,
                      const char ***reads, size_t *n_reads) {
    struct text list = {.arena = plan->arena};
    const char *at = leavers->operands;
    text_add(&list, "");
    for (unsigned w = 0; *at; w++) {
        if (*at == '!') {
            const char *end = strchr(at, '}') + 1;
            text_add(&list, define_write(plan, text, leavers->wanted->change->opcode, w,
                                         (struct slice){at + 1, (size_t)(end - at - 1)}));
            at = end;
        } else if (*at == '?') {
            text_add(&list, define_read(plan, text, (int)strtol(at + 1, NULL, 10), reads, n_reads));
            at += strcspn(at, ",");
        } else {
            size_t length = strcspn(at, ",");
            text_append(&list, at, length);
            at += length;
        }
        if (*at) {
            text_add(&list, ", ");
            at += strspn(at, ", ");
        }
    }
    text_addf(text, "def : InstRW<[%s],\n             (instrs ", list.data);
    add_names(text, leavers, n, strlen("             (instrs "));
    text_add(text, ")>;\n");
    plan->n_inst_rws++;
}

// Takes opcodes out of the InstRW that names them. False: that is not understood.
static bool take_out(struct td_plan *plan, const struct td_record *inst_rw, const char *const *opcodes, size_t n) {
    struct td_statement statement;
    bool is_here = inst_rw->file && strcmp(inst_rw->file, plan->model->file) == 0;
    if (!is_here || !td_find_statement(&plan->text, inst_rw->line, &statement) || statement.is_defm ||
        !td_is(&plan->text, statement.class_name, "InstRW") || statement.n_arguments != 2)
        return false;
    struct td_span set = statement.arguments[1];
    struct slice text = td_slice(&plan->text, set);
    if (text.length < 8 || memcmp(text.data, "(instrs", 7) != 0) {
        struct text by = {.arena = plan->arena};
        text_addf(&by, "(sub %.*s,\n        (instrs ", (int)text.length, text.data);
        struct leaver *names = ARENA_ARRAY(plan->arena, struct leaver, n);
        struct td_wanted *wanted = ARENA_ARRAY(plan->arena, struct td_wanted, n);
        struct repair_change *changes = ARENA_ARRAY(plan->arena, struct repair_change, n);
        for (size_t i = 0; i < n; i++) {
            changes[i].opcode = opcodes[i];
            wanted[i].change = &changes[i];
            names[i].wanted = &wanted[i];
        }
        add_names(&by, names, n, strlen("        (instrs "));
        text_add(&by, "))");
        td_replace(&plan->text, set, by.data);
        return true;
    }
    size_t n_items, kept = 0;
    struct td_span *items = td_elements(&plan->text, set, &n_items);
    bool *leaves = ARENA_ARRAY(plan->arena, bool, n_items + 1);
    for (size_t i = 0; i < n_items; i++) {
        for (size_t k = 0; k < n && !leaves[i]; k++)
            leaves[i] = td_is(&plan->text, items[i], opcodes[k]);
        kept += !leaves[i];
    }
    if (kept == 0) {
        size_t end = statement.all.end;
        end += end < plan->text.length && plan->text.data[end] == '\n';
        td_replace(&plan->text, (struct td_span){statement.all.at, end}, "");
        return true;
    }
    for (size_t i = 0, next; i < n_items; i = next) {
        next = i + 1;
        if (!leaves[i])
            continue;
        while (next < n_items && leaves[next])
            next++;
        if (next < n_items)
            td_replace(&plan->text, (struct td_span){items[i].at, items[next].at}, "");
        else
            td_replace(&plan->text, (struct td_span){items[i - 1].end, items[n_items - 1].end}, "");
    }
    return true;
}

static int compare_inst_rws(const void *a, const void *b) {
    const struct leaver *one = a, *other = b;
    const struct td_record *x = one->wanted->opcode.inst_rw, *y = other->wanted->opcode.inst_rw;
    if (x != y)
        return x < y ? -1 : 1;
    return strcmp(one->wanted->change->opcode, other->wanted->change->opcode);
}

// Where the new statements go: before the brace that ends "let SchedModel = ... in {" at the file's end, or behind all.
static size_t find_end(const struct td_plan *plan, bool *is_inside) {
    const struct td_text *text = &plan->text;
    size_t at = text->length;
    *is_inside = false;
    const char *opening = memmem(text->data, text->length, "\nlet SchedModel = ", 18);
    for (const char *next = opening; next;
         next = memmem(next + 1, text->length - (size_t)(next + 1 - text->data), "\nlet SchedModel = ", 18))
        opening = next;
    for (size_t end = text->length; end > 0 && opening; end = at) {
        at = end - 1;
        while (at > 0 && text->data[at - 1] != '\n')
            at--;
        if (text->data[at] == '}') {
            *is_inside = true;
            return at;
        }
        if (end - at > 1 && text->data[at] != '/')
            break; // a line that is neither empty nor a comment
    }
    return text->length;
}

static void let_leave(struct td_plan *plan) {
    struct leaver *leavers = NULL;
    const char **reads = NULL, **opcodes = NULL;
    size_t n = 0, n_reads = 0;
    for (size_t i = 0; i < plan->request->n_changes; i++) {
        struct td_wanted *wanted = &plan->wanted[i];
        bool leaves = wanted->has_other_reads || wanted->has_other_results;
        for (unsigned w = 0; !wanted->opcode.why && w < wanted->opcode.n_writes; w++)
            leaves |= needs_own(plan, wanted, w);
        if (!leaves || wanted->why || wanted->opcode.is_variant)
            continue;
        *ARENA_ADD(plan->arena, leavers, n) = (struct leaver){wanted, operands_of(plan, wanted)};
    }
    if (!n)
        return;
    qsort(leavers, n, sizeof *leavers, compare_inst_rws);
    size_t n_kept = 0;
    for (size_t first = 0, end; first < n; first = end) {
        const struct td_record *inst_rw = leavers[first].wanted->opcode.inst_rw;
        size_t n_opcodes = 0;
        for (end = first; end < n && leavers[end].wanted->opcode.inst_rw == inst_rw; end++)
            *ARENA_ADD(plan->arena, opcodes, n_opcodes) = leavers[end].wanted->change->opcode;
        if (!inst_rw || take_out(plan, inst_rw, opcodes, n_opcodes))
            for (size_t i = first; i < end; i++)
                leavers[n_kept++] = leavers[i];
    }
    qsort(leavers, n_kept, sizeof *leavers, compare_leavers);
    struct text text = {.arena = plan->arena};
    bool is_inside;
    size_t at = find_end(plan, &is_inside);
    text_add(&text, "\n// Opcodes that were measured to differ from their class.\n");
    if (!is_inside)
        text_addf(&text, "let SchedModel = %s in {\n", plan->model->name);
    for (size_t first = 0, end; first < n_kept; first = end) {
        for (end = first + 1; end < n_kept && strcmp(leavers[end].operands, leavers[first].operands) == 0;)
            end++;
        add_group(plan, &text, &leavers[first], end - first, &reads, &n_reads);
    }
    text_add(&text, is_inside ? "\n" : "} // SchedModel\n");
    if (n_kept)
        td_replace(&plan->text, (struct td_span){at, at}, text.data);
}

// ---- the whole

static void edit_width(struct td_plan *plan) {
    const struct td_record *record = td_records_find(plan->model->records, plan->model->name);
    struct td_span value;
    if (!plan->request->dispatch_width || !record || !record->line)
        return;
    // "def Znver4Model : SchedMachineModel {": without arguments, so its braces are found here.
    const char *found = memmem(plan->text.data, plan->text.length, "let IssueWidth", 14);
    if (!found)
        return;
    struct td_span body = {(size_t)(found - plan->text.data), plan->text.length};
    if (td_find_let(&plan->text, body, "IssueWidth", &value))
        td_replace(&plan->text, value, arena_printf(plan->arena, "%u", plan->request->dispatch_width));
}

void td_plan_make(struct td_plan *plan) {
    enum { MOST_TIMES = 4 }; // as often as a statement may be allowed less
    for (int i = 0; i < MOST_TIMES; i++) {
        plan->text.n_edits = 0;
        plan->n_statements = plan->n_inst_rws = 0;
        choose(plan);
        if (edit_statements(plan))
            break;
    }
    let_leave(plan);
    edit_width(plan);
}
