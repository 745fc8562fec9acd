// The programs of a survey's experiments, for scripts/study-forms-qemu.
//   form_programs ISA          prints each form that can be measured, a line of JSON each
//   form_programs ISA +CONFIG  the same with RISC-V's vector forms in a configuration: "+all", "+e32m1-mask,e8m1"
//   form_programs ISA FORM...  prints the programs of these forms: symbol, text, and the instructions of an iteration
// A form CHAIN is that of all partners.
#include "analyzer/model/vector_forms.h"
#include "base/json.h"
#include "base/text.h"
#include "blocks/decoder.h"
#include "gen/gen.h"
#include "survey/experiments/experiments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNROLL = 2 };

static struct {
    struct arena arena;
    const struct isa *isa;
    struct model model;
    const struct form *forms;
    size_t n_forms;
    struct program **programs;
    const struct kernel **kernels;
    size_t n_programs, n_kernels;
} all;

static bool open_forms(const char *isa, struct fail *fail) {
    all.isa = isa_find(isa);
    if (!all.isa)
        return fail_set(fail, FAIL_INPUT, "%s", isa_unknown(&all.arena, isa));
    struct decoder_cpu widest = decoder_widest(all.isa);
    const struct backend_options options = {
        .triple = all.isa->triple, .cpu = widest.cpu, .features = widest.features, .without_model = true};
    return model_open(&all.model, &all.arena, NULL, &options, fail) &&
           all.model.backend->forms(all.model.cpu, &all.arena, &all.forms, &all.n_forms, fail);
}

// Adds the forms with the vector configurations that the words name.
static bool add_vectors(const char *const *words, size_t n, struct fail *fail) {
    const struct vector_config *configs;
    size_t n_configs;
    if (!vector_config_parse_list(&all.arena, words, n, &configs, &n_configs, fail))
        return false;
    vector_forms_add(&all.arena, &all.model, configs, n_configs, &all.forms, &all.n_forms);
    return true;
}

// The configurations that names of forms have: each once.
static bool add_named_vectors(char **names, int n_names, struct fail *fail) {
    const char **words = NULL;
    size_t n = 0;
    for (int i = 0; i < n_names; i++)
        if (vector_config_in_name(names[i], NULL))
            *ARENA_ADD(&all.arena, words, n) = vector_config_in_name(names[i], NULL);
    return add_vectors(words, n, fail);
}

static void print(json_t *line) {
    json_dumpf(line, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(line);
}

static bool is_wanted(const char *name, char **names, int n_names) {
    bool is_found = false;
    for (int i = 0; i < n_names; i++)
        is_found |= strcmp(name, names[i]) == 0;
    return is_found;
}

static void add_program(const struct kernel *kernel, const struct gen_request *request) {
    struct program *program = ARENA_NEW(&all.arena, struct program);
    struct fail fail = {0};
    if (!gen_expand(&all.arena, kernel, request, program, &fail)) {
        print(json_pack("{s:s, s:s}", "kernel", kernel->name, "refused", fail.text));
        return;
    }
    *ARENA_ADD(&all.arena, all.kernels, all.n_kernels) = kernel;
    *ARENA_ADD(&all.arena, all.programs, all.n_programs) = program;
}

static bool make_programs(char **names, int n_names, struct fail *fail) {
    struct experiment_list list = {.arena = &all.arena};
    struct kernel_set *set = ARENA_NEW(&all.arena, struct kernel_set);
    experiments_add_scaffold(all.isa, &list);
    for (int i = 0; i < n_names; i++) {
        struct vector_config config;
        if (text_starts(names[i], "CHAIN_") && vector_config_parse(names[i] + strlen("CHAIN_"), &config))
            experiments_add_vector_scaffold(all.isa, &config, &list);
    }
    for (size_t i = 0; i < all.n_forms; i++) {
        struct shape shape;
        if (!is_wanted(all.forms[i].name, names, n_names))
            continue;
        shape_make(&all.arena, all.isa, all.model.machine, &all.forms[i], &shape);
        if (!shape.left_out)
            experiments_add(all.isa, &shape, true, &list);
    }
    if (!experiment_list_make(&list, 0, &all.arena, "survey", all.isa, set, fail))
        return false;
    bool has_chains = is_wanted("CHAIN", names, n_names);
    for (size_t i = 0; i < set->n_kernels; i++) {
        const struct kernel *kernel = &set->kernels[i];
        struct gen_request request = {.mode = PROGRAM_LATENCY, .form = PROGRAM_UNROLLED, .unroll = UNROLL};
        if (!has_chains && strncmp(kernel->name, "CHAIN.", strlen("CHAIN.")) == 0)
            continue;
        for (request.arc = 0; request.arc < kernel->n_arcs; request.arc++)
            add_program(kernel, &request);
        request = (struct gen_request){.mode = PROGRAM_THROUGHPUT, .form = PROGRAM_UNROLLED, .unroll = UNROLL};
        if (!kernel->n_arcs)
            add_program(kernel, &request);
    }
    return true;
}

static void print_programs(const struct gen_errors *errors) {
    for (size_t i = 0; i < all.n_programs; i++) {
        const struct program *program = all.programs[i];
        struct text text = {.arena = &all.arena};
        if (errors->mistakes[i]) {
            print(json_pack("{s:s, s:s}", "kernel", all.kernels[i]->name, "refused", "the assembler does not know it"));
            continue;
        }
        gen_emit(&all.arena, (const struct program *const *)&all.programs[i], 1, &text);
        print(json_pack("{s:s, s:s, s:s, s:i}", "kernel", all.kernels[i]->name, "symbol", program->symbol, "text",
                        text.data, "instructions", (int)program_iteration_instructions(program)));
    }
}

static void print_forms(void) {
    for (size_t i = 0; i < all.n_forms; i++) {
        struct shape shape;
        shape_make(&all.arena, all.isa, all.model.machine, &all.forms[i], &shape);
        if (!shape.left_out)
            print(json_pack("{s:s}", "form", all.forms[i].name));
    }
}

int main(int argc, char **argv) {
    struct fail fail = {0};
    struct gen_errors errors = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: form_programs ISA [FORM...]\n");
        return 2;
    }
    bool is_done = open_forms(argv[1], &fail);
    if (is_done && argc == 2) {
        print_forms();
    } else if (is_done && *argv[2] == '+') {
        const char **words = NULL;
        size_t n = 0;
        for (char *word = strtok(argv[2] + 1, ","); word; word = strtok(NULL, ","))
            *ARENA_ADD(&all.arena, words, n) = word;
        is_done = add_vectors(words, n, &fail);
        if (is_done)
            print_forms();
    } else if (is_done) {
        is_done = add_named_vectors(argv + 2, argc - 2, &fail) && make_programs(argv + 2, argc - 2, &fail) &&
                  gen_assemble_each(&all.arena, all.programs, all.n_programs, &errors, &fail);
        if (is_done)
            print_programs(&errors);
    }
    if (!is_done)
        fprintf(stderr, "form_programs: %s\n", fail.text);
    model_close(&all.model);
    arena_free(&all.arena);
    return is_done ? 0 : 1;
}
