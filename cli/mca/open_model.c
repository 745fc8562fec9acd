// The CPU that the options of `cyclops mca` ask for, as the backend takes it.
#include "cli/mca/report.h"

bool mca_open_model(const struct mca_args *args, struct arena *arena, struct model *model, struct fail *fail) {
    const struct backend_options cpu = {
        .triple = args->triple,
        .arch = args->arch,
        .cpu = args->cpu,
        .overlay = args->overlay,
        .features = args->features,
        .output_syntax = args->syntax >= 0 ? args->syntax : -1,
        .call_latency = args->call_latency,
        .calls_are_free = args->call_latency == 0,
        .print_hex = args->print_hex,
        .as_llvm_mca = true,
        .no_instruments = args->no_instruments,
        .no_custom_behaviour = args->no_custom_behaviour,
        .skip_parse_failures = args->skip == MCA_SKIP_PARSE_FAILURE || args->skip == MCA_SKIP_ANY,
        .skip_unscheduled = args->skip == MCA_SKIP_LACK_SCHED || args->skip == MCA_SKIP_ANY,
        .no_text = args->brief && args->trace == NULL,
        .no_encoding = !args->show_encoding,
        .full_info = args->tables == MCA_TABLES_FULL,
        .no_names = !args->bottlenecks && !args->all_views,
    };
    return model_open(model, arena, args->llvm, &cpu, fail);
}
