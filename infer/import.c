#include "infer/import.h"

#include "infer/pair_campaign.h"
#include "infer/same_cpu.h"

static bool open_kept(struct arena *arena, const struct import_onto *onto, const char *kept, const char *what,
                      const char *machine, struct model *model, struct fail *fail) {
    return model_open_cpu_text(model, arena, onto->llvm, onto->name, kept, fail) &&
           (onto->takes_other_cpu || same_cpu_check(what, machine, model->own, fail));
}

// Whether the new file can be read, and its rules fit the base's opcodes.
static bool is_good(struct arena *arena, const struct import_onto *onto, const char *text, struct fail *fail) {
    struct model made = {0};
    bool is_open = model_open_cpu_text(&made, arena, onto->llvm, onto->output, text, fail);
    model_close(&made);
    return is_open;
}

bool import_survey(struct arena *arena, const struct import_onto *onto, const struct check_results *results,
                   struct import_result *result, struct fail *fail) {
    struct model model = {0};
    const struct import_request request = {.results = results,
                                           .model = &model,
                                           .text = onto->text,
                                           .name = onto->output,
                                           .llvm = onto->llvm,
                                           .listener = onto->listener};
    bool is_done =
        open_kept(arena, onto, import_kept_text(arena, onto->text), "the survey was", results->machine, &model, fail) &&
        import_run(arena, &request, result, fail);
    model_close(&model);
    return is_done;
}

bool import_card(struct arena *arena, const struct import_onto *onto, const char *path,
                 struct card_import_result *result, struct fail *fail) {
    struct model base = {0};
    struct card card;
    struct card_origin origin;
    bool is_done = card_read(arena, path, &card, &origin, fail) &&
                   open_kept(arena, onto, card_import_kept_text(arena, onto->text), "the card was", origin.measured_on,
                             &base, fail) &&
                   card_import(arena, &card, &origin, base.own, onto->text, result, fail) &&
                   is_good(arena, onto, result->text, fail);
    model_close(&base);
    return is_done;
}

bool import_pairs(struct arena *arena, const struct import_onto *onto, const char *const *folders, size_t n,
                  struct ports *ports, struct ports_import_result *result, struct fail *fail) {
    struct model model = {0};
    struct evidence *evidence = ARENA_NEW(arena, struct evidence);
    const struct ports_import_request request = {.ports = ports,
                                                 .classes = pair_campaign_classes(arena, folders[0]),
                                                 .model = &model,
                                                 .text = ports_import_kept_text(arena, onto->text)};
    const char *machine;
    *evidence = (struct evidence){.arena = arena};
    bool is_done = pair_campaign_read(evidence, folders, n, fail);
    for (size_t i = 0; i < n && is_done; i++) {
        model_close(&model);
        is_done = pair_campaign_machine(arena, folders[i], &machine, fail) &&
                  open_kept(arena, onto, request.text, "the pairs were", machine, &model, fail);
    }
    if (is_done) {
        ports_infer(arena, evidence, &ports_measured, ports);
        is_done = ports_import(arena, &request, result, fail) && is_good(arena, onto, result->text, fail);
    }
    model_close(&model);
    return is_done;
}
