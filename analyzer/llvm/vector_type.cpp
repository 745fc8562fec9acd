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
const vector_type *find_vector_type(const backend_cpu &cpu, StringRef opcode) {
    static const vector_type one = {"vsetvli x31, x0, e32, m1, ta, ma", "M1", "E32", 0x0d007fd7, config_of(32, 0)},
                             half = {"vsetvli x31, x0, e32, mf2, ta, ma", "MF2", "E32", 0x0d707fd7, config_of(32, -1)},
                             wide = {"vsetvli x31, x0, e64, m1, ta, ma", "M1", "E64", 0x0d807fd7, config_of(64, 0)};
    const auto begins = [&](std::initializer_list<const char *> starts) {
        return std::any_of(starts.begin(), starts.end(), [&](const char *start) { return opcode.starts_with(start); });
    };
    if (!cpu.triple.isRISCV() || !opcode.starts_with("V"))
        return nullptr;
    if (begins({"VLE64", "VSE64", "VLSE64", "VSSE64", "VLUXEI64", "VLOXEI64", "VSUXEI64", "VSOXEI64", "VZEXT_VF8",
                "VSEXT_VF8", "VCLMUL"}) ||
        (opcode.contains("SEG") && opcode.contains("E64")) || (opcode.contains("SEG") && opcode.contains("EI64")))
        return &wide;
    return begins({"VW", "VN", "VFW", "VFN"}) ? &half : &one;
}
