#include "base/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void what_is_written_is_read(void **state) {
    const char *folder = *state;
    struct arena arena = {0};
    struct fail fail = {0};
    const char *path = arena_printf(&arena, "%s/a.txt", folder);
    assert_true(file_write(path, "one\ntwo\n", 8, &fail));
    assert_true(file_write(path, "three\nfour", 10, &fail)); // replaces, does not append
    char *data;
    size_t length;
    assert_true(file_read(&arena, path, &data, &length, &fail));
    assert_int_equal(length, 10);
    assert_string_equal(data, "three\nfour");
    assert_string_equal(file_first_line(&arena, path), "three");
    const char **names;
    assert_int_equal(file_list(&arena, folder, "", &names), 1); // nothing left beside it
    assert_string_equal(names[0], "a.txt");
    unlink(path);
    arena_free(&arena);
}

static void standard_input_has_a_name(void **state) {
    (void)state;
    assert_string_equal(file_name("-"), "<stdin>");
    assert_string_equal(file_name("./-"), "./-");
}

static void missing_places_are_failures(void **state) {
    const char *folder = *state;
    struct arena arena = {0};
    struct fail fail = {0};
    char *data;
    assert_false(file_read(&arena, "/nowhere/at all", &data, NULL, &fail));
    assert_string_equal(fail.text, "cannot open '/nowhere/at all': No such file or directory");
    fail = (struct fail){0};
    assert_false(file_read(&arena, folder, &data, NULL, &fail)); // a folder opens, but cannot be read
    assert_int_equal(fail.status, FAIL_INPUT);
    fail = (struct fail){0};
    assert_false(file_write("/nowhere/x", "", 0, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    fail = (struct fail){0};
    assert_false(file_write("/dev/full", "x", 1, &fail));
    const char **names;
    assert_int_equal(file_list(&arena, "/nowhere", "", &names), 0);
    assert_null(file_first_line(&arena, "/nowhere/x"));
    arena_free(&arena);
}

static void what_can_be_written_is_known_before(void **state) {
    const char *folder = *state;
    struct arena arena = {0};
    struct fail fail = {0};
    const char **names, *path = arena_printf(&arena, "%s/new", folder);
    size_t n = file_list(&arena, folder, "", &names);
    assert_true(file_can_write(NULL, &fail) && file_can_write("/dev/null", &fail) && file_can_write(path, &fail));
    assert_int_equal(file_list(&arena, folder, "", &names), n); // nothing is left there
    assert_false(file_can_write("/nowhere/x", &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    fail = (struct fail){0};
    assert_false(file_can_write(folder, &fail));
    assert_non_null(strstr(fail.text, "Is a directory"));
    fail = (struct fail){0};
    assert_false(file_can_write("", &fail));
    arena_free(&arena);
}

static void installed_files_are_below_the_prefix(void **state) {
    (void)state;
    struct arena arena = {0};
    setenv("CYCLOPS_PREFIX", "/opt/c", 1);
    assert_string_equal(file_installed(&arena, "share/x"), "/opt/c/share/x");
    unsetenv("CYCLOPS_PREFIX");
    // The program itself is <build>/tests/NAME, so its prefix is <build>.
    assert_int_equal(access(file_installed(&arena, "tests"), F_OK), 0);
    arena_free(&arena);
}

static void temporary_files_go_where_the_environment_says(void **state) {
    (void)state;
    struct arena arena = {0};
    unsetenv("TMPDIR");
    assert_string_equal(file_temporary(&arena, "a"), "/tmp/a-XXXXXX");
    setenv("TMPDIR", "", 1);
    assert_string_equal(file_temporary(&arena, "a"), "/tmp/a-XXXXXX");
    setenv("TMPDIR", "/var/b", 1);
    assert_string_equal(file_temporary(&arena, "a"), "/var/b/a-XXXXXX");
    unsetenv("TMPDIR");
    arena_free(&arena);
}

static int make_folder(void **state) {
    char *folder = strdup("/tmp/cyclops-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    int status = rmdir(*state);
    free(*state);
    return status;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(standard_input_has_a_name),
        cmocka_unit_test(missing_places_are_failures),
        cmocka_unit_test(what_can_be_written_is_known_before),
        cmocka_unit_test(installed_files_are_below_the_prefix),
        cmocka_unit_test(temporary_files_go_where_the_environment_says),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
