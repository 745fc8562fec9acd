// Private to this folder.
// A measured block as something to predict: the loop or the copies, the start and the memory that it was measured with.
#ifndef CORPUS_AS_MEASURED_H
#define CORPUS_AS_MEASURED_H

#include "analyzer/predict/model_prediction.h"
#include "corpus/measured.h"

struct prediction_request predict_as_measured(const struct execution *execution, const struct corpus_value *value);

#endif
