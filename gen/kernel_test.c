#include "gen/kernel.h"

#include "base/file.h"
#include "base/text.h"
#include "gen/isa.h"
#include "gen/kernel_read.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD "isa: x86_64\nkernels:\n"

static const struct {
    unsigned source; // line of this file
    const char *yaml;
    unsigned line, column;
    const char *text; // begins with
} mistakes[] = {
    // YAML itself
    {__LINE__, "", 1, 1, "the file is empty"},
    {__LINE__, "isa: \"x86\n", 1, 7, "double-quoted scalar without closing quote"},
    {__LINE__, HEAD "  - name: a\n   body: nop\n", 4, 4, "did not find expected '-' indicator"},
    {__LINE__, "isa: x86_64\nisa: aarch64\n", 2, 1, "duplicate key"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n---\nisa: aarch64\n", 6, 1, "a second document starts here"},
    {__LINE__, HEAD "%x\xff\xff\n", 3, 3, "this text is not UTF-8"},
    {__LINE__, HEAD "%\xe0\x84\x8cwrit\n", 3, 2, "this text is not UTF-8"}, // longer than need be
    {__LINE__, HEAD "%\xe1\x84\x8cwrit\n", 3, 2, "a line that begins with '%' is a directive of YAML"},
    {__LINE__, HEAD "  - name: *a\n", 3, 12, "invalid alias"},
    // the file's keys
    {__LINE__, "- a\n", 1, 1,
     "a kernel file begins with 'isa: x86_64' or its like; a list below 'kernels:' has the kernels"},
    {__LINE__, "kernels: []\n", 1, 1, "a kernel file needs the key 'isa'"},
    {__LINE__, "isa: x86_64\n", 1, 1, "a kernel file needs the key 'kernels'"},
    {__LINE__, "isa: x86_64\nkernel: []\n", 2, 1, "unknown key 'kernel' in a kernel file (did you mean 'kernels'?)"},
    {__LINE__, "isa: x86_64\ncolour: red\n", 2, 1,
     "unknown key 'colour' in a kernel file, which may have: isa, syntax, requires, kernels"},
    {__LINE__, "isa: x86_46\nkernels: []\n", 1, 6, "unknown ISA 'x86_46' (did you mean 'x86_64'?)"},
    {__LINE__, "isa: vax\nkernels: []\n", 1, 6,
     "unknown ISA 'vax'; known are: x86_64, aarch64, armv7, mips, mipsel, riscv64"},
    {__LINE__, "isa: [x86_64]\nkernels: []\n", 1, 6, "'isa' must be a name, such as x86_64"},
    {__LINE__, "isa: x86_64\nsyntax: intl\nkernels: []\n", 2, 9,
     "unknown syntax 'intl' of x86_64 (did you mean 'intel'?)"},
    {__LINE__, "isa: aarch64\nsyntax: intel\nkernels: []\n", 2, 9, "aarch64 has one syntax only"},
    {__LINE__, "isa: x86_64\nrequires: [{a: b}]\nkernels: []\n", 2, 12, "expected a CPU feature, or a list of them"},
    {__LINE__, "isa: x86_64\nkernels: nop\n", 2, 10, "'kernels' must be a list: begin each kernel with '- name:'"},
    // a kernel's keys
    {__LINE__, HEAD "  - nop\n", 3, 5, "expected a kernel: keys with values"},
    {__LINE__, HEAD "  - body: nop\n", 3, 5, "a kernel needs the key 'name'"},
    {__LINE__, HEAD "  - name: a\n", 3, 5, "a kernel needs the key 'body'"},
    {__LINE__, HEAD "  - name: a\n    bodi: nop\n", 4, 5, "unknown key 'bodi' in a kernel (did you mean 'body'?)"},
    {__LINE__, HEAD "  - name: [a]\n    body: nop\n", 3, 11, "a kernel's name must be a text"},
    {__LINE__, HEAD "  - name: a b\n    body: nop\n", 3, 11, "the name 'a b' may hold letters"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    about: [b]\n", 5, 12, "'about' must be a text"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n  - name: a\n    body: nop\n", 5, 11, "the kernel 'a' is already at "},
    // the body
    {__LINE__, HEAD "  - name: a\n    body:\n", 4, 5, "the body must be assembly text"},
    {__LINE__, HEAD "  - name: a\n    body: '# nothing'\n", 4, 12, "the body holds no instruction"},
    {__LINE__, HEAD "  - name: é\n    body: nop\n", 3, 11, "the name 'é' may hold letters"},
    {__LINE__, HEAD "  - {name: a, about: é, body: 'inc {a:r46}'}\n", 3, 40,
     "unknown register class 'r46' of x86_64 (did you mean 'r64'"},
    {__LINE__, HEAD "  - name: a\n    body: vaddps {d:zzm}, {a:zmm}, {b:zmm}\n", 4, 21,
     "unknown register class 'zzm' of x86_64 (did you mean 'zmm'"},
    {__LINE__, HEAD "  - name: a\n    body: add {d:gpreg}, 1\n", 4, 18,
     "unknown register class 'gpreg' of x86_64; it has: r64, r32, "},
    {__LINE__, HEAD "  - name: a\n    body: 'add {acc:r64}, {ac}'\n", 4, 28,
     "unknown role 'ac' (did you mean 'acc'?): one mention of a role must state its class, {ac:class}"},
    {__LINE__, HEAD "  - name: a\n    body: |\n      inc {a:r64}\n      inc {q}\n", 6, 12,
     "unknown role 'q' (did you mean 'a'?): one mention"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:rspp}'\n", 4, 19, "unknown register class 'rspp' of x86_64"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:rsp}'\n", 4, 19, "register rsp is reserved for the program around"},
    {__LINE__, "isa: aarch64\nkernels:\n  - name: a\n    body: 'mov {d:fp}, x1'\n", 4, 19,
     "'fp' is another name of x29, or a part of it: write {d:x29}"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:rax}; inc {d:rcx}'\n", 4, 32, "role 'd' has class rax before"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {flags:r64}'\n", 4, 23, "'flags' is the name of the condition flags"},
    {__LINE__, HEAD "  - name: a\n    body: |\n\n      nop\n      # {d:x}\n      add rax, rbx; inc {d:v}\n", 8, 28,
     "unknown register class 'v' of x86_64"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:}'\n", 4, 16, "expected {role:class}"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {:r64}'\n", 4, 16, "expected {role:class}"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64 }'\n", 4, 16, "expected {role:class}"},
    {__LINE__, HEAD "  - name: a\n    body: 'add {d:r64}, {d:xmm}'\n", 4, 28, "role 'd' has class r64 before"},
    {__LINE__, HEAD "  - name: a\n    body: |\n      nop\n      again: nop\n", 6, 7,
     "the body is copied, so its labels"},
    // places in memory
    {__LINE__, HEAD "  - name: a\n    body: 'mov [{p:r64} + {at:0}], 1'\n", 4, 31,
     "expected {place:bytes}, of 1 to 4096"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov [{p:r64} + {at:5000}], 1'\n", 4, 31,
     "expected {place:bytes}, of 1 to"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov [{p:r64} + {at:8,}], 1'\n", 4, 31, "expected {place:bytes}, of 1 to"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov [{p:r64} + {at:8x}], 1'\n", 4, 31, "expected {place:bytes}, of 1 to"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {x:r64}, [{p:r64} + {at:8}]; mov [{p} + {at:4}], 1'\n", 4, 60,
     "place 'at' had 8 bytes before: name a second place for accesses of another width"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {x:r64}, [{p:r64} + {x:8}]'\n", 4, 37,
     "this name already names a role"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {y:r64}, [{p:r64} + {x:8}]; mov {x:r64}, 1'\n", 4, 49,
     "this name already names a place in memory"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {y:r64}, [{p:r64} + {at}]'\n", 4, 37, "unknown role 'at'"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {y:r64}, [{p:r64}]'\n    init: {p: 'memory + at:8'}\n", 5, 16,
     "expected \"memory + {place:bytes}\""},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {y:r64}, [{p:r64}]'\n    init: {p: 'memory + {at:8} '}\n", 5, 16,
     "expected \"memory + {place:bytes}\""},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {y:r64}, [{p:r64}]'\n    init: {p: 'memory + {at:8,}'}\n", 5, 16,
     "expected {place:bytes}, of 1 to 4096 bytes"},
    {__LINE__, HEAD "  - name: a\n    body: 'mov {y:r64}, [{p:rdi}]'\n    init: {p: 'memory + {at:8}'}\n", 5, 16,
     "role 'p' is one register for all streams: it cannot point to a place of each stream"},
    // the chain
    {__LINE__, HEAD "  - name: a\n    body: 'add {acc:r64}, 1'\n    chain: ac\n", 5, 12,
     "unknown role 'ac' in the body of 'a' (did you mean 'acc'?)"},
    {__LINE__, HEAD "  - name: a\n    body: 'add {d:r64}, {s:r64}'\n    chain: [d, d->src]\n", 5, 16,
     "unknown role 'src' in the body of 'a'"},
    {__LINE__, HEAD "  - name: a\n    body: 'movd {d:xmm}, {s:r32}'\n    chain: d->s\n", 5, 12,
     "chain 'd->s' cannot be closed: 'd' (xmm) and 's' (r32) are never the same register"},
    {__LINE__, HEAD "  - name: a\n    body: 'mul {s:r64}'\n    implicit: [rax, rdx]\n    chain: rax->rdx\n", 6, 12,
     "chain 'rax->rdx' cannot be closed: 'rax' (rax) and 'rdx' (rdx) are never the same register"},
    {__LINE__, HEAD "  - name: a\n    body: 'kmovw {k:k}, {r:k0}'\n    chain: k->r\n", 5, 12,
     "chain 'k->r' cannot be closed: 'k' (k) and 'r' (k0) are never the same register"},
    {__LINE__, HEAD "  - name: a\n    body: 'mul {s:r64}'\n    chain: rax\n", 5, 12,
     "register rax is not a role of 'a': write {x:rax} in the body, or list it under 'implicit'"},
    {__LINE__, "isa: armv7\nkernels:\n  - name: a\n    body: 'adcs {d:r}, {d}, {s:r}'\n    chain: flags\n", 5, 12,
     "there is no role 'flags': no instruction of armv7 counts a loop down without them"},
    {__LINE__, "isa: riscv64\nkernels:\n  - name: a\n    body: nop\n    implicit: [flags]\n", 5, 16,
     "there is no role 'flags': riscv64 has no condition flags"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    chain: {d: x}\n", 5, 12,
     "expected a role or an arc 'd->x', or a list of them"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    writes: q\n", 5, 13, "unknown role 'q' in the body of 'a'"},
    // initial values
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: {e: 1}\n", 5, 12,
     "unknown role 'e' in the body of 'a'"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: 3\n", 5, 11, "expected {role: value, ...}"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: {d: many}\n", 5, 15,
     "'many' is neither a number nor 'memory'"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: {d: }\n", 5, 12,
     "expected a number or 'memory' for role 'd'"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: {d: nan}\n", 5, 15, "'nan' is neither a number"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: {d: 1.5}\n", 5, 15,
     "role 'd' holds an integer, not 1.5"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r8}'\n    init: {d: 256}\n", 5, 15,
     "256 is not an integer of 8 bits"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r64}'\n    init: {d: i64 1}\n", 5, 15, "role 'd' is not a vector"},
    {__LINE__, HEAD "  - name: a\n    body: fchs\n    implicit: [st0]\n    init: {st0: 1}\n", 6, 17,
     "role 'st0' is part of a stack: let 'setup' fill it"},
    {__LINE__, HEAD "  - name: a\n    body: 'fadd {d:st}'\n", 4, 20, "registers of a stack have no names of their own"},
    {__LINE__, HEAD "  - name: a\n    body: 'sqrtps {d:xmm}, {d:xmm}'\n    init: {d: 1.5}\n", 5, 15,
     "say what the lanes of role 'd' are: f32 1.5, f64 1.5 or i8 to i64"},
    {__LINE__, HEAD "  - name: a\n    body: 'inc {d:r32}'\n    init: {d: memory}\n", 5, 15,
     "an address does not fit role 'd' of class r32"},
    {__LINE__, HEAD "  - name: a\n    body: push rax\n    implicit: [rsp]\n    init: {rsp: 8}\n", 6, 17,
     "register rsp is reserved for the program around the body, and keeps its value"},
    {__LINE__, HEAD "  - name: a\n    body: 'adc {d:r64}, {d}'\n    chain: flags\n    init: {flags: 0}\n", 6, 19,
     "flags take no initial value"},
    // the rest
    {__LINE__, HEAD "  - name: a\n    body: cpuid\n    implicit: [rax, rbxx]\n", 5, 21,
     "unknown register 'rbxx' of x86_64 (did you mean 'rbx'"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    expect: {znver4: {latencies: 4}}\n", 5, 23,
     "unknown key 'latencies' in an expectation (did you mean 'latency'?)"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    expect: {znver4: {latency: four}}\n", 5, 32,
     "expected a number, not 'four'"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    expect: {znver4: {latency: -1}}\n", 5, 32,
     "latency must be above zero cycles"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    expect: {znver4: 4}\n", 5, 22,
     "expected an expectation: keys with values"},
    {__LINE__, HEAD "  - name: a\n    body: nop\n    expect: [znver4]\n", 5, 13, "expected {cpu: {latency: cycles"},
};

