#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"
#include "bench/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct fail fail;
    char folder[64];
    const char *path;
    struct host host;
    struct target target;
    struct bench bench;
};

static int set_up(void **state) {
    static const char *const flags[] = {"fma", "avx2", NULL};
    static const struct target_ops ops = {.name = "native"};
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-record-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->path = arena_printf(&f->arena, "%s/run.jsonl", f->folder);
    f->host = (struct host){.cpu_name = "AMD EPYC", .vendor = "AuthenticAMD", .family = 25, .flags = flags};
    f->target = (struct target){.ops = &ops, .description = "native", .timer = "tsc", .ticks_per_second = 2.6e9};
    f->bench = (struct bench){.target = &f->target, .clock = CLOCK_RATIO, .clock_error = 0.001, .stable = true};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

static struct record full_record(void) {
    static struct bench_replicate replicate = {"in other registers", 4.42, 4.41, 4.43, MEASURED_WITHIN};
    static struct bench_event events[] = {{"instructions", 10.5, 10.5, 10.75, 0.9922, 41, NULL},
                                          {.name = "branches", .count = 3.25}, // of a file that knows no intervals
                                          {"loads", 2, 1.5, 2.5, 0.875, 4, "too few rounds that counted it were kept"},
                                          {.name = "stores", .why = "all rounds that counted it were dropped"}};
    return (struct record){
        .kernel = "fma-zmm-ps",
        .isa = "x86_64",
        .mode = "throughput",
        .form = "looped",
        .arc = "acc",
        .placement = "own-lines",
        .instruction = "vfmadd231ps zmm",
        .streams = 8,
        .instructions = 10,
        .executed = 10,
        .doubt = "streams wait for each other",
        .loop_instructions = 3,
        .loop_branches = 2,
        .bytes = "62f2",
        .setup = "cbf29ce484222325",
        .setup_bytes = "d77f000d",
        .measurement = {.cycles = 4.41234,
                        .low = 4.4,
                        .high = 4.43,
                        .confidence = 0.9934,
                        .clock_error = 0.0012,
                        .verdict = MEASURED_WITHIN,
                        .clock = CLOCK_PERF,
                        .processes = 3,
                        .process_low = 4.41,
                        .process_high = 4.415,
                        .n_replicates = 1,
                        .replicates = &replicate,
                        .samples = 41,
                        .dropped = {[DROP_SWITCH] = 1, [DROP_REFERENCE] = 2},
                        .milliseconds = 4.125,
                        .n_events = 4,
                        .events = events},
        .n_predictions = 2,
        .predictions = {{.model = "llvm-19/znver5",
                         .cycles = 8,
                         .bottleneck = "Zn4FP01",
                         .of = "turn",
                         .verdict = "differs",
                         .blame = "model: Zn4FP01 held for 2 cycles"},
                        {.model = "llvm-19/znver4", .cycles = 8.5, .blame = ""}},
    };
}

static void write_records(struct fixture *f, const struct record *records, size_t count) {
    FILE *out = record_open(f->path, &f->host, &f->bench, &f->fail);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        assert_true(record_write(out, &records[i], &f->fail));
    fclose(out);
}

static void assert_same_replicates(const struct bench_measurement *a, const struct bench_measurement *b) {
    assert_int_equal(a->n_replicates, b->n_replicates);
    assert_true(a->n_replicates == 0 || (a->replicates && b->replicates));
    for (unsigned i = 0; a->replicates && b->replicates && i < a->n_replicates; i++) {
        assert_string_equal(a->replicates[i].change, b->replicates[i].change);
        assert_true(a->replicates[i].cycles == b->replicates[i].cycles && a->replicates[i].low == b->replicates[i].low);
        assert_true(a->replicates[i].high == b->replicates[i].high);
        assert_int_equal(a->replicates[i].verdict, b->replicates[i].verdict);
    }
}

static void assert_same_events(const struct bench_measurement *a, const struct bench_measurement *b) {
    assert_int_equal(a->n_events, b->n_events);
    assert_true(a->n_events == 0 || (a->events && b->events));
    for (unsigned i = 0; a->events && b->events && i < a->n_events; i++) {
        assert_string_equal(a->events[i].name, b->events[i].name);
        assert_true(a->events[i].count == b->events[i].count);
        assert_true(a->events[i].low == b->events[i].low && a->events[i].high == b->events[i].high);
        assert_true(a->events[i].confidence == b->events[i].confidence);
        assert_int_equal(a->events[i].samples, b->events[i].samples);
        assert_string_equal(a->events[i].why ? a->events[i].why : "", b->events[i].why ? b->events[i].why : "");
    }
}

static void assert_measurements_equal(const struct bench_measurement *a, const struct bench_measurement *b) {
    assert_int_equal(a->outcome, b->outcome);
    assert_true(a->cycles == b->cycles && a->low == b->low && a->high == b->high);
    assert_true(a->confidence == b->confidence && a->clock_error == b->clock_error);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->look, b->look);
    assert_int_equal(a->is_about, b->is_about);
    assert_int_equal(a->numerator, b->numerator);
    assert_int_equal(a->denominator, b->denominator);
    assert_int_equal(a->clock, b->clock);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->processes, b->processes);
    assert_same_replicates(a, b);
    assert_true(a->process_low == b->process_low && a->process_high == b->process_high);
    for (int i = 0; i < 2; i++)
        assert_true(a->modes[i].cycles == b->modes[i].cycles && a->modes[i].share == b->modes[i].share);
    assert_memory_equal(a->dropped, b->dropped, sizeof a->dropped);
    assert_true(a->milliseconds == b->milliseconds);
    assert_same_events(a, b);
}

