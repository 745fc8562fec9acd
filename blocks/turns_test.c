// Which register sets the number of a loop's turns, of each ISA; and loops whose turns nothing counts.
#include "blocks/turns.h"

#include "base/bytes.h"
#include "blocks/decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// General register i begins with 1000 * (i + 1).
static const char *find(struct arena *arena, const char *isa, const char *hex, const struct link *link,
                        struct block_turns *turns) {
    struct decoder decoder = {0};
    struct block block;
    struct fail fail = {0};
    uint64_t starts[TURNS_REGISTERS];
    for (unsigned i = 0; i < TURNS_REGISTERS; i++)
        starts[i] = UINT64_C(1000) * (i + 1);
    if (!decoder_open(&decoder, arena, isa_find(isa), NULL, &fail))
        skip(); // no LLVM, or one without this target
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(arena, n);
    assert_true(bytes_from_hex(hex, n, bytes));
    assert_true(decoder_decode(&decoder, arena, bytes, n, &block, &fail));
    assert_true(turns_is_loop(&block));
    const struct turns_request request = {isa_find(isa), decoder.machine, &block, starts, NULL, link};
    const char *why = turns_find(arena, &request, turns);
    decoder_close(&decoder);
    return why;
}

static void the_initial_value_gives_the_turns(void **state) {
    (void)state;
    static const struct {
        const char *isa, *hex;
        unsigned reg, bits;
        int64_t factor, addend;
        unsigned proof;
        int64_t proof_factor, proof_addend;
    } cases[] = {
        {"x86_64", "4883c7084839f775f7", 6, 64, 8, 8000, 7, 8, 8000},      // add rdi, 8; cmp rdi, rsi; jne
        {"x86_64", "ffc975fc", 1, 32, 1, 0, 1, 0, 0},                      // dec ecx; jne
        {"x86_64", "4883e90479fa", 1, 64, 4, -1, 1, 0, -1},                // sub rcx, 4; jns
        {"x86_64", "48ffc0483de803000072f5", 0, 64, -1, 1000, 0, 0, 1000}, // inc rax; cmp rax, 1000; jb
        {"x86_64", "488d50014889d04839f27ef4", 6, 64, 1, 999, 0, 1, 1000}, // lea rdx, [rax+1]; mov rax, rdx; cmp; jle
        {"x86_64", "4839f774064883c708ebf5", 6, 64, 8, 7992, 7, 8, 7992},  // cmp rdi, rsi; je out; add rdi, 8; jmp
        {"x86_64", "4883ee014883c7014839f772f3", 7, 64, -2, 7000, 7, -1, 7000}, // sub rsi, 1; add rdi, 1; cmp; jb
        {"x86_64", "488b064883c7084839f775f4", 7, 64, -8, 7000, 7, 0, 7000},    // rsi is an address, too
        // lea rdx, [r9+rax]; add rdx, 2; add rax, 2; cmp rdx, 1; jne: r9 counts only, and rax stays
        {"x86_64", "498d14014883c2024883c0024883fa0175ee", 9, 64, -2, -999, 0, 2, 1000},
        // mov rdx, [r8]; add rcx, rdx first: rdx is another value there
        {"x86_64", "498b104801d1498d14014883c2024883c0024883fa0175e8", 9, 64, -2, -999, 0, 2, 1000},
        // mov rcx, [r9] first: both are addresses, perhaps
        {"x86_64", "498b09498d14014883c2024883c0024883fa0175eb", 0, 64, -2, -9999, 0, 0, -9999},
        {"aarch64", "028440f81f0001ebc1ffff54", 1, 64, 8, 1000, 0, 8, 1000},   // ldr x2, [x0], #8; cmp x0, x1; b.ne
        {"aarch64", "63040071e1ffff54", 3, 32, 1, 0, 3, 0, 0},                 // subs w3, w3, #1; b.ne
        {"aarch64", "000400911f0001ebc3ffff54", 1, 64, 1, 1000, 0, 1, 1000},   // add x0, x0, #1; cmp x0, x1; b.lo
        {"aarch64", "840800d1e4ffffb5", 4, 64, 2, 0, 4, 0, 0},                 // sub x4, x4, #2; cbnz x4
        {"aarch64", "000cc13c1f0001ebc1ffff54", 1, 64, 16, 1000, 0, 16, 1000}, // ldr q0, [x0, #16]!; cmp x0, x1; b.ne
        {"riscv64", "13058500e31eb5fe", 11, 64, 8, 11000, 10, 8, 11000},       // addi a0, a0, 8; bne a0, a1
        {"riscv64", "9387f7ffe39e07fe", 15, 64, 1, 0, 15, 0, 0},               // addi a5, a5, -1; bnez a5
        {"riscv64", "13054500e36eb5fe", 11, 64, 4, 11000, 10, 4, 11000},       // addi a0, a0, 4; bltu a0, a1
        {"riscv64", "1b071700e34ef7fe", 15, 64, 1, 15000, 14, 1, 15000},       // addiw a4, a4, 1; blt a4, a5
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct block_turns turns;
        const char *why = find(&arena, cases[i].isa, cases[i].hex, NULL, &turns);
        if (why)
            fail_msg("%s %s: %s", cases[i].isa, cases[i].hex, why);
        if (turns.reg != cases[i].reg || turns.bits != cases[i].bits || turns.factor != cases[i].factor ||
            turns.addend != cases[i].addend || turns.proof != cases[i].proof ||
            turns.proof_factor != cases[i].proof_factor || turns.proof_addend != cases[i].proof_addend)
            fail_msg("%s %s: register %u of %u bits, %lld n + %lld; register %u ends with %lld n + %lld", cases[i].isa,
                     cases[i].hex, turns.reg, turns.bits, (long long)turns.factor, (long long)turns.addend, turns.proof,
                     (long long)turns.proof_factor, (long long)turns.proof_addend);
        arena_free(&arena);
    }
}

