// Files for llvm-exegesis: what they hold, that they are YAML, and, where llvm-exegesis is installed, that it reads
// them.
#include "report/exegesis.h"

#include "base/file.h"
#include "base/text.h"
#include "report/testing_table.h"

#include <libfyaml.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/exegesis-XXXXXX";
static struct exegesis_written latencies, throughputs;

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    arena_free(&arena);
    return rmdir(folder);
}

static void remove_files(void) {
    unlink(latencies.path);
    unlink(throughputs.path);
}

static struct backend_cpu *open_cpu(const struct backend *backend, const char *cpu) {
    struct fail fail = {0};
    const struct backend_options options = {.triple = "x86_64-unknown-linux-gnu", .cpu = cpu, .output_syntax = -1};
    struct backend_cpu *open = backend->open(&arena, &options, &fail);
    assert_string_equal(fail.text, "");
    return open;
}

static void write_files(const struct survey_table *table, const char *at) {
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, NULL, &fail);
    assert_non_null(backend);
    struct backend_cpu *cpu = open_cpu(backend, "znver4");
    if (!exegesis_write(&arena, table, backend, cpu, at, &latencies, &throughputs, &fail))
        fail_msg("%s", fail.text);
    backend->close(cpu);
}

static char *content(const char *path) {
    char *data;
    struct fail fail = {0};
    assert_true(file_read(&arena, path, &data, NULL, &fail));
    return data;
}

static void documents_as_llvm_reads_them(void **state) {
    (void)state;
    struct survey_table one = testing_table;
    one.n_rows = 1;
    write_files(&one, folder);
    assert_string_equal(latencies.path, arena_printf(&arena, "%s/latency.yaml", folder));
    assert_string_equal(content(latencies.path),
                        "---\n"
                        "mode:            latency\n"
                        "key:\n"
                        "  instructions:\n"
                        "    - 'VADDPSYrm YMM0 YMM1 RDI i_0x1 %noreg i_0x0 %noreg'\n"
                        "  config:          'vadd.1-0'\n"
                        "  register_initial_values: []\n"
                        "cpu_name:        'znver5'\n"
                        "llvm_triple:     'x86_64-unknown-linux-gnu'\n"
                        "min_instructions: 1\n"
                        "measurements:\n"
                        "  - { key: latency, value: 3, per_snippet_value: 3 }\n"
                        "error:           'latency 2.base → 0 is known as an upper bound only, 11 cycles'\n"
                        "info:            'operands 1 -> 0, the largest of 3 pairs; 2.99 to 3.01 cycles; the chain "
                        "closes by itself; pairs not known: 1'\n"
                        "assembled_snippet: c5f45807\n"
                        "...\n");
    remove_files();
}

// A pair counts once, however many latencies it has; the number says until when it counts.
static void latencies_of_one_pair_are_told_apart(void **state) {
    (void)state;
    const struct table_latency latencies_of_it[] = {
        {.source = "1", .destination = "0", .value = testing_value(2, "c5f45807")},
        {.source = "1", .destination = "0", .value = testing_value(3, "c5f45807"), .is_to_others = true},
        {.source = "same", .destination = "0", .value = testing_value(1, "c5f45807")},
    };
    struct table_row row = testing_table.rows[0];
    struct survey_table one = testing_table;
    row.latencies = latencies_of_it;
    row.n_latencies = 3;
    one.rows = &row;
    one.n_rows = 1;
    write_files(&one, folder);
    assert_non_null(strstr(content(latencies.path),
                           "info:            'operands 1 -> 0, until other instructions have the result (its own kind: "
                           "2 cycles), the only pair; 2.99 to 3.01 cycles; "));
    remove_files();
}

