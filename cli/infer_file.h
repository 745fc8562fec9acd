// cyclops infer SURVEY…: a whole CPU file, and why its numbers are what they are.
#ifndef CLI_INFER_FILE_H
#define CLI_INFER_FILE_H

#include "base/options.h"

struct infer_file_request {
    const char *output, *base, *llvm; // base: null: LLVM's model of the CPU that was measured
    bool is_forced, takes_other_cpu;
};

bool infer_file_make(struct arena *arena, const struct infer_file_request *request, const char *const *paths, size_t n,
                     struct fail *fail);
// `cpu`: a CPU file that states its evidence.
bool infer_file_why(struct arena *arena, const char *cpu, const char *llvm, const char *form, struct fail *fail);

#endif
