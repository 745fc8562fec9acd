// Forms as LLVM's tables give them: operands, and why an opcode is not a form of its own.
#include "analyzer/model/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static const struct backend *backend;
static struct backend_cpu *cpu;
static const struct form *forms;
static size_t n_forms;

static void open_forms(const char *triple, const char *name, const char *features) {
    struct fail fail = {0};
    const struct backend_options options = {
        .triple = triple,
        .cpu = name,
        .features = features,
        .output_syntax = -1,
        .without_model = true,
        .forms = true,
        .as_llvm_mca = true, // RISC-V's vectors without a vector type
    };
    backend = backend_load(&arena, NULL, &fail);
    assert_non_null(backend);
    cpu = backend->open(&arena, &options, &fail);
    assert_string_equal(fail.text, "");
    assert_true(backend->forms(cpu, &arena, &forms, &n_forms, &fail));
}

static void close_forms(void) {
    backend->close(cpu);
    arena_free(&arena);
}

static const struct form *find(const char *opcode) {
    for (size_t i = 0; i < n_forms; i++)
        if (strcmp(forms[i].opcode, opcode) == 0)
            return &forms[i];
    fail_msg("there is no %s", opcode);
    return NULL;
}

static size_t count(enum form_status status) {
    size_t n = 0;
    for (size_t i = 0; i < n_forms; i++)
        n += forms[i].status == status;
    return n;
}

static bool has_register(const uint16_t *registers, unsigned n, const char *name) {
    for (unsigned i = 0; i < n; i++)
        if (strcmp(backend->machine(cpu)->registers[registers[i]].name, name) == 0)
            return true;
    return false;
}

static void operands_of_x86(void **state) {
    (void)state;
    open_forms("x86_64-linux-gnu", "x86-64", "");

    const struct form *form = find("ADD64rr");
    assert_int_equal(form->status, FORM_USABLE);
    assert_int_equal(form->n_operands, 3);
    assert_true(form->operands[0].is_written && !form->operands[0].is_read);
    assert_true(form->operands[1].is_read && form->operands[1].tied == 0);
    assert_int_equal(form->operands[2].tied, -1);
    assert_string_equal(form->operands[2].class_name, "GR64");
    assert_true(has_register(form->operands[2].registers, form->operands[2].n_registers, "R15"));
    assert_true(has_register(form->implicit_writes, form->n_implicit_writes, "EFLAGS"));

    form = find("VADDPSYrm");
    assert_int_equal(form->n_operands, 3);
    assert_int_equal(form->operands[2].kind, FORM_MEMORY);
    assert_true(form->operands[2].is_read && !form->operands[2].is_written && form->may_load);
    assert_null(form->operands[2].class_name);
    assert_int_equal(form->operands[2].bytes, 32);
    assert_int_equal(find("VADDPSZ128rmb")->operands[2].bytes, 4); // broadcast
    assert_int_equal(find("LOCK_ADD64mr")->operands[0].bytes, 8);
    assert_int_equal(find("FXSAVE64")->operands[0].bytes, 0);

    form = find("VPGATHERDDYrm"); // its index is a vector
    assert_string_equal(form->text, "vpgatherdd\t%ymm1, 64(%rdi,%ymm2), %ymm0");

    form = find("MUL64r");
    assert_true(has_register(form->implicit_reads, form->n_implicit_reads, "RAX"));
    assert_true(has_register(form->implicit_writes, form->n_implicit_writes, "RDX"));
    assert_false(strstr(form->text, "rax") || strstr(form->text, "rdx")); // they would not be another operand

    assert_int_equal(find("CMOV64rr")->operands[3].kind, FORM_CONDITION);
    assert_int_equal(find("VADDPSZrrb")->operands[3].kind, FORM_ROUNDING);
    assert_int_equal(find("SHL64ri")->operands[2].kind, FORM_IMMEDIATE);
    close_forms();
}

