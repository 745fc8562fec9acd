// The models that a command compares, each opened in its role:
//  - judged: those that predict, in the order in which they were asked for
//  - against: another one, which the first judged one is held against
//  - native: the simulated CPU that the code runs on; of a real one, no model is needed to run code
#ifndef ANALYZER_MODEL_MODEL_SET_H
#define ANALYZER_MODEL_MODEL_SET_H

#include "analyzer/model/model.h"
#include "base/options.h"

enum { MODEL_SET_MOST = 4 }; // judged models

// What to open. CPUs are named as for model_open.
struct model_request {
    const char *triple;        // of the ISA of the code
    const char *features;      // to add to each CPU's, or to take away: "+neon"; null: none
    struct option_list llvms;  // versions of LLVM, as in backend_load; empty: the newest
    struct option_list judged; // empty: the native CPU; "none": no model
    const char *own;           // CPU file, beside the native CPU where no judged one is named; null: none
    bool forms;                // struct insn's `form` is wanted
    bool refuses_base;         // CPU files predict only what they state all numbers of: struct cpu
    const char *against;       // null: not wanted
    const char *native;        // the simulated CPU; null: the code runs on this machine, or ran elsewhere
};

struct model_set {
    struct model judged[MODEL_SET_MOST]; // those that a version of LLVM does not know are `missing`
    unsigned n_judged;
    struct model against, native; // all zero where they were not asked for
};

// Whether the request has a judged model.
bool model_request_judges(const struct model_request *request);

// Opens a judged CPU in each version of LLVM that was asked for, unless its name states the version, or is a
// file's; the other roles in the first of these versions. What the set holds lives as long as `arena`. Fails
// (FAIL_INPUT) where there are too many, and as model_open and model_open_versions do. The set is closed then too.
bool model_set_open(struct model_set *set, struct arena *arena, const struct model_request *request, struct fail *fail);
void model_set_close(struct model_set *set); // also where all of it is zero

#endif
