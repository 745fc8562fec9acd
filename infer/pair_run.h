// Private to this folder.
// What a campaign of pairs knows while it runs: pair_campaign.c measures, pair_items.c names its loops,
// pair_files.c reads and writes the folder.
#ifndef INFER_PAIR_RUN_H
#define INFER_PAIR_RUN_H

#include "base/index.h"
#include "base/text.h"
#include "infer/pair_campaign.h"
#include "lab/assembled.h"
#include "survey/multisets.h"

// A loop, and its value.
struct pairs_item {
    struct multiset_term terms[MULTISET_MOST_TERMS];
    unsigned n_terms, turns, copies;
    size_t kernel; // in the set
    const char *id, *set;
    bool is_judged, is_next, is_unfit; // is_unfit: no loop holds it
    bool has_orders;                   // there is the same multiset in other orders
    bool is_known;                     // it has a value
    double cycles, low, high;          // of the multiset once
};

struct pairs_run {
    struct arena *arena;
    const struct pair_campaign_request *request;
    struct campaign campaign;
    struct multisets sets;
    struct kernel_set kernels;
    struct text file; // of the kernels
    struct assembled assembled;
    struct record_file measurements;
    struct pairs_item *items;
    size_t n_items;
    struct index by_id;
    bool takes_unstable; // of the folder: a first look at everything comes before second ones
    unsigned *sentinels; // forms
    size_t n_sentinels;
    size_t n_unfit, n_open;
};

// Names of forms and amounts; the item's number, or -1: there is none.
const char *pairs_id_of(const struct pairs_run *run, const struct multiset_term *terms, unsigned n);
long pairs_find_item(const struct pairs_run *run, const char *id);
// Adds the multiset as the next one to measure, unless there is that already. Returns its number; -1: no loop holds it.
long pairs_add_item(struct pairs_run *run, const struct multiset_term *terms, unsigned n, const char *id,
                    const char *set);
// Adds the item's multiset in other orders: all copies of each form in a row, of one multiset, and of two.
void pairs_add_orders(struct pairs_run *run, long item);

// Whether the form stands for its class.
bool pairs_is_class(const struct pairs_run *run, unsigned form);
// Whether this part of the campaign measures what has that number.
bool pairs_is_own(const struct pairs_run *run, size_t number);
// By its name; sets.n_forms: the survey has none such.
unsigned pairs_form_called(const struct pairs_run *run, const char *name);

// A run that goes on has the sentinels of the one before, and its pairs: another choice would begin anew.
const char *pairs_sentinels_path(const struct pairs_run *run);
bool pairs_write_sentinels(struct pairs_run *run, struct fail *fail);
bool pairs_read_sentinels(struct pairs_run *run, struct fail *fail);
bool pairs_write_classes(struct pairs_run *run, struct fail *fail);
// Experiments, multisets to judge by, and the kernels, at that path.
bool pairs_write_files(struct pairs_run *run, const char *kernels, struct fail *fail);

#endif