static void mistakes_are_named_with_their_place(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct arena arena = {0};
        struct kernel_set set = {0};
        struct fail failure = {0};
        bool loaded = testing_load(&arena, mistakes[i].yaml, &set, &failure);
        if (loaded || failure.status != FAIL_INPUT || failure.line != mistakes[i].line ||
            failure.column != mistakes[i].column || !strstr(failure.file, "/cyclops-test-") ||
            !text_starts(failure.text, mistakes[i].text)) {
            print_error("%s:%u: expected %u:%u: %s\n    got %u:%u: %s\n", __FILE__, mistakes[i].source,
                        mistakes[i].line, mistakes[i].column, mistakes[i].text, failure.line, failure.column,
                        loaded ? "(no failure)" : failure.text);
            wrong++;
        }
        arena_free(&arena);
    }
    assert_int_equal(wrong, 0);
}

static void a_missing_file_is_a_failure(void **state) {
    (void)state;
    struct arena arena = {0};
    struct kernel_set set = {0};
    struct fail failure = {0};
    assert_false(kernel_read_file(&arena, "/nowhere/at/all.yaml", NULL, &set, &failure));
    assert_int_equal(set.n_kernels, 0);
    assert_int_not_equal(failure.status, FAIL_NONE);
    arena_free(&arena);
}

