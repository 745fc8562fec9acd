// Profiles: what each kind of file holds, own recordings, and what cannot be read.
#include "hot/profile.h"

#include "hot/image.h"
#include "hot/sampler.h"
#include "hot/testing_programs.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Of modules that are not there, addresses are offsets in the file.
struct reading {
    struct arena arena;
    struct hot_profile profile;
    struct fail fail;
    bool is_good;
};

static struct reading *read_text(const char *text, const char *program) {
    struct reading *reading = ARENA_NEW(&testing_programs_arena, struct reading);
    fail_clear(&reading->fail);
    reading->is_good =
        hot_profile_read(&reading->arena, testing_write("profile", text), program, &reading->profile, &reading->fail);
    return reading;
}

static double weight(const struct reading *reading, const char *path, uint64_t address) {
    const struct hot_profile *profile = &reading->profile;
    for (size_t i = 0; i < profile->n_samples; i++)
        if (profile->samples[i].place.address == address &&
            strcmp(profile->modules[profile->samples[i].place.module].path, path) == 0)
            return profile->samples[i].weight;
    return 0;
}

static void expect_refused(const char *text, unsigned line, const char *what) {
    struct reading *reading = read_text(text, NULL);
    assert_false(reading->is_good);
    if (!strstr(reading->fail.text, what))
        fail_msg("'%s' does not contain '%s'", reading->fail.text, what);
    assert_int_equal(reading->fail.line, line);
    assert_int_equal(reading->fail.status, FAIL_INPUT);
    arena_free(&reading->arena);
}

// ---- texts of perf script

#define MAPS                                                                                                           \
    "       perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:7/7\n"                                           \
    "               a     7   435.143722: PERF_RECORD_COMM exec: a:7/7\n"                                              \
    "               a     7   435.143757: PERF_RECORD_MMAP2 7/7: [0x5624e7f6b000(0x1000) @ 0x1000 fe:00 112 38]: "     \
    "r-xp /absent/a\n"                                                                                                 \
    "               a     7   435.143779: PERF_RECORD_MMAP2 7/7: [0x7fd142eab000(0x26000) @ 0 <0123456789abcdef>]: "   \
    "r-xp /absent/lib so\n"                                                                                            \
    "               a     7   435.143779: PERF_RECORD_MMAP2 7/7: [0x7fd142fab000(0x26000) @ 0 fe:00 1 2]: r--p /x\n"   \
    "               a     7   435.143791: PERF_RECORD_MMAP2 7/7: [0x7fd142ea8000(0x2000) @ 0 00:00 0 0]: r-xp "        \
    "[vdso]\n"

static void perf_with_mappings(void **state) {
    (void)state;
    struct reading *reading = read_text(
        MAPS "a     7   435.144780:    1000000 cpu-clock:u:      5624e7f6b292 sum+0x32 (/absent/a)\n"
             "a     7   435.144780:    1000000 cpu-clock:u:      5624e7f6b292 sum+0x32 (/absent/a)\n"
             "a     7   435.144790:    1000000 cpu-clock:u:      7fd142eab010 [unknown] (/absent/lib so)\n"
             "a     7   435.144790:    1000000 cpu-clock:u:      7fd142ea8800 __vdso_time+0x1 ([vdso])\n"
             "a     7   435.144790:    1000000 cycles:      5624e7f6b292 sum+0x32 (/absent/a)\n"
             "a     7   435.144790:    1000000 cpu-clock:u:      7fffeeee0000 [unknown] ([unknown])\n"
             "a     7   435.144790:    1000000 cpu-clock:u:  ffffffff81000000 entry+0x1 ([kernel.kallsyms])\n",
        NULL);
    assert_true(reading->is_good);
    assert_true(reading->profile.total == 5); // without the other event's and the kernel's
    assert_true(weight(reading, "/absent/a", 0x1292) == 2);
    assert_true(weight(reading, "/absent/lib so", 0x10) == 1);
    assert_true(weight(reading, "[vdso]", 0x7fd142ea8800) == 1);
    assert_int_equal(reading->profile.n_timed, 4);
    assert_true(fabs(reading->profile.timed[0].seconds - (435.144780 - 435.143722)) < 1e-9); // since the first record
    assert_true(fabs(reading->profile.seconds_per_sample - 0.001) < 1e-12);
    assert_int_equal(reading->profile.unit, HOT_SAMPLES);
    for (size_t i = 0; i < reading->profile.n_modules; i++)
        if (strcmp(reading->profile.modules[i].path, "/absent/lib so") == 0)
            assert_string_equal(reading->profile.modules[i].build_id, "0123456789abcdef");
    arena_free(&reading->arena);
}

