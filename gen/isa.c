#include "gen/isa.h"

#include "gen/isa_tables.h"

#include <string.h>

const struct isa *const *isa_all(void) {
    static const struct isa *const all[] = {&isa_x86_64, &isa_aarch64, NULL};
    return all;
}

const struct isa *isa_find(const char *name) {
    for (const struct isa *const *isa = isa_all(); *isa; isa++) {
        if (strcmp((*isa)->name, name) == 0)
            return *isa;
        for (const char *const *other = (*isa)->names; *other; other++)
            if (strcmp(*other, name) == 0)
                return *isa;
    }
    return NULL;
}

const struct isa *isa_native(void) {
#if defined __x86_64__
    return &isa_x86_64;
#elif defined __aarch64__
    return &isa_aarch64;
#else
    return NULL;
#endif
}

const struct register_class *isa_class(const struct isa *isa, const char *name) {
    for (const struct register_class *each = isa->classes; each->name; each++)
        if (strcmp(each->name, name) == 0)
            return each;
    return NULL;
}
