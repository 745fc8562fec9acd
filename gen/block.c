#include "base/text.h"
#include "gen/block_again.h"
#include "gen/block_labels.h"
#include "gen/block_setup.h"
#include "gen/expand.h"
#include "gen/gen.h"
#include "gen/registers.h"
#include "gen/statement.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

// A block on its way from text to program.
struct block_reader {
    struct arena *arena;
    const struct isa *isa;
    const char *name;
    const char *syntax; // null: unknown yet
    const struct block_request *request;
    const struct statement *statements;
    size_t n_statements;
    struct block_labels labels;
    struct text body;
    const char *routine; // null: the body calls none
    unsigned line_offset;
    unsigned *lines;
    unsigned n_lines, n_instructions;
    struct fail *fail;
};

static bool fail_statement(struct block_reader *reader, const struct statement *statement, const char *message) {
    return fail_at(reader->fail, reader->name, statement->line, statement->column, "%s", message);
}

// Returns the text of the region. The rest becomes empty lines, so that line numbers stay. Only the labels directly
// before the region stay: they name its first instruction.
static const char *take_region(struct arena *arena, const struct block_source *source) {
    char *copy = arena_strdup(arena, source->text);
    for (size_t i = 0; source->region_end && copy[i]; i++)
        if ((i < source->region_begin || i >= source->region_end) && copy[i] != '\n')
            copy[i] = ' ';
    if (source->region_end)
        block_labels_keep_before(arena, source->isa, source->text, source->region_begin, copy);
    return copy;
}

// Guesses the syntax: AT&T syntax marks registers with '%'.
static const char *guess_syntax(const struct block_reader *reader) {
    if (!reader->isa->syntaxes[0])
        return "";
    for (size_t i = 0; i < reader->n_statements; i++) {
        struct slice rest = reader->statements[i].rest, word;
        struct register_name found;
        while (register_next(reader->isa, &rest, &word, &found))
            if (word.data > reader->statements[i].rest.data && word.data[-1] == '%')
                return "att";
    }
    return "intel";
}

static bool word_is(struct slice word, const char *name) {
    return word.length == strlen(name) && strncasecmp(word.data, name, word.length) == 0;
}

static bool word_is_one_of(struct slice word, const char *const *names) {
    for (; *names; names++)
        if (word_is(word, *names))
            return true;
    return false;
}

static bool word_starts(struct slice word, const char *start) {
    return word.length >= strlen(start) && strncasecmp(word.data, start, strlen(start)) == 0;
}

// Whether `statement` is a directive of the syntax, which it takes. Sets `failed` where the syntax changes after an
// instruction.
static bool take_syntax(struct block_reader *reader, const struct statement *statement, bool *failed) {
    struct slice word = statement_word(statement);
    const char *syntax = word_is(word, ".intel_syntax") ? "intel" : word_is(word, ".att_syntax") ? "att" : NULL;
    if (!syntax || !reader->isa->syntaxes[0])
        return false;
    if (reader->n_lines && strcmp(reader->syntax, syntax) != 0)
        *failed = !fail_statement(reader, statement, "the syntax changes inside the block; write all of it in one");
    reader->syntax = syntax;
    return true;
}

// Whether a compiler's directive can be left out: it does not affect the code.
static bool is_dispensable(const struct statement *statement) {
    static const char *const names[] = {".text",  ".globl", ".global", ".type", ".size",    ".file", ".ident",
                                        ".local", ".weak",  ".hidden", ".loc",  ".addrsig", NULL};
    struct slice word = statement_word(statement);
    if (word_is(word, ".section"))
        return memmem(statement->rest.data, statement->rest.length, ".text", 5) ||
               memmem(statement->rest.data, statement->rest.length, ".note.GNU-stack", 15);
    return word_is_one_of(word, names) || word_starts(word, ".cfi_");
}

static bool is_alignment(const struct statement *statement) {
    static const char *const names[] = {".p2align", ".balign", ".align", NULL};
    return word_is_one_of(statement_word(statement), names);
}

static bool check_directive(struct block_reader *reader, const struct statement *statement) {
    static const char *const other_sections[] = {".section", ".data", ".bss", ".rodata", ".comm", ".lcomm", NULL};
    static const char *const once_only[] = {".macro", ".org", NULL}, *const files[] = {".include", ".incbin", NULL};
    struct slice word = statement_word(statement);
    if (word_is_one_of(word, other_sections))
        return fail_statement(reader, statement, "a block holds code only: no other section can be measured");
    if (word_is_one_of(word, files))
        return fail_statement(reader, statement, "a block must be whole in itself: put the text here");
    if (reader->request->form == PROGRAM_UNROLLED && (word_is_one_of(word, once_only) || is_alignment(statement)))
        return fail_statement(reader, statement,
                              "this would differ from copy to copy of the body: leave it out, or measure the looped "
                              "form");
    return true;
}

static bool fail_leaving(struct block_reader *reader, const struct statement *statement, struct slice word) {
    return fail_statement(
        reader, statement,
        arena_printf(reader->arena, "'%.*s' would leave the loop: leave it out", (int)word.length, word.data));
}

// Finds one of the names in an instruction's first two words: "rep ret". False: neither is one.
static bool find_word(struct slice rest, const char *const *names, struct slice *word) {
    for (unsigned i = 0; i < 2 && slice_next(&rest, ' ', word); i++)
        if (word_is_one_of(*word, names))
            return true;
    return false;
}

