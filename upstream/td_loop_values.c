#include "upstream/td_loop_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const td_loop_names[TD_LOOP_N_NUMBERS] = {"Latency", "NumMicroOps", "ReleaseAtCycles"};
const enum td_field td_loop_fields[TD_LOOP_N_NUMBERS] = {TD_LATENCY, TD_NUM_MICRO_OPS, TD_RELEASE_AT_CYCLES};

static const char *const groups[TD_LOOP_N_GROUPS] = {"MF8", "MF4", "MF2", "M1", "M2", "M4", "M8"};
static const char last_choice[] = "_NoPred";

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

const char *td_last_word(const struct td_text *text, size_t before, const char *words) {
    const size_t length = strlen(words);
    for (size_t at = before; at-- > 0;) {
        size_t line = at;
        if (at > 0 && text->data[at - 1] != '\n')
            continue;
        while (line < before && (text->data[line] == ' ' || text->data[line] == '\t'))
            line++;
        if (line + length < before && memcmp(text->data + line, words, length) == 0 &&
            !is_word(text->data[line + length]))
            return text->data + line;
    }
    return NULL;
}

// ---- names

// Arguments of a class that make a write's name: "NAME", "_" and the group, "_E" and the width.
static const struct kind {
    const char *class_name;
    int name, group, width; // -1: no loop has it; a name then is the statement's own
    unsigned ports;
    bool is_variant;
} kinds[] = {
    {"LMULWriteResMX", 0, 2, -1, 1, false},
    {"LMULSEWWriteResMXSEW", 0, 2, 3, 1, false},
    {"LMULWriteResMXVariant", 0, 10, -1, 6, true},
    {"LMULSEWWriteResMXSEWVariant", 0, 10, 11, 6, true},
    {"WriteRes", 0, -1, -1, 1, false},
    {"SchedWriteRes", -1, -1, -1, 0, false},
};

static bool add_token(struct td_loop *loop, struct slice text, bool is_variable) {
    struct td_token token = {.text = text, .is_variable = is_variable};
    while (is_variable && token.variable < loop->n_variables && !slice_equals(loop->variables[token.variable], text))
        token.variable++;
    if (loop->n_tokens == TD_LOOP_MOST_TOKENS || token.variable == TD_LOOP_MOST_VARIABLES)
        return false;
    if (is_variable && token.variable == loop->n_variables)
        loop->variables[loop->n_variables++] = text;
    loop->tokens[loop->n_tokens++] = token;
    return true;
}

static bool add_word(struct td_loop *loop, const char *word) {
    return add_token(loop, (struct slice){word, strlen(word)}, false);
}

// "WriteVLSEG" # nf # "e": a word is a variable where a loop in front has it.
static bool add_expression(const struct td_plan *plan, struct td_loop *loop, struct slice text) {
    static const char cast[] = "!cast<SchedWrite>(";
    if (slice_starts(text, cast) && text.data[text.length - 1] == ')')
        text = (struct slice){text.data + strlen(cast), text.length - strlen(cast) - 1};
    for (size_t at = 0, end; at < text.length; at = end) {
        end = at + 1;
        if (isspace((unsigned char)text.data[at]) || text.data[at] == '#')
            continue;
        if (text.data[at] == '"') {
            while (end < text.length && text.data[end] != '"')
                end++;
            if (!add_token(loop, (struct slice){text.data + at + 1, end - at - 1}, false))
                return false;
            end++;
            continue;
        }
        if (!is_word(text.data[at]))
            return false;
        while (end < text.length && is_word(text.data[end]))
            end++;
        const struct slice word = {text.data + at, end - at};
        const char *loop_of = arena_printf(plan->arena, "foreach %.*s", (int)word.length, word.data);
        if (!add_token(loop, word, td_last_word(&plan->text, loop->statement.all.at, loop_of) != NULL))
            return false;
    }
    return true;
}

bool td_loop_read_name(struct td_plan *plan, struct td_loop *loop) {
    const struct td_statement *statement = &loop->statement;
    const struct kind *kind = kinds, *end = kinds + sizeof kinds / sizeof *kinds;
    while (kind < end && !td_is(&plan->text, statement->class_name, kind->class_name))
        kind++;
    if (kind == end || (int)statement->n_arguments <= (kind->width > kind->group ? kind->width : kind->group))
        return false;
    const struct slice name = td_slice(&plan->text, kind->name < 0 ? statement->name : statement->arguments[0]);
    loop->is_variant = kind->is_variant;
    loop->ports = kind->ports;
    if (kind->group >= 0)
        loop->group = td_slice(&plan->text, statement->arguments[kind->group]);
    return add_expression(plan, loop, name) &&
           (kind->group < 0 || (add_word(loop, "_") && add_expression(plan, loop, loop->group))) &&
           (kind->width < 0 ||
            (add_word(loop, "_E") &&
             add_expression(plan, loop, td_slice(&plan->text, statement->arguments[kind->width])))) &&
           (!kind->is_variant || add_word(loop, last_choice));
}

