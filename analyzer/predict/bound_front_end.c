#include "analyzer/predict/bound_parts.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static unsigned common_divisor(unsigned a, unsigned b) {
    return b ? common_divisor(b, a % b) : a;
}

// Here no number is NaN. fmax, fmin and ceil of libm also handle NaN, and would take most of the time of a window.
static double larger(double one, double other) {
    return one > other ? one : other;
}
static double smaller(double one, double other) {
    return one < other ? one : other;
}
static double round_up(double number) { // of what is not negative
    const unsigned whole = (unsigned)number;
    return whole < number ? whole + 1.0 : whole;
}

static void supply_add(const struct bound_code *code, struct supply *supply, unsigned n_insns, double cycles) {
    if (supply)
        *ARENA_ADD(code->arena, supply->steps, supply->n) = (struct supply_step){n_insns, cycles};
}

unsigned bound_copies(const struct bound_code *code, unsigned size) {
    return size / common_divisor(block_bytes(code->request->block), size);
}

struct window {
    unsigned ends, opcodes, stalls;
    unsigned again; // of the ends: those of the last copy, in the window that the first one begins in
};

// A place in code, as windows see it. Steps are short: subtracting is faster than a division.
struct offset {
    unsigned window, within;
};

static struct offset step_on(struct offset at, unsigned bytes, unsigned size) {
    for (at.within += bytes; at.within >= size; at.within -= size)
        at.window++;
    return at;
}
static unsigned wrap(unsigned window, unsigned n_windows) {
    while (window >= n_windows)
        window -= n_windows;
    return window;
}

// Windows of so many copies that the first one begins anew.
static struct window *fill_windows(const struct bound_code *code, unsigned size, unsigned copies, unsigned n_windows) {
    struct window *windows = ARENA_ARRAY(code->arena, struct window, n_windows);
    struct offset at = step_on((struct offset){0}, code->request->start, size);
    for (unsigned copy = 0; copy < copies; copy++)
        for (unsigned i = 0; i < code->n; i++) {
            const struct cpu_recipe *recipe = &code->recipes[i];
            const unsigned opcode = step_on(at, recipe->encoding.opcode_at, size).window;
            at = step_on(at, recipe->insn->n_bytes, size);
            const unsigned last = at.within ? at.window : at.window - 1;
            struct window *end = &windows[wrap(last, n_windows)];
            end->ends++;
            end->again += last >= n_windows;
            end->stalls += recipe->encoding.changes_length;
            if (opcode != last)
                windows[wrap(opcode, n_windows)].opcodes++;
        }
    return windows;
}

static double cycles_to_find(const struct window *window, double width) {
    return width > 0 ? larger(round_up((window->ends + window->opcodes) / width), 1) : 1;
}

double bound_predecode(const struct bound_code *code, struct supply *supply) {
    unsigned size = (unsigned)cpu_value(code->cpu, CPU_FETCH_BYTES), length = block_bytes(code->request->block);
    double width = cpu_value(code->cpu, CPU_PREDECODE_WIDTH), stall = cpu_value(code->cpu, CPU_LENGTH_CHANGE_STALL);
    if (!size || !length)
        return 0;
    unsigned copies = bound_copies(code, size), n_windows = copies * length / size;
    const struct window *windows = fill_windows(code, size, copies, n_windows);
    double cycles = 0, before = cycles_to_find(&windows[n_windows - 1], width); // which comes before the first
    for (unsigned i = 0; i < n_windows; i++) {
        const double found = cycles_to_find(&windows[i], width);
        const double here = found + larger(0, stall * windows[i].stalls - (before - 1));
        cycles += here;
        before = found;
        supply_add(code, supply, windows[i].ends - windows[i].again, here);
    }
    for (unsigned i = 0; i < n_windows; i++)
        if (windows[i].again)
            supply_add(code, supply, windows[i].again, 0);
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
    double more = decoders - 1;
    if (cpu_knows(cpu, CPU_DECODED_SLOTS))
        more = fmin(more, fmax(0, cpu_value(cpu, CPU_DECODED_SLOTS) - slots));
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
            (is_last && recipe->fuses != CPU_FUSES_NEVER && cpu_does(cpu, CPU_LAST_DECODER_PLAIN)))
            break;
        has_ended = is_branch(recipe);
        place++;
    }
    return cycles;
}

