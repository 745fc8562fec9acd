// Traces are read back by the rules of their formats, on a machine made by hand.
#include "analyzer/views/trace.h"

#include "analyzer/sim/mca/toy_test.h"

#include <inttypes.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITERATIONS = 6, N_INSNS = 3, N_BLOCKS = 2, N_TRACED = ITERATIONS * N_INSNS * N_BLOCKS };

// A load, an instruction that waits for it, and one of many uops that takes no pipe. The names want quoting.
static void make(struct toy *toy) {
    toy_init(toy, 2, 16);
    unsigned p0 = toy_pipe(toy, "P0", 1, -1), p1 = toy_pipe(toy, "P1", 2, -1);
    toy_insn(toy, 4)->text = "ld\tr1, \"x\\\xff\"";
    toy_use(toy, p1, 2);
    toy_write(toy, 1);
    toy_insn(toy, 3)->text = "mul\tr2, r1";
    toy_use(toy, p0, 3);
    toy_read(toy, 1);
    toy_write(toy, 2);
    toy_insn(toy, 1);
    toy_cost(toy)->uops = 5;
    toy->options.walk_all = true;
    for (unsigned i = 0; i < N_INSNS; i++)
        toy->insns[i].opcode = "TOY";
}

// Two blocks, one behind the other. Returns the trace, to be freed; `cycles`: of both, one between them.
static char *trace(enum trace_format format, bool in_order, uint64_t *cycles) {
    struct toy toy;
    struct fail fail = {0};
    struct arena arena = {0};
    struct trace_view view;
    char *printed;
    size_t length;
    make(&toy);
    toy.machine.in_order = in_order;
    FILE *out = open_memstream(&printed, &length);
    trace_view_open(&view, format, &toy.machine, out, &arena);
    struct event_listener *listeners[] = {&view.listener, NULL};
    *cycles = 0;
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        trace_view_begin_block(&view, &toy.block);
        *cycles += toy_run(&toy, ITERATIONS, listeners, &fail);
    }
    trace_view_close(&view);
    fclose(out);
    arena_free(&arena);
    assert_string_equal(fail.text, "");
    return printed;
}

// ---- Konata

struct konata {
    uint64_t cycle, retired;
    unsigned n_commands[128]; // by letter
    struct {
        bool is_begun, is_retired;
        char stage[8]; // the open one; "" none
    } insns[N_TRACED];
};

static void read_stage(struct konata *log, unsigned id, char command, const char *stage) {
    if (command == 'S') {
        assert_string_equal(log->insns[id].stage, ""); // one stage at a time
        snprintf(log->insns[id].stage, sizeof log->insns[id].stage, "%s", stage);
    } else {
        assert_string_equal(log->insns[id].stage, stage);
        log->insns[id].stage[0] = '\0';
    }
}

static void read_insn_command(struct konata *log, const char *line) {
    unsigned id, number, type;
    char stage[8];
    assert_int_equal(sscanf(line + 1, "\t%u", &id), 1);
    assert_true(id < N_TRACED);
    assert_int_equal(log->insns[id].is_begun, line[0] != 'I');
    assert_false(log->insns[id].is_retired);
    switch (line[0]) {
    case 'I':
        assert_int_equal(sscanf(line, "I\t%u\t%u\t%u", &id, &number, &type), 3);
        assert_int_equal(id, log->n_commands['I']); // numbered as they come
        log->insns[id].is_begun = true;
        break;
    case 'L':
        assert_int_equal(sscanf(line, "L\t%u\t%u\t%*s", &id, &type), 2);
        assert_true(type <= 1);
        break;
    case 'S':
    case 'E':
        assert_int_equal(sscanf(line + 1, "\t%u\t0\t%7s", &id, stage), 2);
        read_stage(log, id, line[0], stage);
        break;
    case 'W':
        assert_int_equal(sscanf(line, "W\t%u\t%u\t%u", &id, &number, &type), 3);
        assert_true(number < id && log->insns[number].is_begun && type == 0);
        break;
    case 'R':
        assert_int_equal(sscanf(line, "R\t%u\t%u\t%u", &id, &number, &type), 3);
        assert_string_equal(log->insns[id].stage, "");
        assert_int_equal(number, log->retired++);
        assert_int_equal(type, 0);
        log->insns[id].is_retired = true;
        break;
    default:
        fail_msg("unknown command: %s", line);
    }
}

