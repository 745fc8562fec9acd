// What distorts a block's value: followed by hand for each block.
#include "blocks/distortions.h"

#include "blocks/testing_decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *find(const char *hex, unsigned frames) {
    struct block block = testing_decode(hex);
    enum { START = 0x2324000, APART = 0x11400, RSP = 4 };
    struct distortions_request request = {
        .block = &block, .machine = testing_decoder.machine, .fill = START, .frames = frames};
    for (unsigned i = 0; i < X86_REGISTERS; i++)
        request.starts[i] = START + (frames == 1 ? 0 : i * (uint64_t)APART);
    request.starts[RSP] = START;
    const char *found = distortions_find(&testing_arena, &request);
    return found ? found : "";
}

static void loads_behind_stores(void **state) {
    (void)state;
    assert_string_equal(find("48890f488b06", 1), "aliases"); // mov [rdi], rcx; mov rax, [rsi]
    assert_string_equal(find("48890f488b06", 4), "");        // the same where registers differ
    assert_string_equal(find("48890f488b07", 1), "");        // mov [rdi], rcx; mov rax, [rdi]: as it is written
    assert_string_equal(find("488b0648890f", 1), "aliases"); // mov rax, [rsi]; mov [rdi], rcx: the next copy loads
    assert_string_equal(find("48890f488b4608", 1), "");      // mov [rdi], rcx; mov rax, [rsi + 8]: beside it
    assert_string_equal(find("48890f8b4604", 1), "aliases"); // mov [rdi], rcx; mov eax, [rsi + 4]: its upper half
    assert_string_equal(find("48890f488b8600100000", 1), "aliases"); // mov rax, [rsi + 0x1000]: the same page behind it
    assert_string_equal(find("48890f4883c610488b46f0", 1), "aliases"); // add rsi, 16; mov rax, [rsi - 16]
    assert_string_equal(find("48890f480faff6488b06", 1), "");          // imul rsi, rsi; mov rax, [rsi]: not followed
    assert_string_equal(find("50535b58", 1), "");                      // push rax; push rbx; pop rbx; pop rax
    assert_string_equal(find("50488b4424f8", 1), "");                  // push rax; mov rax, [rsp - 8]: other bytes
    assert_string_equal(find("50488b0424", 1), "aliases");             // push rax; mov rax, [rsp]
}

static void loaded_addresses(void **state) {
    (void)state;
    // mov rsi, [rdi + 64]; mov [rdi], rcx; mov rax, [rsi]: memory holds the address of [rdi]
    assert_string_equal(find("488b774048890f488b06", 1), "aliases");
    // mov [rdi + 64], rcx; mov rsi, [rdi + 64]; mov rax, [rsi + 64]: what was stored is not followed
    assert_string_equal(find("48894f40488b7740488b4640", 1), "");
}

static void lines(void **state) {
    (void)state;
    assert_string_equal(find("488b473c", 1), "crosses");   // mov rax, [rdi + 60]
    assert_string_equal(find("488b4738", 1), "");          // mov rax, [rdi + 56]
    assert_string_equal(find("8b473c", 1), "");            // mov eax, [rdi + 60]
    assert_string_equal(find("488947fc", 4), "crosses");   // mov [rdi - 4], rax
    assert_string_equal(find("c5fe6f4720", 1), "");        // vmovdqu ymm0, [rdi + 32]
    assert_string_equal(find("c5fe6f4721", 1), "crosses"); // vmovdqu ymm0, [rdi + 33]
    assert_string_equal(find("488d473c", 1), "");          // lea rax, [rdi + 60]
}

static void floating_point(void **state) {
    (void)state;
    assert_string_equal(find("dd07", 1), "subnormals");       // fld qword ptr [rdi]
    assert_string_equal(find("0fae542408", 1), "sets-mxcsr"); // ldmxcsr [rsp + 8]
    assert_string_equal(find("f20f5807", 1), "");             // addsd xmm0, [rdi]: such numbers count as zero
}

static unsigned touches_of(const char *hex, struct bench_touch touches[DISTORTIONS_MOST_TOUCHES]) {
    struct block block = testing_decode(hex);
    struct distortions_request request = {.block = &block, .machine = testing_decoder.machine};
    request.are_vectors_zero = true;
    for (unsigned i = 0; i < X86_REGISTERS; i++)
        request.starts[i] = 0x100000 + i * 0x10000;
    return distortions_find_touches(&request, touches);
}

static void accesses_that_never_fault_have_a_place(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        unsigned n, size;
        uint64_t address;
        int64_t stride;
    } cases[] = {
        {"488b07", 0, 0, 0, 0},                         // mov rax, [rdi]: it faults
        {"488d4740", 0, 0, 0, 0},                       // lea rax, [rdi + 64]
        {"c4e27d2e0f", 1, 32, 0x170000, 0},             // vmaskmovps [rdi], ymm0, ymm1
        {"c4e27d2e0f4883c720", 1, 32, 0x170000, 32},    // the same; add rdi, 32
        {"62f17c4911074883ef40", 1, 64, 0x170000, -64}, // vmovups [rdi]{k1}, zmm0; sub rdi, 64
        {"62f17c481107", 0, 0, 0, 0},                   // vmovups [rdi], zmm0: no mask
        {"0f188f00010000", 1, 1, 0x170100, 0},          // prefetcht0 [rdi + 256]
        {"660fae3f", 1, 1, 0x170000, 0},                // clflushopt [rdi]
        {"488b3f0f180f", 0, 0, 0, 0},                   // mov rdi, [rdi]; prefetcht0 [rdi]: not followed
        {"c4e27590449740", 1, 0, 0x170040, 0}, // vpgatherdd ymm0, [rdi + 4 * ymm2 + 64], ymm1: its indices are zero
        {"c5edfed3c4e275900497", 0, 0, 0, 0},  // vpaddd ymm2, ymm2, ymm3; vpgatherdd ymm0, [rdi + 4 * ymm2], ymm1
        {"c5e9efd2c4e275900497", 1, 0, 0x170000, 0},    // vpxor xmm2, xmm2, xmm2; the same
        {"62f27d49a004974883c740", 1, 0, 0x170000, 64}, // vpscatterdd [rdi + 4 * zmm2]{k1}, zmm0; add rdi, 64
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_touch touches[DISTORTIONS_MOST_TOUCHES];
        unsigned n = touches_of(cases[i].hex, touches);
        if (n != cases[i].n)
            fail_msg("%s: %u", cases[i].hex, n);
        if (!n)
            continue;
        assert_true(touches[0].address == cases[i].address);
        if (cases[i].size) // of a gather: LLVM's versions name the element, or all of them
            assert_int_equal(touches[0].size, cases[i].size);
        assert_int_equal(touches[0].stride, cases[i].stride);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_behind_stores), cmocka_unit_test(accesses_that_never_fault_have_a_place),
        cmocka_unit_test(loaded_addresses),    cmocka_unit_test(lines),
        cmocka_unit_test(floating_point),
    };
    return cmocka_run_group_tests(tests, testing_decoder_open, testing_decoder_close);
}
