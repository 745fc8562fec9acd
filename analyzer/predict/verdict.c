#include "analyzer/predict/verdict.h"

#include <math.h>

// Differences below this are no finding, however narrow the interval: loops of real code carry about as much of it in
// effects that no scheduling model describes (loop ends, fetch groups).
static const double TOLERANCE = 0.01;

static const char *plural(unsigned n) {
    return n == 1 ? "" : "s";
}

// A chain through one copy takes whole cycles. Others, as one through several copies, or an order of the schedulers in
// which copies get into each other's way, are no chain that a reader could find in the text.
static const char *dependency_text(struct arena *arena, double cycles) {
    static const double whole = 0.005;
    if (fabs(cycles - round(cycles)) <= whole)
        return arena_printf(arena, "model: a dependency chain of %.4g cycle%s", cycles, round(cycles) == 1 ? "" : "s");
    return arena_printf(arena, "model: waits for results, %.4g cycles a copy on average", cycles);
}

static const char *model_too_slow(struct arena *arena, const struct prediction *p) {
    switch (p->kind) {
    case BOTTLENECK_RESOURCE:
        return arena_printf(arena, "model: %s held for %u cycle%s", p->bottleneck, p->holds_cycles,
                            plural(p->holds_cycles));
    case BOTTLENECK_DISPATCH:
        return arena_printf(arena, "model: %g %s at dispatch width %u", p->uops, p->are_slots ? "slots" : "uops",
                            p->dispatch_width);
    case BOTTLENECK_DEPENDENCY:
        return dependency_text(arena, p->cycles);
    case BOTTLENECK_BUFFER:
    case BOTTLENECK_RETIRE:
    case BOTTLENECK_FRONT_END:
    case BOTTLENECK_MEMORY:
    case BOTTLENECK_INTERACTION:
        return arena_printf(arena, "model: %s", p->bottleneck);
    case BOTTLENECK_UNEVEN:
        return arena_printf(arena, "model: uneven use of %s", p->bottleneck);
    case BOTTLENECK_UNKNOWN:
        break;
    }
    return "model: the cause is unknown";
}

// Far too fast where pipes are the limit of independent instructions: the pipes are described wrongly. A little, or a
// block, whose stores may feed its loads and whose branches may be predicted wrongly: something that no model
// describes.
static const char *model_too_fast(struct arena *arena, const struct prediction *p, const struct verdict *verdict) {
    static const double LITTLE = -0.2;
    if (p->kind == BOTTLENECK_RESOURCE && verdict->kind == VERDICT_RTHROUGHPUT && verdict->difference < LITTLE)
        return arena_printf(arena, "model: %s held for only %u cycle%s, or too many such pipes", p->bottleneck,
                            p->holds_cycles, plural(p->holds_cycles));
    return *p->bottleneck ? arena_printf(arena, "cost not modelled; the model's limit: %s", p->bottleneck)
                          : "cost not modelled";
}

void verdict_make(struct arena *arena, const struct verdict_measured *measured, const struct prediction *prediction,
                  struct verdict *verdict) {
    double tolerance = fmax(TOLERANCE, measured->clock_error) * measured->cycles;
    double too_low = measured->low - tolerance, too_high = measured->high + tolerance;
    *verdict = (struct verdict){.kind = VERDICT_AGREE, .blame = ""};
    verdict->difference = measured->cycles > 0 ? (prediction->cycles - measured->cycles) / measured->cycles : 0;
    if (!measured->is_stable) {
        verdict->kind = VERDICT_UNSURE;
        return;
    }
    if (prediction->cycles >= too_low && prediction->cycles <= too_high)
        return;
    verdict->kind = measured->about;
    if (measured->about == VERDICT_LATENCY)
        verdict->blame = arena_printf(arena, "model: latency %.4g", prediction->cycles);
    else if (prediction->cycles > measured->cycles)
        verdict->blame = model_too_slow(arena, prediction);
    else
        verdict->blame = model_too_fast(arena, prediction, verdict);
}
