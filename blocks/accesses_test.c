// Accesses of single steps, with registers made by hand: nothing runs.
#include "blocks/accesses.h"

#include "base/text.h"
#include "blocks/testing_decoder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// "load 1000/8, store ?": addresses in hexadecimal, and bytes; "?" where one is not known.
static const char *in_words(const struct execution_step *step) {
    struct text text = {.arena = &testing_arena};
    for (unsigned i = 0; i < step->n_accesses; i++) {
        const struct memory_access *access = &step->accesses[i];
        text_addf(&text, "%s%s ", i ? ", " : "", access->is_store ? "store" : "load");
        if (access->is_known)
            text_addf(&text, "%" PRIx64, access->address);
        text_addf(&text, access->bytes ? "%s/%u" : "%s", access->is_known ? "" : "?", access->bytes);
    }
    return text.data ? text.data : "";
}

static const char *accesses_of(const char *hex, int64_t moved) {
    struct block block = testing_decode(hex);
    struct execution_step step = {0};
    const struct step_registers registers = {.general = {[1] = 2, [3] = 0x50, [4] = 0x8000, [7] = 0x1000, [9] = 0x9000},
                                             .counter = 0x400000,
                                             .fs = 0x700000,
                                             .stack_behind = 0x8000 + (uint64_t)moved};
    assert_int_equal(block.n_insns, 1);
    accesses_find(&testing_arena, testing_decoder.machine, &block.insns[0], &registers, &step);
    return step.has_accesses ? in_words(&step) : "unknown";
}

static void each_kind_of_operand(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        int64_t moved; // the stack pointer, by the step
        const char *accesses;
    } rows[] = {
        {"488b07", 0, "load 1000/8"},                   // mov rax, [rdi]
        {"668944cff0", 0, "store 1000/2"},              // mov [rdi + rcx*8 - 16], ax
        {"4183410401", 0, "load 9004/4, store 9004/4"}, // add dword ptr [r9 + 4], 1
        {"8b0500010000", 0, "load 400106/4"},           // mov eax, [rip + 0x100]
        {"648a03", 0, "load 700050/1"},                 // mov al, fs:[rbx]
        {"678b048f", 0, "load 1008/4"},                 // mov eax, [edi + ecx*4]
        {"62f17c48284701", 0, "load 1040/64"},          // vmovaps zmm0, [rdi + 64]
        {"0fc34424f8", 0, "store 7ff8/4"},              // movnti [rsp - 8], eax
        {"488707", 0, "load 1000/8, store 1000/8"},     // xchg [rdi], rax
        {"ff24cf", 0, "load 1010/8"},                   // jmp [rdi + rcx*8]
        {"480327", 16, "load 1000/8"},                  // add rsp, [rdi]: no pop
        {"488d07", 0, ""},                              // lea rax, [rdi]
        {"0f1f00", 0, ""},                              // nop dword ptr [rax]
        {"53", -8, "store 7ff8/8"},                     // push rbx
        {"ff7708", -8, "load 1008/8, store 7ff8/8"},    // push qword ptr [rdi + 8]
        {"8f07", 8, "load 8000/8, store 1000/8"},       // pop qword ptr [rdi]
        {"8f0424", 8, "load 8000/8, store 8008/8"},     // pop qword ptr [rsp]
        {"6658", 2, "load 8000/2"},                     // pop ax
        {"ff17", -8, "load 1000/8, store 7ff8/8"},      // call [rdi]
        {"e800000000", -8, "store 7ff8/8"},             // call
        {"c3", 8, "load 8000/8"},                       // ret
        {"c21000", 24, "load 8000/8"},                  // ret 16
        {"c9", 64, "load ?"},                           // leave
        {"f3a4", 0, "unknown"},                         // rep movsb
        {"48a7", 0, "unknown"},                         // cmpsq
        {"d7", 0, "load ?"},                            // xlatb
        {"90", 0, ""},                                  // nop
        {"4801d8", 0, ""},                              // add rax, rbx
        {"0fa2", 0, "unknown"},                         // cpuid
        {"c4e26992048f", 0, "load ?"},                  // vgatherdps xmm0, [rdi + xmm1*4], xmm2
        {"a0bc9a785634120000", 0, "load ?"},            // movabs al, [0x123456789abc]
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(accesses_of(rows[i].hex, rows[i].moved), rows[i].accesses);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_of_operand)};
    return cmocka_run_group_tests(tests, testing_decoder_open, testing_decoder_close);
}
