// Private to survey/.
// Experiments before they are measured: what each is, and its kernel. Kernels are made in memory; files only show them,
// so that `cyclops run --kernels` can repeat each.
#ifndef SURVEY_EXPERIMENTS_EXPERIMENT_LIST_H
#define SURVEY_EXPERIMENTS_EXPERIMENT_LIST_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"
#include "gen/kernel.h"
#include "survey/experiments/experiment_key.h"

#include <stddef.h>

struct experiment_list {
    struct arena *arena; // of its texts
    struct experiment_item {
        struct experiment_key key;
        struct kernel_text kernel;
    } * items;
    size_t n;
};

// Adds an experiment whose kernel has a name and nothing else. The caller fills it in before the next one is added.
struct kernel_text *experiment_list_add(struct experiment_list *list, struct experiment_key key);

// Makes the kernels from number `first` on, and adds them to a set. `path`: their name in messages. Fails where one is
// wrong, which is a mistake of this program.
bool experiment_list_make(const struct experiment_list *list, size_t first, struct arena *arena, const char *path,
                          const struct isa *isa, struct kernel_set *set, struct fail *fail);

// Begins a kernel file, and adds the list's kernels to it.
void experiment_list_put_head(const struct isa *isa, struct text *file);
void experiment_list_put(const struct experiment_list *list, struct text *file);

// The syntax of kernels' assembly; null: the ISA has one only.
const char *experiment_syntax(const struct isa *isa);

#endif
