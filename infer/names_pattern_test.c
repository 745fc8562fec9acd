#include "infer/names_pattern.h"

#include "base/text.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void shares_what_is_alike(void **state) {
    (void)state;
    static const struct {
        const char *names[6], *pattern;
    } cases[] = {
        {{"ADD64rr"}, "ADD64rr"},
        {{"ADD32rr", "ADD64rr"}, "ADD(32|64)rr"},
        {{"PADDB", "PADDD", "PSUBB", "PSUBD"}, "P(ADD|SUB)[BD]"},
        {{"VMOVAPSYrr", "VMOVAPSrr"}, "VMOVAPSY?rr"},
        {{"CLD", "STD"}, "(CL|ST)D"},
        {{"CDQ", "MFENCE"}, "CDQ|MFENCE"},
        {{"A", "AB", "ABC"}, "A(BC?)?"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = 0;
        while (n < 6 && cases[i].names[n])
            n++;
        assert_string_equal(names_pattern(&arena, cases[i].names, n), cases[i].pattern);
    }
    arena_free(&arena);
}

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Any names of few letters: the pattern matches those and no other.
static void matches_these_alone(void **state) {
    (void)state;
    enum { N_SETS = 300, MOST = 12, LETTERS = 3, LONGEST = 5 };
    srand(7);
    for (int set = 0; set < N_SETS; set++) {
        struct arena arena = {0};
        const char *names[MOST], *sorted[MOST];
        size_t n = 0;
        for (int i = 0; i < MOST; i++) {
            char name[LONGEST + 1] = {0};
            for (int k = 0, length = 1 + rand() % LONGEST; k < length; k++)
                name[k] = (char)('a' + rand() % LETTERS);
            names[i] = arena_strdup(&arena, name);
        }
        qsort(names, MOST, sizeof *names, compare);
        for (int i = 0; i < MOST; i++)
            if (n == 0 || strcmp(sorted[n - 1], names[i]) != 0)
                sorted[n++] = names[i];
        const size_t kept = 1 + n / 2;
        regex_t regex;
        const char *pattern = names_pattern(&arena, sorted, kept);
        assert_int_equal(regcomp(&regex, arena_printf(&arena, "^(%s)$", pattern), REG_EXTENDED | REG_NOSUB), 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(regexec(&regex, sorted[i], 0, NULL, 0) == 0, i < kept);
        regfree(&regex);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_what_is_alike), cmocka_unit_test(matches_these_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
