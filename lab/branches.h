// Predicts code with branches inside: records which instructions a run executes, and simulates that run. All branches
// count as predicted rightly.
#ifndef LAB_BRANCHES_H
#define LAB_BRANCHES_H

#include "analyzer/predict/prediction.h"
#include "blocks/followed.h"

// Records enough of it. As follow_record.
bool branches_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                     struct followed *followed, struct fail *fail);

// The prediction is per execution of the body. Fills the number of its instructions in `followed`.
bool branches_predict(struct arena *arena, const struct model *model, const struct program *program,
                      struct followed *followed, struct prediction *prediction, struct fail *fail);

#endif
