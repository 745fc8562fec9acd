// Private to this folder.
// Pages of pages/, which are installed with the program: their script shows data that stand in them as JSON.
#ifndef REPORT_PAGE_FILL_H
#define REPORT_PAGE_FILL_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/json.h"

// Returns the page of that name with the data. Fails where it cannot be read.
const char *page_fill(struct arena *arena, const char *name, const char *data, struct fail *fail);
// The same with an object, of which it takes ownership.
const char *page_fill_json(struct arena *arena, const char *name, json_t *data, struct fail *fail);

#endif
