#include "base/line.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Reads all lines of `bytes`. Returns their number, and the last one's length.
static unsigned count(char *bytes, size_t n_bytes, size_t *length) {
    FILE *in = fmemopen(bytes, n_bytes, "r");
    char *text = NULL;
    size_t room = 0;
    unsigned n = 0;
    ssize_t read;
    assert_non_null(in);
    for (; (read = line_read(&text, &room, in)) >= 0; n++)
        *length = (size_t)read;
    int error = errno;
    free(text);
    fclose(in);
    errno = error;
    return n;
}

static void lines_end_at_newlines_and_the_end(void **state) {
    (void)state;
    char three[] = "one\n\nthree", one[] = "one\n";
    size_t length = 0;
    assert_int_equal(count(three, strlen(three), &length), 3);
    assert_int_equal(length, 5);
    assert_null(line_error());
    assert_int_equal(count(one, strlen(one), &length), 1);
    assert_int_equal(length, 4);
    assert_null(line_error());
}

static void long_lines_are_read_whole(void **state) {
    (void)state;
    enum { MOST = 1000 };
    char text[MOST];
    for (size_t n = 1; n <= MOST; n++) {
        size_t length = 0;
        memset(text, 'a', n);
        assert_int_equal(count(text, n, &length), 1);
        assert_int_equal(length, n);
        text[n - 1] = '\n';
        assert_int_equal(count(text, n, &length), 1);
        assert_int_equal(length, n);
    }
}

static void what_is_not_text_is_refused(void **state) {
    (void)state;
    char text[] = "one\nt\0wo\n";
    size_t length = 0;
    assert_int_equal(count(text, sizeof text - 1, &length), 1);
    assert_non_null(strstr(line_error(), "NUL"));
}

static void no_line_is_endless(void **state) {
    (void)state;
    size_t n = LINE_MOST + 1000U, length = 0;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, 'a', n);
    assert_int_equal(count(text, n, &length), 0);
    assert_non_null(strstr(line_error(), "longer than"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_at_newlines_and_the_end),
        cmocka_unit_test(long_lines_are_read_whole),
        cmocka_unit_test(what_is_not_text_is_refused),
        cmocka_unit_test(no_line_is_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
