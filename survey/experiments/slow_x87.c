// x87, whose set-up has the numbers.
#include "survey/experiments/slow_values.h"

#include "survey/experiments/experiment_text.h"

#include <string.h>

// The operand that stays is one and a little, log10(2) to the sixteenth, with many digits. So the other one, pi at
// first, keeps its size, or changes between two values.
#define NEARLY_ONE                                                                                                     \
    "fninit; fldlg2; fmul %st(0), %st; fmul %st(0), %st; fmul %st(0), %st; fmul %st(0), %st; fld1; faddp; "
#define NEARLY_ONE_F32 "; movl $0x3f800001, 64(%rsi)"
#define NEARLY_ONE_F64 "; movl $0x12345678, 64(%rsi); movl $0x3ff00000, 68(%rsi)"

// Roots of pi, side by side. A chain of roots comes to one.
static void add_root(const struct shape *shape, struct experiment_list *kernels) {
    struct form_wrapper odd = *shape->wrapper;
    struct shape slow = *shape;
    odd.setup = "fninit; fldpi";
    slow.wrapper = &odd;
    experiment_begin(&slow, (struct experiment_key){.kind = EXPERIMENT_AROUND, .has_slow_values = true, .copies = 1},
                     arena_printf(kernels->arena, "%s; %s; %s", odd.before, slow.body, odd.after), "", kernels);
}

void slow_x87_add(const struct shape *shape, struct experiment_list *kernels) {
    static const struct {
        const char *opcodes[2], *setup;
    } all[] = {{{"DIV_FST0r", "DIVR_FST0r"}, NEARLY_ONE "fldpi"},
               {{"DIV_FrST0", "DIVR_FrST0"}, NEARLY_ONE "fldpi; fxch %st(1)"},
               {{"DIV_F32m", "DIVR_F32m"}, "fninit; fldpi" NEARLY_ONE_F32},
               {{"DIV_F64m", "DIVR_F64m"}, "fninit; fldpi" NEARLY_ONE_F64}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *opcode = shape->form->opcode, *through = shape->wrapper->chain;
        if (!through || (strcmp(opcode, all[i].opcodes[0]) != 0 && strcmp(opcode, all[i].opcodes[1]) != 0))
            continue;
        struct form_wrapper odd = *shape->wrapper;
        struct shape slow = *shape;
        odd.setup = all[i].setup;
        slow.wrapper = &odd;
        const struct experiment_key key = {.kind = EXPERIMENT_PAIR,
                                           .has_slow_values = true,
                                           .source = through,
                                           .result = through,
                                           .way = "",
                                           .closing = EXPERIMENT_ALONE};
        struct kernel_text *kernel = experiment_begin(&slow, key, slow.body, "", kernels);
        for (unsigned k = 0; k < slow.n_ports; k++)
            if (slow.ports[k].is_address)
                kernel->init = arena_printf(kernels->arena, "%s: memory", slow.ports[k].role);
        kernel->chain = through;
    }
    if (strcmp(shape->form->opcode, "SQRT_F") == 0)
        add_root(shape, kernels);
}
