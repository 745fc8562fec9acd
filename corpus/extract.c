#include "corpus/extract.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Instructions of fixed-length ISAs begin at multiples of this; on x86 anywhere.
static size_t step_of(const struct isa *isa) {
    if (text_starts(isa->triple, "x86_64"))
        return 1;
    return text_starts(isa->triple, "riscv") ? 2 : 4;
}

// Returns the offset of the byte that the decoder's failure names.
static size_t offset_of(const struct fail *why, size_t n_bytes) {
    static const char before[] = "byte offset ";
    const char *place = strstr(why->text, before);
    size_t offset = place ? strtoul(place + strlen(before), NULL, 10) : 0;
    return offset < n_bytes ? offset : 0;
}

// A run of instructions without a gap, in a piece of code.
struct stretch {
    struct corpus_blocks *blocks;
    const char *file;
    const struct object_piece *piece;
    size_t start; // offset in the piece, bytes
    struct block insns;
    bool *is_leader; // for each byte of the run and one more: a block begins there
    size_t n_bytes;
};

static void find_leaders(struct stretch *run) {
    size_t offset = 0;
    for (unsigned i = 0; i < run->insns.n_insns; i++) {
        const struct insn *insn = &run->insns.insns[i];
        int64_t target = (int64_t)offset + insn->displacement;
        if (insn->is_direct && insn->is_branch && target >= 0 && target < (int64_t)run->n_bytes)
            run->is_leader[target] = true;
        offset += insn->n_bytes;
    }
}

static void add_block(const struct stretch *run, size_t first, size_t end, unsigned n_insns) {
    struct corpus_blocks *blocks = run->blocks;
    uint64_t address = run->piece->address + run->start + first;
    if (n_insns == 0 || end - first > CORPUS_MOST_BYTES)
        return;
    const struct corpus_block block = {
        .bytes = run->piece->bytes + run->start + first,
        .n_bytes = end - first,
        .file = run->file,
        .symbol = run->piece->name,
        .address = address,
        .count = blocks->counts ? profile_count(blocks->counts, address) : 0,
        .instructions = n_insns,
    };
    if (!blocks->counts || block.count)
        corpus_blocks_add(blocks, &block);
}

static void split(const struct stretch *run) {
    size_t first = 0, offset = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < run->insns.n_insns; i++) {
        const struct insn *insn = &run->insns.insns[i];
        if (run->is_leader[offset] && n > 0) {
            add_block(run, first, offset, n);
            first = offset;
            n = 0;
        }
        if (insn_changes_way(insn)) {
            add_block(run, first, offset, n);
            first = offset + insn->n_bytes;
            n = 0;
        } else {
            n++;
        }
        offset += insn->n_bytes;
    }
    add_block(run, first, offset, n);
}

// Takes the run of instructions at `start`. Returns its length, bytes; 0: there is no instruction.
static size_t take_run(struct corpus_blocks *blocks, const char *file, const struct object_piece *piece, size_t start) {
    struct arena scratch = {0};
    struct fail why;
    fail_clear(&why);
    struct stretch run = {blocks, file, piece, start, {0}, NULL, piece->n_bytes - start};
    const uint8_t *bytes = piece->bytes + start;
    bool is_decoded = decoder_decode(blocks->decoder, &scratch, bytes, run.n_bytes, &run.insns, &why);
    if (!is_decoded) {
        run.n_bytes = offset_of(&why, run.n_bytes);
        is_decoded = run.n_bytes > 0 && decoder_decode(blocks->decoder, &scratch, bytes, run.n_bytes, &run.insns, &why);
    }
    if (is_decoded) {
        run.is_leader = ARENA_ARRAY(&scratch, bool, run.n_bytes + 1);
        find_leaders(&run);
        split(&run);
    }
    arena_free(&scratch);
    return is_decoded ? run.n_bytes : 0;
}

void extract_piece(struct corpus_blocks *blocks, const char *file, const struct object_piece *piece) {
    size_t step = step_of(blocks->isa);
    for (size_t start = 0; start < piece->n_bytes;) {
        size_t length = take_run(blocks, file, piece, start);
        start += length;
        if (start >= piece->n_bytes)
            break;
        size_t skipped = piece->n_bytes - start < step ? piece->n_bytes - start : step;
        blocks->n_skipped += skipped;
        start += skipped;
    }
}

bool extract_object(struct corpus_blocks *blocks, const struct object_file *file, struct fail *fail) {
    const struct object_piece *pieces;
    size_t n;
    if (!object_code_read(blocks->arena, file, &blocks->range, &pieces, &n, fail))
        return false;
    for (size_t i = 0; i < n; i++)
        extract_piece(blocks, file->path, &pieces[i]);
    return true;
}
