#include "blocks/condition.h"

#include <string.h>

enum condition condition_opposite(enum condition condition) {
    static const enum condition opposites[] = {
        [CONDITION_EQ] = CONDITION_NE, [CONDITION_NE] = CONDITION_EQ, [CONDITION_LT] = CONDITION_GE,
        [CONDITION_GE] = CONDITION_LT, [CONDITION_GT] = CONDITION_LE, [CONDITION_LE] = CONDITION_GT};
    return condition == CONDITION_OTHER ? CONDITION_OTHER : opposites[condition];
}

enum condition condition_of_branch(const char *isa, struct slice name) {
    static const struct {
        const char *name;
        enum condition condition;
    } conditions[] = {
        // without "j" (x86), "b." (AArch64) or "b" (RISC-V)
        {"e", CONDITION_EQ},   {"z", CONDITION_EQ},   {"eq", CONDITION_EQ},  {"ne", CONDITION_NE},
        {"nz", CONDITION_NE},  {"l", CONDITION_LT},   {"b", CONDITION_LT},   {"s", CONDITION_LT},
        {"lt", CONDITION_LT},  {"lo", CONDITION_LT},  {"ltu", CONDITION_LT}, {"mi", CONDITION_LT},
        {"cc", CONDITION_LT},  {"ge", CONDITION_GE},  {"ae", CONDITION_GE},  {"ns", CONDITION_GE},
        {"hs", CONDITION_GE},  {"cs", CONDITION_GE},  {"geu", CONDITION_GE}, {"pl", CONDITION_GE},
        {"g", CONDITION_GT},   {"a", CONDITION_GT},   {"gt", CONDITION_GT},  {"hi", CONDITION_GT},
        {"gtu", CONDITION_GT}, {"le", CONDITION_LE},  {"be", CONDITION_LE},  {"ls", CONDITION_LE},
        {"leu", CONDITION_LE}, {"eqz", CONDITION_EQ}, {"nez", CONDITION_NE}, {"ltz", CONDITION_LT},
        {"gez", CONDITION_GE}, {"gtz", CONDITION_GT}, {"lez", CONDITION_LE},
    };
    const char *prefix = strcmp(isa, "x86_64") == 0 ? "j" : strcmp(isa, "riscv64") == 0 ? "b" : "b.";
    size_t n = strlen(prefix);
    if (slice_is(name, "cbz") || slice_is(name, "cbnz"))
        return slice_is(name, "cbz") ? CONDITION_EQ : CONDITION_NE;
    if (name.length <= n || memcmp(name.data, prefix, n) != 0)
        return CONDITION_OTHER;
    struct slice suffix = {name.data + n, name.length - n};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (slice_is(suffix, conditions[i].name))
            return conditions[i].condition;
    return CONDITION_OTHER;
}
