#include "report/trial.h"

#include "base/bytes.h"
#include "base/json_text.h"
#include "base/screen.h"
#include "bench/record/record.h"
#include "blocks/fault_text.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_WORDS_SHOWN = 8 };

struct view {
    struct arena *arena;
    const struct experiment *experiment;
    const struct isa *isa;
    const struct trial *trial;
    struct record_fault fault;
    bool has_fault;
};

static struct view view_of(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment) {
    const struct lab_block *block = experiment->block;
    const struct trial *trial = &block->trials[experiment->alias];
    struct view view = {.arena = arena, .experiment = experiment, .isa = block->source.isa, .trial = trial};
    view.has_fault =
        trial->outcome != BENCH_OK && fault_explain(arena, decoder, block, &block->tried[experiment->alias],
                                                    trial->outcome, &trial->seen, &view.fault);
    return view;
}

// Returns the number of registers in the general class. A register's place in the frame is its encoded number; that of
// the stack pointer may be after the class.
static unsigned count_general(const struct view *view) {
    unsigned n = 0;
    while (view->isa->classes->registers[n])
        n++;
    return n;
}

static uint64_t start_of(const struct view *view, unsigned number) {
    struct block_start start = block_start_of(view->experiment->block, view->experiment->alias);
    return block_start_value(view->isa, &start, number);
}

static const char *hex(struct arena *arena, uint64_t value) {
    return arena_printf(arena, "0x%" PRIx64, value);
}

// Returns the register's bytes from the lowest on, in the width in which the block uses it.
static const char *vector_bytes(const struct view *view, const struct program_register *used) {
    bool is_mask = used->class->file == 'k';
    unsigned word = is_mask ? PROGRAM_FRAME_MASKS + used->index : PROGRAM_FRAME_VECTORS + 8 * used->index;
    const uint8_t *bytes = (const uint8_t *)&view->trial->frame[word];
    return bytes_to_hex(view->arena, bytes, is_mask ? sizeof(uint16_t) : used->class->bits / 8);
}

// Returns what a word of memory held at the start. Patches belong to addresses, which own memory has.
static uint64_t word_at_start(const struct view *view, size_t at) {
    const struct bench_foreign *foreign = &view->experiment->foreign;
    size_t page = view->trial->page_bytes;
    uint64_t word = foreign->fill, address = at % page;
    bool is_own = view->trial->seen.memory != MEMORY_SHARED;
    address += is_own ? view->trial->addresses[at / page] : 0;
    uint8_t *bytes = (uint8_t *)&word;
    for (unsigned i = 0; i < foreign->n_patches && is_own; i++)
        for (unsigned k = 0; k < sizeof word; k++) {
            uint64_t offset = address + k - foreign->patches[i].address;
            if (address + k >= foreign->patches[i].address && offset < foreign->patches[i].n_bytes)
                bytes[k] = foreign->patches[i].value[offset % foreign->patches[i].n_value];
        }
    return word;
}

// Finds the next changed word of memory from `*at` on. Returns false where there is none.
static bool next_change(const struct view *view, size_t *at, uint64_t *word) {
    for (; *at + sizeof *word <= view->trial->n_memory_bytes; *at += sizeof *word) {
        memcpy(word, view->trial->memory + *at, sizeof *word);
        if (*word != word_at_start(view, *at))
            return true;
    }
    return false;
}

// ---- for people

static void print_registers(const struct view *view, FILE *out) {
    const struct program *program = &view->experiment->block->tried[view->experiment->alias];
    for (unsigned i = 0; i < count_general(view); i++)
        if (view->trial->frame[1 + i] != start_of(view, i))
            fprintf(out, "  %-5s 0x%" PRIx64 ", was 0x%" PRIx64 "\n", view->isa->classes->registers[i],
                    view->trial->frame[1 + i], start_of(view, i));
    for (unsigned i = 0; i < program->n_used; i++) {
        const char *bytes = vector_bytes(view, &program->used[i]);
        if (strspn(bytes, "0") < strlen(bytes))
            fprintf(out, "  %-5s %s\n", program->used[i].class->registers[program->used[i].index], bytes);
    }
}

