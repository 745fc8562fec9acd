// The guardian puts back what was there at every end of the program, and what it could not is mended.
#include "bench/host/fake_tree.h"
#include "bench/host/guardian.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char boost[] = "/sys/devices/system/cpu/cpufreq/boost";
static const char governor[] = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
static const char limit[] = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq";

enum { BOOST, GOVERNOR, LIMIT, N_SETTINGS };

static void put_machine(struct tree *tree) {
    static const struct tree_file files[] = {
        {boost, "1"}, {governor, "schedutil"}, {limit, "5000"}, {"/proc/sys/kernel/random/boot_id", "first"}};
    TREE_PUT_ALL(tree, files);
}

static const char *notes_folder(struct tree *tree) {
    return tree_path(tree, "/notes");
}

static struct guardian *start(struct tree *tree, struct guarded_setting settings[N_SETTINGS]) {
    settings[BOOST] = (struct guarded_setting){.path = tree_path(tree, boost), .wanted = "0"};
    settings[GOVERNOR] = (struct guarded_setting){.path = tree_path(tree, governor), .wanted = "performance"};
    settings[LIMIT] = (struct guarded_setting){.path = tree_path(tree, limit)};
    return guardian_start(&tree->arena, notes_folder(tree), settings, N_SETTINGS, &tree->fail);
}

static void assert_machine(struct tree *tree, const char *wanted_boost, const char *wanted_governor) {
    assert_string_equal(tree_first_line(tree, boost), wanted_boost);
    assert_string_equal(tree_first_line(tree, governor), wanted_governor);
}

