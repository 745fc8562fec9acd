// cyclops upstream: what was measured, as files for LLVM.
#include "cli/cli.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"
#include "cli/cpu_output.h"
#include "cli/lab_args.h"
#include "cli/upstream_split.h"
#include "parameters/card_read.h"
#include "upstream/td_new.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *td, *name, *card, *csv, *overlay, *tblgen, *output, *only;
    struct option_count most;
    bool is_forced, wants_all;
} args = {.most = {.value = 10}};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Both", NULL},
    {OPTION_TEXT, "td", "FILE.td",
     "new: the file to write, in the target's folder of LLVM's sources: llvm/lib/Target/X86/X86ScheduleZnver5.td. "
     "split: "
     "LLVM's file of the model, which stays as it is.",
     &args.td},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM that lists the forms. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_TEXT, "tblgen", "PROGRAM", "llvm-tblgen that reads the file. Default: that of the same LLVM.",
     &args.tblgen},
    {OPTION_HEADING, NULL, NULL, "new", NULL},
    {OPTION_TEXT, "name", "NAME", "Name of the SchedMachineModel, such as Znver5Model; all else is named by it.",
     &args.name},
    {OPTION_TEXT, "card", "CARD.yaml",
     "Machine card, for what a CPU file does not have: the misprediction penalty and sizes of register files. Default: "
     "the card that the CPU file was made from.",
     &args.card},
    {OPTION_OUTPUT, "csv", "FILE", "Also write the CPU file's numbers of each opcode, in LLVM's terms.", &args.csv},
    {OPTION_OUTPUT, "overlay", "FILE",
     "Also write the model's tables as an overlay: 'cyclops check SURVEY --mcpu FILE' judges them before LLVM is built "
     "with them.",
     &args.overlay},
    {OPTION_FLAG, "force", NULL, "Write FILE.td even where there is one already.", &args.is_forced},
    {OPTION_FLAG, "all", NULL, "Print all opcodes that differ. Default: the first 20.", &args.wants_all},
    {OPTION_HEADING, NULL, NULL, "split", NULL},
    {OPTION_LIST, "mcpu", "CPU", "LLVM's CPU whose model it is. Default: the one that was measured.",
     &lab_args.options.cpus},
    {OPTION_TEXT, "output", "DIR", "Folder of the patches; it is made.", &args.output},
    {OPTION_TEXT, "only", "NAME", "Only what is of this finding (as 'cyclops check' has it), form or scheduling class.",
     &args.only},
    {OPTION_COUNT, "most", "N", "At most so many patches. Default: 10.", &args.most},
    {0},
};

static const struct command command = {
    "cyclops upstream",
    "new FILE.cpu.yaml|split SURVEY...",
    "Writes what was measured as files for LLVM.\n"
    "\n"
    "new writes a whole scheduling model from a CPU file of x86-64: the machine's\n"
    "numbers with where they are from, a resource for each pipe and a group for each\n"
    "set of pipes, resources that loads and stores hold, and numbers for each\n"
    "SchedWrite and SchedRead of the target. These are what most of their opcodes\n"
    "have; an InstRW has those that differ. Idioms and eliminated moves are listed.\n"
    "Without a card, there is no RegisterFile. llvm-tblgen then makes LLVM's tables\n"
    "of it, and every opcode is compared with the CPU file. What LLVM's format cannot\n"
    "state is printed. LLVM's sources are not changed: to use the file, include it in\n"
    "X86.td, and name the model in a processor there.\n"
    "\n"
    "split makes a repair of LLVM's model as patches that can be reviewed: one cause,\n"
    "one diff, one text with its experiments. Causes are the findings of 'cyclops\n"
    "check', the largest first. Each patch applies to LLVM's file alone, unless its\n"
    "page names others that it comes after; all apply to it in their order. 'cyclops\n"
    "repair --td' makes all edits as one.\n",
    "  cyclops upstream new zen5.cpu.yaml --td X86/X86SchedZen5.td --name Zen5Model\n"
    "  cyclops upstream split survey --td X86/X86ScheduleZnver4.td --output patches\n"
    "  cyclops upstream split survey --td X86/X86ScheduleZnver4.td --output one \\\n"
    "      --only VADDPSYrr\n",
    options,
};

// ---- what only the card has

static const char *card_path(struct arena *arena, const struct cpu *cpu) {
    for (size_t i = 0; i < cpu->n_evidence; i++)
        if (file_has_suffix(cpu->evidence[i], ".yaml"))
            return cpu_evidence_path(arena, cpu, cpu->evidence[i]);
    return NULL;
}

static struct td_new_number number_of(struct arena *arena, const struct card *card, const char *name) {
    const struct card_entry *entry = card_find(card, name);
    bool is_known = entry && (entry->verdict == CARD_EXACT || entry->verdict == CARD_WITHIN);
    double middle = is_known ? (entry->low + entry->high) / 2 : 0;
    return (struct td_new_number){is_known, (unsigned)(middle + 0.5),
                                  !is_known ? NULL
                                  : entry->low == entry->high
                                      ? arena_printf(arena, "card: %s", name)
                                      : arena_printf(arena, "card: %s, %.4g to %.4g", name, entry->low, entry->high)};
}

