// All recipes of a form that its experiments with bases allow: up to four uops, each on a part of some base's ports.
#include "infer/port_search.h"

#include "analyzer/predict/port_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 12000, MOST_UOPS = 4, MOST_OTHERS = 6 };

// An experiment as the form under search sees it.
struct view {
    size_t item;
    double count, slots; // of the form; slots of the others
    struct cpu_use work[MOST_OTHERS];
    unsigned n_work;
};

struct recipe_search {
    struct port_search *search;
    unsigned form;
    struct view *views;
    size_t n_views;
    uint64_t *candidates;
    size_t n_candidates;
    uint64_t kinds[PORT_MAP_MOST_PORTS]; // ports that no other base tells apart
    unsigned n_kinds;
    struct port_recipe *found;
    struct shortfall { // experiments that took longer than predicted; and how much longer, on average
        size_t n;
        double mean;
    } shortfalls[MOST_HYPOTHESES + 1]; // of what was found, where it is only near
    size_t n_found;
    size_t n_all; // how many there were; where more than are kept, one may count twice
    double steps_left;
    bool is_cut;
    bool is_near; // nothing fits: what is nearest without being too long
};

static double predict(const struct view *view, const struct cpu_use *uops, unsigned n) {
    struct cpu_use work[MOST_OTHERS + MOST_UOPS];
    memcpy(work, view->work, view->n_work * sizeof *work);
    for (unsigned u = 0; u < n; u++)
        work[view->n_work + u] = (struct cpu_use){uops[u].pipes, uops[u].cycles * view->count};
    return port_spread(work, view->n_work + n, NULL);
}

// What is too long with these uops is too long with more.
static bool is_too_long(struct recipe_search *at, const struct cpu_use *uops, unsigned n) {
    for (size_t v = 0; v < at->n_views; v++) {
        at->steps_left--;
        if (predict(&at->views[v], uops, n) > at->search->high[at->views[v].item]) {
            struct view first = at->views[v]; // it is likely to reject the next one, too
            memmove(at->views + 1, at->views, v * sizeof *at->views);
            at->views[0] = first;
            return true;
        }
    }
    return false;
}

// With the fewest slots.
static struct shortfall find_shortfall(struct recipe_search *at, const struct cpu_use *uops, unsigned n) {
    const struct port_search *search = at->search;
    struct shortfall result = {0, 0};
    double slots = search->ports->map.recipes[at->form].slots, width = search->ports->map.width;
    at->steps_left -= (double)at->n_views;
    for (size_t v = 0; v < at->n_views; v++) {
        size_t item = at->views[v].item;
        double cycles = predict(&at->views[v], uops, n),
               dispatch = (at->views[v].slots + at->views[v].count * slots) / width;
        cycles = cycles > dispatch ? cycles : dispatch;
        result.n += cycles < search->low[item];
        result.mean += (1 - cycles / search->evidence->items[item].cycles) / (double)at->n_views;
    }
    return result;
}

// With some number of slots, the same in all experiments.
static bool fits_all(struct recipe_search *at, const struct cpu_use *uops, unsigned n) {
    if (at->is_near)
        return n > 0; // none of them is too long
    unsigned slots_left = at->search->ports->forms[at->form].slots_mask;
    double width = at->search->ports->map.width;
    for (size_t v = 0; v < at->n_views && slots_left; v++) {
        double cycles = predict(&at->views[v], uops, n);
        for (unsigned left = slots_left; left; left &= left - 1) {
            unsigned slots = (unsigned)__builtin_ctz(left);
            double dispatch = (at->views[v].slots + at->views[v].count * slots) / width;
            if (!search_fits(at->search, at->views[v].item, dispatch > cycles ? dispatch : cycles))
                slots_left &= ~(1u << slots);
        }
    }
    return slots_left != 0;
}

// How many uops use a port, and together with which: bit u of the result for uop `order[u]`.
static unsigned users_of(const struct port_recipe *recipe, const unsigned *order, unsigned port) {
    unsigned users = 0;
    for (unsigned u = 0; u < recipe->n; u++)
        users |= (unsigned)(recipe->uops[order[u]].pipes >> port & 1) << u;
    return users;
}

