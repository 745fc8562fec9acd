// Places the bases on ports: all ways up to renaming that the evidence allows. A port is known by which bases use it;
// a base that is added takes so many of each kind of port, and some new ones. So no two ways differ by names alone.
#include "infer/port_search.h"

#include "analyzer/predict/port_spread.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PORTS = 24 };
static const double WHOLE_SUM = 0.98; // of what two take one after the other: nothing of it was done together

// Sizes that the union of two bases' ports may have: bit u for u.
struct union_sizes {
    uint64_t of[MOST_BASES][MOST_BASES];
    bool is_strained[MOST_BASES][MOST_BASES]; // none fits all pairs: those that fit most, and are never too long
};

// Which bases (by place in the order) use each port; equal ones stand together.
struct way {
    uint32_t users[MOST_PORTS];
    unsigned n_ports;
};

struct isa_traits {
    struct way *items;
    size_t n;
};

struct placing {
    struct port_search *search;
    unsigned order[MOST_BASES], n_order; // bases that are placed
    struct isa_traits traits;
    bool is_cut;
    double steps_left;
};

// What a pair of bases takes where their ports are `u` together; 0: the item is no pair of them.
static double pair_cycles(const struct port_search *search, size_t item, const struct base *x, const struct base *y,
                          unsigned u) {
    const struct evidence_item *at = &search->evidence->items[item];
    const struct port_map *map = &search->ports->map;
    if (at->n_terms != 2 || search->ports->is_unused[item] || at->terms[at->terms[0].form == x->form].form != y->form)
        return 0;
    double m = at->terms[at->terms[0].form != x->form].count, n = at->n_insns - m;
    double cycles = m / x->width > n / y->width ? m / x->width : n / y->width;
    double dispatch = (m * map->recipes[x->form].slots + n * map->recipes[y->form].slots) / map->width;
    cycles = (m + n) / u > cycles ? (m + n) / u : cycles;
    return dispatch > cycles ? dispatch : cycles;
}

// Of two bases: sizes with which each of their pairs takes what `fits`, so many cycles by that size.
static uint64_t unions_that(bool (*fits)(const struct port_search *search, size_t item, double cycles),
                            const struct port_search *search, unsigned a, unsigned b) {
    const struct base *x = &search->bases[a], *y = &search->bases[b];
    uint64_t allowed = 0;
    for (unsigned u = x->width > y->width ? x->width : y->width; u <= x->width + y->width; u++) {
        bool is_allowed = true;
        for (size_t i = 0; i < search->n_items[x->form] && is_allowed; i++) {
            size_t item = search->items[x->form][i];
            double cycles = pair_cycles(search, item, x, y, u);
            is_allowed = cycles == 0 || fits(search, item, cycles);
        }
        allowed |= (uint64_t)is_allowed << u;
    }
    return allowed;
}

// CPUs do not choose ports in the best way: where pairs take much longer than they must, no size fits. These are the
// ones that no pair is too short for, and that fit most pairs.
static uint64_t near_unions_of(const struct port_search *search, unsigned a, unsigned b) {
    const struct base *x = &search->bases[a], *y = &search->bases[b];
    size_t most = 0;
    uint64_t allowed = 0;
    for (unsigned u = x->width > y->width ? x->width : y->width; u <= x->width + y->width; u++) {
        size_t n = 1;
        for (size_t i = 0; i < search->n_items[x->form] && n; i++) {
            size_t item = search->items[x->form][i];
            double cycles = pair_cycles(search, item, x, y, u);
            n = cycles > search->high[item] ? 0 : n + (cycles > 0 && search_fits(search, item, cycles));
        }
        if (n > most)
            allowed = 0;
        most = n > most ? n : most;
        allowed |= (uint64_t)(n && n == most) << u;
    }
    // What only differs in what no pair fits: the smallest, which is the least too short.
    return most == 1 ? allowed & -allowed : allowed;
}

// Not too long, and shorter by no more than stalls are taken for.
static bool is_possible(const struct port_search *search, size_t item, double cycles) {
    static const double most_stalls = 0.25; // of the time by ports
    return cycles <= search->high[item] && search->evidence->items[item].low <= (1 + most_stalls) * cycles;
}

// Whether this size alone is possible.
static bool is_only_union(const struct port_search *search, unsigned a, unsigned b, uint64_t chosen) {
    return unions_that(is_possible, search, a, b) == chosen && (chosen & (chosen - 1)) == 0;
}

static uint64_t ports_of(const struct way *way, unsigned place) {
    uint64_t ports = 0;
    for (unsigned p = 0; p < way->n_ports; p++)
        ports |= (uint64_t)(way->users[p] >> place & 1) << p;
    return ports;
}

