// Many pieces of code in one child: how each ends, and that none sees what another left.
#include "bench/sandbox/probe.h"

#include "base/bytes.h"
#include "bench/sandbox/testing.h"

#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ADDRESS = 0x2324000, FILL = 0x2438200, HOLE = 71, HOLE_BYTES = 40, MOST_PIECES = 3000 };

static const char nops[] = "90909090909090909090909090909090909090909090909090909090909090909090909090909090";

static struct arena arena;

struct expected {
    const char *hex;
    enum bench_outcome outcome;
};

static struct probe_piece piece(const char *hex) {
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = ARENA_ARRAY(&arena, uint8_t, n + 1);
    assert_true(bytes_from_hex(hex, n, bytes));
    return (struct probe_piece){bytes, n};
}

// How long pieces may take, where that is not the default.
static struct { double timeout_seconds, patience_seconds; } limits;

static bool may_run(const struct probe_piece *pieces, size_t n, enum bench_outcome *outcomes,
                    struct probe_counts *counts, struct fail *fail) {
    const struct bench_foreign rules = {
        .most_pages = 4, .frames = 2, .fill = FILL, .lowest_address = 0x10000, .stores = true};
    if (!foreign_code_exists())
        skip();
    struct bench_code wrapper =
        foreign_code(&arena, (struct foreign_body){.hex = nops, .rax = ADDRESS, .has_no_loop = true}, rules);
    struct probe_request request = {.wrapper = &wrapper,
                                    .hole_offset = HOLE,
                                    .hole_bytes = HOLE_BYTES,
                                    .pieces = pieces,
                                    .n_pieces = n,
                                    .timeout_seconds = limits.timeout_seconds,
                                    .patience_seconds = limits.patience_seconds};
    assert_memory_equal(wrapper.bytes + HOLE, piece(nops).bytes, HOLE_BYTES);
    assert_true(wrapper.bytes[HOLE - 1] != 0x90 && wrapper.bytes[HOLE + HOLE_BYTES] != 0x90);
    return probe_run(&request, outcomes, counts, fail);
}

static void run(const struct probe_piece *pieces, size_t n, enum bench_outcome *outcomes, struct probe_counts *counts) {
    struct fail fail = {0};
    if (!may_run(pieces, n, outcomes, counts, &fail))
        fail_msg("%s", fail.text);
}

static void expect(const struct expected *expected, size_t n, struct probe_counts *counts) {
    struct probe_piece *pieces = ARENA_ARRAY(&arena, struct probe_piece, n);
    enum bench_outcome *outcomes = ARENA_ARRAY(&arena, enum bench_outcome, n);
    for (size_t i = 0; i < n; i++)
        pieces[i] = piece(expected[i].hex);
    run(pieces, n, outcomes, counts);
    for (size_t i = 0; i < n; i++)
        if (outcomes[i] != expected[i].outcome)
            fail_msg("%zu, %s: %s, wanted %s", i, expected[i].hex, bench_outcome_name(outcomes[i]),
                     bench_outcome_name(expected[i].outcome));
}

#define EXPECT(list, counts) expect(list, sizeof(list) / sizeof *(list), counts)

