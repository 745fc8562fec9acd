// cyclops completion: a script with which a shell completes the command line. It is made from the commands' own tables
// of options, so it offers what the help shows.
#include "cli/cli.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {{0}};

static const struct command command = {
    "cyclops completion",
    "bash|zsh|fish",
    "Prints a script with which the shell completes commands, options, their values,\n"
    "kernels, forms, models and files. An installation puts it where the shells look\n"
    "for it.\n",
    "  source <(cyclops completion bash)\n"
    "  cyclops completion zsh >~/.zfunc/_cyclops    # a folder of $fpath\n"
    "  cyclops completion fish >~/.config/fish/completions/cyclops.fish\n",
    options,
};

// What may stand in a place: words, and kinds of words that the shell looks up, "@file".
struct values {
    const char **items;
    size_t n;
};

struct described {
    const char *name;      // of the command
    struct values first;   // words that the first operand is one of
    struct values further; // kinds of operands
    const struct option *options;
    struct values *arguments; // of the options, by their index
};

// Placeholders of the help that the shell can look up.
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
    for (size_t i = 0; i < values->n; i++)
        if (strcmp(values->items[i], value) == 0)
            return;
    *ARENA_ADD(arena, values->items, values->n) = value;
}

// Adds what a text offers, such as "KERNEL|FILE.s" or "unrolled|looped".
static void add_values(struct arena *arena, struct slice text, struct values *words, struct values *kinds) {
    struct slice word;
    while (slice_next(&text, '|', &word)) {
        while (word.length > 3 && strncmp(word.data + word.length - 3, "...", 3) == 0)
            word.length -= 3;
        const char *kind = kind_of(word);
        bool is_many = kind && strcmp(kind, "@form") == 0 && kinds->n; // thousands would hide a command's kernels
        if (kind && !is_many)
            add_value(arena, kinds, kind);
        else if (!kind && is_plain_word(word))
            add_value(arena, words, arena_copy(arena, word.data, word.length));
    }
}

// Reads the operands from a usage, such as "KERNEL...|FILE.s [options]". An option in it takes its argument along.
static void read_usage(struct arena *arena, const char *usage, struct described *described) {
    char *text = arena_strdup(arena, usage);
    for (char *c = text; *c; c++)
        if (strchr("[]", *c))
            *c = ' ';
    struct slice rest = {text, strlen(text)}, word;
    while (slice_next(&rest, ' ', &word)) {
        if (word.length > 2 && strncmp(word.data, "--", 2) == 0)
            slice_next(&rest, ' ', &word);
        else if (!slice_is(word, "options"))
            add_values(arena, word, &described->first, &described->further);
    }
}

// ---- the commands, as their help describes them

struct gathering {
    struct arena *arena;
    struct described *items;
    size_t n;
    const char *name; // of the command that is asked
};

static void take(void *context, const struct command *each) {
    struct gathering *all = context;
    struct described *described = ARENA_ADD(all->arena, all->items, all->n);
    size_t n = 0;
    while (each->options[n].help)
        n++;
    struct option *rows = ARENA_ARRAY(all->arena, struct option, n + 1);
    memcpy(rows, each->options, n * sizeof *rows); // what it points to is constant
    rows[n] = (struct option){0};
    *described = (struct described){
        .name = all->name, .options = rows, .arguments = ARENA_ARRAY(all->arena, struct values, n + 1)};
    for (size_t i = 0; i < n; i++) {
        const char *argument = rows[i].argument;
        described->arguments[i] = (struct values){0};
        if (argument && rows[i].type != OPTION_HEADING)
            add_values(all->arena, (struct slice){argument, strlen(argument)}, &described->arguments[i],
                       &described->arguments[i]);
    }
    read_usage(all->arena, each->usage, described);
}

