// cyclops explain: a model's view of one instruction, as numbers and as a picture in time.
#include "cli/cli.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/json.h"
#include "base/options.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "bench/host/host.h"
#include "blocks/object_code.h"
#include "cli/lab_args.h"
#include "report/block_page.h"
#include "report/explain.h"
#include "report/explain_block.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *cpu, *machine, *triple, *svg, *form, *alias, *hex, *region, *assume, *html;
    struct option_list llvms;
    struct option_count copies;
    bool json, is_decoded;
} args = {.copies = {.value = 64}};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "mcpu", "CPU",
     "LLVM's name of the CPU, also in one version (llvm-19/znver4), or an overlay: FILE.yaml, overlay:NAME. A CPU "
     "file, FILE.cpu.yaml, cpu:NAME or core:NAME, explains a whole block, by its bounds and its core. Default: this "
     "CPU; of a block, by its CPU file.",
     &args.cpu},
    {OPTION_TEXT, "machine", "FILE.yaml", "An overlay instead of a CPU; it may lack an ISA.", &args.machine},
    {OPTION_TEXT, "mtriple", "TRIPLE",
     "Target, as in aarch64-linux-gnu. Without a CPU, another ISA's is LLVM's generic one. Default: this machine's.",
     &args.triple},
    {OPTION_COUNT, "copies", "N", "Simulate 1, 2, 4, ... up to N copies. Default: 64.", &args.copies},
    {OPTION_STREAM, "svg", "FILE", "Also draw the picture into FILE; '-': only the picture, to standard output.",
     &args.svg},
    {OPTION_LIST, "llvm", "LLVM",
     "Version (22), module or folder of LLVM to ask; may be repeated, for an explanation by each. Default: the newest.",
     &args.llvms},
    {OPTION_FLAG, "json", NULL, "Print a JSON object for each version.", &args.json},
    {OPTION_HEADING, NULL, NULL, "Options for blocks, by a CPU file", NULL},
    {OPTION_TEXT, "form", "unrolled|looped",
     "looped: with the loop that 'cyclops run' gives it, where it does not branch back itself; unrolled: copies stand "
     "one after the other. Default: looped where the last instruction is a branch, with no loop added.",
     &args.form},
    {OPTION_TEXT, "hex", "HEX", "Machine code in hexadecimal instead of INSTRUCTION.", &args.hex},
    {OPTION_TEXT, "region", "NAME", "Of a file with several regions between llvm-mca's markers: this one.",
     &args.region},
    {OPTION_TEXT, "alias", "disjoint|same",
     "What registers hold at the start: an address of their own each, or all the same. Default: disjoint.",
     &args.alias},
    {OPTION_TEXT, "assume", "llvm|nothing",
     "What a CPU file's prediction stands on where the file states no number of an instruction. llvm: LLVM's numbers, "
     "and the prediction states of how many instructions; nothing: nothing, so that such code is refused, and the "
     "message names the instruction. Default: llvm.",
     &args.assume},
    {OPTION_STREAM, "html", "FILE",
     "Write a page into FILE instead ('-': standard output): some iterations in time with the reason of each wait, who "
     "depends on whom, and what the block takes without each limit.",
     &args.html},
    {OPTION_FLAG, "decoders", NULL,
     "The code fits no cache of decoded instructions: decoders deliver it, as those of very long straight code.",
     &args.is_decoded},
    {0},
};

