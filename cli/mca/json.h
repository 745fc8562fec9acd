// Private to this folder.
// The frame of llvm-mca's JSON report: a list of regions, then the simulation's options and resources.
#ifndef CLI_MCA_JSON_H
#define CLI_MCA_JSON_H

#include "analyzer/sched/machine.h"
#include "base/json_text.h"
#include "cli/mca/options.h"

// Begin and end the report. Between the two calls, each region is an element of the open list.
void mca_json_begin(struct json_text *json);
void mca_json_end(struct json_text *json, const struct mca_args *args, const struct machine *machine);

#endif
