// Private to this folder.
// The inputs of `cyclops mca`, from one file or several: assembly, objects and hexadecimal digits. Reads and simulates
// them.
#ifndef CLI_MCA_INPUT_H
#define CLI_MCA_INPUT_H

#include "analyzer/model/model.h"
#include "cli/mca/report.h"

#include <stdbool.h>

// Checks that all files can be read, before any other work. Fails at the first that cannot.
bool mca_inputs_exist(const struct mca_args *args, struct fail *fail);
// Reads every input in session->args. Where it fails, `source` has the blocks before. Reads nothing with --brief, where
// mca_run reads block by block.
bool mca_read_inputs(struct mca_session *session, const struct model *model, struct backend_source *source);
// Simulates the inputs, and prints one report; with --brief, a line for each block.
bool mca_run(struct mca_session *session, const struct model *model, const struct backend_source *source);

#endif
