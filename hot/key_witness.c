#include "hot/key_witness.h"

#include <errno.h>
#include <stddef.h>
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

static _Noreturn void be_witness(pid_t parent) {
    const struct sigaction action = {.sa_handler = count};
    sigset_t keys;
    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &keys, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent)
        pause();
    _exit(0);
}

void key_witness_open(struct key_witness *witness) {
    const pid_t parent = getpid();
    void *shared =
        mmap(NULL, KEYS * sizeof *witness->counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *witness = (struct key_witness){.pid = 0};
    if (shared == MAP_FAILED)
        return;
    own_counts = witness->counts = shared;
    witness->pid = fork();
    if (witness->pid == 0)
        be_witness(parent);
}

// A signal reaches all of a group at once, but the witness has to get its CPU.
bool key_witness_is_alone(struct key_witness *witness, int number) {
    enum { LOOKS = 20 };
    const struct timespec a_while = {0, 2000000};
    const size_t index = index_of(number);
    for (unsigned i = 0; i < LOOKS && witness->pid > 0; i++) {
        const uint32_t n = __atomic_load_n(&witness->counts[index], __ATOMIC_RELAXED);
        if (n != witness->seen[index]) {
            witness->seen[index] = n;
            return false;
        }
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
