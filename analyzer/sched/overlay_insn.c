// What an overlay says of instructions.
#include "analyzer/sched/overlay_file.h"

#include "analyzer/code/vector_config.h"
#include "base/bytes.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

// RISC-V: whether the pattern may be of vector opcodes with a pair of element and group.
static bool may_name_vectors(const struct opcode_pattern *match) {
    return match->text && strstr(match->text, "-e");
}

bool overlay_names_forms(const struct overlay *overlay) {
    bool names_vectors = false;
    for (size_t i = 0; i < overlay->n_rules; i++)
        names_vectors |= may_name_vectors(&overlay->rules[i].match);
    return overlay->n_forms > 0 || names_vectors;
}

// The instruction's form where it is a vector opcode with its pair; null: it is not.
static const char *vector_of(const struct insn *insn) {
    return insn->form && vector_config_in_name(insn->form, NULL) ? insn->form : NULL;
}

const struct overlay_form *overlay_form_named(const struct overlay *overlay, const char *name) {
    uint64_t hash = name ? bytes_hash(name, strlen(name)) : 0;
    for (size_t place = 0, i; name && (i = index_next(&overlay->form_index, hash, &place)) != INDEX_END;)
        if (strcmp(overlay->forms[i].name, name) == 0)
            return &overlay->forms[i];
    return NULL;
}

// `form`: null: no rule names it.
static bool matches(const struct overlay *overlay, size_t rule, const struct insn *insn,
                    const struct overlay_form *form) {
    const struct opcode_pattern *match = &overlay->rules[rule].match;
    const char *vector = may_name_vectors(match) ? vector_of(insn) : NULL;
    if (!match->text)
        return form && form->rule == rule;
    return opcode_pattern_matches(match, insn->opcode) || (vector && opcode_pattern_matches(match, vector));
}

// Looking rules up costs a regular expression each. What is returned is valid until the next call.
static const struct overlay_found *find_rules(struct overlay *overlay, const struct insn *insn) {
    const struct overlay_form *form = overlay_form_named(overlay, insn->form);
    const char *vector = vector_of(insn), *opcode = vector ? vector : insn->opcode, *name = form ? form->name : NULL;
    uint64_t hash = bytes_hash(opcode, strlen(opcode)) + (form ? bytes_hash(name, strlen(name)) : 0);
    for (size_t place = 0, i; (i = index_next(&overlay->found_index, hash, &place)) != INDEX_END;)
        if (overlay->found[i].form == name && strcmp(overlay->found[i].opcode, opcode) == 0)
            return &overlay->found[i];
    index_add(&overlay->found_index, hash, overlay->n_found);
    struct overlay_found *found = ARENA_ADD(overlay->arena, overlay->found, overlay->n_found);
    *found = (struct overlay_found){.opcode = arena_strdup(overlay->arena, opcode), .form = name};
    for (size_t i = 0; i < overlay->n_rules; i++)
        if (matches(overlay, i, insn, form))
            *ARENA_ADD(overlay->arena, found->rules, found->n_rules) = &overlay->rules[i];
    return found;
}

static unsigned latency_of(const struct overlay_rule *rule, unsigned write) {
    return rule->latencies[write < rule->n_latencies ? write : rule->n_latencies - 1];
}

static void change_latencies(const struct overlay_rule *rule, struct sched_write *writes, const struct insn *insn,
                             struct sched_insn *cost) {
    if (!rule->n_latencies)
        return;
    cost->latency = latency_of(rule, 0);
    for (unsigned w = 0; w < insn->n_writes; w++) {
        writes[w].latency = latency_of(rule, w);
        if (writes[w].latency > cost->latency)
            cost->latency = writes[w].latency;
    }
    cost->info_latency = cost->latency;
}

