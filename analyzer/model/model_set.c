#include "analyzer/model/model_set.h"

#include <string.h>

bool model_request_judges(const struct model_request *request) {
    return request->judged.n_items != 1 || strcmp(request->judged.items[0], "none") != 0;
}

static struct backend_options options_of(const struct model_request *request, const char *cpu) {
    return (struct backend_options){.triple = request->triple,
                                    .cpu = cpu,
                                    .features = request->features,
                                    .output_syntax = -1,
                                    .forms = request->forms};
}

static bool open_one(struct model *model, struct arena *arena, const struct model_request *request, const char *cpu,
                     struct fail *fail) {
    const struct backend_options options = options_of(request, cpu);
    return !cpu || model_open(model, arena, option_list_first(&request->llvms), &options, fail);
}

static bool open_judged(struct model_set *set, struct arena *arena, const struct model_request *request,
                        const char *cpu, struct fail *fail) {
    const char *first = option_list_first(&request->llvms);
    bool is_one =
        !request->llvms.n_items || model_names_version(cpu) || model_is_overlay(cpu) || model_is_cpu_file(cpu);
    const char *const *llvms = is_one ? &first : request->llvms.items;
    size_t n = is_one ? 1 : request->llvms.n_items;
    const struct backend_options options = options_of(request, cpu);
    if (set->n_judged + n > MODEL_SET_MOST)
        return fail_set(fail, FAIL_INPUT, "at most %d models at once", MODEL_SET_MOST);
    if (!model_open_versions(&set->judged[set->n_judged], arena, llvms, n, &options, fail))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (set->judged[set->n_judged + i].own)
            set->judged[set->n_judged + i].own->refuses_base = request->refuses_base;
    set->n_judged += (unsigned)n;
    return true;
}

static bool open_all_judged(struct model_set *set, struct arena *arena, const struct model_request *request,
                            struct fail *fail) {
    const struct option_list *cpus = &request->judged;
    if (!model_request_judges(request))
        return true;
    if (!cpus->n_items)
        return open_judged(set, arena, request, request->native, fail) &&
               (!request->own || set->n_judged == MODEL_SET_MOST ||
                open_judged(set, arena, request, request->own, fail));
    for (size_t i = 0; i < cpus->n_items; i++)
        if (!open_judged(set, arena, request, cpus->items[i], fail))
            return false;
    return true;
}

bool model_set_open(struct model_set *set, struct arena *arena, const struct model_request *request,
                    struct fail *fail) {
    *set = (struct model_set){0};
    if (open_one(&set->native, arena, request, request->native, fail) && open_all_judged(set, arena, request, fail) &&
        open_one(&set->against, arena, request, request->against, fail))
        return true;
    model_set_close(set);
    return false;
}

void model_set_close(struct model_set *set) {
    for (unsigned i = 0; i < set->n_judged; i++)
        model_close(&set->judged[i]);
    model_close(&set->against);
    model_close(&set->native);
    *set = (struct model_set){0};
}
