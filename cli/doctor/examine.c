// The findings of cyclops doctor on the machine.
#include "cli/doctor/doctor.h"

#include "base/text.h"
#include "bench/host/control.h"
#include "bench/host/files.h"
#include "bench/host/priority.h"
#include "bench/host/tuning.h"
#include "bench/sandbox/syscall_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAY(...) arena_printf(d->arena, __VA_ARGS__)

// Returns the path on the machine itself, without the folder of a captured one.
static const char *real_path(struct diagnosis *d, const char *path) {
    return path + strlen(host_path(d->arena, "%s", ""));
}

static const char *named_features(struct arena *arena, const struct host *host) {
    static const char *const features[] = {"sse2", "avx", "avx2", "fma", "avx512f", "neon", "sve"};
    struct text have = {.arena = arena};
    text_add(&have, "");
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (host_feature(host, features[i]) == FEATURE_PRESENT)
            text_addf(&have, "%s%s", have.length ? " " : "", features[i]);
    return have.length ? have.data : "none that a kernel asks for";
}

// The numbers by which its vendor tells it from others.
static const char *vendor_numbers(struct arena *arena, const struct host *host) {
    if (host->midr)
        return arena_printf(arena, "MIDR %s", host->midr);
    if (host->mvendorid)
        return arena_printf(arena, "mvendorid %s, marchid %s, mimpid %s", host->mvendorid,
                            host->marchid ? host->marchid : "unknown", host->mimpid ? host->mimpid : "unknown");
    return arena_printf(arena, "family %u model %u stepping %u", host->family, host->model, host->stepping);
}

static const char *cache_size(struct arena *arena, unsigned long kib) {
    return kib < 1024 ? arena_printf(arena, "%lu KiB", kib) : arena_printf(arena, "%.4g MiB", (double)kib / 1024);
}

static void examine_caches(struct diagnosis *d, const struct host *host) {
    struct text text = {.arena = d->arena};
    for (const struct host_cache *cache = host->caches; cache < host->caches + host->n_caches; cache++) {
        const char *what = strcmp(cache->type, "unified") == 0 ? "" : SAY(" %s", cache->type);
        text_addf(&text, "%sL%u%s %s", text.length ? ", " : "", cache->level, what, cache_size(d->arena, cache->kib));
    }
    if (text.length)
        doctor_find(d, HEALTH_OK, "caches", text.data, "", NULL);
}

// Most mitigations change what the kernel does. That of gathers changes how long the instruction takes.
static void examine_mitigations(struct diagnosis *d, const struct host *host) {
    const char *gathers = host_mitigation(host, "gather_data_sampling");
    struct text text = {.arena = d->arena};
    for (size_t i = 0; i < host->n_mitigations; i++)
        if (!text_starts(host->mitigations[i].state, "Not affected"))
            text_addf(&text, "%s%s", text.length ? ", " : "", host->mitigations[i].name);
    if (gathers && text_starts(gathers, "Mitigation"))
        doctor_find(d, HEALTH_LIMITED, "weaknesses", text.data,
                    SAY("The mitigation of gather_data_sampling (%s) makes gathers slower than those of a CPU without "
                        "it. A measurement states it.",
                        gathers),
                    NULL);
    else if (host->n_mitigations)
        doctor_find(d, HEALTH_OK, "weaknesses", text.length ? text.data : "none that the kernel knows of", "", NULL);
}

static void examine_cpu(struct diagnosis *d, const struct host *host) {
    doctor_find(d, HEALTH_OK, "CPU",
                SAY("%s, %s%s%s", host->cpu_name, vendor_numbers(d->arena, host), host->microcode ? ", microcode " : "",
                    host->microcode ? host->microcode : ""),
                "", NULL);
    doctor_find(d, HEALTH_OK, "features", named_features(d->arena, host), "", NULL);
    if (host->vector_bits)
        doctor_find(d, HEALTH_OK, "vectors", SAY("registers of %u bits", host->vector_bits), "", NULL);
    examine_caches(d, host);
    examine_mitigations(d, host);
    if (host->hypervisor)
        doctor_find(d, HEALTH_LIMITED, "hypervisor", host->hypervisor,
                    "A neighbour on the same core cannot be seen from here: repeat values that matter.", NULL);
    else
        doctor_find(d, HEALTH_OK, "hypervisor", "none seen", "", NULL);
}

#define MUCH_BUSY 0.1        // share of time that others use, 0 to 1
#define MANY_INTERRUPTS 100. // interrupts per second: in one of ten samples of a millisecond

