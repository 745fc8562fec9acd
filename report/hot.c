#include "report/hot.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "report/hot_words.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

// Where a turn of a loop begins. Parts of a function may be in front of it.
static const char *loop_name(struct arena *arena, const struct hot_module *module, const struct hot_loop *loop,
                             uint64_t head) {
    const uint64_t begin = loop->function_address;
    if (!loop->function)
        return arena_printf(arena, "%s+0x%llx", file_base(module->path), (unsigned long long)head);
    if (head == begin)
        return loop->function;
    return arena_printf(arena, "%s%s0x%llx", loop->function, head < begin ? "-" : "+",
                        (unsigned long long)(head < begin ? begin - head : head - begin));
}

// Of a case file, in the module as a profile has it.
uint64_t hot_head_of(const struct hot_finding *finding) {
    const struct hot_state *state = finding->loop ? NULL : finding->moments[0].state;
    return state ? state->head - state->load_address : finding->head;
}

const char *hot_place_name(struct arena *arena, const struct hot_finding *finding) {
    return finding->loop ? loop_name(arena, finding->module, finding->loop, finding->head)
                         : arena_printf(arena, "%s+0x%llx", file_base(finding->module->path),
                                        (unsigned long long)hot_head_of(finding));
}

const char *hot_source_words(struct arena *arena, const struct hot_finding *finding) {
    const struct hot_loop *loop = finding->loop;
    return loop && loop->file ? arena_printf(arena, " (%s:%u)", file_base(loop->file), loop->line) : "";
}

bool hot_has_value(const struct hot_finding *finding) {
    return finding->main != NULL;
}

static const double few_mispredicted = 0.02; // branches a turn: a loop's exit, and what is beside the point

// Branches a turn, by a simple predictor.
static double mispredicted_of(const struct hot_replay *replay) {
    double sum = 0;
    for (size_t i = 0; i < replay->n_branches; i++)
        sum += replay->branches[i].mispredicted;
    return sum;
}

// Whether most of the time that it stands for is in functions that it calls, or it is a function with several callers:
// other calls may take another time. Callers without samples are not known.
static bool is_of_one_caller(const struct hot_finding *finding) {
    static const double few = 0.05;
    return finding->covered > 2 * finding->share + few || // NAN is not
           (finding->turn == HOT_TURN_CALL && finding->loop->has_callers);
}

// Whether the interval is of the replay only, and the loop in the program may take another time.
static bool is_doubtful(const struct hot_finding *finding) {
    return finding->main->replay.doubt || is_of_one_caller(finding) || finding->is_shifted ||
           finding->n_moments < finding->n_chosen || mispredicted_of(&finding->main->replay) > few_mispredicted;
}

const char *hot_value_words(struct arena *arena, const struct hot_finding *finding) {
    if (!hot_has_value(finding))
        return "-";
    const char *mark = !finding->is_stable ? "?" : is_doubtful(finding) ? "~" : "";
    return arena_printf(arena, "%.2f ±%.2f%s%s", finding->cycles,
                        fmax(finding->high - finding->cycles, finding->cycles - finding->low), mark,
                        finding->is_uneven ? "*" : "");
}

static bool is_near(double value, double other) {
    static const double most_off = 0.1;
    return fabs(value - other) <= most_off * other;
}

// What limits the usual turn by a CPU file, how much of the measured time that explains, and whether it is what the
// file predicts of all turns: others may take another time, and the usual one does not repeat without end. Where the
// usual turn has no sentence, the name of what limits all turns.
static const char *limit_words(struct arena *arena, const struct hot_moment *moment,
                               const struct hot_forecast *forecast) {
    const double measured = moment->replay.cycles_per_turn;
    const char *name = forecast->sentence ? forecast->sentence : forecast->limit;
    const char *what =
        !forecast->sentence || is_near(forecast->usual_cycles, forecast->cycles)
            ? name
            : arena_printf(arena, "the usual turn alone would take %.2f cycles: %s", forecast->usual_cycles, name);
    if (!is_near(forecast->cycles, measured))
        return arena_printf(arena, "%s has %.2f of %.2f cycles, so something else may limit it than what it names: %s",
                            forecast->model, forecast->cycles, measured, what);
    if (what != name)
        return what;
    return forecast->sentence ? arena_printf(arena, "limit: %s", name)
                              : arena_printf(arena, "limit, by %s: %s", forecast->model, name);
}