static bool match_from(const struct td_loop *loop, unsigned at, const char *name, struct td_turn *turn) {
    if (at == loop->n_tokens)
        return !*name;
    const struct td_token *token = &loop->tokens[at];
    const struct slice fixed = token->is_variable ? turn->values[token->variable] : token->text;
    if (!token->is_variable || fixed.data)
        return strncmp(name, fixed.data, fixed.length) == 0 && match_from(loop, at + 1, name + fixed.length, turn);
    for (size_t length = 1; is_word(name[length - 1]); length++) {
        turn->values[token->variable] = (struct slice){name, length};
        if (match_from(loop, at + 1, name + length, turn))
            return true;
    }
    turn->values[token->variable] = (struct slice){NULL, 0};
    return false;
}

bool td_loop_match(const struct td_loop *loop, const char *name, struct td_turn *turn) {
    return match_from(loop, 0, name, turn);
}

bool td_loop_is_last_choice(const char *write) {
    const size_t length = strlen(write), end = strlen(last_choice);
    return length > end && strcmp(write + length - end, last_choice) == 0;
}

bool td_loop_is_in_scope(const struct td_plan *plan, const struct td_loop *loop, size_t at) {
    bool is_in = true;
    for (unsigned v = 0; v < loop->n_variables && is_in; v++) {
        const char *loop_of =
            arena_printf(plan->arena, "foreach %.*s", (int)loop->variables[v].length, loop->variables[v].data);
        const char *found = td_last_word(&plan->text, loop->statement.all.at, loop_of);
        is_in = found && (size_t)(found - plan->text.data) < at;
    }
    return is_in;
}

// ---- values by group alone

// The group that a turn is of: 0 to 6; TD_LOOP_N_GROUPS: it is of none.
static unsigned group_of(const struct td_loop *loop, const struct td_turn *turn) {
    unsigned group = TD_LOOP_N_GROUPS;
    for (unsigned v = 0; v < loop->n_variables; v++)
        for (unsigned g = 0; g < TD_LOOP_N_GROUPS && slice_equals(loop->variables[v], loop->group); g++)
            if (slice_is(turn->values[v], groups[g]))
                group = g;
    return group;
}

// Sets what each group shall have (null: no turn is of it). False: more than the group decides.
static bool by_group(const struct td_loop *loop, const struct td_loop_change *change, const char **values) {
    for (size_t t = 0; t < loop->n_turns; t++) {
        const unsigned g = group_of(loop, &loop->turns[t]);
        if (g == TD_LOOP_N_GROUPS || (values[g] && strcmp(values[g], change->to[t]) != 0))
            return false;
        values[g] = change->to[t];
    }
    return true;
}

// "int c = !cond(!eq(mx, "M1") : 2, ...);" of a class: the number of each group; -1: it has none. False: it is another.
static bool read_table(struct slice body, int *numbers) {
    const char *list = memmem(body.data, body.length, "!cond(", 6);
    bool has_any = false;
    if (!list || memmem(body.data, body.length, "defvar", 6))
        return false;
    for (unsigned g = 0; g < TD_LOOP_N_GROUPS; g++) {
        char word[16];
        snprintf(word, sizeof word, "\"%s\")", groups[g]);
        const char *at = memmem(list, body.length - (size_t)(list - body.data), word, strlen(word));
        numbers[g] = -1;
        if (!at)
            continue;
        at += strlen(word);
        at += strspn(at, " :");
        const size_t length = strspn(at, "0123456789"), after = strspn(at + length, " \n");
        if (!length || !strchr(",)", at[length + after]))
            return false;
        numbers[g] = (int)strtol(at, NULL, 10);
        has_any = true;
    }
    return has_any;
}

