// cyclops corpus: measure thousands of real blocks, and score models on them.
#include "cli/cli.h"

#include "cli/command_line.h"
#include "cli/corpus/corpus.h"
#include "cli/lab_args.h"
#include "cli/start_args.h"

#include <string.h>

struct corpus_args corpus_args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to run", NULL},
    {OPTION_TEXT, "output", "DIR", "run: folder of the measurements; it is made. Default: corpus.",
     &corpus_args.folder},
    {OPTION_FLAG, "resume", NULL,
     "run: go on in a folder that holds a corpus: measure what is missing, and again what is unstable.",
     &corpus_args.is_resumed},
    {OPTION_TEXT, "shard", "I/N", "run: measure only part I of N, from 1. 'corpus score DIR...' puts parts together.",
     &corpus_args.shard},
    {OPTION_OUTPUT, "bundle", "FILE",
     "run: measure nothing here: write a bundle into FILE, one static executable, that measures on another machine "
     "what DIR lacks. What it writes goes behind DIR/measurements.jsonl.",
     &corpus_args.bundle},
    {OPTION_TEXT, "runner", "FILE", "With --bundle: the runner, as in 'cyclops bundle'. Default: the installed one.",
     &corpus_args.runner},
    {OPTION_COUNT, "limit", "N", "Read only the first N blocks.", &corpus_args.limit},
    {OPTION_TEXT, "alias", "same|disjoint",
     "What general registers hold at a block's start. same: one address, as in BHive; disjoint: addresses 69 KiB "
     "apart. Default: same.",
     &start_args.alias},
    {OPTION_ROWS, NULL, NULL, NULL, start_args_memory},
    {OPTION_ROWS, NULL, NULL, NULL, start_args_values},
    {OPTION_COUNT, "pages", "N",
     "Pages of memory that may appear while a block is repeated, 1 to 4096. Default: 64. One pass may touch 8.",
     &start_args.pages},
    {OPTION_HEADING, NULL, NULL, "Blocks of objects", NULL},
    {OPTION_TEXT, "symbol", "NAME", "Only this function.", &corpus_args.symbol},
    {OPTION_TEXT, "section", "NAME", "Only this section.", &corpus_args.section},
    {OPTION_TEXT, "hot", "PROFILE",
     "Only blocks that a profile counts, with their counts: callgrind's file (--dump-instr=yes), or lines of 'ADDRESS "
     "COUNT'.",
     &corpus_args.hot},
    {OPTION_HEADING, NULL, NULL, "What to score", NULL},
    {OPTION_TEXT, "measured", "FILE",
     "score: measured values of others: lines of HEX,VALUE as in BHive's CSV files, in place of folders.",
     &corpus_args.measured},
    {OPTION_TEXT, "column", "TITLE",
     "score: the column of --measured with the values. Default: cycles, cycles_per_100_iterations or throughput.",
     &corpus_args.column},
    {OPTION_TEXT, "per", "N",
     "score: iterations that a value of --measured is of. Default: by the title of its column; without one 100, as in "
     "BHive.",
     &corpus_args.per},
    {OPTION_LIST, "mcpu", "CPU",
     "score: a model: a CPU of LLVM's, also of one version (llvm-19/znver4), an overlay (FILE.yaml, overlay:NAME), or "
     "a CPU file (FILE.cpu.yaml, cpu:NAME); may be repeated. Default: this CPU's.",
     &lab_args.options.cpus},
    {OPTION_TEXT, "assume", "llvm|nothing",
     "score: What a CPU file's prediction stands on where the file states no number of an instruction. llvm: LLVM's "
     "numbers, "
     "and the prediction states of how many instructions; nothing: nothing, so that such code is refused, and the "
     "message names the instruction. Default: llvm.",
     &lab_args.assume},
    {OPTION_TEXT, "addresses", "run|static",
     "score: where a block's accesses are, for a CPU file. run: where following its registers does not tell, the block "
     "runs once, here and on x86-64, and the prediction takes the addresses of 32 turns; static: nothing runs. "
     "Default: "
     "run.",
     &lab_args.addresses},
    {OPTION_TEXT, "mattr", "+A,-B", "score: CPU features to add to the models, or to take away.",
     &lab_args.options.features},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM; may be repeated. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_FLAG, "as-llvm-mca", NULL,
     "score: predict as llvm-mca does: the cycles of 100 iterations from an empty pipeline. Default: the steady state.",
     &corpus_args.is_as_llvm_mca},
    {OPTION_FLAG, "undistorted", NULL,
     "score: leave out values that something is known to distort: a load behind a store to the same page's address, an "
     "access across two cache lines, subnormal numbers; BHive's column may_alias.",
     &corpus_args.is_undistorted},
    {OPTION_COUNT, "worst", "N", "score: print the N blocks with the largest errors, for each model.",
     &corpus_args.worst},
    {OPTION_COUNT, "jobs", "N", "score: threads that predict. Default: as many as CPUs.", &corpus_args.jobs},
    {OPTION_OUTPUT, "blocks", "FILE",
     "score: also write a CSV file with a line for each block: its values, its predictions. --measured reads it.",
     &corpus_args.blocks},
    {OPTION_FLAG, "csv", NULL, "score: print the scores as CSV.", &corpus_args.wants_csv},
    {OPTION_FLAG, "json", NULL, "score: print them as JSON Lines.", &corpus_args.wants_json},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_where},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_AMOUNT, "budget", "S",
     "run: end it after S seconds. What is not measured then is missing, and --resume goes on. 0: no end, but nothing "
     "is measured again. Default: no end, and for what is unstable up to 60 s, or 40 ms a value where that is more.",
     &lab_args.budget_s},
    {0},
};

