// The table from measurement files written by hand: only what they hold decides.
#include "survey/experiments/slots.h"
#include "survey/table/table.h"

#include "base/file.h"
#include "base/text.h"
#include "survey/folder.h"
#include "survey/forms/chain_partners.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_FOLDERS = 3 };

// Folders of a survey under one temporary folder.
struct fixture {
    struct arena arena;
    struct fail fail;
    char root[64];
    const char *folders[MOST_FOLDERS];
    struct text measurements[MOST_FOLDERS], forms[MOST_FOLDERS];
    unsigned n_warnings, n_damaged; // lines of each kind
    double clock_error;             // of what is added, relative
    const char *isa;                // likewise
    struct survey_table table;
};

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->root, "/tmp/cyclops-table-XXXXXX");
    f->isa = "x86_64";
    assert_non_null(mkdtemp(f->root));
    for (int i = 0; i < MOST_FOLDERS; i++) {
        f->folders[i] = arena_printf(&f->arena, "%s/%d", f->root, i);
        assert_int_equal(mkdir(f->folders[i], 0777), 0);
        f->measurements[i].arena = f->forms[i].arena = &f->arena;
    }
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < MOST_FOLDERS; i++) {
        unlink(folder_file(&f->arena, f->folders[i], "measurements.jsonl"));
        unlink(folder_file(&f->arena, f->folders[i], "forms.jsonl"));
        rmdir(f->folders[i]);
    }
    rmdir(f->root);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

// ---- writing

static void begin(struct fixture *f, int folder, const char *cpu) {
    text_addf(&f->measurements[folder],
              "{\"record\":\"host\",\"version\":1,\"cpu\":\"%s\",\"family\":25,\"model\":17,\"stepping\":1,"
              "\"microcode\":\"0xa1\",\"clock\":{\"tier\":\"ratio\",\"target\":\"native\",\"error\":%g}}\n",
              cpu, f->clock_error > 0 ? f->clock_error : 0.001);
}

static void add_line(struct fixture *f, int folder, const char *kernel, const char *rest, double cycles,
                     bool is_stable) {
    text_addf(&f->measurements[folder],
              "{\"record\":\"measurement\",\"kernel\":\"%s\",\"isa\":\"%s\",%s%s,"
              "\"cycles\":%g,\"low\":%g,\"high\":%g,\"verdict\":\"%s\",\"clock\":\"ratio\",\"clock_error\":%g,"
              "\"samples\":40,\"bytes\":\"90\"%s}\n",
              kernel, f->isa, strstr(rest, "\"form\"") ? "" : "\"form\":\"unrolled\",", rest, cycles, cycles - 0.01,
              cycles + 0.01, is_stable ? "within" : "unstable", f->clock_error,
              is_stable ? "" : ",\"why\":\"another thread was busy\"");
}

// Latencies; `arc` matters where the kernel is a .chain.
static void add_arc(struct fixture *f, const char *kernel, const char *arc, double cycles) {
    add_line(f, 0, kernel, arena_printf(&f->arena, "\"mode\":\"latency\",\"n\":1,\"arc\":\"%s\"", arc), cycles, true);
}

static void add(struct fixture *f, const char *kernel, double cycles) {
    add_arc(f, kernel, "a->a", cycles);
}

static void add_throughput(struct fixture *f, const char *kernel, unsigned streams, double cycles_of_all) {
    add_line(f, 0, kernel, arena_printf(&f->arena, "\"mode\":\"throughput\",\"n\":%u", streams), cycles_of_all, true);
}

static void add_form(struct fixture *f, int folder, const char *form, const char *left_out) {
    text_addf(&f->forms[folder], "{\"form\":\"%s\",\"example\":\"nop\",\"class\":\"WriteNop\"", form);
    text_addf(&f->forms[folder], left_out ? ",\"left_out\":\"%s\"}\n" : "}\n", left_out);
}

// Partners as on most CPUs: one cycle each; movq, two instructions, six.
static void add_partners(struct fixture *f) {
    static const char *const names[] = {"movslq", "xor", "vpand", "vandps"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add(f, arena_printf(&f->arena, "CHAIN.%s", names[i]), 1);
    add(f, "CHAIN.flags", 2);
    add(f, "CHAIN.carry", 2);
    add(f, "CHAIN.vmovq", 6);
}

// A filler alone in its loop of eight streams, whose branch takes a slot, too.
static void add_filler(struct fixture *f, const char *kernel, double width) {
    add_line(f, 0, kernel, "\"mode\":\"throughput\",\"form\":\"looped\",\"n\":8", (8 * SLOTS_ALONE + 1) / width, true);
}

// Fillers of a machine that takes six a cycle: nopw shares slots, xor takes one each.
static void add_fillers(struct fixture *f) {
    add_filler(f, "FILL.nopw", 12);
    add_throughput(f, "FILL.nopw.20", 2, 2 * 26.0 / 12);
    add_throughput(f, "FILL.nopw.44", 2, 2 * 50.0 / 12);
    add_filler(f, "FILL.xor", 6);
    add_throughput(f, "FILL.xor.20", 2, 2 * 24.0 / 6);
    add_throughput(f, "FILL.xor.44", 2, 2 * 48.0 / 6);
}

// ---- reading

static void count_warning(void *context, enum lab_note kind, const char *text) {
    struct fixture *f = context;
    f->n_warnings += kind == LAB_WARNING && strstr(text, "of another machine");
    f->n_damaged += kind == LAB_WARNING && strstr(text, "left out: --resume");
}

static void write_files(struct fixture *f, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct text *texts[] = {&f->measurements[i], &f->forms[i]};
        static const char *const names[] = {"measurements.jsonl", "forms.jsonl"};
        for (int k = 0; k < 2 && f->measurements[i].data; k++) // a survey begins with both files
            assert_true(file_write(folder_file(&f->arena, f->folders[i], names[k]),
                                   texts[k]->data ? texts[k]->data : "", texts[k]->length, &f->fail));
    }
}

static bool read_folders(struct fixture *f, size_t n) {
    const struct lab_listener listener = {.context = f, .note = count_warning};
    write_files(f, n);
    return table_read(&f->arena, f->folders, n, NULL, 0, &listener, &f->table, &f->fail);
}

static void read_all(struct fixture *f, size_t n) {
    if (!read_folders(f, n))
        fail_msg("%s", f->fail.text);
}

static const struct table_row *row_of(const struct fixture *f, const char *form) {
    for (size_t i = 0; i < f->table.n_rows; i++)
        if (strcmp(f->table.rows[i].form, form) == 0)
            return &f->table.rows[i];
    fail_msg("there is no row %s", form);
    return NULL;
}

static const struct table_value *find_latency(const struct table_row *row, const char *source,
                                              const char *destination) {
    for (size_t i = 0; i < row->n_latencies; i++)
        if (strcmp(row->latencies[i].source, source) == 0 && strcmp(row->latencies[i].destination, destination) == 0)
            return &row->latencies[i].value;
    return NULL;
}

static const struct table_value *latency_of(const struct fixture *f, const char *form, const char *source,
                                            const char *destination) {
    const struct table_value *value = find_latency(row_of(f, form), source, destination);
    if (!value)
        fail_msg("%s has no latency from %s to %s", form, source, destination);
    return value;
}

static void is_near(double value, double wanted) {
    if (!(fabs(value - wanted) < 1e-6))
        fail_msg("%g is not %g", value, wanted);
}

static void is_value(const struct table_value *value, double cycles, enum table_relation relation) {
    assert_true(value->is_known);
    is_near(value->cycles, cycles);
    assert_int_equal(value->relation, relation);
    assert_true(value->low <= value->cycles && value->cycles <= value->high);
}

// ---- names of kernels

static void names_become_pairs(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_arc(f, "F.chain", "o0->o0", 4);
    add_arc(f, "F.chain", "o0->o1", 5);
    add_arc(f, "F.chain", "rax->o2_base", 6);
    add(f, "F.rax-rdx.alone", 7);
    add(f, "F.o3_base-o0.movslq", 9);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(row_of(f, "F")->n_latencies, 5);
    is_value(latency_of(f, "F", "0", "0"), 4, TABLE_EQUAL);
    is_value(latency_of(f, "F", "1", "0"), 5, TABLE_EQUAL);
    is_value(latency_of(f, "F", "2.base", "rax"), 6, TABLE_EQUAL);
    is_value(latency_of(f, "F", "rax", "rdx"), 7, TABLE_EQUAL);
    is_value(latency_of(f, "F", "3.base", "0"), 8, TABLE_EQUAL);
    assert_null(latency_of(f, "F", "rax", "rdx")->partner);
    assert_string_equal(latency_of(f, "F", "3.base", "0")->partner, "movslq");
    assert_string_equal(latency_of(f, "F", "3.base", "0")->kernel, "F.o3_base-o0.movslq");
    assert_string_equal(latency_of(f, "F", "3.base", "0")->bytes, "90");
}

// Names that no survey makes do no harm.
static void other_names(void **state) {
    struct fixture *f = *state;
    static const char *const names[] = {"",      ".",     "F.", "F..", "F.x", "F.-", "F.-.-", "F.a-b.nothing",
                                        "CHAIN", "CHAIN."};
    begin(f, 0, "A");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add(f, names[i], 1);
    text_add(&f->measurements[0], "{\"record\":\"measurement\",\"outcome\":\"time-out\"}\n"
                                  "{\"record\":\"measurement\",\"kernel\":\"F\",\"outcome\":\"time-out\"}\n");
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_string_equal(latency_of(f, "F", "a", "b")->why, "its partner nothing is not known");
}

// ---- partners

static void partners_are_subtracted(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "F.o1-o0.movslq", 4);
    add(f, "F.o2_base-o0.xor", 7); // two of them
    add(f, "F.o3-o0.vpand", 5);    // the smaller one of two ways
    add(f, "F.o3-o0.vandps", 4);
    add(f, "F.o4-o0.knotw", 4); // not measured
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 3, TABLE_EQUAL);
    is_value(latency_of(f, "F", "2.base", "0"), 5, TABLE_EQUAL);
    is_value(latency_of(f, "F", "3", "0"), 3, TABLE_EQUAL);
    assert_string_equal(latency_of(f, "F", "3", "0")->partner, "vandps");
    is_near(latency_of(f, "F", "1", "0")->low, 4 - 0.01 - 1.01);
    is_near(latency_of(f, "F", "1", "0")->high, 4 + 0.01 - 0.99);
    assert_false(latency_of(f, "F", "4", "0")->is_known);
    assert_string_equal(latency_of(f, "F", "4", "0")->why, "its partner knotw is not known");
    assert_int_equal(f->table.n_values, 3);
}

// Across register files only the sum is known: each step takes a cycle at least.
static void across_files_is_a_bound(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "F.o1-o0.vmovq", 7);
    add(f, "F.o2_base-o0.vmovq-xor", 9);
    add(f, "F.o3-o0.vmovq", 6); // of two ways for one pair, the equal value counts
    add(f, "F.o3-o0.vpand", 6);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 6, TABLE_AT_MOST);
    is_near(latency_of(f, "F", "1", "0")->sum, 7);
    is_value(latency_of(f, "F", "2.base", "0"), 6, TABLE_AT_MOST);
    is_near(latency_of(f, "F", "2.base", "0")->sum, 9);
    is_value(latency_of(f, "F", "3", "0"), 5, TABLE_EQUAL);
    is_near(latency_of(f, "F", "3", "0")->sum, 0);
    assert_int_equal(f->table.n_at_most, 2);
}

// Where there and back take one cycle each, neither can take less.
static void the_least_way_is_equal(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add(f, "CHAIN.kmovw", 2);
    add(f, "F.o1-o0.kmovw", 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 3, TABLE_EQUAL);
}

