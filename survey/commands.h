// The commands that made a survey, in its folder's commands.txt: a line each, without "cyclops survey", --output and
// --resume. Those who repeat a survey need its patterns and options; the table does not.
#ifndef SURVEY_COMMANDS_H
#define SURVEY_COMMANDS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

// Adds a command to the folder's, unless it is one of them.
bool commands_add(struct arena *arena, const char *folder, const char *command, struct fail *fail);

// Sets `commands` to the folder's, the first one first. Returns their number; 0: an old survey, which has no such file.
size_t commands_read(struct arena *arena, const char *folder, const char *const **commands);

#endif
