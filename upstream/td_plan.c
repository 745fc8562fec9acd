#include "upstream/td_plan.h"

#include "upstream/td_leave.h"
#include "upstream/td_loops.h"
#include "upstream/td_statements.h"
#include "upstream/td_vectors.h"

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
        numbers->acquires[i] = numbers->acquires[i + 1];
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
            const int acquire = (int)numbers->acquires[p] + (int)to->acquire - (int)from->acquire,
                      cycles = (int)numbers->cycles[p] + (int)to->release - (int)from->release;
            if (acquire < 0 || cycles < 0 || (cycles > 0 && cycles <= acquire))
                continue;
            if (to->resource != from->resource)
                numbers->ports[p] = name_like(machine, to->resource, numbers->ports[p]);
            numbers->acquires[p] = (unsigned)acquire;
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
    *wanted =
        (struct td_wanted){.change = change, .opcode = td_model_find(plan->model, change->opcode, td_class_of(change))};
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

static int compare_votes(const void *a, const void *b) {
    const struct vote *one = a, *other = b;
    if (one->atom != other->atom)
        return one->atom < other->atom ? -1 : 1;
    return td_numbers_compare(one->numbers, other->numbers);
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
        for (unsigned a = 0; !wanted->opcode.why && a < wanted->opcode.first[wanted->opcode.n_writes]; a++) {
            const struct td_atom *same = plan->model->atoms[wanted->opcode.atoms[a]].same_as;
            const size_t atom = same ? (size_t)(same - plan->model->atoms) : wanted->opcode.atoms[a];
            *ARENA_ADD(plan->arena, votes, n) = (struct vote){atom, 1, &wanted->numbers[a]};
        }
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
        if (most > stay && td_freedom_of(plan, atom->record) != TD_UNTOUCHED)
            plan->chosen[votes[first].atom] = *best;
    }
    for (size_t i = 0; i < plan->model->n_atoms; i++)
        if (plan->model->atoms[i].same_as)
            plan->chosen[i] = plan->chosen[plan->model->atoms[i].same_as - plan->model->atoms];
}

// ---- the whole

// Behind a comment or a string at this place; the place itself where there is none.
static size_t skip_text(const struct td_text *text, size_t at) {
    const char *data = text->data + at, *end;
    size_t rest = text->length - at;
    if (rest < 2)
        return at;
    if (data[0] == '/' && data[1] == '/') {
        end = memchr(data, '\n', rest);
    } else if (data[0] == '/' && data[1] == '*') {
        end = memmem(data + 2, rest - 2, "*/", 2);
        end = end ? end + 1 : NULL;
    } else if (data[0] == '"') {
        end = memchr(data + 1, '"', rest - 1);
    } else {
        return at;
    }
    return end ? (size_t)(end - text->data) + 1 : text->length;
}

// What is between the braces of the statement in this line, from 1. False: it has none.
static bool find_body(const struct td_text *text, unsigned line, struct td_span *body) {
    size_t at = 0, depth = 0;
    for (unsigned i = 1; i < line && at < text->length; at++)
        i += text->data[at] == '\n';
    while (at < text->length) {
        size_t next = skip_text(text, at);
        if (next > at) {
            at = next;
            continue;
        }
        char c = text->data[at++];
        if (c == '{' && depth++ == 0)
            body->at = at;
        if (c == ';' && !depth)
            return false;
        if (c == '}' && (!depth || --depth == 0)) {
            body->end = at - 1;
            return body->at > 0;
        }
    }
    return false;
}

// "def Znver4Model : SchedMachineModel {": without arguments. Where it has no width, td.c lists that.
static void edit_width(struct td_plan *plan) {
    const struct td_record *record = td_records_find(plan->model->records, plan->model->name);
    struct td_span body = {0}, value;
    if (!plan->request->dispatch_width || !record || !record->line || !record->file ||
        strcmp(record->file, plan->model->file) != 0)
        return;
    if (find_body(&plan->text, record->line, &body) && td_find_let(&plan->text, body, "IssueWidth", &value))
        td_replace(&plan->text, value, arena_printf(plan->arena, "%u", plan->request->dispatch_width));
}

void td_plan_make(struct td_plan *plan) {
    enum { MOST_TIMES = 4 }; // as often as a statement may be allowed less
    for (int i = 0; i < MOST_TIMES; i++) {
        plan->text.n_edits = 0;
        plan->n_statements = plan->n_inst_rws = 0;
        choose(plan);
        if (plan->model->is_nested ? td_edit_loops(plan) : td_edit_statements(plan))
            break;
    }
    td_let_leave(plan);
    edit_width(plan);
}