static const char everything[] = "isa: amd64\n"
                                 "syntax: att\n"
                                 "requires: avx512f\n"
                                 "kernels:\n"
                                 "  - name: fma-zmm-ps\n"
                                 "    about: all keys at once\n"
                                 "    body: |\n"
                                 "      # the work\n"
                                 "      vfmadd231ps {b:zmm}, {a:zmm}, {acc:zmm}{{m:k}}{z}; incq {n:r64}\n"
                                 "\n"
                                 "      1: nop   # nothing\n"
                                 "    chain: [acc, n -> n]\n"
                                 "    writes: [n]\n"
                                 "    init: {acc: 0.0, a: f32 1.5, b: i16 -2, n: memory, m: 0xff}\n"
                                 "    implicit: [rdx, AL]\n"
                                 "    requires: [avx512vl]\n"
                                 "    expect: {cascadelake: {latency: 4, rthroughput: 0.5}}\n";

static void all_keys_are_read(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *kernel = testing_kernel(&arena, everything);
    assert_string_equal(kernel->name, "fma-zmm-ps");
    assert_string_equal(kernel->about, "all keys at once");
    assert_ptr_equal(kernel->isa, isa_find("x86_64"));
    assert_string_equal(kernel->syntax, "att");
    assert_int_equal(kernel->line, 5);
    assert_int_equal(kernel->body_line, 9);
    assert_int_equal(kernel->n_lines, 3);
    assert_int_equal(kernel->lines[1], 9);
    assert_int_equal(kernel->lines[2], 11);
    assert_int_equal(kernel->n_instructions, 3);
    assert_int_equal(kernel->n_roles, 7);
    assert_int_equal(kernel->n_arcs, 2);
    assert_string_equal(kernel->roles[kernel->arcs[0].from].name, "acc");
    assert_int_equal(kernel->arcs[0].from, kernel->arcs[0].to);
    assert_string_equal(kernel->features[0], "avx512f");
    assert_string_equal(kernel->features[1], "avx512vl");
    assert_null(kernel->features[2]);
    assert_string_equal(kernel->roles[6].name, "AL");
    assert_true(kernel->roles[6].is_fixed && kernel->roles[6].index == 0);
    assert_int_equal(kernel->n_expectations, 1);
    assert_string_equal(kernel->expectations[0].cpu, "cascadelake");
    assert_true(kernel->expectations[0].latency == 4 && kernel->expectations[0].rthroughput == 0.5);
    arena_free(&arena);
}

