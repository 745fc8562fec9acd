// Private to this folder.
// Descriptions of instructions by their bytes: what has been decoded and described once for a CPU is not again.
//
// Machine code is a prefix code: no instruction is the beginning of another. So whatever known instruction the next
// bytes begin with is the one they hold, and its length need not be known beforehand.
#ifndef ANALYZER_LLVM_CACHE_H
#define ANALYZER_LLVM_CACHE_H

#include <cstddef>
#include <cstdint>
#include <stdbool.h>
#include <vector>

extern "C" {
#include "analyzer/code/insn.h"
#include "base/arena.h"
}

class insn_cache {
  public:
    insn_cache();
    ~insn_cache();
    insn_cache(const insn_cache &) = delete;
    insn_cache &operator=(const insn_cache &) = delete;

    // The known instruction that these bytes begin with; null: none.
    const struct insn *find(const uint8_t *bytes, size_t n_bytes) const;
    // Whether an instruction of this length can still be kept.
    bool has_room(size_t n_bytes) const;
    // Keeps a description; what it points to must live in arena(). The same bytes must not be known yet.
    void add(const struct insn &insn);
    struct arena *arena() {
        return &memory;
    }

  private:
    struct key {
        uint64_t low, high; // the bytes, zeroes behind them
    };
    struct slot {
        key bytes;
        const struct insn *insn; // null: free
        unsigned length;         // in bytes
    };

    struct arena memory = {};
    std::vector<slot> slots; // open addressing; a power of two of them, at least half of them free
    size_t n_insns = 0;
    std::vector<uint16_t> lengths; // by the first bytes, hashed: bit n says that some are n bytes long

    static key load(const uint8_t *bytes, size_t n_bytes);
    static key shorten(key bytes, unsigned length);
    static slot &slot_of(std::vector<slot> &all, key bytes, unsigned length);
    void grow();
};

#endif
