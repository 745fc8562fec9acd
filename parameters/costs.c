// Costs that no width or window shows: the stack pointer, parts of registers and flags that are merged, old vector
// instructions among new ones, vectors that are split, and changes of a mode. Each is a time against another one.
#include "parameters/experiments.h"
#include "parameters/table.h"

#include <string.h>

// The cost is the time of `body` less that of `other`, over `parts`; without `other` only the time over `parts`.
struct cost {
    const char *name, *how, *body, *other;
    const char *feature, *setup, *init, *writes, *other_writes,
        *implicit; // other_writes: of `other`; null: as `writes`
    double parts;
    bool is_ratio;   // the cost is the time of `body` over that of `other`
    bool is_modeled; // a simulated CPU has something of it
};

static const struct cost of_x86_64[] = {
    {.name = "push-pop",
     .how = "a chain of a push and a pop of one register: a store and a load of the stack",
     .body = "push {a:r64}\npop {a}",
     .writes = "a",
     .parts = 1},
    {.name = "push",
     .how = "eight pushes and eight pops of other registers: time of a push and a pop",
     .body = "push {s:r64}\npush {s}\npush {s}\npush {s}\npush {s}\npush {s}\npush {s}\npush {s}\n"
             "pop {d0:r64}\npop {d1:r64}\npop {d2:r64}\npop {d3:r64}\npop {d0}\npop {d1}\npop {d2}\npop {d3}",
     .parts = 8},
    {.name = "stack-pointer-chain",
     .how = "a chain of a push and an addition to the stack pointer: 1 where what the push subtracts takes no time, "
            "else 2",
     .body = "push {s:r64}\nlea rsp, [rsp + 8]",
     .parts = 1},
    {.name = "call-return", .how = "a call and its return", .body = "call 1f\njmp 2f\n1: ret\n2:", .parts = 1},
    {.name = "merge-low-8",
     .how = "a write of the lowest 8 bits and a read of 32, in turn, against 32 and 32: the difference",
     .body = "add {a:r8}, {s:r8}\nadd {a:r32}, {s:r32}",
     .other = "add {a:r32}, {s:r32}\nadd {a}, {s}",
     .writes = "a",
     .parts = 1},
    {.name = "merge-16",
     .how = "a write of the lowest 16 bits and a read of 32, in turn, against 32 and 32: the difference",
     .body = "add {a:r16}, {s:r16}\nadd {a:r32}, {s:r32}",
     .other = "add {a:r32}, {s:r32}\nadd {a}, {s}",
     .writes = "a",
     .parts = 1},
    {.name = "merge-high-8",
     .how = "a write of bits 8 to 15 and a read of 32, in turn, against 32 and 32: the difference",
     .body = "add ah, 1\nadd eax, 1",
     .other = "add eax, 1\nadd eax, 1",
     .implicit = "rax",
     .parts = 1},
    {.name = "move-low-8",
     .how = "moves into the lowest 8 bits: 1 where each waits for the one before it, as it keeps the rest",
     .body = "mov {a:r8}, {s:r8}",
     .writes = "a",
     .parts = 1},
    {.name = "move-high-8",
     .how = "moves into bits 8 to 15: 1 where each waits for the one before it",
     .body = "mov ah, cl",
     .implicit = "rax, rcx",
     .parts = 1},
    {.name = "merge-flags",
     .how = "a read of flags of an add and an inc behind it, against those of the inc alone: the difference",
     .body = "add {d0:r64}, {s:r64}\ninc {d1:r64}\nseta {d2:r8}",
     .other = "add {d0:r64}, {s:r64}\ninc {d1:r64}\nsetne {d2:r8}",
     .parts = 1},
    {.name = "carry-through-inc",
     .how =
         "a chain through the carry flag of adc, with an inc between that keeps it, against adc alone: the difference",
     .body = "adc {a:r64}, {s:r64}\ninc {b:r64}",
     .other = "adc {a:r64}, {s:r64}",
     .writes = "a, b",
     .other_writes = "a",
     .parts = 1},
    {.name = "legacy-vector-chain",
     .how = "a chain of an addps among additions of 256 bits, against vaddps of 128 bits there: the difference",
     .body = "addps {x:xmm}, {t:xmm}\nvaddps {y:ymm}, {z:ymm}, {z}",
     .other = "vaddps {x:xmm}, {x}, {t:xmm}\nvaddps {y:ymm}, {z:ymm}, {z}",
     .feature = "avx",
     .writes = "x, y",
     .parts = 1},
    {.name = "legacy-vector-dependence",
     .how = "square roots by sqrtps among additions of 256 bits, against vsqrtps: what waiting for the "
            "destination costs",
     .body = "sqrtps {x:xmm}, {t:xmm}\nvaddps {y:ymm}, {z:ymm}, {z}",
     .other = "vsqrtps {x:xmm}, {t:xmm}\nvaddps {y:ymm}, {z:ymm}, {z}",
     .feature = "avx",
     .writes = "x, y",
     .parts = 1},
    {.name = "split-256-adds",
     .how = "vector adds of 256 bits against those of 128 bits: the ratio",
     .body = "vpaddd {v0:ymm}, {t:ymm}, {t}\nvpaddd {v1:ymm}, {t}, {t}\nvpaddd {v2:ymm}, {t}, {t}\n"
             "vpaddd {v3:ymm}, {t}, {t}\nvpaddd {v4:ymm}, {t}, {t}\nvpaddd {v5:ymm}, {t}, {t}",
     .other = "vpaddd {v0:xmm}, {t:xmm}, {t}\nvpaddd {v1:xmm}, {t}, {t}\nvpaddd {v2:xmm}, {t}, {t}\n"
              "vpaddd {v3:xmm}, {t}, {t}\nvpaddd {v4:xmm}, {t}, {t}\nvpaddd {v5:xmm}, {t}, {t}",
     .feature = "avx2",
     .parts = 1,
     .is_ratio = true,
     .is_modeled = true},
    {.name = "split-512-adds",
     .how = "vector adds of 512 bits against those of 256 bits: the ratio",
     .body = "vpaddd {v0:zmm}, {t:zmm}, {t}\nvpaddd {v1:zmm}, {t}, {t}\nvpaddd {v2:zmm}, {t}, {t}\n"
             "vpaddd {v3:zmm}, {t}, {t}\nvpaddd {v4:zmm}, {t}, {t}\nvpaddd {v5:zmm}, {t}, {t}",
     .other = "vpaddd {v0:ymm}, {t:ymm}, {t}\nvpaddd {v1:ymm}, {t}, {t}\nvpaddd {v2:ymm}, {t}, {t}\n"
              "vpaddd {v3:ymm}, {t}, {t}\nvpaddd {v4:ymm}, {t}, {t}\nvpaddd {v5:ymm}, {t}, {t}",
     .feature = "avx512f",
     .parts = 1,
     .is_ratio = true,
     .is_modeled = true},
    {.name = "split-512-multiplies",
     .how = "multiplies of 512 bits against those of 256 bits: the ratio",
     .body = "vmulps {v0:zmm}, {t:zmm}, {t}\nvmulps {v1:zmm}, {t}, {t}\nvmulps {v2:zmm}, {t}, {t}\n"
             "vmulps {v3:zmm}, {t}, {t}\nvmulps {v4:zmm}, {t}, {t}\nvmulps {v5:zmm}, {t}, {t}",
     .other = "vmulps {v0:ymm}, {t:ymm}, {t}\nvmulps {v1:ymm}, {t}, {t}\nvmulps {v2:ymm}, {t}, {t}\n"
              "vmulps {v3:ymm}, {t}, {t}\nvmulps {v4:ymm}, {t}, {t}\nvmulps {v5:ymm}, {t}, {t}",
     .feature = "avx512f",
     .parts = 1,
     .is_ratio = true,
     .is_modeled = true},
    {.name = "split-512-loads",
     .how = "loads of 512 bits against those of 256 bits: the ratio",
     .body = "vmovups {v0:zmm}, [{m:r64}]\nvmovups {v1:zmm}, [{m}]\nvmovups {v2:zmm}, [{m}]\nvmovups {v3:zmm}, [{m}]",
     .other = "vmovups {v0:ymm}, [{m:r64}]\nvmovups {v1:ymm}, [{m}]\nvmovups {v2:ymm}, [{m}]\nvmovups {v3:ymm}, [{m}]",
     .feature = "avx512f",
     .parts = 1,
     .is_ratio = true,
     .is_modeled = true},
    {.name = "split-512-stores",
     .how = "stores of 512 bits against those of 256 bits: the ratio",
     .body = "vmovups [{m:r64} + 64], {t:zmm}",
     .other = "vmovups [{m:r64} + 64], {t:ymm}",
     .feature = "avx512f",
     .parts = 1,
     .is_ratio = true,
     .is_modeled = true},
};

