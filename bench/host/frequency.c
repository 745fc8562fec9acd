// Frequency: driver, governor, limits, nominal frequency, boost.
// Files: Linux, Documentation/admin-guide/pm/{cpufreq,intel_pstate,amd-pstate}.rst.
#include "base/file.h"
#include "bench/host/files.h"

#include <string.h>
#include <unistd.h>

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

// Returns the file that controls boost; null: there is none. intel_pstate has its own file; elsewhere, the file of the
// CPU's policy comes before that of the whole machine.
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

// The value that switches boost off. In no_turbo it is the opposite of that in the other files.
static const char *off_value(const char *path) {
    const char *name = strrchr(path, '/');
    return name && strcmp(name, "/no_turbo") == 0 ? "1" : "0";
}

static enum host_turbo read_turbo(struct arena *arena, const struct host *host) {
    const char *value = host->turbo_file ? file_first_line(arena, host->turbo_file) : NULL;
    if (!value || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0))
        return TURBO_UNKNOWN;
    return strcmp(value, host->turbo_off_value) == 0 ? TURBO_OFF : TURBO_ON;
}

// Returns the line of a file of the CPU's cpufreq policy; null: no such file.
static const char *read_word(struct arena *arena, const struct host *host, const char *file) {
    return host_line(arena, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", host->cpu, file);
}

// Returns the frequency in such a file, kHz; 0: no such file.
static double read_khz(struct arena *arena, const struct host *host, const char *file) {
    double khz = 0;
    host_number(arena, &khz, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", host->cpu, file);
    return khz;
}

static double read_nominal_khz(struct arena *arena, const struct host *host, const char **source) {
    double khz = read_khz(arena, host, "base_frequency"), mhz;
    *source = "cpufreq (base_frequency)";
    if (khz <= 0 && host_number(arena, &mhz, "/sys/devices/system/cpu/cpu%d/acpi_cppc/nominal_freq", host->cpu)) {
        khz = mhz * 1e3;
        *source = "the firmware (ACPI CPPC)";
    }
    return khz;
}

void host_read_frequency(struct arena *arena, struct host *host) {
    host->governor = read_word(arena, host, "scaling_governor");
    host->governors = read_word(arena, host, "scaling_available_governors");
    host->frequency_driver = read_word(arena, host, "scaling_driver");
    host->khz_lowest = read_khz(arena, host, "scaling_min_freq");
    host->khz_highest = read_khz(arena, host, "scaling_max_freq");
    host->khz_possible = read_khz(arena, host, "cpuinfo_max_freq");
    const char *source;
    host->khz_nominal = read_nominal_khz(arena, host, &source);
    if (host->khz_nominal > 0) {
        host->ghz_stated = host->khz_nominal / 1e6;
        host->ghz_source = source;
    }
    host->turbo_file = find_turbo_file(arena, host->cpu);
    host->turbo_off_value = host->turbo_file ? off_value(host->turbo_file) : NULL;
    host->turbo = read_turbo(arena, host);
    host->turbo_writable = host->turbo_file && access(host->turbo_file, W_OK) == 0;
}