static void processes_have_their_own_mappings(void **state) {
    (void)state;
    struct reading *reading = read_text("7/7 PERF_RECORD_MMAP2 7/7: [0x1000(0x1000) @ 0 fe:00 1 1]: r-xp /absent/a\n"
                                        "7/7 PERF_RECORD_FORK(8:8):(7:7)\n"
                                        "8/8 PERF_RECORD_FORK(8:9):(8:8)\n"
                                        "8/9     10101 cycles:       1010\n"
                                        "8/8 PERF_RECORD_COMM exec: b:8/8\n"
                                        "8/8 PERF_RECORD_MMAP2 8/8: [0x1000(0x1000) @ 0 fe:00 1 1]: r-xp /absent/b\n"
                                        "8/8     10101 cycles:       1010\n"
                                        "7/7     10101 cycles:       1010\n",
                                        NULL);
    assert_true(reading->is_good);
    assert_true(weight(reading, "/absent/a", 0x10) == 2);
    assert_true(weight(reading, "/absent/b", 0x10) == 1);
    assert_true(reading->profile.seconds_per_sample == 0);
    arena_free(&reading->arena);
}

static void perf_with_chains(void **state) {
    (void)state;
    struct reading *reading = read_text(MAPS "a 7 436.298082:    1000000 cpu-clock:u: \n"
                                             "\t    5624e7f6b28e sum+0x2e (inlined)\n"
                                             "\t    5624e7f6b28e sum+0x2e (/absent/a)\n"
                                             "\t    5624e7f6b100 main+0x2e (/absent/a)\n"
                                             "\n"
                                             "a 7 436.298082:    1000000 cpu-clock:u: \n"
                                             "\t    5624e7f6b28e sum+0x2e (/absent/a)\n"
                                             "\n",
                                        NULL);
    assert_true(reading->is_good);
    assert_true(reading->profile.total == 2);
    assert_true(weight(reading, "/absent/a", 0x128e) == 2);
    arena_free(&reading->arena);
}

static void perf_with_branches(void **state) {
    (void)state;
    struct reading *reading =
        read_text(MAPS "7/7 10000 cycles:      5624e7f6b292  0x5624e7f6b295/0x5624e7f6b280/P/-/-/5  "
                       "0x5624e7f6b295/0x5624e7f6b280/M/-/-/7  0x5624e7f6b2a1/0x5624e7f6b276/P/-/-/0 \n"
                       "7/7 10000 cycles:      5624e7f6b292 sum (/absent/a) "
                       "0x5624e7f6b295(/absent/a)/0x5624e7f6b280(/absent/a)/P/-/-/3//-\n",
                  NULL);
    assert_true(reading->is_good);
    assert_int_equal(reading->profile.n_ways, 2);
    const struct hot_way *ways = reading->profile.ways;
    assert_true(ways[0].from.address == 0x1295 && ways[0].to.address == 0x1280);
    assert_true(ways[0].count == 3 && fabs(ways[0].cycles - 5) < 1e-9);
    assert_true(ways[1].from.address == 0x12a1 && ways[1].count == 1 && isnan(ways[1].cycles));
    arena_free(&reading->arena);
}