static void read_line(struct konata *log, const char *line) {
    uint64_t cycles;
    if (strncmp(line, "C=\t", 3) == 0) {
        assert_int_equal(log->n_commands['='], 0);
        assert_int_equal(sscanf(line, "C=\t%" SCNu64, &log->cycle), 1);
        log->n_commands['=']++;
        return;
    }
    assert_int_equal(log->n_commands['='], 1);
    if (line[0] == 'C') {
        assert_int_equal(sscanf(line, "C\t%" SCNu64, &cycles), 1);
        assert_true(cycles > 0); // time goes on
        log->cycle += cycles;
    } else {
        read_insn_command(log, line);
    }
    log->n_commands[(unsigned char)line[0] & 127]++;
}

static void check_konata(bool in_order) {
    static struct konata log;
    uint64_t cycles;
    log = (struct konata){0};
    char *printed = trace(TRACE_KONATA, in_order, &cycles), *rest = printed, *line;
    assert_string_equal(strsep(&rest, "\n"), "Kanata\t0004");
    while ((line = strsep(&rest, "\n")) != NULL && *line != '\0')
        read_line(&log, line);
    for (unsigned i = 0; i < N_TRACED; i++)
        assert_true(log.insns[i].is_retired);
    assert_int_equal(log.n_commands['R'], N_TRACED);
    assert_int_equal(log.cycle, cycles - 1);
    if (!in_order) // each multiplication waits for its load
        assert_int_equal(log.n_commands['W'], ITERATIONS * N_BLOCKS);
    free(printed);
}

static void konata(void **state) {
    (void)state;
    check_konata(false);
}

static void konata_in_order(void **state) {
    (void)state;
    check_konata(true);
}

// ---- Perfetto

static int64_t number_in(const json_t *event, const char *key) {
    const json_t *value = json_object_get(event, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

enum { MOST_TRACKS = 64, PIPES = 1, INSTRUCTIONS = 2 };

// Slices of a track lie one behind the other, or one inside the other; the outer one comes first.
static void check_nesting(const json_t *events, int64_t process, int64_t track) {
    int64_t outer_end = -1, inner_end = -1;
    size_t i;
    const json_t *event;
    json_array_foreach(events, i, event) {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0 || number_in(event, "pid") != process ||
            number_in(event, "tid") != track)
            continue;
        int64_t start = number_in(event, "ts"), end = start + number_in(event, "dur");
        if (start >= outer_end) {
            outer_end = end;
            inner_end = start;
        } else {
            assert_int_equal(process, INSTRUCTIONS); // a pipe is held by one at a time
            assert_true(start >= inner_end && end <= outer_end);
            inner_end = end;
        }
    }
}

static void check_perfetto(bool in_order) {
    uint64_t cycles;
    char *printed = trace(TRACE_PERFETTO, in_order, &cycles);
    json_error_t error;
    json_t *root = json_loads(printed, 0, &error);
    if (root == NULL)
        fail_msg("%s at %d:%d in\n%s", error.text, error.line, error.column, printed);
    const json_t *events = json_object_get(root, "traceEvents"), *event;
    unsigned n_loads = 0;
    int64_t last = 0, held[2] = {0};
    size_t i;
    json_array_foreach(events, i, event) {
        const char *phase = json_string_value(json_object_get(event, "ph"));
        if (strcmp(phase, "M") == 0) {
            assert_true(json_is_string(json_object_get(json_object_get(event, "args"), "name")));
            continue;
        }
        assert_string_equal(phase, "X");
        assert_true(number_in(event, "ts") >= 0 && number_in(event, "dur") > 0);
        int64_t end = number_in(event, "ts") + number_in(event, "dur");
        last = end > last ? end : last;
        if (number_in(event, "pid") == PIPES)
            held[number_in(event, "tid") != 0] += number_in(event, "dur");
        else if (strcmp(json_string_value(json_object_get(event, "name")), "ld r1, \"x\\\xef\xbf\xbd\"") == 0)
            n_loads++;
    }
    assert_int_equal(n_loads, ITERATIONS * N_BLOCKS);
    assert_int_equal(held[0], 3 * ITERATIONS * N_BLOCKS);
    assert_int_equal(held[1], 2 * ITERATIONS * N_BLOCKS);
    assert_int_equal(last, cycles - 1);
    for (int64_t track = 0; track < MOST_TRACKS; track++) {
        check_nesting(events, PIPES, track);
        check_nesting(events, INSTRUCTIONS, track);
    }
    json_decref(root);
    free(printed);
}

static void perfetto(void **state) {
    (void)state;
    check_perfetto(false);
}

static void perfetto_in_order(void **state) {
    (void)state;
    check_perfetto(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(konata),
        cmocka_unit_test(konata_in_order),
        cmocka_unit_test(perfetto),
        cmocka_unit_test(perfetto_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
