// Which forms look like one uop, and which of those have the same ports. Forms of several uops join the group of the
// one that limits them; of each group, the form that disturbs others least has fewest other uops.
#include "infer/port_search.h"

#include <math.h>
#include <string.h>

enum { MOST_WIDTH = 24, MOST_SLOTS = 8 };

enum relation { UNMEASURED, UNKNOWN, SAME, DIFFERENT }; // the larger one of several counts

struct group {
    unsigned *members, width;
    size_t n_members;
};

// Of each two forms, what their pairs show.
struct relations {
    unsigned char *of; // by form * n_forms + form
    size_t n_forms;
    unsigned *n_partners; // by form: how many others it is measured with
};

// The most forms a cycle that any experiment shows for sure; a little less counts as a whole number. Where nothing
// saturates dispatch it is wider than this, but no experiment sees that.
static double find_width(const struct evidence *evidence) {
    double most = 0;
    for (size_t i = 0; i < evidence->n_items; i++) {
        double rate = evidence->items[i].n_insns / evidence->items[i].high;
        most = rate > most ? rate : most;
    }
    return ceil(0.97 * most);
}

// The other form of a pair; false: it is no pair, or is not used.
static bool pair_with(const struct port_search *search, size_t item, unsigned form, struct evidence_term *own,
                      struct evidence_term *other) {
    const struct evidence_item *at = &search->evidence->items[item];
    if (at->n_terms != 2 || search->ports->is_unused[item])
        return false;
    *own = at->terms[at->terms[0].form != form];
    *other = at->terms[at->terms[0].form == form];
    return search->ports->forms[other->form].alone > 0;
}

// Whether the item fits where `filler` needs only slots, and the other so many.
static bool fits_as_filler(const struct port_search *search, size_t item, const struct evidence_term *other,
                           const struct evidence_term *filler, unsigned slots) {
    double alone = other->count * search->ports->forms[other->form].alone;
    double dispatch = (other->count * slots + filler->count) / search->ports->map.width;
    return search_fits(search, item, alone > dispatch ? alone : dispatch);
}

static bool needs_no_port(const struct port_search *search, unsigned form) {
    const struct ports_form *at = &search->ports->forms[form];
    double least = 1 / search->ports->map.width;
    if (at->alone == 0 || least < at->alone_low || least > at->alone_high)
        return false;
    for (size_t i = 0; i < search->n_items[form]; i++) {
        struct evidence_term own, other;
        bool fits = !pair_with(search, search->items[form][i], form, &own, &other);
        for (unsigned slots = 1; !fits && slots <= MOST_SLOTS; slots++)
            fits = fits_as_filler(search, search->items[form][i], &other, &own, slots);
        if (!fits)
            return false;
    }
    return true;
}

static unsigned find_slots(const struct port_search *search, unsigned form) {
    const struct ports_form *at = &search->ports->forms[form];
    unsigned mask = 0;
    for (unsigned slots = 1; slots <= MOST_SLOTS; slots++) {
        bool fits = slots / search->ports->map.width <= at->alone_high;
        for (size_t i = 0; fits && i < search->n_items[form]; i++) {
            struct evidence_term own, other;
            if (pair_with(search, search->items[form][i], form, &own, &other) &&
                search->ports->forms[other.form].state == PORTS_DISPATCH)
                fits = fits_as_filler(search, search->items[form][i], &own, &other, slots);
        }
        mask |= (unsigned)fits << slots;
    }
    return mask;
}

static unsigned width_of(const struct port_search *search, unsigned form) {
    const struct ports_form *at = &search->ports->forms[form];
    double width = at->alone > 0 ? round(1 / at->alone) : 0;
    bool is_candidate = at->state != PORTS_DISPATCH && width >= 1 && width <= MOST_WIDTH &&
                        at->alone_low <= 1 / width && 1 / width <= at->alone_high;
    return is_candidate ? (unsigned)width : 0;
}

// Two of one width have the same ports where a pair takes as long as both after each other; unless it would with one
// port more, too.
static enum relation relate(const struct port_search *search, size_t item, unsigned width) {
    const struct evidence_item *at = &search->evidence->items[item];
    double a = at->terms[0].count, b = at->terms[1].count;
    double longer = (a > b ? a : b) / width, more = (a + b) / (width + 1);
    if (!search_fits(search, item, (a + b) / width))
        return DIFFERENT;
    return search_fits(search, item, longer > more ? longer : more) ? UNKNOWN : SAME;
}

// Share of its time by which it delays others, on average.
static double disturbs(const struct port_search *search, unsigned form) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < search->n_items[form]; i++) {
        size_t item = search->items[form][i];
        struct evidence_term own, other;
        if (!pair_with(search, item, form, &own, &other))
            continue;
        double a = own.count * search->ports->forms[form].alone;
        double b = other.count * search->ports->forms[other.form].alone;
        double shared = (search->evidence->items[item].cycles - (a > b ? a : b)) / (a < b ? a : b);
        sum += shared < 0.1 ? 0 : shared > 1 ? 1 : shared;
        n++;
    }
    return n ? sum / (double)n : 0;
}

// Returns the member that delays others least, of those that are measured with about as many others as any.
static struct base choose_base(const struct port_search *search, const struct relations *relations,
                               const struct group *group) {
    enum { NEAR_PERCENT = 3, ENOUGH_PERCENT = 90 };
    double *all = ARENA_ARRAY(search->arena, double, group->n_members);
    struct base base = {.width = group->width};
    unsigned most = 0;
    size_t least = group->n_members;
    for (size_t m = 0; m < group->n_members; m++) {
        unsigned n = relations->n_partners[group->members[m]];
        most = n > most ? n : most;
    }
    for (size_t m = 0; m < group->n_members; m++) {
        all[m] = disturbs(search, group->members[m]);
        bool is_measured = relations->n_partners[group->members[m]] * 100 >= most * ENOUGH_PERCENT;
        if (is_measured && (least == group->n_members || all[m] < all[least] - 1e-9))
            least = m;
    }
    for (size_t m = 0; m < group->n_members; m++)
        base.n_members += all[m] <= all[least] + NEAR_PERCENT / 100.0;
    base.form = group->members[least];
    return base;
}

