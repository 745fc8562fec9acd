#include "cli/mca/options.h"

#include "base/text.h"
#include "cli/mca/option_table.h"
#include "cli/mca/response.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct arena *arena;
    struct mca_args *args;
    const char **inputs; // args->inputs, writable
    unsigned *positions; // args->positions, writable
    struct fail *fail;
};

static const char bad_flag[] = "for the --%s option: '%s' is invalid value for boolean argument! Try 0 or 1";

// Parses a number: decimal, or in the base of a leading 0x, 0b, 0o or 0, as StringRef::getAsInteger does.
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

static bool store_number(const struct mca_option *row, const char *text, void *value, struct fail *fail) {
    unsigned long number;
    if (row->type == MCA_UNSIGNED) {
        if (!parse_digits(text, UINT_MAX, &number))
            return fail_set(fail, FAIL_INPUT, "for the --%s option: '%s' value invalid for uint argument!", row->name,
                            text);
        *(unsigned *)value = (unsigned)number;
        return true;
    }
    bool is_negative = text[0] == '-';
    if (!parse_digits(text + is_negative, INT_MAX, &number))
        return fail_set(fail, FAIL_INPUT, "for the --%s option: '%s' value invalid for integer argument!", row->name,
                        text);
    *(int *)value = is_negative ? -(int)number : (int)number;
    return true;
}

static bool store(const struct parser *parser, const struct mca_option *row, const char *text) {
    void *value = (char *)parser->args + row->at;
    const char **words = value;
    switch (row->type) {
    case MCA_FLAG:
        return options_parse_bool(*text ? text : "true", value) ||
               fail_set(parser->fail, FAIL_INPUT, bad_flag, row->name, text);
    case MCA_UNSIGNED:
    case MCA_INTEGER:
        return store_number(row, text, value, parser->fail);
    case MCA_LIST:
        *words = *words != NULL ? arena_printf(parser->arena, "%s,%s", *words, text) : text;
        return true;
    case MCA_TEXT:
    case MCA_WORD:
    case MCA_HEADING:
        break;
    }
    *words = text;
    return true;
}

// Parses the option argv[*i] and, where it needs one, the argument after it.
static enum options_result parse_option(const struct parser *parser, int argc, char **argv, int *i) {
    const char *word = argv[*i], *start = word + (word[1] == '-' ? 2 : 1), *equals = strchr(start, '=');
    const char *name = arena_copy(parser->arena, start, equals != NULL ? (size_t)(equals - start) : strlen(start));
    if (strcmp(name, "h") == 0 || strncmp(name, "help", 4) == 0) { // help-hidden, help-list
        mca_option_print_help(parser->arena);
        return OPTIONS_HELP;
    }
    size_t row = mca_option_find(name);
    if (row == mca_option_count()) {
        mca_option_unknown(parser->arena, word, name, parser->fail);
        return OPTIONS_BAD;
    }
    const struct mca_option *option = mca_option_row(row);
    if (strcmp(name, "llvm") == 0 && parser->positions[row] != 0) {
        fail_set(parser->fail, FAIL_INPUT, "--llvm is given twice: mca simulates by one version at a time");
        return OPTIONS_BAD;
    }
    parser->positions[row] = (unsigned)*i;
    const char *text = equals != NULL ? equals + 1 : "";
    if (equals == NULL && option->type != MCA_FLAG && option->type != MCA_WORD) {
        if (++*i >= argc) {
            fail_set(parser->fail, FAIL_INPUT, "for the --%s option: requires a value!", name);
            return OPTIONS_BAD;
        }
        text = argv[*i];
    }
    return store(parser, option, text) ? OPTIONS_OK : OPTIONS_BAD;
}

static bool parse_skip(struct mca_args *args, struct fail *fail) {
    static const char *const words[] = {"none", "lack-sched", "parse-failure", "any"};
    size_t n = sizeof words / sizeof *words, i = text_find(args->skip_word, words, n);
    args->skip = (enum mca_skip)i;
    return i < n ||
           fail_set(fail, FAIL_INPUT, "for the --skip-unsupported-instructions option: Cannot find option named '%s'!",
                    args->skip_word);
}

bool mca_options_settle_tables(struct mca_args *args, const struct mca_rules *rules, struct fail *fail) {
    static const struct {
        const char *word;
        enum mca_tables tables;
    } words[] = {
        {"", MCA_TABLES_NORMAL}, {"none", MCA_TABLES_NONE}, {"normal", MCA_TABLES_NORMAL}, {"full", MCA_TABLES_FULL}};
    static const char option[] = "instruction-tables";
    const char *word = args->tables_word;
    bool is_on = false, is_flag;
    if (word == NULL)
        return true;
    if (!rules->has_full_tables) {
        is_flag = options_parse_bool(*word ? word : "true", &is_on);
        args->tables = is_on ? MCA_TABLES_NORMAL : MCA_TABLES_NONE;
        return is_flag || fail_set(fail, FAIL_INPUT, bad_flag, option, word);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        args->tables = words[i].tables;
        if (strcmp(word, words[i].word) == 0)
            return true;
    }
    return fail_set(fail, FAIL_INPUT, "for the --%s option: Cannot find option named '%s'!", option, word);
}

// A line for each block has no room for reports.
static bool check_brief(const struct mca_args *args, struct fail *fail) {
    const char *other = args->trace != NULL ? "trace"
                        : args->json        ? "json"
                        : args->timeline    ? "timeline"
                        : args->bottlenecks ? "bottleneck-analysis"
                        : args->all_views   ? "all-views"
                        : args->all_stats   ? "all-stats"
                        : args->tables_word ? "instruction-tables"
                                            : NULL;
    return !args->brief || !other ||
           fail_set(fail, FAIL_INPUT, "--brief prints a line for each block: leave out --%s, or --brief", other);
}

static void take_operand(struct parser *parser, const char *word) {
    struct mca_args *args = parser->args;
    *ARENA_ADD(parser->arena, parser->inputs, args->n_inputs) = word;
    args->inputs = parser->inputs;
}

static enum options_result parse_all(struct parser *parser, int argc, char **argv) {
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            take_operand(parser, word);
        } else {
            enum options_result result = parse_option(parser, argc, argv, &i);
            if (result != OPTIONS_OK)
                return result;
        }
    }
    return OPTIONS_OK;
}

enum options_result mca_options_parse(struct arena *arena, int argc, char **argv, struct mca_args *args,
                                      struct fail *fail) {
    unsigned *positions = ARENA_ARRAY(arena, unsigned, mca_option_count());
    *args = (struct mca_args){
        .positions = positions,
        .skip_word = "none",
        .output = "-",
        .syntax = -1,
        .call_latency = 100,
        .no_alias = true,
        .summary = true,
        .instruction_info = true,
        .resource_pressure = true,
        .timeline_max_cycles = 80,
    };
    struct parser parser = {.arena = arena, .args = args, .positions = positions, .fail = fail};
    enum options_result result = OPTIONS_BAD;
    if (response_expand(arena, &argc, &argv, fail))
        result = parse_all(&parser, argc, argv);
    if (result == OPTIONS_OK && (!parse_skip(args, fail) || !check_brief(args, fail)))
        result = OPTIONS_BAD;
    if (args->output[0] == '\0')
        args->output = "-";
    return result;
}