// Without records of mappings, symbols show where a file is.
static void perf_without_mappings(void **state) {
    (void)state;
    testing_write("spin.c", "volatile unsigned long sum;\n"
                            "__attribute__((noinline)) void spin(unsigned long n) {\n"
                            "    for (unsigned long i = 0; i < n; i++)\n"
                            "        sum += i;\n"
                            "}\n"
                            "#include <stdio.h>\n"
                            "#include <stdlib.h>\n"
                            "int main(int n, char **v) {\n"
                            "    spin(n > 1 ? strtoul(v[1], NULL, 10) : 1);\n"
                            "    puts(\"done\");\n"
                            "    return 3;\n"
                            "}\n");
    struct arena arena = {0};
    const char *program = testing_compile("spin", "spin.c", "-O1 -pie"), *why;
    struct hot_image *image = hot_image_open(&arena, program, &why);
    struct hot_function spin, start;
    assert_true(hot_image_named(image, "spin", 0, &spin) && hot_image_named(image, "_start", 0, &start));
    hot_image_close(image);
    uint64_t base = 0x555555554000;
    struct reading *reading = read_text(arena_printf(&arena,
                                                     "a 7 1.0: 1 cycles: %" PRIx64 " spin+0x4 (%s)\n"
                                                     "a 7 1.0: 1 cycles: %" PRIx64 " [unknown] (%s)\n",
                                                     base + spin.begin + 4, program, base + start.begin, program),
                                        NULL);
    assert_true(reading->is_good);
    assert_true(weight(reading, program, spin.begin + 4) == 1 && weight(reading, program, start.begin) == 1);
    arena_free(&reading->arena);
    // Without the offset in the symbol, several symbols bound it.
    reading = read_text(arena_printf(&arena, "  %" PRIx64 " spin (%s)\n  %" PRIx64 " _start (%s)\n",
                                     base + spin.begin + 4, program, base + start.begin, program),
                        NULL);
    assert_true(reading->is_good);
    assert_true(weight(reading, program, spin.begin + 4) == 1 && weight(reading, program, start.begin) == 1);
    arena_free(&reading->arena);
    reading = read_text(arena_printf(&arena, "  %" PRIx64 " [unknown] (%s)\n", base + spin.begin, program), NULL);
    assert_false(reading->is_good);
    assert_non_null(strstr(reading->fail.text, "--show-mmap-events"));
    arena_free(&reading->arena);
    arena_free(&arena);
}

static void what_is_no_text_of_perf(void **state) {
    (void)state;
    expect_refused("\x01\x02\x03 garbage\n", 1, "expected an address");
    expect_refused(MAPS "a 7 1.0: 1 cycles: xyz\n", 7, "expected an address");
    expect_refused("7/7 PERF_RECORD_MMAP2 7/7: [0x10\n", 1, "record of a mapping");
    expect_refused("7/7 1 cycles: 1010 0x1/2\n", 1, "expected branches");
    expect_refused("# only a comment\n", 0, "no sample");
    expect_refused("\x7f"
                   "ELF...\n",
                   0, "a program, not a profile");
    expect_refused("", 0, "empty");
}

// ---- callgrind

#define CALLGRIND                                                                                                      \
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd:  ./a 2\n\n"                               \
    "positions: instr line\nevents: Ir Dr\n"

static void callgrind(void **state) {
    (void)state;
    struct reading *reading = read_text(CALLGRIND "summary: 137 4\n\n"
                                                  "ob=(5) /absent/a\nfl=(146) /tmp/a.c\nfn=(536) main\n"
                                                  "0x1080 6 1 1\n"
                                                  "+2 * 2\n"
                                                  "cob=(3) /absent/lib\ncfi=(148) strtol.c\ncfn=(7) strtol\n"
                                                  "calls=1 0x4000 12\n"
                                                  "+4 7 1000 1000\n"
                                                  "* 8 10\n"
                                                  "jcnd=9/10 -6 6\n"
                                                  "* *\n"
                                                  "-2 8 20 3\n\n"
                                                  "ob=(3)\nfn=(7)\n"
                                                  "0x4000 1 100\n"
                                                  "ob=???\n"
                                                  "0x1 1 4\n",
                                        NULL);
    assert_true(reading->is_good);
    assert_int_equal(reading->profile.unit, HOT_INSTRUCTIONS);
    assert_true(reading->profile.total == 137);
    assert_true(weight(reading, "/absent/a", 0x1080) == 1 && weight(reading, "/absent/a", 0x1082) == 2);
    assert_true(weight(reading, "/absent/a", 0x1086) == 10 && weight(reading, "/absent/a", 0x1084) == 20);
    assert_true(weight(reading, "/absent/lib", 0x4000) == 100);
    assert_int_equal(reading->profile.n_ways, 1);
    assert_true(reading->profile.ways[0].from.address == 0x1086 && reading->profile.ways[0].to.address == 0x1080);
    assert_true(reading->profile.ways[0].count == 9);
    arena_free(&reading->arena);
}

