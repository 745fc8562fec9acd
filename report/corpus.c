#include "report/corpus.h"

#include "base/screen.h"
#include "base/table.h"

static double percent(size_t part, size_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_row(struct table *table, const char *name, size_t unrolled, size_t looped) {
    if (!unrolled && !looped)
        return;
    table_cell(table, "%s", name);
    table_cell(table, "%zu", unrolled);
    table_cell(table, "%zu", looped);
}

void corpus_report_tally(struct arena *arena, const struct corpus_tally *tally, FILE *out, bool colour) {
    const struct corpus_form_tally *unrolled = &tally->forms[PROGRAM_UNROLLED], *looped = &tally->forms[PROGRAM_LOOPED];
    struct table table = {.arena = arena};
    fprintf(out, "%s\n", tally->read);
    fprintf(out, "%zu (%.1f %%) have a value in both forms; %zu (%.1f %%) a stable one\n", tally->n_both,
            percent(tally->n_both, tally->n_blocks), tally->n_both_stable,
            percent(tally->n_both_stable, tally->n_blocks));
    if (tally->median_ms > 0)
        fprintf(out, "half of the values took at most %.1f ms\n", tally->median_ms);
    table_column(&table, TABLE_LEFT, "outcome");
    table_column(&table, TABLE_RIGHT, "unrolled");
    table_column(&table, TABLE_RIGHT, "looped");
    put_row(&table, "stable value", unrolled->n_stable, looped->n_stable);
    put_row(&table, "unstable value", unrolled->n_values - unrolled->n_stable, looped->n_values - looped->n_stable);
    for (unsigned i = BENCH_OK + 1; i < BENCH_N_OUTCOMES; i++)
        put_row(&table, bench_outcome_name((enum bench_outcome)i), unrolled->by_outcome[i], looped->by_outcome[i]);
    for (size_t i = 0; i < tally->n_reasons; i++)
        put_row(&table, tally->reasons[i].reason, tally->reasons[i].n, tally->reasons[i].n);
    put_row(&table, "not measured yet", unrolled->n_missing, looped->n_missing);
    table_print(&table, out, colour);
}

void corpus_report_next(struct arena *arena, const struct corpus_tally *tally, const char *resume, FILE *out) {
    size_t n_missing = 0, n_unstable = 0;
    for (int form = 0; form < 2; form++) {
        n_missing += tally->forms[form].n_missing;
        n_unstable += tally->forms[form].n_values - tally->forms[form].n_stable;
    }
    if (n_missing || n_unstable)
        screen_print_whole_sentence(
            arena_printf(arena, "To %s: %s", n_missing ? "do the rest" : "measure again what is unstable", resume),
            out);
}
