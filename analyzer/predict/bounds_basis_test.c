// Whose numbers the instructions of a block stand on.
#include "analyzer/predict/testing_cpu_file.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "cpu: 1\n"
                           "name: small\n"
                           "base: skylake\n"
                           "parameters:\n"
                           "  micro-fusion: 1\n"
                           "  macro-fusion: 1\n"
                           "  moves-eliminated: 1\n"
                           "  load-latency: {value: 5, trust: published}\n"
                           "  loads-per-cycle: 2\n"
                           "  dispatch-width: 4\n"
                           "forms:\n"
                           "  - {match: IMUL64rr, slots: 1, latency: 3, pipes: [SKLPort1], trust: measured}\n"
                           "  - {match: ADC64rr, slots: 1, latency-to: {RAX: 1}, pipes: [SKLPort06]}\n"
                           "  - {match: SBB64rr, slots: 1, latency-to: {RAX: 1, EFLAGS: 1}, pipes: [SKLPort06]}\n"
                           "  - {match: MOV64rm, slots: 1}\n"
                           "  - {match: MOV64mr, slots: 1, pipes: [SKLPort4]}\n"
                           "  - {match: CMP64rr, slots: 1, latency: 1, pipes: [SKLPort06]}\n"
                           "  - {match: MFENCE, serial: 58}\n"
                           "  - {match: CPUID, serial: 2}\n"
                           "  - {match: RDTSC, serial: 20}\n"
                           "  - {match: JCC_1, pipes: [SKLPort06]}\n";

static int open_file(void **state) {
    return testing_cpu_file_open(state, text);
}

static struct cpu_recipe *recipes_of(struct testing_cpu_file *file, const char *hex, struct block *block) {
    struct fail fail = {0};
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(&file->arena, n);
    bytes_from_digits(hex, 2 * n, bytes);
    assert_true(model_describe_bytes(&file->model, &file->arena, bytes, n, block, &fail));
    return cpu_recipes(&file->arena, file->model.own, block);
}

static void what_counts_is_of_the_file_or_of_its_base(void **state) {
    enum { SLOTS = 1 << CPU_COST_SLOTS, LATENCY = 1 << CPU_COST_LATENCY, PIPES = 1 << CPU_COST_PIPES };
    static const struct {
        const char *hex, *what;
        unsigned by_base; // a bit for each cost
    } cases[] = {
        {"480fafc3", "all of imul is stated", 0},
        {"4801c8", "nothing of add is", SLOTS | LATENCY | PIPES},
        {"4811d8", "of adc, the latency of its flags is not", LATENCY},
        {"4819d8", "of sbb, it is", 0},
        {"488b07", "a plain load's latency is a parameter's, and so is its rate", 0},
        {"488907", "a store has no result whose latency could be missing", 0},
        {"4889d8", "a move is eliminated by a parameter, and takes a slot", 0},
        {"90", "so does a nop", 0},
        {"0faef0", "of mfence, the time to the next one hides all else", 0},
        {"0fa2", "not of cpuid, whose pipes LLVM holds for longer", LATENCY | PIPES},
        {"0f31", "rdtsc has results besides", LATENCY},
        {"31c0", "that xor zeroes is LLVM's to say", LATENCY | PIPES},
    };
    struct testing_cpu_file *file = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct block block;
        const struct cpu_recipe *recipe = recipes_of(file, cases[i].hex, &block);
        unsigned by_base = 0;
        for (unsigned c = 0; c < CPU_N_COSTS; c++)
            by_base |= (unsigned)recipe->is_by_base[c] << c;
        print_message("%s: %s\n", cases[i].hex, cases[i].what);
        assert_int_equal(by_base, cases[i].by_base);
        assert_int_equal(cpu_recipe_needs_base(recipe), by_base != 0);
    }
}

// A jump that is fused has no slot of its own.
static void a_fused_jump_has_no_slot(void **state) {
    struct block block;
    const struct cpu_recipe *recipes = recipes_of(*state, "4839d875fb", &block); // cmp rax, rbx; jne
    assert_true(recipes[1].is_fused);
    assert_int_equal(bounds_basis_of(recipes, 2).n_by_base, 0);
    recipes = recipes_of(*state, "480fafc375fa", &block); // imul; jne
    assert_int_equal(bounds_basis_of(recipes, 2).n_by_base, 1);
}

static void refused_where_the_file_states_no_number(void **state) {
    struct testing_cpu_file *file = *state;
    struct fail fail = {0};
    struct block block, whole;
    const struct bounds_request of_add = {.cpu = file->model.own, .block = &block},
                                of_imul = {.cpu = file->model.own, .block = &whole};
    struct bounds bounds;
    recipes_of(file, "480fafc34801c8", &block);
    recipes_of(file, "480fafc3", &whole);
    assert_true(bounds_find(&of_add, &bounds, &fail));
    file->model.own->refuses_base = true;
    assert_false(bounds_find(&of_add, &bounds, &fail));
    print_message("%s\n", fail.text);
    assert_non_null(strstr(fail.text, "small states no slots, no latency, no pipes of instruction 2"));
    fail_clear(&fail);
    assert_true(bounds_find(&of_imul, &bounds, &fail));
    file->model.own->refuses_base = false;
}

static void doubts_are_counted(void **state) {
    struct block block;
    const struct cpu_recipe *recipes = recipes_of(*state, "d9e8a4ddd8", &block); // fld1; movsb; fstp st(0)
    const struct bounds_basis basis = bounds_basis_of(recipes, block.n_insns);
    assert_int_equal(basis.n_insns, 3);
    assert_int_equal(basis.n_doubtful[DOUBT_X87], 2);
    assert_int_equal(basis.n_doubtful[DOUBT_TIME], 1);
    recipes = recipes_of(*state, "480fafc348f7f1f20f5ec1", &block); // imul; div rcx; divsd xmm0, xmm1
    assert_int_equal(bounds_basis_of(recipes, 3).n_doubtful[DOUBT_X87], 0);
    assert_int_equal(bounds_basis_of(recipes, 3).n_doubtful[DOUBT_QUOTIENT], 1);
    recipes = recipes_of(*state, "f3a4f2ae48aba4", &block); // rep movsb; repne scasb; stosq; movsb
    assert_int_equal(bounds_basis_of(recipes, 4).n_doubtful[DOUBT_COUNT], 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counts_is_of_the_file_or_of_its_base),
        cmocka_unit_test(a_fused_jump_has_no_slot),
        cmocka_unit_test(refused_where_the_file_states_no_number),
        cmocka_unit_test(doubts_are_counted),
    };
    return cmocka_run_group_tests(tests, open_file, testing_cpu_file_close);
}
