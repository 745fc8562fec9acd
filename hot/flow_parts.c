// What of other functions' ranges belongs to a function: parts that a compiler moved away.
#include "hot/flow.h"

#include <string.h>

enum { MOST_AWAY = 1 << 16 }; // bytes of a part that no symbol names

const struct insn *flow_decode(const struct flow *flow, uint64_t address) {
    const struct backend *backend = flow->decoder->backend;
    struct backend_cpu *cpu = flow->decoder->cpu;
    size_t n_bytes;
    const uint8_t *bytes = hot_image_bytes(flow->image, address, &n_bytes);
    size_t length =
        bytes ? backend->first_length(cpu, bytes, n_bytes < FLOW_MOST_INSTRUCTION ? n_bytes : FLOW_MOST_INSTRUCTION)
              : 0;
    struct block block;
    struct fail why;
    fail_clear(&why);
    if (!length || !backend->describe_bytes(cpu, flow->arena, bytes, length, &block, &why) || block.n_insns != 1)
        return NULL;
    return block.insns;
}

static bool is_cold_name(const char *name, const char *hot) {
    size_t n = strlen(hot);
    return strncmp(name, hot, n) == 0 && strncmp(name + n, ".cold", strlen(".cold")) == 0;
}

// Whether code that no symbol names jumps into the middle of the function, as parts of it do in the end.
static bool jumps_back(const struct flow *flow, const struct hot_function *other) {
    const struct insn *insn;
    for (uint64_t at = other->begin; at < other->end && (insn = flow_decode(flow, at)); at += insn->n_bytes) {
        const uint64_t target = at + (uint64_t)insn->displacement;
        if (insn->is_branch && insn->is_direct && target > flow->function.begin && target < flow->function.end)
            return true;
    }
    return false;
}

bool flow_goes_on(const struct flow *flow, const struct hot_function *other, uint64_t target) {
    if (other->name)
        return flow->function.name && is_cold_name(other->name, flow->function.name);
    if (other->is_gap || flow->function.is_gap || other->end - other->begin > MOST_AWAY)
        return false;
    return target != other->begin || jumps_back(flow, other);
}