// Adds what limits it, by each model that has a sentence; else by the last one that names something. Returns the number
// of clauses.
static size_t list_limits(struct arena *arena, const struct hot_finding *finding, const char ***words) {
    const struct hot_forecast *named = NULL;
    size_t n = 0, n_sentences = 0;
    for (size_t i = 0; i < finding->n_models; i++) {
        const struct hot_forecast *forecast = &finding->main->forecasts[i];
        n_sentences += forecast->sentence != NULL;
        if (forecast->sentence && !finding->is_uneven) // else it is among the moments
            *ARENA_ADD(arena, *words, n) = limit_words(arena, finding->main, forecast);
        else if (!forecast->missing && forecast->limit && *forecast->limit)
            named = forecast;
    }
    if (!n_sentences && named)
        *ARENA_ADD(arena, *words, n) = limit_words(arena, finding->main, named);
    return n;
}

// How the value changes from moment to moment. Where it does by much, each moment; with its limit, where that is
// certain.
static const char *moments_words(struct arena *arena, const struct hot_finding *finding) {
    static const double much = 1.1;
    struct text text = {.arena = arena};
    size_t n = 0;
    for (size_t i = 0; i < finding->n_moments; i++)
        n += !finding->moments[i].why;
    if (n < 2)
        return NULL;
    text_addf(&text, "%.2f to %.2f cycles a turn at %zu moments", finding->least, finding->most, n);
    for (size_t i = 0; i < finding->n_moments && finding->most > much * finding->least; i++) {
        const struct hot_moment *moment = &finding->moments[i];
        if (moment->why)
            continue;
        text_addf(&text, "%s at %.3g s%s (%.0f %% of its time) %.2f", n ? ":" : ",", moment->state->seconds,
                  n && moment->state->clock == HOT_CPU_CLOCK ? " of CPU time" : "", 100 * moment->state->share,
                  moment->replay.cycles_per_turn);
        if (!finding->is_uneven)
            text_addf(&text, " (%.2f to %.2f)", moment->replay.low, moment->replay.high);
        n = 0;
        for (size_t k = 0; k < finding->n_models && finding->is_uneven; k++)
            if (moment->forecasts[k].sentence)
                text_addf(&text, ", %s", limit_words(arena, moment, &moment->forecasts[k]));
    }
    return text.data;
}

// Moments without a copy, or without a value; null: there are none.
static const char *missing_words(struct arena *arena, const struct hot_finding *finding) {
    if (finding->is_untimed && finding->n_moments < finding->n_chosen)
        return "copied once, as the profile has no times: it may take another time later";
    if (finding->n_moments < finding->n_chosen)
        return arena_printf(arena,
                            "without %zu of %zu moments, at which the second run was not in it or its copies "
                            "would have held the program up for too long",
                            finding->n_chosen - finding->n_moments, finding->n_chosen);
    const char *why = NULL;
    size_t n = 0;
    for (size_t i = 0; i < finding->n_moments; i++)
        if (finding->moments[i].why) {
            why = why ? why : finding->moments[i].why;
            n++;
        }
    return n ? arena_printf(arena, "without %zu of %zu moments: %s", n, finding->n_moments, why) : NULL;
}