static void sums_must_add_up(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "CHAIN.movslq-xor", 3.05);
    add(f, "CHAIN.vpand-vpand", 3); // should be 2
    add(f, "F.o1-o0.movslq", 4);
    add(f, "F.o2-o0.vpand", 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(latency_of(f, "F", "1", "0")->verdict, MEASURED_WITHIN);
    assert_int_equal(latency_of(f, "F", "2", "0")->verdict, MEASURED_UNSTABLE);
    assert_string_equal(latency_of(f, "F", "2", "0")->why, "the chains of vpand-vpand do not add up");
    assert_int_equal(f->table.n_unstable, 1);
}

static void unstable_partners(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_line(f, 0, "CHAIN.movslq", "\"mode\":\"latency\",\"n\":1", 1, false);
    add(f, "F.o1-o0.movslq", 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 3, TABLE_EQUAL);
    assert_int_equal(latency_of(f, "F", "1", "0")->verdict, MEASURED_UNSTABLE);
    assert_string_equal(latency_of(f, "F", "1", "0")->why, "another thread was busy");
}

// A value that was seen once only.
static void add_first_look(struct fixture *f, const char *kernel, double cycles) {
    text_addf(&f->measurements[0],
              "{\"record\":\"measurement\",\"kernel\":\"%s\",\"isa\":\"x86_64\",\"form\":\"unrolled\","
              "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o1\",\"cycles\":%g,\"low\":%g,\"high\":%g,"
              "\"verdict\":\"unstable\",\"look\":\"first\",\"clock\":\"ratio\",\"clock_error\":0,"
              "\"samples\":40,\"bytes\":\"90\",\"why\":\"seen in 3 processes only, at one time\"}\n",
              kernel, cycles, cycles - 0.01, cycles + 0.01);
}

// What waits for its second look is counted apart; a value of several parts waits where none is really unstable.
static void first_looks_are_no_trouble(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_first_look(f, "F.chain", 4);
    add_first_look(f, "CHAIN.movslq", 1);
    add(f, "G.o1-o0.movslq", 4);
    add_line(f, 0, "H.o1-o0.movslq", "\"mode\":\"latency\",\"n\":1", 4, false);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    add_form(f, 0, "H", NULL);
    read_all(f, 1);
    assert_int_equal(f->table.n_values, 3);
    assert_int_equal(f->table.n_waiting, 2);
    assert_int_equal(f->table.n_unstable, 1);
    assert_true(latency_of(f, "F", "1", "0")->is_waiting);
    assert_true(latency_of(f, "G", "1", "0")->is_waiting);
    assert_false(latency_of(f, "H", "1", "0")->is_waiting);
    assert_int_equal(latency_of(f, "G", "1", "0")->verdict, MEASURED_UNSTABLE);
}

// A damaged line in front of a header may be of a run that was killed: it is left out, but not in silence.
static void damaged_lines_are_reported(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add(f, "F.chain", 4);
    text_add(&f->measurements[0], "{\"record\":\"measurement\",\"kernel\":\"G.ch#in\n");
    begin(f, 0, "A");
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(f->table.n_values, 1);
    assert_int_equal(f->n_damaged, 1);
}

static void add_fault(struct fixture *f, const char *kernel, const char *outcome) {
    text_addf(&f->measurements[0],
              "{\"record\":\"measurement\",\"kernel\":\"%s\",\"isa\":\"x86_64\",\"arc\":\"o0->o0\","
              "\"mode\":\"latency\",\"outcome\":\"%s\"}\n",
              kernel, outcome);
}

// A bundle measures forms that nobody has tried there before.
static void forms_that_the_machine_lacks_are_left_out(void **state) {
    struct fixture *f = *state;
    text_add(&f->measurements[0],
             "{\"record\":\"host\",\"version\":1,\"cpu\":\"A\",\"family\":25,\"model\":17,\"stepping\":1,"
             "\"microcode\":\"0xa1\",\"flags\":[\"abm\"],\"clock\":{\"tier\":\"ratio\",\"target\":\"native\","
             "\"error\":0.001}}\n");
    static const char *const forms[] = {"F.chain", "G.chain", "H.chain", "I.chain"};
    static const char *const outcomes[] = {"illegal instruction", "privileged instruction", "segmentation fault",
                                           "illegal instruction"};
    for (size_t i = 0; i < 4; i++)
        add_fault(f, forms[i], outcomes[i]);
    add_throughput(f, "I", 4, 4);
    add_throughput(f, "LZCNT64rr", 4, 4);
    add_throughput(f, "TZCNT64rr", 4, 4); // as bsf
    for (size_t i = 0; i < 4; i++)
        add_form(f, 0, arena_copy(&f->arena, forms[i], 1), NULL);
    add_form(f, 0, "LZCNT64rr", NULL);
    add_form(f, 0, "TZCNT64rr", NULL);
    read_all(f, 1);
    assert_string_equal(row_of(f, "F")->left_out, "illegal instruction");
    assert_true(row_of(f, "F")->is_refused && !row_of(f, "F")->n_latencies);
    assert_string_equal(row_of(f, "G")->left_out, bench_outcome_name(BENCH_PRIVILEGED));
    assert_true(row_of(f, "G")->is_refused);
    assert_false(row_of(f, "H")->is_refused);
    assert_null(row_of(f, "I")->left_out);
    assert_null(row_of(f, "LZCNT64rr")->left_out);
    assert_string_equal(row_of(f, "TZCNT64rr")->left_out, "hint: this CPU lacks bmi");
    assert_int_equal(row_of(f, "TZCNT64rr")->n_throughputs, 0);
}

static void what_did_not_run_is_not_known(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    text_add(&f->measurements[0], "{\"record\":\"measurement\",\"kernel\":\"F.chain\",\"isa\":\"x86_64\",\"arc\":"
                                  "\"o0->o0\",\"mode\":\"latency\",\"outcome\":\"time-out\"}\n");
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_false(latency_of(f, "F", "0", "0")->is_known);
    assert_string_equal(latency_of(f, "F", "0", "0")->why, "time-out");
    assert_string_equal(row_of(f, "F")->left_out, "time-out");
    assert_false(row_of(f, "F")->is_refused);
    assert_int_equal(f->table.n_measured, 0);
}

// What a neighbour spoilt altogether is measured, and not known yet.
static void what_was_lost_is_counted(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    text_add(
        &f->measurements[0],
        "{\"record\":\"measurement\",\"kernel\":\"F.chain\",\"isa\":\"x86_64\",\"form\":\"unrolled\",\"mode\":"
        "\"latency\","
        "\"n\":1,\"arc\":\"o0->o1\",\"cycles\":0,\"low\":0,\"high\":0,\"verdict\":\"unstable\",\"clock\":\"ratio\","
        "\"clock_error\":0,\"samples\":0,\"bytes\":\"90\",\"why\":\"9 of 9 rounds dropped\"}\n");
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(f->table.n_lost, 1);
    assert_int_equal(f->table.n_values, 0);
    assert_int_equal(f->table.n_unstable, 0);
}

// ---- chains that something other than the latency limits

static void limited_chains_are_bounds(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_arc(f, "F.chain", "o0->o1", 2.5);
    add_arc(f, "G.chain", "o0->o1", 0.5);
    add_arc(f, "H.chain", "o0->o1", 4);
    add_throughput(f, "H", 4, 16);
    add_arc(f, "I.chain", "rax->rax", 3);
    add_arc(f, "I.chain", "o0->o0", 3);
    add(f, "I.rax-rax.alone", 2);
    add_arc(f, "J.same", "o0->o1", 0.25);
    add(f, "K.o1-o0.movslq", 1); // no longer than movslq alone
    for (int i = 0; i < 6; i++)
        add_form(f, 0, (const char *const[]){"F", "G", "H", "I", "J", "K"}[i], NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 2.5, TABLE_AT_MOST);
    assert_non_null(strstr(latency_of(f, "F", "1", "0")->why, "no whole number of cycles"));
    is_value(latency_of(f, "G", "1", "0"), 0.5, TABLE_AT_MOST);
    assert_non_null(strstr(latency_of(f, "G", "1", "0")->why, "less than a cycle"));
    is_value(latency_of(f, "H", "1", "0"), 4, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "H", "1", "0")->why, "copies side by side take as long");
    is_value(latency_of(f, "I", "rax", "rax"), 2, TABLE_EQUAL); // alone
    is_value(latency_of(f, "I", "0", "0"), 3, TABLE_EQUAL);
    is_value(latency_of(f, "J", "same", "0"), 0.25, TABLE_AT_MOST);
    assert_false(latency_of(f, "K", "1", "0")->is_known);
    assert_non_null(strstr(latency_of(f, "K", "1", "0")->why, "takes no longer than the way back"));
}

static bool wants_padded(const struct fixture *f, const char *form, const char *source, const char *result,
                         unsigned pads) {
    const struct table_row *row = row_of(f, form);
    for (size_t i = 0; i < row->n_follow; i++) {
        const struct experiment_key *key = &row->follow[i];
        if (key->variant == EXPERIMENT_PADDED && strcmp(key->source, source) == 0 && strcmp(key->result, result) == 0 &&
            key->n_steps == pads)
            return true;
    }
    return false;
}

// Experiments of a kind that follow.
static size_t count_following(const struct table_row *row, enum experiment_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < row->n_follow; i++)
        n += row->follow[i].kind == kind;
    return n;
}

// The base of an address that the form writes, too: copies wait for that, and the way back leads to it.
static void the_address_may_limit_a_chain(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (const char *form = "FG"; *form; form++) { // xor takes two cycles
        add_arc(f, arena_printf(&f->arena, "%c.chain", *form), "o1_base->o1_base", *form == 'F' ? 5 : 2);
        add(f, arena_printf(&f->arena, "%c.o1_base-o0.xor", *form), 7);
        add_form(f, 0, arena_printf(&f->arena, "%c", *form), NULL);
    }
    read_all(f, 1);
    is_value(latency_of(f, "F", "1.base", "0"), 5, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "F", "1.base", "0")->why, "the address, which it writes, takes as long");
    is_value(latency_of(f, "G", "1.base", "0"), 5, TABLE_EQUAL);
}

// In order, a pipe that the form holds may be the way's as well, breakers may be late, and no steps lead to an address.
static void chains_in_order(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    f->isa = "aarch64";
    add(f, "CHAIN.sxtw", 1);
    add(f, "CHAIN.eor", 1);
    add(f, "F.o0-o0.alone", 3);
    add_throughput(f, "G", 4, 16);
    add(f, "G.o1-o0.sxtw", 5);
    add_throughput(f, "H", 4, 12);
    add(f, "H.o1-o0.sxtw", 6); // near what copies take, but longer
    add_throughput(f, "I", 4, 12);
    add(f, "I.o1_base-o0.eor", 6);
    for (const char *form = "FGHI"; *form; form++)
        add_form(f, 0, arena_printf(&f->arena, "%c", *form), NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "0"), 3, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "F", "0", "0")->why, "what ends the other dependences may take as long");
    is_value(latency_of(f, "G", "1", "0"), 4, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "G", "1", "0")->why, "copies side by side take as long");
    is_value(latency_of(f, "H", "1", "0"), 5, TABLE_AT_MOST);
    assert_true(wants_padded(f, "H", "o1", "o0", PARTNER_PADS));
    assert_true(latency_of(f, "I", "1.base", "0")->is_known);
    assert_int_equal(count_following(row_of(f, "I"), EXPERIMENT_PAIR), 0);
}