// Items of three and more forms, all of them placed, and the last one among them.
static bool fits_larger_items(const struct placing *placing, const struct way *way, unsigned last) {
    const struct port_search *search = placing->search;
    unsigned form = search->bases[placing->order[last]].form;
    for (size_t i = 0; i < search->n_items[form]; i++) {
        size_t item = search->items[form][i];
        const struct evidence_item *at = &search->evidence->items[item];
        struct cpu_use work[MOST_BASES];
        double slots = 0;
        bool is_known = at->n_terms > 2 && at->n_terms <= MOST_BASES && !search->ports->is_unused[item];
        for (unsigned t = 0; is_known && t < at->n_terms; t++) {
            unsigned place = 0;
            while (place <= last && search->bases[placing->order[place]].form != at->terms[t].form)
                place++;
            is_known = place <= last;
            if (is_known)
                work[t] = (struct cpu_use){ports_of(way, place), at->terms[t].count};
            slots += at->terms[t].count * search->ports->map.recipes[at->terms[t].form].slots;
        }
        if (!is_known)
            continue;
        double cycles = port_spread(work, at->n_terms, NULL), dispatch = slots / search->ports->map.width;
        if (!search_fits(search, item, cycles > dispatch ? cycles : dispatch))
            return false;
    }
    return true;
}

struct extension {
    struct placing *placing;
    const struct way *from;
    const uint64_t *unions; // by place of those before
    unsigned place, width;
    struct isa_traits *to;
};

static void add_way(struct extension *extension, const struct way *taken, unsigned n_taken) {
    struct placing *placing = extension->placing;
    struct way way = *taken;
    if (way.n_ports + extension->width - n_taken > MOST_PORTS)
        return;
    for (unsigned n = n_taken; n < extension->width; n++)
        way.users[way.n_ports++] = (uint32_t)1 << extension->place;
    uint64_t own = ports_of(&way, extension->place);
    for (unsigned j = 0; j < extension->place; j++)
        if (!(extension->unions[j] >> __builtin_popcountll(own | ports_of(&way, j)) & 1))
            return;
    if (!fits_larger_items(placing, &way, extension->place))
        return;
    if (extension->to->n == MOST_FAMILIES)
        placing->is_cut = true;
    else
        *ARENA_ADD(placing->search->arena, extension->to->items, extension->to->n) = way;
}

// Takes 0 and more ports of the kind that begins at `port`.
static void take_ports(struct extension *extension, struct way *way, unsigned port, unsigned n_taken) {
    struct placing *placing = extension->placing;
    if (placing->is_cut || placing->steps_left-- < 0) {
        placing->is_cut = true;
        return;
    }
    if (port == extension->from->n_ports) {
        add_way(extension, way, n_taken);
        return;
    }
    unsigned end = port;
    while (end < extension->from->n_ports && extension->from->users[end] == extension->from->users[port])
        end++;
    take_ports(extension, way, end, n_taken);
    unsigned p = port;
    for (; p < end && n_taken < extension->width; p++) {
        way->users[p] |= (uint32_t)1 << extension->place;
        take_ports(extension, way, end, ++n_taken);
    }
    while (p-- > port)
        way->users[p] &= ~((uint32_t)1 << extension->place);
}

// Returns false, and changes nothing, where no way has room for it.
static bool place_base(struct placing *placing, unsigned base, const struct union_sizes *unions) {
    uint64_t before[MOST_BASES];
    struct isa_traits to = {0};
    for (unsigned j = 0; j < placing->n_order; j++)
        before[j] = unions->of[base][placing->order[j]];
    placing->order[placing->n_order] = base;
    for (size_t w = 0; w < placing->traits.n; w++) {
        struct extension extension = {placing,          &placing->traits.items[w],          before,
                                      placing->n_order, placing->search->bases[base].width, &to};
        struct way way = *extension.from;
        take_ports(&extension, &way, 0, 0);
    }
    if (to.n == 0)
        return false;
    placing->traits = to;
    placing->n_order++;
    return true;
}

// Next: what has most known unions with those that are placed; of equal ones, what more forms share.
static unsigned choose_next(const struct port_search *search, const struct placing *placing, const bool *is_open,
                            const struct union_sizes *unions) {
    unsigned best = MOST_BASES, most_known = 0;
    for (unsigned b = 0; b < search->n_bases; b++) {
        unsigned known = 0;
        for (unsigned j = 0; j < placing->n_order; j++)
            known += __builtin_popcountll(unions->of[b][placing->order[j]]) == 1;
        if (is_open[b] && (best == MOST_BASES || known > most_known ||
                           (known == most_known && search->bases[b].n_members > search->bases[best].n_members))) {
            best = b;
            most_known = known;
        }
    }
    return best;
}

