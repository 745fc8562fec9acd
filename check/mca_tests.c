#include "check/mca_tests.h"

#include "base/file.h"
#include "base/text.h"
#include "check/td_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// What a line of a test asks for (LLVM's docs/CommandGuide/FileCheck.rst).
enum check_kind {
    CHECK_SOMEWHERE, // PREFIX: a line behind the last one that was found
    CHECK_NEXT,      // PREFIX-NEXT: the line behind it
    CHECK_EMPTY,     // PREFIX-EMPTY: likewise, and it is empty
    CHECK_OTHER,     // PREFIX-NOT, -DAG and the like
};

// A line of the test: "# ALL-NEXT:      Instructions:      1000"
struct check_line {
    size_t number; // from 0
    enum check_kind kind;
    struct slice prefix; // ALL
    struct slice head;   // up to the colon, with it
    struct slice text;   // behind the colon, blanks included
};

struct lines {
    struct slice *items; // without the newline
    size_t n;
};

enum { MOST_PREFIXES = 16 };

// A RUN line.
struct run {
    struct mca_test_run run;
    struct slice prefixes[MOST_PREFIXES];
    size_t n_prefixes;
    bool is_of_cpu;
};

struct test {
    struct arena *arena;
    const struct mca_tests_request *request;
    const char *path;
    const char *data;
    size_t length;
    struct lines lines;
    const char **now; // of each line: what is there instead; null: it stays as it is, or no run has got to it
    bool *is_settled; // of each line: a run has got to it
    const char *why;  // it is left alone; null: it is not
    bool is_not_reproduced;
    size_t n_changed;
};

// Leaves the test alone. Returns false.
static bool leave(struct test *test, const char *why) {
    test->why = test->why ? test->why : why;
    return false;
}

static struct lines split_lines(struct arena *arena, const char *data, size_t length) {
    struct lines lines = {0};
    struct slice rest = {data, length}, line;
    while (slice_next(&rest, '\n', &line))
        *ARENA_ADD(arena, lines.items, lines.n) = line;
    return lines;
}

// ---- RUN lines

// The commands of the RUN lines: one that ends with a backslash goes on in the next.
static const char **find_commands(struct test *test, size_t *n) {
    const char **commands = NULL;
    struct text pending = {.arena = test->arena};
    *n = 0;
    for (size_t i = 0; i < test->lines.n; i++) {
        const struct slice line = test->lines.items[i];
        const char *at = memmem(line.data, line.length, "RUN:", 4);
        if (!at)
            continue;
        struct slice rest = slice_trim((struct slice){at + 4, line.length - (size_t)(at + 4 - line.data)});
        bool goes_on = rest.length && rest.data[rest.length - 1] == '\\';
        text_append(&pending, rest.data, rest.length - goes_on);
        if (goes_on) {
            text_add(&pending, " ");
            continue;
        }
        *ARENA_ADD(test->arena, commands, *n) = text_without_tabs(test->arena, pending.data);
        pending = (struct text){.arena = test->arena};
    }
    return commands;
}

// Words between blanks. Quotes are not known: no test has any.
static const char **split_words(struct arena *arena, const char *command, size_t *n) {
    const char **words = NULL;
    *n = 0;
    for (const char *at = command + strspn(command, " \t"); *at; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        *ARENA_ADD(arena, words, *n) = arena_copy(arena, at, length);
        at += length;
    }
    return words;
}

