#include "bench/measure/fake_session.h"

const struct bench_chains fake_chains = {
    .reference = {.bytes = (const uint8_t *)"r", .n_bytes = 1, .bodies = 100},
    .checks = {[CHECK_MULTIPLY] = {.bytes = (const uint8_t *)"m", .n_bytes = 1, .bodies = 100},
               [CHECK_ISSUE] = {.bytes = (const uint8_t *)"i", .n_bytes = 1, .bodies = 100}},
};
const struct bench_code fake_code = {.bytes = (const uint8_t *)"x", .n_bytes = 1, .bodies = 100};

void fake_measure_with(struct fake_session *session, struct fake_target fake, const struct bench_options *options,
                       const struct bench_code *code) {
    *session = (struct fake_session){.fake = fake};
    assert_true(
        bench_open(&session->bench, &session->arena, &session->fake.target, options, &fake_chains, &session->fail));
    assert_true(bench_measure(&session->bench, code, &session->result, 1, NULL, &session->fail));
}

void fake_measure(struct fake_session *session, struct fake_target fake) {
    fake_measure_with(session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 20, .confirm_seconds = -1},
                      &fake_code);
}

struct fake_target fake_target_noisy(uint64_t seed) {
    struct fake_target fake = fake_target_quiet();
    fake.seed = seed * 7919 + 1;
    fake.noise_ticks = 26; // 10 ns: as seen on a server VM
    fake.drift = 0.0005;
    fake.interrupt_share = 0.03;
    fake.interrupt_ticks = 8000;
    fake.switch_share = 0.02;
    fake.fault_share = 0.01;
    return fake;
}
