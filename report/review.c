#include "report/review.h"

#include "base/file.h"
#include "base/text.h"
#include "survey/commands.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CAUSES = 10, MOST_NAMES = 6 };

static const char *of_cell(struct arena *arena, const char *text) {
    return text_replaced(arena, text, '|', '/'); // which would end the cell
}

// Differences of a finding that the repair leaves.
static size_t count_left(const struct repair_result *repaired, const struct check_finding *finding) {
    size_t n = 0;
    for (size_t d = 0; d < finding->n_differences; d++) {
        bool is_left = false;
        for (size_t f = 0; f < repaired->n_findings_after && !is_left; f++)
            for (size_t i = 0; i < repaired->findings_after[f].n_differences && !is_left; i++)
                is_left = repaired->findings_after[f].differences[i].value == finding->differences[d].value;
        n += is_left;
    }
    return n;
}

static const char *interval_of(struct arena *arena, const struct check_value *value) {
    if (value->to_own_kind > 0)
        return arena_printf(arena, "%.4g to its own kind, others wait %.4g", value->to_own_kind, value->to_others);
    return arena_printf(arena, "%s%.4g [%.4g, %.4g]", value->value.relation == TABLE_AT_MOST ? "≤ " : "",
                        value->value.cycles, value->value.low, value->value.high);
}

static void add_causes(struct arena *arena, struct text *text, const struct review_request *request) {
    const struct repair_result *repaired = request->repaired;
    text_add(text, "| values | forms | cause | such as | LLVM | measured [interval] | values left |\n"
                   "|--:|--:|---|---|--:|---|--:|\n");
    for (size_t i = 0; i < repaired->n_findings_before && i < MOST_CAUSES; i++) {
        const struct check_finding *finding = &repaired->findings_before[i];
        const struct check_difference *example = finding->typical;
        const struct check_value *value = example->value;
        text_addf(text, "| %zu | %zu | %s | %s %s | %.4g | %s | %zu |\n", finding->n_differences, finding->n_forms,
                  of_cell(arena, finding->summary), value->form, of_cell(arena, check_value_label(arena, value)),
                  example->number, interval_of(arena, value), count_left(repaired, finding));
    }
    if (repaired->n_findings_before > MOST_CAUSES)
        text_addf(text, "\nOther causes: %zu.\n", repaired->n_findings_before - MOST_CAUSES);
}

static void add_method(struct text *text, const struct review_request *request) {
    const struct check_value *values = request->results->values;
    double least = 1;
    for (size_t i = 0; i < request->results->n_values; i++)
        if (values[i].value.is_known && values[i].confidence > 0 && values[i].confidence < least)
            least = values[i].confidence;
    const struct repair_count *seen = &request->repaired->seen, *out = &request->repaired->held_out;
    text_addf(
        text,
        "\n## How it was measured\n\n"
        "* Host: %s\n"
        "* Clock: %s\n"
        "* Date: %s\n"
        "* Program: `cyclops survey`. It times generated loops of one instruction, latencies as chains through each "
        "pair of operands, throughputs as independent copies.\n"
        "* A value is the median of samples of several processes. Its interval of %.4g %% includes the clock's "
        "error.\n"
        "* A model's number is what it predicts of the same bytes, simulated as llvm-mca does. It is wrong where it "
        "is outside the interval, by more than 1 %%.\n"
        "* Values that are unstable are not used: %zu, beside %zu that are.\n",
        request->results->machine, request->results->clock, date_range_said(text->arena, &request->results->when),
        100 * least, seen->n_unstable + out->n_unstable, seen->n_compared + out->n_compared);
}

static int compare_whys(const void *a, const void *b) {
    const struct td_left *one = a, *other = b;
    int order = strcmp(one->why, other->why);
    return order ? order : strcmp(one->opcode, other->opcode);
}

