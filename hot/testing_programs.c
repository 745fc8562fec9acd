#include "hot/testing_programs.h"

#include "base/file.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct arena testing_programs_arena;
static char *folder;

int testing_programs_open(void **state) {
    (void)state;
    folder = file_temporary(&testing_programs_arena, "cyclops-hot-test");
    return mkdtemp(folder) ? 0 : -1;
}

int testing_programs_close(void **state) {
    (void)state;
    testing_command(arena_printf(&testing_programs_arena, "rm -r %s", folder));
    arena_free(&testing_programs_arena);
    return 0;
}

const char *testing_path(const char *name) {
    return arena_printf(&testing_programs_arena, "%s/%s", folder, name);
}

const char *testing_write(const char *name, const char *text) {
    const char *path = testing_path(name);
    struct fail fail = {0};
    assert_true(file_write(path, text, strlen(text), &fail));
    return path;
}

void testing_command(const char *command) {
    enum { MOST_WORDS = 32 };
    char *words[MOST_WORDS + 1] = {0};
    size_t n = 0;
    struct slice rest = {command, strlen(command)}, word;
    while (n < MOST_WORDS && slice_next(&rest, ' ', &word))
        if (word.length)
            words[n++] = arena_copy(&testing_programs_arena, word.data, word.length);
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execvp(words[0], words);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

const char *testing_compile(const char *name, const char *source, const char *flags) {
    const char *path = testing_path(name);
    testing_command(arena_printf(&testing_programs_arena, "gcc %s -o %s %s", flags, path, testing_path(source)));
    return path;
}
