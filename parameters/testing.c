#include "parameters/testing.h"

#include <stdlib.h>
#include <string.h>

struct session testing_session(struct arena *arena) {
    struct session session = {.arena = arena, .recipe = recipe_find("x86_64"), .page_bytes = 4096};
    session.card.arena = arena;
    return session;
}

bool testing_give(struct session *session, double (*cycles_of)(const char *name),
                  bool (*is_unstable)(const char *name)) {
    bool is_any = false;
    for (size_t i = 0; i < session->n_items; i++) {
        struct session_item *item = &session->items[i];
        if (item->is_measured)
            continue;
        double cycles = cycles_of(item->trial.name);
        bool is_stable = !is_unstable || !is_unstable(item->trial.name);
        item->is_measured = item->is_run = true;
        item->value = cycles > 0 ? (struct value){.is_good = true,
                                                  .cycles = cycles,
                                                  .low = 0.999 * cycles,
                                                  .high = 1.001 * cycles,
                                                  .is_stable = is_stable,
                                                  .is_alone = is_stable,
                                                  .why = is_stable ? NULL : "invented noise"}
                                 : (struct value){.why = "invented trouble"};
        is_any = true;
    }
    return is_any;
}

int testing_number_of(const char *name) {
    return atoi(strrchr(name, '.') + 1);
}