// Files are empty for a moment while they are written.
static bool holds(struct tree *tree, const char *path, const char *wanted) {
    const char *line = tree_first_line(tree, path);
    return line && strcmp(line, wanted) == 0;
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

// The guardian works on its own, so it may take a moment; on a busy machine a long one.
static bool comes_back(struct tree *tree) {
    for (int i = 0; i < 3000; i++, pause_ms(10))
        if (holds(tree, boost, "1") && access(tree_path(tree, "/notes/settings.json"), F_OK) != 0)
            return true;
    return false;
}

static void changes_and_puts_back(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    put_machine(tree);
    struct guardian *guardian = start(tree, settings);
    assert_non_null(guardian);
    assert_machine(tree, "0", "performance");
    assert_string_equal(settings[BOOST].before, "1");
    assert_string_equal(settings[BOOST].after, "0");
    assert_int_equal(settings[BOOST].error, 0);
    guardian_end(guardian);
    assert_machine(tree, "1", "schedutil");
    assert_true(access(tree_path(tree, "/notes/settings.json"), F_OK) != 0);
}

// As the kernel does: switching boost off has changed the limit of the policy.
static void puts_back_what_changed_with_it(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    put_machine(tree);
    pid_t pid = fork();
    if (pid == 0) {
        struct guardian *first = start(tree, settings);
        // A second user whose `after` sees the limit as it is while boost is off.
        tree_put(tree, limit, "3000");
        struct guardian *second = start(tree, settings);
        guardian_end(first);
        bool is_kept = holds(tree, boost, "0");
        guardian_end(second);
        _exit(is_kept ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_machine(tree, "1", "schedutil");
    assert_string_equal(tree_first_line(tree, limit), "5000");
}

static void leaves_alone_what_somebody_else_set(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    put_machine(tree);
    struct guardian *guardian = start(tree, settings);
    tree_put(tree, governor, "ondemand");
    guardian_end(guardian);
    assert_machine(tree, "1", "ondemand");
}

static void says_what_cannot_be_written(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    put_machine(tree);
    tree_put(tree, "/sys/devices/system/cpu/cpufreq/boost", "1");
    assert_int_equal(unlink(tree_path(tree, governor)), 0);
    struct guardian *guardian = start(tree, settings);
    assert_non_null(guardian);
    assert_string_equal(settings[GOVERNOR].before, "");
    assert_string_equal(settings[BOOST].after, "0");
    guardian_end(guardian);
    assert_string_equal(tree_first_line(tree, boost), "1");
    assert_null(tree_first_line(tree, governor));
}

// The program ends in its own group by `number` (0: by exit), with a child that holds all it has open.
static pid_t start_program(struct tree *tree, int number) {
    pid_t pid = fork();
    if (pid == 0) {
        struct guarded_setting settings[N_SETTINGS];
        setpgid(0, 0);
        if (!start(tree, settings))
            _exit(3);
        if (number == 0)
            _exit(0);
        if (fork() == 0 || number == SIGKILL) {
            alarm(60); // should the test fail
            for (;;)
                pause();
        }
        signal(number, SIG_DFL); // cmocka catches some
        raise(number);
    }
    return pid;
}

static void every_end_is_noticed(void **state) {
    struct tree *tree = *state;
    static const int ends[] = {0, SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGKILL};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        put_machine(tree);
        pid_t pid = start_program(tree, ends[i]);
        while (ends[i] == SIGKILL && !holds(tree, governor, "performance"))
            pause_ms(1);
        if (ends[i] == SIGKILL)
            kill(-pid, SIGKILL); // all of the group
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        assert_true(comes_back(tree));
        assert_machine(tree, "1", "schedutil");
        kill(-pid, SIGKILL); // the child
    }
}

// As if power had failed or the guardian itself had been killed: the notes are there, and nobody is at work.
static void leave_notes(struct tree *tree) {
    struct guarded_setting settings[N_SETTINGS];
    put_machine(tree);
    struct guardian *guardian = start(tree, settings);
    const char *notes = tree_first_line(tree, "/notes/settings.json");
    assert_non_null(notes);
    guardian_end(guardian);
    tree_put(tree, "/notes/settings.json", notes);
    tree_put(tree, boost, "0");
    tree_put(tree, governor, "performance");
}

static void mends_what_a_killed_guardian_left(void **state) {
    struct tree *tree = *state;
    struct guardian_leftovers leftovers;
    leave_notes(tree);
    assert_true(guardian_look(&tree->arena, notes_folder(tree), &leftovers, &tree->fail));
    assert_int_equal(leftovers.n_settings, N_SETTINGS);
    assert_string_equal(leftovers.settings[GOVERNOR].before, "schedutil");
    assert_false(leftovers.is_in_use);
    assert_machine(tree, "0", "performance"); // looking changes nothing
    assert_true(guardian_mend(&tree->arena, notes_folder(tree), &leftovers, &tree->fail));
    assert_machine(tree, "1", "schedutil");
    assert_true(guardian_look(&tree->arena, notes_folder(tree), &leftovers, &tree->fail));
    assert_int_equal(leftovers.n_settings, 0);
}

static void the_next_run_mends_too(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    leave_notes(tree);
    struct guardian *guardian = start(tree, settings);
    assert_string_equal(settings[BOOST].before, "1");
    assert_machine(tree, "0", "performance");
    guardian_end(guardian);
    assert_machine(tree, "1", "schedutil");
}

static void does_not_mend_under_a_guardian_at_work(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    struct guardian_leftovers leftovers;
    put_machine(tree);
    struct guardian *guardian = start(tree, settings);
    assert_true(guardian_mend(&tree->arena, notes_folder(tree), &leftovers, &tree->fail));
    assert_true(leftovers.is_in_use);
    assert_machine(tree, "0", "performance");
    guardian_end(guardian);
}

static void notes_of_another_boot_are_void(void **state) {
    struct tree *tree = *state;
    struct guardian_leftovers leftovers;
    leave_notes(tree);
    tree_put(tree, "/proc/sys/kernel/random/boot_id", "second");
    assert_true(guardian_mend(&tree->arena, notes_folder(tree), &leftovers, &tree->fail));
    assert_int_equal(leftovers.n_settings, 0);
    assert_machine(tree, "0", "performance");
}

static void forged_notes_are_refused(void **state) {
    struct tree *tree = *state;
    struct guardian_leftovers leftovers;
    static const char *const paths[] = {"/etc/passwd", "/sys/devices/system/cpu/../../../../etc/passwd"};
    leave_notes(tree);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct fail fail = {0};
        tree_put(tree, "/notes/settings.json",
                 arena_printf(&tree->arena,
                              "{\"boot\":\"first\",\"settings\":[{\"path\":\"%s\",\"before\":\"x\",\"after\":\"\"}]}",
                              i ? tree_path(tree, paths[i]) : paths[i]));
        assert_false(guardian_mend(&tree->arena, notes_folder(tree), &leftovers, &fail));
        assert_non_null(strstr(fail.text, "a file that Cyclops never changes"));
    }
}

static void without_a_place_for_notes_nothing_is_changed(void **state) {
    struct tree *tree = *state;
    struct guarded_setting settings[N_SETTINGS];
    put_machine(tree);
    tree_put(tree, "/notes", "a file");
    assert_null(start(tree, settings));
    assert_int_equal(tree->fail.status, FAIL_UNAVAILABLE);
    assert_machine(tree, "1", "schedutil");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(changes_and_puts_back, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(puts_back_what_changed_with_it, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(leaves_alone_what_somebody_else_set, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(says_what_cannot_be_written, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(every_end_is_noticed, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(mends_what_a_killed_guardian_left, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(the_next_run_mends_too, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(does_not_mend_under_a_guardian_at_work, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(notes_of_another_boot_are_void, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(forged_notes_are_refused, tree_set_up, tree_tear_down),
        cmocka_unit_test_setup_teardown(without_a_place_for_notes_nothing_is_changed, tree_set_up, tree_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