static bool read_card(struct arena *arena, const struct cpu *cpu, struct td_new_request *request, struct fail *fail) {
    const char *path = args.card ? args.card : card_path(arena, cpu);
    struct card card;
    struct card_origin origin;
    if (!path)
        return true;
    if (!card_read(arena, path, &card, &origin, fail))
        return false;
    request->mispredict_penalty = number_of(arena, &card, "mispredict-penalty");
    request->integer_registers = number_of(arena, &card, "registers-integer");
    request->vector_registers = number_of(arena, &card, "registers-vector");
    return true;
}

// ---- new

static void print_new(struct arena *arena, const struct td_new_result *result) {
    enum { MOST_LEFT = 20 };
    screen_print_sentence(
        arena_printf(arena,
                     "%s: %zu pipes, %zu groups; %zu writes of the target, and %zu without an opcode that the "
                     "CPU file knows; %zu reads; %s of %s; %zu idioms, %zu moves",
                     args.td, result->n_pipes, result->n_groups, result->n_writes, result->n_unsupported,
                     result->n_reads, text_count(arena, result->n_inst_rws, "InstRW"),
                     text_count(arena, result->n_differing, "opcode"), result->n_idioms, result->n_moves),
        stdout);
    screen_print_sentence(arena_printf(arena, "llvm-tblgen has the CPU file's numbers of %zu of %s.", result->n_equal,
                                       text_count(arena, result->n_opcodes, "opcode")),
                          stdout);
    for (size_t i = 0; i < result->n_left && (args.wants_all || i < MOST_LEFT); i++)
        screen_print_sentence(arena_printf(arena, "differs: %s: %s", result->left[i].opcode, result->left[i].why),
                              stdout);
    screen_print_sentence(*result->memory
                              ? arena_printf(arena, "Loads and stores hold, in a cycle: %s.", result->memory)
                              : "The CPU file has no rates of loads and stores: these hold what its forms do.",
                          stdout);
    if (*result->unstated)
        screen_print_sentence(arena_printf(arena, "Neither the CPU file nor a card (--card) has: %s.%s",
                                           result->unstated,
                                           strstr(result->unstated, "RegisterFile")
                                               ? " LLVM eliminates no moves of registers that are in no RegisterFile."
                                               : ""),
                              stdout);
    for (size_t i = 0; i < result->n_limits; i++)
        screen_print_sentence(result->limits[i].n
                                  ? arena_printf(arena, "LLVM's format has no %s: %s", result->limits[i].what,
                                                 text_count(arena, result->limits[i].n, "opcode"))
                                  : arena_printf(arena, "LLVM's format has no %s", result->limits[i].what),
                              stdout);
}

static bool make_new(struct arena *arena, const char *path, struct fail *fail) {
    struct model model = {0};
    struct td_new_result result;
    struct td_new_request request = {.model = &model, .path = args.td, .tblgen = args.tblgen, .name = args.name};
    const struct backend_options wanted = {.cpu = path, .output_syntax = -1};
    if (!args.td || !args.name)
        return fail_set(fail, FAIL_INPUT, "--td names the file to write, and --name the model: --name Znver5Model");
    if (!model_is_cpu_file(path))
        return fail_set(fail, FAIL_INPUT, "'%s' is no CPU file: these are NAME.cpu.yaml and cpu:NAME", path);
    if (!args.is_forced && access(args.td, F_OK) == 0)
        return fail_set(fail, FAIL_INPUT, "'%s' is there already; --force writes a new one in its place", args.td);
    bool is_done = model_open(&model, arena, option_list_first(&lab_args.options.llvms), &wanted, fail) &&
                   read_card(arena, model.own, &request, fail) && td_new(arena, &request, &result, fail) &&
                   file_write(args.td, result.text, strlen(result.text), fail) &&
                   (!args.csv || file_write(args.csv, result.csv, strlen(result.csv), fail)) &&
                   (!args.overlay || file_write(args.overlay, result.overlay, strlen(result.overlay), fail));
    if (is_done)
        print_new(arena, &result);
    model_close(&model);
    return is_done;
}

static bool split(struct arena *arena, const char *const *folders, size_t n, struct fail *fail) {
    enum { MOST_PATCHES = 99 };
    const struct upstream_split_request request = {
        .td = args.td, .tblgen = args.tblgen, .output = args.output, .only = args.only, .most = args.most.value};
    if (args.most.value < 1 || args.most.value > MOST_PATCHES)
        return fail_set(fail, FAIL_INPUT, "--most is a number from 1 to %d", MOST_PATCHES);
    return upstream_split(arena, &request, folders, n, fail);
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const char *verb = operands->n_items ? operands->items[0] : "";
    if (strcmp(verb, "split") == 0)
        return split(arena, operands->items + 1, operands->n_items - 1, fail);
    if (strcmp(verb, "new") != 0)
        return fail_set(fail, FAIL_INPUT,
                        "say what to make: 'cyclops upstream new FILE.cpu.yaml --td FILE.td --name NAME', or 'cyclops "
                        "upstream split SURVEY --td FILE.td --output DIR'");
    return operands->n_items == 2 ? make_new(arena, operands->items[1], fail)
                                  : fail_set(fail, FAIL_INPUT, "upstream new takes one CPU file");
}

int cmd_upstream(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
