#include "analyzer/cpu/opcode.h"

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum how { PREFIX, MNEMONIC, STRING, WHOLE, WITHIN };

static const struct {
    enum how how;
    const char *text;
    uint32_t kinds;
} names[] = {
    {PREFIX, "NOOP", CPU_NOP},
    {PREFIX, "JCC", CPU_JUMPS},
    {PREFIX, "CMOV", CPU_SELECTS},
    {PREFIX, "SETCC", CPU_SELECTS},
    {PREFIX, "PUSH64", CPU_PUSHES},
    {PREFIX, "POP64", CPU_POPS},
    {PREFIX, "POP64r", CPU_LOADS_PLAINLY},
    {PREFIX, "MOV", CPU_LOADS_PLAINLY},
    {PREFIX, "LEA", CPU_LEA},
    {PREFIX, "IMUL", CPU_SPLITS_INDEXED},
    {PREFIX, "MOV64rr", CPU_MOVES_GENERAL},
    {PREFIX, "MOV32rr", CPU_MOVES_GENERAL},
    {PREFIX, "MOVZX32rr8", CPU_MOVES_GENERAL},
    {PREFIX, "MOVZX64rr8", CPU_MOVES_GENERAL},
    {WITHIN, "PREFETCH", CPU_PREFETCHES},
    {STRING, "MOVS", CPU_LOADS_RSI | CPU_STORES_RDI},
    {STRING, "CMPS", CPU_LOADS_RSI | CPU_LOADS_RDI},
    {STRING, "LODS", CPU_LOADS_RSI},
    {STRING, "STOS", CPU_STORES_RDI},
    {STRING, "SCAS", CPU_LOADS_RDI},
    {WITHIN, "GATHER", CPU_GATHERS},
    {WITHIN, "GATHERDPD", CPU_WIDE_LANES},
    {WITHIN, "GATHERDQ", CPU_WIDE_LANES},
    {WITHIN, "GATHERQ", CPU_WIDE_LANES},
    {WITHIN, "SCATTERDPD", CPU_WIDE_LANES},
    {WITHIN, "SCATTERDQ", CPU_WIDE_LANES},
    {WITHIN, "SCATTERQ", CPU_WIDE_LANES},
    {WITHIN, "SCATTER", CPU_GATHERS},
    {WITHIN, "mi", CPU_HAS_MEMORY_AND_IMMEDIATE},
    {WHOLE, "XOR32rr_REV", CPU_REVERSED_ZERO},
    {WHOLE, "XOR64rr_REV", CPU_REVERSED_ZERO},
    {WHOLE, "SUB32rr_REV", CPU_REVERSED_ZERO},
    {WHOLE, "SUB64rr_REV", CPU_REVERSED_ZERO},
    {MNEMONIC, "AND", CPU_HAS_FLAG_LOGIC | CPU_FUSES_AS_TEST | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "TEST", CPU_HAS_FLAG_LOGIC | CPU_FUSES_AS_TEST | CPU_COMPARES | CPU_SPLITS_INDEXED},
    {MNEMONIC, "OR", CPU_HAS_FLAG_LOGIC | CPU_FUSES_AS_LOGIC | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "XOR", CPU_HAS_FLAG_LOGIC | CPU_FUSES_AS_LOGIC | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "CMP", CPU_FUSES_AS_CMP | CPU_COMPARES | CPU_SPLITS_INDEXED},
    {MNEMONIC, "ADD", CPU_FUSES_AS_CMP | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "SUB", CPU_FUSES_AS_CMP | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "INC", CPU_STEPS | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "DEC", CPU_STEPS | CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "NEG", CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "NOT", CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "SHL", CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "SHR", CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "SAR", CPU_FUSES_WITH_MOVE},
    {MNEMONIC, "ADC", CPU_CARRIES | CPU_SPLITS_INDEXED},
    {MNEMONIC, "SBB", CPU_CARRIES | CPU_SPLITS_INDEXED},
    {MNEMONIC, "RCL", CPU_CARRIES},
    {MNEMONIC, "RCR", CPU_CARRIES},
    {MNEMONIC, "ADCX", CPU_WRITES_CARRY | CPU_CARRIES},
    {MNEMONIC, "BT", CPU_WRITES_CARRY},
    {MNEMONIC, "BTC", CPU_WRITES_CARRY},
    {MNEMONIC, "BTR", CPU_WRITES_CARRY},
    {MNEMONIC, "BTS", CPU_WRITES_CARRY},
    {WHOLE, "CLC", CPU_WRITES_CARRY | CPU_SETS_CARRY},
    {WHOLE, "STC", CPU_WRITES_CARRY | CPU_SETS_CARRY},
    {WHOLE, "CMC", CPU_WRITES_CARRY | CPU_CARRIES},
    {MNEMONIC, "CMOV", CPU_SPLITS_INDEXED},
    {MNEMONIC, "DIV", CPU_DIVIDES},
    {MNEMONIC, "IDIV", CPU_DIVIDES},
};

// MNEMONIC: with operands of general registers: "ADD64rr" is "ADD", "ADDPSrr" is not. STRING: with its width alone.
static bool is_like(const char *opcode, enum how how, const char *text) {
    switch (how) {
    case PREFIX:
        return text_starts(opcode, text);
    case MNEMONIC:
        return text_starts(opcode, text) && opcode[strlen(text)] && strchr("1368", opcode[strlen(text)]);
    case STRING:
        return text_starts(opcode, text) && opcode[strlen(text)] && strchr("BWLQ", opcode[strlen(text)]) &&
               !opcode[strlen(text) + 1];
    case WHOLE:
        return strcmp(opcode, text) == 0;
    case WITHIN:
        return strstr(opcode, text);
    }
    return false;
}

