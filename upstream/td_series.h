// Patches of LLVM's file that can be taken by themselves and one after another. Each is made against the file as it is.
// Where it does not go with an earlier one, as both change an opcode, give a record the same name, or edit lines near
// each other, it is made against the file with that one, which it needs from then on. Lines around an edit are fewer
// where this makes it go with others.
#ifndef UPSTREAM_TD_SERIES_H
#define UPSTREAM_TD_SERIES_H

#include "upstream/td.h"

struct td_patch {
    struct td_request request; // its changes, of LLVM's file without any patch
    const char *diff;          // against LLVM's file with the patches that it needs
    const char *alone;         // against LLVM's file, checked by itself
    struct td_result td;       // of `diff`
    const size_t *needs;       // indices of earlier patches, ascending
    size_t n_needs;
    size_t n_equal; // opcodes that have the intended numbers with this and all earlier patches, of td.n_compared
};

struct td_series {
    const char *file, *text; // LLVM's file; with all patches
    struct td_patch **patches;
    size_t n_patches;
};

enum td_added {
    TD_ADDED,
    TD_ADDED_NOTHING, // the file has these numbers
    TD_ADDED_SAME,    // an earlier patch makes this edit
};

// Adds a patch with these changes. All requests name the same file, and have changes of the same opcodes in one order.
// `which`: set to the index of the patch, or of the earlier one.
bool td_series_add(struct arena *arena, struct td_series *series, const struct td_request *request,
                   enum td_added *added, size_t *which, struct fail *fail);

// A text with a diff of td_diff's applied as `git apply` does: at the nearest place with the same lines. Null: there is
// none.
const char *td_apply(struct arena *arena, const char *text, const char *diff);

#endif
