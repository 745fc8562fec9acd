// Time that repeats is not walked, and no report can tell: on random blocks and machines, each view prints the same
// with and without.
#include "analyzer/views/bottleneck.h"
#include "analyzer/views/statistics.h"
#include "analyzer/views/timeline.h"
#include "analyzer/views/views.h"

#include "analyzer/sim/mca/toy_random_test.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_TOYS = 300, ITERATIONS = 400, SHOWN = 3 };

struct views {
    struct summary_view summary;
    struct resource_pressure_view pressure;
    struct dispatch_view dispatch;
    struct scheduler_view scheduler;
    struct retire_view retire;
    struct register_file_view register_files;
    struct timeline_view timeline;
    struct bottleneck_view bottlenecks;
};

static void set_up(struct views *views, const struct toy *toy, struct event_listener **listeners, struct arena *arena) {
    summary_view_init(&views->summary, &toy->block, toy->machine.dispatch_width, arena);
    resource_pressure_view_init(&views->pressure, &toy->machine, &toy->block, arena);
    dispatch_view_init(&views->dispatch, arena);
    scheduler_view_init(&views->scheduler, &toy->machine, arena);
    retire_view_init(&views->retire, &toy->machine, arena);
    register_file_view_init(&views->register_files, &toy->machine, arena);
    timeline_view_init(&views->timeline, &toy->block, SHOWN, 0, arena);
    bottleneck_view_init(&views->bottlenecks, &toy->machine, &toy->block, ITERATIONS, arena);
    struct event_listener *all[] = {
        &views->summary.listener,   &views->pressure.listener,    &views->dispatch.listener,
        &views->scheduler.listener, &views->retire.listener,      &views->register_files.listener,
        &views->timeline.listener,  &views->bottlenecks.listener, NULL,
    };
    memcpy(listeners, all, sizeof all);
}

static void print(const struct views *views, struct arena *arena, FILE *out) {
    struct json_text json = {.text.arena = arena};
    summary_view_print(&views->summary, 1, out);
    resource_pressure_view_print(&views->pressure, out);
    dispatch_view_print(&views->dispatch, out);
    scheduler_view_print(&views->scheduler, out);
    retire_view_print(&views->retire, out);
    register_file_view_print(&views->register_files, out);
    timeline_view_print(&views->timeline, out);
    bottleneck_view_print(&views->bottlenecks, out);
    resource_pressure_view_json(&views->pressure, &json);
    fputs(json.text.data, out);
}

// Null where the block gets stuck.
static char *report(struct toy *toy, bool walk_all) {
    struct arena arena = {0};
    struct views views;
    struct event_listener *listeners[9];
    struct fail fail = {0};
    char *text = NULL;
    size_t length;
    set_up(&views, toy, listeners, &arena);
    toy->options.walk_all = walk_all;
    toy->options.walk_iterations = SHOWN;
    if (toy_run(toy, ITERATIONS, listeners, &fail) != 0) {
        FILE *out = open_memstream(&text, &length);
        assert_non_null(out);
        print(&views, &arena, out);
        fclose(out);
    }
    arena_free(&arena);
    return text;
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    (void)instructions;
    *(uint64_t *)self += times;
}

static uint64_t periods_left_out(struct toy *toy) {
    uint64_t times = 0;
    struct fail fail = {0};
    struct event_listener listener = {.self = &times, .repeated = on_repeated}, *listeners[] = {&listener, NULL};
    toy->options.walk_all = false;
    toy_run(toy, ITERATIONS, listeners, &fail);
    return times;
}

static void reports_do_not_depend_on_steady_state(void **state) {
    (void)state;
    uint64_t seed = 1;
    unsigned n_same = 0, n_skipped = 0;
    for (unsigned i = 0; i < N_TOYS; i++) {
        struct toy toy;
        toy_random(&toy, &seed);
        char *walked = report(&toy, true), *skipped = report(&toy, false);
        assert_int_equal(walked == NULL, skipped == NULL);
        if (walked != NULL) {
            assert_string_equal(walked, skipped);
            n_same++;
            n_skipped += periods_left_out(&toy) != 0;
        }
        free(walked);
        free(skipped);
    }
    assert_true(n_same > N_TOYS / 2);
    assert_true(n_skipped > n_same / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports_do_not_depend_on_steady_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