static void what_is_no_output_of_callgrind(void **state) {
    (void)state;
    expect_refused("version: 1\npositions: line\nevents: Ir\n", 2, "--dump-instr=yes");
    expect_refused("version: 1\nevents: Ir\nfn=main\n1 2\n", 4, "--dump-instr=yes");
    expect_refused(CALLGRIND "ob=(1)\n", 9, "no name before");
    expect_refused(CALLGRIND "ob=(1) /a\n0x10 1 x\n", 10, "expected a cost");
    expect_refused(CALLGRIND "ob=(1) /a\n+z 1 1\n", 10, "expected an address");
    expect_refused(CALLGRIND "summary: 10 0\nob=(1) /a\n0x10 1 9\n", 11, "cut off");
    expect_refused(CALLGRIND "\x01\x02\n", 9, "no line of callgrind");
}

// ---- addresses and counts

static void counts(void **state) {
    (void)state;
    struct reading *reading = read_text("# hot\n1130 42\n0x1134 1\n1130 8\n", "/absent/p");
    assert_true(reading->is_good);
    assert_true(weight(reading, "/absent/p", 0x1130) == 50 && weight(reading, "/absent/p", 0x1134) == 1);
    arena_free(&reading->arena);
    expect_refused("1130 42\n", 0, "give it");
    reading = read_text("1130 42\n1134\n", "/absent/p");
    assert_false(reading->is_good);
    assert_int_equal(reading->fail.line, 2);
    arena_free(&reading->arena);
}

// ---- own recordings

static struct hot_function find_spin(const char *program) {
    struct arena arena = {0};
    const char *why;
    struct hot_function spin = {.name = NULL};
    struct hot_image *image = hot_image_open(&arena, program, &why);
    assert_true(image && hot_image_named(image, "spin", 0, &spin));
    hot_image_close(image);
    arena_free(&arena);
    return spin;
}

static double share_of_spin(const struct hot_profile *profile, const char *program) {
    struct hot_function spin = find_spin(program);
    double sum = 0;
    for (size_t i = 0; i < profile->n_samples; i++) {
        const struct hot_sample *sample = &profile->samples[i];
        if (strcmp(profile->modules[sample->place.module].path, program) == 0 && sample->place.address >= spin.begin &&
            sample->place.address < spin.end)
            sum += sample->weight;
    }
    return sum / profile->total;
}

// A busy machine makes a program slow, and its samples late; they stay its own.
static void a_run_of_our_own(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct hot_profile profile;
    struct hot_run run;
    char *program = arena_strdup(&arena, testing_path("spin")), *output = arena_strdup(&arena, testing_path("output"));
    char *const argv[] = {program, arena_strdup(&arena, "100000000"), NULL};
    int old = dup(STDOUT_FILENO);
    assert_non_null(freopen(output, "w", stdout));
    bool is_good = hot_profile_record(&arena, argv, 0, &profile, &run, &fail);
    fflush(stdout);
    dup2(old, STDOUT_FILENO);
    close(old);
    if (!is_good && fail.status == FAIL_UNAVAILABLE)
        skip();
    assert_true(is_good);
    assert_true(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 3);
    testing_command(arena_printf(&arena, "grep -qx done %s", output));
    assert_true(run.seconds > 0 && run.cpu >= run.seconds);
    assert_int_equal(profile.clock, HOT_CPU_CLOCK);
    assert_true(profile.timed[profile.n_timed - 1].seconds > 0.5 * run.cpu);
    assert_true(profile.timed[profile.n_timed - 1].seconds < 1.1 * run.cpu + 0.01);
    assert_true(profile.n_samples > 0 && share_of_spin(&profile, program) > 0.8);
    char *const absent[] = {arena_strdup(&arena, testing_path("absent")), NULL};
    assert_false(hot_profile_record(&arena, absent, 0, &profile, &run, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    assert_non_null(strstr(fail.text, "No such file"));
    arena_free(&arena);
}

// Records a shell's script in a group of processes of its own. Returns its exit status; -1: not possible here.
static int record_script(const char *text) {
    enum { UNAVAILABLE = 100, WRONG };
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        struct arena arena = {0};
        struct fail fail = {0};
        struct hot_profile profile;
        struct hot_run run;
        char shell[] = "sh", option[] = "-c";
        char *const argv[] = {shell, option, arena_strdup(&arena, text), NULL};
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL);
        bool is_good = hot_profile_record(&arena, argv, 0, &profile, &run, &fail);
        _exit(!is_good ? UNAVAILABLE : WIFEXITED(run.status) && run.key == SIGINT ? WEXITSTATUS(run.status) : WRONG);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == UNAVAILABLE ? -1 : WEXITSTATUS(status);
}

// A key ends the program, and not us. It gets the key once: from who sends it to all, or from us.
static void a_key_is_noted(void **state) {
    (void)state;
    static const char *const ways[] = {"$PPID", "0"}; // us alone; all of the group
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "n=0; trap 'n=$((n+1))' INT; kill -INT %s; i=0; while [ $n = 0 ] && [ $i -lt 100 ]; do sleep 0.05; "
                 "i=$((i+1)); done; sleep 0.15; exit $((n+3))",
                 ways[i]);
        const int status = record_script(text);
        if (status < 0)
            skip();
        assert_int_equal(status, 4);
    }
}

