#include "lab/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_stopped; // static: testing_is_stopped has no context

bool testing_is_stopped(void) {
    return is_stopped;
}

bool testing_has(const struct testing_texts *texts, const char *part) {
    for (size_t i = 0; i < texts->n; i++)
        if (strstr(texts->items[i], part))
            return true;
    return false;
}

static void add_text(struct testing_heard *heard, struct testing_texts *texts, const char *text) {
    assert_true(texts->n < TESTING_MOST_TEXTS);
    texts->items[texts->n++] = arena_strdup(&heard->arena, text);
}

static void hear_note(void *context, enum lab_note kind, const char *text) {
    struct testing_heard *heard = context;
    (void)kind;
    add_text(heard, &heard->notes, text);
}

static void hear_failed(void *context, const struct fail *fail) {
    struct testing_heard *heard = context;
    add_text(heard, &heard->failures, fail->text);
}

static void hear_started(void *context) {
    struct testing_heard *heard = context;
    heard->n_started++;
    is_stopped |= heard->stops_at_start;
}

static void hear_measuring(void *context, size_t number, size_t total) {
    struct testing_heard *heard = context;
    heard->n_measuring++;
    if (number > total) // there is no next one
        return;
    heard->number = number;
    heard->total = total;
    is_stopped |= heard->stops_at && number >= heard->stops_at;
}

void testing_run_start(struct testing_run *run, const char *target) {
    is_stopped = false;
    *run = (struct testing_run){
        .listener = {.context = &run->heard,
                     .note = hear_note,
                     .failed = hear_failed,
                     .started = hear_started,
                     .measuring = hear_measuring},
        .options = {.isa = isa_find("x86_64"),
                    .target = target,
                    .listener = &run->listener,
                    .bench = {.cpu = -1, .clock = CLOCK_RATIO, .is_stopped = testing_is_stopped}},
        .files = {.events = &run->options.events},
        .plan = {.listener = &run->listener},
    };
}

void testing_run_add(struct testing_run *run, const char *kernel, const struct plan_options *options) {
    struct kernel_set set = {0};
    if (!kernel_load_installed(&run->arena, "x86_64", &set, &run->fail))
        fail_msg("%s", run->fail.text);
    const struct kernel *found = kernel_find(&run->arena, &set, kernel, &run->fail);
    if (!found || !plan_add_kernel(&run->arena, &run->plan, found, options, &run->fail))
        fail_msg("%s", run->fail.text);
}

void testing_run_go(struct testing_run *run) {
    run->is_done = lab_open(&run->lab, &run->arena, &run->options, &run->fail) &&
                   run_plan(&run->lab, &run->options, &run->plan, &run->files, &run->status, &run->fail);
    if (!run->is_done && run->fail.status == FAIL_UNAVAILABLE) {
        print_message("%s\n", run->fail.text);
        skip();
    }
}

void testing_run_end(struct testing_run *run) {
    lab_close(&run->lab);
    arena_free(&run->heard.arena);
    arena_free(&run->arena);
}
