#include "infer/port_search.h"

const char *const ports_state_names[N_PORTS_STATES] = {
    [PORTS_UNMEASURED] = "unmeasured",   [PORTS_CERTAIN] = "certain", [PORTS_AMBIGUOUS] = "ambiguous",
    [PORTS_DOUBTED] = "doubted",         [PORTS_CUT] = "cut",         [PORTS_DISPATCH] = "dispatch",
    [PORTS_UNEXPLAINED] = "unexplained",
};

struct ports_band ports_band_of(const struct ports *ports, size_t i) {
    const struct evidence_item *item = &ports->evidence->items[i];
    double least = ports->options.tolerance * item->cycles, slack = ports->options.slack;
    double below = slack * (item->cycles - item->low), above = slack * (item->high - item->cycles);
    double excess = ports->options.excess * item->cycles;
    excess = item->n_terms > 1 && excess > least ? excess : least;
    return (struct ports_band){item->cycles - (below > excess ? below : excess),
                               item->cycles + (above > least ? above : least)};
}

static void index_items(struct port_search *search) {
    const struct evidence *evidence = search->evidence;
    search->items = ARENA_ARRAY(search->arena, size_t *, evidence->n_forms);
    search->n_items = ARENA_ARRAY(search->arena, size_t, evidence->n_forms);
    search->low = ARENA_ARRAY(search->arena, double, evidence->n_items);
    search->high = ARENA_ARRAY(search->arena, double, evidence->n_items);
    for (size_t i = 0; i < evidence->n_items; i++) {
        const struct evidence_item *item = &evidence->items[i];
        struct ports_band band = ports_band_of(search->ports, i);
        search->low[i] = band.low;
        search->high[i] = band.high;
        for (unsigned t = 0; t < item->n_terms; t++) {
            unsigned form = item->terms[t].form;
            *ARENA_ADD(search->arena, search->items[form], search->n_items[form]) = i;
        }
    }
}

// The most precise one; counts above 1 are divided.
static void take_alone(struct port_search *search) {
    for (size_t i = 0; i < search->evidence->n_items; i++) {
        const struct evidence_item *item = &search->evidence->items[i];
        struct ports_form *form = &search->ports->forms[item->terms[0].form];
        if (item->n_terms != 1)
            continue;
        double count = item->n_insns;
        bool is_better = form->alone == 0 || (search->high[i] - search->low[i]) / item->cycles <
                                                 (form->alone_high - form->alone_low) / form->alone;
        if (!is_better)
            continue;
        form->alone = item->cycles / count;
        form->alone_low = search->low[i] / count;
        form->alone_high = search->high[i] / count;
    }
}

// The order in which forms stand is no matter of ports: what is shortest shows them.
static void set_slower_apart(struct port_search *search) {
    const struct evidence *evidence = search->evidence;
    struct ports *ports = search->ports;
    struct index index = {.arena = search->arena};
    for (size_t i = 0; i < evidence->n_items; i++)
        index_add(&index, evidence_hash(&evidence->items[i]), i);
    for (size_t i = 0; i < evidence->n_items; i++) {
        bool is_slower = false;
        for (size_t place = 0, k; (k = index_next(&index, evidence_hash(&evidence->items[i]), &place)) != INDEX_END;)
            is_slower |= evidence->items[i].n_terms > 1 && evidence_is_same(&evidence->items[i], &evidence->items[k]) &&
                         search->low[i] > evidence->items[k].high && evidence->items[i].low > search->high[k];
        if (is_slower) {
            ports->is_unused[i] = true;
            *ARENA_ADD(search->arena, ports->slower, ports->n_slower) = i;
        }
    }
}

// No port map has a multiset that takes longer than its forms do one after the other.
static void set_conflicts_apart(struct port_search *search) {
    struct ports *ports = search->ports;
    for (size_t i = 0; i < search->evidence->n_items; i++) {
        const struct evidence_item *item = &search->evidence->items[i];
        double sum = 0;
        bool is_known = item->n_terms > 1;
        for (unsigned t = 0; t < item->n_terms; t++) {
            const struct ports_form *form = &ports->forms[item->terms[t].form];
            is_known &= form->alone > 0;
            sum += item->terms[t].count * form->alone_high;
        }
        if (is_known && !ports->is_unused[i] && search->low[i] > sum) {
            ports->is_unused[i] = true;
            *ARENA_ADD(search->arena, ports->conflicts, ports->n_conflicts) = i;
        }
    }
}

// Whether an item that is not explained takes no longer than its longest form: then its forms do not compete.
static bool is_apart(const struct port_search *search, size_t i) {
    const struct evidence_item *item = &search->evidence->items[i];
    double most = 0;
    for (unsigned t = 0; t < item->n_terms; t++) {
        double alone = item->terms[t].count * search->ports->forms[item->terms[t].form].alone;
        most = alone > most ? alone : most;
    }
    return search->low[i] <= most;
}

