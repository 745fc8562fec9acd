// Hot loops as data: lines of JSON, and the page, which shows the same objects.
#include "base/json.h"
#include "base/text.h"
#include "report/block_page.h"
#include "report/hot.h"
#include "report/hot_words.h"
#include "report/page_fill.h"

#include <math.h>

static json_t *json_of_number(double value) {
    enum { DECIMALS = 4 };
    return isnan(value) ? json_null() : json_rounded(value, DECIMALS);
}

static json_t *json_of_text(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *json_of_branches(const struct hot_replay *replay) {
    json_t *all = json_array();
    for (size_t i = 0; i < replay->n_branches; i++)
        json_array_append_new(all, json_pack("{s:I, s:o, s:o, s:o}", "address", (json_int_t)replay->branches[i].address,
                                             "taken", json_of_number(replay->branches[i].taken), "not_taken",
                                             json_of_number(replay->branches[i].not_taken), "mispredicted",
                                             json_of_number(replay->branches[i].mispredicted)));
    return all;
}

// `cycles`: by each model, where they are not those of the moment's turns alone.
static json_t *json_of_forecasts(const struct hot_moment *moment, size_t n_models, const double *cycles) {
    json_t *all = json_array();
    for (size_t i = 0; i < n_models && moment; i++) {
        const struct hot_forecast *forecast = &moment->forecasts[i];
        json_array_append_new(all, json_pack("{s:s, s:o, s:o, s:s, s:o}", "model", forecast->model, "cycles",
                                             json_of_number(cycles ? cycles[i] : forecast->cycles), "missing",
                                             json_of_text(forecast->missing), "limit", forecast->limit, "because",
                                             json_of_text(forecast->sentence)));
    }
    return all;
}

static json_t *json_of_replay(const struct hot_moment *moment) {
    static const char *const stops[] = {
        [HOT_STOP_EXIT] = "exit", [HOT_STOP_COUNT] = "count", [HOT_STOP_CELL] = "counter"};
    const struct hot_replay *replay = &moment->replay;
    if (moment->why)
        return json_null();
    return json_pack("{s:I, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:I, s:s, s:o, s:o, s:o, s:o}", "turns",
                     (json_int_t)replay->turns, "stop", stops[replay->stop], "cycles",
                     json_of_number(replay->cycles_per_turn), "low", json_of_number(replay->low), "high",
                     json_of_number(replay->high), "verdict", bench_verdict_name(replay->measurement.verdict), "why",
                     json_of_text(replay->measurement.why), "doubt", json_of_text(replay->doubt), "bytes",
                     (json_int_t)replay->n_bytes, "level", replay->level, "split",
                     json_of_number(replay->accesses_split), "crossing", json_of_number(replay->accesses_crossing),
                     "forwarded", json_of_number(replay->forwarded), "branches", json_of_branches(replay));
}

static json_t *json_of_moments(const struct hot_finding *finding) {
    json_t *all = json_array();
    for (size_t i = 0; i < finding->n_moments; i++) {
        const struct hot_moment *moment = &finding->moments[i];
        json_array_append_new(
            all, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "seconds", json_of_number(moment->state->seconds),
                           "clock", moment->state->clock == HOT_CPU_CLOCK ? "cpu" : "wall", "share",
                           json_of_number(moment->state->share), "why", json_of_text(moment->why), "replay",
                           json_of_replay(moment), "usual_way", json_of_number(moment->why ? NAN : moment->ways_share),
                           "predictions", json_of_forecasts(moment->why ? NULL : moment, finding->n_models, NULL)));
    }
    return all;
}

// The replay is that of the moment that stands for most of the time; its cycles are those of all moments.
static json_t *json_of_value(const struct hot_finding *finding) {
    if (!hot_has_value(finding))
        return json_null();
    json_t *replay = json_of_replay(finding->main);
    json_object_set_new(replay, "cycles", json_of_number(finding->cycles));
    json_object_set_new(replay, "low", json_of_number(finding->low));
    json_object_set_new(replay, "high", json_of_number(finding->high));
    if (!finding->is_stable)
        json_object_set_new(replay, "verdict", json_string(bench_verdict_name(MEASURED_UNSTABLE)));
    json_object_set_new(replay, "least", json_of_number(finding->least));
    json_object_set_new(replay, "most", json_of_number(finding->most));
    return replay;
}

