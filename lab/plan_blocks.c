#include "lab/plan_blocks.h"

#include "base/bytes.h"
#include "base/text.h"
#include "blocks/block_code.h"
#include "blocks/callees.h"
#include "blocks/distortions.h"
#include "blocks/fault_text.h"
#include "blocks/given_turns.h"
#include "blocks/start_pointers.h"
#include "blocks/turns.h"
#include "lab/experiment.h"

#include <stdlib.h>
#include <string.h>

enum { N_REGISTERS = 16, MIDDLE_OF_KILOBYTE = 0x200, FRAMES = 4, MOST_PAGES = 64 };

static uint64_t fill_of(const struct lab_block *block, enum block_alias alias) {
    enum { HALF_BITS = 32 };
    struct block_start start = block_start_of(block, alias);
    if (block->options.has_fill)
        return block->options.fill;
    uint64_t address = start.distance ? start.first + N_REGISTERS * start.distance + MIDDLE_OF_KILOBYTE : start.first;
    bool has_short_words = block->source.isa->classes->bits == HALF_BITS;
    return has_short_words ? address << HALF_BITS | address : address;
}

static struct bench_foreign foreign_of(const struct lab_block *block, enum block_alias alias) {
    bool is_own = block_memory_is_own(block->options.memory, alias == ALIAS_SAME);
    unsigned n_shared = alias == ALIAS_SAME ? 1 : FRAMES;
    return (struct bench_foreign){
        .exit_offset = PROGRAM_EXIT_OFFSET,
        .most_pages = block->options.most_pages ? block->options.most_pages : MOST_PAGES,
        .is_own = is_own,
        .frames = is_own ? 0 : n_shared,
        .fill = fill_of(block, alias),
        .stores = !block->is_decoded || block->stores || block->options.state.init,
        .patches = block->patches[alias],
        .n_patches = block->patches[alias] ? (unsigned)block->options.state.n_memory : 0,
        .touches = block->touches[alias],
        .n_touches = block->n_touches[alias],
    };
}

// What proves that a loop has made its turns: the frame's words of general registers are behind the first.
static struct bench_turns proof_of(const struct block_turns *turns) {
    if (!turns->is_set)
        return (struct bench_turns){0};
    return (struct bench_turns){.word = 1 + turns->proof,
                                .bits = turns->bits,
                                .factor = (uint64_t)turns->proof_factor,
                                .addend = (uint64_t)turns->proof_addend};
}

// ---- bytes and their instructions

// Finds the bytes of each block of text, by assembling one of its programs.
static bool assemble_texts(struct arena *arena, struct plan *plan, struct fail *fail) {
    struct program **programs = ARENA_ARRAY(arena, struct program *, plan->n_experiments);
    struct lab_block **blocks = ARENA_ARRAY(arena, struct lab_block *, plan->n_experiments);
    size_t n = 0;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct lab_block *block = plan->experiments[i]->block;
        if (!block || block->bytes || (n > 0 && blocks[n - 1] == block))
            continue;
        blocks[n] = block;
        programs[n++] = &plan->experiments[i]->program;
    }
    struct gen_errors errors;
    if (!gen_assemble_each(arena, programs, n, &errors, fail))
        return false;
    for (size_t i = 0; i < errors.n; i++)
        plan_refuse(arena, plan, &errors.items[i]);
    for (size_t i = 0; i < n; i++) {
        blocks[i]->mistake = errors.mistakes[i];
        if (blocks[i]->mistake)
            continue;
        struct program_range body = programs[i]->body_range;
        blocks[i]->bytes = programs[i]->code + body.offset;
        blocks[i]->n_bytes = body.length;
    }
    return true;
}

// ---- loops: how often they turn

static void list_starts(const struct lab_block *block, enum block_alias alias, uint64_t starts[TURNS_REGISTERS]) {
    struct block_start start = block_start_of(block, alias);
    const struct isa *isa = block->source.isa;
    for (unsigned i = 0; i < TURNS_REGISTERS; i++)
        starts[i] = block_start_value(isa, &start, i);
}

