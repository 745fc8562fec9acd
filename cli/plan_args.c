#include "cli/plan_args.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/text.h"
#include "blocks/pasted.h"
#include "cli/cli.h"
#include "cli/plan_object.h"
#include "cli/plan_text.h"
#include "cli/start_args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plan_args plan_args;

// Options of blocks only.
struct option plan_args_blocks[] = {
    {OPTION_LIST, "asm", "TEXT", "A block of assembly; ';' separates instructions. May be repeated.",
     &plan_args.asm_texts},
    {OPTION_TEXT, "syntax", "intel|att", "Syntax of blocks. Default: att where registers are written %rax, else intel.",
     &plan_args.syntax},
    {OPTION_LIST, "hex", "HEX|FILE",
     "Hexadecimal digits of a block of machine code; or a file with one block a line, up to a comma. May be repeated.",
     &plan_args.hex},
    {OPTION_TEXT, "region", "NAME", "Of a text with llvm-mca's markers: this region. Default: each region is a block.",
     &plan_args.region},
    {OPTION_TEXT, "symbol", "NAME", "Of an object or a text: this function. Default: each function is a block.",
     &plan_args.range.symbol},
    {OPTION_TEXT, "section", "NAME", "Of an object: this section.", &plan_args.range.section},
    {OPTION_TEXT, "start", "ADDRESS",
     "Of an object: the code from this address on, hexadecimal as objdump -d shows it.", &plan_args.range.start},
    {OPTION_TEXT, "end", "ADDRESS", "Of an object: the code up to this address, likewise.", &plan_args.range.end},
    {OPTION_TEXT, "alias", "disjoint|same|both",
     "What general registers hold at a block's start. disjoint: addresses 69 KiB apart; same: one address, as in "
     "BHive. Default: both where that can matter, for a block that accesses memory by several registers.",
     &start_args.alias},
    {OPTION_ROWS, NULL, NULL, NULL, start_args_memory},
    {OPTION_ROWS, NULL, NULL, NULL, start_args_values},
    {OPTION_COUNT, "pages", "N", "Pages of memory that may appear where a block touches them, 1 to 4096. Default: 64.",
     &start_args.pages},
    {0},
};

// Options of kernels and blocks.
struct option plan_args_all[] = {
    {OPTION_TEXT, "mode", "latency|throughput|block",
     "block: the kernel's body as it stands. Default: latency and throughput.", &plan_args.mode},
    {OPTION_TEXT, "sweep", "A..B", "Also run n = A, ..., B independent streams side by side.", &plan_args.sweep},
    {OPTION_COUNT, "n", "N", "Streams in throughput mode. Default: as many as there are registers, at most 16.",
     &plan_args.streams},
    {OPTION_TEXT, "form", "unrolled|looped|both",
     "looped: a branch after each body; of a block that is a loop, its own. Default: unrolled; sweeps looped; blocks "
     "both where they "
     "can be repeated.",
     &plan_args.form},
    {OPTION_TEXT, "placement", "same-address|same-line|own-lines|own-pages|all",
     "Where the loads and stores of the streams go; all: a row each. Default: all, where the kernel leaves it open; "
     "with --corun own-lines.",
     &plan_args.placement},
    {OPTION_ROWS, NULL, NULL, NULL, plan_args_blocks},
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.",
     &plan_args.kernels},
    {0},
};

// Sets the defaults for --corun: bodies as they stand, unrolled. Fails with options that do not go with it.
static bool read_corun(const struct plan_args *args, struct plan_options *plan, struct fail *fail) {
    if (!args->corun)
        return true;
    if (args->sweep || args->is_replicated)
        return fail_set(fail, FAIL_INPUT, "--corun goes with neither --sweep nor --replicate");
    if (!args->mode) {
        plan->has_mode = true;
        plan->mode = PROGRAM_BLOCK;
    }
    if (!args->form) {
        plan->has_form = true;
        plan->form = PROGRAM_UNROLLED;
    }
    if (!args->placement && plan->mode == PROGRAM_THROUGHPUT)
        plan->placement = PLACEMENT_OWN_LINES;
    return true;
}

