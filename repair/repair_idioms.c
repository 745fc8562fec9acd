// Idioms: instructions that wait for none of their sources where these are one register, as `xor %eax, %eax`. No number
// of an opcode expresses that; overlays have a key for it.
#include "check/gap.h"
#include "repair/repair_state.h"

#include <string.h>

// No instruction that waits for the one before it takes less than a cycle. A chain of a cycle each may be one of a
// latency that the model has wrong, as of btc on Sapphire Rapids.
static const double below_a_cycle = 0.9;

static bool shows_idioms(const struct repair *repair, size_t i) {
    const struct check_value *value = &repair->values[i];
    return repair->gaps[i] > 0 && value->quantity == CHECK_LATENCY && strcmp(value->source, "same") == 0 &&
           value->value.high < below_a_cycle && !repair->are_other_code[i] && form_is_plain(value->form);
}

static void write_rule(const struct repair *repair, bool is_zero, struct text *text) {
    struct text names = {.arena = repair->arena};
    size_t n = 0;
    for (size_t i = 0; i < repair->n_idioms; i++) {
        const struct repair_idiom *idiom = &repair->idioms[i];
        const struct check_value *value = &repair->values[idiom->value];
        if (idiom->is_zero != is_zero || idiom->is_dropped)
            continue;
        if (n++ < REPAIR_MOST_EVIDENCE)
            text_add(text, repair_describe_value(repair, value, repair->base[idiom->value].cycles));
        text_addf(&names, "%s%s", n > 1 ? "|" : "", value->form);
    }
    if (n > REPAIR_MOST_EVIDENCE)
        text_addf(text, "  # and %s\n", text_count(repair->arena, n - REPAIR_MOST_EVIDENCE, "more value"));
    if (n)
        text_addf(text, "  - {match: \"%s\", idiom: %s}\n", names.data, is_zero ? "zero" : "dependency-breaking");
}

void repair_write_idioms(const struct repair *repair, struct text *text) {
    write_rule(repair, false, text);
    write_rule(repair, true, text);
}

// Drops idioms that do not predict their values. False: Cyclops itself failed.
static bool drop_wrong(struct repair *repair, struct fail *fail) {
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    struct predictor predictor;
    repair_head_write(repair->request->model->machine, "try", "idioms that are tried", repair->dispatch_width, false,
                      &text);
    text_add(&text, "instructions:\n");
    repair_write_idioms(repair, &text);
    struct overlay *overlay = overlay_parse(&arena, "idioms that are tried", text.data, fail);
    bool is_good = overlay && predictor_open_changed(&predictor, &arena, repair->request->model, overlay, fail);
    for (size_t i = 0; is_good && i < repair->n_idioms; i++) {
        struct repair_idiom *idiom = &repair->idioms[i];
        const struct check_value *value = &repair->values[idiom->value];
        struct predicted predicted = predictor_predict(&predictor, value);
        idiom->is_dropped = !predicted.is_known || gap_find(value, &predicted) > 0;
    }
    overlay_close(overlay);
    arena_free(&arena);
    return is_good;
}

bool repair_find_idioms(struct repair *repair, struct fail *fail) {
    for (size_t i = 0; i < repair->n_values; i++)
        if (shows_idioms(repair, i))
            *ARENA_ADD(repair->arena, repair->idioms, repair->n_idioms) = (struct repair_idiom){.value = i};
    if (repair->n_idioms == 0)
        return true;
    // Those that are executed first: they are the smaller change, and a bound excludes neither.
    if (!drop_wrong(repair, fail))
        return false;
    for (size_t i = 0; i < repair->n_idioms; i++) {
        repair->idioms[i].is_zero = repair->idioms[i].is_dropped;
        repair->idioms[i].is_dropped = false;
    }
    return drop_wrong(repair, fail);
}

bool repair_drop_idiom(struct repair *repair, const char *opcode) {
    bool is_any = false;
    for (size_t i = 0; i < repair->n_idioms; i++) {
        struct repair_idiom *idiom = &repair->idioms[i];
        if (!idiom->is_dropped && strcmp(repair->values[idiom->value].form, opcode) == 0)
            is_any = idiom->is_dropped = true;
    }
    return is_any;
}

size_t repair_count_idioms(const struct repair *repair) {
    size_t n = 0;
    for (size_t i = 0; i < repair->n_idioms; i++)
        n += !repair->idioms[i].is_dropped;
    return n;
}