// Finds what sets the number of a loop's turns. Returns the reason where nothing does; null: it is found.
static const char *find_turns(struct arena *arena, const struct decoder *decoder, struct lab_block *block,
                              enum block_alias alias) {
    uint64_t starts[TURNS_REGISTERS];
    const struct isa *isa = block->source.isa;
    const struct turns_request request = {
        isa, decoder->machine, &block->insns, starts, callees_find_changes(arena, decoder, block), block->source.link};
    list_starts(block, alias, starts);
    return isa->emit_turns ? turns_find(arena, &request, &block->turns[alias])
                           : arena_printf(arena, "loops of %s are not measured by their own branch", isa->name);
}

// What blocks/distortions.h needs to follow the block's addresses. False: it cannot.
static bool request_distortions(const struct decoder *decoder, const struct lab_block *block, enum block_alias alias,
                                struct distortions_request *request) {
    struct block_start start = block_start_of(block, alias);
    struct bench_foreign foreign = foreign_of(block, alias);
    *request = (struct distortions_request){.block = &block->insns,
                                            .machine = decoder->machine,
                                            .fill = foreign.fill,
                                            .is_patched = foreign.n_patches > 0,
                                            .are_vectors_zero = true,
                                            .frames = foreign.frames};
    for (unsigned i = 0; i < X86_REGISTERS; i++)
        request->starts[i] = block_start_value(block->source.isa, &start, i);
    for (size_t i = 0; i < start.state->n_registers; i++)
        request->are_vectors_zero &=
            start.state->registers[i].class == NULL || start.state->registers[i].class->file != 'v';
    bool can_follow = block->is_decoded && !block->is_routine && !block->options.state.init;
    return can_follow && strcmp(block->source.isa->name, "x86_64") == 0;
}

// ---- its program and its code

static bool make_program(struct arena *arena, const struct lab_block *block, enum block_alias alias,
                         struct block_request *request, struct program *program, struct fail *fail) {
    bool is_body = block->is_loop && request->form == PROGRAM_UNROLLED;
    request->facts = !block->is_decoded ? NULL : is_body ? &block->body_facts : &block->facts;
    request->start = block_start_of(block, alias);
    request->is_routine = block->is_routine;
    request->is_pass = block->is_pass && !is_body;
    request->turns = block->is_loop && !is_body ? &block->turns[alias] : NULL;
    request->resets_stack = request->resets_stack && !request->turns;
    if (!gen_block(arena, is_body ? &block->body_source : &block->source, request, program, fail))
        return false;
    program->kernel =
        is_body && !request->runs_once ? arena_printf(arena, "%s, no branch", block->label) : block->label;
    if (block->is_decoded && !*program->label)
        program->label = block->insns.insns[0].text;
    return true;
}

static bool resets_stack(const struct lab_block *block, enum block_alias alias) {
    return block->was_tried[alias] ? block_drift(block, alias) != 0 : block->is_decoded && block->moves_stack_pointer;
}

// Returns a doubt where memory counts the loop: any body then takes at least the time of a load after a store. And
// where the x87 stack overflows, or is empty.
static const char *doubt_of(struct arena *arena, const struct lab_block *block, const struct program *program) {
    if (block->x87_left != 0)
        return arena_printf(
            arena, "each pass leaves the x87 stack %s by %d, so that instructions fail there, which may take longer",
            block->x87_left > 0 ? "fuller" : "emptier", abs(block->x87_left));
    return !program->loop_counter && program->form == PROGRAM_LOOPED
               ? "the block leaves no register, so its loop is counted in memory, which takes some cycles an iteration"
               : NULL;
}

static struct block_request final_request(const struct experiment *experiment, unsigned unroll) {
    return (struct block_request){
        .form = experiment->program.form,
        .unroll = unroll,
        .resets_stack = resets_stack(experiment->block, experiment->alias),
    };
}

static bool make_final(struct arena *arena, struct experiment *experiment, unsigned unroll, struct fail *fail) {
    struct block_request request = final_request(experiment, unroll);
    experiment->foreign = foreign_of(experiment->block, experiment->alias);
    if (experiment->block->is_loop && experiment->program.form == PROGRAM_LOOPED)
        experiment->foreign.turns = proof_of(&experiment->block->turns[experiment->alias]);
    if (!experiment->block->was_tried[experiment->alias])
        experiment->foreign.lowest_address = BLOCK_LOWEST_ADDRESS;
    if (!make_program(arena, experiment->block, experiment->alias, &request, &experiment->program, fail))
        return false;
    experiment->misuse = doubt_of(arena, experiment->block, &experiment->program);
    return true;
}