// Whether the values are the numbers, so many times, or so much more. `times`, `more`: set.
static bool follows(const char *const *values, const int *numbers, int *times, int *more) {
    bool is_product = true, is_sum = true, has_any = false;
    for (unsigned g = 0; g < TD_LOOP_N_GROUPS; g++) {
        if (!values[g])
            continue;
        const int value = (int)strtol(values[g], NULL, 10);
        if (numbers[g] <= 0)
            return false;
        if (!has_any) {
            *times = value / numbers[g];
            *more = value - numbers[g];
        }
        has_any = true;
        is_product &= *times > 0 && value == *times * numbers[g];
        is_sum &= *more > 0 && value == *more + numbers[g];
    }
    *more = is_product ? 0 : *more;
    *times = is_product ? *times : 1;
    return has_any && (is_product || is_sum);
}

// "!mul(2, SiFiveP600GetLMulCycles<mx>.c)": by a class of the file; null: none fits.
static const char *rule_of(struct td_plan *plan, const struct td_loop *loop, const char *const *values) {
    static const char start[] = "\nclass ";
    int numbers[TD_LOOP_N_GROUPS], times = 1, more = 0;
    const char *end;
    for (const char *at = plan->text.data; (at = strstr(at, start)) != NULL; at = end) {
        const char *name = at + strlen(start);
        const size_t length = strcspn(name, "<{ \n");
        end = strstr(name, "\n}");
        end = end ? end : name;
        const char *body = strchr(name, '{');
        if (!body || body > end || strncmp(name + length, "<string ", 8) != 0 ||
            memchr(name, ',', (size_t)(body - name)) || !memmem(body, (size_t)(end - body), "int c = ", 8) ||
            !read_table((struct slice){body, (size_t)(end - body)}, numbers) ||
            !follows(values, numbers, &times, &more))
            continue;
        const char *rule =
            arena_printf(plan->arena, "%.*s<%.*s>.c", (int)length, name, (int)loop->group.length, loop->group.data);
        return times > 1  ? arena_printf(plan->arena, "!mul(%d, %s)", times, rule)
               : more > 0 ? arena_printf(plan->arena, "!add(%d, %s)", more, rule)
                          : rule;
    }
    return NULL;
}

static const char list_class[] = "GetLMULValue<[";

// "GetLMULValue<[1, 1, 1, 1, 2, 4, 8], mx>.c" where the file has this class; null: it has not.
static const char *list_of(struct td_plan *plan, const struct td_loop *loop, const char *const *values) {
    struct text text = {.arena = plan->arena};
    const char *next = NULL;
    unsigned last = TD_LOOP_N_GROUPS;
    if (!strstr(plan->text.data, "\nclass GetLMULValue<list<int> "))
        return NULL;
    while (last > 0 && !values[last - 1])
        last--;
    text_add(&text, list_class);
    for (unsigned g = 0; g < last; g++) {
        for (unsigned k = last; k-- > g;) // of a group that there is not, the next one's
            next = values[k] ? values[k] : next;
        text_addf(&text, "%s%s", g ? ", " : "", next);
    }
    text_addf(&text, "], %.*s>.c", (int)loop->group.length, loop->group.data);
    return text.data;
}

void td_loop_try_table(struct td_plan *plan, struct td_loop *loop, enum td_loop_number number,
                       const struct td_loop_change *change, struct td_span span) {
    const char *values[TD_LOOP_N_GROUPS] = {NULL}, *data = plan->text.data;
    unsigned uses = 1;
    size_t n;
    if (plan->freedom[loop->line] != TD_ARGUMENTS || *loop->only || !by_group(loop, change, values))
        return;
    if (!slice_starts(td_slice(&plan->text, span), list_class)) { // the name of one
        const char *name = change->now, *words = arena_printf(plan->arena, "defvar %s", name),
                   *defined = td_last_word(&plan->text, span.at, words);
        if (!is_word(*name) || !defined)
            return;
        const char *value = defined + strlen(words), *next = strstr(value, words);
        value += strspn(value, " =");
        uses = 0;
        for (const char *at = value; (at = strstr(at, name)) != NULL && (!next || at < next); at++)
            uses += !is_word(at[-1]) && !is_word(at[strlen(name)]);
        span = (struct td_span){(size_t)(value - data), (size_t)(value - data) + strcspn(value, ";")};
        if (!slice_starts(td_slice(&plan->text, span), list_class))
            return;
    }
    const size_t open = span.at + strlen(list_class) - 1;
    const struct td_span list = {open, open + strcspn(data + open, "]") + 1};
    const struct td_span *items = td_elements(&plan->text, list, &n);
    for (unsigned g = 0; g < TD_LOOP_N_GROUPS; g++) {
        if (!values[g])
            continue;
        if (g >= n)
            return;
        if (!td_is(&plan->text, items[g], values[g]))
            *ARENA_ADD(plan->arena, loop->cells, loop->n_cells) =
                (struct td_loop_cell){number, uses, items[g], values[g]};
    }
    loop->is_in_table[number] = true;
}

