#include "blocks/unnamed_words.h"

#include "blocks/x86_registers.h"

#include <string.h>

// Whether an instruction loads and stores a word whose address no register gives. `address`: from the block's start,
// where it is a distance.
static bool changes_word(const struct machine *machine, const struct insn *insn, int64_t behind, int64_t *address) {
    const struct insn_address *written = insn->address;
    if (!insn->may_load || !insn->may_store || !written || written->index)
        return false;
    bool is_distance = written->base && strcmp(x86_register_name(machine, written->base), "RIP") == 0;
    *address = written->displacement + (is_distance ? behind : 0);
    return is_distance || !written->base;
}

bool unnamed_words_decide(const struct machine *machine, const struct block *block, double cycles) {
    static const double slow = 6.5; // cycles from a load to the next one, through memory
    int64_t behind = 0;
    for (unsigned i = 0; i < block->n_insns; i++) {
        int64_t address, other, end = behind += block->insns[i].n_bytes;
        unsigned n = 0;
        if (!changes_word(machine, &block->insns[i], behind, &address))
            continue;
        for (unsigned k = i; k < block->n_insns; k++) {
            end += k > i ? block->insns[k].n_bytes : 0;
            n += changes_word(machine, &block->insns[k], end, &other) && other == address;
        }
        if (cycles < slow * n)
            return true;
    }
    return false;
}
