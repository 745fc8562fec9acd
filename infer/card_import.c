#include "infer/card_import.h"

#include "base/text.h"
#include "infer/parts.h"

#include <math.h>

static const char kind[] = "card", key[] = "parameters:";

const char *card_import_kept_text(struct arena *arena, const char *text) {
    return parts_without(arena, text, kind);
}

// Numbers near a file's are its own: an interval of a card has the error of its clock.
static bool allows(const struct card_parameter *shown, double value) {
    static const double share = 0.02, least = 0.05;
    double slack = fmax(share * fabs(value), least);
    return value >= shown->low - slack && value <= shown->high + slack;
}

static enum card_import_outcome outcome_of(const struct card_parameter *shown, const struct cpu_number *stated) {
    if (!shown->is_known)
        return CARD_IMPORT_UNKNOWN;
    if (!stated->is_known || stated->trust == CPU_LLVM)
        return CARD_IMPORT_TAKEN;
    return allows(shown, stated->value) ? CARD_IMPORT_KEPT : CARD_IMPORT_DIFFERS;
}

static const char *line_of(struct arena *arena, const struct card_parameter *shown) {
    return arena_printf(arena, "  %s: {value: %.4g, trust: measured, source: \"card: %s\"}\n",
                        cpu_parameters[shown->parameter].name, shown->value, shown->source);
}

bool card_import(struct arena *arena, const struct card *card, const struct card_origin *origin, const struct cpu *cpu,
                 const char *text, struct card_import_result *result, struct fail *fail) {
    const struct card_parameter *shown;
    size_t n = card_parameters(arena, card, &shown);
    struct text part = {.arena = arena};
    *result = (struct card_import_result){
        .text = card_import_kept_text(arena, text), .rows = ARENA_ARRAY(arena, struct card_import_row, n), .n_rows = n};
    if (!parts_can_hold(result->text, key, fail))
        return false;
    text_add(&part, "");
    if (*origin->measured_on)
        text_addf(&part, "  # The card is of %s, %s.\n", origin->measured_on, origin->measured);
    for (size_t i = 0; i < n; i++) {
        const struct cpu_number *stated = &cpu->parameters[shown[i].parameter];
        const enum card_import_outcome outcome = outcome_of(&shown[i], stated);
        result->rows[i] = (struct card_import_row){&shown[i], *stated, outcome};
        result->n[outcome]++;
        if (outcome != CARD_IMPORT_TAKEN)
            continue;
        text_add(&part, line_of(arena, &shown[i]));
        if (stated->is_known) // LLVM's
            result->text = parts_without_line(arena, result->text,
                                              arena_printf(arena, "  %s:", cpu_parameters[shown[i].parameter].name));
    }
    result->text = parts_with(arena, result->text, key, kind, part.data);
    return true;
}
