// Runs the programs of every ISA but this machine's own kind under qemu: that they end, keep what their ABI wants kept,
// compute what they should, and execute as many instructions as they say.
#include "base/file.h"
#include "base/text.h"
#include "gen/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// `start` is a program in CYCLOPS_QEMU that calls what the tables `calls` and `expected` say; its text explains them.
struct machine {
    const char *isa, *tools, *start, *start_option, *qemu, *cpu, *address; // `address`: directive for one
    const char *count;   // a block that adds one to the word 8 behind the middle, whatever other registers do
    const char *store32; // stores role v, a general register, 16 behind the middle p
};

static const struct machine machines[] = {
    {"aarch64", "aarch64-linux-gnu", "aarch64", NULL, "qemu-aarch64", "max", ".quad",
     "ldr x2, [x3, #8]; add x2, x2, #1; str x2, [x30, #8]; fmov d8, x2; mov x19, x2", "str {v:w}, [{p:x}, #16]"},
    {"armv7", "arm-linux-gnueabihf", "armv7", NULL, "qemu-arm", "cortex-a15", ".word",
     "ldr r3, [r4, #8]; add r3, r3, #1; str r3, [r14, #8]; vmov s16, r3; mov r5, r3; vmov d15, r5, r3",
     "str {v:r}, [{p:r}, #16]"},
    {"mips", "mips-linux-gnu", "mips", "--defsym=BIG=1", "qemu-mips", "74Kf", ".word",
     "lw $t0, 8($t1); addiu $t0, $t0, 1; sw $t0, 8($ra); mtc1 $t0, $f21; move $s0, $t0", "sw {v:r}, 16({p:r})"},
    {"mipsel", "mipsel-linux-gnu", "mips", NULL, "qemu-mipsel", "74Kf", ".word",
     "lw $t0, 8($t1); addiu $t0, $t0, 1; sw $t0, 8($ra); mtc1 $t0, $f20; move $s0, $t0", "sw {v:r}, 16({p:r})"},
    {"riscv64", "riscv64-linux-gnu", "riscv64", NULL, "qemu-riscv64", "rv64,v=true,vext_spec=v1.0", ".quad",
     "lw x5, 8(x6); addi x5, x5, 1; sw x5, 8(x1); fmv.d.x f8, x5; mv x9, x5", "sw {v:x}, 16({p:x})"},
};

// A run in the making.
struct qemu_run {
    struct arena arena;
    const struct machine *machine;
    struct text calls, expected;
    char folder[32];
};

static void start_run(struct qemu_run *run, const struct machine *machine) {
    *run = (struct qemu_run){.machine = machine, .folder = "/tmp/cyclops-test-XXXXXX"};
    const char *const tools[] = {arena_printf(&run->arena, "%s-as", machine->tools),
                                 arena_printf(&run->arena, "%s-ld", machine->tools), machine->qemu};
    for (unsigned i = 0; i < 3; i++)
        if (!testing_has_tool(tools[i])) {
            arena_free(&run->arena);
            skip();
        }
    run->calls.arena = run->expected.arena = &run->arena;
    text_add(&run->calls, "    .data\n    .balign 8\n    .globl calls, expected\ncalls:\n");
    text_add(&run->expected, "expected:\n");
    assert_non_null(mkdtemp(run->folder));
}

static void add_call(struct qemu_run *run, const struct program *program, unsigned iterations) {
    text_addf(&run->calls, "    %s %s, %u\n", run->machine->address, program->symbol, iterations);
}

static void add_expected(struct qemu_run *run, unsigned offset, uint64_t value) {
    text_addf(&run->expected, "    .word %u, 0x%08x\n", offset, (unsigned)value);
}

static const char *in_folder(struct qemu_run *run, const char *name) {
    return arena_printf(&run->arena, "%s/%s", run->folder, name);
}

static void assemble(struct qemu_run *run, const char *source, const char *option, const char *object) {
    const char *as = arena_printf(&run->arena, "%s-as", run->machine->tools);
    assert_int_equal(testing_run((const char *const[]){as, "-o", object, source, option, NULL}), 0);
}

