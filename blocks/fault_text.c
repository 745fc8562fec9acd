#include "blocks/fault_text.h"

#include "base/text.h"
#include "blocks/callees.h"
#include "blocks/decoder.h"
#include "blocks/turns.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

// Returns the instruction, from 1, that wrote the register's value at instruction `at`; 0: none does. Sets `is_before`
// where it is in the previous copy.
static unsigned find_writer(const struct machine *machine, const struct block *block, unsigned at, uint16_t reg,
                            bool *is_before) {
    *is_before = false;
    for (unsigned i = at; i-- > 0;)
        if (decoder_writes(machine, &block->insns[i], reg))
            return i + 1;
    *is_before = true;
    for (unsigned i = block->n_insns; i-- > at;)
        if (decoder_writes(machine, &block->insns[i], reg))
            return i + 1;
    return 0;
}

// Whether a branch may execute an instruction of a copy again.
static bool may_turn(const struct block *block) {
    for (unsigned i = 0; i < block->n_insns; i++)
        if (block->insns[i].is_branch)
            return true;
    return false;
}

static void add_origin(struct text *text, const struct machine *machine, const struct block *block, unsigned at,
                       uint16_t reg, bool is_first_copy) {
    bool is_before;
    if (!reg || strcmp(machine->registers[reg].name, "RIP") == 0)
        return;
    unsigned writer = find_writer(machine, block, at, reg, &is_before);
    const char *name = text_lower(text->arena, machine->registers[reg].name);
    if (writer > 0 && is_before && is_first_copy && may_turn(block))
        text_addf(text, "; %s has the value it started with, or comes from instruction %u", name, writer);
    else if (writer == 0 || (is_before && is_first_copy))
        text_addf(text, "; %s has the value it started with", name);
    else
        text_addf(text, "; %s comes from instruction %u%s", name, writer, is_before ? " of the copy before" : "");
}

// Sets the value of a general register at the fault. Returns false for other registers.
static bool value_of(const struct isa *isa, const struct machine *machine, const struct bench_fault *fault,
                     uint16_t reg, uint64_t *value) {
    const struct register_class *general = isa->classes;
    *value = 0;
    if (!reg)
        return true;
    for (unsigned i = 0; general->registers[i] && i < sizeof fault->registers / sizeof *fault->registers; i++)
        if (strcasecmp(general->registers[i], machine->registers[reg].name) == 0) {
            *value = fault->registers[i];
            return true;
        }
    return false;
}

static bool is_canonical(uint64_t address) {
    enum { USED_BITS = 48 };
    int64_t top = (int64_t)address >> (USED_BITS - 1);
    return top == 0 || top == -1;
}

// Computes the address of the instruction's access, where the CPU does not give it. An instruction without an operand
// in memory may use the stack, which explains the fault only where the stack pointer is not an address.
static bool compute_address(const struct isa *isa, const struct machine *machine, const struct bench_fault *fault,
                            const struct insn *insn, uint64_t *address) {
    const struct insn_address *operand = insn->address;
    uint64_t base, index;
    if (!operand) {
        *address = fault->registers[isa->stack_number];
        return (insn->may_load || insn->may_store) && !is_canonical(*address);
    }
    if (operand->segment || !value_of(isa, machine, fault, operand->base, &base) ||
        !value_of(isa, machine, fault, operand->index, &index))
        return false;
    *address = base + index * operand->scale + (uint64_t)operand->displacement;
    return true;
}

