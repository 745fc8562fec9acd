// cyclops survey: measure every form of the instruction set.
#include "cli/cli.h"

#include "base/text.h"
#include "cli/bundle_file.h"
#include "cli/command_line.h"
#include "cli/lab_args.h"
#include "report/survey.h"
#include "survey/survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *folder, *shard, *bundle, *runner;
    struct option_list vectors;
    bool is_resumed;
    double mixtures; // below 0: not given
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to measure", NULL},
    {OPTION_TEXT, "output", "DIR", "Folder of the survey; it is made. Default: survey.", &args.folder},
    {OPTION_FLAG, "resume", NULL,
     "Go on in a folder that holds a survey: measure what is missing, and again what is unstable.", &args.is_resumed},
    {OPTION_TEXT, "shard", "I/N", "Measure only part I of N, from 1. 'cyclops table DIR...' puts the parts together.",
     &args.shard},
    {OPTION_LIST, "vector", "all|CONFIG,...",
     "RISC-V: measure vector forms with these configurations: element and group, as e32m1 or e8mf4; behind that half, "
     "odd or one for fewer elements, tu and mu for tail and masked-off elements that stay, mask for a mask: "
     "e32m2-half-mask; ascending, line or spread for a gather's indices, which are zero without. all: each of the 22 "
     "pairs; all-mask: each with a mask. Default: all pairs for one form of each "
     "scheduling class, and one pair for the others; with PATTERN one pair.",
     &args.vectors},
    {OPTION_OUTPUT, "bundle", "FILE",
     "Measure nothing here: write a bundle into FILE, one static executable, that measures on another machine what DIR "
     "lacks. Its own file then becomes DIR/measurements.jsonl; --resume makes a bundle of what follows from it.",
     &args.bundle},
    {OPTION_TEXT, "runner", "FILE", "With --bundle: the runner, as in 'cyclops bundle'. Default: the installed one.",
     &args.runner},
    {OPTION_AMOUNT, "mixtures", "N",
     "Measure N random loops of several forms at the end, and forms beside probes: they show which pipes forms share. "
     "Default: 300 of all forms, 0 of a part.",
     &args.mixtures},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM that lists the forms. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_where},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_LIST, "events", "EVENT,...|auto|none",
     "Hardware events to count as well, as 'cyclops run' names them. auto: those that count uops, in all and by pipe, "
     "as far as they are known of this CPU. Default: auto.",
     &lab_args.events},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_AMOUNT, "budget", "S",
     "End the whole survey after S seconds. What is not measured then is missing, and --resume goes on. 0: no end, but "
     "nothing is measured again. Default: no end, and up to 240 s for what is unstable.",
     &lab_args.budget_s},
    {0},
};

static const struct command command = {
    "cyclops survey",
    "[PATTERN...] [options]",
    "Measures the instruction table of this CPU: of each form of an instruction, the\n"
    "latency from every source to every result, the reciprocal throughput, and the\n"
    "dispatch slots. It needs no hardware counters, and no knowledge of the CPU.\n"
    "\n"
    "A form is an opcode of LLVM's ('cyclops list forms'), such as VADDPSYrr. PATTERN\n"
    "is a regular expression of whole names, or of mnemonics such as addq. Without\n"
    "one, all forms are measured. One that matches nothing is an error, before\n"
    "anything is measured.\n"
    "Each form runs once first: those that this CPU lacks are left out.\n"
    "\n"
    "The folder holds\n"
    "  measurements.jsonl  every measurement, written as it is made\n"
    "  kernels/            the experiments as kernel files. To repeat one:\n"
    "                      cyclops run --kernels survey/kernels VADDPSYrr.chain\n"
    "  forms.jsonl         all forms, and why some are not measured\n"
    "  commands.txt        what was requested: patterns and options\n"
    "At its end, those over 4 MB are compressed: FILE.zst, which all commands read.\n"
    "'cyclops table' makes the table of it, also while the survey runs. A survey that\n"
    "was interrupted or killed goes on with --resume, on the same target. At its end,\n"
    "it prints how many forms and values there are, and what to do next.\n"
    "\n"
    "One form of each scheduling class comes first, within seconds. Each value has\n"
    "two looks, some time apart, and is unstable until both agree: five to eight\n"
    "minutes for all forms. What is unstable then is measured again, for up to 240 s.\n"
    "With --budget, all of that ends in time: the first look comes first.\n",
    "  cyclops survey\n"
    "  cyclops survey 'VADDPS.*' 'IMUL64.*' --output adds\n"
    "  cyclops survey --target sim:znver4 --output znver4\n"
    "  cyclops survey --isa aarch64 --target sim:neoverse-v2 --output v2\n"
    "  cyclops survey --shard 2/8 --output part2\n",
    options,
};

// Whether the events are to be chosen: the default.
static bool are_events_chosen(void) {
    const struct option_list *events = &lab_args.events;
    return !events->n_items || (events->n_items == 1 && strcmp(events->items[0], "auto") == 0);
}