static void link_programs(struct qemu_run *run, struct program *const *programs, size_t n_programs,
                          const char *executable) {
    const struct program **list = ARENA_ARRAY(&run->arena, const struct program *, n_programs);
    for (size_t i = 0; i < n_programs; i++)
        list[i] = programs[i];
    struct text out = {.arena = &run->arena};
    struct fail failure = {0};
    text_addf(&out, "    .text\n    .skip %d\n", PROGRAM_FRAME_DISTANCE); // frames, where the text may be written
    gen_emit(&run->arena, list, n_programs, &out);
    text_addf(&out, "%s    %s 0, 0\n%s    .word 1, 0\n", run->calls.data, run->machine->address, run->expected.data);
    const char *text = in_folder(run, "programs.s");
    assert_true(file_write(text, out.data, out.length, &failure));
    assemble(run, text, NULL, in_folder(run, "programs.o"));
    assemble(run, arena_printf(&run->arena, "%s/%s.s", CYCLOPS_QEMU, run->machine->start), run->machine->start_option,
             in_folder(run, "start.o"));
    const char *ld = arena_printf(&run->arena, "%s-ld", run->machine->tools);
    assert_int_equal(testing_run((const char *const[]){
                         ld, "-N", "-e", "_start", arena_printf(&run->arena, "-Tbss=%#x", TESTING_BLOCK_BUFFER), "-o",
                         executable, in_folder(run, "start.o"), in_folder(run, "programs.o"), NULL}),
                     0);
}

// `log`, if not null, becomes a line for each instruction executed.
static void execute(struct qemu_run *run, const char *executable, const char *log) {
    const struct machine *machine = run->machine;
    const char *command[16] = {machine->qemu, "-cpu", machine->cpu};
    size_t n = 3;
    // One instruction a block of translation, and each execution of a block is told.
    const char *const logging[] = {"-singlestep", "-d", "exec,nochain", "-D", log};
    for (size_t i = 0; log && i < 5; i++)
        command[n++] = logging[i];
    command[n] = executable;
    assert_int_equal(testing_run(command), 0);
}

static void end_run(struct qemu_run *run) {
    testing_run((const char *const[]){"rm", "-rf", run->folder, NULL});
    arena_free(&run->arena);
}

static void every_kernel_runs_to_its_end(void **state) {
    struct qemu_run run;
    start_run(&run, *state);
    struct testing_set all = {0};
    testing_expand_all(&all, run.machine->isa);
    for (size_t i = 0; i < all.n_programs; i++)
        add_call(&run, all.programs[i], 3);
    link_programs(&run, all.programs, all.n_programs, in_folder(&run, "start"));
    execute(&run, in_folder(&run, "start"), NULL);
    arena_free(&all.arena);
    end_run(&run);
}

static void add_counted(struct testing_set *all, const struct kernel *kernel, enum program_form form) {
    for (int mode = PROGRAM_LATENCY; mode <= PROGRAM_THROUGHPUT; mode++) {
        if (mode == PROGRAM_LATENCY ? !kernel->n_arcs : kernel_shared_chain(kernel) != NULL)
            continue;
        struct gen_request request = {.mode = (enum program_mode)mode, .form = form, .unroll = 3};
        struct program *program = ARENA_NEW(&all->arena, struct program);
        struct fail failure = {0};
        if (!gen_expand(&all->arena, kernel, &request, program, &failure))
            fail_msg("%s", failure.text);
        all->programs = arena_grow(&all->arena, all->programs, all->n_programs, sizeof *all->programs);
        all->programs[all->n_programs++] = program;
    }
}

// Of the next call of `symbol` in a log of qemu's: "Trace 0: 0x7f… […/pc/…] symbol" a line.
static unsigned count_call(FILE *log, const char *symbol) {
    char line[512];
    unsigned n = 0;
    while (fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        const char *space = strrchr(line, ' ');
        bool is_there = strncmp(line, "Trace", 5) == 0 && space && strcmp(space + 1, symbol) == 0;
        n += is_there;
        if (n && !is_there && strncmp(line, "Trace", 5) == 0)
            break;
    }
    return n;
}

