// The files of a folder of pairs.
#include "infer/pair_run.h"

#include "base/compressed.h"
#include "base/file.h"
#include "infer/evidence.h"
#include "survey/table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pair_campaign_experiments(struct arena *arena, const char *folder) {
    return arena_printf(arena, "%s/experiments.csv", folder);
}

const char *pair_campaign_judged(struct arena *arena, const char *folder) {
    return arena_printf(arena, "%s/judged.csv", folder);
}

const char *pair_campaign_classes(struct arena *arena, const char *folder) {
    return arena_printf(arena, "%s/classes.csv", folder);
}

bool pair_campaign_machine(struct arena *arena, const char *folder, const char **machine, struct fail *fail) {
    struct table_origin origin;
    const char *path = arena_printf(arena, "%s/measurements.jsonl", folder);
    *machine = NULL;
    if (!compressed_find(arena, path))
        return true;
    bool is_read = table_find_origin_of_file(arena, path, &origin, fail);
    *machine = is_read ? origin.machine : NULL;
    return is_read;
}

static const char *terms_text(const struct pairs_run *run, const struct pairs_item *item) {
    struct text text = {.arena = run->arena};
    for (unsigned t = 0; t < item->n_terms; t++)
        text_addf(&text, "%s%u*%s", t ? ";" : "", item->terms[t].count, run->sets.forms[item->terms[t].form].name);
    return text.data;
}

bool pair_campaign_read(struct evidence *evidence, const char *const *folders, size_t n, struct fail *fail) {
    char *first = NULL, *other;
    size_t length = 0, other_length;
    for (size_t i = 0; i < n; i++) {
        if (!evidence_read(evidence, pair_campaign_experiments(evidence->arena, folders[i]), 0, fail))
            return false;
        if (n == 1)
            return true;
        if (!file_read(evidence->arena, pair_campaign_classes(evidence->arena, folders[i]), &other, &other_length,
                       fail))
            return false;
        if (!first) {
            first = other;
            length = other_length;
        } else if (length != other_length || memcmp(first, other, length) != 0)
            return fail_set(fail, FAIL_INPUT, "'%s' and '%s' are not parts of one campaign: their classes differ",
                            folders[0], folders[i]);
    }
    return true;
}

bool pairs_is_own(const struct pairs_run *run, size_t number) {
    return !run->request->n_shards || number % run->request->n_shards == run->request->shard - 1;
}

bool pairs_is_class(const struct pairs_run *run, unsigned form) {
    return run->sets.forms[form].first == form;
}

unsigned pairs_form_called(const struct pairs_run *run, const char *name) {
    unsigned f = 0;
    while (f < run->sets.n_forms && strcmp(run->sets.forms[f].name, name) != 0)
        f++;
    return f;
}

static const char filler[] = "(filler)"; // what takes a slot and nothing else: how the survey counts slots

// The classes alone, and with as many fillers as fill their time, which shows their slots.
static void add_alone(const struct pairs_run *run, struct text *csv) {
    static const double error = 0.005; // of the survey's slots, which are whole numbers
    double width = run->sets.width;
    size_t n_classes = 0;
    // Of another part's classes, only those are here that stand beside this one's.
    bool *is_used = ARENA_ARRAY(run->arena, bool, run->sets.n_forms);
    for (size_t i = 0; i < run->n_items; i++)
        for (unsigned t = 0; t < run->items[i].n_terms && run->items[i].is_known && !run->items[i].is_judged; t++)
            is_used[run->items[i].terms[t].form] = true;
    if (width > 0)
        text_addf(csv, "%.5f,%.5f,%.5f,%s,FILL,survey\n", 1 / width, (1 - error) / width, (1 + error) / width, filler);
    for (unsigned f = 0; f < run->sets.n_forms; f++) {
        const struct multiset_form *form = &run->sets.forms[f];
        if (!pairs_is_class(run, f) || (!pairs_is_own(run, n_classes++) && !is_used[f]))
            continue;
        text_addf(csv, "%.5f,%.5f,%.5f,%s,%s,survey\n", form->cycles, form->low, form->high, form->name, form->kernel);
        unsigned n = (unsigned)ceil(form->cycles * width + 0.5);
        double cycles = (form->slots + n) / width;
        if (width > 0 && form->slots)
            text_addf(csv, "%.5f,%.5f,%.5f,%s;%u*%s,%s.slots,survey\n", cycles, cycles * (1 - error),
                      cycles * (1 + error), form->name, n, filler, form->name);
    }
}

