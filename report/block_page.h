// A block on a CPU of ours as one HTML file that needs no network: what limits it, each instruction, a picture of some
// passes in time with the reason of each wait, who depends on whom, and what it would take without each limit. The page
// is pages/block.html, into which the data is written.
#ifndef REPORT_BLOCK_PAGE_H
#define REPORT_BLOCK_PAGE_H

#include "base/json.h"
#include "study/block_course.h"

// Returns the page. `title`: for people. Fails where the installed page cannot be read.
const char *block_page_make(struct arena *arena, const char *title, const struct block_explanation *explanation,
                            const struct block_course *course, struct fail *fail);

// The data of that page, which the caller owns.
json_t *block_page_object(struct arena *arena, const char *title, const struct block_explanation *explanation,
                          const struct block_course *course);

#endif