static void change_advances(const struct overlay_rule *rule, struct arena *arena, struct sched_read *reads,
                            const struct insn *insn) {
    for (unsigned r = 0; rule->has_advances && r < insn->n_reads; r++) {
        struct sched_advance *advances = ARENA_ARRAY(arena, struct sched_advance, rule->n_advances);
        reads[r].n_advances = 0;
        for (size_t i = 0; i < rule->n_advances; i++) {
            const struct overlay_advance *from = &rule->advances[i];
            if ((!from->read.is_given || (unsigned)from->read.value == r) &&
                (!from->operand.is_given || (unsigned)from->operand.value == insn->reads[r].operand))
                advances[reads[r].n_advances++] = (struct sched_advance){from->write_class, from->cycles};
        }
        reads[r].advances = advances;
    }
}

// Units before the groups that hold them, smaller groups before larger ones: the order in which pipes are chosen.
static bool comes_before(const struct sched_use *a, const struct sched_use *b) {
    int a_pipes = __builtin_popcountll(a->mask), b_pipes = __builtin_popcountll(b->mask);
    return a_pipes != b_pipes ? a_pipes < b_pipes : a->mask < b->mask;
}

static void insert_use(struct sched_use *uses, unsigned *n_uses, struct sched_use use) {
    unsigned at = (*n_uses)++;
    for (; at > 0 && comes_before(&use, &uses[at - 1]); at--)
        uses[at] = uses[at - 1];
    uses[at] = use;
}

// What follows from the uses, as llvm/lib/MCA/InstrBuilder.cpp (initializeUsedResources) computes it.
static void derive_from_uses(const struct machine *machine, struct sched_insn *cost) {
    bool all_in_order = true, any_hazard = false;
    uint64_t pipes_of_groups = 0;
    cost->has_partially_overlapping_groups = false;
    cost->rthroughput = cost->n_uses ? 0 : (double)cost->uops / machine->dispatch_width;
    for (unsigned i = 0; i < cost->n_uses; i++) {
        const struct sched_use *use = &cost->uses[i];
        const struct resource *resource = machine_resource_of_mask(machine, use->mask);
        if (resource->buffer_size >= 0)
            cost->buffers |= resource_bit(use->mask);
        all_in_order &= resource->buffer_size == 0 || resource->buffer_size == 1;
        any_hazard |= resource->buffer_size == 0;
        if (resource->is_group) {
            cost->used_groups |= resource_bit(use->mask);
            cost->has_partially_overlapping_groups |= (pipes_of_groups & resource_pipes(use->mask)) != 0;
            pipes_of_groups |= resource_pipes(use->mask);
        } else {
            cost->used_units |= use->mask;
        }
        double bound = (double)(use->release - use->acquire) / resource->units;
        cost->rthroughput = bound > cost->rthroughput ? bound : cost->rthroughput;
    }
    cost->issue_immediately = all_in_order && any_hazard;
}

static void change_uses(const struct overlay *overlay, const struct overlay_rule *rule, struct arena *arena,
                        struct sched_insn *cost) {
    if (!rule->has_uses)
        return;
    struct sched_use *uses = ARENA_ARRAY(arena, struct sched_use, rule->n_uses);
    unsigned n_uses = 0;
    for (size_t i = 0; i < rule->n_uses; i++) {
        const struct overlay_use *from = &rule->uses[i];
        struct sched_use use = {.mask = overlay->machine->resources[from->index].mask,
                                .acquire = from->acquire,
                                .release = from->release,
                                .units = from->units};
        insert_use(uses, &n_uses, use);
    }
    cost->uses = uses;
    cost->n_uses = n_uses;
    cost->buffers = cost->used_units = cost->used_groups = 0; // those of the uses it had
}

static bool reads_one_register(const struct insn *insn) {
    for (unsigned r = 1; r < insn->n_reads; r++)
        if (insn->reads[r].reg != insn->reads[0].reg)
            return false;
    return insn->n_reads > 1;
}

