// What stands beside what: nops that share a slot, accesses that share a cycle, or are in two lines, beside operations,
// adjustments of the stack pointer behind push and pop, fields in lines of decoded instructions. As on a Zen 4.
#include "analyzer/predict/testing_cpu_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char text[] = "cpu: 1\n"
                           "name: small\n"
                           "base: znver4\n"
                           "parameters:\n"
                           "  dispatch-width: 6\n"
                           "  nop-fusion: 1\n"
                           "  moves-eliminated: 1\n"
                           "  macro-fusion: 1\n"
                           "  stack-engine: 1\n"
                           "  stack-adjustment: 1\n"
                           "  stack-adjustment-back: 1\n"
                           "  stack-adjustment-slots: 2\n"
                           "  stack-moves-executed: 1\n"
                           "  unlaminates-general: 1\n"
                           "  dispatches-whole: 1\n"
                           "  dispatch-fields: 8\n"
                           "  dispatches-apart: 1\n"
                           "  stack-adjustment-fields: 5\n"
                           "  stack-adjustment-sync: 0.5\n"
                           "  stack-adjustment-access: 0.25\n"
                           "  stack-adjusted-pipes: 1\n"
                           "  stack-adjustment-pipes: 2\n"
                           "  op-cache-line-bytes: 64\n"
                           "  op-cache-line-slots: 9\n"
                           "  op-cache-line-fields: 6\n"
                           "  op-cache-line-most-fields: 8\n"
                           "  op-cache-line-long-fields: 3\n"
                           "  op-cache-lines-per-cycle: 1\n"
                           "  op-cache-loop-round: 1\n"
                           "  op-cache-straight-slots: 14\n"
                           "  op-cache-many-lines: 4\n"
                           "  op-cache-fused-together: 1\n"
                           "  taken-branches-per-cycle: 1\n"
                           "  loads-per-cycle: 3\n"
                           "  stores-per-cycle: 2\n"
                           "  accesses-per-cycle: 3\n"
                           "  accesses-crowded: 0.2\n"
                           "  accesses-chained: 0.25\n"
                           "  stores-by-line: 1\n"
                           "  stores-by-bytes: 32\n"
                           "  loads-per-cycle-vector: 2\n"
                           "  crossing-loads-alone: 1\n"
                           "  loaded-stores-alone: 1\n"
                           "  load-latency: 4\n"
                           "  load-scaled-index: 1\n"
                           "  load-three-parts: 0.5\n"
                           "  forward-latency: 7\n"
                           "  forward-upper: 0.5\n"
                           "  renamed-latency: 0\n"
                           "  renamed-update-loaded: 0.75\n"
                           "  renames-no-operation: 1\n"
                           "  renames-no-segment: 1\n"
                           "forms:\n"
                           "  - {match: MOV64rr, pipes: [Zn4ALU0123]}\n"
                           "  - {match: LEA64r, address: three-part, slots: 2, pipes: [{on: Zn4ALU0123, cycles: 2}]}\n"
                           "  - {match: LEA64r, address: relative, slots: 1}\n";

static int open_file(void **state) {
    return testing_cpu_file_open(state, text);
}

struct row {
    const char *hex, *what;
    enum bound_kind kind;
    double cycles;
};

static void check(void **state, const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct bounds bounds =
            testing_bounds(*state, rows[i].hex, (struct bounds_request){.registers = BOUNDS_APART});
        print_message("%s: %s %.4f\n", rows[i].what, bound_name(rows[i].kind), bounds.cycles[rows[i].kind]);
        assert_true(fabs(bounds.cycles[rows[i].kind] - rows[i].cycles) < 1e-6);
    }
}