static void gather(struct gathering *all) {
    char help[] = "--help";
    options_give_help(take, all);
    for (size_t i = 0; i < cli_n_commands; i++) {
        char *name = arena_strdup(all->arena, cli_commands[i].name), *arguments[] = {name, help, NULL};
        all->name = name;
        cli_commands[i].run(2, arguments);
    }
    options_give_help(NULL, NULL);
}

static const char *joined(struct arena *arena, const struct values *values, const char *between) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (size_t i = 0; i < values->n; i++)
        text_addf(&text, "%s%s", i ? between : "", values->items[i]);
    return text.data;
}

static bool is_option(const struct option *row) {
    return row->type != OPTION_HEADING;
}

// The first sentence of a help, for a list that has one line for each option. Without what the shells take for marks.
static const char *summary(struct arena *arena, const char *help) {
    enum { MOST = 72 };
    const char *end = strstr(help, ". ");
    size_t n = end ? (size_t)(end - help) : strlen(help);
    if (n > MOST)
        for (n = MOST; n > 1 && help[n] != ' ';)
            n--;
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (size_t i = 0; i < n; i++)
        if (!strchr("[]:'\"\\`$", help[i]))
            text_append(&text, &help[i], 1);
    while (text.length && strchr(".,;( ", text.data[text.length - 1]))
        text.data[--text.length] = '\0';
    return text.data;
}

// ---- bash

