#include "gen/block_again.h"
#include "gen/block_reader.h"
#include "gen/block_setup.h"
#include "gen/expand.h"
#include "gen/gen.h"
#include "gen/registers.h"

#include <string.h>

static struct block_setup setup_of(const struct block_reader *reader) {
    return (struct block_setup){reader->arena, reader->isa, reader->syntax, reader->request};
}

// Finds the registers by the decoder's facts, else by the text and what its instructions imply.
static void find_registers(const struct block_reader *reader, struct used_registers *used) {
    const struct block_facts *facts = reader->request->facts;
    struct register_name found;
    struct slice rest = {reader->body.data, reader->body.length}, word;
    for (size_t i = 0; facts && i < facts->n_registers; i++)
        if (register_find(reader->isa, (struct slice){facts->registers[i], strlen(facts->registers[i])}, &found))
            block_note_register(used, &found);
    while (!facts && register_next(reader->isa, &rest, &word, &found))
        block_note_register(used, &found);
    const struct block_setup setup = setup_of(reader);
    block_note_state(&setup, used);
    for (size_t i = 0; !facts && i < reader->n_statements && reader->isa->add_implied; i++)
        if (statement_is_instruction(&reader->statements[i]))
            reader->isa->add_implied(reader->isa, reader->statements[i].rest, &used->all);
}

static const char *first_label(const struct block_reader *reader) {
    for (size_t i = 0; i < reader->n_statements; i++)
        if (statement_is_instruction(&reader->statements[i]))
            return statement_label(reader->arena, reader->isa, reader->statements[i].rest);
    return "";
}

// Counts the instructions. Those that reset the stack pointer, or set again what the user gave, are among the loop's
// own.
static void count_instructions(const struct isa *isa, unsigned n_instructions, struct program *program) {
    struct text lines = {0};
    struct arena scratch = {0};
    program_count_instructions(program, n_instructions);
    if (program->routine)
        program->instructions = n_instructions;
    if (program->has_own_branch) {
        program->instructions = n_instructions;
        program->loop_instructions = 0;
        program->loop_branches = 1;
    }
    if (!program->resets_stack && !program->again)
        return;
    lines.arena = &scratch;
    if (program->resets_stack)
        isa->emit_stack_pointer(&lines, program->stack_start, program->syntax);
    text_add(&lines, program->again ? program->again : "");
    for (size_t i = 0; i < lines.length; i++)
        program->loop_instructions += lines.data[i] == '\n';
    if (program->form == PROGRAM_LOOPED)
        program->instructions = n_instructions + program->loop_instructions;
    arena_free(&scratch);
}

static void list_used(const struct block_reader *reader, const struct used_registers *used, struct program *program) {
    struct program_register *list = ARENA_ARRAY(reader->arena, struct program_register, (size_t)REGISTER_N_FILES * 64);
    program->used = list;
    for (unsigned file = 1; file < REGISTER_N_FILES; file++)
        for (unsigned i = 0; i < 64; i++)
            if (used->widest[file][i] && strchr("vk", used->widest[file][i]->file))
                list[program->n_used++] = (struct program_register){used->widest[file][i], i};
}

static bool uses_stack_pointer(const struct isa *isa, const struct used_registers *used) {
    return used->all.files[0] >> isa->stack_number & 1;
}

static unsigned fit_bytes(unsigned copies, unsigned n_bytes) {
    if (copies * n_bytes <= GEN_BLOCK_BYTES)
        return copies;
    return n_bytes < GEN_BLOCK_BYTES ? GEN_BLOCK_BYTES / n_bytes : 1;
}

// Returns the number of copies in a line.
static unsigned count_copies(const struct block_request *request, unsigned n_instructions) {
    unsigned copies = request->runs_once || request->is_pass
                          ? 1
                          : program_unroll(request->form, request->unroll, n_instructions, GEN_BLOCK_INSTRUCTIONS);
    unsigned n_bytes = 0;
    for (unsigned i = 0; request->facts && i < request->facts->n_instructions; i++)
        n_bytes += request->facts->lengths[i];
    return request->unroll || copies == 1 ? copies : fit_bytes(copies, n_bytes);
}

unsigned block_copies(unsigned n_instructions, unsigned n_bytes) {
    return fit_bytes(program_unroll(PROGRAM_UNROLLED, 0, n_instructions, GEN_BLOCK_INSTRUCTIONS), n_bytes);
}

// Finds what counts the loop: a register that the block leaves, or the frame, whose counting changes the flags. False:
// there is none.
static bool choose_counter(struct block_reader *reader, const struct used_registers *used, const char **counter,
                           bool *preserves_flags) {
    const struct block_request *request = reader->request;
    const struct isa *isa = reader->isa;
    *counter = request->turns ? NULL : register_loop_counter(isa, &used->all, *preserves_flags);
    if (*counter)
        return true;
    if (request->runs_once || request->turns)
        *counter = isa->loop_counters[0]; // there is no loop
    else if (isa->counts_in_frame && !uses_stack_pointer(isa, used))
        *counter = isa->stack_pointer;
    else if (isa->counts_in_frame)
        *preserves_flags = false; // counting down memory changes them
    else
        return fail_at(reader->fail, reader->name, 0, 0,
                       "the block leaves no register to count the loop: leave it one of %s",
                       register_loop_counters(reader->arena, isa));
    return true;
}

