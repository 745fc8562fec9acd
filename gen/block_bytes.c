#include "gen/block_reader.h"
#include "gen/block_setup.h"

#include <inttypes.h>

void block_count_line(struct block_reader *reader, unsigned line) {
    *ARENA_ADD(reader->arena, reader->lines, reader->n_lines) = line;
}

// Has the assembler note where the block's byte `at` comes to be: tables may lead there.
static void add_place(struct block_reader *reader, const struct block_source *source, size_t at) {
    text_addf(&reader->body, ".reloc ., %s, %zu\n", link_nothing_name(source->link->machine), at);
    block_count_line(reader, source->line);
}

// Has the assembler note the references in the bytes from `at` to `end`, and where these come to be.
static void add_references(struct block_reader *reader, const struct block_source *source, size_t at, size_t end) {
    const struct link *link = source->link;
    if (link->n_entries)
        add_place(reader, source, at);
    for (size_t i = 0; i < link->n_fixups; i++) {
        const struct link_fixup *fixup = &link->fixups[i];
        if (fixup->offset < at || fixup->offset >= end)
            continue;
        text_addf(&reader->body, ".reloc . + %zu, %s, %" PRId64 "\n", fixup->offset - at,
                  link_type_name(link->machine, fixup->type), (int64_t)fixup->target);
        block_count_line(reader, source->line);
    }
}

// Adds one instruction, or all.
static void add_code(struct block_reader *reader, const struct block_source *source, size_t at, size_t end) {
    if (source->link)
        add_references(reader, source, at, end);
    block_add_bytes(&reader->body, source->bytes + at, end - at);
    block_count_line(reader, source->line);
}

static void add_own_line(struct block_reader *reader, const struct block_source *source, const char *line) {
    text_addf(&reader->body, "%s\n", line);
    block_count_line(reader, source->line);
}

// Adds an instruction that goes to the block's end instead. A table may lead to it.
static void add_exit(struct block_reader *reader, const struct block_source *source, size_t at, const char *line) {
    if (source->link && source->link->n_entries)
        add_place(reader, source, at);
    add_own_line(reader, source, line);
}

static void add_target(struct block_reader *reader, const struct block_source *source, unsigned index) {
    const struct block_facts *facts = reader->request->facts;
    if (facts && facts->are_targets && facts->are_targets[index])
        add_own_line(reader, source, arena_printf(reader->arena, "%u:", BLOCK_FIRST_LABEL + index));
}

void block_read_bytes(struct block_reader *reader, const struct block_source *source) {
    const struct block_facts *facts = reader->request->facts;
    size_t at = 0;
    unsigned i = 0;
    reader->syntax = source->isa->syntaxes[0] ? source->isa->syntaxes[0] : "";
    for (; at < source->n_bytes; i++) {
        add_target(reader, source, i);
        size_t end = facts && i < facts->n_instructions ? at + facts->lengths[i] : source->n_bytes;
        if (facts && facts->exits && i < facts->n_instructions && facts->exits[i])
            add_exit(reader, source, at, facts->exits[i]);
        else
            add_code(reader, source, at, end);
        at = end;
        reader->n_instructions++;
    }
    add_target(reader, source, i);
    if (facts && facts->exits)
        add_own_line(reader, source, BLOCK_END_LABEL ":");
    if (source->link && source->link->n_entries)
        add_place(reader, source, at);
}
