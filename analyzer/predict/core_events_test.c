// What the core of a CPU file reports: each event once, in the cycle where it happens, and nothing that listening
// changes.
#include "analyzer/cpu/pipes.h"
#include "analyzer/predict/core_plan.h"
#include "analyzer/predict/testing_cpu_file.h"
#include "analyzer/sim/core/cpu_core.h"
#include "analyzer/sim/pipeline.h"
#include "base/bytes.h"
#include "base/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char file_text[] = "cpu: 1\n"
                                "name: watched\n"
                                "base: skylake\n"
                                "parameters:\n"
                                "  dispatch-width: 4\n"
                                "  retire-width: 4\n"
                                "  reorder-buffer: 40\n"
                                "  scheduler: 12\n"
                                "  load-queue: 20\n"
                                "  store-queue: 4\n"
                                "  micro-fusion: 1\n"
                                "  moves-eliminated: 1\n"
                                "  stack-engine: 1\n"
                                "  stores-per-cycle: 1\n"
                                "  forward-latency: 4\n"
                                "  blocked-load: 10\n"
                                "  fetch-bytes: 16\n"
                                "  predecode-width: 5\n"
                                "  decoders: 4\n";

static int open_watched(void **state) {
    return testing_cpu_file_open(state, file_text);
}

// A line for each event; or only their numbers.
struct watcher {
    struct event_listener listener;
    const struct machine *pipes;
    struct text text;
    uint64_t cycle, n_events, n_uops, n_ready, n_stalls[STALL_N_KINDS];
};

static void on_cycle(void *self, uint64_t cycle) {
    ((struct watcher *)self)->cycle = cycle;
}

static void __attribute__((format(printf, 3, 4)))
note(struct watcher *watcher, const struct event_insn *insn, const char *format, ...) {
    char line[128];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    watcher->n_events++;
    text_addf(&watcher->text, "%" PRIu64 ": %" PRIu64 " %s\n", watcher->cycle, insn->index, line);
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)registers;
    note(self, insn, "dispatched %u", uops);
}
static void on_ready(void *self, const struct event_insn *insn) {
    ((struct watcher *)self)->n_ready++;
    note(self, insn, "ready");
}
static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct watcher *watcher = self;
    watcher->n_uops++;
    assert_true(n_uses <= 1 && (!n_uses || uses->resource < watcher->pipes->n_resources));
    note(self, insn, "issued %s", n_uses ? watcher->pipes->resources[uses->resource].name : "");
}
static void on_executed(void *self, const struct event_insn *insn) {
    note(self, insn, "executed");
}
static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    note(self, insn, "retired");
}
static void on_stalled(void *self, const struct event_insn *insn, enum event_stall kind) {
    struct watcher *watcher = self;
    watcher->n_stalls[kind]++;
    note(self, insn, "stalled %d", (int)kind);
}
static void on_critical(void *self, const struct event_insn *insn, const struct event_critical *critical) {
    if (critical->on_register.cycles)
        note(self, insn, "waited for %" PRIu64, critical->on_register.index);
}
static void on_eliminated(void *self, const struct event_insn *insn, enum event_elimination what) {
    static const char *const words[] = {"idiom", "move", "nop"};
    note(self, insn, "is eliminated: %s", words[what]);
}
static void on_met_store(void *self, const struct event_insn *insn, uint64_t store, enum event_meeting what) {
    static const char *const words[] = {"forwards", "renames", "is blocked by"};
    note(self, insn, "%s %" PRIu64, words[what], store);
}

static struct watcher watch(struct arena *arena, const struct cpu *cpu) {
    return (struct watcher){.listener = {.cycle_begin = on_cycle,
                                         .dispatched = on_dispatched,
                                         .ready = on_ready,
                                         .issued = on_issued,
                                         .executed = on_executed,
                                         .retired = on_retired,
                                         .stalled = on_stalled,
                                         .critical = on_critical,
                                         .eliminated = on_eliminated,
                                         .met_store = on_met_store},
                            .pipes = cpu_pipe_machine(arena, cpu),
                            .text = {.arena = arena}};
}