// Whether it returns, where that is known to be possible: then the body will call the block.
static bool is_return(const struct isa *isa, const struct statement *statement) {
    struct slice word;
    return isa->returns && find_word(statement->rest, isa->returns, &word);
}

static bool check_instruction(struct block_reader *reader, const struct statement *statement) {
    const struct isa *isa = reader->isa;
    struct slice word;
    if (is_return(isa, statement))
        return true;
    if (find_word(statement->rest, isa->leaves_loop, &word))
        return fail_leaving(reader, statement, word);
    return !isa->would_leave_loop || !isa->would_leave_loop(statement->rest) ||
           fail_leaving(reader, statement, statement->rest);
}

static void add_line(struct block_reader *reader, const struct statement *statement, struct slice text) {
    text_append(&reader->body, text.data, text.length);
    text_add(&reader->body, "\n");
    *ARENA_ADD(reader->arena, reader->lines, reader->n_lines) = statement->line;
    reader->n_instructions += statement_is_instruction(statement);
}

static bool take_statement(struct block_reader *reader, size_t index) {
    const struct statement *statement = &reader->statements[index];
    bool failed = false, is_kept = true;
    if (statement_is_directive(statement)) {
        is_kept = !take_syntax(reader, statement, &failed) && !is_dispensable(statement) &&
                  !(is_alignment(statement) && !reader->n_lines);
        if (failed || (is_kept && !check_directive(reader, statement)))
            return false;
    }
    if (statement_is_instruction(statement) && !check_instruction(reader, statement))
        return false;
    struct slice text = block_labels_numbered(reader->arena, &reader->labels, statement, index);
    if (is_kept && text.length)
        add_line(reader, statement, text);
    return true;
}

// Returns the line in which the region begins; 0: the text is no region.
static unsigned line_of_region(const struct block_source *source) {
    unsigned line = source->region_end ? 1 : 0;
    for (size_t i = 0; source->region_end && i < source->region_begin; i++)
        line += source->text[i] == '\n';
    return line;
}

// Reads all statements. The syntax is that of a directive, else the caller's, else guessed.
static bool read_statements(struct block_reader *reader, const struct block_source *source) {
    const char *syntax = source->syntax;
    reader->syntax = syntax ? syntax : guess_syntax(reader);
    for (size_t i = 0; i < reader->n_statements; i++)
        if (!take_statement(reader, i))
            return false;
    if (!reader->n_lines)
        return fail_at(reader->fail, reader->name, line_of_region(source), 0, "there is no instruction in it");
    if (reader->labels.has_exits) {
        text_add(&reader->body, BLOCK_END_LABEL ":\n");
        *ARENA_ADD(reader->arena, reader->lines, reader->n_lines) = reader->statements[reader->n_statements - 1].line;
    }
    return true;
}

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

static bool check_syntax(const struct isa *isa, const char *syntax, struct fail *fail) {
    for (const char *const *known = isa->syntaxes; syntax && *known; known++)
        if (strcmp(syntax, *known) == 0)
            return true;
    if (syntax && !isa->syntaxes[0])
        return fail_set(fail, FAIL_INPUT, "%s has one syntax only: leave out --syntax", isa->name);
    return !syntax || fail_set(fail, FAIL_INPUT, "unknown syntax '%s': there are intel and att", syntax);
}

static bool read_text(struct block_reader *reader, const struct block_source *source) {
    if (!check_syntax(source->isa, source->syntax, reader->fail))
        return false;
    const char *region = take_region(reader->arena, source);
    reader->n_statements = statement_split(reader->arena, source->isa, region, &reader->statements);
    reader->labels = block_labels_find(reader->arena, reader->isa, reader->statements, reader->n_statements);
    const struct statement *repeated = reader->labels.repeated;
    if (repeated)
        return fail_statement(reader, repeated,
                              arena_printf(reader->arena, "label '%.*s' is defined once more here: rename one of them",
                                           (int)repeated->label.length, repeated->label.data));
    return read_statements(reader, source);
}

static void count_line(struct block_reader *reader, unsigned line) {
    *ARENA_ADD(reader->arena, reader->lines, reader->n_lines) = line;
}

// Has the assembler note where the block's byte `at` comes to be: tables may lead there.
static void add_place(struct block_reader *reader, const struct block_source *source, size_t at) {
    text_addf(&reader->body, ".reloc ., %s, %zu\n", link_nothing_name(source->link->machine), at);
    count_line(reader, source->line);
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
        count_line(reader, source->line);
    }
}

// Adds one instruction, or all.
static void add_code(struct block_reader *reader, const struct block_source *source, size_t at, size_t end) {
    if (source->link)
        add_references(reader, source, at, end);
    block_add_bytes(&reader->body, source->bytes + at, end - at);
    count_line(reader, source->line);
}

static void add_own_line(struct block_reader *reader, const struct block_source *source, const char *line) {
    text_addf(&reader->body, "%s\n", line);
    count_line(reader, source->line);
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

static void read_bytes(struct block_reader *reader, const struct block_source *source) {
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
            count_line(reader, source->line);
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
        if (!read_text(&reader, source))
            return false;
    } else {
        read_bytes(&reader, source);
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
