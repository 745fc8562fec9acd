#include "cli/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t is_seen;
static struct sigaction action_before;

static void note(int number) {
    is_seen = 1;
    sigaction(number, &action_before, NULL);
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