// What instructions take of what comes at so much a cycle, each by itself; 0 and no step: the CPU's model does not have
// it.
static double deliver_each(const struct bound_code *code, enum cpu_parameter rate,
                           unsigned (*count)(const struct bound_code *code, unsigned insn), struct supply *supply) {
    const double width = cpu_value(code->cpu, rate);
    double all = 0;
    for (unsigned i = 0; i < code->n && width > 0; i++) {
        unsigned n = count(code, i);
        all += n;
        supply_add(code, supply, 1, n / width);
    }
    return width > 0 ? all / width : 0;
}

static unsigned bytes_of(const struct bound_code *code, unsigned insn) {
    return code->recipes[insn].insn->n_bytes;
}

static unsigned slots_of(const struct bound_code *code, unsigned insn) {
    return code->recipes[insn].slots;
}

double bound_decode(const struct bound_code *code, struct supply *supply) {
    if (!cpu_knows(code->cpu, CPU_DECODERS))
        return deliver_each(code, CPU_DECODED_BYTES, bytes_of, supply);
    double *cycles_at = ARENA_ARRAY(code->arena, double, code->n); // when a round began with it; 0: none has
    uint64_t *began = ARENA_ARRAY(code->arena, uint64_t, code->n), at = 0;
    unsigned *round_at = ARENA_ARRAY(code->arena, unsigned, code->n), round = 0;
    for (double cycles = 1;; round++) {
        uint64_t turn = at / code->n, place = at % code->n, first = at;
        if (cycles_at[place] > 0) {
            if (supply)
                supply->repeats_from = round_at[place];
            return (cycles - cycles_at[place]) / (double)(turn - began[place]);
        }
        cycles_at[place] = cycles;
        began[place] = turn;
        round_at[place] = round;
        double here = decode_round(code, &at);
        supply_add(code, supply, (unsigned)(at - first), here);
        cycles += here;
    }
}

// Of an instruction and the jump that is fused into it.
static unsigned immediates_of(const struct bound_code *code, unsigned i) {
    const struct cpu_recipe *recipe = &code->recipes[i], *next = &code->recipes[(i + 1) % code->n];
    return recipe->is_fused ? 0 : cpu_recipe_fields(recipe) + (next->is_fused ? cpu_recipe_fields(next) : 0);
}

// A window of code in the cache of decoded instructions.
struct cached {
    unsigned slots, immediates, n_insns;
    unsigned lines; // that hold it
    bool follows;   // code comes to it from the window before
    bool is_left;   // by a taken branch
};

// Cycles in which a window's lines are delivered. More lines than come at once take further rounds. Windows of little
// more than these are stored so that they need them, or so that they do not: in straight code the mean grows evenly; in
// loops, where code comes from the window before, they do not.
static double window_cycles(const struct bound_code *code, const struct cached *window) {
    const struct cpu *cpu = code->cpu;
    double at_once = cpu_value(cpu, CPU_CACHE_LINES), width = cpu_value(cpu, CPU_DISPATCH_WIDTH);
    double rounds = round_up(window->lines / at_once), straight = cpu_value(cpu, CPU_CACHE_STRAIGHT_SLOTS);
    if (cpu_knows(cpu, CPU_CACHE_WINDOW_LINES) && window->lines > cpu_value(cpu, CPU_CACHE_WINDOW_LINES))
        return code->request->is_loop ? 1 + round_up(window->slots / width) : window->slots / width;
    const bool are_many = cpu_knows(cpu, CPU_CACHE_MANY_LINES) && window->lines >= cpu_value(cpu, CPU_CACHE_MANY_LINES);
    if (!cpu_knows(cpu, CPU_CACHE_LOOP_ROUND))
        return window->lines / at_once + are_many;
    double round = cpu_value(cpu, CPU_CACHE_LOOP_ROUND), cycles = 1 + (rounds - 1) * round;
    double held = larger(window->slots, window->immediates), line = cpu_value(cpu, CPU_CACHE_LINE_SLOTS);
    if (code->request->is_loop || !cpu_knows(cpu, CPU_CACHE_STRAIGHT_SLOTS))
        return window->follows && held <= straight ? 1 : cycles + are_many;
    double few = (rounds - 2) * at_once * line + straight, many = ((rounds - 1) * at_once + 1) * line;
    double without = larger(smaller(held, few) / width, cycles - round); // the last round
    if (rounds < 2)
        return 1;
    return without + smaller(larger((held - few) / (many - few), 0), 1) * larger(cycles - without, 0);
}

