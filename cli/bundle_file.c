// A bundle as a file: programs, the clock's chains, and a runner.
#include "cli/bundle_file.h"

#include "base/file.h"
#include "lab/chains.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct pack_program packed(const struct program *program, struct bench_code code, const char *role,
                                  const char *setup) {
    return (struct pack_program){
        .role = role,
        .kernel = program->kernel,
        .mode = program_mode_name(program->mode),
        .form = program_form_name(program->form),
        .arc = program->arc,
        .placement = program->placement ? program_placement_name(program->placement) : NULL,
        .instruction = program->label,
        .setup = setup,
        .streams = program->streams,
        .instructions = program->instructions,
        .code = code,
        .loop_instructions = program->preserves_flags ? program->loop_instructions : 0,
        .loop_branches = program->preserves_flags ? program->loop_branches : 0,
    };
}

static const char *role_of(unsigned chain) {
    return chain == CHAIN_REFERENCE ? "reference" : bench_check_name((enum bench_check)(chain - CHAIN_CHECKS));
}

void bundle_add_chains(struct arena *arena, struct program *const chains[N_CHAINS], struct pack *pack) {
    for (unsigned i = 0; i < N_CHAINS; i++)
        if (chains[i])
            *ARENA_ADD(arena, pack->programs, pack->n_programs) =
                packed(chains[i], program_code(chains[i], false), role_of(i), NULL);
}

void bundle_add(struct arena *arena, const struct code_uses *uses, const struct experiment *experiment,
                struct pack *pack) {
    struct bench_code code = experiment_code(experiment, false);
    struct record record;
    code_uses_find(uses, &code);
    code.chase.are_steps = NULL; // is for targets that simulate
    experiment_to_record(arena, experiment, &record);
    *ARENA_ADD(arena, pack->programs, pack->n_programs) = packed(&experiment->program, code, NULL, record.setup);
}

// ---- programs that a campaign hands on

// A copy of a program that ends with its pass. A code's body stands in its bytes.
static void keep(struct arena *arena, struct pack_program *program) {
    struct bench_code *code = &program->code;
    const uint8_t *bytes = code->bytes;
    const char **const texts[] = {&program->kernel, &program->arc, &program->placement, &program->instruction,
                                  &program->setup};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? arena_strdup(arena, *texts[i]) : NULL;
    code->bytes = memcpy(arena_alloc(arena, code->n_bytes), bytes, code->n_bytes);
    code->body = code->bytes + (code->body - bytes);
    struct bench_foreign *foreign = &code->foreign;
    if (foreign->n_patches)
        foreign->patches = memcpy(ARENA_ARRAY(arena, struct bench_patch, foreign->n_patches), foreign->patches,
                                  foreign->n_patches * sizeof *foreign->patches);
    if (foreign->n_touches)
        foreign->touches = memcpy(ARENA_ARRAY(arena, struct bench_touch, foreign->n_touches), foreign->touches,
                                  foreign->n_touches * sizeof *foreign->touches);
}

// The chains come before the programs that are taken, of which each adds one.
static void shift(struct bench_rule *rule, size_t n_chains) {
    for (unsigned i = 0; i < rule->n_terms; i++)
        rule->terms[i].program += n_chains;
}

static const struct bench_case *shifted(struct arena *arena, const struct bench_case *cases, size_t n,
                                        size_t n_chains) {
    struct bench_case *copy = ARENA_ARRAY(arena, struct bench_case, n + 1);
    for (size_t i = 0; i < n; i++) {
        copy[i] = cases[i];
        shift(&copy[i].own, n_chains);
    }
    return copy;
}

// As `take` of struct collect.
static bool take(void *context, const struct experiment *experiment, const struct bench_case *cases, size_t n_cases,
                 struct fail *fail) {
    struct bundle_programs *programs = context;
    struct pack *pack = &programs->pack;
    size_t n = pack->n_programs;
    (void)fail;
    bundle_add(programs->arena, &programs->uses, experiment, pack);
    keep(programs->arena, &pack->programs[n]);
    pack->programs[n].cases = shifted(programs->arena, cases, n_cases, programs->n_chains);
    pack->programs[n].n_cases = n_cases;
    return true;
}

