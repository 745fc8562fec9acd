#include "analyzer/sim/mca/register_file.h"

#include <assert.h>

void register_unit_init(struct register_unit *unit, const struct simulation_plan *plan, unsigned default_size,
                        struct stash *stash) {
    const struct machine *machine = plan->machine;
    *unit = (struct register_unit){.plan = plan, .n_files = machine->n_register_files};
    unit->files = STASH_ARRAY(stash, struct physical_file, unit->n_files);
    for (unsigned f = 0; f < unit->n_files; f++) {
        const struct register_file *file = &machine->register_files[f];
        unit->files[f] = (struct physical_file){
            .size = f == 0 ? default_size : file->n_physical,
            .max_moves = file->max_moves_eliminated,
            .zero_moves_only = file->zero_moves_only,
        };
    }
    unit->definitions = STASH_ARRAY(stash, struct definition, plan->n_classes);
    unit->alias = STASH_ZEROED(stash, uint16_t, plan->n_classes);
    unit->is_zero = STASH_ZEROED(stash, bool, plan->n_classes);
    for (unsigned c = 0; c < plan->n_classes; c++)
        unit->definitions[c] = (struct definition){.index = NOBODY};
}

void register_unit_cycle(struct register_unit *unit) {
    if (!unit->has_moves)
        return;
    for (unsigned f = 0; f < unit->n_files; f++)
        unit->files[f].moves = 0;
    unit->has_moves = false;
}

bool register_unit_can_rename(const struct register_unit *unit, const struct plan_insn *insn) {
    for (unsigned i = 0; i < insn->n_needed; i++) {
        const struct physical_file *file = &unit->files[insn->needed[i].file];
        if (file->used + insn->needed[i].n > file->size)
            return false;
    }
    return true;
}

static bool same_definition(struct definition a, struct definition b) {
    return a.index == b.index && a.write == b.write;
}

static struct class_set classes_read(const struct register_unit *unit, const struct plan_read *read) {
    uint16_t target = unit->alias[read->own_class];
    return target != 0 ? unit->plan->alias_targets[target] : read->depends;
}

// Whether an earlier class of the set has the same definition as class number `i` of it.
static bool met_before(const struct register_unit *unit, struct class_set set, unsigned i) {
    for (unsigned before = 0; before < i; before++)
        if (same_definition(unit->definitions[set.classes[before]], unit->definitions[set.classes[i]]))
            return true;
    return false;
}

static unsigned write_class_of(const struct in_flight *producer, unsigned write) {
    return producer->plan->cost->writes[write].write_class;
}

// Cycles by which a retired write still delays a reader, over a forwarding path slower than retirement.
static int64_t late_forward(const struct in_flight *producer, int advance, int64_t now) {
    return advance < 0 ? -advance - (now - producer->done_cycle) : 0;
}

__attribute__((noinline)) static void wait_for_retired(struct flight *flight, struct in_flight *insn,
                                                       const struct in_flight *producer, struct wait wait,
                                                       int64_t now) {
    int64_t late = late_forward(producer, wait.advance, now);
    if (now + late > insn->ready_cycle)
        insn->ready_cycle = now + late;
    if (late > 0)
        flight_note(flight, insn, producer, wait, now, late);
}

static void rename_read(struct register_unit *unit, struct flight *flight, struct in_flight *insn, unsigned operand,
                        int64_t now) {
    const struct plan_read *read = &insn->plan->reads[operand];
    struct class_set set = classes_read(unit, read);
    for (unsigned i = 0; i < set.n; i++) {
        struct definition definition = unit->definitions[set.classes[i]];
        struct in_flight *producer = flight_at(flight, definition.index);
        if (producer->index != definition.index || met_before(unit, set, i))
            continue; // nobody, too long ago, or another part of a result already counted
        int advance = plan_advance(read->cost, write_class_of(producer, definition.write));
        struct wait wait = {.write = definition.write, .advance = advance, .operand = operand};
        if (producer->stage != STAGE_RETIRED) {
            flight_wait(flight, insn, producer, wait, now);
            continue;
        }
        wait_for_retired(flight, insn, producer, wait, now);
    }
}