void td_loop_settle_tables(struct td_loop *loop) {
    for (size_t i = 0; i < loop->n_cells; i++) {
        unsigned n = 0;
        for (size_t k = 0; k < loop->n_cells; k++)
            n += loop->cells[k].span.at == loop->cells[i].span.at &&
                 strcmp(loop->cells[k].text, loop->cells[i].text) == 0;
        if (n != loop->cells[i].uses)
            loop->is_in_table[loop->cells[i].number] = false;
    }
}

void td_loop_edit_tables(struct td_plan *plan, const struct td_loop *loop, enum td_loop_number number) {
    for (size_t i = 0; i < loop->n_cells; i++)
        if (loop->cells[i].number == number)
            td_replace(&plan->text, loop->cells[i].span, loop->cells[i].text);
}

// ---- exceptions

static bool is_alike(const struct td_loop *loop, const struct td_turn *a, const struct td_turn *b, unsigned mask) {
    for (unsigned v = 0; v < loop->n_variables; v++)
        if (mask >> v & 1 && !slice_equals(a->values[v], b->values[v]))
            return false;
    return true;
}

// The fewest variables by which all turns that are like this one have its value.
static unsigned mask_of(const struct td_loop *loop, const struct td_loop_change *change, size_t turn) {
    unsigned best = (1U << loop->n_variables) - 1;
    for (unsigned mask = 0; mask < 1U << loop->n_variables; mask++) {
        bool holds = __builtin_popcount(mask) < __builtin_popcount(best);
        for (size_t t = 0; t < loop->n_turns && holds; t++)
            holds = !is_alike(loop, &loop->turns[t], &loop->turns[turn], mask) ||
                    strcmp(change->to[t], change->to[turn]) == 0;
        best = holds ? mask : best;
    }
    return best;
}

// "!eq(mx, "M4")", "!and(!eq(mx, "M4"), !eq(sew, 32))"; "": always.
static const char *condition_of(struct td_plan *plan, const struct td_loop *loop, const struct td_turn *turn,
                                unsigned mask) {
    struct text text = {.arena = plan->arena};
    unsigned n = *loop->only != '\0';
    text_add(&text, loop->only);
    for (unsigned v = 0; v < loop->n_variables; v++) {
        if (!(mask >> v & 1))
            continue;
        const char *quote = isdigit((unsigned char)*turn->values[v].data) ? "" : "\"";
        text_addf(&text, "%s!eq(%.*s, %s%.*s%s)", n++ ? ", " : "", (int)loop->variables[v].length,
                  loop->variables[v].data, quote, (int)turn->values[v].length, turn->values[v].data, quote);
    }
    return n > 1 ? arena_printf(plan->arena, "!and(%s)", text.data) : text.data;
}

const char *td_loop_value(struct td_plan *plan, const struct td_loop *loop, const struct td_loop_change *change) {
    enum { ENOUGH = 3 }; // exceptions, for which a rule is shorter
    struct text cases = {.arena = plan->arena};
    const char *values[TD_LOOP_N_GROUPS] = {NULL}, *last = "", *condition = "";
    bool *is_covered = ARENA_ARRAY(plan->arena, bool, loop->n_turns);
    unsigned n = 0;
    text_add(&cases, "");
    for (size_t t = 0; t < loop->n_turns; t++) {
        if (is_covered[t] || strcmp(change->from[t], change->to[t]) == 0)
            continue;
        const unsigned mask = mask_of(loop, change, t);
        condition = condition_of(plan, loop, &loop->turns[t], mask);
        last = change->to[t];
        if (!*condition)
            return last;
        text_addf(&cases, "%s: %s, ", condition, last);
        n++;
        for (size_t u = 0; u < loop->n_turns; u++)
            is_covered[u] |= is_alike(loop, &loop->turns[u], &loop->turns[t], mask);
    }
    if (n == 0)
        return change->now;
    const char *rule = NULL;
    if (n >= ENOUGH && isdigit((unsigned char)*last) && by_group(loop, change, values)) {
        rule = rule_of(plan, loop, values);
        rule = rule ? rule : list_of(plan, loop, values);
    }
    if (rule)
        return *loop->only ? arena_printf(plan->arena, "!if(%s, %s, %s)", loop->only, rule, change->now) : rule;
    return n == 1 ? arena_printf(plan->arena, "!if(%s, %s, %s)", condition, last, change->now)
                  : arena_printf(plan->arena, "!cond(%strue: %s)", cases.data, change->now);
}
