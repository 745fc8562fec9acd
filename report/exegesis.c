#include "report/exegesis.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "report/row_summary.h"
#include "report/table_rows.h"

#include <string.h>
#include <unistd.h>

enum { DECIMALS = 5 };

struct writer {
    struct arena *arena;
    const struct survey_table *table;
    const struct backend *backend;
    struct backend_cpu *cpu;
    struct text out;
    struct exegesis_written *written;
};

// A document's measurement.
struct point {
    const struct table_row *row;
    const char *mode; // also its key
    const struct table_value *value;
    const char *error, *info;
};

// ---- instructions

struct snippet {
    const char *const *keys; // instructions of one body, in their order
    size_t n;
    size_t own; // index of the form's own; n: there is none
};

// A form of several has a suffix behind its opcode (analyzer/code/form.h).
static bool is_of_form(const char *key, const char *form) {
    size_t length = strcspn(form, "-");
    return strncmp(key, form, length) == 0 && (key[length] == ' ' || key[length] == '\0');
}

static struct snippet decode(const struct writer *writer, const char *hex, const char *form) {
    struct snippet snippet = {0};
    size_t n_digits = hex ? strlen(hex) : 0, n_bytes = n_digits % 2 ? 0 : n_digits / 2;
    uint8_t *bytes = ARENA_ARRAY(writer->arena, uint8_t, n_bytes);
    struct fail ignored = {0};
    if (n_bytes && bytes_from_digits(hex, n_digits, bytes) == n_digits)
        snippet.n = writer->backend->exegesis_keys(writer->cpu, writer->arena, bytes, n_bytes, &snippet.keys, &ignored);
    while (snippet.own < snippet.n && !is_of_form(snippet.keys[snippet.own], form))
        snippet.own++;
    return snippet;
}

// ---- YAML

// Adds a text in single quotes, on one line.
static void add_quoted(struct text *out, const char *string) {
    text_add(out, "'");
    for (; *string; string++)
        if (*string == '\'')
            text_add(out, "''");
        else
            text_append(out, (unsigned char)*string < ' ' || *string == '\x7f' ? " " : string, 1);
    text_add(out, "'");
}

static void add_key(struct writer *writer, const char *key, const char *string) {
    text_addf(&writer->out, "%-16s ", arena_printf(writer->arena, "%s:", key));
    add_quoted(&writer->out, string);
    text_add(&writer->out, "\n");
}

// Whether llvm-exegesis reads it back: no negative number is a valid operand. The branch that closes a loop has one.
static bool is_readable(const char *key) {
    static const char mark[] = " i_0x";
    enum { MOST_DIGITS = 16 };
    for (const char *at = key; (at = strstr(at, mark)); at++) {
        const char *digits = at + strlen(mark);
        if (strcspn(digits, " ") >= MOST_DIGITS && *digits > '7')
            return false;
    }
    return true;
}

// Only the first instruction of a key counts for llvm-exegesis: the form's own.
static void add_instructions(struct writer *writer, const struct snippet *snippet) {
    text_add(&writer->out, "key:\n  instructions:\n    - ");
    add_quoted(&writer->out, snippet->keys[snippet->own]);
    for (size_t i = 0; i < snippet->n; i++)
        if (i != snippet->own && is_readable(snippet->keys[i])) {
            text_add(&writer->out, "\n    - ");
            add_quoted(&writer->out, snippet->keys[i]);
        }
    text_add(&writer->out, "\n");
}

static void add_document(struct writer *writer, const struct point *point) {
    const struct table_value *value = point->value;
    const struct snippet snippet = decode(writer, value->bytes, point->row->form);
    struct text *out = &writer->out;
    if (snippet.own == snippet.n || !is_readable(snippet.keys[snippet.own])) {
        writer->written->n_unreadable++;
        return;
    }
    text_addf(out, "---\nmode:            %s\n", point->mode);
    add_instructions(writer, &snippet);
    text_add(out, "  config:          ");
    add_quoted(out, value->kernel ? value->kernel : "");
    text_add(out, "\n  register_initial_values: []\n");
    add_key(writer, "cpu_name", writer->table->llvm_cpu);
    add_key(writer, "llvm_triple", writer->table->triple);
    text_addf(out, "min_instructions: %zu\n", snippet.n); // those of one body, which ran far more often
    text_addf(
        out, "measurements:\n  - { key: %s, value: %s, per_snippet_value: %s }\n", point->mode,
        row_summary_number(writer->arena, value->cycles, DECIMALS),
        row_summary_number(writer->arena, value->sum > 0 && value->sum < 1e9 ? value->sum : value->cycles, DECIMALS));
    add_key(writer, "error", point->error ? point->error : "");
    add_key(writer, "info", point->info);
    text_addf(out, "assembled_snippet: %s\n...\n", value->bytes);
    writer->written->n++;
    writer->written->n_doubtful += point->error != NULL;
}

