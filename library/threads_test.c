// Threads, each with a machine of its own, predict at once and come to what one thread alone comes to. Meant to be
// run under ThreadSanitizer too (-fsanitize=thread).
#include <cyclops.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 20 };

static const char *const texts[] = {
    "vfmadd231ps %ymm0, %ymm1, %ymm2\nvaddps %ymm2, %ymm3, %ymm4\n",
    "imul %rax, %rbx\nadd %rbx, %rcx\nmov (%rcx), %rax\n",
    "xor %eax, %eax\nlock xadd %rax, (%rdi)\n",
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

struct job {
    const char *cpu;
    uint64_t cycles; // of all blocks
    double steady_cycles;
    char error[1024];
};

static bool predict(struct cyclops_machine *machine, const char *text, struct job *job, struct cyclops_error *error) {
    struct cyclops_totals totals;
    struct cyclops_block *block = cyclops_block_from_text(machine, text, error);
    struct cyclops_prediction *prediction = block != NULL ? cyclops_predict(block, error) : NULL;
    bool is_done = prediction != NULL && cyclops_simulate(block, 200, &totals, error);
    if (is_done) {
        job->cycles += totals.cycles;
        job->steady_cycles += prediction->cycles;
    }
    cyclops_prediction_free(prediction);
    cyclops_block_free(block);
    return is_done;
}

static void *work(void *data) {
    struct job *job = data;
    struct cyclops_error error = {0};
    for (unsigned round = 0; round < ROUNDS && error.status == CYCLOPS_OK; round++) {
        struct cyclops_options options = {.triple = "x86_64-unknown-linux-gnu", .cpu = job->cpu};
        struct cyclops_machine *machine = cyclops_open(&options, &error);
        for (size_t i = 0; i < N_TEXTS && machine != NULL; i++)
            if (!predict(machine, texts[i], job, &error))
                break;
        cyclops_close(machine);
    }
    snprintf(job->error, sizeof job->error, "%s", error.text);
    return NULL;
}

static void many_threads(void **state) {
    (void)state;
    // Two of one file: what is learnt of opcodes belongs to a machine.
    static const char *const cpus[] = {"skylake", "znver4", "cpu:skylake", "core:skylake", "cpu:zen4"};
    enum { N = sizeof cpus / sizeof *cpus };
    struct job together[N], alone[N];
    pthread_t threads[N];
    for (size_t i = 0; i < N; i++) {
        together[i] = alone[i] = (struct job){.cpu = cpus[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &together[i]), 0);
    }
    for (size_t i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < N; i++) {
        work(&alone[i]);
        assert_string_equal(alone[i].error, "");
        assert_string_equal(together[i].error, "");
        assert_true(alone[i].cycles > 0 && together[i].cycles == alone[i].cycles);
        assert_true(together[i].steady_cycles == alone[i].steady_cycles);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
