// Files of published results: a good one is read, and each mistake is told at its place, with what to do.
#include "study/reference.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct folder {
    struct arena arena;
    char path[64];
    const char *file;
};

static void open_folder(struct folder *folder) {
    *folder = (struct folder){.path = "/tmp/cyclops-reference-XXXXXX"};
    assert_non_null(mkdtemp(folder->path));
    folder->file = arena_printf(&folder->arena, "%s/r.yaml", folder->path);
}

static void close_folder(struct folder *folder) {
    unlink(folder->file);
    rmdir(folder->path);
    arena_free(&folder->arena);
}

static void put(const struct folder *folder, const char *yaml) {
    FILE *file = fopen(folder->file, "w");
    assert_non_null(file);
    assert_true(fputs(yaml, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char good[] = "reference: 1\n"
                           "source: an article\n"
                           "experiments:\n"
                           "  - name: sweep\n"
                           "    about: one, two and three streams\n"
                           "    kind: sweep\n"
                           "    isa: x86_64\n"
                           "    kernel: fma-zmm-ps\n"
                           "    form: looped\n"
                           "    first: 2\n"
                           "    model: cascadelake\n"
                           "    published: [4.1, 4.0, 4.5]\n"
                           "    tolerance: 0.1\n"
                           "    why: printed to a tenth\n"
                           "  - name: numbers\n"
                           "    about: of one instruction\n"
                           "    kind: instruction\n"
                           "    instruction: BLAH\n"
                           "    model: overlay:blah\n"
                           "    repaired_by: overlay:blub\n"
                           "    published: {latency: 5, cycles: {copies: 4, value: 14}}\n"
                           "    tolerance: 0.001\n"
                           "    why: whole numbers\n"
                           "    note: a remark\n"
                           "  - name: report\n"
                           "    about: a whole report\n"
                           "    kind: report\n"
                           "    isa: x86_64\n"
                           "    asm: |\n"
                           "      add rax, rbx\n"
                           "    iterations: 300\n"
                           "    model: btver2\n"
                           "    published: {total_cycles: 610, ipc: 1.48}\n"
                           "    tolerance: 0.005\n"
                           "    why: printed to a hundredth\n";

static void check_sweep(const struct reference *sweep) {
    static const double published[] = {4.1, 4.0, 4.5};
    assert_string_equal(sweep->name, "sweep");
    assert_string_equal(sweep->file, "r");
    assert_string_equal(sweep->source, "an article");
    assert_int_equal(sweep->kind, REFERENCE_SWEEP);
    assert_string_equal(sweep->kernel, "fma-zmm-ps");
    assert_true(sweep->is_looped);
    assert_int_equal(sweep->first, 2);
    assert_int_equal(sweep->n_values, 1);
    assert_int_equal(sweep->values[0].quantity, QUANTITY_CYCLES);
    assert_int_equal(sweep->values[0].n, 3);
    assert_memory_equal(sweep->values[0].published, published, sizeof published);
    assert_true(sweep->tolerance == 0.1);
    assert_null(sweep->note);
    assert_null(sweep->repaired_by);
}

static void check_numbers(const struct reference *numbers) {
    assert_int_equal(numbers->kind, REFERENCE_INSTRUCTION);
    assert_string_equal(numbers->instruction, "BLAH");
    assert_string_equal(numbers->model, "overlay:blah");
    assert_string_equal(numbers->repaired_by, "overlay:blub");
    assert_string_equal(numbers->note, "a remark");
    assert_null(numbers->isa);
    assert_int_equal(numbers->n_values, 2);
    assert_int_equal(numbers->values[0].quantity, QUANTITY_LATENCY);
    assert_int_equal(numbers->values[0].copies, 0);
    assert_true(*numbers->values[0].published == 5);
    assert_int_equal(numbers->values[1].quantity, QUANTITY_CYCLES);
    assert_int_equal(numbers->values[1].copies, 4);
    assert_true(*numbers->values[1].published == 14);
}

static void check_report(const struct reference *report) {
    assert_int_equal(report->kind, REFERENCE_REPORT);
    assert_string_equal(report->asm_text, "add rax, rbx\n");
    assert_int_equal(report->iterations, 300);
    assert_int_equal(report->n_values, 2);
    assert_string_equal(reference_quantity_name(report->values[0].quantity), "total_cycles");
    assert_string_equal(reference_quantity_name(report->values[1].quantity), "ipc");
}

static void a_good_file_is_read(void **state) {
    (void)state;
    struct folder folder;
    struct reference_set set = {0};
    struct fail fail = {0};
    open_folder(&folder);
    put(&folder, good);
    if (!reference_load_folder(&folder.arena, folder.path, &set, &fail))
        fail_msg("%u: %s", fail.line, fail.text);
    assert_int_equal(set.n, 3);
    check_sweep(&set.items[0]);
    check_numbers(&set.items[1]);
    check_report(&set.items[2]);
    close_folder(&folder);
}

static void a_folder_without_files_is_none(void **state) {
    (void)state;
    struct folder folder;
    struct reference_set set = {0};
    struct fail fail = {0};
    open_folder(&folder);
    assert_false(reference_load_folder(&folder.arena, folder.path, &set, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    assert_non_null(strstr(fail.text, "no reference files in '"));
    assert_non_null(strstr(fail.text, folder.path));
    close_folder(&folder);
}

#define HEAD "reference: 1\nsource: s\nexperiments:\n"
// Lines 4 to 8 of a file. What follows: its kind and what is published, from line 9 on.
#define FIRST "  - name: a\n    about: b\n    model: skylake\n    tolerance: 0.1\n    why: c\n"

static const struct {
    unsigned source; // line of this file
    const char *yaml;
    unsigned line;
    const char *text; // begins with
} mistakes[] = {
    // the file's keys
    {__LINE__, "", 1, "the file is empty"},
    {__LINE__, "source: s\nexperiments: []\n", 1, "a reference file needs the key 'reference'"},
    {__LINE__, "reference: 2\nsource: s\nexperiments: []\n", 1,
     "this is version 2 of the format; this program reads version 1"},
    {__LINE__, "reference: 1\nsource: [s]\nexperiments: []\n", 2, "expected a text"},
    {__LINE__, "reference: 1\nsource: s\nexperiments: none\n", 3, "expected a list of experiments"},
    {__LINE__, "reference: 1\nsauce: s\nexperiments: []\n", 2,
     "unknown key 'sauce' in a reference file (did you mean 'source'?)"},
    // an experiment's
    {__LINE__, HEAD "  - name: a\n", 4, "an experiment needs the key 'about'"},
    {__LINE__, HEAD FIRST "    kind: block\n    publisht: {}\n", 10,
     "unknown key 'publisht' in an experiment (did you mean 'published'?)"},
    {__LINE__, HEAD FIRST "    kind: blok\n    published: {cycles: 1}\n", 9,
     "unknown kind 'blok' (did you mean 'block'?)"},
    {__LINE__, HEAD FIRST "    kind: block\n    form: loopd\n    published: {cycles: 1}\n", 10,
     "unknown form 'loopd' (did you mean 'looped'?)"},
    {__LINE__, HEAD FIRST "    kind: block\n    published: {cycles: 1}\n    note: [n]\n", 11, "expected a text"},
    {__LINE__, HEAD FIRST "    kind: report\n    iterations: 1.5\n    published: {ipc: 1}\n", 10,
     "expected a whole number from 1 to 1000000"},
    {__LINE__, HEAD FIRST "    kind: report\n    iterations: 0\n    published: {ipc: 1}\n", 10,
     "expected a whole number from 1 to 1000000"},
    // what a kind needs, and what it has
    {__LINE__, HEAD FIRST "    kind: sweep\n    isa: x86_64\n    published: [1]\n", 4,
     "an experiment of kind 'sweep' needs the key 'kernel'"},
    {__LINE__, HEAD FIRST "    kind: corun\n    isa: x86_64\n    published: {cycles: 1}\n", 4,
     "an experiment of kind 'corun' needs the key 'asm'"},
    {__LINE__, HEAD FIRST "    kind: report\n    isa: x86_64\n    asm: nop\n    published: {ipc: 1}\n", 4,
     "an experiment of kind 'report' needs the key 'iterations'"},
    {__LINE__, HEAD FIRST "    kind: instruction\n    published: {latency: 1}\n", 4,
     "an experiment of kind 'instruction' needs the key 'instruction'"},
    {__LINE__, HEAD FIRST "    kind: block\n    isa: x86_64\n    asm: nop\n    published: {latency: 1}\n", 12,
     "an experiment of kind 'block' has no 'latency'"},
    // values
    {__LINE__, HEAD FIRST "    kind: block\n    published: {speed: 1}\n", 10, "unknown quantity 'speed'"},
    {__LINE__, HEAD FIRST "    kind: block\n    published: {cycels: 1}\n", 10,
     "unknown quantity 'cycels' (did you mean 'cycles'?)"},
    {__LINE__, HEAD FIRST "    kind: block\n    published: 5\n", 10,
     "expected quantities with their values: {cycles: 5.017}"},
    {__LINE__, HEAD FIRST "    kind: sweep\n    published: 5\n", 10, "expected the sweep's values: [4.0, 4.0, 4.5]"},
    {__LINE__, HEAD FIRST "    kind: sweep\n    published: []\n", 10, "there is no value"},
    {__LINE__, HEAD FIRST "    kind: instruction\n    instruction: i\n    published: {cycles: 5}\n", 11,
     "cycles of how many? Write cycles: {copies: 4, value: 14}"},
    {__LINE__,
     HEAD "  - {name: a, about: b, kind: instruction, instruction: i, model: m, why: w,\n"
          "     published: {latency: 1},\n     tolerance: 0}\n",
     6, "a tolerance is above 0"},
    {__LINE__,
     HEAD "  - {name: a, about: b, kind: instruction, instruction: i, model: m, why: w,\n"
          "     published: {latency: 1}, tolerance: 1}\n"
          "  - {name: a, about: b, kind: instruction, instruction: i, model: m, why: w,\n"
          "     published: {latency: 1}, tolerance: 1}\n",
     6, "there is an experiment 'a' already"},
};

static void mistakes_are_told_at_their_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct folder folder;
        struct reference_set set = {0};
        struct fail fail = {0};
        open_folder(&folder);
        put(&folder, mistakes[i].yaml);
        bool is_read = reference_load(&folder.arena, folder.file, &set, &fail);
        if (is_read || fail.status != FAIL_INPUT || strcmp(fail.file, folder.file) != 0 ||
            fail.line != mistakes[i].line || !text_starts(fail.text, mistakes[i].text))
            fail_msg("%s:%u: %s: %s:%u: %s", __FILE__, mistakes[i].source, is_read ? "read" : "refused", fail.file,
                     fail.line, fail.text);
        close_folder(&folder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_is_read),
        cmocka_unit_test(a_folder_without_files_is_none),
        cmocka_unit_test(mistakes_are_told_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
