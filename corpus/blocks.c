#include "corpus/blocks.h"

#include "base/bytes.h"
#include "base/text.h"

#include <string.h>

// ---- each block once

void corpus_blocks_index(struct corpus_blocks *blocks) {
    blocks->index = (struct index){.arena = blocks->arena};
    for (size_t i = 0; i < blocks->n; i++)
        index_add(&blocks->index, bytes_hash(blocks->items[i].bytes, blocks->items[i].n_bytes), i);
}

size_t corpus_blocks_find(const struct corpus_blocks *blocks, const uint8_t *bytes, size_t n_bytes) {
    for (size_t place = 0, i; (i = index_next(&blocks->index, bytes_hash(bytes, n_bytes), &place)) != INDEX_END;)
        if (blocks->items[i].n_bytes == n_bytes && memcmp(blocks->items[i].bytes, bytes, n_bytes) == 0)
            return i;
    return blocks->n;
}

bool corpus_blocks_are_enough(const struct corpus_blocks *blocks) {
    return (blocks->most && blocks->n >= blocks->most) || blocks->n >= UINT32_MAX - 1;
}

void corpus_blocks_add(struct corpus_blocks *blocks, const struct corpus_block *block) {
    size_t found = corpus_blocks_find(blocks, block->bytes, block->n_bytes);
    if (found < blocks->n) {
        blocks->n_repeated++;
        blocks->items[found].count += block->count;
    } else if (!corpus_blocks_are_enough(blocks)) {
        blocks->index.arena = blocks->arena;
        index_add(&blocks->index, bytes_hash(block->bytes, block->n_bytes), blocks->n);
        *ARENA_ADD(blocks->arena, blocks->items, blocks->n) = *block;
    }
}

// ---- decoding

// Returns why the block cannot be repeated: null: it can.
static const char *find_jump(struct arena *arena, const struct corpus_block *corpus_block, const struct block *block) {
    int64_t offset = 0;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        int64_t target = offset + insn->displacement;
        if (insn->is_direct && (target < 0 || target > (int64_t)corpus_block->n_bytes))
            return arena_printf(arena, "jumps away: instruction %u `%s` goes to %+lld bytes from the block's start",
                                i + 1, insn->text, (long long)target);
        offset += insn->n_bytes;
    }
    return NULL;
}

// Whether LLVM takes a prefix alone for an instruction. It would belong to the next copy of the block.
static bool is_prefix(const struct insn *insn) {
    return strstr(insn->opcode, "PREFIX") || strcmp(insn->opcode, "REX64") == 0;
}

static void decode(struct corpus_blocks *blocks, struct corpus_block *block) {
    struct arena scratch = {0};
    struct block insns;
    struct fail why;
    fail_clear(&why);
    if (decoder_decode(blocks->decoder, &scratch, block->bytes, block->n_bytes, &insns, &why)) {
        const struct insn *last = &insns.insns[insns.n_insns - 1];
        block->instructions = insns.n_insns;
        block->left_out = find_jump(blocks->arena, block, &insns);
        if (!block->left_out && is_prefix(last))
            block->left_out = arena_printf(blocks->arena, "undecodable: it ends with the prefix `%s`", last->text);
    } else {
        block->left_out = arena_printf(blocks->arena, "undecodable: %s", why.text);
    }
    arena_free(&scratch);
}

void corpus_blocks_decode(struct corpus_blocks *blocks) {
    for (size_t i = 0; i < blocks->n; i++)
        if (!blocks->items[i].instructions && !blocks->items[i].left_out)
            decode(blocks, &blocks->items[i]);
}

const char *corpus_blocks_summary(const struct corpus_blocks *blocks) {
    struct text text = {.arena = blocks->arena};
    text_addf(&text, "%zu block%s", blocks->n, blocks->n == 1 ? "" : "s");
    if (blocks->n_repeated)
        text_addf(&text, "; %zu more %s repeated", blocks->n_repeated, blocks->n_repeated == 1 ? "is" : "are");
    if (blocks->n_malformed)
        text_addf(&text, "; %zu line%s no block", blocks->n_malformed, blocks->n_malformed == 1 ? " holds" : "s hold");
    if (blocks->n_skipped)
        text_addf(&text, "; %zu byte%s no instruction", blocks->n_skipped, blocks->n_skipped == 1 ? " is" : "s are");
    return text.data;
}
