// Opens a CPU file that a test has as a text, and finds bounds by it.
#ifndef ANALYZER_PREDICT_TESTING_CPU_FILE_H
#define ANALYZER_PREDICT_TESTING_CPU_FILE_H

#include "analyzer/model/model.h"
#include "analyzer/predict/bounds.h"

struct testing_cpu_file {
    struct arena arena;
    struct model model;
};

// For cmocka's set-up, which returns 0 where it is done: *state is then a struct testing_cpu_file.
int testing_cpu_file_open(void **state, const char *text);
int testing_cpu_file_close(void **state);

// Of a block in hexadecimal; `way` has all but the CPU and the block.
struct bounds testing_bounds(struct testing_cpu_file *file, const char *hex, struct bounds_request way);

#endif
