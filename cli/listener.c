// Reports to the user what a lab does: messages and progress on stderr.
#include "cli/cli.h"

#include "cli/interrupt.h"

#include <unistd.h>

static void clear_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void say_note(void *context, enum lab_note kind, const char *text) {
    (void)context;
    clear_progress();
    fail_say(stderr, "%s%s", kind == LAB_WARNING ? "warning: " : "", text);
}

static void say_failed(void *context, const struct fail *fail) {
    (void)context;
    clear_progress();
    cli_failed(fail);
}

static void watch_interrupts(void *context) {
    (void)context;
    interrupt_watch();
}

static void show_measuring(void *context, size_t number, size_t total) {
    (void)context;
    clear_progress();
    if (number <= total && isatty(STDERR_FILENO))
        fprintf(stderr, "measuring %zu of %zu", number, total);
}

static void show_waiting(void *context, size_t n_left, double seconds) {
    (void)context;
    clear_progress();
    if (!isatty(STDERR_FILENO))
        return;
    if (n_left > 0)
        fprintf(stderr, "waiting for others to leave the core: %zu left, %.0f s", n_left, seconds);
    else
        fprintf(stderr, "waiting for others to leave the core: %.0f s", seconds);
}

const struct lab_listener cli_listener = {
    .note = say_note,
    .failed = say_failed,
    .started = watch_interrupts,
    .measuring = show_measuring,
    .waiting = show_waiting,
};