static void what_is_computed_counts_nothing(void **state) {
    (void)state;
    static const struct {
        const char *hex, *why;
    } cases[] = {
        {"a801740348ffc74839f775f4", "no register counts its turns"}, // it moves in some turns only
        {"488b3f4885ff75f8", "no register counts its turns"},         // mov rdi, [rdi]; test rdi, rdi; jne
        {"48ffc748ffc74839f772f5", ""},                               // twice in a turn: it does
        {"48ffcf4839f772f8", "no register counts its turns"},         // dec rdi; cmp rdi, rsi; jb: away from the end
        {"e8e2ffffff4883c7084839f775f2", "no register counts its turns, as far as is known of what `call"},
        {"ebfe", "nothing ends it"},
        // add rdi, 8; cmp rdi, rsi; jne; dec rcx; jne: two bounds
        {"4883c7084839f775f748ffc975f2", "no register counts its turns: `jne -9` goes back before its end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct block_turns turns;
        const char *why = find(&arena, "x86_64", cases[i].hex, NULL, &turns);
        assert_int_equal(turns.is_set, !*cases[i].why);
        if (strncmp(why ? why : "", cases[i].why, strlen(cases[i].why)) != 0 || (why && !*cases[i].why))
            fail_msg("%s: %s", cases[i].hex, why ? why : "it counts");
        arena_free(&arena);
    }
}

static void a_table_leads_where_its_entries_say(void **state) {
    (void)state;
    // jmp [8*rax]; imul rdx, rdx; add rdi, 1; cmp rdi, rsi; jne
    static const char hex[] = "ff24c500000000480fafd24883c7014839f775ec";
    static const struct {
        size_t targets[2], n;
        const char *why; // null: it counts
    } cases[] = {
        {{7, 20}, 2, NULL},                           // the second is the block's end
        {{7, 11}, 2, NULL},                           // not each turn multiplies
        {{7, 15}, 2, "no register counts its turns"}, // not each adds
        {{7, 0}, 2, "nothing ends it"},               // or compares
        {{0, 0}, 0, "no register counts its turns, as far as is known of where `jmp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct block_turns turns;
        const struct link_entry entries[] = {{.target = cases[i].targets[0]}, {.target = cases[i].targets[1]}};
        const struct link link = {.entries = entries, .n_entries = cases[i].n};
        const char *why = find(&arena, "x86_64", hex, &link, &turns);
        assert_int_equal(turns.is_set, !cases[i].why);
        if (cases[i].why ? !why || strncmp(why, cases[i].why, strlen(cases[i].why)) != 0 : why != NULL)
            fail_msg("case %zu: %s", i, why ? why : "it counts");
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_initial_value_gives_the_turns),
        cmocka_unit_test(what_is_computed_counts_nothing),
        cmocka_unit_test(a_table_leads_where_its_entries_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
