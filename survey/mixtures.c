#include "survey/mixtures.h"

#include "base/bytes.h"
#include "gen/gen.h"
#include "survey/forms/isa_traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- forms

enum kind { GENERAL, GENERAL_LOAD, VECTOR, VECTOR_LOAD, MASK, MASK_LOAD, N_KINDS };

struct candidate {
    struct mixture_part part; // without copies
    const char *class_name;
    uint64_t class_hash, form_hash;
    enum kind kind;
};

struct drawing {
    struct arena *arena;
    const struct mixtures_request *request;
    struct candidate *candidates; // in LLVM's order
    size_t n_candidates;
    double width; // instructions a cycle at the most
    struct experiment_list *kernels;
};

static enum kind kind_of(const struct shape *shape) {
    bool has_vector = false, has_mask = false;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        has_vector |= shape->ports[i].file == 'v' || shape->ports[i].file == 'f';
        has_mask |= shape->ports[i].file == 'k';
    }
    enum kind kind = has_mask ? MASK : has_vector ? VECTOR : GENERAL;
    return shape->form->may_load ? kind + 1 : kind;
}

static int compare_rows(const void *a, const void *b) {
    return strcmp(((const struct table_row *)a)->form, ((const struct table_row *)b)->form);
}

// The longest latency from a register to itself of a form that reads what it writes; below 0: it is not known.
static double own_latency(const struct table_row *row, const struct shape *shape) {
    double longest = 0;
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        bool is_known = false;
        if (!port->is_read || !port->is_written)
            continue;
        for (size_t k = 0; k < row->n_latencies; k++) {
            const struct table_latency *latency = &row->latencies[k];
            if (strcmp(latency->source, port->label) != 0 || strcmp(latency->destination, port->label) != 0 ||
                !latency->value.is_known)
                continue;
            longest = fmax(longest, latency->value.cycles);
            is_known = true;
        }
        if (!is_known)
            return -1;
    }
    return longest;
}

// Whether a row's throughput is known well enough, and the form is not one of those whose time depends on its operands.
static bool has_throughput(const struct table_row *row) {
    if (row->headline == row->n_throughputs)
        return false;
    const struct table_throughput *throughput = &row->throughputs[row->headline];
    for (size_t i = 0; i < row->n_throughputs; i++)
        if (row->throughputs[i].has_slow_values)
            return false;
    return table_is_stable(&throughput->value) && !throughput->value.has_two_speeds &&
           throughput->value.relation == TABLE_EQUAL && !throughput->has_breakers && !throughput->has_wrapper &&
           throughput->value.cycles <= MIXTURES_MOST_CYCLES;
}

const struct table_row *mixtures_part(const struct survey_table *table, const struct shape *shape,
                                      struct mixture_part *part) {
    const struct table_row wanted = {.form = shape->form->name};
    const struct table_row *row = !shape->left_out && table->n_rows
                                      ? bsearch(&wanted, table->rows, table->n_rows, sizeof *table->rows, compare_rows)
                                      : NULL;
    double latency = row ? own_latency(row, shape) : -1;
    if (!row || latency < 0 || !has_throughput(row) || !mixture_can_have(shape))
        return NULL;
    *part = (struct mixture_part){
        .shape = shape, .throughput = row->throughputs[row->headline].value.cycles, .latency = latency};
    return row;
}

static void find_candidates(struct drawing *drawing) {
    const struct mixtures_request *request = drawing->request;
    for (size_t i = 0; i < request->n_shapes; i++) {
        const struct shape *shape = &request->shapes[i];
        struct mixture_part part;
        const struct table_row *row = mixtures_part(request->table, shape, &part);
        if (!row)
            continue;
        const char *class_name = row->sched_class ? row->sched_class : row->form;
        *ARENA_ADD(drawing->arena, drawing->candidates, drawing->n_candidates) =
            (struct candidate){.part = part,
                               .class_name = class_name,
                               .class_hash = bytes_hash(class_name, strlen(class_name)),
                               .form_hash = bytes_hash(row->form, strlen(row->form)),
                               .kind = kind_of(shape)};
    }
}

// ---- kernels

bool mixtures_have_registers(const struct isa *isa, enum program_form form, const struct kernel_text *kernel) {
    struct arena arena = {0};
    struct kernel_set set = {0};
    struct fail fail = {0};
    struct program program;
    const struct gen_request request = {.mode = PROGRAM_THROUGHPUT, .form = form, .streams = 1};
    bool is_good = kernel_add(&arena, "a mixture", isa, experiment_syntax(isa), kernel, &set, &fail) &&
                   gen_expand(&arena, &set.kernels[0], &request, &program, &fail);
    arena_free(&arena);
    return is_good;
}