static const char bash_head[] =
    "# Completes 'cyclops' in bash. Made by 'cyclops completion bash'.\n"
    "_cyclops_names() { \"$_cyclops_program\" list \"$1\" --json 2>/dev/null | sed -n \"$2\"; }\n"
    "_cyclops_models() { _cyclops_names models 's/^{\"model\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "_cyclops_lookup() { # KIND: prints its words\n"
    "    case $1 in\n"
    "    @model) _cyclops_models; compgen -f -X '!*.yaml' -- \"$cur\" ;;\n"
    "    @llvm) _cyclops_names models 's/.*\"llvm\":\\[\\([0-9,]*\\)\\].*/\\1/p' | tr , '\\n' | sort -u ;;\n"
    "    @target) printf 'native\\n'; _cyclops_models | sed 's/^/sim:/' ;;\n"
    "    @kernel) _cyclops_names kernels 's/^{\"kernel\":\"\\([^\"]*\\)\".*/\\1/p' | sort -u ;;\n"
    "    @form) _cyclops_names forms 's/^{\"form\":\"\\([^\"]*\\)\".*/\\1/p' ;;\n"
    "    @file) compgen -f -- \"$cur\" ;;\n"
    "    @folder) compgen -d -- \"$cur\" ;;\n"
    "    *) printf '%s\\n' \"$1\" ;;\n"
    "    esac\n"
    "}\n"
    "_cyclops() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words=() cur option= command= named= takes= options= first= further= "
    "values=\n"
    "    local n=0 i word head each offered _cyclops_program=$1\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=('')\n"
    "    cur=${words[-1]} head=${words[-1]}\n"
    "    ((${#words[@]} > 2)) && command=${words[1]}\n"
    "    case $command in\n";

static const char bash_tail[] =
    "    esac\n"
    "    for ((i = 2; i < ${#words[@]} - 1; i++)); do\n"
    "        word=${words[i]}\n"
    "        if [[ -n $option ]]; then\n"
    "            option=\n"
    "        elif [[ $word == -?* ]]; then\n"
    "            word=${word#-} word=${word#-}\n"
    "            [[ $word != *=* && $takes == *\" $word \"* ]] && option=$word\n"
    "        else\n"
    "            n=$((n + 1))\n"
    "        fi\n"
    "    done\n"
    "    if [[ -z $option && $cur == -*=* ]]; then\n"
    "        option=${cur%%=*} option=${option#-} option=${option#-}\n"
    "        named=${cur%%=*}= cur=${cur#*=}\n"
    "    fi\n"
    "    if [[ -n $option ]]; then\n"
    "        _cyclops_values \"$command\" \"$option\"\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        values=$options\n"
    "    elif [[ -n $first && $n == 0 ]]; then\n"
    "        values=$first\n"
    "    else\n"
    "        values=$further\n"
    "    fi\n"
    "    [[ $values == *@file* || $values == *@folder* ]] && compopt -o filenames 2>/dev/null\n"
    "    # What readline takes for words of their own is not repeated.\n"
    "    [[ $COMP_WORDBREAKS == *:* && $head == *:* ]] && i=${head%\"${head##*:}\"} || i=\n"
    "    [[ $COMP_WORDBREAKS == *=* && $head == *=* ]] && head=${head%\"${head##*=}\"} || head=\n"
    "    ((${#i} > ${#head})) && head=$i\n"
    "    COMPREPLY=()\n"
    "    for each in $values; do\n"
    "        while IFS= read -r offered; do\n"
    "            [[ $offered == \"$cur\"* ]] || continue\n"
    "            offered=$named$offered\n"
    "            COMPREPLY+=(\"${offered#\"$head\"}\")\n"
    "        done < <(_cyclops_lookup \"$each\")\n"
    "    done\n"
    "}\n"
    "complete -F _cyclops cyclops\n";

static void print_bash(struct arena *arena, const struct gathering *all, FILE *out) {
    fputs(bash_head, out);
    struct text names = {.arena = arena};
    for (size_t i = 0; i < all->n; i++)
        text_addf(&names, "%s ", all->items[i].name);
    fprintf(out, "    '') first='%shelp' options='--help --version' ;;\n    help) first='%s' ;;\n", names.data,
            names.data);
    for (size_t i = 0; i < all->n; i++) {
        const struct described *each = &all->items[i];
        fprintf(out, "    %s)\n        options='", each->name);
        for (const struct option *row = each->options; row->help; row++)
            if (is_option(row))
                fprintf(out, "--%s ", row->name);
        fputs("--help' takes=' ", out);
        for (const struct option *row = each->options; row->help; row++)
            if (is_option(row) && row->argument)
                fprintf(out, "%s ", row->name);
        fprintf(out, "'\n        first='%s' further='%s'\n        ;;\n", joined(arena, &each->first, " "),
                joined(arena, &each->further, " "));
    }
    fputs(bash_tail, out);
    fputs("_cyclops_values() { # COMMAND OPTION: sets values\n    case \"$1 $2\" in\n", out);
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; all->items[i].options[k].help; k++)
            if (all->items[i].arguments[k].n)
                fprintf(out, "    '%s %s') values='%s' ;;\n", all->items[i].name, all->items[i].options[k].name,
                        joined(arena, &all->items[i].arguments[k], " "));
    fputs("    esac\n}\n", out);
}

// ---- zsh

static const char zsh_head[] =
    "#compdef cyclops\n"
    "# Completes 'cyclops' in zsh. Made by 'cyclops completion zsh'.\n"
    "_cyclops_names() { \"$_cyclops_program\" list $1 --json 2>/dev/null | sed -n \"$2\" }\n"
    "_cyclops_models() { _cyclops_names models 's/^{\"model\":\"\\([^\"]*\\)\".*/\\1/p' }\n"
    "_cyclops_offer() { # words, and kinds of them\n"
    "    local each\n"
    "    local -a offered\n"
    "    for each; do\n"
    "        case $each in\n"
    "        @model) offered+=(${(f)\"$(_cyclops_models)\"}); _files -g '*.yaml' ;;\n"
    "        @llvm) offered+=(${(fu)\"$(_cyclops_names models 's/.*\"llvm\":\\[\\([0-9,]*\\)\\].*/\\1/p' | tr , "
    "'\\n')\"}) ;;\n"
    "        @target) offered+=(native sim:${(f)^\"$(_cyclops_models)\"}) ;;\n"
    "        @kernel) offered+=(${(fu)\"$(_cyclops_names kernels 's/^{\"kernel\":\"\\([^\"]*\\)\".*/\\1/p')\"}) ;;\n"
    "        @form) offered+=(${(f)\"$(_cyclops_names forms 's/^{\"form\":\"\\([^\"]*\\)\".*/\\1/p')\"}) ;;\n"
    "        @file) _files ;;\n"
    "        @folder) _files -/ ;;\n"
    "        *) offered+=($each) ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ! $#offered )) || compadd -a offered\n"
    "}\n"
    "_cyclops() {\n"
    "    local _cyclops_program=$words[1]\n"
    "    local -a commands\n"
    "    commands=(\n";