// RISC-V's groups of registers: a pipe that the form holds may be the steps' as well, as on a SiFive P470. Then neither
// its chain nor a longer one shows its latency. A step of a cycle is known, though it takes as long side by side.
static void chains_of_groups(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    f->isa = "riscv64";
    add(f, "CHAIN.vand", 2);
    add_throughput(f, "SIDE.vand", 16, 8);
    for (const char *form = "FG"; *form; form++) {
        const char *name = arena_printf(&f->arena, "%c", *form);
        add_throughput(f, name, 7, *form == 'F' ? 28 : 7); // F holds its pipe for four cycles
        add_arc(f, arena_printf(&f->arena, "%s.chain", name), "o0->o1", 4);
        add(f, arena_printf(&f->arena, "%s.o1-o0.vand.padded.vand", name), 22);
        add_form(f, 0, name, NULL);
    }
    add(f, "CHAIN.vmand_e32m2", 1);
    add_throughput(f, "SIDE.vmand_e32m2", 16, 16);
    add_throughput(f, "H-e32m2", 14, 14);
    add(f, "H-e32m2.o1-o0.vmand_e32m2", 5);
    add_form(f, 0, "H-e32m2", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 4, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "F", "1", "0")->why, "copies side by side take as long");
    is_value(latency_of(f, "G", "1", "0"), 4, TABLE_EQUAL);
    is_value(latency_of(f, "H-e32m2", "1", "0"), 4, TABLE_EQUAL);
    assert_int_equal(latency_of(f, "H-e32m2", "1", "0")->n_parts, 2); // what a model has of the step counts
    assert_true(latency_of(f, "H-e32m2", "1", "0")->constant == 0);
}

// Of forms whose copies take long side by side, a chain of many steps more decides.
static void padded_chains_decide(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    static const struct {
        double chain, padded; // cycles; 0: not measured
    } known[] = {{6, 0},  {6, 15}, {6, 12}, {6, 12.4}, {6, 8},  {6, 9.5},
                 {20, 0}, {5, 13}, {5, 14}, {6, 16},   {7, 11}, {5, 17}};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        const char *form = arena_printf(&f->arena, "F%c", 'a' + i);
        add_throughput(f, form, 16, 80);
        add_arc(f, arena_printf(&f->arena, "%s.chain", form), "o0->o1", known[i].chain);
        if (known[i].padded > 0)
            add(f, arena_printf(&f->arena, "%s.o1-o0.movslq.padded.movslq", form), known[i].padded);
        add_form(f, 0, form, NULL);
    }
    read_all(f, 1);
    is_value(latency_of(f, "Fa", "1", "0"), 6, TABLE_AT_MOST); // nobody knows yet
    assert_non_null(strstr(latency_of(f, "Fa", "1", "0")->why, "nearly as long"));
    assert_true(wants_padded(f, "Fa", "o1", "o0", PARTNER_PADS));
    is_value(latency_of(f, "Fb", "1", "0"), 6, TABLE_EQUAL); // eight steps and the way are 9 cycles more
    assert_string_equal(latency_of(f, "Fb", "1", "0")->kernel, "Fb.chain");
    is_value(latency_of(f, "Fc", "1", "0"), 3, TABLE_EQUAL);
    assert_string_equal(latency_of(f, "Fc", "1", "0")->kernel, "Fc.o1-o0.movslq.padded.movslq");
    assert_int_equal(latency_of(f, "Fc", "1", "0")->n_parts, 3);
    assert_true(latency_of(f, "Fc", "1", "0")->parts[1].factor == -8);
    is_value(latency_of(f, "Fd", "1", "0"), 3.4, TABLE_AT_MOST);
    assert_false(latency_of(f, "Fe", "1", "0")->is_known); // eight steps in two cycles: nothing waits for them
    assert_non_null(strstr(latency_of(f, "Fe", "1", "0")->why, "do not wait"));
    assert_false(latency_of(f, "Ff", "1", "0")->is_known);
    is_value(latency_of(f, "Fg", "1", "0"), 20, TABLE_EQUAL); // far longer than side by side
    assert_int_equal(count_following(row_of(f, "Fg"), EXPERIMENT_PAIR), 0);
    is_value(latency_of(f, "Fh", "1", "0"), 4, TABLE_EQUAL); // the plain chain takes as long as copies side by side
    is_value(latency_of(f, "Fi", "1", "0"), 5, TABLE_EQUAL);
    is_value(latency_of(f, "Fj", "1", "0"), 6, TABLE_EQUAL);   // others wait longer for the result
    is_value(latency_of(f, "Fk", "1", "0"), 2, TABLE_AT_MOST); // a third of the steps shows: others limit it still
    is_value(latency_of(f, "Fl", "1", "0"), 5, TABLE_AT_MOST); // longer than what bounds it: something else limits it
}

// Copies of a chain are at one address: what they take there side by side may be its limit. 18 cycles are; longer
// chains show 14.25, which is a bound, as it is no whole number.
static void chains_at_one_address(void **state) {
    static const double padded[] = {25.25, 25, 0, 0};
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (int i = 0; i < 4; i++) {
        const char *form = (const char *const[]){"F", "G", "H", "I"}[i];
        add_line(f, 0, form, "\"mode\":\"throughput\",\"n\":4,\"placement\":\"own-lines\"", 4 * 4, true);
        add_line(f, 0, form, "\"mode\":\"throughput\",\"n\":4,\"placement\":\"same-address\"", 4 * 18, true);
        add(f, arena_printf(&f->arena, "%s.o0_base-flags.flags-xor", form), 18);
        add(f, arena_printf(&f->arena, "%s.o0_base-flags.flags-xor.longer", form), i == 3 ? 22 : 21.25);
        if (padded[i] > 0)
            add(f, arena_printf(&f->arena, "%s.o0_base-flags.flags-xor.padded.movslq", form), padded[i]);
        add_form(f, 0, form, NULL);
    }
    read_all(f, 1);
    is_value(latency_of(f, "F", "0.base", "flags.zero"), 14.25, TABLE_AT_MOST);
    is_value(latency_of(f, "G", "0.base", "flags.zero"), 14, TABLE_EQUAL);
    is_value(latency_of(f, "H", "0.base", "flags.zero"), 14.25, TABLE_AT_MOST); // nobody knows yet
    is_value(latency_of(f, "I", "0.base", "flags.zero"), 15, TABLE_EQUAL);      // four steps add four cycles
    assert_true(wants_padded(f, "H", "o0_base", "flags", PARTNER_PADS));
}

// A cycle is the least that a step takes; 1.07 is no whole number.
static void a_little_more_than_a_cycle(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (const char *form = "FGH"; *form; form++) {
        add_arc(f, arena_printf(&f->arena, "%c.chain", *form), "o0->o0", *form == 'H' ? 1.02 : 1.07);
        add_form(f, 0, arena_printf(&f->arena, "%c", *form), NULL);
    }
    add(f, "G.o0-o0.vpand.padded.vpand", 10);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "0"), 1.07, TABLE_AT_MOST);
    assert_true(wants_padded(f, "F", "o0", "o0", PARTNER_PADS));
    is_value(latency_of(f, "G", "0", "0"), 1, TABLE_EQUAL);
    is_value(latency_of(f, "H", "0", "0"), 1.02, TABLE_EQUAL);
    assert_int_equal(count_following(row_of(f, "H"), EXPERIMENT_PAIR), 0);
}

// Of two results, each may wait for one source only: then more steps take no longer.
static void pairs_that_are_not(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_arc(f, "F.chain", "o0->o0", 1);
    add_arc(f, "F.chain", "o0->o1", 1);
    add_arc(f, "F.chain", "o1->o0", 1);
    add(f, "F.o0-o0.movslq.padded.movslq", 3);
    add(f, "F.o1-o0.movslq.padded.movslq", 10);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_false(latency_of(f, "F", "0", "0")->is_known);
    assert_non_null(strstr(latency_of(f, "F", "0", "0")->why, "do not wait for each other"));
    is_value(latency_of(f, "F", "1", "0"), 1, TABLE_EQUAL); // the arc's result is in front
    is_value(latency_of(f, "F", "0", "1"), 1, TABLE_AT_MOST);
    assert_non_null(strstr(latency_of(f, "F", "0", "1")->why, "no longer chain shows"));
}

// Steps that go past the form show nothing of it: it does not write the register that they keep.
static void steps_past_the_form(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_arc(f, "F.chain", "eax->eax", 0.34);
    add_arc(f, "F.chain", "edx->eax", 0.34);
    add(f, "F.eax-eax.movslq.padded.movslq", 9);
    add_form(f, 0, "F", NULL);
    add_throughput(f, "G.broken", 16, 80);
    add(f, "G.flags-flags.alone", 6);
    add(f, "G.flags-flags.flags-flags.padded.movslq", 4); // zero is not on the way; carry is not measured yet
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "eax", "eax"), 0.34, TABLE_AT_MOST);
    is_value(latency_of(f, "G", "flags", "flags"), 6, TABLE_AT_MOST);
}

// Steps that need the form's own pipe show nothing: two shuffles and nine more are as long as the chain.
static void steps_on_the_same_pipe(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_fillers(f);
    add(f, "CHAIN.pshufw", 1);
    add(f, "CHAIN.mpand", 1);
    add_throughput(f, "SIDE.pshufw", 8, 8);
    add_throughput(f, "SIDE.mpand", 8, 4);
    for (const char *form = "FG"; *form; form++) {
        const char *name = arena_printf(&f->arena, "%c", *form), *step = *form == 'F' ? "pshufw" : "mpand";
        add_throughput(f, name, 8, 16);
        add_arc(f, arena_printf(&f->arena, "%s.chain", name), "o0->o0", 2);
        text_addf(&f->measurements[0],
                  "{\"record\":\"measurement\",\"kernel\":\"%s.o0-o0.pshufw.padded.%s\",\"isa\":\"x86_64\",\"form\":"
                  "\"unrolled\",\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o0\",\"instructions\":10,\"cycles\":%d,"
                  "\"low\":%d,\"high\":%d,\"verdict\":\"within\",\"clock\":\"ratio\",\"clock_error\":0,\"samples\":40,"
                  "\"bytes\":\"90\"}\n",
                  name, step, *form == 'F' ? 11 : 10, *form == 'F' ? 11 : 10, *form == 'F' ? 11 : 10);
        add_form(f, 0, name, NULL);
    }
    // Three shuffles and the one that leads back are four.
    add_throughput(f, "H", 8, 24);
    add_line(f, 0, "H.o1-o0.pshufw", "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o1\",\"instructions\":2", 4, true);
    add_form(f, 0, "H", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "0"), 2, TABLE_AT_MOST);
    is_value(latency_of(f, "G", "0", "0"), 1, TABLE_EQUAL);
    is_value(latency_of(f, "H", "1", "0"), 3, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "H", "1", "0")->why, "its instructions side by side may take as long");
}

// Where eight steps made a difference, many more must show the same.
static void many_more_steps(void **state) {
    static const double more[] = {0, 27, 28, 29, 28, 0, 27, 27}, most[] = {0, 0, 0, 0, 0, 0, 51, 50},
                        fewer[] = {13, 13, 13, 13, 12.4, 12.4, 13, 13};
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (int i = 0; i < 8; i++) {
        const char *form = arena_printf(&f->arena, "F%c", 'a' + i);
        add_throughput(f, form, 16, 80);
        add_arc(f, arena_printf(&f->arena, "%s.chain", form), "o0->o0", 6);
        add(f, arena_printf(&f->arena, "%s.o0-o0.movslq.padded.movslq", form), fewer[i]);
        if (more[i] > 0)
            add(f, arena_printf(&f->arena, "%s.o0-o0.movslq.padded.movslq.24", form), more[i]);
        if (most[i] > 0)
            add(f, arena_printf(&f->arena, "%s.o0-o0.movslq.padded.movslq.48", form), most[i]);
        add_form(f, 0, form, NULL);
    }
    read_all(f, 1);
    is_value(latency_of(f, "Fa", "0", "0"), 4, TABLE_EQUAL); // a survey of before
    assert_true(wants_padded(f, "Fa", "o0", "o0", PARTNER_MORE_PADS));
    is_value(latency_of(f, "Fb", "0", "0"), 2, TABLE_AT_MOST);
    is_value(latency_of(f, "Fc", "0", "0"), 3, TABLE_AT_MOST);
    is_value(latency_of(f, "Fd", "0", "0"), 4, TABLE_EQUAL);
    is_value(latency_of(f, "Fe", "0", "0"), 3, TABLE_EQUAL); // eight of them show no whole number
    is_value(latency_of(f, "Ff", "0", "0"), 3.4, TABLE_AT_MOST);
    assert_true(wants_padded(f, "Ff", "o0", "o0", PARTNER_MORE_PADS));
    // What took less and less is settled where still more steps show the same.
    assert_true(wants_padded(f, "Fb", "o0", "o0", PARTNER_MOST_PADS));
    is_value(latency_of(f, "Fg", "0", "0"), 2, TABLE_EQUAL);
    is_value(latency_of(f, "Fh", "0", "0"), 1, TABLE_EQUAL); // no step takes less
}

