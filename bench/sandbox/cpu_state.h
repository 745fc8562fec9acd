// Private to this folder.
// State of the CPU that foreign code may change, and that neither its exit nor code_room_leave restores. For the child
// of a sandbox: only cpu_state_save makes system calls, and no function frees memory.
//  - x86-64: segment registers with their bases, protection keys, and all that XSAVE knows. Tile registers (AMX) need a
//    request to Linux, and a shadow stack (CET) the C library's: both are missing here.
//  - AArch64: the thread pointer, and vector registers.
//  - other ISAs: nothing.
#ifndef BENCH_SANDBOX_CPU_STATE_H
#define BENCH_SANDBOX_CPU_STATE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
struct cpu_state {
    uint64_t components; // those of XSAVE that are cleared; 0: no XSAVE
    const uint8_t *area; // an area of XSAVE with their initial values; null: no XSAVE
    uint64_t fs_base, gs_base;
    uint16_t ds, es, fs, gs;
    uint32_t keys;  // PKRU
    bool has_bases; // programs may set the bases of fs and gs
    bool has_keys;
};
#elif defined(__aarch64__)
struct cpu_state {
    uint64_t thread;
};
#else
struct cpu_state {
    bool is_empty;
};
#endif

// Reads the state.
void cpu_state_save(struct cpu_state *state);

// Clears the vector and mask registers, so that each piece of code starts with the same values.
void cpu_state_clear_vectors(const struct cpu_state *state);

// Restores the state as it was saved. The thread pointer may be wrong before, so nothing that needs one may come
// between the code and this. False: it cannot be restored here, and is still wrong.
bool cpu_state_restore(const struct cpu_state *state);

#endif
