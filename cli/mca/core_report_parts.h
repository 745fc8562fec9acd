// Private to this folder.
// One block's report of core_report.h: what was found, and how it is printed.
#ifndef CLI_MCA_CORE_REPORT_PARTS_H
#define CLI_MCA_CORE_REPORT_PARTS_H

#include "analyzer/cpu/recipe.h"
#include "analyzer/predict/core_blame.h"
#include "analyzer/sim/pipeline.h"
#include "analyzer/views/core_counts.h"
#include "analyzer/views/core_timeline.h"
#include "base/json_text.h"
#include "cli/mca/report.h"

struct core_findings {
    const struct mca_session *session;
    const struct block *block;
    struct bounds_request way;
    const struct cpu_recipe *recipes; // of each instruction
    uint64_t iterations;
    struct pipeline_result result;
    struct core_blame blame; // without bottleneck-analysis, its limits are not set
    struct core_counts_view counts;
    struct core_timeline_view timeline; // where it is asked for
};

// "core:skylake".
const char *core_title(const struct core_findings *found);
void core_print(const struct core_findings *found, size_t number);
// An object, without a key.
void core_put_json(const struct core_findings *found, struct json_text *json);

#endif