// Compares what full_record has besides its measurement.
static void assert_is_full_record(const struct record *read) {
    assert_string_equal(read->isa, "x86_64");
    assert_string_equal(read->mode, "throughput");
    assert_string_equal(read->form, "looped");
    assert_string_equal(read->arc, "acc");
    assert_string_equal(read->instruction, "vfmadd231ps zmm");
    assert_string_equal(read->bytes, "62f2");
    assert_string_equal(read->setup, "cbf29ce484222325");
    assert_string_equal(read->setup_bytes, "d77f000d");
    struct arena arena = {0};
    assert_string_equal(record_code(&arena, read), "d77f000d:62f2");
    arena_free(&arena);
    assert_int_equal(read->streams, 8);
    assert_int_equal(read->instructions, 10);
    assert_string_equal(read->placement, "own-lines");
    assert_int_equal(read->loop_instructions, 3);
    assert_int_equal(read->loop_branches, 2);
    assert_int_equal(read->n_predictions, 2);
    assert_string_equal(read->predictions[0].model, "llvm-19/znver5");
    assert_string_equal(read->predictions[0].bottleneck, "Zn4FP01");
    assert_true(read->predictions[1].cycles == 8.5);
    assert_null(read->predictions[1].bottleneck);
}

static void what_is_written_is_read(void **state) {
    struct fixture *f = *state;
    struct record exact = {.kernel = "add",
                           .measurement = {.cycles = 0.33333,
                                           .low = 0.33333,
                                           .high = 0.33334,
                                           .verdict = MEASURED_EXACT,
                                           .numerator = 1,
                                           .denominator = 3,
                                           .samples = 9,
                                           .clock = CLOCK_RATIO}};
    struct record unstable = {.kernel = "div",
                              .measurement = {.cycles = 9,
                                              .verdict = MEASURED_UNSTABLE,
                                              .why = "two modes: 9 (75 %) and 18 (25 %) cycles",
                                              .look = LOOK_MOVED,
                                              .is_about = true,
                                              .modes = {{9, 0.75}, {18, 0.25}},
                                              .samples = 4,
                                              .clock = CLOCK_RATIO}};
    struct record crashed = {
        .kernel = "amx", .measurement = {.outcome = BENCH_SIGILL, .verdict = MEASURED_UNSTABLE, .clock = CLOCK_RATIO}};
    struct record written[] = {full_record(), exact, unstable, crashed};
    write_records(f, written, 2);
    write_records(f, written + 2, 2); // appends, as a run of its own

    struct record_file file;
    assert_true(record_read(&f->arena, f->path, &file, &f->fail));
    assert_int_equal(file.n_records, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(file.records[i].kernel, written[i].kernel);
        assert_int_equal(file.records[i].run, i < 2 ? 1 : 2);
        assert_measurements_equal(&file.records[i].measurement, &written[i].measurement);
    }
    assert_is_full_record(&file.records[0]);
    assert_string_equal(file.records[2].measurement.why, "two modes: 9 (75 %) and 18 (25 %) cycles");
    assert_null(file.records[1].isa);

    assert_string_equal(json_string_value(json_object_get(file.headers[0], "cpu")), "AMD EPYC");
    assert_true(json_is_null(json_object_get(file.headers[0], "hypervisor")));
    assert_int_equal(file.n_headers, 2);
    const json_t *clock = json_object_get(file.headers[0], "clock");
    assert_string_equal(json_string_value(json_object_get(clock, "tier")), "ratio");
    assert_string_equal(json_string_value(json_object_get(clock, "timer")), "tsc");
    record_file_close(&file);
}