// Whether the instruction's general protection fault may come from the value that it loads: Intel SDM volume 2.
static bool checks_value(const char *instruction) {
    static const char *const names[] = {"ldmxcsr", "vldmxcsr", "fxrstor", "xrstor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(instruction, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// Adds what the instruction did, after "instruction 3 `…` of copy 1".
static void add_deed(struct text *text, enum bench_outcome outcome, const struct record_fault *fault,
                     uint64_t address) {
    if (!fault->address)
        return;
    if (outcome == BENCH_PAGES)
        text_addf(text, " touched one page more than may appear (--pages), at %s", fault->address);
    else if (outcome == BENCH_PROTECTION && is_canonical(address) && checks_value(fault->text))
        text_addf(text, " does not accept what lies at %s", fault->address);
    else if (outcome == BENCH_SIGBUS || (outcome == BENCH_PROTECTION && is_canonical(address)))
        text_addf(text, " needs another alignment than that of %s", fault->address);
    else if (outcome == BENCH_PROTECTION)
        text_addf(text, " computed %s, which is not an address", fault->address);
    else
        text_addf(text, " %s %s", strcmp(fault->access, "write") == 0 ? "wrote to" : "read", fault->address);
}

// Adds where the fault was: the copy's number in unrolled code or a single pass, a later iteration in looped code.
static void add_copy(struct text *text, const struct program *program, struct record_fault *fault) {
    if (program->routine_range.length && !program->runs_once)
        text_add(text, ", in a later call,");
    else if (program->unroll > 1 || program->runs_once)
        text_addf(text, " of copy %u", fault->copy);
    else if (program->form == PROGRAM_LOOPED)
        text_add(text, ", in a later iteration,");
}

// Returns the last instruction of a loop that changes the flags in front of its branch; null: none does.
static const struct insn *last_change(const struct machine *machine, const struct block *block, unsigned head,
                                      unsigned branch) {
    for (unsigned i = branch; i-- > head;)
        for (unsigned k = 0; k < block->insns[i].n_writes; k++)
            if (machine_is_flags(machine, block->insns[i].writes[k].reg))
                return &block->insns[i];
    return NULL;
}

// Whether an instruction in front of the loop sets a general register.
static bool is_set_before(const struct isa *isa, const struct machine *machine, const struct block *block,
                          unsigned head, int reg) {
    for (unsigned i = 0; i < head; i++)
        for (unsigned k = 0; k < block->insns[i].n_writes; k++)
            if (turns_register(isa, machine, block->insns[i].writes[k].reg) == reg)
                return true;
    return false;
}

// Adds what decides whether a loop's branch is taken: the registers that the last change of the flags reads. A single
// one that nothing in front of the loop sets can be given.
static void add_deciding(struct text *text, const struct isa *isa, const struct machine *machine,
                         const struct block *block, unsigned head, unsigned branch) {
    const struct insn *change = last_change(machine, block, head, branch);
    struct text names = {.arena = text->arena};
    unsigned n = 0;
    int last = -1;
    for (unsigned k = 0; change && k < change->n_reads; k++) {
        int reg = turns_register(isa, machine, change->reads[k].reg);
        if (reg < 0 || reg == last)
            continue;
        last = reg;
        text_addf(&names, "%s%s", n++ ? " and " : "", isa->classes->registers[reg]);
    }
    if (n == 1 && !change->address && !is_set_before(isa, machine, block, head, last))
        text_addf(text, "; --set %s=N decides how often it turns", names.data);
    else if (n)
        text_addf(text, "; %s decide%s how often it turns: give what %s from by --set", names.data, n > 1 ? "" : "s",
                  n > 1 ? "they come" : "that comes");
}

// Adds which loop walked over the pages: the smallest one with the instruction in it. And what ends it sooner.
static void add_loop(struct text *text, const struct isa *isa, const struct machine *machine, const struct block *block,
                     unsigned at) {
    unsigned first = 0, last = block->n_insns;
    int64_t offset = 0;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        int64_t target = offset + insn->displacement;
        if (i < at || !insn->is_branch || !insn->is_direct || insn->is_call || insn->displacement > 0 || target < 0)
            continue;
        unsigned head = block_insn_at(block, (size_t)target);
        if (head > at || (last < block->n_insns && i - head >= last - first))
            continue;
        first = head;
        last = i;
    }
    if (last == block->n_insns)
        return;
    text_addf(text, "; the loop of instructions %u to %u walked there", first + 1, last + 1);
    if (block->insns[last].is_conditional)
        add_deciding(text, isa, machine, block, first, last);
}

// The base of gs is 0, as in each process of 64 bits that sets none.
static void add_segment(struct text *text, const struct machine *machine, const struct insn_address *address) {
    if (address->segment && strcmp(machine->registers[address->segment].name, "GS") == 0)
        text_add(text, "; gs begins at 0 here, where no memory can be: let a register have the address, as gs:[rdi]");
}

// A jump that left the block. Where only one instruction could have made it, names that one: mostly a jump by a table
// whose address the code before the block chooses.
static void explain_jump(struct arena *arena, const struct machine *machine, const struct lab_block *block,
                         uint64_t address, struct record_fault *fault) {
    const struct block *insns = &block->insns;
    struct text text = {.arena = arena};
    unsigned n = 0, at = 0;
    for (unsigned i = 0; block->is_decoded && i < insns->n_insns; i++) {
        const struct insn *insn = &insns->insns[i];
        if ((!insn->is_branch && !insn->is_call) || insn->is_direct)
            continue;
        n++;
        at = i;
    }
    const struct insn *insn = n == 1 ? &insns->insns[at] : NULL;
    if (!insn || insn->is_return || insn->is_call) {
        const char *weak = address || !block->source.link
                               ? ""
                               : ", where a weak function is that nothing defines: --set gives what is tested before "
                                 "it is called";
        *fault = (struct record_fault){.explanation = arena_printf(arena, "it went to 0x%" PRIx64 "%s", address, weak)};
        return;
    }
    text_addf(&text, "instruction %u `%s` went to 0x%" PRIx64, at + 1, insn->text, address);
    for (unsigned i = 0; i < insn->n_reads; i++)
        add_origin(&text, machine, insns, at, insn->reads[i].reg, true);
    text_add(&text, "; where it jumps by a table, give the whole function");
    *fault = (struct record_fault){.instruction = at + 1, .text = insn->text, .explanation = text.data};
}

static const char *absent_at(const struct lab_block *block, uint64_t address) {
    for (size_t i = 0; i < block->source.n_absent; i++)
        if (address - block->source.absent[i].address < block->source.absent[i].size)
            return block->source.absent[i].what;
    return NULL;
}

// Returns why a run ended that came to what no file has; null: it did not. The CPU gives no address
// where code computed one that no memory can have; then a register may hold it.
static const char *find_absent(const struct lab_block *block, enum bench_outcome outcome,
                               const struct bench_fault *fault) {
    if (fault->has_address && (outcome == BENCH_JUMP || outcome == BENCH_SIGSEGV || outcome == BENCH_PROTECTION))
        return absent_at(block, fault->address);
    const char *found = NULL;
    for (size_t i = 0; outcome == BENCH_PROTECTION && !found && i < sizeof fault->registers / sizeof *fault->registers;
         i++)
        found = absent_at(block, fault->registers[i]);
    return found;
}

// A fault in a function that the block calls.
static bool explain_callee(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                           enum bench_outcome outcome, const struct bench_fault *known, struct record_fault *fault) {
    const struct link *link = block->source.link;
    uint64_t at = link ? link->code_address + known->offset : 0;
    const struct insn *insn = link && known->is_known ? callees_insn(arena, decoder, block, at) : NULL;
    struct text text = {.arena = arena};
    if (!insn)
        return false;
    bool is_write = known->is_write || (insn->may_store && !insn->may_load);
    *fault =
        (struct record_fault){.text = insn->text,
                              .access = known->has_address ? (is_write ? "write" : "read") : "",
                              .address = known->has_address ? arena_printf(arena, "0x%" PRIx64, known->address) : NULL};
    text_addf(&text, "`%s` at 0x%" PRIx64 ", in a function that it calls,", insn->text, at);
    if (fault->address)
        add_deed(&text, outcome, fault, known->address);
    else
        text_add(&text, " cannot go on");
    fault->explanation = text.data;
    return true;
}

// A fault of the block's own instruction at `offset`, bytes from the first copy.
static void explain_own(struct text *text, const struct decoder *decoder, const struct lab_block *block,
                        const struct program *program, enum bench_outcome outcome, const struct bench_fault *known,
                        size_t offset, struct record_fault *fault) {
    const size_t length = program_block_range(program).length;
    unsigned at = block_insn_at(&block->insns, offset % length);
    const struct insn *insn = &block->insns.insns[at];
    uint64_t address = known->address;
    bool has_address =
        known->has_address || compute_address(block->source.isa, decoder->machine, known, insn, &address);
    bool is_write = known->is_write || (insn->may_store && !insn->may_load); // not every CPU reports it
    bool is_memory = outcome == BENCH_SIGSEGV || outcome == BENCH_PROTECTION || outcome == BENCH_PAGES ||
                     (outcome == BENCH_SIGBUS && insn->address);
    *fault = (struct record_fault){
        .instruction = at + 1,
        .copy = (unsigned)(offset / length) + 1,
        .text = insn->text,
        .access = is_memory ? (is_write ? "write" : "read") : "",
        .address = is_memory && has_address ? arena_printf(text->arena, "0x%" PRIx64, address) : NULL,
    };
    text_addf(text, "instruction %u `%s`", fault->instruction, fault->text);
    add_copy(text, program, fault);
    add_deed(text, outcome, fault, address);
    bool is_first = fault->copy == 1 &&
                    (program->runs_once || (program->form == PROGRAM_UNROLLED && !program->routine_range.length));
    if (is_memory && insn->address) {
        if (outcome == BENCH_SIGSEGV)
            add_segment(text, decoder->machine, insn->address);
        add_origin(text, decoder->machine, &block->insns, at, insn->address->base, is_first);
        add_origin(text, decoder->machine, &block->insns, at, insn->address->index, is_first);
    }
    if (outcome == BENCH_PAGES)
        add_loop(text, block->source.isa, decoder->machine, &block->insns, at);
    fault->explanation = text->data;
}

bool fault_explain(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                   const struct program *program, enum bench_outcome outcome, const struct bench_seen *seen,
                   struct record_fault *fault) {
    const struct program_range body = program_block_range(program);
    const struct bench_fault *known = &seen->fault;
    size_t end = body.offset + body.length * (program->routine_range.length ? 1 : program->unroll);
    const char *absent = find_absent(block, outcome, known);
    if (absent) {
        *fault = (struct record_fault){.explanation = absent};
        return true;
    }
    if (outcome == BENCH_JUMP && known->has_address) {
        explain_jump(arena, decoder->machine, block, known->address, fault);
        return true;
    }
    if (known->is_known && known->offset < body.offset && block->options.state.init) {
        const char *access = known->has_address ? arena_printf(arena, ", at 0x%" PRIx64, known->address) : "";
        *fault = (struct record_fault){.explanation = arena_printf(arena, "in the code of --init%s", access)};
        return true;
    }
    if (!block->is_decoded || !known->is_known || known->offset < body.offset || known->offset >= end)
        return explain_callee(arena, decoder, block, outcome, known, fault);
    struct text text = {.arena = arena};
    explain_own(&text, decoder, block, program, outcome, known, known->offset - body.offset, fault);
    return true;
}
