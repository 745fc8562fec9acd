// Own recordings: a run of a program, or a part of the life of a process.
#include "hot/profile.h"

#include "bench/host/timer.h"
#include "hot/key_witness.h"
#include "hot/sampler.h"
#include "hot/tracer_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_HERTZ = 1000, KIBIBYTES_OF_PAGE = 4 };

// A child that waits for a byte, and then becomes the program.
struct starter {
    pid_t pid;
    int go, error; // pipes: to start it; its errno where it cannot be started
    struct sigaction old_int, old_quit;
};

static _Noreturn void become(char *const *argv, const struct starter *starter, int go, int error) {
    char byte;
    sigaction(SIGINT, &starter->old_int, NULL);
    sigaction(SIGQUIT, &starter->old_quit, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // it does not go on unseen where we end early
    if (read(go, &byte, 1) == 1) {
        execvp(argv[0], argv);
        int number = errno;
        if (write(error, &number, sizeof number) < 0)
            _exit(127);
    }
    _exit(127);
}

static volatile sig_atomic_t last_key;
static volatile pid_t running_program; // 0: none is
static struct key_witness witness;

static void note_key(int number) {
    const int error = errno;
    last_key = number;
    if (key_witness_is_alone(&witness, number) && running_program > 0)
        kill(running_program, number);
    errno = error;
}

// Keys that end a program are for it, not for us. They are noted, and passed on to it where it has not got them.
static void ignore_keys(struct starter *starter) {
    const struct sigaction note = {.sa_handler = note_key, .sa_flags = SA_RESTART};
    last_key = 0;
    running_program = 0;
    sigaction(SIGINT, &note, &starter->old_int);
    sigaction(SIGQUIT, &note, &starter->old_quit);
}

static void heed_keys(const struct starter *starter) {
    sigaction(SIGINT, &starter->old_int, NULL);
    sigaction(SIGQUIT, &starter->old_quit, NULL);
    key_witness_close(&witness);
}

static bool start(char *const *argv, struct starter *starter, struct fail *fail) {
    int go[2], error[2];
    key_witness_open(&witness); // before the pipes, of which it would keep an end open
    if (pipe2(go, O_CLOEXEC) != 0) {
        key_witness_close(&witness);
        return fail_set(fail, FAIL_WORK, "cannot make a pipe: %s", strerror(errno));
    }
    if (pipe2(error, O_CLOEXEC) != 0) {
        key_witness_close(&witness);
        close(go[0]);
        close(go[1]);
        return fail_set(fail, FAIL_WORK, "cannot make a pipe: %s", strerror(errno));
    }
    ignore_keys(starter);
    starter->pid = fork();
    if (starter->pid == 0) {
        close(go[1]);
        become(argv, starter, go[0], error[1]);
    }
    close(go[0]);
    close(error[1]);
    starter->go = go[1];
    starter->error = error[0];
    running_program = starter->pid;
    if (starter->pid > 0)
        return true;
    heed_keys(starter);
    close(starter->go);
    close(starter->error);
    return fail_set(fail, FAIL_WORK, "cannot start a process: %s", strerror(errno));
}

static void release(struct starter *starter) {
    const char byte = 1;
    while (write(starter->go, &byte, 1) < 0 && errno == EINTR)
        ;
    close(starter->go);
}

// Ends a child that never became the program.
static void abandon(struct starter *starter) {
    int status;
    close(starter->go);
    close(starter->error);
    while (waitpid(starter->pid, &status, 0) < 0 && errno == EINTR)
        ;
    heed_keys(starter);
}

struct way_to_sample {
    const char *name; // for people
    bool (*open)(struct sampler *sampler, const char **why);
    void (*run)(struct sampler *sampler, double seconds, struct sampler_end *end);
    void (*close)(struct sampler *sampler);
};

static const struct way_to_sample ways[] = {
    {"the kernel's CPU clock", sampler_events_open, sampler_events_run, sampler_events_close},
    {"a timer and ptrace", sampler_ptrace_open, sampler_ptrace_run, sampler_ptrace_close},
};

// Opens the best way that is possible; null: none is.
static const struct way_to_sample *open_way(struct sampler *sampler, struct fail *fail) {
    const char *whys[2] = {"?", "?"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].open(sampler, &whys[i]))
            return &ways[i];
    fail_set(fail, FAIL_UNAVAILABLE, "this process cannot be sampled: %s; %s", whys[0], whys[1]);
    return NULL;
}

