#include "analyzer/sim/core/rename.h"

void rename_open(struct rename *rename, const struct core_plan *plan, struct stash *stash) {
    *rename = (struct rename){.n_units = plan->n_units + 1, .stack = plan->cpu->stack};
    rename->makers = STASH_ZEROED(stash, struct maker, rename->n_units);
}

// Whether its result is still at hand: it is in flight, or nothing has taken its place since it retired.
static bool is_at_hand(const struct flights *flights, const struct maker *maker) {
    return maker->index && maker->index - 1 + flights->mask >= flights->next - 1;
}

static void tie_source(struct rename *rename, struct flights *flights, struct flight *flight,
                       const struct core_read *read) {
    const struct maker *maker = &rename->makers[read->unit];
    bool is_own = flight->insn->own_early && maker->own == flight->insn->recipe->own;
    int64_t more = maker->more - read->early - (is_own ? flight->insn->own_early : 0), result = maker->known;
    if (is_at_hand(flights, maker)) {
        struct flight *made = flights_at(flights, maker->index - 1);
        result = made->results[maker->write];
        if (result == UNKNOWN) {
            flights_wait(flights, flight, read->group, more, &made->waiting[maker->write]);
            return;
        }
    }
    if (result + more > flight->ready[read->group])
        flight->ready[read->group] = result + more;
}

// The stack engine's own addition: it follows the register's last value, or the cycle where that is long ago.
static void sync_stack_pointer(struct rename *rename, const struct flights *flights, int64_t cycle, int64_t ticks) {
    struct maker *maker = &rename->makers[rename->stack];
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
    enum cpu_rename does = insn->recipe->rename;
    if (does == CPU_MOVES && insn->n_reads && insn->n_writes) {
        rename->makers[insn->writes[0].unit] = rename->makers[insn->reads[0].unit];
        return;
    }
    for (unsigned w = 0; w < insn->n_writes; w++) {
        bool is_serial = insn->writes[w].unit + 1U == rename->n_units;
        rename->makers[insn->writes[w].unit] = (struct maker){
            .index = does == CPU_ZEROES ? 0 : flight->index + 1, .write = w, .own = is_serial ? 0 : insn->recipe->own};
    }
}

void rename_flight(struct rename *rename, struct flights *flights, struct flight *flight, int64_t cycle,
                   bool ignores_dependences) {
    const struct core_insn *insn = flight->insn;
    if (flight->access->sync)
        sync_stack_pointer(rename, flights, cycle, flight->access->sync);
    for (unsigned i = 0; i < insn->n_reads && !ignores_dependences; i++)
        tie_source(rename, flights, flight, &insn->reads[i]);
    take_results(rename, flight);
}

void rename_put(const struct rename *rename, const struct flights *flights, struct coder *coder) {
    for (unsigned i = 0; i < rename->n_units && !coder->differs; i++) {
        const struct maker *maker = &rename->makers[i];
        bool is_known = !is_at_hand(flights, maker);
        if (is_known && maker->known <= ticks_at(coder->now))
            continue;
        coder_put(coder, i | (uint64_t)maker->write << 16 | (uint64_t)maker->own << 24);
        put_ticks(coder, is_known ? maker->known : flights_at(flights, maker->index - 1)->results[maker->write],
                  LONGEST_LOOK_BACK);
        coder_put(coder, is_known || maker->index - 1 < flights->oldest ? 0 : coder_insns_ago(coder, maker->index));
        coder_put(coder, (uint64_t)maker->more);
    }
}