// ---- mistakes: each costs its block

static void refuse(struct arena *arena, struct plan *plan, struct lab_block *block, const struct fail *why) {
    struct fail placed = {0};
    fail_at(&placed, block->source.name, block->source.line, 0, "%s: %s", block->label, why->text);
    plan_refuse(arena, plan, &placed);
    block->mistake = arena_strdup(arena, why->text);
}

// Drops refused experiments. False: none is left.
static bool drop_refused(struct plan *plan, struct fail *fail) {
    size_t n = 0;
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (!plan->experiments[i]->block || !plan->experiments[i]->block->mistake)
            plan->experiments[n++] = plan->experiments[i];
    plan->n_experiments = n;
    return plan_is_left(plan, fail);
}

// ---- the trial

struct tried {
    struct lab_block *block;
    enum block_alias alias;
};

static bool try_one(struct arena *arena, const struct tried *tried, struct fail *fail) {
    static const double timeout_seconds = 0.25; // for one pass through a block
    struct trial *trial = &tried->block->trials[tried->alias];
    struct bench_code code = program_code(&tried->block->tried[tried->alias], false);
    code.foreign = foreign_of(tried->block, tried->alias);
    // A trial refuses low addresses, to show what the block itself does. In measurements, later copies may compute any
    // address from what earlier ones left in memory.
    code.foreign.lowest_address = BLOCK_LOWEST_ADDRESS;
    if (!trial_run(arena, &code, timeout_seconds, trial, fail))
        return false;
    tried->block->was_tried[tried->alias] = true;
    return true;
}

// Finds the pointers in vector registers, and the accesses that may never fault.
static void find_memory(struct arena *arena, const struct decoder *decoder, struct lab_block *block,
                        enum block_alias alias) {
    struct distortions_request request;
    if (block->is_decoded && !block->is_routine && strcmp(block->source.isa->name, "x86_64") == 0)
        block->starts[alias] = start_pointers_add(arena, decoder->machine, block, alias);
    if (request_distortions(decoder, block, alias, &request))
        block->n_touches[alias] = distortions_find_touches(&request, block->touches[alias]);
}

static bool try_all(struct arena *arena, struct plan *plan, struct fail *fail) {
    struct tried *list = ARENA_ARRAY(arena, struct tried, plan->n_experiments);
    struct program **programs = ARENA_ARRAY(arena, struct program *, plan->n_experiments);
    size_t n = 0;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        struct block_request request = {.form = PROGRAM_LOOPED, .runs_once = true};
        struct fail why = {0};
        bool is_known = n > 0 && list[n - 1].block == experiment->block && list[n - 1].alias == experiment->alias;
        if (!experiment->block || experiment->block->mistake || is_known)
            continue;
        list[n] = (struct tried){.block = experiment->block, .alias = experiment->alias};
        programs[n] = &experiment->block->tried[experiment->alias];
        if (make_program(arena, experiment->block, experiment->alias, &request, programs[n], &why))
            n++;
        else
            refuse(arena, plan, experiment->block, &why);
    }
    if (!gen_assemble(arena, programs, n, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!try_one(arena, &list[i], fail))
            return false;
        const struct block_start start = block_start_of(list[i].block, list[i].alias);
        if (list[i].block->is_routine && list[i].block->calls_others)
            callees_add_changes(arena, list[i].block, list[i].alias, &start);
    }
    return true;
}

// ---- both kinds of initial registers

// Returns the number of registers that give the block's addresses, up to MOST. Accesses without an explicit register
// (stack, strings) count as another one.
static unsigned count_bases(const struct lab_block *block) {
    enum { MOST = 2 };
    uint16_t bases[MOST] = {0};
    unsigned n = 0, n_implied = 0;
    for (unsigned i = 0; i < block->insns.n_insns; i++) {
        const struct insn *insn = &block->insns.insns[i];
        bool touches = insn->may_load || insn->may_store;
        n_implied = n_implied || (touches && !insn->address);
        if (!touches || !insn->address || (n > 0 && bases[0] == insn->address->base) || n == MOST)
            continue;
        bases[n++] = insn->address->base;
    }
    return n + n_implied;
}