static void what_is_left_out_of_x86(void **state) {
    (void)state;
    static const struct {
        const char *opcode;
        enum form_status status;
        const char *twin;
    } table[] = {
        {"COPY", FORM_PSEUDO, NULL},
        {"JMP_1", FORM_CONTROL_FLOW, NULL},
        {"RET64", FORM_CONTROL_FLOW, NULL},
        {"LOCK_PREFIX", FORM_PREFIX, NULL},
        {"AAA", FORM_NOT_DECODED, NULL}, // 32-bit mode alone has it
        {"ADD64rr_REV", FORM_TWIN, "ADD64rr"},
        {"ADD32ri", FORM_USABLE, NULL}, // with an immediate that ADD32ri8 has no
                                        // room for
        {"ADD32ri8", FORM_USABLE, NULL},
        {"VADDPSZ128rr", FORM_USABLE, NULL}, // with {evex} in front
        {"ADD_FrST0", FORM_USABLE, NULL},    // on another register than the top of the stack
        {"LOCK_ADD64mr", FORM_USABLE, NULL}, // that of another opcode behind a prefix
        {"LXADD64", FORM_USABLE, NULL},
        {"REP_MOVSB_64", FORM_USABLE, NULL},
        {"MOVSB", FORM_USABLE, NULL}, // addresses that are no tuple
        {"LODSQ", FORM_USABLE, NULL},
    };
    open_forms("x86_64-linux-gnu", "x86-64", "");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct form *form = find(table[i].opcode);
        if (form->status != table[i].status)
            fail_msg("%s: %s, not %s", form->opcode, form_status_name(form->status), form_status_name(table[i].status));
        assert_true(table[i].twin ? form->twin && strcmp(form->twin, table[i].twin) == 0 : !form->twin);
    }
    assert_true(count(FORM_USABLE) > 16000);
    close_forms();
}

// A mnemonic means all forms whose example has it, and no more.
static void patterns_are_also_of_mnemonics(void **state) {
    (void)state;
    static const char *const texts[] = {"addq"};
    struct form_patterns patterns = {0};
    struct fail fail = {0};
    size_t n_found = 0;
    open_forms("x86_64-linux-gnu", "x86-64", "");
    assert_true(form_patterns_open(&patterns, &arena, texts, 1, &fail));
    for (size_t i = 0; i < n_forms; i++) {
        bool is_found = form_patterns_match(&patterns, &forms[i]);
        n_found += is_found;
        assert_int_equal(is_found, forms[i].text && strncmp(forms[i].text, "addq\t", 5) == 0);
        assert_int_equal(is_found, form_has_mnemonic(&forms[i], "addq"));
    }
    assert_true(n_found >= 8); // with registers, memory, constants
    assert_string_equal(form_near_name(&arena, "add64RR", forms, n_forms), " (did you mean 'ADD64rr'?)");
    assert_string_equal(form_near_name(&arena, "completely-else", forms, n_forms), "");
    form_patterns_close(&patterns);
    close_forms();
}

// lea has a form for each kind of address; a pattern of the opcode means all of them.
static void addresses_of_lea(void **state) {
    (void)state;
    static const char *const texts[] = {"LEA64r"}, *const single[] = {"LEA64r-rip"};
    struct form_patterns all = {0}, one = {0};
    struct fail fail = {0};
    size_t n_all = 0, n_one = 0;
    open_forms("x86_64-linux-gnu", "x86-64", "");
    assert_true(form_patterns_open(&all, &arena, texts, 1, &fail));
    assert_true(form_patterns_open(&one, &arena, single, 1, &fail));
    for (size_t i = 0; i < n_forms; i++) {
        n_all += form_patterns_match(&all, &forms[i]);
        n_one += form_patterns_match(&one, &forms[i]);
        if (strcmp(forms[i].name, "LEA64r-base-scaled-disp") != 0)
            continue;
        assert_string_equal(forms[i].opcode, "LEA64r");
        assert_string_equal(forms[i].text, "leaq\t64(%rdi,%rdx,4), %rax");
        assert_int_equal(forms[i].operands[1].kind, FORM_ADDRESS);
        assert_false(forms[i].may_load);
    }
    assert_int_equal(n_all, 8);
    assert_int_equal(n_one, 1);
    form_patterns_close(&all);
    form_patterns_close(&one);
    close_forms();
}