static void groups(void **state) {
    static const struct row rows[] = {
        {"89d889d889d889d889d889d890", "six mov and a nop", BOUND_DISPATCH, 6. / 6},
        {"89d889d889d889d889d889d89090", "and two nops: the second is alone", BOUND_DISPATCH, 7. / 6},
        {"9089d8", "nop; mov: it shares the slot of the copy before", BOUND_DISPATCH, 1. / 6},
        {"90", "nop: every other one needs a slot", BOUND_DISPATCH, 0.5 / 6},
        {"909090", "three nops", BOUND_DISPATCH, 1.5 / 6},
        {"0f1f8400000000000f1f8000000000", "nops of eight and seven bytes", BOUND_DISPATCH, 1. / 6},
        {"0f1f8400000000000f1f840000000000", "two of eight are too long", BOUND_DISPATCH, 2. / 6},
        {"81f800010000660f1f840000000000", "cmp eax, 256 and a nop: 15 bytes", BOUND_DISPATCH, 1. / 6},
        {"81f800010000662e0f1f840000000000", "16 bytes", BOUND_DISPATCH, 2. / 6},
        {"3d0001000090", "cmp eax, 256 of the short form; nop", BOUND_DISPATCH, 1. / 6},
        {"3d0500000090", "cmp eax, 5: its number's first byte is as that of rip's", BOUND_DISPATCH, 2. / 6},
        {"5890", "pop rax; nop", BOUND_DISPATCH, 1. / 6},
        {"488d050000000090", "lea rax, [rip]; nop", BOUND_DISPATCH, 2. / 6},
        {"0f28c190", "movaps xmm0, xmm1; nop", BOUND_DISPATCH, 2. / 6},
        {"31c0662e0f1f840000000000", "xor eax, eax and a nop of ten bytes: a window a cycle", BOUND_CACHE, 12. / 64},
        {"504883c408", "push; add rsp, 8: back", BOUND_LATENCY, 2},
        {"584883c408", "pop; add rsp, 8: on", BOUND_LATENCY, 1.75},
        {"58584883c408", "two pops; add rsp, 8: a quarter more", BOUND_LATENCY, 2},
        {"50504883ec08", "two pushes; sub rsp, 8: on", BOUND_LATENCY, 1.5},
        {"4889ec4883c4085b5958", "mov rsp, rbp; add rsp, 8; three pops: executed, and no adjustment waits for them",
         BOUND_PORTS, 5. / 4},
        {"4889ec5b5958", "mov rsp, rbp; three pops: the stack engine does them", BOUND_LOADS, 1},
        {"4883c40889d889d1", "add rsp, 8; two mov: no push or pop, no longer", BOUND_LATENCY, 1},
        {"49032c3b", "add rbp, [r11 + rdi]", BOUND_DISPATCH, 2. / 6},
        {"49032c3b89c189c189c189c189c189c189c189c189c1", "and nine mov: its two slots come apart in no group",
         BOUND_DISPATCH, 2},
        {"49032b", "add rbp, [r11]", BOUND_DISPATCH, 1. / 6},
        {"49032cfd40000000", "add rbp, [8*rdi + 64]: no base", BOUND_DISPATCH, 1. / 6},
        {"4989043b", "mov [r11 + rdi], rax", BOUND_DISPATCH, 2. / 6},
        {"498b043b", "mov rax, [r11 + rdi]", BOUND_DISPATCH, 1. / 6},
        {"c4c17858043b", "vaddps xmm0, xmm0, [r11 + rdi]", BOUND_DISPATCH, 1. / 6},
        {"4883ec08", "sub rsp, 8: no group has room for two", BOUND_DISPATCH, 1},
        {"4889e0", "mov rax, rsp: executed", BOUND_PORTS, 1. / 4},
        {"488b4318488b08488b11", "three loads, one behind the other: the third loses", BOUND_LOADS, 1.25},
        {"488b4318488b08488b13", "the second alone waits for one", BOUND_LOADS, 1},
        {"488903488b034883c001", "a store and a load of it, add", BOUND_LATENCY, 1},
        {"488903480303", "a store, and an add that loads it: by forwarding", BOUND_LATENCY, 8},
        {"48890f0fb64f03", "mov [rdi], rcx; movzx ecx, byte [rdi+3]", BOUND_LATENCY, 7},
        {"48890f0fb64f04", "the fifth byte of it: a little longer", BOUND_LATENCY, 7.5},
        {"480107", "add [rdi], rax: the next one waits for nothing but it", BOUND_LATENCY, 1},
        {"480107488b0f", "and mov rcx, [rdi]: the next one waits for that, too", BOUND_LATENCY, 1.75},
        {"480107488b0f488b17", "and for a second load", BOUND_LATENCY, 2.5},
        {"480107488b4f40", "add [rdi], rax; mov rcx, [rdi+64]", BOUND_LATENCY, 1},
        {"48890748ff0f488b0f", "mov [rdi], rax; dec [rdi]; mov rcx, [rdi]: no update waits for it", BOUND_LATENCY, 0},
        {"648304252800000001", "add fs:[40], 1: by forwarding", BOUND_LATENCY, 8},
        {"62a17d40efc062a17d40efc062a17d40efc062a17d40efc0",
         "four of six bytes: ten or eleven slots of a window take no longer than dispatch", BOUND_CACHE, 4. / 6},
    };
    check(state, rows, sizeof rows / sizeof *rows);
}