static void add_left(struct arena *arena, struct text *text, const struct td_result *td) {
    struct td_left *left = ARENA_ARRAY(arena, struct td_left, td->n_left + 1);
    for (size_t i = 0; i < td->n_left; i++)
        left[i] = td->left[i];
    if (td->n_left)
        qsort(left, td->n_left, sizeof *left, compare_whys);
    for (size_t first = 0, end; first < td->n_left; first = end) {
        text_add(text, "  * ");
        for (end = first; end < td->n_left && strcmp(left[end].why, left[first].why) == 0; end++)
            if (end - first < MOST_NAMES)
                text_addf(text, "%s%s", end > first ? ", " : "", left[end].opcode);
        if (end - first > MOST_NAMES)
            text_addf(text, " and %zu more", end - first - MOST_NAMES);
        text_addf(text, ": %s\n", left[first].why);
    }
}

static void add_file(struct arena *arena, struct text *text, const struct review_request *request) {
    const struct td_result *td = request->td;
    if (!td)
        return;
    text_addf(text,
              "\n## In `%s`\n\n"
              "* %s edited: most measured opcodes with that write need the change.\n"
              "* %s new, of opcodes that differ from their class.\n"
              "* llvm-tblgen's numbers are the repair's for %zu of %s.\n",
              file_base(request->td_path), text_count_are(arena, td->n_statements, "statement"),
              text_count_are(arena, td->n_inst_rws, "InstRW"), td->n_equal,
              text_count(arena, td->n_compared, "opcode"));
    if (td->n_left)
        text_addf(text, "* %s not expressed:\n", text_count_are(arena, td->n_left, "opcode"));
    add_left(arena, text, td);
    if (request->repaired->n_idioms)
        text_addf(text, "* %s not expressed: they belong into `IsZeroIdiomFunction` and `IsDepBreakingFunction`.\n",
                  text_count_are(arena, request->repaired->n_idioms, "idiom"));
}

static void add_option(struct text *text, const char *option, const char *value) {
    if (!value)
        return;
    text_addf(text, " --%s ", option);
    text_add_word(text, value);
}

static void add_repair(struct text *text, const struct review_request *request) {
    text_add(text, "\n    cyclops repair");
    for (size_t i = 0; i < request->n_folders; i++) {
        text_add(text, " ");
        text_add_word(text, request->folders[i]);
    }
    add_option(text, "mcpu", request->mcpu);
    add_option(text, "llvm", request->llvm);
    if (request->wants_slots)
        text_add(text, " --slots");
    if (request->held_out > 0)
        text_addf(text, " --held-out %.15g", request->held_out);
    add_option(text, "name", request->name);
    add_option(text, "output", request->overlay);
    if (request->td) {
        add_option(text, "td", request->td_path);
        add_option(text, "td-output", request->td_output);
        add_option(text, "tblgen", request->tblgen);
    }
}

// The patterns of a survey of few forms whose folder does not state what was requested. More forms are most of them, or
// a part that no pattern names.
static void add_forms(struct text *text, const struct check_results *results) {
    enum { MOST_PATTERNS = 40 };
    for (size_t i = 0; i < results->n_values && results->n_forms <= MOST_PATTERNS; i++)
        if (i == 0 || strcmp(results->values[i].form, results->values[i - 1].form) != 0) {
            text_add(text, " ");
            text_add_word(text, results->values[i].form);
        }
}

// The commands that made the folder; where it does not have them, one that makes a like one.
static void add_surveys(struct arena *arena, struct text *text, const struct review_request *request,
                        const char *folder) {
    const char *const *commands, *target = request->results->repeat_options;
    size_t n = commands_read(arena, folder, &commands);
    for (size_t i = 0; i < n || i == 0; i++) {
        text_add(text, "\n    cyclops survey");
        if (n)
            text_addf(text, "%s%s", *commands[i] ? " " : "", commands[i]);
        else
            add_forms(text, request->results);
        text_addf(text, "%s --output ", !n && target ? target : "");
        text_add_word(text, folder);
        text_add(text, i ? " --resume" : "");
    }
}

static void add_commands(struct arena *arena, struct text *text, const struct review_request *request) {
    const struct repair_result *repaired = request->repaired;
    text_add(text, "\n## To repeat it\n");
    for (size_t i = 0; i < request->n_folders; i++)
        add_surveys(arena, text, request, request->folders[i]);
    add_repair(text, request);
    text_add(text, "\n    cyclops check ");
    text_add_word(text, request->folders[0]);
    add_option(text, "mcpu", request->overlay);
    add_option(text, "llvm", request->llvm);
    add_option(text, "against", request->mcpu);
    text_add(text, " --gap\n\nThe examples above, one by one:\n\n");
    for (size_t i = 0; i < repaired->n_findings_before && i < MOST_CAUSES; i++) {
        const struct check_value *value = repaired->findings_before[i].typical->value;
        text_addf(text, "    %s\n", table_repeat(arena, &value->value, request->results->repeat_options));
    }
}