static int free_arena(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static void ends_have_names(void **state) {
    (void)state;
    static const struct expected list[] = {
        {"4801c8", BENCH_OK},           // add rax, rcx
        {"0f0b", BENCH_SIGILL},         // ud2
        {"f7f1", BENCH_SIGFPE},         // div ecx
        {"cc", BENCH_SIGTRAP},          // int3
        {"f1", BENCH_SIGTRAP},          // int1
        {"f4", BENCH_PRIVILEGED},       // hlt
        {"ec", BENCH_PRIVILEGED},       // in al, dx
        {"0f01f8", BENCH_PRIVILEGED},   // swapgs
        {"0f22d8", BENCH_PRIVILEGED},   // mov cr3, rax
        {"480f07", BENCH_PRIVILEGED},   // sysretq
        {"0fc718", BENCH_PRIVILEGED},   // xrstors [rax]
        {"0f01d0", BENCH_OK},           // xgetbv, of register 0
        {"ffc10f01d0", BENCH_OK},       // of register 1
        {"cd21", BENCH_PROTECTION},     // int 0x21
        {"0f284001", BENCH_PROTECTION}, // movaps xmm0, [rax + 1]
        {"ff28", BENCH_PROTECTION},     // jmp far [rax]
        {"8ed8", BENCH_PROTECTION},     // mov ds, eax
        {"0f05", BENCH_SYSCALL},        // syscall
        {"cd80", BENCH_SYSCALL},        // int 0x80
        {"ffe0", BENCH_JUMP},           // jmp rax
        {"488b0408", BENCH_OK},         // mov rax, [rax + rcx]
    };
    EXPECT(list, NULL);
}

// A piece that kills its child, or never ends, is the only one that it costs.
static void the_others_go_on(void **state) {
    (void)state;
    static const struct expected list[] = {
        {"90", BENCH_OK}, {"0f05", BENCH_SYSCALL}, {"90", BENCH_OK}, {"ebfe", BENCH_TIMEOUT},
        {"90", BENCH_OK}, {"0f0b", BENCH_SIGILL},  {"90", BENCH_OK},
    };
    struct probe_counts counts;
    EXPECT(list, &counts);
    assert_int_equal(counts.n_children, 3 + 3); // the second run begins with the system call, too
    assert_int_equal(counts.n_repeated, 3);
    assert_int_equal(counts.n_differed, 0);
}

static uint32_t cpuid_7_ecx(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) ? c : 0;
}

static uint32_t read_keys(void) {
    uint32_t keys, high;
    __asm__ volatile("rdpkru" : "=a"(keys), "=d"(high) : "c"(0));
    return keys;
}

static bool has_bases(void) {
    return getauxval(AT_HWCAP2) & 1 << 1;
}

static bool has_keys(void) {
    return cpuid_7_ecx() >> 4 & 1;
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}

#define OR_UD2 "74020f0b" // je over; ud2

// A piece that leaves something behind, and one that ends in ud2 where it finds that.
static const struct leftover {
    const char *what, *leave;
    enum bench_outcome outcome;
    const char *find;
    bool (*can_be_here)(void);
} leftovers[] = {
    // inc rcx; test rcx, rcx
    {"general registers", "48ffc1", BENCH_OK, "4885c9" OR_UD2, NULL},
    // mov [rax], rcx; cmp dword ptr [rax], FILL
    {"memory", "488908", BENCH_OK, "813800824302" OR_UD2, NULL},
    // std; pushfq, pop rcx, test ch, 4
    {"the direction flag", "fd", BENCH_OK, "9c59f6c504" OR_UD2, NULL},
    // pushfq, or dword ptr [rsp], 1 << 18, popfq; pushfq, pop rcx, test ecx, 1 << 18
    {"alignment checks", "9c810c24000004009d", BENCH_OK, "9c59f7c100000400" OR_UD2, NULL},
    // pushfq, or dword ptr [rsp], 1 << 8, popfq; pushfq, pop rcx, test ch, 1
    {"single steps", "9c810c24000100009d", BENCH_SIGTRAP, "9c59f6c501" OR_UD2, NULL},
    // mov dword ptr [rax], 0, ldmxcsr [rax]; stmxcsr [rax], cmp dword ptr [rax], 0x9fc0
    {"MXCSR", "c700000000000fae10", BENCH_OK, "0fae188138c09f0000" OR_UD2, NULL},
    // mov word ptr [rax], 0, fldcw [rax]; fnstcw [rax], cmp word ptr [rax], 0x37f
    {"the x87 control word", "66c7000000d928", BENCH_OK, "d9386681387f03" OR_UD2, NULL},
    // fld1, fld1; fnstenv [rax], cmp word ptr [rax + 8], -1
    {"the x87 stack", "d9e8d9e8", BENCH_OK,
     "d930668178"
     "08ffff" OR_UD2,
     NULL},
    // movq mm0, rcx; fnstenv [rax], cmp word ptr [rax + 8], -1
    {"the MMX state", "480f6ec1", BENCH_OK,
     "d930668178"
     "08ffff" OR_UD2,
     NULL},
    // mov word ptr [rax], 0, fldcw [rax], fld1, fldz, fdivp; fnstsw ax, test eax, eax
    {"an x87 exception that is still to come", "66c7000000d928d9e8d9eedef9", BENCH_OK, "dfe00fb7c085c0" OR_UD2, NULL},
    // pcmpeqd xmm0, xmm0; movq rcx, xmm0, test rcx, rcx
    {"vector registers", "660f76c0", BENCH_OK, "66480f7ec14885c9" OR_UD2, NULL},
    // vpternlogd zmm31, zmm31, zmm31, 255; vmovd ecx, xmm31, test ecx, ecx
    {"vector registers of AVX-512", "6203054025ffff", BENCH_OK, "62617d087ef985c9" OR_UD2, has_avx512},
    // kxnorw k1, k1, k1; kmovw ecx, k1, test ecx, ecx
    {"mask registers", "c5f446c9", BENCH_OK, "c5f893c985c9" OR_UD2, has_avx512},
    // mov ecx, 3, mov ds, ecx; mov ecx, ds, test ecx, ecx
    {"ds", "b9030000008ed9", BENCH_OK, "8cd985c9" OR_UD2, NULL},
    // mov fs, ecx; mov rcx, fs:[0], cmp [rcx], rcx
    {"fs", "8ee1", BENCH_OK, "64488b0c2500000000483909" OR_UD2, NULL},
    // mov ecx, 3, mov fs, ecx; the same
    {"another fs", "b9030000008ee1", BENCH_OK, "64488b0c2500000000483909" OR_UD2, NULL},
    // wrfsbase rcx; the same
    {"the base of fs", "f3480faed1", BENCH_OK, "64488b0c2500000000483909" OR_UD2, has_bases},
    // wrgsbase rax; rdgsbase rcx, test rcx, rcx
    {"the base of gs", "f3480faed8", BENCH_OK, "f3480faec94885c9" OR_UD2, has_bases},
    // wrfsbase rcx, ud2; the same
    {"the base of fs, and a fault", "f3480faed10f0b", BENCH_SIGILL, "64488b0c2500000000483909" OR_UD2, has_bases},
    // push rax, jmp there; nop
    {"a full stack", "50ebfd", BENCH_STACK, "90", NULL},
};

