// Private to this folder.
// Predicts measured blocks with several models, on several threads.
#ifndef CORPUS_PREDICT_H
#define CORPUS_PREDICT_H

#include "analyzer/predict/model_prediction.h"
#include "corpus/score.h"
#include "lab/recorded_turns.h"

enum { PREDICT_CHUNK = 128 }; // values of a chunk

struct predicted {
    struct corpus_value value;
    unsigned instructions;       // in the block; 0: it does not decode
    unsigned uses;               // as in struct bench_code
    bool has_branches;           // inside: no model predicts it
    const struct execution *run; // its turns here, whose addresses CPU files take; null: these are followed
    bool is_by_own;              // a CPU file predicts it
    const char *unrecorded;      // why there is no run, where not all can be followed, one clause; else null
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

// Calls `take` for each value, in their order. `models`: opened, for the caller's thread.
bool predict_all(const struct score_request *request, const struct model_set *models, struct measured *measured,
                 void *context, bool (*take)(void *context, const struct predicted *predicted, struct fail *fail),
                 struct fail *fail);

#endif