static double number_at(const json_t *json, const char *key) {
    assert_true(json_is_real(json_object_get(json, key)));
    return json_real_value(json_object_get(json, key));
}

// What follows from the fields and is written all the same: shares of the cycles, and what is held against a model.
static void what_follows_is_written(void **state) {
    struct fixture *f = *state;
    struct record records[] = {full_record(), full_record(), full_record()};
    records[1].mode = "block";
    records[1].executed = 0; // its branches were not followed
    records[2].measurement.samples = 0;
    write_records(f, records, 3);
    char *text = NULL;
    assert_true(file_read(&f->arena, f->path, &text, NULL, &f->fail));
    struct slice rest = {text, strlen(text)}, line;
    json_t *json[4] = {NULL};
    for (unsigned i = 0; i < 4 && slice_next(&rest, '\n', &line); i++)
        json[i] = json_parse_line(line.data, line.length, f->path, i + 1, &f->fail);
    assert_true(fabs(number_at(json[1], "cycles_per_copy") - 0.55154) < 1e-9);
    assert_true(fabs(number_at(json[1], "cycles_per_instruction") - 0.44123) < 1e-9);
    assert_string_equal(json_string_value(json_object_get(json[1], "doubt")), "streams wait for each other");
    const json_t *first = json_array_get(json_object_get(json[1], "predicted"), 0),
                 *second = json_array_get(json_object_get(json[1], "predicted"), 1);
    assert_true(fabs(number_at(first, "difference") - 0.81310) < 1e-9);
    assert_string_equal(json_string_value(json_object_get(first, "of")), "turn");
    assert_null(json_object_get(second, "of"));
    assert_string_equal(json_string_value(json_object_get(first, "verdict")), "differs");
    assert_string_equal(json_string_value(json_object_get(first, "blame")), "model: Zn4FP01 held for 2 cycles");
    assert_null(json_object_get(second, "blame"));
    assert_null(json_object_get(json[2], "cycles_per_copy"));
    assert_null(json_object_get(json[2], "cycles_per_instruction"));
    assert_null(json_object_get(json[3], "cycles_per_copy"));
    assert_null(json_object_get(json_array_get(json_object_get(json[3], "predicted"), 0), "difference"));
    for (unsigned i = 0; i < 4; i++)
        json_decref(json[i]);
}

static void line_of_the_design(void **state) {
    struct fixture *f = *state;
    static const char line[] =
        "{\"record\":\"measurement\",\"kernel\":\"fma-zmm-ps\",\"mode\":\"throughput\",\"form\":\"looped\",\"n\":8,"
        "\"cycles\":4.41,\"low\":4.40,\"high\":4.43,\"verdict\":\"within\",\"clock\":\"ratio\",\"samples\":41,"
        "\"dropped\":{\"switch\":1},\"events\":{},\"bytes\":\"62f2\",\"instructions\":8,"
        "\"predicted\":[{\"model\":\"llvm-19/znver5\",\"cycles\":8.0,\"bottleneck\":\"Zn4FP01\"}],\"later\":[1]}\n";
    struct record_file file;
    assert_true(file_write(f->path, line, sizeof line - 1, &f->fail));
    assert_true(record_read(&f->arena, f->path, &file, &f->fail));
    assert_int_equal(file.n_headers, 0);
    assert_int_equal(file.n_records, 1);
    assert_int_equal(file.records[0].run, 0);
    assert_true(file.records[0].measurement.cycles == 4.41);
    assert_int_equal(file.records[0].measurement.dropped[DROP_SWITCH], 1);
}

static void a_line_cut_short_is_left_out(void **state) {
    struct fixture *f = *state;
    struct record records[] = {full_record(), full_record()};
    write_records(f, records, 2);
    char *data;
    size_t length;
    assert_true(file_read(&f->arena, f->path, &data, &length, &f->fail));
    for (size_t cut = 0; cut < 40; cut++) {
        struct record_file file;
        assert_true(file_write(f->path, data, length - cut, &f->fail));
        assert_true(record_read(&f->arena, f->path, &file, &f->fail));
        assert_int_equal(file.n_records, cut < 2 ? 2 : 1); // the newline alone may be missing
        assert_int_equal(file.damage.n, cut < 2 ? 0 : 1);
        assert_int_equal(file.damage.line, cut < 2 ? 0 : 3);
        record_file_close(&file);
    }
}

