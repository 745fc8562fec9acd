// CPU features by LLVM's names, for all ISAs. /proc/cpuinfo lists those that programs may use, mostly by the same
// words. Features of x86 that Linux does not show come from CPUID. Sources:
// llvm/lib/Target/{X86/X86.td,AArch64/AArch64Features.td,ARM/ARMFeatures.td,RISCV/RISCVFeatures.td,Mips/Mips.td}; Linux
// arch/x86/include/asm/cpufeatures.h, Documentation/arch/arm64/elf_hwcaps.rst, arch/arm/kernel/setup.c,
// Documentation/arch/riscv/uabi.rst, arch/mips/kernel/proc.c; Intel SDM volume 2A, "CPUID".
#include "bench/host/host.h"

#include "base/text.h"
#include "bench/host/files.h"

#include <string.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

// A word by which Linux shows a feature. A feature with several such words has a row for each.
static const struct name {
    const char *llvm, *linux_word; // null: the same
} names[] = {
    // x86
    {"x87", "fpu"},
    {"cmov", NULL},
    {"cx8", NULL},
    {"cx16", NULL},
    {"mmx", NULL},
    {"fxsr", NULL},
    {"nopl", NULL},
    {"64bit", "lm"},
    {"sahf", "lahf_lm"},
    {"sse", NULL},
    {"sse2", NULL},
    {"sse3", "pni"},
    {"ssse3", NULL},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"crc32", "sse4_2"},
    {"sse4a", NULL},
    {"popcnt", NULL},
    {"lzcnt", "abm"},
    {"bmi", "bmi1"},
    {"bmi2", NULL},
    {"tbm", NULL},
    {"adx", NULL},
    {"movbe", NULL},
    {"aes", NULL},
    {"pclmul", "pclmulqdq"},
    {"sha", "sha_ni"},
    {"sha512", NULL},
    {"sm3", NULL},
    {"sm4", NULL},
    {"gfni", NULL},
    {"vaes", NULL},
    {"vpclmulqdq", NULL},
    {"rdrnd", "rdrand"},
    {"rdseed", NULL},
    {"rdpid", NULL},
    {"rdpru", NULL},
    {"fsgsbase", NULL},
    {"xsave", NULL},
    {"xsaveopt", NULL},
    {"xsavec", NULL},
    {"xsaves", NULL},
    {"avx", NULL},
    {"avx2", NULL},
    {"f16c", NULL},
    {"fma", NULL},
    {"fma4", NULL},
    {"xop", NULL},
    {"lwp", NULL},
    {"avxvnni", "avx_vnni"},
    {"avxifma", "avx_ifma"},
    {"avx512f", NULL},
    {"evex512", "avx512f"},
    {"avx512cd", NULL},
    {"avx512dq", NULL},
    {"avx512bw", NULL},
    {"avx512vl", NULL},
    {"avx512ifma", NULL},
    {"avx512vbmi", NULL},
    {"avx512vbmi2", "avx512_vbmi2"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512bitalg", "avx512_bitalg"},
    {"avx512vpopcntdq", "avx512_vpopcntdq"},
    {"avx512vp2intersect", "avx512_vp2intersect"},
    {"avx512bf16", "avx512_bf16"},
    {"avx512fp16", "avx512_fp16"},
    {"amx-tile", "amx_tile"},
    {"amx-int8", "amx_int8"},
    {"amx-bf16", "amx_bf16"},
    {"amx-fp16", "amx_fp16"},
    {"cmpccxadd", NULL},
    {"prfchw", "3dnowprefetch"},
    {"clflushopt", NULL},
    {"clwb", NULL},
    {"clzero", NULL},
    {"cldemote", NULL},
    {"wbnoinvd", NULL},
    {"movdiri", NULL},
    {"movdir64b", NULL},
    {"enqcmd", NULL},
    {"serialize", NULL},
    {"waitpkg", NULL},
    {"mwaitx", NULL},
    {"rtm", NULL},
    {"tsxldtrk", NULL},
    {"ermsb", "erms"},
    {"fsrm", NULL},
    {"invpcid", NULL},
    {"pku", "ospke"},
    {"pconfig", NULL},
    {"sgx", NULL},
    {"shstk", "user_shstk"},
    // APX, all of which come together
    {"egpr", "apx"},
    {"ndd", "apx"},
    {"nf", "apx"},
    {"ccmp", "apx"},
    {"cf", "apx"},
    {"zu", "apx"},
    {"ppx", "apx"},
    {"push2pop2", "apx"},
    // Arm, of 64 and of 32 bits
    {"fp-armv8", "fp"},
    {"neon", "asimd"},
    {"neon", NULL},
    {"fullfp16", "asimdhp"},
    {"fp16fml", "asimdfhm"},
    {"dotprod", "asimddp"},
    {"rdm", "asimdrdm"},
    {"lse", "atomics"},
    {"lse2", "uscat"},
    {"lse128", NULL},
    {"crc", "crc32"},
    {"sha2", NULL},
    {"sha3", NULL},
    {"jsconv", "jscvt"},
    {"complxnum", "fcma"},
    {"rcpc", "lrcpc"},
    {"rcpc-immo", "ilrcpc"},
    {"rcpc3", "lrcpc3"},
    {"ccpp", "dcpop"},
    {"ccdp", "dcpodp"},
    {"flagm", NULL},
    {"altnzcv", "flagm2"},
    {"fptoint", "frint"},
    {"dit", NULL},
    {"ssbs", NULL},
    {"sb", NULL},
    {"pauth", "paca"},
    {"bti", NULL},
    {"mte", NULL},
    {"rand", "rng"},
    {"bf16", NULL},
    {"i8mm", NULL},
    {"f32mm", "svef32mm"},
    {"f64mm", "svef64mm"},
    {"sve", NULL},
    {"sve2", NULL},
    {"sve2-aes", "sveaes"},
    {"sve2-bitperm", "svebitperm"},
    {"sve2-sha3", "svesha3"},
    {"sve2-sm4", "svesm4"},
    {"sve2p1", NULL},
    {"sme", NULL},
    {"sme2", NULL},
    {"sme-f64f64", "smef64f64"},
    {"sme-i16i64", "smei16i64"},
    {"mops", NULL},
    {"cssc", NULL},
    {"hbc", NULL},
    {"wfxt", NULL},
    {"ecv", NULL},
    {"vfp2", "vfp"},
    {"vfp2", "asimd"},
    {"vfp3", "vfpv3"},
    {"vfp3", "asimd"},
    {"vfp4", "vfpv4"},
    {"vfp4", "asimd"},
    {"fp16", "vfpv4"},
    {"d32", "vfpd32"},
    {"hwdiv-arm", "idiva"},
    {"hwdiv", "idivt"},
    {"dsp", "edsp"},
    // MIPS
    {"dsp", NULL},
    {"dspr2", "dsp2"},
    {"dspr3", "dsp3"},
    {"msa", NULL},
    {"mips32r2", NULL},
    {"mips32r6", NULL},
    // RISC-V
    {"m", NULL},
    {"a", NULL},
    {"f", NULL},
    {"d", NULL},
    {"c", NULL},
    {"v", NULL},
    {"h", NULL},
    {"zba", NULL},
    {"zbb", NULL},
    {"zbc", NULL},
    {"zbs", NULL},
    {"zbkb", NULL},
    {"zbkc", NULL},
    {"zbkx", NULL},
    {"zknd", NULL},
    {"zkne", NULL},
    {"zknh", NULL},
    {"zksed", NULL},
    {"zksh", NULL},
    {"zfh", NULL},
    {"zfhmin", NULL},
    {"zfa", NULL},
    {"zicond", NULL},
    {"zicsr", NULL},
    {"zifencei", NULL},
    {"zihintpause", NULL},
    {"zicbom", NULL},
    {"zicboz", NULL},
    {"zawrs", NULL},
    {"zacas", NULL},
    {"zvfh", NULL},
    {"zvfhmin", NULL},
    {"zvbb", NULL},
    {"zvbc", NULL},
    {"zvkb", NULL},
    {"zvkg", NULL},
    {"zvkned", NULL},
    {"zvknha", NULL},
    {"zvknhb", NULL},
    {"zvksed", NULL},
    {"zvksh", NULL},
};

