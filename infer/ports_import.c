#include "infer/ports_import.h"

#include "analyzer/cpu/pipes.h"
#include "analyzer/cpu/recipe.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/index.h"
#include "base/text.h"
#include "infer/numbers.h"
#include "infer/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PIPES = 64, NOT_NAMED = -1 };

// A form of the evidence.
struct subject {
    unsigned form;
    bool has_base;
    struct cpu_use base[CPU_MOST_USES]; // as the base has it
    unsigned n_base;
};

struct naming {
    struct arena *arena;
    const struct ports_import_request *request;
    const struct cpu *cpu;
    struct subject *subjects;
    size_t n;
    int to[PORT_MAP_MOST_PORTS]; // the base's pipe, by its number; NOT_NAMED: a port of its own
    uint64_t named;              // pipes of the base that are some port
};

static const char part_kind[] = "ports";

const char *ports_import_kept_text(struct arena *arena, const char *text) {
    const char *kept = parts_without(arena, text, part_kind);
    if (strcmp(kept, text) == 0)
        return text;
    kept = parts_without_line(arena, kept, "ports: [");
    const char *forms = strstr(kept, "\nforms:\n"), *behind = forms ? forms + strlen("\nforms:\n") : NULL;
    return behind && *behind != ' ' && *behind != '-' ? parts_without_line(arena, kept, "forms:") : kept;
}

static bool has_recipe(const struct ports *ports, unsigned form) {
    enum ports_state state = ports->forms[form].state;
    return (state == PORTS_CERTAIN || state == PORTS_AMBIGUOUS || state == PORTS_DOUBTED) &&
           ports->map.recipes[form].n > 0;
}

// ---- what the base has

static void take_base(const struct naming *naming, const struct form *form, struct subject *subject) {
    struct arena arena = {0};
    struct block block;
    struct fail unknown = {0};
    struct cpu_recipe recipe;
    subject->has_base = form->status == FORM_USABLE &&
                        model_describe_part(naming->request->model, &arena, form->bytes - form->n_setup_bytes,
                                            form->n_setup_bytes, form->n_bytes, &block, &unknown);
    if (subject->has_base) {
        cpu_recipe_make(naming->cpu, &block.insns[0], &recipe);
        subject->n_base = recipe.n_uses;
        memcpy(subject->base, recipe.uses, recipe.n_uses * sizeof *recipe.uses);
    }
    arena_free(&arena);
}

static bool find_subjects(struct naming *naming, struct fail *fail) {
    const struct ports *ports = naming->request->ports;
    const struct model *model = naming->request->model;
    struct index index = {.arena = naming->arena};
    const struct form *forms;
    size_t n_forms;
    if (!model->backend->forms(model->cpu, naming->arena, &forms, &n_forms, fail))
        return false;
    for (size_t i = 0; i < n_forms; i++)
        index_add(&index, bytes_hash(forms[i].name, strlen(forms[i].name)), i);
    for (unsigned f = 0; f < ports->evidence->n_forms; f++) {
        const char *name = ports->evidence->forms[f];
        if (!has_recipe(ports, f))
            continue;
        struct subject *subject = ARENA_ADD(naming->arena, naming->subjects, naming->n);
        *subject = (struct subject){.form = f};
        for (size_t place = 0, i; (i = index_next(&index, bytes_hash(name, strlen(name)), &place)) != INDEX_END;)
            if (strcmp(forms[i].name, name) == 0)
                take_base(naming, &forms[i], subject);
    }
    return naming->n > 0 ||
           fail_set(fail, FAIL_INPUT, "no form of the evidence has a recipe: nothing is known of ports");
}

// ---- names

static bool uses_port(const struct port_recipe *recipe, unsigned port) {
    for (unsigned u = 0; u < recipe->n; u++)
        if (recipe->uops[u].pipes >> port & 1)
            return true;
    return false;
}

static bool base_uses(const struct subject *subject, unsigned pipe) {
    for (unsigned u = 0; u < subject->n_base; u++)
        if (subject->base[u].pipes >> pipe & 1)
            return true;
    return false;
}

// The share of forms with either that have both.
static double alike(const struct naming *naming, unsigned port, unsigned pipe) {
    unsigned both = 0, either = 0;
    for (size_t i = 0; i < naming->n; i++) {
        const struct subject *subject = &naming->subjects[i];
        bool a = uses_port(&naming->request->ports->map.recipes[subject->form], port), b = base_uses(subject, pipe);
        both += subject->has_base && a && b;
        either += subject->has_base && (a || b);
    }
    return either ? (double)both / either : 0;
}