static double end_window(const struct bound_code *code, struct cached *window, struct supply *supply) {
    window->lines = window->lines ? window->lines : 1; // nothing holds it, where code begins behind the first window
    double cycles = window_cycles(code, window);
    if (window->is_left)
        cycles = larger(cycles, 1 / cpu_value(code->cpu, CPU_TAKEN_BRANCHES));
    supply_add(code, supply, window->n_insns, cycles);
    return cycles;
}

// What instructions hold of lines.
struct held {
    unsigned slots, immediates;
    unsigned long_ones; // immediates and displacements that are no signed bytes
};

// What a line holds at most. `fields` and `long_fields`: of one that holds all its slots; others hold more, up to
// `immediates`.
struct limits {
    unsigned slots, immediates, fields, long_fields;
};

static unsigned limit_of(const struct cpu *cpu, enum cpu_parameter limit) {
    return cpu_knows(cpu, limit) ? (unsigned)cpu_value(cpu, limit) : UINT_MAX / 4;
}

// Where the model has no limit, it is one that no line reaches; so it is for fields in straight code.
static struct limits find_limits(const struct bound_code *code) {
    const struct cpu *cpu = code->cpu;
    struct limits limits = {limit_of(cpu, CPU_CACHE_LINE_SLOTS), limit_of(cpu, CPU_CACHE_LINE_IMMEDIATES), UINT_MAX / 4,
                            UINT_MAX / 4};
    if (code->request->is_loop) {
        limits.fields = limit_of(cpu, CPU_CACHE_LINE_FIELDS);
        limits.long_fields = limit_of(cpu, CPU_CACHE_LINE_LONG_FIELDS);
        if (cpu_knows(cpu, CPU_CACHE_LINE_MOST_FIELDS))
            limits.immediates = limit_of(cpu, CPU_CACHE_LINE_MOST_FIELDS);
    }
    return limits;
}

static bool fits_line(const struct limits *most, const struct held *line) {
    const unsigned less = most->slots - line->slots; // slots than all
    return line->slots <= most->slots && line->immediates <= most->immediates &&
           line->immediates <= most->fields + 2 * less && (less > 1 || line->long_ones <= most->long_fields + less);
}

// An immediate of a byte that is no signed one: operations on bytes have it, shifts and bt.
static bool has_unsigned_byte(const struct cpu_recipe *recipe) {
    enum { PUSH = 0x6a, IMUL = 0x6b, ARITHMETIC = 0x83 }; // opcodes whose byte is extended with its sign
    const uint8_t opcode = recipe->encoding.opcode;
    return recipe->encoding.immediate_bytes == 1 && !recipe->is_vector && !is_branch(recipe) && opcode != PUSH &&
           opcode != IMUL && opcode != ARITHMETIC;
}

static unsigned long_fields_of(const struct cpu_recipe *recipe) {
    return (recipe->encoding.displacement_bytes > 1 ? 1U : 0U) +
           (recipe->encoding.immediate_bytes > 1 || has_unsigned_byte(recipe) ? 1U : 0U);
}

// Of an instruction and the jump that is fused into it. Nops that share a slot take no room.
static struct held held_by(const struct bound_code *code, unsigned i) {
    const struct cpu_recipe *recipe = &code->recipes[i], *next = &code->recipes[(i + 1) % code->n];
    struct held held = {(unsigned)recipe->slots, immediates_of(code, i), 0};
    if (recipe->rename == CPU_IS_IDLE && cpu_does(code->cpu, CPU_NOP_FUSION))
        return (struct held){.slots = 0};
    if (recipe->rename != CPU_IS_IDLE && !recipe->is_fused)
        held.long_ones = long_fields_of(recipe) + (next->is_fused ? long_fields_of(next) : 0);
    return held;
}

static struct held *list_held(const struct bound_code *code) {
    struct held *held = ARENA_ARRAY(code->arena, struct held, code->n);
    for (unsigned i = 0; i < code->n; i++)
        held[i] = held_by(code, i);
    return held;
}

