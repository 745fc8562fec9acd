#include "infer/card_import.h"

#include "base/text.h"
#include "infer/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char kind[] = "card", key[] = "parameters:";

const char *card_import_kept_text(struct arena *arena, const char *text) {
    return parts_without(arena, text, kind);
}

// A card states family and model; a file of another CPU would get numbers that are not its own.
static bool is_of(const struct card_origin *origin, const struct cpu *cpu, struct fail *fail) {
    unsigned family, model;
    const char *place = strstr(origin->measured_on, "(family ");
    bool is_same = !place || sscanf(place, "(family %u, model %u", &family, &model) != 2 || cpu->n_identities == 0;
    for (unsigned i = 0; i < cpu->n_identities && !is_same; i++) {
        const struct cpu_identity *one = &cpu->identities[i];
        is_same = one->family == family && model >= one->first && model <= one->last;
    }
    return is_same || fail_set(fail, FAIL_INPUT,
                               "the card was measured on another CPU, %s, than the base's 'identity' names; take a "
                               "base of that CPU",
                               origin->measured_on);
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
    if (!parts_can_hold(result->text, key, fail) || !is_of(origin, cpu, fail))
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