static unsigned find_line_offset(const struct block_reader *reader) {
    bool has_own = reader->request->form == PROGRAM_LOOPED || reader->routine;
    return ((has_own ? reader->line_offset : 0) + reader->request->further) % PROGRAM_LINE_BYTES;
}

static bool make_program(struct block_reader *reader, struct program *program) {
    struct arena *arena = reader->arena;
    const struct block_request *request = reader->request;
    bool preserves_flags = request->facts && request->facts->reads_flags_of_before;
    struct used_registers used = {0};
    unsigned n_instructions = request->facts ? request->facts->n_instructions : reader->n_instructions;
    const struct block_setup setup = setup_of(reader);
    find_registers(reader, &used);
    const char *counter;
    if (!choose_counter(reader, &used, &counter, &preserves_flags))
        return false;
    struct text again = {.arena = arena};
    if (request->is_pass && request->facts && !request->runs_once)
        block_emit_again(&setup, &used, &again);
    *program = (struct program){
        .kernel = reader->name,
        .isa = reader->isa->name,
        .mode = PROGRAM_BLOCK,
        .form = request->form,
        .streams = 1,
        .label = first_label(reader),
        .unroll = count_copies(request, n_instructions),
        .preserves_flags = preserves_flags,
        .syntax = reader->syntax,
        .setup = block_make_setup(&setup, &used, counter),
        .body = reader->body.data,
        .body_lines = reader->n_lines,
        .routine = reader->routine,
        .line_offset = find_line_offset(reader),
        .file = reader->name,
        .lines = reader->lines,
        .loop_counter = counter,
        .has_own_stack = true,
        .runs_once = request->runs_once,
        .has_own_branch = request->turns != NULL,
        .resets_stack = request->resets_stack,
        .again = again.length ? again.data : NULL,
        .stack_start = block_stack_start(reader->isa, &request->start),
        .features = ARENA_NEW(arena, const char *),
    };
    if (request->runs_once)
        list_used(reader, &used, program);
    count_instructions(reader->isa, n_instructions, program);
    program->symbol =
        arena_printf(arena, "block_%s_%s", program_symbol_part(arena, reader->name), program_form_name(request->form));
    return true;
}

// Adds a jump to what follows it.
static void add_detour(struct text *body, const struct isa *isa) {
    text_addf(body, "%s " PROGRAM_DETOUR_LABEL "f\n" PROGRAM_DETOUR_LABEL ":\n", isa->jump);
}

static void add_idle(struct text *body, const struct isa *isa) {
    for (unsigned n = BLOCK_CALLER_BYTES; n >= isa->nop.n_bytes; n -= isa->nop.n_bytes)
        block_add_bytes(body, isa->nop.bytes, isa->nop.n_bytes);
}

// Makes the block a routine, and a call of it the body. Ways out of the routine return.
static void call_block(struct block_reader *reader, const struct block_source *source) {
    const struct block_facts *facts = reader->request->facts;
    if (facts && facts->exits)
        text_addf(&reader->body, "%s\n", source->isa->returns[0]);
    reader->routine = reader->body.data;
    reader->body = (struct text){.arena = reader->arena};
    reader->n_lines = 0;
    if (reader->request->caller == CALLER_BRANCHES)
        add_detour(&reader->body, source->isa);
    if (facts) {
        const struct block_setup setup = setup_of(reader);
        struct used_registers used = {0};
        find_registers(reader, &used);
        block_emit_again(&setup, &used, &reader->body);
    }
    text_addf(&reader->body, "%s " PROGRAM_ROUTINE_LABEL "f\n", source->isa->call);
    if (reader->request->caller == CALLER_IDLES)
        add_idle(&reader->body, source->isa);
    if (facts && facts->behind_call)
        block_add_bytes(&reader->body, facts->behind_call, facts->n_behind_call);
    for (size_t at = 0; at < reader->body.length; at++)
        if (reader->body.data[at] == '\n')
            block_count_line(reader, source->line);
}

bool gen_block(struct arena *arena, const struct block_source *source, const struct block_request *request,
               struct program *program, struct fail *fail) {
    struct block_reader reader = {
        .arena = arena,
        .isa = source->isa,
        .name = arena_strdup(arena, source->name),
        .line_offset = source->line_offset,
        .request = request,
        .body = {.arena = arena},
        .fail = fail,
    };
    if (source->text) {
        if (!block_read_text(&reader, source))
            return false;
    } else {
        block_read_bytes(&reader, source);
    }
    if (source->link && source->link->n_entries && request->form == PROGRAM_UNROLLED && !request->is_routine)
        return fail_at(fail, source->name, source->line, 0,
                       "a table leads into the block, where there is one of it: measure the looped form");
    if (request->is_routine)
        call_block(&reader, source);
    const struct block_setup setup = setup_of(&reader);
    if (!block_check_state(&setup, fail) || !make_program(&reader, program))
        return false;
    program->link = source->link;
    return true;
}
