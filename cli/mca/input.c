#include "cli/mca/input.h"

#include "analyzer/code/vector_start.h"
#include "analyzer/predict/branch_trace.h"
#include "base/chunks.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/text.h"

#include "analyzer/sim/mca/mca.h"
#include "analyzer/views/trace.h"
#include "cli/mca/bytes.h"
#include "cli/mca/hex_jobs.h"
#include "cli/mca/notes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct input_reader {
    struct mca_session *session;
    const struct model *model;
    struct block *blocks; // blocks of all inputs
    size_t n_blocks;
    struct backend_note *notes;
    size_t n_notes;
    bool states_vectors; // the last text has comments that state RISC-V's vector configurations
    uint64_t iterations;
    bool any_failed;    // a block failed, and --brief went on
    const char *unread; // text that did not parse; null: none
};

static struct object_range range_of(const struct mca_args *args) {
    return (struct object_range){
        .symbol = args->symbol, .section = args->section, .start = args->start, .end = args->end};
}

// ---- assembly

static bool are_same_code(const struct backend_source *a, const struct backend_source *b) {
    if (a->n_blocks != b->n_blocks)
        return false;
    for (size_t i = 0; i < a->n_blocks; i++) {
        if (a->blocks[i].n_insns != b->blocks[i].n_insns)
            return false;
        for (unsigned j = 0; j < a->blocks[i].n_insns; j++)
            if (strcmp(a->blocks[i].insns[j].opcode, b->blocks[i].insns[j].opcode) != 0)
                return false;
    }
    return true;
}

// Prints a hint where the text is probably in Intel's syntax. In AT&T's, 'rax' is a place in memory: 'push rax' parses,
// but most other text does not. `source`: result of parsing the text; null: it did not parse.
static void hint_at_intel(const struct input_reader *reader, const char *name, const char *text,
                          const struct backend_source *source) {
    struct arena *arena = reader->session->arena;
    const char *in_intel = model_in_syntax(arena, reader->model->machine->triple, text);
    bool is_settled = strstr(text, ".intel_syntax") || strstr(text, ".att_syntax");
    struct backend_source as_intel = {0};
    struct fail fail = {0};
    if (is_settled || reader->session->args->as_llvm_mca ||
        strlen(in_intel) <= strlen(text) + 1 || // without '.intel_syntax' in front: not x86, or with %rax
        !model_describe_text(reader->model, arena, name, in_intel, &as_intel, &fail))
        return;
    if (!source)
        fputs("cyclops: note: this is Intel's syntax: begin it with '.intel_syntax noprefix'\n", stderr);
    else if (!are_same_code(source, &as_intel))
        fprintf(stderr,
                "cyclops: warning: %s: a register without '%%' is a place in memory here; if this is Intel's syntax, "
                "begin it with '.intel_syntax noprefix'\n",
                name);
}

// Prints what to give instead of a text that did not parse.
static void hint_at_unread(const struct input_reader *reader, const char *path) {
    const char *name = file_name(path), *kind = file_kind_refused(name, reader->unread, strlen(reader->unread));
    if (kind)
        fprintf(stderr, "cyclops: note: %s is %s\n", name, kind);
    else
        hint_at_intel(reader, name, reader->unread, NULL);
}

static bool describe_text(struct input_reader *reader, const char *name, const char *text,
                          struct backend_source *source) {
    struct mca_session *session = reader->session;
    reader->states_vectors = strstr(text, "LLVM-MCA-RISCV-") != NULL;
    bool is_read = model_describe_text(reader->model, session->arena, name, text, source, session->fail);
    if (is_read)
        hint_at_intel(reader, name, text, source);
    else
        reader->unread = text;
    return is_read;
}

// Describes a file of assembly, or an object.
static bool describe_file(struct input_reader *reader, const char *path, struct backend_source *source) {
    struct mca_session *session = reader->session;
    const struct object_range range = range_of(session->args);
    reader->unread = NULL;
    char *data;
    size_t n_bytes;
    if (!file_read(session->arena, path, &data, &n_bytes, session->fail))
        return false;
    const char *name = file_name(path), *refused = file_kind_refused("", data, n_bytes);
    if (refused)
        return fail_at(session->fail, name, 0, 0, "this is %s", refused);
    if (object_is_elf(data, n_bytes))
        return mca_describe_object(
            reader->model, session->arena,
            &(struct object_file){
                .path = name, .data = data, .n_bytes = n_bytes, .triple = reader->model->machine->triple},
            &range, source, session->fail);
    if (range.symbol != NULL || range.section != NULL || range.start != NULL || range.end != NULL)
        return fail_at(session->fail, name, 0, 0,
                       "this is not an ELF object; --symbol, --section, --start and --end choose code from one");
    return describe_text(reader, name, data, source);
}

