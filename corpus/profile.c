#include "corpus/profile.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Reading a profile. Callgrind writes addresses as 0x1130, or as distances from the last one: +3, -3, * for none.
struct profile_reader {
    struct arena *arena;
    const char *path;
    struct profile *profile;
    bool is_callgrind, has_addresses; // lines of costs begin with an address
    bool is_call;                     // the next line is the cost of a call, which counts elsewhere
    uint64_t address;                 // the last one
};

static bool parse_number(struct slice word, int base, uint64_t *number) {
    char text[32], *end;
    if (word.length == 0 || word.length >= sizeof text)
        return false;
    memcpy(text, word.data, word.length);
    text[word.length] = '\0';
    errno = 0;
    *number = strtoull(text, &end, base);
    return *end == '\0' && errno == 0 && text[0] != '-';
}

static bool parse_address(struct profile_reader *reader, struct slice word) {
    uint64_t distance;
    struct slice rest = {word.data + 1, word.length ? word.length - 1 : 0};
    if (slice_is(word, "*"))
        return true;
    bool is_relative = word.length > 1 && (*word.data == '+' || *word.data == '-');
    if (!is_relative)
        return parse_number(word, 16, &reader->address);
    if (!parse_number(rest, 0, &distance))
        return false;
    reader->address += *word.data == '+' ? distance : -distance;
    return true;
}

// Takes the word at the front of `rest`.
static struct slice next_word(struct slice *rest) {
    struct slice trimmed = slice_trim(*rest), word = trimmed;
    word.length = 0;
    while (word.length < trimmed.length && trimmed.data[word.length] != ' ' && trimmed.data[word.length] != '\t')
        word.length++;
    *rest = (struct slice){trimmed.data + word.length, trimmed.length - word.length};
    return word;
}

static bool take_cost(struct profile_reader *reader, struct slice line, unsigned number, struct fail *fail) {
    struct slice rest = line, address = next_word(&rest), count = next_word(&rest), more = next_word(&rest);
    uint64_t n;
    // Callgrind writes a line number between the address and the cost.
    struct slice cost = reader->is_callgrind && more.length ? more : count;
    if (!parse_address(reader, address) || !parse_number(cost, 10, &n))
        return fail_at(fail, reader->path, number, 1, "expected an address and a count, such as '1130 42'");
    *ARENA_ADD(reader->arena, reader->profile->entries, reader->profile->n) =
        (struct profile_entry){reader->address, n};
    return true;
}

static bool begins_with(struct slice line, const char *start) {
    return line.length >= strlen(start) && memcmp(line.data, start, strlen(start)) == 0;
}

static bool is_cost(struct slice line) {
    return strchr("0123456789+-*", *line.data) != NULL;
}

static bool take_line(struct profile_reader *reader, struct slice line, unsigned number, struct fail *fail) {
    line = slice_trim(line);
    if (!line.length || *line.data == '#')
        return true;
    if (begins_with(line, "positions:")) {
        reader->is_callgrind = true;
        reader->has_addresses = memmem(line.data, line.length, "instr", strlen("instr")) != NULL;
        return reader->has_addresses || fail_at(fail, reader->path, number, 1,
                                                "this profile has no addresses: run callgrind with --dump-instr=yes");
    }
    if (begins_with(line, "calls=")) {
        reader->is_call = true;
        return true;
    }
    if (reader->is_callgrind && !is_cost(line))
        return true; // names of files and functions
    if (begins_with(line, "version:") || begins_with(line, "creator:") || memchr(line.data, ':', line.length) ||
        memchr(line.data, '=', line.length))
        return true; // before the positions
    bool is_call = reader->is_call;
    reader->is_call = false;
    if (!is_call)
        return take_cost(reader, line, number, fail);
    struct slice rest = line;
    return parse_address(reader, next_word(&rest)) ||
           fail_at(fail, reader->path, number, 1, "expected the address of a call");
}

static int compare(const void *a, const void *b) {
    const struct profile_entry *one = a, *other = b;
    return one->address < other->address ? -1 : one->address > other->address;
}

static void sort(struct profile *profile) {
    size_t n = 0;
    if (profile->n)
        qsort(profile->entries, profile->n, sizeof *profile->entries, compare);
    for (size_t i = 0; i < profile->n; i++)
        if (n > 0 && profile->entries[n - 1].address == profile->entries[i].address)
            profile->entries[n - 1].count += profile->entries[i].count;
        else
            profile->entries[n++] = profile->entries[i];
    profile->n = n;
}

bool profile_read(struct arena *arena, const char *path, struct profile *profile, struct fail *fail) {
    struct profile_reader reader = {.arena = arena, .path = file_name(path), .profile = profile};
    char *data;
    size_t length;
    *profile = (struct profile){0};
    if (!file_read(arena, path, &data, &length, fail))
        return false;
    struct slice rest = {data, length}, line;
    for (unsigned number = 1; slice_next(&rest, '\n', &line); number++)
        if (!take_line(&reader, line, number, fail))
            return false;
    sort(profile);
    return profile->n > 0 || fail_at(fail, reader.path, 0, 0, "there is no count in it");
}

uint64_t profile_count(const struct profile *profile, uint64_t address) {
    size_t first = 0, end = profile->n;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (profile->entries[middle].address < address)
            first = middle + 1;
        else
            end = middle;
    }
    return first < profile->n && profile->entries[first].address == address ? profile->entries[first].count : 0;
}