static const struct cost of_aarch64[] = {
    {.name = "push-pop",
     .how = "a chain of a push and a pop of one register: a store and a load of the stack",
     .body = "str {a:x}, [sp, #-16]!\nldr {a}, [sp], #16",
     .writes = "a",
     .parts = 1},
    {.name = "stack-pointer-chain",
     .how = "a chain of a push and an addition to the stack pointer: 2 where what the push subtracts takes a cycle",
     .body = "str {s:x}, [sp, #-16]!\nadd sp, sp, #16",
     .parts = 1},
    {.name = "address-update",
     .how = "a chain of loads that move their address afterwards: time of an update",
     .body = "ldr {d0:x}, [{a:x}], #8\nldr {d1:x}, [{a}], #-8",
     .writes = "a",
     .init = "a: memory",
     .parts = 2},
    {.name = "call-return",
     .how = "a call and its return",
     .body = "bl 1f\nb 2f\n1: ret\n2:",
     .implicit = "x30",
     .parts = 1},
    {.name = "shift-by-3",
     .how = "an add whose operand is shifted by 3, in a chain through it, against one that is not: the difference",
     .body = "add {a:x}, {s:x}, {a}, lsl #3",
     .other = "add {a:x}, {s:x}, {a}",
     .writes = "a",
     .parts = 1,
     .is_modeled = true},
    {.name = "shift-by-8",
     .how = "the same with a shift by 8",
     .body = "add {a:x}, {s:x}, {a}, lsl #8",
     .other = "add {a:x}, {s:x}, {a}",
     .writes = "a",
     .parts = 1,
     .is_modeled = true},
    {.name = "extended-operand",
     .how = "an add whose operand is sign-extended, in a chain through it, against one that is not: the difference",
     .body = "add {a:x}, {s:x}, {a:w}, sxtw",
     .other = "add {a:x}, {s:x}, {a}",
     .writes = "a",
     .parts = 1,
     .is_modeled = true},
    {.name = "multiply-add-chain",
     .how = "a chain through the sum of a multiply-add: 1 where the sum is needed late",
     .body = "madd {a:x}, {s:x}, {s}, {a}",
     .writes = "a",
     .parts = 1,
     .is_modeled = true},
    {.name = "float-multiply-add-chain",
     .how = "a chain through the sum of a vector multiply-add",
     .body = "fmla {x:v}.4s, {t:v}.4s, {t}.4s",
     .writes = "x",
     .parts = 1,
     .is_modeled = true},
    {.name = "lane-insert",
     .how = "writes of one lane of a vector register in a chain: each keeps the other lanes",
     .body = "mov {x:v}.s[1], {t:v}.s[0]",
     .writes = "x",
     .parts = 1,
     .is_modeled = true},
    {.name = "flags-merge",
     .how = "a conditional compare behind a compare, in a chain of flags: time of both",
     .body = "ccmp {s:x}, {r:x}, #0, eq\nccmp {s}, {r}, #4, ne",
     .implicit = "flags",
     .parts = 1,
     .is_modeled = true},
};

