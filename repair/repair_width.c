// The dispatch width, which no form has by itself.
#include "repair/repair_state.h"

#include "check/gap.h"

#include <stdint.h>

// Values that a width makes better, and worse.
struct change {
    size_t n_better, n_worse;
};

static struct change compare(const struct repair *repair, const size_t *list, size_t n, const struct predicted *all) {
    struct change change = {0};
    for (size_t i = 0; i < n; i++) {
        double gap = gap_find(&repair->values[list[i]], &all[i]), before = repair->gaps[list[i]];
        change.n_worse += gap > before;
        change.n_better += gap < before;
    }
    return change;
}

// Another dispatch width, where that alone makes many values better for each that it makes worse.
void repair_find_width(struct repair *repair) {
    enum { FEWEST_BETTER = 20 };
    const struct machine *machine = repair->request->model->machine;
    size_t *list = NULL, n = 0, n_dispatch = 0;
    for (size_t i = 0; i < repair->n_values; i++)
        if (repair->gaps[i] >= 0 && repair->values[i].quantity == CHECK_THROUGHPUT) {
            *ARENA_ADD(repair->arena, list, n) = i;
            n_dispatch += repair->gaps[i] > 0 && repair->base[i].kind == BOTTLENECK_DISPATCH;
        }
    if (n_dispatch < CHECK_SHARED_CLASSES)
        return;
    struct repair_search search = {.model = repair->request->model,
                                   .all = repair->values,
                                   .dispatch_width = repair->dispatch_width,
                                   .values = list,
                                   .n_values = n};
    static const char *none[] = {"none"}; // no opcode is called so
    search.opcodes = none;
    search.n_opcodes = 1;
    struct predicted *all = ARENA_ARRAY(repair->arena, struct predicted, n);
    size_t least = SIZE_MAX;
    unsigned best_width = 0;
    for (unsigned width = 1; width <= 2 * machine->dispatch_width; width++) {
        struct repair_cost cost;
        search.dispatch_width = width;
        if (width == machine->dispatch_width || !repair_evaluate(&search, &search.base, &cost, all) ||
            cost.n_differ >= least)
            continue;
        const struct change change = compare(repair, list, n, all);
        if (change.n_better > FEWEST_BETTER * change.n_worse && change.n_better >= CHECK_SHARED_CLASSES) {
            least = cost.n_differ;
            best_width = width;
        }
    }
    repair->dispatch_width = best_width;
}
