#include "cli/mca/response.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

// The words of "mca before @words after", each in brackets.
static const char *expand(struct arena *arena, struct fail *fail) {
    char *list[] = {"mca", "before", "@words", "after"}, **argv = list;
    int argc = 4;
    struct text joined = {.arena = arena};
    if (!response_expand(arena, &argc, &argv, fail))
        return fail->text;
    for (int i = 0; i < argc; i++)
        text_addf(&joined, "[%s]", argv[i]);
    return joined.data;
}

// What llvm-mca 19 makes of the same files.
static void words_are_llvms(void **state) {
    (void)state;
    static const struct {
        const char *file, *words;
    } table[] = {
        {"-a -b=1\n\t c \r\n", "[-a][-b=1][c]"},
        {"\"two words\" 'and \"these\"' half\" half\"", "[two words][and \"these\"][half half]"},
        {"a\\ b 'it\\'s' \"\" ''", "[a b][it's]"},
        {"\"to the end", "[to the end]"},
        {"back\\", "[back\\]"},
        {"\xef\xbb\xbfmark", "[mark]"},
        {"", ""},
        {"@none x", "[@none][x]"},
        {"1 @inner @inner 2", "[1][in][ner][in][ner][2]"},
    };
    write_file("inner", "in ner");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        write_file("words", table[i].file);
        assert_string_equal(expand(&arena, &fail), arena_printf(&arena, "[mca][before]%s[after]", table[i].words));
        arena_free(&arena);
    }
}

static void refuses_what_has_no_end(void **state) {
    (void)state;
    static const char *const files[] = {"x @words", "@inner", "@."};
    write_file("inner", "@words");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        write_file("words", files[i]);
        const char *words = expand(&arena, &fail);
        assert_int_equal(fail.status != FAIL_NONE, true);
        assert_non_null(strstr(words, i < 2 ? "recursive expansion of: 'words'" : "'.'"));
        arena_free(&arena);
    }
}

static int enter_folder(void **state) {
    static char folder[] = "/tmp/cyclops-response-XXXXXX";
    *state = mkdtemp(folder);
    return *state != NULL ? chdir(folder) : -1;
}

static int remove_folder(void **state) {
    return unlink("words") + unlink("inner") + rmdir(*state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_llvms),
        cmocka_unit_test(refuses_what_has_no_end),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
