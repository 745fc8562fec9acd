#include "check/allow.h"

#include "base/text.h"
#include "base/yaml.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether the text is a day, YYYY-MM-DD. Days as texts are in the order of time.
static bool is_day(const char *text) {
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, end = 0;
    return strlen(text) == strlen("2027-01-31") && sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 &&
           !text[end] && year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

// A share, 0.5, or what a finding prints: "50 %", which has a sign.
static bool read_bound(struct yaml *yaml, struct fy_node *node, double *bound, bool *has_sign) {
    const char *text = yaml_text(yaml, node);
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 0;
    *has_sign = text && end > text && strcmp(end + strspn(end, " "), "%") == 0;
    if (!*has_sign)
        return yaml_number(yaml, node, bound);
    *bound = percent / 100;
    return true;
}

const char *check_bound_text(struct arena *arena, double most) {
    return arena_printf(arena, "%.10g %%", ceil(1000 * most) / 10);
}

static bool read_allowance(struct yaml *yaml, struct fy_node *node, struct check_allowance *allowance) {
    struct yaml_field fields[] = {
        {"finding", true, NULL}, {"bound", false, NULL}, {"reason", true, NULL}, {"expires", false, NULL}};
    if (!yaml_fields(yaml, node, "an allowance", fields, sizeof fields / sizeof *fields))
        return false;
    *allowance = (struct check_allowance){.finding = yaml_text(yaml, fields[0].value),
                                          .bound = INFINITY,
                                          .reason = yaml_text(yaml, fields[2].value),
                                          .line = yaml_place(yaml, node).line};
    if (!allowance->finding)
        return yaml_fail(yaml, fields[0].value, "'finding' must be an identifier, or a pattern with * and ?");
    if (!allowance->reason || strspn(allowance->reason, " \t") == strlen(allowance->reason))
        return yaml_fail(yaml, fields[2].value, "'reason' must state why the finding is accepted");
    static const double most_share = 10; // a larger one without a sign was meant as a percentage
    bool has_sign = false;
    if (fields[1].value &&
        (!read_bound(yaml, fields[1].value, &allowance->bound, &has_sign) || !(allowance->bound >= 0)))
        return yaml_fail(
            yaml, fields[1].value,
            "'bound' must be a number, 0 or more: 50 %% allows differences of half the value, as 0.5 does");
    if (fields[1].value && !has_sign && isfinite(allowance->bound) && allowance->bound >= most_share)
        return yaml_fail(yaml, fields[1].value, "'bound' %g allows %g %%: is it %g %%? Write the sign",
                         allowance->bound, 100 * allowance->bound, allowance->bound);
    if (fields[3].value) {
        allowance->expires = yaml_text(yaml, fields[3].value);
        if (!allowance->expires || !is_day(allowance->expires))
            return yaml_fail(yaml, fields[3].value, "'expires' must be a day, such as 2027-01-31");
    }
    return true;
}

static bool read_list(struct yaml *yaml, struct check_allowances *allowances) {
    struct yaml_field fields[] = {{"allowances", true, NULL}, {"allow", false, NULL}};
    double version;
    if (!yaml_root(yaml) || !yaml_is_mapping(yaml_root(yaml)))
        return fail_at(yaml->fail, yaml->path, 1, 1, "an allow-list begins with 'allowances: 1'");
    if (!yaml_fields(yaml, yaml_root(yaml), "an allow-list", fields, sizeof fields / sizeof *fields))
        return false;
    if (!yaml_number(yaml, fields[0].value, &version) || version != 1)
        return yaml_fail(yaml, fields[0].value, "'allowances' is the version of the format, and must be 1");
    if (!fields[1].value || (!yaml_is_sequence(fields[1].value) && !yaml_text(yaml, fields[1].value)))
        return true; // an empty list
    if (!yaml_is_sequence(fields[1].value))
        return yaml_fail(yaml, fields[1].value, "'allow' must be a list");
    void *iterator = NULL;
    for (struct fy_node *item; (item = yaml_next_item(fields[1].value, &iterator));) {
        struct check_allowance allowance;
        if (!read_allowance(yaml, item, &allowance))
            return false;
        *ARENA_ADD(yaml->arena, allowances->items, allowances->n_items) = allowance;
    }
    return true;
}

bool check_allowances_read(struct arena *arena, const char *path, struct check_allowances *allowances,
                           struct fail *fail) {
    struct yaml yaml;
    *allowances = (struct check_allowances){.path = path};
    if (!path)
        return true;
    bool is_read = yaml_open(&yaml, arena, path, fail) && read_list(&yaml, allowances);
    yaml_close(&yaml);
    return is_read;
}

// Returns why an allowance that fits does not hold; null: it does.
static const char *why_not(struct arena *arena, const struct check_allowance *allowance,
                           const struct check_finding *finding, time_t now) {
    char today[sizeof "2027-01-31 and more"];
    struct tm day;
    if (allowance->expires && gmtime_r(&now, &day) && strftime(today, sizeof today, "%Y-%m-%d", &day) &&
        strcmp(today, allowance->expires) > 0)
        return arena_printf(arena, "its allowance expired on %s", allowance->expires);
    static const double rounding = 1e-9; // of a bound as it is printed
    if (finding->most > allowance->bound * (1 + rounding))
        return arena_printf(arena, "%s is beyond its allowance, %.10g %%", check_bound_text(arena, finding->most),
                            100 * allowance->bound);
    return NULL;
}

// Lists of versions that called findings of slots "gap:uops/CLASS" hold on.
static const char *earlier_id(struct arena *arena, const struct check_finding *finding) {
    static const char now[] = ":slots/", earlier[] = ":uops/";
    const char *at = finding->is_of_slots ? strstr(finding->id, now) : NULL;
    return at ? arena_printf(arena, "%.*s%s%s", (int)(at - finding->id), finding->id, earlier, at + strlen(now))
              : finding->id;
}

static bool fits(const struct check_allowance *allowance, const char *id) {
    return fnmatch(allowance->finding, id, FNM_NOESCAPE) == 0 || strcmp(allowance->finding, id) == 0;
}

void check_allow(struct arena *arena, struct check_allowances *allowances, struct check_finding *finding, time_t now) {
    for (size_t i = 0; i < allowances->n_items; i++) {
        struct check_allowance *each = &allowances->items[i];
        if (!fits(each, finding->id) && !fits(each, earlier_id(arena, finding)))
            continue;
        each->n_findings++;
        const char *why = why_not(arena, each, finding, now);
        if (finding->is_allowed || (finding->allowance && why))
            continue;
        finding->allowance = each;
        finding->why_not = why;
        finding->is_allowed = !why;
    }
}

const char *check_allowances_text(struct arena *arena, const struct check_finding *findings, size_t n,
                                  const char *reason) {
    struct text text = {.arena = arena};
    text_add(&text, "allowances: 1\nallow:\n");
    for (size_t i = 0; i < n; i++)
        text_addf(&text, "  - finding: \"%s\" # %s\n    bound: %s\n    reason: \"%s\"\n", findings[i].id,
                  findings[i].summary, check_bound_text(arena, findings[i].most), reason);
    return text.data;
}