static void change_idiom(enum overlay_idiom idiom, struct sched_write *writes, struct sched_read *reads,
                         const struct insn *insn, struct sched_insn *cost) {
    if (!idiom || insn->may_load || insn->may_store || !reads_one_register(insn))
        return;
    for (unsigned r = 0; r < insn->n_reads; r++)
        reads[r].independent = true;
    if (idiom != OVERLAY_ZERO)
        return;
    for (unsigned w = 0; w < insn->n_writes; w++) {
        writes[w].latency = 0;
        writes[w].is_zero = true;
    }
    cost->latency = cost->info_latency = 0;
    cost->n_uses = 0;
    cost->buffers = cost->used_units = cost->used_groups = 0;
}

// The uses as LLVM's tables list them: "Zn4ALU,Zn4Store[2],Zn4FP[1,3]".
static const char *list_uses(const struct machine *machine, struct arena *arena, const struct sched_insn *cost) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (unsigned i = 0; i < cost->n_uses; i++) {
        const struct sched_use *use = &cost->uses[i];
        text_addf(&text, "%s%s", i ? "," : "", machine_resource_of_mask(machine, use->mask)->name);
        if (use->release > 1 && use->acquire > 0)
            text_addf(&text, "[%u,%u]", use->acquire, use->release);
        else if (use->release > 1)
            text_addf(&text, "[%u]", use->release);
    }
    return text.data;
}

// What the tables show follows the rules. `before`: the instruction without them.
static void change_tables(const struct machine *machine, struct arena *arena, const struct sched_insn *before,
                          struct sched_insn *cost) {
    if (!before->tables)
        return;
    struct sched_tables *tables = ARENA_NEW(arena, struct sched_tables);
    *tables = *before->tables;
    // A reader takes the result as much earlier than before.
    unsigned early = before->info_latency - before->tables->bypass_latency;
    tables->bypass_latency = cost->info_latency > early ? cost->info_latency - early : 0;
    if (cost->uses != before->uses || cost->n_uses != before->n_uses)
        tables->resources = list_uses(machine, arena, cost);
    cost->tables = tables;
}

static bool has_class(const struct overlay_rule *rule) {
    return rule->write_class != 0;
}

static void apply_rule(const struct overlay *overlay, const struct overlay_rule *rule, struct arena *arena,
                       struct sched_write *writes, struct sched_read *reads, const struct insn *insn,
                       struct sched_insn *cost) {
    if (rule->uops.is_given)
        cost->uops = (unsigned)rule->uops.value;
    if (rule->begins_group.is_given)
        cost->begins_group = rule->begins_group.value;
    if (rule->ends_group.is_given)
        cost->ends_group = rule->ends_group.value;
    for (unsigned w = 0; has_class(rule) && w < insn->n_writes; w++)
        writes[w].write_class = rule->write_class;
    change_latencies(rule, writes, insn, cost);
    change_advances(rule, arena, reads, insn);
    change_uses(overlay, rule, arena, cost);
}

// Whether it uses a resource that the file changes or adds.
static bool uses_changed_resource(const struct overlay *overlay, const struct sched_insn *cost) {
    for (unsigned i = 0; i < cost->n_uses; i++) {
        const struct resource *used = machine_resource_of_mask(overlay->machine, cost->uses[i].mask);
        for (size_t r = 0; r < overlay->n_resources; r++)
            if (strcmp(overlay->resources[r].name, used->name) == 0)
                return true;
    }
    return false;
}

// Arrays that rules may write to; the cost takes them.
static void copy_operands(struct arena *arena, const struct insn *insn, struct sched_write **writes,
                          struct sched_read **reads, struct sched_insn *cost) {
    *writes = ARENA_ARRAY(arena, struct sched_write, insn->n_writes);
    *reads = ARENA_ARRAY(arena, struct sched_read, insn->n_reads);
    for (unsigned w = 0; cost->writes && w < insn->n_writes; w++)
        (*writes)[w] = cost->writes[w];
    for (unsigned r = 0; cost->reads && r < insn->n_reads; r++)
        (*reads)[r] = cost->reads[r];
    cost->writes = *writes;
    cost->reads = *reads;
}

