#include "blocks/hidden_data.h"

#include "blocks/decoder.h"

#include <string.h>

enum { NOP = 0x90, MOST_RANGES = 256 };

struct view {
    struct arena *arena;
    const struct code_reader *reader;
    uint8_t *bytes;
    size_t n_bytes;
    uint16_t instruction_pointer; // number of the register
    // One reading of the bytes:
    struct block block;
    size_t n_read;   // bytes that are instructions
    size_t *offsets; // of the instructions; the last one is n_read
    bool *are_reached, end_is_reached;
    unsigned *left;
    unsigned n_left;
    bool may_go_anywhere; // a jump, or a return inside, goes where a register or memory says
};

struct range {
    size_t start, end;
};

static uint16_t find_instruction_pointer(const struct machine *machine) {
    for (uint16_t i = 1; i < machine->n_registers; i++)
        if (strcmp(machine->registers[i].name, "RIP") == 0)
            return i;
    return 0;
}

// Reads as many instructions as there are. False: not one.
static bool read(struct view *view) {
    struct fail why = {0};
    const struct code_reader *reader = view->reader;
    view->n_read = view->n_bytes;
    if (reader->backend->describe_bytes(reader->cpu, view->arena, view->bytes, view->n_bytes, &view->block, &why))
        return true;
    size_t n;
    for (view->n_read = 0; view->n_read < view->n_bytes; view->n_read += n) {
        n = reader->backend->first_length(reader->cpu, view->bytes + view->n_read, view->n_bytes - view->n_read);
        if (!n)
            break;
    }
    return view->n_read > 0 && view->n_read < view->n_bytes &&
           reader->backend->describe_bytes(reader->cpu, view->arena, view->bytes, view->n_read, &view->block, &why);
}

static void reach(struct view *view, unsigned insn) {
    if (insn >= view->block.n_insns) {
        view->end_is_reached = true;
        return;
    }
    if (!view->are_reached[insn])
        view->left[view->n_left++] = insn;
    view->are_reached[insn] = true;
}

// Offset that a direct branch goes to; n_bytes: none, or outside.
static size_t target_of(const struct view *view, unsigned i) {
    const struct insn *insn = &view->block.insns[i];
    int64_t target = (int64_t)view->offsets[i] + insn->displacement;
    return insn->is_direct && target >= 0 && target < (int64_t)view->n_bytes ? (size_t)target : view->n_bytes;
}

// Whether a call only brings its own address, or waits to be filled in.
static bool is_next(const struct view *view, unsigned i, size_t target) {
    return target == view->offsets[i + 1];
}

static void walk(struct view *view) {
    unsigned n = view->block.n_insns;
    view->offsets = ARENA_ARRAY(view->arena, size_t, n + 1);
    view->are_reached = ARENA_ARRAY(view->arena, bool, n);
    view->left = ARENA_ARRAY(view->arena, unsigned, n);
    view->n_left = 0;
    view->end_is_reached = view->may_go_anywhere = false;
    for (unsigned i = 0; i < n; i++)
        view->offsets[i + 1] = view->offsets[i] + view->block.insns[i].n_bytes;
    reach(view, 0);
    while (view->n_left > 0) {
        unsigned i = view->left[--view->n_left];
        const struct insn *insn = &view->block.insns[i];
        size_t target = target_of(view, i);
        view->may_go_anywhere |= insn->is_branch && !insn->is_direct && !insn->is_call && !insn->is_return;
        view->may_go_anywhere |= insn->is_call && target > 0 && target < view->n_bytes && !is_next(view, i, target);
        if (target < view->n_read && block_begins_at(&view->block, target))
            reach(view, block_insn_at(&view->block, target));
        if (!insn->is_return && (insn->is_call || !insn->is_branch || insn->is_conditional))
            reach(view, i + 1);
    }
}

// Start of what is not reached around an instruction that is not: behind the last one that is.
static size_t start_of_gap(const struct view *view, unsigned insn) {
    while (insn > 0 && !view->are_reached[insn - 1])
        insn--;
    return view->offsets[insn];
}

static size_t end_of_gap(const struct view *view, unsigned insn) {
    while (insn < view->block.n_insns && !view->are_reached[insn])
        insn++;
    return insn < view->block.n_insns || view->n_read == view->n_bytes ? view->offsets[insn] : view->n_bytes;
}

// The lowest offset from `from` on that a reached branch goes to; n_bytes: none.
static size_t next_target(const struct view *view, size_t from) {
    size_t next = view->n_bytes;
    for (unsigned i = 0; i < view->block.n_insns; i++) {
        size_t target = view->are_reached[i] ? target_of(view, i) : view->n_bytes;
        next = target >= from && target < next ? target : next;
    }
    return next;
}

