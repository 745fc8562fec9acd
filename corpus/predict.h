// Private to this folder.
// Predicts measured blocks with several models, on several threads.
#ifndef CORPUS_PREDICT_H
#define CORPUS_PREDICT_H

#include "analyzer/predict/model_prediction.h"
#include "corpus/score.h"

enum { PREDICT_CHUNK = 128 }; // values of a chunk

struct predicted {
    struct corpus_value value;
    unsigned instructions; // in the block; 0: it does not decode
    unsigned uses;         // as in struct bench_code
    bool has_branches;     // inside: no model predicts it
    struct predicted_model {
        bool is_done;
        double cycles;             // of the value's code
        const char *refusal;       // why it is not done
        struct bounds_basis basis; // by a CPU file; of no instruction: by another model
        const struct predicted_insn {
            unsigned sched_class;
            // Names live as long as the arena of the chunk.
            const char *class_name; // the opcode's where LLVM was built without them
            const char *opcode;
        } * insns; // one of each scheduling class in the code
        unsigned n_insns;
    } models[MODEL_SET_MOST];
};

// What to predict of a block that was measured so.
struct prediction_request predict_as_measured(const struct execution *execution, const struct corpus_value *value);

// Calls `take` for each value, in their order.
bool predict_all(const struct score_request *request, struct measured *measured, void *context,
                 bool (*take)(void *context, const struct predicted *predicted, struct fail *fail), struct fail *fail);

#endif
