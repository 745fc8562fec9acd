// The state of a core behind its front end.
#include "analyzer/sim/core/units.h"

// What is short comes first: most comparisons end there.
void units_put_back_end(const struct units *units, struct coder *coder, unsigned kept_stores) {
    coder_put(coder, units->turn);
    put_ticks(coder, units->dispatch.busy_until, 0);
    put_ticks(coder, units->dispatch_vector.busy_until, 0);
    put_ticks(coder, units->retirement.busy_until, 0);
    put_ticks(coder, units->all_done, coder->back);
    if (!coder->differs)
        ports_put(&units->ports, coder);
    if (!coder->differs)
        store_table_put(&units->stores, coder, kept_stores);
    if (!coder->differs)
        station_put(&units->station, coder, &units->flights);
    if (!coder->differs)
        flights_put(&units->flights, coder);
    if (!coder->differs)
        rename_put(&units->rename, &units->flights, coder);
    if (!coder->differs)
        memory_put(&units->memory, coder);
}