// Adds what a turn is, and what it stands for, behind `n` clauses. Returns the number of all.
static size_t list_turn_words(struct arena *arena, const struct hot_finding *finding, const char ***words, size_t n) {
    static const double much_more = 0.05; // of the samples
    if (finding->main->state->turn)
        *ARENA_ADD(arena, *words, n) = finding->main->state->turn;
    if (finding->covered > finding->share + much_more)
        *ARENA_ADD(arena, *words, n) =
            arena_printf(arena, "its turns run the code of %.0f %% of the samples", 100 * finding->covered);
    if (is_of_one_caller(finding))
        *ARENA_ADD(arena, *words, n) = "other calls of its functions may take another time";
    if (finding->is_shifted)
        *ARENA_ADD(arena, *words, n) = "the second run of the program took another time than the first, so the moments "
                                       "may be in other parts of it";
    return n;
}

// Adds what is to be known of a replay, behind `n` clauses. Returns the number of all.
static size_t list_replay_words(struct arena *arena, const struct hot_moment *main, const char ***words, size_t n) {
    const struct hot_replay *replay = &main->replay;
    const double mispredicted = mispredicted_of(replay);
    if (mispredicted > few_mispredicted)
        *ARENA_ADD(arena, *words, n) = arena_printf(
            arena,
            "%.2f mispredicted branches a turn, by a simple predictor: predictions are without their cost, and replays "
            "repeat the same ways, which the CPU learns",
            mispredicted);
    if (main->ways_share > 0 && main->ways_share < 0.95)
        *ARENA_ADD(arena, *words, n) =
            arena_printf(arena, "the usual way makes %.0f %% of its turns", 100 * main->ways_share);
    if (replay->doubt)
        *ARENA_ADD(arena, *words, n) = replay->doubt;
    if (replay->measurement.verdict == MEASURED_UNSTABLE && replay->measurement.why)
        *ARENA_ADD(arena, *words, n) = arena_printf(arena, "unstable: %s", replay->measurement.why);
    return n;
}

// What a reader has to know of the value, a clause each. Returns their number.
size_t hot_list_words(struct arena *arena, const struct hot_finding *finding, const char ***words) {
    size_t n = 0;
    *words = NULL;
    if (finding->why) {
        *ARENA_ADD(arena, *words, n) = finding->why;
        if (finding->caller)
            *ARENA_ADD(arena, *words, n) =
                arena_printf(arena, "the loop at %s may call it",
                             loop_name(arena, finding->caller_module, finding->caller, finding->caller->head));
        return n;
    }
    const struct hot_moment *main = finding->main;
    if (!main)
        return n;
    n = list_turn_words(arena, finding, words, list_limits(arena, finding, words));
    const char *moments = moments_words(arena, finding), *missing = missing_words(arena, finding);
    if (moments)
        *ARENA_ADD(arena, *words, n) = moments;
    if (missing)
        *ARENA_ADD(arena, *words, n) = missing;
    for (size_t i = 0; i < finding->n_models; i++) {
        const struct hot_forecast *forecast = &main->forecasts[i];
        for (size_t k = 0; k < forecast->n_notes; k++)
            *ARENA_ADD(arena, *words, n) = arena_printf(arena, "%s: %s", forecast->model, forecast->notes[k]);
    }
    n = list_replay_words(arena, main, words, n);
    if (!isnan(finding->program_cycles))
        *ARENA_ADD(arena, *words, n) =
            arena_printf(arena, "in the program: %.2f cycles a turn (%.2f to %.2f, from %.0f samples)",
                         finding->program_cycles, finding->program_low, finding->program_high, finding->loop->all);
    return n;
}

// Of a loop that is there for the functions that it calls, it is little.
static const char *share_words(struct arena *arena, double share) {
    static const double least = 0.0005;
    return isnan(share) ? "" : share < least ? "<0.1 %" : arena_printf(arena, "%.1f %%", 100 * share);
}

