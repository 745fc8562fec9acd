// Callgrind's output: what each instruction of each file was executed. The format: Valgrind's manual, "Callgrind Format
// Specification".
#include "hot/profile_readers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_OBJECTS = 1 << 16 };

struct callgrind {
    struct profile_input *input;
    unsigned line;
    bool has_addresses;          // a header said so
    unsigned n_positions, event; // words in front of costs; which of the costs counts
    uint64_t address;            // the last one: distances are from it
    unsigned module;
    unsigned *objects; // modules by their number in the file, plus 1; 0: not defined
    size_t n_objects;
    bool is_unknown; // the file of the code is not known ("???")
    bool skips_cost; // the next line is a call's inclusive cost, or the place of a jump
    bool is_jump;    // it is a jump's place
    uint64_t target, taken;
    uint64_t sum, summary, totals; // of costs; as the headers and the end of the file state it
    bool has_summary, has_totals;
    struct fail *fail;
};

static bool fail_here(struct callgrind *reader, const char *what) {
    return fail_at(reader->fail, reader->input->name, reader->line, 1, "%s", what);
}

static bool parse_address(struct callgrind *reader, struct slice word, uint64_t from, uint64_t *address) {
    struct slice rest = {word.data + 1, word.length ? word.length - 1 : 0};
    uint64_t distance;
    *address = from;
    if (slice_is(word, "*"))
        return true;
    if (word.length > 1 && (*word.data == '+' || *word.data == '-')) {
        if (!profile_parse_number(rest, 0, &distance))
            return fail_here(reader, "expected an address, such as '+3'");
        *address = *word.data == '+' ? from + distance : from - distance;
        return true;
    }
    return profile_parse_number(word, 16, address) || fail_here(reader, "expected an address, such as '0x1130'");
}

// "(3) /usr/lib/libc.so.6" defines number 3, and "(3)" is that again; without compression, the name alone.
static bool take_object(struct callgrind *reader, struct slice name) {
    uint64_t number = 0;
    name = slice_trim(name);
    const char *end = name.length && *name.data == '(' ? memchr(name.data, ')', name.length) : NULL;
    if (end) {
        struct slice digits = {name.data + 1, (size_t)(end - name.data - 1)};
        if (!profile_parse_number(digits, 10, &number) || number >= MOST_OBJECTS)
            return fail_here(reader, "expected a number of a file, such as '(3)'");
        name = slice_trim((struct slice){end + 1, name.length - (size_t)(end + 1 - name.data)});
        while (reader->n_objects <= number)
            *ARENA_ADD(reader->input->gather->arena, reader->objects, reader->n_objects) = 0;
    }
    if (end && !name.length) {
        if (!reader->objects[number])
            return fail_here(reader, "this number of a file has no name before: is the start of the profile cut off?");
        reader->module = reader->objects[number] - 1;
    } else {
        const char *path = arena_copy(reader->input->gather->arena, name.data, name.length);
        reader->module = gather_module(reader->input->gather, path, NULL);
        if (end)
            reader->objects[number] = reader->module + 1;
    }
    reader->is_unknown = strcmp(reader->input->gather->modules[reader->module].path, "???") == 0;
    return true;
}

// calls=COUNT TARGET…: the next line is the call's cost. jump=COUNT TARGET…, jcnd=TAKEN/ALL TARGET…: the next line is
// where the branch stands.
static bool take_branch(struct callgrind *reader, struct slice line, bool is_jump) {
    struct slice rest = {strchr(line.data, '=') + 1, 0};
    rest.length = line.length - (size_t)(rest.data - line.data);
    struct slice count = profile_next_word(&rest), target = profile_next_word(&rest);
    const char *all = memchr(count.data, '/', count.length);
    if (all)
        count.length = (size_t)(all - count.data);
    reader->skips_cost = true;
    reader->is_jump = is_jump;
    return !is_jump ||
           (profile_parse_number(count, 10, &reader->taken) &&
            parse_address(reader, target, reader->address, &reader->target)) ||
           fail_here(reader, "expected a count and a target");
}