static void finish(struct gather *gather, const struct sampler *sampler, const struct way_to_sample *way,
                   struct hot_profile *profile) {
    gather_finish(gather, profile);
    profile->unit = HOT_SAMPLES;
    profile->seconds_per_sample = 1 / sampler->hertz;
    profile->clock = HOT_CPU_CLOCK;
    profile->faults = sampler->faults;
    profile->source = arena_printf(gather->arena, "%s, %.0f samples a second", way->name, sampler->hertz);
}

// What the program used, but for the time that elapsed.
static void take_usage(const struct sampler_end *end, struct hot_run *run) {
    run->status = end->status;
    run->seconds = cpu_time_seconds(&end->usage.ru_utime);
    run->cpu = cpu_time_of(&end->usage);
    run->faults = (double)end->usage.ru_minflt;
    run->pages = (double)end->usage.ru_maxrss / KIBIBYTES_OF_PAGE;
    run->key = last_key;
}

bool hot_profile_record(struct arena *arena, char *const *argv, double hertz, struct hot_profile *profile,
                        struct hot_run *run, struct fail *fail) {
    struct gather gather = {.arena = arena};
    struct spaces spaces = {.gather = &gather};
    struct sampler sampler = {.spaces = &spaces, .hertz = hertz > 0 ? hertz : DEFAULT_HERTZ, .is_ours = true};
    struct sampler_end end;
    struct starter starter = {0};
    struct cpu_time cpu_time;
    int number;
    *profile = (struct hot_profile){0};
    *run = (struct hot_run){0};
    if (tracer_has_other_user(arena, argv[0]))
        return fail_set(fail, FAIL_UNAVAILABLE, "%s runs as another user, so it cannot be traced", argv[0]);
    if (!start(argv, &starter, fail))
        return false;
    sampler.pid = starter.pid;
    sampler.cpu_time = &cpu_time;
    const struct way_to_sample *way = open_way(&sampler, fail);
    if (!way) {
        abandon(&starter);
        return false;
    }
    cpu_time_open(&cpu_time, starter.pid, CPU_TIME_FROM_PROGRAM);
    release(&starter);
    const double start_seconds = timer_seconds();
    way->run(&sampler, 0, &end);
    running_program = 0; // another process may get its number
    run->elapsed = timer_seconds() - start_seconds;
    way->close(&sampler);
    cpu_time_close(&cpu_time);
    heed_keys(&starter);
    bool is_started = read(starter.error, &number, sizeof number) != sizeof number;
    close(starter.error);
    finish(&gather, &sampler, way, profile);
    if (!is_started)
        return fail_set(fail, FAIL_INPUT, "cannot start '%s': %s", argv[0], strerror(number));
    take_usage(&end, run);
    return true;
}

bool hot_profile_attach(struct arena *arena, int pid, double seconds, struct hot_profile *profile, struct fail *fail) {
    struct gather gather = {.arena = arena};
    struct spaces spaces = {.gather = &gather};
    struct cpu_time cpu_time;
    struct sampler sampler = {.spaces = &spaces, .hertz = DEFAULT_HERTZ, .pid = pid, .cpu_time = &cpu_time};
    struct sampler_end end;
    *profile = (struct hot_profile){0};
    if (!spaces_read(&spaces, pid) || !spaces_has(&spaces, pid))
        return fail_set(fail, FAIL_INPUT, "there is no process %d whose memory this user may see", pid);
    const struct way_to_sample *way = open_way(&sampler, fail);
    if (!way)
        return false;
    cpu_time_open(&cpu_time, pid, CPU_TIME_FROM_NOW);
    way->run(&sampler, seconds, &end);
    way->close(&sampler);
    cpu_time_close(&cpu_time);
    finish(&gather, &sampler, way, profile);
    return true;
}