static const struct form *find_name(const char *name) {
    for (size_t i = 0; i < n_forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

// Instructions of bytes have a form for each choice of high bytes, where no REX prefix is in the way.
static void high_bytes(void **state) {
    (void)state;
    static const char *const names[] = {"ADD8rr-high0", "ADD8rr-high2", "ADD8rr-high0-high2"};
    static const char *const texts[] = {"addb\t%cl, %ah", "addb\t%ch, %al", "addb\t%ch, %ah"};
    open_forms("x86_64-linux-gnu", "x86-64", "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct form *form = find_name(names[i]);
        assert_non_null(form);
        assert_int_equal(form->status, FORM_USABLE);
        assert_string_equal(form->opcode, "ADD8rr");
        assert_string_equal(form->text, texts[i]);
    }
    assert_non_null(find_name("MOVZX32rr8-high1"));
    assert_null(find_name("MOVZX64rr8-high1"));
    assert_null(find_name("DIV8r-high0"));
    close_forms();
}

// The first word of llvm-exegesis's text of the example is its opcode.
static void check_key(const struct form *form) {
    struct fail fail = {0};
    const char *const *keys;
    if (backend->exegesis_keys(cpu, &arena, form->bytes, form->n_bytes, &keys, &fail) != 1)
        fail_msg("%s: %s", form->opcode, fail.text);
    size_t length = strlen(form->opcode);
    assert_true(strncmp(keys[0], form->opcode, length) == 0 && (keys[0][length] == '\0' || keys[0][length] == ' '));
}

static void keys_of_exegesis(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *key;
    } table[] = {
        {"VADDPSYrr", "VADDPSYrr YMM0 YMM1 YMM2"},
        {"VADDPSYrm", "VADDPSYrm YMM0 YMM1 RDI i_0x1 %noreg i_0x40 %noreg"},
        {"ADD64rr", "ADD64rr RAX RAX RCX"},
        {"SHL64ri", "SHL64ri RCX RCX i_0x78"},
        {"CDQ", "CDQ"},
    };
    open_forms("x86_64-linux-gnu", "x86-64", "");
    const char *const *keys;
    struct fail fail = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct form *form = find(table[i].opcode);
        assert_int_equal(backend->exegesis_keys(cpu, &arena, form->bytes, form->n_bytes, &keys, &fail), 1);
        assert_string_equal(keys[0], table[i].key);
    }
    const uint8_t two[] = {0x48, 0x83, 0xc0, 0xff, 0x48, 0x01, 0xc8}; // add $-1, %rax; add %rcx, %rax
    assert_int_equal(backend->exegesis_keys(cpu, &arena, two, sizeof two, &keys, &fail), 2);
    assert_string_equal(keys[0], "ADD64ri8 RAX RAX i_0xffffffffffffffff");
    assert_string_equal(keys[1], "ADD64rr RAX RAX RCX");
    assert_int_equal(backend->exegesis_keys(cpu, &arena, two, 3, &keys, &fail), 0); // cut off
    assert_int_equal(fail.status, FAIL_INPUT);
    close_forms();
}

// x86's lock and rep: the decoder knows the instruction behind them.
static bool has_prefix(const struct form *form) {
    return strncmp(form->text, "lock ", 5) == 0 || strncmp(form->text, "rep ", 4) == 0;
}

// From bytes back to the form. LLVM has a few opcodes that nothing tells apart, OR32mi8Locked and LOCK_OR32mi8: of
// these it may be the other one. Returns whether it is.
static bool check_form(const struct form *form, const char *name) {
    if (name && strcmp(name, form->name) == 0)
        return false;
    const struct form *other = name ? find_name(name) : NULL;
    if (!other || other->n_bytes != form->n_bytes || memcmp(other->bytes, form->bytes, form->n_bytes) != 0)
        fail_msg("%s: %s is of form %s", form->name, form->text, name ? name : "none");
    return true;
}

// Every usable form's example is what it claims to be: its bytes decode to one instruction of that opcode.
static void examples_are_of_their_opcode(void **state) {
    static const struct {
        const char *triple, *cpu, *features;
        size_t least;
    } isas[] = {
        {"x86_64-linux-gnu", "x86-64", "", 16000},
        {"aarch64-linux-gnu", "generic", "+all", 6000},
        {"armv7-linux-gnueabihf", "generic", "+neon,+vfp4", 1500},
        {"riscv64-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c,+v", 800},
        {"mips-linux-gnu", "mips32r2", "", 180},
    };
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        open_forms(isas[i].triple, isas[i].cpu, isas[i].features);
        size_t n = 0, n_others = 0;
        for (size_t f = 0; f < n_forms; f++) {
            struct fail fail = {0};
            struct block block;
            if (forms[f].status != FORM_USABLE)
                continue;
            n++;
            if (!backend->describe_bytes(cpu, &arena, forms[f].bytes, forms[f].n_bytes, &block, &fail))
                fail_msg("%s: %s", forms[f].opcode, fail.text);
            assert_int_equal(block.n_insns, 1);
            n_others += check_form(&forms[f], block.insns[0].form);
            if (has_prefix(&forms[f]))
                continue;
            assert_string_equal(block.insns[0].opcode, forms[f].opcode);
            check_key(&forms[f]);
        }
        if (n < isas[i].least)
            fail_msg("%s: only %zu forms", isas[i].triple, n);
        if (n_others > 1)
            fail_msg("%s: %zu forms have the bytes of another one", isas[i].triple, n_others);
        close_forms();
    }
}