static void print_table(struct arena *arena, const struct hot_findings *findings, FILE *out, bool colour) {
    struct table table = {.arena = arena};
    const struct hot_finding *with_models = NULL;
    for (size_t i = 0; i < findings->n && !with_models; i++)
        if (hot_has_value(&findings->items[i]))
            with_models = &findings->items[i];
    const size_t n_models = with_models ? with_models->n_models : 0;
    table_column(&table, TABLE_RIGHT, "#");
    table_column(&table, TABLE_RIGHT, "time");
    table_column(&table, TABLE_CUT, "loop");
    table_column(&table, TABLE_RIGHT, "turns");
    table_column(&table, TABLE_RIGHT, "cycles a turn");
    for (size_t k = 0; k < n_models; k++)
        table_column(&table, TABLE_RIGHT, with_models->main->forecasts[k].model);
    for (size_t i = 0; i < findings->n; i++) {
        const struct hot_finding *finding = &findings->items[i];
        table_cell(&table, "%zu", i + 1);
        table_cell(&table, "%s", share_words(arena, finding->share));
        table_cell(&table, "%s%s", hot_place_name(arena, finding), hot_source_words(arena, finding));
        table_cell(&table, "%s",
                   hot_has_value(finding) ? arena_printf(arena, "%llu", (unsigned long long)finding->main->replay.turns)
                                          : "");
        table_cell(&table, "%s", hot_value_words(arena, finding));
        for (size_t k = 0; k < n_models; k++)
            table_cell(&table, "%s",
                       hot_has_value(finding) && !isnan(finding->predicted[k])
                           ? arena_printf(arena, "%.2f", finding->predicted[k])
                           : "-");
    }
    table_print(&table, out, colour);
    for (size_t i = 0; i < findings->n; i++) {
        const char **words;
        struct text text = {.arena = arena};
        const size_t n = hot_list_words(arena, &findings->items[i], &words);
        for (size_t k = 0; k < n; k++)
            text_addf(&text, "%s%s", k ? "; " : "", words[k]);
        if (n)
            screen_print_sentence(arena_printf(arena, "%zu: %s", i + 1, text.data), out);
    }
}

// Whether loops were copied at moments that the profile had by the wall clock.
static bool are_by_wall_clock(const struct hot_findings *findings) {
    if (!findings->profile || findings->profile->clock != HOT_WALL_CLOCK)
        return false;
    for (size_t i = 0; i < findings->n; i++)
        if (findings->items[i].n_chosen)
            return true;
    return false;
}

void hot_print_rest(struct arena *arena, const struct hot_findings *findings, FILE *out) {
    const struct hot_covered *covered = &findings->covered;
    if (!covered->source)
        return;
    struct text text = {.arena = arena};
    static const double few = 0.005;
    double others = 0;
    if (findings->cpu)
        text_addf(&text, "when this case was saved, on %s: ", findings->cpu);
    text_addf(&text, "%s: %.0f %% of the samples are in code that was replayed", covered->source, 100 * covered->share);
    for (size_t i = 0; i < covered->n_uncovered; i++) {
        const struct hot_uncovered *left = &covered->uncovered[i];
        if (left->share >= few)
            text_addf(&text, "; %.0f %%: %s", 100 * left->share, left->why);
        else
            others += left->share;
    }
    if (others >= few)
        text_addf(&text, "; %.0f %%: other reasons", 100 * others);
    screen_print_sentence(text.data, out);
    if (are_by_wall_clock(findings))
        screen_print_sentence(
            "moments are by the profile's times, which are the wall clock's: where a run of the program "
            "had to wait for its CPU, they are in other parts of it",
            out);
    const int status = findings->profiled.status;
    if (findings->was_run && status)
        screen_print_sentence(WIFSIGNALED(status)
                                  ? arena_printf(arena, "the program ended by signal %d", WTERMSIG(status))
                                  : arena_printf(arena, "the program ended with status %d", WEXITSTATUS(status)),
                              out);
}

const char hot_meaning_of_marks[] = "?: not to be trusted; ~: of the replay, the program may take another time; "
                                    "*: it changes while the program runs, see its line";

void hot_print(struct arena *arena, const struct hot_findings *findings, FILE *out, bool colour) {
    if (findings->n)
        print_table(arena, findings, out, colour);
    if (findings->n)
        screen_print_sentence(hot_meaning_of_marks, out);
    hot_print_rest(arena, findings, out);
}