// Those that are measured with most others first: where all are measured beside a few, these few begin the groups.
static const unsigned *order_forms(const struct port_search *search, const struct relations *relations) {
    size_t n = search->evidence->n_forms;
    unsigned *order = ARENA_ARRAY(search->arena, unsigned, n);
    for (size_t f = 0; f < n; f++)
        order[f] = (unsigned)f;
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && relations->n_partners[order[k - 1]] < relations->n_partners[order[k]]; k--) {
            unsigned swapped = order[k - 1];
            order[k - 1] = order[k];
            order[k] = swapped;
        }
    return order;
}

static struct relations find_relations(const struct port_search *search, const unsigned *widths) {
    size_t n = search->evidence->n_forms;
    struct relations relations = {ARENA_ARRAY(search->arena, unsigned char, n *n), n,
                                  ARENA_ARRAY(search->arena, unsigned, n)};
    for (size_t i = 0; i < search->evidence->n_items; i++) {
        const struct evidence_item *item = &search->evidence->items[i];
        if (item->n_terms != 2)
            continue;
        unsigned a = item->terms[0].form, b = item->terms[1].form;
        enum relation relation = widths[a] == 0 || widths[b] == 0                        ? UNKNOWN
                                 : widths[a] != widths[b] || search->ports->is_unused[i] ? DIFFERENT
                                                                                         : relate(search, i, widths[a]);
        if (relations.of[a * n + b] == UNMEASURED) {
            relations.n_partners[a]++;
            relations.n_partners[b]++;
        }
        if (relation > relations.of[a * n + b])
            relations.of[a * n + b] = relations.of[b * n + a] = (unsigned char)relation;
    }
    return relations;
}

// A base must have been measured with most of the others: else its place stays open, and with it that of all.
static void add_bases(struct port_search *search, const struct relations *relations, struct base *bases, size_t n) {
    enum { ENOUGH_PERCENT = 80 };
    for (size_t i = 1; i < n; i++) // what stands for more forms first
        for (size_t k = i; k > 0 && bases[k - 1].n_members < bases[k].n_members; k--) {
            struct base swapped = bases[k - 1];
            bases[k - 1] = bases[k];
            bases[k] = swapped;
        }
    unsigned most = 0;
    for (size_t b = 0; b < n; b++)
        most = relations->n_partners[bases[b].form] > most ? relations->n_partners[bases[b].form] : most;
    for (unsigned round = 0; round < 2; round++) // well measured ones first
        for (size_t b = 0; b < n; b++) {
            bool is_well = relations->n_partners[bases[b].form] * 100 >= most * ENOUGH_PERCENT;
            unsigned n_with = 0;
            for (unsigned k = 0; k < search->n_bases; k++)
                n_with += relations->of[search->bases[k].form * relations->n_forms + bases[b].form] != UNMEASURED;
            bool is_base = search->n_bases < MOST_BASES && n_with * 100 >= search->n_bases * ENOUGH_PERCENT;
            if (is_well == (round == 0) && is_base)
                search->bases[search->n_bases++] = bases[b];
            search->may_be_base[bases[b].form] |= is_well == (round == 0) && !is_base;
        }
}

static void group_forms(struct port_search *search) {
    size_t n_forms = search->evidence->n_forms, n_groups = 0;
    unsigned *widths = ARENA_ARRAY(search->arena, unsigned, n_forms);
    struct group *groups = NULL;
    for (unsigned f = 0; f < n_forms; f++)
        widths[f] = width_of(search, f);
    struct relations relations = find_relations(search, widths);
    const unsigned *order = order_forms(search, &relations);
    for (size_t i = 0; i < n_forms; i++) {
        unsigned f = order[i];
        size_t g = 0;
        for (bool is_in = widths[f] == 0; g < n_groups && !is_in; g += !is_in) {
            is_in = groups[g].width == widths[f] && relations.of[f * n_forms + groups[g].members[0]] == SAME;
            for (size_t m = 0; m < groups[g].n_members; m++)
                is_in &= relations.of[f * n_forms + groups[g].members[m]] != DIFFERENT;
        }
        if (widths[f] == 0)
            continue;
        if (g == n_groups)
            *ARENA_ADD(search->arena, groups, n_groups) = (struct group){.width = widths[f]};
        *ARENA_ADD(search->arena, groups[g].members, groups[g].n_members) = f;
    }
    struct base *bases = ARENA_ARRAY(search->arena, struct base, n_groups);
    for (size_t g = 0; g < n_groups; g++)
        bases[g] = choose_base(search, &relations, &groups[g]);
    add_bases(search, &relations, bases, n_groups);
}

void search_group(struct port_search *search) {
    struct ports *ports = search->ports;
    ports->map.width = find_width(search->evidence);
    for (unsigned f = 0; f < search->evidence->n_forms; f++)
        if (needs_no_port(search, f))
            ports->forms[f].state = PORTS_DISPATCH;
    for (unsigned f = 0; f < search->evidence->n_forms; f++) {
        ports->forms[f].slots_mask = ports->forms[f].alone > 0 ? find_slots(search, f) : 0;
        unsigned mask = ports->forms[f].slots_mask;
        ports->map.recipes[f].slots = mask ? __builtin_ctz(mask) : 1;
    }
    group_forms(search);
}
