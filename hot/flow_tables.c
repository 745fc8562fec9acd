// Jumps by tables, as gcc and clang write them for x86-64:
//     lea b, [rip + table];  movslq r, [b + 4*i];  add r, b;  jmp r       distances from the table, or, with another
//                                                                         register than b, from what that holds
//     jmp [table + 8*i],  or  mov r, [table + 8*i];  jmp r                addresses
//     lea b, [rip + table];  jmp [b + 8*i]                                addresses that the loader fills in
// The search is bounded: the instructions in a row before the jump; where the table's address was put into its register
// earlier, all instructions of the function that put one there.
#include "hot/flow.h"

#include "base/text.h"
#include "blocks/x86_registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 48, BOUND_STEPS = 16, MOST_ENTRIES = 1024, MOST_TABLES = 64 };

// Addresses that a register may hold.
struct held {
    uint64_t items[MOST_TABLES];
    size_t n;
};

struct table_search {
    struct flow *flow;
    uint64_t jump;
    unsigned entry_bytes; // 4: distances, 8: addresses
    struct held tables;   // that may be meant
    struct held origins;  // of distances; none: the table
    bool is_guess;        // it is not certain that these are all
    size_t most_entries;  // by a comparison in front of the jump; 0: not known
    uint64_t *found;
    size_t n_found;
};

static bool writes(const struct table_search *search, const struct insn *insn, uint16_t reg) {
    return decoder_writes(search->flow->decoder->machine, insn, reg);
}

static bool is_opcode(const struct insn *insn, const char *start) {
    return strncmp(insn->opcode, start, strlen(start)) == 0;
}

bool flow_is_setter(const struct insn *insn) {
    return insn->address && !insn->address->index && (is_opcode(insn, "LEA64r") || is_opcode(insn, "MOV64mr"));
}

// "lea r, [rip + table]": sets the table's address.
static bool is_table_address(const struct table_search *search, const struct insn *insn, uint64_t at, uint64_t *table) {
    return is_opcode(insn, "LEA64r") && x86_names_by_distance(search->flow->decoder->machine, insn, at, table);
}

static void add_held(struct held *held, uint64_t address) {
    for (size_t i = 0; i < held->n; i++)
        if (held->items[i] == address)
            return;
    if (held->n < MOST_TABLES)
        held->items[held->n++] = address;
}

// The instruction in a row before `from` that writes a register; null: none. Sets its address.
static const struct insn *find_writer(const struct table_search *search, uint16_t reg, uint64_t from, uint64_t *at) {
    const struct insn *insn;
    *at = from;
    for (unsigned i = 0; i < MOST_STEPS && (insn = flow_insn_before(search->flow, *at, at)); i++) {
        if (insn_changes_way(insn) && !insn->is_conditional)
            return NULL;
        if (writes(search, insn, reg))
            return insn;
    }
    return NULL;
}

static bool is_same_place(const struct insn *a, const struct insn *b) {
    return a->address && b->address && !a->address->index && !b->address->index &&
           a->address->base == b->address->base && a->address->displacement == b->address->displacement;
}

// Finds the addresses that a register may hold at `from`. They are a guess where the register comes from elsewhere than
// from one of these instructions.
static void find_held(struct table_search *search, uint16_t reg, uint64_t from, struct held *held) {
    struct flow *flow = search->flow;
    uint64_t at, table;
    const struct insn *writer = find_writer(search, reg, from, &at), *setter;
    if (writer && is_table_address(search, writer, at, &table)) {
        add_held(held, table);
        return;
    }
    const bool is_reloaded = writer && is_opcode(writer, "MOV64rm"); // it was put on the stack
    search->is_guess = search->is_guess || (writer && !is_reloaded);
    for (size_t i = 0; i < flow->n_setters; i++) {
        const struct insn *insn = flow_insn_at(flow, flow->setters[i]);
        uint64_t before;
        if (!is_reloaded && is_table_address(search, insn, flow->setters[i], &table) && writes(search, insn, reg))
            add_held(held, table);
        if (!is_reloaded || !is_opcode(insn, "MOV64mr") || !is_same_place(insn, writer) || insn->n_reads == 0)
            continue;
        setter = find_writer(search, insn->reads[insn->n_reads - 1].reg, flow->setters[i], &before);
        if (setter && is_table_address(search, setter, before, &table))
            add_held(held, table);
        else
            search->is_guess = true;
    }
}

