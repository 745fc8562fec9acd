#include "upstream/td_leave.h"

#include "upstream/td_statements.h"
#include "upstream/td_vectors.h"

#include <stdlib.h>
#include <string.h>

struct leaver {
    const struct td_wanted *wanted;
    const char *name; // of the opcode; with a vector type, of a pseudo instruction
    // The InstRW's list, with a mark for each write of its own; in front of one that operands choose, "%" and the name
    // of the SchedWriteVariant.
    const char *operands;
    size_t at; // where its statements go: behind that of its write, or at the file's end
};

// Where a SchedWriteVariant of the file has the list of writes that it chooses last. False: it is not in the file.
static bool find_last_choice(const struct td_plan *plan, const char *name, struct td_statement *statement,
                             struct td_span *last) {
    const struct td_record *record = td_records_find(plan->model->records, name);
    size_t n = 0;
    if (!record || !record->fields[TD_VARIANTS] || !record->file || strcmp(record->file, plan->model->file) != 0 ||
        !td_find_statement(&plan->text, record->line, statement) || statement->is_defm ||
        !td_is(&plan->text, statement->class_name, "SchedWriteVariant") || statement->n_arguments != 1)
        return false;
    const struct td_span *choices = td_elements(&plan->text, statement->arguments[0], &n);
    if (n == 0)
        return false;
    last->at = last->end = choices[n - 1].end;
    while (last->at > choices[n - 1].at && plan->text.data[last->at] != '[')
        last->at--;
    while (last->end > last->at && plan->text.data[last->end - 1] != ']')
        last->end--;
    return last->end > last->at;
}

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
            sum.acquires[at] += numbers->acquires[p];
            sum.n_ports += at == sum.n_ports;
        }
    }
    return sum;
}

// The statement that an opcode has its numbers from, which another one of it stands beside. Null: none of this file.
static const struct td_record *own_record(const struct td_plan *plan, const struct td_wanted *wanted) {
    const struct td_opcode *opcode = &wanted->opcode;
    const struct td_record *record = opcode->inst_rw, *found = NULL;
    if (record)
        return td_is_here(plan, record) ? record : NULL;
    for (unsigned w = 0; w < opcode->n_writes; w++) {
        record = td_records_find(plan->model->records, opcode->operands[w]);
        if (!record || !record->fields[TD_VARIANTS])
            record = plan->model->atoms[opcode->atoms[opcode->first[w]]].record;
        if (td_is_here(plan, record) && needs_own(plan, wanted, w))
            return record;
        if (td_is_here(plan, record) && !found)
            found = record;
    }
    return found;
}