static void print_memory(const struct view *view, FILE *out) {
    size_t page = view->trial->page_bytes, n = 0;
    bool is_own = view->trial->seen.memory != MEMORY_SHARED;
    uint64_t word;
    for (size_t at = 0; next_change(view, &at, &word); at += sizeof word, n++)
        if (n < MOST_WORDS_SHOWN && is_own)
            fprintf(out, "  0x%" PRIx64 ": 0x%" PRIx64 "\n", view->trial->addresses[at / page] + at % page, word);
        else if (n < MOST_WORDS_SHOWN)
            fprintf(out, "  page %zu + 0x%zx: 0x%" PRIx64 "\n", at / page, at % page, word);
    if (n > MOST_WORDS_SHOWN)
        fprintf(out, "  and %zu more word%s of memory\n", n - MOST_WORDS_SHOWN, n == MOST_WORDS_SHOWN + 1 ? "" : "s");
}

void trial_print(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment, FILE *out) {
    const struct view view = view_of(arena, decoder, experiment);
    const char *kernel = experiment->program.kernel;
    if (view.trial->outcome != BENCH_OK) {
        const char *endless = block_why_endless(experiment->block, view.trial->outcome);
        screen_print_sentence(arena_printf(arena, "%s: %s%s%s%s%s", kernel, bench_outcome_name(view.trial->outcome),
                                           view.has_fault ? ": " : "", view.has_fault ? view.fault.explanation : "",
                                           endless ? "; " : "", endless ? endless : ""),
                              out);
        return;
    }
    screen_print_sentence(arena_printf(arena, "%s: comes to its end; touches %u page%s", kernel, view.trial->seen.pages,
                                       view.trial->seen.pages == 1 ? "" : "s"),
                          out);
    print_registers(&view, out);
    print_memory(&view, out);
}

// ---- for programs

static void put_registers(struct json_text *json, const struct view *view) {
    json_open(json, "registers");
    for (unsigned i = 0; i < count_general(view); i++)
        json_put_text(json, view->isa->classes->registers[i], hex(view->arena, view->trial->frame[1 + i]));
    json_close(json);
}

static void put_vectors(struct json_text *json, const struct view *view) {
    const struct program *program = &view->experiment->block->tried[view->experiment->alias];
    json_open(json, "vectors");
    for (unsigned i = 0; i < program->n_used; i++)
        json_put_text(json, program->used[i].class->registers[program->used[i].index],
                      vector_bytes(view, &program->used[i]));
    json_close(json);
}

static void put_memory(struct json_text *json, const struct view *view) {
    uint64_t word;
    json_open_list(json, "memory");
    for (size_t at = 0; next_change(view, &at, &word); at += sizeof word) {
        json_open(json, NULL);
        json_put_integer(json, "at", (int64_t)at);
        json_put_text(json, "word", hex(view->arena, word));
        json_close(json);
    }
    json_close_list(json);
}

static void put_pages(struct json_text *json, const struct view *view) {
    json_open_list(json, "pages");
    for (unsigned i = 0; i < view->trial->seen.pages; i++)
        json_put_text(json, NULL, hex(view->arena, view->trial->addresses[i]));
    json_close_list(json);
}

bool trial_print_json(struct arena *arena, const struct decoder *decoder, const struct experiment *experiment,
                      FILE *out, struct fail *fail) {
    const struct view view = view_of(arena, decoder, experiment);
    const struct lab_block *block = experiment->block;
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "trial");
    json_put_text(&json, "kernel", experiment->program.kernel);
    json_put_text(&json, "isa", view.isa->name);
    json_put_text(&json, "alias", block_alias_name(experiment->alias));
    json_put_text(&json, "memory_kind", bench_memory_name(view.trial->seen.memory));
    json_put_text(&json, "bytes", bytes_to_hex(arena, block->bytes, block->n_bytes));
    if (view.trial->code_address)
        json_put_text(
            &json, "code",
            hex(arena, view.trial->code_address + program_block_range(&block->tried[experiment->alias]).offset));
    json_put_text(&json, "outcome", bench_outcome_name(view.trial->outcome));
    put_pages(&json, &view);
    if (view.trial->outcome == BENCH_OK) {
        json_put_integer(&json, "drift", block_drift(block, experiment->alias));
        put_registers(&json, &view);
        put_vectors(&json, &view);
        put_memory(&json, &view);
    }
    if (view.has_fault)
        record_put_fault(&json, "fault", &view.fault);
    json_close(&json);
    return json_print_line(out, &json, fail);
}