// A run that goes on in the file of a killed one.
static void a_line_cut_short_is_passed_over_by_the_next_run(void **state) {
    struct fixture *f = *state;
    struct record records[] = {full_record(), full_record()};
    write_records(f, records, 2);
    char *data;
    size_t length;
    assert_true(file_read(&f->arena, f->path, &data, &length, &f->fail));
    assert_true(file_write(f->path, data, length - 20, &f->fail));
    write_records(f, records, 2);
    struct record_file file;
    assert_true(record_read(&f->arena, f->path, &file, &f->fail));
    assert_int_equal(file.n_records, 3);
    assert_int_equal(file.n_headers, 2);
    assert_int_equal(file.records[2].run, 2);
    record_file_close(&file);
}

// What was read stays; what was added comes behind it, with its own lines. So it does behind a line cut short.
static void reading_goes_on_where_it_ended(void **state) {
    struct fixture *f = *state;
    struct record records[] = {full_record(), full_record()};
    struct record_file file = {.arena = &f->arena};
    char *data;
    size_t length;
    write_records(f, records, 2);
    assert_true(file_read(&f->arena, f->path, &data, &length, &f->fail));
    assert_true(file_write(f->path, data, length - 20, &f->fail));
    assert_true(record_read_on(f->path, &file, &f->fail));
    assert_int_equal(file.n_records, 1);
    assert_int_equal(file.damage.n, 1);
    const char *kernel = file.records[0].kernel;
    assert_true(record_read_on(f->path, &file, &f->fail)); // nothing was added
    assert_int_equal(file.n_records, 1);
    write_records(f, records, 2);
    assert_true(record_read_on(f->path, &file, &f->fail));
    assert_int_equal(file.n_headers, 2);
    assert_int_equal(file.n_records, 3);
    assert_ptr_equal(file.records[0].kernel, kernel);
    assert_int_equal(file.records[2].run, 2);
    assert_int_equal(file.records[2].line, 6); // a header, a line, the cut one, a header, a line
    record_file_close(&file);
}

// Damage that no kill explains is found there, too.
static void reading_on_finds_damage(void **state) {
    struct fixture *f = *state;
    struct record record = full_record();
    struct record_file file = {.arena = &f->arena};
    write_records(f, &record, 1);
    assert_true(record_read_on(f->path, &file, &f->fail));
    FILE *out = fopen(f->path, "ae");
    assert_non_null(out);
    fputs("{\"record\":\"measurement\",\"cyc\n{\"record\":\"measurement\",\"cycles\":1}\n", out);
    fclose(out);
    assert_true(record_read_on(f->path, &file, &f->fail));
    assert_int_equal(file.n_records, 2);
    assert_int_equal(file.damage.n_no_kill, 1);
    assert_int_equal(file.damage.line, 3);
    assert_non_null(strstr(record_damage_text(&f->arena, f->path, &file.damage), ":3: the line is damaged"));
    record_file_close(&file);
}

// Killed as well: in its header, or before it.
static void so_are_several(void **state) {
    struct fixture *f = *state;
    static const char *const ends[] = {"{\"record\":\"meas\n", "{\"re\n{\"record\":\"host\",\"ver\n",
                                       "{\"record\":\"measurement\",\"cyc\n{\"record\":\"ho"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct record_file file;
        struct record record = full_record();
        assert_true(file_write(f->path, ends[i], strlen(ends[i]), &f->fail));
        assert_true(record_read(&f->arena, f->path, &file, &f->fail));
        assert_int_equal(file.n_records, 0);
        assert_int_equal(file.damage.n, i ? 2 : 1);
        record_file_close(&file);
        write_records(f, &record, 1);
        assert_true(record_read(&f->arena, f->path, &file, &f->fail));
        assert_int_equal(file.n_records, 1);
        record_file_close(&file);
    }
}

static const char *time_of_header(struct fixture *f) {
    struct record_file file;
    assert_true(record_read(&f->arena, f->path, &file, &f->fail));
    const char *time = arena_strdup(&f->arena, record_time(file.headers[file.n_headers - 1]));
    record_file_close(&file);
    return time;
}