static void print_zsh(struct arena *arena, const struct gathering *all, FILE *out) {
    fputs(zsh_head, out);
    for (size_t i = 0; i < all->n; i++)
        fprintf(out, "        '%s:%s'\n", all->items[i].name, summary(arena, cli_commands[i].about));
    fputs("        'help:explain a command'\n"
          "    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $words[1] in\n"
          "    help) _describe command commands ;;\n",
          out);
    for (size_t i = 0; i < all->n; i++) {
        const struct described *each = &all->items[i];
        fprintf(out, "    %s)\n        _arguments", each->name);
        for (size_t k = 0; each->options[k].help; k++) {
            const struct option *row = &each->options[k];
            const struct values *values = &each->arguments[k];
            const char *about = summary(arena, row->help);
            if (!is_option(row))
                continue;
            if (!row->argument)
                fprintf(out, " \\\n            '--%s[%s]'", row->name, about);
            else if (!values->n)
                fprintf(out, " \\\n            '%s--%s=[%s]:%s:'", row->type == OPTION_LIST ? "*" : "", row->name,
                        about, summary(arena, row->argument));
            else
                fprintf(out, " \\\n            '%s--%s=[%s]:%s:{_cyclops_offer %s}'",
                        row->type == OPTION_LIST ? "*" : "", row->name, about, row->name, joined(arena, values, " "));
        }
        fputs(" \\\n            '--help[Print help]'", out);
        if (each->first.n)
            fprintf(out, " \\\n            '1:what:{_cyclops_offer %s}'", joined(arena, &each->first, " "));
        if (each->further.n)
            fprintf(out, " \\\n            '*:operand:{_cyclops_offer %s}'", joined(arena, &each->further, " "));
        fputs("\n        ;;\n", out);
    }
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _cyclops ]]; then\n" // loaded from a folder of $fpath: this file is the function
          "    _cyclops \"$@\"\n"
          "else\n"
          "    compdef _cyclops cyclops\n"
          "fi\n",
          out);
}

// ---- fish

static const char fish_head[] =
    "# Completes 'cyclops' in fish. Made by 'cyclops completion fish'.\n"
    "function __cyclops_names\n"
    "    set -l program (commandline -opc)[1]\n"
    "    $program list $argv[1] --json 2>/dev/null | string replace -rf $argv[2] '$1'\n"
    "end\n"
    "function __cyclops_model\n"
    "    __cyclops_names models '^\\{\"model\":\"([^\"]*)\".*'\n"
    "    __fish_complete_suffix .yaml\n"
    "end\n"
    "function __cyclops_llvm\n"
    "    __cyclops_names models '.*\"llvm\":\\[([0-9,]+)\\].*' | string split , | sort -u\n"
    "end\n"
    "function __cyclops_target\n"
    "    echo native\n"
    "    __cyclops_names models '^\\{\"model\":\"([^\"]*)\".*' | string replace -r '^' sim:\n"
    "end\n"
    "function __cyclops_kernel\n"
    "    __cyclops_names kernels '^\\{\"kernel\":\"([^\"]*)\".*' | sort -u\n"
    "end\n"
    "function __cyclops_form\n"
    "    __cyclops_names forms '^\\{\"form\":\"([^\"]*)\".*'\n"
    "end\n"
    "function __cyclops_folder\n"
    "    __fish_complete_directories (commandline -ct | string replace -r '^-[^=]*=' '')\n"
    "end\n"
    "function __cyclops_is # COMMAND: it is the first word\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
    "end\n"
    "function __cyclops_is_bare # COMMAND: likewise, and no operand follows\n"
    "    __cyclops_is $argv[1]; and test (count (commandline -opc)) -eq 2\n"
    "end\n"
    "complete -c cyclops -f\n"
    "complete -c cyclops -n 'test (count (commandline -opc)) -eq 1' -l help -d 'Print help'\n"
    "complete -c cyclops -n 'test (count (commandline -opc)) -eq 1' -l version -d 'Print the version'\n";

