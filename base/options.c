#include "base/options.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void add_rows(struct arena *arena, const struct option *rows, struct option **all, size_t *n) {
    for (; rows->help || rows->type == OPTION_ROWS; rows++) {
        if (rows->type == OPTION_ROWS) {
            add_rows(arena, rows->value, all, n);
        } else {
            *ARENA_ADD(arena, *all, *n) = *rows;
        }
    }
}

// Returns the table with the rows of its OPTION_ROWS in their place.
static const struct option *flatten(struct arena *arena, const struct option *options) {
    struct option *all = NULL;
    size_t n = 0;
    add_rows(arena, options, &all, &n);
    all = arena_grow(arena, all, n, sizeof *all);
    all[n] = (struct option){0};
    return all;
}

static const struct option *find(const struct command *command, struct slice name) {
    for (const struct option *option = command->options; option->help; option++)
        if (option->type != OPTION_HEADING && slice_is(name, option->name))
            return option;
    return NULL;
}

static bool unknown_option(struct arena *arena, const struct command *command, const char *word, struct slice name,
                           struct fail *fail) {
    const char **names = NULL;
    size_t n_names = 0;
    for (const struct option *option = command->options; option->help; option++) {
        if (option->type == OPTION_HEADING)
            continue;
        *ARENA_ADD(arena, names, n_names) = arena_printf(arena, "--%s", option->name);
    }
    const char *near =
        text_did_you_mean(arena, arena_printf(arena, "--%.*s", (int)name.length, name.data), names, n_names);
    return fail_set(fail, FAIL_INPUT, "unknown option '%s'%s; '%s --help' lists them", word, near, command->name);
}

bool options_parse_bool(const char *text, bool *value) {
    static const char *const words[] = {"false", "FALSE", "False", "0", "true", "TRUE", "True", "1"};
    enum { N_WORDS = sizeof words / sizeof *words };
    size_t i = text_find(text, words, N_WORDS);
    *value = i >= N_WORDS / 2;
    return i < N_WORDS;
}

static bool parse_count(const char *text, unsigned long *value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    *value = strtoul(text, &end, 0);
    return *end == '\0' && errno == 0;
}

static bool parse_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && *value >= 0;
}

static bool store(struct arena *arena, const struct option *option, const char *text, struct fail *fail) {
    switch (option->type) {
    case OPTION_HEADING:
    case OPTION_ROWS:
        break;
    case OPTION_FLAG:
        if (!text) {
            *(bool *)option->value = true;
            return true;
        }
        return options_parse_bool(text, option->value) ||
               fail_set(fail, FAIL_INPUT, "option --%s takes true or false, not '%s'", option->name, text);
    case OPTION_COUNT:
        ((struct option_count *)option->value)->is_given = true;
        return parse_count(text, &((struct option_count *)option->value)->value) ||
               fail_set(fail, FAIL_INPUT, "option --%s takes a whole number, not '%s'", option->name, text);
    case OPTION_NUMBER:
        return (parse_number(text, option->value) && *(const double *)option->value > 0) ||
               fail_set(fail, FAIL_INPUT, "option --%s takes a number above 0, not '%s'", option->name, text);
    case OPTION_AMOUNT:
        return parse_number(text, option->value) ||
               fail_set(fail, FAIL_INPUT, "option --%s takes 0 or a number above, not '%s'", option->name, text);
    case OPTION_OUTPUT:
        if (strcmp(text, "-") == 0)
            return fail_set(fail, FAIL_INPUT, "option --%s names a file: for standard output, write /dev/stdout",
                            option->name);
        *(const char **)option->value = text;
        return true;
    case OPTION_TEXT:
    case OPTION_STREAM:
        *(const char **)option->value = text;
        return true;
    case OPTION_LIST: {
        struct option_list *list = option->value;
        *ARENA_ADD(arena, list->items, list->n_items) = text;
        return true;
    }
    }
    assert(false);
    return false;
}

// Refuses an option that is given twice: one of the two would be ignored silently.
static bool is_new(const struct command *command, const struct option *option, uint64_t *given, struct fail *fail) {
    size_t index = (size_t)(option - command->options);
    assert(index < 64);
    bool is_repeated = *given >> index & 1;
    *given |= 1ULL << index;
    return !is_repeated || option->type == OPTION_LIST ||
           fail_set(fail, FAIL_INPUT, "option --%s is given twice", option->name);
}

enum { HELP_INDENT = 26, HELP_WIDTH = 80 };