bool plan_read_placement(const char *name, bool may_be_all, enum program_placement *placement, struct fail *fail) {
    *placement = PLACEMENT_NONE;
    if (!name || (may_be_all && strcmp(name, "all") == 0) || program_placement_parse(name, placement))
        return true;
    return fail_set(fail, FAIL_INPUT,
                    "unknown placement '%s': there are same-address, same-line, own-lines%s own-pages%s", name,
                    may_be_all ? "," : " and", may_be_all ? " and all" : "");
}

static bool read_options(struct arena *arena, const struct isa *isa, const struct plan_args *args,
                         struct plan_options *plan, struct fail *fail) {
    *plan = (struct plan_options){.syntax = args->syntax, .is_replicated = args->is_replicated};
    if (!start_args_read(arena, isa, args->syntax, true, &plan->block, fail))
        return false;
    if (args->streams.is_given && (args->streams.value < 1 || args->streams.value > GEN_MAX_STREAMS))
        return fail_set(fail, FAIL_INPUT, "--n is from 1 to %d", GEN_MAX_STREAMS);
    plan->streams = (unsigned)args->streams.value;
    if (args->mode) {
        plan->has_mode = true;
        if (!program_mode_parse(args->mode, &plan->mode))
            return fail_set(fail, FAIL_INPUT, "unknown mode '%s': there are latency, throughput and block", args->mode);
    }
    if (args->form && strcmp(args->form, "both") == 0) {
        plan->is_both_forms = true;
    } else if (args->form) {
        plan->has_form = true;
        if (!program_form_parse(args->form, &plan->form))
            return fail_set(fail, FAIL_INPUT, "unknown form '%s': there are unrolled, looped and both", args->form);
    }
    if (plan->has_mode && plan->mode != PROGRAM_THROUGHPUT && (plan->streams || args->placement))
        return fail_set(fail, FAIL_INPUT, "%s is for throughput: mode %s has one stream",
                        plan->streams ? "--n" : "--placement", program_mode_name(plan->mode));
    return plan_read_placement(args->placement, true, &plan->placement, fail) && read_corun(args, plan, fail) &&
           (!args->sweep || options_parse_range(args->sweep, &plan->sweep_first, &plan->sweep_last, fail));
}

static bool is_kernel_file(const char *operand) {
    return file_has_suffix(operand, ".yaml") || file_has_suffix(operand, ".yml");
}

// Whether the operand is a file with blocks.
static bool is_file(const char *operand) {
    size_t n = strlen(operand);
    if (is_kernel_file(operand))
        return false;
    bool has_suffix = n > 2 && operand[n - 2] == '.' && strchr("sSo", operand[n - 1]);
    bool has_dot = strchr(operand, '.') != NULL; // as no kernel and no form has
    return strcmp(operand, "-") == 0 || strchr(operand, '/') || has_suffix || (has_dot && access(operand, F_OK) == 0);
}

static bool add_file(struct arena *arena, struct plan *plan, const struct isa *isa, const char *path,
                     const struct plan_args *args, const struct plan_options *options, struct fail *fail) {
    char *text;
    size_t length;
    const char *name = file_name(path);
    if (!file_read(arena, path, &text, &length, fail))
        return false;
    const struct object_file file = {
        .path = name, .data = text, .n_bytes = length, .triple = isa->triple, .takes_isa = true};
    const char *refused = file_kind_refused(path, text, length);
    if (refused)
        return fail_at(fail, name, 0, 0, "this is %s", refused);
    bool is_object = object_is_elf(text, length);
    if (is_object && args->region)
        return fail_at(fail, name, 0, 0,
                       "this is an object: --region chooses from a text with llvm-mca's markers; give --symbol, or "
                       "--start and --end");
    if (is_object)
        return plan_add_object(arena, plan, isa, &file, &args->range, options, fail);
    const char *assembly = pasted_as_assembly(arena, text);
    const struct block_source source = {.isa = isa, .name = name, .text = assembly, .syntax = options->syntax};
    const struct text_choice choice = {args->region, args->range.symbol};
    if (args->range.section || args->range.start || args->range.end)
        return fail_at(fail, name, 0, 0,
                       "this is text: --section, --start and --end choose code of an object; give "
                       "--symbol, or markers and --region");
    return plan_add_text(arena, plan, &source, name, &choice, options, fail);
}