// By turns, and two and two: four changes and two, of the same instructions, each with a register of its own.
#define BY_TURNS " by turns, each behind what sets it, against two and two: cost of a change"
#define SWITCH(cost, what, a, b)                                                                                       \
    {                                                                                                                  \
        .name = (cost), .how = (what), .body = a("v0") b("v1") a("v2") b("v3"),                                        \
        .other = a("v0") a("v1") b("v2") b("v3"), .feature = "v", .setup = TYPE, .parts = 2                            \
    }
#define TYPE "vsetvli x31, x0, e32, m1, ta, ma"
#define ADD(v) "vadd.vv {" v ":v}, {t:v}, {t}\n"
#define ADD_TWO(v) "vsetvli {n0:x}, x0, e32, m2, ta, ma\nvadd.vv {" v ":vg2}, {s:vg2}, {s}\n"
#define ADD_32(v) "vsetvli {n0:x}, x0, e32, m1, ta, ma\n" ADD(v)
#define ADD_64(v) "vsetvli {n0:x}, x0, e64, m1, ta, ma\n" ADD(v)
#define ADD_KEEPING(v) "vsetvli {n0:x}, x0, e32, m1, tu, ma\n" ADD(v)
#define ADD_1(v) "vsetivli x0, 1, e32, m1, ta, ma\n" ADD(v)
#define ADD_2(v) "vsetivli x0, 2, e32, m1, ta, ma\n" ADD(v)
#define CONVERT(v) "vfcvt.x.f.v {" v ":v}, {t:v}\n"
#define CONVERT_TO_NEAREST(v) "fsrmi 0\n" CONVERT(v) // the mode of calls: it comes last
#define CONVERT_TO_ZERO(v) "fsrmi 1\n" CONVERT(v)

