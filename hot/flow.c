#include "hot/flow.h"

#include "base/text.h"
#include "blocks/x86_registers.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PARTS = 16,
    MOST_BYTES = 1 << 24, // of a part
};

// ---- parts

static struct flow_part *add_part(struct flow *flow, uint64_t begin, uint64_t end) {
    if (flow->n_parts == MOST_PARTS || end <= begin || end - begin > MOST_BYTES)
        return NULL;
    size_t n = (size_t)(end - begin);
    struct flow_part *part = ARENA_ADD(flow->arena, flow->parts, flow->n_parts);
    *part = (struct flow_part){
        .begin = begin,
        .end = end,
        .insns = ARENA_ARRAY(flow->arena, const struct insn *, n),
        .are_leaders = ARENA_ARRAY(flow->arena, bool, n),
    };
    return part;
}

// Notes that control may come to an address. Returns false where that is in another function.
static bool reach(struct flow *flow, uint64_t address) {
    struct flow_part *part = flow_part_of(flow, address);
    struct hot_function other;
    if (!part && hot_image_function(flow->image, address, &other) && flow_goes_on(flow, &other, address))
        part = add_part(flow, other.begin, other.end);
    if (!part)
        return false;
    part->are_leaders[address - part->begin] = true;
    if (!part->insns[address - part->begin])
        *ARENA_ADD(flow->arena, flow->waiting, flow->n_waiting) = address;
    return true;
}

// ---- decoding

// Whether the program ends in this function, or goes on elsewhere than behind the call.
static bool is_noreturn(const char *name) {
    static const char *const names[] = {
        "__assert_fail",
        "__assert_perror_fail",
        "__chk_fail",
        "__cxa_bad_cast",
        "__cxa_bad_typeid",
        "__cxa_rethrow",
        "__cxa_throw",
        "__cxa_throw_bad_array_new_length",
        "__fortify_fail",
        "__libc_fatal",
        "__longjmp_chk",
        "__stack_chk_fail",
        "_Exit",
        "_Unwind_Resume",
        "_ZSt10unexpectedv",
        "_ZSt9terminatev",
        "_exit",
        "_longjmp",
        "abort",
        "err",
        "errx",
        "exit",
        "longjmp",
        "pthread_exit",
        "quick_exit",
        "siglongjmp",
        "thrd_exit",
        "verr",
        "verrx",
        "xalloc_die",
    };
    if (!name)
        return false;
    if (strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_"))
        return true; // std::__throw_length_error and the like
    return text_find(name, names, sizeof names / sizeof *names) < sizeof names / sizeof *names;
}

static const char *name_of_target(struct flow *flow, uint64_t target) {
    struct hot_function function;
    const char *import = hot_image_import(flow->image, target);
    if (import)
        return import;
    return hot_image_function(flow->image, target, &function) && function.begin == target ? function.name : NULL;
}

// The pointer in memory by which an instruction jumps or calls, where its address is the instruction's own; 0: none.
static uint64_t pointer_of(const struct flow *flow, const struct insn *insn, uint64_t address) {
    uint64_t pointer;
    return x86_names_by_distance(flow->decoder->machine, insn, address, &pointer) ? pointer : 0;
}

// Takes a call. Returns whether it comes back.
static bool take_call(struct flow *flow, const struct insn *insn, uint64_t address) {
    uint64_t target = insn->is_direct ? address + (uint64_t)insn->displacement : 0;
    *ARENA_ADD(flow->arena, flow->calls, flow->n_calls) = (struct flow_call){address, target};
    if (target)
        return !is_noreturn(name_of_target(flow, target));
    uint64_t pointer = pointer_of(flow, insn, address);
    return !pointer || !is_noreturn(hot_image_import_by(flow->image, pointer));
}

static void take_jump(struct flow *flow, const struct insn *insn, uint64_t address) {
    struct flow_jump jump = {.from = address, .is_indirect = !insn->is_direct};
    if (insn->is_direct) {
        uint64_t *target = ARENA_NEW(flow->arena, uint64_t);
        *target = address + (uint64_t)insn->displacement;
        jump.targets = target;
        jump.n_targets = 1;
        reach(flow, *target);
    } else {
        jump.leaves = pointer_of(flow, insn, address) != 0;
        jump.is_unknown = !jump.leaves;
    }
    *ARENA_ADD(flow->arena, flow->jumps, flow->n_jumps) = jump;
}

static bool is_trap(const struct insn *insn) {
    static const char *const opcodes[] = {"TRAP", "HLT", "INT3", "UD1Wm", "UD1Lm", "UD1Qm", "UD1Wr", "UD1Lr", "UD1Qr"};
    return text_find(insn->opcode, opcodes, sizeof opcodes / sizeof *opcodes) < sizeof opcodes / sizeof *opcodes;
}

// Takes an instruction. Returns whether control may go on behind it.
static bool take(struct flow *flow, const struct insn *insn, uint64_t address) {
    if (insn->is_call)
        return take_call(flow, insn, address);
    if (insn->is_return || is_trap(insn))
        return false;
    if (!insn->is_branch)
        return true;
    take_jump(flow, insn, address);
    if (insn->is_conditional)
        reach(flow, address + insn->n_bytes); // a block begins there
    return false;
}

static void decode_waiting(struct flow *flow) {
    while (flow->n_waiting > 0) {
        uint64_t address = flow->waiting[--flow->n_waiting];
        for (;;) {
            struct flow_part *part = flow_part_of(flow, address);
            if (!part || part->insns[address - part->begin])
                break;
            const struct insn *insn = flow_decode(flow, address);
            if (!insn)
                break;
            flow_part_of(flow, address)->insns[address - part->begin] = insn;
            if (flow_is_setter(insn))
                *ARENA_ADD(flow->arena, flow->setters, flow->n_setters) = address;
            if (!take(flow, insn, address))
                break;
            address += insn->n_bytes;
        }
    }
}

// Decodes what is reached, and what jump tables lead to, until nothing new comes.
static void decode_all(struct flow *flow) {
    bool has_more = true;
    decode_waiting(flow);
    while (has_more) {
        has_more = false;
        for (size_t i = 0; i < flow->n_jumps; i++)
            if (flow->jumps[i].is_indirect && flow->jumps[i].is_unknown && flow_find_targets(flow, i)) {
                for (size_t t = 0; t < flow->jumps[i].n_targets; t++)
                    reach(flow, flow->jumps[i].targets[t]);
                has_more = true;
            }
        decode_waiting(flow);
    }
}

// ---- blocks

static const struct flow_jump *jump_at(const struct flow *flow, uint64_t address) {
    size_t first = 0, end = flow->n_jumps;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (flow->jumps[middle].from < address)
            first = middle + 1;
        else
            end = middle;
    }
    return first < flow->n_jumps && flow->jumps[first].from == address ? &flow->jumps[first] : NULL;
}

