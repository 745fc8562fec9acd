// Lines of "ADDRESS COUNT", the address in hexadecimal, of one program; '#' begins a comment.
#include "hot/profile_readers.h"

struct counts {
    const struct profile_input *input;
    unsigned module, line;
    struct fail *fail;
};

static bool take_line(void *context, const char *line, size_t length) {
    const struct counts *counts = context;
    struct slice rest = slice_trim((struct slice){line, length});
    uint64_t address, count;
    if (!rest.length || *rest.data == '#')
        return true;
    struct slice first = profile_next_word(&rest), second = profile_next_word(&rest);
    bool is_good = profile_parse_number(first, 16, &address) && profile_parse_number(second, 10, &count) &&
                   !slice_trim(rest).length;
    if (!is_good)
        return fail_at(counts->fail, counts->input->name, counts->line, 1,
                       "expected an address and a count, such as '1130 42'");
    if (count)
        gather_sample(counts->input->gather, (struct hot_place){counts->module, address}, (double)count);
    return true;
}

bool profile_read_counts(struct profile_input *input, struct fail *fail) {
    if (!input->gather->program)
        return fail_at(fail, input->name, 0, 0, "lines of addresses do not say of which program they are: give it");
    struct counts counts = {
        .input = input, .module = gather_module(input->gather, input->gather->program, NULL), .fail = fail};
    return profile_each_line(input, &counts.line, take_line, &counts, fail);
}
