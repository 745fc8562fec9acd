// Lines of "ADDRESS COUNT", the address in hexadecimal, of one program; '#' begins a comment.
#include "base/line.h"
#include "hot/profile_readers.h"

#include <stdlib.h>

bool profile_read_counts(struct profile_input *input, struct fail *fail) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool is_good = true;
    if (!input->gather->program)
        return fail_at(fail, input->name, 0, 0, "lines of addresses do not say of which program they are: give it");
    unsigned module = gather_module(input->gather, input->gather->program, NULL);
    unsigned number = 1;
    for (; is_good && (length = line_read(&line, &room, input->in)) >= 0; number++) {
        struct slice rest = slice_trim((struct slice){line, (size_t)length});
        uint64_t address, count;
        if (!rest.length || *rest.data == '#')
            continue;
        struct slice first = profile_next_word(&rest), second = profile_next_word(&rest);
        is_good = profile_parse_number(first, 16, &address) && profile_parse_number(second, 10, &count) &&
                  !slice_trim(rest).length;
        if (!is_good)
            fail_at(fail, input->name, number, 1, "expected an address and a count, such as '1130 42'");
        else if (count)
            gather_sample(input->gather, (struct hot_place){module, address}, (double)count);
    }
    is_good = is_good && profile_is_read(input, number, fail);
    free(line);
    return is_good;
}
