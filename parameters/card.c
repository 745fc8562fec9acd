#include "parameters/card.h"

#include "bench/whole.h"

#include <math.h>
#include <string.h>

const char *card_verdict_name(enum card_verdict verdict) {
    static const char *const names[CARD_N_VERDICTS] = {"exact", "within", "at least", "not determined"};
    return names[verdict];
}

void card_add_number(struct card *card, const struct card_entry *head, double value, double low, double high,
                     double tolerance) {
    struct card_entry entry = *head;
    double whole = round(value), slack = fmin(tolerance * whole, WHOLE_ENTRY_MOST);
    entry.verdict = CARD_WITHIN;
    entry.value = value;
    entry.low = fmin(low, value);
    entry.high = fmax(high, value);
    if (whole >= 1 && fabs(value - whole) <= slack && low >= whole - 2 * slack && high <= whole + 2 * slack) {
        entry.verdict = CARD_EXACT;
        entry.value = entry.low = entry.high = whole;
    }
    *ARENA_ADD(card->arena, card->entries, card->n_entries) = entry;
}

void card_add_whole(struct card *card, const struct card_entry *head, double whole) {
    struct card_entry entry = *head;
    entry.verdict = CARD_EXACT;
    entry.value = entry.low = entry.high = whole;
    *ARENA_ADD(card->arena, card->entries, card->n_entries) = entry;
}

void card_add_unknown(struct card *card, const struct card_entry *head, const char *why) {
    struct card_entry entry = *head;
    entry.verdict = CARD_UNKNOWN;
    entry.why = why;
    *ARENA_ADD(card->arena, card->entries, card->n_entries) = entry;
}

void card_add_at_least(struct card *card, const struct card_entry *head, double low, const char *why) {
    struct card_entry entry = *head;
    entry.verdict = CARD_AT_LEAST;
    entry.value = entry.low = low;
    entry.why = why;
    *ARENA_ADD(card->arena, card->entries, card->n_entries) = entry;
}

void card_add_step_seen(struct card *card, const struct card_entry *head, double low, double high, const char *why) {
    card_add_unknown(card, head, arena_printf(card->arena, "%s; step seen near %.0f to %.0f", why, low, high));
}

const struct card_entry *card_find(const struct card *card, const char *name) {
    for (size_t i = 0; i < card->n_entries; i++)
        if (strcmp(card->entries[i].name, name) == 0)
            return &card->entries[i];
    return NULL;
}
