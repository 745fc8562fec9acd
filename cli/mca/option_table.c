#include "cli/mca/option_table.h"

#include "base/text.h"
#include "cli/mca/options.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct mca_args, member)

static const struct mca_option rows[] = {
    {MCA_HEADING, NULL, NULL, "Which machine", 0},
    {MCA_TEXT, "mcpu", "CPU",
     "LLVM's name of the CPU, an overlay: FILE.yaml, overlay:NAME; or a CPU file, whose core is simulated: "
     "FILE.cpu.yaml, cpu:NAME or core:NAME. 'help' lists LLVM's. Default: native, this one.",
     AT(cpu)},
    {MCA_TEXT, "overlay", "FILE.yaml", "A file that changes the CPU, or is one: see machines/README.md.", AT(overlay)},
    {MCA_TEXT, "mtriple", "TRIPLE",
     "Target, as in aarch64-linux-gnu. Without a CPU, another ISA's is LLVM's generic one. Default: this machine's.",
     AT(triple)},
    {MCA_TEXT, "march", "ARCH", "Architecture, where the triple does not name it.", AT(arch)},
    {MCA_LIST, "mattr", "+A,-B", "CPU features to add and to take away; 'help' lists them.", AT(features)},
    {MCA_TEXT, "llvm", "LLVM", "Version (22), module or folder of LLVM to ask. Default: the newest.", AT(llvm)},

    {MCA_HEADING, NULL, NULL, "What to change on it", 0},
    {MCA_UNSIGNED, "dispatch", "N", "Uops dispatched a cycle. Default: 0, the model's.", AT(dispatch)},
    {MCA_UNSIGNED, "decoder-throughput", "N", "Instructions decoded a cycle. Default: 0, unlimited.",
     AT(decoder_throughput)},
    {MCA_UNSIGNED, "micro-op-queue-size", "N", "Uops that wait between decoders and dispatch. Default: 0, no queue.",
     AT(micro_op_queue)},
    {MCA_UNSIGNED, "register-file-size", "N", "Physical registers for renaming. Default: 0, unlimited.",
     AT(register_file_size)},
    {MCA_UNSIGNED, "lqueue", "N", "Entries of the load queue. Default: 0, the model's.", AT(load_queue)},
    {MCA_UNSIGNED, "squeue", "N", "Entries of the store queue. Default: 0, the model's.", AT(store_queue)},
    {MCA_UNSIGNED, "max-retire-per-cycle", "N", "Instructions retired a cycle. Default: 0, the model's.",
     AT(retire_width)},
    {MCA_FLAG, "noalias", NULL, "Loads do not wait for older stores. Default: true.", AT(no_alias)},
    {MCA_UNSIGNED, "call-latency", "N", "Cycles that a call is taken to last. Default: 100.", AT(call_latency)},
    {MCA_UNSIGNED, "branch-penalty", "N",
     "Cycles from a wrongly predicted branch (word! in a branch trace) to what follows. Default: 0, none.",
     AT(branch_penalty)},
    {MCA_FLAG, "resource-segments", NULL, "Hold pipes from the cycle the model says, not from issue on.",
     AT(resource_segments)},
    {MCA_FLAG, "disable-cb", NULL, "Leave out what LLVM's target adds to its model in code.", AT(no_custom_behaviour)},

    {MCA_HEADING, NULL, NULL, "What to run", 0},
    {MCA_FLAG, "hex", NULL, "Files hold machine code: hexadecimal digits, one block a line, up to a comma.", AT(hex)},
    {MCA_TEXT, "symbol", "NAME", "Take this function of an ELF object. Default: each function is a block.", AT(symbol)},
    {MCA_TEXT, "section", "NAME", "Take this section of an ELF object.", AT(section)},
    {MCA_TEXT, "start", "ADDRESS",
     "Take an ELF object's code from this address on, in hexadecimal as objdump -d shows it.", AT(start)},
    {MCA_TEXT, "end", "ADDRESS", "... and up to this one.", AT(end)},
    {MCA_TEXT, "branch-trace", "FILE|(TRACE)",
     "Follow branches as this says: (ENTRY, loop, loop * 98, FALLTHROUGH); see cyclops(1).", AT(branch_trace)},
    {MCA_UNSIGNED, "iterations", "N", "How often the block is executed. Default: 0, 100 times.", AT(iterations)},
    {MCA_TEXT, "skip-unsupported-instructions", "WHAT",
     "Leave out what LLVM does not know: instructions without a model (lack-sched), lines that do not parse "
     "(parse-failure), both (any). Default: none.",
     AT(skip_word)},
    {MCA_FLAG, "disable-im", NULL, "Ignore the target's comments LLVM-MCA-<TYPE>.", AT(no_instruments)},
    {MCA_UNSIGNED, "jobs", "N", "Threads that simulate the blocks of --hex --brief. Default: 0, as many as CPUs.",
     AT(jobs)},
    {MCA_FLAG, "walk-all", NULL, "Simulate every cycle, also where time repeats. The report is the same.",
     AT(walk_all)},

    {MCA_HEADING, NULL, NULL, "What to print", 0},
    {MCA_FLAG, "summary-view", NULL, "The totals. Default: true.", AT(summary)},
    {MCA_FLAG, "instruction-info", NULL, "What the model says of each instruction. Default: true.",
     AT(instruction_info)},
    {MCA_FLAG, "show-encoding", NULL, "... and its bytes.", AT(show_encoding)},
    {MCA_FLAG, "show-barriers", NULL, "... and whether it is a memory barrier.", AT(show_barriers)},
    {MCA_FLAG, "resource-pressure", NULL, "How long each pipe is held. Default: true.", AT(resource_pressure)},
    {MCA_FLAG, "bottleneck-analysis", NULL, "What holds the block back, and the chain that costs most.",
     AT(bottlenecks)},
    {MCA_FLAG, "timeline", NULL, "When each instruction went through the pipeline, and how long it waited.",
     AT(timeline)},
    {MCA_UNSIGNED, "timeline-max-iterations", "N", "Iterations in the timeline. Default: 0, ten.",
     AT(timeline_max_iterations)},
    {MCA_UNSIGNED, "timeline-max-cycles", "N", "Cycles in the timeline; 0 for all. Default: 80.",
     AT(timeline_max_cycles)},
    {MCA_FLAG, "dispatch-stats", NULL, "Uops dispatched a cycle, and why none was.", AT(dispatch_stats)},
    {MCA_FLAG, "scheduler-stats", NULL, "Uops issued a cycle, and how full the buffers were.", AT(scheduler_stats)},
    {MCA_FLAG, "retire-stats", NULL, "Instructions retired a cycle, and how full the reorder buffer was.",
     AT(retire_stats)},
    {MCA_FLAG, "register-file-stats", NULL, "Physical registers used, and moves eliminated.", AT(register_file_stats)},
    {MCA_FLAG, "all-stats", NULL, "These four. Options behind it may take some away again.", AT(all_stats)},
    {MCA_FLAG, "all-views", NULL, "All views. Options behind it may take some away again.", AT(all_views)},
    {MCA_WORD, "instruction-tables", "[=none|normal|full]",
     "Simulate nothing: spread each instruction evenly over all pipes that it could use. Default: none; without a "
     "word: normal. full (LLVM 22): with the entries of the model, opcodes and comments.",
     AT(tables_word)},
    {MCA_FLAG, "brief", NULL,
     "A line for each block: cycles per iteration (of a CPU file: in the steady state), cycles, instructions, uops; or "
     "'error' and what is wrong with it.",
     AT(brief)},
    {MCA_TEXT, "trace", "konata|perfetto[:FILE]",
     "What each instruction does in each cycle, for these viewers. Default: to trace.konata, trace.json.", AT(trace)},
    {MCA_FLAG, "json", NULL, "Print as JSON what can be.", AT(json)},
    {MCA_INTEGER, "output-asm-variant", "N",
     "Print instructions in syntax N (x86: 0 AT&T, 1 Intel). Default: -1, "
     "the input's.",
     AT(syntax)},
    {MCA_FLAG, "print-imm-hex", NULL, "Print immediates in hexadecimal.", AT(print_hex)},
    {MCA_TEXT, "o", "FILE", "Write the report there instead of to stdout.", AT(output)},
    {MCA_FLAG, "print-options", NULL, "No effect, as in llvm-mca, which prints no options either.", AT(ignored)},
    {MCA_FLAG, "print-all-options", NULL, "Likewise.", AT(ignored)},
    {MCA_FLAG, "version", NULL, "Print the versions of Cyclops and LLVM.", AT(version)},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static const char description[] = "Simulates the instructions of a file, over and over, on the CPU as LLVM's\n"
                                  "scheduling model describes it. No instruction is executed, and no branch is\n"
                                  "followed: the block is a loop body. Every access to memory hits the cache.\n"
                                  "\n"
                                  "A file is assembly, an ELF object or executable, or (with --hex) machine code;\n"
                                  "@FILE stands for the options and files that are written in FILE.\n"
                                  "Assembly for x86 is in AT&T's syntax, unless it begins with '.intel_syntax\n"
                                  "noprefix'. Options, regions, reports and the exit status (0, or 1 whatever went\n"
                                  "wrong) are llvm-mca's. Only the instructions between these comments are\n"
                                  "simulated, each region by itself; without comments, all are:\n"
                                  "  # LLVM-MCA-BEGIN name\n"
                                  "  # LLVM-MCA-END name\n"
                                  "\n"
                                  "Start with 'Block RThroughput': the cycles of an iteration if nothing waits for\n"
                                  "a result. If Total Cycles / Iterations is well above that, dependent\n"
                                  "instructions cost the time, or how the pipes are shared: see\n"
                                  "-bottleneck-analysis and -timeline.\n"
                                  "\n"
                                  "The core of a CPU file has reports of its own, by the same options, and refuses\n"
                                  "those that only LLVM's models have a meaning for. There, -json prints a line for\n"
                                  "each block.\n";

static const char examples[] = "  cyclops mca -mcpu=znver4 dot-product.s\n"
                               "  cyclops mca -mcpu=znver4 -timeline -iterations=3 dot-product.s\n"
                               "  cyclops mca -mcpu=znver4 --hex --brief blocks.csv\n"
                               "  cyclops mca -mcpu=znver4 --symbol=dot_product dot-product.o\n"
                               "  cyclops mca -mcpu=cpu:skylake -timeline dot-product.s\n"
                               "  echo 'imul %rax, %rbx' | cyclops mca -mcpu=skylake -iterations=1000 -\n";

void mca_option_print_help(struct arena *arena) {
    struct option *options = ARENA_ARRAY(arena, struct option, N_ROWS + 1);
    for (size_t i = 0; i < N_ROWS; i++)
        options[i] = (struct option){rows[i].type == MCA_HEADING ? OPTION_HEADING : OPTION_TEXT, rows[i].name,
                                     rows[i].argument, rows[i].help, NULL};
    const struct command command = {"cyclops mca", "[options] FILE...|-", description, examples, options};
    options_print_help(&command, stdout);
}

size_t mca_option_count(void) {
    return N_ROWS;
}

const struct mca_option *mca_option_row(size_t row) {
    return &rows[row];
}

size_t mca_option_find(const char *name) {
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].name != NULL && strcmp(rows[i].name, name) == 0)
            return i;
    return N_ROWS;
}

bool mca_option_unknown(struct arena *arena, const char *word, const char *name, struct fail *fail) {
    const char *names[N_ROWS];
    size_t n_names = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].name != NULL)
            names[n_names++] = rows[i].name;
    return fail_set(fail, FAIL_INPUT, "Unknown command line argument '%s'.  Try: 'cyclops mca --help'%s", word,
                    text_did_you_mean(arena, name, names, n_names));
}
