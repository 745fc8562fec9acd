#include "survey/experiments/mixture_text.h"

#include "survey/experiments/experiment_text.h"
#include "survey/forms/isa_traits.h"

#include <string.h>

enum { MOST_ROLES = 96 };

static bool is_named_file(char file) {
    return file == 'g' || file == 'v' || file == 'f' || file == 'k';
}

bool mixture_can_have(const struct shape *shape) {
    enum { WHOLE_BITS = 32 }; // x86: what writes fewer bits of a general register keeps the others
    const struct form *form = shape->form;
    bool writes_any = false;
    if (shape->left_out || shape->wrapper || shape->is_gather || shape->is_legacy || shape->spread_indices ||
        form->may_store || form->side_effects || form->setup || strchr(form->name, '-') || strstr(shape->body, "; "))
        return false;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        bool is_flags = port->file == 'c';
        writes_any |= port->is_written;
        if (port->is_hidden || port->is_high || port->is_lanes || port->is_upper || (is_flags && port->is_read) ||
            (!is_flags && (port->is_fixed || !is_named_file(port->file))) || (port->is_address && port->is_written) ||
            (port->is_written && port->file == 'g' && port->class->bits < WHOLE_BITS))
            return false;
    }
    return writes_any;
}

// ---- waiting

static double least_cycles(const struct mixture_part *parts, unsigned n, double width) {
    double all = 0, longest = 0;
    for (unsigned i = 0; i < n; i++) {
        double own = parts[i].copies * parts[i].throughput;
        all += parts[i].copies;
        longest = own > longest ? own : longest;
    }
    return all / width > longest ? all / width : longest;
}

bool mixture_is_free(const struct mixture_part *parts, unsigned n, struct mixture_layout layout, double width) {
    static const double share = 0.6; // of the time of a turn, which leaves room for uneven ones
    double cycles = least_cycles(parts, n, width);
    for (unsigned i = 0; i < n; i++)
        if (parts[i].copies * parts[i].latency / layout.own > share * cycles)
            return false;
    return true;
}

// ---- the text

struct role {
    const char *name, *value; // null: none is set
    bool is_written;
};

// A kernel while it is written.
struct writing {
    struct arena *arena;
    const struct mixture_part *parts;
    unsigned n_parts;
    struct mixture_layout layout;
    struct role roles[MOST_ROLES];
    unsigned n_roles;
    unsigned n_results[256];               // of each file so far
    unsigned n_copies[MIXTURE_MOST_FORMS]; // of each part so far
    unsigned line_bytes;                   // of a cache line that loads have taken so far
};

static const char *note_role(struct writing *w, const char *name, const char *value, bool is_written) {
    unsigned i = 0;
    while (i < w->n_roles && strcmp(w->roles[i].name, name) != 0)
        i++;
    if (i == w->n_roles && w->n_roles < MOST_ROLES)
        w->roles[w->n_roles++] = (struct role){name, value, is_written};
    return name;
}

// The file in roles' names. Masks of which some may not be k0 are other roles than those that may be.
static const char *file_of(struct writing *w, const struct shape_port *port) {
    return port->file == 'k' ? port->class->name : arena_printf(w->arena, "%c", port->file);
}

