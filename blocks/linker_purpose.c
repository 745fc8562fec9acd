// What a reference of code is for, by its relocation and the instruction around it.
#include "blocks/linker.h"

static enum linker_purpose purpose_x86(const struct linker_use *use) {
    enum { CALL_NEAR = 0xe8, JUMP_NEAR = 0xe9, GROUP = 0xff, CALL_MEMORY = 0x15, JUMP_MEMORY = 0x25 };
    bool is_distance = use->type == R_X86_64_PC32 || use->type == R_X86_64_PLT32;
    bool by_word = use->type == R_X86_64_GOTPCREL || use->type == R_X86_64_GOTPCRELX;
    uint8_t last = use->offset >= 1 ? use->code[use->offset - 1] : 0;
    uint8_t before = use->offset >= 2 ? use->code[use->offset - 2] : 0;
    if (is_distance && !linker_precedes_distance(last))
        return last == CALL_NEAR ? LINKER_CALL : last == JUMP_NEAR ? LINKER_JUMP : LINKER_BRANCH;
    bool is_group = by_word && before == GROUP;
    return is_group && (last == CALL_MEMORY || last == JUMP_MEMORY) ? LINKER_CALL : LINKER_OPERAND;
}

enum linker_purpose linker_purpose_of(const struct linker_use *use) {
    static const struct {
        unsigned machine, type;
        enum linker_purpose purpose;
    } others[] = {
        {EM_AARCH64, R_AARCH64_CALL26, LINKER_CALL},     {EM_AARCH64, R_AARCH64_JUMP26, LINKER_JUMP},
        {EM_AARCH64, R_AARCH64_CONDBR19, LINKER_BRANCH}, {EM_AARCH64, R_AARCH64_TSTBR14, LINKER_BRANCH},
        {EM_RISCV, R_RISCV_CALL, LINKER_CALL},           {EM_RISCV, R_RISCV_CALL_PLT, LINKER_CALL},
        {EM_RISCV, R_RISCV_BRANCH, LINKER_BRANCH},       {EM_RISCV, R_RISCV_JAL, LINKER_BRANCH},
        {EM_RISCV, R_RISCV_RVC_BRANCH, LINKER_BRANCH},   {EM_RISCV, R_RISCV_RVC_JUMP, LINKER_BRANCH},
    };
    if (use->machine == EM_X86_64)
        return use->code ? purpose_x86(use) : LINKER_OPERAND;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].machine == use->machine && others[i].type == use->type)
            return others[i].purpose;
    return LINKER_OPERAND;
}