// Returns cycles. `watcher`: null: nobody listens.
static uint64_t simulate(struct testing_cpu_file *file, const char *hex, uint64_t iterations, bool is_decoded,
                         struct watcher *watcher) {
    uint8_t *bytes = arena_alloc(&file->arena, strlen(hex) / 2 + 1);
    struct block block;
    struct bounds bounds;
    struct fail fail = {0};
    struct pipeline_result result;
    assert_true(bytes_from_digits(hex, strlen(hex), bytes));
    assert_true(model_describe_bytes(&file->model, &file->arena, bytes, strlen(hex) / 2, &block, &fail));
    const struct bounds_request request = {.cpu = file->model.own, .block = &block, .is_decoded = is_decoded};
    const struct core_plan *plan = core_plan_find(&file->arena, &request, &bounds, &fail);
    assert_non_null(plan);
    const struct pipeline_options options = {.iterations = iterations, .plan = plan, .walk_all = watcher != NULL};
    struct pipeline *pipeline = pipeline_open(&cpu_core, file->model.machine, &options);
    struct event_listener *listeners[] = {watcher ? &watcher->listener : NULL, NULL};
    if (watcher)
        watcher->listener.self = watcher;
    if (!pipeline_simulate(pipeline, EXECUTION_OF(&block), listeners, &result, &fail))
        fail_msg("%s", fail.text);
    pipeline_close(pipeline);
    return result.cycles;
}

static void expect(struct testing_cpu_file *file, const char *hex, const char *expected) {
    struct watcher watcher = watch(&file->arena, file->model.own);
    simulate(file, hex, 1, false, &watcher);
    assert_string_equal(watcher.text.data, expected);
}

// imul rax, rbx; mov rcx, rax; add rcx, rdx: a chain, in which the move costs nothing.
static void a_chain(void **state) {
    expect(*state, "480fafc34889c14801d1",
           "0: 0 dispatched 1\n"
           "0: 1 dispatched 1\n"
           "0: 1 is eliminated: move\n"
           "0: 2 dispatched 1\n"
           "1: 0 ready\n"
           "1: 0 issued SKLPort1\n"
           "4: 0 executed\n"
           "4: 1 executed\n"
           "4: 0 retired\n"
           "4: 1 retired\n"
           "4: 2 ready\n"
           "4: 2 waited for 0\n"
           "4: 2 issued SKLPort0\n"
           "5: 2 executed\n"
           "5: 2 retired\n");
}

// mov [rdi], rax; mov rcx, [rdi]; xor edx, edx
static void memory(void **state) {
    struct testing_cpu_file *file = *state;
    struct watcher watcher = watch(&file->arena, file->model.own);
    simulate(file, "488907488b0f31d2", 1, false, &watcher);
    assert_non_null(strstr(watcher.text.data, "0: 1 forwards 0\n"));
    assert_non_null(strstr(watcher.text.data, "0: 2 is eliminated: idiom\n"));
    assert_non_null(strstr(watcher.text.data, "issued SKLPort4\n")); // the store's data
    struct watcher blocked = watch(&file->arena, file->model.own);
    simulate(file, "8807488b0f", 1, false, &blocked); // mov [rdi], al; mov rcx, [rdi]
    assert_non_null(strstr(blocked.text.data, "0: 1 is blocked by 0\n"));
}

#define IMUL "480fafc3" // imul rax, rbx
#define NOPS "90909090909090909090"

// What keeps dispatch from going on.
static void stalls(void **state) {
    static const struct {
        const char *hex;
        bool is_decoded;
        enum event_stall kind;
    } cases[] = {
        {IMUL, false, STALL_SCHEDULER},                               // 12 of them wait
        {IMUL IMUL IMUL IMUL NOPS NOPS, false, STALL_REORDER_BUFFER}, // nops need no scheduler
        {"48890748894f08", false, STALL_STORE_QUEUE},                 // two stores: one a cycle leaves a queue of 4
        {"48b80000000000000001", true, STALL_FRONT_END},              // mov rax, 1 << 56: 10 bytes, of 16 a cycle
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct watcher watcher =
            watch(&((struct testing_cpu_file *)*state)->arena, ((struct testing_cpu_file *)*state)->model.own);
        simulate(*state, cases[i].hex, 60, cases[i].is_decoded, &watcher);
        print_message("%s: %" PRIu64 "\n", cases[i].hex, watcher.n_stalls[cases[i].kind]);
        assert_true(watcher.n_stalls[cases[i].kind] > 10);
    }
}

// Listening changes no time, and where nobody sees each event, all is reported that a walk reports.
static void listening_changes_nothing(void **state) {
    static const char *const blocks[] = {"480fafc34889c14801d1", "488907488b0f4883c108", "50588807488b0f", "90",
                                         "48830301"};
    struct testing_cpu_file *file = *state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct watcher watcher = watch(&file->arena, file->model.own);
        assert_int_equal(simulate(file, blocks[i], 50, false, &watcher), simulate(file, blocks[i], 50, false, NULL));
        assert_true(watcher.n_ready <= watcher.n_uops && watcher.n_events > 50);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),
        cmocka_unit_test(memory),
        cmocka_unit_test(stalls),
        cmocka_unit_test(listening_changes_nothing),
    };
    return cmocka_run_group_tests(tests, open_watched, testing_cpu_file_close);
}
