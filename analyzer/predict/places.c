// Into how many aligned parts of memory accesses fall.
#include "analyzer/predict/addresses.h"

// Whether it is what a general register held at the start, as address_walk_open numbers these values.
static bool is_of_start(const struct cpu *cpu, uint32_t base) {
    enum { ALL_GENERAL = 16 };
    bool is_start = !base;
    for (unsigned i = 0; i < ALL_GENERAL && !is_start; i++)
        is_start = base == cpu->general[i] + 1U;
    return is_start;
}

bool place_moves(const struct bounds_request *request, const struct place *place) {
    return !request->is_loop && request->cpu->counter && place->address.base == request->cpu->counter + 1U;
}

static unsigned common_divisor(unsigned a, unsigned b) {
    return b ? common_divisor(b, a % b) : a;
}

// Of copies of unrolled code one behind the other: which share of them has it in two parts.
static double share_in_two(const struct bounds_request *request, unsigned within, unsigned bytes, unsigned part) {
    const unsigned step = common_divisor(block_bytes(request->block), part), first = within % step;
    const unsigned in_one = first + bytes > part ? 0 : (part - bytes - first) / step + 1;
    return 1 - (double)in_one * step / part;
}

double place_parts(const struct bounds_request *request, const struct place *place, unsigned part) {
    const uint32_t base = place->address.base;
    const bool is_at_code = request->cpu->counter && base == request->cpu->counter + 1U;
    const unsigned within = (unsigned)(place->address.offset + (is_at_code ? request->start : 0)) & (part - 1);
    if (!place->bytes || place->bytes > part || (!is_at_code && !is_of_start(request->cpu, base)))
        return 1;
    if (place_moves(request, place))
        return 1 + share_in_two(request, within, place->bytes, part);
    return within + place->bytes > part ? 2 : 1;
}
