#include "upstream/td_loops.h"

#include "upstream/td_loop_values.h"
#include "upstream/td_statements.h"

#include <stdlib.h>
#include <string.h>

// ---- a statement's turns

static bool is_changed(const struct td_plan *plan, size_t atom) {
    return !td_numbers_are_equal(&plan->model->atoms[atom].numbers, &plan->chosen[atom]);
}

// Refuses a statement for good, for this reason.
static bool refuse(struct td_plan *plan, unsigned line, const char *why) {
    plan->why[line] = why;
    plan->freedom[line] = TD_UNTOUCHED;
    return false;
}

// The condition under which a statement of several models makes this one's write; "": it is this one's alone. Null:
// there is no telling.
static const char *only_of(const struct td_plan *plan, unsigned line) {
    bool is_shared = false;
    for (size_t i = 0; i < plan->model->n_shared && !is_shared; i++)
        is_shared = plan->model->shared[i] == line;
    if (!is_shared)
        return "";
    const struct td_text *text = &plan->text;
    const size_t at = td_line_start(text, line);
    const char *header = td_last_word(text, at, "multiclass"), *end = header ? strchr(header, '{') : NULL;
    if (!end || end > text->data + at || !plan->model->vlen || !memmem(header, (size_t)(end - header), "int VLEN", 8))
        return NULL;
    return arena_printf(plan->arena, "!eq(VLEN, %u)", plan->model->vlen);
}

static bool add_turn(struct td_plan *plan, struct td_loop *loop, size_t atom) {
    struct td_turn turn = {.atom = atom};
    const struct td_numbers *from = &plan->model->atoms[atom].numbers, *to = &plan->chosen[atom];
    if (!td_loop_match(loop, plan->model->atoms[atom].write, &turn))
        return refuse(plan, loop->line, "how its loops name it is not understood");
    for (unsigned p = 0; from->n_ports == to->n_ports && p < to->n_ports; p++)
        if (from->acquires[p] != to->acquires[p])
            return refuse(plan, loop->line, "it acquires its pipes at another cycle");
    if (loop->n_turns && from->n_ports != plan->model->atoms[loop->turns->atom].numbers.n_ports)
        return refuse(plan, loop->line, "its loops give it several numbers of pipes");
    *ARENA_ADD(plan->arena, loop->turns, loop->n_turns) = turn;
    return true;
}

// ---- values

// Old and new texts of one number in all turns, and what the file says now.
static struct td_loop_change change_of(struct td_plan *plan, const struct td_loop *loop, const char *now,
                                       const char *(*print)(struct arena *, const struct td_numbers *, unsigned),
                                       unsigned element) {
    struct td_loop_change change = {.now = now,
                                    .from = ARENA_ARRAY(plan->arena, const char *, loop->n_turns),
                                    .to = ARENA_ARRAY(plan->arena, const char *, loop->n_turns)};
    for (size_t t = 0; t < loop->n_turns; t++) {
        const size_t atom = loop->turns[t].atom;
        change.from[t] = print(plan->arena, &plan->model->atoms[atom].numbers, element);
        change.to[t] = print(plan->arena, &plan->chosen[atom], element);
    }
    return change;
}

static const char *print_latency(struct arena *arena, const struct td_numbers *numbers, unsigned element) {
    (void)element;
    return arena_printf(arena, "%u", numbers->latency);
}

static const char *print_uops(struct arena *arena, const struct td_numbers *numbers, unsigned element) {
    (void)element;
    return arena_printf(arena, "%u", numbers->uops);
}

static const char *print_cycles(struct arena *arena, const struct td_numbers *numbers, unsigned element) {
    return arena_printf(arena, "%u", numbers->cycles[element]);
}

// Among the cases of a condition, an empty list has no type of its own.
static const char *print_all_cycles(struct arena *arena, const struct td_numbers *numbers, unsigned element) {
    (void)element;
    return numbers->n_ports ? td_cycles_of(arena, numbers->cycles, numbers->n_ports) : "[]<int>";
}

static const char *print_ports(struct arena *arena, const struct td_numbers *numbers, unsigned element) {
    (void)element;
    return numbers->n_ports ? td_list_of(arena, numbers->ports, numbers->n_ports) : "[]<ProcResourceKind>";
}