static const struct command command = {
    "cyclops explain",
    "INSTRUCTION|'INSTRUCTION; ...'|FILE.s|- [options]",
    "Shows what a scheduling model says of one instruction:\n"
    "* its latency, and when it holds which pipe;\n"
    "* the reciprocal throughput that follows: the longest time that it holds a kind\n"
    "  of pipe, divided by the number of such pipes;\n"
    "* how simulated copies, which wait for nothing but pipes, come near that.\n"
    "\n"
    "INSTRUCTION is assembly, or a form ('cyclops list forms'), whose example is\n"
    "explained; on a machine without ISA, an instruction's name.\n"
    "\n"
    "By a CPU file (cpu:NAME, core:NAME, FILE.cpu.yaml; of a file, several\n"
    "instructions or --hex: this CPU's, where there is one), explains a block: a\n"
    "text of one instruction or more, a form, machine code, or the first region of a\n"
    "file:\n"
    "* how many cycles an iteration takes: the largest of its bounds;\n"
    "* what makes that bound, such as a chain of instructions, or busy pipes;\n"
    "* the next bound, and what the block takes where one is not there;\n"
    "* what its core, simulated, takes longer than its largest bound;\n"
    "* of each instruction its slots, pipes, latency, renaming and memory, and if\n"
    "  these are the file's numbers or those of LLVM's model that it is based on.\n",
    "  cyclops explain 'imul rax, rbx' --mcpu znver4\n"
    "  cyclops explain VADDPSYrr --mcpu znver4\n"
    "  cyclops explain BLOB --machine overlay:blah --svg blob.svg\n"
    "  cyclops explain 'imul rax, rbx; add rax, [rsi]' --mcpu cpu:skylake\n"
    "  cyclops explain loop.s\n",
    options,
};

static void print_head(struct arena *arena, const struct explanation *e) {
    const struct insn *insn = e->insn;
    printf("%s   on %s\n", text_without_tabs(arena, insn->text), e->machine->name);
    printf("opcode %s, %u uop%s, latency %u\n", form_unit_of(arena, insn), insn->cost->uops,
           insn->cost->uops == 1 ? "" : "s", insn->cost->latency);
    const struct machine_register *registers = e->machine->registers;
    for (unsigned w = 0; w < insn->n_writes; w++)
        printf("  write %u  %s, latency %u\n", w, registers[insn->writes[w].reg].name, insn->cost->writes[w].latency);
    for (unsigned r = 0; r < insn->n_reads; r++) {
        printf("  read %u   %s", r, registers[insn->reads[r].reg].name);
        for (unsigned a = 0; a < insn->cost->reads[r].n_advances; a++) {
            const struct sched_advance *advance = &insn->cost->reads[r].advances[a];
            int cycles = advance->cycles;
            printf("%s%d cycle%s %s%s", a ? "; " : ", wanted ", cycles < 0 ? -cycles : cycles,
                   cycles == 1 || cycles == -1 ? "" : "s", cycles < 0 ? "earlier" : "later",
                   advance->write_class ? arena_printf(arena, " (results of class %u)", advance->write_class) : "");
        }
        puts("");
    }
    if (e->source)
        printf("  source   %s\n", e->source);
    if (e->lacks_vectors)
        screen_print_sentence(
            arena_printf(
                arena,
                "No vsetvli is before it, and it depends on one: these are LLVM's numbers for the longest group "
                "of registers. A form is explained with a pair of element and group: %s-e32m1.",
                insn->opcode),
            stdout);
}

// Returns the cycles that fit in a line after a name of `width` columns and before a text of `rest` columns.
static uint64_t most_drawn(size_t width, size_t rest) {
    enum { GAPS = 4 };
    size_t columns = screen_columns(stdout), taken = width + GAPS + rest;
    return columns > taken ? columns - taken : 0;
}

static void print_scale(int indent, uint64_t n_cycles) {
    printf("%*s", indent, "");
    for (uint64_t c = 0; c < n_cycles; c++)
        putchar(c % 10 ? ' ' : (int)('0' + c / 10 % 10));
    printf("\n%*s", indent, "");
    for (uint64_t c = 0; c < n_cycles; c++)
        putchar((int)('0' + c % 10));
    puts("");
}

static const char *pipe_name(struct arena *arena, const struct explanation *e, const struct sched_use *use) {
    const struct resource *resource = machine_resource_of_mask(e->machine, use->mask);
    return machine_pipes_name(arena, e->machine, (unsigned)(resource - e->machine->resources));
}

