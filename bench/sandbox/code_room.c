#include "bench/sandbox/code_room.h"

#include <fenv.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

bool code_room_open(struct code_room *room, const struct bench_code *const *codes, size_t n, code_function *functions,
                    struct fault_note *note) {
    *room = (struct code_room){.note = note, .buffer = code_map_memory()};
    return room->buffer && code_map_all(codes, n, functions, &room->region) &&
           demand_memory_open(&room->memory, codes, n) && chase_memory_open(&room->chases, codes, n);
}

// Resets also what fesetenv leaves as it is: the use of x87 registers; on AArch64 the flushing of half floats to zero,
// and default NaNs. fninit comes first: fesetenv would raise an exception that the x87 unit still holds.
static void reset_floating_point(void) {
#if defined(__x86_64__)
    __asm__ volatile("fninit");
#endif
    fesetenv(FE_DFL_ENV);
#if defined(__aarch64__)
    __asm__ volatile("msr fpcr, xzr\n\tmsr fpsr, xzr");
#endif
}

static void flush_denormals(void) {
#if defined(__x86_64__)
    enum { ALL_MASKED = 0x1f80, FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 };
    _mm_setcsr(ALL_MASKED | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(1) << 24)); // FZ
#endif
}

void code_room_clean(struct code_room *room, const struct bench_code *code) {
    reset_floating_point();
    code_clear_memory(room->buffer);
    demand_memory_start(&room->memory, &code->foreign);
    code_restore_segments(code);
    chase_memory_make(&room->chases, code);
    room->is_fresh = true;
    memset(room->note, 0, sizeof *room->note);
}

void code_room_enter(struct code_room *room, const struct bench_code *code, code_function function) {
    if (!bench_code_is_foreign(code))
        return;
    if (!room->is_fresh) {
        demand_memory_fill(&room->memory);
        if (code->foreign.stores)
            code_restore_segments(code);
    }
    room->is_fresh = false;
    flush_denormals();
    fault_watch_code(code, function);
}

bool code_room_leave(struct code_room *room, const struct bench_code *code) {
    if (!bench_code_is_foreign(code))
        return true;
    fault_watch_code(NULL, NULL);
    reset_floating_point();
    return room->note->outcome == BENCH_OK;
}

void code_room_reach(struct code_room *room, const struct bench_code *code, uint64_t iterations) {
    if (code->foreign.n_touches && !demand_memory_reach(&room->memory, iterations * code->bodies))
        room->note->outcome = BENCH_PAGES;
}
