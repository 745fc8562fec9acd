#include "infer/whole.h"

#include "base/compressed.h"
#include "base/file.h"
#include "base/text.h"
#include "infer/pair_campaign.h"
#include "infer/parts.h"
#include "infer/same_cpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- paths

// What a path holds that was measured.
enum whole_kind { WHOLE_NOTHING, WHOLE_SURVEY, WHOLE_CARD, WHOLE_PAIRS };

static bool has_file(struct arena *arena, const char *folder, const char *name) {
    return compressed_find(arena, arena_printf(arena, "%s/%s", folder, name)) != NULL;
}

// Of a folder, by the files in it; of a file, a card where it ends in .yaml.
static enum whole_kind kind_of(struct arena *arena, const char *path) {
    if (!file_is_folder(path))
        return file_has_suffix(path, ".yaml") && access(path, F_OK) == 0 ? WHOLE_CARD : WHOLE_NOTHING;
    return has_file(arena, path, "card.yaml")         ? WHOLE_CARD
           : has_file(arena, path, "experiments.csv") ? WHOLE_PAIRS
           : has_file(arena, path, "forms.jsonl")     ? WHOLE_SURVEY
                                                      : WHOLE_NOTHING;
}

bool whole_sort_paths(struct arena *arena, const char *const *paths, size_t n, struct whole_paths *sorted,
                      struct fail *fail) {
    const char **surveys = NULL, **pairs = NULL;
    *sorted = (struct whole_paths){.n_surveys = 0};
    for (size_t i = 0; i < n; i++) {
        enum whole_kind kind = kind_of(arena, paths[i]);
        if (kind == WHOLE_NOTHING)
            return fail_set(fail, FAIL_INPUT,
                            "'%s' is no folder of 'cyclops survey', 'cyclops machine' or 'cyclops infer pairs', and no "
                            "machine card",
                            paths[i]);
        if (kind == WHOLE_SURVEY)
            *ARENA_ADD(arena, surveys, sorted->n_surveys) = paths[i];
        else if (kind == WHOLE_PAIRS)
            *ARENA_ADD(arena, pairs, sorted->n_pairs) = paths[i];
        else if (sorted->card)
            return fail_set(fail, FAIL_INPUT, "'%s' and '%s' are both machine cards: name one", sorted->card, paths[i]);
        else
            sorted->card = file_is_folder(paths[i]) ? arena_printf(arena, "%s/card.yaml", paths[i]) : paths[i];
    }
    sorted->surveys = surveys;
    sorted->pairs = pairs;
    return sorted->n_surveys > 0 ||
           fail_set(fail, FAIL_INPUT, "there is no survey among these: 'cyclops survey' makes one");
}

// ---- what the file says of itself

// From the file's folder, where it is in there; else the whole path.
static const char *path_from(struct arena *arena, const char *output, const char *path) {
    const char *slash = strrchr(output, '/');
    char *folder = realpath(slash ? arena_copy(arena, output, (size_t)(slash - output) + 1) : ".", NULL),
         *whole = realpath(path, NULL);
    size_t length = folder ? strlen(folder) : 0;
    bool is_inside = folder && whole && strncmp(whole, folder, length) == 0 && whole[length] == '/';
    const char *from = arena_strdup(arena, is_inside ? whole + length + 1 : whole ? whole : path);
    free(folder);
    free(whole);
    return from;
}

// A line of the file in place of that one, or behind the base's.
static const char *with_line(struct arena *arena, const char *text, const char *key, const char *line) {
    text = parts_without_line(arena, text, key);
    const char *base = strstr(text, "\nbase:"), *end = base ? strchr(base + 1, '\n') : NULL;
    return end ? arena_printf(arena, "%.*s%s\n%s", (int)(end + 1 - text), text, line, end + 1) : text;
}

static const char *with_evidence(struct arena *arena, const char *text, const char *output,
                                 const struct whole_paths *paths) {
    struct text line = {.arena = arena};
    text_add(&line, "evidence: [");
    for (size_t i = 0; i < paths->n_surveys; i++)
        text_addf(&line, "%s\"%s\"", i ? ", " : "", path_from(arena, output, paths->surveys[i]));
    if (paths->card)
        text_addf(&line, ", \"%s\"", path_from(arena, output, paths->card));
    for (size_t i = 0; i < paths->n_pairs; i++)
        text_addf(&line, ", \"%s\"", path_from(arena, output, paths->pairs[i]));
    text_add(&line, "]");
    return with_line(arena, text, "evidence:", line.data);
}