static bool can_alias(const struct lab_block *block) {
    return block->is_decoded && block->loads && block->stores && count_bases(block) > 1;
}

// Makes a pass of as many turns as the user wants of a loop.
static void take_given_turns(struct arena *arena, struct plan *plan, const struct decoder *decoder,
                             const struct experiment *experiment) {
    struct lab_block *block = experiment->block;
    struct fail why = {0};
    if (!given_turns_take(arena, block, experiment->alias, &block->endless, &why)) {
        refuse(arena, plan, block, &why);
        return;
    }
    if (!block_code_read(arena, decoder, decoder_stack_pointer(decoder), block, &why)) // machine code now
        refuse(arena, plan, block, &why);
}

// Where nothing counts a loop's turns, and it changes registers that the user gave, these decide where it ends: so each
// pass begins with them.
static void begin_passes_anew(struct arena *arena, struct lab_block *block, enum block_alias alias) {
    const struct block_start start = block_start_of(block, alias);
    const struct isa *isa = block->source.isa;
    struct fail why = {0};
    if (!block_changes_given(isa, &start, &block->facts) || !block_can_be_called(isa, &start, &block->facts, &why))
        return;
    block->is_pass = true;
    block->endless = arena_printf(arena, "%s; each pass begins with what --set gives", block->endless);
}

// Finds out which blocks are loops whose turns can be set: their own branch makes the looped form. A pass through
// another one is as long as it is.
static void find_all_turns(struct arena *arena, struct plan *plan, const struct decoder *decoder) {
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *experiment = plan->experiments[i];
        struct lab_block *block = experiment->block;
        if (!block || block->mistake || !block->is_loop || block->turns[experiment->alias].is_set)
            continue;
        block->endless = find_turns(arena, decoder, block, experiment->alias);
        block->is_loop = !block->endless;
        if (block->endless)
            begin_passes_anew(arena, block, experiment->alias);
        if (block->is_loop && given_turns_are_in(block, &block->turns[experiment->alias]))
            take_given_turns(arena, plan, decoder, experiment);
    }
}

// Drops experiments that would only repeat a value.
static void drop_needless(struct plan *plan, bool can_run) {
    size_t n = 0;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        const struct lab_block *block = experiment->block;
        bool is_second = block && block->options.is_both && experiment->alias == ALIAS_SAME;
        if (!is_second || (can_run && can_alias(block)))
            plan->experiments[n++] = experiment;
    }
    plan->n_experiments = n;
}

// Decodes all blocks. Where LLVM cannot decode a text, the names of registers in it must suffice; machine code is
// refused.
static void decode_all(struct arena *arena, struct plan *plan, const struct decoder *decoder) {
    uint16_t stack_pointer = decoder_stack_pointer(decoder);
    const struct lab_block *last = NULL;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct lab_block *block = plan->experiments[i]->block;
        struct fail why = {0};
        if (!block || block == last || block->mistake)
            continue;
        last = block;
        if (!block_code_read(arena, decoder, stack_pointer, block, &why))
            refuse(arena, plan, block, &why);
    }
}

// Takes a failed trial as the experiment's outcome: it is not measured.
static void take_trial(struct experiment *experiment) {
    const struct lab_block *block = experiment->block;
    const struct trial *trial = &block->trials[experiment->alias];
    if (!block->was_tried[experiment->alias] || trial->outcome == BENCH_OK)
        return;
    experiment->measurement.outcome = trial->outcome;
    experiment->measurement.seen = trial->seen;
}

// Says that a value is one of a whole pass through a loop.
static void say_passes(const struct plan *plan) {
    const struct lab_block *last = NULL;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const struct experiment *experiment = plan->experiments[i];
        const struct lab_block *block = experiment->block;
        if (!block || block == last || !block->endless || experiment->measurement.outcome != BENCH_OK)
            continue;
        last = block;
        lab_say(plan->listener, LAB_NOTE, "%s: an iteration is a pass through its loop, not a turn, as %s%s%s",
                block->label, block->endless, block->source.way_out ? "; " : "",
                block->source.way_out ? block->source.way_out : "");
    }
}

