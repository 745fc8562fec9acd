// Private to this folder.
// What the tests of this folder share: forms of an ISA as LLVM lists them on any host, and their shapes.
#ifndef SURVEY_FORMS_TESTING_FORMS_H
#define SURVEY_FORMS_TESTING_FORMS_H

#include "survey/forms/shape.h"

#include <stdbool.h>

// For cmocka_run_group_tests: forms of x86-64, or of another ISA.
int testing_forms_open(void **state);
int testing_forms_open_aarch64(void **state);
int testing_forms_open_riscv64(void **state);
int testing_forms_open_armv7(void **state);
int testing_forms_open_mips(void **state);
int testing_forms_close(void **state);

struct arena *testing_arena(void);
const struct isa *testing_isa(void);

// Fails the test where there is no such form.
struct shape testing_shape(const char *opcode);

// Number of the port with that label. Fails the test where there is none.
unsigned testing_port(const struct shape *shape, const char *label);

#endif