static void accesses(void **state) {
    static const struct row rows[] = {
        {"48890348894318", "mov [rbx], rax; mov [rbx+24], rax", BOUND_STORES, 1},
        {"4889431848894320", "mov [rbx+24], rax; mov [rbx+32], rax: two parts", BOUND_STORES, 2},
        {"48894318488943204889432848894330", "and two stores more to the second: no more parts", BOUND_STORES, 2},
        {"488903", "mov [rbx], rax: goes with that of the copy before", BOUND_STORES, 1. / 2},
        {"48890348894308488b0e", "two stores, and a load of another place", BOUND_STORES, 1},
        {"48890348894308488b0b", "and a load of the first: it keeps memory busy", BOUND_STORES, 2},
        {"48890348894308488b5308", "a load of the second", BOUND_STORES, 2},
        {"48890348894308488b0b4531c04531c94531d24531db4531e44531ed", "and six zeroings: there is time", BOUND_STORES,
         1},
        {"4889034889430848894310488b0b", "three stores, and a load of the first", BOUND_STORES, 3},
        {"488903488943084889432048895328488b0b", "two pairs, and a load of the first: no longer", BOUND_STORES, 2},
        {"488903488943084889432048895328488b0b488b5320", "and a load of the third", BOUND_STORES, 4},
        {"48010348014308", "add [rbx], rax; add [rbx+8], rax: updates go together", BOUND_STORES, 1},
        {"488b03488b4b084885d2", "two loads and a test: all groups have four and two", BOUND_LOADS, 2. / 3 + 0.2 / 2},
        {"488b03488b4b084889f2", "two loads and a mov that is no operation", BOUND_LOADS, 2. / 3},
        {"488b0348837b08054889f2", "mov rax, [rbx]; cmp [rbx+8], 5; mov: what loads stands beside no access",
         BOUND_LOADS, 2. / 3},
        {"488b03488b4b08488b6b104885d24885d24885d2", "three loads and three tests", BOUND_LOADS, 1},
        {"48895f18", "mov [rdi+24], rbx: in one part of a line", BOUND_STORES, 1. / 2},
        {"48895f19", "mov [rdi+25], rbx: in two", BOUND_STORES, 2},
        {"48895f0448895f0c48895f1448895f1c", "four stores, the last in two parts: the third is alone", BOUND_STORES, 3},
        {"48895f1448895f1c48895f24", "two stores, and one in two parts", BOUND_STORES, 2},
        {"48895f3c48895f44", "a store in two lines, and one in the second", BOUND_STORES, 2},
        {"0f1007", "movups xmm0, [rdi]", BOUND_LOADS, 1. / 2},
        {"0f104738", "movups xmm0, [rdi+56]: in two lines", BOUND_LOADS, 1},
        {"0f10470f0f1047380f104f01", "two movups in one line, and one in two", BOUND_LOADS, 2},
        {"0f10470f0f104738", "one, and one in two lines: it is alone", BOUND_LOADS, 2},
        {"488b473c", "mov rax, [rdi+60]: as two loads", BOUND_LOADS, 2. / 3},
        {"488b050100000090", "mov rax, [rip+1]: each copy 8 bytes on, and never in two lines", BOUND_LOADS, 1. / 3},
        {"488b050400000090", "mov rax, [rip+4]: one in eight, which counts as three", BOUND_LOADS, (1 + 2. / 8) / 3},
        {"0f1005010000000f1f00", "movups xmm0, [rip+1]: 10 bytes on, 7 of 32", BOUND_LOADS, (1 + 2. * 7 / 32) / 2},
        {"488905040000006690", "mov [rip+4], rax: 9 bytes on, 7 of 32 in two parts", BOUND_STORES,
         (1 + 1.5 * 7 / 32) / 2},
    };
    check(state, rows, sizeof rows / sizeof *rows);
}