// By instruction: how many fit into a line that begins with it; at most those of a window. What has no slot does not
// fill a line.
static unsigned *list_fits(const struct bound_code *code, const struct held *each, unsigned size) {
    const struct limits most = find_limits(code);
    unsigned *fits = ARENA_ARRAY(code->arena, unsigned, code->n);
    for (unsigned i = 0; i < code->n; i++) {
        struct held line = {0};
        for (unsigned at = i; fits[i] < size; at = at + 1 == code->n ? 0 : at + 1, fits[i]++) {
            const struct held with = {line.slots + each[at].slots, line.immediates + each[at].immediates,
                                      line.long_ones + each[at].long_ones};
            if (!fits_line(&most, &with) && each[at].slots && line.slots)
                break;
            line = with;
        }
    }
    return fits;
}

// Copies of code, as the instructions that begin before a byte of them, and what these hold. All by sums, so that a
// window is looked at once, not each instruction of it.
struct laid_out {
    unsigned n, n_bytes; // of a copy
    unsigned *before;    // by byte of a copy: instructions that begin before it, or whose line does
    struct held *sums;   // by instruction: what those before it hold; behind the last one, of a whole copy
};

static struct laid_out lay_out(const struct bound_code *code, const struct held *each) {
    const bool is_one = cpu_does(code->cpu, CPU_CACHE_FUSED_TOGETHER);
    struct laid_out all = {.n = code->n, .n_bytes = block_bytes(code->request->block)};
    all.before = arena_alloc_uncleared(code->arena, (all.n_bytes + 1) * sizeof *all.before);
    all.sums = arena_alloc_uncleared(code->arena, (all.n + 1) * sizeof *all.sums);
    all.sums[0] = (struct held){.slots = 0};
    for (unsigned i = 0, at = 0; i < all.n; i++) {
        all.sums[i + 1] =
            (struct held){all.sums[i].slots + each[i].slots, all.sums[i].immediates + each[i].immediates, 0};
        const bool is_fused = is_one && i && code->recipes[i].is_fused,
                   has_partner = is_one && i + 1 < all.n && code->recipes[i + 1].is_fused;
        for (unsigned byte = 0; byte < code->recipes[i].insn->n_bytes; byte++)
            all.before[at++] = i + (is_fused ? 1 : byte > 0 ? 1 + has_partner : 0);
    }
    return all;
}

// A place in copies of code: which copy, and how many instructions of it come before.
struct reached {
    unsigned copy, insn;
};

// How far instructions come that begin before that byte.
static struct reached reach(const struct laid_out *all, unsigned byte, unsigned copies) {
    const unsigned copy = all->n_bytes ? byte / all->n_bytes : copies;
    if (copy >= copies)
        return (struct reached){copies, 0};
    const unsigned insn = all->before[byte % all->n_bytes];
    return insn < all->n ? (struct reached){copy, insn} : (struct reached){copy + 1, 0};
}

// What the code from one place to another holds, and the lines that hold it.
static struct cached hold(const struct laid_out *all, const unsigned *fits, struct reached from, struct reached to) {
    const struct held *first = &all->sums[from.insn], *last = &all->sums[to.insn], *whole = &all->sums[all->n];
    const unsigned copies = to.copy - from.copy;
    struct cached window = {.slots = copies * whole->slots + last->slots - first->slots,
                            .immediates = copies * whole->immediates + last->immediates - first->immediates,
                            .n_insns = copies * all->n + to.insn - from.insn};
    for (unsigned i = from.insn, left = window.n_insns; left; window.lines++) {
        const unsigned taken = fits[i] < left ? fits[i] : left;
        left -= taken;
        for (i += taken; i >= all->n;)
            i -= all->n;
    }
    return window;
}

// Whether control goes on elsewhere than behind it. The way of a conditional branch is known where code is laid out.
static bool is_taken(const struct insn *insn) {
    return insn->is_taken || (insn_changes_way(insn) && !insn->is_conditional);
}

// A taken branch of a copy: how many instructions come before what it leads to, and how far into the copy as it is laid
// out that is; how much further on it really lies, bytes.
struct taken {
    unsigned n_insns, n_bytes;
    unsigned moved;
};

