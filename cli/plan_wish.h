// Private to this folder.
// What of which kernels and blocks a command line asks for: the options that `run` and `bundle` have in common, and the
// plan that follows from them.
#ifndef CLI_PLAN_WISH_H
#define CLI_PLAN_WISH_H

#include "base/options.h"
#include "lab/experiment.h"
#include "lab/object_code.h"

struct plan_wish {
    const char *mode, *form, *sweep, *placement, *syntax, *kernels; // as they were written; null: not given
    const char *alias, *registers, *fill;                           // likewise
    struct object_range range;                                      // of objects
    struct option_list asm_texts, hex;
    unsigned long streams, pages; // ~0: not given
    bool is_replicated;           // as in struct plan_options
    const char *corun;            // operand that another hardware thread runs beside all; null: none
};

#define PLAN_WISH_DEFAULTS                                                                                             \
    { .streams = ~0UL, .pages = ~0UL }

// Rows of a command's table of options.
// clang-format off: rows as in any other table of options
// Of blocks alone.
#define BLOCK_WISH_OPTIONS(wish)                                                                                       \
    {OPTION_LIST, "asm", "TEXT", "A block of assembly; ';' separates instructions. May be repeated.",                  \
     &(wish).asm_texts},                                                                                               \
        {OPTION_TEXT, "syntax", "NAME",                                                                                \
         "intel or att, of blocks. Default: att where registers are written %rax, else intel.", &(wish).syntax},       \
        {OPTION_LIST, "hex", "HEX|FILE",                                                                               \
         "A block of machine code, in hexadecimal digits; or a file with one a line, up to a comma. May be repeated.", \
         &(wish).hex},                                                                                                 \
        {OPTION_TEXT, "symbol", "NAME", "Of an object: this function. Default: each function is a block.",             \
         &(wish).range.symbol},                                                                                        \
        {OPTION_TEXT, "section", "NAME", "Of an object: this section.", &(wish).range.section},                        \
        {OPTION_TEXT, "start", "ADDRESS",                                                                              \
         "Of an object: the code from this address on, hexadecimal as objdump -d shows it.", &(wish).range.start},     \
        {OPTION_TEXT, "end", "ADDRESS", "Of an object: the code up to this address, likewise.", &(wish).range.end},    \
        {OPTION_TEXT, "alias", "HOW",                                                                                  \
         "What general registers hold at a block's start: disjoint, addresses 69 KiB apart; same, one address, as "    \
         "BHive "                                                                                                      \
         "has it; both. Default: both where that can matter, for a block that accesses memory by several registers.",  \
         &(wish).alias},                                                                                               \
        {OPTION_TEXT, "registers", "ADDRESS", "The first of these addresses. Default: 0x2324000.", &(wish).registers}, \
        {OPTION_TEXT, "fill", "NUMBER",                                                                                \
         "What each 8 bytes of a block's memory hold at its start. Default: an address.", &(wish).fill},               \
    {                                                                                                                  \
        OPTION_COUNT, "pages", "N",                                                                                    \
            "Pages of memory that may appear where a block touches them, 1 to 4096. Default: 64.", &(wish).pages       \
    }

// Of kernels and blocks.
#define PLAN_WISH_OPTIONS(wish)                                                                                        \
    {OPTION_TEXT, "mode", "MODE",                                                                                      \
     "latency, throughput, or block (the kernel's body as it stands). Default: latency and throughput.",               \
     &(wish).mode},                                                                                                    \
        {OPTION_TEXT, "sweep", "A..B", "Also run n = A, ..., B independent streams side by side.", &(wish).sweep},     \
        {OPTION_COUNT, "n", "N", "Streams in throughput mode. Default: as many as there are registers, at most 16.",   \
         &(wish).streams},                                                                                             \
        {OPTION_TEXT, "form", "FORM",                                                                                  \
         "unrolled, looped (a branch after each body), or both. Default: unrolled; sweeps looped; blocks both where "  \
         "they "                                                                                                       \
         "can be repeated.",                                                                                           \
         &(wish).form},                                                                                                \
        {OPTION_TEXT, "placement", "NAME",                                                                             \
         "Where the loads and stores of the streams go: same-address, same-line, own-lines, own-pages, or all of "     \
         "these, a row each. Default: all, where the kernel leaves it open; with --corun own-lines.",                  \
         &(wish).placement},                                                                                           \
        BLOCK_WISH_OPTIONS(wish), {                                                                                    \
        OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.",               \
            &(wish).kernels                                                                                            \
    }
// clang-format on

// `name` as after --placement; null, and where it may be, "all": PLACEMENT_NONE.
bool plan_read_placement(const char *name, bool may_be_all, enum program_placement *placement, struct fail *fail);

// Operands are kernels, and files of assembly or machine code. What is wrong with one of them is in `refused`, and does
// not cost the others. Fails where nothing is left.
bool plan_make(struct arena *arena, const struct plan_wish *wish, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail);

#endif
