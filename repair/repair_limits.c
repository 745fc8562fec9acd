#include "repair/repair_limits.h"

#include "check/gap.h"
#include "repair/repair_trial.h"

#include <math.h>
#include <string.h>

// The gap (gap.h) of the whole number of cycles, shared by so many pipes or slots, that is nearest to the value.
static double gap_of_whole(const struct check_value *value, const struct predicted *predicted, double parts) {
    struct predicted whole = *predicted;
    double least = value->quantity == CHECK_THROUGHPUT; // a pipe is held for a cycle
    whole.cycles = fmax(least, round(value->value.cycles * parts)) / parts;
    return gap_find(value, &whole);
}

double repair_nearest_gap(const struct machine *machine, const struct check_value *value,
                          const struct predicted *predicted) {
    if (check_value_is_bound(value))
        return 0;
    double nearest = gap_of_whole(value, predicted, 1);
    if (value->quantity != CHECK_THROUGHPUT)
        return nearest;
    nearest = fmin(nearest, gap_of_whole(value, predicted, machine->dispatch_width));
    for (unsigned r = 1; r < machine->n_resources; r++)
        nearest = fmin(nearest, gap_of_whole(value, predicted, machine->resources[r].units));
    return nearest;
}

enum repair_limit repair_limit_of(const struct machine *machine, const struct check_value *value,
                                  const struct predicted *predicted, bool is_other_code) {
    if (is_other_code)
        return REPAIR_LIMIT_CODE;
    if (!repair_can_explain(value))
        return strcmp(value->destination, "memory") == 0 ? REPAIR_LIMIT_MEMORY : REPAIR_LIMIT_REGISTER;
    if (value->source && strncmp(value->source, "st", 2) == 0)
        return REPAIR_LIMIT_STACK;
    if (!form_is_plain(value->form))
        return REPAIR_LIMIT_OPERANDS;
    return repair_nearest_gap(machine, value, predicted) > 0 ? REPAIR_LIMIT_FRACTION : REPAIR_LIMIT_NONE;
}

const char *repair_limit_about(enum repair_limit limit) {
    static const char *const about[] = {
        [REPAIR_LIMIT_NONE] = "left",
        [REPAIR_LIMIT_CODE] = "of code that decodes to another opcode",
        [REPAIR_LIMIT_MEMORY] = "through memory",
        [REPAIR_LIMIT_REGISTER] = "with one register as all sources",
        [REPAIR_LIMIT_STACK] = "on the x87 stack",
        [REPAIR_LIMIT_OPERANDS] = "of operands that share their opcode's numbers, as high bytes do",
        [REPAIR_LIMIT_FRACTION] = "fractions of cycles",
    };
    return about[limit];
}
