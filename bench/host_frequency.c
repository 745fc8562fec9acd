// Frequency: governor, nominal frequency, boost; and switching boost off for a while.
// Files: Linux, Documentation/admin-guide/pm/{cpufreq,intel_pstate,amd-pstate}.rst.
#include "bench/host_files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

// Where boost is controlled: intel_pstate has a file of its own; else our CPU's policy before the whole machine.
static const char *find_turbo_file(struct arena *arena, int cpu) {
    const char *const paths[] = {
        host_path(arena, "/sys/devices/system/cpu/intel_pstate/no_turbo"),
        host_path(arena, "/sys/devices/system/cpu/cpu%d/cpufreq/boost", cpu),
        host_path(arena, "/sys/devices/system/cpu/cpufreq/policy%d/boost", cpu),
        host_path(arena, "/sys/devices/system/cpu/cpufreq/boost"),
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (exists(paths[i]))
            return paths[i];
    return NULL;
}

// no_turbo says the opposite of what the others say.
static char off_value(const char *path) {
    const char *name = strrchr(path, '/');
    return name && strcmp(name, "/no_turbo") == 0 ? '1' : '0';
}

static enum host_turbo read_turbo(const char *path) {
    char value = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n_read = fd >= 0 ? read(fd, &value, 1) : 0;
    if (fd >= 0)
        close(fd);
    if (n_read != 1 || (value != '0' && value != '1'))
        return TURBO_UNKNOWN;
    return value == off_value(path) ? TURBO_OFF : TURBO_ON;
}

void host_read_frequency(struct arena *arena, struct host *host) {
    int cpu = host->cpu;
    host->governor = host_line(arena, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    host->turbo_file = find_turbo_file(arena, cpu);
    host->turbo = host->turbo_file ? read_turbo(host->turbo_file) : TURBO_UNKNOWN;
    host->turbo_writable = host->turbo_file && access(host->turbo_file, W_OK) == 0;
    double khz, mhz;
    if (host_number(arena, &khz, "/sys/devices/system/cpu/cpu%d/cpufreq/base_frequency", cpu))
        host->ghz_stated = khz / 1e6;
    else if (host_number(arena, &mhz, "/sys/devices/system/cpu/cpu%d/acpi_cppc/nominal_freq", cpu) && mhz > 0)
        host->ghz_stated = mhz / 1e3;
}

// What a signal handler may read: where to write what. fd < 0: nothing to restore.
static struct {
    volatile sig_atomic_t fd;
    char value;
    bool is_registered;
} restore = {.fd = -1};

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGSEGV, SIGBUS, SIGABRT};
enum { N_ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };
static struct sigaction old_actions[N_ENDING_SIGNALS];

void host_turbo_restore(void) {
    int fd = restore.fd;
    restore.fd = -1;
    if (fd < 0)
        return;
    ssize_t n_written = pwrite(fd, &restore.value, 1, 0);
    (void)n_written; // at this point there is nobody left to tell
    close(fd);
}

// Restores, then lets the signal do what it would have done without us.
static void restore_and_raise(int number) {
    host_turbo_restore();
    for (unsigned i = 0; i < N_ENDING_SIGNALS; i++)
        if (ending_signals[i] == number)
            sigaction(number, &old_actions[i], NULL);
    raise(number);
}

static void register_restore(void) {
    if (restore.is_registered)
        return;
    restore.is_registered = true;
    atexit(host_turbo_restore);
    for (unsigned i = 0; i < N_ENDING_SIGNALS; i++) {
        struct sigaction action = {.sa_handler = restore_and_raise};
        sigemptyset(&action.sa_mask);
        sigaction(ending_signals[i], NULL, &old_actions[i]);
        if (old_actions[i].sa_handler != SIG_IGN) // as under nohup: it does not end the program
            sigaction(ending_signals[i], &action, NULL);
    }
}

// Writes the file and registers its restoring; false if it could not.
static bool switch_off(const struct host *host) {
    int fd = open(host->turbo_file, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char off = off_value(host->turbo_file);
    restore.value = off == '1' ? '0' : '1';
    register_restore();
    restore.fd = fd; // from here on every end restores
    if (pwrite(fd, &off, 1, 0) == 1 && read_turbo(host->turbo_file) == TURBO_OFF)
        return true;
    host_turbo_restore();
    return false;
}

bool host_turbo_off(struct host *host) {
    bool is_done_already = restore.fd >= 0;
    if (host->turbo_file && host->turbo != TURBO_OFF && (is_done_already || switch_off(host)))
        host->turbo = read_turbo(host->turbo_file);
    return host->turbo == TURBO_OFF;
}