// False: no rule matches.
static bool change_insn(struct overlay *overlay, struct arena *arena, struct insn *insn) {
    static const struct sched_insn one_uop = {.uops = 1}; // without a model
    const struct sched_insn before = insn->cost ? *insn->cost : one_uop;
    enum overlay_idiom idiom = OVERLAY_NO_IDIOM;
    struct sched_write *writes = NULL;
    struct sched_read *reads = NULL;
    struct sched_insn *cost = ARENA_NEW(arena, struct sched_insn);
    const struct overlay_found *found = find_rules(overlay, insn);
    *cost = before;
    if (found->n_rules)
        copy_operands(arena, insn, &writes, &reads, cost);
    for (size_t i = 0; i < found->n_rules; i++) {
        const struct overlay_rule *rule = found->rules[i];
        apply_rule(overlay, rule, arena, writes, reads, insn, cost);
        idiom = rule->idiom ? rule->idiom : idiom;
    }
    change_idiom(idiom, writes, reads, insn, cost); // whatever numbers it has with other registers
    if (found->n_rules || uses_changed_resource(overlay, cost))
        derive_from_uses(overlay->machine, cost);
    if (found->n_rules)
        change_tables(overlay->machine, arena, &before, cost);
    cost->retires_out_of_order |= overlay->completes_in_any_order;
    insn->cost = cost;
    return found->n_rules != 0;
}

bool overlay_apply(struct overlay *overlay, struct arena *arena, struct block *block, struct fail *fail) {
    assert(overlay->machine);
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        insns[i] = block->insns[i];
        if (!change_insn(overlay, arena, &insns[i]) && overlay->base == OVERLAY_ALONE)
            return fail_at(fail, overlay->path, 0, 0, "no rule for the opcode %s ('%s'): add one below 'instructions'",
                           insns[i].opcode, text_without_tabs(arena, insns[i].text));
    }
    block->insns = insns;
    return true;
}

// LLVM's opcodes, and what memory their check needs.
struct known_opcodes {
    struct arena *arena;
    const char *const *items;
    size_t n;
    struct index places;
};

// RISC-V: an opcode in front of its pair. Null: it is not one of LLVM's, maybe of another version; or no pair is named.
static const char *opcode_of_pair(const struct known_opcodes *known, const char *name) {
    const char *pair = *name == 'V' ? strstr(name, "-e") : NULL;
    const char *opcode = pair ? arena_copy(known->arena, name, (size_t)(pair - name)) : NULL;
    return opcode && opcode_is_in(&known->places, known->items, opcode) ? opcode : NULL;
}

// Why an opcode has no pair of this name, the part behind the first '-'; null: it has.
static const char *refuse_pair(const struct known_opcodes *known, const char *opcode, const char *name) {
    struct vector_config pair;
    const char *words = vector_config_in_name(name, &pair);
    if (!words || strchr(words, '-'))
        return "a pair is one of e8mf8 to e64m8, of at most 64 bits of element to a register";
    return vector_config_refuse_pair(known->arena, opcode, &pair);
}

// Whether it matches one of a vector opcode's pairs.
static bool matches_pair(const struct opcode_pattern *match, const struct known_opcodes *known, const char *opcode) {
    for (unsigned i = 0; i < VECTOR_N_PAIRS; i++) {
        const struct vector_config pair = vector_config_pair(i);
        if (opcode_pattern_matches(match, vector_config_unit(known->arena, opcode, &pair)) &&
            !vector_config_refuse_pair(known->arena, opcode, &pair))
            return true;
    }
    return false;
}