// Features for which Linux has no word, or has one only since recently: a bit of CPUID, and what Linux must have
// switched on for it.
static const struct bit {
    const char *llvm;
    unsigned leaf, subleaf;
    enum { EAX, EBX, ECX, EDX } reg;
    unsigned bit;
    const char *needs; // a word of Linux; null: nothing
} bits[] = {
    {"sha512", 7, 1, EAX, 0, "avx2"},
    {"sm3", 7, 1, EAX, 1, "avx2"},
    {"sm4", 7, 1, EAX, 2, "avx2"},
    {"raoint", 7, 1, EAX, 3, NULL},
    {"cmpccxadd", 7, 1, EAX, 7, NULL},
    {"amx-fp16", 7, 1, EAX, 21, "amx_tile"},
    {"hreset", 7, 1, EAX, 22, NULL},
    {"avxifma", 7, 1, EAX, 23, "avx2"},
    {"movrs", 7, 1, EAX, 31, NULL},
    {"avxvnniint8", 7, 1, EDX, 4, "avx2"},
    {"avxneconvert", 7, 1, EDX, 5, "avx2"},
    {"amx-complex", 7, 1, EDX, 8, "amx_tile"},
    {"avxvnniint16", 7, 1, EDX, 10, "avx2"},
    {"prefetchi", 7, 1, EDX, 14, NULL},
    {"usermsr", 7, 1, EDX, 15, NULL},
    {"avx10.1-256", 7, 1, EDX, 19, "avx512f"},
    {"avx10.1-512", 0x24, 0, EBX, 18, "avx512f"},
    {"prefetchwt1", 7, 0, ECX, 0, NULL},
    {"uintr", 7, 0, EDX, 5, NULL},
    {"ibt", 7, 0, EDX, 20, NULL}, // not among LLVM's names: all CPUs may run its instructions
    {"ptwrite", 0x14, 0, EBX, 4, NULL},
    {"kl", 0x19, 0, EBX, 0, NULL},
    {"widekl", 0x19, 0, EBX, 2, NULL},
};