// Of many uops, chains with 24 and 48 steps more must show the same whole number; else the value is a bound.
static void many_uops_need_many_steps(void **state) {
    struct fixture *f = *state;
    static const struct {
        double chain, padded[3]; // cycles with 8, 24 and 48 steps more; 0: not measured
        double cycles;
        enum table_relation relation;
    } known[] = {
        {17, {0, 0, 0}, 16, TABLE_AT_MOST},             // nobody knows yet
        {17, {24.84, 0, 0}, 15.84, TABLE_AT_MOST},      // likewise
        {17, {24.84, 40.06, 0}, 15.06, TABLE_AT_MOST},  // less and less
        {17, {24.84, 40, 64}, 15, TABLE_EQUAL},         // as a Zen 5's pcmpestri
        {17, {24.84, 40, 63.75}, 14.75, TABLE_AT_MOST}, // less and less
        {17, {25, 41, 64}, 15, TABLE_AT_MOST},          // only most steps make a difference
        {17, {25, 41, 65}, 16, TABLE_EQUAL},            // nothing does
        {17, {25, 41, 67}, 16, TABLE_EQUAL},            // something else limits the longest; none shows less
        {17.5, {25, 41, 65}, 16, TABLE_EQUAL},          // pipes limit the plain chain only
        {17.5, {25, 40.5, 64.5}, 15.5, TABLE_AT_MOST},  // pipes limit them all
        {16.84, {25, 41, 65}, 15.84, TABLE_AT_MOST},    // the plain chain is below their number
        {2, {0, 0, 0}, 1, TABLE_EQUAL},                 // no step takes less
    };
    begin(f, 0, "A");
    add_partners(f);
    add_fillers(f);
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        const char *form = arena_printf(&f->arena, "F%c", 'a' + i);
        add_throughput(f, form, 8, 8);
        add_throughput(f, arena_printf(&f->arena, "%s.slots.xor.25", form), 8, 8 * (25 + 10) / 6.0);
        add(f, arena_printf(&f->arena, "%s.o1-o0.movslq", form), known[i].chain);
        for (int k = 0; k < 3; k++)
            if (known[i].padded[k] > 0)
                add(f,
                    arena_printf(&f->arena, "%s.o1-o0.movslq.padded.movslq%s", form,
                                 (const char *const[]){"", ".24", ".48"}[k]),
                    known[i].padded[k]);
        add_form(f, 0, form, NULL);
    }
    // A gather, whose slots nobody knows.
    add_throughput(f, "G.lines", 8, 24);
    add(f, "G.o3_index-o0.vpand", 18);
    add(f, "G.o3_index-o0.vpand.padded.vpand", 25.5);
    add(f, "G.o3_index-o0.vpand.padded.vpand.24", 41);
    add(f, "G.o3_index-o0.vpand.padded.vpand.48", 65);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
        is_value(latency_of(f, arena_printf(&f->arena, "F%c", 'a' + i), "1", "0"), known[i].cycles, known[i].relation);
    is_value(latency_of(f, "G", "3.index", "0"), 16, TABLE_EQUAL);
    assert_true(wants_padded(f, "Fa", "o1", "o0", PARTNER_PADS));
    assert_false(wants_padded(f, "Fa", "o1", "o0", PARTNER_MORE_PADS));
    assert_true(wants_padded(f, "Fb", "o1", "o0", PARTNER_MORE_PADS));
    assert_true(wants_padded(f, "Fc", "o1", "o0", PARTNER_MOST_PADS));
    assert_non_null(strstr(latency_of(f, "Fa", "1", "0")->why, "many uops"));
    assert_non_null(strstr(latency_of(f, "Fe", "1", "0")->why, "less and less"));
    assert_non_null(strstr(latency_of(f, "Ff", "1", "0")->why, "do not agree"));
    assert_true(latency_of(f, "Fg", "1", "0")->is_confirmed);
}

// Flags of logic: a chain that is no whole number gets more steps at once.
static void flags_that_come_late(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_throughput(f, "F", 16, 4);
    add(f, "F.o0-flags.flags-movslq", 3.67);
    add(f, "F.o0-flags.flags-movslq.longer", 7.9);
    add_form(f, 0, "F", NULL);
    add_throughput(f, "G", 16, 4);
    add(f, "G.o0-flags.flags-movslq", 3.67);
    add(f, "G.o0-flags.flags-movslq.longer", 7.9);
    add(f, "G.o0-flags.flags-movslq.padded.movslq", 12);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "flags.zero"), 1.67, TABLE_AT_MOST);
    assert_true(wants_padded(f, "F", "o0", "flags", PARTNER_PADS));
    is_value(latency_of(f, "G", "0", "flags.zero"), 2, TABLE_EQUAL);
}

// Of several ways the shortest counts; of flags, only the one that reads and writes the same.
static void padded_chains_of_flags(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "CHAIN.bt", 2);
    add_throughput(f, "F.broken", 16, 80); // copies alone wait for the flags
    add(f, "F.o1-flags.flags-movslq", 7);
    add(f, "F.o1-flags.flags-movslq.longer", 11);
    add(f, "F.o1-flags.flags-movslq.padded.movslq", 14);
    add(f, "F.o1-flags.carry-movslq", 8);
    add(f, "F.o1-flags.carry-movslq.longer", 12);
    add(f, "F.o1-flags.carry-movslq.padded.movslq", 16);
    add(f, "F.flags-flags.alone", 6);
    add(f, "F.flags-flags.flags-flags.padded.movslq", 13);
    add(f, "F.flags-flags.carry-bt.padded.movslq", 14);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "flags.zero"), 4, TABLE_EQUAL);
    is_value(latency_of(f, "F", "1", "flags.carry"), 6, TABLE_EQUAL);
    is_value(latency_of(f, "F", "flags", "flags"), 4, TABLE_EQUAL); // copies wait for the slowest flag
}

// A result that goes from copy to copy by itself limits a chain through a source, or does not.
static void chains_together_with_the_result(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_arc(f, "F.chain", "o0->o0", 1);
    add(f, "F.o2-o0.vpand", 2.87); // what ends the result's own way makes it slower
    add(f, "F.o2-o0.vpand.together", 2);
    add_arc(f, "G.chain", "o0->o0", 4);
    add(f, "G.o2-o0.vpand.together", 4);
    add(f, "H.o2-o0.vpand.together", 4); // nobody measured its result's own way
    for (int i = 0; i < 3; i++)
        add_form(f, 0, (const char *const[]){"F", "G", "H"}[i], NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "2", "0"), 1, TABLE_EQUAL);
    is_value(latency_of(f, "G", "2", "0"), 3, TABLE_AT_MOST);
    is_value(latency_of(f, "H", "2", "0"), 3, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "H", "2", "0")->why, "other values go from copy to copy as well");
}

// Two copies that cross take twice the latency, unless the result's own way takes longer.
static void chains_that_cross(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (int i = 0; i < 9; i++) {
        const char *form = (const char *const[]){"F", "G", "H", "I", "J", "K", "L", "M", "N"}[i];
        static const double own[] = {4, 4, 7, 2, 0, 2, 2, 2, 2}, crossing[] = {8, 4, 7, 2, 8, 6, 6, 6, 5.93};
        if (own[i] > 0)
            add_arc(f, arena_printf(&f->arena, "%s.chain", form), "o0->o0", own[i]);
        add(f, arena_printf(&f->arena, "%s.o2-o0.crossing", form), crossing[i]);
        add_form(f, 0, form, NULL);
    }
    add(f, "F.o2-o0.vpand.together", 5.76); // an older survey's
    add(f, "L.o2-o0.vpand.padded.vpand", 2 + 9);
    add(f, "L.o2-o0.vpand.padded.vpand.24", 2 + 25);
    add(f, "M.o2-o0.vpand.padded.vpand", 3 + 9);
    read_all(f, 1);
    is_value(latency_of(f, "F", "2", "0"), 4, TABLE_EQUAL);
    assert_string_equal(latency_of(f, "F", "2", "0")->partner, TABLE_CROSSING);
    assert_int_equal(latency_of(f, "F", "2", "0")->n_parts, 1);
    is_near(latency_of(f, "F", "2", "0")->parts[0].factor, 0.5);
    is_value(latency_of(f, "G", "2", "0"), 2, TABLE_AT_MOST);
    is_value(latency_of(f, "H", "2", "0"), 3.5, TABLE_AT_MOST); // no pipe does it
    assert_string_equal(latency_of(f, "H", "2", "0")->why, "other values go from copy to copy as well");
    is_value(latency_of(f, "I", "2", "0"), 1, TABLE_EQUAL);   // no step takes less
    is_value(latency_of(f, "J", "2", "0"), 4, TABLE_AT_MOST); // nobody measured its result's own way
    // Longer than the result's own way: a padded chain through a partner confirms it, or shows less.
    is_value(latency_of(f, "K", "2", "0"), 3, TABLE_AT_MOST);
    assert_int_equal(count_following(row_of(f, "K"), EXPERIMENT_PAIR), 1);
    is_value(latency_of(f, "L", "2", "0"), 2, TABLE_EQUAL);
    assert_string_equal(latency_of(f, "L", "2", "0")->partner, "vpand");
    is_value(latency_of(f, "M", "2", "0"), 3, TABLE_EQUAL);
    assert_string_equal(latency_of(f, "M", "2", "0")->partner, TABLE_CROSSING);
    assert_true(latency_of(f, "M", "2", "0")->is_confirmed);
    is_value(latency_of(f, "N", "2", "0"), 2.965, TABLE_AT_MOST); // two of them take no whole number
}

static const struct table_latency *find_to_others(const struct fixture *f, const char *form) {
    const struct table_row *row = row_of(f, form);
    for (size_t i = 0; i < row->n_latencies; i++)
        if (row->latencies[i].is_to_others)
            return &row->latencies[i];
    return NULL;
}

// Copies of the form have its result earlier than others: a row of its own, where that is sure.
static void others_wait_longer(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (const char *form = "FGHIJKL"; *form; form++) {
        add_arc(f, arena_printf(&f->arena, "%c.chain", *form), "o0->o1", *form == 'K' ? 2.5 : 2);
        add_form(f, 0, arena_printf(&f->arena, "%c", *form), NULL);
    }
    add(f, "F.o1-o0.vandps.others", 4);
    add(f, "F.o1-o0.vpand.others", 5); // another domain
    add(f, "G.o1-o0.vandps.others", 3);
    add(f, "G.o1-o0.vpand.others", 5);
    add(f, "H.o1-o0.vandps.others", 4.76); // it is not known how long
    add(f, "I.o1-o0.vandps.others", 3.76); // nor is it three cycles to all others
    add(f, "I.o1-o0.vpand.others", 5);
    add_line(f, 0, "J.o1-o0.vandps.others", "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o1\"", 4, false);
    add(f, "K.o1-o0.vandps.others", 4);    // nor how long copies wait
    add(f, "L.o1-o0.vandps.others", 6.94); // nearly whole, by chance
    read_all(f, 1);
    assert_int_equal(row_of(f, "F")->n_latencies, 2);
    is_value(latency_of(f, "F", "1", "0"), 2, TABLE_EQUAL);
    assert_non_null(find_to_others(f, "F"));
    is_value(&find_to_others(f, "F")->value, 3, TABLE_EQUAL);
    assert_string_equal(find_to_others(f, "F")->value.partner, "vandps");
    for (const char *form = "GHIKL"; *form; form++)
        assert_null(find_to_others(f, arena_printf(&f->arena, "%c", *form)));
    assert_non_null(find_to_others(f, "J"));
    assert_int_equal(find_to_others(f, "J")->value.verdict, MEASURED_UNSTABLE);
    assert_int_equal(f->table.n_values, 9);
}