// Each finds in one piece what it looks for, and nothing where the other piece ran before.
static void nothing_is_left(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
        const struct leftover *left = &leftovers[i];
        if (left->can_be_here && !left->can_be_here()) {
            print_message("not here: %s\n", left->what);
            continue;
        }
        const struct expected list[] = {
            {left->find, BENCH_OK}, {left->leave, left->outcome}, {left->find, BENCH_OK},
            {"90", BENCH_OK},       {left->leave, left->outcome}, {left->find, BENCH_OK},
        };
        EXPECT(list, NULL);
        enum bench_outcome found;
        struct probe_piece both = piece(arena_printf(&arena, "%s%s", left->leave, left->find));
        run(&both, 1, &found, NULL);
        if (found == BENCH_OK)
            fail_msg("%s: not seen", left->what);
    }
}

// Protection keys: the second key's rights, and those of the key that all memory has.
static void keys_are_restored(void **state) {
    (void)state;
    if (!has_keys())
        skip();
    const char *find = arena_printf(&arena, "31c90f01ee3d%08x" OR_UD2, __builtin_bswap32(read_keys()));
    const struct expected list[] = {
        {"31c931d2b8000000000f01ef", BENCH_OK},      // xor ecx, ecx; xor edx, edx; mov eax, 0; wrpkru
        {find, BENCH_OK},                            // xor ecx, ecx; rdpkru; cmp eax, …
        {"31c931d2b8030000000f01ef", BENCH_SIGSEGV}, // mov eax, 3: no memory at all
        {find, BENCH_OK},
    };
    EXPECT(list, NULL);
}

