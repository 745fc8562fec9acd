#include "lab/cpu_forms.h"

#include "analyzer/cpu/pipes.h"
#include "base/text.h"

#include <string.h>

enum { N_NUMBERS = 5 };
static const char *const numbers[N_NUMBERS] = {"slots", "latency", "pipes", "rename", "serial"};

const char *cpu_rename_name(const struct cpu_recipe *recipe) {
    static const char *const names[] = {
        [CPU_EXECUTES] = "", [CPU_ZEROES] = "zero idiom", [CPU_MOVES] = "eliminated move", [CPU_IS_IDLE] = "nop"};
    return recipe->is_fused ? "fused with the one before" : names[recipe->rename];
}

// "3, from xmm1 4 less": cycles to the slowest result, and sources that may come later.
static const char *latency_of(struct arena *arena, const struct cpu *cpu, const struct cpu_recipe *recipe) {
    struct text text = {.arena = arena};
    text_addf(&text, "%.4g", recipe->latency + recipe->load_latency);
    for (unsigned i = 0; i < recipe->n_reads; i++)
        if (recipe->reads[i].early > 0)
            text_addf(&text, ", from %s %.4g less", cpu_unit_name(arena, cpu, recipe->reads[i].unit),
                      recipe->reads[i].early);
    if (recipe->own)
        text_addf(&text, ", to its own kind %.4g", recipe->own_latency);
    return text.data;
}

static void describe(struct arena *arena, const struct cpu *cpu, const struct insn *insn, const char **texts) {
    struct cpu_recipe recipe;
    cpu_recipe_make(cpu, insn, &recipe);
    const char *rename = cpu_rename_name(&recipe), *pipes = cpu_uses_name(arena, cpu, recipe.uses, recipe.n_uses);
    texts[0] = arena_printf(arena, "%u", recipe.slots);
    texts[1] = latency_of(arena, cpu, &recipe);
    texts[2] = *pipes ? pipes : "none";
    texts[3] = *rename ? rename : "executed";
    texts[4] = arena_printf(arena, "%.4g", recipe.serial);
}

// False: the model's base does not know the form.
static bool describe_example(const struct model *model, struct arena *arena, const struct form *form,
                             struct block *block) {
    struct fail unknown = {0};
    return model_describe_part(model, arena, form->bytes - form->n_setup_bytes, form->n_setup_bytes, form->n_bytes,
                               block, &unknown);
}

static bool describe_by(struct arena *arena, const struct model *model, const struct form *form, const char **texts) {
    struct block block;
    bool is_known = describe_example(model, arena, form, &block);
    if (is_known)
        describe(arena, model->own, &block.insns[0], texts);
    return is_known;
}

// False: neither knows the form.
static bool compare_form(struct arena *arena, const struct model *const *models, const struct form *form,
                         struct cpu_form_change **changes, size_t *n) {
    const char *texts[2][N_NUMBERS];
    bool is_known[2];
    for (unsigned m = 0; m < 2; m++)
        is_known[m] = describe_by(arena, models[m], form, texts[m]);
    if (is_known[0] != is_known[1])
        *ARENA_ADD(arena, *changes, *n) =
            (struct cpu_form_change){form->name, "known", is_known[0] ? "yes" : "no", is_known[1] ? "yes" : "no"};
    for (unsigned i = 0; i < N_NUMBERS && is_known[0] && is_known[1]; i++)
        if (strcmp(texts[0][i], texts[1][i]) != 0)
            *ARENA_ADD(arena, *changes, *n) =
                (struct cpu_form_change){form->name, numbers[i], texts[0][i], texts[1][i]};
    return is_known[0] || is_known[1];
}