// Makes the kernel of forms that do not wait for each other, and for which registers suffice. False: they do not.
static bool make_kernel(const struct drawing *drawing, const struct mixture_part *parts, unsigned n, const char *name,
                        const char *about, struct kernel_text *kernel) {
    if (!mixture_is_free(parts, n, mixture_usual, drawing->width))
        return false;
    *kernel = mixture_kernel(drawing->arena, parts, n, mixture_usual, name, about);
    return mixtures_have_registers(drawing->request->isa, PROGRAM_LOOPED, kernel);
}

// The drawing's texts do not outlive it.
static void keep(const struct drawing *drawing, struct experiment_key key, const struct kernel_text *kernel) {
    struct arena *arena = drawing->kernels->arena;
    key.form = key.form ? arena_strdup(arena, key.form) : NULL;
    key.probe_form = key.probe_form ? arena_strdup(arena, key.probe_form) : NULL;
    struct kernel_text *added = experiment_list_add(drawing->kernels, key);
    const char *name = added->name;
    *added = kernel_text_copy(arena, kernel);
    added->name = name;
}

static bool is_drawn(const struct drawing *drawing, const char *name) {
    return text_find(name, drawing->request->drawn, drawing->request->n_drawn) < drawing->request->n_drawn;
}

// ---- random ones

// Kinds to draw from: each with equal chances. Half of the mixtures hold all kinds; a quarter each is of vectors and of
// general registers alone, as these share most.
enum { N_THEMES = 4, MOST_OF_THEME = 6 };
static const struct theme {
    enum kind kinds[MOST_OF_THEME];
    unsigned n;
} themes[N_THEMES] = {
    {{GENERAL, GENERAL_LOAD, VECTOR, VECTOR_LOAD, MASK, MASK_LOAD}, 6},
    {{VECTOR, VECTOR, VECTOR_LOAD, MASK}, 4},
    {{GENERAL, GENERAL_LOAD, VECTOR, VECTOR_LOAD, MASK, MASK_LOAD}, 6},
    {{GENERAL, GENERAL, GENERAL_LOAD}, 3},
};

// The candidate of a kind that the seed chooses: of the class with the least hash, the form with the least. Null: no
// candidate is of that kind.
static const struct candidate *choose(const struct drawing *drawing, enum kind kind, uint64_t seed) {
    const struct candidate *best = NULL;
    uint64_t least_class = 0, least_form = 0;
    for (size_t i = 0; i < drawing->n_candidates; i++) {
        const struct candidate *each = &drawing->candidates[i];
        if (each->kind != kind)
            continue;
        uint64_t class_hash = bytes_scramble(seed ^ each->class_hash);
        if (best && class_hash > least_class)
            continue;
        uint64_t form_hash = bytes_scramble(seed ^ each->form_hash);
        if (!best || class_hash < least_class || form_hash < least_form) {
            best = each;
            least_class = class_hash;
            least_form = form_hash;
        }
    }
    return best;
}

static bool has_form(const struct mixture_part *parts, unsigned n, const struct candidate *candidate) {
    for (unsigned i = 0; i < n; i++)
        if (parts[i].shape == candidate->part.shape)
            return true;
    return false;
}

// Draws mixture `number`. False: the forms do not suffice.
static bool draw_random(const struct drawing *drawing, unsigned number, const char *name, struct kernel_text *kernel) {
    enum { LEAST_FORMS = 2, MOST_FORMS = 6, MOST_TRIES = 12 };
    struct mixture_part parts[MOST_FORMS];
    uint64_t seed = bytes_scramble(number);
    unsigned n_wanted = LEAST_FORMS + (unsigned)(seed % (MOST_FORMS - LEAST_FORMS + 1)), n = 0;
    const struct theme *theme = &themes[number % N_THEMES];
    for (unsigned slot = 0; slot < n_wanted; slot++)
        for (unsigned attempt = 0; attempt < MOST_TRIES; attempt++) {
            uint64_t own = bytes_scramble(seed + (uint64_t)slot * MOST_TRIES + attempt);
            const struct candidate *candidate = choose(drawing, theme->kinds[own % theme->n], bytes_scramble(own));
            if (!candidate || has_form(parts, n, candidate))
                continue;
            parts[n] = candidate->part;
            parts[n].copies = 1 + (unsigned)(own >> 32) % MIXTURE_MOST_COPIES;
            struct kernel_text tried;
            if (!make_kernel(drawing, parts, n + 1, name, "random", &tried))
                continue;
            n++;
            *kernel = tried;
            break;
        }
    return n >= LEAST_FORMS;
}

