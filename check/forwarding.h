// Private to check/ and repair/.
// Results that a CPU hands to the same kind of instruction earlier than to others. A survey shows both numbers of one
// form of a scheduling class; a model of LLVM's has one. So where copies of a form of that class wait for as long as
// copies of that one, the model's number is not wrong: it is the one of all other instructions.
#ifndef CHECK_FORWARDING_H
#define CHECK_FORWARDING_H

#include "check/values.h"

// Sets `to_others` of the values that are until the same kind has the result. `values`: by check_value_compare.
void forwarding_mark(struct arena *arena, struct check_value *values, size_t n);

// Whether a prediction is what others wait for, or less, and the value is what its own kind waits for.
bool forwarding_explains(const struct check_value *value, double predicted);

// Makes a value that its own kind has earlier accept every number from there to the others'. For a repair: a model has
// one number, which shall not become the own kind's. Not where the model has what the own kind waits for.
void forwarding_accept(struct check_value *value, double predicted);

#endif
