#include "gen/emit.h"

#include "gen/block_setup.h"
#include "gen/gen.h"
#include "gen/isa.h"

#include <assert.h>
#include <string.h>

static const char *unique_symbol(struct arena *arena, const struct program *const *programs, size_t i) {
    unsigned earlier = 0;
    for (size_t k = 0; k < i; k++)
        earlier += strcmp(programs[k]->symbol, programs[i]->symbol) == 0;
    return earlier ? arena_printf(arena, "%s.%u", programs[i]->symbol, earlier + 1) : programs[i]->symbol;
}

// Adds the lines, indented.
static void add_lines(struct text *out, const char *lines) {
    struct slice rest = {lines, strlen(lines)}, line;
    while (slice_next(&rest, '\n', &line))
        if (line.length) {
            text_add(out, "    ");
            text_append(out, line.data, line.length);
            text_add(out, "\n");
        }
}

static void add_heading(struct text *out, const struct isa *isa, const struct program *program) {
    // A block's name may be its text: keep the comment on one line.
    text_addf(out, "\n%s %.*s: %s", isa->comment, (int)strcspn(program->kernel, "\n"), program->kernel,
              program_mode_name(program->mode));
    if (program->mode == PROGRAM_THROUGHPUT)
        text_addf(out, " of %u stream%s", program->streams, program->streams == 1 ? "" : "s");
    if (program->placement != PLACEMENT_NONE)
        text_addf(out, ", %s", program_placement_name(program->placement));
    if (program->arc)
        text_addf(out, " %s", program->arc);
    text_addf(out, ", %s\n", program_form_name(program->form));
}

static void add_syntax(struct text *out, const struct isa *isa, const char *syntax) {
    for (unsigned i = 0; isa->syntaxes[i]; i++)
        if (strcmp(isa->syntaxes[i], syntax) == 0)
            text_addf(out, "    %s\n", isa->syntax_directives[i]);
}

// Adds the lines that a function of the ISA emits.
static void add_emitted(struct text *out, void (*emit)(struct text *, const struct program *),
                        const struct program *program) {
    struct text lines = {.arena = out->arena};
    emit(&lines, program);
    add_lines(out, lines.data);
}

static void add_jump_to_exit(struct text *out, const struct isa *isa, const struct program *program) {
    text_addf(out, "    %s %s.exit\n", isa->jump, program->symbol);
    add_lines(out, isa->delay_slot ? isa->delay_slot : "");
}

// Adds the exit before the entry, where its distance to the frame is known.
static void add_exit_in_front(struct text *out, const struct isa *isa, const struct program *program) {
    add_emitted(out, isa->emit_start, program);
    text_addf(out, "    .balign %d\n%s%s.exit:\n    %s back to the caller's stack\n", PROGRAM_EXIT_OFFSET,
              program->routine || program->again ? PROGRAM_EXIT_LABEL ":\n" : "", program->symbol, isa->comment);
    add_emitted(out, isa->emit_stack_return, program);
    add_emitted(out, isa->emit_exit, program);
    text_addf(out, "%s.entry:\n", program->symbol);
}

static void add_entry(struct text *out, const struct isa *isa, const struct program *program) {
    const char *symbol = program->symbol;
    text_addf(out, "    .globl %s\n    .type %s, %%function\n    .balign 64\n%s:\n", symbol, symbol, symbol);
    if (program->has_own_stack)
        add_exit_in_front(out, isa, program);
    text_addf(out, "    %s save the caller's registers; %s %s\n", isa->comment,
              program->loop_counter ? program->loop_counter : "a word of the frame",
              program->has_own_branch ? "has the number of turns" : "counts iterations down");
    add_emitted(out, isa->emit_entry, program);
    if (program->has_own_stack)
        add_emitted(out, isa->emit_stack_leave, program);
    if (*program->setup)
        text_addf(out, "    %s initial values\n", isa->comment);
    add_lines(out, program->setup);
    text_addf(out, "    %s nothing of this may be in flight when the loop begins\n", isa->comment);
    add_lines(out, isa->settle);
}

static void add_stack_start(struct text *out, const struct isa *isa, const struct program *program) {
    struct text lines = {.arena = out->arena};
    isa->emit_stack_pointer(&lines, program->stack_start, program->syntax);
    add_lines(out, lines.data);
}

// Whether all copies of a body are alike if the first two are. Directives may do something else in each.
static bool may_be_brief(const struct program *program) {
    struct slice rest = {program->body, strlen(program->body)}, line;
    while (slice_next(&rest, '\n', &line)) {
        line = slice_trim(line);
        if (line.length && *line.data == '.' && strncmp(line.data, ".byte ", strlen(".byte ")) != 0)
            return false;
    }
    return program->unroll > 2;
}