static int compare_users(const void *a, const void *b) {
    const unsigned *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

// The same recipe, with ports of a kind renamed so that those come first which the first uops use.
static struct port_recipe rename_ports(const struct recipe_search *at, const struct port_recipe *recipe,
                                       const unsigned *order) {
    struct port_recipe renamed = {.n = recipe->n, .slots = recipe->slots};
    for (unsigned u = 0; u < recipe->n; u++)
        renamed.uops[u].cycles = recipe->uops[order[u]].cycles;
    for (unsigned k = 0; k < at->n_kinds; k++) {
        unsigned users[PORT_MAP_MOST_PORTS], n = 0;
        for (uint64_t left = at->kinds[k]; left; left &= left - 1)
            users[n++] = users_of(recipe, order, (unsigned)__builtin_ctzll(left));
        qsort(users, n, sizeof *users, compare_users);
        n = 0;
        for (uint64_t left = at->kinds[k]; left; left &= left - 1, n++)
            for (unsigned u = 0; u < recipe->n; u++)
                renamed.uops[u].pipes |= (uint64_t)(users[n] >> u & 1) << __builtin_ctzll(left);
    }
    port_recipe_sort(&renamed);
    return renamed;
}

static bool is_before(const struct port_recipe *a, const struct port_recipe *b) {
    for (unsigned u = 0; u < a->n; u++)
        if (a->uops[u].pipes != b->uops[u].pipes)
            return a->uops[u].pipes < b->uops[u].pipes;
    return false;
}

static void try_orders(const struct recipe_search *at, const struct port_recipe *recipe, unsigned *order, unsigned from,
                       struct port_recipe *least) {
    if (from == recipe->n) {
        struct port_recipe renamed = rename_ports(at, recipe, order);
        if (least->n == 0 || is_before(&renamed, least))
            *least = renamed;
        return;
    }
    for (unsigned i = from; i < recipe->n; i++) {
        unsigned first = order[from];
        order[from] = order[i], order[i] = first;
        try_orders(at, recipe, order, from + 1, least);
        order[i] = order[from], order[from] = first;
    }
}

// Uops on whole sets of bases come first, then fewer uops, then wider sets: what assumes least.
static unsigned count_strange(const struct port_search *search, const struct port_recipe *recipe) {
    unsigned n = 0;
    for (unsigned u = 0; u < recipe->n; u++) {
        bool is_known = false;
        for (unsigned b = 0; b < search->n_bases; b++)
            is_known |= search->bases[b].ports == recipe->uops[u].pipes;
        n += !is_known;
    }
    return n;
}

static bool is_better(const struct port_search *search, const struct port_recipe *a, const struct port_recipe *b) {
    unsigned x = count_strange(search, a), y = count_strange(search, b);
    int wider = 0;
    for (unsigned u = 0; u < a->n; u++)
        wider += __builtin_popcountll(a->uops[u].pipes);
    for (unsigned u = 0; u < b->n; u++)
        wider -= __builtin_popcountll(b->uops[u].pipes);
    return x != y ? x < y : a->n != b->n ? a->n < b->n : wider > 0;
}

// Of what is only near, the nearest one. `a`, `b`: places in what was found.
static bool is_before_other(const struct recipe_search *at, size_t a, size_t b) {
    static const double equal = 0.003;
    const struct shortfall *x = &at->shortfalls[a], *y = &at->shortfalls[b];
    if (at->is_near && x->n != y->n)
        return x->n < y->n;
    if (at->is_near && fabs(x->mean - y->mean) > equal)
        return x->mean < y->mean;
    return is_better(at->search, &at->found[a], &at->found[b]);
}

// Keeps the best ones, best first.
static void add_found(struct recipe_search *at, const struct cpu_use *uops, unsigned n) {
    struct port_recipe recipe = {.n = n}, least = {0};
    unsigned order[MOST_UOPS] = {0, 1, 2, 3};
    memcpy(recipe.uops, uops, n * sizeof *uops);
    recipe.slots = at->search->ports->map.recipes[at->form].slots;
    try_orders(at, &recipe, order, 0, &least);
    for (size_t f = 0; f < at->n_found; f++)
        if (port_recipe_is_equal(&at->found[f], &least))
            return;
    at->n_all++;
    size_t k = at->n_found; // there is a place to spare
    at->found[k] = least;
    at->shortfalls[k] = at->is_near ? find_shortfall(at, uops, n) : (struct shortfall){0, 0};
    for (; k > 0 && is_before_other(at, k, k - 1); k--) {
        struct port_recipe swapped = at->found[k];
        struct shortfall swapped_shortfall = at->shortfalls[k];
        at->found[k] = at->found[k - 1];
        at->shortfalls[k] = at->shortfalls[k - 1];
        at->found[k - 1] = swapped;
        at->shortfalls[k - 1] = swapped_shortfall;
    }
    at->n_found += at->n_found < MOST_HYPOTHESES;
}

static void add_uops(struct recipe_search *at, struct cpu_use *uops, unsigned n, size_t from) {
    if (fits_all(at, uops, n) && n)
        add_found(at, uops, n);
    for (size_t c = from; n < MOST_UOPS && c < at->n_candidates && !at->is_cut; c++) {
        uops[n] = (struct cpu_use){at->candidates[c], 1};
        if (at->steps_left < 0)
            at->is_cut = true;
        else if (!is_too_long(at, uops, n + 1))
            add_uops(at, uops, n + 1, c);
    }
}

// Where all others are bases or need no port.
static bool set_view(const struct port_search *search, unsigned form, size_t item, struct view *view) {
    const struct evidence_item *at = &search->evidence->items[item];
    *view = (struct view){.item = item};
    if (search->ports->is_unused[item] || at->n_terms > MOST_OTHERS)
        return false;
    for (unsigned t = 0; t < at->n_terms; t++) {
        unsigned other = at->terms[t].form;
        if (other == form) {
            view->count = at->terms[t].count;
            continue;
        }
        view->slots += at->terms[t].count * search->ports->map.recipes[other].slots;
        if (search->base_of[other] != NO_BASE)
            view->work[view->n_work++] =
                (struct cpu_use){search->bases[search->base_of[other]].ports, at->terms[t].count};
        else if (search->ports->forms[other].state != PORTS_DISPATCH)
            return false;
    }
    return true;
}

static int compare_candidates(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    int more = __builtin_popcountll(x) - __builtin_popcountll(y);
    return more ? more : (x > y) - (x < y);
}

// All parts of bases' ports; whole ones and what two share, where that is too many. Only those that are not too long
// alone stay.
static void collect_candidates(struct recipe_search *at) {
    struct port_search *search = at->search;
    size_t n = 0, n_parts = 0;
    uint64_t *all = NULL;
    for (unsigned b = 0; b < search->n_bases; b++)
        n_parts += search->bases[b].ports ? (size_t)1 << search->bases[b].width : 0;
    bool is_whole = n_parts > MOST_PARTS;
    at->is_cut |= is_whole;
    for (unsigned b = 0; b < search->n_bases; b++) {
        uint64_t ports = search->bases[b].ports;
        for (uint64_t part = ports; part; part = is_whole ? 0 : (part - 1) & ports)
            *ARENA_ADD(search->arena, all, n) = part;
        for (unsigned c = 0; is_whole && c < b; c++)
            if (ports & search->bases[c].ports)
                *ARENA_ADD(search->arena, all, n) = ports & search->bases[c].ports;
    }
    if (n > 0)
        qsort(all, n, sizeof *all, compare_candidates);
    at->candidates = ARENA_ARRAY(search->arena, uint64_t, n);
    for (size_t i = 0; i < n; i++) {
        struct cpu_use use = {all[i], 1};
        if ((i == 0 || all[i] != all[i - 1]) && !is_too_long(at, &use, 1))
            at->candidates[at->n_candidates++] = all[i];
    }
}

static void collect_kinds(struct recipe_search *at) {
    const struct port_search *search = at->search;
    uint64_t open = search->ports->map.n_ports ? ~(uint64_t)0 >> (64 - search->ports->map.n_ports) : 0;
    while (open) {
        uint64_t kind = open;
        unsigned port = (unsigned)__builtin_ctzll(open);
        for (unsigned b = 0; b < search->n_bases; b++)
            if (search->bases[b].form != at->form)
                kind &= search->bases[b].ports >> port & 1 ? search->bases[b].ports : ~search->bases[b].ports;
        at->kinds[at->n_kinds++] = kind;
        open &= ~kind;
    }
}

static bool is_strained(const struct port_search *search, const struct port_recipe *recipe) {
    bool is_any = false;
    for (size_t c = 0; c < search->ports->n_clusters; c++)
        for (unsigned u = 0; u < recipe->n; u++)
            is_any |= (recipe->uops[u].pipes & search->ports->clusters[c].strained) != 0;
    return is_any;
}

static bool is_open_cluster(const struct port_search *search, const struct port_recipe *recipe) {
    bool is_open = false;
    for (size_t c = 0; c < search->ports->n_clusters; c++)
        for (unsigned u = 0; u < recipe->n; u++)
            is_open |= recipe->uops[u].pipes & search->ports->clusters[c].ports &&
                       (search->ports->clusters[c].n_families > 1 || search->ports->clusters[c].is_cut);
    return is_open;
}

static void search_form(struct port_search *search, unsigned form, double steps) {
    struct ports_form *result = &search->ports->forms[form];
    struct recipe_search at = {.search = search, .form = form, .steps_left = steps};
    at.views = ARENA_ARRAY(search->arena, struct view, search->n_items[form]);
    for (size_t i = 0; i < search->n_items[form]; i++)
        at.n_views += set_view(search, form, search->items[form][i], &at.views[at.n_views]);
    at.found = ARENA_ARRAY(search->arena, struct port_recipe, MOST_HYPOTHESES + 1);
    collect_kinds(&at);
    collect_candidates(&at);
    struct cpu_use uops[MOST_UOPS];
    add_uops(&at, uops, 0, 0);
    if (at.n_found == 0 && !at.is_cut && search->ports->options.excess > 0) {
        at.is_near = true;
        add_uops(&at, uops, 0, 0);
    }
    result->is_near = at.is_near && at.n_found > 0;
    result->hypotheses = at.found;
    result->n_hypotheses = at.n_found;
    result->n_all = at.n_all;
    result->n_items = (unsigned)at.n_views;
    result->is_base = search->base_of[form] != NO_BASE;
    result->state = at.is_cut ? PORTS_CUT : at.n_found == 0 ? PORTS_UNEXPLAINED : PORTS_CERTAIN;
    for (size_t h = 0; h < at.n_found && result->state == PORTS_CERTAIN; h++)
        if (at.n_found > 1 || is_open_cluster(search, &at.found[h]))
            result->state = PORTS_AMBIGUOUS;
    if (result->is_near || (result->state == PORTS_CERTAIN && is_strained(search, &at.found[0])))
        result->state = PORTS_DOUBTED;
    if (at.n_found) {
        double slots = search->ports->map.recipes[form].slots;
        search->ports->map.recipes[form] = at.found[0];
        search->ports->map.recipes[form].slots = slots;
    }
    if (result->is_base) { // by its place, whatever else would explain it
        struct port_recipe *recipe = &search->ports->map.recipes[form];
        recipe->uops[0] = (struct cpu_use){search->bases[search->base_of[form]].ports, 1};
        recipe->n = 1;
    }
}

void search_recipes(struct port_search *search) {
    double each = search->ports->options.steps / (double)(search->evidence->n_forms + 1);
    for (unsigned f = 0; f < search->evidence->n_forms; f++)
        if (search->ports->forms[f].state != PORTS_DISPATCH && search->ports->forms[f].alone > 0)
            search_form(search, f, each);
}
