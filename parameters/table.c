#include "parameters/table.h"

static const struct row {
    const char *group, *name, *unit, *how; // name: of a family what the member's comes behind
} rows[N_PARAMETERS] = {
    [LOADS_APART] = {"banks", "loads-apart", "per cycle", "loads of a byte at two addresses so many bytes apart"},
    [LOAD_BANK_WIDTH] = {"banks", "load-bank-width", "bytes",
                         "loads at two addresses, by distance: the nearest that do not slow each other"},
    [LOAD_BANKS] = {"banks", "load-banks", "banks",
                    "loads at two addresses, by distance: where they slow each other again, by the width of a bank"},
    [LOAD_BANK_READS] = {"banks", "load-bank-reads", "per cycle", "loads that meet in one bank"},
    [STORES_TO] = {"banks", "stores-to", "per cycle", "stores of 8 bytes, by the lines that they go to in turn"},
    [STORE_LINE_ORDER] = {"banks", "store-line-order", "times",
                          "stores to two lines, two in a row to each, against one in turn: how much faster"},
    [CONSTANT_CHAIN] = {"renaming", "constant", "cycles", "a chain of additions of a constant: time of one"},
    [CONSTANT_RANGE] = {"renaming", "constant-range", "added",
                        "a constant added and subtracted again: the largest that takes no time"},
    [CONSTANT_THEN] = {"renaming", "constant-then", "cycles",
                       "a chain of an addition of 1 and another instruction, against that alone: the difference"},
    [MEMORY_FORM] = {"renaming", "memory", "cycles", "a chain through memory: time of a store and a load"},
    [MEMORY_RENAMED_LATENCY] = {"renaming", "memory-renamed-latency", "cycles",
                                "a store and a load of the same bytes in a chain of multiplies: what both add"},
    [MEMORY_FORWARDED_LATENCY] = {"renaming", "memory-forwarded-latency", "cycles",
                                  "the same with a load of the upper half of what is stored"},
    [MEMORY_DISTANCE] = {"renaming", "memory-renamed-distance", "stores",
                         "the same with stores to other addresses between both: the most with which it is renamed"},
    [MEMORY_PAIRS] = {"renaming", "memory-renamed-pairs", "pairs",
                      "straight code of a store and a load of the same bytes: the most of them that are all renamed"},
    [FLAGS_WAIT] = {"renaming", "flags-wait", "cycles",
                    "a chain of conditional moves or sets behind this instruction, against a compare: the difference"},
    [LOOP_COPIES] = {"slots", "loop-copies", "iterations",
                     "a loop of so many slots, one more than whole groups: iterations after which a group ends"},
    [FUSED_SLOTS] = {"slots", "fused", "slots", "dispatch slots of a pair, beside what fills dispatch"},
    [STACK_SYNC] =
        {"slots", "stack-sync", "slots",
         "a use of the stack pointer between a push and a pop, against one of another register: the difference"},
};

struct card_entry parameter_head(struct arena *arena, enum parameter parameter, const char *member) {
    const struct row *row = &rows[parameter];
    return (struct card_entry){.group = row->group,
                               .name = member ? arena_printf(arena, "%s-%s", row->name, member) : row->name,
                               .unit = row->unit,
                               .how = row->how};
}

bool parameter_add(struct session *session, const struct card_entry *head, const struct value *value, double near,
                   const char *note) {
    struct card *card = &session->card;
    if (!value_is_usable(value)) {
        card_add_unknown(card, head, value->why ? value->why : "it could not be measured");
        return false;
    }
    card_add_number(card, head, value->cycles, value->low, value->high, near);
    card->entries[card->n_entries - 1].why = note;
    return true;
}
