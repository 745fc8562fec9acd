// cyclops fleet: prints a script that measures bundles on many machines. Its parts are files of the installation.
#include "cli/cli.h"

#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct { const char *nodes, *output; } args = {.output = "measured"};

static const struct option options[] = {
    {OPTION_TEXT, "nodes", "NODES",
     "Which machines, in the tool's own words: n[1-8],@all for slurm and clush, logins such as me@a,me@b for parallel, "
     "labels of runners for github. Default with slurm: all that are up.",
     &args.nodes},
    {OPTION_TEXT, "output", "DIR", "Folder that the script makes for the results. Default: measured.", &args.output},
    {0},
};

static const struct command command = {
    "cyclops fleet",
    "slurm|clush|parallel|github BUNDLE... [options]",
    "Prints a script that measures bundles ('cyclops bundle', 'cyclops survey\n"
    "--bundle') on many machines, with what runs commands there: Slurm, ClusterShell,\n"
    "GNU parallel, or a workflow of GitHub. It is short; read it before you run it.\n"
    "\n"
    "The script asks each node for its kind: vendor, family, model, stepping and\n"
    "microcode. One node of each kind measures. Values come back as they are\n"
    "measured, into DIR/KIND. Nothing stays on a node. The script ends with status 1\n"
    "where a node gave no result, and names it; run again, it goes on from there.\n"
    "Its arguments are options of the bundles.\n"
    "\n"
    "Several bundles, such as those of a survey's shards, are measured by several\n"
    "nodes of a kind, if there are. A bundle in its survey's folder brings back a\n"
    "survey, for 'cyclops table'.\n"
    "\n"
    "In GitHub, each runner measures each bundle; their paths are those in the\n"
    "repository.\n",
    "  cyclops survey --output board --bundle board/probe\n"
    "  cyclops fleet slurm board/probe >fleet.sh\n"
    "  bash fleet.sh --attempt 10\n"
    "  cyclops table measured/*/board\n"
    "  cyclops fleet clush probe --nodes 'n[1-8]' | bash\n"
    "  cyclops fleet github probe --nodes ubuntu-24.04,zen5 >fleet.yml\n",
    options,
};

struct job {
    const char *bundle, *file; // file: where its values go, in the folder of a kind
};

// A survey's bundle stands in the survey's folder, and fills a copy of it.
static const char *file_of(struct arena *arena, const char *bundle) {
    const char *name = file_base(bundle), *folder = arena_copy(arena, bundle, (size_t)(name - bundle));
    if (name > bundle && access(arena_printf(arena, "%scommands.txt", folder), F_OK) == 0)
        return arena_printf(arena, "%s/measurements.jsonl",
                            file_base(arena_copy(arena, bundle, (size_t)(name - bundle - 1))));
    return arena_printf(arena, "%s.jsonl", name);
}

static bool read_jobs(struct arena *arena, const struct operands *bundles, struct job *jobs, struct fail *fail) {
    for (size_t i = 0; i < bundles->n_items; i++) {
        const char *bundle = bundles->items[i];
        if (file_is_folder(bundle) || access(bundle, X_OK) != 0)
            return fail_set(fail, FAIL_INPUT,
                            "'%s' is no bundle: 'cyclops bundle' or 'cyclops survey --bundle' makes one", bundle);
        jobs[i] = (struct job){bundle, file_of(arena, bundle)};
        for (size_t k = 0; k < i; k++)
            if (strcmp(jobs[i].file, jobs[k].file) == 0)
                return fail_set(fail, FAIL_INPUT, "'%s' and '%s' would both write %s: rename one", jobs[k].bundle,
                                bundle, jobs[i].file);
    }
    return true;
}

// The rows of a workflow's matrix.
static bool add_matrix(const struct job *jobs, size_t n, struct text *text, struct fail *fail) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", // of artifacts, too
        in_path[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/";
    struct slice rest = {args.nodes, strlen(args.nodes)}, label;
    for (size_t i = 0; i < n; i++)
        if (*jobs[i].bundle == '/' || jobs[i].bundle[strspn(jobs[i].bundle, in_path)])
            return fail_set(fail, FAIL_INPUT, "'%s': a workflow needs a path in its repository, of plain letters",
                            jobs[i].bundle);
    while (slice_next(&rest, ',', &label)) {
        if (!label.length || strspn(label.data, plain) < label.length)
            return fail_set(fail, FAIL_INPUT, "'%.*s' is no label of a runner", (int)label.length, label.data);
        for (size_t i = 0; i < n; i++)
            text_addf(text, "- {runner: '%.*s', bundle: '%s', file: '%s'}\n", (int)label.length, label.data,
                      jobs[i].bundle, jobs[i].file);
    }
    return true;
}

