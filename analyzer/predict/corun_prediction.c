#include "analyzer/predict/corun_prediction.h"

// Long enough that where the walk happens to end is less than a thousandth.
enum { INSTRUCTIONS = 1 << 14, FEWEST = 16, MOST_CYCLES_EACH = 1 << 12 };

bool corun_predict(const struct machine *machine, const struct block *const blocks[CORUN_THREADS],
                   double cycles[CORUN_THREADS], struct fail *fail) {
    const struct execution *const both[CORUN_THREADS] = {EXECUTION_OF(blocks[0]), EXECUTION_OF(blocks[1])};
    struct corun_result results[2];
    uint64_t iterations = INSTRUCTIONS / (blocks[0]->n_insns + 1) + FEWEST;
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        struct pipeline_options options = {.iterations = is_long ? 2 * iterations : iterations};
        options.max_cycles = options.iterations * blocks[0]->n_insns * MOST_CYCLES_EACH;
        if (!corun_run(machine, both, &options, NULL, &results[is_long], fail))
            return false;
    }
    double passed = (double)(results[1].cycles - results[0].cycles);
    double corunner = (double)(results[1].instructions[1] - results[0].instructions[1]) / blocks[1]->n_insns;
    if (corunner <= 0)
        return fail_set(fail, FAIL_WORK,
                        "the first thread keeps the second out: this model cannot say what they share");
    cycles[0] = passed / (double)iterations;
    cycles[1] = passed / corunner;
    return true;
}

double corun_combined(const double cycles[CORUN_THREADS]) {
    return 2 / (1 / cycles[0] + 1 / cycles[1]);
}

double corun_gain(const double together[CORUN_THREADS], const double alone[CORUN_THREADS]) {
    return alone[0] / together[0] + alone[1] / together[1];
}
