// Reports to the user what a lab does: messages and progress on stderr.
#include "cli/cli.h"

#include "cli/interrupt.h"

#include <stdio.h>
#include <time.h>
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

// Seconds that `n_left` of `n` will take, by what the others have taken; 0: too early to know.
static double seconds_left(size_t n, size_t n_left) {
    enum { FEWEST = 100 };
    static struct timespec start;
    static size_t n_at_start;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    size_t n_done = n - n_left;
    if (n_at_start == 0 || n_done < n_at_start) {
        start = now;
        n_at_start = n_done + 1;
    }
    double seconds = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9;
    return n_done < n_at_start + FEWEST ? 0 : seconds / (double)(n_done - n_at_start) * (double)n_left;
}

// `context`: the verb; null: "measuring".
static void show_measuring(void *context, size_t number, size_t total) {
    enum { MINUTE = 60, LONG = 30 };
    clear_progress();
    if (number > total || !isatty(STDERR_FILENO))
        return;
    double left = seconds_left(total, total - number);
    fprintf(stderr, "%s %zu of %zu", context ? (const char *)context : "measuring", number, total);
    if (left >= LONG)
        fprintf(stderr, ", about %ld:%02ld min left", (long)left / MINUTE, (long)left % MINUTE);
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
