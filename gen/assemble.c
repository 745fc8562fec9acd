// Turns programs into bytes with few runs of the assembler, as many at a time as there are CPUs. Programs that it
// refuses are left out, and the others of their run are assembled again.
#include "gen/assembler.h"
#include "gen/emit.h"
#include "gen/gen.h"
#include "gen/object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Data of all runs.
struct job {
    struct arena *arena;
    const struct isa *isa;
    struct program *const *programs;
    struct gen_errors *errors;
    struct fail *fail;
};

// The programs of one run.
struct assembly_batch {
    size_t *indices; // indices among the job's programs
    size_t n;
    bool are_brief; // as in emit.h
};

static bool is_same(const struct fail *a, const struct fail *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

// Refuses a program. Streams and programs of one kernel share its mistakes, with other registers: keeps the first one
// of each line.
static void refuse(const struct job *job, size_t program, const struct fail *why) {
    struct gen_errors *errors = job->errors;
    if (!errors->mistakes[program])
        errors->mistakes[program] = arena_strdup(job->arena, why->text);
    for (size_t i = 0; i < errors->n; i++)
        if (is_same(&errors->items[i], why))
            return;
    *ARENA_ADD(job->arena, errors->items, errors->n) = *why;
}

// Parses "…:LINE: Error: text". Returns false for other messages.
static bool parse_error(struct slice message, unsigned *line, struct slice *text) {
    static const char *const kinds[] = {": Error: ", ": Fatal error: "};
    for (unsigned i = 0; i < 2; i++) {
        const char *kind = memmem(message.data, message.length, kinds[i], strlen(kinds[i]));
        if (!kind)
            continue;
        const char *digits = kind;
        while (digits > message.data && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        *line = digits < kind ? (unsigned)strtoul(digits, NULL, 10) : 0;
        const char *start = kind + strlen(kinds[i]);
        *text = slice_trim((struct slice){start, (size_t)(message.data + message.length - start)});
        return true;
    }
    return false;
}

// Places an error of as in the file from which the program's body is. False: it is in what stands around the body.
static bool place_error(const struct program *program, const struct emit_place *place, unsigned line, const char *words,
                        struct fail *error) {
    unsigned in_body = line - place->body_line; // wraps around above the body
    bool is_in_body = in_body < program->body_lines;
    if (is_in_body)
        fail_at(error, program->file, program->lines[in_body], 0, "as: %s", words);
    else
        fail_at(error, program->file, program->lines[0], 0,
                "as cannot go on behind this code (%s): undo what it changes for the text behind it", words);
    return is_in_body;
}

// Refuses the programs whose lines the messages name. Returns false where they name none.
static bool refuse_named(const struct job *job, const struct assembly_batch *batch, const struct emit_place *places,
                         const char *messages) {
    struct slice rest = {messages, strlen(messages)}, message, text;
    unsigned line;
    bool is_any = false;
    while (slice_next(&rest, '\n', &message)) {
        if (!parse_error(message, &line, &text))
            continue;
        for (size_t i = 0; i < batch->n; i++) {
            struct fail error = {0};
            if (line < places[i].line || line >= places[i].end)
                continue;
            bool is_its_own = place_error(job->programs[batch->indices[i]], &places[i], line,
                                          arena_copy(job->arena, text.data, text.length), &error);
            refuse(job, batch->indices[i], &error);
            if (!is_its_own) // what it leaves behind spoils the others
                return true;
            is_any = true;
            break;
        }
    }
    return is_any;
}

// Returns the first error among the messages; null: there is none.
static const char *find_error(struct arena *arena, const char *messages) {
    struct slice rest = {messages, strlen(messages)}, message, text;
    unsigned line;
    while (slice_next(&rest, '\n', &message))
        if (parse_error(message, &line, &text))
            return arena_copy(arena, text.data, text.length);
    return NULL;
}

static void drop_refused(const struct job *job, struct assembly_batch *batch) {
    size_t kept = 0;
    for (size_t i = 0; i < batch->n; i++)
        if (!job->errors->mistakes[batch->indices[i]])
            batch->indices[kept++] = batch->indices[i];
    batch->n = kept;
}

static bool assemble_batch(const struct job *job, struct assembly_batch batch);

// Handles an error in an unknown program of the batch: refuses the only program, or assembles each half.
static bool divide(const struct job *job, struct assembly_batch batch, const struct fail *why) {
    if (batch.n == 1) {
        refuse(job, batch.indices[0], why);
        return true;
    }
    size_t half = batch.n / 2;
    return assemble_batch(job, (struct assembly_batch){batch.indices, half, batch.are_brief}) &&
           assemble_batch(job, (struct assembly_batch){batch.indices + half, batch.n - half, batch.are_brief});
}

// Assembles every copy of those whose copies are not alike.
static bool assemble_unlike(const struct job *job, struct assembly_batch batch) {
    size_t n = 0;
    for (size_t i = 0; i < batch.n; i++)
        if (!job->programs[batch.indices[i]]->code)
            batch.indices[n++] = batch.indices[i];
    return assemble_batch(job, (struct assembly_batch){batch.indices, n, false});
}

static bool read_object(const struct job *job, struct assembly_batch batch, struct program *const *list,
                        const struct emit_place *places, const struct assembler_result *result) {
    struct fail trouble = {0};
    if (object_read(job->arena, result->object, result->n_object, list, places, batch.n, &trouble))
        return !batch.are_brief || assemble_unlike(job, batch);
    if (trouble.status == FAIL_INPUT)
        return divide(job, batch, &trouble);
    *job->fail = trouble;
    return false;
}

// Handles errors at lines of no program: behind the last one, where something was not closed.
static bool divide_unnamed(const struct job *job, struct assembly_batch batch, const struct assembler_result *result) {
    const struct program *first = job->programs[batch.indices[0]];
    const char *error = find_error(job->arena, result->messages);
    struct fail why = {0};
    if (!error)
        return fail_set(job->fail, FAIL_WORK, "the assembler '%s' failed: %s", result->name,
                        *result->messages ? result->messages : "it printed nothing");
    fail_at(&why, first->file, first->lines[0], 0, "as, about this body: %s", error);
    return divide(job, batch, &why);
}

// A run that has started.
struct pending {
    struct assembly_batch batch;
    struct program **list;
    const struct emit_place *places;
    struct assembler assembler;
};

static bool start_batch(const struct job *job, struct assembly_batch batch, struct pending *pending) {
    const struct program **texts = ARENA_ARRAY(job->arena, const struct program *, batch.n);
    struct text text = {.arena = job->arena};
    *pending = (struct pending){.batch = batch, .list = ARENA_ARRAY(job->arena, struct program *, batch.n)};
    for (size_t i = 0; i < batch.n; i++)
        texts[i] = pending->list[i] = job->programs[batch.indices[i]];
    pending->places = emit_programs(job->arena, texts, batch.n, batch.are_brief, &text);
    return assembler_start(job->arena, job->isa, &text, &pending->assembler, job->fail);
}

static bool finish_batch(const struct job *job, struct pending *pending) {
    struct assembly_batch batch = pending->batch;
    struct assembler_result result;
    if (!assembler_finish(&pending->assembler, &result, job->fail))
        return false;
    if (result.is_assembled)
        return read_object(job, batch, pending->list, pending->places, &result);
    if (!refuse_named(job, &batch, pending->places, result.messages))
        return divide_unnamed(job, batch, &result);
    drop_refused(job, &batch);
    return assemble_batch(job, batch);
}

static bool assemble_batch(const struct job *job, struct assembly_batch batch) {
    struct pending pending;
    return batch.n == 0 || (start_batch(job, batch, &pending) && finish_batch(job, &pending));
}

// A mistake costs another run of its batch, and symbols are compared within one.
enum { BATCH_PROGRAMS = 1024, MOST_PENDING = 8 };

static bool assemble_all(const struct job *job, struct assembly_batch all) {
    struct pending pending[MOST_PENDING];
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = n_cpus < 1 ? 1 : n_cpus < MOST_PENDING ? (size_t)n_cpus : MOST_PENDING, n_started = 0, n_finished = 0;
    bool is_good = true;
    for (size_t first = 0; first < all.n && is_good; first += BATCH_PROGRAMS) {
        size_t left = all.n - first;
        struct assembly_batch batch = {all.indices + first, left < BATCH_PROGRAMS ? left : BATCH_PROGRAMS, true};
        if (n_started - n_finished == most)
            is_good = finish_batch(job, &pending[n_finished++ % most]);
        is_good = is_good && start_batch(job, batch, &pending[n_started % most]);
        n_started += is_good;
    }
    while (n_finished < n_started) { // also after a failure: each run must be waited for
        bool is_finished = finish_batch(job, &pending[n_finished++ % most]);
        is_good = is_good && is_finished;
    }
    return is_good;
}

bool gen_assemble_each(struct arena *arena, struct program *const *programs, size_t n_programs,
                       struct gen_errors *errors, struct fail *fail) {
    *errors = (struct gen_errors){.mistakes = ARENA_ARRAY(arena, const char *, n_programs + 1)};
    if (!n_programs)
        return true;
    struct job job = {arena, isa_find(programs[0]->isa), programs, errors, fail};
    struct assembly_batch all = {ARENA_ARRAY(arena, size_t, n_programs), n_programs, true};
    assert(job.isa);
    for (size_t i = 0; i < n_programs; i++) {
        assert(strcmp(programs[i]->isa, programs[0]->isa) == 0);
        all.indices[i] = i;
    }
    return assemble_all(&job, all);
}

bool gen_assemble(struct arena *arena, struct program *const *programs, size_t n_programs, struct fail *fail) {
    struct gen_errors errors;
    if (!gen_assemble_each(arena, programs, n_programs, &errors, fail))
        return false;
    if (errors.n)
        *fail = errors.items[0];
    return errors.n == 0;
}

bool gen_assemble_text(struct arena *arena, const struct isa *isa, const char *name, const char *text,
                       const void **object, size_t *n_bytes, struct gen_errors *errors, struct fail *fail) {
    struct gen_errors found = {0};
    struct text input = {.arena = arena};
    struct assembler assembler;
    struct assembler_result result;
    text_add(&input, text);
    if (!assembler_start(arena, isa, &input, &assembler, fail) || !assembler_finish(&assembler, &result, fail))
        return false;
    *object = result.object;
    *n_bytes = result.n_object;
    if (result.is_assembled)
        return true;
    struct slice rest = {result.messages, strlen(result.messages)}, message, words;
    unsigned line;
    while (slice_next(&rest, '\n', &message))
        if (parse_error(message, &line, &words) && line)
            fail_at(ARENA_ADD(arena, found.items, found.n), name, line, 0, "as: %.*s", (int)words.length, words.data);
    if (errors)
        *errors = found;
    const char *first = find_error(arena, result.messages);
    if (found.n)
        *fail = found.items[0];
    else if (first)
        fail_at(fail, name, 0, 0, "as: %s", first);
    return fail_set(fail, FAIL_WORK, "the assembler '%s' failed on %s: %s", result.name, name, result.messages);
}
