// cyclops hot: a program's hot loops, replayed with their own data.
#include "cli/cli.h"

#include "base/file.h"
#include "base/options.h"
#include "base/screen.h"
#include "cli/lab_args.h"
#include "gen/gen.h"
#include "hot/hot.h"
#include "report/hot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *perf, *callgrind, *save, *json, *html;
    struct option_count pid, most, moments;
    double seconds, least_percent;
} args = {.most = {.value = 12}, .moments = {.value = HOT_MOMENTS}, .seconds = 2, .least_percent = 1};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Where the time goes", NULL},
    {OPTION_TEXT, "perf", "FILE",
     "A profile that exists: perf.data, the text of 'perf script', or lines 'ADDRESS COUNT'. Default: the program is "
     "run "
     "and sampled.",
     &args.perf},
    {OPTION_TEXT, "callgrind", "FILE",
     "Counts of 'valgrind --tool=callgrind --dump-instr=yes': turns of each loop, for its cycles in the program.",
     &args.callgrind},
    {OPTION_COUNT, "pid", "N", "A running process instead of PROGRAM. It goes on afterwards.", &args.pid},
    {OPTION_NUMBER, "seconds", "S", "How long a process (--pid) is sampled. Default: 2.", &args.seconds},
    {OPTION_COUNT, "loops", "N",
     "Replay so many loops and functions, where there are as many. Default: those in which four fifths of the samples "
     "are, at most 12.",
     &args.most},
    {OPTION_NUMBER, "least", "PERCENT", "Leave out loops with less of the time. Default: 1.", &args.least_percent},
    {OPTION_COUNT, "moments", "N",
     "Copy each loop at up to so many moments, 1 to 8, spread over the time that it takes. Default: 3.", &args.moments},
    {OPTION_HEADING, NULL, NULL, "What to compare with", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Model to predict with: a CPU of LLVM's, an overlay (FILE.yaml, overlay:NAME), or a CPU file (FILE.cpu.yaml, "
     "cpu:NAME, core:NAME); may be repeated; none: only measure. Default: LLVM's model of this CPU, and our CPU file "
     "of "
     "it, where there is one.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM to take models from. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_COUNT, "cpu", "N", "Logical CPU to measure on. Default: a quiet one.", &lab_args.cpu},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_HEADING, NULL, NULL, "Results", NULL},
    {OPTION_OUTPUT, "save", "FILE", "Also write the loops' code and states into a case file, to replay them elsewhere.",
     &args.save},
    {OPTION_OUTPUT, "html", "FILE",
     "Also write a page: the table, and of each loop what limits it, in time and by its dependences, by our CPU file.",
     &args.html},
    {OPTION_STREAM, "json", "FILE", "Write an object for each loop instead of the table; '-': to standard output.",
     &args.json},
    {0},
};

static const struct command command = {
    "cyclops hot",
    "[options] PROGRAM [argument...] | CASE.hot | --pid N",
    "Runs a program twice. The first run is sampled, which shows its hot loops. In\n"
    "the second run, each of these is stopped at its head: its registers, and the\n"
    "memory that some thousand of its instructions touch, are copied. The program\n"
    "goes on unchanged. Then each loop is replayed from that state in a sandbox,\n"
    "measured, and predicted by LLVM's model of this CPU and by ours\n"
    "('cyclops cpu').\n"
    "\n"
    "'time' is the loop's share of the samples, without loops inside it. 'turns' is\n"
    "how many a replay makes. 'cycles a turn' is measured, with data in the caches as\n"
    "far as they fit. In the program, caches and branches may cost more.\n"
    "\n"
    "A turn has the functions that the loop calls in it. A function in no loop is\n"
    "replayed with the only loop that calls it, or from one of its calls to the next.\n"
    "The last line states which share of the samples is in code that was replayed,\n"
    "and why the others are not.\n"
    "\n"
    "The program's input and output are its own. Its second run reads the same input\n"
    "again, which is read to its end before; what it prints is thrown away, and files\n"
    "that it writes are written again. A loop is copied at three moments, spread over\n"
    "the time that it took in the first run, in whichever process of the program\n"
    "comes to it. Of a program that does not end, use --pid. Options stand before the\n"
    "program. The table is printed to standard error where a program runs.\n",
    "  cyclops hot ./program data.txt\n"
    "  cyclops hot --save case.hot gzip -kc file >file.gz\n"
    "  cyclops hot --mcpu cpu:skylake case.hot\n"
    "  cyclops hot --pid 4711 --seconds 5\n",
    options,
};