// The usual turn's instructions, hexadecimal.
static json_t *json_of_code(struct arena *arena, const struct hot_moment *moment) {
    struct text text = {.arena = arena};
    if (!moment || !moment->turn_bytes)
        return json_null();
    for (size_t i = 0; i < moment->n_turn_bytes; i++)
        text_addf(&text, "%02x", moment->turn_bytes[i]);
    return json_of_text(text.data);
}

static json_t *json_of_finding(struct arena *arena, const struct hot_finding *finding) {
    static const char *const turns[] = {[HOT_TURN_LOOP] = "loop", [HOT_TURN_CALL] = "call", [HOT_TURN_PLACE] = "place"};
    const struct hot_loop *loop = finding->loop;
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "loop",
                  hot_place_name(arena, finding), "module", finding->module->path, "head",
                  (json_int_t)hot_head_of(finding), "function", json_of_text(loop ? loop->function : NULL), "file",
                  json_of_text(loop ? loop->file : NULL), "line", loop ? (int)loop->line : 0, "share",
                  json_of_number(finding->share), "why", json_of_text(finding->why), "replay", json_of_value(finding),
                  "usual_way", json_of_number(hot_has_value(finding) ? finding->main->ways_share : NAN), "program",
                  json_of_number(finding->program_cycles), "predictions",
                  json_of_forecasts(finding->main, finding->n_models, finding->predicted), "uneven", finding->is_uneven,
                  "moments", json_of_moments(finding));
    json_object_set_new(object, "program_low",
                        json_of_number(isnan(finding->program_cycles) ? NAN : finding->program_low));
    json_object_set_new(object, "program_high",
                        json_of_number(isnan(finding->program_cycles) ? NAN : finding->program_high));
    json_object_set_new(object, "turn", loop ? json_string(turns[finding->turn]) : json_null());
    json_object_set_new(object, "code", json_of_code(arena, finding->main));
    json_object_set_new(object, "covered", json_of_number(finding->covered));
    json_object_set_new(object, "shifted", json_boolean(finding->is_shifted));
    json_object_set_new(object, "with", json_of_text(hot_has_value(finding) ? finding->main->state->turn : NULL));
    return object;
}

bool hot_write_json(struct arena *arena, const struct hot_findings *findings, FILE *out, struct fail *fail) {
    for (size_t i = 0; i < findings->n; i++)
        if (!json_write_line(out, json_of_finding(arena, &findings->items[i]), fail))
            return false;
    return true;
}

// By the first CPU file; null where there is none, or where the turn's instructions do not stand one behind the other.
static json_t *json_of_block(struct arena *arena, const struct model_set *models, const struct hot_finding *finding) {
    enum { MOST_ENTRIES = 64 };
    const struct hot_moment *moment = finding->main;
    const struct explain_block_options options = {.name = "loop",
                                                  .bytes = moment ? moment->turn_bytes : NULL,
                                                  .n_bytes = moment ? moment->n_turn_bytes : 0,
                                                  .is_given = true,
                                                  .is_loop = true};
    for (unsigned i = 0; i < models->n_judged && options.bytes; i++) {
        struct block_explanation explanation;
        struct block_course course;
        struct fail fail = {0};
        if (models->judged[i].own && explain_block(arena, &models->judged[i], &options, &explanation, &fail) &&
            block_course_find(arena, &explanation, MOST_ENTRIES, &course, &fail))
            return block_page_object(arena, hot_place_name(arena, finding), &explanation, &course);
    }
    return json_null();
}

const char *hot_page_make(struct arena *arena, const char *title, const char *where, const struct model_set *models,
                          const struct hot_findings *findings, struct fail *fail) {
    json_t *loops = json_array();
    for (size_t i = 0; i < findings->n; i++) {
        const struct hot_finding *finding = &findings->items[i];
        const char **words;
        const size_t n = hot_list_words(arena, finding, &words);
        json_t *loop = json_of_finding(arena, finding), *sentences = json_array();
        for (size_t k = 0; k < n; k++)
            json_array_append_new(sentences, json_string(words[k]));
        json_object_set_new(loop, "source", json_string(hot_source_words(arena, finding)));
        json_object_set_new(loop, "words", sentences);
        json_object_set_new(loop, "value", json_string(hot_value_words(arena, finding)));
        json_object_set_new(loop, "block", json_of_block(arena, models, finding));
        json_array_append_new(loops, loop);
    }
    return page_fill_json(arena, "block.html",
                          json_pack("{s:s, s:s, s:s, s:o}", "title", title, "where", where, "marks",
                                    hot_meaning_of_marks, "loops", loops),
                          fail);
}
