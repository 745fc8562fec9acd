#include "hot/insn_book.h"

#include "base/text.h"

#include <string.h>

void insn_book_open(struct insn_book *book, struct arena *arena, const struct decoder *decoder, book_read read,
                    const void *context) {
    *book = (struct insn_book){
        .arena = arena, .decoder = decoder, .read = read, .context = context, .index = {.arena = arena}};
}

static uint64_t hash_of(uint64_t address) {
    return address * UINT64_C(0x9E3779B97F4A7C15);
}

// syscall, sysenter, int n.
static bool is_system_call(const uint8_t *bytes, unsigned n_bytes) {
    return (n_bytes >= 2 && bytes[0] == 0x0f && (bytes[1] == 0x05 || bytes[1] == 0x34)) ||
           (n_bytes == 2 && bytes[0] == 0xcd);
}

static bool is_string(const struct insn *insn) {
    static const char *const names[] = {"MOVSB", "MOVSW", "MOVSL", "MOVSQ", "STOSB", "STOSW", "STOSL",
                                        "STOSQ", "LODSB", "LODSW", "LODSL", "LODSQ", "SCASB", "SCASW",
                                        "SCASL", "SCASQ", "CMPSB", "CMPSW", "CMPSL", "CMPSQ"};
    return text_find(insn->opcode, names, sizeof names / sizeof *names) < sizeof names / sizeof *names;
}

static struct book_insn *decode(struct insn_book *book, uint64_t address) {
    struct book_insn *found = ARENA_NEW(book->arena, struct book_insn);
    const struct decoder *decoder = book->decoder;
    struct block block;
    struct fail ignored = {0};
    size_t n = book->read(book->context, address, found->bytes, sizeof found->bytes);
    size_t length = n ? decoder->backend->first_length(decoder->cpu, found->bytes, n) : 0;
    if (!length || length > n || !decoder_decode(decoder, book->arena, found->bytes, length, &block, &ignored) ||
        block.n_insns != 1)
        return NULL;
    found->address = address;
    found->insn = block.insns;
    found->n_bytes = (unsigned)length;
    found->first = SIZE_MAX;
    found->is_system_call = is_system_call(found->bytes, found->n_bytes);
    found->is_string = is_string(found->insn);
    return found;
}

struct book_insn *insn_book_find(struct insn_book *book, uint64_t address) {
    size_t place = 0, i;
    while ((i = index_next(&book->index, hash_of(address), &place)) != INDEX_END)
        if (book->insns[i]->address == address)
            return book->insns[i];
    struct book_insn *insn = decode(book, address);
    if (!insn)
        return NULL;
    index_add(&book->index, hash_of(address), book->n_insns);
    *ARENA_ADD(book->arena, book->insns, book->n_insns) = insn;
    return insn;
}
