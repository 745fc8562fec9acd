// The loops of a campaign, by their names.
#include "infer/pair_run.h"

#include "base/bytes.h"
#include "base/text.h"

#include <string.h>

const char *pairs_id_of(const struct pairs_run *run, const struct multiset_term *terms, unsigned n) {
    struct text text = {.arena = run->arena};
    for (unsigned t = 0; t < n; t++)
        text_addf(&text, "%s%s-%u", t ? "." : "", run->sets.forms[terms[t].form].name, terms[t].count);
    return text.data;
}

long pairs_find_item(const struct pairs_run *run, const char *id) {
    for (size_t place = 0, i; (i = index_next(&run->by_id, bytes_hash(id, strlen(id)), &place)) != INDEX_END;)
        if (strcmp(run->items[i].id, id) == 0)
            return (long)i;
    return -1;
}

static long add_item(struct pairs_run *run, const struct multiset_term *terms, unsigned n, unsigned runs,
                     const char *id, const char *set) {
    long known = pairs_find_item(run, id);
    struct multiset_loop loop;
    struct fail fail = {0};
    uint64_t hash = bytes_hash(id, strlen(id));
    if (known >= 0)
        return run->items[known].is_unfit ? -1 : known;
    if (!multiset_loop(&run->sets, terms, n, runs, id, &loop) ||
        !kernel_add(run->arena, "the pairs' kernels", run->sets.isa, run->sets.syntax, &loop.text, &run->kernels,
                    &fail)) {
        index_add(&run->by_id, hash, run->n_items);
        struct pairs_item none = {.n_terms = n, .id = id, .set = set, .is_unfit = true};
        *ARENA_ADD(run->arena, run->items, run->n_items) = none;
        run->n_unfit++;
        return -1;
    }
    kernel_put(&loop.text, &run->file);
    struct pairs_item item = {.n_terms = n,
                              .turns = loop.turns,
                              .copies = loop.copies,
                              .kernel = run->kernels.n_kernels - 1,
                              .id = id,
                              .set = set,
                              .is_next = true};
    memcpy(item.terms, terms, n * sizeof *terms);
    index_add(&run->by_id, hash, run->n_items);
    *ARENA_ADD(run->arena, run->items, run->n_items) = item;
    return (long)run->n_items - 1;
}

long pairs_add_item(struct pairs_run *run, const struct multiset_term *terms, unsigned n, const char *id,
                    const char *set) {
    return add_item(run, terms, n, 0, id, set);
}

void pairs_add_orders(struct pairs_run *run, long item) {
    const struct pairs_item one = run->items[item];
    if (one.has_orders || one.n_terms < 2)
        return;
    run->items[item].has_orders = true;
    for (unsigned runs = 1; runs <= 2; runs++) {
        long other =
            add_item(run, one.terms, one.n_terms, runs, arena_printf(run->arena, "%s.runs%u", one.id, runs), "orders");
        if (other >= 0)
            run->items[other].has_orders = true;
    }
}