// Work on ports and on pipes, by set, so that two compare.
struct work {
    struct cpu_use uses[CPU_MOST_USES];
    unsigned n;
};

static void add_work(struct work *work, uint64_t pipes, double cycles) {
    unsigned at = 0;
    while (at < work->n && work->uses[at].pipes < pipes)
        at++;
    if (at < work->n && work->uses[at].pipes == pipes) {
        work->uses[at].cycles += cycles;
        return;
    }
    if (!pipes || work->n == CPU_MOST_USES)
        return;
    memmove(work->uses + at + 1, work->uses + at, (work->n - at) * sizeof *work->uses);
    work->uses[at] = (struct cpu_use){pipes, cycles};
    work->n++;
}

// By the base's pipes; ports that are none of these have the bits of `own`, from their number on.
static uint64_t named_pipes(const struct naming *naming, uint64_t ports, uint64_t *own) {
    uint64_t pipes = 0;
    for (; ports; ports &= ports - 1) {
        unsigned port = (unsigned)__builtin_ctzll(ports);
        if (naming->to[port] == NOT_NAMED)
            *own |= UINT64_C(1) << port;
        else
            pipes |= UINT64_C(1) << naming->to[port];
    }
    return pipes;
}

static bool is_equal(const struct naming *naming, const struct subject *subject) {
    const struct port_recipe *recipe = &naming->request->ports->map.recipes[subject->form];
    struct work found = {.n = 0}, base = {.n = 0};
    uint64_t own = 0;
    for (unsigned u = 0; u < recipe->n; u++)
        add_work(&found, named_pipes(naming, recipe->uops[u].pipes, &own), recipe->uops[u].cycles);
    for (unsigned u = 0; u < subject->n_base; u++)
        add_work(&base, subject->base[u].pipes & naming->named, subject->base[u].cycles);
    bool is_equal = subject->has_base && !own && found.n == base.n;
    for (unsigned u = 0; is_equal && u < found.n; u++)
        is_equal = found.uses[u].pipes == base.uses[u].pipes && found.uses[u].cycles == base.uses[u].cycles;
    return is_equal;
}

static size_t count_equal(const struct naming *naming) {
    size_t n = 0;
    for (size_t i = 0; i < naming->n; i++)
        n += is_equal(naming, &naming->subjects[i]);
    return n;
}

// The most alike first. Less alike than that is no name.
static void name_alike(struct naming *naming) {
    static const double least = 0.25;
    unsigned n_ports = naming->request->ports->map.n_ports;
    double shares[PORT_MAP_MOST_PORTS][MOST_PIPES];
    for (unsigned port = 0; port < n_ports; port++)
        for (unsigned pipe = 0; pipe < MOST_PIPES; pipe++)
            shares[port][pipe] = alike(naming, port, pipe);
    for (unsigned step = 0; step < n_ports; step++) {
        double most = least;
        unsigned port = 0, pipe = 0;
        for (unsigned q = 0; q < n_ports; q++)
            for (unsigned p = 0; p < MOST_PIPES && naming->to[q] == NOT_NAMED; p++)
                if (!(naming->named >> p & 1) && shares[q][p] > most) {
                    most = shares[q][p];
                    port = q;
                    pipe = p;
                }
        if (most <= least)
            return;
        naming->to[port] = (int)pipe;
        naming->named |= UINT64_C(1) << pipe;
    }
}

// Exchanges two, where more forms are equal then.
static bool improve(struct naming *naming) {
    size_t before = count_equal(naming);
    for (unsigned a = 0; a < naming->request->ports->map.n_ports; a++)
        for (unsigned b = 0; b < a; b++) {
            int kept = naming->to[a];
            naming->to[a] = naming->to[b];
            naming->to[b] = kept;
            if (count_equal(naming) > before)
                return true;
            naming->to[b] = naming->to[a];
            naming->to[a] = kept;
        }
    return false;
}

static const char *own_name(struct arena *arena, unsigned port) {
    return arena_printf(arena, "P%u", port);
}

static const char *uses_text(const struct naming *naming, const struct work *ports) {
    struct text text = {.arena = naming->arena};
    text_add(&text, "");
    for (unsigned u = 0; u < ports->n; u++) {
        uint64_t own = 0, pipes = named_pipes(naming, ports->uses[u].pipes, &own);
        struct text on = {.arena = naming->arena};
        text_add(&on, cpu_pipes_name(naming->arena, naming->cpu, pipes));
        for (; own; own &= own - 1)
            text_addf(&on, "%s%s", on.length ? "+" : "", own_name(naming->arena, (unsigned)__builtin_ctzll(own)));
        text_addf(&text, ports->uses[u].cycles == 1 ? "%s%s" : "%s{on: %s, cycles: %.4g}", u ? ", " : "", on.data,
                  ports->uses[u].cycles);
    }
    return text.data;
}