bool cpu_forms_compare(struct arena *arena, const struct model *before, const struct model *after,
                       const struct form_patterns *patterns, struct cpu_form_change **changes, size_t *n_changes,
                       size_t *n_forms, struct fail *fail) {
    const struct model *const models[2] = {before, after};
    const struct form *forms;
    size_t n;
    *changes = NULL;
    *n_changes = *n_forms = 0;
    if (!before->backend->forms(before->cpu, arena, &forms, &n, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (forms[i].status == FORM_USABLE && form_patterns_match(patterns, &forms[i]))
            *n_forms += compare_form(arena, models, &forms[i], changes, n_changes);
    }
    return *n_forms > 0 ||
           fail_set(fail, FAIL_INPUT, "no form of that name has an example; 'cyclops list forms' prints their names");
}

static bool is_meant(const struct cpu *cpu, uint16_t reg, unsigned unit) {
    return unit ? cpu->units[reg] == unit : cpu->is_vector[reg];
}

// What a rule's numbers name, held against the forms that it is of.
struct checked {
    struct arena *arena;
    const struct model *model;
    const struct cpu_rule *rule;
    const struct form *forms;
    size_t n_forms;
    bool is_result; // results are named; else sources
};

// A register or a kind of them: whether the form may have it there. unit: as in struct cpu_end.
static bool may_have(const struct checked *checked, const struct form *form, unsigned unit) {
    const struct cpu *cpu = checked->model->own;
    const uint16_t *implicit = checked->is_result ? form->implicit_writes : form->implicit_reads;
    unsigned n_implicit = checked->is_result ? form->n_implicit_writes : form->n_implicit_reads;
    for (unsigned i = 0; i < n_implicit; i++)
        if (is_meant(cpu, implicit[i], unit))
            return true;
    for (unsigned o = 0; o < form->n_operands; o++) {
        const struct form_operand *operand = &form->operands[o];
        bool counts = operand->kind == FORM_REGISTER && (checked->is_result ? operand->is_written : operand->is_read);
        for (unsigned i = 0; i < operand->n_registers && counts; i++)
            if (is_meant(cpu, operand->registers[i], unit))
                return true;
    }
    return false;
}

// By the form's example; true where it has none, or the base does not know it.
static bool has_operand(const struct checked *checked, const struct form *form, int operand) {
    struct block block;
    if (form->status != FORM_USABLE || !describe_example(checked->model, checked->arena, form, &block))
        return true;
    const struct insn *insn = &block.insns[0];
    if (checked->is_result)
        return (unsigned)operand < insn->n_writes;
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (insn->reads[i].operand == operand)
            return true;
    return false;
}

static bool has_end(const struct checked *checked, const struct form *form, const struct cpu_end *end) {
    const struct cpu *cpu = checked->model->own;
    if (end->is_memory)
        return form->may_store;
    return end->operand >= 0 ? has_operand(checked, form, end->operand)
                             : may_have(checked, form, end->unit == cpu->carry ? cpu->flags : end->unit);
}

// One form of the rule's is enough.
static bool check_end(const struct checked *checked, const struct cpu_end *end, struct fail *fail) {
    const struct cpu *cpu = checked->model->own;
    for (size_t i = 0; i < checked->n_forms; i++)
        if (cpu_rule_matches(checked->rule, checked->forms[i].opcode) && has_end(checked, &checked->forms[i], end))
            return true;
    return fail_at(fail, cpu->path, end->name.line, end->name.column, "no form of this rule %s %s'%s'",
                   checked->is_result ? "writes" : "reads", end->operand >= 0 ? "an operand of the number " : "",
                   end->name.text);
}

static bool check_rule(struct checked *checked, struct fail *fail) {
    const struct cpu *cpu = checked->model->own;
    const struct cpu_rule *rule = checked->rule;
    checked->is_result = false;
    for (unsigned s = 0; s < rule->n_sources; s++)
        if (!check_end(checked, &rule->sources[s], fail))
            return false;
    for (unsigned i = 0; i < rule->n_ignores; i++) {
        const struct cpu_end ignored = {.name = rule->ignores[i], .unit = cpu->units[rule->ignored[i]], .operand = -1};
        if (!check_end(checked, &ignored, fail))
            return false;
    }
    checked->is_result = true;
    for (unsigned r = 0; r < rule->n_results; r++)
        if (!check_end(checked, &rule->results[r], fail))
            return false;
    return true;
}

bool cpu_forms_check(struct arena *arena, const struct model *model, struct fail *fail) {
    const struct cpu *cpu = model->own;
    struct checked checked = {.arena = arena, .model = model};
    if (!model->backend->forms(model->cpu, arena, &checked.forms, &checked.n_forms, fail))
        return false;
    for (unsigned r = 0; r < cpu->n_rules; r++) {
        checked.rule = &cpu->rules[r];
        bool is_of_others = checked.rule->llvm && checked.rule->llvm != model->backend->major;
        if (!is_of_others && !check_rule(&checked, fail))
            return false;
    }
    return true;
}
