#include "hot/profile.h"

#include "base/compressed.h"
#include "base/file.h"
#include "hot/profile_readers.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// What a file holds, by its first bytes.
enum profile_kind { KIND_PERF_DATA, KIND_PERF, KIND_CALLGRIND, KIND_COUNTS, KIND_OTHER };

// Whether a line is an address and a count, and nothing else.
static bool is_count(struct slice line) {
    uint64_t number;
    struct slice address = profile_next_word(&line), count = profile_next_word(&line);
    return profile_parse_number(address, 16, &number) && profile_parse_number(count, 10, &number) &&
           !slice_trim(line).length;
}

static enum profile_kind kind_of(const char *start, size_t n) {
    static const char *const callgrind[] = {"# callgrind format", "version:", "creator:", "positions:", "events:"};
    struct slice rest = {start, n}, line;
    if (profile_begins_with(rest, "PERFILE2"))
        return KIND_PERF_DATA;
    if (profile_begins_with(rest, "\x7f"
                                  "ELF"))
        return KIND_OTHER;
    while (slice_next(&rest, '\n', &line)) {
        line = slice_trim(line);
        for (size_t i = 0; i < sizeof callgrind / sizeof *callgrind; i++)
            if (profile_begins_with(line, callgrind[i]))
                return KIND_CALLGRIND;
        if (line.length && *line.data != '#')
            return is_count(line) ? KIND_COUNTS : KIND_PERF;
    }
    return KIND_PERF;
}

static bool read_start(const char *path, char *start, size_t *n, struct fail *fail) {
    FILE *in = compressed_open(path);
    *n = in ? fread(start, 1, *n, in) : 0;
    if (!in || ferror(in))
        fail_at(fail, path, 0, 0, "cannot read it: %s", compressed_error_text(errno));
    if (in)
        fclose(in);
    return fail->status == FAIL_NONE;
}

static bool read_text(struct profile_input *input, const char *path, enum profile_kind kind, struct fail *fail) {
    input->in = compressed_open(path);
    if (!input->in)
        return fail_at(fail, path, 0, 0, "cannot read it: %s", compressed_error_text(errno));
    bool is_read = kind == KIND_CALLGRIND ? profile_read_callgrind(input, fail)
                   : kind == KIND_COUNTS  ? profile_read_counts(input, fail)
                                          : profile_read_perf(input, fail);
    fclose(input->in);
    return is_read;
}

bool hot_profile_read(struct arena *arena, const char *path, const char *program, struct hot_profile *profile,
                      struct fail *fail) {
    struct gather gather = {.arena = arena, .program = program};
    struct profile_input input = {.name = file_name(path), .gather = &gather};
    char start[4096];
    size_t n = sizeof start;
    *profile = (struct hot_profile){0};
    if (!read_start(path, start, &n, fail))
        return false;
    if (n == 0)
        return fail_at(fail, path, 0, 0, "this file is empty: it holds no profile");
    enum profile_kind kind = kind_of(start, n);
    if (kind == KIND_OTHER)
        return fail_at(fail, path, 0, 0, "this is a program, not a profile of one");
    bool is_read =
        kind == KIND_PERF_DATA ? profile_read_perf_data(&input, path, fail) : read_text(&input, path, kind, fail);
    gather_finish(&gather, profile);
    if (!is_read)
        return false;
    profile->unit = kind == KIND_CALLGRIND ? HOT_INSTRUCTIONS : HOT_SAMPLES;
    profile->seconds_per_sample = input.seconds_per_sample;
    profile->source = arena_strdup(arena, file_base(path));
    return profile->total > 0 || fail_at(fail, path, 0, 0, "there is no sample of user code in it");
}

// Wilson's interval of a share. Near all samples, it is as short as near none.
void hot_profile_interval(double n, double total, double *low, double *high) {
    static const double z = 1.96;
    const double all = fmax(1, fmax(total, n)), share = n / all, weight = 1 + z * z / all,
                 middle = (share + z * z / (2 * all)) / weight,
                 half = z / weight * sqrt(share * (1 - share) / all + z * z / (4 * all * all));
    *low = all * fmax(0, middle - half);
    *high = all * fmin(1, middle + half);
}