// More than one child runs, and their outcomes are in order.
static void thousands(void **state) {
    (void)state;
    static const struct expected list[] = {
        {"90", BENCH_OK},         {"0f0b", BENCH_SIGILL}, {"fd", BENCH_OK},       {"8ee1", BENCH_OK},
        {"f4", BENCH_PRIVILEGED}, {"f7f1", BENCH_SIGFPE}, {"660f76c0", BENCH_OK}, {"8ed8", BENCH_PROTECTION},
        {"488b00", BENCH_OK},     {"ffe0", BENCH_JUMP},   {"d9e8", BENCH_OK},
    };
    enum { N = sizeof list / sizeof *list };
    struct probe_piece *pieces = ARENA_ARRAY(&arena, struct probe_piece, MOST_PIECES);
    enum bench_outcome *outcomes = ARENA_ARRAY(&arena, enum bench_outcome, MOST_PIECES);
    struct probe_counts counts;
    for (size_t i = 0; i < MOST_PIECES; i++)
        pieces[i] = piece(list[i * i % N].hex);
    pieces[MOST_PIECES / 2] = piece("0f05");
    run(pieces, MOST_PIECES, outcomes, &counts);
    for (size_t i = 0; i < MOST_PIECES; i++)
        assert_int_equal(outcomes[i], i == MOST_PIECES / 2 ? BENCH_SYSCALL : list[i * i % N].outcome);
    assert_int_equal(counts.n_differed, 0);
}

// ---- a busy machine

// Stops the first `n` children of process `pid`, apart from this one, as soon as they are there.
static void stop_children(pid_t pid, unsigned n) {
    char path[64];
    int last = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    while (n > 0) {
        FILE *file = fopen(path, "r");
        for (int child; file && fscanf(file, "%d", &child) == 1;)
            if (child != getpid() && child != last && n > 0 && kill(child, SIGSTOP) == 0) {
                last = child;
                n--;
            }
        if (!file)
            return;
        fclose(file);
    }
}

// Runs a piece of some 50 ms, while the first `n_stopped` children of the probe get no CPU.
static bool run_stopped(unsigned n_stopped, enum bench_outcome *outcome, struct probe_counts *counts,
                        struct fail *fail) {
    const struct probe_piece loop = piece("b900000008ffc975fc"); // mov ecx, 1 << 27; dec ecx; jne
    pid_t parent = getpid(), helper = fork();
    assert_true(helper >= 0);
    if (helper == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        stop_children(parent, n_stopped);
        _exit(0);
    }
    limits.timeout_seconds = 0.4;
    limits.patience_seconds = 0.1;
    bool is_done = may_run(&loop, 1, outcome, counts, fail);
    limits.timeout_seconds = limits.patience_seconds = 0;
    kill(helper, SIGKILL);
    waitpid(helper, NULL, 0);
    if (counts->n_starved < n_stopped) // the helper came late, or the kernel lists no children
        print_message("only %u of %u children were stopped in time\n", counts->n_starved, n_stopped);
    return is_done;
}

// A piece whose child was starved twice is tried out again: it is not the piece that is at fault.
static void a_starved_piece_is_not_judged(void **state) {
    (void)state;
    enum bench_outcome outcome;
    struct probe_counts counts = {0};
    struct fail fail = {0};
    if (!run_stopped(2, &outcome, &counts, &fail))
        fail_msg("%s", fail.text);
    assert_string_equal(bench_outcome_name(outcome), bench_outcome_name(BENCH_OK));
}

// Without any CPU, there is a message instead of an outcome.
static void without_a_cpu_it_fails(void **state) {
    (void)state;
    enum bench_outcome outcome;
    struct probe_counts counts = {0};
    struct fail fail = {0};
    if (!run_stopped(6, &outcome, &counts, &fail))
        assert_string_equal(fail.text, "instructions cannot be tried out: 6 times, others held the CPUs for 0.1 s; end "
                                       "them, or try again later");
    else
        assert_true(counts.n_starved < 6 && outcome == BENCH_OK);
}

static void nothing_at_all(void **state) {
    (void)state;
    run(NULL, 0, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(ends_have_names, free_arena),
        cmocka_unit_test_teardown(the_others_go_on, free_arena),
        cmocka_unit_test_teardown(nothing_is_left, free_arena),
        cmocka_unit_test_teardown(keys_are_restored, free_arena),
        cmocka_unit_test_teardown(thousands, free_arena),
        cmocka_unit_test_teardown(a_starved_piece_is_not_judged, free_arena),
        cmocka_unit_test_teardown(without_a_cpu_it_fails, free_arena),
        cmocka_unit_test_teardown(nothing_at_all, free_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
