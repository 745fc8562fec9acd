// What single forms cost on two CPUs of ours, by the example of each: where that differs. Prints nothing.
#ifndef LAB_CPU_FORMS_H
#define LAB_CPU_FORMS_H

#include "analyzer/code/form.h"
#include "analyzer/cpu/recipe.h"
#include "analyzer/model/model.h"

struct cpu_form_change {
    const char *form,
        *number; // "slots", "latency", "pipes", "rename", "serial"; "known": only one of them describes it
    const char *before, *after; // its value, in words
};

// Both models have a CPU file. `n_forms`: how many forms were compared, which are those of the first one's LLVM. Fails
// where no form that has an example is among the patterns.
bool cpu_forms_compare(struct arena *arena, const struct model *before, const struct model *after,
                       const struct form_patterns *patterns, struct cpu_form_change **changes, size_t *n_changes,
                       size_t *n_forms, struct fail *fail);

// Fails at the first register or operand of a rule's `latency-from` or `ignores` that no form of the rule reads, but
// for addresses, or of its `latency-to` that none writes: it would change nothing, unseen.
bool cpu_forms_check(struct arena *arena, const struct model *model, struct fail *fail);

// What rename does with an instruction, for people; "": it is executed.
const char *cpu_rename_name(const struct cpu_recipe *recipe);

#endif