static const char *recipe_text(const struct naming *naming, const struct port_recipe *recipe) {
    struct work work = {.n = 0};
    for (unsigned u = 0; u < recipe->n; u++)
        add_work(&work, recipe->uops[u].pipes, recipe->uops[u].cycles);
    return uses_text(naming, &work);
}

// ---- rules

struct entry {
    const char *opcode, *trust, *source, *pipes;
};

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = strcmp(y->trust, x->trust); // measured ones first
    order = order ? order : strcmp(x->source, y->source);
    order = order ? order : strcmp(x->pipes, y->pipes);
    return order ? order : strcmp(x->opcode, y->opcode);
}

// Where the recipe is from, for people: what else fits.
static const char *source_of(const struct naming *naming, unsigned form) {
    enum { MOST_SHOWN = 4 };
    const struct ports_form *found = &naming->request->ports->forms[form];
    struct text text = {.arena = naming->arena};
    text_addf(&text, "ports: %s", ports_state_names[found->state]);
    if (found->n_hypotheses < 2)
        return text.data;
    for (size_t h = 1; h < found->n_hypotheses && h <= MOST_SHOWN; h++)
        text_addf(&text, "%s%s", h > 1 ? " or " : ", or ", recipe_text(naming, &found->hypotheses[h]));
    if (found->n_all > MOST_SHOWN + 1)
        text_addf(&text, " or %zu more", found->n_all - MOST_SHOWN - 1);
    return text.data;
}

static struct entry entry_of(const struct naming *naming, const char *opcode, unsigned form) {
    const char *name = naming->request->ports->evidence->forms[form], *source = source_of(naming, form);
    bool is_same = strcmp(opcode, name) == 0,
         is_certain = naming->request->ports->forms[form].state == PORTS_CERTAIN && is_same;
    return (struct entry){opcode, is_certain ? "measured" : "assumed",
                          is_same ? source
                                  : arena_printf(naming->arena, "ports: as a form of equal values, which is %s",
                                                 source + strlen("ports: ")),
                          recipe_text(naming, &naming->request->ports->map.recipes[form])};
}

// The evidence's form with this name; -1: it has no recipe.
static long subject_called(const struct naming *naming, const struct index *index, const char *name) {
    for (size_t place = 0, i; (i = index_next(index, bytes_hash(name, strlen(name)), &place)) != INDEX_END;)
        if (strcmp(naming->request->ports->evidence->forms[naming->subjects[i].form], name) == 0)
            return naming->subjects[i].form;
    return -1;
}

static bool read_classes(const struct naming *naming, struct entry **entries, size_t *n, struct fail *fail) {
    char *data, *line;
    size_t length;
    struct index index = {.arena = naming->arena};
    const char *path = naming->request->classes;
    for (size_t i = 0; i < naming->n; i++) {
        const char *name = naming->request->ports->evidence->forms[naming->subjects[i].form];
        index_add(&index, bytes_hash(name, strlen(name)), i);
        if (!path)
            *ARENA_ADD(naming->arena, *entries, *n) = entry_of(naming, name, naming->subjects[i].form);
    }
    if (!path)
        return true;
    if (!file_read(naming->arena, path, &data, &length, fail))
        return false;
    unsigned number = 0;
    for (char *rest = data; (line = strsep(&rest, "\n"));) {
        char *comma = strchr(line, ',');
        if (number++ == 0 || !*line)
            continue;
        if (!comma)
            return fail_at(fail, path, number, 0, "the line has no form and class, such as 'ADD64rr,ADD32rr'");
        *comma = '\0';
        long form = subject_called(naming, &index, comma + 1);
        if (form >= 0)
            *ARENA_ADD(naming->arena, *entries, *n) = entry_of(naming, line, (unsigned)form);
    }
    return true;
}

static const char *rules_text(const struct naming *naming, const struct entry *entries, size_t n) {
    struct text text = {.arena = naming->arena};
    text_add(&text, "");
    for (size_t first = 0, end; first < n; first = end) {
        const char **opcodes = NULL;
        size_t n_opcodes = 0;
        for (end = first; end < n && strcmp(entries[end].trust, entries[first].trust) == 0 &&
                          strcmp(entries[end].source, entries[first].source) == 0 &&
                          strcmp(entries[end].pipes, entries[first].pipes) == 0;
             end++)
            *ARENA_ADD(naming->arena, opcodes, n_opcodes) = entries[end].opcode;
        bool is_group = first == 0 || strcmp(entries[first].trust, entries[first - 1].trust) != 0 ||
                        strcmp(entries[first].source, entries[first - 1].source) != 0;
        if (is_group)
            text_addf(&text, "  - trust: %s\n    source: \"%s\"\n    llvm: %u\n    forms:\n", entries[first].trust,
                      entries[first].source, naming->request->model->backend->major);
        text_add(&text, numbers_rule(naming->arena, opcodes, n_opcodes,
                                     arena_printf(naming->arena, "pipes: [%s]", entries[first].pipes)));
    }
    return text.data;
}

