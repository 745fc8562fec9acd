// The table of commands.
#include "cli/cli.h"

#include "base/date.h"
#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

const struct cli_command cli_commands[] = {
    {"doctor", "report what this machine allows, and how to make it allow more", cmd_doctor},
    {"list", "list kernels, models, what changed in them, or events", cmd_list},
    {"gen", "print the assembly of kernels", cmd_gen},
    {"run", "measure, predict and compare: one table", cmd_run},
    {"survey", "measure the instruction table of this CPU, every form", cmd_survey},
    {"table", "print the table that a survey has measured", cmd_table},
    {"corpus", "measure thousands of real blocks, and score models on them", cmd_corpus},
    {"check", "hold measurements against a model: fail where it is wrong", cmd_check},
    {"diff", "compare two measurements, or two models of one", cmd_diff},
    {"repair", "change a model until it predicts what was measured", cmd_repair},
    {"machine", "find the parameters of this CPU: widths, windows, latencies", cmd_machine},
    {"report", "write results and predictions of every kind as one HTML page", cmd_report},
    {"infer", "make a CPU file of what was measured; find ports from times alone", cmd_infer},
    {"upstream", "write what was measured as a model, or as patches, for LLVM", cmd_upstream},
    {"hot", "find a program's hot loops; replay them with their own data", cmd_hot},
    {"pairs", "find which instructions issue together: measured and predicted", cmd_pairs},
    {"bundle", "put programs and a runner into one file, to measure elsewhere", cmd_bundle},
    {"fleet", "print a script that measures bundles on many machines", cmd_fleet},
    {"cpu", "show, compare and begin CPU files, our own models", cmd_cpu},
    {"explain", "show what a model says of one instruction, as a picture in time", cmd_explain},
    {"try", "run a block once: what it touches, and what it leaves behind", cmd_try},
    {"trace", "print which way a block's branches go, for mca --branch-trace", cmd_trace},
    {"reproduce", "repeat published experiments: published, predicted, measured here", cmd_reproduce},
    {"mca", "simulate assembly as llvm-mca does", cmd_mca},
    {"completion", "print the script with which bash, zsh or fish completes", cmd_completion},
};
enum { N_COMMANDS = sizeof cli_commands / sizeof *cli_commands };
const size_t cli_n_commands = N_COMMANDS;

static void print_help(FILE *out) {
    fputs("Usage: cyclops COMMAND [options]\n\n"
          "Cycles per operation: Cyclops generates small loops, measures them on this CPU,\n"
          "simulates the same bytes under a scheduling model, and reports where the model\n"
          "is wrong.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", cli_commands[i].name, cli_commands[i].about);
    fputs("  help       explain a command: 'cyclops help run' is 'cyclops run --help'\n"
          "\n"
          "Exit status: 0 done; 1 the work failed; 2 the command line or an input is wrong;\n"
          "3 a value is unstable (with --strict); 77 this machine cannot do it;\n"
          "130 interrupted.\n"
          "\n"
          "Start with:\n"
          "  cyclops doctor\n"
          "  cyclops run fma-ymm-ps --sweep 1..12\n",
          out);
}

static int unknown_command(const char *word) {
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = cli_commands[i].name;
    struct arena arena = {0};
    struct fail fail = {0};
    fail_set(&fail, FAIL_INPUT, "unknown command '%s'%s; 'cyclops --help' lists them", word,
             text_did_you_mean(&arena, word, names, N_COMMANDS));
    arena_free(&arena);
    return cli_failed(&fail);
}

static int run_command(int argc, char **argv) {
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(argv[0], cli_commands[i].name) == 0)
            return cli_commands[i].run(argc, argv);
    return unknown_command(argv[0]);
}

// Runs `help COMMAND`.
static int explain_command(int argc, char **argv) {
    char option[] = "--help", *of_command[] = {argv[argc - 1], option, NULL};
    if (argc == 1) {
        print_help(stdout);
        return cli_finish();
    }
    if (argc == 2)
        return run_command(2, of_command);
    struct fail fail = {0};
    fail_set(&fail, FAIL_INPUT, "help explains one command, as in 'cyclops help run'");
    return cli_failed(&fail);
}

// LLVM's scripts call llvm-mca by its name, and give it no other option to find Cyclops by.
static bool is_llvm_mca(const char *program) {
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    return strcmp(name, "llvm-mca") == 0 || strcmp(name, "cyclops-llvm-mca") == 0;
}

int main(int argc, char **argv) {
    file_guard_standard();
    screen_set_up();
    if (argc > 0 && is_llvm_mca(argv[0]))
        return cmd_llvm_mca(argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return FAIL_INPUT;
    }
    struct fail fail = {0};
    if (!date_check(&fail))
        return cli_failed(&fail);
    const char *word = argv[1];
    if (strcmp(word, "__complete") == 0)
        return cmd_complete(argc - 1, argv + 1);
    if (strcmp(word, "help") == 0)
        return explain_command(argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return explain_command(1, argv);
    if (strcmp(word, "--version") == 0) {
        printf("cyclops %s\n", CYCLOPS_VERSION);
        return cli_finish();
    }
    return run_command(argc - 1, argv + 1);
}