// An option's name with one dash or two, and its value behind '=' or as the next word; null: it is another option.
static const char *value_of(const char *const *words, size_t n, size_t *at, const char *name) {
    const char *word = words[*at];
    size_t length = strlen(name);
    if (word[0] != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    if (strncmp(word, name, length) != 0 || (word[length] && word[length] != '='))
        return NULL;
    if (word[length] == '=')
        return word + length + 1;
    return *at + 1 < n ? words[++*at] : NULL;
}

static bool read_filecheck(struct test *test, const char *const *words, size_t n, struct run *run) {
    for (size_t i = 1; i < n; i++) {
        const char *list = value_of(words, n, &i, "check-prefixes");
        list = list ? list : value_of(words, n, &i, "check-prefix");
        if (!list && strcmp(words[i], "%s") != 0)
            return leave(test, arena_printf(test->arena, "FileCheck's option '%s' is not known here", words[i]));
        struct slice rest = {list, list ? strlen(list) : 0}, prefix;
        while (list && slice_next(&rest, ',', &prefix)) {
            if (run->n_prefixes == MOST_PREFIXES)
                return leave(test, "its RUN line has too many prefixes");
            run->prefixes[run->n_prefixes++] = prefix;
        }
    }
    if (!run->n_prefixes)
        run->prefixes[run->n_prefixes++] = (struct slice){"CHECK", strlen("CHECK")};
    return true;
}

// Whether the command names the CPU.
static bool is_of_cpu(const char *command, const char *cpu) {
    for (const char *at = command; (at = strstr(at, "-mcpu")); at++) {
        const char *value = at + strlen("-mcpu");
        size_t length = strcspn(value + (*value != '\0'), " ");
        if ((*value == '=' || *value == ' ') && strlen(cpu) == length && strncmp(value + 1, cpu, length) == 0)
            return true;
    }
    return false;
}

// Whether an option of llvm-mca makes it write a file, or may ("@FILE" has more options). "-output-asm-variant" does
// not.
static bool writes_file(const char *word) {
    static const char *const names[] = {"o", "info-output-file"};
    if (word[0] != '-')
        return word[0] == '@';
    word += word[1] == '-' ? 2 : 1;
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is((struct slice){word, length}, names[i]))
            return true;
    return strncmp(word, "output", strlen("output")) == 0 &&
           !slice_is((struct slice){word, length}, "output-asm-variant");
}

// "llvm-mca -mcpu=znver4 < %s | FileCheck %s": options, input and prefixes.
static bool read_command(struct test *test, const char *command, struct run *run) {
    const char *unknown = arena_printf(test->arena, "its RUN line is of another kind: %s", command);
    const char **options = NULL;
    size_t n, pipe = 0;
    const char **words = split_words(test->arena, command, &n);
    *run = (struct run){.run = {.path = test->path}};
    while (pipe < n && strcmp(words[pipe], "|") != 0)
        pipe++;
    if (pipe + 1 >= n || strcmp(words[0], "llvm-mca") != 0 || strcmp(words[pipe + 1], "FileCheck") != 0)
        return leave(test, unknown);
    bool has_input = false;
    for (size_t i = 1; i < pipe; i++) {
        bool is_input = strcmp(words[i], "%s") == 0, is_sign = strcmp(words[i], "<") == 0;
        bool is_error = strcmp(words[i], "2>&1") == 0;
        has_input |= is_input;
        run->run.has_errors |= is_error;
        if (is_input || is_sign || is_error)
            continue;
        if (strpbrk(words[i], "%<>|&;'\"$"))
            return leave(test, unknown);
        if (writes_file(words[i]))
            return leave(test, arena_printf(test->arena, "its RUN line writes a file: '%s'", words[i]));
        *ARENA_ADD(test->arena, options, run->run.n_options) = words[i];
    }
    run->run.options = options;
    run->is_of_cpu = is_of_cpu(command, test->request->cpu);
    return (has_input || leave(test, unknown)) && read_filecheck(test, words + pipe + 1, n - pipe - 1, run);
}

// ---- CHECK lines