// Prints the choice of pipes: " on one of Zn4FP0, Zn4FP1".
static void print_choice(const struct explanation *e, const struct sched_use *use) {
    const struct resource *resource = machine_resource_of_mask(e->machine, use->mask);
    if (use->reserved)
        printf(" on all of them");
    else if (resource->is_group)
        for (unsigned i = 0; i < resource->units; i++)
            printf("%s%s", i ? ", " : " on one of ", e->machine->resources[resource->members[i]].name);
    else if (resource->units > 1)
        printf(" on one of %u", resource->units);
    puts("");
}

// Prints the groups that have the same pipes, where LLVM has several.
static void print_aliases(struct arena *arena, const struct explanation *e, const struct sched_use *use) {
    const struct resource *resources = e->machine->resources;
    unsigned own = (unsigned)(machine_resource_of_mask(e->machine, use->mask) - resources);
    struct text text = {.arena = arena};
    unsigned n = 0;
    text_addf(&text, "%s: one of", pipe_name(arena, e, use));
    for (unsigned i = 1; i < e->machine->n_resources; i++)
        if (machine_same_pipes(e->machine, own, i))
            text_addf(&text, "%s %s", n++ ? "," : "", resources[i].name);
    text_add(&text, ", which LLVM's tables do not tell apart");
    if (n > 1)
        screen_print_sentence(text.data, stdout);
}

// Prints the pipes that the instruction names, over the cycles after issue.
static void print_segments(struct arena *arena, const struct explanation *e) {
    enum { REST = 40 }; // "  [10, 12) on one of SPRPort00, SPRPort01"
    size_t width = 0;
    uint64_t longest = e->insn->cost->latency;
    for (unsigned i = 0; i < e->insn->cost->n_uses; i++) {
        const struct sched_use *use = &e->insn->cost->uses[i];
        size_t length = strlen(pipe_name(arena, e, use));
        width = length > width ? length : width;
        longest = use->release > longest ? use->release : longest;
    }
    if (e->insn->cost->n_uses == 0)
        return;
    bool is_drawn = longest <= most_drawn(width, REST);
    puts("\npipes held, in cycles after issue:");
    if (is_drawn)
        print_scale((int)width + 4, longest);
    for (unsigned i = 0; i < e->insn->cost->n_uses; i++) {
        const struct sched_use *use = &e->insn->cost->uses[i];
        printf("  %-*s  ", (int)width, pipe_name(arena, e, use));
        for (uint64_t c = 0; is_drawn && c < longest; c++)
            screen_puts(c >= use->acquire && c < use->release ? "█" : "·", stdout);
        printf("  [%u, %u)", use->acquire, use->release);
        print_choice(e, use);
    }
    for (unsigned i = 0; i < e->insn->cost->n_uses; i++)
        print_aliases(arena, e, &e->insn->cost->uses[i]);
}

static void print_copies(struct arena *arena, const struct explanation *e) {
    struct explain_row *rows;
    size_t n_rows = explain_rows(arena, e, &rows), width = 0;
    uint64_t n_cycles = e->copies.end;
    for (size_t i = 0; i < n_rows; i++)
        width = strlen(rows[i].name) > width ? strlen(rows[i].name) : width;
    for (size_t i = 0; i < e->copies.n_items; i++)
        n_cycles = e->copies.items[i].to > n_cycles ? e->copies.items[i].to : n_cycles;
    if (n_rows == 0 || n_cycles > most_drawn(width, 0))
        return;
    printf("\n%d copies, each as its number:\n", EXPLAIN_SHOWN);
    print_scale((int)width + 4, n_cycles);
    for (size_t row = 0; row < n_rows; row++) {
        char *line = ARENA_ARRAY(arena, char, n_cycles + 1);
        memset(line, '.', n_cycles);
        for (size_t i = 0; i < e->copies.n_items; i++) {
            const struct occupied *item = &e->copies.items[i];
            if (item->resource == rows[row].resource && item->unit == rows[row].unit)
                memset(line + item->from, (int)('1' + item->insn), item->to - item->from);
        }
        printf("  %-*s  %s\n", (int)width, rows[row].name, line);
    }
}

