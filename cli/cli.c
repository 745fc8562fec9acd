#include "cli/cli.h"

#include "base/date.h"
#include "base/screen.h"
#include "cli/lab_args.h"
#include "lab/run_plan.h"
#include "survey/survey.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_run(const struct command *command, int argc, char **argv,
            bool (*work)(struct arena *arena, const struct operands *operands, struct fail *fail)) {
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    if (options_parse(&arena, command, argc, argv, &operands, &fail) == OPTIONS_OK)
        work(&arena, &operands, &fail);
    int status = fail.status != FAIL_NONE ? cli_failed(&fail) : cli_finish();
    arena_free(&arena);
    return status;
}

int cli_run_status(const struct command *command, int argc, char **argv,
                   int (*work)(struct arena *arena, const struct operands *operands, struct fail *fail)) {
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    int status = 0;
    if (options_parse(&arena, command, argc, argv, &operands, &fail) == OPTIONS_OK)
        status = work(&arena, &operands, &fail);
    if (fail.status != FAIL_NONE)
        status = run_plan_worse(status, cli_failed(&fail));
    arena_free(&arena);
    int end = fail.status == FAIL_NONE ? cli_finish() : 0; // a report that is not there must not pass for findings
    return end ? end : status;
}

void cli_print_head(const char *where) {
    struct arena arena = {0};
    time_t time = strcmp(lab_args.options.target, "native") == 0 ? date_now() : date_of_output();
    screen_print_whole_sentence(arena_printf(&arena, "%s; %s", where, date_text(&arena, time)), stdout);
    fflush(stdout); // what follows may take minutes
    arena_free(&arena);
}

int cli_failed(const struct fail *fail) {
    fflush(stdout);
    fail_print(fail, stderr);
    return (int)fail->status;
}

int cli_finish(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    // Where an earlier write failed, its reason is gone.
    struct fail fail = {0};
    fail_set(&fail, FAIL_INPUT, "cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return cli_failed(&fail);
}

bool cli_wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}

bool cli_load_kernels(struct arena *arena, const char *folder, const char *isa, struct kernel_set *set,
                      struct fail *fail) {
    if (!kernel_load_folder(arena, folder, isa, set, fail))
        return false;
    for (size_t i = 0; i + 1 < set->n_refused; i++)
        cli_failed(&set->refused[i]);
    if (set->n_refused)
        *fail = set->refused[set->n_refused - 1];
    return set->n_refused == 0;
}

const struct isa *cli_isa(struct arena *arena, const char *name, struct fail *fail) {
    const struct isa *isa = name ? isa_find(name) : isa_native();
    if (isa)
        return isa;
    if (name)
        fail_set(fail, FAIL_INPUT, "%s", isa_unknown(arena, name));
    else
        fail_set(fail, FAIL_UNAVAILABLE, "the generator does not know this machine's ISA; name one with --isa");
    return NULL;
}

bool cli_vectors(struct arena *arena, const struct option_list *lists, const struct vector_config **configs,
                 size_t *n_configs, struct fail *fail) {
    const char **items = NULL;
    size_t n = 0;
    for (size_t i = 0; i < lists->n_items; i++) {
        struct slice rest = {lists->items[i], strlen(lists->items[i])}, item;
        while (slice_next(&rest, ',', &item))
            *ARENA_ADD(arena, items, n) = arena_copy(arena, item.data, item.length);
    }
    return vector_config_parse_list(arena, items, n, configs, n_configs, fail);
}

static bool has_kernel(const struct kernel_set *set, const char *name) {
    for (size_t i = 0; i < set->n_kernels; i++)
        if (strcmp(set->kernels[i].name, name) == 0)
            return true;
    return false;
}

bool cli_add_forms(struct arena *arena, const struct isa *isa, const struct operands *operands, struct kernel_set *set,
                   struct fail *fail) {
    for (size_t i = 0; i < operands->n_items; i++)
        if (isupper((unsigned char)*operands->items[i]) && !has_kernel(set, operands->items[i]) &&
            !survey_form_kernels(arena, isa, operands->items[i], set, fail))
            return false;
    return true;
}

const struct kernel *cli_find_kernel(struct arena *arena, const struct isa *isa, const struct kernel_set *set,
                                     const char *name, struct fail *fail) {
    const struct kernel *kernel = kernel_find(arena, set, name, fail);
    const char *advice = kernel ? NULL : survey_advice_on_mnemonic(arena, isa, name);
    if (!advice)
        return kernel;
    fail_clear(fail);
    fail_set(fail, FAIL_INPUT, "there is no kernel '%s', but %s", name, advice);
    return NULL;
}