// A partial write waits for the definition it merges with. It may be issued once the older value will be there by the
// time its own result is.
static void merge_with_older(struct register_unit *unit, struct flight *flight, struct in_flight *insn, unsigned w,
                             int64_t now) {
    const struct plan_write *write = &insn->plan->writes[w];
    struct definition older = unit->definitions[write->own_class];
    struct in_flight *producer = flight_at(flight, older.index);
    if (producer->index != older.index || producer->stage == STAGE_RETIRED || producer == insn)
        return;
    int advance = write->latency > 1 ? (int)write->latency - 1 : 0;
    struct wait wait = {.write = older.write, .advance = advance, .operand = insn->plan->n_reads + w};
    flight_wait(flight, insn, producer, wait, now);
}

static void set_zero(struct register_unit *unit, struct class_set set, bool is_zero) {
    for (unsigned i = 0; i < set.n; i++)
        unit->is_zero[set.classes[i]] = is_zero;
}

static void rename_write(struct register_unit *unit, struct flight *flight, struct in_flight *insn, unsigned w,
                         int64_t now) {
    const struct plan_write *write = &insn->plan->writes[w];
    if (write->own_class == 0)
        return;
    if (write->merges)
        merge_with_older(unit, flight, insn, w, now);
    set_zero(unit, write->zeroes, write->is_zero);
    if (write->is_hidden)
        return;
    for (unsigned i = 0; i < write->defines.n; i++) {
        unit->definitions[write->defines.classes[i]] = (struct definition){.index = insn->index, .write = w};
        unit->alias[write->defines.classes[i]] = 0;
    }
}

static bool can_eliminate(const struct register_unit *unit, const struct plan_insn *insn) {
    const struct physical_file *file = &unit->files[insn->move_file];
    if ((file->max_moves != 0 && file->moves + insn->n_moves > file->max_moves))
        return false;
    for (unsigned i = 0; i < insn->n_moves; i++)
        if (file->zero_moves_only && !unit->is_zero[insn->moves[i].source_class])
            return false;
    return true;
}

static void eliminate(struct register_unit *unit, struct in_flight *in_flight) {
    const struct plan_insn *insn = in_flight->plan;
    bool is_zero[2] = {false, false};
    for (unsigned i = 0; i < insn->n_moves; i++) {
        const struct plan_move *move = &insn->moves[i];
        uint16_t target = unit->alias[move->from_class] != 0 ? unit->alias[move->from_class] : move->from_target;
        for (unsigned c = 0; c < move->to.n; c++)
            unit->alias[move->to.classes[c]] = target;
        is_zero[move->write] = unit->is_zero[move->source_class];
        unit->files[insn->move_file].moves++;
        in_flight->zero_moves += is_zero[move->write];
    }
    unit->has_moves = true;
    for (unsigned w = 0; w < insn->n_writes; w++)
        set_zero(unit, insn->writes[w].zeroes, insn->writes[w].is_zero || is_zero[w]);
}

static void rename_fixed(const struct plan_insn *plan, struct flight *flight, struct in_flight *insn, int64_t now) {
    for (unsigned d = 0; d < plan->n_dependences; d++) {
        const struct plan_dependence *dependence = &plan->dependences[d];
        struct in_flight *producer = flight_at(flight, insn->index - dependence->distance);
        if (producer->index != insn->index - dependence->distance)
            continue; // nobody, or too long ago
        struct wait wait = {.write = dependence->write, .advance = dependence->advance, .operand = dependence->operand};
        if (producer->stage != STAGE_RETIRED)
            flight_wait(flight, insn, producer, wait, now);
        else if (dependence->operand < plan->n_reads)
            wait_for_retired(flight, insn, producer, wait, now);
    }
}

__attribute__((noinline)) static void rename_fully(struct register_unit *unit, struct flight *flight,
                                                   struct in_flight *insn, int64_t now) {
    const struct plan_insn *plan = insn->plan;
    for (unsigned r = 0; r < plan->n_reads; r++)
        if (!plan->reads[r].is_independent)
            rename_read(unit, flight, insn, r, now);
    for (unsigned w = 0; w < plan->n_writes; w++)
        rename_write(unit, flight, insn, w, now);
}

