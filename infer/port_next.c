// Experiments that tell hypotheses apart: of many multisets of bases, those whose predictions differ most between the
// maps of a cluster; where there is one map only, the same for the recipes of a form, with bases beside it.
#include "infer/port_search.h"

#include "analyzer/predict/port_spread.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLE = 150, MOST_TRIALS = 8000, MOST_EACH = 10, MOST_FOR_FORM = 2, MOST_COUNT = 40 };

struct next_candidate {
    struct ports_experiment experiment;
    double cycles[MOST_SAMPLE]; // by hypothesis
};

struct choosing {
    struct port_search *search;
    struct next_candidate *trials;
    size_t n_trials;
    unsigned n_hypotheses;
    double margin; // relative difference that a measurement shows
};

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Twice what rejects a hypothesis in the middle of all items: enough where the value itself is off as well.
static double find_margin(const struct port_search *search) {
    size_t n = search->evidence->n_items;
    double *all = ARENA_ARRAY(search->arena, double, n);
    for (size_t i = 0; i < n; i++)
        all[i] = (search->high[i] - search->low[i]) / 2 / search->evidence->items[i].cycles;
    qsort(all, n, sizeof *all, compare_numbers);
    return n ? 1.4 * all[n / 2] : 0;
}

// Labels of hypotheses that the trial does not tell apart become the same, others different. Returns how many labels
// there are. `labels`: what is told apart already.
static unsigned split(const struct choosing *choosing, const struct next_candidate *trial, const unsigned *labels,
                      unsigned *refined) {
    double sorted[MOST_SAMPLE];
    unsigned n = choosing->n_hypotheses, buckets[MOST_SAMPLE], n_labels = 0;
    memcpy(sorted, trial->cycles, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    for (unsigned h = 0; h < n; h++) {
        double first = sorted[0];
        buckets[h] = 0;
        for (unsigned i = 0; i < n && sorted[i] <= trial->cycles[h]; i++)
            if (sorted[i] > first * (1 + choosing->margin)) {
                first = sorted[i];
                buckets[h]++;
            }
    }
    for (unsigned h = 0; h < n; h++) {
        unsigned other = 0;
        while (other < h && (labels[other] != labels[h] || buckets[other] != buckets[h]))
            other++;
        refined[h] = other < h ? refined[other] : n_labels++;
    }
    return n_labels;
}

static void choose(struct choosing *choosing, unsigned most) {
    struct ports *ports = choosing->search->ports;
    unsigned labels[MOST_SAMPLE] = {0}, n_labels = 1;
    for (unsigned round = 0; round < most && n_labels < choosing->n_hypotheses; round++) {
        const struct next_candidate *best = NULL;
        unsigned refined[MOST_SAMPLE], most_labels = n_labels, fewest = 0;
        for (size_t t = 0; t < choosing->n_trials; t++) {
            const struct next_candidate *trial = &choosing->trials[t];
            unsigned n = split(choosing, trial, labels, refined), size = 0;
            for (unsigned i = 0; i < trial->experiment.n_terms; i++)
                size += trial->experiment.terms[i].count;
            if (n > most_labels || (best && n == most_labels && size < fewest)) {
                best = trial;
                most_labels = n;
                fewest = size;
            }
        }
        if (!best)
            return;
        split(choosing, best, labels, refined);
        memcpy(labels, refined, sizeof labels);
        struct ports_experiment chosen = best->experiment;
        chosen.splits = most_labels - n_labels;
        n_labels = most_labels;
        *ARENA_ADD(choosing->search->arena, ports->next, ports->n_next) = chosen;
    }
}

static void add_trial(struct choosing *choosing, const struct next_candidate *trial) {
    double least = trial->cycles[0], most = least;
    for (unsigned h = 1; h < choosing->n_hypotheses; h++) {
        least = trial->cycles[h] < least ? trial->cycles[h] : least;
        most = trial->cycles[h] > most ? trial->cycles[h] : most;
    }
    if (most > least * (1 + choosing->margin) && choosing->n_trials < MOST_TRIALS)
        choosing->trials[choosing->n_trials++] = *trial;
}

// A multiset of bases, as many of each as the first of its counts that fills its ports.
static void try_bases(struct choosing *choosing, const struct ambiguous_cluster *cluster, const unsigned *places,
                      const unsigned *counts, unsigned n) {
    const struct port_search *search = choosing->search;
    struct next_candidate trial = {.experiment = {.n_terms = n}};
    double dispatch = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct base *base = &search->bases[cluster->bases[places[i]]];
        trial.experiment.terms[i] = (struct evidence_term){base->form, base->width * counts[i]};
        dispatch += base->width * counts[i] * search->ports->map.recipes[base->form].slots / search->ports->map.width;
    }
    for (unsigned h = 0; h < choosing->n_hypotheses; h++) {
        size_t family = (size_t)h * cluster->n_families / choosing->n_hypotheses;
        struct cpu_use work[6];
        for (unsigned i = 0; i < n; i++)
            work[i] = (struct cpu_use){cluster->families[family].sets[places[i]], trial.experiment.terms[i].count};
        double cycles = port_spread(work, n, NULL);
        trial.cycles[h] = cycles > dispatch ? cycles : dispatch;
    }
    add_trial(choosing, &trial);
}