static const char *text_of(struct td_plan *plan, struct td_span span) {
    return arena_copy(plan->arena, plan->text.data + span.at, span.end - span.at);
}

// The list of cycles with those elements changed that differ; all of it where its length does. Null: it is no list.
static const char *new_cycles(struct td_plan *plan, struct td_loop *loop, const struct td_span *span) {
    const unsigned n_ports = plan->model->atoms[loop->turns->atom].numbers.n_ports;
    struct text text = {.arena = plan->arena};
    size_t n = n_ports;
    struct td_span *items = NULL;
    bool is_longer = false;
    for (size_t t = 0; t < loop->n_turns; t++)
        is_longer |= plan->chosen[loop->turns[t].atom].n_ports != n_ports;
    if (is_longer) {
        const struct td_loop_change all =
            change_of(plan, loop, span ? text_of(plan, *span) : "[]", print_all_cycles, 0);
        return td_loop_value(plan, loop, &all);
    }
    if (span && plan->text.data[span->at] == '[')
        items = td_elements(&plan->text, *span, &n);
    if ((span && !items) || (n && n != n_ports))
        return NULL;
    text_add(&text, "[");
    for (unsigned p = 0; p < n_ports; p++) {
        const struct td_loop_change change =
            change_of(plan, loop, items && n ? text_of(plan, items[p]) : "1", print_cycles, p);
        if (items && n == 1)
            td_loop_try_table(plan, loop, TD_LOOP_CYCLES, &change, *items);
        text_addf(&text, "%s%s", p ? ", " : "", td_loop_value(plan, loop, &change));
    }
    text_add(&text, "]");
    return text.data;
}

static bool differs(const struct td_plan *plan, const struct td_loop *loop, enum td_loop_number number) {
    bool does = false;
    for (size_t t = 0; t < loop->n_turns; t++) {
        const struct td_numbers *a = &plan->model->atoms[loop->turns[t].atom].numbers,
                                *b = &plan->chosen[loop->turns[t].atom];
        does |= number == TD_LOOP_LATENCY ? a->latency != b->latency
                : number == TD_LOOP_UOPS  ? a->uops != b->uops
                                          : a->n_ports != b->n_ports;
        for (unsigned p = 0; number == TD_LOOP_CYCLES && p < a->n_ports && p < b->n_ports; p++)
            does |= a->cycles[p] != b->cycles[p];
    }
    return does;
}

// Sets what a number's `let` shall say for this statement.
static bool set_value(struct td_plan *plan, struct td_loop *loop, enum td_loop_number number) {
    const enum td_field field = td_loop_fields[number];
    struct td_span span, *found = NULL;
    if (!differs(plan, loop, number))
        return true;
    loop->let_lines[number] = plan->model->atoms[loop->turns->atom].record->lines[field];
    for (size_t t = 0; t < loop->n_turns; t++)
        if (plan->model->atoms[loop->turns[t].atom].record->lines[field] != loop->let_lines[number])
            return refuse(plan, loop->line, "several statements give it its numbers");
    if (loop->let_lines[number]) {
        if (!td_find_value(&plan->text, loop->let_lines[number], td_loop_names[number], &span))
            return refuse(plan, loop->line, "the statement that gives it its numbers is not understood");
        found = &span;
    }
    if (number == TD_LOOP_CYCLES) {
        loop->values[number] = new_cycles(plan, loop, found);
    } else {
        const struct td_loop_change change = change_of(plan, loop, found ? text_of(plan, span) : "1",
                                                       number == TD_LOOP_LATENCY ? print_latency : print_uops, 0);
        if (found)
            td_loop_try_table(plan, loop, number, &change, span);
        loop->values[number] = td_loop_value(plan, loop, &change);
    }
    loop->let_spans[number] = found ? span : (struct td_span){0, 0};
    return loop->values[number] || refuse(plan, loop->line, "its cycles are not a list in brackets");
}

