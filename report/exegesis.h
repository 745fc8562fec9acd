// The instruction table as the files that `llvm-exegesis -mode=analysis` compares with LLVM's models: one file for
// latencies, one for reciprocal throughputs, a YAML document per form. The format is that of LLVM 19 and 22
// (llvm/tools/llvm-exegesis/lib/BenchmarkResult.cpp). Read them with
//     llvm-exegesis-22 -mode=analysis -analysis-clustering=naive -benchmarks-file=FILE
//         -analysis-clusters-output-file=- -analysis-inconsistencies-output-file=differences.html
// Its other clustering (dbscan, the default) compares only forms of which there are three alike.
//
// There is no file for uops: the table does not have them yet.
#ifndef REPORT_EXEGESIS_H
#define REPORT_EXEGESIS_H

#include "analyzer/model/backend.h"
#include "base/arena.h"
#include "base/fail.h"
#include "survey/table/table.h"

// What a file holds.
struct exegesis_written {
    const char *path;
    size_t n;            // documents
    size_t n_doubtful;   // of these, with a reason in `error`: llvm-exegesis does not compare them
    size_t n_unreadable; // values left out: their bytes do not decode to an instruction of the form
};

// A table has one latency per pair of operands, LLVM's models one per form: the file has the largest, and names its
// pair in `info`. A value that is unstable or an upper bound, or that an unstable one may exceed, has the reason in
// `error`. `at`: a folder, for "latency.yaml" and "inverse_throughput.yaml" there; else what their names begin with:
// "zen5" makes "zen5-latency.yaml". Files appear complete or not at all. `cpu` decodes the instructions: an open CPU
// of the table's triple, of the LLVM that is to read the files. Fails where the table does not name LLVM's CPU and
// triple, and where a file cannot be written.
bool exegesis_write(struct arena *arena, const struct survey_table *table, const struct backend *backend,
                    struct backend_cpu *cpu, const char *at, struct exegesis_written *latencies,
                    struct exegesis_written *throughputs, struct fail *fail);

#endif