// Copies standard input into a file, and is at its start.
static bool copy_input(FILE *file, struct fail *fail) {
    static const size_t most_bytes = (size_t)1 << 30;
    char bytes[1 << 16];
    size_t total = 0;
    ssize_t n;
    while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
        total += (size_t)n;
        if (total > most_bytes)
            return fail_set(
                fail, FAIL_INPUT,
                "standard input has more than 1 GiB, which is kept for the second run; give it as a file: < FILE");
        if (fwrite(bytes, 1, (size_t)n, file) != (size_t)n)
            break;
    }
    return (!ferror(file) && fflush(file) == 0 && dup2(fileno(file), STDIN_FILENO) >= 0 &&
            lseek(STDIN_FILENO, 0, SEEK_SET) >= 0) ||
           fail_set(fail, FAIL_WORK, "standard input cannot be kept for the second run: %s", strerror(errno));
}

// What the program reads from, for both runs: standard input, kept in a file where it cannot be read twice.
static bool keep_input(struct fail *fail) {
    if (isatty(STDIN_FILENO) || lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return true;
    FILE *kept = tmpfile();
    if (!kept)
        return fail_set(fail, FAIL_WORK, "standard input cannot be kept for the second run: %s", strerror(errno));
    const bool is_kept = copy_input(kept, fail);
    fclose(kept); // standard input has it now
    return is_kept;
}

// Standard output and errors of the second run go nowhere.
struct silence {
    int out, errors;
};

static struct silence silence_begin(off_t input) {
    struct silence silence = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    if (input >= 0)
        lseek(STDIN_FILENO, input, SEEK_SET);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    return silence;
}

static void silence_end(const struct silence *silence) {
    dup2(silence->out, STDOUT_FILENO);
    dup2(silence->errors, STDERR_FILENO);
    close(silence->out);
    close(silence->errors);
}

// The turns that callgrind counted, by module and head.
static bool add_turns(struct arena *arena, const struct decoder *decoder, const char *program,
                      const struct hot_profile *profile, struct hot_loops *loops, struct fail *fail) {
    struct hot_profile counts;
    struct hot_loops counted;
    if (!hot_profile_read(arena, args.callgrind, program, &counts, fail) ||
        !hot_loops_find(arena, decoder, &counts, &counted, fail))
        return false;
    struct hot_loop *all = ARENA_ARRAY(arena, struct hot_loop, loops->n + 1);
    memcpy(all, loops->loops, loops->n * sizeof *all);
    for (size_t i = 0; i < loops->n; i++)
        for (size_t k = 0; k < counted.n; k++)
            if (counted.loops[k].head == all[i].head &&
                file_is_same(counts.modules[counted.loops[k].module].path, profile->modules[all[i].module].path))
                all[i].turns = counted.loops[k].turns;
    loops->loops = all;
    return true;
}

static bool make_profile(struct arena *arena, char *const *argv, struct hot_profile *profile,
                         struct hot_findings *findings, struct fail *fail) {
    if (!argv)
        findings->profiled.elapsed = args.seconds;
    if (args.perf)
        return hot_profile_read(arena, args.perf, argv ? argv[0] : NULL, profile, fail);
    if (!argv)
        return hot_profile_attach(arena, (int)args.pid.value, args.seconds, profile, fail);
    findings->was_run = true;
    return hot_profile_record(arena, argv, 0, profile, &findings->profiled, fail);
}

static struct hot_choice chosen(void) {
    return (struct hot_choice){args.most.value, args.least_percent / 100, args.most.is_given ? 1 : 0.8};
}

static bool find_loops(struct arena *arena, const struct decoder *decoder, char *const *argv,
                       struct hot_findings *findings, struct fail *fail) {
    struct hot_profile *profile = ARENA_NEW(arena, struct hot_profile);
    struct hot_loops *loops = ARENA_NEW(arena, struct hot_loops);
    const struct hot_choice choice = chosen();
    if (argv && !keep_input(fail))
        return false;
    const off_t input = argv ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
    struct hot_findings runs = {.was_run = false};
    if (!make_profile(arena, argv, profile, &runs, fail) || !hot_loops_find(arena, decoder, profile, loops, fail) ||
        (args.callgrind && !add_turns(arena, decoder, argv ? argv[0] : NULL, profile, loops, fail)))
        return false;
    *findings = runs;
    hot_choose(arena, profile, loops, &choice, findings);
    if (!profile->n_samples)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "no sample is in user code: the program ran for too short a time; give it more work");
    const struct silence silence = silence_begin(input);
    const bool is_done =
        hot_copy_states(arena, decoder, argv, argv ? 0 : (int)args.pid.value, args.moments.value, findings, fail);
    silence_end(&silence);
    return is_done;
}

