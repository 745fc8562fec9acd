// Experiments of several parts: each part is a file.
#include "parameters/experiments.h"

#include <string.h>

static bool is_x86(const struct session *session) {
    return strcmp(session->recipe->isa, "x86_64") == 0;
}

void banks_find(struct session *session) {
    load_banks_find(session);
    store_lines_find(session);
}

void renaming_find(struct session *session) {
    const struct card_entry head = {.group = "renaming", .name = "renaming", .unit = "", .how = "constants and memory"};
    if (!is_x86(session)) {
        card_add_unknown(&session->card, &head, session_no_isa);
        return;
    }
    constants_find(session);
    memory_renaming_find(session);
    logic_flags_find(session);
}

void slots_find(struct session *session) {
    struct slots slots;
    const char *why = is_x86(session) ? NULL : session_no_isa;
    if (!widths_slots(session, &slots))
        return;
    if (!why && slots.width < 1)
        why = "neither zeroings nor nops run at the width of dispatch, so they cannot count slots";
    loop_copies_find(session, &slots, why);
    move_fusion_find(session, &slots, why);
    stack_engine_find(session, &slots, why);
}