// ---- points

static const char *interval(struct arena *arena, const struct table_value *value) {
    return arena_printf(arena, "%s to %s cycles", row_summary_number(arena, value->low, DECIMALS),
                        row_summary_number(arena, value->high, DECIMALS));
}

static bool is_same_pair(const struct table_latency *a, const struct table_latency *b) {
    return strcmp(a->source, b->source) == 0 && strcmp(a->destination, b->destination) == 0;
}

// Pairs that have a latency to compare. A pair may have several: of slow values, or until others have the result.
static size_t count_pairs(const struct table_row *row) {
    size_t n = 0;
    for (size_t i = 0; i < row->n_latencies; i++) {
        size_t first = 0;
        while (!is_same_pair(&row->latencies[first], &row->latencies[i]))
            first++;
        n += first == i && !table_latency_is_special(&row->latencies[i]);
    }
    return n;
}

// Which latency of the row it is: "operands 1 -> 0, until other instructions have the result (its own kind: 2 cycles),
// the largest of 3 pairs".
static void add_pair(struct text *info, const struct table_row *row, const struct table_latency *latency) {
    size_t n_pairs = count_pairs(row);
    text_addf(info, "operands %s -> %s, ", latency->source, latency->destination);
    if (latency->has_slow_values)
        text_add(info, "slow values, ");
    for (size_t i = 0; i < row->n_latencies && latency->is_to_others; i++) {
        const struct table_latency *own = &row->latencies[i];
        if (is_same_pair(own, latency) && !own->is_to_others && !own->has_slow_values &&
            row_summary_is_known(&own->value))
            text_addf(info, "until other instructions have the result (its own kind: %s cycles), ",
                      row_summary_value(info->arena, &own->value));
    }
    if (n_pairs == 1)
        text_add(info, "the only pair; ");
    else
        text_addf(info, "the largest of %zu pairs; ", n_pairs);
}

static void add_latency(struct writer *writer, const struct table_row *row) {
    struct arena *arena = writer->arena;
    const struct row_summary summary = row_summary_latency(arena, row);
    if (!summary.latency)
        return;
    const struct table_value *value = &summary.latency->value;
    struct text info = {.arena = arena};
    add_pair(&info, row, summary.latency);
    text_addf(&info, "%s; ", interval(arena, value));
    if (value->partner)
        text_addf(&info, "chain closed by %s", value->partner);
    else
        text_add(&info, "the chain closes by itself");
    if (summary.n_unknown)
        text_addf(&info, "; pairs not known: %zu", summary.n_unknown);
    add_document(writer, &(struct point){row, "latency", value, summary.doubt, info.data});
}

static void add_throughput(struct writer *writer, const struct table_row *row) {
    struct arena *arena = writer->arena;
    const struct table_throughput *throughput = row_summary_throughput(row);
    if (!throughput)
        return;
    const struct table_value *value = &throughput->value;
    const char *info =
        arena_printf(arena, "%s; %s", table_throughput_text(arena, row, throughput), interval(arena, value));
    add_document(writer, &(struct point){row, "inverse_throughput", value,
                                         row_summary_doubt(arena, "the throughput", value), info});
}

static bool write_file(struct writer *writer, const char *at, const char *mode,
                       void (*add)(struct writer *writer, const struct table_row *row),
                       struct exegesis_written *written, struct fail *fail) {
    bool is_folder = file_is_folder(at);
    *written = (struct exegesis_written){
        .path = arena_printf(writer->arena, "%s%s%s.yaml", at, is_folder ? "/" : "-", mode),
    };
    writer->written = written;
    writer->out = (struct text){.arena = writer->arena};
    text_add(&writer->out, "");
    for (size_t i = 0; i < writer->table->n_rows; i++)
        if (!writer->table->rows[i].left_out)
            add(writer, &writer->table->rows[i]);
    return file_write(written->path, writer->out.data, writer->out.length, fail);
}

bool exegesis_write(struct arena *arena, const struct survey_table *table, const struct backend *backend,
                    struct backend_cpu *cpu, const char *at, struct exegesis_written *latencies,
                    struct exegesis_written *throughputs, struct fail *fail) {
    struct writer writer = {.arena = arena, .table = table, .backend = backend, .cpu = cpu};
    if (!table->llvm_cpu || !table->triple)
        return fail_set(fail, FAIL_INPUT,
                        "llvm-exegesis needs LLVM's names of the CPU and the triple, and the table "
                        "does not have them");
    if (access(at, F_OK) == 0 && !file_is_folder(at))
        return fail_set(fail, FAIL_INPUT, "'%s' is not a folder: name one, or what two new files begin with", at);
    return write_file(&writer, at, "latency", add_latency, latencies, fail) &&
           write_file(&writer, at, "inverse_throughput", add_throughput, throughputs, fail);
}