struct planner {
    const struct plan_args *args;
    const struct isa *isa;
    const struct plan_options *options, *of_blocks;
    struct kernel_set set; // kernels; loaded only where an operand names one
};

// Adds all kernels of a file. Its text is never taken for assembly.
static bool add_kernel_file(struct arena *arena, const struct planner *planner, const char *path, struct plan *plan,
                            struct fail *fail) {
    struct kernel_set set = {0};
    char *text;
    if (!file_read(arena, path, &text, NULL, fail) || !kernel_load_text(arena, path, text, planner->isa, &set, fail))
        return false;
    for (size_t i = 0; i < set.n_kernels; i++) {
        const struct kernel *kernel = &set.kernels[i];
        if (kernel->isa != planner->isa)
            return fail_at(fail, path, 1, 1, "this file is for %s: --isa %s takes it", kernel->isa->name,
                           kernel->isa->name);
        if (!plan_add_kernel(arena, plan, kernel, planner->options, fail))
            return false;
    }
    return set.n_kernels > 0 || fail_at(fail, path, 1, 1, "there is no kernel in it");
}

static bool add_operand(struct arena *arena, const struct planner *planner, const char *operand, struct plan *plan,
                        struct fail *fail) {
    if (is_file(operand))
        return add_file(arena, plan, planner->isa, operand, planner->args, planner->of_blocks, fail);
    if (is_kernel_file(operand))
        return add_kernel_file(arena, planner, operand, plan, fail);
    struct fail why = {0};
    const struct kernel *kernel = cli_find_kernel(arena, planner->isa, &planner->set, operand, &why);
    if (!kernel && access(operand, F_OK) == 0 && !file_is_folder(operand))
        return add_file(arena, plan, planner->isa, operand, planner->args, planner->of_blocks, fail);
    if (!kernel && strchr(operand, '.') && !isupper((unsigned char)*operand))
        return fail_set(fail, FAIL_INPUT, "there is no file and no kernel '%s'", operand);
    if (!kernel)
        *fail = why;
    return kernel && plan_add_kernel(arena, plan, kernel, planner->options, fail);
}

// Adds the co-runner to all experiments. Of several programs, takes the first.
static bool add_corun(struct arena *arena, const struct planner *planner, struct plan *plan, struct fail *fail) {
    struct plan others = {0};
    if (!add_operand(arena, planner, planner->args->corun, &others, fail) || !plan_is_left(&others, fail))
        return false;
    if (!others.n_experiments)
        return fail_set(fail, FAIL_INPUT, "there is no code in '%s'", planner->args->corun);
    plan->corunner = others.experiments[0];
    for (size_t i = 0; i < plan->n_experiments; i++) {
        plan->experiments[i]->corun = ARENA_NEW(arena, struct corun);
        plan->experiments[i]->corun->other = plan->corunner;
    }
    return true;
}

// Returns a block's text as its name in tables, on one line.
static const char *on_one_line(struct arena *arena, const char *text) {
    return text_replaced(arena, text_without_tabs(arena, text), '\n', ';');
}

// Adds a block of machine code. Fails at its place in the file or in the option.
static bool add_digits(struct arena *arena, struct plan *plan, struct block_source *source, struct slice digits,
                       unsigned column, const struct plan_options *options, struct fail *fail) {
    uint8_t *bytes = arena_alloc(arena, digits.length / 2 + 1);
    size_t n_digits, n_good = bytes_from_people(digits.data, digits.length, bytes, &n_digits);
    if (n_good < digits.length)
        return fail_at(fail, source->name, source->line, column + (unsigned)n_good,
                       "'%.*s' is not a hexadecimal digit; a block is written as in 4801d8", 1, digits.data + n_good);
    if (n_digits % 2 || n_digits == 0)
        return fail_at(fail, source->name, source->line, column + (unsigned)n_good - (n_good > 0),
                       n_digits ? "half a byte is left over: there are %zu hexadecimal digits"
                                : "there are %zu hexadecimal digits in it",
                       n_digits);
    source->bytes = bytes;
    source->n_bytes = n_digits / 2;
    return plan_add_block(arena, plan, source, bytes_to_hex(arena, bytes, n_digits / 2), options, fail);
}

