#include "bench/record/record_damage.h"

#include <string.h>

// Whether the line may be what a killed run left of its last line: it begins as every line does, or is a part of that.
// Behind another such line, a run was killed in its header.
static bool looks_cut(struct slice line, bool is_header) {
    const char *start = is_header ? "{\"record\":\"host\"" : "{\"record\":\"";
    size_t length = line.length < strlen(start) ? line.length : strlen(start);
    return memcmp(line.data, start, length) == 0;
}

static bool has(struct slice line, const char *part) {
    return memmem(line.data, line.length, part, strlen(part));
}

// Whether the line was a header, as far as its rest shows. What stands below it may be of another machine.
static bool looks_like_header(struct slice line) {
    return has(line, "\"record\":\"host\"") || has(line, "\"clock\":{") || has(line, "\"ticks_per_second\"") ||
           has(line, "\"microcode\"");
}

static void add_first(struct record_damage *damage, const struct fail *why) {
    damage->n_no_kill++;
    if (damage->first.status == FAIL_NONE)
        damage->first = *why;
}

void record_damage_add(struct record_damage *damage, struct slice line, unsigned number, bool is_last,
                       const struct fail *why) {
    bool is_behind_cut = damage->cut.status != FAIL_NONE;
    damage->n++;
    damage->line = number;
    damage->is_headless |= looks_like_header(line);
    if (!is_last && !looks_cut(line, is_behind_cut))
        add_first(damage, why);
    else if (!is_behind_cut)
        damage->cut = *why;
}

void record_damage_pass(struct record_damage *damage, bool is_header) {
    if (damage->cut.status != FAIL_NONE && !is_header)
        add_first(damage, &damage->cut);
    damage->cut = (struct fail){0};
    damage->is_headless &= !is_header;
    damage->n_good++;
}

bool record_damage_check(const struct record_damage *damage, struct fail *fail) {
    if (damage->n_good || damage->first.status == FAIL_NONE)
        return true;
    *fail = damage->first;
    return false;
}

const char *record_damage_text(struct arena *arena, const char *path, const struct record_damage *damage) {
    if (damage->n == 0)
        return NULL;
    if (damage->n > 1)
        return arena_printf(arena, "%s: %u lines are damaged, and left out; the last one is line %u", path, damage->n,
                            damage->line);
    return arena_printf(arena, "%s:%u: the line %s", path, damage->line,
                        damage->n_no_kill ? "is damaged, and left out"
                                          : "was cut short when its run was ended; it is left out");
}