// All tables that the function names, where another table begins is the end of one.
static bool begins_other(const struct table_search *search, uint64_t address, uint64_t table) {
    for (size_t i = 0; i < search->tables.n; i++)
        if (search->tables.items[i] == address && address != table)
            return true;
    return false;
}

// A load of an entry: sets where the tables may be. False: it loads no entry of a table.
static bool take_load(struct table_search *search, const struct insn *insn, uint64_t at) {
    const struct insn_address *address = insn->address;
    if (!address || !address->index)
        return false;
    search->entry_bytes = is_opcode(insn, "MOVSX64rm32") ? 4 : 8;
    if (address->scale != search->entry_bytes)
        return false;
    if (!address->base)
        add_held(&search->tables, (uint64_t)address->displacement);
    else if (address->displacement == 0)
        find_held(search, address->base, at, &search->tables);
    return search->tables.n > 0;
}

// What a comparison in front of the jump allows: "cmp i, 12; ja default".
static void find_bound(struct table_search *search) {
    uint64_t at = search->jump, before;
    const struct insn *insn, *compare;
    for (unsigned i = 0; i < BOUND_STEPS && (insn = flow_insn_before(search->flow, at, &at)); i++) {
        if (!insn->is_conditional)
            continue;
        const char *condition = insn->text ? insn->text : "";
        bool is_above = strncmp(condition, "ja\t", 3) == 0, is_not_below = strncmp(condition, "jae\t", 4) == 0;
        compare = flow_insn_before(search->flow, at, &before);
        const char *comma = compare && is_opcode(compare, "CMP") && compare->text ? strrchr(compare->text, ',') : NULL;
        if (!comma || (!is_above && !is_not_below) || !isdigit((unsigned char)comma[1 + strspn(comma + 1, " \t")]))
            return;
        size_t number = (size_t)strtoul(comma + 1, NULL, 0);
        search->most_entries = number < MOST_ENTRIES ? number + is_above : 0;
        return;
    }
}

static bool read_entry(const struct table_search *search, uint64_t origin, uint64_t at, uint64_t *target) {
    size_t n;
    const uint8_t *bytes = hot_image_bytes(search->flow->image, at, &n);
    int32_t distance;
    if (search->entry_bytes == 8)
        return hot_image_pointer(search->flow->image, at, target);
    if (!bytes || n < sizeof distance)
        return false;
    memcpy(&distance, bytes, sizeof distance);
    *target = origin + (uint64_t)(int64_t)distance;
    return true;
}

// Whether a target may be one: in this function, or in the part of it that was moved away.
static bool may_lead_to(const struct table_search *search, uint64_t target) {
    const struct flow *flow = search->flow;
    struct hot_function other;
    if (flow_part_of(flow, target))
        return true;
    return hot_image_function(flow->image, target, &other) && flow_goes_on(flow, &other, target);
}

// Whether entry `n` is one. A comparison in front of the jump shows how many there are: then one may also lead to other
// code, which the compiler moved away.
static bool is_entry(const struct table_search *search, uint64_t table, size_t n, uint64_t target) {
    if (search->most_entries)
        return hot_image_is_code(search->flow->image, target);
    return !(n > 0 && begins_other(search, table + n * search->entry_bytes, table)) && may_lead_to(search, target);
}

// Takes the entries of a table: at least two, and as many as there must be. Returns how many.
static size_t take_entries(struct table_search *search, uint64_t table, uint64_t origin) {
    const size_t first = search->n_found, most = search->most_entries ? search->most_entries : MOST_ENTRIES;
    size_t n = 0, n_own = 0;
    for (; n < most; n++) {
        uint64_t target;
        if (!read_entry(search, origin, table + n * search->entry_bytes, &target) ||
            !is_entry(search, table, n, target))
            break;
        n_own += flow_part_of(search->flow, target) != NULL;
        *ARENA_ADD(search->flow->arena, search->found, search->n_found) = target;
    }
    if (n < 2 || !n_own || (search->most_entries && n < most)) {
        search->n_found = first;
        return 0;
    }
    return n;
}