static void every_document_is_yaml(void **state) {
    (void)state;
    write_files(&testing_table, folder);
    assert_int_equal(latencies.n, 3);
    assert_int_equal(latencies.n_doubtful, 2);     // not ADD64rr
    assert_int_equal(latencies.n_unreadable, 1);   // LLVM does not know CRC "quoted, form"
    assert_int_equal(throughputs.n, 3);            // VADDPSYrm, ADD64rr, NOOP
    assert_int_equal(throughputs.n_unreadable, 1); // DIV64r comes without bytes
    const char *paths[] = {latencies.path, throughputs.path};
    const size_t n[] = {latencies.n, throughputs.n};
    for (size_t i = 0; i < 2; i++) {
        const struct fy_parse_cfg quiet = {.flags = FYPCF_QUIET};
        struct fy_parser *parser = fy_parser_create(&quiet);
        const char *text = content(paths[i]);
        assert_non_null(parser);
        assert_int_equal(fy_parser_set_string(parser, text, strlen(text)), 0);
        size_t found = 0;
        for (struct fy_document *document; (document = fy_parse_load_document(parser)); found++) {
            char mode[64], instruction[256];
            assert_int_equal(fy_document_scanf(document, "/mode %63s /measurements/[0]/key %255s", mode, instruction),
                             2);
            assert_string_equal(mode, i == 0 ? "latency" : "inverse_throughput");
            assert_string_equal(instruction, mode);
            fy_parse_document_destroy(parser, document);
        }
        assert_int_equal(found, n[i]);
        fy_parser_destroy(parser);
    }
    remove_files();
}

// llvm-exegesis takes the first instruction of a chain for the one that was measured.
static void the_form_comes_first(void **state) {
    (void)state;
    static const char *const bytes[] = {"4801c848c1e178", "4801c848c1e17", "90", "xy", "", NULL};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct table_value value = testing_value(2.5, bytes[i]); // add %rcx, %rax; shl $120, %rcx
        value.sum = 4;
        value.partner = "ADD64rr";
        const struct table_latency latency = {false, "1", "0", value, false};
        const struct table_row row = {.form = "SHL64ri", .latencies = &latency, .n_latencies = 1};
        struct survey_table table = testing_table;
        table.rows = &row;
        table.n_rows = 1;
        write_files(&table, folder);
        assert_int_equal(latencies.n, i == 0);
        assert_int_equal(latencies.n_unreadable, i != 0);
        if (i == 0) {
            const char *text = content(latencies.path);
            assert_non_null(strstr(text, "    - 'SHL64ri RCX RCX i_0x78'\n    - 'ADD64rr RAX RAX RCX'\n"));
            assert_non_null(strstr(text, "{ key: latency, value: 2.5, per_snippet_value: 4 }\n"));
            assert_non_null(strstr(text, "; chain closed by ADD64rr'\n"));
        }
        remove_files();
    }
}

// llvm-exegesis cannot read the branch's distance.
static void a_loop_loses_its_branch(void **state) {
    (void)state;
    const struct table_value value = testing_value(2.5, "4801c849ffcf75f8"); // add %rcx, %rax; dec %r15; jne -8
    const struct table_latency latency = {false, "1", "0", value, false};
    const struct table_row row = {.form = "ADD64rr", .latencies = &latency, .n_latencies = 1};
    struct survey_table table = testing_table;
    table.rows = &row;
    table.n_rows = 1;
    write_files(&table, folder);
    assert_int_equal(latencies.n, 1);
    assert_non_null(strstr(content(latencies.path), "    - 'ADD64rr RAX RAX RCX'\n    - 'DEC64r R15 R15'\n  config"));
    remove_files();
}

static void no_rows_make_empty_files(void **state) {
    (void)state;
    struct survey_table table = testing_table;
    table.n_rows = 0;
    write_files(&table, arena_printf(&arena, "%s/zen5", folder));
    assert_string_equal(throughputs.path, arena_printf(&arena, "%s/zen5-inverse_throughput.yaml", folder));
    assert_string_equal(content(throughputs.path), "");
    remove_files();
}

