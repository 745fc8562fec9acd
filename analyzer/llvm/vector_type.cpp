#include "analyzer/llvm/module.h"

#include <algorithm>

using namespace llvm;

static struct vector_config config_of(unsigned sew, int lmul) {
    struct vector_config config = {};
    config.sew = sew;
    config.lmul = lmul;
    return config;
}

// Registers stand alone: where a vector is twice as wide as the type's, of forms that widen or narrow, the type is half
// a register.
const struct vector_config *find_vector_type(const backend_cpu &cpu, StringRef opcode) {
    static const struct vector_config one = config_of(32, 0), half = config_of(32, -1), wide = config_of(64, 0);
    const auto begins = [&](std::initializer_list<const char *> starts) {
        return std::any_of(starts.begin(), starts.end(), [&](const char *start) { return opcode.starts_with(start); });
    };
    if (!cpu.triple.isRISCV() || !opcode.starts_with("V"))
        return nullptr;
    if (begins({"VLE64", "VSE64", "VLSE64", "VSSE64", "VLUXEI64", "VLOXEI64", "VSUXEI64", "VSOXEI64", "VZEXT_VF8",
                "VSEXT_VF8", "VCLMUL"}) ||
        (opcode.contains("SEG") && (opcode.contains("E64") || opcode.contains("EI64"))))
        return &wide;
    return begins({"VW", "VN", "VFW", "VFN"}) ? &half : &one;
}
