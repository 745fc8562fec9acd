// Private to this folder.
// The options of the commands that measure: where the code runs, how it is timed, what it is held against and where the
// results go. The rows stand in each command's own table (struct option), under its own headings.
#ifndef CLI_LAB_ARGS_H
#define CLI_LAB_ARGS_H

#include "lab/lab.h"
#include "lab/run_plan.h"

struct lab_args {
    const char *kernels, *isa, *clock, *frequency;
    struct run_journal_wish files;                             // but events
    unsigned long cpu;                                         // ~0: not given
    unsigned long processes;                                   // likewise
    double precision_percent, attempt_ms, budget_s, timeout_s; // budget_s below 0: not given
    bool is_strict;                                            // unstable values have an exit status
    struct lab_options lab;
};

#define LAB_ARGS_DEFAULTS                                                                                              \
    { .cpu = ~0UL, .processes = ~0UL, .budget_s = -1, .lab.target = "native" }

// clang-format off: rows as in any other table of options
#define LAB_ARGS_KERNELS(args)                                                                                         \
    { OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.", &(args).kernels }

#define LAB_ARGS_WHERE(args)                                                                                           \
    {OPTION_HEADING, NULL, NULL, "Where to run it", NULL},                                                             \
        {OPTION_TEXT, "target", "TARGET",                                                                              \
         "native, or sim:CPU, a simulated CPU under noise. Behind CPU: ,noise=KIND[:PARAMETER...][+KIND...] and "      \
         ",seed=N; noise=help lists the kinds. Default: native.",                                                      \
         &(args).lab.target},                                                                                          \
        {OPTION_TEXT, "isa", "ISA", "x86_64, aarch64, armv7, mips, mipsel or riscv64. Default: this machine's.",       \
         &(args).isa},                                                                                                 \
        {OPTION_COUNT, "cpu", "N", "Logical CPU to measure on. Default: a quiet one.", &(args).cpu},                   \
        {OPTION_TEXT, "core-type", "TYPE",                                                                             \
         "performance, middle or efficiency: on hybrid parts, the type of core to choose from. Default: the fastest.", \
         &(args).lab.core_type},                                                                                       \
    {                                                                                                                  \
        OPTION_FLAG, "keep-frequency", NULL,                                                                           \
            "Leave boost, governor and frequency limits alone. Default: where their files may be written, the "        \
            "frequency is "                                                                                            \
            "made steady for the time of the run.",                                                                    \
            &(args).lab.keeps_frequency                                                                                \
    }

#define LAB_ARGS_CLOCK(args)                                                                                           \
    {OPTION_HEADING, NULL, NULL, "How to measure", NULL},                                                              \
        {OPTION_TEXT, "clock", "CLOCK",                                                                                \
         "rdpmc (hardware counters, read without system calls), perf (read with them), ratio (none needed), auto: "    \
         "the "                                                                                                        \
         "first of these that works, or time: seconds times --frequency. Default: auto.",                              \
         &(args).clock},                                                                                               \
        {OPTION_TEXT, "frequency", "HZ",                                                                               \
         "The core's frequency that the time clock is to believe, such as 1GHz or 480MHz. Default: what the system "   \
         "states.",                                                                                                    \
         &(args).frequency},                                                                                           \
    {                                                                                                                  \
        OPTION_NUMBER, "reference-cycles", "CYCLES",                                                                   \
            "What a dependent add takes on this core, the ratio clock's unit: 2 on a MIPS 74K. Default: 1; of a "      \
            "simulated "                                                                                               \
            "CPU, what its model says.",                                                                               \
            &(args).lab.bench.reference_cycles                                                                         \
    }

#define LAB_ARGS_EFFORT(args)                                                                                          \
    {OPTION_NUMBER, "precision", "PERCENT",                                                                            \
     "Stop when the interval is within ± PERCENT of the value (or after 4096 samples). Default: 0.2.",                 \
     &(args).precision_percent},                                                                                       \
        {OPTION_AMOUNT, "budget", "S",                                                                                 \
         "Spend up to S seconds on waiting for others to leave the core, and on measuring again what they spoilt. "    \
         "Default: 5; for more than 64 programs 60.",                                                                  \
         &(args).budget_s},                                                                                            \
        {OPTION_NUMBER, "attempt", "MS",                                                                               \
         "Compute at most MS milliseconds on a value, ten times as long where others spoil it. Default: 200.",         \
         &(args).attempt_ms},                                                                                          \
        {OPTION_AMOUNT, "wait-quiet", "S", "Before measuring, wait up to S seconds for others to leave the core.",     \
         &(args).lab.wait_quiet_seconds},                                                                              \
        {OPTION_FLAG, "strict", NULL, "Exit 3 where a value is unstable (marked '?').", &(args).is_strict},            \
        {OPTION_COUNT, "processes", "N", "Let each value rest on N fresh processes at least, 1 to 64. Default: 3.",    \
         &(args).processes},                                                                                           \
    {                                                                                                                  \
        OPTION_NUMBER, "timeout", "S",                                                                                 \
            "Give up on code that computes longer than S seconds in one process, or an eighth of that in one round. "  \
            "Default: 2.",                                                                                             \
            &(args).timeout_s                                                                                          \
    }

#define LAB_ARGS_OUTPUT(args)                                                                                          \
    {OPTION_HEADING, NULL, NULL, "What to compare with, and output", NULL},                                            \
        {OPTION_LIST, "mcpu", "CPU",                                                                                   \
         "Scheduling model to predict with, one of LLVM's or an overlay (FILE.yaml, overlay:NAME); may be repeated; "  \
         "none: "                                                                                                      \
         "only measure. Default: the CPU that runs the code.",                                                         \
         &(args).lab.cpus},                                                                                            \
        {OPTION_TEXT, "mattr", "+A,-B",                                                                                \
         "CPU features that simulated CPU and models have or lack, against what LLVM believes: its Cortex-A9 is "      \
         "without "                                                                                                    \
         "NEON.",                                                                                                      \
         &(args).lab.features},                                                                                        \
        {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to use. Default: the newest installed.", \
         &(args).lab.llvm},                                                                                            \
        {OPTION_FLAG, "json", NULL, "Print JSON Lines instead of tables.", &(args).files.wants_json},                  \
        {OPTION_TEXT, "output", "FILE", "Also append the measurements to FILE, as JSON Lines.", &(args).files.path}, { \
        OPTION_FLAG, "resume", NULL,                                                                                   \
            "Take from the FILE of --output what it already holds of the same programs, host, CPU and clock, and "     \
            "measure only the rest, and again what was unstable, timed out, or is coarser than asked for now. "        \
            "Predictions are made anew.",                                                                              \
            &(args).files.is_resumed                                                                                   \
    }
// clang-format on

// Turns the texts into args->lab, which then is complete.
bool lab_args_read(struct arena *arena, struct lab_args *args, struct fail *fail);

#endif