static int compare_addresses(const void *a, const void *b) {
    const uint64_t *one = a, *other = b;
    return *one < *other ? -1 : *one > *other;
}

static void keep_unique(struct table_search *search) {
    size_t n = 0;
    qsort(search->found, search->n_found, sizeof *search->found, compare_addresses);
    for (size_t i = 0; i < search->n_found; i++)
        if (n == 0 || search->found[n - 1] != search->found[i])
            search->found[n++] = search->found[i];
    search->n_found = n;
}

// "add x, y" or "lea r, [x + y]" makes the target: of an entry, and of what its distances are from.
static bool is_sum(const struct insn *insn, uint16_t parts[2]) {
    const struct insn_address *address = insn->address;
    if (is_opcode(insn, "ADD64rr") && insn->n_reads >= 2) {
        parts[0] = insn->reads[0].reg;
        parts[1] = insn->reads[1].reg;
        return true;
    }
    bool is_plain =
        is_opcode(insn, "LEA64r") && address && address->index && address->scale == 1 && address->displacement == 0;
    if (is_plain) {
        parts[0] = address->base;
        parts[1] = address->index;
    }
    return is_plain;
}

// Takes the load of a distance, which writes one part of the sum.
static bool take_distance(struct table_search *search, const struct insn *insn, uint64_t at, const uint16_t parts[2]) {
    const uint16_t origin = writes(search, insn, parts[0]) ? parts[1] : parts[0];
    if (insn->address && origin != insn->address->base) {
        find_held(search, origin, at, &search->origins);
        if (!search->origins.n)
            return false;
    }
    return take_load(search, insn, at);
}

// What loads the entry. Sets `leaves` where the jump goes by a pointer that is no entry of a table.
static bool find_load(struct table_search *search, const struct insn *jump, bool *leaves) {
    if (jump->address) {
        *leaves = !jump->address->index;
        return take_load(search, jump, search->jump);
    }
    uint16_t reg = jump->n_reads ? jump->reads[0].reg : 0, parts[2] = {0};
    uint64_t at = search->jump;
    for (unsigned i = 0; reg && i < MOST_STEPS; i++) {
        const struct insn *insn = flow_insn_before(search->flow, at, &at);
        if (!insn || (insn_changes_way(insn) && !insn->is_conditional))
            return false;
        if (parts[0]) {
            bool is_part = writes(search, insn, parts[0]) || writes(search, insn, parts[1]);
            if (is_part && is_opcode(insn, "MOVSX64rm32"))
                return take_distance(search, insn, at, parts);
            continue; // else, where the sum starts from
        }
        if (!writes(search, insn, reg) || is_sum(insn, parts))
            continue;
        if (is_opcode(insn, "MOV64rm")) {
            *leaves = insn->address && !insn->address->index;
            return take_load(search, insn, at);
        }
        if (!is_opcode(insn, "AND64") || strstr(insn->opcode, "rm")) // of jumps in sandboxes
            return false;
    }
    return false;
}

bool flow_find_targets(struct flow *flow, size_t index) {
    struct flow_jump *jump = &flow->jumps[index];
    struct table_search search = {.flow = flow, .jump = jump->from};
    const struct insn *insn = flow_insn_at(flow, jump->from);
    bool leaves = false;
    size_t n_tables = 0;
    if (!find_load(&search, insn, &leaves)) {
        jump->leaves = leaves;
        jump->is_unknown = !leaves;
        return false;
    }
    find_bound(&search);
    for (size_t i = 0; i < search.tables.n; i++) {
        const uint64_t table = search.tables.items[i];
        if (!search.origins.n)
            n_tables += take_entries(&search, table, table) > 0;
        for (size_t o = 0; o < search.origins.n; o++)
            n_tables += take_entries(&search, table, search.origins.items[o]) > 0;
    }
    if (search.n_found)
        keep_unique(&search);
    jump->is_unknown = n_tables != 1 || search.is_guess; // of several tables, each may be another jump's
    bool has_more = search.n_found > jump->n_targets;
    if (has_more) {
        jump->targets = search.found;
        jump->n_targets = search.n_found;
    }
    return has_more;
}
