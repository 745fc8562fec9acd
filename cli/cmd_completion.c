// cyclops completion: prints the script with which a shell completes the command line. It is a file of the
// installation, which asks 'cyclops __complete' for the words.
#include "cli/cli.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

static const struct option options[] = {{0}};

static const struct command command = {
    "cyclops completion",
    "bash|zsh|fish",
    "Prints a script with which the shell completes commands, options, their values,\n"
    "kernels, forms, models and files. An installation puts it where the shells look\n"
    "for it.\n",
    "  source <(cyclops completion bash)\n"
    "  cyclops completion zsh >~/.zfunc/_cyclops    # a folder of $fpath\n"
    "  cyclops completion fish >~/.config/fish/completions/cyclops.fish\n",
    options,
};

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const char *const scripts[][2] = {{"bash", "share/bash-completion/completions/cyclops"},
                                             {"zsh", "share/zsh/site-functions/_cyclops"},
                                             {"fish", "share/fish/vendor_completions.d/cyclops.fish"}};
    for (size_t i = 0; operands->n_items == 1 && i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(operands->items[0], scripts[i][0]) == 0) {
            char *text;
            size_t n;
            bool is_read = file_read(arena, file_installed(arena, scripts[i][1]), &text, &n, fail);
            if (is_read)
                fwrite(text, 1, n, stdout);
            return is_read;
        }
    if (operands->n_items == 1)
        return fail_set(fail, FAIL_INPUT, "unknown shell '%s': there are bash, zsh and fish", operands->items[0]);
    return fail_set(fail, FAIL_INPUT, "name one shell: bash, zsh or fish");
}

int cmd_completion(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
