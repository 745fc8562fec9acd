#include "hot/indexed.h"

#include "blocks/x86_registers.h"
#include "hot/vector_layout.h"

#include <string.h>

#if defined(__x86_64__)

enum { XMM_BYTES = 16, YMM_BYTES = 32, ZMM_BYTES = 64, REGISTERS = 32 };

// VPGATHERDQ, VSCATTERQPS: behind that word stands the size of an index, then that of an element.
static const char *sizes_of(const struct insn *insn) {
    static const char *const words[] = {"GATHER", "SCATTER"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(insn->opcode, words[i]);
        if (at)
            return at + strlen(words[i]);
    }
    return NULL;
}

static unsigned size_of(char letter) {
    return letter == 'D' ? 4 : letter == 'Q' ? 8 : 0;
}

bool indexed_is(const struct insn *insn) {
    const char *sizes = sizes_of(insn);
    return sizes && insn->address && size_of(*sizes); // not those that prefetch: VGATHERPF0DPD
}

// Copies a part of a register, if the area has it.
static void take(const uint8_t *xsave, size_t n_xsave, size_t offset, uint8_t *bytes, size_t n) {
    if (offset && offset + n <= n_xsave)
        memcpy(bytes, xsave + offset, n);
}

static void read_vector(const uint8_t *xsave, size_t n_xsave, unsigned number, uint8_t bytes[ZMM_BYTES]) {
    enum { LEGACY_XMM = 160, LOW_REGISTERS = 16 };
    const struct vector_layout layout = vector_layout_here();
    memset(bytes, 0, ZMM_BYTES);
    if (number >= LOW_REGISTERS) {
        const size_t at = layout.at[VECTOR_HIGH_ZMM];
        take(xsave, n_xsave, at ? at + (size_t)(number - LOW_REGISTERS) * ZMM_BYTES : 0, bytes, ZMM_BYTES);
        return;
    }
    const size_t high = layout.at[VECTOR_YMM_HIGH], highest = layout.at[VECTOR_ZMM_HIGH];
    take(xsave, n_xsave, LEGACY_XMM + (size_t)number * XMM_BYTES, bytes, XMM_BYTES);
    take(xsave, n_xsave, high ? high + (size_t)number * XMM_BYTES : 0, bytes + XMM_BYTES, XMM_BYTES);
    take(xsave, n_xsave, highest ? highest + (size_t)number * YMM_BYTES : 0, bytes + YMM_BYTES, YMM_BYTES);
}

void indexed_add(const struct machine *machine, const struct book_insn *insn, const struct step_registers *registers,
                 const uint8_t *xsave, size_t n_xsave, struct touches *touches) {
    const struct insn_address *address = insn->insn->address;
    const char *sizes = sizes_of(insn->insn), *name = x86_register_name(machine, address->index);
    const int number = x86_vector_register(machine, address->index);
    if (number < 0 || number >= REGISTERS)
        return;
    const unsigned index_bytes = size_of(sizes[0]), width = *name == 'Z'   ? ZMM_BYTES
                                                            : *name == 'Y' ? YMM_BYTES
                                                                           : XMM_BYTES;
    // Of PS and PD, the second letter is the size.
    const char element = sizes[1] == 'P' ? (sizes[2] == 'D' ? 'Q' : 'D') : sizes[1];
    bool is_narrow;
    const unsigned base = x86_general_register(machine, address->base, &is_narrow);
    uint8_t indices[ZMM_BYTES];
    read_vector(xsave, n_xsave, (unsigned)number, indices);
    const uint64_t start = (uint64_t)address->displacement + (base < X86_REGISTERS ? registers->general[base] : 0) +
                           (strcmp(x86_register_name(machine, address->segment), "FS") == 0 ? registers->fs : 0);
    for (unsigned i = 0; i < width; i += index_bytes) {
        int64_t index = 0;
        int32_t half;
        memcpy(&half, indices + i, sizeof half);
        if (index_bytes == sizeof half)
            index = half;
        else
            memcpy(&index, indices + i, sizeof index);
        if (touches->n == TOUCHES_MOST)
            return;
        touches->items[touches->n++] = (struct touch){.address = start + (uint64_t)index * address->scale,
                                                      .bytes = size_of(element) ? size_of(element) : sizeof index,
                                                      .is_store = insn->insn->may_store,
                                                      .is_certain = false};
    }
}
#endif
