// Command lines: a word a line. Read as the other commands' and as mca's.
#include "base/options.h"
#include "cli/mca/options.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool flag;
static struct option_count count;
static double number;
static const char *text;
static struct option_list list;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Some", NULL},
    {OPTION_FLAG, "flag", NULL, "A flag.", &flag},
    {OPTION_COUNT, "count", "N", "A count.", &count},
    {OPTION_NUMBER, "number", "X", "A number.", &number},
    {OPTION_TEXT, "text", "TEXT", "A text.", &text},
    {OPTION_LIST, "list", "ITEM", "A list.", &list},
    {0},
};
static const struct command command = {"fuzz", "[options]", "Nothing.\n", NULL, options};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    enum { MOST_WORDS = 32 };
    char *words[MOST_WORDS + 1] = {(char[]){"fuzz"}};
    int n_words = 1;
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    list = (struct option_list){0};
    char *rest = arena_copy(&arena, (const char *)data, n_bytes), *word;
    while (n_words < MOST_WORDS && (word = strsep(&rest, "\n")) != NULL)
        if (strstr(word, "-h") == NULL && strncmp(word, "@/", 2) != 0) // prints; reads devices
            words[n_words++] = word;
    options_parse(&arena, &command, n_words, words, &operands, &fail);
    for (size_t i = 0; i < operands.n_items; i++) {
        unsigned first, last;
        struct fail why = {0};
        options_parse_range(operands.items[i], &first, &last, &why);
    }
    struct mca_args args;
    fail = (struct fail){0};
    if (mca_options_parse(&arena, n_words, words, &args, &fail) == OPTIONS_OK)
        mca_options_settle_views(&args, n_bytes % 2 == 0);
    arena_free(&arena);
    return 0;
}
