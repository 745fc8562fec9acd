#include "vector_model.h"

#include <math.h>
#include <string.h>

typedef __int128 wide;

enum { OPI_V, OPF_V, OPM_V, OPI_I, OPI_X, OPF_F, OPM_X }; // bits 12 to 14

static unsigned kind_of(uint32_t code) {
    return code >> 12 & 7;
}
static unsigned operation(uint32_t code) { // funct6
    return code >> 26;
}
static unsigned field_d(uint32_t code) {
    return code >> 7 & 31;
}
static unsigned field_1(uint32_t code) {
    return code >> 15 & 31;
}
static unsigned field_2(uint32_t code) {
    return code >> 20 & 31;
}
static bool has_mask(uint32_t code) {
    return !(code >> 25 & 1);
}
static bool is_of_vectors(uint32_t code) {
    return kind_of(code) <= OPM_V;
}
static bool is_integer(uint32_t code) {
    return kind_of(code) == OPI_V || kind_of(code) == OPI_I || kind_of(code) == OPI_X;
}
static bool is_float(uint32_t code) {
    return kind_of(code) == OPF_V || kind_of(code) == OPF_F;
}

static uint64_t low(uint64_t value, unsigned bits) {
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}
static int64_t sign(uint64_t value, unsigned bits) {
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t get(const struct vector_model *m, unsigned reg, unsigned i, unsigned bits) {
    uint64_t value = 0;
    memcpy(&value, &m->old->v[reg * m->register_bytes + i * bits / 8], bits / 8);
    return value;
}
static bool get_bit(const struct vector_model *m, unsigned reg, unsigned i) {
    return m->old->v[reg * m->register_bytes + i / 8] >> i % 8 & 1;
}
static void put(struct vector_model *m, unsigned reg, unsigned i, unsigned bits, uint64_t value) {
    memcpy(&m->now.v[reg * m->register_bytes + i * bits / 8], &value, bits / 8);
}

static bool is_active(const struct vector_model *m, unsigned i) {
    return i < m->vl && (!has_mask(m->code) || get_bit(m, 0, i));
}

static unsigned registers_of(const struct vector_model *m, unsigned bits) {
    const int eighths = (m->lmul < 0 ? 8 >> -m->lmul : 8 << m->lmul) * (int)bits / (int)m->sew;
    return eighths < 8 ? 1 : (unsigned)eighths / 8;
}
static unsigned elements_of(const struct vector_model *m) { // VLMAX
    const unsigned all = m->register_bytes * 8 / m->sew;
    return m->lmul < 0 ? all >> -m->lmul : all << m->lmul;
}

// By the policies: what becomes of elements from `from`, and of masked-off ones, of a destination.
static void open_elements(struct vector_model *m, unsigned reg, unsigned bits, unsigned registers, unsigned from,
                          bool is_masked) {
    const unsigned bytes = bits / 8, n = registers * m->register_bytes / bytes;
    for (unsigned i = 0; i < n; i++) {
        const bool keeps = i >= from ? m->keeps_tail : !is_masked || get_bit(m, 0, i) || m->keeps_masked_off;
        memset(&m->is_agnostic[reg * m->register_bytes + i * bytes], !keeps, bytes);
    }
}

// A mask's tail may be anything, nearly (3.4.3), and so may masked-off bits that are agnostic.
static void put_mask(struct vector_model *m, unsigned i, bool is_set, bool is_written) {
    const unsigned byte = field_d(m->code) * m->register_bytes + i / 8, bit = 1U << i % 8;
    if (is_written)
        m->now.v[byte] = (uint8_t)((m->now.v[byte] & ~bit) | (is_set ? bit : 0));
    else if (i >= m->vl || !m->keeps_masked_off)
        m->fixed[byte] &= (uint8_t)~bit;
}

// ---- numbers

static wide rounded(wide value, unsigned shift) { // vxrm 0: to the nearest, halves up
    return shift ? (value >> shift) + (value >> (shift - 1) & 1) : value;
}
static uint64_t clip(struct vector_model *m, wide value, unsigned bits, bool is_signed) {
    const wide most = ((wide)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    m->now.saturated |= value > most || value < least;
    return (uint64_t)(value > most ? most : value < least ? least : value);
}

struct operands {
    uint64_t u2, u1, ud; // of the widths of the operands, zero-extended
    int64_t s2, s1, sd;
    unsigned bits; // of the destination
    bool carry;
};

static uint64_t divide(const struct operands *o, bool is_signed, bool is_rest) {
    const bool overflows = is_signed && o->s1 == -1;
    if (o->u1 == 0)
        return is_rest ? o->u2 : UINT64_MAX;
    if (overflows)
        return is_rest ? 0 : -o->u2;
    if (is_signed)
        return (uint64_t)(is_rest ? o->s2 % o->s1 : o->s2 / o->s1);
    return is_rest ? o->u2 % o->u1 : o->u2 / o->u1;
}

// Numbers of the operation (funct6): all are computed, as wide as they come, and one is taken.
static uint64_t compute_i(struct vector_model *m, unsigned op, const struct operands *o) {
    const unsigned bits = o->bits, narrow = 2 * bits - 1, shift = (unsigned)o->u1 & (bits - 1);
    const bool is_signed = op & 1, saturates = (op >= 0x20 && op <= 0x23) || op == 0x27 || op == 0x2e || op == 0x2f;
    const wide results[64] = {[0x00] = o->u2 + o->u1,
                              [0x02] = o->u2 - o->u1,
                              [0x03] = o->u1 - o->u2,
                              [0x04] = o->u2 < o->u1 ? o->u2 : o->u1,
                              [0x05] = o->s2 < o->s1 ? o->u2 : o->u1,
                              [0x06] = o->u2 > o->u1 ? o->u2 : o->u1,
                              [0x07] = o->s2 > o->s1 ? o->u2 : o->u1,
                              [0x09] = o->u2 & o->u1,
                              [0x0a] = o->u2 | o->u1,
                              [0x0b] = o->u2 ^ o->u1,
                              [0x10] = o->u2 + o->u1 + o->carry,
                              [0x12] = o->u2 - o->u1 - o->carry,
                              [0x11] = ((wide)o->u2 + o->u1 + o->carry) >> bits & 1,
                              [0x13] = (wide)o->u2 - o->u1 - o->carry < 0,
                              [0x18] = (o->u2 == o->u1),
                              [0x19] = (o->u2 != o->u1),
                              [0x1a] = (o->u2 < o->u1),
                              [0x1b] = (o->s2 < o->s1),
                              [0x1c] = (o->u2 <= o->u1),
                              [0x1d] = (o->s2 <= o->s1),
                              [0x1e] = (o->u2 > o->u1),
                              [0x1f] = (o->s2 > o->s1),
                              [0x20] = (wide)o->u2 + o->u1,
                              [0x21] = (wide)o->s2 + o->s1,
                              [0x22] = (wide)o->u2 - o->u1,
                              [0x23] = (wide)o->s2 - o->s1,
                              [0x25] = o->u2 << shift,
                              [0x27] = rounded((wide)o->s2 * o->s1, bits - 1),
                              [0x28] = o->u2 >> shift,
                              [0x29] = o->s2 >> shift,
                              [0x2a] = rounded(o->u2, shift),
                              [0x2b] = rounded(o->s2, shift),
                              [0x2c] = o->u2 >> (o->u1 & narrow),
                              [0x2d] = o->s2 >> (o->u1 & narrow),
                              [0x2e] = rounded(o->u2, o->u1 & narrow),
                              [0x2f] = rounded(o->s2, o->u1 & narrow)};
    return saturates ? clip(m, results[op], bits, is_signed) : (uint64_t)results[op];
}

static uint64_t compute_m(unsigned op, const struct operands *o) {
    const unsigned bits = o->bits;
    const wide results[64] = {[0x08] = rounded((wide)o->u2 + o->u1, 1),
                              [0x09] = rounded((wide)o->s2 + o->s1, 1),
                              [0x0a] = rounded((wide)o->u2 - o->u1, 1),
                              [0x0b] = rounded((wide)o->s2 - o->s1, 1),
                              [0x20] = divide(o, false, false),
                              [0x21] = divide(o, true, false),
                              [0x22] = divide(o, false, true),
                              [0x23] = divide(o, true, true),
                              [0x24] = (wide)((unsigned __int128)o->u2 * o->u1 >> bits),
                              [0x25] = (wide)(o->u2 * o->u1),
                              [0x26] = (wide)o->s2 * o->u1 >> bits,
                              [0x27] = (wide)o->s2 * o->s1 >> bits,
                              [0x29] = o->ud * o->u1 + o->u2,
                              [0x2b] = o->u2 - o->ud * o->u1,
                              [0x2d] = o->ud + o->u2 * o->u1,
                              [0x2f] = o->ud - o->u2 * o->u1,
                              [0x30] = o->u2 + o->u1,
                              [0x31] = (wide)o->s2 + o->s1,
                              [0x32] = o->u2 - o->u1,
                              [0x33] = (wide)o->s2 - o->s1,
                              [0x38] = (wide)(o->u2 * o->u1),
                              [0x3a] = (wide)o->s2 * o->u1,
                              [0x3b] = (wide)o->s2 * o->s1,
                              [0x3c] = o->ud + o->u2 * o->u1,
                              [0x3d] = o->ud + (wide)o->s2 * o->s1,
                              [0x3e] = o->ud + (wide)o->s2 * o->u1,
                              [0x3f] = o->ud + (wide)o->u2 * o->s1};
    return (uint64_t)results[op >= 0x34 && op <= 0x37 ? op - 4 : op]; // vwadd.w as vwadd.v
}

static double number(uint64_t value, unsigned bits) {
    float single;
    double wide_one;
    memcpy(&single, &value, sizeof single);
    memcpy(&wide_one, &value, sizeof wide_one);
    return bits == 32 ? single : wide_one;
}
static uint64_t pattern(double value, unsigned bits) {
    value = isnan(value) ? NAN : value; // the canonical one
    const float single = (float)value;
    uint64_t out = 0;
    memcpy(&out, bits == 32 ? (const void *)&single : (const void *)&value, bits / 8);
    return out;
}

// A sum, product, quotient or root of two singles, rounded to a double and then to a single, is rounded once
// (Figueroa). That of three is not.
static double fused(double a, double b, double c, unsigned bits) {
    return bits == 32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

// vfwadd and vfwmacc, as vfadd and vfmacc: only widths differ.
static unsigned not_widening(unsigned op) {
    return op < 0x30 ? op : op < 0x38 ? op & 3 : op == 0x38 ? 0x24 : op - 0x10;
}

static uint64_t compute_f(unsigned op, const struct operands *o, struct vector_widths w) {
    const double a = number(o->u2, w.s2), b = number(o->u1, w.s1), d = number(o->ud, w.d);
    const uint64_t top = UINT64_C(1) << (o->bits - 1);
    const uint64_t patterns[0x20] = {[0x08] = (o->u2 & ~top) | (o->u1 & top),
                                     [0x09] = (o->u2 & ~top) | (~o->u1 & top),
                                     [0x0a] = o->u2 ^ (o->u1 & top),
                                     [0x18] = (a == b),
                                     [0x19] = (a <= b),
                                     [0x1b] = (a < b),
                                     [0x1c] = (a != b),
                                     [0x1d] = (a > b),
                                     [0x1f] = (a >= b)};
    const double results[0x30] = {[0x00] = a + b,
                                  [0x02] = a - b,
                                  [0x04] = fmin(a, b),
                                  [0x06] = fmax(a, b),
                                  [0x20] = a / b,
                                  [0x21] = b / a,
                                  [0x24] = a * b,
                                  [0x27] = b - a,
                                  [0x28] = fused(d, b, a, o->bits),
                                  [0x29] = fused(-d, b, -a, o->bits),
                                  [0x2a] = fused(d, b, -a, o->bits),
                                  [0x2b] = fused(-d, b, a, o->bits),
                                  [0x2c] = fused(a, b, d, o->bits),
                                  [0x2d] = fused(-a, b, -d, o->bits),
                                  [0x2e] = fused(a, b, -d, o->bits),
                                  [0x2f] = fused(-a, b, d, o->bits)};
    const bool is_pattern = (op >= 0x08 && op <= 0x0a) || (op >= 0x18 && op <= 0x1f);
    return is_pattern ? patterns[op] : pattern(results[not_widening(op)], o->bits);
}

// ---- operands

struct vector_widths vector_model_widths(uint32_t code, unsigned sew) {
    const unsigned op = operation(code), unary = field_1(code);
    struct vector_widths w = {sew, sew, sew};
    if (is_integer(code)) {
        const bool is_mask = op == 0x11 || op == 0x13 || (op >= 0x18 && op <= 0x1f), is_sum = op == 0x30 || op == 0x31;
        if (is_mask)
            w.d = 0;
        if (is_sum)
            w.d = w.s1 = 2 * sew;
        if (op >= 0x2c && op <= 0x2f)
            w.s2 = 2 * sew;
        return w;
    }
    if (op >= 0x30) {
        w.d = 2 * sew;
        if (op >= 0x34 && op <= 0x37)
            w.s2 = 2 * sew;
        if (is_float(code) && (op == 0x31 || op == 0x33))
            w.s1 = 2 * sew;
    }
    if (is_float(code) && op >= 0x18 && op <= 0x1f)
        w.d = 0;
    if (is_float(code) && kind_of(code) == OPF_V && op == 0x12) {
        if (unary >= 0x08 && unary <= 0x0f)
            w.d = 2 * sew;
        if (unary >= 0x10)
            w.s2 = 2 * sew;
    }
    return w;
}

static uint64_t scalar(const struct vector_model *m, unsigned bits) {
    const unsigned op = operation(m->code), number = field_1(m->code);
    if (is_float(m->code))
        return low(m->old->f[number], bits);
    if (kind_of(m->code) != OPI_I)
        return m->old->x[number];
    const bool is_unsigned = op == 0x0c || op == 0x0e || op == 0x0f || op == 0x25 || (op >= 0x28 && op <= 0x2f);
    return is_unsigned ? number : (uint64_t)sign(number, 5);
}

static struct operands operands_of(const struct vector_model *m, struct vector_widths w, unsigned i) {
    const uint64_t one = is_of_vectors(m->code) ? get(m, field_1(m->code), i, w.s1) : scalar(m, w.s1),
                   two = get(m, field_2(m->code), i, w.s2), d = w.d ? get(m, field_d(m->code), i, w.d) : 0;
    struct operands o = {.u2 = two,
                         .u1 = low(one, w.s1),
                         .ud = d,
                         .s2 = sign(two, w.s2),
                         .s1 = sign(one, w.s1),
                         .bits = w.d ? w.d : w.s2};
    o.carry = has_mask(m->code) && get_bit(m, 0, i);
    return o;
}

// ---- element by element

static bool convert(const struct vector_model *m, struct vector_widths w, uint64_t in, uint64_t *out) {
    const unsigned unary = field_1(m->code) & 7, which = field_1(m->code);
    const bool to_float = unary == 2 || unary == 3, of_float = unary <= 1 || unary >= 6;
    if (which == 0x0c || which == 0x14)
        return *out = pattern(number(in, w.s2), w.d), w.s2 >= 32 && w.d >= 32;
    if (to_float) {
        const float single = unary == 2 ? (float)in : (float)sign(in, w.s2);
        const double result = unary == 2 ? (double)in : (double)sign(in, w.s2);
        return *out = pattern(w.d == 32 ? single : result, w.d), w.d >= 32;
    }
    if (!of_float || w.s2 < 32)
        return false;
    const double value = number(in, w.s2), whole = unary >= 6 ? trunc(value) : rint(value);
    const bool is_signed = unary & 1;
    const double most = ldexp(1, (int)w.d - is_signed), least = is_signed ? -most : 0;
    if (whole >= most)
        *out = low(UINT64_MAX, w.d - is_signed);
    else
        *out = whole < least ? (uint64_t)(is_signed ? INT64_MIN >> (64 - w.d) : 0) : (uint64_t)(int64_t)whole;
    return true;
}

static bool unary(struct vector_model *m, struct vector_widths w, unsigned i, uint64_t *out) {
    const unsigned op = operation(m->code), which = field_1(m->code);
    if (kind_of(m->code) == OPM_V) { // vzext and vsext: 2, 3: an eighth, 4, 5: a quarter, 6, 7: half
        const unsigned bits = m->sew >> (4 - which / 2);
        const uint64_t value = get(m, field_2(m->code), i, bits);
        *out = which & 1 ? (uint64_t)sign(value, bits) : value;
        return true;
    }
    const uint64_t value = get(m, field_2(m->code), i, w.s2);
    if (op == 0x12)
        return convert(m, w, value, out);
    if (which != 0 || w.s2 < 32)
        return false;
    *out = pattern(sqrt(number(value, w.s2)), w.d);
    return true;
}

// vadc and vsbc, and what writes the carry, have v0 as an operand. So have vmerge and vmv.v, which are one.
static bool has_carry(uint32_t code) {
    const unsigned op = operation(code);
    return op == 0x17 || (is_integer(code) && op >= 0x10 && op <= 0x13);
}

static bool compute(struct vector_model *m, struct vector_widths w, unsigned i, uint64_t *out) {
    const unsigned op = operation(m->code), kind = kind_of(m->code);
    const bool is_unary = (kind == OPM_V && op == 0x12) || (kind == OPF_V && (op == 0x12 || op == 0x13));
    if (is_unary)
        return unary(m, w, i, out);
    const struct operands o = operands_of(m, w, i);
    if (op == 0x17)
        return *out = has_mask(m->code) && !o.carry ? o.u2 : o.u1, true;
    const bool is_known = !is_float(m->code) || w.s1 >= 32 || (op >= 0x08 && op <= 0x0a);
    *out = is_float(m->code) ? compute_f(op, &o, w) : is_integer(m->code) ? compute_i(m, op, &o) : compute_m(op, &o);
    return is_known;
}

static bool run_elements(struct vector_model *m) {
    const struct vector_widths w = vector_model_widths(m->code, m->sew);
    const bool is_masked = has_mask(m->code) && !has_carry(m->code);
    const unsigned d = field_d(m->code);
    if (w.d)
        open_elements(m, d, w.d, registers_of(m, w.d), m->vl, is_masked);
    for (unsigned i = 0; i < (w.d ? m->vl : m->register_bytes * 8); i++) {
        const bool is_written = i < m->vl && (!is_masked || get_bit(m, 0, i));
        uint64_t value = 0;
        if (is_written && !compute(m, w, i, &value))
            return false;
        if (!w.d)
            put_mask(m, i, value, is_written);
        else if (is_written)
            put(m, d, i, w.d, value);
    }
    return true;
}

// ---- what goes across elements

static bool run_reduction(struct vector_model *m) {
    const struct vector_widths w = vector_model_widths(m->code, m->sew);
    const unsigned op = operation(m->code), d = field_d(m->code);
    static const unsigned as_integer[] = {0x00, 0x09, 0x0a, 0x0b, 0x04, 0x05, 0x06, 0x07};
    uint64_t sum = get(m, field_1(m->code), 0, w.s1);
    if (is_float(m->code) && w.s2 < 32)
        return false;
    for (unsigned i = 0; i < m->vl; i++) {
        const uint64_t value = get(m, field_2(m->code), i, w.s2);
        struct operands o = {.u2 = sum, .s2 = sign(sum, w.d), .u1 = value, .s1 = sign(value, w.s2), .bits = w.d};
        struct vector_widths both = {w.d, w.d, w.s2};
        if (!is_active(m, i))
            continue;
        if (is_float(m->code))
            sum = compute_f(op == 0x05 ? 0x04 : op == 0x07 ? 0x06 : 0x00, &o, both);
        else if (is_integer(m->code))
            sum += op == 0x30 ? value : (uint64_t)o.s1;
        else
            sum = compute_i(m, as_integer[op], &o);
        sum = low(sum, w.d);
    }
    open_elements(m, d, w.d, 1, 1, false);
    put(m, d, 0, w.d, sum);
    return true;
}

static bool run_permutation(struct vector_model *m) {
    const unsigned op = operation(m->code), d = field_d(m->code), two = field_2(m->code), bits = m->sew,
                   most = elements_of(m);
    const bool is_one = !is_integer(m->code), is_gather = op == 0x0c || (op == 0x0e && kind_of(m->code) == OPI_V),
               is_up = op == 0x0e;
    open_elements(m, d, bits, registers_of(m, bits), m->vl, has_mask(m->code));
    for (unsigned i = 0; i < m->vl; i++) {
        uint64_t from = is_one ? 1 : scalar(m, 64);
        if (is_gather && is_of_vectors(m->code))
            from = get(m, field_1(m->code), i, op == 0x0e ? 16 : bits);
        if (!is_active(m, i) || (!is_gather && !is_one && is_up && i < from))
            continue;
        const bool is_new = is_one && i == (is_up ? 0 : m->vl - 1);
        const uint64_t at = is_gather ? from : is_up ? i - from : from > most ? most : i + from;
        put(m, d, i, bits, is_new ? scalar(m, bits) : at < most ? get(m, two, (unsigned)at, bits) : 0);
    }
    return true;
}

static bool run_compress(struct vector_model *m) {
    const unsigned d = field_d(m->code), bits = m->sew;
    unsigned n = 0;
    for (unsigned i = 0; i < m->vl; i++)
        if (get_bit(m, field_1(m->code), i))
            put(m, d, n++, bits, get(m, field_2(m->code), i, bits));
    open_elements(m, d, bits, registers_of(m, bits), n, false);
    return true;
}

static bool run_mask_logic(struct vector_model *m) {
    for (unsigned i = 0; i < m->register_bytes * 8; i++) {
        const bool a = get_bit(m, field_2(m->code), i), b = get_bit(m, field_1(m->code), i);
        const bool results[] = {a && !b, a && b, a || b, a != b, a || !b, !(a && b), !(a || b), a == b};
        put_mask(m, i, results[operation(m->code) - 0x18], i < m->vl);
    }
    return true;
}

// vmsbf, vmsof, vmsif: 1, 2, 3; viota, vid: 16, 17.
static bool run_mask_unary(struct vector_model *m) {
    const unsigned which = field_1(m->code), d = field_d(m->code), bits = m->sew;
    uint64_t before = 0;
    if (which >= 16)
        open_elements(m, d, bits, registers_of(m, bits), m->vl, has_mask(m->code));
    for (unsigned i = 0; i < (which < 16 ? m->register_bytes * 8 : m->vl); i++) {
        const bool is_on = is_active(m, i), is_set = is_on && which != 17 && get_bit(m, field_2(m->code), i);
        const bool results[] = {0, !before && !is_set, !before && is_set, !before};
        if (which < 16)
            put_mask(m, i, results[which & 3], is_on);
        else if (is_on)
            put(m, d, i, bits, which == 16 ? before : i);
        before += is_set;
    }
    return true;
}

// vmv.x.s, vcpop, vfirst, vfmv.f.s: 0, 16, 17, 0.
static bool run_to_scalar(struct vector_model *m) {
    const unsigned which = field_1(m->code), d = field_d(m->code);
    const uint64_t element = get(m, field_2(m->code), 0, m->sew);
    uint64_t count = 0, first = UINT64_MAX;
    for (unsigned i = 0; i < m->vl && which; i++)
        if (is_active(m, i) && get_bit(m, field_2(m->code), i))
            first = count++ ? first : i;
    if (is_float(m->code))
        m->now.f[d] = m->sew < 64 ? UINT64_MAX << m->sew | element : element;
    else if (d)
        m->now.x[d] = which == 0 ? (uint64_t)sign(element, m->sew) : which == 16 ? count : first;
    return true;
}

static bool run_from_scalar(struct vector_model *m) {
    open_elements(m, field_d(m->code), m->sew, 1, 1, false);
    put(m, field_d(m->code), 0, m->sew, scalar(m, m->sew));
    return true;
}

// ---- memory

static bool run_memory(struct vector_model *m) {
    enum { UNIT, UNORDERED, STRIDED, ORDERED }; // bits 26 and 27
    static const unsigned widths[] = {8, 0, 0, 0, 0, 16, 32, 64};
    static bool is_stored[VECTOR_MEMORY];
    const uint32_t code = m->code;
    const bool is_store = (code & 0x7f) == 0x27;
    const unsigned mode = code >> 26 & 3, width = widths[kind_of(code)], d = field_d(code);
    const bool is_indexed = mode == UNORDERED || mode == ORDERED, is_mask = mode == UNIT && field_2(code) == 11;
    const unsigned bits = is_indexed ? m->sew : width, bytes = bits / 8, fields = (code >> 29) + 1,
                   registers = is_mask ? 1 : registers_of(m, bits), n = is_mask ? (m->vl + 7) / 8 : m->vl;
    memset(is_stored, 0, sizeof is_stored);
    m->keeps_tail &= !is_mask;
    for (unsigned field = 0; field < fields && !is_store; field++)
        open_elements(m, d + field * registers, bits, registers, n, has_mask(code));
    for (unsigned i = 0; i < n; i++) {
        const uint64_t base = m->old->x[field_1(code)] - m->memory_at,
                       offset = is_indexed        ? get(m, field_2(code), i, width)
                                : mode == STRIDED ? i * m->old->x[field_2(code)]
                                                  : (uint64_t)i * fields * bytes;
        for (unsigned field = 0; field < fields && is_active(m, i); field++) {
            const uint64_t at = base + offset + (uint64_t)field * bytes;
            const unsigned reg = d + field * registers;
            uint64_t value = 0;
            if (at > VECTOR_MEMORY - bytes)
                return false;
            if (!is_store) {
                memcpy(&value, m->memory + at, bytes);
                put(m, reg, i, bits, value);
                continue;
            }
            value = get(m, reg, i, bits);
            memcpy(m->memory + at, &value, bytes);
            for (unsigned byte = 0; byte < bytes; byte++) {
                m->is_memory_open[at + byte] |= mode == UNORDERED && is_stored[at + byte];
                is_stored[at + byte] = true;
            }
        }
    }
    return true;
}

bool vector_model_run(struct vector_model *m) {
    const unsigned op = operation(m->code), kind = kind_of(m->code);
    const bool is_multiply = kind == OPM_V || kind == OPM_X;
    m->now = *m->old;
    memset(m->fixed, 0xff, sizeof m->fixed);
    memset(m->is_agnostic, 0, sizeof m->is_agnostic);
    memset(m->is_memory_open, 0, sizeof m->is_memory_open);
    if (vector_is_memory(m->code))
        return run_memory(m);
    if (op == 0x0e || op == 0x0f || (is_integer(m->code) && op == 0x0c))
        return run_permutation(m);
    const bool is_sum = (is_integer(m->code) && (op == 0x30 || op == 0x31)) || (kind == OPM_V && op < 0x08) ||
                        (kind == OPF_V && (op == 1 || op == 3 || op == 5 || op == 7 || op == 0x31 || op == 0x33));
    if (is_sum)
        return run_reduction(m);
    if (op == 0x10 && !is_integer(m->code))
        return is_of_vectors(m->code) ? run_to_scalar(m) : run_from_scalar(m);
    if (kind == OPM_V && op == 0x14)
        return run_mask_unary(m);
    if (kind == OPM_V && op == 0x17)
        return run_compress(m);
    if (is_multiply && op >= 0x18 && op <= 0x1f)
        return run_mask_logic(m);
    return run_elements(m);
}