// What is no instruction: up to where a branch goes.
static bool find_unreadable(const struct view *view, struct range *range) {
    if (view->n_read == view->n_bytes || view->end_is_reached)
        return false;
    *range = (struct range){start_of_gap(view, view->block.n_insns), next_target(view, view->n_read)};
    return true;
}

// What ends in the middle of an instruction, by a branch there.
static bool find_misread(const struct view *view, struct range *range) {
    for (unsigned i = 0; i < view->block.n_insns; i++) {
        size_t target = view->are_reached[i] ? target_of(view, i) : view->n_bytes;
        unsigned at = block_insn_at(&view->block, target);
        if (target >= view->n_read || block_begins_at(&view->block, target) || view->are_reached[at])
            continue;
        *range = (struct range){start_of_gap(view, at), target};
        return true;
    }
    return false;
}

// The offset that an instruction refers to by its distance; n_bytes: none, or outside.
static size_t reference_of(const struct view *view, unsigned i) {
    const struct insn *insn = &view->block.insns[i];
    if (!insn->address || insn->address->base != view->instruction_pointer)
        return view->n_bytes;
    int64_t target = (int64_t)view->offsets[i + 1] + insn->address->displacement;
    return target >= 0 && target < (int64_t)view->n_bytes ? (size_t)target : view->n_bytes;
}

static bool is_all_nops(const struct view *view, size_t start, size_t end) {
    for (; start < end; start++)
        if (view->bytes[start] != NOP)
            return false;
    return true;
}

// What a reached instruction loads or stores. The address alone, as lea's, may be one to return to.
static bool find_accessed(const struct view *view, struct range *range) {
    for (unsigned i = 0; i < view->block.n_insns; i++) {
        const struct insn *insn = &view->block.insns[i];
        size_t target =
            view->are_reached[i] && (insn->may_load || insn->may_store) ? reference_of(view, i) : view->n_bytes;
        unsigned at = block_insn_at(&view->block, target);
        if (target >= view->n_read || view->are_reached[at])
            continue;
        *range = (struct range){start_of_gap(view, at), end_of_gap(view, at)};
        if (!is_all_nops(view, range->start, range->end))
            return true;
    }
    return false;
}

// Whether a reached instruction has the address of something in a range.
static bool has_address(const struct view *view, const struct range *range) {
    for (unsigned i = 0; i < view->block.n_insns; i++) {
        size_t target = view->are_reached[i] ? reference_of(view, i) : view->n_bytes;
        if (target >= range->start && target < range->end)
            return true;
    }
    return false;
}

// What would be changed as a branch or a reference, and never runs.
static bool find_references(const struct view *view, struct range *range) {
    for (unsigned i = 0; i < view->block.n_insns; i++) {
        const struct insn *insn = &view->block.insns[i];
        bool refers = insn->is_direct || (insn->address && insn->address->base == view->instruction_pointer);
        *range = (struct range){start_of_gap(view, i), end_of_gap(view, i)};
        if (!view->are_reached[i] && refers && !has_address(view, range))
            return true;
    }
    return false;
}

static bool find_data(const struct view *view, struct range *range) {
    return !view->may_go_anywhere && (find_unreadable(view, range) || find_misread(view, range) ||
                                      find_accessed(view, range) || find_references(view, range));
}

// Whether what was taken for data is reached, once it is out of the way: instructions lie over each other.
static bool is_contradicted(const struct view *view, const bool *are_hidden) {
    for (unsigned i = 0; i < view->block.n_insns; i++)
        if (view->are_reached[i] && are_hidden[view->offsets[i]])
            return true;
    return false;
}

const uint8_t *hidden_data_bytes(struct arena *arena, const struct code_reader *reader, const uint8_t *bytes,
                                 size_t n_bytes) {
    struct view view = {.arena = arena, .reader = reader, .n_bytes = n_bytes};
    struct range range;
    bool is_any = false;
    view.instruction_pointer = reader->backend ? find_instruction_pointer(reader->machine) : 0;
    if (!view.instruction_pointer || n_bytes == 0)
        return bytes;
    view.bytes = ARENA_ARRAY(arena, uint8_t, n_bytes);
    memcpy(view.bytes, bytes, n_bytes);
    bool *are_hidden = ARENA_ARRAY(arena, bool, n_bytes);
    for (unsigned i = 0; i < MOST_RANGES && read(&view); i++) {
        walk(&view);
        if (is_contradicted(&view, are_hidden))
            return bytes;
        if (!find_data(&view, &range))
            break;
        memset(view.bytes + range.start, NOP, range.end - range.start);
        memset(are_hidden + range.start, true, range.end - range.start);
        is_any = true;
    }
    return is_any ? view.bytes : bytes;
}