// What entry and exit execute cancels in the difference of two calls.
static void as_many_instructions_are_executed_as_promised(void **state) {
    struct qemu_run run;
    start_run(&run, *state);
    struct testing_set all = {0};
    struct fail failure = {0};
    enum { FEW = 2, MANY = 5 };
    assert_true(kernel_load_folder(&all.arena, CYCLOPS_KERNELS, run.machine->isa, &all.kernels, &failure));
    for (size_t i = 0; i < all.kernels.n_kernels; i++)
        for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++)
            add_counted(&all, &all.kernels.kernels[i], (enum program_form)form);
    for (size_t i = 0; i < all.n_programs; i++) {
        add_call(&run, all.programs[i], FEW);
        add_call(&run, all.programs[i], MANY);
    }
    link_programs(&run, all.programs, all.n_programs, in_folder(&run, "start"));
    if (!gen_assemble(&all.arena, all.programs, all.n_programs, &failure)) // for the counts that the bytes tell
        fail_msg("%s:%u: %s", failure.file, failure.line, failure.text);
    execute(&run, in_folder(&run, "start"), in_folder(&run, "log"));
    FILE *log = fopen(in_folder(&run, "log"), "re");
    assert_non_null(log);
    for (size_t i = 0; i < all.n_programs; i++) {
        const struct program *program = all.programs[i];
        unsigned few = count_call(log, program->symbol), many = count_call(log, program->symbol);
        unsigned promised = (MANY - FEW) * program_iteration_instructions(program);
        if (!few || many - few != promised)
            fail_msg("%s: %u and %u instructions; promised are %u more", program->symbol, few, many, promised);
    }
    fclose(log);
    arena_free(&all.arena);
    end_run(&run);
}

static void bodies_run_as_often_as_they_say(void **state) {
    for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
        struct qemu_run run;
        start_run(&run, *state);
        struct program program, *list[] = {&program};
        struct fail failure = {0};
        if (!testing_block(&run.arena, isa_find(run.machine->isa), NULL, "count", run.machine->count,
                           (enum program_form)form, &program, &failure))
            fail_msg("%s", failure.text);
        add_call(&run, &program, 10);
        add_expected(&run, 8, UINT64_C(10) * program.unroll);
        link_programs(&run, list, 1, in_folder(&run, "start"));
        execute(&run, in_folder(&run, "start"), NULL);
        end_run(&run);
    }
}

// Branches over an addition, forward and back, and the same in RISC-V's compressed form: what is counted is 2 a body.
static const struct branches {
    const char *isa, *text;
} branches[] = {
    {"aarch64", "ldr w2, [x3, #8]; b over; add w2, w2, #100; again: str w2, [x3, #8]; b end; over: add w2, w2, #2; "
                "b again; end: nop"},
    {"armv7", "ldr r3, [r4, #8]; b over; add r3, r3, #100; again: str r3, [r4, #8]; b end; over: add r3, r3, #2; "
              "b again; end: nop"},
    {"mips", "lw $t0, 8($t1); b over; nop; addiu $t0, $t0, 100; again: sw $t0, 8($t1); b end; nop; over: b again; "
             "addiu $t0, $t0, 2; end: nop"},
    {"riscv64", "lw x5, 8(x6); j over; addi x5, x5, 100; again: sw x5, 8(x6); beqz x0, end; over: addi x5, x5, 2; "
                "j again; end: nop"},
    {"riscv64", ".option push; .option rvc; lw x9, 8(x8); c.j over; addi x9, x9, 100; again: sw x9, 8(x8); li x10, 0; "
                "c.beqz x10, end; over: addi x9, x9, 2; c.li x10, 1; c.bnez x10, again; end: nop; .option pop"},
};

static void branches_in_blocks_arrive(void **state) {
    const struct machine *machine = *state;
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        struct qemu_run run;
        if (strcmp(branches[i].isa, isa_family(isa_find(machine->isa))) != 0)
            continue;
        start_run(&run, machine);
        struct program program, *list[] = {&program};
        struct fail failure = {0};
        if (!testing_block(&run.arena, isa_find(machine->isa), NULL, "jumps", branches[i].text, PROGRAM_UNROLLED,
                           &program, &failure) ||
            !gen_assemble(&run.arena, list, 1, &failure)) // its bytes are final
            fail_msg("%s", failure.text);
        add_call(&run, &program, 10);
        add_expected(&run, 8, UINT64_C(10) * 2 * program.unroll);
        link_programs(&run, list, 1, in_folder(&run, "start"));
        execute(&run, in_folder(&run, "start"), NULL);
        end_run(&run);
    }
}

