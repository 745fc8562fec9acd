// The report for people.
#include "cli/mca/core_report_parts.h"

#include "analyzer/cpu/pipes.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/cli.h"

#include <inttypes.h>

static struct arena *arena_of(const struct core_findings *found) {
    return found->session->arena;
}

const char *core_title(const struct core_findings *found) {
    return arena_printf(arena_of(found), "core:%s", found->way.cpu->name);
}

static const char *text_of(const struct core_findings *found, unsigned insn) {
    return arena_printf(arena_of(found), "%u %s", insn + 1,
                        text_without_tabs(arena_of(found), found->block->insns[insn].text));
}

// As the others of this program, unless the report goes into a file.
static bool wants_colour(const struct core_findings *found) {
    return found->session->out == stdout && cli_wants_colour();
}

static void print_summary(const struct core_findings *found) {
    FILE *out = found->session->out;
    const struct pipeline_result *result = &found->result;
    const struct bounds *bounds = &found->blame.bounds;
    const double cycles = (double)result->cycles, iterations = (double)found->iterations;
    fprintf(out, "Cycles per iteration: %.2f, in the steady state\n", found->blame.cycles);
    if (bounds->most > 0)
        fprintf(out, "Largest bound:        %.2f, %s\n", bounds->most, bound_name(bounds->largest));
    fprintf(out, "Iterations:           %" PRIu64 "\n", found->iterations);
    fprintf(out, "Cycles:               %" PRIu64 ", %.2f per iteration with the pipeline's filling\n", result->cycles,
            cycles / iterations);
    fprintf(out, "Instructions:         %" PRIu64 ", %.2f per cycle\n", result->instructions,
            (double)result->instructions / cycles);
    fprintf(out, "Slots:                %" PRIu64 ", %.2f per cycle", result->uops, (double)result->uops / cycles);
    if (cpu_knows(found->way.cpu, CPU_DISPATCH_WIDTH))
        fprintf(out, ", of at most %g", cpu_value(found->way.cpu, CPU_DISPATCH_WIDTH));
    fputs("\n", out);
}

static void print_blame(const struct core_findings *found) {
    const struct core_blame *blame = &found->blame;
    struct table table = {.arena = arena_of(found)};
    table_column(&table, TABLE_LEFT, "without this limit alone");
    table_column(&table, TABLE_RIGHT, "cycles");
    table_column(&table, TABLE_RIGHT, "gained");
    for (unsigned i = 0; i < blame->n; i++) {
        const double gained = blame->cycles - blame->limits[i].without;
        table_cell(&table, "%s", blame->limits[i].limit);
        table_cell(&table, "%.2f", blame->limits[i].without);
        if (gained >= 0.005)
            table_cell(&table, "%.2f", gained);
        else
            table_cell(&table, "-");
    }
    fputs("\n", found->session->out);
    table_print(&table, found->session->out, wants_colour(found));
    screen_print_sentence("where no limit gains anything: the front end, pipes, memory, or several limits at once; "
                          "'cyclops explain' names the largest bound and who makes it",
                          found->session->out);
}

static const char *encoding_of(const struct core_findings *found, const struct insn *insn) {
    struct text text = {.arena = arena_of(found)};
    text_add(&text, "");
    for (unsigned i = 0; i < insn->n_bytes && insn->bytes; i++)
        text_addf(&text, "%02x", insn->bytes[i]);
    return text.data;
}

static const char *place_of(const struct core_findings *found, const struct cpu_recipe *recipe) {
    static const char *const at_rename[] = {"", "idiom", "move", "nop"};
    return arena_printf(arena_of(found), "%s%s%s%s", recipe->is_fused ? "fused" : at_rename[recipe->rename],
                        recipe->n_loads ? "load" : "", recipe->n_loads && recipe->n_stores ? ", " : "",
                        recipe->n_stores ? "store" : "");
}

static void print_info(const struct core_findings *found) {
    struct table table = {.arena = arena_of(found)};
    const bool has_encoding = found->session->args->show_encoding;
    table_column(&table, TABLE_CUT, "code");
    if (has_encoding)
        table_column(&table, TABLE_LEFT, "bytes");
    table_column(&table, TABLE_RIGHT, "slots");
    table_column(&table, TABLE_RIGHT, "latency");
    table_column(&table, TABLE_WRAP, "pipes, cycles");
    table_column(&table, TABLE_LEFT, "");
    for (unsigned i = 0; i < found->block->n_insns; i++) {
        const struct cpu_recipe *recipe = &found->recipes[i];
        table_cell(&table, "%s", text_of(found, i));
        if (has_encoding)
            table_cell(&table, "%s", encoding_of(found, &found->block->insns[i]));
        table_cell(&table, "%u", recipe->slots);
        table_cell(&table, "%.4g", recipe->latency + recipe->load_latency);
        table_cell(&table, "%s", cpu_uses_name(arena_of(found), found->way.cpu, recipe->uses, recipe->n_uses));
        table_cell(&table, "%s", place_of(found, recipe));
    }
    fputs("\n", found->session->out);
    table_print(&table, found->session->out, wants_colour(found));
}

void core_print(const struct core_findings *found, size_t number) {
    const struct mca_args *args = found->session->args;
    FILE *out = found->session->out;
    const bool colour = wants_colour(found);
    fprintf(out, "%s%s, %s%s%s\n", number ? "\n" : "", core_title(found), found->way.is_loop ? "looped" : "unrolled",
            *found->block->name ? ": " : "", found->block->name);
    if (args->summary)
        print_summary(found);
    if (args->bottlenecks)
        print_blame(found);
    if (args->instruction_info)
        print_info(found);
    if (args->dispatch_stats)
        core_counts_print_dispatch(&found->counts, out, colour);
    if (args->scheduler_stats)
        core_counts_print_issue(&found->counts, out, colour);
    if (args->retire_stats)
        core_counts_print_retirement(&found->counts, out, colour);
    if (args->resource_pressure)
        core_counts_print_pressure(&found->counts, out, colour);
    if (args->timeline)
        core_timeline_view_print(&found->timeline, out, colour);
}
