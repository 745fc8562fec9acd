#include "hot/testing_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__x86_64__)

// Sends standard output into a file meanwhile.
struct printed {
    FILE *file;
    int kept;
};

static struct printed catch_output(void) {
    struct printed printed = {.file = tmpfile(), .kept = dup(STDOUT_FILENO)};
    assert_non_null(printed.file);
    fflush(stdout);
    assert_true(dup2(fileno(printed.file), STDOUT_FILENO) >= 0);
    return printed;
}

static void release_output(const struct printed *printed, char *text, size_t size) {
    dup2(printed->kept, STDOUT_FILENO);
    close(printed->kept);
    rewind(printed->file);
    text[fread(text, 1, size - 1, printed->file)] = '\0';
    fclose(printed->file);
}

static void set_mode(struct arena *arena, struct testing_target *target, const char *mode) {
    target->loop.ranges = &target->range;
    target->argv[3] = arena_strdup(arena, mode);
}

struct testing_copy testing_copy_state(struct arena *arena, const struct decoder *decoder,
                                       struct testing_target *target, const char *mode, size_t most_steps) {
    struct testing_copy copy = {.state = NULL};
    struct hot_copies copies;
    struct fail fail = {0};
    set_mode(arena, target, mode);
    const struct hot_capture capture = {.argv = target->argv,
                                        .loop = &target->loop,
                                        .module = &target->module,
                                        .skipped_hits = 5,
                                        .most_steps = most_steps};
    struct printed printed = catch_output();
    bool is_done = hot_state_capture(arena, decoder, &capture, 1, &copies, &copy.run, &fail);
    copy.state = copies.n ? copies.states[0] : NULL;
    copy.why = copies.why;
    release_output(&printed, copy.printed, sizeof copy.printed);
    if (!is_done && fail.status == FAIL_UNAVAILABLE) {
        print_message("%s\n", fail.text);
        skip();
    }
    if (!is_done)
        fail_msg("%s", fail.text);
    return copy;
}

struct testing_copy testing_run_alone(struct arena *arena, const struct testing_target *target, const char *mode) {
    struct testing_copy copy = {.state = NULL};
    struct testing_target own = *target;
    set_mode(arena, &own, mode);
    struct printed printed = catch_output();
    pid_t pid = fork();
    if (pid == 0) {
        execv(own.argv[0], own.argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &copy.run.status, 0), pid);
    release_output(&printed, copy.printed, sizeof copy.printed);
    return copy;
}

#endif
