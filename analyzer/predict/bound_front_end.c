#include "analyzer/predict/bound_parts.h"

#include <math.h>
#include <string.h>

static unsigned bytes_of(const struct bound_code *code) {
    unsigned n = 0;
    for (unsigned i = 0; i < code->n; i++)
        n += code->recipes[i].insn->n_bytes;
    return n;
}

static unsigned common_divisor(unsigned a, unsigned b) {
    return b ? common_divisor(b, a % b) : a;
}

struct window {
    unsigned ends, opcodes, stalls;
};

// Windows of so many copies that the first one begins anew.
static struct window *fill_windows(const struct bound_code *code, unsigned size, unsigned copies, unsigned n_windows) {
    struct window *windows = ARENA_ARRAY(code->arena, struct window, n_windows);
    unsigned at = code->request->start;
    for (unsigned copy = 0; copy < copies; copy++)
        for (unsigned i = 0; i < code->n; i++) {
            const struct cpu_recipe *recipe = &code->recipes[i];
            unsigned opcode = (at + recipe->encoding.opcode_at) / size;
            at += recipe->insn->n_bytes;
            unsigned last = (at - 1) / size;
            windows[last % n_windows].ends++;
            windows[opcode % n_windows].opcodes += opcode != last;
            windows[last % n_windows].stalls += recipe->encoding.changes_length;
        }
    return windows;
}

double bound_predecode(const struct bound_code *code) {
    unsigned size = (unsigned)cpu_value(code->cpu, CPU_FETCH_BYTES), length = bytes_of(code);
    double width = cpu_value(code->cpu, CPU_PREDECODE_WIDTH), stall = cpu_value(code->cpu, CPU_LENGTH_CHANGE_STALL);
    if (!size || !length)
        return 0;
    unsigned copies = size / common_divisor(length, size), n_windows = copies * length / size;
    const struct window *windows = fill_windows(code, size, copies, n_windows);
    double cycles = 0, before = 1;
    for (unsigned round = 0; round < 2; round++) { // the last window comes before the first
        cycles = 0;
        for (unsigned i = 0; i < n_windows; i++) {
            double found = width > 0 ? ceil((windows[i].ends + windows[i].opcodes) / width) : 1;
            found = fmax(found, 1);
            cycles += found + fmax(0, stall * windows[i].stalls - (before - 1));
            before = found;
        }
    }
    return cycles / copies;
}

static bool is_complex(const struct cpu_recipe *recipe) {
    bool is_wide_pop = recipe->stack_change > 0 && recipe->encoding.opcode == 0x5c; // pop of rsp or r12
    return recipe->decoded_slots > 1 || is_wide_pop;
}

static bool is_branch(const struct cpu_recipe *recipe) {
    return recipe->insn->is_branch || recipe->insn->is_call || recipe->insn->is_return;
}

// Cycles of the round that begins with instruction `*at`, counted on from turn to turn; `*at` is then the next one's.
static double decode_round(const struct bound_code *code, uint64_t *at) {
    enum { MOST_OF_DECODER = 4, SWITCH = 2 };
    const struct cpu *cpu = code->cpu;
    unsigned decoders = (unsigned)cpu_value(cpu, CPU_DECODERS);
    const struct cpu_recipe *recipe = &code->recipes[*at % code->n];
    double slots = fmax(recipe->decoded_slots, 1), cycles = 1;
    double more = fmin(decoders - 1, fmax(0, cpu_value(cpu, CPU_DECODED_SLOTS) - slots));
    if (slots > MOST_OF_DECODER)
        cycles += ceil((slots - MOST_OF_DECODER) / MOST_OF_DECODER) + SWITCH;
    bool has_ended = is_branch(recipe);
    ++*at;
    for (unsigned place = 1; !has_ended; ++*at) {
        recipe = &code->recipes[*at % code->n];
        if (recipe->is_fused) { // with the one before
            has_ended = true;
            continue;
        }
        bool is_last = place + 1 == decoders;
        if (place > more || is_complex(recipe) ||
            (is_last && recipe->fuses != CPU_FUSES_NEVER && !cpu_does(cpu, CPU_LAST_DECODER_FUSES)))
            break;
        has_ended = is_branch(recipe);
        place++;
    }
    return cycles;
}

double bound_decode(const struct bound_code *code) {
    if (!cpu_knows(code->cpu, CPU_DECODERS))
        return cpu_knows(code->cpu, CPU_DECODED_BYTES) ? bytes_of(code) / cpu_value(code->cpu, CPU_DECODED_BYTES) : 0;
    double *cycles_at = ARENA_ARRAY(code->arena, double, code->n); // when a round began with it; 0: none has
    uint64_t *began = ARENA_ARRAY(code->arena, uint64_t, code->n), at = 0;
    for (double cycles = 1;; cycles += decode_round(code, &at)) {
        uint64_t turn = at / code->n, place = at % code->n;
        if (cycles_at[place] > 0)
            return (cycles - cycles_at[place]) / (double)(turn - began[place]);
        cycles_at[place] = cycles;
        began[place] = turn;
    }
}

static unsigned fields_of(const struct cpu_recipe *recipe) {
    return (recipe->encoding.displacement_bytes ? 1U : 0U) + (recipe->encoding.immediate_bytes ? 1U : 0U);
}

double bound_cache(const struct bound_code *code) {
    const struct cpu *cpu = code->cpu;
    double size = cpu_value(cpu, CPU_CACHE_LINE_BYTES), most = cpu_value(cpu, CPU_CACHE_LINE_SLOTS);
    double by_slots = 0, slots = 0, fields = 0, total = 0;
    if (cpu_knows(cpu, CPU_CACHE_SLOTS)) {
        for (unsigned i = 0; i < code->n; i++)
            total += code->recipes[i].slots;
        by_slots = total / cpu_value(cpu, CPU_CACHE_SLOTS);
    }
    if (size <= 0 || !cpu_knows(cpu, CPU_CACHE_LINES))
        return by_slots;
    unsigned copies = code->request->is_loop ? 1 : (unsigned)size, lines = 0, at = code->request->start;
    double line = -1;
    for (unsigned copy = 0; copy < copies; copy++)
        for (unsigned i = 0; i < code->n; i++) {
            const struct cpu_recipe *recipe = &code->recipes[i];
            double place = floor(at / size), more = recipe->slots, further = recipe->slots + fields_of(recipe);
            bool is_full = slots + more > most || (cpu_knows(cpu, CPU_CACHE_LINE_FIELDS) &&
                                                   fields + further > cpu_value(cpu, CPU_CACHE_LINE_FIELDS));
            at += recipe->insn->n_bytes;
            if (place != line || (is_full && more > 0)) {
                lines++;
                slots = fields = 0;
                line = place;
            }
            slots += more;
            fields += further;
        }
    return fmax(by_slots, lines / cpu_value(cpu, CPU_CACHE_LINES) / copies);
}
