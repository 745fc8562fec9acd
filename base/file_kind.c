#include "base/file_kind.h"

#include "base/file.h"

#include <string.h>

#define OBJECT "compile it for Linux, and give the ELF object or the assembly"
#define SOURCE "compile it with 'gcc -O2 -S' or 'clang -O2 -S', and give the .s"

// Sources: ar(5); Microsoft's PE format; mach-o/loader.h; LLVM's bitcode format; WebAssembly's binary format.
static const struct magic {
    const char *bytes;
    size_t n;
    const char *what;
} magics[] = {
    {"!<arch>\n", 8, "an archive: take an object out of it with 'ar x', and give that one"},
    {"!<thin>\n", 8, "a thin archive: give one of the objects that 'ar t' lists"},
    {"BC\xc0\xde", 4, "LLVM's bitcode: compile it with 'llc' or 'clang -S', and give the .s"},
    {"\xde\xc0\x17\x0b", 4, "LLVM's bitcode: compile it with 'llc' or 'clang -S', and give the .s"},
    {"MZ", 2, "a Windows program (PE): " OBJECT},
    {"\x64\x86", 2, "a Windows object (COFF): " OBJECT},
    {"\x64\xaa", 2, "a Windows object (COFF): " OBJECT},
    {"\xcf\xfa\xed\xfe", 4, "a Mach-O file: " OBJECT},
    {"\xce\xfa\xed\xfe", 4, "a Mach-O file: " OBJECT},
    {"\xca\xfe\xba\xbe", 4, "a Mach-O or Java file: " OBJECT},
    {"\0asm", 4, "a WebAssembly file: " OBJECT},
    {"\x1f\x8b", 2, "compressed: unpack it first"},
    {"\xfd\x37zXZ", 5, "compressed: unpack it first"},
    {"\x28\xb5\x2f\xfd", 4, "compressed: unpack it first"},
};

static const struct source {
    const char *ending, *what;
} sources[] = {
    {".ll", "LLVM's intermediate language: compile it with 'llc' or 'clang -S', and give the .s"},
    {".c", "a C source: " SOURCE},
    {".cc", "a C++ source: " SOURCE},
    {".cpp", "a C++ source: " SOURCE},
    {".cxx", "a C++ source: " SOURCE},
    {".rs", "a Rust source: compile it with 'rustc -O --emit asm', and give the .s"},
};

const char *file_kind_refused(const char *name, const void *data, size_t n_bytes) {
    static const char module[] = "; ModuleID = ", include[] = "#include ";
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n_bytes >= magics[i].n && memcmp(data, magics[i].bytes, magics[i].n) == 0)
            return magics[i].what;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (file_has_suffix(name, sources[i].ending))
            return sources[i].what;
    if (n_bytes >= strlen(module) && memcmp(data, module, strlen(module)) == 0)
        return sources[0].what;
    bool is_source =
        n_bytes >= strlen(include) && memcmp(data, include, strlen(include)) == 0 && !file_has_suffix(name, ".S");
    return is_source ? "a source: " SOURCE : NULL;
}