// `body` stores at 16 behind the middle, once.
static void expect_words(const struct machine *machine, const char *body, const char *init, uint64_t low,
                         const uint64_t *high) {
    struct qemu_run run;
    start_run(&run, machine);
    struct program program, *list[] = {&program};
    struct fail failure = {0};
    struct gen_request request = {.mode = PROGRAM_BLOCK, .form = PROGRAM_LOOPED};
    const char *yaml = arena_printf(&run.arena, "isa: %s\nkernels:\n  - name: k\n    body: '%s'\n    init: {%s}\n",
                                    machine->isa, body, init);
    if (!gen_expand(&run.arena, testing_kernel(&run.arena, yaml), &request, &program, &failure))
        fail_msg("%s", failure.text);
    add_call(&run, &program, 1);
    add_expected(&run, 16, low);
    if (high)
        add_expected(&run, 20, *high);
    link_programs(&run, list, 1, in_folder(&run, "start"));
    execute(&run, in_folder(&run, "start"), NULL);
    end_run(&run);
}

static void initial_values_are_in_every_general_register(void **state) {
    const struct machine *machine = *state;
    expect_words(machine, machine->store32, "p: memory, v: 70000", 70000, NULL);
    expect_words(machine, machine->store32, "p: memory, v: 305419896", 0x12345678, NULL);
    expect_words(machine, machine->store32, "p: memory, v: -1", UINT32_MAX, NULL);
    expect_words(machine, machine->store32, "p: memory", 0, NULL);
}

// Two words of each: the low half and the high half, or the first two lanes, as they lie in memory.
static const struct lanes {
    const char *isa, *body, *init;
    uint64_t first, second;
} lanes[] = {
    {"aarch64", "str {a:x}, [{p:x}, #16]", "p: memory, a: -1", 0xffffffff, 0xffffffff},
    {"aarch64", "str {a:q}, [{p:x}, #16]", "p: memory, a: f32 1.5", 0x3fc00000, 0x3fc00000},
    {"aarch64", "str {a:q}, [{p:x}, #8]", "p: memory, a: f64 -2", 0, 0xc0000000},
    {"aarch64", "str {a:q}, [{p:x}, #16]", "p: memory, a: i8 -2", 0xfefefefe, 0xfefefefe},
    {"aarch64", "str {a:q}, [{p:x}, #16]", "p: memory, a: i16 3", 0x00030003, 0x00030003},
    {"aarch64", "ldr {a:x}, [{p:x}]; sub {a:x}, {a:x}, {p:x}; str {a:x}, [{p:x}, #16]", "p: memory", 0, 0},
    {"aarch64", "add {q:x}, {p:x}, 16; str {a:z}, [{q:x}]", "p: memory, a: f32 1.5", 0x3fc00000, 0x3fc00000},
    {"aarch64", "add {q:x}, {p:x}, 16; str {a:p}, [{q:x}]; str xzr, [{p:x}, #20]", "p: memory, a: 4660", 0x12341234, 0},
    {"armv7", "vst1.8 {{a:d}}, [{q:r}]", "q: memory", 0, 0},
    {"armv7", "add {q:r}, {p:r}, 16; vst1.8 {{a:d}}, [{q:r}]", "p: memory, a: f32 1.5", 0x3fc00000, 0x3fc00000},
    {"armv7", "add {q:r}, {p:r}, 8; vst1.64 {{a:q}}, [{q:r}]", "p: memory, a: i8 -2", 0xfefefefe, 0xfefefefe},
    {"armv7", "vstr {a:d}, [{p:r}, 16]", "p: memory, a: f64 -2", 0, 0xc0000000},
    {"armv7", "vstr {a:s}, [{p:r}, 16]", "p: memory, a: i16 3", 0x00030003, 0},
    {"mips", "sdc1 {a:d}, 16({p:r})", "p: memory, a: f64 -2", 0xc0000000, 0},
    {"mipsel", "sdc1 {a:d}, 16({p:r})", "p: memory, a: f64 -2", 0, 0xc0000000},
    {"mips", "swc1 {a:s}, 16({p:r})", "p: memory, a: f32 1.5", 0x3fc00000, 0},
    {"mips", "mfhi{a:hilo} {d:r}; mflo {e:r}; sw {d:r}, 16({p:r}); sw {e:r}, 20({p:r})", "p: memory, a: 4294967298", 1,
     2},
    {"mipsel", "mflo {d:r}, {a:ac}; mfhi {e:r}, {a:ac}; sw {d:r}, 16({p:r}); sw {e:r}, 20({p:r})",
     "p: memory, a: 4294967298", 2, 1},
    {"riscv64", "sd {a:x}, 16({p:x})", "p: memory, a: -1", 0xffffffff, 0xffffffff},
    {"riscv64", "fsd {a:d}, 16({p:x})", "p: memory, a: f64 -2", 0, 0xc0000000},
    {"riscv64", "fsd {a:s}, 16({p:x})", "p: memory, a: f32 1.5", 0x3fc00000, 0xffffffff},
    {"riscv64", "addi {q:x}, {p:x}, 16; vse16.v {a:v}, ({q:x})", "p: memory, a: i16 3", 0x00030003, 0x00030003},
};

