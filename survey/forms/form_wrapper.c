#include "survey/forms/form_wrapper.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

// x87. The stack is full of ones, or has two free registers for forms that push. One stays one under nearly all of
// these instructions.
#define ONE_4 "fninit; fld1; fld1; fld1; fld1"
#define FULL ONE_4 "; fld1; fld1; fld1; fld1"
#define ROOM ONE_4 "; fld1; fld1"
// A number in the range of all transcendental functions, and not round: log10(2) squared is 0.09.
#define ODD ONE_4 "; fldlg2; fmul %st(0), %st"
// Operands in memory: one, in each format.
#define ONE_F32 "; movl $0x3f800000, 64(%rsi)"
#define ONE_F64 "; movl $0, 64(%rsi); movl $0x3ff00000, 68(%rsi)"
#define ONE_INT "; movl $1, 64(%rsi)"
#define PUSH_COPY "fld %st(0)"
#define POP "fstp %st(0)"

// x86-64. The first line that matches counts. Sources: Intel SDM, volume 1, chapters 6 (stack), 8 (x87), 13 (XSAVE);
// volume 2, the pages of the instructions.
static const struct form_wrapper x86[] = {
    // The stack pointer: moved back once for eight copies.
    {.opcodes = "PUSH64r", .last = "leaq 64(%rsp), %rsp", .copies = 8, .load = "popq"},
    {.opcodes = "PUSH16r", .last = "leaq 16(%rsp), %rsp", .copies = 8, .load = "popw"},
    {.opcodes = "PUSH64i8 PUSH64i32 PUSH64rmm PUSHF64 PUSHFS64 PUSHGS64", .last = "leaq 64(%rsp), %rsp", .copies = 8},
    {.opcodes = "PUSH16i8 PUSH16i PUSH16rmm PUSHF16 PUSHFS16 PUSHGS16", .last = "leaq 16(%rsp), %rsp", .copies = 8},
    {.opcodes = "POP64r POP64rmm", .first = "leaq -64(%rsp), %rsp", .copies = 8},
    {.opcodes = "POP16r POP16rmm", .first = "leaq -16(%rsp), %rsp", .copies = 8},
    {.opcodes = "POPF64", .before = "pushfq"},
    {.opcodes = "POPF16", .before = "pushfw"},
    {.opcodes = "POPGS64", .before = "pushq %gs", .faults_alone = true},
    {.opcodes = "POPGS16", .before = "pushw %gs", .faults_alone = true},
    {.opcodes = "POPFS64 POPFS16 LFS* LSS*", .why_not = "it changes a segment of the thread, for all code behind it"},
    {.opcodes = "LGS* MOV16sm MOV16sr MOV32sr MOV64sr", .is_steady = true, .faults_alone = true},
    {.opcodes = "LEAVE64", .before = "pushq %rbp; movq %rsp, %rbp"},
    {.opcodes = "ENTER", .body = "enter $16, $0", .after = "leave", .implicit = "rbp"},
    // String instructions: addresses are set anew for each copy, which ends the dependences through them as well.
    {.opcodes = "MOVSB MOVSW MOVSL MOVSQ",
     .before = "movq {s:r64}, %rsi; movq {d:r64}, %rdi",
     .init = "s: memory + {from:8}, d: memory + {to:8}"},
    {.opcodes = "CMPSB CMPSW CMPSL CMPSQ",
     .before = "movq {s:r64}, %rsi; movq {d:r64}, %rdi",
     .init = "s: memory + {from:8}, d: memory + {to:8}"},
    {.opcodes = "STOSB STOSW STOSL STOSQ",
     .before = "movq {d:r64}, %rdi",
     .implicit = "rax",
     .init = "d: memory + {at:8}"},
    {.opcodes = "SCASB SCASW SCASL SCASQ",
     .before = "movq {d:r64}, %rdi",
     .implicit = "rax",
     .init = "d: memory + {at:8}"},
    {.opcodes = "LODSB LODSW LODSL LODSQ",
     .before = "movq {s:r64}, %rsi",
     .implicit = "rax",
     .init = "s: memory + {at:8}"},
    // With rep, eight of the elements.
    {.opcodes = "REP_MOVS?_64",
     .before = "movl $8, %ecx; movq {s:r64}, %rsi; movq {d:r64}, %rdi",
     .init = "s: memory + {from:64}, d: memory + {to:64}",
     .faults_alone = true},
    {.opcodes = "REP_STOS?_64",
     .before = "movl $8, %ecx; movq {d:r64}, %rdi",
     .implicit = "rax",
     .init = "d: memory + {at:64}",
     .faults_alone = true},
    {.opcodes = "REP_*_32", .why_not = "its addresses are shorter than a pointer"},
    {.opcodes = "XLAT", .implicit = "rax, rbx", .init = "rbx: memory", .chain = "rax", .is_steady = true},
    {.opcodes = "MOV*ao64 MOV*o64a", .why_not = "its address is a number in its bytes, and no memory is there"},
    {.opcodes = "MASKMOVDQU64 VMASKMOVDQU64 MMX_MASKMOVQ64",
     .implicit = "rdi",
     .init = "rdi: memory",
     .is_steady = true,
     .has_all_bits = true},
    // Modes: loaded with what they are.
    {.opcodes = "LDMXCSR VLDMXCSR",
     .setup = "stmxcsr 64(%rsi)",
     .is_steady = true,
     .is_fixed_place = true,
     .faults_alone = true},
    {.opcodes = "CLD STD", .is_steady = true},
    {.opcodes = "FXRSTOR FXRSTOR64",
     .setup = "fxsave 64(%rsi)",
     .is_steady = true,
     .is_fixed_place = true,
     .faults_alone = true},
    // x87, SSE and AVX: bits 0 to 2.
    {.opcodes = "XRSTOR XRSTOR64",
     .setup = "xsave 64(%rsi)",
     .implicit = "rax, rdx",
     .init = "rax: 7",
     .is_steady = true,
     .is_fixed_place = true,
     .faults_alone = true},
    {.opcodes = "XSAVE XSAVE64 XSAVEC XSAVEC64 XSAVEOPT XSAVEOPT64",
     .implicit = "rax, rdx",
     .init = "rax: 7",
     .is_steady = true,
     .is_fixed_place = true},
    {.opcodes = "XGETBV", .implicit = "rax, rcx, rdx", .is_steady = true, .faults_alone = true},
    {.opcodes = "MONITORX64rrr",
     .implicit = "rax, rcx, rdx",
     .init = "rax: memory",
     .is_steady = true,
     .faults_alone = true},
    {.opcodes = "CLZERO64r", .implicit = "rax", .init = "rax: memory", .is_steady = true},
    {.opcodes = "XRSTORS* LDTILECFG* TILERELEASE* TILEZERO* WRPKRU* WRFSBASE* WRGSBASE* STUI* CLUI* SENDUIPI* XSETBV*",
     .why_not = "it changes a state of the thread, for all code behind it"},
    {.opcodes = "MWAITX* UMWAIT* TPAUSE*", .why_not = "it waits for another thread or for time"},
    {.opcodes = "VMMCALL VMCALL", .why_not = "it calls the hypervisor, and may change any register"},
    {.opcodes = "INT INT3 INTO SYSCALL SYSENTER", .why_not = "it calls the operating system"},
    // Upper halves that are zero already; no MMX register in use.
    {.opcodes = "VZEROALL VZEROUPPER MMX_EMMS", .is_steady = true},
    // x87: what leaves its stack in place.
    {.opcodes = "FNOP WAIT FNCLEX FNINIT FINCSTP FDECSTP FNSTSW16r TST_F XAM_F",
     .setup = FULL,
     .implicit = "rax",
     .is_steady = true},
    {.opcodes = "FNSTSWm FNSTCW16m ST_F32m ST_F64m IST_F16m IST_F32m FCOM32m FCOM64m FICOM16m FICOM32m",
     .setup = FULL,
     .is_steady = true},
    {.opcodes = "FLDCW16m", .setup = FULL "; fnstcw 64(%rsi)", .is_steady = true, .is_fixed_place = true},
    {.opcodes = "FLDENVm", .setup = FULL "; fnstenv 64(%rsi)", .is_steady = true, .is_fixed_place = true},
    {.opcodes = "FSTENVm FSAVEm", .setup = FULL, .is_steady = true, .is_fixed_place = true},
    {.opcodes = "FRSTORm", .setup = FULL "; fnsave 64(%rsi)", .is_steady = true, .is_fixed_place = true},
    {.opcodes = "FXSAVE FXSAVE64", .setup = FULL, .is_steady = true, .is_fixed_place = true},
    {.opcodes = "COM_FST0r UCOM_Fr COM_FIr UCOM_FIr FFREE XCH_F", .setup = FULL, .is_steady = true},
    {.opcodes = "ST_Frr", .setup = FULL, .copies = 7, .first_register = 1},
    // What pushes, and what pops.
    {.opcodes = "LD_F* ILD_F*m FLDL2E FLDL2T FLDLG2 FLDLN2 FLDPI FBLDm", .setup = ROOM, .after = POP},
    {.opcodes = "ST_FP*m IST_FP*m ISTT_FP*m FBSTPm FCOMP32m FCOMP64m FICOMP16m FICOMP32m",
     .setup = ROOM,
     .before = PUSH_COPY},
    {.opcodes = "COMP_FST0r UCOM_FPr COM_FIPr UCOM_FIPr ST_FPrr", .setup = ROOM, .before = PUSH_COPY},
    {.opcodes = "FFREEP", .setup = ROOM, .body = "ffreep %st(0)", .before = PUSH_COPY},
    {.opcodes = "FCOMPP UCOM_FPPr", .setup = ROOM, .before = PUSH_COPY "; " PUSH_COPY},
    {.opcodes = "FPATAN FYL2X FYL2XP1", .setup = ODD, .before = PUSH_COPY "; " PUSH_COPY, .after = POP},
    {.opcodes = "FXTRACT FPTAN FSINCOS", .setup = ODD, .before = PUSH_COPY, .after = POP "; " POP},
    // Arithmetic on the top of the stack: plain copies wait for each other; with a copy of an operand in front, they do
    // not.
    {.opcodes = "*_FST0r CHS_F ABS_F SQRT_F FRNDINT CMOV*_F",
     .setup = ROOM,
     .before = PUSH_COPY,
     .after = POP,
     .implicit = "st0",
     .chain = "st0",
     .is_steady = true},
    {.opcodes = "FPREM FPREM1 FSCALE F2XM1 FSIN FCOS", .setup = ODD, .before = PUSH_COPY, .after = POP},
    {.opcodes = "ADD_F32m SUB_F32m SUBR_F32m MUL_F32m DIV_F32m DIVR_F32m",
     .setup = ROOM ONE_F32,
     .before = PUSH_COPY,
     .after = POP,
     .implicit = "st0",
     .chain = "st0",
     .is_steady = true,
     .is_fixed_place = true},
    {.opcodes = "ADD_F64m SUB_F64m SUBR_F64m MUL_F64m DIV_F64m DIVR_F64m",
     .setup = ROOM ONE_F64,
     .before = PUSH_COPY,
     .after = POP,
     .implicit = "st0",
     .chain = "st0",
     .is_steady = true,
     .is_fixed_place = true},
    {.opcodes = "ADD_FI*m SUB_FI*m SUBR_FI*m MUL_FI*m DIV_FI*m DIVR_FI*m",
     .setup = ROOM ONE_INT,
     .before = PUSH_COPY,
     .after = POP,
     .implicit = "st0",
     .chain = "st0",
     .is_steady = true,
     .is_fixed_place = true},
    // Arithmetic on other registers of the stack.
    {.opcodes = "*_FrST0", .setup = FULL, .copies = 7, .first_register = 1, .implicit = "st1", .chain = "st1"},
    {.opcodes = "*_FPrST0", .setup = ONE_4 "; fld1; fld1; fld1", .before = PUSH_COPY, .copies = 6, .first_register = 2},
};

static bool matches(const char *patterns, const char *opcode) {
    char pattern[32];
    for (size_t length; *patterns; patterns += length + (patterns[length] == ' ')) {
        length = strcspn(patterns, " ");
        if (length >= sizeof pattern)
            continue;
        memcpy(pattern, patterns, length);
        pattern[length] = 0;
        if (fnmatch(pattern, opcode, 0) == 0)
            return true;
    }
    return false;
}

const struct form_wrapper *form_wrapper_find(const struct isa *isa, const char *opcode) {
    for (size_t i = 0; strcmp(isa->name, "x86_64") == 0 && i < sizeof x86 / sizeof *x86; i++)
        if (matches(x86[i].opcodes, opcode))
            return &x86[i];
    return NULL;
}
