#include "upstream/td_tblgen.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder_of(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_copy(arena, path, (size_t)(slash - path)) : ".";
}

// Its absolute path, with symbolic links as they are: a program may go by its name. Null: it cannot be started.
static const char *absolute_program(struct arena *arena, const char *path) {
    char here[PATH_MAX];
    if (file_is_folder(path) || access(path, X_OK) != 0)
        return NULL;
    if (path[0] == '/')
        return path;
    return getcwd(here, sizeof here) ? arena_printf(arena, "%s/%s", here, path) : NULL;
}

// Where the shell would find it; absolute, as it is started in another folder. Null: nowhere.
static const char *find_program(struct arena *arena, const char *name) {
    if (strchr(name, '/'))
        return absolute_program(arena, name);
    const char *list = getenv("PATH");
    struct slice rest = {list ? list : "/usr/bin", strlen(list ? list : "/usr/bin")}, folder;
    while (slice_next(&rest, ':', &folder)) {
        const char *path =
            arena_printf(arena, "%.*s%s%s", (int)folder.length, folder.data, folder.length ? "/" : "./", name);
        const char *program = absolute_program(arena, path);
        if (program)
            return program;
    }
    return NULL;
}

static void add_include(struct arena *arena, struct td_tree *tree, const char *folder) {
    char resolved[PATH_MAX];
    if (realpath(folder, resolved) && file_is_folder(resolved))
        *ARENA_ADD(arena, tree->includes, tree->n_includes) = arena_strdup(arena, resolved);
}

// `path`: with all links resolved; `named`: as the user has it.
static bool find_tree(struct arena *arena, const char *path, const char *named, const char *program, unsigned llvm,
                      struct td_tree *tree, struct fail *fail) {
    char resolved[PATH_MAX];
    tree->path = path;
    const char *folder = folder_of(arena, tree->path);
    tree->main = arena_printf(arena, "%s/%s.td", folder, file_base(folder));
    if (access(tree->main, R_OK) != 0)
        return fail_at(
            fail, named, 0, 0,
            "is not in a target's folder of LLVM's sources, such as llvm/lib/Target/X86: there is no '%s.td' "
            "beside it",
            file_base(folder));
    const char *name = program ? program : arena_printf(arena, "llvm-tblgen-%u", llvm);
    tree->program = find_program(arena, name);
    if (!tree->program)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "there is no program '%s': install package llvm-%u, or name one with --tblgen", name, llvm);
    if (!realpath(tree->program, resolved))
        return fail_set(fail, FAIL_WORK, "'%s': %s", tree->program, strerror(errno));
    add_include(arena, tree, folder);
    add_include(arena, tree, arena_printf(arena, "%s/../../../include", folder));
    add_include(arena, tree, arena_printf(arena, "%s/../include", folder_of(arena, resolved)));
    return true;
}

bool td_tree_find(struct arena *arena, const char *path, const char *program, unsigned llvm, struct td_tree *tree,
                  struct fail *fail) {
    char resolved[PATH_MAX];
    *tree = (struct td_tree){0};
    if (!realpath(path, resolved))
        return fail_at(fail, path, 0, 0, "cannot be read: %s", strerror(errno));
    return find_tree(arena, arena_strdup(arena, resolved), path, program, llvm, tree, fail);
}

bool td_tree_find_new(struct arena *arena, const char *path, const char *program, unsigned llvm, struct td_tree *tree,
                      struct fail *fail) {
    char resolved[PATH_MAX];
    *tree = (struct td_tree){0};
    if (!realpath(folder_of(arena, path), resolved))
        return fail_at(fail, path, 0, 0, "its folder cannot be read: %s", strerror(errno));
    return find_tree(arena, arena_printf(arena, "%s/%s", resolved, file_base(path)), path, program, llvm, tree, fail);
}

static bool read_all(int file, struct td_output *output) {
    struct stat about;
    if (fstat(file, &about) != 0 || about.st_size == 0)
        return false;
    void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
        return false;
    *output = (struct td_output){data, (size_t)about.st_size};
    return true;
}

void td_output_release(struct td_output *output) {
    if (output->data)
        munmap(output->data, output->length);
    *output = (struct td_output){0};
}

static const char *line_of(struct arena *arena, struct slice line) {
    struct slice trimmed = slice_trim(line);
    return arena_copy(arena, trimmed.data, trimmed.length);
}