// Aligns what follows to a line of the cache, plus an offset. With `run_up`: behind some no-operations at least, which
// the sandbox may turn into fewer (bench/sandbox/run_up.h).
static void add_alignment(struct text *out, const struct isa *isa, unsigned line_offset, bool run_up) {
    enum { RUN_UP = 16 };
    text_add(out, "    .balign 64\n");
    if (run_up && isa->nop.n_bytes == 1 && line_offset < RUN_UP)
        line_offset += PROGRAM_LINE_BYTES;
    if (!line_offset)
        return;
    text_addf(out, "    .rept %u\n    ", line_offset / isa->nop.n_bytes);
    block_add_bytes(out, isa->nop.bytes, isa->nop.n_bytes);
    text_add(out, "    .endr\n");
}

static unsigned add_loop(struct text *out, const struct isa *isa, const struct program *program, bool is_brief) {
    const char *symbol = program->symbol;
    add_alignment(out, isa, program->routine ? 0 : program->line_offset, program->has_own_branch);
    text_addf(out, "%s.loop:\n", symbol);
    if (program->unroll > 1)
        text_addf(out, "    .rept %u\n", is_brief ? 2 : program->unroll);
    size_t body = out->length;
    add_lines(out, program->body);
    if (program->unroll > 1)
        text_add(out, "    .endr\n");
    if (is_brief)
        text_addf(out, "%s.two:\n    .skip (%s.two - %s.loop) / 2 * %u\n", symbol, symbol, symbol, program->unroll - 2);
    text_addf(out, "%s.body_end:\n", symbol);
    if (program->resets_stack)
        add_stack_start(out, isa, program);
    add_lines(out, program->again ? program->again : "");
    if (!program->runs_once && !program->has_own_branch)
        add_emitted(out, isa->emit_loop_end, program);
    text_addf(out, "%s.loop_end:\n", program->symbol);
    unsigned lines_since = 0;
    for (size_t i = body; i < out->length; i++)
        lines_since += out->data[i] == '\n';
    return lines_since;
}

static unsigned count_lines(const struct text *out, size_t from) {
    unsigned lines = 0;
    for (size_t i = from; i < out->length; i++)
        lines += out->data[i] == '\n';
    return lines;
}

static void add_program(struct text *out, const struct program *program, struct emit_place *place) {
    const struct isa *isa = isa_find(program->isa);
    assert(isa);
    size_t start = out->length;
    struct program named = *program;
    named.symbol = place->symbol;
    add_heading(out, isa, &named);
    add_syntax(out, isa, program->syntax);
    add_entry(out, isa, &named);
    unsigned behind_body = add_loop(out, isa, &named, place->is_brief);
    place->body_line = place->line + count_lines(out, start) - behind_body;
    if (named.has_own_stack)
        add_jump_to_exit(out, isa, &named);
    else
        add_emitted(out, isa->emit_exit, &named);
    if (named.routine) {
        add_alignment(out, isa, named.line_offset, false);
        text_addf(out, PROGRAM_ROUTINE_LABEL ":\n%s.routine:\n", named.symbol);
        add_lines(out, named.routine);
        text_addf(out, "%s.routine_end:\n", named.symbol);
    }
    text_addf(out, "    .size %s, . - %s\n", named.symbol, named.symbol);
    place->end = place->line + count_lines(out, start);
}

const struct emit_place *emit_programs(struct arena *arena, const struct program *const *programs, size_t n_programs,
                                       bool are_brief, struct text *out) {
    struct emit_place *places = ARENA_ARRAY(arena, struct emit_place, n_programs + 1);
    size_t start = out->length;
    if (n_programs)
        text_add(out, isa_find(programs[0]->isa)->preamble);
    text_add(out, "    .text\n");
    unsigned line = 1 + count_lines(out, start);
    for (size_t i = 0; i < n_programs; i++) {
        places[i].symbol = unique_symbol(arena, programs, i);
        places[i].line = line;
        places[i].is_brief = are_brief && may_be_brief(programs[i]);
        add_program(out, programs[i], &places[i]);
        line = places[i].end;
    }
    text_add(out, "\n    .section .note.GNU-stack, \"\", %progbits\n");
    return places;
}

void gen_emit(struct arena *arena, const struct program *const *programs, size_t n_programs, struct text *out) {
    emit_programs(arena, programs, n_programs, false, out);
}