static bool is_prefix_letter(char c) {
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static bool starts_with(struct slice text, const char *start) {
    return text.length >= strlen(start) && memcmp(text.data, start, strlen(start)) == 0;
}

// The line as one that one of the prefixes makes a check of.
static bool read_check(struct slice line, const struct run *run, struct check_line *check) {
    size_t at = 0;
    while (at < line.length && !is_prefix_letter(line.data[at]))
        at++;
    struct slice word = {line.data + at, 0};
    while (at < line.length && is_prefix_letter(line.data[at])) {
        at++;
        word.length++;
    }
    if (at == line.length || line.data[at] != ':')
        return false;
    check->head = (struct slice){line.data, at + 1};
    check->text = (struct slice){line.data + at + 1, line.length - at - 1};
    for (size_t i = 0; i < run->n_prefixes; i++) {
        const struct slice prefix = run->prefixes[i];
        if (word.length < prefix.length || memcmp(word.data, prefix.data, prefix.length) != 0)
            continue;
        struct slice rest = {word.data + prefix.length, word.length - prefix.length};
        static const char *const others[] = {"-NOT", "-DAG", "-SAME", "-LABEL", "-COUNT"};
        check->prefix = prefix;
        check->kind = !rest.length               ? CHECK_SOMEWHERE
                      : slice_is(rest, "-NEXT")  ? CHECK_NEXT
                      : slice_is(rest, "-EMPTY") ? CHECK_EMPTY
                                                 : CHECK_OTHER;
        if (check->kind != CHECK_OTHER)
            return true;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (starts_with(rest, others[k]))
                return true;
    }
    return false;
}

// FileCheck takes blanks and tabs for one blank, and none at the ends.
static const char *canonical(struct arena *arena, struct slice line) {
    struct text text = {.arena = arena};
    line = slice_trim(line);
    text_add(&text, "");
    for (size_t i = 0; i < line.length; i++) {
        bool is_blank = line.data[i] == ' ' || line.data[i] == '\t';
        if (!is_blank || (line.data[i - 1] != ' ' && line.data[i - 1] != '\t'))
            text_append(&text, is_blank ? " " : &line.data[i], 1);
    }
    return text.data;
}

// Sets `places` to the line of the output that each check stands for; `n`: one behind the last.
static bool match_checks(struct test *test, const struct check_line *checks, size_t n_checks,
                         const struct lines *output, size_t *places) {
    const char **lines = ARENA_ARRAY(test->arena, const char *, output->n);
    size_t at = 0;
    for (size_t i = 0; i < output->n; i++)
        lines[i] = canonical(test->arena, output->items[i]);
    for (size_t i = 0; i < n_checks; i++) {
        const struct check_line *check = &checks[i];
        const char *text = canonical(test->arena, check->text);
        size_t line = check->number + 1;
        if (check->kind == CHECK_OTHER || strstr(text, "{{") || strstr(text, "[["))
            return leave(test,
                         arena_printf(test->arena, "line %zu is a check of a kind that is not regenerated", line));
        if (check->kind == CHECK_SOMEWHERE)
            while (at < output->n && strcmp(lines[at], text) != 0)
                at++;
        bool is_equal = at < output->n && strcmp(lines[at], text) == 0;
        if (!is_equal) {
            test->is_not_reproduced = true;
            return leave(test, arena_printf(test->arena, "line %zu is not what LLVM's model prints", line));
        }
        places[i] = at++;
    }
    return true;
}

// ---- the new lines

static size_t indent_of(struct slice line) {
    size_t n = 0;
    while (n < line.length && (line.data[n] == ' ' || line.data[n] == '\t'))
        n++;
    return n;
}

// The check with another line of a report behind its head. The test's own blanks stay: the report's lines are aligned
// behind them. `is`: the line that it stands for now.
static const char *write_check(struct arena *arena, struct slice head, struct slice text, struct slice is,
                               struct slice line) {
    size_t blanks = indent_of(text), inner = indent_of(is);
    struct text out = {.arena = arena};
    text_append(&out, head.data, head.length);
    size_t n = blanks > inner ? blanks - inner : 1;
    for (size_t i = 0; i < n; i++)
        text_add(&out, " ");
    text_append(&out, line.data, line.length);
    while (out.length && (out.data[out.length - 1] == ' ' || out.data[out.length - 1] == '\t'))
        out.data[--out.length] = '\0';
    return out.data;
}

static bool are_same(struct slice a, struct slice b) {
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

// Puts the text there instead of a line. Fails where another run has put another one there.
static bool settle(struct test *test, size_t number, const char *text) {
    const struct slice line = test->lines.items[number];
    if (text && are_same((struct slice){text, strlen(text)}, line))
        text = NULL;
    const char *was = test->now[number];
    bool is_other = was && text ? strcmp(was, text) != 0 : was != text;
    if (test->is_settled[number] && is_other)
        return leave(test, arena_printf(test->arena, "line %zu is of several runs, which differ now", number + 1));
    test->is_settled[number] = true;
    test->now[number] = text;
    return true;
}

// Lines of a report without an empty one among them.
struct paragraph {
    size_t first, end;
};

static struct paragraph *find_paragraphs(struct arena *arena, const struct lines *lines, size_t *n) {
    struct paragraph *list = NULL;
    *n = 0;
    for (size_t i = 0; i < lines->n; i++) {
        if (!slice_trim(lines->items[i]).length)
            continue;
        struct paragraph paragraph = {i, i};
        while (i < lines->n && slice_trim(lines->items[i]).length)
            i++;
        paragraph.end = i;
        *ARENA_ADD(arena, list, *n) = paragraph;
    }
    return list;
}

// The same number of lines before and after: each one for itself.
static bool settle_lines(struct test *test, const struct check_line *checks, const size_t *places, size_t n,
                         const struct lines *plain, const struct slice *repaired, size_t first) {
    for (size_t i = 0; i < n; i++) {
        const struct slice was = plain->items[places[i]], is = repaired[places[i] - first];
        if (!settle(test, checks[i].number,
                    are_same(was, is) ? NULL : write_check(test->arena, checks[i].head, checks[i].text, was, is)))
            return false;
    }
    return true;
}

// Another number of lines: the checks of the paragraph become new ones. They must stand for all its lines, one behind
// the other. `was`: its lines now.
static bool settle_paragraph(struct test *test, const struct check_line *checks, size_t n, const struct slice *was,
                             const struct slice *repaired, size_t n_repaired) {
    struct text all = {.arena = test->arena};
    for (size_t i = 0; i < n_repaired; i++) {
        size_t like = i && n > 1;
        if (i && n == 1)
            return leave(test, "a paragraph of one line has several now");
        text_addf(&all, "%s%s", i ? "\n" : "",
                  write_check(test->arena, checks[like].head, checks[like].text, was[like], repaired[i]));
    }
    for (size_t i = 0; i < n; i++)
        if (!settle(test, checks[i].number, i ? "" : all.data))
            return false;
    return true;
}

static bool is_whole(const struct check_line *checks, const size_t *places, size_t n, struct paragraph paragraph) {
    bool is_whole = n && n == paragraph.end - paragraph.first;
    for (size_t i = 0; i < n && is_whole; i++)
        is_whole = places[i] == paragraph.first + i && checks[i].number == checks[0].number + i;
    return is_whole;
}

// Paragraph by paragraph, as the report's views are.
static bool settle_report(struct test *test, const struct check_line *checks, const size_t *places, size_t n_checks,
                          const struct lines *plain, const struct lines *repaired) {
    size_t n_before, n_after, at = 0;
    const struct paragraph *before = find_paragraphs(test->arena, plain, &n_before),
                           *after = find_paragraphs(test->arena, repaired, &n_after);
    if (n_before != n_after)
        return leave(test, arena_printf(test->arena, "the report has %zu paragraphs, not %zu", n_after, n_before));
    for (size_t i = 0; i < n_before; i++) {
        for (; at < n_checks && places[at] < before[i].first; at++)
            settle(test, checks[at].number, NULL); // an empty line
        size_t n = 0, n_lines = before[i].end - before[i].first, n_now = after[i].end - after[i].first;
        const struct slice *now = repaired->items + after[i].first;
        while (at + n < n_checks && places[at + n] < before[i].end)
            n++;
        bool is_settled = true;
        if (n && n_lines == n_now)
            is_settled = settle_lines(test, checks + at, places + at, n, plain, now, before[i].first);
        else if (n && !is_whole(checks + at, places + at, n, before[i]))
            is_settled =
                leave(test, arena_printf(test->arena, "line %zu begins checks of some of %zu lines, which are %zu now",
                                         checks[at].number + 1, n_lines, n_now));
        else if (n)
            is_settled = settle_paragraph(test, checks + at, n, plain->items + before[i].first, now, n_now);
        if (!is_settled)
            return false;
        at += n;
    }
    return true;
}

static bool make_run(struct test *test, const struct run *run, bool is_repaired, struct lines *lines) {
    const struct mca_tests_request *request = test->request;
    const char *output;
    if (!request->run(request->context, test->arena, &run->run, is_repaired, &output))
        return leave(test, output);
    *lines = split_lines(test->arena, output, strlen(output));
    return true;
}

static bool regenerate_run(struct test *test, const struct run *run) {
    struct check_line *checks = NULL;
    struct lines plain = {0}, repaired = {0};
    size_t n = 0;
    for (size_t i = 0; i < test->lines.n; i++) {
        struct check_line check = {.number = i};
        if (read_check(test->lines.items[i], run, &check))
            *ARENA_ADD(test->arena, checks, n) = check;
    }
    if (!n)
        return leave(test, "it has no lines to check");
    size_t *places = ARENA_ARRAY(test->arena, size_t, n);
    if (!make_run(test, run, false, &plain) || !match_checks(test, checks, n, &plain, places))
        return false;
    if (!run->is_of_cpu)
        return settle_report(test, checks, places, n, &plain, &plain);
    return make_run(test, run, true, &repaired) && settle_report(test, checks, places, n, &plain, &repaired);
}

// ---- the tests

// What is added to the diff: lines that change one behind the other are one edit.
static const char *write_diff(struct test *test, const char *name) {
    struct td_text text = {.arena = test->arena, .data = test->data, .length = test->length};
    for (size_t i = 0, end; i < test->lines.n; i = end + 1) {
        struct text now = {.arena = test->arena};
        const struct slice *first = &test->lines.items[i], *last = first;
        text_add(&now, "");
        for (end = i; end < test->lines.n && test->now[end]; end++) {
            last = &test->lines.items[end];
            if (*test->now[end]) // else it is gone
                text_addf(&now, "%s%s", now.length ? "\n" : "", test->now[end]);
        }
        if (end == i)
            continue;
        test->n_changed += end - i;
        size_t stop = (size_t)(last->data - test->data) + last->length;
        stop += !now.length && stop < test->length; // their last newline
        td_replace(&text, (struct td_span){(size_t)(first->data - test->data), stop}, now.data);
    }
    return text.n_edits ? td_diff(&text, name) : "";
}

// As the repository has it, where the path shows that.
static const char *name_of(const char *path) {
    const char *name = strstr(path, "llvm/test/");
    return name && (name == path || name[-1] == '/') ? name : path + (path[0] == '/');
}

static struct test open_test(struct arena *arena, const char *path, char *data, size_t length) {
    struct test test = {.arena = arena, .path = path, .data = data, .length = length};
    test.lines = split_lines(arena, data, length);
    test.now = ARENA_ARRAY(arena, const char *, test.lines.n + 1);
    test.is_settled = ARENA_ARRAY(arena, bool, test.lines.n + 1);
    return test;
}

// False: no run of it is of this CPU.
static bool regenerate(struct test *test) {
    struct run *runs = NULL;
    size_t n_commands, n = 0;
    bool has_cpu = false;
    const char **commands = find_commands(test, &n_commands);
    for (size_t i = 0; i < n_commands; i++)
        has_cpu |= is_of_cpu(commands[i], test->request->cpu);
    for (size_t i = 0; i < n_commands && has_cpu; i++) {
        struct run run;
        if (read_command(test, commands[i], &run))
            *ARENA_ADD(test->arena, runs, n) = run;
    }
    for (size_t i = 0; i < n && !test->why; i++)
        regenerate_run(test, &runs[i]);
    return has_cpu;
}

static bool make_test(struct arena *arena, const struct mca_tests_request *request, const char *path, struct text *diff,
                      struct mca_tests_result *result, struct mca_test_left **left, struct fail *fail) {
    struct arena scratch = {0};
    char *data;
    size_t length;
    if (!file_read(&scratch, path, &data, &length, fail))
        return false;
    struct test test = open_test(&scratch, path, data, length);
    test.request = request;
    if (!regenerate(&test)) {
        result->n_others++;
    } else if (test.why) {
        *ARENA_ADD(arena, *left, result->n_left) =
            (struct mca_test_left){arena_strdup(arena, path + strlen(request->folder) + 1),
                                   arena_strdup(arena, test.why), test.is_not_reproduced};
    } else {
        text_add(diff, write_diff(&test, name_of(path)));
        result->n_lines += test.n_changed;
        result->n_changed += test.n_changed > 0;
        result->n_same += test.n_changed == 0;
    }
    arena_free(&scratch);
    return true;
}

static bool is_link(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

// Paths of the files of the folder, and of those in it. LLVM's tests end in .s; those of no folder begin with a dot.
// Links are not followed: they lead out of the folder, or around in it, and a diff does not describe them.
static void list_tests(struct arena *arena, const char *folder, int depth, const char ***paths, size_t *n) {
    enum { DEEPEST = 4 };
    const char **names;
    size_t n_names = file_list(arena, folder, "", &names);
    for (size_t i = 0; i < n_names; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, names[i]);
        if (is_link(path))
            continue;
        if (file_is_folder(path) && depth < DEEPEST)
            list_tests(arena, path, depth + 1, paths, n);
        else if (file_has_suffix(path, ".s"))
            *ARENA_ADD(arena, *paths, *n) = path;
    }
}

bool mca_tests_are_there(const char *folder, const char *cpu, struct fail *fail) {
    struct arena arena = {0};
    const char **paths = NULL;
    size_t n = 0;
    bool is_there = false;
    list_tests(&arena, folder, 0, &paths, &n);
    for (size_t i = 0; i < n && !is_there; i++) {
        char *data;
        size_t length, n_commands;
        if (!file_read(&arena, paths[i], &data, &length, fail))
            break;
        struct test test = open_test(&arena, paths[i], data, length);
        const char **commands = find_commands(&test, &n_commands);
        for (size_t k = 0; k < n_commands; k++)
            is_there |= is_of_cpu(commands[k], cpu);
    }
    arena_free(&arena);
    return is_there || fail_set(fail, FAIL_INPUT,
                                "'%s' holds no test that runs llvm-mca with -mcpu=%s: name a folder such as "
                                "llvm/test/tools/llvm-mca/X86/Znver4 of LLVM's sources",
                                folder, cpu);
}

bool mca_tests_make(struct arena *arena, const struct mca_tests_request *request, struct mca_tests_result *result,
                    struct fail *fail) {
    struct text diff = {.arena = arena};
    struct mca_test_left *left = NULL;
    const char **paths = NULL;
    size_t n = 0;
    *result = (struct mca_tests_result){0};
    if (!mca_tests_are_there(request->folder, request->cpu, fail))
        return false;
    text_add(&diff, "");
    list_tests(arena, request->folder, 0, &paths, &n);
    for (size_t i = 0; i < n; i++)
        if (!make_test(arena, request, paths[i], &diff, result, &left, fail))
            return false;
    result->left = left;
    result->diff = diff.data;
    return true;
}
