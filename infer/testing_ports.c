#include "infer/testing_ports.h"

#include "base/bytes.h"
#include "infer/port_judge.h"

#include <math.h>
#include <string.h>

enum { MOST_KINDS = 40, MOST_PORTS = 17 };

// splitmix64's next number.
static uint64_t draw(struct testing_cpu *cpu) {
    const uint64_t drawn = bytes_scramble(cpu->state);
    cpu->state += 0x9e3779b97f4a7c15;
    return drawn;
}

static unsigned draw_below(struct testing_cpu *cpu, unsigned n) {
    return n > 0 ? (unsigned)(draw(cpu) % n) : 0;
}

static double draw_normal(struct testing_cpu *cpu) {
    double u = ((double)(draw(cpu) >> 11) + 1) / 9007199254740993.0, v = (double)(draw(cpu) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

// Random different sets within each cluster. Where several ports are as wide as dispatch, no experiment sees how many
// there are: `is_visible` makes clusters narrower than that.
static unsigned make_kinds(struct testing_cpu *cpu, bool is_visible, uint64_t kinds[MOST_KINDS]) {
    unsigned n = 0, width = (unsigned)cpu->map.width, n_ports = cpu->map.n_ports;
    unsigned least = is_visible ? (n_ports + width - 2) / (width - 1) : 1, n_clusters = least + draw_below(cpu, 2);
    for (unsigned c = 0; c < n_clusters; c++) {
        unsigned first = c * n_ports / n_clusters, end = (c + 1) * n_ports / n_clusters;
        for (unsigned tries = end - first + 2; tries > 0; tries--) {
            uint64_t set = 0;
            unsigned most = end - first < width - 1 ? end - first : width - 1;
            for (unsigned left = 1 + draw_below(cpu, most < 6 ? most : 6); left > 0; left--)
                set |= (uint64_t)1 << (first + draw_below(cpu, end - first)) % 64;
            bool is_new = true;
            for (unsigned k = 0; k < n; k++)
                is_new &= kinds[k] != set;
            if (is_new && n < MOST_KINDS)
                kinds[n++] = set;
        }
    }
    return n;
}

static void add_form(struct arena *arena, struct testing_cpu *cpu, const uint64_t *kinds, unsigned n_uops) {
    struct port_recipe recipe = {.n = n_uops, .slots = n_uops};
    for (unsigned u = 0; u < n_uops; u++)
        recipe.uops[u] = (struct cpu_use){kinds[u], 1};
    if (n_uops > 1 && draw_below(cpu, 3) == 0) // fused
        recipe.slots = 1 + draw_below(cpu, n_uops);
    if (n_uops == 0)
        recipe.slots = 1;
    port_recipe_sort(&recipe);
    size_t n = cpu->n_forms;
    const char *name = n_uops ? arena_printf(arena, "form%u-%u", cpu->n_forms, n_uops) : "nop";
    *ARENA_ADD(arena, cpu->names, n) = name;
    n = cpu->n_forms;
    *ARENA_ADD(arena, cpu->map.recipes, n) = recipe;
    cpu->n_forms++;
}

void testing_cpu_make(struct arena *arena, struct testing_cpu *cpu, unsigned seed, unsigned n_ports, double noise,
                      enum testing_kind kind) {
    uint64_t kinds[MOST_KINDS] = {0};
    *cpu = (struct testing_cpu){.noise = noise, .state = seed * 0x1234567ull + 1};
    cpu->map.n_ports = n_ports;
    cpu->map.width = 4 + draw_below(cpu, n_ports > 10 ? 6 : 4);
    unsigned n_kinds = make_kinds(cpu, kind != TESTING_ANY, kinds);
    add_form(arena, cpu, kinds, 0);
    for (unsigned k = kind == TESTING_HIDDEN; k < n_kinds; k++)
        for (unsigned n = 1 + draw_below(cpu, 4); n > 0; n--)
            add_form(arena, cpu, &kinds[k], 1);
    for (unsigned n = cpu->n_forms; n > 0; n--) {
        uint64_t uops[4];
        unsigned n_uops = 2 + draw_below(cpu, 3);
        for (unsigned u = 0; u < n_uops; u++)
            uops[u] = kinds[draw_below(cpu, n_kinds)];
        add_form(arena, cpu, uops, n_uops);
    }
}

void testing_cpu_try(struct testing_cpu *cpu, struct evidence *evidence, const struct evidence_term *terms,
                     unsigned n) {
    struct evidence_term own[6];
    struct evidence_item item = {.terms = own, .n_terms = n};
    memcpy(own, terms, n * sizeof *own);
    double cycles = port_map_cycles(&cpu->map, &item, NULL) * (1 + cpu->noise * draw_normal(cpu));
    evidence_add(evidence, own, n, cycles, cycles * (1 - 2 * cpu->noise), cycles * (1 + 2 * cpu->noise),
                 arena_printf(evidence->arena, "%zu", evidence->n_items), "");
}

static double alone(const struct testing_cpu *cpu, unsigned form) {
    struct evidence_term term = {form, 1};
    struct evidence_item item = {.terms = &term, .n_terms = 1};
    return port_map_cycles(&cpu->map, &item, NULL);
}

// The smallest counts at which both take about as long.
static void balance(double a, double b, unsigned *m, unsigned *n) {
    double best = 1e9;
    for (unsigned x = 1; x <= 12; x++)
        for (unsigned y = 1; y <= 12; y++) {
            double off = fabs(log(x * a / (y * b))) + 0.02 * (x + y);
            if (off < best) {
                best = off;
                *m = x;
                *n = y;
            }
        }
}

static bool is_sentinel(const struct testing_cpu *cpu, unsigned form) {
    bool is_first = cpu->map.recipes[form].n == 1;
    for (unsigned f = 1; f < form; f++)
        is_first &= !port_recipe_is_equal(&cpu->map.recipes[f], &cpu->map.recipes[form]);
    return is_first;
}

void testing_cpu_measure(struct testing_cpu *cpu, bool few, struct evidence *evidence) {
    for (unsigned f = 0; f < cpu->n_forms; f++) {
        evidence_form(evidence, cpu->names[f]);
        struct evidence_term terms[2] = {{f, 1}, {0, (unsigned)ceil(cpu->map.width * alone(cpu, f))}};
        testing_cpu_try(cpu, evidence, terms, 1);
        if (f)
            testing_cpu_try(cpu, evidence, terms, 2);
        for (unsigned other = 1; other < f; other++) {
            unsigned m = 1, n = 1;
            if (few && !is_sentinel(cpu, f) && !is_sentinel(cpu, other))
                continue;
            balance(alone(cpu, f), alone(cpu, other), &m, &n);
            for (unsigned way = 0; way < 3; way++) {
                struct evidence_term pair[2] = {{f, way == 1 ? 2 * m : m}, {other, way == 2 ? 2 * n : n}};
                testing_cpu_try(cpu, evidence, pair, 2);
            }
        }
    }
}

struct renaming {
    const struct testing_cpu *cpu;
    const struct ports *ports;
    int to[MOST_PORTS]; // port that was found, by true one
    uint64_t taken;
};

static bool is_right(const struct renaming *renaming, unsigned form) {
    struct port_recipe renamed = renaming->cpu->map.recipes[form];
    for (unsigned u = 0; u < renamed.n; u++) {
        uint64_t from = renamed.uops[u].pipes;
        renamed.uops[u].pipes = 0;
        for (; from; from &= from - 1) {
            int to = renaming->to[__builtin_ctzll(from)];
            if (to < 0)
                return false;
            renamed.uops[u].pipes |= (uint64_t)1 << to;
        }
    }
    port_recipe_sort(&renamed);
    struct port_recipe found = renaming->ports->map.recipes[form];
    port_recipe_sort(&found);
    return port_recipe_is_equal(&renamed, &found);
}

static unsigned count_right(const struct renaming *renaming) {
    unsigned n = 0;
    for (unsigned f = 1; f < renaming->cpu->n_forms; f++)
        n += is_right(renaming, f);
    return n;
}

// How alike a true port and a found one are: forms that use both or neither, by how many uops.
static unsigned alike(const struct renaming *renaming, unsigned truth, unsigned found) {
    unsigned n = 0;
    for (unsigned f = 1; f < renaming->cpu->n_forms; f++) {
        unsigned a = 0, b = 0;
        const struct port_recipe *x = &renaming->cpu->map.recipes[f], *y = &renaming->ports->map.recipes[f];
        for (unsigned u = 0; u < x->n; u++)
            a += (unsigned)(x->uops[u].pipes >> truth & 1);
        for (unsigned u = 0; u < y->n; u++)
            b += (unsigned)(y->uops[u].pipes >> found & 1);
        n += a == b ? 1 + a : 0;
    }
    return n;
}

// The most alike ones first.
static void rename_alike(struct renaming *renaming) {
    for (unsigned step = 0; step < renaming->cpu->map.n_ports; step++) {
        unsigned most = 0, truth = 0, found = 0;
        for (unsigned p = 0; p < renaming->cpu->map.n_ports; p++)
            for (unsigned q = 0; q < renaming->ports->map.n_ports && renaming->to[p] < 0; q++)
                if (!(renaming->taken >> q & 1) && alike(renaming, p, q) > most) {
                    most = alike(renaming, p, q);
                    truth = p;
                    found = q;
                }
        if (most == 0)
            return;
        renaming->to[truth] = (int)found;
        renaming->taken |= (uint64_t)1 << found;
    }
}

// Exchanges two, where that makes more forms right.
static bool improve(struct renaming *renaming) {
    for (unsigned p = 0; p < renaming->cpu->map.n_ports; p++)
        for (unsigned q = 0; q < p; q++) {
            unsigned before = count_right(renaming);
            int kept = renaming->to[p];
            renaming->to[p] = renaming->to[q];
            renaming->to[q] = kept;
            if (count_right(renaming) > before)
                return true;
            renaming->to[q] = renaming->to[p];
            renaming->to[p] = kept;
        }
    return false;
}

// They are judged by the true time, without noise.
static double judge_multisets(struct testing_cpu *cpu, const struct ports *ports) {
    enum { N = 300, LEAST = 3, MOST = 10 };
    struct arena arena = {0};
    struct evidence judged = {.arena = &arena, .forms = cpu->names, .n_forms = cpu->n_forms};
    for (unsigned i = 0; i < N; i++) {
        struct evidence_term terms[MOST];
        unsigned n = LEAST + draw_below(cpu, MOST - LEAST + 1);
        for (unsigned t = 0; t < n; t++)
            terms[t] = (struct evidence_term){1 + draw_below(cpu, cpu->n_forms - 1), 1};
        struct evidence_item item = {.terms = terms, .n_terms = n};
        double cycles = port_map_cycles(&cpu->map, &item, NULL);
        evidence_add(&judged, terms, n, cycles, cycles, cycles, "", "");
    }
    double error = port_judge(&arena, ports, &judged, LEAST).mean;
    arena_free(&arena);
    return error;
}

struct testing_score testing_cpu_compare(struct testing_cpu *cpu, const struct ports *ports) {
    struct renaming renaming = {cpu, ports, .taken = 0};
    struct testing_score score = {.error = judge_multisets(cpu, ports)};
    for (unsigned p = 0; p < MOST_PORTS; p++)
        renaming.to[p] = -1;
    rename_alike(&renaming);
    while (improve(&renaming))
        ;
    for (unsigned f = 1; f < cpu->n_forms; f++) {
        bool right = is_right(&renaming, f), certain = ports->forms[f].state == PORTS_CERTAIN;
        score.n_forms++;
        score.n_right += right;
        score.n_certain += certain;
        score.n_certain_wrong += certain && !right;
    }
    return score;
}
