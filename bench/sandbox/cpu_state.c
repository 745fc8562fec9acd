#include "bench/sandbox/cpu_state.h"

// No function here may have a stack protector: that reads the thread pointer. None has a local variable whose address
// is taken, and so none has one with -fstack-protector-strong.

#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

// Linux's bit of AT_HWCAP2: arch/x86/include/uapi/asm/hwcap2.h.
enum { HAS_FSGSBASE = 1 << 1 };

// An XSAVE area of zeros, but for MXCSR, states that all components have their initial values: Intel SDM volume
// 1, 13.8. CPUs may touch all of it: a Zen 5 faults where its end is missing.
enum { MXCSR_OFFSET = 24, MXCSR_START = 0x1f80, KEYS_COMPONENT = 1 << 9 };

static uint8_t *make_area(void) {
    const uint32_t mxcsr = MXCSR_START;
    unsigned a, b, c, d;
    if (!__get_cpuid_count(13, 0, &a, &b, &c, &d)) // b: bytes of all components that Linux has switched on
        return NULL;
    uint8_t *area = mmap(NULL, b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (area == MAP_FAILED)
        return NULL;
    memcpy(area + MXCSR_OFFSET, &mxcsr, sizeof mxcsr);
    return area;
}

static uint64_t read_components(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32 | low) & ~(uint64_t)KEYS_COMPONENT;
}

static uint32_t read_keys(void) {
    uint32_t keys, high;
    __asm__ volatile("rdpkru" : "=a"(keys), "=d"(high) : "c"(0));
    return keys;
}

static void read_cpuid(struct cpu_state *state) {
    enum { OSXSAVE = 1 << 27, OSPKE = 1 << 4 };
    unsigned a, b, c, d;
    state->components = __get_cpuid(1, &a, &b, &c, &d) && (c & OSXSAVE) ? read_components() : 0;
    state->has_keys = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & OSPKE);
    state->keys = state->has_keys ? read_keys() : 0;
}

#define READ_SEGMENT(name, to) __asm__ volatile("mov %%" #name ", %0" : "=r"(to))
#define WRITE_SEGMENT(name, from) __asm__ volatile("mov %0, %%" #name : : "r"(from) : "memory")

void cpu_state_save(struct cpu_state *state) {
    read_cpuid(state);
    state->area = state->components ? make_area() : NULL;
    READ_SEGMENT(ds, state->ds);
    READ_SEGMENT(es, state->es);
    READ_SEGMENT(fs, state->fs);
    READ_SEGMENT(gs, state->gs);
    state->has_bases = getauxval(AT_HWCAP2) & HAS_FSGSBASE;
    if (state->has_bases) {
        __asm__ volatile("rdfsbase %0" : "=r"(state->fs_base));
        __asm__ volatile("rdgsbase %0" : "=r"(state->gs_base));
    }
}

void cpu_state_clear_vectors(const struct cpu_state *state) {
    if (state->area)
        __asm__ volatile("xrstor64 %0"
                         :
                         : "m"(*state->area), "a"((uint32_t)state->components), "d"((uint32_t)(state->components >> 32))
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                           "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory");
}

// A selector of 0 may have been written over one of 0, which sets the base to 0 on some CPUs. So the bases are always
// written. Where Linux keeps that from programs (before 5.9), the thread pointer may be lost unseen: the child then
// dies at its next use.
static bool restore_segments(const struct cpu_state *state) {
    uint16_t ds, es, fs, gs;
    READ_SEGMENT(ds, ds);
    READ_SEGMENT(es, es);
    READ_SEGMENT(fs, fs);
    READ_SEGMENT(gs, gs);
    if (ds != state->ds)
        WRITE_SEGMENT(ds, state->ds);
    if (es != state->es)
        WRITE_SEGMENT(es, state->es);
    if (!state->has_bases)
        return fs == state->fs && gs == state->gs;
    if (fs != state->fs)
        WRITE_SEGMENT(fs, state->fs);
    if (gs != state->gs)
        WRITE_SEGMENT(gs, state->gs);
    __asm__ volatile("wrfsbase %0" : : "r"(state->fs_base) : "memory");
    __asm__ volatile("wrgsbase %0" : : "r"(state->gs_base) : "memory");
    return true;
}

bool cpu_state_restore(const struct cpu_state *state) {
    if (state->has_keys && read_keys() != state->keys)
        __asm__ volatile("wrpkru" : : "a"(state->keys), "c"(0), "d"(0) : "memory");
    return restore_segments(state);
}

#elif defined(__aarch64__)
void cpu_state_save(struct cpu_state *state) {
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(state->thread));
}

// Writes of these registers also clear their upper parts, those of SVE: Arm ARM, C1.2.5.
void cpu_state_clear_vectors(const struct cpu_state *state) {
    (void)state;
#define CLEAR(i) __asm__ volatile("movi v" #i ".2d, #0" : : : "v" #i)
    CLEAR(0);
    CLEAR(1);
    CLEAR(2);
    CLEAR(3);
    CLEAR(4);
    CLEAR(5);
    CLEAR(6);
    CLEAR(7);
    CLEAR(8);
    CLEAR(9);
    CLEAR(10);
    CLEAR(11);
    CLEAR(12);
    CLEAR(13);
    CLEAR(14);
    CLEAR(15);
    CLEAR(16);
    CLEAR(17);
    CLEAR(18);
    CLEAR(19);
    CLEAR(20);
    CLEAR(21);
    CLEAR(22);
    CLEAR(23);
    CLEAR(24);
    CLEAR(25);
    CLEAR(26);
    CLEAR(27);
    CLEAR(28);
    CLEAR(29);
    CLEAR(30);
    CLEAR(31);
#undef CLEAR
}

bool cpu_state_restore(const struct cpu_state *state) {
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(state->thread) : "memory");
    return true;
}

#else
void cpu_state_save(struct cpu_state *state) {
    state->is_empty = true;
}

void cpu_state_clear_vectors(const struct cpu_state *state) {
    (void)state;
}

bool cpu_state_restore(const struct cpu_state *state) {
    (void)state;
    return true;
}
#endif