bool blocks_prepare(struct arena *arena, struct plan *plan, const struct decoder *decoder, bool can_run,
                    struct fail *fail) {
    if (!assemble_texts(arena, plan, fail))
        return false;
    decode_all(arena, plan, decoder);
    find_all_turns(arena, plan, decoder);
    if (!drop_refused(plan, fail))
        return false;
    drop_needless(plan, can_run);
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (plan->experiments[i]->block)
            find_memory(arena, decoder, plan->experiments[i]->block, plan->experiments[i]->alias);
    if (can_run && !try_all(arena, plan, fail))
        return false;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        struct fail why = {0};
        if (!experiment->block || experiment->block->mistake)
            continue;
        if (make_final(arena, experiment, 0, &why))
            take_trial(experiment);
        else
            refuse(arena, plan, experiment->block, &why);
    }
    if (!drop_refused(plan, fail))
        return false;
    say_passes(plan);
    return true;
}

static const char *join(struct arena *arena, const char *const *words, size_t n) {
    struct text text = {.arena = arena};
    for (size_t i = 0; i < n; i++)
        text_addf(&text, "%s%s", i ? " " : "", words[i]);
    return text.data;
}

void block_look(struct arena *arena, const struct decoder *decoder, struct experiment *experiment) {
    const struct lab_block *block = experiment->block;
    const struct bench_measurement *m = &experiment->measurement;
    const struct trial *trial = &block->trials[experiment->alias];
    struct distortions_request request;
    bool was_tried = block->was_tried[experiment->alias], has_survived = was_tried && trial->outcome == BENCH_OK;
    const struct program *program =
        was_tried && !has_survived ? &block->tried[experiment->alias] : &experiment->program;
    experiment->seen = (struct record_block){
        .alias = block_alias_name(experiment->alias),
        .pages = was_tried ? trial->seen.pages : m->seen.pages,
        .memory = bench_memory_name(m->outcome == BENCH_OK ? m->seen.memory : trial->seen.memory),
        .set = start_state_text(arena, block->source.isa, block_start_of(block, experiment->alias).state),
        .init = block->options.state.init
                    ? bytes_to_hex(arena, block->options.state.init_bytes, block->options.state.n_init_bytes)
                    : NULL,
        .made_up = join(arena, block->source.made_up, block->source.n_made_up),
        .walks = has_survived && m->seen.pages > trial->seen.pages,
        .drift = block_drift(block, experiment->alias),
        .copies = has_survived || !was_tried ? program->unroll : 0,
        .has_own_branch = program->has_own_branch,
        .turns = program->has_own_branch ? 1 : block->given_turns,
        .notes =
            request_distortions(decoder, block, experiment->alias, &request) ? distortions_find(arena, &request) : NULL,
    };
    experiment->seen.has_fault = m->outcome != BENCH_OK && fault_explain(arena, decoder, block, program, m->outcome,
                                                                         &m->seen, &experiment->seen.fault);
}

bool block_shorten(struct arena *arena, struct experiment *experiment, struct fail *fail) {
    const struct bench_seen *seen = &experiment->measurement.seen;
    const struct program *program = &experiment->program;
    size_t first = program->body_range.offset, length = program->body_range.length;
    if (!experiment->block || program->unroll < 2 || !seen->fault.is_known || seen->fault.offset < first)
        return false;
    size_t n_before = (seen->fault.offset - first) / length + seen->most_iterations * program->unroll;
    unsigned unroll = (unsigned)(n_before / 2 < program->unroll ? n_before / 2 : program->unroll / 2);
    return unroll >= 1 && make_final(arena, experiment, unroll, fail);
}

bool block_make_layout(struct arena *arena, const struct experiment *experiment, unsigned further,
                       enum block_caller caller, struct program *program, struct fail *fail) {
    struct block_request request = final_request(experiment, experiment->program.unroll);
    request.further = further;
    request.caller = caller;
    return make_program(arena, experiment->block, experiment->alias, &request, program, fail);
}
