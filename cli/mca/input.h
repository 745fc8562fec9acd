// Private to this folder.
// The inputs of `cyclops mca`: assembly, objects and hexadecimal digits, one file or several, and what is done with
// them.
#ifndef CLI_MCA_INPUT_H
#define CLI_MCA_INPUT_H

#include "analyzer/model/model.h"
#include "cli/mca/report.h"

#include <stdbool.h>

// Whether all files can be read, before anything else is tried.
bool mca_inputs_exist(const struct mca_args *args, struct fail *fail);
// Reads every input that session->args names; with --brief, which reads as it goes, nothing yet.
bool mca_read_inputs(struct mca_session *session, const struct model *model, struct backend_source *source);
// Simulates what was read: one report of it all; with --brief a line for each block.
bool mca_run(struct mca_session *session, const struct model *model, const struct backend_source *source);

#endif