// Another pipe for some turns: in the list of the statement itself.
static bool set_ports(struct td_plan *plan, struct td_loop *loop) {
    const struct td_loop_change change = change_of(plan, loop, "", print_ports, 0);
    bool does = false;
    for (size_t t = 0; t < loop->n_turns; t++)
        does |= strcmp(change.from[t], change.to[t]) != 0;
    if (!does)
        return true;
    if (*loop->only || loop->is_variant || loop->ports >= loop->statement.n_arguments)
        return refuse(plan, loop->line, "its pipes are parameters of a multiclass, which several models share");
    struct td_loop_change whole = change;
    whole.now = text_of(plan, loop->statement.arguments[loop->ports]);
    td_replace(&plan->text, loop->statement.arguments[loop->ports], td_loop_value(plan, loop, &whole));
    return true;
}

// A variant's numbers are its arguments: of LMULWriteResMXVariant<NAME, PREDICATE, resources, latency, acquire cycles,
// release cycles, and the same again for operands of which nothing is special, ...> in RISCVScheduleV.td.
static bool edit_variant(struct td_plan *plan, struct td_loop *loop) {
    enum { LATENCY = 7, CYCLES = 9 };
    if (differs(plan, loop, TD_LOOP_UOPS) || loop->statement.n_arguments <= CYCLES)
        return refuse(plan, loop->line, "it has no argument for micro-ops");
    const struct td_span latency = loop->statement.arguments[LATENCY], cycles = loop->statement.arguments[CYCLES];
    if (differs(plan, loop, TD_LOOP_LATENCY)) {
        const struct td_loop_change change = change_of(plan, loop, text_of(plan, latency), print_latency, 0);
        td_replace(&plan->text, latency, td_loop_value(plan, loop, &change));
    }
    const char *list = differs(plan, loop, TD_LOOP_CYCLES) ? new_cycles(plan, loop, &cycles) : "";
    if (!list)
        return refuse(plan, loop->line, "its cycles are not a list in brackets");
    if (*list)
        td_replace(&plan->text, cycles, list);
    return true;
}

// ---- statements

// The statement with all of its turns and what they shall say. False: it is not understood.
static bool open_loop(struct td_plan *plan, struct td_loop *loop, const struct td_place *places, size_t n) {
    if (!td_find_statement(&plan->text, loop->line, &loop->statement) || !td_loop_read_name(plan, loop))
        return refuse(plan, loop->line, "its statement is not understood");
    loop->only = only_of(plan, loop->line);
    if (!loop->only)
        return refuse(plan, loop->line, "its statement is other models', too, and nothing there tells them apart");
    for (size_t i = 0; i < n; i++) {
        // Of a variant, the last choice is the numbers of an opcode; the other one stays.
        if (loop->is_variant && !td_loop_is_last_choice(plan->model->atoms[places[i].atom].write))
            continue;
        if (!add_turn(plan, loop, places[i].atom))
            return false;
    }
    if (!loop->n_turns)
        return refuse(plan, loop->line, "its statement is not understood");
    if (!set_ports(plan, loop))
        return false;
    if (loop->is_variant)
        return edit_variant(plan, loop);
    for (enum td_loop_number number = 0; number < TD_LOOP_N_NUMBERS; number++)
        if (!set_value(plan, loop, number))
            return false;
    td_loop_settle_tables(loop);
    return true;
}

// Statements whose number this line's `let` sets.
static size_t count_below(const struct td_plan *plan, const struct td_place *places, size_t n, unsigned line,
                          enum td_field field) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += plan->model->atoms[places[i].atom].record->lines[field] == line &&
                 (i == 0 || places[i - 1].line != places[i].line);
    return count;
}