// Lists, by instruction of a copy, the next taken branch; with n_insns 0 where none follows. Null: the copy has none,
// or the CPU file does not say what they cost.
static struct taken *list_taken(const struct bound_code *code) {
    struct taken *taken = NULL, next = {0};
    unsigned laid_out = 0, lies = 0;
    for (unsigned i = 0; i < code->n && cpu_value(code->cpu, CPU_TAKEN_BRANCHES) > 0; i++) {
        const struct insn *insn = code->recipes[i].insn;
        laid_out += insn->n_bytes;
        const unsigned behind = lies + insn->n_bytes;
        lies = is_taken(insn) && insn->is_direct ? lies + (unsigned)insn->displacement : behind;
        if (!is_taken(insn))
            continue;
        taken = taken ? taken : ARENA_ARRAY(code->arena, struct taken, code->n);
        taken[i] = (struct taken){i + 1, laid_out, lies - laid_out};
    }
    for (unsigned i = code->n; i-- > 0 && taken;) {
        next = taken[i].n_insns ? taken[i] : next;
        taken[i] = next;
    }
    return taken;
}

// The branch by which code from `at` on is left before `to`, which is behind that one then; null: it is not.
static const struct taken *leave(const struct taken *taken, unsigned n, struct reached at, struct reached *to) {
    if (!taken)
        return NULL;
    const struct taken *by = &taken[at.insn];
    const unsigned copy = by->n_insns ? at.copy : at.copy + 1;
    by = by->n_insns ? by : &taken[0];
    const struct reached end = by->n_insns < n ? (struct reached){copy, by->n_insns} : (struct reached){copy + 1, 0};
    if (end.copy > to->copy || (end.copy == to->copy && end.insn > to->insn))
        return NULL;
    *to = end;
    return by;
}

// Fills lines greedily: one ends with its window, behind a taken branch, or where it is full.
static double fill_cache(const struct bound_code *code, unsigned copies, struct supply *supply) {
    const unsigned size = (unsigned)cpu_value(code->cpu, CPU_CACHE_LINE_BYTES), start = code->request->start;
    const struct held *each = list_held(code);
    const unsigned *fits = list_fits(code, each, size);
    const struct laid_out all = lay_out(code, each);
    const struct taken *taken = list_taken(code);
    struct reached at = {0};
    bool follows = false;
    double cycles = 0;
    for (unsigned end = size; at.copy < copies;) {
        struct reached to = end > start ? reach(&all, end - start, copies) : at;
        const struct taken *by = leave(taken, code->n, at, &to);
        struct cached window = hold(&all, fits, at, to);
        window.follows = follows;
        window.is_left = by;
        if (window.n_insns || end == size) {
            cycles += end_window(code, &window, supply);
            follows = !by;
        }
        at = to;
        if (by) { // the end of the window that it leads to
            const unsigned so_far = start + (to.copy - (to.insn ? 0 : 1)) * all.n_bytes + by->n_bytes;
            end = so_far + size - (start + by->n_bytes + by->moved) % size;
        } else {
            end += size;
        }
    }
    return cycles;
}

double bound_cache_slots(const struct bound_code *code, struct supply *supply) {
    return deliver_each(code, CPU_CACHE_SLOTS, slots_of, supply);
}

double bound_cache_immediates(const struct bound_code *code, struct supply *supply) {
    return deliver_each(code, CPU_CACHE_IMMEDIATES, immediates_of, supply);
}

double bound_cache_lines(const struct bound_code *code, unsigned copies, struct supply *supply) {
    const struct cpu *cpu = code->cpu;
    if (cpu_value(cpu, CPU_CACHE_LINE_BYTES) < 1 || cpu_value(cpu, CPU_CACHE_LINES) <= 0 ||
        !cpu_knows(cpu, CPU_CACHE_LINE_SLOTS))
        return 0;
    return fill_cache(code, copies, supply) / copies;
}

double bound_cache(const struct bound_code *code) {
    // As many copies as the first window needs to come again.
    const unsigned size = (unsigned)cpu_value(code->cpu, CPU_CACHE_LINE_BYTES);
    const unsigned copies = code->request->is_loop || !size ? 1 : bound_copies(code, size);
    double delivered = fmax(bound_cache_slots(code, NULL), bound_cache_immediates(code, NULL));
    return fmax(delivered, bound_cache_lines(code, copies, NULL));
}