static void print_convergence(struct arena *arena, const struct explanation *e) {
    if (e->rthroughput.resource)
        printf("\nreciprocal throughput: %.3f cycles (%s)\n", e->rthroughput.cycles, explain_bound(arena, e));
    else
        puts("\nreciprocal throughput: no pipe is held");
    double dispatch = (double)e->insn->cost->uops / e->machine->dispatch_width;
    if (dispatch > e->rthroughput.cycles)
        printf("dispatch allows one in %.3f cycles: %u of %u uops a cycle\n", dispatch, e->insn->cost->uops,
               e->machine->dispatch_width);
    struct table table = {.arena = arena};
    table_column(&table, TABLE_RIGHT, "copies");
    table_column(&table, TABLE_RIGHT, "cycles");
    table_column(&table, TABLE_RIGHT, "a copy");
    for (unsigned i = 0; i < e->n_steps; i++) {
        table_cell(&table, "%u", e->steps[i].n);
        table_cell(&table, "%llu", (unsigned long long)e->steps[i].cycles);
        table_cell(&table, "%.3f", (double)e->steps[i].cycles / e->steps[i].n);
    }
    table_cell(&table, "∞");
    table_cell(&table, "%s", "");
    table_cell(&table, "%.3f", e->steady);
    puts("simulated, from the first issue to the last result:");
    table_print(&table, stdout, cli_wants_colour());
}

static bool print_json(struct arena *arena, const struct explanation *e, struct fail *fail) {
    json_t *uses = json_array(), *steps = json_array();
    for (unsigned i = 0; i < e->insn->cost->n_uses; i++) {
        const struct sched_use *use = &e->insn->cost->uses[i];
        const struct resource *resource = machine_resource_of_mask(e->machine, use->mask);
        json_array_append_new(uses, json_pack("{s:s, s:i, s:i, s:i}", "resource", pipe_name(arena, e, use), "acquire",
                                              (int)use->acquire, "release", (int)use->release, "pipes",
                                              (int)resource->units));
    }
    for (unsigned i = 0; i < e->n_steps; i++)
        json_array_append_new(
            steps, json_pack("{s:i, s:I}", "copies", (int)e->steps[i].n, "cycles", (json_int_t)e->steps[i].cycles));
    return json_write_line(
        stdout,
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "instruction",
                  text_without_tabs(arena, e->insn->text), "form", e->insn->opcode, "model", e->machine->id, "uops",
                  (int)e->insn->cost->uops, "latency", (int)e->insn->cost->latency, "uses", uses, "rthroughput",
                  json_rounded(e->rthroughput.cycles, 6), "steady", json_rounded(e->steady, 6), "simulated", steps),
        fail);
}

static bool show(struct arena *arena, const struct explanation *e, struct fail *fail) {
    if (args.svg && !explain_svg(arena, e, args.svg, fail))
        return false;
    if (args.svg && strcmp(args.svg, "-") == 0)
        return true;
    if (args.json)
        return print_json(arena, e, fail);
    print_head(arena, e);
    print_segments(arena, e);
    print_copies(arena, e);
    print_convergence(arena, e);
    return true;
}