static void initial_values_are_read(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct kernel *kernel = testing_kernel(&arena, everything);
    static const struct {
        const char *role;
        enum kernel_init init;
        double value;
        unsigned lane_bits;
        bool written;
    } expected[] = {{"b", INIT_INTEGER, -2, 16, false},
                    {"a", INIT_FLOAT, 1.5, 32, false},
                    {"acc", INIT_FLOAT, 0, 0, true},
                    {"m", INIT_INTEGER, 255, 0, false},
                    {"n", INIT_MEMORY, 0, 0, true}};
    for (unsigned i = 0; i < 5; i++) {
        const struct kernel_role *role = &kernel->roles[i];
        assert_string_equal(role->name, expected[i].role);
        assert_int_equal(role->init, expected[i].init);
        assert_true(role->value == expected[i].value);
        assert_int_equal(role->lane_bits, expected[i].lane_bits);
        assert_int_equal(role->written, expected[i].written);
    }
    arena_free(&arena);
}

static void an_unknown_kernel_gets_the_nearest_names(void **state) {
    (void)state;
    struct arena arena = {0};
    struct kernel_set set = {0};
    struct fail failure = {0};
    assert_true(testing_load(&arena, everything, &set, &failure));
    assert_non_null(kernel_find(&arena, &set, "fma-zmm-ps", &failure));
    assert_null(kernel_find(&arena, &set, "fma-zm-ps", &failure));
    assert_int_equal(failure.status, FAIL_INPUT);
    assert_non_null(strstr(failure.text, "there is no kernel 'fma-zm-ps' (did you mean 'fma-zmm-ps'?)"));
    failure = (struct fail){0};
    assert_null(kernel_find(&arena, &set, "vfadd-q", &failure));
    assert_non_null(strstr(failure.text, "there is no kernel 'vfadd-q' for x86_64; 'cyclops list kernels'"));
    arena_free(&arena);
}