static void initial_values_are_in_every_lane(void **state) {
    const struct machine *machine = *state;
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (strcmp(lanes[i].isa, machine->isa) == 0)
            expect_words(machine, lanes[i].body, lanes[i].init, lanes[i].first, &lanes[i].second);
}

// Flags that the set-up leaves as after a comparison of equals are so in every copy: each adds one where it finds them.
static void flags_survive_the_loop(void **state) {
    for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
        struct qemu_run run;
        const struct machine *machine = *state;
        if (strcmp(machine->isa, "aarch64") != 0)
            return; // the others have no flags, or count with them
        start_run(&run, machine);
        struct program program, *list[] = {&program};
        struct fail failure = {0};
        struct gen_request request = {.mode = PROGRAM_BLOCK, .form = (enum program_form)form};
        const char *yaml =
            "isa: aarch64\nkernels:\n  - name: k\n    body: 'cinc {n:x}, {n}, eq; str {n}, [{p:x}, #8]'\n"
            "    implicit: flags\n    init: {p: memory}\n";
        if (!gen_expand(&run.arena, testing_kernel(&run.arena, yaml), &request, &program, &failure))
            fail_msg("%s", failure.text);
        add_call(&run, &program, 10);
        add_expected(&run, 8, UINT64_C(10) * program.unroll);
        link_programs(&run, list, 1, in_folder(&run, "start"));
        execute(&run, in_folder(&run, "start"), NULL);
        end_run(&run);
    }
}

int main(void) {
    static const struct {
        const char *name;
        CMUnitTestFunction test;
    } subjects[] = {
        {"every kernel runs to its end", every_kernel_runs_to_its_end},
        {"as many instructions are executed as promised", as_many_instructions_are_executed_as_promised},
        {"bodies run as often as they say", bodies_run_as_often_as_they_say},
        {"branches in blocks arrive", branches_in_blocks_arrive},
        {"initial values are in every general register", initial_values_are_in_every_general_register},
        {"initial values are in every lane", initial_values_are_in_every_lane},
        {"flags survive the loop", flags_survive_the_loop},
    };
    enum {
        N_SUBJECTS = sizeof subjects / sizeof *subjects,
        N_TESTS = sizeof machines / sizeof *machines * N_SUBJECTS,
    };
    struct CMUnitTest tests[N_TESTS];
    char names[N_TESTS][80];
    for (size_t i = 0; i < N_TESTS; i++) {
        const struct machine *machine = &machines[i / N_SUBJECTS];
        snprintf(names[i], sizeof names[i], "%s: %s", machine->isa, subjects[i % N_SUBJECTS].name);
        tests[i] = (struct CMUnitTest){names[i], subjects[i % N_SUBJECTS].test, NULL, NULL, (void *)(uintptr_t)machine};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