// A process that runs: it goes on as if nothing had been.
static void expect_attached(bool by_ptrace) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct hot_profile profile;
    const char *program = testing_path("spin");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(program, program, "1000000000000", NULL);
        _exit(127);
    }
    usleep(50000);
    bool is_good;
    if (by_ptrace) {
        struct gather gather = {.arena = &arena};
        struct spaces spaces = {.gather = &gather};
        struct cpu_time cpu_time;
        struct sampler sampler = {.spaces = &spaces, .hertz = 500, .pid = child, .cpu_time = &cpu_time};
        struct sampler_end end;
        const char *why;
        cpu_time_open(&cpu_time, child, CPU_TIME_FROM_NOW);
        is_good = sampler_ptrace_open(&sampler, &why);
        if (is_good) {
            sampler_ptrace_run(&sampler, 0.2, &end);
            sampler_ptrace_close(&sampler);
            assert_false(end.has_ended);
        }
        cpu_time_close(&cpu_time);
        gather_finish(&gather, &profile);
    } else {
        is_good = hot_profile_attach(&arena, child, 0.2, &profile, &fail);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, WNOHANG), 0); // it runs
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    if (is_good)
        assert_true(profile.n_samples > 0 && share_of_spin(&profile, program) > 0.8);
    arena_free(&arena);
    if (!is_good)
        skip();
}

static void a_process_that_runs(void **state) {
    (void)state;
    expect_attached(false);
}

static void a_process_by_ptrace(void **state) {
    (void)state;
    expect_attached(true);
}

// What became of a program that a timer sampled; `is_traced`: where this machine lets a process trace another.
struct sampled {
    struct hot_profile profile;
    int status;
    double cpu;
    bool is_traced;
};

static struct sampled sample(struct arena *arena, const char *program, unsigned hertz) {
    const char *why;
    int go[2];
    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char byte;
        if (read(go[0], &byte, 1) == 1)
            execl(program, program, NULL);
        _exit(127);
    }
    struct gather gather = {.arena = arena};
    struct spaces spaces = {.gather = &gather};
    struct cpu_time cpu_time;
    struct sampler sampler = {.spaces = &spaces, .hertz = hertz, .pid = child, .is_ours = true, .cpu_time = &cpu_time};
    struct sampler_end end = {0};
    struct sampled sampled;
    cpu_time_open(&cpu_time, child, CPU_TIME_FROM_PROGRAM);
    sampled.is_traced = sampler_ptrace_open(&sampler, &why);
    assert_int_equal(write(go[1], "x", 1), 1);
    if (sampled.is_traced) {
        sampler_ptrace_run(&sampler, 0, &end);
        sampler_ptrace_close(&sampler);
    } else {
        waitpid(child, &end.status, 0);
    }
    close(go[0]);
    close(go[1]);
    sampled.cpu = cpu_time_read(&cpu_time);
    sampled.status = end.status;
    cpu_time_close(&cpu_time);
    gather_finish(&gather, &sampled.profile);
    return sampled;
}

