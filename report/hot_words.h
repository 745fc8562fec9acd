// Private to this folder.
// What is said of a hot loop, for the table and for the page.
#ifndef REPORT_HOT_WORDS_H
#define REPORT_HOT_WORDS_H

#include "hot/hot.h"

// Where its turns begin, as an offset in its module.
uint64_t hot_head_of(const struct hot_finding *finding);
// Whether a replay has a number of cycles.
bool hot_has_value(const struct hot_finding *finding);

const char *hot_source_words(struct arena *arena, const struct hot_finding *finding); // " (sum.c:12)"; "": unknown
const char *hot_value_words(struct arena *arena, const struct hot_finding *finding);  // cycles, with their marks
extern const char hot_meaning_of_marks[];
// Lists the sentences about a loop, what limits it first. Returns their number.
size_t hot_list_words(struct arena *arena, const struct hot_finding *finding, const char ***words);

#endif
