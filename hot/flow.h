// Private to this folder.
// The control-flow graph of one function, from its bytes: what can be reached from its begin, and from places where
// samples show that it was. Calls come back, but for those of functions that never do.
#ifndef HOT_FLOW_H
#define HOT_FLOW_H

#include "blocks/decoder.h"
#include "hot/image.h"

#define FLOW_NONE UINT32_MAX
enum { FLOW_MOST_INSTRUCTION = 15 }; // bytes

// A range of the function's addresses. Compilers move code that is rarely executed away from the rest.
struct flow_part {
    uint64_t begin, end;
    const struct insn **insns; // of each byte: the instruction that begins there; null: none that is reached
    bool *are_leaders;         // of each byte: a block begins there
    uint32_t *blocks;          // of each byte: the block whose instruction begins there, or FLOW_NONE
};

// A jump that leads to another place than the next instruction.
struct flow_jump {
    uint64_t from;
    const uint64_t *targets;
    size_t n_targets;
    bool is_indirect;
    bool is_unknown; // indirect, and not all targets were found
    bool leaves;     // indirect, for a call that is the function's last
};

struct flow_call {
    uint64_t from, to; // 0: by a register or memory
};

struct flow_block {
    uint64_t begin, end;
    uint64_t last;  // address of its last instruction
    uint32_t *next; // blocks that may follow
    size_t n_next;
};

struct flow {
    struct arena *arena;
    const struct decoder *decoder;
    struct hot_image *image;
    struct hot_function function;
    struct flow_part *parts; // the first one is the function itself
    size_t n_parts;
    uint64_t *roots; // where control comes in
    size_t n_roots;
    struct flow_jump *jumps;
    size_t n_jumps;
    struct flow_call *calls;
    size_t n_calls;
    struct flow_block *blocks; // in the order of the addresses
    size_t n_blocks;
    uint64_t *setters; // addresses of instructions that may bring the address of a table to where a jump finds it
    size_t n_setters;
    uint64_t *waiting; // addresses to be decoded
    size_t n_waiting;
};

// Reads it. `places`: addresses of its samples, ascending. False: it has no instruction.
bool flow_read(struct flow *flow, const uint64_t *places, size_t n_places);

// Whether the code begins with a function: else it is a gap, in which any may begin.
bool flow_has_begin(const struct flow *flow);
// The part that holds an address; null: another function does.
struct flow_part *flow_part_of(const struct flow *flow, uint64_t address);
const struct insn *flow_insn_at(const struct flow *flow, uint64_t address); // null: none begins there
uint32_t flow_block_at(const struct flow *flow, uint64_t address);          // FLOW_NONE: none has it
// The instruction that ends where this one begins; null: none that was decoded. Sets its address.
const struct insn *flow_insn_before(const struct flow *flow, uint64_t address, uint64_t *before);

// Decodes the instruction at an address into the flow's arena. Null: no instruction is there.
const struct insn *flow_decode(const struct flow *flow, uint64_t address);
// Whether a jump to an address in another function's range goes on in this one. A name says so; without a name, a jump
// into the middle of it, or one back from it.
bool flow_goes_on(const struct flow *flow, const struct hot_function *other, uint64_t target);

// Whether an instruction is one of the flow's `setters`.
bool flow_is_setter(const struct insn *insn);
// Finds the targets of jump `index`, an indirect one, among tables of the function's. Returns whether they changed.
bool flow_find_targets(struct flow *flow, size_t index);

#endif