// Slow values close through a partner. Where others wait longer for the result, or nobody knows, they are "to others".
static void slow_values_to_others(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    for (const char *form = "FGHI"; *form; form++) {
        const char *name = arena_printf(&f->arena, "%c", *form);
        add_arc(f, arena_printf(&f->arena, "%s.chain", name), "o0->o1", 11);
        add_arc(f, arena_printf(&f->arena, "%s.slow.o1-o0.vandps-vandps", name), "o0->o1", 17);
        add_form(f, 0, name, NULL);
    }
    add(f, "F.o1-o0.vandps.others", 13); // a cycle longer
    add(f, "G.o1-o0.vandps.others", 12);
    add(f, "H.o1-o0.vandps.others", 12.5); // depends on the port
    read_all(f, 1);
    for (const char *form = "FGHI"; *form; form++) { // of I, an earlier survey did not ask
        const struct table_row *row = row_of(f, arena_printf(&f->arena, "%c", *form));
        const struct table_latency *slow = NULL;
        for (size_t i = 0; i < row->n_latencies; i++)
            slow = row->latencies[i].has_slow_values ? &row->latencies[i] : slow;
        assert_non_null(slow);
        is_value(&slow->value, 15, TABLE_EQUAL);
        assert_int_equal(slow->is_to_others, *form == 'F' || *form == 'H');
    }
}

// Streams wait for copies of the form only.
static void to_others_limits_no_throughput(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add_arc(f, "F.chain", "o0->o0", 2);
    add(f, "F.o0-o0.vandps.others", 5);
    add_throughput(f, "F", 8, 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(&find_to_others(f, "F")->value, 4, TABLE_EQUAL);
    is_value(&row_of(f, "F")->throughputs[0].value, 0.5, TABLE_EQUAL); // 8 streams of 4 cycles would take as long
}

// ---- flags

static void open_chains_are_no_latencies(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "F.o0-flags.flags-movslq", 4); // it writes this flag
    add(f, "F.o0-flags.flags-movslq.longer", 8);
    add(f, "F.o0-flags.carry-movslq", 1); // and not this one: the copies do not wait for each other
    add(f, "F.o0-flags.carry-movslq.longer", 1);
    add(f, "F.o1-flags.flags-movslq", 4); // the survey ended here
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "flags.zero"), 2, TABLE_EQUAL);
    assert_null(find_latency(row_of(f, "F"), "0", "flags.carry"));
    assert_false(latency_of(f, "F", "1", "flags.zero")->is_known);
    assert_non_null(strstr(latency_of(f, "F", "1", "flags.zero")->why, "not measured yet"));
}

static void unstable_chains_may_be_open(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "F.o0-flags.flags-movslq", 4);
    add_line(f, 0, "F.o0-flags.flags-movslq.longer", "\"mode\":\"latency\",\"n\":1", 4.3, false);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(latency_of(f, "F", "0", "flags.zero")->verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(latency_of(f, "F", "0", "flags.zero")->why, "not known whether it writes this flag"));
}

// Flags that one copy leaves for the next.
static void flags_to_flags(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "F.flags-flags.alone", 1);
    add(f, "F.flags-o0.flags", 3);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "flags", "flags"), 1, TABLE_EQUAL);
    is_value(latency_of(f, "F", "flags", "0"), 2, TABLE_EQUAL);
}

// ---- throughputs

// Carry alone comes in: a chain that more steps make no longer is open, as the form does not read carry.
static void carry_comes_in(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_partners(f);
    add(f, "CHAIN.bt", 2);
    add(f, "F.flags-o0.movslq-bt", 3);
    add(f, "F.flags-o0.movslq-bt.longer", 7);
    add(f, "G.flags-o0.movslq-bt", 1);
    add(f, "G.flags-o0.movslq-bt.longer", 1.5);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "flags.carry", "0"), 1, TABLE_EQUAL);
    assert_null(find_latency(row_of(f, "G"), "flags.carry", "0"));
    assert_int_equal(row_of(f, "G")->n_latencies, 0);
}

static void throughputs_are_per_instruction(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_arc(f, "F.chain", "o0->o0", 3);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":12,\"placement\":\"own-lines\"", 12, true);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":12,\"placement\":\"same-address\"", 6, true);
    add_throughput(f, "F.broken", 12, 9);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    const struct table_row *row = row_of(f, "F");
    assert_int_equal(row->n_throughputs, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        assert_false(each->is_looped);
        assert_int_equal(each->streams, 12);
        if (each->has_breakers) {
            is_value(&each->value, 9.0 / 12, TABLE_AT_MOST);
            assert_string_equal(each->value.why, "with instructions that end dependences");
            assert_int_equal(row->headline, i); // the smallest at addresses of their own
        } else
            is_value(&each->value, table_has_one_address(each) ? 0.5 : 1, TABLE_EQUAL);
    }
    assert_int_equal(f->table.n_values, 4);
    assert_int_equal(f->table.n_measured, 1);
}

// Latencies of slow values stand beside those of round ones, and limit no throughput.
static void slow_latencies(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add(f, "CHAIN.xor", 1);
    add_arc(f, "F.chain", "rax->rax", 9);
    add_arc(f, "F.slow.rax-rax.xor", "rax->rax", 20); // two of the partner
    add_arc(f, "G.chain", "o0->o1", 3);
    add_arc(f, "G.slow.st0-st0.alone", "st0->st0", 15);
    add_throughput(f, "G", 4, 60);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    const struct table_row *row = row_of(f, "F");
    assert_int_equal(row->n_latencies, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(row->latencies[i].source, "rax");
        is_value(&row->latencies[i].value, row->latencies[i].has_slow_values ? 18 : 9, TABLE_EQUAL);
    }
    assert_true(row->latencies[0].has_slow_values != row->latencies[1].has_slow_values);
    is_value(&row_of(f, "G")->throughputs[0].value, 15, TABLE_EQUAL);
}

// Events count for all streams; instructions are known.
static void counts_are_per_instruction(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_line(
        f, 0, "F",
        "\"mode\":\"throughput\",\"n\":8,\"events\":{\"instructions\":8.1,\"UOPS\":16.5,\"PORT_0\":4,\"PORT_1\":2},"
        "\"event_intervals\":{\"UOPS\":{\"low\":16,\"high\":17,\"confidence\":0.99,\"samples\":9}},"
        "\"events_why\":{\"PORT_1\":\"the counter was lost\",\"PORT_2\":\"it never ran\"}",
        8, true);
    add_throughput(f, "G", 8, 8);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    const struct table_throughput *throughput = &row_of(f, "F")->throughputs[0];
    assert_int_equal(throughput->n_counts, 2);
    assert_string_equal(throughput->counts[0].event, "UOPS");
    assert_float_equal(throughput->counts[0].count, 16.5 / 8, 1e-9);
    assert_float_equal(throughput->counts[0].low, 2, 1e-9);
    assert_float_equal(throughput->counts[0].high, 17.0 / 8, 1e-9);
    assert_null(throughput->counts[0].why);
    assert_string_equal(throughput->counts[1].event, "PORT_0");
    assert_float_equal(throughput->counts[1].count, 0.5, 1e-9);
    assert_int_equal(row_of(f, "G")->throughputs[0].n_counts, 0);
}

// More copies to a breaker that take as long: it costs nothing. Not where copies wait for each other all the same, as
// on a core that issues in order, nor where each stream waits for itself.
static void breakers_that_cost_nothing(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    for (int i = 0; i < 5; i++) {
        const char *form = (const char *const[]){"F", "G", "H", "I", "J"}[i];
        add_form(f, 0, form, NULL);
        add_throughput(f, arena_printf(&f->arena, "%s.broken", form), 8, 10.88);
        add_throughput(f, arena_printf(&f->arena, "%s.broken.4", form), 8, 32);
        if (i != 4)
            add_arc(f, arena_printf(&f->arena, "%s.chain", form), "rax->rax", i == 2 ? 1 : 3);
    }
    add_throughput(f, "F.broken.2", 8, 16);
    add_throughput(f, "G.broken.2", 8, 18); // their cost shows
    add_throughput(f, "H.broken.2", 8, 16); // a copy takes as long as the way through rax
    add_throughput(f, "I.broken.2", 8, 16);
    add_arc(f, "I.chain", "o0->o0", 8);     // of eight streams
    add_throughput(f, "J.broken.2", 8, 16); // nothing is known of what the copies hand on
    read_all(f, 1);
    for (int i = 0; i < 5; i++) {
        const struct table_row *row = row_of(f, (const char *const[]){"F", "G", "H", "I", "J"}[i]);
        const struct table_throughput *headline = &row->throughputs[row->headline];
        is_value(&headline->value, 1, i == 0 ? TABLE_EQUAL : TABLE_AT_MOST);
        assert_int_equal(headline->copies, 4);
        assert_int_equal(headline->streams, 32);
        assert_true(i == 0 ? !headline->value.why : headline->value.why != NULL);
    }
}

static void streams_that_wait_are_marked(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_arc(f, "F.chain", "o0->o0", 4); // 8 streams of 4 cycles: 0.5
    add_throughput(f, "F", 8, 4);
    add_arc(f, "G.chain", "rax->rax", 3); // all streams share rax
    add_throughput(f, "G", 8, 24);
    add_throughput(f, "G.broken", 8, 8);
    add_arc(f, "H.chain", "o0->o0", 4); // takes longer than its streams' latency
    add_throughput(f, "H", 8, 8);
    add_arc(f, "I.chain", "flags->flags", 1); // all share the flags, which the loop's branch gives a new value
    add_throughput(f, "I", 8, 3);
    for (int i = 0; i < 4; i++)
        add_form(f, 0, (const char *const[]){"F", "G", "H", "I"}[i], NULL);
    read_all(f, 1);
    is_value(&row_of(f, "F")->throughputs[0].value, 0.5, TABLE_AT_MOST);
    assert_string_equal(row_of(f, "F")->throughputs[0].value.why, "its streams wait for 0");
    is_value(&row_of(f, "G")->throughputs[0].value, 3, TABLE_AT_MOST);
    assert_string_equal(row_of(f, "G")->throughputs[0].value.why, "its streams wait for rax");
    is_value(&row_of(f, "G")->throughputs[1].value, 1, TABLE_AT_MOST);
    assert_int_equal(row_of(f, "G")->headline, 1);
    is_value(&row_of(f, "H")->throughputs[0].value, 1, TABLE_EQUAL);
    is_value(&row_of(f, "I")->throughputs[0].value, 0.375, TABLE_AT_MOST);
}

// Copies in one stream count like streams. What is around them makes a bound; registers of a stack that they do not
// share are waited for by each of them.
static void copies_with_company(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_throughput(f, "F.around.8", 2, 8);
    add_arc(f, "G.chain", "st1->st1", 7);
    add_throughput(f, "G.copies.7", 2, 14);
    add_arc(f, "H.chain", "st1->st1", 7);
    add_throughput(f, "H.copies.7", 2, 28);
    for (int i = 0; i < 3; i++)
        add_form(f, 0, (const char *const[]){"F", "G", "H"}[i], NULL);
    read_all(f, 1);
    is_value(&row_of(f, "F")->throughputs[0].value, 0.5, TABLE_AT_MOST);
    assert_string_equal(row_of(f, "F")->throughputs[0].value.why, "with instructions that put back what it moves");
    assert_int_equal(row_of(f, "F")->throughputs[0].streams, 16);
    is_value(&row_of(f, "G")->throughputs[0].value, 1, TABLE_AT_MOST);
    assert_string_equal(row_of(f, "G")->throughputs[0].value.why, "its streams wait for st1");
    is_value(&row_of(f, "H")->throughputs[0].value, 2, TABLE_EQUAL);
}