static bool take_cost(struct callgrind *reader, struct slice line) {
    struct gather *gather = reader->input->gather;
    uint64_t cost = 0;
    struct slice rest = line, word = profile_next_word(&rest);
    bool is_skipped = reader->skips_cost;
    reader->skips_cost = false;
    if (!reader->has_addresses)
        return fail_here(reader, "this profile has no addresses: run callgrind with --dump-instr=yes");
    if (!parse_address(reader, word, reader->address, &reader->address))
        return false;
    const struct hot_place place = {reader->module, reader->address};
    if (is_skipped) {
        struct hot_way way = {place, {reader->module, reader->target}, (double)reader->taken, NAN};
        if (reader->is_jump && reader->taken && !reader->is_unknown)
            gather_way(gather, &way);
        return true;
    }
    for (unsigned i = 1; i < reader->n_positions; i++)
        profile_next_word(&rest);
    for (unsigned i = 0; i <= reader->event; i++) {
        word = profile_next_word(&rest);
        if (!word.length && i > 0)
            break; // costs at the end that are 0 may be left out
        if (!profile_parse_number(word, 10, &cost))
            return fail_here(reader, "expected a cost behind the address");
        if (i < reader->event)
            cost = 0;
    }
    reader->sum += cost;
    if (reader->is_unknown)
        gather->unknown += (double)cost;
    else if (cost)
        gather_sample(gather, place, (double)cost);
    return true;
}

// Takes the cost that counts out of a line of sums.
static void take_sum(const struct callgrind *reader, struct slice rest, uint64_t *sum, bool *is_there) {
    uint64_t cost = 0;
    for (unsigned i = 0; i <= reader->event; i++)
        if (!profile_parse_number(profile_next_word(&rest), 10, &cost))
            return;
    *sum += cost;
    *is_there = true;
}

static bool take_header(struct callgrind *reader, struct slice line) {
    struct slice rest = {memchr(line.data, ':', line.length), 0}, word;
    rest.data++;
    rest.length = line.length - (size_t)(rest.data - line.data);
    if (profile_begins_with(line, "positions:")) {
        reader->has_addresses = false;
        for (reader->n_positions = 0; (word = profile_next_word(&rest)).length; reader->n_positions++)
            if (reader->n_positions == 0)
                reader->has_addresses = slice_is(word, "instr");
        return reader->has_addresses ||
               fail_here(reader, "this profile has no addresses: run callgrind with --dump-instr=yes");
    }
    if (profile_begins_with(line, "events:"))
        for (unsigned i = 0; (word = profile_next_word(&rest)).length; i++)
            if (slice_is(word, "Ir"))
                reader->event = i;
    if (profile_begins_with(line, "summary:")) // of each part
        take_sum(reader, rest, &reader->summary, &reader->has_summary);
    if (profile_begins_with(line, "totals:"))
        take_sum(reader, rest, &reader->totals, &reader->has_totals);
    return true;
}

static bool take_line(void *context, const char *text, size_t length) {
    struct callgrind *reader = context;
    const struct slice line = slice_trim((struct slice){text, length});
    if (!line.length || *line.data == '#')
        return true;
    if (strchr("0123456789+-*", *line.data))
        return take_cost(reader, line);
    const char *equals = memchr(line.data, '=', line.length), *colon = memchr(line.data, ':', line.length);
    if (profile_begins_with(line, "ob=")) {
        return take_object(reader, (struct slice){equals + 1, line.length - 3});
    }
    if (profile_begins_with(line, "cob=")) { // defines a number, too
        unsigned module = reader->module;
        bool is_unknown = reader->is_unknown,
             is_good = take_object(reader, (struct slice){equals + 1, line.length - 4});
        reader->module = module;
        reader->is_unknown = is_unknown;
        return is_good;
    }
    if (profile_begins_with(line, "calls=") || profile_begins_with(line, "jump=") || profile_begins_with(line, "jcnd="))
        return take_branch(reader, line, *line.data == 'j');
    if (equals && (!colon || equals < colon))
        return true; // names of files and functions
    return colon ? take_header(reader, line) : fail_here(reader, "this is no line of callgrind's");
}

// A file that is cut off has no other sign.
static bool is_complete(struct callgrind *reader) {
    uint64_t stated = reader->has_summary ? reader->summary : reader->totals;
    if ((!reader->has_summary && !reader->has_totals) || stated == reader->sum)
        return true;
    return fail_at(reader->fail, reader->input->name, reader->line, 0,
                   "its costs add up to %" PRIu64 ", but it states %" PRIu64 ": it is cut off or damaged", reader->sum,
                   stated);
}

bool profile_read_callgrind(struct profile_input *input, struct fail *fail) {
    struct callgrind reader = {.input = input, .n_positions = 1, .is_unknown = true, .fail = fail};
    return profile_each_line(input, &reader.line, take_line, &reader, fail) && is_complete(&reader);
}
