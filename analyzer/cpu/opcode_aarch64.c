#include "analyzer/cpu/opcode.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

// "SUBSXri": a mnemonic with X or W behind it, and operands.
static bool is_general(const char *opcode, const char *mnemonic) {
    const size_t n = strlen(mnemonic);
    return text_starts(opcode, mnemonic) && (opcode[n] == 'X' || opcode[n] == 'W');
}

// cmp, cmn and tst are these with the zero register as their result. What fuses has a number, or a register that is not
// shifted or extended; one that is shifted by nothing has the opcode of those that are.
uint32_t cpu_aarch64_kinds_of(const char *opcode) {
    static const char *const compares[] = {"SUBS", "ADDS", "ANDS"};
    uint32_t kinds = strcmp(opcode, "Bcc") == 0 ? CPU_JUMPS : 0;
    if (text_starts(opcode, "LD"))
        kinds |= CPU_LOADS_PLAINLY;
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++) {
        const char *operands = opcode + strlen(compares[i]) + 1;
        if (is_general(opcode, compares[i]) && (strcmp(operands, "ri") == 0 || strcmp(operands, "rs") == 0))
            kinds |= CPU_FUSES_AS_CMP;
    }
    return kinds;
}

unsigned cpu_aarch64_stored(const char *opcode) {
    static const char *const of_two[] = {"STP", "STNP", "STXP", "STLXP", "STGP", "CAS"};
    for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
        if (text_starts(opcode, of_two[i]))
            return 2;
    return 1;
}

bool cpu_aarch64_writes_back(const char *opcode) {
    const size_t n = strlen(opcode);
    const char *end = n >= 4 ? opcode + n - 4 : "";
    return strcmp(end, "post") == 0 || strcmp(end, "POST") == 0 || (n >= 3 && strcmp(opcode + n - 3, "pre") == 0);
}
