#include "cli/corpus/corpus.h"

#include "base/bytes.h"
#include "cli/cli.h"
#include "cli/lab_args.h"
#include "corpus/inputs.h"
#include "corpus/profile.h"

#include <inttypes.h>
#include <stdio.h>

// A CSV line as `corpus run` reads it, with the block's origin behind the code.
static void print_block(struct arena *arena, const struct corpus_block *block, bool has_counts) {
    printf("%s", bytes_to_hex(arena, block->bytes, block->n_bytes));
    if (has_counts)
        printf(",%" PRIu64, block->count);
    if (block->symbol)
        printf(",%s,%#" PRIx64 ",%u\n", block->symbol, block->address, block->instructions);
    else
        printf(",%s:%u,,%u\n", block->file, block->line, block->instructions);
}

int corpus_cli_extract(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const struct option_list *llvms = &lab_args.options.llvms;
    struct decoder decoder = {0};
    struct profile counts;
    const struct isa *isa = cli_isa(arena, lab_args.isa, fail);
    if (operands->n_items == 0)
        fail_set(fail, FAIL_INPUT, "name an object, an executable or a file of assembly");
    bool is_open =
        fail->status == FAIL_NONE && isa && decoder_open(&decoder, arena, isa, option_list_first(llvms), fail) &&
        (!corpus_args.hot || profile_read(arena, corpus_args.hot, operands->items, operands->n_items, &counts, fail));
    struct corpus_blocks blocks = {.arena = arena,
                                   .isa = isa,
                                   .decoder = &decoder,
                                   .listener = &cli_listener,
                                   .is_strict = lab_args.is_strict,
                                   .most = corpus_args.limit.value,
                                   .counts = corpus_args.hot ? &counts : NULL,
                                   .range = {.symbol = corpus_args.symbol, .section = corpus_args.section}};
    for (size_t i = 0; is_open && i < operands->n_items; i++)
        is_open = corpus_inputs_read(&blocks, operands->items[i], fail);
    if (is_open && blocks.n == 0)
        is_open = fail_set(fail, FAIL_INPUT, "there is no block in %s",
                           operands->n_items == 1 ? operands->items[0] : "these files");
    if (is_open) {
        corpus_blocks_decode(&blocks);
        printf("block,%ssymbol,address,instructions\n", corpus_args.hot ? "count," : "");
        for (size_t i = 0; i < blocks.n; i++)
            print_block(arena, &blocks.items[i], corpus_args.hot != NULL);
        lab_say(&cli_listener, LAB_NOTE, "%s", corpus_blocks_summary(&blocks));
    }
    decoder_close(&decoder);
    return 0;
}
