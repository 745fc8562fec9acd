// Which forms look like one uop, and which of those have the same ports. Forms of several uops join the group of the
// one that limits them; of each group, the form that disturbs others least has fewest other uops.
#include "infer/port_search.h"

#include <math.h>
#include <string.h>

enum { MOST_WIDTH = 24, MOST_SLOTS = 8 };

enum relation { UNKNOWN, SAME, DIFFERENT };

struct group {
    unsigned *members, width;
    size_t n_members;
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

static void add_base(struct port_search *search, const struct group *group) {
    enum { NEAR_PERCENT = 3 };
    double *all = ARENA_ARRAY(search->arena, double, group->n_members);
    size_t least = 0;
    struct base base = {.width = group->width};
    for (size_t m = 0; m < group->n_members; m++) {
        all[m] = disturbs(search, group->members[m]);
        if (all[m] < all[least] - 1e-9)
            least = m;
    }
    for (size_t m = 0; m < group->n_members; m++)
        base.n_members += all[m] <= all[least] + NEAR_PERCENT / 100.0;
    base.form = group->members[least];
    unsigned at = search->n_bases;
    if (search->n_bases == MOST_BASES) // the least of them makes room
        for (unsigned b = at = 0; b < MOST_BASES; b++)
            at = search->bases[b].n_members < search->bases[at].n_members ? b : at;
    else
        search->n_bases++;
    if (search->n_bases < MOST_BASES || search->bases[at].n_members < base.n_members)
        search->bases[at] = base;
}

static void group_forms(struct port_search *search) {
    size_t n_forms = search->evidence->n_forms, n_groups = 0;
    unsigned *widths = ARENA_ARRAY(search->arena, unsigned, n_forms);
    unsigned char *relations = ARENA_ARRAY(search->arena, unsigned char, n_forms *n_forms);
    struct group *groups = NULL;
    for (unsigned f = 0; f < n_forms; f++)
        widths[f] = width_of(search, f);
    for (size_t i = 0; i < search->evidence->n_items; i++) {
        const struct evidence_item *item = &search->evidence->items[i];
        unsigned a = item->terms[0].form, b = item->n_terms == 2 ? item->terms[1].form : a;
        enum relation relation = a == b || widths[a] == 0                                ? UNKNOWN
                                 : widths[a] != widths[b] || search->ports->is_unused[i] ? DIFFERENT
                                                                                         : relate(search, i, widths[a]);
        if (relation > relations[a * n_forms + b])
            relations[a * n_forms + b] = relations[b * n_forms + a] = (unsigned char)relation;
    }
    for (unsigned f = 0; f < n_forms; f++) {
        size_t g = 0;
        for (bool is_in = widths[f] == 0; g < n_groups && !is_in; g += !is_in) {
            is_in = groups[g].width == widths[f] && relations[f * n_forms + groups[g].members[0]] == SAME;
            for (size_t m = 0; m < groups[g].n_members; m++)
                is_in &= relations[f * n_forms + groups[g].members[m]] != DIFFERENT;
        }
        if (widths[f] == 0)
            continue;
        if (g == n_groups)
            *ARENA_ADD(search->arena, groups, n_groups) = (struct group){.width = widths[f]};
        *ARENA_ADD(search->arena, groups[g].members, groups[g].n_members) = f;
    }
    for (size_t g = 0; g < n_groups; g++)
        add_base(search, &groups[g]);
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
