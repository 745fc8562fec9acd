// Private to this folder.
// The frame of llvm-mca's JSON report: a list of regions, then the options and the resources that it was made with.
#ifndef CLI_MCA_JSON_H
#define CLI_MCA_JSON_H

#include "analyzer/model/machine.h"
#include "analyzer/views/tree.h"
#include "cli/mca/options.h"

// Between the two, each region is an element of the list that is open.
void mca_json_begin(struct tree *tree);
void mca_json_end(struct tree *tree, const struct mca_args *args, const struct machine *machine);

#endif
