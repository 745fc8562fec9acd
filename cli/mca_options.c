#include "cli/mca_options.h"

#include "base/text.h"
#include "cli/response.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the values go: the option table needs constant addresses.
static struct mca_args values;
static const char *skip_word;
static const char **operands; // values.inputs
static bool all_stats, nothing;

enum mca_option_type {
    MCA_HEADING,
    MCA_FLAG,     // bool; a value only behind '='
    MCA_UNSIGNED, // unsigned
    MCA_INTEGER,  // int
    MCA_TEXT,     // const char *; the last one is taken
    MCA_LIST,     // const char *; several are joined by commas
};

static const struct mca_option {
    enum mca_option_type type;
    const char *name, *argument, *help;
    void *value;
} rows[] = {
    {MCA_HEADING, NULL, NULL, "Which machine", NULL},
    {MCA_TEXT, "mcpu", "CPU",
     "LLVM's name of the CPU, or an overlay: FILE.yaml, overlay:NAME; 'help' lists LLVM's. Default: native, this one.",
     &values.cpu},
    {MCA_TEXT, "overlay", "FILE.yaml", "What to change on the CPU, or another one altogether: see machines/README.md.",
     &values.overlay},
    {MCA_TEXT, "mtriple", "TRIPLE", "Target, as in aarch64-linux-gnu. Default: this machine's.", &values.triple},
    {MCA_TEXT, "march", "ARCH", "Architecture, where the triple does not tell it.", &values.arch},
    {MCA_LIST, "mattr", "+A,-B", "CPU features to add and to take away; 'help' lists them.", &values.features},
    {MCA_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to ask. Default: the newest.", &values.llvm},

    {MCA_HEADING, NULL, NULL, "What to change on it", NULL},
    {MCA_UNSIGNED, "dispatch", "N", "Uops dispatched a cycle. Default: 0, the model's.", &values.dispatch},
    {MCA_UNSIGNED, "decoder-throughput", "N", "Instructions decoded a cycle. Default: 0, unlimited.",
     &values.decoder_throughput},
    {MCA_UNSIGNED, "micro-op-queue-size", "N", "Uops that wait between decoders and dispatch. Default: 0, no queue.",
     &values.micro_op_queue},
    {MCA_UNSIGNED, "register-file-size", "N", "Physical registers for renaming. Default: 0, unlimited.",
     &values.register_file_size},
    {MCA_UNSIGNED, "lqueue", "N", "Entries of the load queue. Default: 0, the model's.", &values.load_queue},
    {MCA_UNSIGNED, "squeue", "N", "Entries of the store queue. Default: 0, the model's.", &values.store_queue},
    {MCA_UNSIGNED, "max-retire-per-cycle", "N", "Instructions retired a cycle. Default: 0, the model's.",
     &values.retire_width},
    {MCA_FLAG, "noalias", NULL, "Loads do not wait for older stores. Default: true.", &values.no_alias},
    {MCA_UNSIGNED, "call-latency", "N", "Cycles that a call is taken to last. Default: 100.", &values.call_latency},
    {MCA_UNSIGNED, "branch-penalty", "N",
     "Cycles from a wrongly predicted branch (word! in a branch trace) to what follows. Default: 0, none.",
     &values.branch_penalty},
    {MCA_FLAG, "resource-segments", NULL, "Hold pipes from the cycle the model says, not from issue on.",
     &values.resource_segments},
    {MCA_FLAG, "disable-cb", NULL, "Without what the target adds to the meaning of instructions.",
     &values.no_custom_behaviour},

    {MCA_HEADING, NULL, NULL, "What to run", NULL},
    {MCA_FLAG, "hex", NULL, "Files hold machine code: hexadecimal digits, one block a line, up to a comma.",
     &values.hex},
    {MCA_TEXT, "symbol", "NAME", "Of an ELF object: this function. Default: each function is a block.", &values.symbol},
    {MCA_TEXT, "section", "NAME", "Of an ELF object: this section.", &values.section},
    {MCA_TEXT, "start", "ADDRESS", "Of an ELF object: code from this address on.", &values.start},
    {MCA_TEXT, "end", "ADDRESS", "... and up to this one.", &values.end},
    {MCA_TEXT, "branch-trace", "FILE|(TRACE)",
     "Follow branches as this says: (ENTRY, loop, loop * 98, FALLTHROUGH); see cyclops(1).", &values.branch_trace},
    {MCA_UNSIGNED, "iterations", "N", "How often the block is executed. Default: 0, 100 times.", &values.iterations},
    {MCA_TEXT, "skip-unsupported-instructions", "WHAT",
     "Leave out what LLVM does not know: instructions without a model (lack-sched), lines that do not parse "
     "(parse-failure), both (any). Default: none.",
     &skip_word},
    {MCA_FLAG, "disable-im", NULL, "Pay no attention to the target's comments LLVM-MCA-<TYPE>.",
     &values.no_instruments},
    {MCA_FLAG, "walk-all", NULL, "Simulate every cycle, also where time repeats. The report is the same.",
     &values.walk_all},

    {MCA_HEADING, NULL, NULL, "What to print", NULL},
    {MCA_FLAG, "summary-view", NULL, "The totals. Default: true.", &values.summary},
    {MCA_FLAG, "instruction-info", NULL, "What the model says of each instruction. Default: true.",
     &values.instruction_info},
    {MCA_FLAG, "show-encoding", NULL, "... and its bytes.", &values.show_encoding},
    {MCA_FLAG, "show-barriers", NULL, "... and whether it is a memory barrier.", &values.show_barriers},
    {MCA_FLAG, "resource-pressure", NULL, "How long each pipe is held. Default: true.", &values.resource_pressure},
    {MCA_FLAG, "bottleneck-analysis", NULL, "What holds the block back, and the chain that costs most.",
     &values.bottlenecks},
    {MCA_FLAG, "timeline", NULL, "When each instruction went through the pipeline, and how long it waited.",
     &values.timeline},
    {MCA_UNSIGNED, "timeline-max-iterations", "N", "Iterations in the timeline. Default: 0, ten.",
     &values.timeline_max_iterations},
    {MCA_UNSIGNED, "timeline-max-cycles", "N", "Cycles in the timeline; 0 for all. Default: 80.",
     &values.timeline_max_cycles},
    {MCA_FLAG, "dispatch-stats", NULL, "Uops dispatched a cycle, and why none was.", &values.dispatch_stats},
    {MCA_FLAG, "scheduler-stats", NULL, "Uops issued a cycle, and how full the buffers were.", &values.scheduler_stats},
    {MCA_FLAG, "retire-stats", NULL, "Instructions retired a cycle, and how full the reorder buffer was.",
     &values.retire_stats},
    {MCA_FLAG, "register-file-stats", NULL, "Physical registers used, and moves eliminated.",
     &values.register_file_stats},
    {MCA_FLAG, "all-stats", NULL, "These four. Options behind it may take some away again.", &all_stats},
    {MCA_FLAG, "all-views", NULL, "All views. Options behind it may take some away again.", &values.all_views},
    {MCA_FLAG, "instruction-tables", NULL,
     "Simulate nothing: spread each instruction evenly over all pipes that it could use.", &values.instruction_tables},
    {MCA_FLAG, "brief", NULL,
     "A line for each block: cycles per iteration, cycles, instructions, uops; or 'error' and what is wrong with it.",
     &values.brief},
    {MCA_TEXT, "trace", "konata|perfetto[:FILE]",
     "What each instruction does in each cycle, for these viewers. Default: to trace.konata, trace.json.",
     &values.trace},
    {MCA_FLAG, "json", NULL, "Print as JSON what can be.", &values.json},
    {MCA_INTEGER, "output-asm-variant", "N",
     "Print instructions in syntax N (x86: 0 AT&T, 1 Intel). Default: -1, "
     "the input's.",
     &values.syntax},
    {MCA_FLAG, "print-imm-hex", NULL, "Print immediates in hexadecimal.", &values.print_hex},
    {MCA_TEXT, "o", "FILE", "Write the report there instead of to stdout.", &values.output},
    {MCA_FLAG, "print-options", NULL, "Taken for llvm-mca's sake: it prints no options either.", &nothing},
    {MCA_FLAG, "print-all-options", NULL, "Likewise.", &nothing},
    {MCA_FLAG, "version", NULL, "Print the versions of Cyclops and LLVM.", &values.version},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static unsigned position[N_ROWS]; // on the command line, of the last one; 0: not given

static const char description[] = "Simulates the instructions of a file, over and over, on the CPU as\n"
                                  "LLVM's scheduling model describes it. No instruction is executed, and no branch\n"
                                  "is followed: the block is a loop body. Caches are taken to hit.\n"
                                  "\n"
                                  "A file is assembly, an ELF object or executable, or (with --hex) machine code;\n"
                                  "@FILE stands for the options and files that are written in FILE.\n"
                                  "Options, regions, reports and the exit status (0, or 1 whatever went wrong) are\n"
                                  "llvm-mca's. Only the instructions between these comments are simulated, each\n"
                                  "region by itself; without comments, all are:\n"
                                  "  # LLVM-MCA-BEGIN name\n"
                                  "  # LLVM-MCA-END name\n"
                                  "\n"
                                  "Start with 'Block RThroughput', the cycles an iteration takes if nothing waits\n"
                                  "for a result; if Total Cycles / Iterations is well above, a chain of dependent\n"
                                  "instructions or the spread over pipes is what costs time: see\n"
                                  "-bottleneck-analysis and -timeline.\n";

static const char examples[] = "  cyclops mca -mcpu=znver4 dot-product.s\n"
                               "  cyclops mca -mcpu=znver4 -timeline -iterations=3 dot-product.s\n"
                               "  cyclops mca -mcpu=znver4 --hex --brief blocks.csv\n"
                               "  cyclops mca -mcpu=znver4 --symbol=dot_product dot-product.o\n"
                               "  echo 'imul %rax, %rbx' | cyclops mca -mcpu=skylake -iterations=1000 -\n";

static void print_help(struct arena *arena) {
    struct option *options = ARENA_ARRAY(arena, struct option, N_ROWS + 1);
    for (size_t i = 0; i < N_ROWS; i++)
        options[i] = (struct option){rows[i].type == MCA_HEADING ? OPTION_HEADING : OPTION_TEXT, rows[i].name,
                                     rows[i].argument, rows[i].help, NULL};
    const struct command command = {"mca", "[options] FILE…|-", description, examples, options};
    options_print_help(&command, stdout);
}

static size_t row_of(const char *name) {
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].name != NULL && strcmp(rows[i].name, name) == 0)
            return i;
    return N_ROWS;
}