// A shell for packaging fixes the time of output. It must not date what was measured on a real CPU.
static void only_simulated_runs_have_a_fixed_date(void **state) {
    struct fixture *f = *state;
    struct record record = full_record();
    setenv("SOURCE_DATE_EPOCH", "315532800", 1);
    write_records(f, &record, 1);
    assert_true(strcmp(time_of_header(f), "2020") > 0);
    f->target.model = "znver4";
    write_records(f, &record, 1);
    assert_string_equal(time_of_header(f), "1980-01-01T00:00Z");
    unsetenv("SOURCE_DATE_EPOCH");
}

// Two measurements in a row are not what a killed run leaves. Without a good line, the file is something else.
static void damage_is_no_kill(void **state) {
    struct fixture *f = *state;
    static const char damaged[] = "{\"record\":\"measurement\",\"cyc\n{\"record\":\"measurement\",\"cyc\n";
    struct record record = full_record();
    struct record_file file;
    assert_true(file_write(f->path, damaged, strlen(damaged), &f->fail));
    assert_false(record_read(&f->arena, f->path, &file, &f->fail));
    assert_int_equal(f->fail.line, 2);
    record_file_close(&file);
    f->fail = (struct fail){0};
    write_records(f, &record, 1);
    assert_true(record_read(&f->arena, f->path, &file, &f->fail));
    assert_int_equal(file.n_records, 1);
    assert_int_equal(file.damage.n, 2);
    record_file_close(&file);
}

// Only the damaged line is lost, wherever it is. Below a damaged header, nobody knows where the values were made.
static void a_damaged_line_is_left_out(void **state) {
    struct fixture *f = *state;
    struct record records[] = {full_record(), full_record(), full_record()};
    write_records(f, records, 3);
    write_records(f, records, 3);
    char *data;
    size_t length;
    assert_true(file_read(&f->arena, f->path, &data, &length, &f->fail));
    unsigned line = 1;
    for (char *at = data; *at; at = strchr(at, '\n') + 1, line++) {
        struct record_file file;
        size_t size = (size_t)(strchr(at, '\n') - at);
        char *copy = arena_copy(&f->arena, data, length);
        memset(copy + (at - data) + size - 9, '#', 9);
        assert_true(file_write(f->path, copy, length, &f->fail));
        assert_true(record_read(&f->arena, f->path, &file, &f->fail));
        bool is_header = line % 4 == 1;
        assert_int_equal(file.n_records, is_header ? 6 : 5);
        assert_int_equal(file.damage.n, 1);
        assert_int_equal(file.damage.line, line);
        for (size_t i = 0; i < file.n_records; i++) {
            unsigned run = file.records[i].line < 5 ? 1 : 2;
            bool is_below = is_header && (line - 1) / 4 + 1 == run;
            assert_int_equal(file.records[i].run, is_below ? 0 : is_header ? 1 : run);
        }
        record_file_close(&file);
    }
}

static void one_run_at_a_time(void **state) {
    struct fixture *f = *state;
    FILE *first = record_open(f->path, &f->host, &f->bench, &f->fail);
    assert_non_null(first);
    assert_null(record_open(f->path, &f->host, &f->bench, &f->fail));
    assert_non_null(strstr(f->fail.text, "another run"));
    fclose(first);
}

static void assert_wrong(struct fixture *f, const char *text, unsigned line, const char *says) {
    struct fail fail = {0};
    struct record_file file;
    assert_true(file_write(f->path, text, strlen(text), &fail));
    assert_false(record_read(&f->arena, f->path, &file, &fail));
    record_file_close(&file);
    assert_int_equal(fail.status, FAIL_INPUT);
    assert_int_equal(fail.line, line);
    assert_string_equal(fail.file, f->path);
    if (!strstr(fail.text, says))
        fail_msg("'%s' says: %s", text, fail.text);
}