// A source that no copy writes. All with the same value share it, but for two of one copy: of one register, some
// instructions know the result without looking.
static const char *source_of(struct writing *w, const struct shape *shape, unsigned number) {
    const struct shape_port *port = &shape->ports[number];
    const char *value = experiment_value(shape, port), *file = file_of(w, port);
    unsigned before = 0;
    for (unsigned i = 0; i < number; i++) {
        const struct shape_port *other = &shape->ports[i];
        before += other->is_read && !other->is_written && experiment_has_name(other) &&
                  strcmp(file_of(w, other), file) == 0 && strcmp(experiment_value(shape, other), value) == 0;
    }
    struct text name = {.arena = w->arena};
    text_addf(&name, "%s%u_", file, before);
    for (const char *c = value; *c; c++)
        text_addf(&name, "%c", (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ? *c : '_');
    return note_role(w, name.data, value, false);
}

static const char *role_of(struct writing *w, unsigned part, unsigned number) {
    const struct shape *shape = w->parts[part].shape;
    const struct shape_port *port = &shape->ports[number];
    if (!port->is_written)
        return source_of(w, shape, number);
    if (port->is_read)
        return note_role(w, arena_printf(w->arena, "own%u_%u_%s", part, w->n_copies[part] % w->layout.own, port->role),
                         experiment_value(shape, port), true);
    unsigned turn = w->n_results[(unsigned char)port->file]++ % w->layout.results;
    return note_role(w, arena_printf(w->arena, "result_%s%u", file_of(w, port), turn), NULL, true);
}

// The body with a role in place of a port's.
static const char *with_role(struct writing *w, const char *body, const char *old, const char *new) {
    struct text text = {.arena = w->arena};
    const char *mention = arena_printf(w->arena, "{%s:", old), *at;
    for (; (at = strstr(body, mention)); body = at + strlen(mention)) {
        text_append(&text, body, (size_t)(at - body));
        text_addf(&text, "{%s:", new);
    }
    text_add(&text, body);
    return text.data;
}

// x86: loads take different places of one cache line by turns, as those of a throughput do.
static const char *with_place(struct writing *w, const struct shape *shape, const char *body) {
    enum { LINE = 64 };
    static const char fixed[] = "64({";
    const char *at = shape->has_memory ? strstr(body, fixed) : NULL;
    unsigned bytes = experiment_place_bytes(shape);
    if (!at || bytes > LINE)
        return body;
    unsigned place = (w->line_bytes + bytes - 1) / bytes * bytes % LINE;
    w->line_bytes = place + bytes;
    return arena_printf(w->arena, "%.*s%u%s", (int)(at - body), body, SHAPE_DISPLACEMENT + place, at + 2);
}

static void add_copy(struct writing *w, unsigned part, struct text *out) {
    const struct shape *shape = w->parts[part].shape;
    const char *body = with_place(w, shape, shape->body);
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (experiment_has_name(&shape->ports[i]))
            body = with_role(w, body, shape->ports[i].role, role_of(w, part, i));
    text_addf(out, "%s%s", out->length ? "; " : "", body);
    w->n_copies[part]++;
}

// The part whose copies are furthest behind their share of `n`.
static unsigned next_part(const struct writing *w, const unsigned *n_done, unsigned step, unsigned n) {
    unsigned best = 0;
    double most = -1;
    for (unsigned i = 0; i < w->n_parts; i++) {
        double behind = (double)w->parts[i].copies * (step + 1) / n - n_done[i];
        if (behind > most + 1e-9) {
            most = behind;
            best = i;
        }
    }
    return best;
}

static unsigned count_copies(const struct mixture_part *parts, unsigned n_parts) {
    unsigned n = 0;
    for (unsigned i = 0; i < n_parts; i++)
        n += parts[i].copies;
    return n;
}

static void add_body(struct writing *w, struct text *out) {
    unsigned n = count_copies(w->parts, w->n_parts), n_done[MIXTURE_MOST_FORMS] = {0};
    unsigned turns = n == 0 ? 0 : w->layout.turns ? w->layout.turns : (MIXTURE_LOOP + n - 1) / n;
    for (unsigned step = 0; step < turns * n; step++) {
        unsigned part = next_part(w, n_done, step % n, n);
        if (step % n == 0) {
            memset(n_done, 0, sizeof n_done);
            part = next_part(w, n_done, 0, n);
        }
        for (part = w->layout.in_runs ? 0 : part; w->layout.in_runs && n_done[part] == w->parts[part].copies;)
            part++;
        n_done[part]++;
        add_copy(w, part, out);
    }
}

static void add_word(struct text *words, const char *word) {
    text_addf(words, "%s%s", words->length ? ", " : "", word);
}

static void set_roles(const struct writing *w, struct kernel_text *kernel) {
    struct text init = {.arena = w->arena}, writes = {.arena = w->arena};
    for (unsigned i = 0; i < w->n_roles; i++) {
        if (w->roles[i].value)
            add_word(&init, arena_printf(w->arena, "%s: %s", w->roles[i].name, w->roles[i].value));
        if (w->roles[i].is_written)
            add_word(&writes, w->roles[i].name);
    }
    kernel->init = init.data;
    kernel->writes = writes.data;
}

// Registers that no role may be, of all forms; null: there are none.
static const char *avoided_by(const struct writing *w) {
    const char *names[SHAPE_MOST_PORTS];
    struct text words = {.arena = w->arena};
    size_t n = 0;
    for (unsigned i = 0; i < w->n_parts; i++) {
        const char *rest = w->parts[i].shape->avoided;
        while (rest && *rest) {
            const char *name = arena_copy(w->arena, rest, strcspn(rest, ", "));
            rest += strlen(name) + strspn(rest + strlen(name), ", ");
            if (n < SHAPE_MOST_PORTS && text_find(name, names, n) == n)
                names[n++] = name;
        }
    }
    for (size_t i = 0; i < n; i++)
        add_word(&words, names[i]);
    return words.data;
}

struct kernel_text mixture_kernel(struct arena *arena, const struct mixture_part *parts, unsigned n,
                                  struct mixture_layout layout, const char *name, const char *about) {
    struct writing w = {.arena = arena, .parts = parts, .n_parts = n, .layout = layout};
    struct text body = {.arena = arena}, forms = {.arena = arena};
    struct kernel_text kernel = {.name = name};
    add_body(&w, &body);
    text_add(&forms, "");
    for (unsigned i = 0; i < n; i++) {
        add_word(&forms, arena_printf(arena, "%u %s", parts[i].copies, parts[i].shape->form->name));
        if (parts[i].shape->has_memory && parts[i].shape->traits->clear_memory)
            kernel.setup = parts[i].shape->traits->clear_memory;
    }
    kernel.about = arena_printf(arena, "%s%s%s", forms.data, *about ? "; " : "", about);
    kernel.body = body.data;
    kernel.implicit = avoided_by(&w);
    set_roles(&w, &kernel);
    return kernel;
}