static void examine_place(struct diagnosis *d, const struct host *host, const struct host_tuning *tuning) {
    bool is_quiet = tuning->busy < MUCH_BUSY;
    const char *load = tuning->busy < 0 ? "" : SAY(", %.0f %% busy", tuning->busy * 100);
    doctor_find(d, is_quiet ? HEALTH_OK : HEALTH_LIMITED, "measuring on",
                SAY("CPU %d of %u%s%s%s%s; %u cores", host->cpu, host->n_cpus, host->core_type ? ", type " : "",
                    host->core_type ? host->core_type : "", tuning->is_isolated ? ", isolated" : "", load,
                    host->n_cores),
                is_quiet ? "" : "Stop other programs, or choose another CPU with --cpu.", NULL);
    if (host->n_siblings) {
        bool is_idle = tuning->siblings_busy < MUCH_BUSY;
        doctor_find(d, is_idle ? HEALTH_OK : HEALTH_LIMITED, "sibling",
                    SAY("CPU %d shares the core, %.0f %% busy", host->siblings[0], tuning->siblings_busy * 100),
                    is_idle ? "" : "What runs there takes pipes and slots from the measured code. Switch that CPU off:",
                    is_idle ? NULL : SAY("echo 0 | sudo tee /sys/devices/system/cpu/cpu%d/online", host->siblings[0]));
    }
    if (tuning->interrupts_per_second >= 0) {
        bool are_few = tuning->interrupts_per_second < MANY_INTERRUPTS;
        doctor_find(
            d, are_few ? HEALTH_OK : HEALTH_LIMITED, "interrupts",
            SAY("%.0f a second from devices to CPU %d", tuning->interrupts_per_second, host->cpu),
            are_few ? "" : "Choose another CPU with --cpu, or send them elsewhere (stop irqbalance first):",
            are_few ? NULL
                    : SAY("for f in /proc/irq/*/smp_affinity_list; do echo %d | sudo tee $f; done", host->cpu ? 0 : 1));
    }
}

