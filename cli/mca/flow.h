// Private to this folder.
// `cyclops mca --branch-trace`: the block that was read becomes the run that a branch trace describes.
#ifndef CLI_MCA_FLOW_H
#define CLI_MCA_FLOW_H

#include "analyzer/model/backend.h"

#include <stdbool.h>

// `trace`: a file, "-" for standard input, or the trace itself, which begins with a parenthesis.
bool mca_follow_trace(struct arena *arena, const char *trace, struct backend_source *source, struct fail *fail);

#endif