// Through a word of memory, only streams at one address wait for each other.
static void memory_that_waits(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_line(f, 0, "F.memory", "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 1, true);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":4,\"placement\":\"own-lines\"", 4, true);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":4,\"placement\":\"same-address\"", 4, true);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "memory", "memory"), 1, TABLE_EQUAL);
    for (size_t i = 0; i < 2; i++) {
        const struct table_throughput *each = &row_of(f, "F")->throughputs[i];
        is_value(&each->value, 1, table_has_one_address(each) ? TABLE_AT_MOST : TABLE_EQUAL);
    }
}

// Three streams, each through a word of its own: more of them, for which there are no registers, may take less.
static void streams_wait_for_words_of_their_own(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_line(f, 0, "F.memory", "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 8, true);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":3,\"placement\":\"own-lines\"", 8.01, true);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":3,\"placement\":\"same-address\"", 24, true);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "memory", "memory"), 8, TABLE_EQUAL);
    const struct table_row *row = row_of(f, "F");
    const struct table_value *headline = &row->throughputs[row->headline].value;
    is_value(headline, 2.67, TABLE_AT_MOST);
    assert_string_equal(headline->why, "its streams wait for memory");
}

// Memory may be renamed as the code's length has it: two times, and no single number.
static void memory_in_two_layouts(void **state) {
    static const double loops[] = {1.02, 7, 7.35};
    struct fixture *f = *state;
    begin(f, 0, "A");
    for (int i = 0; i < 3; i++) {
        const char *name = arena_printf(&f->arena, "%c.memory", "FGH"[i]);
        add_line(f, 0, name, "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 1, true);
        add_line(f, 0, name, "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\",\"form\":\"looped\"",
                 loops[i], true);
        add_form(f, 0, arena_printf(&f->arena, "%c", "FGH"[i]), NULL);
    }
    read_all(f, 1);
    is_value(latency_of(f, "F", "memory", "memory"), 1, TABLE_EQUAL);
    assert_false(latency_of(f, "F", "memory", "memory")->has_two_speeds);
    const struct table_value *both = latency_of(f, "G", "memory", "memory");
    is_value(both, 1, TABLE_EQUAL);
    assert_true(both->has_two_speeds && both->low < 1 && both->high > 7);
    assert_string_equal(both->why, "1 in straight code, 7 in a loop");
    is_value(latency_of(f, "H", "memory", "memory"), 7.35, TABLE_AT_MOST); // which is no whole number
    assert_int_equal(row_of(f, "G")->n_latencies, 1);
}

// What a form adds to a chain through memory shows whether it reads and writes the word.
static void words_that_do_not_go_through(void **state) {
    static const double through[] = {4, 13, 12.2, 26}; // behind 12 cycles
    struct fixture *f = *state;
    begin(f, 0, "A");
    add(f, "CHAIN.memory4", 12);
    for (int i = 0; i < 4; i++) {
        const char *form = arena_printf(&f->arena, "%c", "FGHK"[i]);
        add_line(f, 0, form, "\"mode\":\"throughput\",\"n\":4,\"placement\":\"own-lines\"", 4, true);
        add_line(f, 0, arena_printf(&f->arena, "%s.memory", form),
                 "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 1, true);
        add(f, arena_printf(&f->arena, "%s.memory.memory4", form), through[i]);
        add_form(f, 0, form, NULL);
    }
    add_line(f, 0, "I", "\"mode\":\"throughput\",\"n\":4,\"placement\":\"own-lines\"", 4 * 9, true);
    add_line(f, 0, "I.memory", "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 9, true);
    add(f, "I.memory.memory4", 21);
    add_form(f, 0, "I", NULL);
    add_line(f, 0, "J.memory", "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 0.5, true);
    add_form(f, 0, "J", NULL);
    read_all(f, 1);
    assert_false(latency_of(f, "J", "memory", "memory")->is_known); // two stores a cycle: they wait for nothing
    assert_false(latency_of(f, "F", "memory", "memory")->is_known); // a store: it waits for nothing
    assert_non_null(strstr(latency_of(f, "F", "memory", "memory")->why, "does not read"));
    is_value(latency_of(f, "G", "memory", "memory"), 1, TABLE_EQUAL);
    assert_false(latency_of(f, "H", "memory", "memory")->is_known);     // a load: the word passes it by
    is_value(latency_of(f, "I", "memory", "memory"), 9, TABLE_EQUAL);   // though copies side by side take as long
    is_value(latency_of(f, "K", "memory", "memory"), 1, TABLE_AT_MOST); // its store waited for the one before
    assert_int_equal(row_of(f, "F")->n_latencies, 1);
}

// A chain through memory that takes no longer than copies side by side says nothing of the latency.
static void memory_that_does_not_limit(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_line(f, 0, "F.memory", "\"mode\":\"throughput\",\"n\":1,\"placement\":\"same-address\"", 12, true);
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":4,\"placement\":\"own-lines\"", 48, true);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "memory", "memory"), 12, TABLE_AT_MOST);
    assert_string_equal(latency_of(f, "F", "memory", "memory")->why, "copies side by side take as long");
}

// Operands that are not round: a value of their own, and never the headline.
static void slow_values(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_throughput(f, "F.slow", 4, 20);
    add_throughput(f, "F", 4, 24);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(row_of(f, "F")->n_throughputs, 2);
    assert_false(row_of(f, "F")->throughputs[row_of(f, "F")->headline].has_slow_values);
}

// x87's square root: what is around it is in the value.
static void slow_values_in_company(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_throughput(f, "F.slow.around.1", 4, 20);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(row_of(f, "F")->n_throughputs, 1);
    assert_int_equal(row_of(f, "F")->n_latencies, 0);
    assert_true(row_of(f, "F")->throughputs[0].has_slow_values && row_of(f, "F")->throughputs[0].has_wrapper);
    is_value(&row_of(f, "F")->throughputs[0].value, 5, TABLE_AT_MOST);
}

static void stable_ones_are_the_headline(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"n\":4", 2, false);
    add_throughput(f, "F.broken", 4, 4);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    assert_true(row_of(f, "F")->throughputs[row_of(f, "F")->headline].has_breakers);
    assert_int_equal(row_of(f, "G")->headline, 0);
    assert_int_equal(row_of(f, "G")->n_throughputs, 0);
    assert_string_equal(row_of(f, "G")->left_out, "not measured yet, or not by this assembler");
}

// The faster of two speeds shows that a latency is no more than that.
static void two_speeds_bound_a_latency(void **state) {
    struct fixture *f = *state;
    static const char line[] =
        "{\"record\":\"measurement\",\"kernel\":\"%s\",\"isa\":\"x86_64\",\"mode\":\"latency\",\"form\":\"unrolled\","
        "\"n\":1,\"arc\":\"o0->o1\",\"cycles\":3,\"low\":%g,\"high\":3.03,\"verdict\":\"within\",\"clock\":\"ratio\","
        "\"clock_error\":0.001,\"samples\":40,\"bytes\":\"90\",\"modes\":[{\"cycles\":%g,\"share\":0.4},"
        "{\"cycles\":3,\"share\":0.6}],\"warning\":\"two speeds, at 3 times\"}\n";
    begin(f, 0, "A");
    text_addf(&f->measurements[0], line, "F.chain", 2.83, 2.83);
    text_addf(&f->measurements[0], line, "G.chain", 2.96, 2.96);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "1", "0"), 3, TABLE_AT_MOST);
    is_value(latency_of(f, "G", "1", "0"), 3, TABLE_EQUAL);
}

// A throughput of sixteen streams, and one of them as a loop with two speeds.
static void add_uneven_loop(struct fixture *f, const char *form, const char *bytes) {
    static const char line[] =
        "{\"record\":\"measurement\",\"kernel\":\"%s\",\"isa\":\"x86_64\",\"mode\":\"throughput\",\"form\":\"%s\","
        "\"n\":16,\"cycles\":%g,\"low\":%g,\"high\":%g,\"verdict\":\"within\",\"clock\":\"ratio\","
        "\"clock_error\":0.001,\"samples\":40,\"bytes\":\"%s\"%s}\n";
    text_addf(&f->measurements[0], line, form, "unrolled", 16 * 2.97, 16 * 2.96, 16 * 2.98, bytes, "");
    text_addf(&f->measurements[0], line, form, "looped", 16 * 1.5, 16 * 0.2, 16 * 3.22, bytes,
              ",\"modes\":[{\"cycles\":3.2,\"share\":0.5},{\"cycles\":51.2,\"share\":0.5}],"
              "\"warning\":\"two speeds, at 3 times: 3.2 and 51.2 cycles\"");
    add_form(f, 0, form, NULL);
}

// The slower of two speeds may be the decoder's, where the encoding has it stall. The faster one bounds what the pipes
// take, and is in the table.
static void a_decoder_that_stalls_hides_no_pipe(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_uneven_loop(f, "F", "66f7c10100"); // testw $1, %cx
    add_uneven_loop(f, "G", "f7c101000000");
    read_all(f, 1);
    const struct table_row *stalls = row_of(f, "F"), *other = row_of(f, "G");
    assert_true(stalls->throughputs[stalls->headline].is_looped);
    const struct table_value *value = &stalls->throughputs[stalls->headline].value;
    is_value(value, 0.2, TABLE_AT_MOST);
    assert_false(value->has_two_speeds);
    assert_true(value->high < 0.21);
    assert_string_equal(value->why, "the faster of two speeds, 0.2 and 3.2: its prefix may stall the decoder");
    value = &other->throughputs[other->headline].value;
    assert_true(value->has_two_speeds);
    is_near(value->high, 3.22 * 1.001);
}

// Of a form that straight code and a loop supply differently, neither may be what the pipes take.
static void supply_may_limit(void **state) {
    static const struct {
        double unrolled, looped;
        bool is_bound;
    } cases[] = {
        {0.317, 0.438, true}, {0.3209, 0.266, true}, {0.25, 0.438, false}, // four pipes
        {0.317, 0.32, false},                                              // alike
        {0.126, 0.19, false},                                              // the machine's width, 8 a cycle
        {0.143, 0.25, true},
    };
    struct fixture *f = *state;
    static const char looped[] = "\"mode\":\"throughput\",\"form\":\"looped\",\"n\":16";
    begin(f, 0, "A");
    add_filler(f, "FILL.xor", 8);
    add_throughput(f, "FILL.xor.20", 2, 2 * 24.0 / 8);
    add_throughput(f, "FILL.xor.44", 2, 2 * 48.0 / 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *form = arena_printf(&f->arena, "F%zu", i);
        add_throughput(f, form, 16, 16 * cases[i].unrolled);
        add_line(f, 0, form, looped, 16 * cases[i].looped, true);
        add_form(f, 0, form, NULL);
    }
    read_all(f, 1);
    assert_non_null(f->table.filler);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct table_row *row = row_of(f, arena_printf(&f->arena, "F%zu", i));
        const struct table_throughput *headline = &row->throughputs[row->headline];
        bool is_loop = cases[i].looped < cases[i].unrolled;
        assert_int_equal(headline->is_looped, is_loop);
        assert_int_equal(headline->value.relation, cases[i].is_bound ? TABLE_AT_MOST : TABLE_EQUAL);
        if (cases[i].is_bound)
            assert_string_equal(
                headline->value.why,
                is_loop ? "straight code takes longer, and no pipes take this: the supply of code may limit it"
                        : "a loop takes longer, and no pipes take this: the supply of code may limit it");
    }
}

