#include "survey/forms/testing_forms.h"

#include "analyzer/model/model.h"
#include "blocks/decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    struct arena arena;
    const struct isa *isa;
    struct model model;
    const struct form *forms;
    size_t n_forms;
} testing;

static int open_forms(const char *isa) {
    struct fail fail = {0};
    testing.isa = isa_find(isa);
    struct decoder_cpu widest = decoder_widest(testing.isa);
    const struct backend_options options = {
        .triple = testing.isa->triple, .cpu = widest.cpu, .features = widest.features, .without_model = true};
    if (model_open(&testing.model, &testing.arena, NULL, &options, &fail) &&
        testing.model.backend->forms(testing.model.cpu, &testing.arena, &testing.forms, &testing.n_forms, &fail))
        return 0;
    print_error("%s\n", fail.text);
    return -1;
}

int testing_forms_open(void **state) {
    (void)state;
    return open_forms("x86_64");
}

int testing_forms_open_aarch64(void **state) {
    (void)state;
    return open_forms("aarch64");
}

int testing_forms_open_riscv64(void **state) {
    (void)state;
    return open_forms("riscv64");
}

int testing_forms_open_armv7(void **state) {
    (void)state;
    return open_forms("armv7");
}

int testing_forms_open_mips(void **state) {
    (void)state;
    return open_forms("mips");
}

int testing_forms_close(void **state) {
    (void)state;
    model_close(&testing.model);
    arena_free(&testing.arena);
    testing.forms = NULL;
    return 0;
}

struct arena *testing_arena(void) {
    return &testing.arena;
}

const struct isa *testing_isa(void) {
    return testing.isa;
}

struct shape testing_shape(const char *opcode) {
    struct shape shape = {0};
    for (size_t i = 0; i < testing.n_forms; i++)
        if (strcmp(testing.forms[i].name, opcode) == 0)
            shape_make(&testing.arena, testing.isa, testing.model.machine, &testing.forms[i], &shape);
    if (!shape.form)
        fail_msg("there is no form %s", opcode);
    return shape;
}

unsigned testing_port(const struct shape *shape, const char *label) {
    for (unsigned i = 0; i < shape->n_ports; i++)
        if (strcmp(shape->ports[i].label, label) == 0)
            return i;
    fail_msg("%s has no port %s", shape->form->opcode, label);
    return 0;
}