static bool read_way(struct explain_block_options *way, struct fail *fail) {
    *way = (struct explain_block_options){.is_given = args.form, .is_decoded = args.is_decoded};
    way->is_loop = args.form && strcmp(args.form, "looped") == 0;
    way->registers = args.alias && strcmp(args.alias, "same") == 0 ? BOUNDS_SAME : BOUNDS_APART;
    way->pages_are_one = way->registers == BOUNDS_SAME;
    if (args.form && !way->is_loop && strcmp(args.form, "unrolled") != 0)
        return fail_set(fail, FAIL_INPUT, "--form is unrolled or looped, not '%s'", args.form);
    if (args.alias && way->registers == BOUNDS_APART && strcmp(args.alias, "disjoint") != 0)
        return fail_set(fail, FAIL_INPUT, "--alias is disjoint or same, not '%s'", args.alias);
    if (args.svg || args.copies.is_given)
        return fail_set(fail, FAIL_INPUT, "--%s is for one instruction of LLVM's models, not for a block by a CPU file",
                        args.svg ? "svg" : "copies");
    return true;
}

static bool is_file_of_code(const char *operand) {
    return operand && (strcmp(operand, "-") == 0 || file_has_suffix(operand, ".s") || file_has_suffix(operand, ".S") ||
                       (strchr(operand, '.') && access(operand, F_OK) == 0));
}

static bool read_file(struct arena *arena, const char *path, struct explain_block_options *way, struct fail *fail) {
    char *data;
    size_t length;
    if (!file_read(arena, path, &data, &length, fail))
        return false;
    const char *refused = file_kind_refused(path, data, length);
    if (object_is_elf(data, length))
        refused = "an object: 'cyclops mca' takes it";
    way->name = file_name(path);
    way->text = data;
    way->is_file = true;
    way->region = args.region;
    return !refused || fail_at(fail, way->name, 0, 0, "this is %s", refused);
}

// Machine code, a file of assembly, or the text itself.
static bool read_block(struct arena *arena, const char *operand, struct explain_block_options *way, struct fail *fail) {
    if (args.hex) {
        uint8_t *bytes = arena_alloc(arena, strlen(args.hex) / 2 + 1);
        size_t n_digits, n_good = bytes_from_people(args.hex, strlen(args.hex), bytes, &n_digits);
        way->bytes = bytes;
        way->n_bytes = n_digits / 2;
        return (!args.hex[n_good] && n_digits && n_digits % 2 == 0) ||
               fail_at(fail, "--hex", 0, (unsigned)n_good + 1, "machine code is written as in 4801d8");
    }
    if (is_file_of_code(operand))
        return read_file(arena, operand, way, fail);
    way->name = "block";
    way->text = operand;
    return args.region == NULL || fail_set(fail, FAIL_INPUT, "--region chooses from a file: name it");
}

static bool write_page(struct arena *arena, const char *operand, const struct block_explanation *explanation,
                       struct fail *fail) {
    enum { MOST_ENTRIES = 64 };
    struct block_course course;
    const char *title = operand ? operand : args.hex;
    if (!block_course_find(arena, explanation, MOST_ENTRIES, &course, fail))
        return false;
    const char *page = block_page_make(arena, title, explanation, &course, fail);
    return page && file_write(strcmp(args.html, "-") == 0 ? "/dev/stdout" : args.html, page, strlen(page), fail);
}

static bool explain_by_cpu_file(struct arena *arena, const struct model *model, const char *operand,
                                struct fail *fail) {
    struct explain_block_options way;
    struct block_explanation explanation;
    if (!read_way(&way, fail) || !read_block(arena, operand, &way, fail) ||
        !explain_block(arena, model, &way, &explanation, fail))
        return false;
    if (args.html)
        return write_page(arena, operand, &explanation, fail);
    if (args.json)
        return explain_block_write_json(arena, &explanation, stdout, fail);
    explain_block_print(arena, &explanation, stdout, cli_wants_colour());
    return true;
}

