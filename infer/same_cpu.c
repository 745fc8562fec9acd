#include "infer/same_cpu.h"

#include <stdio.h>
#include <string.h>

bool same_cpu_is(const char *machine, const struct cpu *cpu) {
    unsigned family, model;
    const char *place = machine ? strstr(machine, "(family ") : NULL;
    bool is_same = !place || sscanf(place, "(family %u, model %u", &family, &model) != 2 || cpu->n_identities == 0;
    for (unsigned i = 0; i < cpu->n_identities && !is_same; i++) {
        const struct cpu_identity *one = &cpu->identities[i];
        is_same = one->family == family && model >= one->first && model <= one->last;
    }
    return is_same;
}

bool same_cpu_names(const char *one, const char *other) {
    static const char begin[] = "(family ";
    const char *a = strstr(one, begin), *b = strstr(other, begin);
    size_t n = strcspn(a ? a : one, ","), m = strcspn(b ? b : other, ",");
    if (a && b) { // and the model
        n += 1 + strcspn(a + n + (a[n] == ','), ",");
        m += 1 + strcspn(b + m + (b[m] == ','), ",");
    }
    return !a == !b && n == m && strncmp(a ? a : one, b ? b : other, n) == 0;
}

bool same_cpu_check(const char *what, const char *machine, const struct cpu *cpu, struct fail *fail) {
    return same_cpu_is(machine, cpu) ||
           fail_set(fail, FAIL_INPUT,
                    "%s measured on another CPU, %s, than the base's 'identity' names; take a base of that CPU, or "
                    "insist with --other-cpu",
                    what, machine);
}