// Notes what llvm-mca does without a word: where nothing states a vector configuration, it takes the slowest numbers.
static void note_vectors(struct input_reader *reader, const struct block *block) {
    struct arena *arena = reader->session->arena;
    const struct insn *open = vector_start_find(reader->model->machine->triple, block);
    if (!open || reader->states_vectors || reader->session->args->as_llvm_mca)
        return;
    *ARENA_ADD(arena, reader->notes, reader->n_notes) = (struct backend_note){
        BACKEND_NOTE, reader->n_blocks,
        arena_printf(arena, "no vsetvli before '%s': LLVM's numbers for the longest group of registers are taken",
                     text_without_tabs(arena, open->text))};
}

static void append_block(struct input_reader *reader, const struct block *block) {
    struct arena *arena = reader->session->arena;
    note_vectors(reader, block);
    *ARENA_ADD(arena, reader->blocks, reader->n_blocks) = *block;
}

static void append_source(struct input_reader *reader, const struct backend_source *source) {
    struct arena *arena = reader->session->arena;
    size_t first = reader->n_blocks;
    for (size_t i = 0; i < source->n_blocks; i++)
        append_block(reader, &source->blocks[i]);
    for (size_t i = 0; i < source->n_notes; i++) {
        struct backend_note *note = ARENA_ADD(arena, reader->notes, reader->n_notes);
        *note = source->notes[i];
        note->block += first;
    }
}

static bool gather_hex(struct input_reader *reader, const char *path) {
    struct mca_session *session = reader->session;
    struct mca_hex hex;
    if (!mca_hex_open(&hex, path, session->fail))
        return false;
    while (session->fail->status == FAIL_NONE && mca_hex_next(&hex, reader->model)) {
        struct block block = hex.block;
        struct insn *insns = ARENA_ARRAY(session->arena, struct insn, block.n_insns);
        *session->fail = hex.fail;
        if (hex.fail.status != FAIL_NONE)
            break;
        memcpy(insns, block.insns, block.n_insns * sizeof *insns);
        block.insns = insns;
        block.name = arena_strdup(session->arena, mca_hex_place(&hex));
        block.is_marked = true;
        append_block(reader, &block);
    }
    if (session->fail->status == FAIL_NONE)
        *session->fail = hex.fail; // the file ends early
    mca_hex_close(&hex);
    return session->fail->status == FAIL_NONE;
}

static bool gather_file(struct input_reader *reader, const char *path) {
    struct backend_source source = {0};
    struct fail *fail = reader->session->fail;
    if (describe_file(reader, path, &source)) {
        append_source(reader, &source);
        return true;
    }
    if (fail->text[0] != '\0')
        fail_print(fail, stderr);
    mca_print_notes(reader->session, &source);
    if (reader->unread)
        hint_at_unread(reader, path);
    *fail = (struct fail){.status = fail->status}; // it is printed
    append_source(reader, &(struct backend_source){.blocks = source.blocks, .n_blocks = source.n_blocks});
    return false;
}

// ---- --brief

static void tell_failure(struct input_reader *reader, const struct fail *fail) {
    mca_brief_print_error(fail, reader->session->out);
    reader->any_failed = true;
}

static void simulate_briefly(struct input_reader *reader, const struct block *block) {
    const struct mca_session *session = reader->session;
    struct fail fail;
    struct pipeline_result result;
    uint64_t thousandths;
    fail_clear(&fail);
    if (mca_simulate(reader->model, session->pipeline, reader->iterations, block, &result, &thousandths, &fail))
        mca_brief_print(&result, thousandths, block->name, session->out);
    else
        tell_failure(reader, &fail);
}

static bool run_hex_briefly(struct input_reader *reader, const char *path) {
    const struct mca_args *args = reader->session->args;
    unsigned n_jobs = args->jobs != 0 ? args->jobs : chunks_usual_jobs();
    return mca_run_hex(reader->session, reader->model, path, n_jobs, &reader->any_failed);
}

static bool run_file_briefly(struct input_reader *reader, const char *path) {
    struct backend_source source = {0};
    struct fail *fail = reader->session->fail;
    bool is_described = describe_file(reader, path, &source);
    for (size_t i = 0; i < source.n_blocks; i++)
        simulate_briefly(reader, &source.blocks[i]);
    if (!is_described) {
        tell_failure(reader, fail);
        *fail = (struct fail){0};
        if (reader->unread)
            hint_at_unread(reader, path);
    }
    return true;
}

static bool for_each_input(struct input_reader *reader, bool (*take)(struct input_reader *, const char *)) {
    const struct mca_args *args = reader->session->args;
    if (args->n_inputs == 0)
        return take(reader, "-");
    for (size_t i = 0; i < args->n_inputs; i++)
        if (!take(reader, args->inputs[i]))
            return false;
    return true;
}

// ---- --trace=konata[:FILE], --trace=perfetto[:FILE]