static bool unknown_option(struct arena *arena, const char *word, const char *name, struct fail *fail) {
    const char *names[N_ROWS];
    size_t n_names = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].name != NULL)
            names[n_names++] = rows[i].name;
    return fail_set(fail, FAIL_INPUT, "Unknown command line argument '%s'.  Try: 'cyclops mca --help'%s", word,
                    text_did_you_mean(arena, name, names, n_names));
}

static bool parse_flag(const char *text, bool *value) {
    static const char *const yes[] = {"", "true", "TRUE", "True", "1"}, *const no[] = {"false", "FALSE", "False", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (strcmp(text, yes[i]) == 0)
            return *value = true;
    *value = false;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (strcmp(text, no[i]) == 0)
            return true;
    return false;
}

// Decimal, or in the base that 0x, 0b, 0o or a leading 0 tells, as StringRef::getAsInteger reads it.
static bool parse_digits(const char *text, unsigned long most, unsigned long *value) {
    int base = 10;
    if (text[0] == '0' && text[1] != '\0') {
        char mark = (char)(text[1] | 32);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        text += mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
    }
    char *end;
    errno = 0;
    *value = strtoul(text, &end, base);
    bool is_digit = (text[0] >= '0' && text[0] <= '9') || (base == 16 && strchr("abcdefABCDEF", text[0]) != NULL);
    return text[0] != '\0' && is_digit && *end == '\0' && errno == 0 && *value <= most;
}

static bool store_number(const struct mca_option *row, const char *text, struct fail *fail) {
    unsigned long number;
    if (row->type == MCA_UNSIGNED) {
        if (!parse_digits(text, UINT_MAX, &number))
            return fail_set(fail, FAIL_INPUT, "for the --%s option: '%s' value invalid for uint argument!", row->name,
                            text);
        *(unsigned *)row->value = (unsigned)number;
        return true;
    }
    bool is_negative = text[0] == '-';
    if (!parse_digits(text + is_negative, INT_MAX, &number))
        return fail_set(fail, FAIL_INPUT, "for the --%s option: '%s' value invalid for integer argument!", row->name,
                        text);
    *(int *)row->value = is_negative ? -(int)number : (int)number;
    return true;
}

static bool store(struct arena *arena, const struct mca_option *row, const char *text, struct fail *fail) {
    const char **value = row->value;
    switch (row->type) {
    case MCA_FLAG:
        return parse_flag(text, row->value) ||
               fail_set(fail, FAIL_INPUT, "for the --%s option: '%s' is invalid value for boolean argument! Try 0 or 1",
                        row->name, text);
    case MCA_UNSIGNED:
    case MCA_INTEGER:
        return store_number(row, text, fail);
    case MCA_LIST:
        *value = *value != NULL ? arena_printf(arena, "%s,%s", *value, text) : text;
        return true;
    case MCA_TEXT:
    case MCA_HEADING:
        break;
    }
    *value = text;
    return true;
}

// The option argv[*i] and, where it needs one, its argument behind it.
static enum options_result parse_option(struct arena *arena, int argc, char **argv, int *i, struct fail *fail) {
    const char *word = argv[*i], *start = word + (word[1] == '-' ? 2 : 1), *equals = strchr(start, '=');
    const char *name = arena_copy(arena, start, equals != NULL ? (size_t)(equals - start) : strlen(start));
    if (strcmp(name, "h") == 0 || strncmp(name, "help", 4) == 0) { // help-hidden, help-list
        print_help(arena);
        return OPTIONS_HELP;
    }
    size_t row = row_of(name);
    if (row == N_ROWS) {
        unknown_option(arena, word, name, fail);
        return OPTIONS_BAD;
    }
    position[row] = (unsigned)*i;
    const char *text = equals != NULL ? equals + 1 : "";
    if (equals == NULL && rows[row].type != MCA_FLAG) {
        if (++*i >= argc) {
            fail_set(fail, FAIL_INPUT, "for the --%s option: requires a value!", name);
            return OPTIONS_BAD;
        }
        text = argv[*i];
    }
    return store(arena, &rows[row], text, fail) ? OPTIONS_OK : OPTIONS_BAD;
}

static bool parse_skip(enum mca_skip *skip, struct fail *fail) {
    static const char *const words[] = {"none", "lack-sched", "parse-failure", "any"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *skip = (enum mca_skip)i;
        if (strcmp(skip_word, words[i]) == 0)
            return true;
    }
    return fail_set(fail, FAIL_INPUT, "for the --skip-unsupported-instructions option: Cannot find option named '%s'!",
                    skip_word);
}

static void take_operand(struct arena *arena, const char *word) {
    const char **inputs = arena_grow(arena, operands, values.n_inputs, sizeof *inputs);
    inputs[values.n_inputs++] = word;
    values.inputs = operands = inputs;
}

static enum options_result parse_all(struct arena *arena, int argc, char **argv, struct fail *fail) {
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            take_operand(arena, word);
        } else {
            enum options_result result = parse_option(arena, argc, argv, &i, fail);
            if (result != OPTIONS_OK)
                return result;
        }
    }
    return OPTIONS_OK;
}