// Adds the blocks of a file, as `cyclops mca --hex` reads it: one per line, up to a comma; ignores empty lines.
static bool add_hex_file(struct arena *arena, struct plan *plan, struct block_source *source, const char *path,
                         const struct plan_options *options, struct fail *fail) {
    char *text;
    if (!file_read(arena, path, &text, NULL, fail))
        return false;
    struct slice rest = {text, strlen(text)}, line;
    source->name = file_name(path);
    bool has_block = false;
    for (source->line = 1; slice_next(&rest, '\n', &line); source->line++) {
        const char *comma = memchr(line.data, ',', line.length);
        struct slice digits = slice_trim((struct slice){line.data, comma ? (size_t)(comma - line.data) : line.length});
        struct fail why = {0};
        unsigned column = (unsigned)(digits.data - line.data) + 1;
        has_block |= digits.length > 0;
        if (digits.length && !add_digits(arena, plan, source, digits, column, options, &why))
            plan_refuse(arena, plan, &why);
    }
    return has_block || fail_at(fail, source->name, 0, 0, "there is no block in it");
}

static bool add_hex(struct arena *arena, struct plan *plan, const struct isa *isa, const char *argument,
                    const struct plan_options *options, struct fail *fail) {
    struct block_source source = {.isa = isa, .name = "--hex"};
    struct slice digits = {argument, strlen(argument)};
    uint8_t *bytes = arena_alloc(arena, digits.length / 2 + 1);
    size_t n_digits;
    bool is_file =
        strcmp(argument, "-") == 0 || strchr(argument, '/') || strchr(argument, '.') ||
        (bytes_from_people(argument, digits.length, bytes, &n_digits) < digits.length && access(argument, F_OK) == 0);
    if (is_file)
        return add_hex_file(arena, plan, &source, argument, options, fail);
    return add_digits(arena, plan, &source, digits, 1, options, fail);
}

// Fails where an option chooses code, and neither a file nor a text has some to choose from.
static bool check_choice(const struct plan_args *args, const struct operands *operands, struct fail *fail) {
    const struct object_range *range = &args->range;
    bool is_range = range->section || range->start || range->end, has_text = args->asm_texts.n_items > 0;
    bool has_file = false;
    for (size_t i = 0; i < operands->n_items; i++)
        has_file |= is_file(operands->items[i]) || access(operands->items[i], F_OK) == 0;
    if (range->symbol && (range->start || range->end))
        return fail_set(fail, FAIL_INPUT, "--symbol is a whole function, and --start and --end a part: leave one out");
    if (has_file || (!is_range && (has_text || (!args->region && !range->symbol))))
        return true;
    return fail_set(fail, FAIL_INPUT,
                    is_range ? "--section, --start and --end choose code of an object: name its file"
                             : "--symbol and --region choose code of a file or of --asm: there is neither");
}

static bool is_name(const char *operand) {
    return !is_file(operand) && !is_kernel_file(operand);
}

static bool names_kernel(const struct plan_args *args, const struct operands *operands) {
    bool has_kernel = args->corun && is_name(args->corun);
    for (size_t i = 0; i < operands->n_items; i++)
        has_kernel |= is_name(operands->items[i]);
    return has_kernel;
}

static bool has_kernel(const struct operands *operands) {
    for (size_t i = 0; i < operands->n_items; i++)
        if (!is_file(operands->items[i]))
            return true;
    return false;
}

