// Makes programs of kernels: set-up, body and symbol. assignment.c chooses the registers.
#include "gen/expand.h"

#include "base/text.h"
#include "gen/assignment.h"
#include "gen/gen.h"
#include "gen/placement.h"
#include "gen/registers.h"
#include "gen/statement.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { MAX_SYMBOL_PART = 60 };

static uint64_t bits_of(const struct kernel_role *role) {
    uint64_t bits = 0;
    if (role->init == INIT_FLOAT && role->lane_bits == 32) {
        float single = (float)role->value;
        memcpy(&bits, &single, sizeof single);
    } else if (role->init == INIT_FLOAT && role->lane_bits == 64) {
        memcpy(&bits, &role->value, sizeof bits);
    } else if (role->init == INIT_INTEGER) {
        unsigned width = role->lane_bits ? role->lane_bits : role->class->bits;
        bits = (uint64_t)(int64_t)role->value & (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
    }
    return bits;
}

static struct register_set reserved_registers(const struct isa *isa) {
    struct register_set reserved = {0};
    for (unsigned i = 0; isa->reserved[i]; i++)
        register_set_add_name(&reserved, isa, isa->reserved[i]);
    return reserved;
}

static bool is_memory_register(const struct isa *isa, const struct kernel_role *role) {
    struct register_set memory = {0};
    register_set_add_name(&memory, isa, isa->memory);
    return role->is_fixed && register_set_has(&memory, role->class, role->index);
}

static int displacement_of(const struct kernel *kernel, enum program_placement placement, unsigned stream,
                           unsigned place) {
    int displacement = 0;
    bool fits = placement_find(kernel, placement, stream, place, &displacement);
    assert(fits); // limit_streams has checked that
    (void)fits;
    return displacement;
}

static unsigned count_chases(const struct kernel *kernel) {
    unsigned n = 0;
    for (unsigned i = 0; i < kernel->n_roles; i++)
        n += kernel->roles[i].init == INIT_CHASE;
    return n;
}

// Returns the number of rings that fit into the caller's memory.
static unsigned most_chases(const struct kernel *kernel) {
    size_t most = PROGRAM_MOST_CHASES;
    for (unsigned i = 0; i < kernel->n_roles; i++)
        if (kernel->roles[i].init == INIT_CHASE && most > PROGRAM_ALL_CHASES_BYTES / kernel->roles[i].chase_bytes)
            most = PROGRAM_ALL_CHASES_BYTES / kernel->roles[i].chase_bytes;
    return (unsigned)most;
}

// The ring of a role in a stream, from 0.
static unsigned chase_of(const struct kernel *kernel, unsigned stream, unsigned role) {
    unsigned before = 0;
    for (unsigned i = 0; i < role; i++)
        before += kernel->roles[i].init == INIT_CHASE;
    return stream * count_chases(kernel) + before;
}

// Sets a role's initial value. General registers are set in full width, so that no old bits remain.
static void emit_initial(const struct assignment *a, enum program_placement placement, unsigned stream, unsigned index,
                         struct text *setup) {
    const struct kernel *kernel = a->kernel;
    const struct kernel_role *role = &kernel->roles[index];
    const struct register_class *class = role->class->file == 'g' ? kernel->isa->classes : role->class;
    const char *reg = class->registers[assignment_index(a, stream, index)];
    int displacement = role->place ? displacement_of(kernel, placement, stream, role->place - 1) : 0;
    if (role->init == INIT_CHASE)
        displacement = PROGRAM_CHASES + 8 * (int)chase_of(kernel, stream, index);
    if (role->init == INIT_MEMORY || role->init == INIT_CHASE)
        kernel->isa->emit_move_memory(setup, reg, kernel->syntax);
    if (displacement)
        kernel->isa->emit_displace(setup, reg, displacement, kernel->syntax);
    if (role->init == INIT_CHASE)
        kernel->isa->emit_follow(setup, reg, kernel->syntax);
    else if (role->init != INIT_MEMORY)
        kernel->isa->emit_constant(setup, class, reg, (struct isa_value){bits_of(role), role->lane_bits},
                                   kernel->syntax);
}

// Zeroes the registers that the body names without a role. Those that the ISA reserves stay unchanged.
static void emit_named(const struct isa *isa, const char *text, const char *syntax, struct register_set *done,
                       struct text *setup) {
    struct slice rest = {text, strlen(text)}, word;
    struct register_name found;
    while (register_next(isa, &rest, &word, &found))
        for (unsigned i = found.index; i <= found.last; i++) {
            // General registers are zeroed in the widest class, the ISA's first; vectors in the class that the text
            // names.
            const struct register_class *class = found.class->file == 'g' ? isa->classes : found.class;
            if (!register_set_has_all(done, class, i))
                isa->emit_constant(setup, class, class->registers[i], (struct isa_value){0}, syntax);
            register_set_add(done, class, i);
        }
}

static void emit_all_named(const struct kernel *kernel, struct text *setup) {
    struct register_set done = reserved_registers(kernel->isa);
    for (unsigned i = 0; i < kernel->n_roles; i++)
        if (kernel->roles[i].is_fixed)
            register_set_add(&done, kernel->roles[i].class, kernel->roles[i].index);
    for (unsigned i = 0; i < kernel->n_pieces; i++)
        if (kernel->pieces[i].text)
            emit_named(kernel->isa, kernel->pieces[i].text, kernel->syntax, &done, setup);
}

// Whether a role's initial value is set in a stream.
static bool is_set(const struct assignment *a, unsigned stream, unsigned index) {
    const struct kernel_role *roles = a->kernel->roles, *role = &roles[index];
    struct register_set reserved = reserved_registers(a->kernel->isa);
    if (stream > 0 && (!role->written || role->is_fixed))
        return false;
    if (role->is_fixed && role->init == INIT_NONE && register_set_has(&reserved, role->class, role->index))
        return false;
    // In a closed chain, the value of the end that is read first counts.
    const struct kernel_arc *closed = a->closed;
    if (!closed || closed->from == closed->to)
        return true;
    if (index == closed->from)
        return roles[closed->to].init == INIT_NONE;
    return index != closed->to || role->init != INIT_NONE;
}

// The kernel's own set-up. What is a role's name in braces there is its register in the first stream.
static void add_own_setup(const struct assignment *a, struct text *out) {
    const struct kernel *kernel = a->kernel;
    const char *rest = kernel->setup;
    for (const char *open, *close; (open = strchr(rest, '{')) && (close = strchr(open, '}')); rest = close + 1) {
        const struct slice name = {open + 1, (size_t)(close - open - 1)};
        unsigned role = 0;
        while (role < kernel->n_roles && !slice_is(name, kernel->roles[role].name))
            role++;
        text_append(out, rest, (size_t)(open - rest));
        if (role < kernel->n_roles)
            text_add(out, kernel->roles[role].class->registers[assignment_index(a, 0, role)]);
        else
            text_append(out, open, (size_t)(close + 1 - open));
    }
    text_add(out, rest);
}

// Returns the set-up. Every role gets a value, so that runs do not depend on earlier contents of registers, such as
// denormals. The register with the buffer's address is set last, because the others need it.
static const char *make_setup(struct arena *arena, const struct assignment *a, enum program_placement placement) {
    const struct kernel *kernel = a->kernel;
    struct text setup = {.arena = arena};
    text_add(&setup, "");
    emit_all_named(kernel, &setup);
    for (unsigned stream = 0; stream < a->streams; stream++)
        for (unsigned role = 0; role < kernel->n_roles; role++)
            if (is_set(a, stream, role) && !is_memory_register(kernel->isa, &kernel->roles[role]))
                emit_initial(a, placement, stream, role, &setup);
    for (unsigned role = 0; role < kernel->n_roles; role++)
        if (is_set(a, 0, role) && is_memory_register(kernel->isa, &kernel->roles[role]) &&
            kernel->roles[role].init != INIT_MEMORY)
            emit_initial(a, placement, 0, role, &setup);
    add_own_setup(a, &setup);
    if (*kernel->setup && setup.data[setup.length - 1] != '\n')
        text_add(&setup, "\n");
    return setup.data;
}

// Adds a piece of the body in one stream; without a placement, places by their names.
static void add_piece(const struct assignment *a, enum program_placement placement, unsigned stream,
                      const struct kernel_piece *piece, struct text *body) {
    const struct kernel *kernel = a->kernel;
    if (piece->kind == PIECE_TEXT)
        text_add(body, piece->text);
    else if (piece->kind == PIECE_ROLE)
        text_addf(body, "%s%s", strcmp(kernel->syntax, "att") == 0 ? "%" : "",
                  piece->class->registers[assignment_index(a, stream, piece->index)]);
    else if (placement == PLACEMENT_NONE)
        text_add(body, kernel->places[piece->index].name);
    else
        text_addf(body, "%d", displacement_of(kernel, placement, stream, piece->index));
}

// Adds the body of one stream.
static void add_stream(const struct assignment *a, enum program_placement placement, unsigned stream,
                       struct text *body) {
    for (unsigned i = 0; i < a->kernel->n_pieces; i++)
        add_piece(a, placement, stream, &a->kernel->pieces[i], body);
}

static const char *make_body(struct arena *arena, const struct assignment *a, enum program_placement placement) {
    struct text body = {.arena = arena};
    for (unsigned stream = 0; stream < a->streams; stream++)
        add_stream(a, placement, stream, &body);
    return body.data;
}

static const unsigned *make_lines(struct arena *arena, const struct assignment *a) {
    const struct kernel *kernel = a->kernel;
    unsigned *lines = ARENA_ARRAY(arena, unsigned, (size_t)a->streams * kernel->n_lines);
    for (unsigned stream = 0; stream < a->streams; stream++)
        memcpy(lines + (size_t)stream * kernel->n_lines, kernel->lines, kernel->n_lines * sizeof *lines);
    return lines;
}

// For each piece of one stream, the number of the instruction that holds it, from 0.
static const unsigned *number_pieces(struct arena *arena, const struct assignment *a) {
    const struct kernel *kernel = a->kernel;
    const struct statement *statements;
    struct text text = {.arena = arena};
    size_t *offsets = ARENA_ARRAY(arena, size_t, kernel->n_pieces + 1), s = 0;
    unsigned *numbers = ARENA_ARRAY(arena, unsigned, kernel->n_pieces + 1), n = 0;
    for (unsigned i = 0; i < kernel->n_pieces; i++) {
        offsets[i] = text.length;
        add_piece(a, PLACEMENT_NONE, 0, &kernel->pieces[i], &text);
    }
    size_t n_statements = statement_split(arena, kernel->isa, text.data, &statements);
    for (unsigned i = 0; i < kernel->n_pieces; i++) {
        for (; s < n_statements && statements[s].offset <= offsets[i]; s++)
            n += statement_is_instruction(&statements[s]);
        numbers[i] = n ? n - 1 : 0;
    }
    return numbers;
}

// Marks the steps of a chase: the instructions that name its role twice. Returns how many there are.
static unsigned mark_steps(const struct kernel *kernel, unsigned role, const unsigned *numbers, uint8_t *are_steps) {
    unsigned last = UINT_MAX, n = 0;
    for (unsigned i = 0; i < kernel->n_pieces; i++) {
        if (kernel->pieces[i].kind != PIECE_ROLE || kernel->pieces[i].index != role)
            continue;
        unsigned at = numbers[i];
        if (at == last && !are_steps[at]) {
            are_steps[at] = true;
            n++;
        }
        last = at;
    }
    return n;
}

// Finds the steps of chases.
static bool find_steps(struct arena *arena, const struct assignment *a, struct program *program, struct fail *fail) {
    const struct kernel *kernel = a->kernel;
    unsigned n_chases = count_chases(kernel), n = kernel->n_instructions;
    if (!n_chases)
        return true;
    const unsigned *numbers = number_pieces(arena, a);
    uint8_t *are_steps = ARENA_ARRAY(arena, uint8_t, (size_t)n * a->streams + 1);
    if (n_chases * a->streams > most_chases(kernel))
        return fail_at(fail, kernel->file, kernel->line, 0,
                       "%u streams of kernel '%s' chase in %u rings; at most %u fit", a->streams, kernel->name,
                       n_chases * a->streams, most_chases(kernel));
    for (unsigned role = 0; role < kernel->n_roles; role++) {
        const unsigned chase = chase_of(kernel, 0, role);
        if (kernel->roles[role].init != INIT_CHASE)
            continue;
        const struct kernel_role *chased = &kernel->roles[role];
        if (program->chase_bytes &&
            (program->chase_bytes != chased->chase_bytes || program->chase_layout != chased->chase_layout))
            return fail_at(fail, kernel->file, kernel->line, 0,
                           "all chases of kernel '%s' must have the same size and order", kernel->name);
        program->chase_bytes = chased->chase_bytes;
        program->chase_layout = chased->chase_layout;
        const unsigned n_steps = mark_steps(kernel, role, numbers, are_steps);
        for (unsigned stream = 0; stream < a->streams; stream++)
            program->chase_steps[stream * n_chases + chase] = n_steps;
    }
    for (unsigned stream = 1; stream < a->streams; stream++)
        memcpy(are_steps + (size_t)stream * n, are_steps, n);
    program->n_chases = n_chases * a->streams;
    program->are_steps = are_steps;
    return true;
}

void program_count_instructions(struct program *program, unsigned n_body_instructions) {
    program->instructions = n_body_instructions;
    const struct isa_loop_end end = isa_find(program->isa)->loop_end(program);
    program->loop_instructions = end.instructions;
    program->loop_branches = end.branches;
    program->instructions = n_body_instructions + (program->form == PROGRAM_LOOPED ? end.instructions : 0);
}

unsigned program_unroll(enum program_form form, unsigned wanted, unsigned n_body, unsigned n_instructions) {
    if (form == PROGRAM_LOOPED)
        return 1;
    if (wanted)
        return wanted;
    unsigned fit = n_instructions / (n_body ? n_body : 1); // bytes as data are not instructions
    return fit ? fit : 1;
}

const char *program_symbol_part(struct arena *arena, const char *text) {
    bool digit = isdigit((unsigned char)*text);
    char *symbol = arena_printf(arena, "%s%.*s", digit ? "_" : "", MAX_SYMBOL_PART, text);
    for (char *c = symbol; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return symbol;
}

static const char *label_of(struct arena *arena, const struct assignment *a) {
    const struct statement *statements;
    struct text body = {.arena = arena};
    add_stream(a, PLACEMENT_NONE, 0, &body);
    size_t n = statement_split(arena, a->kernel->isa, body.data, &statements);
    for (size_t i = 0; i < n; i++)
        if (statement_is_instruction(&statements[i]))
            return statement_label(arena, a->kernel->isa, statements[i].rest);
    return "";
}

static bool check_arc(const struct kernel *kernel, const struct gen_request *request, struct fail *fail) {
    if (!kernel->n_arcs)
        return fail_at(fail, kernel->file, kernel->line, 0,
                       "kernel '%s' has no chain, so it has no latency; measure its throughput", kernel->name);
    if (request->arc >= kernel->n_arcs)
        return fail_set(fail, FAIL_INPUT, "kernel '%s' has %u chains; there is no chain number %u", kernel->name,
                        kernel->n_arcs, request->arc + 1);
    return true;
}

// Returns a symbol that differs between the programs of a kernel.
static const char *make_symbol(struct arena *arena, const struct assignment *a, const struct gen_request *request,
                               const struct program *program) {
    struct text symbol = {.arena = arena};
    text_addf(&symbol, "%s_%s", program_symbol_part(arena, a->kernel->name), program_mode_name(program->mode));
    if (program->mode == PROGRAM_THROUGHPUT)
        text_addf(&symbol, "_n%u", program->streams);
    if (program->placement != PLACEMENT_NONE)
        text_addf(&symbol, "_%s", program_symbol_part(arena, program_placement_name(program->placement)));
    if (a->closed && a->kernel->n_arcs > 1)
        text_addf(&symbol, "_%u", request->arc + 1);
    if (program->form == PROGRAM_LOOPED)
        text_add(&symbol, "_looped");
    else
        text_addf(&symbol, "_x%u", program->unroll);
    if (request->rotation)
        text_addf(&symbol, "_r%u", request->rotation);
    return symbol.data;
}

static void fill_program(struct arena *arena, const struct assignment *a, const struct gen_request *request,
                         enum program_placement placement, struct program *program) {
    const struct kernel *kernel = a->kernel;
    *program = (struct program){
        .kernel = kernel->name,
        .isa = kernel->isa->name,
        .mode = request->mode,
        .form = request->form,
        .streams = a->streams,
        .has_own_setup = *kernel->setup,
        .unroll = program_unroll(request->form, request->unroll, kernel->n_instructions * a->streams,
                                 GEN_UNROLLED_INSTRUCTIONS),
        .preserves_flags = kernel_uses_flags(kernel),
        .syntax = kernel->syntax,
        .setup = make_setup(arena, a, placement),
        .body = make_body(arena, a, placement),
        .body_lines = a->streams * kernel->n_lines,
        .file = kernel->file,
        .lines = make_lines(arena, a),
        .loop_counter = a->loop_counter,
        .features = kernel->features,
        .feature_lines = kernel->feature_lines,
    };
    if (request->mode == PROGRAM_THROUGHPUT && a->streams * kernel->n_places > 1)
        program->placement = placement;
    program_count_instructions(program, kernel->n_instructions * a->streams);
    program->label = label_of(arena, a);
    if (a->closed)
        program->arc =
            arena_printf(arena, "%s->%s", kernel->roles[a->closed->from].name, kernel->roles[a->closed->to].name);
    program->symbol = make_symbol(arena, a, request, program);
}

static bool check_shared_chain(const struct kernel *kernel, struct fail *fail) {
    const struct kernel_role *shared = kernel_shared_chain(kernel);
    return !shared || fail_at(fail, kernel->file, kernel->line, 0,
                              "kernel '%s' has no throughput: its copies wait for each other through %s, which all "
                              "streams share; measure its latency",
                              kernel->name, shared->name);
}

// Limits the streams by the memory that they access. Fails where `wanted` streams do not fit, or (0) not even one.
static bool limit_streams(const struct kernel *kernel, enum program_placement placement, unsigned wanted,
                          struct assignment *a, struct fail *fail) {
    if (!wanted && count_chases(kernel))
        a->most_streams = most_chases(kernel) / count_chases(kernel);
    if (!kernel->n_places)
        return true;
    unsigned asked = wanted ? wanted : GEN_MAX_STREAMS, fit = gen_placement_streams(kernel, placement, asked);
    a->most_streams = fit;
    if (fit && (!wanted || fit == wanted))
        return true;
    return fail_at(fail, kernel->file, kernel->body_line, 0,
                   "%u stream%s of kernel '%s' do%s not fit in the placement %s: at most %u, by the size of the buffer "
                   "(%d bytes) and the reach of the instructions",
                   asked, asked == 1 ? "" : "s", kernel->name, asked == 1 ? "es" : "",
                   program_placement_name(placement), fit, PROGRAM_MEMORY_BYTES);
}

bool gen_expand(struct arena *arena, const struct kernel *kernel, const struct gen_request *request,
                struct program *program, struct fail *fail) {
    struct assignment a = {.kernel = kernel, .rotation = request->rotation};
    enum program_placement placement = PLACEMENT_OWN_LINES;
    unsigned wanted = 1;
    if (request->mode == PROGRAM_LATENCY) {
        if (!check_arc(kernel, request, fail))
            return false;
        a.closed = &kernel->arcs[request->arc];
    } else if (request->mode == PROGRAM_THROUGHPUT) {
        if (!check_shared_chain(kernel, fail))
            return false;
        wanted = request->streams;
        placement = request->placement ? request->placement : placement;
    }
    if (!limit_streams(kernel, placement, wanted, &a, fail) || !assignment_make(arena, &a, wanted, fail))
        return false;
    fill_program(arena, &a, request, placement, program);
    return find_steps(arena, &a, program, fail);
}