// A partner with two speeds gives them to what rests on it. A filler with two measures no slots.
static void two_speeds_are_handed_on(void **state) {
    struct fixture *f = *state;
    static const char speeds[] = "\"modes\":[{\"cycles\":1,\"share\":0.5},{\"cycles\":1.5,\"share\":0.5}],"
                                 "\"warning\":\"two speeds, at 3 times: 1 and 1.5 cycles\"";
    begin(f, 0, "A");
    add_line(f, 0, "CHAIN.movslq", arena_printf(&f->arena, "\"mode\":\"latency\",\"n\":1,%s", speeds), 1, true);
    add_line(f, 0, "FILL.nopw", arena_printf(&f->arena, "\"mode\":\"throughput\",\"n\":1,%s", speeds), 1, true);
    add(f, "F.o1-o0.movslq", 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    const struct table_value *latency = latency_of(f, "F", "1", "0");
    is_value(latency, 3, TABLE_EQUAL);
    assert_true(latency->has_two_speeds && latency->verdict == MEASURED_WITHIN);
    assert_string_equal(latency->why, "two speeds, at 3 times: 1 and 1.5 cycles");
    assert_null(f->table.filler);
}

// Loads at one address and on own lines are no headline, whatever they take. Stores in one line neither.
static void elsewhere_is_no_headline(void **state) {
    static const char place[] = "\"mode\":\"throughput\",\"n\":12,\"placement\":\"%s\"";
    static const struct {
        const char *kernel, *placement;
        double cycles;
    } lines[] = {{"L", "same-line", 0.333},
                 {"L.places.same-address", "same-address", 0.5},
                 {"L.places.own-lines", "own-lines", 0.25},
                 {"S", "own-lines", 1},
                 {"S", "same-address", 1},
                 {"S.places.same-line", "same-line", 0.5}};
    struct fixture *f = *state;
    begin(f, 0, "A");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_line(f, 0, lines[i].kernel, arena_printf(&f->arena, place, lines[i].placement), 12 * lines[i].cycles, true);
    add_form(f, 0, "L", NULL);
    add_form(f, 0, "S", NULL);
    add_form(f, 0, "T", NULL);
    read_all(f, 1);
    const struct table_row *load = row_of(f, "L"), *store = row_of(f, "S");
    assert_int_equal(load->throughputs[load->headline].placement, PLACEMENT_SAME_LINE);
    assert_int_equal(store->throughputs[store->headline].placement, PLACEMENT_OWN_LINES);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(load->throughputs[i].is_elsewhere, load->throughputs[i].placement != PLACEMENT_SAME_LINE);
        assert_int_equal(store->throughputs[i].is_elsewhere, store->throughputs[i].placement == PLACEMENT_SAME_LINE);
        assert_int_equal(load->throughputs[i].value.relation, TABLE_EQUAL);
    }
    // The three are of one class, whose other form gets what matters.
    assert_int_equal(count_following(row_of(f, "T"), EXPERIMENT_PLACES), 3);
}

// ---- lines and folders

static void the_last_stable_one_counts(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    static const char one[] = "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o0\"";
    add_line(f, 0, "F.chain", one, 7, false);
    add_line(f, 0, "F.chain", one, 5, true);
    add_line(f, 0, "F.chain", one, 4, true);
    add_line(f, 0, "F.chain", one, 8, false);
    add_line(f, 0, "G.chain", one, 7, false);
    add_line(f, 0, "G.chain", one, 8, false);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "0"), 4, TABLE_EQUAL);
    assert_int_equal(latency_of(f, "F", "0", "0")->verdict, MEASURED_WITHIN);
    is_value(latency_of(f, "G", "0", "0"), 8, TABLE_EQUAL);
    assert_int_equal(latency_of(f, "G", "0", "0")->verdict, MEASURED_UNSTABLE);
}

// So many that no sort keeps their order by chance.
static void the_last_of_many_counts(void **state) {
    enum { MANY = 3000 };
    struct fixture *f = *state;
    begin(f, 0, "A");
    for (int i = 1; i <= MANY; i++)
        add_line(f, 0, i % 3 ? "F.chain" : "G.chain", "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o0\"", i, true);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    is_value(latency_of(f, "F", "0", "0"), MANY - 1, TABLE_EQUAL);
    is_value(latency_of(f, "G", "0", "0"), MANY, TABLE_EQUAL);
}

static void other_machines_are_left_out(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "B");
    add_arc(f, "F.chain", "o0->o0", 9);
    add_arc(f, "F.chain", "o0->o1", 9);
    begin(f, 0, "A");
    add_arc(f, "F.chain", "o0->o0", 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_int_equal(f->n_warnings, 1);
    assert_int_equal(row_of(f, "F")->n_latencies, 1);
    is_value(latency_of(f, "F", "0", "0"), 4, TABLE_EQUAL);
    assert_string_equal(f->table.cpu, "A (family 25, model 17, stepping 1), microcode 0xa1");
    assert_string_equal(f->table.clock, "ratio clock, ±0.10 %");
    assert_string_equal(f->table.triple, "x86_64-unknown-linux-gnu");
}

