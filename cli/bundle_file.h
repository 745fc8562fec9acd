// A bundle as a file: programs, the clock's chains, and a runner, as one executable. `cyclops bundle`, `cyclops survey
// --bundle` and `cyclops corpus run --bundle` make them.
#ifndef CLI_BUNDLE_FILE_H
#define CLI_BUNDLE_FILE_H

#include "blocks/code_uses.h"
#include "lab/chains.h"
#include "lab/collect.h"
#include "lab/experiment.h"
#include "lab/lab.h"
#include "runner/pack.h"

// Adds the chains, assembled.
void bundle_add_chains(struct arena *arena, struct program *const chains[N_CHAINS], struct pack *pack);
// Adds the experiment's program, assembled. The pack has the program's own bytes and texts, not copies.
void bundle_add(struct arena *arena, const struct code_uses *uses, const struct experiment *experiment,
                struct pack *pack);

// The programs of a bundle while a campaign hands them on.
struct bundle_programs {
    struct arena *arena;
    struct code_uses uses;
    struct pack pack;
    struct collect collect; // for the campaign's request: takes them
    size_t n_chains;        // programs that come first
};

// Begins with the clock's chains, and sets `collect`, so this must stay where it is. Fails where the options name a
// simulated CPU. Close `uses` at the end.
bool bundle_programs_start(struct arena *arena, const struct lab_options *options, struct bundle_programs *programs,
                           struct fail *fail);
// Adds the rules of what was collected.
void bundle_programs_add_rules(struct bundle_programs *programs);

// Writes the executable. `runner`: path; null: the installed one. `is_pack_alone`: the programs without a runner.
bool bundle_write(struct arena *arena, const struct isa *isa, const struct pack *pack, const char *runner,
                  bool is_pack_alone, const char *path, struct fail *fail);

// Says how its values come into the folder; `command` shows them there.
void bundle_print_way_back(const char *bundle, const char *folder, const char *command);

#endif
