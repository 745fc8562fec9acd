// Private to this folder.
// What hot_profile_read reads, by kind of file. Each fails at the line of a mistake.
#ifndef HOT_PROFILE_READERS_H
#define HOT_PROFILE_READERS_H

#include "base/text.h"
#include "hot/gather.h"

#include <stdio.h>

struct profile_input {
    FILE *in;
    const char *name; // of the file, for messages
    struct gather *gather;
    double seconds_per_sample; // set where it is known
};

// The text of `perf script`, with any fields that contain the address (ip).
bool profile_read_perf(struct profile_input *input, struct fail *fail);
// A file of `perf record`, by `perf script`, which must be installed. `path`: of the file.
bool profile_read_perf_data(struct profile_input *input, const char *path, struct fail *fail);
// Callgrind's output with --dump-instr=yes. Of several events, Ir counts, else the first.
bool profile_read_callgrind(struct profile_input *input, struct fail *fail);
// Lines of "ADDRESS COUNT" of the gather's program.
bool profile_read_counts(struct profile_input *input, struct fail *fail);

// Parse what is all of a word; false: it is no number. `base`: 16 also takes 0x in front.
bool profile_parse_number(struct slice word, int base, uint64_t *number);
// Takes the word at the front of `rest`; an empty one: there is none.
struct slice profile_next_word(struct slice *rest);
// Gives each line to `take`, without its end, and sets its number before. False: it returned false, which has failed
// then; or the file cannot be read to its end.
typedef bool (*profile_take_line)(void *context, const char *line, size_t length);
bool profile_each_line(const struct profile_input *input, unsigned *number, profile_take_line take, void *context,
                       struct fail *fail);
bool profile_begins_with(struct slice text, const char *start);

#endif