// What "-a" takes: words, and calls of functions. Files need no word: fish has them unless -f or -x stops it.
static const char *fish_values(struct arena *arena, const struct values *values, bool *has_files) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    *has_files = false;
    for (size_t i = 0; i < values->n; i++) {
        const char *value = values->items[i];
        if (strcmp(value, "@file") == 0)
            *has_files = true;
        else if (*value == '@')
            text_addf(&text, "%s(__cyclops_%s)", text.length ? " " : "", value + 1);
        else
            text_addf(&text, "%s%s", text.length ? " " : "", value);
    }
    return text.data;
}

static void print_fish(struct arena *arena, const struct gathering *all, FILE *out) {
    fputs(fish_head, out);
    for (size_t i = 0; i < all->n; i++)
        fprintf(
            out,
            "complete -c cyclops -n 'test (count (commandline -opc)) -eq 1; or __cyclops_is_bare help' -a %s -d '%s'\n",
            all->items[i].name, summary(arena, cli_commands[i].about));
    fputs("complete -c cyclops -n 'test (count (commandline -opc)) -eq 1' -a help -d 'explain a command'\n", out);
    for (size_t i = 0; i < all->n; i++) {
        const struct described *each = &all->items[i];
        bool has_files;
        for (size_t k = 0; each->options[k].help; k++) {
            const struct option *row = &each->options[k];
            if (!is_option(row))
                continue;
            fprintf(out, "complete -c cyclops -n '__cyclops_is %s' -l %s", each->name, row->name);
            const char *values = fish_values(arena, &each->arguments[k], &has_files);
            if (row->argument)
                fputs(has_files ? " -rF" : " -x", out);
            if (*values)
                fprintf(out, " -a '%s'", values);
            fprintf(out, " -d '%s'\n", summary(arena, row->help));
        }
        fprintf(out, "complete -c cyclops -n '__cyclops_is %s' -l help -d 'Print help'\n", each->name);
        if (each->first.n)
            fprintf(out, "complete -c cyclops -n '__cyclops_is_bare %s' -a '%s'\n", each->name,
                    joined(arena, &each->first, " "));
        const char *further = fish_values(arena, &each->further, &has_files);
        if (*further)
            fprintf(out, "complete -c cyclops -n '__cyclops_is %s' -a '%s'\n", each->name, further);
        if (has_files)
            fprintf(out, "complete -c cyclops -n '__cyclops_is %s; and not __cyclops_is_bare %s' -F\n", each->name,
                    each->first.n ? each->name : "-");
    }
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const struct {
        const char *name;
        void (*print)(struct arena *arena, const struct gathering *all, FILE *out);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    struct gathering all = {.arena = arena};
    for (size_t i = 0; operands->n_items == 1 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(operands->items[0], shells[i].name) == 0) {
            gather(&all);
            shells[i].print(arena, &all, stdout);
            return true;
        }
    if (operands->n_items == 1)
        return fail_set(fail, FAIL_INPUT, "unknown shell '%s': there are bash, zsh and fish", operands->items[0]);
    return fail_set(fail, FAIL_INPUT, "name one shell: bash, zsh or fish");
}

int cmd_completion(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