static bool write_csv(struct pairs_run *run, bool is_judged, const char *path, struct fail *fail) {
    struct text csv = {.arena = run->arena};
    text_add(&csv, "cycles,low,high,forms,id,set\n");
    if (!is_judged)
        add_alone(run, &csv);
    for (size_t i = 0; i < run->n_items; i++) {
        const struct pairs_item *item = &run->items[i];
        if (item->is_known && item->is_judged == is_judged)
            text_addf(&csv, "%.5f,%.5f,%.5f,%s,%s,%s\n", item->cycles, item->low, item->high, terms_text(run, item),
                      item->id, item->set);
    }
    return file_write(path, csv.data, csv.length, fail);
}

// "2*ADD64rr;1*IMUL64rr", as terms_text has it. Returns how many; 0: a form is not of the survey.
static unsigned read_terms(const struct pairs_run *run, char *text, struct multiset_term *terms) {
    unsigned n = 0;
    for (char *term; (term = strsep(&text, ";")) && n < MULTISET_MOST_TERMS; n++) {
        char *name;
        terms[n].count = (unsigned)strtoul(term, &name, 10);
        terms[n].form = *name == '*' && terms[n].count ? pairs_form_called(run, name + 1) : (unsigned)run->sets.n_forms;
        if (terms[n].form == run->sets.n_forms)
            return 0;
    }
    return n;
}

const char *pairs_sentinels_path(const struct pairs_run *run) {
    return arena_printf(run->arena, "%s/sentinels.csv", run->request->campaign.folder);
}

bool pairs_write_sentinels(struct pairs_run *run, struct fail *fail) {
    static const char set[] = "sentinels";
    struct text csv = {.arena = run->arena};
    text_add(&csv, "forms\n");
    for (size_t s = 0; s < run->n_sentinels; s++)
        text_addf(&csv, "1*%s\n", run->sets.forms[run->sentinels[s]].name);
    for (size_t i = 0; i < run->n_items; i++)
        if (strcmp(run->items[i].set, set) == 0)
            text_addf(&csv, "%s\n", terms_text(run, &run->items[i]));
    return file_write(pairs_sentinels_path(run), csv.data, csv.length, fail);
}

bool pairs_read_sentinels(struct pairs_run *run, struct fail *fail) {
    char *data, *line;
    size_t length;
    if (!file_read(run->arena, pairs_sentinels_path(run), &data, &length, fail))
        return false;
    strsep(&data, "\n"); // the title
    while ((line = strsep(&data, "\n"))) {
        struct multiset_term terms[MULTISET_MOST_TERMS];
        unsigned n = *line ? read_terms(run, line, terms) : 0;
        if (n == 1)
            *ARENA_ADD(run->arena, run->sentinels, run->n_sentinels) = terms[0].form;
        else if (n)
            pairs_add_item(run, terms, n, pairs_id_of(run, terms, n), "sentinels");
    }
    return true;
}

bool pairs_write_classes(struct pairs_run *run, struct fail *fail) {
    struct text csv = {.arena = run->arena};
    text_add(&csv, "form,class\n");
    for (unsigned f = 0; f < run->sets.n_forms; f++)
        text_addf(&csv, "%s,%s\n", run->sets.forms[f].name, run->sets.forms[run->sets.forms[f].first].name);
    return file_write(pair_campaign_classes(run->arena, run->request->campaign.folder), csv.data, csv.length, fail);
}

bool pairs_write_files(struct pairs_run *run, const char *kernels, struct fail *fail) {
    const char *folder = run->request->campaign.folder;
    return file_write(kernels, run->file.data, run->file.length, fail) &&
           write_csv(run, false, pair_campaign_experiments(run->arena, folder), fail) &&
           (!run->request->n_random || write_csv(run, true, pair_campaign_judged(run->arena, folder), fail));
}