static bool is_of_shard(const struct mixtures_request *request, unsigned number) {
    return !request->n_shards || number % request->n_shards == request->shard - 1;
}

static void draw_all_random(const struct drawing *drawing) {
    for (unsigned number = 0; number < drawing->request->n_random; number++) {
        const struct experiment_key key = {.kind = EXPERIMENT_MIXTURE, .number = number};
        const char *name = experiment_key_name(drawing->arena, &key);
        struct kernel_text kernel;
        if (is_of_shard(drawing->request, number) && !is_drawn(drawing, name) &&
            draw_random(drawing, number, name, &kernel))
            keep(drawing, key, &kernel);
    }
}

// ---- probes

static const struct candidate *find_candidate(const struct drawing *drawing, const char *form) {
    for (size_t i = 0; i < drawing->n_candidates; i++)
        if (strcmp(drawing->candidates[i].part.shape->form->name, form) == 0)
            return &drawing->candidates[i];
    return NULL;
}

static bool has_widest(const struct shape *shape) {
    enum { WIDEST = 512 }; // bits: with such a vector at work, some CPUs have other pipes for all vectors
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (shape->ports[i].class->bits >= WIDEST)
            return true;
    return false;
}

static char group_of(const struct candidate *candidate) {
    if (candidate->kind <= GENERAL_LOAD)
        return 'g';
    for (unsigned i = 0; i < candidate->part.shape->n_ports; i++)
        if (candidate->part.shape->ports[i].file == 'v' || candidate->part.shape->ports[i].file == 'f')
            return has_widest(candidate->part.shape) ? 'z' : 'v';
    return 'k';
}

// Sets copies of two forms that take about equally long alone; of those as near, the fewest.
static void balance(struct mixture_part *parts) {
    double nearest = INFINITY;
    for (unsigned a = 1; a <= MIXTURE_MOST_COPIES; a++)
        for (unsigned b = 1; b <= MIXTURE_MOST_COPIES; b++) {
            double off = fabs(log(a * parts[0].throughput / (b * parts[1].throughput)));
            if (off < nearest - 0.02) {
                nearest = off;
                parts[0].copies = a;
                parts[1].copies = b;
            }
        }
}

static void add_probes_of(const struct drawing *drawing, const struct candidate *candidate) {
    const struct isa_traits *traits = isa_traits_find(drawing->request->isa);
    for (const struct way_probe *probe = traits->probes; probe && probe->form; probe++) {
        const struct candidate *other =
            probe->group == group_of(candidate) ? find_candidate(drawing, probe->form) : NULL;
        const struct experiment_key key = {
            .kind = EXPERIMENT_PROBE, .form = candidate->part.shape->form->name, .probe_form = probe->form};
        const char *name = experiment_key_name(drawing->arena, &key);
        if (!other || other == candidate || is_drawn(drawing, name))
            continue;
        struct mixture_part parts[] = {candidate->part, other->part};
        balance(parts);
        struct kernel_text kernel;
        if (make_kernel(drawing, parts, 2, name, "probe", &kernel))
            keep(drawing, key, &kernel);
    }
}

// The first candidate of each class. Those without a load come first: pipes of the others follow from them.
static void draw_probes(const struct drawing *drawing) {
    enum { PROBES_OF_CLASS = 3 };
    size_t n = 0;
    for (int has_load = 0; has_load < 2; has_load++)
        for (size_t i = 0; i < drawing->n_candidates; i++) {
            const struct candidate *each = &drawing->candidates[i];
            bool is_first = true;
            for (size_t k = 0; k < i && is_first; k++)
                is_first = drawing->candidates[k].class_hash != each->class_hash;
            if (!is_first || each->part.shape->form->may_load != (bool)has_load ||
                n + PROBES_OF_CLASS > MIXTURES_MOST_PROBES)
                continue;
            n += PROBES_OF_CLASS;
            add_probes_of(drawing, each);
        }
}

void mixtures_draw(const struct mixtures_request *request, struct experiment_list *kernels) {
    static const double usual_width = 8; // wider than most CPUs are: then fewer forms that read their result fit
    struct arena arena = {0};
    struct drawing drawing = {.arena = &arena,
                              .request = request,
                              .width = request->table->width > 0 ? request->table->width : usual_width,
                              .kernels = kernels};
    find_candidates(&drawing);
    if (request->n_random)
        draw_probes(&drawing);
    draw_all_random(&drawing);
    arena_free(&arena);
}
