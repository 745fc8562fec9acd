// The first and only process of the guest that scripts/test-pmu boots: does what /commands says, one line after the
// other, shows what came of it on the console, and switches the machine off.
//     run PROGRAM ARGUMENT…      a program; its exit status is shown
//     write FILE TEXT            into a file, such as one of /proc/sys
//     show FILE                  on the console
//     take N                     opens N counters that are pinned to the CPU and so come before all others
//     thief MS                   lets another process do so after that time
//     leave                      closes them, and ends that process
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 32, MOST_COUNTERS = 64 };
static int taken[MOST_COUNTERS], n_taken;
static pid_t thief;

static void run(char **arguments) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execv(arguments[0], arguments);
        perror(arguments[0]);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    printf("== exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        printf("== cannot write %s: %s\n", path, strerror(errno));
    close(fd);
}

static void show(const char *path) {
    char line[1 << 16];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        printf("%s", line);
    if (file)
        fclose(file);
}

// Each counts instructions on CPU 0, whoever runs there.
static void take(int n) {
    for (int i = 0; i < n && n_taken < MOST_COUNTERS; i++) {
        struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                             .size = sizeof attributes,
                                             .config = i ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES,
                                             .pinned = 1};
        int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0)
            break;
        taken[n_taken++] = fd;
    }
    printf("== took %d\n", n_taken);
}

static void start_thief(int milliseconds) {
    fflush(stdout);
    thief = fork();
    if (thief != 0)
        return;
    usleep((useconds_t)milliseconds * 1000);
    take(MOST_COUNTERS);
    fflush(stdout);
    for (;;)
        pause();
}

static void leave(void) {
    if (thief > 0) {
        kill(thief, SIGKILL);
        waitpid(thief, NULL, 0);
    }
    thief = 0;
    while (n_taken)
        close(taken[--n_taken]);
}

static void obey(char *line) {
    char *words[MOST_ARGUMENTS + 1] = {NULL}, *rest = NULL;
    int n = 0;
    printf("== %s", line);
    fflush(stdout);
    for (char *word = strtok_r(line, " \n", &rest); word && n < MOST_ARGUMENTS; word = strtok_r(NULL, " \n", &rest))
        words[n++] = word;
    if (n > 1 && strcmp(words[0], "run") == 0)
        run(words + 1);
    else if (n == 3 && strcmp(words[0], "write") == 0)
        write_file(words[1], words[2]);
    else if (n == 2 && strcmp(words[0], "show") == 0)
        show(words[1]);
    else if (n == 2 && strcmp(words[0], "take") == 0)
        take(atoi(words[1]));
    else if (n == 2 && strcmp(words[0], "thief") == 0)
        start_thief(atoi(words[1]));
    else if (n == 1 && strcmp(words[0], "leave") == 0)
        leave();
    fflush(stdout);
}

int main(void) {
    char line[4096];
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mkdir("/dev", 0755);
    mkdir("/tmp", 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    FILE *commands = fopen("/commands", "r");
    while (commands && fgets(line, sizeof line, commands))
        obey(line);
    printf("== end\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    return 1;
}