// The first error, as the program words it, and the line that it is about: that file is gone when somebody reads this.
static const char *first_error(struct arena *arena, int messages) {
    struct td_output output = {0};
    struct slice line;
    const char *error = "";
    if (!read_all(messages, &output))
        return error;
    for (struct slice rest = {output.data, output.length}; slice_next(&rest, '\n', &line);)
        if (memmem(line.data, line.length, "error:", 6)) {
            error = text_printable(arena, arena_copy(arena, line.data, line.length), 400);
            if (slice_next(&rest, '\n', &line) && slice_trim(line).length)
                error = arena_printf(arena, "%s: %s", error, text_printable(arena, line_of(arena, line), 200));
            break;
        }
    td_output_release(&output);
    return error;
}

// "llvm-tblgen does not accept 'FILE': PATH/FILE:12:5: error: ..."
unsigned td_tree_failed_line(const struct td_tree *tree, const struct fail *fail) {
    const char *name = file_base(tree->path), *error = strstr(fail->text, ": error: "), *at = fail->text, *last = NULL;
    while (error && (at = strstr(at, name)) != NULL && at < error) {
        at += strlen(name);
        last = *at == ':' ? at + 1 : last;
    }
    return last ? (unsigned)strtoul(last, NULL, 10) : 0;
}

static const char main_name[] = "cyclops-main.td"; // of td_tree.main_text

static char **make_arguments(struct arena *arena, const struct td_tree *tree, const char *scratch, const char *action) {
    char **arguments = ARENA_ARRAY(arena, char *, 2 * tree->n_includes + 6);
    size_t n = 0;
    arguments[n++] = arena_strdup(arena, tree->program);
    arguments[n++] = arena_strdup(arena, action);
    arguments[n++] = arena_strdup(arena, "-I");
    arguments[n++] = arena_strdup(arena, scratch);
    for (size_t i = 0; i < tree->n_includes; i++) {
        arguments[n++] = arena_strdup(arena, "-I");
        arguments[n++] = arena_strdup(arena, tree->includes[i]);
    }
    arguments[n] = tree->main_text ? arena_printf(arena, "%s/%s", scratch, main_name) : arena_strdup(arena, tree->main);
    return arguments;
}

static bool run(struct arena *arena, const struct td_tree *tree, const char *scratch, const char *action, int output,
                int messages, struct fail *fail) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, scratch); // else a file of this name here would be included
    int error = posix_spawn(&pid, tree->program, &actions, NULL, make_arguments(arena, tree, scratch, action), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return fail_set(fail, FAIL_WORK, "cannot start '%s': %s", tree->program, strerror(error));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail_set(fail, FAIL_WORK, "llvm-tblgen does not accept '%s': %s", file_base(tree->path),
                        first_error(arena, messages));
    return true;
}

// Runs it with the files in a folder of their own.
static bool act(struct arena *arena, const struct td_tree *tree, const char *text, const char *action,
                struct td_output *records, struct fail *fail) {
    char *scratch = file_temporary(arena, "cyclops-td");
    *records = (struct td_output){0};
    if (!mkdtemp(scratch))
        return fail_set(fail, FAIL_WORK, "cannot make a folder '%s': %s", scratch, strerror(errno));
    const char *copy = arena_printf(arena, "%s/%s", scratch, file_base(tree->path)),
               *main = arena_printf(arena, "%s/%s", scratch, main_name);
    int output = memfd_create("cyclops-records", MFD_CLOEXEC), messages = memfd_create("cyclops-messages", MFD_CLOEXEC);
    bool is_done = output >= 0 && messages >= 0;
    if (!is_done)
        fail_set(fail, FAIL_WORK, "cannot make a file in memory: %s", strerror(errno));
    if (text)
        is_done = is_done && file_write(copy, text, strlen(text), fail);
    if (tree->main_text)
        is_done = is_done && file_write(main, tree->main_text, strlen(tree->main_text), fail);
    is_done = is_done && run(arena, tree, scratch, action, output, messages, fail);
    if (is_done && !read_all(output, records))
        is_done = fail_set(fail, FAIL_WORK, "llvm-tblgen prints nothing for '%s'", tree->main);
    unlink(copy);
    unlink(main);
    rmdir(scratch);
    close(output);
    close(messages);
    return is_done;
}

bool td_tree_records(struct arena *arena, const struct td_tree *tree, const char *text, struct td_output *records,
                     struct fail *fail) {
    return act(arena, tree, text, "--print-detailed-records", records, fail);
}

bool td_tree_accepts(struct arena *arena, const struct td_tree *tree, const char *text, struct fail *fail) {
    struct td_output tables;
    bool is_accepted = act(arena, tree, text, "--gen-subtarget", &tables, fail);
    td_output_release(&tables);
    return is_accepted;
}