static bool parse_trace(const char *word, enum trace_format *format, const char **path, struct fail *fail) {
    static const struct {
        const char *name, *path;
        enum trace_format format;
    } formats[] = {{"konata", "trace.konata", TRACE_KONATA}, {"perfetto", "trace.json", TRACE_PERFETTO}};
    size_t length = strcspn(word, ":");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strlen(formats[i].name) != length || strncmp(word, formats[i].name, length) != 0)
            continue;
        *format = formats[i].format;
        *path = word[length] == ':' && word[length + 1] != '\0' ? word + length + 1 : formats[i].path;
        return true;
    }
    return fail_set(fail, FAIL_INPUT, "option --trace takes konata or perfetto, and :FILE behind it, not '%s'", word);
}

static bool report_with_trace(struct mca_session *session, const struct backend_source *source, const char *word) {
    enum trace_format format = TRACE_KONATA;
    const char *path = "-";
    struct trace_view trace;
    if (!parse_trace(word, &format, &path, session->fail))
        return false;
    FILE *out = strcmp(path, "-") == 0 ? session->out : fopen(path, "we");
    if (out == NULL)
        return fail_set(session->fail, FAIL_WORK, "cannot write '%s': %s", path, strerror(errno));
    trace_view_open(&trace, format, session->machine, out, session->arena);
    session->trace = &trace;
    bool done = mca_report(session, source);
    session->trace = NULL;
    trace_view_close(&trace);
    bool failed = ferror(out) != 0;
    failed |= out != session->out && fclose(out) != 0;
    if (done && failed)
        return fail_set(session->fail, FAIL_WORK, "cannot write '%s': %s", path, strerror(errno));
    return done;
}

bool mca_inputs_exist(const struct mca_args *args, struct fail *fail) {
    for (size_t i = 0; i < args->n_inputs; i++)
        if (strcmp(args->inputs[i], "-") != 0 && access(args->inputs[i], R_OK) != 0)
            return fail_set(fail, FAIL_INPUT, "%s: %s", args->inputs[i], strerror(errno));
    return true;
}

// Lays the block out as a branch trace runs it. `trace`: a file, "-" for standard input, or the trace
// itself, which begins with a parenthesis.
static bool follow_trace(struct mca_session *session, struct backend_source *source) {
    struct arena *arena = session->arena;
    struct fail *fail = session->fail;
    const char *trace = session->args->branch_trace;
    const char *name = trace[0] == '(' ? "--branch-trace" : file_name(trace);
    char *text = arena_strdup(arena, trace);
    size_t n_bytes;
    struct branch_trace parsed;
    struct execution *execution = ARENA_NEW(arena, struct execution);
    struct block *laid_out = ARENA_NEW(arena, struct block);
    if (trace[0] != '(' && !file_read(arena, trace, &text, &n_bytes, fail))
        return false;
    if (source->n_blocks != 1)
        return fail_set(fail, FAIL_INPUT, "a branch trace goes through one region, but the input has %zu",
                        source->n_blocks);
    if (!branch_trace_parse(arena, name, text, &parsed, fail) ||
        !branch_trace_follow(arena, &parsed, &source->blocks[0], execution, fail))
        return false;
    *laid_out = execution_lay_out(arena, execution);
    source->blocks = laid_out;
    session->execution = execution;
    return true;
}

bool mca_read_inputs(struct mca_session *session, const struct model *model, struct backend_source *source) {
    struct input_reader reader = {.session = session, .model = model};
    const struct mca_args *args = session->args;
    if (args->branch_trace != NULL && (args->brief || args->hex))
        return fail_set(session->fail, FAIL_INPUT,
                        "--branch-trace follows the labels of one text: leave out --hex and --brief");
    bool is_read = args->brief || for_each_input(&reader, args->hex ? gather_hex : gather_file);
    *source = (struct backend_source){
        .blocks = reader.blocks, .n_blocks = reader.n_blocks, .notes = reader.notes, .n_notes = reader.n_notes};
    if (!is_read)
        return false;
    return args->branch_trace == NULL || follow_trace(session, source);
}

static bool run_briefly(struct mca_session *session, const struct model *model, uint64_t iterations) {
    struct input_reader reader = {.session = session, .model = model, .iterations = iterations};
    bool done = for_each_input(&reader, session->args->hex ? run_hex_briefly : run_file_briefly);
    if (done && reader.any_failed)
        session->fail->status = FAIL_WORK; // it is printed
    return done;
}

bool mca_run(struct mca_session *session, const struct model *model, const struct backend_source *source) {
    const struct mca_args *args = session->args;
    const struct pipeline_options options = mca_pipeline_options(session);
    bool done;
    session->pipeline = model->own ? NULL : mca_core_open(session->machine, &options);
    if (args->trace != NULL)
        done = report_with_trace(session, source, args->trace);
    else if (args->brief)
        done = run_briefly(session, model, options.iterations);
    else
        done = mca_report(session, source);
    pipeline_close(session->pipeline);
    return done;
}