void register_unit_rename(struct register_unit *unit, struct flight *flight, struct in_flight *insn, int64_t now) {
    const struct plan_insn *plan = insn->plan;
    if (plan->n_moves != 0 && can_eliminate(unit, plan)) {
        eliminate(unit, insn);
        insn->is_eliminated = true;
        return;
    }
    if (unit->plan->is_fixed)
        rename_fixed(plan, flight, insn, now);
    else
        rename_fully(unit, flight, insn, now);
    for (unsigned i = 0; i < plan->n_taken; i++)
        unit->files[plan->taken[i].file].used += plan->taken[i].n;
}

void register_unit_free(struct register_unit *unit, const struct in_flight *insn) {
    if (insn->is_eliminated)
        return;
    for (unsigned i = 0; i < insn->plan->n_taken; i++) {
        struct physical_file *file = &unit->files[insn->plan->taken[i].file];
        assert(file->used >= insn->plan->taken[i].n);
        file->used -= insn->plan->taken[i].n;
    }
}

static int64_t hazard_of(const struct in_flight *producer, unsigned write, int advance, int64_t now) {
    if (producer->stage == STAGE_RETIRED)
        return late_forward(producer, advance, now);
    return flight_cycles_left(producer, write, now) - advance;
}

static int64_t read_hazard(const struct register_unit *unit, const struct flight *flight, const struct plan_read *read,
                           int64_t now) {
    int64_t hazard = 0;
    struct class_set set = classes_read(unit, read);
    for (unsigned i = 0; i < set.n; i++) {
        struct definition definition = unit->definitions[set.classes[i]];
        const struct in_flight *producer = flight_at(flight, definition.index);
        if (producer->index != definition.index)
            continue;
        int advance = plan_advance(read->cost, write_class_of(producer, definition.write));
        int64_t left = hazard_of(producer, definition.write, advance, now);
        hazard = left > hazard ? left : hazard;
    }
    return hazard;
}

static int64_t fixed_hazard(const struct flight *flight, const struct in_flight *insn, int64_t now) {
    int64_t hazard = 0;
    unsigned operand = 0;
    for (unsigned d = 0; d < insn->plan->n_dependences; d++) {
        const struct plan_dependence *dependence = &insn->plan->dependences[d];
        const struct in_flight *producer = flight_at(flight, insn->index - dependence->distance);
        if (dependence->operand >= insn->plan->n_reads || (dependence->operand != operand && hazard > 0))
            break;
        operand = dependence->operand;
        if (producer->index != insn->index - dependence->distance)
            continue;
        int64_t left = hazard_of(producer, dependence->write, dependence->advance, now);
        hazard = left > hazard ? left : hazard;
    }
    return hazard;
}

int64_t register_unit_hazard(const struct register_unit *unit, const struct flight *flight,
                             const struct in_flight *insn, int64_t now) {
    if (unit->plan->is_fixed)
        return fixed_hazard(flight, insn, now);
    for (unsigned r = 0; r < insn->plan->n_reads; r++) {
        int64_t hazard = read_hazard(unit, flight, &insn->plan->reads[r], now);
        if (hazard > 0)
            return hazard;
    }
    return 0;
}

static void put_definition(struct definition definition, const struct flight *flight, struct coder *coder) {
    const struct in_flight *producer = flight_at(flight, definition.index);
    bool is_retired = producer->stage == STAGE_RETIRED;
    if (producer->index != definition.index ||
        (is_retired && flight_cycles_ago(flight, coder, producer->done_cycle) == flight->plan->max_delay)) {
        coder_put(coder, 0);
        return;
    }
    coder_put(coder, coder_insns_ago(coder, definition.index));
    coder_put(coder, definition.write);
    if (is_retired)
        coder_put(coder, flight_cycles_ago(flight, coder, producer->done_cycle));
}

void register_unit_put(const struct register_unit *unit, const struct flight *flight, struct coder *coder) {
    for (unsigned f = 0; f < unit->n_files; f++)
        coder_put(coder, unit->files[f].used);
    for (unsigned c = 1; c < unit->plan->n_classes && !unit->plan->is_fixed && !coder->differs; c++) {
        coder_put(coder, (uint64_t)unit->alias[c] << 1 | unit->is_zero[c]);
        put_definition(unit->definitions[c], flight, coder);
    }
}