static const struct command command = {
    "cyclops corpus",
    "run INPUT...|score DIR...|extract FILE... [options]",
    "run       measures blocks of real code in bulk, each unrolled and as a loop\n"
    "score     compares the measured values with models: by how much each is wrong,\n"
    "          for which kinds of blocks, and which blocks are the worst\n"
    "extract   prints the basic blocks of objects and assembly, one a line\n"
    "\n"
    "INPUT is a file with a block a line, in hexadecimal up to a comma (BHive's CSV\n"
    "files), assembly (.s), an object or executable, or a folder of these. A block\n"
    "that is there twice is measured once.\n"
    "\n"
    "A block that cannot run has a named outcome, and costs nothing but itself: it\n"
    "faults, divides by zero, calls the system, jumps away, touches more than 8 pages\n"
    "in one pass, or does not end. A run that was interrupted or killed goes on with\n"
    "--resume.\n",
    "  cyclops corpus run blocks.csv --output here\n"
    "  cyclops corpus score here --mcpu znver4 --llvm 22 --llvm 19 --worst 20\n"
    "  cyclops corpus score --measured skl.csv --mcpu skylake --as-llvm-mca\n"
    "  cyclops corpus extract program.elf --symbol main >blocks.csv\n",
    options,
};

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const struct {
        const char *name;
        int (*run)(struct arena *arena, const struct operands *operands, struct fail *fail);
    } subjects[] = {{"run", corpus_cli_run}, {"score", corpus_cli_score}, {"extract", corpus_cli_extract}};
    if (corpus_args.limit.is_given && corpus_args.limit.value == 0) {
        fail_set(fail, FAIL_INPUT, "--limit is 1 or more");
        return 0;
    }
    const struct operands rest = {operands->items + 1, operands->n_items ? operands->n_items - 1 : 0};
    for (size_t i = 0; operands->n_items && i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(operands->items[0], subjects[i].name) == 0)
            return subjects[i].run(arena, &rest, fail);
    fail_set(fail, FAIL_INPUT, "%s%s%sthere are corpus run, corpus score and corpus extract",
             operands->n_items ? "unknown subject '" : "", operands->n_items ? operands->items[0] : "",
             operands->n_items ? "': " : "say what to do: ");
    return 0;
}

int cmd_corpus(int argc, char **argv) {
    command_line_words = argv + 1;
    return cli_run_status(&command, argc, argv, work);
}