// Which form, where the operands decide: other registers and numbers than those of the examples.
static void operands_decide_the_form(void **state) {
    (void)state;
    static const struct {
        const char *text, *form; // null: none is like that
    } table[] = {
        {"addq %r9, (%r10,%r11,8)", "ADD64mr"},
        {"addb %bh, %dl", "ADD8rr-high2"},
        {"addb %bl, %dh", "ADD8rr-high0"},
        {"addb %sil, %dil", "ADD8rr"},
        {"addb %ch, 4(%rax,%rcx)", "ADD8mr-high1"}, // memory is one operand
        {"xchgb %ah, (%rbx)", "XCHG8rm-high0"},
        {"leaq (%rax), %rbx", "LEA64r-base"},
        {"leaq -1(%rax), %rbx", "LEA64r"},
        {"leaq (%rax,%rax), %rbx", "LEA64r-base-index"},
        {"leal 7(%rax,%r9), %ebx", "LEA64_32r-base-index-disp"},
        {"leaq (%rax,%rbp,8), %rbx", "LEA64r-base-scaled"},
        {"leaq 1(%rax,%rbp,2), %rbx", "LEA64r-base-scaled-disp"},
        {"leaq 0(,%rbp,8), %rbx", "LEA64r-scaled-disp"},
        {"leaq 4096(%rip), %rbx", "LEA64r-rip"},
        {"leaq 4096, %rbx", NULL},
        {"lock addq $1, (%r8)", "LOCK_ADD64mi8"},
        {"lock xaddl %ecx, (%rbx)", "LXADD32"},
        {"lock xaddb %dh, (%rbx)", "LXADD8-high0"},
        {"rep stosq", "REP_STOSQ_64"},
        {"rep movsb (%esi), (%edi)", "REP_MOVSB_32"},
        {"repe cmpsb", NULL},
        {"rep ret", "RET64"},
    };
    open_forms("x86_64-linux-gnu", "x86-64", "");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fail fail = {0};
        struct backend_source source;
        struct block block;
        assert_true(backend->describe_text(cpu, &arena, "test", table[i].text, &source, &fail));
        const struct insn *text = &source.blocks[0].insns[0];
        assert_true(backend->describe_bytes(cpu, &arena, text->bytes, text->n_bytes, &block, &fail));
        const char *forms_found[] = {text->form, block.insns[0].form};
        for (size_t k = 0; k < 2; k++)
            if (table[i].form ? !forms_found[k] || strcmp(forms_found[k], table[i].form) != 0 : forms_found[k] != NULL)
                fail_msg("%s, from %s: %s", table[i].text, k ? "bytes" : "text", forms_found[k]);
    }
    close_forms();
}

// LLVM's encoder of Arm code crashes on what such a CPU has and others have not.
static void a_cpu_without_arm_code_is_refused(void **state) {
    (void)state;
    struct fail fail = {0};
    const struct backend_options options = {.triple = "armv7-linux-gnueabihf", .cpu = "cortex-m7", .output_syntax = -1};
    backend = backend_load(&arena, NULL, &fail);
    cpu = backend ? backend->open(&arena, &options, &fail) : NULL;
    if (!cpu) {
        fail_msg("%s", fail.text);
        return;
    }
    assert_false(backend->forms(cpu, &arena, &forms, &n_forms, &fail));
    assert_non_null(strstr(fail.text, "'cortex-m7' executes Thumb code only"));
    close_forms();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_of_x86),
        cmocka_unit_test(patterns_are_also_of_mnemonics),
        cmocka_unit_test(addresses_of_lea),
        cmocka_unit_test(high_bytes),
        cmocka_unit_test(what_is_left_out_of_x86),
        cmocka_unit_test(keys_of_exegesis),
        cmocka_unit_test(examples_are_of_their_opcode),
        cmocka_unit_test(operands_decide_the_form),
        cmocka_unit_test(a_cpu_without_arm_code_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
