#include "repair/repair_numbers.h"

#include <string.h>

// The cycles by which a read may come early after any write. False: they depend on the write.
static bool advance_of(const struct sched_read *read, int *cycles) {
    *cycles = read->n_advances ? read->advances[0].cycles : 0;
    bool is_for_all = read->n_advances == 0 || read->advances[0].write_class == 0;
    for (unsigned i = 0; i < read->n_advances; i++)
        is_for_all &= read->advances[i].cycles == *cycles;
    return is_for_all && (read->n_advances == 0 || read->advances[read->n_advances - 1].write_class == 0);
}

bool repair_numbers_read(const struct machine *machine, const struct insn *insn, struct repair_numbers *numbers) {
    *numbers = (struct repair_numbers){
        .uops = insn->cost->uops, .n_writes = insn->n_writes, .n_reads = insn->n_reads, .n_uses = insn->cost->n_uses};
    if (insn->n_writes > REPAIR_MOST_WRITES || insn->n_reads > REPAIR_MOST_READS ||
        insn->cost->n_uses > REPAIR_MOST_USES)
        return false;
    for (unsigned i = 0; i < insn->n_writes; i++)
        numbers->latencies[i] = insn->cost->writes[i].latency;
    for (unsigned i = 0; i < insn->n_reads; i++) {
        numbers->operands[i] = insn->reads[i].operand;
        if (!advance_of(&insn->cost->reads[i], &numbers->advances[i]))
            return false;
    }
    for (unsigned i = 0; i < insn->cost->n_uses; i++) {
        const struct resource *resource = machine_resource_of_mask(machine, insn->cost->uses[i].mask);
        if (!resource)
            return false;
        numbers->has_fixed_pipes |= insn->cost->uses[i].units > 1;
        numbers->has_fixed_uses |= insn->cost->uses[i].reserved;
        numbers->uses[i] = (struct repair_use){(unsigned)(resource - machine->resources), insn->cost->uses[i].acquire,
                                               insn->cost->uses[i].release, insn->cost->uses[i].units};
    }
    return true;
}

static bool is_same_use(const struct repair_use *a, const struct repair_use *b) {
    return a->resource == b->resource && a->acquire == b->acquire && a->release == b->release && a->units == b->units;
}

unsigned repair_numbers_distance(const struct repair_numbers *a, const struct repair_numbers *b) {
    unsigned n = a->uops != b->uops;
    for (unsigned i = 0; i < a->n_writes; i++)
        n += a->latencies[i] != b->latencies[i];
    for (unsigned i = 0; i < a->n_reads; i++)
        n += a->advances[i] != b->advances[i];
    for (unsigned i = 0; i < a->n_uses; i++)
        n += !is_same_use(&a->uses[i], &b->uses[i]);
    return n;
}

struct repair_numbers repair_numbers_with_latencies(const struct repair_numbers *numbers,
                                                    const struct repair_numbers *others) {
    struct repair_numbers result = *numbers;
    memcpy(result.latencies, others->latencies, sizeof result.latencies);
    memcpy(result.advances, others->advances, sizeof result.advances);
    return result;
}

bool repair_numbers_are_equal(const struct repair_numbers *a, const struct repair_numbers *b) {
    return a->n_writes == b->n_writes && a->n_reads == b->n_reads && a->n_uses == b->n_uses &&
           repair_numbers_distance(a, b) == 0;
}

unsigned repair_use_cycles(const struct repair_use *use) {
    return use->release > use->acquire ? use->release - use->acquire : 0;
}

unsigned repair_numbers_held_inside(const struct machine *machine, const struct repair_numbers *numbers, unsigned u) {
    unsigned cycles = 0;
    for (unsigned i = 0; i < numbers->n_uses; i++)
        cycles += machine->resources[numbers->uses[i].resource].super == numbers->uses[u].resource
                      ? repair_use_cycles(&numbers->uses[i])
                      : 0;
    return cycles;
}

bool repair_numbers_follow(const struct machine *machine, const struct repair_numbers *numbers, unsigned u) {
    return repair_use_cycles(&numbers->uses[u]) > 0 &&
           repair_use_cycles(&numbers->uses[u]) == repair_numbers_held_inside(machine, numbers, u);
}