// A chain through an addition of groups: from a register of its result, on one register, to a register of its source.
// Of many links, so that a pipe which is taken for all of a group is free again.
#define AND(to, from) "vmand.mm " to ", " from ", " from "\n"
#define FOUR(to) AND(to, to) AND(to, to) AND(to, to) AND(to, to)
#define GROUP(from, to) "vadd.vv v8, v16, v24\n" AND(to, from) FOUR(to) FOUR(to) FOUR(to) FOUR(to)
#define PARTS(group, last_result, last_source)                                                                         \
    {.name = "result-parts-" group,                                                                                    \
     .how = "a chain from the last register of a vector addition's result (" group ") against one from the first: "    \
            "how much later the last one is there",                                                                    \
     .body = GROUP(last_result, "v16"),                                                                                \
     .other = GROUP("v8", "v16"),                                                                                      \
     .feature = "v",                                                                                                   \
     .setup = "vsetvli x31, x0, e32, " group ", ta, ma",                                                               \
     .parts = 1},                                                                                                      \
    {                                                                                                                  \
        .name = "source-parts-" group,                                                                                 \
        .how = "the same to the first register of its source against the last: how much later the last one may come",  \
        .body = GROUP("v8", "v16"), .other = GROUP("v8", last_source), .feature = "v",                                 \
        .setup = "vsetvli x31, x0, e32, " group ", ta, ma", .parts = 1                                                 \
    }

static const struct cost of_riscv64[] = {
    {.name = "vset",
     .how = "a vector addition behind a vsetvli that changes nothing, against one alone: the difference",
     .body = "vsetvli x0, x0, e32, m1, ta, ma\n" ADD("v0"),
     .other = ADD("v0"),
     .feature = "v",
     .setup = TYPE,
     .parts = 1},
    SWITCH("vset-element", "vector additions of 32 and of 64 bits" BY_TURNS, ADD_32, ADD_64),
    SWITCH("vset-group", "vector additions of one register and of two" BY_TURNS, ADD_32, ADD_TWO),
    SWITCH("vset-length", "vector additions of one element and of two" BY_TURNS, ADD_1, ADD_2),
    SWITCH("vset-policy", "vector additions whose tails may change and stay" BY_TURNS, ADD_32, ADD_KEEPING),
    {.name = "rounding-mode",
     .how = "a vector's conversion to integers behind a write of the rounding mode that is set, against one alone: the "
            "difference",
     .body = CONVERT_TO_NEAREST("v0"),
     .other = CONVERT("v0"),
     .feature = "v",
     .setup = TYPE,
     .parts = 1},
    PARTS("m2", "v9", "v17"),
    PARTS("m4", "v11", "v19"),
    PARTS("m8", "v15", "v23"),
    SWITCH("rounding-mode-switch", "conversions with two rounding modes" BY_TURNS, CONVERT_TO_ZERO, CONVERT_TO_NEAREST),
};

static const struct value *ask(struct session *session, const struct cost *cost, bool is_other) {
    const struct timing timing = {
        .name = arena_printf(session->arena, "cost.%s%s", cost->name, is_other ? ".other" : ""),
        .body = arena_printf(session->arena, "%s\n", is_other ? cost->other : cost->body),
        .feature = cost->feature,
        .setup = cost->setup,
        .init = cost->init,
        .writes = is_other && cost->other_writes ? cost->other_writes : cost->writes,
        .implicit = cost->implicit,
    };
    return session_value(session, &timing);
}

static void find_cost(struct session *session, const struct cost *cost) {
    const struct card_entry head = {
        .group = "costs", .name = cost->name, .unit = cost->is_ratio ? "times" : "cycles", .how = cost->how};
    static const double near = 0.03;
    if (session->is_bare && !cost->is_modeled) {
        card_add_unknown(&session->card, &head, "a simulated CPU has no such cost");
        return;
    }
    const struct value *a = ask(session, cost, false), *b = cost->other ? ask(session, cost, true) : a;
    if (!a || !b)
        return;
    const struct value found =
        cost->is_ratio ? value_ratio(a, b) : value_less(a, cost->other ? b : NULL, 1.0 / cost->parts);
    parameter_add(session, &head, &found, near, NULL);
}

void costs_find(struct session *session) {
    static const struct {
        const char *isa;
        const struct cost *costs;
        size_t n;
    } all[] = {{"x86_64", of_x86_64, sizeof of_x86_64 / sizeof *of_x86_64},
               {"aarch64", of_aarch64, sizeof of_aarch64 / sizeof *of_aarch64},
               {"riscv64", of_riscv64, sizeof of_riscv64 / sizeof *of_riscv64}};
    for (size_t isa = 0; isa < sizeof all / sizeof *all; isa++)
        for (size_t i = 0; i < all[isa].n && strcmp(all[isa].isa, session->recipe->isa) == 0; i++)
            find_cost(session, &all[isa].costs[i]);
}