// Numbers of values that are further off, by what makes them so.
static const char *further_off(struct arena *arena, const struct repair_count *count) {
    struct text text = {.arena = arena};
    text_addf(&text, "%zu", count->n_worse + count->n_nearest + count->n_followed);
    if (count->n_followed)
        text_addf(&text, ", of which %zu have other operands, and the numbers of their opcode's plain form",
                  count->n_followed);
    if (count->n_nearest)
        text_addf(&text, ", of which %zu are fractions, at the nearest number that the model can state",
                  count->n_nearest);
    return text.data;
}

const char *review_slots(struct arena *arena, const struct repair_result *repaired) {
    return arena_printf(arena,
                        "Dispatch slots that are not the model's uops: %zu. They are left: a model may count uops "
                        "before fusion.",
                        repaired->seen.n_slots);
}

const char *review_guesses(struct arena *arena, const struct repair_result *repaired) {
    return arena_printf(arena,
                        "The pipes of %zu scheduling class%s (%s) are guesses: the throughput does not tell which they "
                        "are. Comments in the overlay name the others that fit.",
                        repaired->n_guessed_classes, repaired->n_guessed_classes == 1 ? "" : "es",
                        text_count(arena, repaired->n_guessed_opcodes, "opcode"));
}

const char *review_splits(struct arena *arena, const struct repair_result *repaired) {
    return arena_printf(arena,
                        "Latencies of %s are splits: only their sum with another's is measured. Comments in the "
                        "overlay name the other.",
                        text_count(arena, repaired->n_split_opcodes, "opcode"));
}

const char *review_bounded(struct arena *arena, const struct repair_result *repaired) {
    return arena_printf(arena,
                        "Latencies of %s stay the model's: only bounds show that they are too long, such as sums with "
                        "instructions that were not measured, and none explains these alone.",
                        text_count(arena, repaired->n_bounded_opcodes, "opcode"));
}

const char *review_write(struct arena *arena, const struct review_request *request) {
    const struct repair_result *repaired = request->repaired;
    struct text text = {.arena = arena};
    text_addf(&text,
              "<!-- A draft that Cyclops wrote. Read it, and the edits, before you send them. -->\n"
              "# Repair %s by measurements\n\n"
              "## What changes\n\n"
              "| | before | after |\n|---|--:|--:|\n"
              "| values outside their intervals, of %zu | %zu | %zu |\n"
              "| causes | %zu | %zu |\n\n"
              "Values that are further off than before: %s. The largest causes:\n\n",
              request->model, repaired->seen.n_compared, repaired->seen.n_differ_before, repaired->seen.n_differ_after,
              repaired->n_findings_before, repaired->n_findings_after, further_off(arena, &repaired->seen));
    add_causes(arena, &text, request);
    if (repaired->seen.n_slots)
        text_addf(&text, "\n%s\n", review_slots(arena, repaired));
    if (repaired->n_guessed_classes)
        text_addf(&text, "\n%s\n", review_guesses(arena, repaired));
    if (repaired->n_split_opcodes)
        text_addf(&text, "\n%s\n", review_splits(arena, repaired));
    if (repaired->n_bounded_opcodes)
        text_addf(&text, "\n%s\n", review_bounded(arena, repaired));
    if (repaired->held_out.n_compared)
        text_addf(
            &text,
            "\nOf %zu values of opcodes that the repair did not see, %zu were outside their intervals before, and "
            "%zu are after. Further off than before: %s.\n",
            repaired->held_out.n_compared, repaired->held_out.n_differ_before, repaired->held_out.n_differ_after,
            further_off(arena, &repaired->held_out));
    add_file(arena, &text, request);
    add_method(&text, request);
    add_commands(arena, &text, request);
    return text.data;
}
