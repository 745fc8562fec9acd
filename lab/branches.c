#include "lab/branches.h"

#include "analyzer/predict/model_prediction.h"

// Steps of a recording: enough to average over bodies that differ, and few enough to take less than a second.
enum { ENOUGH_STEPS = 4000 };

bool branches_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                     struct followed *followed, struct fail *fail) {
    const struct follow_options options = {.enough_steps = ENOUGH_STEPS};
    return follow_record(arena, program, code, &options, followed, fail);
}

bool branches_predict(struct arena *arena, const struct model *model, const struct program *program,
                      struct followed *followed, struct prediction *prediction, struct fail *fail) {
    struct execution run;
    unsigned n_own;
    if (!follow_execution(arena, model, program, followed, &run, &n_own, fail))
        return false;
    const struct prediction_request request = {.execution = &run, .way.is_loop = true};
    if (!prediction_by_model(arena, model, &request, prediction, fail))
        return false;
    followed->instructions = run.n_steps / followed->bodies;
    return true;
}
