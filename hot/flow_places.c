// What is at an address of a function.
#include "hot/flow.h"

bool flow_has_begin(const struct flow *flow) {
    return flow->function.name || !flow->function.is_gap;
}

struct flow_part *flow_part_of(const struct flow *flow, uint64_t address) {
    for (size_t i = 0; i < flow->n_parts; i++)
        if (address >= flow->parts[i].begin && address < flow->parts[i].end)
            return &flow->parts[i];
    return NULL;
}

const struct insn *flow_insn_at(const struct flow *flow, uint64_t address) {
    const struct flow_part *part = flow_part_of(flow, address);
    return part ? part->insns[address - part->begin] : NULL;
}

uint32_t flow_block_at(const struct flow *flow, uint64_t address) {
    const struct flow_part *part = flow_part_of(flow, address);
    return part && part->blocks ? part->blocks[address - part->begin] : FLOW_NONE;
}

const struct insn *flow_insn_before(const struct flow *flow, uint64_t address, uint64_t *before) {
    for (uint64_t n = 1; n <= FLOW_MOST_INSTRUCTION && n <= address; n++) {
        const struct insn *insn = flow_insn_at(flow, address - n);
        if (insn && insn->n_bytes == n) {
            *before = address - n;
            return insn;
        }
    }
    return NULL;
}