// On x86, Linux uses the TSC only where it passes the kernel's tests. Where it does not, our timer is also doubtful.
static void examine_timer(struct diagnosis *d, const struct host_tuning *tuning) {
    static const char *const good[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen", "arch_sys_counter"};
    bool is_good = false;
    for (size_t i = 0; tuning->clocksource && i < sizeof good / sizeof *good; i++)
        is_good = is_good || strcmp(tuning->clocksource, good[i]) == 0;
    if (tuning->clocksource)
        doctor_find(d, is_good ? HEALTH_OK : HEALTH_LIMITED, "timer", SAY("clock source %s", tuning->clocksource),
                    is_good ? "" : "The kernel found this CPU's own counter of time unsteady, so times may be wrong.",
                    NULL);
}

static void examine_counters(struct diagnosis *d, const struct host *host, const struct host_tuning *tuning) {
    if (!host->has_pmu)
        doctor_find(d, HEALTH_LIMITED, "counters", host->pmu_note ? host->pmu_note : "none",
                    host->hypervisor ? "Start the VM with one (QEMU: -cpu host,pmu=on; clouds: a metal instance)." : "",
                    NULL);
    else if (host->perf_paranoid > 2 && !(host_root_is_real() && geteuid() == 0))
        doctor_find(d, HEALTH_LIMITED, "counters", "there is a core PMU, but only root may use it", "",
                    "sudo sysctl kernel.perf_event_paranoid=2");
    else
        doctor_find(d, HEALTH_OK, "counters",
                    SAY("there is a core PMU; perf_event_paranoid is %d", host->perf_paranoid), "", NULL);
    if (host->has_pmu && tuning->user_reads == 0)
        doctor_find(d, HEALTH_LIMITED, "counter reads", "only by system calls, so the rdpmc clock cannot be used", "",
                    strncmp(tuning->user_reads_file, "/proc/", 6) == 0
                        ? "sudo sysctl kernel.perf_user_access=1"
                        : SAY("echo 1 | sudo tee %s", tuning->user_reads_file));
    if (host->has_pmu && tuning->nmi_watchdog == 1)
        doctor_find(d, HEALTH_LIMITED, "NMI watchdog", "on; it takes one of the counters", "",
                    "sudo sysctl kernel.nmi_watchdog=0");
}

void doctor_examine_host(struct diagnosis *d, const struct host *host) {
    struct host_tuning tuning;
    host_tuning_read(d->arena, host, &tuning);
    examine_cpu(d, host);
    examine_place(d, host, &tuning);
    examine_timer(d, &tuning);
    examine_counters(d, host, &tuning);
}

// Returns what `cyclops run` would write into the file; null: it may not or need not write.
static const char *would_set(const struct host_plan *plan, const char *file) {
    for (size_t i = 0; i < plan->n_settings; i++)
        if (plan->settings[i].wanted && strcmp(strrchr(plan->settings[i].path, '/') + 1, file) == 0)
            return plan->settings[i].wanted;
    return NULL;
}

static void examine_boost(struct diagnosis *d, const struct host *host, const struct host_plan *plan) {
    const char *cap = would_set(plan, "scaling_max_freq");
    const char *file = host->turbo_file;
    if (!file && cap)
        doctor_find(d, HEALTH_OK, "boost",
                    SAY("cannot be switched off; a run limits the CPU to %.2f GHz", strtod(cap, NULL) / 1e6), "", NULL);
    else if (!file)
        doctor_find(d, HEALTH_LIMITED, "boost", "not controllable here",
                    "Slow changes of frequency do no harm: each sample has its own reference.", NULL);
    else if (host->turbo == TURBO_OFF)
        doctor_find(d, HEALTH_OK, "boost", "off", "", NULL);
    else if (would_set(plan, strrchr(file, '/') + 1))
        doctor_find(d, HEALTH_OK, "boost", "on; a run switches it off, and on again when it ends", "", NULL);
    else
        doctor_find(d, HEALTH_LIMITED, "boost",
                    host->turbo == TURBO_ON ? "on, and this user may not switch it off" : "unknown",
                    "Let root measure, or switch it off:",
                    SAY("echo %s | sudo tee %s", host->turbo_off_value, real_path(d, file)));
}

static void examine_governor(struct diagnosis *d, const struct host *host, const struct host_plan *plan) {
    const char *wanted = would_set(plan, "scaling_governor"), *lowest = would_set(plan, "scaling_min_freq");
    if (strcmp(host->governor, "performance") == 0)
        doctor_find(d, HEALTH_OK, "governor", SAY("performance (%s)", host->frequency_driver), "", NULL);
    else if (wanted || lowest)
        doctor_find(d, HEALTH_OK, "governor",
                    SAY("%s (%s); %s while measuring", host->governor, host->frequency_driver,
                        wanted ? wanted : "kept at the highest frequency"),
                    "", NULL);
    else
        doctor_find(
            d, HEALTH_LIMITED, "governor",
            SAY("%s (%s): the frequency follows the load", host->governor, host->frequency_driver), "",
            SAY("echo performance | sudo tee /sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", host->cpu));
}

static void examine_limits(struct diagnosis *d, const struct host *host) {
    if (host->khz_highest <= 0)
        return;
    struct text text = {.arena = d->arena};
    text_addf(&text, "%.2f to %.2f GHz allowed", host->khz_lowest / 1e6, host->khz_highest / 1e6);
    if (host->khz_possible > host->khz_highest)
        text_addf(&text, " (of %.2f)", host->khz_possible / 1e6);
    if (host->khz_nominal > 0)
        text_addf(&text, "; nominal %.2f", host->khz_nominal / 1e6);
    bool is_slowed = host->khz_nominal > host->khz_highest;
    doctor_find(d, is_slowed ? HEALTH_LIMITED : HEALTH_OK, "frequency", text.data,
                is_slowed ? "Something keeps the CPU below its nominal frequency. Allow it:" : "",
                is_slowed ? SAY("echo %.0f | sudo tee /sys/devices/system/cpu/cpu%d/cpufreq/scaling_max_freq",
                                host->khz_nominal, host->cpu)
                          : NULL);
}

void doctor_examine_frequency(struct diagnosis *d, const struct host *host) {
    struct host_plan plan = host_control_plan(d->arena, host);
    examine_boost(d, host, &plan);
    if (host->governor)
        examine_governor(d, host, &plan);
    examine_limits(d, host);
}

void doctor_examine_leftovers(struct diagnosis *d) {
    const char *folder = host_control_folder(d->arena);
    struct guardian_leftovers left;
    struct fail fail = {0};
    if (!folder)
        return;
    if (!guardian_look(d->arena, folder, &left, &fail)) {
        doctor_find(d, HEALTH_LIMITED, "notes", fail.text, "", NULL);
        return;
    }
    for (size_t i = 0; i < left.n_settings; i++) {
        const struct guarded_setting *setting = &left.settings[i];
        if (strcmp(setting->before, setting->after) == 0)
            continue;
        doctor_find(d, left.is_in_use ? HEALTH_OK : HEALTH_LIMITED, "changed",
                    SAY("%s was %s%s", real_path(d, setting->path), setting->before,
                        left.is_in_use ? " before the runs that go on now, which put it back"
                                       : " before a run whose guardian was killed"),
                    "", left.is_in_use ? NULL : "cyclops doctor --restore");
    }
}

void doctor_examine_process(struct diagnosis *d) {
    enum host_priority priority = host_priority_try();
    doctor_find(d, priority == HOST_PRIORITY_NORMAL ? HEALTH_LIMITED : HEALTH_OK, "scheduling",
                SAY("%s while measuring", host_priority_name(priority)),
                priority == HOST_PRIORITY_NORMAL ? "Others may interrupt it. Let root measure, or allow this shell:"
                                                 : "",
                priority == HOST_PRIORITY_NORMAL ? "sudo prlimit --pid $$ --rtprio=1" : NULL);
    if (syscall_filter_exists())
        doctor_find(d, HEALTH_OK, "sandbox", "system calls end the code under test (seccomp)", "", NULL);
    else
        doctor_find(d, HEALTH_LIMITED, "sandbox",
                    "this kernel has no seccomp filters, so code under test may call the kernel",
                    "Measure only code that you trust, or use a kernel built with CONFIG_SECCOMP_FILTER.", NULL);
}

static void examine_tier(struct diagnosis *d, const struct bench *bench, enum bench_clock tier, const char *why_not) {
    const char *name = SAY("%s clock", bench_clock_name(tier)), *note = bench->clock_note;
    if (text_starts(note, name))
        note += strlen(name) + strlen(": ");
    if (bench->clock == tier)
        doctor_find(d, bench->stable ? HEALTH_OK : HEALTH_LIMITED, name, note,
                    bench->stable ? "" : "The host is too noisy now: values would be marked unstable. Try again later.",
                    NULL);
    else
        doctor_find(d, why_not ? HEALTH_LIMITED : HEALTH_OK, name,
                    why_not ? why_not : "works, but there is a better one", "", NULL);
}

// Examines what takes the core away, by the session's calibration.
static void examine_gaps(struct diagnosis *d, const struct bench *bench) {
    const struct bench_gaps *gaps = &bench->gaps;
    const char *text = SAY("%s", bench_gaps_summary(d->arena, gaps));
    if (gaps->seconds > 0)
        text = SAY("%s; shorter ones than %.2g µs are not seen", text, gaps->resolution_ns / 1e3);
    if (bench->n_bursts <= 1)
        doctor_find(d, HEALTH_OK, "gaps", text, "", NULL);
    else
        doctor_find(d, HEALTH_LIMITED, "gaps", text,
                    SAY("The hypervisor or another guest takes the core away all the time. Rounds are split into %u "
                        "bursts that fit in between, so values take up to three times as long. Another CPU (--cpu), "
                        "another hour or a host without other guests is better.",
                        bench->n_bursts),
                    NULL);
}

void doctor_examine_clocks(struct diagnosis *d, const struct bench *bench) {
    const struct target *target = bench->target;
    examine_tier(d, bench, CLOCK_RDPMC, target->has_user_reads ? NULL : target->user_reads_note);
    examine_tier(d, bench, CLOCK_PERF, target->has_counters ? NULL : target->counters_note);
    examine_tier(d, bench, CLOCK_RATIO, NULL);
    examine_gaps(d, bench);
}

// Returns the core's frequency during calibration by the chain of adds, GHz; 0: unknown.
static double seen_ghz(const struct bench *bench) {
    bool is_known = bench && bench->stable && bench->target->ticks_per_second > 0 && bench->ticks_per_cycle > 0;
    return is_known ? bench->target->ticks_per_second / bench->ticks_per_cycle / 1e9 : 0;
}

void doctor_examine_time_clock(struct diagnosis *d, const struct host *host, const struct bench *bench) {
    static const double most_departure = 0.01; // relative; beyond it, --clock time marks its values
    double stated = host->ghz_stated, seen = seen_ghz(bench);
    if (stated <= 0) {
        doctor_find(d, HEALTH_LIMITED, "time clock", "this system states no frequency of its cores",
                    "State it, if you know it: --clock time --frequency HZ.", NULL);
        return;
    }
    const char *text = SAY("%.2f GHz, as %s states; only used with --clock time", stated, host->ghz_source);
    if (seen <= 0)
        doctor_find(d, HEALTH_OK, "time clock", text, "", NULL);
    else if (fabs(seen / stated - 1) <= most_departure)
        doctor_find(d, HEALTH_OK, "time clock", SAY("%s. The chain of adds agrees", text), "", NULL);
    else
        doctor_find(
            d, HEALTH_LIMITED, "time clock", SAY("%s. The chain of adds says %.2f GHz", text, seen),
            "The core ran at another frequency: values would be marked unstable. Make it steady, or state it with "
            "--frequency.",
            NULL);
}
