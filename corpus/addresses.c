#include "corpus/addresses.h"

#include "base/bytes.h"
#include "corpus/as_measured.h"

#include <string.h>

void addresses_open(struct addresses *addresses, struct arena *arena, const struct score_request *request,
                    const struct model_set *models) {
    struct fail why = {0};
    *addresses = (struct addresses){.arena = arena, .refusal = recorded_turns_refusal(request->isa)};
    for (unsigned m = models->n_judged; m-- > 0;)
        if (models->judged[m].own)
            addresses->recorder.model = &models->judged[m];
    addresses->recorder.decoder = &addresses->decoder;
    if (!addresses->recorder.model || addresses->refusal)
        return;
    if (!decoder_open(&addresses->decoder, arena, request->isa, option_list_first(&request->models.llvms), &why))
        addresses->refusal = arena_strdup(arena, why.text);
}

void addresses_close(struct addresses *addresses) {
    decoder_close(&addresses->decoder);
}

// Whether the CPU file meets an address in it that it cannot follow.
static bool is_wanted(const struct addresses *addresses, const struct corpus_value *value) {
    struct arena scratch = {0};
    struct block block;
    struct bounds bounds = {.n_unfollowed = 0};
    struct fail ignored = {0};
    size_t n_bytes = strlen(value->code) / 2;
    uint8_t *bytes = arena_alloc(&scratch, n_bytes + 1);
    bytes_from_digits(value->code, 2 * n_bytes, bytes);
    if (value->kind == VALUE_STABLE &&
        model_describe_bytes(addresses->recorder.model, &scratch, bytes, n_bytes, &block, &ignored) &&
        !block_has_inner_branch(&block, value->form == PROGRAM_LOOPED)) {
        const struct prediction_request request = predict_as_measured(EXECUTION_OF(&block), value);
        prediction_bounds(&scratch, addresses->recorder.model, &request, &bounds, &ignored);
    }
    arena_free(&scratch);
    return bounds.n_unfollowed > 0;
}

// Copies of the block at the start of what one iteration executes.
static size_t count_copies(const struct corpus_value *value) {
    size_t length = strlen(value->hex), n = 0;
    while (length && strncmp(value->code + n * length, value->hex, length) == 0)
        n++;
    return n;
}

// Adds the block as it was measured.
static bool add(struct arena *arena, struct plan *plan, const struct isa *isa, const struct corpus_value *value,
                struct fail *why) {
    size_t n_digits = strlen(value->hex) * (value->form == PROGRAM_LOOPED ? count_copies(value) : 1);
    uint8_t *bytes = arena_alloc(arena, n_digits / 2 + 1);
    if (n_digits == 0)
        return fail_set(why, FAIL_WORK, "its loop is not of copies of it");
    bytes_from_digits(value->form == PROGRAM_LOOPED ? value->code : value->hex, n_digits, bytes);
    const struct block_source source = {
        .isa = isa, .name = value->file, .bytes = bytes, .n_bytes = n_digits / 2, .line = value->line};
    struct plan_options options = {
        .has_form = true,
        .form = value->form,
        .block = {.alias = value->starts_apart ? ALIAS_DISJOINT : ALIAS_SAME,
                  .memory = value->memory_is_own ? BLOCK_MEMORY_OWN : BLOCK_MEMORY_SHARED,
                  .most_pages = BENCH_MOST_PAGES},
    };
    if (value->starts_otherwise)
        return fail_set(why, FAIL_WORK, "it was measured with --init, --fill or --registers");
    return (!*value->set || start_state_parse(arena, isa, value->set, &options.block.state, why)) &&
           plan_add_block(arena, plan, &source, value->hex, &options, why);
}

// The turn that ran has to be what is predicted.
static void take(struct arena *arena, const struct recorded_turns *turns, struct predicted *predicted) {
    if (turns->refusal)
        predicted->unrecorded = turns->refusal;
    else
        predicted->run = memcpy(ARENA_NEW(arena, struct execution), &turns->run, sizeof turns->run);
}

void addresses_record(struct addresses *addresses, struct arena *arena, struct predicted *items, size_t n) {
    const struct lab_listener silent = {0};
    const struct isa *isa = isa_find("x86_64");
    struct plan plan = {.listener = &silent};
    struct predicted **owners = ARENA_ARRAY(arena, struct predicted *, n + 1);
    struct fail fail = {0};
    for (size_t i = 0; i < n && addresses->recorder.model; i++) {
        struct fail why = {0};
        unsigned before = plan.n_blocks;
        if (!is_wanted(addresses, &items[i].value))
            continue;
        items[i].unrecorded = addresses->refusal;
        if (!addresses->refusal && !add(arena, &plan, isa, &items[i].value, &why))
            items[i].unrecorded = arena_strdup(arena, why.text);
        else if (plan.n_blocks > before)
            owners[plan.n_blocks - 1] = &items[i];
    }
    struct recorded_turns *turns = ARENA_ARRAY(arena, struct recorded_turns, plan.n_blocks + 1);
    if (!recorded_turns_of_plan(arena, &addresses->recorder, &plan, turns, &fail))
        addresses->refusal = arena_strdup(addresses->arena, fail.text);
    for (unsigned i = 0; i < plan.n_blocks; i++)
        if (owners[i])
            take(arena, &turns[i], owners[i]);
}