// Where all statements below a `let` shall have the same, it changes itself.
static void edit_lets(struct td_plan *plan, struct td_loop *loops, size_t n, const struct td_place *places,
                      size_t n_places) {
    for (size_t i = 0; i < n; i++)
        for (enum td_loop_number number = 0; number < TD_LOOP_N_NUMBERS; number++) {
            const struct td_loop *loop = &loops[i];
            const unsigned line = loop->let_lines[number];
            size_t n_alike = 0;
            if (!loop->values[number] || !line || !td_loop_is_in_scope(plan, loop, loop->let_spans[number].at))
                continue;
            for (size_t k = 0; k < n; k++)
                n_alike += loops[k].values[number] && loops[k].let_lines[number] == line &&
                           strcmp(loops[k].values[number], loop->values[number]) == 0;
            if (n_alike != count_below(plan, places, n_places, line, td_loop_fields[number]))
                continue;
            if (!loop->is_in_table[number])
                td_replace(&plan->text, loop->let_spans[number], loop->values[number]);
            else
                td_loop_edit_tables(plan, loop, number);
            for (size_t k = n; k-- > i;) // the last one is this
                if (loops[k].let_lines[number] == line)
                    loops[k].values[number] = NULL;
        }
}

// "let Latency = 4, ReleaseAtCycles = [2] in"; "": there is nothing to say.
static const char *own_let(struct td_plan *plan, const struct td_loop *loop, size_t indent) {
    enum { COLUMNS = 80 };
    struct text text = {.arena = plan->arena};
    size_t column = indent;
    text_add(&text, "");
    for (enum td_loop_number number = 0; number < TD_LOOP_N_NUMBERS; number++) {
        if (!loop->values[number])
            continue;
        const char *item = arena_printf(plan->arena, "%s = %s", td_loop_names[number], loop->values[number]);
        if (text.length && column + strlen(item) > COLUMNS) {
            text_addf(&text, ",\n%*s    ", (int)indent, "");
            column = indent + 4;
        } else if (text.length) {
            text_add(&text, ", ");
        } else {
            text_add(&text, "let ");
        }
        text_add(&text, item);
        column += strlen(item) + 2;
    }
    text_add(&text, text.length ? " in" : "");
    return text.data;
}

// Puts a `let` before a statement, or around several that follow each other.
static void add_let(struct td_plan *plan, const struct td_loop *loops, size_t n, const char *let, size_t indent) {
    const char *blanks = arena_printf(plan->arena, "%*s", (int)indent, "");
    const size_t at = loops->statement.all.at, end = loops[n - 1].statement.all.end;
    if (n == 1) {
        td_replace(&plan->text, (struct td_span){at, at}, arena_printf(plan->arena, "%s\n%s", let, blanks));
        return;
    }
    td_replace(&plan->text, (struct td_span){at, at}, arena_printf(plan->arena, "%s {\n%s  ", let, blanks));
    for (size_t i = at; i + 1 < end; i++)
        if (plan->text.data[i] == '\n' && plan->text.data[i + 1] != '\n')
            td_replace(&plan->text, (struct td_span){i + 1, i + 1}, "  ");
    td_replace(&plan->text, (struct td_span){end, end}, arena_printf(plan->arena, "\n%s}", blanks));
}

static void add_lets(struct td_plan *plan, const struct td_loop *loops, size_t n) {
    for (size_t first = 0, next; first < n; first = next) {
        const size_t at = loops[first].statement.all.at, indent = at - td_line_start(&plan->text, loops[first].line);
        const char *let = own_let(plan, &loops[first], indent);
        for (next = first + 1;
             *let && next < n &&
             loops[next].statement.all.at == td_skip_blank(&plan->text, loops[next - 1].statement.all.end) &&
             strcmp(own_let(plan, &loops[next], indent), let) == 0;)
            next++;
        if (*let)
            add_let(plan, &loops[first], next - first, let, indent);
    }
}

bool td_edit_loops(struct td_plan *plan) {
    struct td_loop *loops = NULL;
    size_t n = 0, n_places;
    const struct td_place *places = td_find_places(plan, &n_places);
    bool is_good = true;
    for (size_t first = 0, end; first < n_places; first = end) {
        const unsigned line = places[first].line;
        bool changes = false;
        for (end = first; end < n_places && places[end].line == line; end++)
            changes |= is_changed(plan, places[end].atom);
        if (!changes)
            continue;
        struct td_loop loop = {.line = line};
        if (open_loop(plan, &loop, &places[first], end - first))
            *ARENA_ADD(plan->arena, loops, n) = loop;
        else
            is_good = false;
    }
    edit_lets(plan, loops, n, places, n_places);
    add_lets(plan, loops, n);
    plan->n_statements += n;
    return is_good;
}