// Behind a survey's part: a later rule counts.
static const char *with_rules(const struct naming *naming, const char *text, const char *rules) {
    static const char key[] = "forms:\n", ends[] = "  # The rest is kept.\n";
    const char *forms = strstr(text, "\nforms:\n"), *survey = parts_begin(naming->arena, "survey");
    if (!forms || !text_starts(forms + 1 + strlen(key), survey))
        return parts_with(naming->arena, text, "forms:", part_kind, rules);
    const char *behind = strstr(forms, ends) + strlen(ends);
    return arena_printf(naming->arena, "%.*s%s%s%s%s", (int)(behind - text), text,
                        parts_begin(naming->arena, part_kind), rules, ends, behind);
}

// The list of ports that the base does not have, in front of the forms.
static const char *with_ports(struct naming *naming, const char *text, unsigned *n_own) {
    struct text list = {.arena = naming->arena};
    *n_own = 0;
    for (unsigned q = 0; q < naming->request->ports->map.n_ports; q++)
        if (naming->to[q] == NOT_NAMED)
            text_addf(&list, "%s%s", (*n_own)++ ? ", " : "ports: [", own_name(naming->arena, q));
    if (!*n_own)
        return text;
    const char *forms = strstr(text, "\nforms:\n");
    size_t before = forms ? (size_t)(forms + 1 - text) : strlen(text);
    return arena_printf(naming->arena, "%.*s%s]\n%s", (int)before, text, list.data, text + before);
}

static int compare_rows(const void *a, const void *b) {
    return strcmp(((const struct ports_import_row *)a)->form, ((const struct ports_import_row *)b)->form);
}

static void list_rows(const struct naming *naming, struct ports_import_result *result) {
    for (size_t i = 0; i < naming->n; i++) {
        const struct subject *subject = &naming->subjects[i];
        const struct port_recipe *recipe = &naming->request->ports->map.recipes[subject->form];
        if (!subject->has_base)
            continue;
        const char *base = cpu_uses_name(naming->arena, naming->cpu, subject->base, subject->n_base);
        *ARENA_ADD(naming->arena, result->rows, result->n_rows) = (struct ports_import_row){
            naming->request->ports->evidence->forms[subject->form], naming->request->ports->forms[subject->form].state,
            is_equal(naming, subject), recipe_text(naming, recipe), *base ? base : "none"};
    }
    if (result->n_rows)
        qsort(result->rows, result->n_rows, sizeof *result->rows, compare_rows);
}

bool ports_import(struct arena *arena, const struct ports_import_request *request, struct ports_import_result *result,
                  struct fail *fail) {
    struct naming naming = {.arena = arena, .request = request, .cpu = request->model->own};
    struct entry *entries = NULL;
    size_t n = 0;
    *result = (struct ports_import_result){.text = NULL};
    for (unsigned q = 0; q < PORT_MAP_MOST_PORTS; q++)
        naming.to[q] = NOT_NAMED;
    if (!parts_can_hold(request->text, "forms:", fail) || !find_subjects(&naming, fail))
        return false;
    name_alike(&naming);
    while (improve(&naming))
        ;
    if (!read_classes(&naming, &entries, &n, fail))
        return false;
    if (n)
        qsort(entries, n, sizeof *entries, compare_entries);
    result->text =
        with_ports(&naming, with_rules(&naming, request->text, rules_text(&naming, entries, n)), &result->n_own);
    result->names = ARENA_ARRAY(arena, const char *, request->ports->map.n_ports + 1);
    for (unsigned q = 0; q < request->ports->map.n_ports; q++)
        result->names[q] = naming.to[q] == NOT_NAMED ? own_name(arena, q)
                                                     : cpu_pipes_name(arena, naming.cpu, UINT64_C(1) << naming.to[q]);
    result->n_of_base = request->ports->map.n_ports - result->n_own;
    result->n_opcodes = n;
    for (unsigned f = 0; f < request->ports->evidence->n_forms; f++)
        result->n_states[request->ports->forms[f].state]++;
    list_rows(&naming, result);
    return true;
}