static void write_kernel_file(const char *root, const char *folder, const char *name, const char *text) {
    char path[512];
    struct fail failure = {0};
    snprintf(path, sizeof path, "%s/%s", root, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    assert_true(file_write(path, text, strlen(text), &failure));
}

static void remove_folder(const char *root) {
    assert_int_equal(testing_run((const char *const[]){"rm", "-rf", root, NULL}), 0);
}

static void folders_are_read_by_isa(void **state) {
    (void)state;
    struct arena arena = {0};
    struct kernel_set x86 = {0}, all = {0}, none = {0};
    struct fail failure = {0};
    char root[] = "/tmp/cyclops-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    write_kernel_file(root, "x86_64", "b.yaml", HEAD "  - name: two\n    body: nop\n");
    write_kernel_file(root, "x86_64", "a.yaml", HEAD "  - name: nop\n    body: nop\n");
    write_kernel_file(root, "x86_64", "notes.txt", "not a kernel file");
    write_kernel_file(root, "aarch64", "a.yaml", "isa: aarch64\nkernels:\n  - name: nop\n    body: nop\n");
    assert_true(kernel_load_folder(&arena, root, "amd64", &x86, &failure));
    assert_int_equal(x86.n_kernels, 2);
    assert_string_equal(x86.kernels[0].name, "nop");
    assert_true(kernel_load_folder(&arena, root, NULL, &all, &failure));
    assert_int_equal(all.n_kernels, 3);
    assert_false(kernel_load_folder(&arena, "/nowhere", NULL, &none, &failure));
    assert_non_null(strstr(failure.text, "there is no kernel file in /nowhere/"));
    failure = (struct fail){0};
    write_kernel_file(root, "aarch64", "b.yaml", HEAD "  - name: lost\n    body: nop\n");
    assert_true(kernel_load_folder(&arena, root, "aarch64", &none, &failure));
    assert_int_equal(none.n_kernels, 1);
    assert_int_equal(none.n_refused, 1);
    assert_non_null(strstr(none.refused[0].text, "this file is for x86_64"));
    remove_folder(root);
    arena_free(&arena);
}

static void a_bad_file_costs_its_own_kernels(void **state) {
    (void)state;
    struct arena arena = {0};
    struct kernel_set set = {0};
    struct fail failure = {0};
    char root[] = "/tmp/cyclops-test-XXXXXX";
    assert_non_null(mkdtemp(root));
    write_kernel_file(root, "x86_64", "a.yaml", HEAD "  - name: good\n    body: nop\n  - name: bad\n    boddy: nop\n");
    write_kernel_file(root, "x86_64", "b.yaml", HEAD "  - name: two\n    body: nop\n");
    write_kernel_file(root, "x86_64", "c.yaml", "isa: [\n");
    write_kernel_file(root, "x86_64", "d.yaml", HEAD "  - name: four\n    body: nop\n");
    assert_true(kernel_load_folder(&arena, root, "x86_64", &set, &failure));
    assert_int_equal(set.n_kernels, 2);
    assert_string_equal(set.kernels[0].name, "two");
    assert_string_equal(set.kernels[1].name, "four");
    assert_int_equal(set.n_refused, 2);
    assert_non_null(strstr(set.refused[0].file, "/a.yaml"));
    assert_int_equal(set.refused[0].line, 6);
    assert_non_null(strstr(set.refused[1].file, "/c.yaml"));
    remove_folder(root);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(a_missing_file_is_a_failure),
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(initial_values_are_read),
        cmocka_unit_test(an_unknown_kernel_gets_the_nearest_names),
        cmocka_unit_test(folders_are_read_by_isa),
        cmocka_unit_test(a_bad_file_costs_its_own_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
