#include "cli/corpus/corpus.h"

#include "base/text.h"
#include "cli/bundle_file.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/lab_args.h"
#include "cli/start_args.h"
#include "corpus/profile.h"
#include "corpus/run.h"
#include "report/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The command that goes on with the folder.
static const char *resume_of(struct arena *arena, const char *folder) {
    static const char *const without[] = {"output", "budget", NULL}, *const flags[] = {"resume", NULL};
    struct text text = {.arena = arena};
    text_add(&text, "cyclops corpus");
    command_line_add(&text, NULL, without, flags);
    text_add(&text, " --resume --output ");
    text_add_word(&text, folder);
    return text.data;
}

// Writes what another machine measures for the folder.
static void write_bundle(struct arena *arena, struct corpus_request *request, int *status, struct fail *fail) {
    struct bundle_programs programs;
    struct corpus_tally tally;
    const struct lab_options *options = &lab_args.options;
    const char *bundle = corpus_args.bundle;
    if (!bundle_programs_start(arena, options, &programs, fail))
        return;
    request->campaign.collects = &programs.collect;
    bool is_done = corpus_run(arena, request, &tally, status, fail);
    request->campaign.collects = NULL;
    code_uses_close(&programs.uses);
    if (!is_done)
        return;
    if (!programs.collect.n_taken) {
        printf("Nothing is left to measure: %zu values are there\n", programs.collect.n_measured);
    } else if (bundle_write(arena, options->isa, &programs.pack, corpus_args.runner, false, bundle, fail)) {
        printf("%s measures %s; %zu are there already.\n", bundle, text_count(arena, programs.collect.n_taken, "value"),
               programs.collect.n_measured);
        bundle_print_way_back(bundle, request->campaign.folder, "cyclops corpus score");
    }
}

// Called with an open nursery.
static int measure(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct corpus_request request = {.campaign = {.folder = corpus_args.folder ? corpus_args.folder : "corpus",
                                                  .is_resumed = corpus_args.is_resumed,
                                                  .is_strict = lab_args.is_strict,
                                                  .lab = &lab_args.options},
                                     .inputs = operands->items,
                                     .n_inputs = operands->n_items,
                                     .most = corpus_args.limit.value,
                                     .range = {.symbol = corpus_args.symbol, .section = corpus_args.section}};
    struct corpus_tally tally;
    struct profile counts;
    int status = 0;
    (void)lab;
    if (!lab_args_read(arena, fail) ||
        !lab_args_read_shard(corpus_args.shard, &request.shard, &request.n_shards, fail) ||
        !start_args_read(arena, lab_args.options.isa, NULL, false, &request.start, fail) ||
        (corpus_args.hot && !profile_read(arena, corpus_args.hot, operands->items, operands->n_items, &counts, fail)))
        return 0;
    request.counts = corpus_args.hot ? &counts : NULL;
    if (corpus_args.bundle) {
        write_bundle(arena, &request, &status, fail);
        return status;
    }
    request.campaign.budget_seconds = lab_args_start_budget(CORPUS_USUAL_BUDGET);
    corpus_run(arena, &request, &tally, &status, fail);
    if (!tally.n_blocks)
        return status;
    corpus_report_tally(arena, &tally, stdout, cli_wants_colour());
    corpus_report_next(arena, &tally, resume_of(arena, request.campaign.folder), stdout);
    return status;
}

int corpus_cli_run(struct arena *arena, const struct operands *operands, struct fail *fail) {
    return lab_args_run(arena, operands, fail, measure);
}