static void needs_names_and_a_place(void **state) {
    (void)state;
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, NULL, &fail);
    struct backend_cpu *cpu = open_cpu(backend, "znver4");
    struct survey_table table = testing_table;
    assert_false(exegesis_write(&arena, &table, backend, cpu, "/nowhere/x", &latencies, &throughputs, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    fail = (struct fail){0};
    table.triple = NULL;
    assert_false(exegesis_write(&arena, &table, backend, cpu, folder, &latencies, &throughputs, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    backend->close(cpu);
}

// ---- llvm-exegesis itself

// A row for every usable form, with a latency and a throughput that are not true.
static struct survey_table table_of_forms(const struct backend *backend, struct backend_cpu *cpu) {
    struct fail fail = {0};
    const struct form *forms;
    size_t n_forms;
    struct survey_table table = testing_table;
    struct table_row *rows = NULL;
    assert_true(backend->forms(cpu, &arena, &forms, &n_forms, &fail));
    table.n_rows = 0;
    for (size_t i = 0; i < n_forms; i++) {
        if (forms[i].status != FORM_USABLE || strncmp(forms[i].text, "lock ", 5) == 0 ||
            strncmp(forms[i].text, "rep ", 4) == 0)
            continue; // llvm-exegesis's names of these are those of the prefix and of what is behind it
        struct text hex = {.arena = &arena};
        for (unsigned k = 0; k < forms[i].n_bytes; k++)
            text_addf(&hex, "%02x", forms[i].bytes[k]);
        struct table_latency *latency = ARENA_NEW(&arena, struct table_latency);
        struct table_throughput *throughput = ARENA_NEW(&arena, struct table_throughput);
        *latency = (struct table_latency){false, "1", "0", testing_value(4, hex.data), false};
        throughput->value = testing_value(0.5, hex.data);
        if (i % 10 == 0) {
            latency->value.verdict = MEASURED_UNSTABLE;
            latency->value.why = "it's → \"unstable\": yes, #1";
        }
        *ARENA_ADD(&arena, rows, table.n_rows) = (struct table_row){
            .form = forms[i].opcode,
            .latencies = latency,
            .n_latencies = 1,
            .throughputs = throughput,
            .n_throughputs = 1,
        };
    }
    table.rows = rows;
    return table;
}

// Lines of llvm-exegesis's CSV that are points.
static size_t points_read(const char *path) {
    FILE *lines = popen(arena_printf(&arena,
                                     "llvm-exegesis-22 -mode=analysis -analysis-clustering=naive -benchmarks-file=%s "
                                     "-analysis-clusters-output-file=- -analysis-inconsistencies-output-file=/dev/null",
                                     path),
                        "r");
    char line[4096];
    size_t n = 0;
    assert_non_null(lines);
    while (fgets(line, sizeof line, lines))
        n += strncmp(line, "cluster_id", 10) != 0 && strchr(line, ',');
    assert_int_equal(pclose(lines), 0);
    return n;
}

static void llvm_exegesis_reads_all(void **state) {
    (void)state;
    struct fail fail = {0};
    const struct backend *backend = backend_load(&arena, "22", &fail);
    if (!backend || system("command -v llvm-exegesis-22 >/dev/null") != 0) {
        skip();
        return;
    }
    struct backend_cpu *cpu = open_cpu(backend, "znver5");
    const struct survey_table table = table_of_forms(backend, cpu);
    if (!exegesis_write(&arena, &table, backend, cpu, folder, &latencies, &throughputs, &fail))
        fail_msg("%s", fail.text);
    assert_int_equal(latencies.n, table.n_rows);
    assert_int_equal(latencies.n_unreadable, 0);
    assert_int_equal(points_read(latencies.path), latencies.n);
    assert_int_equal(points_read(throughputs.path), throughputs.n);
    remove_files();
    backend->close(cpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_as_llvm_reads_them), cmocka_unit_test(latencies_of_one_pair_are_told_apart),
        cmocka_unit_test(every_document_is_yaml),       cmocka_unit_test(the_form_comes_first),
        cmocka_unit_test(a_loop_loses_its_branch),      cmocka_unit_test(no_rows_make_empty_files),
        cmocka_unit_test(needs_names_and_a_place),      cmocka_unit_test(llvm_exegesis_reads_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
