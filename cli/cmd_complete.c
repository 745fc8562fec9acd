// cyclops __complete: what may stand at the end of a command line, for the scripts in share/ with which the shells
// complete. Commands, options and their values are from the tables that the help is made of.
//
//     cyclops __complete WORD...
//
// The words are those behind the program's name; the last one is to be completed, and may be empty. A line of the
// output is a whole word, a tab and a clause about it; or what the shell finds itself: "@file", "@folder", "@yaml".
#include "cli/cli.h"

#include "analyzer/model/model.h"
#include "base/file.h"
#include "base/text.h"
#include "blocks/decoder.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// What may stand in a place: words, and kinds of words that are looked up, "@kernel".
struct values {
    const char **items;
    size_t n;
};

// A command as its help describes it.
struct described {
    struct arena *arena;
    const struct option *options;
    struct values first;   // words that the first operand is one of
    struct values further; // kinds of operands
};

// The word to complete. Of "--mode=la", only "la" is.
struct wanted {
    struct arena *arena;
    const char *before; // "--mode="
    const char *start;  // "la"
};

static void offer(const struct wanted *wanted, const char *word, const char *about) {
    if (text_starts(word, wanted->start))
        printf("%s%s\t%s\n", wanted->before, word, about);
}

// The first sentence of a help, for a list that has one line for each option.
static const char *summary(struct arena *arena, const char *help) {
    enum { MOST = 72 };
    const char *end = strstr(help, ". ");
    size_t n = end ? (size_t)(end - help) : strlen(help);
    if (n > MOST)
        for (n = MOST; n > 1 && help[n] != ' ';)
            n--;
    while (n && strchr(".,;( ", help[n - 1]))
        n--;
    return arena_copy(arena, help, n);
}

// ---- what a help states of words

