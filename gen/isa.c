#include "gen/isa.h"

#include "base/text.h"
#include "gen/isa_tables.h"

#include <string.h>

static const struct isa *const isas[] = {&isa_x86_64, &isa_aarch64, &isa_armv7, &isa_mips,
                                         &isa_mipsel, &isa_riscv64, NULL};

const struct isa *const *isa_all(void) {
    return isas;
}

const struct isa *isa_find(const char *name) {
    for (const struct isa *const *isa = isa_all(); *isa; isa++) {
        if (strcmp((*isa)->name, name) == 0)
            return *isa;
        for (const char *const *other = (*isa)->names; *other; other++)
            if (strcmp(*other, name) == 0)
                return *isa;
    }
    return NULL;
}

uint64_t isa_value_repeated(struct isa_value value) {
    uint64_t pattern = value.bits;
    for (unsigned width = value.lane_bits; width && width < 64; width *= 2)
        pattern = (pattern & (UINT64_MAX >> (64 - width))) * (1 + (UINT64_C(1) << width));
    return pattern;
}

unsigned isa_four_bytes(const uint8_t *code) {
    (void)code;
    return 4;
}

struct isa_loop_end isa_two_instructions(const struct program *program) {
    (void)program;
    return (struct isa_loop_end){.instructions = 2, .branches = 1};
}

const char *isa_family(const struct isa *isa) {
    return isa->family ? isa->family : isa->name;
}

const struct isa *isa_native(void) {
#if defined __x86_64__
    return &isa_x86_64;
#elif defined __aarch64__
    return &isa_aarch64;
#elif defined __arm__
    return &isa_armv7;
#elif defined __mips__ && _MIPS_SIM == _ABIO32 && defined __MIPSEB__
    return &isa_mips;
#elif defined __mips__ && _MIPS_SIM == _ABIO32
    return &isa_mipsel;
#elif defined __riscv && __riscv_xlen == 64
    return &isa_riscv64;
#else
    return NULL;
#endif
}

const struct register_class *isa_class(const struct isa *isa, const char *name) {
    for (const struct register_class *each = isa->classes; each->name; each++)
        if (strcmp(each->name, name) == 0)
            return each;
    return NULL;
}

const char *isa_unknown(struct arena *arena, const char *name) {
    enum { MOST_NAME_BYTES = 64 };
    const char *names[sizeof isas / sizeof *isas];
    size_t n = 0;
    struct text known = {.arena = arena};
    text_add(&known, "; known are: ");
    for (const struct isa *const *isa = isa_all(); *isa; isa++) {
        text_addf(&known, "%s%s", n ? ", " : "", (*isa)->name);
        names[n++] = (*isa)->name;
    }
    const char *near = text_did_you_mean(arena, name, names, n), *shown = text_printable(arena, name, MOST_NAME_BYTES);
    return arena_printf(arena, "unknown ISA '%s'%s", shown, *near ? near : known.data);
}
