#include "report/testing_table.h"

#include <math.h>

struct table_value testing_value(double cycles, const char *bytes) {
    return (struct table_value){
        .is_known = true,
        .cycles = cycles,
        .low = cycles - 0.01,
        .high = cycles + 0.01,
        .verdict = MEASURED_EXACT,
        .kernel = "k",
        .bytes = bytes,
    };
}

#define VALUE(number, ...)                                                                                             \
    { .is_known = true, .cycles = (number), .low = (number)-0.01, .high = (number) + 0.01, __VA_ARGS__ }

static const struct table_latency add_latencies[] = {
    {.source = "1", "0", VALUE(1, .kernel = "add.1-0", .bytes = "4801c8")},
    {.source = "2", "0", VALUE(1.002, .verdict = MEASURED_WITHIN, .kernel = "add.2-0", .bytes = "4801c1")},
};
static const struct table_throughput add_throughputs[] = {
    {.streams = 8, .value = VALUE(0.25, .kernel = "add.8", .bytes = "4801c8")},
    {.is_looped = true,
     .has_breakers = true,
     .streams = 8,
     .value = VALUE(0.262, .verdict = MEASURED_WITHIN, .kernel = "add.8l", .bytes = "4801c8")},
};
static const struct table_model add_models[] = {{true, 1, 0.25, 1}, {true, 1, 0.25, 1}};

static const struct table_latency crc_latencies[] = {
    {.source = "1", "0", VALUE(3, .kernel = "crc", .bytes = "f2480f38f1c1")},
    {.source = "2",
     "0",
     VALUE(4, .kernel = "crc \"2\"", .bytes = "f2480f38f1c1", .sum = 6.5, .partner = "MOVQ, by a=b",
           .why = "the partner's share,\n\"2.5\", is subtracted")},
};
static const struct table_model crc_models[] = {{true, 3, 1, 1}, {false, 0, 0, 0}};

static const struct table_latency div_latencies[] = {
    {.source = "0", "rax", VALUE(10, .kernel = "div", .bytes = "48f7f1")},
    {.source = "rdx",
     "rax",
     VALUE(14, .verdict = MEASURED_UNSTABLE, .why = "another thread was busy", .kernel = "div", .bytes = "48f7f1")},
    {.source = "rax",
     "rdx",
     VALUE(18, .relation = TABLE_AT_MOST, .why = "the partner is not known", .partner = "MOV64rr")},
};
static const struct table_throughput div_throughputs[] = {
    {.streams = 1, .value = VALUE(7, .verdict = MEASURED_UNSTABLE, .why = "another thread was busy")},
};
static const struct table_model div_models[] = {{true, 30, 20, 2}, {true, 12, 7, 2}};

static const struct table_latency nan_latencies[] = {
    {.source = "1", "0", {.is_known = true, .cycles = NAN, .low = NAN, .high = NAN}},
    {.source = "2", "0", {.is_known = true, .cycles = 1, .low = -INFINITY, .high = INFINITY}},
};
static const struct table_throughput nan_throughputs[] = {
    {.streams = 4, .value = {.is_known = true, .cycles = INFINITY, .high = INFINITY}},
};
static const struct table_model nan_models[] = {{true, INFINITY, NAN, 0}, {true, 1, 1, 1}};

static const struct table_throughput nop_throughputs[] = {
    {.is_looped = true, .streams = 1, .value = VALUE(1, .kernel = "nop", .bytes = "90")},
    {.streams = 8, .value = VALUE(0.083, .kernel = "nop.8", .bytes = "90")},
};
static const struct table_model nop_models[] = {{true, 1, 0.25, 1}, {true, 0, 0.08, 1}};

static const struct table_latency load_latencies[] = {
    {.source = "1", "0", VALUE(3, .kernel = "vadd.1-0", .bytes = "c5f45807")},
    {.source = "2.base",
     "0",
     VALUE(11, .relation = TABLE_AT_MOST, .partner = "VMOVQ64rr", .sum = 12, .why = "the partner's latency is unknown",
           .kernel = "vadd.2-0", .bytes = "c5f45807c4e1f97ec7")},
    {.source = "memory", "0", {.why = "no instruction stores what it takes"}},
};
static const struct table_throughput load_throughputs[] = {
    {.placement = PLACEMENT_OWN_LINES, .streams = 8, .value = VALUE(0.5, .kernel = "vadd.8", .bytes = "c5f45807")},
    {.placement = PLACEMENT_SAME_ADDRESS, .streams = 8, .value = VALUE(0.5, .kernel = "vadd.8s", .bytes = "c5f45807")},
};
static const struct table_model load_models[] = {{true, 10, 0.5, 1}, {true, 2, 0.5, 1}};

#define ARRAY(name) (name), sizeof(name) / sizeof *(name)
#define SLOTS(...)                                                                                                     \
    { __VA_ARGS__, false }
#define NO_SLOTS SLOTS({0})

static const struct table_row rows[] = {
    {"VADDPSYrm", "vaddps 64(%rdi), %ymm1, %ymm0", "WriteFAddYLd", NULL, false, ARRAY(load_latencies),
     ARRAY(load_throughputs), 0, load_models,
     SLOTS(VALUE(2, .relation = TABLE_AT_MOST, .why = "no whole number of slots", .kernel = "vadd.17",
                 .bytes = "c5f45807")),
     NULL, 0},
    {"ADD64rr", "addq %rcx, %rax", "WriteALU", NULL, false, ARRAY(add_latencies), ARRAY(add_throughputs), 0, add_models,
     SLOTS(VALUE(1, .kernel = "add.17", .bytes = "4801c8")), NULL, 0},
    {"CRC \"quoted, form\"", "crc32q %rcx, %rax", NULL, NULL, false, ARRAY(crc_latencies), NULL, 0, 0, crc_models,
     NO_SLOTS, NULL, 0},
    {"DIV64r", "divq %rcx", "WriteDiv64", NULL, false, ARRAY(div_latencies), ARRAY(div_throughputs), 0, div_models,
     SLOTS({.why = "its copies take longer than fillers can hide"}), NULL, 0},
    {"LEAnan", NULL, NULL, NULL, false, ARRAY(nan_latencies), ARRAY(nan_throughputs), 0, nan_models, NO_SLOTS, NULL, 0},
    {"NOOP", "nop", "WriteNop", NULL, false, NULL, 0, ARRAY(nop_throughputs), 1, nop_models, NO_SLOTS, NULL, 0},
    {"XSAVE", "xsave 64(%rdi)", "WriteSystem", "illegal instruction", true, NULL, 0, NULL, 0, 0, NULL, NO_SLOTS, NULL,
     0},
};
static const char *const models[] = {"llvm-22/znver5", "llvm-19/znver4"};

const struct survey_table testing_table = {
    .cpu = "AMD EPYC 9B45 (family 26, model 2), microcode 0xb002116",
    .llvm_cpu = "znver5",
    .triple = "x86_64-unknown-linux-gnu",
    .clock = "ratio clock (1 cycle = 1 dependent add), ±0.10 %",
    .models = models,
    .n_models = 2,
    .filler = "xor",
    .width = 6,
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .n_forms = 16140,
    .n_measured = 6,
    .n_values = 15,
    .n_unstable = 2,
    .n_at_most = 3,
};