// Bases that each form is measured beside, itself included where it has any pair: bit b for base b.
static const uint32_t *find_neighbours(const struct port_search *search) {
    uint32_t *beside = ARENA_ARRAY(search->arena, uint32_t, search->evidence->n_forms);
    for (size_t i = 0; i < search->evidence->n_items; i++) {
        const struct evidence_item *item = &search->evidence->items[i];
        uint32_t bases = 0;
        for (unsigned t = 0; t < item->n_terms; t++)
            if (search->base_of[item->terms[t].form] != NO_BASE)
                bases |= (uint32_t)1 << search->base_of[item->terms[t].form];
        for (unsigned t = 0; t < item->n_terms && item->n_terms > 1 && !search->ports->is_unused[i]; t++)
            beside[item->terms[t].form] |= bases;
    }
    return beside;
}

static bool is_beside(const struct port_search *search, unsigned form, unsigned other) {
    for (size_t i = 0; i < search->n_items[form]; i++) {
        const struct evidence_item *item = &search->evidence->items[search->items[form][i]];
        for (unsigned t = 0; t < item->n_terms; t++)
            if (item->terms[t].form == other)
                return true;
    }
    return false;
}

// A form that may be one uop on ports that no base has, because nothing explains it, and that the form was not measured
// beside.
static bool may_miss_ports(const struct port_search *search, unsigned form) {
    for (unsigned other = 0; other < search->evidence->n_forms; other++)
        if (search->may_be_base[other] && other != form && !is_beside(search, form, other) &&
            search->ports->forms[other].state == PORTS_UNEXPLAINED)
            return true;
    return false;
}

// A recipe is sure only where the form was measured beside each base: what it was not may be part of it.
static void doubt_thin_evidence(struct port_search *search) {
    const uint32_t *beside = find_neighbours(search);
    struct ports *ports = search->ports;
    uint32_t all = 0;
    for (unsigned b = 0; b < search->n_bases; b++)
        all |= (uint32_t)(search->bases[b].ports != 0) << b;
    for (unsigned f = 0; f < search->evidence->n_forms; f++) {
        // More slots than uops: some may not be seen.
        bool is_thin = (beside[f] & all) != all || ports->map.recipes[f].slots > ports->map.recipes[f].n;
        if (ports->forms[f].state == PORTS_CERTAIN && (is_thin || may_miss_ports(search, f)))
            ports->forms[f].state = PORTS_DOUBTED;
    }
}

// A recipe was found from experiments with bases. All others must agree.
static void doubt_forms(struct port_search *search) {
    struct ports *ports = search->ports;
    for (size_t i = 0; i < search->evidence->n_items; i++) {
        const struct evidence_item *item = &search->evidence->items[i];
        bool is_known = true;
        for (unsigned t = 0; t < item->n_terms; t++)
            is_known &= ports->map.recipes[item->terms[t].form].n > 0 ||
                        ports->forms[item->terms[t].form].state == PORTS_DISPATCH;
        if (ports->is_unused[i] ||
            (is_known ? search_fits(search, i, port_map_cycles(&ports->map, item, NULL)) : is_apart(search, i)))
            continue;
        // Of several that are certain, any may be wrong. One that is not is more likely to be.
        bool has_open = false;
        for (unsigned t = 0; t < item->n_terms && is_known; t++)
            has_open |= ports->forms[item->terms[t].form].state == PORTS_AMBIGUOUS ||
                        ports->forms[item->terms[t].form].state == PORTS_CUT ||
                        ports->forms[item->terms[t].form].is_near;
        for (unsigned t = 0; t < item->n_terms && !has_open; t++)
            if (ports->forms[item->terms[t].form].state == PORTS_CERTAIN)
                ports->forms[item->terms[t].form].state = PORTS_DOUBTED;
    }
}

void ports_infer(struct arena *arena, const struct evidence *evidence, const struct ports_options *options,
                 struct ports *ports) {
    struct port_search search = {.arena = arena, .evidence = evidence, .ports = ports, .steps_left = options->steps};
    *ports = (struct ports){.evidence = evidence, .options = *options};
    ports->forms = ARENA_ARRAY(arena, struct ports_form, evidence->n_forms);
    ports->map.recipes = ARENA_ARRAY(arena, struct port_recipe, evidence->n_forms);
    search.base_of = ARENA_ARRAY(arena, int, evidence->n_forms);
    search.may_be_base = ARENA_ARRAY(arena, bool, evidence->n_forms);
    for (size_t f = 0; f < evidence->n_forms; f++)
        search.base_of[f] = NO_BASE;
    index_items(&search);
    take_alone(&search);
    ports->is_unused = ARENA_ARRAY(arena, bool, evidence->n_items);
    set_slower_apart(&search);
    set_conflicts_apart(&search);
    search_group(&search);
    search_place(&search);
    search_recipes(&search);
    doubt_thin_evidence(&search);
    doubt_forms(&search);
    search_next(&search);
}
