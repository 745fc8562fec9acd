#include "cli/corpus/corpus.h"

#include "cli/cli.h"
#include "cli/lab_args.h"
#include "corpus/score.h"
#include "report/score.h"

#include <stdio.h>
#include <stdlib.h>

static bool read_per(double *per, struct fail *fail) {
    char *end;
    *per = corpus_args.per ? strtod(corpus_args.per, &end) : 0;
    return !corpus_args.per || (*end == '\0' && end != corpus_args.per && *per > 0) ||
           fail_set(fail, FAIL_INPUT, "--per takes a number above 0, not '%s'", corpus_args.per);
}

static bool check_options(const struct operands *operands, struct fail *fail) {
    enum { MOST_WORST = 100000 };
    if (!corpus_args.measured && operands->n_items == 0)
        return fail_set(fail, FAIL_INPUT, "name the folder of a corpus, or give --measured FILE");
    if (corpus_args.measured && operands->n_items)
        return fail_set(fail, FAIL_INPUT, "--measured takes the place of folders: leave out '%s'", operands->items[0]);
    if (corpus_args.worst.value > MOST_WORST)
        return fail_set(fail, FAIL_INPUT, "--worst is at most %d", MOST_WORST);
    if (corpus_args.wants_csv && corpus_args.wants_json)
        return fail_set(fail, FAIL_INPUT, "give --csv or --json");
    return true;
}

static void print_scores(struct arena *arena, const struct scores *scores, struct fail *fail) {
    const char *warning = score_warning(arena, scores);
    if (warning)
        lab_say(&cli_listener, LAB_WARNING, "%s", warning);
    if (corpus_args.wants_csv)
        score_print_csv(arena, scores, stdout);
    else if (corpus_args.wants_json)
        score_print_json(arena, scores, stdout, fail);
    else
        score_print(arena, scores, stdout, cli_wants_colour());
}

int corpus_cli_score(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct scores scores;
    if (!check_options(operands, fail))
        return 0;
    struct score_request request = {
        .measured = {.folders = operands->items,
                     .n_folders = operands->n_items,
                     .csv = corpus_args.measured,
                     .column = corpus_args.column,
                     .is_strict = lab_args.is_strict,
                     .listener = &cli_listener},
        .is_as_llvm_mca = corpus_args.is_as_llvm_mca,
        .is_undistorted = corpus_args.is_undistorted,
        .most = corpus_args.limit.value,
        .n_worst = (unsigned)corpus_args.worst.value,
        .n_jobs = (unsigned)corpus_args.jobs.value,
        .blocks = corpus_args.blocks,
    };
    lab_args.options.isa = cli_isa(arena, lab_args.isa, fail);
    if (lab_args.options.isa && lab_args_read_assume(lab_args.assume, &lab_args.options.refuses_base, fail) &&
        lab_args_read_addresses(lab_args.addresses, &lab_args.options.addresses_are_static, fail)) {
        request.runs_blocks = !lab_args.options.addresses_are_static;
        request.isa = lab_args.options.isa;
        request.models = lab_models(&lab_args.options);
    }
    if (fail->status == FAIL_NONE && read_per(&request.measured.per, fail) &&
        score_blocks(arena, &request, &scores, fail))
        print_scores(arena, &scores, fail);
    return 0;
}