enum options_result mca_options_parse(struct arena *arena, int argc, char **argv, struct mca_args *args,
                                      struct fail *fail) {
    skip_word = "none";
    operands = NULL;
    all_stats = false;
    memset(position, 0, sizeof position);
    values = (struct mca_args){
        .output = "-",
        .syntax = -1,
        .call_latency = 100,
        .no_alias = true,
        .summary = true,
        .instruction_info = true,
        .resource_pressure = true,
        .timeline_max_cycles = 80,
    };
    enum options_result result = OPTIONS_BAD;
    if (response_expand(arena, &argc, &argv, fail))
        result = parse_all(arena, argc, argv, fail);
    if (result == OPTIONS_OK && !parse_skip(&values.skip, fail))
        result = OPTIONS_BAD;
    if (values.output[0] == '\0')
        values.output = "-";
    *args = values;
    return result;
}

static unsigned position_of(const char *name) {
    return position[row_of(name)];
}

// `view` follows an option that speaks for several views, where no option of its own comes behind that.
static void follow(const char *name, bool *view, const char *leader, bool value) {
    if (position_of(name) == 0 || position_of(name) < position_of(leader))
        *view = value;
}

void mca_options_settle_views(struct mca_args *args, bool in_order) {
    if (position_of("all-views") == 0 && position_of("all-stats") == 0)
        return;
    if (position_of("all-views") != 0) {
        follow("summary-view", &args->summary, "all-views", args->all_views);
        if (!in_order)
            follow("bottleneck-analysis", &args->bottlenecks, "all-views", args->all_views);
        follow("resource-pressure", &args->resource_pressure, "all-views", args->all_views);
        follow("timeline", &args->timeline, "all-views", args->all_views);
        follow("instruction-info", &args->instruction_info, "all-views", args->all_views);
    }
    bool stats_lead = position_of("all-views") < position_of("all-stats");
    const char *leader = stats_lead ? "all-stats" : "all-views";
    bool value = stats_lead ? all_stats : args->all_views;
    follow("register-file-stats", &args->register_file_stats, leader, value);
    follow("dispatch-stats", &args->dispatch_stats, leader, value);
    follow("scheduler-stats", &args->scheduler_stats, leader, value);
    if (!in_order)
        follow("retire-stats", &args->retire_stats, leader, value);
}