static int compare_jumps(const void *a, const void *b) {
    const struct flow_jump *one = a, *other = b;
    return one->from < other->from ? -1 : one->from > other->from;
}

// Whether control may go on to the instruction behind this one.
static bool falls_through(struct flow *flow, const struct insn *insn, uint64_t address) {
    if (insn->is_return || is_trap(insn))
        return false;
    if (insn->is_branch)
        return insn->is_conditional;
    if (!insn->is_call)
        return true;
    uint64_t target = insn->is_direct ? address + (uint64_t)insn->displacement : 0,
             pointer = target ? 0 : pointer_of(flow, insn, address);
    if (target)
        return !is_noreturn(name_of_target(flow, target));
    return !pointer || !is_noreturn(hot_image_import_by(flow->image, pointer));
}

// Makes the block that begins at an address, up to the next leader or the instruction after which control may go
// elsewhere.
static void make_block(struct flow *flow, uint64_t address) {
    struct flow_block block = {.begin = address};
    const uint32_t number = (uint32_t)flow->n_blocks;
    for (;;) {
        struct flow_part *part = flow_part_of(flow, address);
        const struct insn *insn = part ? part->insns[address - part->begin] : NULL;
        if (!insn || (address != block.begin && part->are_leaders[address - part->begin]))
            break;
        part->blocks[address - part->begin] = number;
        block.last = address;
        address += insn->n_bytes;
        if (insn->is_branch || !falls_through(flow, insn, block.last))
            break;
    }
    block.end = address;
    *ARENA_ADD(flow->arena, flow->blocks, flow->n_blocks) = block;
}

static void add_next(struct flow *flow, struct flow_block *block, uint64_t target) {
    uint32_t next = flow_block_at(flow, target);
    if (next == FLOW_NONE || flow->blocks[next].begin != target)
        return;
    for (size_t i = 0; i < block->n_next; i++)
        if (block->next[i] == next)
            return;
    *ARENA_ADD(flow->arena, block->next, block->n_next) = next;
}

static void link_block(struct flow *flow, struct flow_block *block) {
    const struct insn *last = flow_insn_at(flow, block->last);
    const struct flow_jump *jump = last && last->is_branch ? jump_at(flow, block->last) : NULL;
    for (size_t i = 0; jump && i < jump->n_targets; i++)
        add_next(flow, block, jump->targets[i]);
    if (last && falls_through(flow, last, block->last))
        add_next(flow, block, block->end);
}

static int compare_parts(const void *a, const void *b) {
    const struct flow_part *const *one = a, *const *other = b;
    return (*one)->begin < (*other)->begin ? -1 : (*one)->begin > (*other)->begin;
}

static void make_blocks(struct flow *flow) {
    const struct flow_part *order[MOST_PARTS];
    if (flow->n_jumps)
        qsort(flow->jumps, flow->n_jumps, sizeof *flow->jumps, compare_jumps);
    for (size_t p = 0; p < flow->n_parts; p++) {
        struct flow_part *part = &flow->parts[p];
        size_t n = (size_t)(part->end - part->begin);
        order[p] = part;
        part->blocks = arena_alloc_uncleared(flow->arena, n * sizeof *part->blocks);
        memset(part->blocks, 0xff, n * sizeof *part->blocks);
    }
    qsort(order, flow->n_parts, sizeof *order, compare_parts);
    for (size_t p = 0; p < flow->n_parts; p++)
        for (uint64_t at = order[p]->begin; at < order[p]->end; at++)
            if (order[p]->are_leaders[at - order[p]->begin] && order[p]->insns[at - order[p]->begin])
                make_block(flow, at);
    for (size_t i = 0; i < flow->n_blocks; i++)
        link_block(flow, &flow->blocks[i]);
}

static void add_root(struct flow *flow, uint64_t address) {
    if (flow_insn_at(flow, address) || !reach(flow, address))
        return;
    *ARENA_ADD(flow->arena, flow->roots, flow->n_roots) = address;
    decode_all(flow);
}

bool flow_read(struct flow *flow, const uint64_t *places, size_t n_places) {
    if (!add_part(flow, flow->function.begin, flow->function.end))
        return false;
    if (flow_has_begin(flow))
        add_root(flow, flow->function.begin);
    // An interrupt's address is that of an instruction: what is only reached in a way that was not found.
    for (size_t i = 0; i < n_places; i++)
        add_root(flow, places[i]);
    make_blocks(flow);
    return flow->n_blocks > 0;
}
