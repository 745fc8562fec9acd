#include "hot/key_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint32_t *own_counts; // in the witness

static size_t index_of(int number) {
    return number == SIGQUIT;
}

static void count(int number) {
    __atomic_fetch_add(&own_counts[index_of(number)], 1, __ATOMIC_RELAXED);
}

static _Noreturn void be_witness(pid_t parent, const sigset_t *keys) {
    const struct sigaction action = {.sa_handler = count};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    sigprocmask(SIG_UNBLOCK, keys, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent)
        pause();
    _exit(0);
}

void key_witness_open(struct key_witness *witness) {
    const pid_t parent = getpid();
    sigset_t keys, before;
    void *shared =
        mmap(NULL, KEYS * sizeof *witness->counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *witness = (struct key_witness){.pid = 0};
    if (shared == MAP_FAILED)
        return;
    own_counts = witness->counts = shared;
    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    sigprocmask(SIG_BLOCK, &keys, &before); // it would die of a key before it can count
    witness->pid = fork();
    if (witness->pid == 0)
        be_witness(parent, &keys);
    sigprocmask(SIG_SETMASK, &before, NULL);
    snprintf(witness->status, sizeof witness->status, "/proc/%d/status", (int)witness->pid);
}

// Whether a signal waits for the witness to get its CPU, and whether it has nothing to do. This runs in handlers, too.
static bool is_pending(const struct key_witness *witness, int number, bool *is_idle) {
    static const char state[] = "State:\t", pending[] = "ShdPnd:";
    char text[4096];
    const int file = open(witness->status, O_RDONLY | O_CLOEXEC);
    const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    const char *line = strstr(text, state);
    *is_idle = !line || line[sizeof state - 1] != 'R';
    line = strstr(text, pending);
    return line && strtoull(line + sizeof pending - 1, NULL, 16) >> (number - 1) & 1;
}

// A signal reaches all of a group at nearly the same time; but the witness has to get its CPU to count it.
bool key_witness_is_alone(struct key_witness *witness, int number) {
    enum { LOOKS = 20, MOST_LOOKS = 1000 };
    const struct timespec a_while = {0, 2000000};
    const size_t index = index_of(number);
    for (unsigned i = 0, n_idle = 0; i < MOST_LOOKS && n_idle < LOOKS && witness->pid > 0; i++) {
        const uint32_t n = __atomic_load_n(&witness->counts[index], __ATOMIC_RELAXED), seen = witness->seen[index];
        const int32_t ahead = (int32_t)(n - seen); // below 0: it has still to count one that was pending
        bool is_idle;
        if (ahead > 0 || (is_pending(witness, number, &is_idle) && !ahead)) {
            witness->seen[index] = ahead ? n : n + 1;
            return false;
        }
        n_idle += is_idle;
        nanosleep(&a_while, NULL);
    }
    return witness->pid > 0;
}

void key_witness_close(struct key_witness *witness) {
    int status;
    if (witness->pid > 0) {
        kill(witness->pid, SIGKILL);
        while (waitpid(witness->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (witness->counts)
        munmap(witness->counts, KEYS * sizeof *witness->counts);
    *witness = (struct key_witness){.pid = 0};
}
