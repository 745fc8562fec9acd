// CPU features by LLVM's names. The kernel's names in /proc/cpuinfo are mostly the same; these are the others.
// Sources: llvm/lib/Target/{X86/X86.td,AArch64/AArch64Features.td}; Linux arch/x86/include/asm/cpufeatures.h,
// Documentation/arch/arm64/elf_hwcaps.rst.
#include "bench/host.h"

#include <string.h>

static const struct {
    const char *llvm, *linux_name;
} aliases[] = {
    {"sse3", "pni"},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"bmi", "bmi1"},
    {"lzcnt", "abm"},
    {"pclmul", "pclmulqdq"},
    {"sha", "sha_ni"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512bf16", "avx512_bf16"},
    {"neon", "asimd"},
    {"fp-armv8", "fp"},
    {"fullfp16", "asimdhp"},
    {"dotprod", "asimddp"},
    {"lse", "atomics"},
    {"crc", "crc32"},
};

bool host_has_feature(const struct host *host, const char *feature) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].llvm, feature) == 0)
            feature = aliases[i].linux_name;
    for (const char *const *flag = host->flags; flag && *flag; flag++)
        if (strcmp(*flag, feature) == 0)
            return true;
    return false;
}
