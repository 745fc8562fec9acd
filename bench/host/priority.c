#include "bench/host/priority.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool host_pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

const char *host_priority_name(enum host_priority priority) {
    static const char *const names[] = {
        [HOST_PRIORITY_NORMAL] = "normal", [HOST_PRIORITY_NICE] = "nice -20", [HOST_PRIORITY_FIFO] = "SCHED_FIFO"};
    return names[priority];
}

// Limits are in microseconds. The soft one sends SIGXCPU each second, the hard one SIGKILL: sched(7).
static bool limit_computing(double seconds) {
    rlim_t soft = (rlim_t)ceil(seconds * 1e6);
    return setrlimit(RLIMIT_RTTIME, &(struct rlimit){soft, soft + 1000000}) == 0;
}

enum host_priority host_priority_raise(double limit_seconds) {
    struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    if (limit_computing(limit_seconds) && sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0)
        return HOST_PRIORITY_FIFO;
    return setpriority(PRIO_PROCESS, 0, -20) == 0 ? HOST_PRIORITY_NICE : HOST_PRIORITY_NORMAL;
}

enum host_priority host_priority_try(void) {
    pid_t pid = fork();
    if (pid == 0)
        _exit((int)host_priority_raise(1));
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return HOST_PRIORITY_NORMAL;
    return pid > 0 && WIFEXITED(status) ? (enum host_priority)WEXITSTATUS(status) : HOST_PRIORITY_NORMAL;
}