// Loops as a Zen 4 takes them: 1.335, 2.00, 1.00, 1.50, 1.50, 2.50, 3.49, 2.00 and 1.50 cycles.
static void fields_of_groups(void **state) {
    static const struct row rows[] = {
        {"4883ff084883ec1848c7c4000034024983ef0175eb", "cmp, sub rsp, mov rsp; sub, jne: nine fields", BOUND_DISPATCH,
         4. / 3},
        {"4883ff084883ec1848c7c4000034024883ff084883ec1848c7c4000034024983ef0175dc",
         "two copies: the first ends a group with eight, and so does the second with the jump", BOUND_DISPATCH, 2},
        {"4883ff084883ec1848c7c40000340249ffcf75ec", "dec, jne: eight", BOUND_DISPATCH, 1},
        {"49b8efcdab89674523014883ec1848c7c4000034024983ef0175e5", "an immediate of 64 bits is two", BOUND_DISPATCH,
         3. / 2},
        {"4883ff084883ff084883ec1848c7c4000034024983ef0175e7", "a copy of eight", BOUND_DISPATCH, 3. / 2},
        {"4883ff084883ff084883ec1848c7c4000034024883ff084883ff084883ec1848c7c4000034024983ef0175d4", "two",
         BOUND_DISPATCH, 5. / 2},
        {"4883ff084883ff084883ec1848c7c4000034024883ff084883ff084883ec1848c7c4000034024883ff084883ff084883ec1848c7c4000"
         "034"
         "024983ef0175c1",
         "three", BOUND_DISPATCH, 7. / 2},
        {"534883ec184d89c84d89c84d89c84d89c848c7c4000034024983ef0175e2", "push, sub rsp, four mov, mov rsp",
         BOUND_DISPATCH, 2},
        {"534d89c84883ec184d89c84d89c84d89c848c7c4000034024983ef0175e2", "a mov before sub", BOUND_DISPATCH, 3. / 2},
        {"4883ff084883ff084883ff084883ff0848c7c400003402", "no sub: fields are no limit", BOUND_DISPATCH, 5. / 6},
    };
    check(state, rows, sizeof rows / sizeof *rows);
}

// As a Zen 4 takes them: 2.00, 1.51, 3.00, 3.00, 1.02, 0.86 and 1.00 cycles.
static void pipes_of_groups(void **state) {
    static const struct row rows[] = {
        {"c4c37bf0c401c4c37bf0cc01c4c37bf0d401c4c218f2ddc4c218f2f5c4c218f2fd", "three rorx, three andn", BOUND_DISPATCH,
         2},
        {"c4c37bf0c401c4c218f2cdc4c37bf0d401c4c218f2ddc4c37bf0f401c4c218f2fd", "by turns: as by pipes alone",
         BOUND_PORTS, 3. / 2},
        {"c4c37bf0c401c4c37bf0cc01c4c37bf0d401c4c37bf0dc01c4c37bf0f401c4c218f2fdc44218f2c5c44218f2cd",
         "five rorx, three andn", BOUND_DISPATCH, 3},
        {"c4c37bf0c401c4c37bf0cc01c4c37bf0d401c4c37bf0dc01c4c218f2f5c4c218f2fdc44218f2c5c44218f2cdc44218f2d5c44218f2dd",
         "four rorx, six andn", BOUND_DISPATCH, 3},
        {"416bc403c4c218f2cdc4c218f2d5c4c218f2dd", "imul, three andn: one for each pipe", BOUND_PORTS, 1},
        {"89d889d889d889d8416bc403", "four mov that no pipe executes, and imul", BOUND_DISPATCH, 5. / 6},
        {"c4c37bf0dc014b8d742c07", "rorx, lea of three parts: three operations, a group", BOUND_DISPATCH, 1},
    };
    check(state, rows, sizeof rows / sizeof *rows);
}