static void add_list(const char *name, const struct job *jobs, size_t n, bool are_files, struct text *text) {
    text_addf(text, "%s=(", name);
    for (size_t i = 0; i < n; i++) {
        text_add(text, i ? " " : "");
        text_add_word(text, are_files ? jobs[i].file : jobs[i].bundle);
    }
    text_add(text, ")\n");
}

static bool read_part(struct arena *arena, const char *name, char **data, struct fail *fail) {
    return file_read(arena, file_installed(arena, arena_printf(arena, "share/cyclops/fleet/%s", name)), data, NULL,
                     fail);
}

static bool add_settings(struct arena *arena, const char *tool, const struct job *jobs, size_t n, struct text *text,
                         struct fail *fail) {
    char *functions;
    if (!read_part(arena, arena_printf(arena, "%s.sh", tool), &functions, fail))
        return false;
    text_add(text, "nodes=");
    text_add_word(text, args.nodes ? args.nodes : "");
    text_add(text, "\noutput=");
    text_add_word(text, args.output);
    text_add(text, "\n");
    add_list("bundles", jobs, n, false, text);
    add_list("files", jobs, n, true, text);
    text_addf(text, "\n%s", functions);
    return true;
}

// No line follows the last newline.
static bool next_line(struct slice *rest, struct slice *line) {
    return slice_next(rest, '\n', line) && (line->length || rest->length);
}

// Adds the lines, each with what stands before it.
static void add_indented(const char *lines, struct slice indent, struct text *text) {
    struct slice rest = {lines, strlen(lines)}, line;
    while (next_line(&rest, &line)) {
        text_append(text, indent.data, line.length ? indent.length : 0);
        text_append(text, line.data, line.length);
        text_add(text, "\n");
    }
}

// Prints a part. A line "@settings@" stands for those, and "@FILE@" for that part.
static bool print_part(struct arena *arena, const char *name, const char *settings, struct fail *fail) {
    char *part, *inner;
    struct text text = {.arena = arena};
    if (!read_part(arena, name, &part, fail))
        return false;
    struct slice rest = {part, strlen(part)}, line;
    while (next_line(&rest, &line)) {
        struct slice word = slice_trim(line), indent = {line.data, (size_t)(word.data - line.data)};
        if (word.length < 3 || *word.data != '@') {
            text_append(&text, line.data, line.length);
            text_add(&text, "\n");
            continue;
        }
        const char *key = arena_copy(arena, word.data + 1, word.length - 2);
        bool is_part = strcmp(key, "settings") != 0;
        if (is_part && !read_part(arena, key, &inner, fail))
            return false;
        add_indented(is_part ? inner : settings, indent, &text);
    }
    fputs(text.data, stdout);
    return true;
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const char *const tools[] = {"slurm", "clush", "parallel", "github"};
    enum { N_TOOLS = sizeof tools / sizeof *tools };
    if (operands->n_items < 2)
        return fail_set(fail, FAIL_INPUT, "name slurm, clush, parallel or github, and bundles");
    const char *tool = operands->items[0];
    const struct operands bundles = {operands->items + 1, operands->n_items - 1};
    struct job *jobs = ARENA_ARRAY(arena, struct job, bundles.n_items);
    struct text settings = {.arena = arena};
    bool is_workflow = strcmp(tool, "github") == 0;
    if (text_find(tool, tools, N_TOOLS) == N_TOOLS)
        return fail_set(fail, FAIL_INPUT, "there is no '%s': slurm, clush, parallel or github", tool);
    if (!args.nodes && strcmp(tool, "slurm") != 0)
        return fail_set(fail, FAIL_INPUT, "say on which machines: --nodes");
    return read_jobs(arena, &bundles, jobs, fail) &&
           (is_workflow ? add_matrix(jobs, bundles.n_items, &settings, fail)
                        : add_settings(arena, tool, jobs, bundles.n_items, &settings, fail)) &&
           print_part(arena, is_workflow ? "github.yml" : "measure.sh", settings.data, fail);
}

int cmd_fleet(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