static bool moves_vector(const char *opcode) {
    const char *name = *opcode == 'V' ? opcode + 1 : opcode;
    return (text_starts(name, "MOVAP") || text_starts(name, "MOVUP") || text_starts(name, "MOVDQ")) &&
           strstr(name, "rr");
}

// Of 32 and 64 bits, and of vectors without a mask.
static bool zeroes_itself(const char *opcode) {
    static const char *const general[] = {"XOR32rr", "XOR64rr", "SUB32rr", "SUB64rr"};
    static const char *const vectors[] = {"PXOR", "XORPS", "XORPD", "PSUBB", "PSUBW", "PSUBD", "PSUBQ", "PCMPGT"};
    const char *name = *opcode == 'V' ? opcode + 1 : opcode, *operands = strstr(name, "rr");
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (text_starts(opcode, general[i]))
            return true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (text_starts(name, vectors[i]))
            return operands && !strchr(operands, 'k');
    return false;
}

// Of vectors, without a mask.
static bool sets_itself(const char *opcode) {
    const char *name = *opcode == 'V' ? opcode + 1 : opcode, *operands = strstr(name, "rr");
    return text_starts(name, "PCMPEQ") && operands && !strchr(operands, 'k');
}

uint32_t cpu_kinds_of(const char *opcode) {
    uint32_t kinds = (moves_vector(opcode) ? CPU_MOVES_VECTOR : 0) | (zeroes_itself(opcode) ? CPU_ZEROES_ITSELF : 0) |
                     (sets_itself(opcode) ? CPU_ONES_ITSELF : 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_like(opcode, names[i].how, names[i].text))
            kinds |= names[i].kinds;
    return kinds;
}

// The exchanges of 8 and 16 bits merge, so each of their registers depends on both.
enum cpu_flow cpu_flow_of(const char *opcode) {
    static const struct {
        const char *start;
        enum cpu_flow flow;
    } flows[] = {{"XCHG32", CPU_FLOWS_CROSSWISE}, {"XCHG64", CPU_FLOWS_CROSSWISE},  {"XADD32", CPU_FLOWS_OLD},
                 {"XADD64", CPU_FLOWS_OLD},       {"LXADD32", CPU_FLOWS_OLD},       {"LXADD64", CPU_FLOWS_OLD},
                 {"CMPXCHG", CPU_FLOWS_COMPARED}, {"LCMPXCHG", CPU_FLOWS_COMPARED}, {"PUSH", CPU_FLOWS_STACK},
                 {"POP16", CPU_FLOWS_STACK},      {"POP64", CPU_FLOWS_STACK},       {"POPF", CPU_FLOWS_STACK},
                 {"LEAVE", CPU_FLOWS_FRAME},      {"ADOX", CPU_FLOWS_OVERFLOW},     {"XLAT", CPU_FLOWS_LOOKUP}};
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        if (text_starts(opcode, flows[i].start))
            return flows[i].flow;
    return CPU_FLOWS_TO_ALL;
}

enum cpu_operation cpu_operation_of(const char *opcode, const char **operands) {
    static const struct {
        const char *mnemonic;
        enum cpu_operation operation;
    } plain[] = {{"MOV", CPU_DOES_MOVE}, {"INC", CPU_DOES_INC}, {"DEC", CPU_DOES_DEC}, {"ADD", CPU_DOES_ADD},
                 {"SUB", CPU_DOES_SUB},  {"XOR", CPU_DOES_XOR}, {"AND", CPU_DOES_AND}, {"OR", CPU_DOES_OR},
                 {"SHL", CPU_DOES_SHL},  {"SHR", CPU_DOES_SHR}};
    *operands = "";
    if (text_starts(opcode, "LEA"))
        return CPU_DOES_ADDRESS;
    if (text_starts(opcode, "MOVSX") || text_starts(opcode, "MOVZX"))
        return CPU_DOES_EXTEND;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        size_t n = strlen(plain[i].mnemonic), digits = strspn(opcode + strcspn(opcode, "0123456789"), "0123456789");
        if (!text_starts(opcode, plain[i].mnemonic) || strcspn(opcode, "0123456789") != n || !digits)
            continue;
        *operands = opcode + n + digits;
        return plain[i].operation;
    }
    return CPU_DOES_OTHER;
}

unsigned cpu_operands_of(const char *operands) {
    static const struct {
        unsigned place;
        char letter;
        enum cpu_operand operand;
    } letters[] = {{0, 'r', CPU_FIRST_IS_REGISTER},
                   {0, 'm', CPU_FIRST_IS_MEMORY},
                   {1, 'r', CPU_SECOND_IS_REGISTER},
                   {1, 'm', CPU_SECOND_IS_MEMORY},
                   {1, 'i', CPU_SECOND_IS_IMMEDIATE}};
    unsigned has = (strchr(operands, 'i') ? CPU_HAS_IMMEDIATE : 0) | (strstr(operands, "CL") ? CPU_HAS_CL : 0);
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(operands) > letters[i].place && operands[letters[i].place] == letters[i].letter)
            has |= letters[i].operand;
    return has;
}

bool cpu_pushes_number(const char *opcode) {
    return strstr(opcode, "i8") || strstr(opcode, "i32");
}
