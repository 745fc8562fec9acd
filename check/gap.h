// Private to check/ and repair/.
// A measured value against a prediction: whether the interval excludes it, and which number of the model is the cause.
#ifndef CHECK_GAP_H
#define CHECK_GAP_H

#include "check/findings.h"
#include "check/predictor.h"

// Less than half a cycle, no latency of a model can be off by.
#define GAP_LEAST_OF_SUM 0.5

// Relative distance of the prediction from the measured interval; 0: inside. The wider the programs whose cycles the
// value is the difference of, the more it may be off: MEASURED_LEAST_DIFFERENCE of their cycles. An upper bound
// excludes only what lies above it; that of a sum of latencies, what lies so far above it that one of them is wrong.
double gap_find(const struct check_value *value, const struct predicted *predicted);

// Cycles by which the programs of an upper bound are predicted to take less than was measured of them; of other values
// 0. The programs are measured exactly. So a model that is far below is wrong about them, though not for certain about
// the form.
double gap_below(const struct check_value *value, const struct predicted *predicted);

// How far below a repair may come, cycles: as far off as the model was, or what a way back may take less than thought.
double gap_allowed_below(const struct check_value *value, const struct predicted *model);

// Whether a value can be held against a number: it is known and stable.
bool gap_is_sure(const struct check_value *value);

// Fills in all of a difference but `question`'s own fields: number, gap, and the names of its causes.
struct check_difference gap_describe(struct arena *arena, const struct check_value *value,
                                     const struct predicted *predicted);

// A class's name for identifiers. LLVM names some classes by all their opcodes, hundreds of them: of these the first,
// and a hash.
const char *gap_class_name(struct arena *arena, const char *class_name);

// A ratio as a name that noise does not change: "x2", "x2/3". Null: it is near no fraction of small numbers.
const char *gap_ratio_name(struct arena *arena, double ratio);

#endif
