// Results as one HTML file that needs no network: findings by cause and every instruction with its values, the blocks
// of a corpus, machine cards, sweeps and pairs. The page is pages/report.html, into which the data is written.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/arena.h"
#include "base/fail.h"
#include "blocks/decoder.h"
#include "check/check.h"

struct page_contents {
    const struct check_report *check; // null: none
    const char *const *corpora;       // CSV files of `corpus score --blocks`
    const char *const *corpus_names;  // for people
    const char *const *scores;        // CSV files of `corpus score --csv`
    const char *const *cards;         // files of `cyclops machine`
    const char *const *runs;          // measurement files, for their sweeps and pairs
    size_t n_corpora, n_scores, n_cards, n_runs;
    const char *title, *author, *made;   // for its head; made: the date; null: none
    const struct lab_listener *listener; // of damaged lines; null: none
    const struct decoder *decoder;       // for the text of blocks, and instructions in Intel's syntax; null: none
};

// Returns the page. Fails at a file that is not what it should be, and where the installed page cannot be read.
const char *page_make(struct arena *arena, const struct page_contents *contents, struct fail *fail);

#endif
