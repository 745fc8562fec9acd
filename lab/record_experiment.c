#include "lab/record_experiment.h"

#include "base/bytes.h"
#include "base/index.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME_BYTES = 120 };

static const char *printable(struct arena *arena, const char *text, const char *otherwise) {
    return text_printable(arena, text ? text : otherwise, MOST_NAME_BYTES);
}

const struct isa *record_isa(struct arena *arena, const struct record *record, struct fail *fail) {
    const struct isa *isa = record->isa ? isa_find(record->isa) : NULL;
    if (!isa && record->isa)
        fail_set(fail, FAIL_INPUT, "%s", isa_unknown(arena, record->isa));
    else if (!isa)
        fail_set(fail, FAIL_INPUT, "the measurement does not state the ISA of its bytes");
    return isa;
}

static bool read_bytes(struct arena *arena, const char *hex, struct program *program, struct fail *fail) {
    size_t n = hex ? strlen(hex) : 0;
    if (n == 0 || n % 2)
        return fail_set(fail, FAIL_INPUT, "'bytes' must be the code, two digits a byte");
    if (n / 2 > RECORD_MOST_CODE_BYTES)
        return fail_set(fail, FAIL_INPUT, "'bytes' holds more than %d bytes of code", RECORD_MOST_CODE_BYTES);
    uint8_t *bytes = arena_alloc(arena, n / 2);
    if (!bytes_from_hex(hex, n / 2, bytes))
        return fail_set(fail, FAIL_INPUT, "'bytes' must be hexadecimal digits, 0 to 9 and a to f");
    program->code = bytes;
    program->code_bytes = n / 2;
    program->body_range = program->loop_range = (struct program_range){0, n / 2};
    return true;
}

static bool read_mode(struct arena *arena, const struct record *record, struct program *program, struct fail *fail) {
    if (!record->mode || !program_mode_parse(record->mode, &program->mode))
        return fail_set(fail, FAIL_INPUT, "'mode' is '%s', and must be latency, throughput or block",
                        printable(arena, record->mode, ""));
    if (!record->form || !program_form_parse(record->form, &program->form))
        return fail_set(fail, FAIL_INPUT, "'form' is '%s', and must be unrolled or looped",
                        printable(arena, record->form, ""));
    if (record->placement && !program_placement_parse(record->placement, &program->placement))
        return fail_set(fail, FAIL_INPUT,
                        "'placement' is '%s', and must be same-address, same-line, own-lines or "
                        "own-pages",
                        printable(arena, record->placement, ""));
    return program->mode != PROGRAM_THROUGHPUT || record->streams > 0 ||
           fail_set(fail, FAIL_INPUT, "a throughput needs 'n', 1 or more");
}