static void chains_by_addresses(void **state) {
    static const struct row rows[] = {
        {"488b0403", "mov rax, [rbx + rax]", BOUND_LATENCY, 4},
        {"488b4040", "mov rax, [rax + 64]", BOUND_LATENCY, 4},
        {"488b04c3", "mov rax, [rbx + 8*rax]: its index is scaled", BOUND_LATENCY, 5},
        {"480304c3", "add rax, [rbx + 8*rax]", BOUND_LATENCY, 6},
        {"488b440340", "mov rax, [rbx + rax + 64]: three parts", BOUND_LATENCY, 4.5},
        {"488b44c340", "mov rax, [rbx + 8*rax + 64]: the scaled index alone counts", BOUND_LATENCY, 5},
        {"0fb6c30fb6d8", "movzx eax, bl; movzx ebx, al: executed", BOUND_LATENCY, 2},
    };
    check(state, rows, sizeof rows / sizeof *rows);
}

static void lines(void **state) {
    static const struct {
        const char *hex, *what;
        double cycles;
    } cases[] = {
        {"89d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d84983e"
         "f0175c6",
         "27 slots: three lines", 3},
        {"89d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d889d84"
         "983ef0175c4",
         "28 slots: four lines, and a cycle more", 5},
        {"62a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a1"
         "7d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40efc062a17d40"
         "efc062a17d40efc062a17d40efc062a17d40efc04983ef017582",
         "windows of eleven and ten slots: the first alone waits for its second line", 3},
        {"0f1f80000000000f1f80000000000f1f80000000000f1f80000000000f1f80000000000f1f80000000000f1f80000000000f1f8000000"
         "000"
         "89d889d84983ef0175be",
         "a branch behind the window is in the line of what it is fused with", 1},
        {"89d889d889d889d8b905000000b905000000b905000000b9050000004983ef0175de",
         "nine slots, four immediates of four bytes and two fields of one", 2},
        {"89d889d889d889d8488b4b08488b4b08488b4b08488b4b084983ef0175e2", "nine slots, six fields of one byte", 1},
        {"89d889d8488b4b08488b4b08488b4b08488b4b08488b4b0889d84983ef0175e0", "and seven of them", 2},
        {"837c240805837c240805837c24080589d889d889d889d84983ef0175e3", "eight slots, eight fields of one byte", 1},
        {"837c240805837c240805837c2408054183c20789d889d889d84983ef0175e1", "and nine of them", 2},
        {"b905000000b905000000b905000000b90500000089d889d889d84983ef0175e0", "eight slots, four long ones", 1},
        {"b905000000b905000000b905000000b905000000b90500000089d889d84983ef0175dd", "and five of them", 2},
        {"89d889d889d889d84183c0014183c0014183c0014183c0014983ef0175e2", "four of add r8d, 1: signed bytes", 1},
        {"89d889d889d889d841f6c00441f6c00441f6c00441f6c0044983ef0175e2",
         "four of test r8b, 4: unsigned ones hold as much as long ones", 2},
        {"b905000000b905000000b905000000b905000000b905000000b9050000004983ef0175d6",
         "seven slots, six immediates of four bytes and two fields of one", 1},
        {"eb004983ef0175f8", "jmp to what is behind it, and the loop's branch", 2},
        {"eb00eb00eb004983ef0175f4", "three of these", 4},
        {"89d889d889d8eb0089d889d889d84983ef0175ec", "three moves before it, and three behind", 2},
        {"89d889d889d889d889d889d889d889d889d889d8eb004983ef0175e4", "eleven slots before what it leads to: two lines",
         3},
        {"89d889d889d889d889d889d889d889d889d889d8eb0089d889d889d889d889d889d889d889d889d889d8eb004983ef0175ce",
         "and once more", 5},
        {"4839c074004983ef0175f5", "cmp; je that may not be taken: one line", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bounds bounds =
            testing_bounds(*state, cases[i].hex, (struct bounds_request){.registers = BOUNDS_APART, .is_loop = true});
        print_message("%s: %.4f\n", cases[i].what, bounds.cycles[BOUND_CACHE]);
        assert_true(fabs(bounds.cycles[BOUND_CACHE] - cases[i].cycles) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups),
                                       cmocka_unit_test(accesses),
                                       cmocka_unit_test(fields_of_groups),
                                       cmocka_unit_test(pipes_of_groups),
                                       cmocka_unit_test(chains_by_addresses),
                                       cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, open_file, testing_cpu_file_close);
}
