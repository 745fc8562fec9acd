// Profiles: what each kind of file holds, own recordings, and what cannot be read.
#include "hot/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void an_empty_file_is_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct hot_profile profile;
    assert_false(hot_profile_read(&arena, "/dev/null", NULL, &profile, &fail));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
