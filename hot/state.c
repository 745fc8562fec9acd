#include "hot/state.h"

#include "hot/watch.h"

#include <signal.h>

#if defined(__x86_64__)

// Signals that would end us are held back while breakpoints are in a program: it would meet them and die.
static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

static sigset_t hold_back(void) {
    sigset_t all, before;
    sigemptyset(&all);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&all, ending[i]);
    sigaddset(&all, SIGCHLD); // wakes up who waits for a stop
    sigprocmask(SIG_BLOCK, &all, &before);
    return before;
}

// From then on, only the keyboard's are: they are meant for the program that we wait for.
static void let_end(void) {
    sigset_t others;
    sigemptyset(&others);
    sigaddset(&others, SIGTERM);
    sigaddset(&others, SIGHUP);
    sigprocmask(SIG_UNBLOCK, &others, NULL);
}

// `is_own`: the keyboard's ended the program that we had started, and not us.
static void heed_again(const sigset_t *before, bool is_own) {
    sigset_t keys;
    const struct timespec now = {0};
    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    while (is_own && sigtimedwait(&keys, NULL, &now) > 0)
        ;
    sigprocmask(SIG_SETMASK, before, NULL);
}

bool hot_state_capture(struct arena *arena, const struct decoder *decoder, const struct hot_capture *captures, size_t n,
                       struct hot_copies *copies, struct hot_run *run, struct fail *fail) {
    struct watch watch = {.arena = arena, .decoder = decoder, .captures = captures, .n = n};
    *run = (struct hot_run){.status = 0};
    for (size_t i = 0; i < n; i++)
        copies[i] = (struct hot_copies){.n = 0};
    if (!n)
        return true;
    const sigset_t before = hold_back();
    bool is_begun = watch_begin(&watch, fail);
    if (is_begun) {
        watch_wait(&watch);
        let_end();
        watch_end(&watch, copies, run);
    }
    heed_again(&before, is_begun && captures[0].argv);
    return is_begun;
}

#else

bool hot_state_capture(struct arena *arena, const struct decoder *decoder, const struct hot_capture *captures, size_t n,
                       struct hot_copies *copies, struct hot_run *run, struct fail *fail) {
    (void)arena, (void)decoder, (void)captures, (void)n, (void)copies, (void)run;
    return fail_set(fail, FAIL_UNAVAILABLE, "a running program's loops can be copied on x86-64 only");
}
#endif