// Threads, signals and children stay the program's own.
static void a_busy_program_by_ptrace(void **state) {
    (void)state;
    testing_write("busy.c", "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n"
                            "#include <unistd.h>\n#include <sys/time.h>\n"
                            "static volatile sig_atomic_t n;\n"
                            "static volatile unsigned long sum;\n"
                            "static void tick(int s) { (void)s; n++; }\n"
                            "static void *work(void *p) { for (long i = 0; i < 20000000; i++) sum += i; return p; }\n"
                            "int main(void) {\n"
                            "    struct itimerval t = {{0, 2000}, {0, 2000}};\n"
                            "    pthread_t a, b;\n"
                            "    signal(SIGALRM, tick);\n"
                            "    setitimer(ITIMER_REAL, &t, NULL);\n"
                            "    pthread_create(&a, NULL, work, NULL);\n"
                            "    pthread_create(&b, NULL, work, NULL);\n"
                            "    pid_t c = fork();\n"
                            "    if (!c) _exit(5);\n"
                            "    int s = 0;\n"
                            "    while (waitpid(c, &s, 0) != c) ;\n"
                            "    pthread_join(a, NULL);\n"
                            "    pthread_join(b, NULL);\n"
                            "    return WEXITSTATUS(s) == 5 && n > 0 ? 7 : 1;\n"
                            "}\n");
    struct arena arena = {0};
    const char *program = testing_compile("busy", "busy.c", "-O1 -pthread");
    struct sampled sampled = {.is_traced = true};
    // Beside others, the program may be over before the timer has its turn.
    for (int i = 0; i < 3 && sampled.is_traced && sampled.profile.total <= 0; i++) {
        sampled = sample(&arena, program, 500);
        assert_true(WIFEXITED(sampled.status) && WEXITSTATUS(sampled.status) == 7);
    }
    if (sampled.profile.total > 0)
        assert_true(sampled.profile.timed[sampled.profile.n_timed - 1].seconds <= sampled.cpu);
    arena_free(&arena);
    if (sampled.is_traced && sampled.profile.total <= 0)
        skip(); // unstable
}

// The first thread may end while nobody has taken note of the ends of the others.
static void a_program_that_ends_by_ptrace(void **state) {
    (void)state;
    enum { TIMES = 40 };
    testing_write("ends.c", "#include <pthread.h>\n"
                            "static void *work(void *p) { for (volatile long i = 0; i < 30000; i++) ; return p; }\n"
                            "int main(void) {\n"
                            "    pthread_t all[4];\n"
                            "    for (int i = 0; i < 4; i++) pthread_create(&all[i], 0, work, 0);\n"
                            "    for (int i = 0; i < 4; i++) pthread_join(all[i], 0);\n"
                            "    return 7;\n"
                            "}\n");
    const char *program = testing_compile("ends", "ends.c", "-O1 -pthread");
    for (int i = 0; i < TIMES; i++) {
        struct arena arena = {0};
        struct sampled sampled = sample(&arena, program, 20000);
        assert_true(WIFEXITED(sampled.status) && WEXITSTATUS(sampled.status) == 7);
        arena_free(&arena);
    }
}

static bool are_near(double value, double expected) {
    return fabs(value - expected) < 0.1;
}

// By Wilson's formula.
static void interval_of_samples(void **state) {
    (void)state;
    double low, high;
    hot_profile_interval(20, 40, &low, &high);
    assert_true(are_near(low, 14.08) && are_near(high, 25.92));
    hot_profile_interval(20, 1000, &low, &high);
    assert_true(are_near(low, 12.98) && are_near(high, 30.69));
    hot_profile_interval(1000, 1000, &low, &high);
    assert_true(are_near(low, 996.2) && high == 1000);
    hot_profile_interval(0, 100, &low, &high);
    assert_true(low == 0 && are_near(high, 3.7));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_with_mappings),
        cmocka_unit_test(processes_have_their_own_mappings),
        cmocka_unit_test(perf_with_chains),
        cmocka_unit_test(perf_with_branches),
        cmocka_unit_test(perf_without_mappings),
        cmocka_unit_test(what_is_no_text_of_perf),
        cmocka_unit_test(callgrind),
        cmocka_unit_test(what_is_no_output_of_callgrind),
        cmocka_unit_test(counts),
        cmocka_unit_test(a_run_of_our_own),
        cmocka_unit_test(a_key_is_noted),
        cmocka_unit_test(interval_of_samples),
        cmocka_unit_test(a_process_that_runs),
        cmocka_unit_test(a_process_by_ptrace),
        cmocka_unit_test(a_busy_program_by_ptrace),
        cmocka_unit_test(a_program_that_ends_by_ptrace),
    };
    return cmocka_run_group_tests(tests, testing_programs_open, testing_programs_close);
}
