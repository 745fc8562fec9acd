// cyclops gen: the assembly of kernels.
#include "cli/cli.h"

#include "base/file.h"
#include "base/options.h"
#include "cli/plan_args.h"

#include <stdio.h>
#include <string.h>

static struct {
    const char *mode, *form, *placement, *isa, *kernels, *output;
    struct option_count streams, unroll;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "mode", "latency|throughput|block",
     "What to time. Default: throughput with --n or --placement, else latency (throughput if the "
     "kernel has no chain).",
     &args.mode},
    {OPTION_COUNT, "n", "N", "Independent streams in throughput mode. Default: as many as fit, at most 16.",
     &args.streams},
    {OPTION_TEXT, "form", "unrolled|looped", "A straight line, or a loop. Default: unrolled.", &args.form},
    {OPTION_TEXT, "placement", "same-address|same-line|own-lines|own-pages",
     "Where the loads and stores of the streams go. Default: own-lines.", &args.placement},
    {OPTION_COUNT, "unroll", "COPIES", "Copies of the body in the unrolled form. Default: about 256 instructions.",
     &args.unroll},
    {OPTION_TEXT, "isa", "x86_64|aarch64|armv7|mips|mipsel|riscv64", "Instruction set. Default: this machine's.",
     &args.isa},
    {OPTION_TEXT, "kernels", "DIR", "Read kernel files below DIR/ISA instead of the installed ones.", &args.kernels},
    {OPTION_OUTPUT, "output", "FILE", "Write to FILE instead of standard output.", &args.output},
    {0},
};

static const struct command command = {
    "cyclops gen",
    "KERNEL|FORM... [options]",
    "Prints the assembly of the programs that 'cyclops run' would measure, for GNU\n"
    "as. Each is a function void NAME(uint64_t iterations, void *memory); memory\n"
    "points to the middle of a buffer of 64 KiB.\n"
    "\n"
    "FORM is a form of an instruction ('cyclops list forms'), or one of its\n"
    "experiments in a survey, such as VADDPSYrr.chain.\n",
    "  cyclops gen fma-ymm-ps --n 8\n"
    "  cyclops gen fmla-v4s --isa aarch64 | aarch64-linux-gnu-as -o fmla.o -\n",
    options,
};

static bool read_request(const struct kernel *kernel, struct gen_request *request, struct fail *fail) {
    *request = (struct gen_request){.streams = (unsigned)args.streams.value, .unroll = (unsigned)args.unroll.value};
    bool is_chain = kernel->n_arcs > 0 && args.streams.value == 0 && !args.placement;
    request->mode = is_chain ? PROGRAM_LATENCY : PROGRAM_THROUGHPUT;
    if (args.mode && !program_mode_parse(args.mode, &request->mode))
        return fail_set(fail, FAIL_INPUT, "unknown mode '%s': there are latency, throughput and block", args.mode);
    if (args.form && !program_form_parse(args.form, &request->form))
        return fail_set(fail, FAIL_INPUT, "unknown form '%s': there are unrolled and looped", args.form);
    if (!plan_read_placement(args.placement, false, &request->placement, fail))
        return false;
    if (args.placement && request->mode != PROGRAM_THROUGHPUT)
        return fail_set(fail, FAIL_INPUT, "--placement is for throughput: mode %s has one stream",
                        program_mode_name(request->mode));
    if (args.streams.value > GEN_MAX_STREAMS)
        return fail_set(fail, FAIL_INPUT, "--n is at most %d", GEN_MAX_STREAMS);
    enum { MOST_COPIES = 100000 };
    if (args.unroll.is_given && (args.unroll.value < 1 || args.unroll.value > MOST_COPIES))
        return fail_set(fail, FAIL_INPUT, "--unroll is from 1 to %d", MOST_COPIES);
    return true;
}

static bool generate(struct arena *arena, const struct operands *operands, struct fail *fail) {
    if (operands->n_items == 0)
        return fail_set(fail, FAIL_INPUT, "name the kernels to generate; 'cyclops list kernels' shows them");
    const struct isa *isa = cli_isa(arena, args.isa, fail);
    struct kernel_set set = {0};
    if (!isa || !cli_load_kernels(arena, args.kernels, isa->name, &set, fail))
        return false;
    if (!args.kernels && !cli_add_forms(arena, isa, operands, &set, fail))
        return false;
    struct program *programs = ARENA_ARRAY(arena, struct program, operands->n_items);
    const struct program **list = ARENA_ARRAY(arena, const struct program *, operands->n_items);
    for (size_t i = 0; i < operands->n_items; i++) {
        struct gen_request request;
        const struct kernel *kernel = cli_find_kernel(arena, isa, &set, operands->items[i], fail);
        if (!kernel || !read_request(kernel, &request, fail) ||
            !gen_expand(arena, kernel, &request, &programs[i], fail))
            return false;
        list[i] = &programs[i];
    }
    struct text out = {.arena = arena};
    gen_emit(arena, list, operands->n_items, &out);
    if (args.output)
        return file_write(args.output, out.data, out.length, fail);
    fwrite(out.data, 1, out.length, stdout);
    return true;
}

int cmd_gen(int argc, char **argv) {
    return cli_run(&command, argc, argv, generate);
}
