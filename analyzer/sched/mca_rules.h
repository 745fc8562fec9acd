// How llvm-mca's reports and options differ from version to version. Each LLVM module says which hold for its version
// (analyzer/llvm/versions.h); `cyclops mca` follows them.
#ifndef ANALYZER_SCHED_MCA_RULES_H
#define ANALYZER_SCHED_MCA_RULES_H

#include <stdbool.h>

struct mca_rules {
    bool aligns_info;             // instruction info: columns stay aligned next to wide numbers, and 0.125 is 0.13
    bool has_full_tables;         // -instruction-tables=none|normal|full; these tables obey -resource-pressure
    bool has_bottlenecks_as_json; // -bottleneck-analysis -json prints the bottlenecks
    bool cpu_help_succeeds;       // -mcpu=help ends with status 0
};

#endif