// Before the brace that ends "let SchedModel = ... in {" at the file's end, or behind all.
static size_t find_end(const struct td_plan *plan, bool *is_inside) {
    const struct td_text *text = &plan->text;
    *is_inside = false;
    const char *opening = memmem(text->data, text->length, "\nlet SchedModel = ", 18);
    for (const char *next = opening; next;
         next = memmem(next + 1, text->length - (size_t)(next + 1 - text->data), "\nlet SchedModel = ", 18))
        opening = next;
    for (size_t end = text->length, at; end > 0 && opening; end = at) {
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

static size_t place_of(const struct td_plan *plan, const struct td_wanted *wanted) {
    const struct td_record *record = plan->is_at_end ? NULL : own_record(plan, wanted);
    bool is_inside;
    if (!record)
        return find_end(plan, &is_inside);
    size_t *behind = &plan->behind[record->line];
    if (!*behind && !td_find_behind(&plan->text, td_line_start(&plan->text, record->line), behind))
        *behind = find_end(plan, &is_inside);
    return *behind;
}

// A SchedRead that comes so early; "": no SchedRead does.
static const char *read_with(const struct td_plan *plan, const struct td_wanted *wanted, int cycles) {
    const struct td_record *own = own_record(plan, wanted);
    int other;
    for (unsigned i = wanted->opcode.n_writes; i < wanted->opcode.n_operands; i++)
        if (td_model_advance(plan->model, wanted->opcode.operands[i], &other) && other == cycles)
            return wanted->opcode.operands[i];
    for (size_t i = 0; cycles && i < plan->model->n_reads; i++) {
        const struct td_record *record = plan->model->reads[i];
        const char *name = record->fields[TD_READ_TYPE] ? record->fields[TD_READ_TYPE] : record->name;
        if (name == record->name && own && td_is_here(plan, record) && record->line > own->line)
            continue; // there, it has no such name yet
        if (td_model_advance(plan->model, name, &other) && other == cycles)
            return name;
    }
    return cycles ? "" : "ReadDefault";
}

static const char *reads_of(struct td_plan *plan, const struct td_wanted *wanted, bool wants_all) {
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
    while (n && !wants_all && strcmp(reads[n - 1], "ReadDefault") == 0)
        n--;
    text_add(&text, "");
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, ", %s", reads[i]);
    return text.data;
}

static bool is_chosen_by_operands(const struct td_plan *plan, const struct td_wanted *wanted, unsigned write) {
    const struct td_record *record = td_records_find(plan->model->records, wanted->opcode.operands[write]);
    return record && record->fields[TD_VARIANTS];
}

// `first`, `last`: further reads, in front and behind, with their commas.
static const char *operands_of(struct td_plan *plan, const struct td_wanted *wanted, const char *first,
                               const char *last) {
    struct text text = {.arena = plan->arena};
    for (unsigned w = 0; w < wanted->opcode.n_writes; w++) {
        text_add(&text, w ? ", " : "");
        if (!needs_own(plan, wanted, w)) {
            text_add(&text, wanted->opcode.operands[w]);
            continue;
        }
        struct td_numbers sum = sum_of(wanted, w);
        if (is_chosen_by_operands(plan, wanted, w))
            text_addf(&text, "%%%s", wanted->opcode.operands[w]);
        text_addf(&text, "!%s%s", td_list_of(plan->arena, sum.ports, sum.n_ports), td_body_of(plan->arena, &sum));
    }
    for (unsigned w = wanted->opcode.n_writes; wanted->has_other_results && w < wanted->change->after.n_writes; w++) {
        struct td_numbers result = {.latency = wanted->change->after.latencies[w]};
        text_addf(&text, ", ![]%s", td_body_of(plan->arena, &result));
    }
    text_addf(&text, "%s%s%s", first, reads_of(plan, wanted, *last), last);
    return text.data;
}

static int compare_leavers(const void *a, const void *b) {
    const struct leaver *one = a, *other = b;
    if (one->at != other->at)
        return one->at < other->at ? -1 : 1;
    int order = strcmp(one->operands, other->operands);
    return order ? order : strcmp(one->name, other->name);
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
    const char *rest = arena_printf(plan->arena, " : SchedWriteRes<%.*s>%.*s\n", (int)(end - numbers.data),
                                    numbers.data, (int)(numbers.length - (size_t)(end - numbers.data)), end);
    const char *same = strstr(text->data, rest); // with a mask as without, or with other reads
    if (same) {
        const char *start = same;
        while (start > text->data && start[-1] != ' ')
            start--;
        return arena_copy(plan->arena, start, (size_t)(same - start));
    }
    text_addf(text, "def %s%s", name, rest);
    return name;
}

// The same choice as another SchedWriteVariant's, but for the last one, which is of `write`.
static const char *define_variant(struct td_plan *plan, struct text *text, const char *like, const char *write) {
    const char *name = free_name(plan, arena_printf(plan->arena, "%sByOperands", write)), *data = plan->text.data;
    struct td_statement statement;
    struct td_span last;
    if (!find_last_choice(plan, like, &statement, &last))
        return write; // can_leave has found it
    text_addf(text, "def %s : SchedWriteVariant<%.*s[%s]%.*s>;\n", name, (int)(last.at - statement.arguments[0].at),
              data + statement.arguments[0].at, write, (int)(statement.arguments[0].end - last.end), data + last.end);
    return name;
}

static const char *define_read(struct td_plan *plan, struct text *text, int cycles, const char ***known, size_t *n) {
    const char *name = free_name(plan, arena_printf(plan->arena, "%sRead%d%s", prefix_of(plan->arena, plan->model),
                                                    abs(cycles), cycles < 0 ? "Late" : "Early"));
    if (text_find(name, *known, *n) < *n)
        return name;
    *ARENA_ADD(plan->arena, *known, *n) = name;
    text_addf(text, "def %s : SchedReadAdvance<%d>;\n", name, cycles);
    return name;
}

static void add_names(struct text *text, const char *const *names, size_t n, size_t column) {
    enum { COLUMNS = 80 };
    size_t start = column;
    for (size_t i = 0; i < n; i++) {
        const char *name = names[i];
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
        if (*at == '!' || *at == '%') {
            const char *numbers = strchr(at, '!'), *end = strchr(at, '}') + 1;
            const char *write =
                define_write(plan, text, leavers->name, w, (struct slice){numbers + 1, (size_t)(end - numbers - 1)});
            if (*at == '%')
                write = define_variant(plan, text, arena_copy(plan->arena, at + 1, (size_t)(numbers - at - 1)), write);
            text_add(&list, write);
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
    const char **names = ARENA_ARRAY(plan->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        names[i] = leavers[i].name;
    add_names(text, names, n, strlen("             (instrs "));
    text_add(text, ")>;\n");
    plan->n_inst_rws++;
}

// Takes opcodes out of a set that is not a plain list.
static void subtract(struct td_plan *plan, struct td_span set, const char *const *opcodes, size_t n) {
    struct slice text = td_slice(&plan->text, set);
    struct text by = {.arena = plan->arena};
    text_addf(&by, "(sub %.*s,\n        (instrs ", (int)text.length, text.data);
    add_names(&by, opcodes, n, strlen("        (instrs "));
    text_add(&by, "))");
    td_replace(&plan->text, set, by.data);
}

// Takes opcodes out of a list, with their commas.
static void strike_out(struct td_plan *plan, struct td_span set, const char *const *opcodes, size_t n) {
    size_t n_items;
    struct td_span *items = td_elements(&plan->text, set, &n_items);
    bool *leaves = ARENA_ARRAY(plan->arena, bool, n_items + 1);
    for (size_t i = 0; i < n_items; i++) {
        for (size_t k = 0; k < n && !leaves[i]; k++)
            leaves[i] = td_is(&plan->text, items[i], opcodes[k]);
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
}

// Takes opcodes out of the InstRW that names them. False: that is not understood.
static bool take_out(struct td_plan *plan, const struct td_record *inst_rw, const char *const *opcodes, size_t n) {
    struct td_statement statement;
    if (!td_is_here(plan, inst_rw) || !td_find_statement(&plan->text, inst_rw->line, &statement) || statement.is_defm ||
        !td_is(&plan->text, statement.class_name, "InstRW") || statement.n_arguments != 2)
        return false;
    struct td_span set = statement.arguments[1];
    struct slice text = td_slice(&plan->text, set);
    if (!td_model_names_others(plan->model, inst_rw, opcodes, n)) {
        size_t end = statement.all.end;
        end += end < plan->text.length && plan->text.data[end] == '\n';
        td_replace(&plan->text, (struct td_span){statement.all.at, end}, "");
        return true;
    }
    if (text.length < 8 || memcmp(text.data, "(instrs", 7) != 0)
        subtract(plan, set, opcodes, n);
    else
        strike_out(plan, set, opcodes, n);
    return true;
}

static int compare_inst_rws(const void *a, const void *b) {
    const struct leaver *one = a, *other = b;
    const struct td_record *x = one->wanted->opcode.inst_rw, *y = other->wanted->opcode.inst_rw;
    if (x != y)
        return x < y ? -1 : 1;
    return strcmp(one->wanted->change->opcode, other->wanted->change->opcode);
}

// Whether the choices by operands can be written again with other numbers.
static bool can_leave(const struct td_plan *plan, const struct td_wanted *wanted) {
    struct td_statement statement;
    struct td_span last;
    bool is_good = true;
    for (unsigned w = 0; wanted->opcode.is_variant && w < wanted->opcode.n_writes; w++)
        if (needs_own(plan, wanted, w))
            is_good &= find_last_choice(plan, wanted->opcode.operands[w], &statement, &last);
    return is_good;
}

// Whether all measured widths of elements that share a pseudo instruction need the same, and this is the first one.
static bool stands_for_all(struct td_plan *plan, const struct td_wanted *wanted) {
    const size_t length = strcspn(wanted->change->opcode, "-");
    const char *operands = operands_of(plan, wanted, "", "");
    for (size_t i = 0; i < plan->request->n_changes; i++) {
        const struct td_wanted *other = &plan->wanted[i];
        if (other == wanted || other->opcode.pseudo != wanted->opcode.pseudo ||
            strncmp(other->change->opcode, wanted->change->opcode, length + 1) != 0)
            continue;
        if (other < wanted || other->why || strcmp(operands_of(plan, other, "", ""), operands) != 0)
            return false;
    }
    return true;
}

// The pseudo instructions of an opcode with a vector type. One with a mask reads this behind all others, and where the
// one without reads no old value of the result, it reads that first.
static void add_pseudos(struct td_plan *plan, const struct td_wanted *wanted, struct leaver **leavers, size_t *n) {
    const struct td_record *const *pseudos, *own = wanted->opcode.pseudo;
    if (!own || !own->fields[TD_SCHED_RW] || wanted->opcode.inst_rw || !stands_for_all(plan, wanted))
        return; // no pseudo instruction has just this class, or a loop's InstRW names it
    const size_t n_pseudos = td_model_pseudos(plan->model, wanted->change->opcode, &pseudos);
    const char *reads = own->fields[TD_SCHED_RW] + 1;
    for (unsigned w = 0; reads && w < wanted->opcode.n_writes; w++)
        reads = strchr(reads + 1, ',');
    reads = reads ? reads : "]";
    const size_t length = (size_t)(reads - own->fields[TD_SCHED_RW]);
    for (size_t i = 0; i < n_pseudos; i++) {
        const char *list = pseudos[i]->fields[TD_SCHED_RW], *first = "";
        if (strncmp(list, own->fields[TD_SCHED_RW], length) != 0)
            continue;
        const char *rest = list + length;
        if (text_starts(rest, ", ReadVPassthru") && !text_starts(reads, ", ReadVPassthru")) {
            first = arena_copy(plan->arena, rest, 2 + strcspn(rest + 2, ",]"));
            rest += strlen(first);
        }
        const bool has_mask =
            strcmp(rest, arena_printf(plan->arena, "%.*s, ReadVMask]", (int)strlen(reads) - 1, reads)) == 0;
        if (has_mask || strcmp(list + length, reads) == 0)
            *ARENA_ADD(plan->arena, *leavers, *n) = (struct leaver){
                wanted, pseudos[i]->name, operands_of(plan, wanted, first, has_mask ? ", ReadVMask" : ""),
                place_of(plan, wanted)};
    }
}

// Opcodes whose atoms get other numbers than they need, or that need other reads or results.
static struct leaver *find_leavers(struct td_plan *plan, size_t *n) {
    struct leaver *leavers = NULL;
    *n = 0;
    for (size_t i = 0; i < plan->request->n_changes; i++) {
        struct td_wanted *wanted = &plan->wanted[i];
        bool leaves = wanted->has_other_reads || wanted->has_other_results;
        for (unsigned w = 0; !wanted->opcode.why && w < wanted->opcode.n_writes; w++)
            leaves |= needs_own(plan, wanted, w);
        if (!leaves || wanted->why || !can_leave(plan, wanted))
            continue;
        if (td_class_of(wanted->change))
            add_pseudos(plan, wanted, &leavers, n);
        else
            *ARENA_ADD(plan->arena, leavers, *n) = (struct leaver){
                wanted, wanted->change->opcode, operands_of(plan, wanted, "", ""), place_of(plan, wanted)};
    }
    return leavers;
}

// Takes them out of the InstRWs that name them. Returns the number of those for which that is understood: the first
// ones.
static size_t take_all_out(struct td_plan *plan, struct leaver *leavers, size_t n) {
    const char **opcodes = ARENA_ARRAY(plan->arena, const char *, n);
    size_t n_kept = 0;
    qsort(leavers, n, sizeof *leavers, compare_inst_rws);
    for (size_t first = 0, end; first < n; first = end) {
        const struct td_record *inst_rw = leavers[first].wanted->opcode.inst_rw;
        for (end = first; end < n && leavers[end].wanted->opcode.inst_rw == inst_rw; end++)
            opcodes[end - first] = leavers[end].wanted->change->opcode;
        if (!inst_rw || take_out(plan, inst_rw, opcodes, end - first))
            for (size_t i = first; i < end; i++)
                leavers[n_kept++] = leavers[i];
    }
    return n_kept;
}

static const char heading[] = "// Opcodes that were measured to differ from their class.";

bool td_leave_made(const struct td_edit *edit) {
    return text_starts(edit->text, heading);
}

void td_let_leave(struct td_plan *plan) {
    size_t n, n_reads = 0;
    const char **reads = NULL;
    struct text text = {.arena = plan->arena};
    struct leaver *leavers = find_leavers(plan, &n);
    n = n ? take_all_out(plan, leavers, n) : 0;
    if (!n)
        return;
    qsort(leavers, n, sizeof *leavers, compare_leavers);
    bool is_inside;
    const size_t end = find_end(plan, &is_inside);
    for (size_t first = 0, next; first < n; first = next) {
        const size_t at = leavers[first].at, start = text.length;
        const bool is_end = at == end;
        text_addf(&text, "%s%s\n", is_end ? "\n" : "", heading);
        if (is_end && !is_inside)
            text_addf(&text, "let SchedModel = %s in {\n", plan->model->name);
        for (next = first; next < n && leavers[next].at == at;) {
            const size_t group = next;
            while (next < n && leavers[next].at == at && strcmp(leavers[next].operands, leavers[group].operands) == 0)
                next++;
            add_group(plan, &text, &leavers[group], next - group, &reads, &n_reads);
        }
        if (is_end)
            text_add(&text, is_inside ? "\n" : "} // SchedModel\n");
        td_replace(&plan->text, (struct td_span){at, at},
                   arena_copy(plan->arena, text.data + start, text.length - start));
    }
}