static const char *kind_of(struct slice word) {
    static const struct {
        const char *placeholder, *kind;
    } kinds[] = {
        {"FILE", "@file"},     {"FILE.s", "@file"},   {"FILE.o", "@file"}, {"FILE.yaml", "@file"}, {"PROFILE", "@file"},
        {"OUT", "@file"},      {"RESULTS", "@file"},  {"BEFORE", "@file"}, {"AFTER", "@file"},     {"INPUT", "@file"},
        {"DIR", "@folder"},    {"FOLDER", "@folder"}, {"CPU", "@model"},   {"MODEL", "@model"},    {"LLVM", "@llvm"},
        {"TARGET", "@target"}, {"KERNEL", "@kernel"}, {"FORM", "@form"},   {"PATTERN", "@form"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (slice_is(word, kinds[i].placeholder))
            return kinds[i].kind;
    return NULL;
}

static bool is_plain_word(struct slice word) {
    for (size_t i = 0; i < word.length; i++)
        if (!islower((unsigned char)word.data[i]) && !isdigit((unsigned char)word.data[i]) &&
            !strchr("-_", word.data[i]))
            return false;
    return word.length > 1 && word.data[0] != '-';
}

static void add_value(struct arena *arena, struct values *values, const char *value) {
    if (text_find(value, values->items, values->n) == values->n)
        *ARENA_ADD(arena, values->items, values->n) = value;
}

// Adds what a text offers, such as "KERNEL|FILE.s" or "unrolled|looped".
static void add_values(struct arena *arena, struct slice text, struct values *words, struct values *kinds) {
    struct slice word;
    while (slice_next(&text, '|', &word)) {
        while (word.length > 3 && strncmp(word.data + word.length - 3, "...", 3) == 0)
            word.length -= 3;
        for (; word.length && strchr("[=", *word.data); word.length--)
            word.data++;
        word.length -= word.length && word.data[word.length - 1] == ']';
        const char *kind = kind_of(word);
        bool is_many = kind && strcmp(kind, "@form") == 0 && kinds->n; // thousands would hide a command's kernels
        if (kind && !is_many)
            add_value(arena, kinds, kind);
        else if (!kind && is_plain_word(word))
            add_value(arena, words, arena_copy(arena, word.data, word.length));
    }
}

// Reads the operands from a usage, such as "KERNEL...|FILE.s [options]". An option in it takes its argument along.
static void read_usage(const char *usage, struct described *described) {
    char *text = arena_strdup(described->arena, usage);
    for (char *c = text; *c; c++)
        if (strchr("[]", *c))
            *c = ' ';
    struct slice rest = {text, strlen(text)}, word;
    while (slice_next(&rest, ' ', &word)) {
        if (word.length > 2 && strncmp(word.data, "--", 2) == 0)
            slice_next(&rest, ' ', &word);
        else if (!slice_is(word, "options"))
            add_values(described->arena, word, &described->first, &described->further);
    }
}

static void take(void *context, const struct command *command) {
    struct described *described = context;
    size_t n = 0;
    while (command->options[n].help)
        n++;
    struct option *rows = ARENA_ARRAY(described->arena, struct option, n + 1);
    memcpy(rows, command->options, n * sizeof *rows); // what it points to is constant
    rows[n] = (struct option){0};
    described->options = rows;
    read_usage(command->usage, described);
}

// False: there is no such command.
static bool describe(const char *name, struct described *described) {
    char help[] = "--help", *arguments[] = {arena_strdup(described->arena, name), help, NULL};
    for (size_t i = 0; i < cli_n_commands; i++)
        if (strcmp(name, cli_commands[i].name) == 0) {
            options_give_help(take, described);
            cli_commands[i].run(2, arguments);
            options_give_help(NULL, NULL);
            return true;
        }
    return false;
}

// ---- what is looked up

static void offer_cpus(const struct wanted *wanted, const char *before) {
    struct arena *arena = wanted->arena;
    struct fail ignored = {0};
    const struct isa *isa = cli_isa(arena, NULL, &ignored);
    const unsigned *majors;
    struct values seen = {0};
    size_t n_versions = isa ? backend_versions(arena, &majors) : 0;
    for (size_t i = 0; i < n_versions; i++) {
        const struct backend *backend = backend_load(arena, arena_printf(arena, "%u", majors[i]), &ignored);
        const char *const *names;
        size_t n = backend ? backend->list_cpus(arena, isa->triple, &names, NULL, &ignored) : 0;
        for (size_t k = 0; k < n; k++)
            add_value(arena, &seen, names[k]);
    }
    for (size_t i = 0; i < seen.n; i++)
        offer(wanted, arena_printf(arena, "%s%s", before, seen.items[i]), "");
    const char **files;
    size_t n_files = file_list(arena, file_installed(arena, "share/cyclops/machines"), ".yaml", &files);
    for (size_t i = 0; i < n_files; i++)
        offer(wanted, arena_printf(arena, "%soverlay:%.*s", before, (int)strcspn(files[i], "."), files[i]), "");
}

static void offer_models(const struct wanted *wanted) {
    const char *const *files;
    size_t n = model_list_cpu_files(wanted->arena, &files);
    offer_cpus(wanted, "");
    for (size_t i = 0; i < n; i++)
        offer(wanted, files[i], "");
    puts("@yaml");
}

static void offer_targets(const struct wanted *wanted) {
    offer(wanted, "native", "this machine");
    offer_cpus(wanted, "sim:");
}

static void offer_versions(const struct wanted *wanted) {
    const unsigned *majors;
    size_t n = backend_versions(wanted->arena, &majors);
    for (size_t i = 0; i < n; i++)
        offer(wanted, arena_printf(wanted->arena, "%u", majors[i]), "");
}

static void offer_kernels(const struct wanted *wanted) {
    struct kernel_set set = {0};
    struct fail ignored = {0};
    struct values seen = {0};
    if (!cli_load_kernels(wanted->arena, NULL, NULL, &set, &ignored))
        return;
    for (size_t i = 0; i < set.n_kernels; i++) {
        size_t n = seen.n; // several ISAs may have one of this name
        add_value(wanted->arena, &seen, set.kernels[i].name);
        if (seen.n > n)
            offer(wanted, set.kernels[i].name, "");
    }
}

static void offer_forms(const struct wanted *wanted) {
    struct fail ignored = {0};
    const struct isa *isa = cli_isa(wanted->arena, NULL, &ignored);
    if (!isa)
        return;
    struct decoder_cpu widest = decoder_widest(isa);
    const struct backend_options options = {.triple = isa->triple,
                                            .cpu = widest.cpu,
                                            .features = widest.features,
                                            .without_model = true,
                                            .output_syntax = -1};
    struct model model;
    const struct form *forms;
    size_t n;
    if (model_open(&model, wanted->arena, NULL, &options, &ignored) &&
        model.backend->forms(model.cpu, wanted->arena, &forms, &n, &ignored))
        for (size_t i = 0; i < n; i++)
            if (forms[i].status == FORM_USABLE)
                offer(wanted, forms[i].name, "");
    model_close(&model);
}

static void offer_values(const struct wanted *wanted, const struct values *values) {
    static const struct {
        const char *kind;
        void (*offer)(const struct wanted *wanted);
    } lookups[] = {{"@model", offer_models},
                   {"@target", offer_targets},
                   {"@llvm", offer_versions},
                   {"@kernel", offer_kernels},
                   {"@form", offer_forms}};
    for (size_t i = 0; i < values->n; i++) {
        const char *value = values->items[i];
        if (*value != '@') {
            offer(wanted, value, "");
            continue;
        }
        size_t k = 0;
        while (k < sizeof lookups / sizeof *lookups && strcmp(value, lookups[k].kind) != 0)
            k++;
        if (k < sizeof lookups / sizeof *lookups)
            lookups[k].offer(wanted);
        else
            puts(value);
    }
}

// ---- the command line

static void offer_commands(const struct wanted *wanted) {
    for (size_t i = 0; i < cli_n_commands; i++)
        offer(wanted, cli_commands[i].name, cli_commands[i].about);
}

// With one dash or two, as the word begins.
static void offer_options(const struct wanted *wanted, const struct option *options) {
    const char *dashes = wanted->start[1] && wanted->start[1] != '-' ? "-" : "--";
    for (const struct option *row = options; row->help; row++)
        if (row->type != OPTION_HEADING)
            offer(wanted, arena_printf(wanted->arena, "%s%s", dashes, row->name), summary(wanted->arena, row->help));
    offer(wanted, arena_printf(wanted->arena, "%shelp", dashes), "Print help");
}

// The option that a word names, with one dash or two, up to a '='. Null: it is not an option.
static const struct option *option_of(const struct option *options, const char *word) {
    const char *name = word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');
    size_t n = strcspn(name, "=");
    for (const struct option *row = options; *word == '-' && row->help; row++)
        if (row->type != OPTION_HEADING && strlen(row->name) == n && strncmp(row->name, name, n) == 0)
            return row;
    return NULL;
}

// Whether the option's value is the next word. One in brackets stands behind '='.
static bool takes_next(const struct option *option) {
    return option && option->argument && *option->argument != '[';
}

static void complete_command(struct wanted *wanted, char **words, int n) {
    struct described command = {.arena = wanted->arena};
    const char *last = words[n - 1], *equals = strchr(last, '=');
    const struct option *open = NULL; // the option whose value the next word is
    size_t n_operands = 0;
    if (!describe(words[0], &command))
        return;
    for (int i = 1; i < n - 1; i++) {
        const struct option *option = open ? NULL : option_of(command.options, words[i]);
        n_operands += !open && !(words[i][0] == '-' && words[i][1]);
        open = takes_next(option) && !strchr(words[i], '=') ? option : NULL;
    }
    if (!open && *last == '-' && equals) {
        open = option_of(command.options, last);
        wanted->before = arena_copy(wanted->arena, last, (size_t)(equals + 1 - last));
        wanted->start = equals + 1;
        if (!open)
            return;
    }
    struct values values = {0};
    if (open && open->argument)
        add_values(wanted->arena, (struct slice){open->argument, strlen(open->argument)}, &values, &values);
    if (open)
        offer_values(wanted, &values);
    else if (*last == '-')
        offer_options(wanted, command.options);
    else
        offer_values(wanted, command.first.n && !n_operands ? &command.first : &command.further);
}

int cmd_complete(int argc, char **argv) {
    struct arena arena = {0};
    char empty[] = "", *none[] = {empty};
    char **words = argc > 1 ? argv + 1 : none;
    int n = argc > 1 ? argc - 1 : 1;
    struct wanted wanted = {&arena, "", words[n - 1]};
    if (n == 1 && *words[0] == '-') {
        offer(&wanted, "--help", "Print help");
        offer(&wanted, "--version", "Print the version");
    } else if (n == 1) {
        offer_commands(&wanted);
        offer(&wanted, "help", "explain a command");
    } else if (strcmp(words[0], "help") == 0) {
        if (n == 2)
            offer_commands(&wanted);
    } else {
        complete_command(&wanted, words, n);
    }
    arena_free(&arena);
    return cli_finish();
}