static bool read_events(struct arena *arena, struct fail *fail) {
    const struct option_list *events = &lab_args.events;
    bool has_none = events->n_items == 1 && strcmp(events->items[0], "none") == 0;
    if (are_events_chosen() || has_none)
        return true;
    if (!lab_args_read_events(arena, fail))
        return false;
    const struct option_list *named = &lab_args.options.events;
    for (size_t i = 0; i < named->n_items; i++)
        if (strcmp(named->items[i], "auto") == 0 || strcmp(named->items[i], "none") == 0)
            return fail_set(fail, FAIL_INPUT, "--events %s stands alone: name events, or one of auto and none",
                            named->items[i]);
    return true;
}

// What was requested, without the folder: survey/commands.h.
static const char *command_of(struct arena *arena) {
    static const char *const without[] = {"output", "bundle", "runner", NULL}, *const flags[] = {"resume", NULL};
    struct text text = {.arena = arena};
    text_add(&text, "");
    command_line_add(&text, NULL, without, flags);
    return text.data;
}

// The command that goes on with the folder's forms, on the same target. The folder has their configurations, as it has
// what the patterns matched.
static const char *resume_of(struct arena *arena, const struct operands *operands, const char *folder) {
    static const char *const without[] = {"output", "budget", "shard", "vector", NULL}, *const flags[] = {"resume",
                                                                                                          NULL};
    struct text text = {.arena = arena};
    text_add(&text, "cyclops survey --resume --output ");
    text_add_word(&text, folder);
    command_line_add(&text, operands, without, flags);
    return text.data;
}

static bool read_mixtures(struct survey_request *request, struct fail *fail) {
    request->n_mixtures = args.mixtures < 0 ? -1 : (int)fmin(args.mixtures, SURVEY_MOST_MIXTURES);
    return args.mixtures <= SURVEY_MOST_MIXTURES ||
           fail_set(fail, FAIL_INPUT, "--mixtures is a number up to %d", SURVEY_MOST_MIXTURES);
}

// Writes what another machine measures for the folder.
static bool write_bundle(struct arena *arena, struct survey_request *request, int *status, struct fail *fail) {
    struct bundle_programs programs;
    struct survey_summary summary;
    const struct isa *isa = lab_args.options.isa;
    const char *folder = request->campaign.folder;
    if (!bundle_programs_start(arena, &lab_args.options, &programs, fail))
        return false;
    request->campaign.collects = &programs.collect;
    request->counts_uops = false;
    bool is_done = survey_run(arena, request, &summary, status, fail);
    request->campaign.collects = NULL;
    code_uses_close(&programs.uses);
    if (!is_done)
        return false;
    if (!programs.collect.n_taken) {
        printf("Nothing is left to measure: %zu values are there. The table: cyclops table %s\n",
               programs.collect.n_measured, folder);
        return true;
    }
    bundle_programs_add_rules(&programs);
    if (!bundle_write(arena, isa, &programs.pack, args.runner, false, args.bundle, fail))
        return false;
    printf("%s measures %s", args.bundle,
           text_count(arena, programs.collect.n_taken - programs.collect.n_in_cases, "value"));
    if (programs.collect.n_in_cases)
        printf(", and of %zu those that follow from them", programs.collect.n_in_cases);
    if (programs.collect.n_measured)
        printf("; %zu are there already", programs.collect.n_measured);
    puts(".");
    bundle_print_way_back(args.bundle, folder, "cyclops table");
    return true;
}

static int run(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    static const double usual_budget = 240;
    struct survey_request request = {.campaign = {.folder = args.folder ? args.folder : "survey",
                                                  .is_resumed = args.is_resumed,
                                                  .is_strict = lab_args.is_strict,
                                                  .begins = cli_print_head,
                                                  .lab = &lab_args.options},
                                     .patterns = operands->items,
                                     .n_patterns = operands->n_items,
                                     .command = command_of(arena)};
    struct survey_summary summary;
    int status = 0;
    (void)lab;
    if (!lab_args_read_shard(args.shard, &request.shard, &request.n_shards, fail) ||
        !cli_vectors(arena, &args.vectors, &request.vectors, &request.n_vectors, fail) ||
        !read_mixtures(&request, fail) || !lab_args_read(arena, fail) || !read_events(arena, fail))
        return 0;
    if (args.bundle) {
        write_bundle(arena, &request, &status, fail);
        return status;
    }
    request.counts_uops = are_events_chosen();
    request.campaign.budget_seconds = lab_args_start_budget(usual_budget);
    if (survey_run(arena, &request, &summary, &status, fail))
        survey_report_print(arena, &summary, request.campaign.folder,
                            resume_of(arena, operands, request.campaign.folder), stdout);
    return status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    return lab_args_run(arena, operands, fail, run);
}

int cmd_survey(int argc, char **argv) {
    command_line_words = argv + 1;
    args.mixtures = -1;
    return cli_run_status(&command, argc, argv, work);
}
