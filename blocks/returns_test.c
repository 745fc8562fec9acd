// A return answers a call inside of the block, or comes back to whoever runs it.
#include "blocks/returns.h"

#include "blocks/testing_decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool returns(const char *hex) {
    struct lab_block block = {.insns = testing_decode(hex), .n_bytes = strlen(hex) / 2};
    return returns_to_caller(&testing_arena, &block, decoder_stack_pointer(&testing_decoder));
}

static void a_return_for_a_call_inside_stays(void **state) {
    (void)state;
    assert_false(returns("e802000000eb0290c390"));  // call +2; jmp +2; nop; ret; nop
    assert_false(returns("488d0506000000e802000000" // lea rax, [rip + 6]; call +2
                         "ebfe48890424c390"));      // jmp itself; mov [rsp], rax; ret; nop
    assert_false(returns("e80000000058"));          // call next; pop rax
    assert_false(returns("e802000000eb0253c390"));  // call +2; jmp +2; push rbx; ret; nop
    assert_false(returns("e802000000eb0290c3"));    // call +2; jmp +2, behind the block; nop; ret
    assert_false(returns("4801d8"));                // add rax, rbx
}

static void a_return_at_its_own_depth_comes_back(void **state) {
    (void)state;
    assert_true(returns("4801d8c3"));                   // add rax, rbx; ret
    assert_true(returns("e80000000058c3"));             // call next; pop rax; ret
    assert_true(returns("e802000000eb01c3c3"));         // call +2; jmp +1; ret; ret
    assert_true(returns("7401c34801d8"));               // je +1; ret; add rax, rbx
    assert_true(returns("e802000000eb03c3c390"));       // nobody knows who comes to the second ret
    assert_true(returns("e8fbffffffc3"));               // a function that calls itself
    assert_true(returns("e802000000ebfe48890424c3"));   // mov [rsp], rax; ret to it, which returns: a jump by a thunk
    assert_true(returns("e802000000ebfe488d642408c3")); // call +2; jmp itself; lea rsp, [rsp + 8]; ret: a return thunk
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_return_for_a_call_inside_stays),
        cmocka_unit_test(a_return_at_its_own_depth_comes_back),
    };
    return cmocka_run_group_tests(tests, testing_decoder_open, testing_decoder_close);
}