enum { N_NAMES = sizeof names / sizeof *names, N_BITS = sizeof bits / sizeof *bits };

static bool has_word(const char *const *flags, const char *word) {
    for (const char *const *flag = flags; flag && *flag; flag++)
        if (strcmp(*flag, word) == 0)
            return true;
    return false;
}

// Reads the bit of the CPU that this runs on. False where CYCLOPS_FSROOT shows another machine.
static bool has_bit(const struct host *host, const struct bit *bit) {
#if defined __x86_64__
    unsigned regs[4];
    return host_root_is_real() && (!bit->needs || has_word(host->flags, bit->needs)) &&
           __get_cpuid_count(bit->leaf, bit->subleaf, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]) &&
           (regs[bit->reg] >> bit->bit & 1);
#else
    (void)host;
    (void)bit;
    return false;
#endif
}

enum host_feature host_feature_by_flags(const char *const *flags, const char *feature) {
    enum host_feature found = FEATURE_UNKNOWN;
    for (size_t i = 0; i < N_NAMES && found != FEATURE_PRESENT; i++)
        if (strcmp(names[i].llvm, feature) == 0)
            found = has_word(flags, names[i].linux_word ? names[i].linux_word : feature) ? FEATURE_PRESENT
                                                                                         : FEATURE_MISSING;
    return found;
}

enum host_feature host_feature(const struct host *host, const char *feature) {
    enum host_feature found = host_feature_by_flags(host->flags, feature);
    for (size_t i = 0; i < N_BITS && found != FEATURE_PRESENT; i++)
        if (strcmp(bits[i].llvm, feature) == 0)
            found = has_bit(host, &bits[i]) ? FEATURE_PRESENT : FEATURE_MISSING;
    return found;
}

const char *host_feature_near(struct arena *arena, const char *feature) {
    const char *known[N_NAMES + N_BITS];
    size_t n = 0;
    for (size_t i = 0; i < N_NAMES; i++)
        if (i == 0 || strcmp(names[i].llvm, names[i - 1].llvm) != 0)
            known[n++] = names[i].llvm;
    for (size_t i = 0; i < N_BITS; i++)
        known[n++] = bits[i].llvm;
    return text_did_you_mean(arena, feature, known, n);
}
