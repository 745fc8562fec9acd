#include "bench/host/control.h"

#include "base/file.h"
#include "bench/host/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct arena *arena, struct host_plan *plan, const char *path, const char *wanted) {
    for (size_t i = 0; i < plan->n_settings; i++)
        if (strcmp(plan->settings[i].path, path) == 0)
            return; // the first value stays
    if (access(path, W_OK) != 0)
        return;
    *ARENA_ADD(arena, plan->settings, plan->n_settings) = (struct guarded_setting){.path = path, .wanted = wanted};
}

static const char *cpufreq(struct arena *arena, const struct host *host, const char *file) {
    return host_path(arena, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", host->cpu, file);
}

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words ? strstr(words, word) : NULL; at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

// Switches boost off. Without such a switch (amd-pstate before Linux 6.11, some boards), limits the highest frequency
// to the nominal one.
static void plan_boost(struct arena *arena, const struct host *host, struct host_plan *plan) {
    if (host->turbo_file && host->turbo == TURBO_ON)
        add(arena, plan, host->turbo_file, host->turbo_off_value);
    if (!host->turbo_file && host->khz_nominal > 0 && host->khz_highest > host->khz_nominal)
        add(arena, plan, cpufreq(arena, host, "scaling_max_freq"), arena_printf(arena, "%.0f", host->khz_nominal));
}

// Selects the performance governor, which holds the highest frequency. Without it, raises the lowest one to the
// highest.
static void plan_governor(struct arena *arena, const struct host *host, struct host_plan *plan) {
    if (!host->governor || strcmp(host->governor, "performance") == 0)
        return;
    if (has_word(host->governors, "performance")) {
        add(arena, plan, cpufreq(arena, host, "scaling_governor"), "performance");
        return;
    }
    bool is_capped = !host->turbo_file && host->khz_nominal > 0 && host->khz_highest > host->khz_nominal;
    double highest = is_capped ? host->khz_nominal : host->khz_highest;
    if (highest > host->khz_lowest)
        add(arena, plan, cpufreq(arena, host, "scaling_min_freq"), arena_printf(arena, "%.0f", highest));
}

// Adds what the kernel changes by itself when we change the others, to be put back:
//  - Boost sets the highest frequency of each policy (drivers/cpufreq/cpufreq.c, cpufreq_boost_trigger_state).
//  - The governor sets the preference between speed and energy (intel_pstate.c, amd-pstate.c).
static void plan_what_else_changes(struct arena *arena, const struct host *host, struct host_plan *plan) {
    if (!plan->n_settings)
        return;
    const char **policies;
    size_t n = file_list(arena, host_path(arena, "/sys/devices/system/cpu/cpufreq"), "", &policies);
    for (size_t i = 0; i < n; i++)
        if (strncmp(policies[i], "policy", 6) == 0)
            add(arena, plan, host_path(arena, "/sys/devices/system/cpu/cpufreq/%s/scaling_max_freq", policies[i]),
                NULL);
    add(arena, plan, cpufreq(arena, host, "scaling_min_freq"), NULL);
    add(arena, plan, cpufreq(arena, host, "energy_performance_preference"), NULL);
}

struct host_plan host_control_plan(struct arena *arena, const struct host *host) {
    struct host_plan plan = {0};
    plan_boost(arena, host, &plan);
    plan_governor(arena, host, &plan);
    plan_what_else_changes(arena, host, &plan);
    return plan;
}

const char *host_control_folder(struct arena *arena) {
    const char *mine = getenv("XDG_RUNTIME_DIR");
    if (!host_root_is_real())
        return host_path(arena, "/run/cyclops");
    if (geteuid() == 0)
        return "/run/cyclops";
    return mine && *mine == '/' ? arena_printf(arena, "%s/cyclops", mine) : NULL;
}

void host_control_start(struct host_control *control, struct arena *arena, struct host *host) {
    *control = (struct host_control){.plan = host_control_plan(arena, host)};
    const char *folder = host_control_folder(arena);
    if (!control->plan.n_settings)
        return;
    if (!folder) {
        fail_set(&control->fail, FAIL_UNAVAILABLE, "no folder to keep notes of what to put back: set XDG_RUNTIME_DIR");
        return;
    }
    if (!host_root_is_real())
        mkdir(host_path(arena, "/run"), 0755); // captured machines have no such folder
    control->guardian = guardian_start(arena, folder, control->plan.settings, control->plan.n_settings, &control->fail);
    host_read_frequency(arena, host);
}

void host_control_end(struct host_control *control) {
    if (control->guardian)
        guardian_end(control->guardian);
    control->guardian = NULL;
}
