// What of which kernels and blocks a command line asks for: the options that `run` and `bundle` have in common, and the
// plan that follows from them.
#ifndef CLI_PLAN_WISH_H
#define CLI_PLAN_WISH_H

#include "cli/experiment.h"
#include "cli/options.h"

struct plan_wish {
    const char *mode, *form, *sweep, *placement, *syntax, *kernels; // as they were written; null: not given
    struct option_list asm_texts;
    unsigned long streams; // ~0: not given
    bool is_replicated;    // as in struct plan_options
    const char *corun;     // operand that another hardware thread runs beside all; null: none
};

#define PLAN_WISH_DEFAULTS                                                                                             \
    { .streams = ~0UL }

// Their rows in a command's table of options.
// clang-format off: rows as in any other table of options
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
        {OPTION_LIST, "asm", "TEXT", "A block of assembly; ';' separates instructions. May be repeated.",              \
         &(wish).asm_texts},                                                                                           \
        {OPTION_TEXT, "syntax", "NAME",                                                                                \
         "intel or att, of blocks. Default: att where registers are written %rax, else intel.", &(wish).syntax},       \
    {                                                                                                                  \
        OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.",               \
            &(wish).kernels                                                                                            \
    }
// clang-format on

// `name` as after --placement; null, and where it may be, "all": PLACEMENT_NONE.
bool plan_read_placement(const char *name, bool may_be_all, enum program_placement *placement, struct fail *fail);

// Operands are kernels, and files of assembly; there must be something to run.
bool plan_make(struct arena *arena, const struct plan_wish *wish, const struct isa *isa,
               const struct operands *operands, struct plan *plan, struct fail *fail);

#endif
