// Files that hold no code that is taken are named; those that do are not.
#include "base/file_kind.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void what_cannot_be_taken_has_a_name(void **state) {
    (void)state;
    static const struct {
        const char *name, *data, *start; // start: null, it is taken
    } cases[] = {
        {"lib.a", "!<arch>\nx", "an archive"},
        {"x.bc", "BC\xc0\xde", "LLVM's bitcode"},
        {"x.ll", "define", "LLVM's intermediate"},
        {"x", "; ModuleID = 'x'", "LLVM's intermediate"},
        {"x.c", "int f;", "a C source"},
        {"x.txt", "#include <stdio.h>\n", "a source"},
        {"x.exe", "MZ\x90", "a Windows program"},
        {"x.obj", "\x64\x86\x03", "a Windows object"},
        {"x.o", "\xcf\xfa\xed\xfe", "a Mach-O"},
        {"x.S", "#include \"a.h\"\n", NULL},
        {"x.s", "# comment\n", NULL},
        {"x.o", "\177ELF", NULL},
        {"x.s", "", NULL},
        {"x.s", "!", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *what = file_kind_refused(cases[i].name, cases[i].data, strlen(cases[i].data));
        if (!cases[i].start != !what || (what && !text_starts(what, cases[i].start)))
            fail_msg("%s: %s", cases[i].name, what ? what : "taken");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_be_taken_has_a_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