static void decide_cluster(struct choosing *choosing, const struct ambiguous_cluster *cluster) {
    static const unsigned counts[][4] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {1, 1, 2, 1}};
    choosing->n_trials = 0;
    choosing->n_hypotheses = cluster->n_families < MOST_SAMPLE ? (unsigned)cluster->n_families : MOST_SAMPLE;
    for (unsigned a = 0; a < cluster->n_bases; a++)
        for (unsigned b = 0; b < a; b++)
            for (unsigned way = 0; way < 3; way++)
                try_bases(choosing, cluster, (unsigned[]){a, b}, counts[way], 2);
    for (unsigned a = 0; a < cluster->n_bases; a++)
        for (unsigned b = 0; b < a; b++)
            for (unsigned c = 0; c < b; c++)
                for (unsigned way = 0; way < 4; way++)
                    try_bases(choosing, cluster, (unsigned[]){a, b, c}, counts[way], 3);
    for (unsigned a = 0; a < cluster->n_bases; a++)
        for (unsigned b = 0; b < a; b++)
            for (unsigned c = 0; c < b; c++)
                for (unsigned d = 0; d < c; d++)
                    try_bases(choosing, cluster, (unsigned[]){a, b, c, d}, counts[0], 4);
    choose(choosing, MOST_EACH);
}

static void try_form(struct choosing *choosing, unsigned form, unsigned count, const struct base *const *bases,
                     unsigned n, double load) {
    const struct port_search *search = choosing->search;
    const struct ports_form *at = &search->ports->forms[form];
    struct next_candidate trial = {.experiment = {.terms = {{form, count}}, .n_terms = n + 1}};
    double dispatch = count * search->ports->map.recipes[form].slots;
    struct cpu_use work[PORT_RECIPE_MOST + 4];
    for (unsigned b = 0; b < n; b++) {
        double copies = bases[b]->width * at->alone * count * load + 0.5;
        unsigned others = copies < 1 ? 1 : (unsigned)copies;
        if (others > MOST_COUNT)
            return;
        trial.experiment.terms[b + 1] = (struct evidence_term){bases[b]->form, others};
        work[b] = (struct cpu_use){bases[b]->ports, others};
        dispatch += others * search->ports->map.recipes[bases[b]->form].slots;
    }
    for (unsigned h = 0; h < choosing->n_hypotheses; h++) {
        const struct port_recipe *recipe = &at->hypotheses[h];
        for (unsigned u = 0; u < recipe->n; u++)
            work[n + u] = (struct cpu_use){recipe->uops[u].pipes, recipe->uops[u].cycles * count};
        double cycles = port_spread(work, n + recipe->n, NULL);
        trial.cycles[h] = cycles > dispatch / search->ports->map.width ? cycles : dispatch / search->ports->map.width;
    }
    add_trial(choosing, &trial);
}

// Bases whose ports some hypothesis uses and another one does not, or not as much.
static void decide_form(struct choosing *choosing, unsigned form) {
    const struct port_search *search = choosing->search;
    const struct ports_form *at = &search->ports->forms[form];
    const struct base *bases[MOST_BASES];
    unsigned n = 0;
    uint64_t ports = 0;
    for (size_t h = 0; h < at->n_hypotheses; h++)
        for (unsigned u = 0; u < at->hypotheses[h].n; u++)
            ports |= at->hypotheses[h].uops[u].pipes;
    for (unsigned b = 0; b < search->n_bases; b++)
        if (search->bases[b].ports & ports && search->bases[b].form != form)
            bases[n++] = &search->bases[b];
    choosing->n_trials = 0;
    choosing->n_hypotheses = (unsigned)at->n_hypotheses;
    for (unsigned a = 0; a < n; a++)
        for (unsigned count = 1; count <= 4; count *= 2) {
            try_form(choosing, form, count, (const struct base *[]){bases[a]}, 1, 1);
            try_form(choosing, form, count, (const struct base *[]){bases[a]}, 1, 0.5);
            for (unsigned b = 0; b < a; b++) {
                try_form(choosing, form, count, (const struct base *[]){bases[a], bases[b]}, 2, 1);
                try_form(choosing, form, count, (const struct base *[]){bases[a], bases[b]}, 2, 0.5);
            }
            for (unsigned b = 0; b < a; b++)
                for (unsigned c = 0; c < b && count == 1; c++)
                    try_form(choosing, form, count, (const struct base *[]){bases[a], bases[b], bases[c]}, 3, 1);
        }
    choose(choosing, MOST_FOR_FORM);
}

void search_next(struct port_search *search) {
    struct choosing choosing = {.search = search, .margin = find_margin(search)};
    bool is_open = false;
    choosing.trials = arena_alloc_uncleared(search->arena, MOST_TRIALS * sizeof *choosing.trials);
    for (size_t c = 0; c < search->ports->n_clusters; c++)
        if (search->clusters[c].n_families > 1) {
            decide_cluster(&choosing, &search->clusters[c]);
            is_open = true;
        }
    for (unsigned f = 0; f < search->evidence->n_forms && !is_open; f++)
        if (search->ports->forms[f].n_hypotheses > 1)
            decide_form(&choosing, f);
}
