// Predicts what was measured, with each judged model of a set, and holds the two against each other.
#ifndef LAB_PREDICT_H
#define LAB_PREDICT_H

#include "analyzer/model/model_set.h"
#include "lab/experiment.h"

// Where the code ran. Only here can a run be recorded, which shows the way that its branches go.
enum predict_place { PREDICT_HERE, PREDICT_SIMULATED, PREDICT_ELSEWHERE };

struct predict_request {
    struct arena *arena;                 // of the predictions
    const struct model_set *models;      // with the native one, where the code ran on a simulated CPU
    const struct lab_listener *listener; // receives why a model predicts nothing; null: none
    enum predict_place place;
    bool addresses_are_static; // as in struct lab_options
};

// Fills in the predictions and verdicts of an experiment that holds its measurement. One that did not end well is not
// done, and has no prediction.
void predict_experiment(const struct predict_request *request, struct experiment *experiment);

#endif