// By it `cyclops run` finds the file of the CPU that it is of. One that the base has stays.
static const char *with_identity(struct arena *arena, const char *text, const struct table_origin *origin) {
    if (!origin->vendor || text_starts(text, "identity:") || strstr(text, "\nidentity:"))
        return text;
    return with_line(arena, text, "identity:",
                     arena_printf(arena, "identity: [{vendor: %s, family: %u, models: [%u]}]", origin->vendor,
                                  origin->family, origin->model));
}

// ---- all of it

static bool are_of_one_cpu(struct arena *arena, const struct whole_paths *paths, const char *machine,
                           struct fail *fail) {
    const char **others = ARENA_ARRAY(arena, const char *, paths->n_pairs + 1); // the card's; the pairs'
    if (paths->card) {
        struct card card;
        struct card_origin origin;
        if (!card_read(arena, paths->card, &card, &origin, fail))
            return false;
        others[0] = origin.measured_on;
    }
    for (size_t i = 0; i < paths->n_pairs; i++)
        if (!pair_campaign_machine(arena, paths->pairs[i], &others[1 + i], fail))
            return false;
    for (size_t i = 0; i <= paths->n_pairs; i++)
        if (others[i] && *others[i] && !same_cpu_names(machine, others[i]))
            return fail_set(fail, FAIL_INPUT,
                            "the survey was measured on %s, and the %s on %s; if that is one CPU, --other-cpu insists",
                            machine, i ? "pairs" : "card", others[i]);
    return true;
}

static bool add_pairs(struct arena *arena, const struct import_onto *onto, const struct whole_paths *paths,
                      struct whole_result *result, struct fail *fail) {
    enum { LEAST_JUDGED = 3 };
    if (!import_pairs(arena, onto, paths->pairs, paths->n_pairs, &result->ports, &result->pairs, fail))
        return false;
    unexplained_add_pairs(arena, &result->ports, &result->unexplained);
    struct evidence judged = *result->ports.evidence; // so that forms have the same numbers
    judged.items = NULL;
    judged.n_items = 0;
    for (size_t i = 0; i < paths->n_pairs; i++) {
        const char *path = pair_campaign_judged(arena, paths->pairs[i]);
        bool is_there = compressed_find(arena, path) != NULL;
        if (is_there && !evidence_read(&judged, path, 0, fail))
            return false;
        result->is_judged |= is_there;
    }
    if (result->is_judged)
        result->judgement = port_judge(arena, &result->ports, &judged, LEAST_JUDGED);
    return true;
}

bool whole_infer(struct arena *arena, const struct import_onto *onto, const struct whole_paths *paths,
                 struct whole_result *result, struct fail *fail) {
    struct check_results results;
    struct table_origin origin;
    struct import_onto next = *onto;
    struct model made = {0};
    *result = (struct whole_result){.text = NULL};
    if (!table_find_origin(arena, paths->surveys[0], &origin, fail) ||
        !check_results_read(arena, paths->surveys, paths->n_surveys, onto->listener, &results, fail) ||
        (!onto->takes_other_cpu && !are_of_one_cpu(arena, paths, results.machine, fail)))
        return false;
    result->machine = results.machine;
    if (paths->card) { // first: a survey's programs are predicted with its widths
        if (!import_card(arena, &next, paths->card, &result->card, fail))
            return false;
        next.text = result->card.text;
    }
    if (!import_survey(arena, &next, &results, &result->survey, fail))
        return false;
    next.text = result->survey.text;
    if (paths->n_pairs) {
        if (!add_pairs(arena, &next, paths, result, fail))
            return false;
        next.text = result->pairs.text;
    }
    result->text = with_evidence(arena, with_identity(arena, next.text, &origin), onto->output, paths);
    bool is_done = model_open_cpu_text(&made, arena, onto->llvm, onto->output, result->text, fail);
    if (is_done)
        unexplained_add_survey(arena, &made, &results, &result->unexplained);
    model_close(&made);
    return is_done;
}