static void place_all(struct placing *placing, const bool *is_member, unsigned first,
                      const struct union_sizes *unions) {
    bool is_open[MOST_BASES];
    memcpy(is_open, is_member, sizeof is_open);
    placing->traits = (struct isa_traits){ARENA_NEW(placing->search->arena, struct way), 1};
    for (unsigned next = first; next < MOST_BASES; next = choose_next(placing->search, placing, is_open, unions)) {
        is_open[next] = false;
        place_base(placing, next, unions);
    }
}

static unsigned count_members(const struct placing *placing) {
    unsigned n = 0;
    for (unsigned j = 0; j < placing->n_order; j++)
        n += placing->search->bases[placing->order[j]].n_members;
    return n;
}

// Most ports first: no port is shared that no experiment shows to be shared.
static int compare_families(const void *a, const void *b) {
    const struct family *x = a, *y = b;
    if (x->n_ports != y->n_ports)
        return x->n_ports > y->n_ports ? -1 : 1;
    return memcmp(x->sets, y->sets, sizeof x->sets);
}

// Bases, by their places, that share a port in some map with that one, or with one that does: of others, nothing
// follows for it. So what is open or strained among others does not matter to it.
static uint32_t part_of(const struct placing *placing, unsigned place) {
    uint32_t part = UINT32_C(1) << place, before = 0;
    while (part != before) {
        before = part;
        for (size_t w = 0; w < placing->traits.n; w++)
            for (unsigned p = 0; p < placing->traits.items[w].n_ports; p++) {
                const uint32_t users = placing->traits.items[w].users[p];
                part |= users & part ? users : 0;
            }
    }
    return part;
}

// What the first of the bases uses comes first.
static int compare_ports(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, first = (x ^ y) & -(x ^ y);
    return first & x ? -1 : first != 0;
}

// The ports of a way that bases of the part use, in an order that only their users decide.
static struct family family_of(const struct way *way, uint32_t members, unsigned n_order) {
    struct way own = {.n_ports = 0};
    struct family family = {.n_ports = 0};
    for (unsigned p = 0; p < way->n_ports; p++)
        if (way->users[p] & members)
            own.users[own.n_ports++] = way->users[p];
    qsort(own.users, own.n_ports, sizeof *own.users, compare_ports);
    family.n_ports = own.n_ports;
    for (unsigned j = 0, k = 0; j < n_order; j++)
        if (members >> j & 1)
            family.sets[k++] = ports_of(&own, j);
    return family;
}

static bool has_family(const struct ambiguous_cluster *cluster, const struct family *family) {
    for (size_t f = 0; f < cluster->n_families; f++)
        if (cluster->families[f].n_ports == family->n_ports &&
            memcmp(cluster->families[f].sets, family->sets, sizeof family->sets) == 0)
            return true;
    return false;
}

static void keep_part(struct port_search *search, const struct placing *placing, const struct union_sizes *unions,
                      uint32_t members) {
    struct ports *ports = search->ports;
    struct ambiguous_cluster cluster = {.n_bases = 0};
    for (unsigned j = 0; j < placing->n_order; j++)
        if (members >> j & 1)
            cluster.bases[cluster.n_bases++] = placing->order[j];
    cluster.families = ARENA_ARRAY(search->arena, struct family, placing->traits.n);
    for (size_t w = 0; w < placing->traits.n; w++) {
        struct family family = family_of(&placing->traits.items[w], members, placing->n_order);
        if (!has_family(&cluster, &family))
            cluster.families[cluster.n_families++] = family;
    }
    qsort(cluster.families, cluster.n_families, sizeof *cluster.families, compare_families);
    const struct family *chosen = &cluster.families[0];
    if (ports->map.n_ports + chosen->n_ports > PORT_MAP_MOST_PORTS)
        return;
    struct ports_cluster public = {((((uint64_t)1 << chosen->n_ports) - 1) << ports->map.n_ports), cluster.n_families,
                                   placing->is_cut, .strained = 0};
    for (unsigned j = 0; j < cluster.n_bases; j++) {
        struct base *base = &search->bases[cluster.bases[j]];
        base->ports = chosen->sets[j] << ports->map.n_ports;
        base->cluster = (unsigned)ports->n_clusters;
        search->base_of[base->form] = (int)cluster.bases[j];
        for (unsigned k = 0; k < placing->n_order; k++)
        public.strained |= unions->is_strained[cluster.bases[j]][placing->order[k]] ? base->ports : 0;
    }
    ports->map.n_ports += chosen->n_ports;
    size_t n = ports->n_clusters;
    *ARENA_ADD(search->arena, search->clusters, n) = cluster;
    *ARENA_ADD(search->arena, ports->clusters, ports->n_clusters) = public;
}

