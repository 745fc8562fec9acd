#include "analyzer/predict/core_blame.h"

#include "analyzer/predict/core_plan.h"
#include "analyzer/sim/core/cpu_core.h"

#include <assert.h>

bool core_blame_find(const struct bounds_request *request, struct core_blame *blame, struct fail *fail) {
    *blame = (struct core_blame){.n = cpu_core.n_knobs};
    assert(blame->n <= CORE_MOST_LIMITS);
    if (!bounds_find(request, &blame->bounds, fail) || !core_cycles_find(request, 0, &blame->cycles, fail))
        return false;
    for (unsigned k = 0; k < blame->n; k++) {
        blame->limits[k].limit = cpu_core.knobs[k].name;
        if (!core_cycles_find(request, 1U << k, &blame->limits[k].without, fail))
            return false;
    }
    return true;
}
