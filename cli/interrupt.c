#include "cli/interrupt.h"

#include <signal.h>
#include <stdint.h>
#include <time.h>

static volatile sig_atomic_t is_seen;
static struct sigaction action_before;

// timeout(1) and some shells signal a program, then its group: the same request comes twice.
static void note(int number) {
    static const int64_t same_ns = 500000000;
    static int64_t first_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (!is_seen)
        first_ns = now_ns;
    is_seen = 1;
    if (now_ns - first_ns <= same_ns)
        return;
    sigaction(number, &action_before, NULL);
    raise(number);
}

void interrupt_watch(void) {
    static bool is_watched; // a survey has several runs; `action_before` is what was there before the first
    struct sigaction action = {.sa_handler = note};
    if (is_watched)
        return;
    is_watched = true;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, NULL, &action_before);
    if (action_before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

bool interrupt_seen(void) {
    return is_seen;
}