// Takes the findings on a block. Its fault is not in the record.
static void take_block(struct arena *arena, const struct record *record, struct experiment *experiment) {
    if (!record->block)
        return;
    enum { MOST_BYTES = 1 << 16 };
    experiment->seen = *record->block;
    const char **texts[] = {&experiment->seen.alias, &experiment->seen.memory, &experiment->seen.set,
                            &experiment->seen.init, &experiment->seen.notes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? text_printable(arena, *texts[i], MOST_BYTES) : NULL;
}

static void make_printable(struct arena *arena, struct bench_measurement *m) {
    m->why = m->why ? printable(arena, m->why, "") : NULL;
    m->warning = m->warning ? printable(arena, m->warning, "") : NULL;
    struct bench_replicate *replicates = ARENA_ARRAY(arena, struct bench_replicate, m->n_replicates);
    for (unsigned i = 0; i < m->n_replicates; i++) {
        replicates[i] = m->replicates[i];
        replicates[i].change = printable(arena, replicates[i].change, "");
    }
    m->replicates = replicates;
    struct bench_event *events = ARENA_ARRAY(arena, struct bench_event, m->n_events);
    for (unsigned i = 0; i < m->n_events; i++) {
        events[i] = m->events[i];
        events[i].name = printable(arena, events[i].name, "");
        events[i].why = events[i].why ? printable(arena, events[i].why, "") : NULL;
    }
    m->events = events;
}

// Reads the loop's own instructions; without them, takes the ISA's usual ones.
static void read_loop(const struct record *record, const struct isa *isa, struct program *program) {
    const struct isa_loop_end usual = isa->loop_end(program);
    program->preserves_flags = record->loop_instructions > 0;
    program->loop_instructions = program->preserves_flags ? record->loop_instructions : usual.instructions;
    program->loop_branches = program->preserves_flags ? record->loop_branches : usual.branches;
}

// Returns the instructions of one copy of the kernel; 0: unknown.
static unsigned kernel_instructions(const struct program *program) {
    unsigned own = program->form == PROGRAM_LOOPED ? program->loop_instructions : 0;
    unsigned streams = program->mode == PROGRAM_THROUGHPUT ? program->streams : 1;
    if (program->mode == PROGRAM_BLOCK || program->instructions < own || (program->instructions - own) % streams)
        return 0;
    return (program->instructions - own) / streams;
}

bool record_to_experiment(struct arena *arena, const struct record *record, struct experiment *experiment,
                          struct fail *fail) {
    const struct isa *isa = record_isa(arena, record, fail);
    *experiment = (struct experiment){.measurement = record->measurement};
    struct program *program = &experiment->program;
    if (!isa || !read_mode(arena, record, program, fail) || !read_bytes(arena, record->bytes, program, fail))
        return false;
    program->isa = isa->name;
    program->kernel = printable(arena, record->kernel, "(without a name)");
    program->label = printable(arena, record->instruction, program->kernel);
    program->arc = program->mode == PROGRAM_LATENCY ? printable(arena, record->arc, "") : NULL;
    program->symbol = "";
    program->streams = record->streams;
    program->instructions = record->instructions;
    program->unroll = 1;
    read_loop(record, isa, program);
    experiment->kernel_instructions = kernel_instructions(program);
    make_printable(arena, &experiment->measurement);
    take_block(arena, record, experiment);
    return true;
}

// Whether they may be rows of one sweep.
static bool is_one_sweep(const struct program *a, const struct program *b) {
    return a->mode == PROGRAM_THROUGHPUT && b->mode == PROGRAM_THROUGHPUT && a->form == b->form &&
           (a->placement == b->placement || a->placement == PLACEMENT_NONE) && strcmp(a->kernel, b->kernel) == 0;
}

struct row {
    size_t first, number; // of the kernel's first row, and its own
    struct experiment *experiment;
};

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// Puts the rows of each kernel together: a run that may be killed measures one of each kernel before the others.
static void gather_kernels(struct arena *arena, const struct plan *plan) {
    struct index index = {.arena = arena};
    struct row *rows = ARENA_ARRAY(arena, struct row, plan->n_experiments + 1);
    for (size_t i = 0; i < plan->n_experiments; i++) {
        const char *kernel = plan->experiments[i]->program.kernel;
        uint64_t hash = bytes_hash(kernel, strlen(kernel));
        rows[i] = (struct row){i, i, plan->experiments[i]};
        for (size_t place = 0, k; rows[i].first == i && (k = index_next(&index, hash, &place)) != INDEX_END;)
            if (strcmp(rows[k].experiment->program.kernel, kernel) == 0)
                rows[i].first = k;
        if (rows[i].first == i)
            index_add(&index, hash, i);
    }
    qsort(rows, plan->n_experiments, sizeof *rows, compare_rows);
    for (size_t i = 0; i < plan->n_experiments; i++)
        plan->experiments[i] = rows[i].experiment;
}

// Values that need more samples are done later than their neighbours.
static void sort_sweeps(const struct plan *plan) {
    for (size_t i = 1; i < plan->n_experiments; i++)
        for (size_t j = i; j > 0; j--) {
            struct experiment **two = &plan->experiments[j - 1], *later = two[1];
            if (!is_one_sweep(&two[0]->program, &later->program) || two[0]->program.streams <= later->program.streams)
                break;
            two[1] = two[0];
            two[0] = later;
        }
}

void record_find_sweeps(struct arena *arena, const struct plan *plan) {
    gather_kernels(arena, plan);
    sort_sweeps(plan);
    for (size_t i = 1; i < plan->n_experiments; i++) {
        struct experiment *const *two = &plan->experiments[i - 1];
        if (is_one_sweep(&two[0]->program, &two[1]->program) && two[1]->program.streams == two[0]->program.streams + 1)
            two[0]->is_sweep = two[1]->is_sweep = true;
    }
}
