#include "analyzer/views/columns.h"
#include "analyzer/views/timeline.h"

enum { FIRST_CYCLE_COLUMN = 10 };

// The last digit of each cycle: those of even tens in one line, those of odd tens in the other.
static void print_digits(FILE *out, uint32_t last_cycle, uint32_t tens) {
    for (uint32_t i = 0; i <= last_cycle; i++)
        fputc((i / 10 & 1) == tens ? '0' + (int)(i % 10) : ' ', out);
    fputc('\n', out);
}

static void print_header(FILE *out, uint32_t last_cycle) {
    fputs("\n\nTimeline view:\n", out);
    if (last_cycle >= 10) {
        fprintf(out, "%*s", FIRST_CYCLE_COLUMN, "");
        print_digits(out, last_cycle, 1);
    }
    fprintf(out, "%-*s", FIRST_CYCLE_COLUMN, "Index");
    print_digits(out, last_cycle, 0);
}

static void repeat(FILE *out, char c, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        fputc(c, out);
}

static void print_execution(const struct timeline_entry *entry, FILE *out) {
    fputc('D', out);
    if (entry->dispatched != entry->executed) { // else it took no time
        repeat(out, '=', entry->dispatched + 1, entry->issued);
        if (entry->issued != entry->executed) {
            repeat(out, 'e', entry->issued + (entry->dispatched == entry->issued), entry->executed);
        }
        fputc('E', out);
    }
    repeat(out, '-', entry->executed + 1, entry->retired);
    if (entry->executed < entry->retired)
        fputc('R', out);
}

static void print_entry(const struct timeline_view *view, const struct timeline_entry *entry, unsigned iteration,
                        unsigned position, FILE *out) {
    if (iteration == 0 && position == 0)
        fputc('\n', out);
    struct columns line = {.out = out};
    columns_addf(&line, "[%u,%u]", iteration, position);
    columns_pad(&line, FIRST_CYCLE_COLUMN);
    for (uint32_t i = 0; i < entry->dispatched; i++)
        fputc(i % 5 == 0 ? '.' : ' ', out);
    print_execution(entry, out);
    for (uint32_t i = entry->retired + 1; i <= view->last_cycle; i++)
        fputc(i % 5 == 0 || i == view->last_cycle ? '.' : ' ', out);
    fprintf(out, "   %s\n", view->block->insns[position].text);
}

// The cycles shown ended before the instruction retired.
static bool is_cut_off(const struct timeline_entry *entry) {
    return entry->retired == 0 && entry->executed != 0;
}

static void print_timeline(const struct timeline_view *view, FILE *out) {
    const struct timeline_entry *entry = view->entries;
    print_header(out, view->last_cycle);
    for (unsigned iteration = 0; iteration < view->iterations; iteration++) {
        for (unsigned position = 0; position < view->block->n_insns; position++, entry++) {
            if (is_cut_off(entry)) {
                fputs("Truncated display due to cycle limit\n", out);
                return;
            }
            print_entry(view, entry, iteration, position, out);
        }
    }
}

static double average(uint32_t cycles, uint32_t executions) {
    return columns_rounded((double)(uint32_t)(cycles * 10) / executions, 1) / 10;
}

static void print_waits(struct columns *line, const struct timeline_view *view, const struct timeline_waits *waits,
                        uint32_t executions) {
    columns_pad(line, 7);
    columns_addf(line, "%u", view->iterations);
    columns_pad(line, 13);
    columns_addf(line, "%.1f", average(waits->queued, executions));
    columns_pad(line, 20);
    columns_addf(line, "%.1f", average(waits->queued_ready, executions));
    columns_pad(line, 27);
    columns_addf(line, "%.1f", average(waits->executed, executions));
    columns_pad(line, 34);
    columns_add(line, "   ");
}

static void print_average_waits(const struct timeline_view *view, FILE *out) {
    struct columns line = {.out = out};
    struct timeline_waits total = {0};
    unsigned n_insns = view->block->n_insns;
    fputs("\n\nAverage Wait times (based on the timeline view):\n"
          "[0]: Executions\n"
          "[1]: Average time spent waiting in a scheduler's queue\n"
          "[2]: Average time spent waiting in a scheduler's queue while ready\n"
          "[3]: Average time elapsed from WB until retire stage\n\n"
          "      [0]    [1]    [2]    [3]\n",
          out);
    for (unsigned i = 0; i < n_insns; i++) {
        columns_addf(&line, "%u.", i);
        print_waits(&line, view, &view->waits[i], view->iterations);
        columns_add(&line, view->block->insns[i].text);
        columns_add(&line, "\n");
        total.queued += view->waits[i].queued;
        total.queued_ready += view->waits[i].queued_ready;
        total.executed += view->waits[i].executed;
    }
    if (n_insns > 1) {
        print_waits(&line, view, &total, view->iterations * n_insns);
        columns_add(&line, "<total>\n");
    }
}

void timeline_view_print(const struct timeline_view *view, FILE *out) {
    print_timeline(view, out);
    print_average_waits(view, out);
}

void timeline_view_json(const struct timeline_view *view, struct json_text *json) {
    json_open(json, "TimelineView");
    json_open_list(json, "TimelineInfo");
    for (size_t i = 0; i < (size_t)view->iterations * view->block->n_insns; i++) {
        const struct timeline_entry *entry = &view->entries[i];
        if (is_cut_off(entry))
            break;
        json_open(json, NULL);
        json_put_integer(json, "CycleDispatched", entry->was_dispatched ? (int64_t)entry->dispatched : -1);
        json_put_integer(json, "CycleExecuted", entry->executed);
        json_put_integer(json, "CycleIssued", entry->issued);
        json_put_integer(json, "CycleReady", entry->ready);
        json_put_integer(json, "CycleRetired", entry->retired);
        json_close(json);
    }
    json_close_list(json);
    json_close(json);
}