static bool explain_by(struct arena *arena, const struct model *model, const char *insn, struct fail *fail) {
    struct explanation explanation;
    if (model->own)
        return explain_by_cpu_file(arena, model, insn, fail);
    if (args.form || args.alias || args.is_decoded || args.hex || args.assume || args.html || args.region ||
        is_file_of_code(insn))
        return fail_set(fail, FAIL_INPUT,
                        "--form, --alias, --decoders, --assume, --html, --hex, --region and files are for blocks, "
                        "which CPU files explain: "
                        "--mcpu cpu:NAME");
    if (!model->missing)
        return explain_insn(arena, model, insn, (unsigned)args.copies.value, &explanation, fail) &&
               show(arena, &explanation, fail);
    if (args.json)
        return json_write_line(stdout, json_pack("{s:s, s:s}", "model", model->identity, "missing", model->missing),
                               fail);
    printf("%s   is %s\n", args.cpu ? args.cpu : "this CPU", model->missing);
    return true;
}

// Names the model where the user does not: that of this CPU, and of a block its CPU file.
static bool choose_cpu(struct arena *arena, const char *operand, struct fail *fail) {
    bool is_block = args.hex || args.html || is_file_of_code(operand) || (operand && strchr(operand, ';'));
    struct host host;
    if (args.cpu || args.machine || args.triple || args.llvms.n_items || !is_block)
        return true;
    if (!host_read(arena, &(struct host_request){.cpu = -1}, &host, fail))
        return false;
    args.cpu = lab_cpu_file_of(arena, &host);
    return args.cpu ||
           fail_set(fail, FAIL_INPUT,
                    "a block is explained by a CPU file, and there is none of this CPU: give --mcpu cpu:NAME; "
                    "'cyclops cpu list' has the names");
}

static bool explain(struct arena *arena, const struct operands *operands, struct fail *fail) {
    enum { MOST_COPIES = 2048 };
    if (operands->n_items + (args.hex != NULL) != 1)
        return fail_set(fail, FAIL_INPUT, "say which instruction, quoted: cyclops explain 'imul rax, rbx'");
    if (args.cpu && args.machine)
        return fail_set(fail, FAIL_INPUT, "--mcpu and --machine both name the model: give one of them");
    if (args.machine && !model_is_overlay(args.machine))
        return fail_set(fail, FAIL_INPUT, "--machine takes FILE.yaml or overlay:NAME, not '%s'", args.machine);
    if (args.copies.value < 1 || args.copies.value > MOST_COPIES)
        return fail_set(fail, FAIL_INPUT, "--copies is from 1 to %d", MOST_COPIES);
    if (args.svg && args.llvms.n_items > 1)
        return fail_set(fail, FAIL_INPUT, "--svg draws the explanation of one version: give --llvm once");
    const char *newest = NULL, *const *llvms = args.llvms.n_items ? args.llvms.items : &newest;
    size_t n = args.llvms.n_items ? args.llvms.n_items : 1;
    const char *operand = operands->n_items ? operands->items[0] : NULL;
    struct model *models = ARENA_ARRAY(arena, struct model, n);
    if (!choose_cpu(arena, operand, fail))
        return false;
    // A block is printed in Intel's syntax, unless it is written in the other; forms have their text in that.
    bool is_intel =
        model_is_cpu_file(args.cpu) && (!operand || (!strchr(operand, '%') && !explain_may_be_form(operand)));
    struct backend_options cpu = {.triple = args.triple,
                                  .cpu = args.machine ? args.machine : args.cpu,
                                  .output_syntax = is_intel ? 1 : -1,
                                  .forms = true}; // rules of RISC-V's vectors name them
    bool refuses_base, is_done = lab_args_read_assume(args.assume, &refuses_base, fail) &&
                                 model_open_versions(models, arena, llvms, n, &cpu, fail);
    for (size_t i = 0; i < n && is_done; i++) {
        if (i > 0 && !args.json)
            putchar('\n');
        if (models[i].own)
            models[i].own->refuses_base = refuses_base;
        is_done = explain_by(arena, &models[i], operand, fail);
    }
    for (size_t i = 0; i < n; i++)
        model_close(&models[i]);
    return is_done;
}

int cmd_explain(int argc, char **argv) {
    return cli_run(&command, argc, argv, explain);
}