bool bundle_programs_start(struct arena *arena, const struct lab_options *options, struct bundle_programs *programs,
                           struct fail *fail) {
    const struct isa *isa = options->isa;
    struct program *chains[N_CHAINS], *common[N_CHAINS];
    *programs = (struct bundle_programs){.arena = arena,
                                         .pack = {.isa = isa->name},
                                         .collect = {.arena = arena,
                                                     .context = programs,
                                                     .take = take,
                                                     .places = {.arena = arena},
                                                     .kernels = {.arena = arena}}};
    if (strcmp(options->target, "native") != 0)
        return fail_set(fail, FAIL_INPUT, "--bundle is for another machine, and --target %s is simulated here",
                        options->target);
    if (!chains_make(arena, isa, chains, fail) || !gen_assemble(arena, common, chains_list(chains, common), fail))
        return false;
    bundle_add_chains(arena, chains, &programs->pack);
    programs->n_chains = programs->pack.n_programs;
    code_uses_open(&programs->uses, arena, isa, option_list_first(&options->llvms));
    return true;
}

void bundle_programs_add_rules(struct bundle_programs *programs) {
    const struct collect *collect = &programs->collect;
    struct bench_rule *rules = ARENA_ARRAY(programs->arena, struct bench_rule, collect->n_rules + 1);
    for (size_t i = 0; i < collect->n_rules; i++) {
        rules[i] = collect->rules[i];
        shift(&rules[i], programs->n_chains);
    }
    programs->pack.rules = rules;
    programs->pack.n_rules = collect->n_rules;
}

// ---- the file

// Returns Debian's package of a compiler that can build the runner.
static const char *compiler_package(struct arena *arena, const char *isa) {
    static const struct {
        const char *isa, *tuple;
    } tuples[] = {{"x86_64", "x86-64-linux-gnu"},   {"aarch64", "aarch64-linux-gnu"}, {"armv7", "arm-linux-gnueabihf"},
                  {"riscv64", "riscv64-linux-gnu"}, {"mips", "mips-linux-gnu"},       {"mipsel", "mipsel-linux-gnu"}};
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++)
        if (strcmp(tuples[i].isa, isa) == 0)
            return arena_printf(arena, "gcc-%s", tuples[i].tuple);
    return "gcc";
}

static bool read_runner(struct arena *arena, const struct isa *isa, const char *runner_path, char **runner,
                        size_t *length, struct fail *fail) {
    const char *path =
        runner_path ? runner_path : file_installed(arena, arena_printf(arena, "lib/cyclops/runner-%s", isa->name));
    struct fail trouble = {0};
    if (file_read(arena, path, runner, length, runner_path ? fail : &trouble))
        return true;
    return fail_set(
        fail, FAIL_UNAVAILABLE,
        "no runner for %s was built with this Cyclops (%s): install package %s and build again, or make one "
        "with scripts/build-runner and name it with --runner",
        isa->name, trouble.text, compiler_package(arena, isa->name));
}

bool bundle_write(struct arena *arena, const struct isa *isa, const struct pack *pack, const char *runner_path,
                  bool is_pack_alone, const char *path, struct fail *fail) {
    struct text out = {.arena = arena};
    char *runner;
    size_t length;
    if (is_pack_alone) {
        pack_write(pack, &out);
        return file_write(path, out.data, out.length, fail);
    }
    if (!read_runner(arena, isa, runner_path, &runner, &length, fail))
        return false;
    pack_append(pack, runner, length, &out);
    return file_write(path, out.data, out.length, fail) &&
           (chmod(path, 0755) == 0 ||
            fail_set(fail, FAIL_WORK, "cannot make '%s' executable: %s", path, strerror(errno)));
}

void bundle_print_way_back(const char *bundle, const char *folder, const char *command) {
    printf("On the other machine:  %s%s --resume --output back.jsonl\n"
           "Here, then:  cat back.jsonl >>%s/measurements.jsonl; %s %s\n",
           strchr(bundle, '/') ? "" : "./", bundle, folder, command, folder);
}
