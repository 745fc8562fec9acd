// Which views `cyclops mca` prints where an option sets several (-all-views, -all-stats). As in llvm-mca
// (llvm/tools/llvm-mca/llvm-mca.cpp, processViewOptions), the order on the command line decides.
#include "cli/mca/option_table.h"
#include "cli/mca/options.h"

static unsigned position_of(const struct mca_args *args, const char *name) {
    return args->positions[mca_option_find(name)];
}

// Sets `view` to the value of an option for several views, unless the view's option comes after it.
static void follow(const struct mca_args *args, const char *name, bool *view, const char *leader, bool value) {
    if (position_of(args, name) == 0 || position_of(args, name) < position_of(args, leader))
        *view = value;
}

void mca_options_settle_views(struct mca_args *args, bool in_order) {
    if (position_of(args, "all-views") == 0 && position_of(args, "all-stats") == 0)
        return;
    if (position_of(args, "all-views") != 0) {
        follow(args, "summary-view", &args->summary, "all-views", args->all_views);
        if (!in_order)
            follow(args, "bottleneck-analysis", &args->bottlenecks, "all-views", args->all_views);
        follow(args, "resource-pressure", &args->resource_pressure, "all-views", args->all_views);
        follow(args, "timeline", &args->timeline, "all-views", args->all_views);
        follow(args, "instruction-info", &args->instruction_info, "all-views", args->all_views);
    }
    bool stats_lead = position_of(args, "all-views") < position_of(args, "all-stats");
    const char *leader = stats_lead ? "all-stats" : "all-views";
    bool value = stats_lead ? args->all_stats : args->all_views;
    follow(args, "register-file-stats", &args->register_file_stats, leader, value);
    follow(args, "dispatch-stats", &args->dispatch_stats, leader, value);
    follow(args, "scheduler-stats", &args->scheduler_stats, leader, value);
    if (!in_order)
        follow(args, "retire-stats", &args->retire_stats, leader, value);
}