static void write_latencies(const struct repair_numbers *to, struct text *text) {
    bool are_alike = true;
    for (unsigned i = 1; i < to->n_writes; i++)
        are_alike &= to->latencies[i] == to->latencies[0];
    if (are_alike) {
        text_addf(text, ", latency: %u", to->latencies[0]);
        return;
    }
    for (unsigned i = 0; i < to->n_writes; i++)
        text_addf(text, "%s%u", i ? ", " : ", latency: [", to->latencies[i]);
    text_add(text, "]");
}

static void write_advances(const struct repair_numbers *to, struct text *text) {
    const char *separator = "";
    text_add(text, ", advances: [");
    for (unsigned i = 0; i < to->n_reads; i++) {
        if (to->advances[i] == 0)
            continue;
        text_addf(text, "%s{read: %u, cycles: %d}", separator, i, to->advances[i]);
        separator = ", ";
    }
    text_add(text, "]");
}

static void write_uses(const struct machine *machine, const struct repair_numbers *to, struct arena *arena,
                       struct text *text) {
    const char *separator = "";
    text_add(text, ", uses: [");
    for (unsigned i = 0; i < to->n_uses; i++) {
        const struct repair_use *use = &to->uses[i];
        if (use->acquire >= use->release)
            continue; // it holds nothing
        text_addf(text, "%s{resource: %s, acquire: %u, release: %u", separator,
                  machine_pipes_name(arena, machine, use->resource), use->acquire, use->release);
        if (use->units > 1)
            text_addf(text, ", units: %u", use->units);
        text_add(text, "}");
        separator = ", ";
    }
    text_add(text, "]");
}

// What a rule says anything of.
struct rule_parts {
    bool uops, latency, advances, uses;
};

static struct rule_parts parts_of(const struct repair_rule *rule) {
    const struct repair_numbers *from = &rule->before, *to = &rule->after;
    struct rule_parts parts = {.uops = from->uops != to->uops,
                               .latency = memcmp(from->latencies, to->latencies, sizeof to->latencies) != 0,
                               .advances = memcmp(from->advances, to->advances, sizeof to->advances) != 0};
    for (unsigned i = 0; i < to->n_uses; i++)
        parts.uses |= !is_same_use(&from->uses[i], &to->uses[i]);
    return parts;
}

void repair_rule_apply(const struct repair_rule *rule, struct repair_numbers *numbers) {
    const struct repair_numbers *to = &rule->after;
    struct rule_parts parts = parts_of(rule);
    numbers->uops = parts.uops ? to->uops : numbers->uops;
    if (parts.latency)
        memcpy(numbers->latencies, to->latencies, sizeof to->latencies);
    if (parts.advances)
        memcpy(numbers->advances, to->advances, sizeof to->advances);
    if (parts.uses)
        memcpy(numbers->uses, to->uses, sizeof to->uses);
}

void repair_rule_write(struct arena *arena, const struct machine *machine, const struct repair_rule *rule,
                       struct text *text) {
    const struct repair_numbers *to = &rule->after;
    struct rule_parts parts = parts_of(rule);
    if (rule->evidence)
        text_add(text, rule->evidence);
    text_add(text, rule->is_of_form ? "  - {forms: [" : "  - {match: \"");
    for (size_t i = 0; i < rule->n_opcodes; i++)
        text_addf(text, "%s%s", !i ? "" : rule->is_of_form ? ", " : "|", rule->opcodes[i]);
    text_add(text, rule->is_of_form ? "]" : "\"");
    if (parts.uops)
        text_addf(text, ", uops: %u", to->uops);
    if (parts.latency)
        write_latencies(to, text);
    if (parts.advances)
        write_advances(to, text);
    if (parts.uses)
        write_uses(machine, to, arena, text);
    text_add(text, "}\n");
}

void repair_head_write(const struct machine *machine, const char *name, const char *about, unsigned dispatch_width,
                       bool names_forms, struct text *text) {
    text_addf(text, "overlay: %u\nname: %s\nabout: %s\nbase: llvm\ntriple: %s\ncpu: %s\n", names_forms ? 2 : 1, name,
              about, machine->triple, machine->cpu);
    if (dispatch_width)
        text_addf(text, "machine:\n  dispatch_width: %u\n", dispatch_width);
}