static void what_is_wrong_is_named(void **state) {
    struct fixture *f = *state;
#define GOOD "{\"record\":\"measurement\",\"cycles\":1}\n"
    static const struct {
        const char *text, *says;
        unsigned line;
    } cases[] = {
        {GOOD "{\"record\":\"measurement\",\"cycles\":\"4\"}\n", "'cycles' must be a number", 2},
        {"not json\n", "not JSON", 1},
        {"\nneither\nnor\n", "not JSON", 2},
        {"{\"record\":\"forecast\"}\n", "unknown record 'forecast'", 1},
        {"[1]\n", "must be a JSON object", 1},
        {"{\"record\":\"measurement\"}\n", "needs 'cycles'", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"verdict\":\"exakt\"}\n", "did you mean 'exact'", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"verdict\":\"exact\"}\n", "the fraction in", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"exact\":[1,0]}\n", "two whole numbers", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"exact\":[4294967297,1]}\n", "two whole numbers", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"n\":-1}\n", "'n' must be a whole number", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"n\":5000000000}\n", "'n' is too large", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"processes\":3}\n", "'processes' must be an object", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"modes\":[1]}\n", "'modes' must be a list of two", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"replicates\":[1]}\n", "'replicates' must be a list of objects", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"dropped\":3}\n", "'dropped' must be an object", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"predicted\":{}}\n", "'predicted' must be a list", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"predicted\":[{},{},{},{},{}]}\n", "more than 4", 1},
        {"{\"record\":\"measurement\",\"outcome\":\"tired\"}\n", "unknown outcome 'tired'", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"events\":{\"a\":\"b\"}}\n", "'a' must be a number", 1},
        {"{\"record\":\"host\",\"version\":2}\n", "version 2", 1},
        // Numbers that no run measures.
        {"{\"record\":\"measurement\",\"cycles\":-1}\n", "'cycles' is -1, but must be from", 1},
        {"{\"record\":\"measurement\",\"cycles\":1e300}\n", "'cycles' is 1e+300", 1},
        {"{\"record\":\"measurement\",\"cycles\":1e999}\n#\n", "not JSON", 2},
        {"{\"record\":\"measurement\",\"cycles\":NaN}\n#\n", "not JSON", 2},
        {"{\"record\":\"measurement\",\"cycles\":1,\"clock_error\":-0.1}\n", "'clock_error' is -0.1", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"confidence\":2}\n", "'confidence' is 2", 1},
        {"{\"record\":\"measurement\",\"cycles\":3,\"low\":1,\"high\":2,\"verdict\":\"within\"}\n",
         "between 'low' and 'high'", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"n\":4000000000}\n", "'n' is 4e+09", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"instructions\":4000000000}\n", "'instructions' is 4e+09", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"loop_instructions\":2,\"loop_branches\":3}\n",
         "'loop_branches' is 3", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"exact\":[4294967297,1]}\n", "two whole numbers", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"events\":{\"a\":-5e15}}\n", "'events' is -5e+15", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"predicted\":[{\"cycles\":-2}]}\n", "'predicted' is -2", 1},
        {"{\"record\":\"measurement\",\"cycles\":1,\"modes\":[{\"cycles\":1},{\"share\":7}]}\n", "'share' is 7", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_wrong(f, cases[i].text, cases[i].line, cases[i].says);
}

static void so_is_what_is_wrong_with_events(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"record\":\"measurement\",\"cycles\":1,\"events\":{\"a\":1},\"event_intervals\":{\"a\":[1,2]}}\n",
         "'event_intervals' must hold objects"},
        {"{\"record\":\"measurement\",\"cycles\":1,\"events\":{\"a\":1},\"event_intervals\":{\"a\":{}}}\n",
         "the interval of event 'a' has no samples"},
        {"{\"record\":\"measurement\",\"cycles\":1,\"events\":{\"a\":1},\"event_intervals\":"
         "{\"a\":{\"low\":2,\"high\":3,\"samples\":9}}}\n",
         "the count of event 'a' must lie within its interval"},
        {"{\"record\":\"measurement\",\"cycles\":1,\"events_why\":[]}\n", "'events_why' must be an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_wrong(*state, cases[i].text, 1, cases[i].says);
}

static void an_unwritable_place_is_known_at_once(void **state) {
    struct fixture *f = *state;
    assert_null(record_open("/nowhere/at/all.jsonl", &f->host, &f->bench, &f->fail));
    assert_int_equal(f->fail.status, FAIL_INPUT);
    assert_non_null(strstr(f->fail.text, "/nowhere/at/all.jsonl"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_follows_is_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_of_the_design, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_cut_short_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_cut_short_is_passed_over_by_the_next_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_goes_on_where_it_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_on_finds_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(so_are_several, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_no_kill, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_line_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_run_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(so_is_what_is_wrong_with_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unwritable_place_is_known_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_simulated_runs_have_a_fixed_date, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