static void folders_are_merged(void **state) {
    struct fixture *f = *state;
    static const char one[] = "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o0\"";
    begin(f, 0, "A");
    add_partners(f);
    add_line(f, 0, "G.chain", one, 3, true);
    add_line(f, 0, "H.chain", one, 3, true);
    add_form(f, 0, "G", NULL);
    add_form(f, 0, "H", NULL);
    begin(f, 1, "A");
    add_line(f, 1, "F.o1-o0.movslq", one, 6, true);
    add_line(f, 1, "H.chain", one, 5, true); // the last folder counts
    add_form(f, 1, "X", "illegal instruction");
    add_form(f, 1, "F", NULL);
    add_form(f, 1, "H", NULL);
    read_all(f, 2);
    assert_int_equal(f->table.n_rows, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(f->table.rows[i].form, ((const char *const[]){"F", "G", "H", "X"}[i]));
    is_value(latency_of(f, "F", "1", "0"), 5, TABLE_EQUAL);
    is_value(latency_of(f, "G", "0", "0"), 3, TABLE_EQUAL);
    is_value(latency_of(f, "H", "0", "0"), 5, TABLE_EQUAL);
    assert_string_equal(row_of(f, "X")->left_out, "illegal instruction");
    assert_true(row_of(f, "X")->is_refused);
    assert_int_equal(f->table.n_measured, 3);
    assert_int_equal(f->n_warnings, 0);
}

static void fails_with(struct fixture *f, const char *text) {
    f->fail = (struct fail){0};
    assert_false(read_folders(f, 1));
    assert_int_equal(f->fail.status, FAIL_INPUT);
    if (!strstr(f->fail.text, text))
        fail_msg("%s", f->fail.text);
}

static void what_is_no_survey(void **state) {
    struct fixture *f = *state;
    fails_with(f, "holds no survey: there is no measurements.jsonl");
    assert_true(file_write(folder_file(&f->arena, f->folders[0], "blocks.jsonl"), "", 0, &f->fail));
    fails_with(f, "holds no survey: it holds a corpus, for 'cyclops corpus score'");
    remove(folder_file(&f->arena, f->folders[0], "blocks.jsonl"));
    text_add(&f->measurements[0], "");
    fails_with(f, "holds no measurement yet");
    begin(f, 0, "A");
    add(f, "F.chain", 1);
    text_add(&f->measurements[0], "{\"record\":\"measurement\",\"cycles\":\"many\"}\n");
    fails_with(f, "cycles");
    assert_int_equal(f->fail.line, 3);
    assert_non_null(strstr(f->fail.file, "/0/measurements.jsonl"));
}

static void an_empty_table(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    read_all(f, 1);
    assert_int_equal(f->table.n_rows, 0);
    assert_int_equal(f->table.n_values, 0);
}

// ---- where a survey was made

static void origins(void **state) {
    struct fixture *f = *state;
    struct table_origin origin;
    begin(f, 0, "no such CPU");
    text_add(&f->measurements[1], "{\"record\":\"host\",\"version\":1,\"clock\":{\"tier\":\"ratio\",\"target\":"
                                  "\"sim:znver4,noise=none,seed=1\"}}\n");
    write_files(f, 2);
    assert_true(table_find_origin(&f->arena, f->folders[0], &origin, &f->fail));
    assert_null(origin.cpu);
    assert_false(origin.is_here);
    assert_string_equal(origin.target, "native");
    assert_true(table_find_origin(&f->arena, f->folders[1], &origin, &f->fail));
    assert_string_equal(origin.cpu, "znver4");
    assert_string_equal(origin.target, "sim:znver4,noise=none,seed=1");
    assert_false(table_find_origin(&f->arena, f->folders[2], &origin, &f->fail));
    assert_int_equal(f->fail.status, FAIL_INPUT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

// ---- dispatch slots

static bool wants(const struct table_row *row, const char *filler, unsigned n) {
    for (size_t i = 0; i < row->n_follow; i++)
        if (row->follow[i].kind == EXPERIMENT_SLOTS && strcmp(row->follow[i].filler, filler) == 0 &&
            row->follow[i].n_fillers == n)
            return true;
    return false;
}

// Of a mixture with several speeds, the median counts, also at one time only.
static void a_mixture_counts_by_its_median(void **state) {
    static const char speeds[] = "\"modes\":[{\"cycles\":43,\"share\":0.5},{\"cycles\":48,\"share\":0.5}],"
                                 "\"warning\":\"another value in each process, at 3 times: 43 to 48 cycles\"";
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_fillers(f);
    add_throughput(f, "F", 16, 4);
    add_line(f, 0, "F.slots.xor.16", arena_printf(&f->arena, "\"mode\":\"throughput\",\"n\":16,%s", speeds), 45.8,
             true);
    add_form(f, 0, "F", NULL);
    // At one time only.
    add_throughput(f, "G", 16, 4);
    add_line(f, 0, "G.slots.xor.16",
             arena_printf(&f->arena, "\"mode\":\"throughput\",\"n\":16,\"look\":\"spread\",%s", speeds), 45.8, false);
    add_form(f, 0, "G", NULL);
    // Another number of fillers confirms it.
    add_throughput(f, "H", 16, 4);
    add_line(f, 0, "H.slots.xor.16",
             arena_printf(&f->arena, "\"mode\":\"throughput\",\"n\":16,\"look\":\"spread\",%s", speeds), 45.8, false);
    add_throughput(f, "H.slots.xor.23", 16, 16 * 24.1 / 6);
    add_form(f, 0, "H", NULL);
    read_all(f, 1);
    assert_true(count_following(row_of(f, "G"), EXPERIMENT_SLOTS) > 1);
    for (const char *form = "FGH"; *form; form++) {
        const struct table_value *slots = &row_of(f, arena_printf(&f->arena, "%c", *form))->slots.value;
        is_value(slots, *form == 'G' ? 1.175 : 1, *form == 'G' ? TABLE_AT_MOST : TABLE_EQUAL);
        assert_false(slots->has_two_speeds);
        assert_int_not_equal(slots->verdict, MEASURED_UNSTABLE);
    }
}

// Copies with fillers behind each are throughputs, and no measurements of slots.
static void throughputs_have_fillers(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_fillers(f);
    add_form(f, 0, "F", NULL);
    add_throughput(f, "F", 15, 15 * 0.8);
    add_throughput(f, "F.slots.xor.16", 16, 16 * 18.0 / 6);
    add_throughput(f, "F.slots.xor.17", 16, 16 * 19.0 / 6);
    add_throughput(f, "F.slots.xor.23", 16, 16 * 25.0 / 6);
    add_throughput(f, "F.filled.xor.1", 15, 15 * 0.711);
    read_all(f, 1);
    const struct table_row *row = row_of(f, "F");
    assert_int_equal(row->n_throughputs, 2);
    const struct table_throughput *headline = &row->throughputs[row->headline];
    assert_int_equal(headline->fillers, 1);
    assert_string_equal(headline->filler, "xor");
    is_value(&headline->value, 0.711, TABLE_AT_MOST);
    assert_string_equal(headline->value.why, "with 1 filler behind each copy");
    assert_int_equal(count_following(row, EXPERIMENT_FILLED), 2);
    is_value(&row->slots.value, 2, TABLE_EQUAL);
}

// Unrolled copies may wait for the decoder, and mixtures are loops: the faster of both says what fillers must hide.
static void slots_go_by_the_faster_loop(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_fillers(f);
    for (const char *form = "FG"; *form; form++) {
        const char *name = arena_copy(&f->arena, form, 1);
        add_throughput(f, name, 16, 16 * 30);
        add_throughput(f, arena_printf(&f->arena, "%s.slots.xor.29", name), 16, 16 * 30 / 6.0);
        add_form(f, 0, name, NULL);
    }
    add_line(f, 0, "F", "\"mode\":\"throughput\",\"form\":\"looped\",\"n\":16", 16 * 0.2, true);
    read_all(f, 1);
    is_value(&row_of(f, "F")->slots.value, 1, TABLE_EQUAL);
    assert_false(row_of(f, "G")->slots.value.is_known);
    assert_string_equal(row_of(f, "G")->slots.value.why, "its copies take longer than fillers can hide");
}

static void slots_are_cycles_with_fillers(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_fillers(f);
    add_throughput(f, "F", 16, 4);
    add_throughput(f, "F.slots.xor.16", 16, 16 * 17.0 / 6);
    add_throughput(f, "G", 16, 8);
    add_throughput(f, "G.slots.xor.16", 16, 16 * 18.0 / 6);
    add_throughput(f, "H", 16, 8);
    add_throughput(f, "H.slots.xor.16", 16, 16 * 18.0 / 6);
    add_throughput(f, "H.slots.xor.17", 16, 16 * 19.0 / 6);
    add_throughput(f, "H.slots.xor.23", 16, 16 * 25.0 / 6);
    add_throughput(f, "I", 16, 8);
    add_throughput(f, "J", 16, 16 * 50);
    add_throughput(f, "K.broken", 16, 8);
    for (const char *form = "FGHIJK"; *form; form++)
        add_form(f, 0, arena_printf(&f->arena, "%c", *form), NULL);
    read_all(f, 1);
    assert_string_equal(f->table.filler, "xor");
    assert_true(fabs(f->table.width - 6) < 0.1);
    is_value(&row_of(f, "F")->slots.value, 1, TABLE_EQUAL);
    assert_string_equal(row_of(f, "F")->slots.value.kernel, "F.slots.xor.16");
    assert_int_equal(row_of(f, "F")->n_throughputs, 1);
    // Two slots need two other numbers of fillers, with which one would show.
    assert_int_equal(row_of(f, "G")->slots.value.relation, TABLE_AT_MOST);
    assert_true(wants(row_of(f, "G"), "xor", 16)); // those that were measured are part of the list
    assert_true(wants(row_of(f, "G"), "xor", 29) && wants(row_of(f, "G"), "xor", 35));
    is_value(&row_of(f, "H")->slots.value, 2, TABLE_EQUAL);
    assert_int_equal(count_following(row_of(f, "H"), EXPERIMENT_SLOTS), 3);
    assert_string_equal(row_of(f, "I")->slots.value.why, "not measured yet");
    assert_true(row_of(f, "I")->slots.is_missing);
    assert_int_equal(f->table.n_slots_missing, 1);
    assert_true(wants(row_of(f, "I"), "xor", 28));
    assert_string_equal(row_of(f, "J")->slots.value.why, "its copies take longer than fillers can hide");
    assert_string_equal(row_of(f, "K")->slots.value.why, "its throughput is not known");
}

// A filler that needs a pipe hides the slots of what needs another one.
static void no_filler_no_slots(void **state) {
    struct fixture *f = *state;
    begin(f, 0, "A");
    add_throughput(f, "FILL.nopw", 16, 4);
    add_throughput(f, "FILL.nopw.20", 2, 2 * 22.0 / 4);
    add_throughput(f, "FILL.nopw.44", 2, 2 * 46.0 / 4);
    add_throughput(f, "FILL.mov.20", 2, 2 * 24.0 / 6); // it was not measured alone
    add_throughput(f, "F", 16, 4);
    add_throughput(f, "F.slots.nopw.16", 16, 16 * 17.0 / 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_null(f->table.filler);
    assert_string_equal(f->table.no_filler, "4 simple instructions seem to take 2.00 slots among 'nopw'");
    assert_false(row_of(f, "F")->slots.value.is_known);
    assert_string_equal(row_of(f, "F")->slots.value.why, "no filler takes one slot on this CPU");
}

// Simple instructions may take as many slots as they should, if some take too many and a load takes none. In order, a
// chain holds up what follows it.
static void is_checked(struct fixture *f, const char *check, double cycles, bool is_filler) {
    begin(f, 0, "A");
    add_fillers(f);
    add_throughput(f, check, 2, cycles);
    add_throughput(f, "F", 16, 4);
    add_throughput(f, "F.slots.xor.16", 16, 16 * 17.0 / 6);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    if (is_filler)
        is_value(&row_of(f, "F")->slots.value, 1, TABLE_EQUAL);
    else
        assert_false(row_of(f, "F")->slots.value.is_known);
    assert_int_equal(f->table.filler != NULL, is_filler);
}

static void a_load_takes_a_slot(void **state) {
    is_checked(*state, "FILL.xor.20.load", 2 * 21.0 / 6, true);
}

static void a_filler_that_hides_a_load(void **state) {
    is_checked(*state, "FILL.xor.20.load", 2 * 20.0 / 6, false);
}

static void a_chain_is_hidden(void **state) {
    is_checked(*state, "FILL.xor.44.chain", 2 * 48.0 / 6, true);
}

static void a_filler_that_waits_for_a_chain(void **state) {
    is_checked(*state, "FILL.xor.44.chain", 2 * 53.0 / 6, false);
}

// A filler that is not steady shows neither that it takes one slot nor that it does not.
static void unsteady_fillers_are_not_judged(void **state) {
    struct fixture *f = *state;
    static const char throughput[] = "\"mode\":\"throughput\",\"n\":2";
    begin(f, 0, "A");
    add_filler(f, "FILL.nopw", 4);
    add_line(f, 0, "FILL.nopw.20", throughput, 2 * 22.0 / 4, false);
    add_throughput(f, "FILL.nopw.44", 2, 2 * 46.0 / 4);
    add_throughput(f, "FILL.xor", 16, 16.0 / 6);
    add_line(f, 0, "FILL.xor.20", throughput, 0.5, false);
    add_line(f, 0, "FILL.xor.44", throughput, 0.5, false);
    add_throughput(f, "F", 16, 4);
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_null(f->table.filler);
    assert_string_equal(f->table.no_filler, "the filler 'nopw' is not steady yet");
    assert_string_equal(row_of(f, "F")->slots.value.why, "no filler is steady yet");
}

// A measured time says nothing in cycles where the clock was not calibrated. Another run's value counts, and its clock.
static void no_clock_no_number(void **state) {
    struct fixture *f = *state;
    static const char one[] = "\"mode\":\"latency\",\"n\":1,\"arc\":\"o0->o0\"";
    begin(f, 0, "A");
    add_line(f, 0, "G.chain", one, 3, false);
    f->clock_error = 1;
    begin(f, 0, "A");
    add_line(f, 0, "F.chain", one, 2, false);
    add_line(f, 0, "G.chain", one, 4, false);
    add_form(f, 0, "F", NULL);
    add_form(f, 0, "G", NULL);
    read_all(f, 1);
    assert_string_equal(f->table.clock, "ratio clock, ±0.10 %");
    assert_false(latency_of(f, "F", "0", "0")->is_known);
    assert_string_equal(row_of(f, "F")->left_out, "its clock was not steady: --resume measures it again");
    is_value(latency_of(f, "G", "0", "0"), 3, TABLE_EQUAL);
    assert_int_equal(f->table.n_values, 1);
}

static void no_clock_at_all(void **state) {
    struct fixture *f = *state;
    f->clock_error = 1;
    begin(f, 0, "A");
    add_form(f, 0, "F", NULL);
    read_all(f, 1);
    assert_string_equal(f->table.clock, "not steady yet");
}

static const struct CMUnitTest throughputs[] = {
    TEST(a_decoder_that_stalls_hides_no_pipe),
    TEST(supply_may_limit),
    TEST(elsewhere_is_no_headline),
    TEST(slots_go_by_the_faster_loop),
    TEST(streams_wait_for_words_of_their_own),
    TEST(throughputs_have_fillers),
};

static const struct CMUnitTest slots[] = {
    TEST(slots_are_cycles_with_fillers),
    TEST(a_mixture_counts_by_its_median),
    TEST(no_filler_no_slots),
    TEST(a_load_takes_a_slot),
    TEST(a_filler_that_hides_a_load),
    TEST(a_chain_is_hidden),
    TEST(a_filler_that_waits_for_a_chain),
    TEST(unsteady_fillers_are_not_judged),
};

static const struct CMUnitTest tests[] = {
    TEST(names_become_pairs),
    TEST(other_names),
    TEST(partners_are_subtracted),
    TEST(across_files_is_a_bound),
    TEST(the_least_way_is_equal),
    TEST(sums_must_add_up),
    TEST(unstable_partners),
    TEST(what_was_lost_is_counted),
    TEST(two_speeds_bound_a_latency),
    TEST(two_speeds_are_handed_on),
    TEST(first_looks_are_no_trouble),
    TEST(damaged_lines_are_reported),
    TEST(what_did_not_run_is_not_known),
    TEST(forms_that_the_machine_lacks_are_left_out),
    TEST(limited_chains_are_bounds),
    TEST(the_address_may_limit_a_chain),
    TEST(chains_in_order),
    TEST(chains_of_groups),
    TEST(many_uops_need_many_steps),
    TEST(padded_chains_decide),
    TEST(padded_chains_of_flags),
    TEST(chains_at_one_address),
    TEST(a_little_more_than_a_cycle),
    TEST(pairs_that_are_not),
    TEST(steps_past_the_form),
    TEST(steps_on_the_same_pipe),
    TEST(many_more_steps),
    TEST(flags_that_come_late),
    TEST(chains_together_with_the_result),
    TEST(chains_that_cross),
    TEST(others_wait_longer),
    TEST(slow_values_to_others),
    TEST(to_others_limits_no_throughput),
    TEST(open_chains_are_no_latencies),
    TEST(unstable_chains_may_be_open),
    TEST(flags_to_flags),
    TEST(carry_comes_in),
    TEST(throughputs_are_per_instruction),
    TEST(counts_are_per_instruction),
    TEST(slow_latencies),
    TEST(breakers_that_cost_nothing),
    TEST(streams_that_wait_are_marked),
    TEST(copies_with_company),
    TEST(memory_that_waits),
    TEST(memory_in_two_layouts),
    TEST(words_that_do_not_go_through),
    TEST(memory_that_does_not_limit),
    TEST(slow_values),
    TEST(slow_values_in_company),
    TEST(stable_ones_are_the_headline),
    TEST(the_last_stable_one_counts),
    TEST(the_last_of_many_counts),
    TEST(other_machines_are_left_out),
    TEST(folders_are_merged),
    TEST(what_is_no_survey),
    TEST(an_empty_table),
    TEST(origins),
    TEST(no_clock_no_number),
    TEST(no_clock_at_all),
};

int main(void) {
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(throughputs, NULL, NULL) +
           cmocka_run_group_tests(slots, NULL, NULL);
}
