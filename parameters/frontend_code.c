#include "parameters/frontend_code.h"

const char *frontend_nop(struct session *session, unsigned length) {
    static const char *const nops[] = {
        "nop",
        "xchg ax, ax",
        "nop dword ptr [rax]",
        "{disp8} nop dword ptr [rax]",
        "{disp8} nop dword ptr [rax + rax]",
        "{disp8} nop word ptr [rax + rax]",
        "{disp32} nop dword ptr [rax]",
        "{disp32} nop dword ptr [rax + rax]",
        "{disp32} nop word ptr [rax + rax]",
    };
    enum { N_NOPS = sizeof nops / sizeof *nops };
    struct text line = {.arena = session->arena};
    for (unsigned i = N_NOPS; i < length; i++)
        text_addf(&line, "%s%s", i == N_NOPS ? ".byte " : ", ", i == N_NOPS ? "0x2e" : "0x66");
    text_addf(&line, "%s%s\n", line.length ? "\n" : "", nops[(length < N_NOPS ? length : N_NOPS) - 1]);
    return line.data;
}

void frontend_add_zeroing(struct text *body, unsigned length) {
    enum { SHORTEST = 3 };
    for (unsigned i = SHORTEST; i < length; i++)
        text_add(body, ".byte 0x2e\n");
    text_add(body, "xor {d:r8d}, {d}\n");
}