// Returns the options for blocks. Where operands also name kernels, options for kernels do not apply to blocks.
static struct plan_options for_blocks(const struct operands *operands, struct plan_options options) {
    if (has_kernel(operands)) {
        options.has_mode = false;
        options.sweep_first = options.sweep_last = options.streams = 0;
    }
    return options;
}

static bool add_text(struct arena *arena, const struct planner *planner, const char *text, struct plan *plan,
                     struct fail *fail) {
    const struct plan_options *options = planner->of_blocks;
    const char *assembly = pasted_as_assembly(arena, text);
    const struct block_source source = {
        .isa = planner->isa, .name = "--asm", .text = assembly, .syntax = options->syntax};
    const struct text_choice choice = {planner->args->region, planner->args->range.symbol};
    return plan_add_text(arena, plan, &source, on_one_line(arena, text), &choice, options, fail);
}

static bool add_code(struct arena *arena, const struct planner *planner, const char *argument, struct plan *plan,
                     struct fail *fail) {
    return add_hex(arena, plan, planner->isa, argument, planner->of_blocks, fail);
}

// Adds all items. Refuses only those with a mistake.
static void add_each(struct arena *arena, const struct planner *planner, const char *const *items, size_t n,
                     bool (*add)(struct arena *, const struct planner *, const char *, struct plan *, struct fail *),
                     struct plan *plan) {
    for (size_t i = 0; i < n; i++) {
        struct fail why = {0};
        if (!add(arena, planner, items[i], plan, &why))
            plan_refuse(arena, plan, &why);
    }
}

// Adds the operands. Where a file is refused, it may have the kernels that are not found: these are one mistake.
static void add_operands(struct arena *arena, const struct planner *planner, const struct operands *operands,
                         struct plan *plan) {
    struct text missing = {.arena = arena};
    for (size_t i = 0; i < operands->n_items; i++) {
        const char *const *operand = &operands->items[i];
        struct fail why = {0};
        if (planner->set.n_refused && is_name(*operand) && !kernel_find(arena, &planner->set, *operand, &why))
            text_addf(&missing, "%s'%s'", missing.length ? ", " : "", *operand);
        else
            add_each(arena, planner, operand, 1, add_operand, plan);
    }
    struct fail why = {0};
    if (!missing.length)
        return;
    fail_set(&why, FAIL_INPUT, "not in a kernel file without a mistake: %s", missing.data);
    plan_refuse(arena, plan, &why);
}

static bool find_kernels(struct arena *arena, const struct operands *operands, struct planner *planner,
                         struct plan *plan, struct fail *fail) {
    if (!kernel_load_folder(arena, planner->args->kernels, planner->isa->name, &planner->set, fail))
        return false;
    for (size_t i = 0; i < planner->set.n_refused; i++)
        plan_refuse(arena, plan, &planner->set.refused[i]);
    return planner->args->kernels || cli_add_forms(arena, planner->isa, operands, &planner->set, fail);
}

bool plan_make(struct arena *arena, const struct plan_args *args, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail) {
    struct plan_options plan_options;
    if (!read_options(arena, isa, args, &plan_options, fail))
        return false;
    if (operands->n_items + args->asm_texts.n_items + args->hex.n_items == 0)
        return fail_set(fail, FAIL_INPUT,
                        "nothing to run: name kernels ('cyclops list kernels'), a FILE.s, or give --asm TEXT or --hex "
                        "HEX");
    if (!check_choice(args, operands, fail))
        return false;
    const struct plan_options of_blocks = for_blocks(operands, plan_options);
    struct planner planner = {args, isa, &plan_options, &of_blocks, {0}};
    if (names_kernel(args, operands) && !find_kernels(arena, operands, &planner, plan, fail))
        return false;
    add_operands(arena, &planner, operands, plan);
    add_each(arena, &planner, args->asm_texts.items, args->asm_texts.n_items, add_text, plan);
    add_each(arena, &planner, args->hex.items, args->hex.n_items, add_code, plan);
    return plan_is_left(plan, fail) && (!args->corun || add_corun(arena, &planner, plan, fail));
}