static void print_option(const struct option *option, FILE *out) {
    int column =
        fprintf(out, "  --%s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
    if (column + 2 > HELP_INDENT) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", HELP_INDENT - column, "");
    screen_wrap(option->help, HELP_INDENT, HELP_INDENT, HELP_WIDTH, out);
}

static struct {
    void (*take)(void *context, const struct command *command);
    void *context;
} help_taker;

void options_give_help(void (*take)(void *context, const struct command *command), void *context) {
    help_taker.take = take;
    help_taker.context = context;
}

static void print_help(const struct command *command, FILE *out) {
    if (help_taker.take) {
        help_taker.take(help_taker.context, command);
        return;
    }
    fprintf(out, "Usage: %s %s\n\n", command->name, command->usage);
    screen_puts(command->description, out);
    for (const struct option *option = command->options; option->help; option++) {
        if (option->type == OPTION_HEADING)
            fprintf(out, "\n%s:\n", option->help);
        else
            print_option(option, out);
    }
    fprintf(out, "  %-*s%s\n", HELP_INDENT - 2, "--help", "Print this text.");
    if (command->examples)
        fprintf(out, "\nExamples:\n%s", command->examples);
}

// Parses the option argv[*i] and, where it has one, its argument. `given`: a bit for each option so far.
static enum options_result parse_option(struct arena *arena, const struct command *command, int argc, char **argv,
                                        int *i, uint64_t *given, struct fail *fail) {
    const char *word = argv[*i];
    const char *start = word + (word[1] == '-' ? 2 : 1);
    const char *equals = strchr(start, '=');
    struct slice name = {start, equals ? (size_t)(equals - start) : strlen(start)};
    if (slice_is(name, "help") || slice_is(name, "h")) {
        print_help(command, stdout);
        return OPTIONS_HELP;
    }
    const struct option *option = find(command, name);
    if (!option) {
        unknown_option(arena, command, word, name, fail);
        return OPTIONS_BAD;
    }
    if (!is_new(command, option, given, fail))
        return OPTIONS_BAD;
    const char *text = equals ? equals + 1 : NULL;
    if (!text && option->type != OPTION_FLAG) {
        if (*i + 1 >= argc) {
            fail_set(fail, FAIL_INPUT, "option --%s needs an argument: %s", option->name, option->argument);
            return OPTIONS_BAD;
        }
        text = argv[++*i];
    }
    return store(arena, option, text, fail) ? OPTIONS_OK : OPTIONS_BAD;
}

static bool is_output(const struct option *option) {
    return option->type == OPTION_OUTPUT || option->type == OPTION_STREAM;
}

// Refuses two outputs with one name: the second would replace the first.
static bool are_outputs_apart(const struct command *command, uint64_t given, struct fail *fail) {
    const char *names[64], *paths[64];
    size_t n = 0;
    for (size_t i = 0; command->options[i].help; i++)
        if (given >> i & 1 && is_output(&command->options[i])) {
            names[n] = command->options[i].name;
            paths[n++] = *(const char *const *)command->options[i].value;
        }
    return file_are_apart(paths, names, n, fail);
}

enum options_result options_parse(struct arena *arena, const struct command *command, int argc, char **argv,
                                  struct operands *operands, struct fail *fail) {
    struct command flat = *command;
    bool only_operands = false, options_come_first = text_starts(command->usage, "[options] PROGRAM");
    flat.options = flatten(arena, command->options);
    command = &flat;
    uint64_t given = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            *ARENA_ADD(arena, operands->items, operands->n_items) = word;
            only_operands |= options_come_first;
        } else {
            enum options_result result = parse_option(arena, command, argc, argv, &i, &given, fail);
            if (result != OPTIONS_OK)
                return result;
        }
    }
    return are_outputs_apart(command, given, fail) ? OPTIONS_OK : OPTIONS_BAD;
}

void options_print_help(const struct command *command, FILE *out) {
    struct arena arena = {0};
    struct command flat = *command;
    flat.options = flatten(&arena, command->options);
    print_help(&flat, out);
    arena_free(&arena);
}

bool options_parse_range(const char *text, unsigned *first, unsigned *last, struct fail *fail) {
    enum { MOST = 1000 };
    char *end;
    unsigned long a = strtoul(text, &end, 10), b = a;
    bool is_good = end != text && text[0] != '-';
    if (is_good && strncmp(end, "..", 2) == 0) {
        const char *second = end + 2;
        b = strtoul(second, &end, 10);
        is_good = end != second && second[0] != '-';
    }
    if (!is_good || *end || a < 1 || b < a || b > MOST)
        return fail_set(fail, FAIL_INPUT, "'%s' is not a range: write 1..12, both ends from 1 to %d", text, MOST);
    *first = (unsigned)a;
    *last = (unsigned)b;
    return true;
}