static bool matches_any(const struct opcode_pattern *match, const struct known_opcodes *known) {
    const char *const *names;
    size_t n_names = opcode_pattern_names(match, &names);
    bool is_found = opcode_pattern_matches_any(match, known->items, known->n, &known->places);
    if (is_found || !may_name_vectors(match))
        return is_found;
    for (size_t i = 0; i < n_names && !is_found; i++)
        is_found = opcode_of_pair(known, names[i]);
    for (size_t i = 0; i < known->n && !is_found && !n_names; i++)
        is_found =
            *known->items[i] == 'V' && strchr(known->items[i], '_') && matches_pair(match, known, known->items[i]);
    return is_found;
}

// Of a list, each pair that it names. A name without a pair may be an opcode of another LLVM's.
static bool check_pairs(const struct overlay *overlay, const struct overlay_rule *rule,
                        const struct known_opcodes *known, struct fail *fail) {
    const char *const *names;
    size_t n = may_name_vectors(&rule->match) ? opcode_pattern_names(&rule->match, &names) : 0;
    for (size_t i = 0; i < n; i++) {
        const char *opcode = opcode_of_pair(known, names[i]);
        const char *why = opcode ? refuse_pair(known, opcode, names[i]) : NULL;
        if (why)
            return fail_at(fail, overlay->path, rule->place.line, rule->place.column, "there is no '%s': %s", names[i],
                           why);
    }
    return true;
}

bool overlay_check_opcodes(const struct overlay *overlay, struct arena *arena, const char *const *opcodes, size_t n,
                           struct fail *fail) {
    struct arena scratch = {0};
    const struct known_opcodes known = {&scratch, opcodes, n, opcode_places(&scratch, opcodes, n)};
    bool is_good = true;
    for (size_t i = 0; i < overlay->n_rules && is_good; i++) {
        const struct overlay_rule *rule = &overlay->rules[i];
        if (rule->match.text && !matches_any(&rule->match, &known))
            is_good = fail_at(fail, overlay->path, rule->place.line, rule->place.column,
                              "no opcode of LLVM's matches '%s'%s; 'cyclops explain' shows an instruction's",
                              rule->match.text, text_did_you_mean(arena, rule->match.text, opcodes, n));
        else if (rule->match.text)
            is_good = check_pairs(overlay, rule, &known, fail);
    }
    arena_free(&scratch);
    return is_good;
}

bool overlay_check_forms(const struct overlay *overlay, struct arena *arena, const char *const *names, size_t n,
                         struct fail *fail) {
    const struct index places = opcode_places(arena, names, n);
    for (size_t i = 0; i < overlay->n_forms; i++) {
        const struct overlay_form *form = &overlay->forms[i];
        if (!opcode_is_in(&places, names, form->name))
            return fail_at(fail, overlay->path, form->place.line, form->place.column,
                           "LLVM has no form '%s'%s; 'cyclops list forms' shows all", form->name,
                           text_did_you_mean(arena, form->name, names, n));
    }
    return true;
}

bool overlay_insn(struct overlay *overlay, struct arena *arena, const char *name, struct insn *insn,
                  struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, overlay->n_rules);
    size_t n_names = 0;
    for (size_t i = 0; i < overlay->n_rules; i++)
        if (overlay->rules[i].match.text)
            names[n_names++] = overlay->rules[i].match.text;
    *insn = (struct insn){.text = name, .opcode = name};
    if (change_insn(overlay, arena, insn))
        return true;
    return fail_at(fail, overlay->path, 0, 0, "there is no instruction '%s'%s", name,
                   text_did_you_mean(arena, name, names, n_names));
}

const char *overlay_source(const struct overlay *overlay, struct arena *arena, const struct insn *insn) {
    const struct overlay_form *form = overlay_form_named(overlay, insn->form);
    struct text all = {.arena = arena};
    for (size_t i = 0; i < overlay->n_rules; i++) {
        const struct overlay_rule *rule = &overlay->rules[i];
        if (rule->source && matches(overlay, i, insn, form))
            text_addf(&all, "%s%s", all.length ? "; " : "", rule->source);
    }
    return all.data;
}