static void keep(struct port_search *search, const struct placing *placing, const struct union_sizes *unions) {
    uint32_t kept = 0;
    for (unsigned j = 0; j < placing->n_order; j++)
        if (!(kept >> j & 1)) {
            const uint32_t part = part_of(placing, j);
            keep_part(search, placing, unions, part);
            kept |= part;
        }
}

// Marks all bases that may share a port with it, with those that may share one with these, and so on.
static void mark_cluster(const struct port_search *search, const struct union_sizes *unions, unsigned base,
                         bool *is_member) {
    is_member[base] = true;
    for (unsigned other = 0; other < search->n_bases; other++)
        if (!is_member[other] &&
            unions->of[base][other] != (uint64_t)1 << (search->bases[base].width + search->bases[other].width))
            mark_cluster(search, unions, other, is_member);
}

static bool has_place(const struct placing *placing, unsigned base) {
    for (unsigned j = 0; j < placing->n_order; j++)
        if (placing->order[j] == base)
            return true;
    return false;
}

// What stands for most forms is placed first; then again with each of those first that found no place, for one of them
// may be right and what excludes it wrong. The way that explains most forms is kept.
static void place_cluster(struct port_search *search, const struct union_sizes *unions, const bool *is_member) {
    enum { TRIES = 12 };
    unsigned firsts[MOST_BASES] = {MOST_BASES}, n_firsts = 1;
    struct placing best = {.search = search};
    for (unsigned b = 0; b < search->n_bases; b++)
        if (is_member[b] &&
            (firsts[0] == MOST_BASES || search->bases[b].n_members > search->bases[firsts[0]].n_members))
            firsts[0] = b;
    for (unsigned f = 0; f < n_firsts && f < TRIES; f++) {
        struct placing placing = {.search = search, .steps_left = search->ports->options.steps / 100};
        place_all(&placing, is_member, firsts[f], unions);
        for (unsigned b = 0; f == 0 && b < search->n_bases; b++)
            if (is_member[b] && !has_place(&placing, b) && n_firsts < MOST_BASES)
                firsts[n_firsts++] = b;
        if (f == 0 || count_members(&placing) > count_members(&best))
            best = placing;
    }
    keep(search, &best, unions);
}

// Whether the narrower one holds all ports of the wider one: they take as long as one after the other. It has several
// uops, as one holds one port.
static bool holds_all(const struct port_search *search, const struct base *narrow, const struct base *wide) {
    for (size_t i = 0; i < search->n_items[narrow->form] && narrow->width < wide->width; i++) {
        const struct evidence_item *at = &search->evidence->items[search->items[narrow->form][i]];
        double most = pair_cycles(search, search->items[narrow->form][i], narrow, wide, wide->width);
        double sum = (double)at->terms[0].count / (at->terms[0].form == narrow->form ? narrow->width : wide->width) +
                     (double)at->terms[at->n_terms - 1].count /
                         (at->terms[at->n_terms - 1].form == narrow->form ? narrow->width : wide->width);
        if (most > 0 && at->low > most && at->cycles >= WHOLE_SUM * sum)
            return true;
    }
    return false;
}

static void drop_several(struct port_search *search) {
    bool is_several[MOST_BASES] = {false};
    unsigned n = 0;
    for (unsigned a = 0; a < search->n_bases; a++)
        for (unsigned b = 0; b < search->n_bases; b++)
            is_several[a] |= a != b && holds_all(search, &search->bases[a], &search->bases[b]);
    for (unsigned a = 0; a < search->n_bases; a++)
        if (!is_several[a])
            search->bases[n++] = search->bases[a];
    search->n_bases = n;
}

static void set_unions(const struct port_search *search, struct union_sizes *unions, unsigned a, unsigned b) {
    if (a == b)
        return;
    unions->of[a][b] = unions_that(search_fits, search, a, b);
    if (unions->of[a][b] || search->ports->options.excess <= 0)
        return;
    unions->of[a][b] = near_unions_of(search, a, b);
    unions->is_strained[a][b] = unions->of[a][b] && !is_only_union(search, a, b, unions->of[a][b]);
}

void search_place(struct port_search *search) {
    struct union_sizes unions = {0};
    bool is_done[MOST_BASES] = {false};
    drop_several(search);
    for (unsigned a = 0; a < search->n_bases; a++)
        for (unsigned b = 0; b < search->n_bases; b++)
            set_unions(search, &unions, a, b);
    for (unsigned a = 0; a < search->n_bases; a++) {
        bool is_member[MOST_BASES] = {false};
        if (is_done[a])
            continue;
        mark_cluster(search, &unions, a, is_member);
        for (unsigned b = 0; b < search->n_bases; b++)
            is_done[b] |= is_member[b];
        place_cluster(search, &unions, is_member);
    }
}
