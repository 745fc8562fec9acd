// The CPU that the options of `cyclops mca` ask for, as the backend takes it.
#include "cli/mca/core_report.h"
#include "cli/mca/report.h"

#include <stdlib.h>

// LLVM's scripts call llvm-mca for CPUs of all kinds: the overlay of the environment is for the runs of its own one.
static bool take_overlay(struct backend_options *cpu, struct arena *arena, const char *llvm, struct fail *fail) {
    const char *path = getenv("CYCLOPS_OVERLAY");
    bool is_of_cpu = false;
    if (path == NULL || path[0] == '\0' || cpu->overlay != NULL || model_is_overlay(cpu->cpu) ||
        model_is_cpu_file(cpu->cpu))
        return true;
    if (!model_overlay_is_of(arena, path, llvm, cpu, &is_of_cpu, fail))
        return false;
    if (is_of_cpu)
        cpu->overlay = path;
    return true;
}

bool mca_open_model(const struct mca_args *args, struct arena *arena, struct model *model, struct fail *fail) {
    const bool is_own = model_is_cpu_file(args->cpu);
    struct backend_options cpu = {
        .triple = args->triple,
        .arch = args->arch,
        .cpu = args->cpu,
        .overlay = args->overlay,
        .features = args->features,
        .output_syntax = args->syntax >= 0 ? args->syntax : -1,
        .call_latency = args->call_latency,
        .calls_are_free = args->call_latency == 0,
        .print_hex = args->print_hex,
        .as_llvm_mca = !is_own,
        .no_instruments = args->no_instruments,
        .no_custom_behaviour = args->no_custom_behaviour,
        .skip_parse_failures = args->skip == MCA_SKIP_PARSE_FAILURE || args->skip == MCA_SKIP_ANY,
        .skip_unscheduled = args->skip == MCA_SKIP_LACK_SCHED || args->skip == MCA_SKIP_ANY,
        .no_text = args->brief && args->trace == NULL,
        .no_encoding = !args->show_encoding && !is_own,
        .full_info = args->tables == MCA_TABLES_FULL,
        .no_names = !args->bottlenecks && !args->all_views,
    };
    if (is_own && args->as_llvm_mca)
        return fail_set(fail, FAIL_INPUT,
                        "'%s' is a CPU file: 'cyclops mca' simulates it, with reports that are not llvm-mca's",
                        cpu.cpu);
    if (is_own && !core_check_options(args, fail))
        return false;
    return take_overlay(&cpu, arena, args->llvm, fail) && model_open(model, arena, args->llvm, &cpu, fail);
}
