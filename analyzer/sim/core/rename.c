#include "analyzer/sim/core/rename.h"

static void note_written(struct rename *rename, unsigned unit) {
    struct maker *maker = &rename->makers[unit];
    if (!maker->index)
        rename->written[rename->n_written++] = (uint16_t)unit;
    maker->index = 1;
}

void rename_open(struct rename *rename, const struct core_plan *plan, struct stash *stash) {
    *rename = (struct rename){.n_units = plan->n_units + 1, .stack = plan->cpu->stack, .adjuster = plan->cpu->adjuster};
    rename->makers = STASH_ZEROED(stash, struct maker, rename->n_units);
    rename->written = STASH_ARRAY(stash, uint16_t, rename->n_units);
    note_written(rename, rename->stack);
    for (unsigned i = 0; i < plan->n; i++)
        for (unsigned w = 0; w < plan->insns[i].n_writes; w++)
            note_written(rename, plan->insns[i].writes[w].unit);
    for (unsigned i = 0; i < rename->n_written; i++)
        rename->makers[rename->written[i]].index = 0;
}

// Whether its result is still at hand: it is in flight, or nothing has taken its place since it retired.
static bool is_at_hand(const struct flights *flights, const struct maker *maker) {
    return maker->index && maker->index - 1 + flights->mask >= flights->next - 1;
}

static void tie_source(struct rename *rename, struct flights *flights, struct flight *flight,
                       const struct core_read *read) {
    const struct maker *maker = &rename->makers[read->unit];
    bool is_own = flight->insn->own_early && maker->own == flight->insn->own;
    int64_t more = maker->more - read->early - (is_own ? flight->insn->own_early : 0), result = maker->known;
    if (read->advanced)
        more -= ticks_of(cpu_recipe_advance(flight->insn->recipe, &flight->insn->recipe->reads[read->advanced - 1],
                                            maker->write_class));
    if (is_at_hand(flights, maker)) {
        struct flight *made = flights_at(flights, maker->index - 1);
        result = made->results[maker->write].ticks;
        if (result == UNKNOWN) {
            flights_wait(flights, flight, read->group, more, &made->results[maker->write].waiting);
            return;
        }
    }
    if (result + more > flight->ready[read->group])
        flight->ready[read->group] = result + more;
}

// The stack engine's own addition: it follows the unit's last value, or the cycle where that is long ago.
static void delay_unit(struct rename *rename, const struct flights *flights, unsigned unit, int64_t cycle,
                       int64_t ticks) {
    struct maker *maker = &rename->makers[unit];
    if (!is_at_hand(flights, maker)) {
        int64_t known = maker->known > ticks_at(cycle) ? maker->known : ticks_at(cycle);
        *maker = (struct maker){.known = known};
        maker->known += ticks;
    } else {
        maker->more += ticks;
    }
}

static void take_results(struct rename *rename, const struct flight *flight) {
    const struct core_insn *insn = flight->insn;
    if (insn->rename == CPU_MOVES && insn->n_reads && insn->n_writes) {
        rename->makers[insn->writes[0].unit] = rename->makers[insn->reads[0].unit];
        return;
    }
    const uint64_t index = insn->rename == CPU_ZEROES ? 0 : flight->index + 1;
    for (unsigned w = 0; w < insn->n_writes; w++) {
        const struct core_write *write = &insn->writes[w];
        rename->makers[write->unit] =
            (struct maker){.index = index, .write = w, .own = write->own, .write_class = write->write_class};
    }
}

void rename_flight(struct rename *rename, struct flights *flights, struct flight *flight, int64_t cycle,
                   bool ignores_dependences) {
    const struct core_insn *insn = flight->insn;
    if (flight->access->sync)
        delay_unit(rename, flights, rename->stack, cycle, flight->access->sync);
    if (flight->access->gap)
        delay_unit(rename, flights, rename->adjuster, cycle, flight->access->gap);
    for (unsigned i = 0; i < insn->n_reads && !ignores_dependences; i++)
        tie_source(rename, flights, flight, &insn->reads[i]);
    take_results(rename, flight);
}

void rename_put(const struct rename *rename, const struct flights *flights, struct coder *coder) {
    for (unsigned i = 0; i < rename->n_written && !coder->differs; i++) {
        const struct maker *maker = &rename->makers[rename->written[i]];
        bool is_known = !is_at_hand(flights, maker);
        if (is_known && maker->known <= ticks_at(coder->now))
            continue;
        coder_put(coder, i | (uint64_t)maker->write << 16 | (uint64_t)maker->own << 24);
        if (maker->write_class)
            coder_put(coder, maker->write_class);
        put_ticks(coder, is_known ? maker->known : flights_at(flights, maker->index - 1)->results[maker->write].ticks,
                  coder->back);
        coder_put(coder, is_known || maker->index - 1 < flights->oldest ? 0 : coder_insns_ago(coder, maker->index));
        coder_put(coder, (uint64_t)maker->more);
    }
}
