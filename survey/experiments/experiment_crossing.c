// Latencies from a vector that the form only reads to a vector that it reads and writes: two copies that cross.
//
//     A = f(A, B); B = f(B, A)
//
// The first copy's result is the second one's source, and the other way round. So a body takes twice the latency from
// the source, unless the result's own way from body to body takes longer. No other instruction is in it: on a Golden
// Cove, `vfmadd213ps` and the `vandps` behind it take 5.76 cycles, as the time in between depends on the port.
#include "survey/experiments/experiment_kinds.h"

#include "base/text.h"
#include "survey/experiments/experiment_text.h"
#include "survey/forms/isa_traits.h"

#include <string.h>

bool experiments_waits_for_result_only(const struct shape *shape, unsigned source, unsigned result) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (i != source && i != result && experiment_is_carried(&shape->ports[i]))
            return false;
    return shape->ports[source].file == 'v' && shape->ports[result].file == 'v' &&
           experiment_is_carried(&shape->ports[result]) && !shape->has_memory && !shape->is_gather;
}

// Whether each of the two registers can be the other one: it has a role, and is of the same kind. Of two widths, the
// wider copy's result is read in part. Armv7's singles, doubles and quadruples are not parts of each other here.
static bool can_cross(const struct shape *shape, unsigned source, unsigned result) {
    const struct shape_port *from = &shape->ports[source], *to = &shape->ports[result];
    bool are_roles = experiment_has_name(from) && experiment_has_name(to) && !from->is_fixed && !to->is_fixed;
    return experiments_waits_for_result_only(shape, source, result) && are_roles && !from->is_written &&
           !from->is_index && !from->is_lanes && from->class->span == to->class->span &&
           (from->class->bits == to->class->bits || !shape->traits->has_parts);
}

// The body with the two roles exchanged. Their classes stay: each register is then one that both may be.
static const char *exchange(struct arena *arena, const char *body, const char *one, const char *other) {
    struct text text = {.arena = arena};
    const char *const marks[] = {arena_printf(arena, "{%s:", one), arena_printf(arena, "{%s:", other)};
    while (*body) {
        size_t which = 0;
        while (which < 2 && !text_starts(body, marks[which]))
            which++;
        if (which == 2) {
            text_append(&text, body++, 1);
            continue;
        }
        text_add(&text, marks[!which]);
        body += strlen(marks[which]);
    }
    return text.data;
}

bool experiments_add_crossing(const struct shape *shape, unsigned source, unsigned result,
                              struct experiment_list *out) {
    if (!can_cross(shape, source, result))
        return false;
    const char *from = shape->ports[source].role, *to = shape->ports[result].role;
    const struct experiment_key key = {
        .kind = EXPERIMENT_PAIR, .source = from, .result = to, .way = "", .closing = EXPERIMENT_CROSSING};
    experiment_add_chain(shape, key, shape->body,
                         arena_printf(out->arena, "; %s", exchange(out->arena, shape->body, from, to)), "", from, out);
    return true;
}
