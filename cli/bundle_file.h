// A bundle as a file: programs, the clock's chains, and a runner, as one executable. `cyclops bundle` and `cyclops
// survey
// --bundle` make them.
#ifndef CLI_BUNDLE_FILE_H
#define CLI_BUNDLE_FILE_H

#include "blocks/code_uses.h"
#include "lab/chains.h"
#include "lab/experiment.h"
#include "runner/pack.h"

// Adds the chains, assembled.
void bundle_add_chains(struct arena *arena, struct program *const chains[N_CHAINS], struct pack *pack);
// Adds the experiment's program, assembled. The pack has the program's own bytes and texts, not copies. Fails where a
// bundle cannot hold it.
bool bundle_add(struct arena *arena, const struct code_uses *uses, const struct experiment *experiment,
                struct pack *pack, struct fail *fail);

// Writes the executable. `runner`: path; null: the installed one. `is_pack_alone`: the programs without a runner.
bool bundle_write(struct arena *arena, const struct isa *isa, const struct pack *pack, const char *runner,
                  bool is_pack_alone, const char *path, struct fail *fail);

#endif
