#include "bench/counters/pfm.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// Finds all functions. Returns false where the library lacks one; dlerror(3) then names it. C has no cast from an
// object's address to a function's, so this copies it.
static bool find_functions(void *library, struct pfm *pfm) {
    static const struct {
        const char *name;
        size_t offset; // in struct pfm
    } wanted[] = {
        {"pfm_find_event", offsetof(struct pfm, find_event)},
        {"pfm_get_event_attr_info", offsetof(struct pfm, get_event_attr_info)},
        {"pfm_get_event_info", offsetof(struct pfm, get_event_info)},
        {"pfm_get_event_next", offsetof(struct pfm, get_event_next)},
        {"pfm_get_os_event_encoding", offsetof(struct pfm, get_os_event_encoding)},
        {"pfm_get_pmu_info", offsetof(struct pfm, get_pmu_info)},
        {"pfm_strerror", offsetof(struct pfm, strerror)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(library, wanted[i].name);
        if (symbol == NULL)
            return false;
        memcpy((char *)pfm + wanted[i].offset, &symbol, sizeof symbol);
    }
    return true;
}

bool pfm_load(struct pfm *pfm, const char **why) {
    int (*initialize)(void) = NULL;
    void *library = dlopen(CYCLOPS_LIBPFM, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "pfm_initialize") : NULL;
    memcpy(&initialize, &symbol, sizeof symbol);
    if (initialize == NULL || !find_functions(library, pfm)) {
        *why = dlerror();
        return false;
    }
    int status = initialize();
    *why = status != PFM_SUCCESS ? pfm->strerror(status) : NULL;
    return status == PFM_SUCCESS;
}
