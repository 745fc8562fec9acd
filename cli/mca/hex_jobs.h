// Private to this folder.
// --hex --brief on several threads: each has the CPU open for itself, takes a chunk of lines and simulates their
// blocks. What it prints comes out in the order of the lines.
#ifndef CLI_MCA_HEX_JOBS_H
#define CLI_MCA_HEX_JOBS_H

#include "analyzer/model/model.h"
#include "cli/mca/report.h"

#include <stdbool.h>

// Simulates every block of a file ("-": standard input), and writes a line for each to session->out. `model`: as opened
// for the session. `n_jobs`: threads, at least 1; a file of one chunk takes one. Returns false where the file cannot be
// read, or a CPU cannot be opened; sets `any_failed` where a line has no block, or a block cannot be simulated.
bool mca_run_hex(struct mca_session *session, const struct model *model, const char *path, unsigned n_jobs,
                 bool *any_failed);

#endif
