#include "analyzer/llvm/cache.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace {

// Beyond this many instructions a corpus repeats too little for memory to be worth it: about 1 KB each.
constexpr size_t most_insns = 1 << 16;
constexpr size_t longest = 15; // bytes
constexpr size_t first_slots = 1 << 10, length_sets = 1 << 14;

// Every bit of the bytes counts: displacements differ in the highest ones. (MurmurHash3's finalizer.)
size_t mix(uint64_t low, uint64_t high) {
    uint64_t mixed = low ^ (high * 0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 33)) * 0xff51afd7ed558ccd;
    mixed = (mixed ^ (mixed >> 33)) * 0xc4ceb9fe1a85ec53;
    return size_t(mixed ^ (mixed >> 33));
}

// Instructions of one and two bytes stand by these alone, for any byte may follow them; others by their first three,
// which tell most lengths apart.
size_t set_of(uint64_t low, unsigned length) {
    const unsigned n = std::min(length, 3u);
    return mix(low & ((uint64_t(1) << (8 * n)) - 1), n) & (length_sets - 1);
}

} // namespace

insn_cache::insn_cache() : slots(first_slots), lengths(length_sets) {
}

insn_cache::~insn_cache() {
    arena_free(&memory);
}

insn_cache::key insn_cache::load(const uint8_t *bytes, size_t n_bytes) {
    uint64_t halves[2] = {};
    std::memcpy(halves, bytes, std::min(n_bytes, sizeof halves));
    return {halves[0], halves[1]};
}

insn_cache::key insn_cache::shorten(key bytes, unsigned length) {
    const uint64_t low = length >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * length)) - 1;
    const uint64_t high = length >= 16 ? ~uint64_t(0) : length <= 8 ? 0 : (uint64_t(1) << (8 * (length - 8))) - 1;
    return {bytes.low & low, bytes.high & high};
}

// Where it stands, or the free one where it would.
insn_cache::slot &insn_cache::slot_of(std::vector<slot> &all, key bytes, unsigned length) {
    const size_t mask = all.size() - 1;
    for (size_t at = mix(bytes.low, bytes.high + length) & mask;; at = (at + 1) & mask) {
        slot &found = all[at];
        if (!found.insn || (found.length == length && found.bytes.low == bytes.low && found.bytes.high == bytes.high))
            return found;
    }
}

const struct insn *insn_cache::find(const uint8_t *bytes, size_t n_bytes) const {
    if (!n_bytes)
        return nullptr;
    const key all = load(bytes, n_bytes);
    uint32_t candidates = lengths[set_of(all.low, 1)] & 2u;
    if (n_bytes > 1)
        candidates |= lengths[set_of(all.low, 2)] & 4u;
    if (n_bytes > 2)
        candidates |= lengths[set_of(all.low, 3)] & ~7u;
    for (; candidates; candidates &= candidates - 1) {
        const unsigned length = unsigned(__builtin_ctz(candidates));
        if (length > n_bytes)
            break;
        const slot &found = slot_of(const_cast<std::vector<slot> &>(slots), shorten(all, length), length);
        if (found.insn)
            return found.insn;
    }
    return nullptr;
}

bool insn_cache::has_room(size_t n_bytes) const {
    return n_insns < most_insns && n_bytes <= longest;
}

void insn_cache::grow() {
    std::vector<slot> larger(slots.size() * 2);
    for (const slot &from : slots)
        if (from.insn)
            slot_of(larger, from.bytes, from.length) = from;
    slots.swap(larger);
}

void insn_cache::add(const struct insn &insn) {
    assert(has_room(insn.n_bytes) && insn.n_bytes > 0);
    if (2 * n_insns >= slots.size())
        grow();
    struct insn *kept = ARENA_NEW(&memory, struct insn);
    *kept = insn;
    const key bytes = load(insn.bytes, insn.n_bytes);
    slot_of(slots, bytes, insn.n_bytes) = {bytes, kept, insn.n_bytes};
    n_insns++;
    uint16_t &set = lengths[set_of(bytes.low, insn.n_bytes)];
    set = uint16_t(set | 1u << insn.n_bytes);
}
