// What a model predicts of measured values: it simulates the measured programs, and puts their cycles together as the
// measured value is put together. A program that many values share is simulated once.
#ifndef CHECK_PREDICTOR_H
#define CHECK_PREDICTOR_H

#include "analyzer/model/model.h"
#include "analyzer/predict/prediction.h"
#include "base/index.h"
#include "check/values.h"

struct predicted_program;

struct predictor {
    struct arena *arena;
    const struct model *model;
    struct overlay *overlay;       // changes the model's instructions; null: nothing does
    bool only_cycles;              // what limits a program is not asked, which takes as long as its cycles
    const struct machine *machine; // the model's, or as the overlay changes it
    struct predicted_program *programs;
    size_t n_programs;
    struct index index; // of these, by their code
};

// A model's number beside a measured value.
struct predicted {
    bool is_known;
    double cycles;    // CHECK_SLOTS: uops, or slots
    double simulated; // cycles of all programs that it is made of, each as often as it counts
    // What limits the first program; means nothing for CHECK_SLOTS, and of a predictor that has `only_cycles`.
    enum bottleneck kind;
    const char *resource; // the model's name of that: "Zn4FPFMul01"; "": unknown
    unsigned holds_cycles;
    bool are_slots;  // CHECK_SLOTS: slots of a CPU file, and not uops
    const char *why; // why there is no number; null: there is one
};

void predictor_open(struct predictor *predictor, struct arena *arena, const struct model *model);
// With changes of the model. Fails where the overlay does not fit the machine.
bool predictor_open_changed(struct predictor *predictor, struct arena *arena, const struct model *model,
                            struct overlay *overlay, struct fail *fail);
// From now on it also says what limits a program: those that it has predicted are simulated again.
void predictor_ask_limits(struct predictor *predictor);
// Decodes machine code, in hex, as struct check_value has it. What `block` holds lives as long as both `arena` and the
// model.
bool predictor_describe(const struct predictor *predictor, struct arena *arena, const char *hex, struct block *block,
                        struct fail *fail);
// The first instruction of the form in a value's code; null: not found.
const struct insn *predictor_find_form(const struct block *block, const char *form);
struct predicted predictor_predict(struct predictor *predictor, const struct check_value *value);

#endif
