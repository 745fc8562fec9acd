#include "blocks/unnamed_words.h"

#include "blocks/x86_registers.h"

// Whether an instruction loads and stores a word whose address no register gives. `at`: its offset in the block; where
// the address is a distance, so is what is set.
static bool changes_word(const struct machine *machine, const struct insn *insn, uint64_t at, uint64_t *address) {
    const struct insn_address *written = insn->address;
    if (!insn->may_load || !insn->may_store || !written)
        return false;
    *address = (uint64_t)written->displacement;
    return (!written->base && !written->index) || x86_names_by_distance(machine, insn, at, address);
}

bool unnamed_words_decide(const struct machine *machine, const struct block *block, double cycles) {
    static const double slow = 6.5; // cycles from a load to the next one, through memory
    uint64_t at = 0, address, other;
    for (unsigned i = 0; i < block->n_insns; at += block->insns[i++].n_bytes) {
        if (!changes_word(machine, &block->insns[i], at, &address))
            continue;
        unsigned n = 0;
        uint64_t place = at;
        for (unsigned k = i; k < block->n_insns; place += block->insns[k++].n_bytes)
            n += changes_word(machine, &block->insns[k], place, &other) && other == address;
        if (cycles < slow * n)
            return true;
    }
    return false;
}