static bool save(struct arena *arena, const struct lab *lab, const struct hot_findings *findings, struct fail *fail) {
    struct hot_case saved = {.states = ARENA_ARRAY(arena, struct hot_state *, findings->n * HOT_MOST_MOMENTS + 1),
                             .covered = findings->covered,
                             .cpu = lab->host.cpu_name ? lab->host.cpu_name : "an unknown CPU"};
    for (size_t i = 0; i < findings->n; i++)
        for (size_t k = 0; k < findings->items[i].n_moments; k++)
            saved.states[saved.n++] = findings->items[i].moments[k].state;
    return hot_case_write(args.save, &saved, fail);
}

static bool open_lab(struct arena *arena, struct lab *lab, struct fail *fail) {
    struct program *chains[N_CHAINS];
    return lab_open(lab, arena, &lab_args.options, fail) &&
           gen_assemble(arena, chains, chains_list(lab->chains, chains), fail) &&
           lab_start(lab, &lab_args.options, fail);
}

static bool write_json(struct arena *arena, const struct hot_findings *findings, struct fail *fail) {
    char *text = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&text, &n);
    bool is_done = memory && hot_write_json(arena, findings, memory, fail);
    if (memory && fclose(memory) == 0 && is_done)
        is_done = file_write(strcmp(args.json, "-") == 0 ? "/dev/stdout" : args.json, text, n, fail);
    free(text);
    return is_done;
}

static bool write_page(struct arena *arena, const struct lab *lab, const char *title,
                       const struct hot_findings *findings, struct fail *fail) {
    const char *page = hot_page_make(arena, title, lab_summary(lab), &lab->models, findings, fail);
    return page && file_write(args.html, page, strlen(page), fail);
}

static bool judge(struct arena *arena, struct lab *lab, const char *title, struct hot_findings *findings,
                  struct fail *fail) {
    const struct hot_choice choice = chosen();
    const bool is_judged = open_lab(arena, lab, fail) && hot_judge_all(lab, &choice, findings, fail);
    if ((args.save && !save(arena, lab, findings, fail)) || !is_judged)
        return false;
    if (args.html && !write_page(arena, lab, title, findings, fail))
        return false;
    FILE *out = findings->was_run ? stderr : stdout;
    if (args.json) {
        hot_print_rest(arena, findings, stderr);
        return write_json(arena, findings, fail);
    }
    screen_print_sentence(lab_summary(lab), out);
    hot_print(arena, findings, out, cli_wants_colour() && isatty(fileno(out)));
    return true;
}

static bool is_case(const struct operands *operands) {
    return operands->n_items == 1 && !args.pid.is_given && file_has_suffix(operands->items[0], ".hot");
}

static bool hot(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct decoder decoder = {0};
    struct hot_findings findings = {.was_run = false};
    const struct isa *isa = isa_native();
    if (!args.most.value)
        return fail_set(fail, FAIL_INPUT, "--loops is 1 or more");
    if (!args.moments.value || args.moments.value > HOT_MOST_MOMENTS)
        return fail_set(fail, FAIL_INPUT, "--moments is 1 to %d", HOT_MOST_MOMENTS);
    if (operands->n_items > 1 && file_has_suffix(operands->items[0], ".hot") && operands->items[1][0] == '-')
        return fail_set(fail, FAIL_INPUT, "options stand before the case file: cyclops hot %s ... %s",
                        operands->items[1], operands->items[0]);
    if (!operands->n_items == !args.pid.is_given)
        return fail_set(fail, FAIL_INPUT, "name a program, a case file, or a process by --pid: cyclops hot ./program");
    if (!isa || strcmp(isa->name, "x86_64") != 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "hot loops are found and replayed on x86-64 only");
    if (!decoder_open(&decoder, arena, isa, option_list_first(&lab_args.options.llvms), fail))
        return false;
    char **argv = ARENA_ARRAY(arena, char *, operands->n_items + 1);
    for (size_t i = 0; i < operands->n_items; i++)
        argv[i] = arena_strdup(arena, operands->items[i]);
    const char *title = operands->n_items ? operands->items[0] : arena_printf(arena, "process %lu", args.pid.value);
    bool is_done;
    if (is_case(operands)) {
        struct hot_case saved;
        is_done = hot_case_read(arena, operands->items[0], &saved, fail);
        if (is_done)
            hot_take_states(arena, &saved, &findings);
    } else {
        is_done = find_loops(arena, &decoder, operands->n_items ? argv : NULL, &findings, fail);
    }
    is_done = is_done && judge(arena, lab, title, &findings, fail);
    decoder_close(&decoder);
    return is_done;
}

// Without a nursery: it would keep the program's input and output open.
static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct lab lab = {0};
    lab_args.options.shows_own = true;
    bool is_done = lab_args_read(arena, fail) && hot(arena, &lab, operands, fail);
    lab_close(&lab);
    return is_done;
}

int cmd_hot(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
